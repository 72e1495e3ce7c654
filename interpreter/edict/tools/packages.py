"""Modules as Python packages that hold only data: the project file, and the wheel built from it by Hatchling.

The tables of `pyproject.toml` that decide what is built must be exactly those that follow from `module.yaml`. So a
build runs no code of the folder, which may come from somebody else, and the two files cannot disagree.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from edict.compiler.sources.folders import MANIFEST, Manifest, read_manifest, read_module, read_text
from edict.compiler.sources.installed_rules import GROUP, find_distribution_names
from edict.compiler.sources.module_lookup import find_required_module, list_shipped_modules
from edict.compiler.sources.module_search import iter_files
from edict.compiler.sources.zipped import MODULE_PATHS, ZIP_TIMESTAMP
from edict.support.files import OutputTarget, write_atomically
from edict.support.morphology import quote_words
from edict.support.request_errors import RequestError
from edict.support.resources import PACKAGE, command_name, install_command
from edict.support.version import __version__

PROJECT = "pyproject.toml"
README = "README.md"
# files of a module, as patterns of Hatchling
_INCLUDED = ("/*.yaml", "/*.edict", "/*.json", "/*.md", "/with/*/*.edict", "/scenes/*.yaml", "/words/*.yaml")
_FILE = re.compile(MODULE_PATHS)
_DATA = re.compile(rf"{MODULE_PATHS}|[^/]+\.(json|yaml)")


class PackageError(RequestError):
    """A module that cannot be built as a package."""


def require_engine(folder: Path) -> None:
    """Add to the manifest of a new module that it needs this version of the program, or a later one."""
    file = folder / MANIFEST
    text = file.read_text(encoding="utf-8")
    major, minor, *_ = __version__.split(".")
    write_atomically(file, text.replace("\nkind:", f'\nengine: ">={major}.{minor}"\nkind:', 1))


def write_project(folder: Path) -> list[str]:
    """Write the project file of a module, and a readme if there is none; return the names of the files.

    Raises:
        FileAlreadyExists: There is a project file.
        RulesError: The manifest cannot be read.
    """
    manifest = read_manifest(folder).unwrap()
    files = {PROJECT: render_project(folder, manifest)}
    if not (folder / README).exists():
        files[README] = _render_readme(manifest)
    for name, text in files.items():
        OutputTarget(folder / name, force=False).write(text)
    return list(files)


def _render_readme(manifest: Manifest) -> str:
    """Return a readme, the page that package indexes show."""
    name = _default_distribution(manifest.name)
    play = f"play {manifest.name}" if manifest.kind == "game" else f"play --with {manifest.name}"
    return f"# {manifest.title}\n\n{manifest.summary}\n\n```\npip install {name}\n{PACKAGE} {play}\n```\n"


def render_project(folder: Path, manifest: Manifest) -> str:
    """Return the project file that follows from a module's manifest."""
    importable = _default_distribution(manifest.name).replace("-", "_")
    dependencies = ",".join(f"\n    {_quote(line)}" for line in _iter_dependencies(folder, manifest))
    return f"""\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = {_quote(_default_distribution(manifest.name))}
description = {_quote(manifest.summary or manifest.title)}
readme = "{README}"
requires-python = ">=3.11"
dynamic = ["version"] # stands in {MANIFEST}, and so does what the dependencies follow from
dependencies = [{dependencies},
]

[project.entry-points."{GROUP}"]
{manifest.name} = "{importable}"

[tool.hatch.version]
path = "{MANIFEST}"
pattern = '^version:[^\\w\\n]*(?P<version>[0-9][\\w.+-]*)'

[tool.hatch.build]
include = {json.dumps(_INCLUDED)}
dev-mode-dirs = ["."]

[tool.hatch.build.targets.wheel.sources]
"" = "{importable}"
"""


def _quote(text: str) -> str:
    """Return text as a string of TOML."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def _default_distribution(name: str) -> str:
    """Return the name of a distribution for a module of this name."""
    return f"edict-{name}"


def find_distribution(name: str) -> str:
    """Return the name of the distribution that a module is installed from, or else of the one that it would have."""
    names = ((read_manifest(folder).value, distribution) for folder, distribution in find_distribution_names().items())
    installed = (distribution for manifest, distribution in names if manifest is not None and manifest.name == name)
    return next(installed, _default_distribution(name))


def _iter_dependencies(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Yield the requirements of a module as those of a distribution, first that of this program."""
    yield PACKAGE + manifest.engine.replace(" ", "")
    module = read_module(folder).unwrap()
    shipped_folders, distributions = list_shipped_modules(), find_distribution_names()
    for name in manifest.requires:
        required = find_required_module(module, name)
        if required not in shipped_folders:
            distribution = distributions.get(required) if required else None
            yield (distribution or _default_distribution(name)) + manifest.versions.get(name, "")


# --- building ----------------------------------------------------------------------------------


def build_wheel(folder: Path, target_folder: Path, force: bool) -> Path:
    """Build the wheel of a module from its project file, and return its path.

    Raises:
        PackageError: The project file is missing or is not the one of this module, or a library is missing.
        FileAlreadyExists: The wheel exists, and `force` is not set.
        RulesError: The rules cannot be read.
    """
    manifest = read_manifest(folder).unwrap()
    _require_matching_project(folder, manifest)
    try:
        from build import BuildBackendException, BuildException, ProjectBuilder
        from pyproject_hooks import quiet_subprocess_runner
    except ImportError:
        raise PackageError("a wheel needs the library `build`", install_command("package")) from None
    with TemporaryDirectory() as temporary:
        try:
            wheel = Path(ProjectBuilder(folder, runner=quiet_subprocess_runner).build("wheel", temporary))
        except (BuildException, BuildBackendException) as error:
            raise PackageError(f"the wheel cannot be built: {_find_reason(error)}", f"check `{PROJECT}`") from None
        _require_pure_data(wheel)
        target_folder.mkdir(parents=True, exist_ok=True)
        OutputTarget(target_folder / wheel.name, force).write(wheel.read_bytes())
    return target_folder / wheel.name


def _find_reason(error: Exception) -> str:
    """Return why a build failed: the last line of what its backend printed, or else the error."""
    output = getattr(getattr(error, "exception", None), "output", None) or b""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip() if lines else str(error)


def _require_matching_project(folder: Path, manifest: Manifest) -> None:
    """Raise `PackageError` unless the project file of a folder builds what the manifest says, and nothing else."""
    file = folder / PROJECT
    project = read_project(folder)
    if not project:
        remedy = f"write one with `{command_name()} new {folder} --package`"
        raise PackageError(f"`{folder}` has no `{PROJECT}`", remedy)
    expected = tomllib.loads(render_project(folder, manifest))
    for path in (
        ("build-system",),
        ("project", "dynamic"),
        ("project", "entry-points"),
        ("project", "scripts"),
        ("project", "gui-scripts"),
        ("tool", "hatch"),
    ):
        if _get(project, path) != _get(expected, path):
            name = ".".join(path)
            raise PackageError(f"`{name}` in `{file}` is not what `{MANIFEST}` asks for", _suggest(path, expected))
    dependencies = _get(project, ("project", "dependencies"))
    written = {str(line).replace(" ", "") for line in dependencies} if isinstance(dependencies, list) else set()
    missing = [line for line in _get(expected, ("project", "dependencies")) if line not in written]
    if missing:
        reason = f"`{file}` lacks dependencies that follow from `{MANIFEST}`"
        raise PackageError(reason, f"add {quote_words(missing, 'and')} to `dependencies`")


def read_project(folder: Path) -> dict[str, Any]:
    """Return the data of a folder's project file, empty without one; raises `PackageError` for what is not TOML."""
    file = folder / PROJECT
    if not file.is_file():
        return {}
    try:
        return tomllib.loads(read_text(folder, file).unwrap().text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PackageError(f"`{file}` is not TOML: {error}") from None


def build_archive(folder: Path, target_folder: Path) -> Path:
    """Build the wheel of a module, or a zip file of one that is no package; return its path."""
    manifest = read_manifest(folder).unwrap()
    if (folder / PROJECT).is_file():
        return build_wheel(folder, target_folder, force=True)
    archive = target_folder / f"{manifest.name}-{manifest.version}.zip"
    with ZipFile(archive, "w", ZIP_DEFLATED) as zipped:
        for file in iter_files(folder):
            path = file.relative_to(folder).as_posix()
            if _FILE.fullmatch(path):
                content = read_text(folder, file).unwrap().text.encode()
                zipped.writestr(ZipInfo(f"{manifest.name}/{path}", ZIP_TIMESTAMP), content, ZIP_DEFLATED)
    return archive


def _suggest(path: tuple[str, ...], expected: dict[str, Any]) -> str:
    """Return what to do about a table of the project file that is not as expected."""
    value = _get(expected, path)
    if value is None:
        return "delete it: a package of rules holds no programs"
    return f"delete the file, write it with `{command_name()} new FOLDER --package`, and add your own lines again"


def _get(data: Any, path: tuple[str, ...]) -> Any:
    """Return the value at a path of keys; None if there is none."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _require_pure_data(wheel: Path) -> None:
    """Raise `PackageError` if a wheel holds anything but the files of one module and its own records."""
    with ZipFile(wheel) as archive:
        names = [name.split("/", 1) for name in archive.namelist()]
    others = [
        "/".join(parts)
        for parts in names
        if not parts[0].endswith(".dist-info") and not (len(parts) == 2 and _DATA.fullmatch(parts[1]))
    ]
    if others:
        raise PackageError(f"the wheel would hold {quote_words(others[:3], 'and')}, which are not rules", "move them")
