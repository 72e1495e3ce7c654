"""The folder of a page: what ships with the engine, the libraries it needs, Pyodide, and what JavaScript there is.

Everything is taken from this Python's own packages, but for Pyodide, which comes from npm or from a folder.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

import edict
from edict.apps.web.page_templates import STATIC, pages, release
from edict.compiler.sources.compiler_fingerprint import NAMED, fingerprint
from edict.compiler.sources.module_lookup import find, shipped
from edict.game.table.rules import Rules
from edict.runtime.native.linking import LinkError
from edict.runtime.program import Program, program_key
from edict.runtime.simulation import native
from edict.support import resources
from edict.support.translations import language_codes, use_language

PYODIDE = "314.0.7"  # of the npm package `pyodide`
NEEDED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
HERE = Path(__file__).parent
BROWSER = HERE / "in_browser"
ELSEWHERE = re.compile(
    r"(apps/cli|tools/lsp|tools/mcp|agents/gym|agents/open_spiel|shipped|apps/page/(preparing|in_browser|stand_ins))/"
    r"|apps/page/making|(gym|open_spiel)\.py|runtime/simulation/\w+\.js$"
)
"""What the engine's package holds that nobody asks for in a page, or that comes from where it ships."""
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
    "anyio",
)
NATIVE = ("rpds-py", "greenlet", "httptools", "uvloop", "watchfiles")
"""What is no Python: SQLAlchemy does without, and for rpds there is a module of our own in `stand_ins`."""
UNUSED = re.compile(
    r"(^|/)(tests?|testing|benchmarks|__pycache__)/|^sqlalchemy/(orm|ext|dialects/(mysql|oracle|mssql|postgresql))/"
    r"|^wcwidth/table_grapheme_overrides/|^portalocker/redis"
)
"""Parts of libraries that cost much and do nothing here: other databases, other terminals, other languages."""
TYPES = {
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
OTHER = "application/octet-stream"


class PageError(Exception):
    """A page cannot be made: why, and what to do about it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


@dataclass(frozen=True)
class PageSize:
    """How large a page is: files, bytes as they lie there, and what a first visit fetches of them.

    slow: why bots think in plain Python there; empty if they have the machine.
    """

    files: int
    bytes: int
    fetched: int
    slow: str = ""


def make_page(folder: Path, rules: Rules, *, studio: bool = True, pyodide: Path | None = None) -> PageSize:
    """Write a page into a folder that is not there, or holds an older page, which is replaced.

    rules: what a new table begins with. studio: whether rules can be written there. pyodide: a folder with Pyodide's
    files; without one they are fetched from npm. Raises `PageError`, `OSError`.
    """
    with TemporaryDirectory(prefix="edict-page-") as parent:
        found = pyodide or _from_npm(Path(parent))
        _checked(found)
        image = Path(parent, "image")
        _lay_out(image, rules)
        settings = {**_named(rules), "studio": studio}
        _prepare(found.resolve(), image, settings)
        made = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(made, ignore_errors=True)
        machine, slow = _machine(rules.program)
        sizes = _written(made, _Page(rules.title, settings, found, image, machine, program_key(rules.program)))
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
        return replace(sizes, slow=slow)


def is_page(folder: Path) -> bool:
    """Whether a folder holds a page, or nothing."""
    return (folder / "service_worker.js").is_file() or not any(folder.iterdir())


def _named(rules: Rules) -> dict[str, object]:
    """What rules are called in the page: by their manifests, wherever they lie here."""
    names = {one.folder.resolve(): one.name for one in rules.sources}
    game, *modules = (names[find(one).unwrap().resolve()] for one in (rules.name, *rules.modules))
    return {"game": game, "modules": modules}


# --- Pyodide ---------------------------------------------------------------------------------------


def _from_npm(folder: Path) -> Path:
    """Pyodide's files, as npm has them. Raises `PageError`."""
    offline = "or name a folder that has its files, with --pyodide"
    if shutil.which("npm") is None:
        raise PageError("Pyodide comes from npm, which is not installed", f"install Node.js, {offline}")
    done = _run(["npm", "pack", "--silent", f"pyodide@{PYODIDE}", "--pack-destination", str(folder)])
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if line.startswith("npm error")), "npm gave no reason")
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
    done = _run([node, str(HERE / "preparing" / "prepare.mjs"), str(pyodide), str(image), json.dumps(settings)])
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["it gave no reason"]
        raise PageError(f"the page could not be tried in Node.js ({said[0]})", "use Node.js 20 or newer")


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", check=False)


# --- what the page brings along -----------------------------------------------------------------------


def _lay_out(image: Path, rules: Rules) -> None:
    """Engine, rules and libraries, as they lie in the browser's Python; the author's own rules beside them."""
    python = image / "python"
    package = Path(edict.__file__).parent
    for file in _files(package):
        inside = file.relative_to(package)
        if not ELSEWHERE.match(inside.as_posix()):
            _copy(file, python / "edict" / inside)
    for name in ("grammar", "rules", "modules", "examples"):
        for file in _files(resources.shipped_folder() / name):
            _copy(file, python / "edict" / "shipped" / name / file.relative_to(resources.shipped_folder() / name))
    (python / "edict" / NAMED).write_text(fingerprint(), encoding="utf-8")
    ship = {one.resolve() for one in shipped()}
    for module in rules.sources:
        if module.folder.resolve() not in ship:
            for file in _files(module.folder):
                _copy(file, image / "own" / module.name / file.relative_to(module.folder))
    for dist in _libraries():
        for entry in dist.files or ():
            place = str(entry)
            if not place.startswith("..") and not UNUSED.search(place) and ".dist-info/" not in place:
                file = Path(str(dist.locate_file(entry)))
                if file.suffix not in (".so", ".pyd", ".pyx", ".pxd", ".c", ".h", ".pyi", ".pyc"):
                    _copy(file, python / place)
    for file in (HERE / "stand_ins").glob("[!_]*.py"):
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
            raise PageError(f"{name} is not installed", resources.install_command("web")) from None
        wanted = [one for one in requires(name) or () if "extra ==" not in one and "sys_platform" not in one]
        waiting += [re.split(r"[^\w.-]", one, maxsplit=1)[0].lower() for one in wanted if _for_all(one)]
    return found.values()


def _for_all(requirement: str) -> bool:
    """Whether it is not only for older Pythons."""
    return "python_version <" not in requirement and "python_full_version <" not in requirement


# --- the machine ---------------------------------------------------------------------------------------

BESIDE = {"machine_in_worker.js", "machine_worker.js"}  # for who has no worker, as the page has, in which bots think
TRANSLATED = "program"  # what the game's own translation is called there, beside the machine


def _machine(program: Program) -> tuple[Mapping[str, bytes], str]:
    """What bots think with, by names in the page's folder for it; or nothing, and why."""
    if not native.is_available():
        return {}, f"nothing here can compile faster code: `{resources.install_command('page')}` installs what can"
    from edict.runtime.simulation.page_modules import compile_for_page

    try:
        return compile_for_page({TRANSLATED: program}), ""
    except LinkError as found:
        return {}, str(found)


# --- the folder ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Page:
    title: str
    settings: dict[str, object]
    pyodide: Path
    image: Path
    machine: Mapping[str, bytes]
    key: str  # of the program that is translated beside the machine


PACKED = 1_000  # bytes from which a file is sent packed
FILLED_IN = ("index.html", "service_worker.js")  # of what lies in `in_browser`; all else is sent as it is
AS_THEY_ARE = tuple(sorted(file.name for file in BROWSER.iterdir() if file.name not in FILLED_IN))
WORDS = "meeting.html"  # what is said around tables to which browsers are connected, in every language
UNPACKED = (*FILLED_IN, WORDS, *(name for name in AS_THEY_ARE if name != "worker.js"))  # before there is who unpacks


def _written(folder: Path, page: _Page) -> PageSize:
    """The files as they lie on a host: packed, as not every host does that by itself."""
    files = dict(_all_files(page))
    listed = {
        name: {"packed": len(raw) > PACKED and not name.endswith(".zst"), "type": _type(name)}
        for name, raw in files.items()
    }
    mark = blake2b(digest_size=8)
    for name in sorted(files):
        mark.update(name.encode() + b"\0" + files[name])
    release = f"`${{new URL(registration.scope).pathname}} {mark.hexdigest()}`"
    head = f"const RELEASE = {release};\nconst FILES = {json.dumps(listed)};\n"
    worker = head + (BROWSER / "service_worker.js").read_text(encoding="utf-8")
    files["service_worker.js"] = worker.encode()
    fetched = 0
    for name, raw in files.items():
        packed = gzip.compress(raw, 9, mtime=0) if listed.get(name, {}).get("packed") else raw
        fetched += len(packed)
        if packed is not raw:
            _put(folder / f"{name}.gz", packed)
        if packed is raw or name in UNPACKED:
            _put(folder / name, raw)
    written = [one.stat().st_size for one in folder.rglob("*") if one.is_file()]
    return PageSize(len(written), sum(written), fetched)


def _in_every_language(title: str) -> str:
    found = []
    for code in language_codes():
        with use_language(code):
            found.append(pages().page(WORDS, title=title, release=release()))
    return "".join(found)


def _type(name: str) -> str:
    return TYPES.get(Path(name).suffix, OTHER)


def _put(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _all_files(page: _Page) -> Iterator[tuple[str, bytes]]:
    """All that the service worker hands out, by its place in the folder."""
    shell = Template((BROWSER / "index.html").read_text(encoding="utf-8"))
    yield "index.html", shell.substitute(title=page.title).encode()
    for name in AS_THEY_ARE:
        yield name, (BROWSER / name).read_bytes()
    yield WORDS, _in_every_language(page.title).encode()
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
    translated = {page.key: f"{TRANSLATED}.wasm"} if page.machine else {}
    yield "settings.json", json.dumps({"application": page.settings, "translated": translated}).encode()
    for name in page.machine.keys() - BESIDE:
        yield f"machine/{name}", page.machine[name]
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"):
        yield f"pyodide/{name}", (page.pyodide / name).read_bytes()
    lock = json.loads((page.pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    yield "pyodide/pyodide-lock.json", json.dumps({**lock, "packages": {}}).encode()
    yield "pyodide/python_stdlib.zip", (page.image / "python_stdlib.zip").read_bytes()
    for file in _files(STATIC):
        yield f"static/{release()}/{file.relative_to(STATIC).as_posix()}", file.read_bytes()
    for name in ("image.zst", "image.json"):
        yield name, (page.image / name).read_bytes()
