"""What is installed: every package and every data file, from a wheel and from an editable install."""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

import rtgen

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS = {"rtgen.generated": ROOT / "generated", "rtgen.templates": ROOT / "templates"}
IGNORED = ("__pycache__", "*.pyc", "*.egg-info", ".*", "build", "dist")


def folder(package: str) -> Path:
    return FOLDERS.get(package, ROOT.joinpath(*package.split(".")))


def files() -> dict[str, Path]:
    """Every file that belongs to the package, by its path in the wheel."""
    found = {}
    for name, root in {"rtgen": ROOT / "rtgen", **FOLDERS}.items():
        for path in root.rglob("*"):
            parts = path.relative_to(root).parts
            if path.is_file() and not any(fnmatch.fnmatch(part, ignored) for part in parts for ignored in IGNORED):
                found["/".join((*name.split("."), *parts))] = path
    return found


def test_every_package_is_listed():
    packages = {"rtgen", *FOLDERS}
    packages |= {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "rtgen").rglob("*.py")
        if "__pycache__" not in path.parts
    }
    assert SETUPTOOLS["packages"] == sorted(packages)
    assert {name: ROOT / path for name, path in SETUPTOOLS["package-dir"].items()} == FOLDERS
    for package in packages:
        assert (folder(package) / "__init__.py").exists(), f"{package} has no __init__.py"


def test_every_data_file_is_listed_and_every_pattern_is_of_use():
    listed = {
        path
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        for path in folder(package).glob(pattern)
    }
    data = {path for path in files().values() if path.suffix != ".py"}
    assert {path for path in listed if "__pycache__" not in path.parts} == data


def test_version_and_readme():
    assert PROJECT["project"]["version"] == rtgen.__version__
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    start, end = "<!-- test-command -->", "<!-- /test-command -->"
    assert readme.count(start) == readme.count(end) == 1
    command = readme.partition(start)[2].partition(end)[0]
    assert "pip install" in command and "pytest" in command
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """A copy of the project without what is built."""
    copy = tmp_path_factory.mktemp("source") / "rtgen"
    ignore = shutil.ignore_patterns(*IGNORED, "tests", "benchmarks")
    shutil.copytree(ROOT, copy, ignore=ignore)
    return copy


def run(*command: str | Path, path: Path | None = None, cwd: Path) -> str:
    """The output of a command; its import path is `path` alone."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["RTGEN_CACHE_DIR"] = str(cwd / "cache")
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


USE = """
import importlib, json, pkgutil, sys, rtgen
assert rtgen.__file__.startswith(sys.argv[1]), rtgen.__file__
names = ["rtgen"] + [m.name for m in pkgutil.walk_packages(rtgen.__path__, "rtgen.") if m.name != "rtgen.__main__"]
for name in names + ["rtgen.generated", "rtgen.templates"]:
    importlib.import_module(name)
for name in rtgen.available():
    rtgen.load(name).parse_response
    if importlib.util.find_spec(f"rtgen.generated.{name}"):
        assert rtgen.load(name).path.name == f"{name}.py"
print(json.dumps(rtgen.available()))
"""


@pytest.mark.slow
def test_the_wheel_holds_everything(source, tmp_path):
    run(sys.executable, "-m", "build", "--outdir", tmp_path / "dist", source, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    assert held == set(files())
    target = tmp_path / "installed"
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, wheel, cwd=tmp_path)
    assert run(sys.executable, "-c", USE, target, path=target, cwd=tmp_path) == f"{_json(rtgen.available())}\n"
    assert "parse" in run(sys.executable, "-m", "rtgen", "--help", path=target, cwd=tmp_path)
    assert (target / "bin" / "rtgen").exists()


@pytest.mark.slow
def test_the_editable_install_finds_everything(source, tmp_path):
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=tmp_path)
    python = venv / "bin" / "python"
    purelib = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip()
    # The dependencies of the tests' own environment, but not the rtgen that is installed there.
    Path(purelib, "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    pip = [sys.executable, "-m", "pip", "--python", python]
    run(*pip, "install", "-q", "--no-deps", "-e", source, cwd=tmp_path)
    assert run(python, "-c", USE, source, cwd=tmp_path) == f"{_json(rtgen.available())}\n"
    assert "parse" in run(venv / "bin" / "rtgen", "--help", cwd=tmp_path)


def _json(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def test_python_is_new_enough():
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert sysconfig.get_python_version() >= "3.11"
