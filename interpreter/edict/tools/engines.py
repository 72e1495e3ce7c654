"""Other engines and other versions of modules: how they are had, and what they say about rules.

An engine is a Python with this program in some version. It runs in a process of its own and is read by the JSON
documents that its commands print, so a version needs nothing but the formats that are promised.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from edict.compiler.sources.folders import MANIFEST, read_manifest
from edict.compiler.sources.input_limits import MOST_TOTAL
from edict.compiler.sources.module_lookup import list_shipped_modules
from edict.compiler.sources.module_search import find_modules, iter_files
from edict.compiler.sources.version_requirements import find_version_fault
from edict.compiler.sources.workspace_settings import SETTINGS
from edict.compiler.sources.zipped import MODULE_PATHS, InvalidZipError, extract_module
from edict.support.files import NotPrivateError, make_private_folder, require_private
from edict.support.records import dataclass
from edict.support.request_errors import RequestError
from edict.support.resources import PACKAGE, state_folder
from edict.tools.packages import find_distribution

ARCHIVES = (".zip", ".whl")


class EngineError(RequestError):
    """An engine or a version of a module that cannot be had or does not answer."""


@dataclass(frozen=True)
class Engine:
    """A Python that has this program in some version.

    The current folder is not searched for Python modules, as it may hold anybody's files.
    """

    python: str = sys.executable
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def read_document(self, folder: Path, *words: str) -> dict[str, Any]:
        """Return the JSON document that a command prints in a folder; raises `EngineError` if it prints none."""
        done = self._run(folder, *words, "--format", "json")
        try:
            document = json.loads(done.stdout)
        except ValueError:
            document = None
        if not isinstance(document, dict) or not str(document.get("format")).startswith("edict "):
            raise EngineError(f"`{self.python}` cannot run `{PACKAGE} {words[0]}`: {_last_line(done)}")
        return document

    def play_games(self, folder: Path, *words: str) -> list[dict[str, str]] | str:
        """Return a row for each game of a study, or why it cannot be played."""
        with TemporaryDirectory() as temporary:
            file = Path(temporary, "games.csv")
            done = self._run(folder, "study", *words, "--games-to", str(file))
            if done.returncode or not file.is_file():
                return _last_line(done)
            with file.open(encoding="utf-8", newline="") as stream:
                return list(csv.DictReader(stream))

    def _run(self, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        command = [self.python, "-P", "-m", "edict", *words]
        try:
            return subprocess.run(
                command,
                cwd=folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise EngineError(f"`{self.python}` cannot be started: {error.strerror}") from None


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a command says of its failure, in a line."""
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("help:")]
    return lines[-1].strip() if lines else f"exit code {done.returncode}"


def open_engine(python: Path) -> Engine:
    """Return the engine of another Python, or of an environment's folder; raises `EngineError` if there is none."""
    places = (python / "bin" / "python", python / "Scripts" / "python.exe", python)
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise EngineError(f"`{python}` is no Python and no environment of one", "name it as in `.venv/bin/python`")
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return Engine(str(file.absolute()), environment)


def install_engine(version: str) -> Engine:
    """Return the engine of a version, which pip or uv installs into a folder of the user's if it is not there.

    It is no cache, which a build server may share or restore, because what is in it is executed.

    Raises:
        EngineError: It is no version, or cannot be had.
    """
    _require_version(version)
    home = state_folder() / "engines" / f"{version}-{sys.implementation.cache_tag}"
    try:
        make_private_folder(home.parent)
        require_private(home)
    except NotPrivateError as error:
        raise EngineError(f"no engine can be kept here: {error.reason}", error.command) from None
    if not home.is_dir():
        with TemporaryDirectory(prefix=".", dir=home.parent) as temporary:
            target = Path(temporary, "engine")
            _install(f"{PACKAGE}=={version}", target)
            target.rename(home)
    paths = [str(home), *filter(None, [os.environ.get("PYTHONPATH")])]
    return Engine(environment={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})


def _require_version(version: str) -> None:
    """Raise `EngineError` for text that is no version."""
    if find_version_fault(f"=={version}") or not version.isascii():
        raise EngineError(f"`{version}` is not a version", "write it as in `--against 1.0` or `--against rivers=1.1`")


def _install(requirement: str, target: Path, *options: str) -> None:
    """Install wheels into a folder with pip, or uv where there is no pip; raise `EngineError` if they cannot be had."""
    if find_spec("pip"):
        command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    elif uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--python", sys.executable]
    else:
        raise EngineError(f"`{requirement}` cannot be installed: there is neither pip nor uv", "install one of them")
    command += ["--quiet", "--only-binary", ":all:", "--target", str(target), *options, requirement]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        reason = _last_line(done).removeprefix("ERROR: ").removeprefix("cause: ").removesuffix(".")
        remedy = "name a Python that has it with --against-python" if requirement.startswith(PACKAGE) else ""
        raise EngineError(
            f"`{requirement}` cannot be had: {reason}", remedy or "name a folder, zip file or wheel of it"
        )


# --- versions of modules -------------------------------------------------------------------------


def copy_with_versions(root: Path, versions: Mapping[str, str], target: Path) -> dict[str, str]:
    """Copy the modules in a folder, with other versions of some of them; return these versions by name.

    Args:
        root: The folder.
        versions: By the name of a module, the version, or the path of a folder, zip file or wheel.
        target: The folder to write.

    Raises:
        EngineError: A version cannot be had.
        RulesError: The folder has too many files.
    """
    shipped_names = set(_read_names(list_shipped_modules()).values())
    names = _read_names(find_modules(root).unwrap())
    left_out = {folder for folder, name in names.items() if name in versions}
    kept = names.keys() - left_out
    replaced: dict[str, str] = {}
    for name, version in versions.items():
        if name in shipped_names:
            remedy = "compare with another engine: `--against VERSION` or `--against-python`"
            raise EngineError(f"`{name}` comes with the engine", remedy)
        place = next((folder.relative_to(root) for folder in sorted(left_out) if names[folder] == name), Path(name))
        home = target / place
        _write_version(name, version, home)
        manifest = read_manifest(home).unwrap()
        if manifest.name != name:
            raise EngineError(f"`{version}` holds the module `{manifest.name}`, not `{name}`")
        replaced[name] = manifest.version
    for file in iter_files(root):
        around = set(file.parents)
        if file.name == SETTINGS or around & kept and not around & left_out:
            copy = target / file.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy, follow_symlinks=False)
    return replaced


def _read_names(folders: Iterable[Path]) -> dict[Path, str]:
    """Return the names of modules by folder, without those that cannot be read."""
    return {folder: manifest.name for folder in folders if (manifest := read_manifest(folder).value)}


def _write_version(name: str, version: str, home: Path) -> None:
    """Write a version of a module into a folder, from another folder, an archive, or a package that is installed."""
    source = Path(version).expanduser()
    if (source / MANIFEST).is_file():
        shutil.copytree(source, home, symlinks=True, ignore=shutil.ignore_patterns(".*"))
    elif source.suffix in ARCHIVES and source.is_file():
        try:
            if source.stat().st_size > MOST_TOTAL:
                raise InvalidZipError(f"it has more than {MOST_TOTAL:,} bytes")
            _, files = extract_module(source.read_bytes(), MODULE_PATHS)
        except InvalidZipError as error:
            raise EngineError(f"`{version}` cannot be read: {error}") from None
        for path, content in files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content)
    elif source.exists() or "/" in version or source.suffix in ARCHIVES:
        raise EngineError(f"`{version}` is no module: it has no `{MANIFEST}`", "name a folder, zip file or wheel")
    else:
        _require_version(version)
        with TemporaryDirectory() as temporary:
            distribution = find_distribution(name)
            _install(f"{distribution}=={version}", Path(temporary), "--no-deps")
            folder = next((file.parent for file in Path(temporary).glob(f"*/{MANIFEST}")), None)
            if folder is None:
                raise EngineError(f"the package `{distribution}` {version} holds no module")
            shutil.copytree(folder, home)


def find_root(targets: Sequence[Path]) -> Path:
    """Return the current folder if it is around all targets, else the nearest folder that is."""
    here = Path.cwd()
    if all(target.resolve().is_relative_to(here) for target in targets):
        return here
    return Path(os.path.commonpath([target.resolve().parent for target in targets]))
