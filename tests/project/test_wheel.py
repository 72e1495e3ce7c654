"""The wheel alone, in an empty environment and another working folder, checks and plays."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import edict
from edict.tools.mcp.pages import PAGES

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

SHIPPED = ("grammar", "rules", "modules", "examples")
TABLES = "grammar/tables.json"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def _bare_environment() -> dict[str, str]:
    """The environment without anything that could lead Python back to the checkout."""
    return {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}


def _do(*command: str | Path, cwd: Path, timeout: int = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**_bare_environment(), "PYTHONIOENCODING": "utf-8", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
    )


def _must(*command: str | Path, cwd: Path) -> None:
    done = _do(*command, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel built from that."""
    folder = tmp_path_factory.mktemp("dist")
    _must(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, root, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs of an environment are that holds the wheel and what it needs."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=True)
    folder = environment / ("Scripts" if os.name == "nt" else "bin")
    _must(folder / "python", "-m", "pip", "install", "--quiet", wheel, cwd=environment)
    return folder


@pytest.fixture
def kingsburg(programs: Path, tmp_path: Path) -> Run:
    """The command, run from an empty folder with nobody at the keyboard."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = _do(programs / "kingsburg", *arguments, cwd=tmp_path)
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        return done

    return run


def _sources(root: Path) -> set[str]:
    """What must ship beside the Python code, as paths in the checkout."""
    files = (file for folder in SHIPPED for file in (root / folder).rglob("*") if file.is_file())
    kept = (file for file in files if not file.name.startswith(".") and file.parent.name != "__pycache__")
    return {f"docs/{page}" for page in PAGES.values()} | {file.relative_to(root).as_posix() for file in kept} - {TABLES}


def test_the_wheel_holds_code_rules_and_nothing_else(root: Path, wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {name.removeprefix("edict/shipped/") for name in names if name.startswith("edict/shipped/")}
    assert shipped == _sources(root) | {TABLES}, "the parser's tables are made while the wheel is built"
    assert {"edict/py.typed", "edict/support/resources.py", "edict/runtime/machine/loop.py"} <= names
    web = root / "interpreter" / "edict" / "apps" / "web"
    pages = [file for part in ("templates", "static") for file in (web / part).rglob("*") if file.is_file()]
    assert {f"edict/apps/web/{file.relative_to(web).as_posix()}" for file in pages} <= names and pages
    package = f"kingsburg-{edict.__version__}"
    assert {name.split("/")[0] for name in names} == {"edict", f"{package}.dist-info", f"{package}.data"}
    data = {name for name in names if name.startswith(f"{package}.data/")}
    assert data == {f"{package}.data/data/share/man/man1/kingsburg.1"}
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_the_source_distribution_holds_what_it_takes(root: Path, built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    wanted = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "tests/project/test_wheel.py"}
    assert wanted | _sources(root) <= names


def test_it_is_really_the_installed_one(programs: Path, root: Path, tmp_path: Path) -> None:
    done = _do(programs / "python", "-c", "from edict.support import resources; print(resources.home())", cwd=tmp_path)
    home = Path(done.stdout.strip())
    assert home.name == "shipped", done.stderr
    assert root not in home.parents


def test_help(kingsburg: Run) -> None:
    done = kingsburg("--help")
    assert done.returncode == 0, done.stderr
    assert all(command in done.stdout for command in ("play", "check"))


def test_check(kingsburg: Run) -> None:
    done = kingsburg("check", "--shipped")
    assert done.returncode == 0, done.stdout + done.stderr


def test_play_without_a_terminal_tells_a_whole_game(kingsburg: Run, tmp_path: Path) -> None:
    done = kingsburg("play", "--seed", "7")
    told = done.stdout.strip().splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(told) > 100, done.stdout
    assert "\x1b" not in done.stdout
    assert kingsburg("play", "--seed", "7").stdout.strip().splitlines()[-1] == told[-1], "one seed, one game"
