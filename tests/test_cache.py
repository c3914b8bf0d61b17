"""The cache: what it trusts, what it makes anew, and that it never stops anyone."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import platformdirs
import pytest

import rtgen
from rtgen import cache, files

HASH = "a1" * 32
SOURCE = "# generated\nX = 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The cache folder of the test, not made yet; warnings are errors until a test says otherwise."""
    path = tmp_path / "deep" / "cache"
    monkeypatch.setenv(cache.VARIABLE, str(path))
    monkeypatch.setattr(cache, "_warned", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield path


def never() -> str:
    raise AssertionError("built again")


def stored(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def in_memory() -> warnings.WarningMessage:
    """Load twice where the cache is of no use: both times built, one warning (returned), no path."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            assert cache.load(HASH, lambda: SOURCE) == (SOURCE, None)
    assert len(caught) == 1 and caught[0].category is RuntimeWarning
    assert "compiled in memory" in str(caught[0].message)
    return caught[0]


def test_the_second_load_reads_what_the_first_stored(folder):
    path = str(folder / f"{HASH}.py")
    assert cache.load(HASH, lambda: SOURCE) == (SOURCE, path)
    assert cache.load(HASH, never) == (SOURCE, path)
    assert stored(folder) == [f"{HASH}.py"]


def test_lines_of_the_file_are_lines_of_the_source(folder):
    cache.load(HASH, lambda: SOURCE)
    text = (folder / f"{HASH}.py").read_text()
    assert text.startswith(SOURCE) and text.count("\n") == SOURCE.count("\n") + 1
    compile(text, "cached", "exec")


def test_folder_and_file_are_private(folder):
    old = os.umask(0)
    try:
        cache.load(HASH, lambda: SOURCE)
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / f"{HASH}.py").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut"),
        pytest.param(lambda data: data[:-1], id="last byte lost"),
        pytest.param(lambda data: data.replace(b"X = 1", b"X = 2"), id="changed"),
        pytest.param(lambda data: data + b"X = 2\n", id="appended to"),
        pytest.param(lambda data: b"\xff" + data, id="not UTF-8"),
        pytest.param(lambda data: b"import os\n", id="replaced"),
        pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="line ends"),
    ],
)
def test_a_damaged_file_is_made_anew(folder, damage):
    cache.load(HASH, lambda: SOURCE)
    file = folder / f"{HASH}.py"
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert cache.load(HASH, lambda: SOURCE) == (SOURCE, str(file))
    assert file.read_bytes() == whole


def test_a_file_under_another_hash_is_made_anew(folder):
    other = "b2" * 32
    cache.load(HASH, lambda: "other")
    os.rename(folder / f"{HASH}.py", folder / f"{other}.py")
    assert cache.load(other, lambda: SOURCE)[0] == SOURCE


def test_what_is_not_accepted_is_made_anew(folder):
    cache.load(HASH, lambda: "evil")
    assert cache.load(HASH, lambda: SOURCE, lambda source: source != "evil")[0] == SOURCE
    assert cache.load(HASH, never, lambda source: source != "evil")[0] == SOURCE


def test_what_build_raises_goes_through(folder):
    with pytest.raises(AssertionError, match="built again"):
        cache.load(HASH, never)
    assert stored(folder) == []


def test_a_symbolic_link_is_not_read_and_gives_way(folder, tmp_path):
    cache.load(HASH, lambda: "evil")
    aside = tmp_path / "aside.py"
    os.rename(folder / f"{HASH}.py", aside)
    (folder / f"{HASH}.py").symlink_to(aside)
    assert cache.load(HASH, lambda: SOURCE)[0] == SOURCE
    assert not (folder / f"{HASH}.py").is_symlink()
    assert aside.read_text().startswith("evil")


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_is_made_anew(folder, mode):
    cache.load(HASH, lambda: "evil")
    file = folder / f"{HASH}.py"
    file.chmod(mode)
    assert cache.load(HASH, lambda: SOURCE)[0] == SOURCE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_pipe_or_a_folder_in_place_of_the_file_does_not_stop_us(folder):
    folder.mkdir(parents=True, mode=0o700)
    os.mkfifo(folder / f"{HASH}.py")
    assert cache.load(HASH, lambda: SOURCE)[0] == SOURCE
    os.unlink(folder / f"{HASH}.py")
    (folder / f"{HASH}.py").mkdir()
    in_memory()


@pytest.mark.parametrize("mode", [0o770, 0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_is_not_trusted(folder, mode):
    cache.load(HASH, lambda: "evil")
    folder.chmod(mode)
    warning = in_memory()
    assert "written by others" in str(warning.message)
    assert stored(folder) == [f"{HASH}.py"]


def test_a_folder_that_others_can_only_read_is_used(folder):
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    assert cache.load(HASH, lambda: SOURCE)[1] is not None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_owner_is_not_trusted(folder):
    cache.load(HASH, lambda: "evil")
    os.chown(folder, 12345, -1)
    assert "another user (uid 12345)" in str(in_memory().message)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_owner_is_made_anew(folder):
    cache.load(HASH, lambda: "evil")
    os.chown(folder / f"{HASH}.py", 12345, -1)
    assert cache.load(HASH, lambda: SOURCE)[0] == SOURCE


def test_a_linked_folder_is_not_trusted(folder, tmp_path):
    target = tmp_path / "target"
    target.mkdir(mode=0o700)
    folder.parent.mkdir()
    folder.symlink_to(target)
    assert "symbolic link" in str(in_memory().message)
    assert stored(target) == []


def test_a_file_in_place_of_the_folder(folder):
    folder.parent.mkdir()
    folder.write_text("")
    in_memory()


def test_a_folder_that_cannot_be_made(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / "cache"))
    in_memory()


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EACCES])
def test_a_disk_that_takes_nothing(folder, monkeypatch, code):
    def refuse(*args, **kwargs):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(files, "write_atomically", refuse)
    assert os.strerror(code) in str(in_memory().message)


def test_a_full_disk_leaves_no_half_file(folder, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "replace", full)
    in_memory()
    assert stored(folder) == []


def test_a_second_unusable_folder_warns_again(folder, tmp_path, monkeypatch):
    for name in ("one", "two"):
        (tmp_path / name).write_text("")
        monkeypatch.setenv(cache.VARIABLE, str(tmp_path / name))
        in_memory()


def test_an_account_without_a_home(monkeypatch):
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache, "_platform_directory", lambda: "~/.cache/rtgen")
    assert "no home folder" in str(in_memory().message)
    assert not os.path.exists("~")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs itself is asked")
@pytest.mark.parametrize("base", [None, "", "/somewhere/else", "relative", "  "])
def test_the_folder_is_that_of_platformdirs(monkeypatch, base):
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if base is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", base)
    assert cache.directory() == platformdirs.user_cache_dir("rtgen", appauthor=False)


def test_a_relative_folder_is_made_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(cache.VARIABLE, "here")
    assert cache.directory() == str(tmp_path / "here")


def test_a_tilde_is_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setenv(cache.VARIABLE, os.path.join("~", "x"))
    assert cache.directory() == str(tmp_path / "home" / "x")
    monkeypatch.setenv(cache.VARIABLE, os.path.join("~nobody-of-this-name", "x"))
    assert "no such home folder" in str(in_memory().message)
    assert not any(name.startswith("~") for name in os.listdir(tmp_path))


def test_without_handles_the_paths_are_checked(folder, monkeypatch):
    monkeypatch.setattr(cache, "_BY_HANDLE", False)
    test_the_second_load_reads_what_the_first_stored(folder)
    assert cache.clear() == 1
    folder.chmod(0o770)
    in_memory()


def test_clear_deletes_only_what_the_cache_wrote(folder):
    assert cache.clear() == 0
    for digit in "123":
        cache.load(digit * 64, lambda: SOURCE)
    (folder / f".{HASH}.py.0123456789ab.tmp").write_text("half")
    for name in ("mine.py", "notes.tmp", f"{HASH}.txt"):
        (folder / name).write_text("")
    assert cache.clear() == 3
    assert stored(folder) == sorted(["mine.py", "notes.tmp", f"{HASH}.txt"])


def test_clear_leaves_a_folder_alone_that_is_not_trusted(folder):
    cache.load(HASH, lambda: SOURCE)
    folder.chmod(0o777)
    with pytest.raises(cache.CacheError, match="written by others"):
        cache.clear()
    assert stored(folder) == [f"{HASH}.py"]


WORKER = """
import sys, warnings
warnings.simplefilter("error")
from rtgen import cache
sys.stdin.readline()
for i in range(20):
    source, path = cache.load("%064x" % i, lambda: f"X = {i}\\n" * 2000)
    assert source == f"X = {i}\\n" * 2000 and path is not None
"""


def test_thirty_two_processes_at_once(folder):
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(32)
    ]
    for worker in workers:
        worker.stdin.write(b"\n")
        worker.stdin.flush()
    assert [worker.communicate()[1] for worker in workers] == [b""] * 32
    assert stored(folder) == [f"{i:064x}.py" for i in range(20)]


def test_a_process_forgets_parsers_that_nobody_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    import gc
    import linecache
    import weakref

    from rtgen import compiler

    monkeypatch.setattr(compiler, "MOST_KNOWN", 2)
    monkeypatch.setattr(compiler, "_known", {})
    known = set(linecache.cache)
    classes = []
    for number in range(12):
        compiled = rtgen.compile({"start_anchor": f"<forgotten {number}>", "fields": {"content": {}}})
        parser = compiled.ResponseParser("", spans=True)
        parser.feed("text")
        parser.finalize()
        classes.append(weakref.ref(compiled._module.ResponseParser))
    del compiled, parser
    gc.collect()
    assert sum(one() is not None for one in classes) <= 2
    assert len([name for name in set(linecache.cache) - known if "rtgen_parser" in name]) <= 2
