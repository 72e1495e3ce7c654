"""The wheel, installed alone in an empty environment, which must check rules and play."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import edict
from edict.tools.mcp.rule_tools import PAGES

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

SHIPPED = ("grammar", "rules", "modules", "examples")
TABLES = "grammar/tables.json"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def _bare_environment() -> dict[str, str]:
    """The environment without anything that could lead Python back to the checkout."""
    return {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}


def _run(*command: str | Path, cwd: Path, timeout: int = 300) -> subprocess.CompletedProcess[str]:
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


def _run_checked(*command: str | Path, cwd: Path) -> None:
    done = _run(*command, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the source distribution and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    _run_checked(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, root, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of programs of an environment with the wheel and its dependencies."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=True)
    folder = environment / ("Scripts" if os.name == "nt" else "bin")
    _run_checked(folder / "python", "-m", "pip", "install", "--quiet", wheel, cwd=environment)
    return folder


@pytest.fixture
def kingsburg(programs: Path, tmp_path: Path) -> Run:
    """Return a function that runs the command in an empty folder without a terminal."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = _run(programs / "kingsburg", *arguments, cwd=tmp_path)
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        return done

    return run


def _list_shipped_files(root: Path) -> set[str]:
    """Return the files that must ship beside the Python code, as paths in the checkout."""
    files = (file for folder in SHIPPED for file in (root / folder).rglob("*") if file.is_file())
    kept = (file for file in files if not file.name.startswith(".") and file.parent.name != "__pycache__")
    return {f"docs/{page}" for page in PAGES.values()} | {file.relative_to(root).as_posix() for file in kept} - {TABLES}


def test_wheel_has_code_and_rules_and_nothing_else(root: Path, wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {name.removeprefix("edict/shipped/") for name in names if name.startswith("edict/shipped/")}
    assert shipped == _list_shipped_files(root) | {TABLES}, "the parser's tables are made while the wheel is built"
    assert {"edict/py.typed", "edict/support/resources.py", "edict/runtime/machine/loop.py"} <= names
    web = root / "interpreter" / "edict" / "apps" / "web"
    pages = [file for part in ("templates", "static") for file in (web / part).rglob("*") if file.is_file()]
    assert {f"edict/apps/web/{file.relative_to(web).as_posix()}" for file in pages} <= names and pages
    package = f"kingsburg-{edict.__version__}"
    assert {name.split("/")[0] for name in names} == {"edict", f"{package}.dist-info", f"{package}.data"}
    data = {name for name in names if name.startswith(f"{package}.data/")}
    assert data == {f"{package}.data/data/share/man/man1/kingsburg.1"}
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_source_distribution_has_everything_to_build(root: Path, built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    wanted = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "tests/project/test_wheel.py"}
    assert wanted | _list_shipped_files(root) <= names


def test_environment_uses_the_installed_package(programs: Path, root: Path, tmp_path: Path) -> None:
    done = _run(
        programs / "python",
        "-c",
        "from edict.support import resources; print(resources.get_shipped_folder())",
        cwd=tmp_path,
    )
    home = Path(done.stdout.strip())
    assert home.name == "shipped", done.stderr
    assert root not in home.parents


def test_installed_command_prints_help(kingsburg: Run) -> None:
    done = kingsburg("--help")
    assert done.returncode == 0, done.stderr
    assert all(command in done.stdout for command in ("play", "check"))


def test_installed_command_checks_all_that_ships(kingsburg: Run) -> None:
    done = kingsburg("check", "--shipped")
    assert done.returncode == 0, done.stdout + done.stderr


def test_installed_command_plays_a_whole_game_without_a_terminal(kingsburg: Run, tmp_path: Path) -> None:
    done = kingsburg("play", "--seed", "7")
    told = done.stdout.strip().splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(told) > 100, done.stdout
    assert "\x1b" not in done.stdout
    assert kingsburg("play", "--seed", "7").stdout.strip().splitlines()[-1] == told[-1], "one seed, one game"


def test_five_variants_go_from_new_to_an_empty_environment(root: Path, built: Path, tmp_path: Path) -> None:
    """The commands of the guide, typed into a shell of which one thing is told: where the program's wheel is."""
    (block,) = re.findall(r"```sh\n(.*?)```", (root / "docs/guides/catalogue.md").read_text("utf-8"), re.DOTALL)
    venv.create(tmp_path / "own", with_pip=True)
    around = {**_bare_environment(), "PIP_FIND_LINKS": str(built), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    around |= {"PATH": f"{tmp_path / 'own' / 'bin'}:{around['PATH']}", "XDG_DATA_HOME": str(tmp_path / "data")}
    done = subprocess.run(
        ["bash", "-eux", "-c", block], cwd=tmp_path, env=around, capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "5 modules checked, no errors" in done.stdout and "Mills (mills, module, version 1.0.0)" in done.stdout
    assert "4 modules unchanged" in done.stdout and "Wrote 5 modules to site/index.html." in done.stdout
    installed = {path.name for path in (tmp_path / "house-rules/empty").rglob("edict_*") if path.is_dir()}
    assert {"edict_mills", "edict_rivers"} <= installed, "the requirement came with it"
    assert "edict_taxes" not in installed
