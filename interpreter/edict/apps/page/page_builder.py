"""The builder of a page's folder: the engine, its libraries, the rules, Pyodide and the JavaScript around them.

Everything comes from the packages of this Python, except Pyodide, which comes from npm or from a folder.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

import edict
from edict.apps.web.page_templates import STATIC, get_pages, get_release
from edict.compiler.sources.compiler_fingerprint import FINGERPRINT_FILE, fingerprint
from edict.compiler.sources.module_lookup import find_module, list_shipped_modules
from edict.game.table.rules import Rules
from edict.runtime.native.linking import LinkError
from edict.runtime.program import Program, program_key
from edict.runtime.simulation import native
from edict.support import resources
from edict.support.records import dataclass
from edict.support.request_errors import RequestError
from edict.support.translations import language_codes, use_language

PYODIDE = "314.0.7"  # the version of the npm package `pyodide`
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
HERE = Path(__file__).parent
BROWSER_FILES = HERE / "in_browser"
# files of the engine that a page does not need, or that are copied separately (`shipped`)
EXCLUDED_ENGINE_FILES = re.compile(
    r"(apps/cli|tools/lsp|tools/mcp|agents/gym|agents/open_spiel|shipped|apps/page/(preparing|in_browser|stand_ins))/"
    r"|apps/page/page_builder|(gym|open_spiel)\.py|runtime/simulation/\w+\.js$"
)
# with everything that they require
LIBRARIES = (
    "starlette",
    "sse-starlette",
    "sqlalchemy",
    "jinja2",
    "markupsafe",
    "lark",
    "jsonschema",
    "pyyaml",
    "wcwidth",
    "polib",
    "segno",
    "markdown-it-py",
    "python-multipart",
    "portalocker",
    "packaging",
    "anyio",
)
# compiled libraries, left out: `stand_ins` replaces rpds, the others are optional
NATIVE_LIBRARIES = ("rpds-py", "greenlet", "httptools", "uvloop", "watchfiles")
# large parts of libraries without use here: other databases, terminals and languages
UNUSED_LIBRARY_FILES = re.compile(
    r"(^|/)(tests?|testing|benchmarks|__pycache__)/|^sqlalchemy/(orm|ext|dialects/(mysql|oracle|mssql|postgresql))/"
    r"|^wcwidth/table_grapheme_overrides/|^portalocker/redis"
)
# by file suffix
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".wasm": "application/wasm",
    ".svg": "image/svg+xml",
    ".zip": "application/zip",
    ".txt": "text/plain",
}
DEFAULT_MEDIA_TYPE = "application/octet-stream"


class PageError(RequestError):
    """A page that cannot be built."""


@dataclass(frozen=True)
class PageSize:
    """The size of a built page."""

    files: int  # number of files
    bytes: int  # of all files
    first_visit_bytes: int  # bytes that a first visit fetches, compressed
    slow_reason: str = ""  # why bots run in plain Python there; empty if the page has the machine


def build_page(folder: Path, rules: Rules, *, studio: bool = True, pyodide: Path | None = None) -> PageSize:
    """Build a page in a folder; an older page there is replaced once the new one is complete.

    Args:
        folder: The page's folder, which need not exist.
        rules: The game and rules modules that a new table has by default.
        studio: Whether the page has the studio, in which rules are written.
        pyodide: A folder with Pyodide's files; None to fetch them from npm.

    Raises:
        PageError: A file or a program is missing, or fails.
        OSError: The folder cannot be written.
    """
    with TemporaryDirectory(prefix="edict-page-") as parent:
        pyodide_folder = pyodide or _fetch_pyodide(Path(parent))
        _require_pyodide_files(pyodide_folder)
        image = Path(parent, "image")
        _copy_into_image(image, rules)
        settings = {**_game_settings(rules), "studio": studio}
        _prepare_image(pyodide_folder.resolve(), image, settings)
        new_folder = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(new_folder, ignore_errors=True)
        machine, slow_reason = _compile_machine(rules.program)
        size = _write_page(
            new_folder, _PageParts(rules.title, settings, pyodide_folder, image, machine, program_key(rules.program))
        )
        if folder.exists():
            shutil.rmtree(folder)
        new_folder.rename(folder)
        return replace(size, slow_reason=slow_reason)


def is_page_or_empty(folder: Path) -> bool:
    """Return True if a folder holds a page or nothing."""
    return (folder / "service_worker.js").is_file() or not any(folder.iterdir())


def _game_settings(rules: Rules) -> dict[str, object]:
    """Return game and modules as settings of the application, named by their manifests instead of their paths."""
    names = {source.folder.resolve(): source.name for source in rules.sources}
    game, *modules = (names[find_module(source).unwrap().resolve()] for source in (rules.name, *rules.modules))
    return {"game": game, "modules": modules}


# --- Pyodide ---------------------------------------------------------------------------------------


def _fetch_pyodide(folder: Path) -> Path:
    """Fetch Pyodide's package from npm and return the folder with its files.

    Raises:
        PageError: npm is missing, or fails.
    """
    hint = "or name a folder with its files, with --pyodide"
    if shutil.which("npm") is None:
        raise PageError("Pyodide comes from npm, which is not installed", f"install Node.js, {hint}")
    done = _run_command(["npm", "pack", "--silent", f"pyodide@{PYODIDE}", "--pack-destination", str(folder)])
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if line.startswith("npm error")), "npm gave no reason")
        raise PageError(f"npm could not download Pyodide {PYODIDE} ({said})", f"check npm's network access, {hint}")
    shutil.unpack_archive(folder / f"pyodide-{PYODIDE}.tgz", folder, filter="data")
    return folder / "package"


def _require_pyodide_files(pyodide: Path) -> None:
    """Raise `PageError` if a folder lacks a file of Pyodide."""
    missing = [name for name in PYODIDE_FILES if not (pyodide / name).is_file()]
    if missing:
        remedy = f"unpack the file from `npm pack pyodide@{PYODIDE}` there"
        raise PageError(f"{pyodide} has no {missing[0]}, so it is not a Pyodide folder", remedy)


def _prepare_image(pyodide: Path, image: Path, settings: dict[str, object]) -> None:
    """Compile the image's modules, fill its cache and pack it, in Pyodide; see `preparing/prepare.py`."""
    node = shutil.which("node")
    if node is None:
        raise PageError("Node.js is needed to make a page", "install Node.js 20 or newer")
    process = _run_command(
        [node, str(HERE / "preparing" / "prepare.mjs"), str(pyodide), str(image), json.dumps(settings)]
    )
    if process.returncode:
        last_lines = (process.stderr or process.stdout).strip().splitlines()[-1:] or ["it gave no reason"]
        raise PageError(f"the page could not be tested in Node.js ({last_lines[0]})", "use Node.js 20 or newer")


def _run_command(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command and return its result with output as text; a failure raises nothing."""
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)


# --- the image: files of the page's Python ---------------------------------------------------------------


def _copy_into_image(image: Path, rules: Rules) -> None:
    """Copy engine, rules and libraries in the layout of the page's Python; the author's own rules go to `own`."""
    python = image / "python"
    package = Path(edict.__file__).parent
    for file in _iter_files(package):
        relative_path = file.relative_to(package)
        if not EXCLUDED_ENGINE_FILES.match(relative_path.as_posix()):
            _copy_file(file, python / "edict" / relative_path)
    for name in ("grammar", "rules", "modules", "examples"):
        for file in _iter_files(resources.get_shipped_folder() / name):
            _copy_file(
                file, python / "edict" / "shipped" / name / file.relative_to(resources.get_shipped_folder() / name)
            )
    (python / "edict" / FINGERPRINT_FILE).write_text(fingerprint(), encoding="utf-8")
    shipped_folders = {folder.resolve() for folder in list_shipped_modules()}
    for module in rules.sources:
        if module.folder.resolve() not in shipped_folders:
            for file in _iter_files(module.folder):
                _copy_file(file, image / "own" / module.name / file.relative_to(module.folder))
    for library in _find_libraries():
        for entry in library.files or ():
            path = str(entry)
            if not path.startswith("..") and not UNUSED_LIBRARY_FILES.search(path) and ".dist-info/" not in path:
                file = Path(str(library.locate_file(entry)))
                if file.suffix not in (".so", ".pyd", ".pyx", ".pxd", ".c", ".h", ".pyi", ".pyc"):
                    _copy_file(file, python / path)
    for file in (HERE / "stand_ins").glob("[!_]*.py"):
        _copy_file(file, python / file.name)


def _iter_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder at any depth, sorted, without `__pycache__`."""
    return (file for file in sorted(folder.rglob("*")) if file.is_file() and "__pycache__" not in file.parts)


def _copy_file(file: Path, target: Path) -> None:
    """Copy a file's content to a target path, and create its folders."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def _find_libraries() -> Iterable[Distribution]:
    """Return the libraries of `LIBRARIES` and everything that they require.

    Raises:
        PageError: A library is not installed.
    """
    distributions: dict[str, Distribution] = {}
    pending = list(LIBRARIES)
    while pending:
        name = pending.pop()
        if name in distributions or name in NATIVE_LIBRARIES:
            continue
        try:
            distributions[name] = distribution(name)
        except PackageNotFoundError:
            raise PageError(f"{name} is not installed", resources.install_command("web")) from None
        requirements = [
            requirement
            for requirement in requires(name) or ()
            if "extra ==" not in requirement and "sys_platform" not in requirement
        ]
        pending += [
            re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()
            for requirement in requirements
            if _applies_to_this_python(requirement)
        ]
    return distributions.values()


def _applies_to_this_python(requirement: str) -> bool:
    """Return False for a requirement of older Pythons only."""
    return "python_version <" not in requirement and "python_full_version <" not in requirement


# --- the machine ---------------------------------------------------------------------------------------

# for pages without workers; here bots run in a worker already
UNUSED_MACHINE_FILES = {"machine_in_worker.js", "machine_worker.js"}
PROGRAM_NAME = "program"  # name of the game's translation among the machine's files


def _compile_machine(program: Program) -> tuple[Mapping[str, bytes], str]:
    """Return the files of the machine on which bots run, by name, or no files and the reason."""
    if not native.is_available():
        return {}, f"no compiler for faster code is installed; `{resources.install_command('page')}` installs one"
    from edict.runtime.simulation.page_modules import compile_for_page

    try:
        return compile_for_page({PROGRAM_NAME: program}), ""
    except LinkError as problem:
        return {}, str(problem)


# --- the folder ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _PageParts:
    """The parts of which a page is made."""

    title: str
    settings: dict[str, object]  # keyword arguments of `PageApplication`
    pyodide: Path  # the folder with Pyodide's files
    image: Path  # the folder with the files of the page's Python, packed
    machine: Mapping[str, bytes]  # content of the machine's files by name
    program_key: str  # of the program that is translated, see `key_of`


COMPRESSION_THRESHOLD = 1_000  # bytes; larger files are compressed
TEMPLATE_FILES = ("index.html", "service_worker.js")  # in `in_browser`, completed by the builder; all others are copied
COPIED_FILES = tuple(sorted(file.name for file in BROWSER_FILES.iterdir() if file.name not in TEMPLATE_FILES))
MEETING_PAGE = "meeting.html"  # texts for connecting browsers, in every language
WORKER_FILES = ("worker.js", "python_files.mjs")
# there uncompressed, too: they load before the service worker, which decompresses
UNCOMPRESSED_FILES = (*TEMPLATE_FILES, MEETING_PAGE, *(name for name in COPIED_FILES if name not in WORKER_FILES))


def _write_page(folder: Path, page: _PageParts) -> PageSize:
    """Write the page's files, compressed in advance because not every static host does it."""
    files = dict(_iter_page_files(page))
    file_table = {
        name: {"packed": len(raw) > COMPRESSION_THRESHOLD and not name.endswith(".zst"), "type": _media_type(name)}
        for name, raw in files.items()
    }
    digest = blake2b(digest_size=8)
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name])
    release_expression = f"`${{new URL(registration.scope).pathname}} {digest.hexdigest()}`"
    header = f"const RELEASE = {release_expression};\nconst FILES = {json.dumps(file_table)};\n"
    worker = header + (BROWSER_FILES / "service_worker.js").read_text(encoding="utf-8")
    files["service_worker.js"] = worker.encode()
    fetched = 0
    for name, raw in files.items():
        content = gzip.compress(raw, 9, mtime=0) if file_table.get(name, {}).get("packed") else raw
        fetched += len(content)
        if content is not raw:
            _write_file(folder / f"{name}.gz", content)
        if content is raw or name in UNCOMPRESSED_FILES:
            _write_file(folder / name, raw)
    written = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    return PageSize(len(written), sum(written), fetched)


def _render_meeting_page(title: str) -> str:
    """Return the page for meeting guests, in all languages one behind the other."""
    texts = []
    for code in language_codes():
        with use_language(code):
            texts.append(get_pages().render(MEETING_PAGE, title=title, release=get_release()))
    return "".join(texts)


def _media_type(name: str) -> str:
    return MEDIA_TYPES.get(Path(name).suffix, DEFAULT_MEDIA_TYPE)


def _write_file(path: Path, raw: bytes) -> None:
    """Write bytes to a path, and create its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _iter_page_files(page: _PageParts) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file that the service worker serves."""
    shell = Template((BROWSER_FILES / "index.html").read_text(encoding="utf-8"))
    yield "index.html", shell.substitute(title=page.title, languages=" ".join(language_codes())).encode()
    for name in COPIED_FILES:
        yield name, (BROWSER_FILES / name).read_bytes()
    yield MEETING_PAGE, _render_meeting_page(page.title).encode()
    icon = (STATIC / "icon.svg").read_bytes()
    yield "icon.svg", icon
    yield (
        "manifest.webmanifest",
        json.dumps(
            {
                "name": page.title,
                "short_name": page.title,
                "start_url": "./",
                "scope": "./",
                "display": "standalone",
                "icons": [{"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
            }
        ).encode(),
    )
    translated = {page.program_key: f"{PROGRAM_NAME}.wasm"} if page.machine else {}
    yield "settings.json", json.dumps({"application": page.settings, "translated": translated}).encode()
    for name in page.machine.keys() - UNUSED_MACHINE_FILES:
        yield f"machine/{name}", page.machine[name]
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"):
        yield f"pyodide/{name}", (page.pyodide / name).read_bytes()
    lock = json.loads((page.pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    yield "pyodide/pyodide-lock.json", json.dumps({**lock, "packages": {}}).encode()
    yield "pyodide/python_stdlib.zip", (page.image / "python_stdlib.zip").read_bytes()
    for file in _iter_files(STATIC):
        yield f"static/{get_release()}/{file.relative_to(STATIC).as_posix()}", file.read_bytes()
    for file in _iter_files(page.image / "prepared"):
        yield file.name, file.read_bytes()
    for name in ("memory.zst", "image.zst", "image.json"):
        yield name, (page.image / name).read_bytes()
