"""The folder of a page: what ships with the engine, the libraries it needs, Pyodide, and what JavaScript there is.

Everything is taken from this Python's own packages, but for Pyodide, which comes from npm or from a folder.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from edict import resources
from edict.sources.folders import read_manifest
from edict.sources.module_lookup import find
from edict.web.page_templates import STATIC, release

PYODIDE = "314.0.7"  # of the npm package `pyodide`
NEEDED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
HERE = Path(__file__).parent
BROWSER = HERE / "in_browser"
WITHOUT = ("cli", "lsp", "gym", "open_spiel", "native")
"""Rooms that are not asked for in a page. (`native` stays: what it cannot have, it says so.)"""
LIBRARIES = (
    "starlette", "sse-starlette", "sqlalchemy", "jinja2", "markupsafe", "lark", "jsonschema", "pyyaml", "wcwidth",
    "babel", "segno", "markdown-it-py", "python-multipart", "portalocker", "anyio",
)  # fmt: skip
NATIVE = ("rpds-py", "greenlet", "httptools", "uvloop", "watchfiles")
"""What is no Python: SQLAlchemy does without, and for rpds there is a module of our own in `stand_ins`."""
UNUSED = re.compile(
    r"(^|/)(tests?|testing|benchmarks|__pycache__)/|^sqlalchemy/dialects/(mysql|oracle|mssql|postgresql)/"
    r"|^babel/locale-data/|^sqlalchemy/ext/asyncio/"
)
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
    ".json": "application/json", ".webmanifest": "application/manifest+json", ".wasm": "application/wasm",
    ".svg": "image/svg+xml", ".zip": "application/zip", ".txt": "text/plain",
}  # fmt: skip
OTHER = "application/octet-stream"


class PageError(Exception):
    """A page cannot be made: why, and what to do about it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


@dataclass(frozen=True)
class Wanted:
    """game, modules: what a new table begins with. studio: whether rules can be written there.

    pyodide: a folder with Pyodide's files; without one they are fetched from npm.
    """

    game: str
    modules: tuple[str, ...] = ()
    studio: bool = True
    pyodide: Path | None = None


@dataclass(frozen=True)
class Made:
    """How large a page is: files, bytes as they lie there, and what a first visit fetches of them."""

    files: int
    bytes: int
    fetched: int


def make_page(folder: Path, wanted: Wanted) -> Made:
    """Write a page into a folder that is empty or not there. Raises `PageError`, `RulesError`, `OSError`."""
    title = read_manifest(find(wanted.game).unwrap()).unwrap().title
    with TemporaryDirectory(prefix="edict-page-") as parent:
        pyodide = wanted.pyodide or _from_npm(Path(parent))
        _checked(pyodide)
        image = Path(parent, "image")
        _lay_out(image)
        settings = {"game": wanted.game, "modules": list(wanted.modules), "studio": wanted.studio}
        _prepare(pyodide.resolve(), image, settings)
        return _written(folder, _Page(title, settings, pyodide, image))


# --- Pyodide ---------------------------------------------------------------------------------------


def _from_npm(folder: Path) -> Path:
    """Pyodide's files, as npm has them. Raises `PageError`."""
    offline = "or name a folder that has its files, with --pyodide"
    if shutil.which("npm") is None:
        raise PageError("Pyodide comes from npm, which is not installed", f"install Node.js, {offline}")
    done = _run(["npm", "pack", "--silent", f"pyodide@{PYODIDE}", "--pack-destination", str(folder)])
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if line.startswith("npm error")), "npm says no more")
        raise PageError(f"npm did not give Pyodide {PYODIDE} ({said})", f"look whether npm has a network, {offline}")
    shutil.unpack_archive(folder / f"pyodide-{PYODIDE}.tgz", folder, filter="data")
    return folder / "package"


def _checked(pyodide: Path) -> None:
    missing = [name for name in NEEDED if not (pyodide / name).is_file()]
    if missing:
        remedy = f"unpack there what `npm pack pyodide@{PYODIDE}` gives"
        raise PageError(f"{pyodide} has no {missing[0]}, so it is no folder of Pyodide", remedy)


def _prepare(pyodide: Path, image: Path, settings: dict[str, object]) -> None:
    """Compile what can be compiled, and fill the cache, as a first visitor would."""
    node = shutil.which("node")
    if node is None:
        raise PageError("Node.js is needed to make a page", "install Node.js 20 or newer")
    done = _run([node, str(HERE / "prepare.mjs"), str(pyodide), str(image), json.dumps(settings)])
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["it says no more"]
        if '-v' in sys.argv: print(done.stdout[-3000:], done.stderr[-5000:])
        raise PageError(f"the page could not be tried in Node.js ({said[0]})", "use Node.js 20 or newer")


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)


# --- what the page brings along -----------------------------------------------------------------------


def _lay_out(image: Path) -> None:
    """Engine, rules and libraries, as they lie in the browser's Python."""
    python = image / "python"
    package = Path(resources.__file__).parent
    for file in _files(package):
        inside = file.relative_to(package)
        if inside.parts[0] not in ("cli", "lsp", "gym", "open_spiel", "shipped"):
            _copy(file, python / "edict" / inside)
    for name in ("grammar", "rules", "modules", "examples"):
        for file in _files(resources.home() / name):
            _copy(file, python / "edict" / "shipped" / name / file.relative_to(resources.home() / name))
    for dist in _libraries():
        for entry in dist.files or ():
            inside = str(entry)
            if not inside.startswith("..") and not UNUSED.search(inside) and ".dist-info/" not in inside:
                file = Path(str(dist.locate_file(entry)))
                if file.suffix not in (".so", ".pyd", ".pyx", ".pxd", ".c", ".h", ".pyi", ".pyc"):
                    _copy(file, python / inside)
    for file in (HERE / "stand_ins").glob("*.py"):
        _copy(file, python / file.name)


def _files(folder: Path) -> Iterator[Path]:
    return (one for one in sorted(folder.rglob("*")) if one.is_file() and "__pycache__" not in one.parts)


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def _libraries() -> Iterable[Distribution]:
    """The libraries, and what these need. Raises `PageError`."""
    found: dict[str, Distribution] = {}
    waiting = list(LIBRARIES)
    while waiting:
        name = waiting.pop()
        if name in found or name in NATIVE:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            raise PageError(f"{name} is not installed", resources.installing("web")) from None
        wanted = [one for one in requires(name) or () if "extra ==" not in one and "sys_platform" not in one]
        waiting += [re.split(r"[^\w.-]", one, maxsplit=1)[0].lower() for one in wanted if _for_all(one)]
    return found.values()


def _for_all(requirement: str) -> bool:
    """Whether it is not only for older Pythons."""
    return "python_version <" not in requirement and "python_full_version <" not in requirement


# --- the folder ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Page:
    title: str
    settings: dict[str, object]
    pyodide: Path
    image: Path


PACKED = 1_000  # bytes from which a file is sent packed


def _written(folder: Path, page: _Page) -> Made:
    files = dict(_all_files(page))
    listed = {name: {"packed": len(raw) > PACKED, "type": _type(name)} for name, raw in files.items()}
    mark = blake2b(digest_size=8)
    for name in sorted(files):
        mark.update(name.encode() + b"\0" + files[name])
    head = f'const RELEASE = `${{new URL(registration.scope).pathname}} {mark.hexdigest()}`;\nconst FILES = {json.dumps(listed)};\n'
    worker = head + (BROWSER / "service_worker.js").read_text(encoding="utf-8")
    sizes = [0, 0]
    fetched = 0
    for name, raw in files.items():
        packed = gzip.compress(raw, 9, mtime=0) if len(raw) > PACKED else raw
        fetched += len(packed)
        _put(folder / (f"{name}.gz" if len(raw) > PACKED else name), packed)
        sizes = [sizes[0] + 1, sizes[1] + len(packed)]
    for name in ("index.html", "shell.js", "shell.css", "manifest.webmanifest", "icon.svg"):
        if len(files[name]) > PACKED:  # what is asked for before there is a service worker
            _put(folder / name, files[name])
    _put(folder / "service_worker.js", worker.encode())
    return Made(len(files) + 1, sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()), fetched)


def _type(name: str) -> str:
    return TYPES.get(Path(name).suffix, OTHER)


def _put(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _all_files(page: _Page) -> Iterator[tuple[str, bytes]]:
    """All that the service worker hands out, by its place in the folder."""
    shell = Template((BROWSER / "index.html").read_text(encoding="utf-8"))
    yield "index.html", shell.substitute(title=page.title).encode()
    for name in ("shell.js", "shell.css", "worker.js"):
        yield name, (BROWSER / name).read_bytes()
    icon = (STATIC / "icon.svg").read_bytes()
    yield "icon.svg", icon
    yield "manifest.webmanifest", json.dumps({
        "name": page.title, "short_name": page.title, "start_url": "./", "scope": "./", "display": "standalone",
        "icons": [{"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }).encode()  # fmt: skip
    yield "settings.json", json.dumps(page.settings).encode()
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"):
        yield f"pyodide/{name}", (page.pyodide / name).read_bytes()
    lock = json.loads((page.pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    yield "pyodide/pyodide-lock.json", json.dumps({**lock, "packages": {}}).encode()
    yield "pyodide/python_stdlib.zip", (page.image / "python_stdlib.zip").read_bytes()
    for file in _files(STATIC):
        yield f"static/{release()}/{file.relative_to(STATIC).as_posix()}", file.read_bytes()
    yield from _image(page.image)


def _image(image: Path) -> Iterator[tuple[str, bytes]]:
    """The files of the browser's Python, in one, and a list of them."""
    listed, raw = [], []
    for folder in ("python", "home"):
        for file in sorted((image / folder).rglob("*")):
            if file.is_file():
                raw.append(file.read_bytes())
                listed.append((file.relative_to(image).as_posix(), len(raw[-1])))
    yield "image.json", json.dumps(listed).encode()
    yield "image.bin", b"".join(raw)
