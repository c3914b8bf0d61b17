"""The cache among faults of the machine, through whole compilations in processes of their own."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rtgen import cache

PROGRAM = """
import sys, resource, signal
import rtgen
limit = int(sys.argv[1])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
if sys.argv[2] == "nobody":  # which may not be allowed to import: all is imported before
    import os, tempfile, tracemalloc
    place = os.environ["RTGEN_CACHE_DIR"]
    with tempfile.TemporaryDirectory() as os.environ["RTGEN_CACHE_DIR"]:
        rtgen.parse_response("", {"start_anchor": "A:", "fields": {"content": {"close": "<end>"}}}, prefix="")
    os.environ["RTGEN_CACHE_DIR"] = place
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.stdin.readline()
for number in map(int, sys.argv[3:]):
    template = {"defaults": {"number": number}, "start_anchor": "A:", "fields": {"content": {"close": "<end>"}}}
    for _ in range(2):
        assert rtgen.parse_response("hello<end>", template, prefix="") == {"number": number, "content": "hello"}
print("right")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: Any) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv(cache.VARIABLE, str(path))
    return path


def start(*numbers: int, limit: int = 0, user: str = "") -> subprocess.Popen[str]:
    """A process that compiles these templates, two times each, once it is told to."""
    arguments = [sys.executable, "-c", PROGRAM, str(limit), user, *map(str, numbers)]
    pipe = subprocess.PIPE
    return subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def result(process: subprocess.Popen[str]) -> int:
    """How many warnings it gave; its answers were right."""
    out, err = process.communicate("\n", timeout=120)
    assert (process.returncode, out) == (0, "right\n"), err
    return err.count("RuntimeWarning")


def stored(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def test_a_disk_that_fills_up_in_the_middle_of_a_write(folder: Path) -> None:
    assert result(start(1, 2, limit=500)) == 1
    assert stored(folder) == []
    assert result(start(1, 2)) == 0
    assert len(stored(folder)) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_of_another_user_and_one_that_cannot_be_written(tmp_path: Path, monkeypatch: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as place:  # a place that every user can reach
        os.chmod(place, 0o755)
        monkeypatch.setenv(cache.VARIABLE, place)
        assert result(start(1, 2, user="nobody")) == 1
        own = Path(place) / "own"
        own.mkdir()
        os.chown(own, 65534, 65534)
        own.chmod(0o500)
        monkeypatch.setenv(cache.VARIABLE, str(own))
        assert result(start(1, 2, user="nobody")) == 1
        assert stored(own) == []


def test_a_folder_that_is_deleted_while_in_use(folder: Path) -> None:
    import shutil

    processes = [start(*range(12)) for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    while any(process.poll() is None for process in processes):
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.005)
    assert all(result(process) <= 1 for process in processes)


def test_processes_that_are_killed_in_the_middle(folder: Path) -> None:
    rng = random.Random(8)
    for _ in range(12):
        process = start(*range(6))
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(rng.uniform(0.1, 0.6))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if folder.exists() and stored(folder) and rng.random() < 0.5:
            (folder / rng.choice(stored(folder))).unlink()
    assert result(start(*range(6))) == 0
    modules = [name for name in stored(folder) if name.endswith(".py")]
    assert len(modules) == 6


def test_a_clock_that_stands_wrong(folder: Path) -> None:
    assert result(start(1)) == 0
    (name,) = stored(folder)
    for moment in (0, 2**33):
        os.utime(folder / name, (moment, moment))
        assert result(start(1)) == 0
    assert stored(folder) == [name]


def test_thirty_two_processes_compile_the_same_and_different_templates(folder: Path) -> None:
    processes = [start(1, 2, 10 + number % 4) for number in range(32)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert sum(result(process) for process in processes) == 0
    assert len(stored(folder)) == 6 and all(name.endswith(".py") for name in stored(folder))
