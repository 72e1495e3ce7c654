"""Preparation of a page in Pyodide, run by `prepare.mjs` while the page is built, so that browsers need not repeat it.

It compiles Python's standard library and all modules. Then it sends the application the first requests of a visitor,
which fill the application's cache. The page contains that cache, and the memory of a Python after the same requests.
"""

from __future__ import annotations

import json
import marshal
import os
import re
import sys
from collections.abc import Iterable
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from zipfile import ZIP_STORED, ZipFile

PAGE = Path("/page")  # the image's folder, mounted by `prepare.mjs`
UNCHECKED_HASH = 1  # flag of PEP 552: hash-based, and never compared with its source
LINE_ENTRY = 0b1_1101_000  # head of a line table entry without columns; the line's offset follows
MAX_ENTRY_UNITS = 8  # code units of two bytes that one entry covers
WINDOW_LOG = 23  # zstd's window as a power of two; browsers need this much memory while they decompress
COMPRESSION_LEVEL = 19  # of zstd
OPTIMIZATION_LEVEL = 2  # without docstrings and assertions
# modules of the standard library for terminals, mail and development
UNUSED_MODULES = re.compile(
    r"(_pyrepl|unittest|xmlrpc|wsgiref|curses|tkinter|idlelib|ensurepip|venv|pydoc_data|turtledemo)/|"
    r"(pdb|bdb|pydoc|doctest|mailbox|imaplib|smtplib|poplib|ftplib|turtle|pickletools|optparse|cProfile|profile)\.py$"
)


def compile_source(source: bytes, name: str, lines: bool = False) -> bytes:
    """Compile a module to the content of a `.pyc` file, which is never compared with its source.

    Docstrings and assertions are left out.

    Args:
        source: The source text.
        name: The file name in tracebacks.
        lines: Whether tracebacks show line numbers, which takes a third more space; otherwise only functions.
    """
    code = compile(source, name, "exec", dont_inherit=True, optimize=OPTIMIZATION_LEVEL)
    code = code if lines else strip_lines(code)
    return MAGIC_NUMBER + UNCHECKED_HASH.to_bytes(4, "little") + bytes(8) + marshal.dumps(code)


def strip_lines(code: CodeType) -> CodeType:
    """Return the code with each function's instructions all on the function's first line.

    The line table remains valid in Python's format, and is much shorter.
    """
    constants = tuple(
        strip_lines(constant) if isinstance(constant, CodeType) else constant for constant in code.co_consts
    )
    units_left, table = len(code.co_code) // 2, bytearray()
    while units_left > 0:
        units = min(units_left, MAX_ENTRY_UNITS)
        table += bytes((LINE_ENTRY | (units - 1), 0))
        units_left -= units
    return code.replace(co_consts=constants, co_linetable=bytes(table))


def compile_library() -> None:
    """Write Python's standard library as one archive of compiled modules without the unused ones."""
    with ZipFile("/pyodide/python_stdlib.zip") as old, ZipFile(PAGE / "python_stdlib.zip", "w", ZIP_STORED) as new:
        for name in old.namelist():
            if name.endswith(".py") and not UNUSED_MODULES.match(name):
                new.writestr(f"{name}c", compile_source(old.read(name), name))
            elif not name.endswith(("/", ".py")):
                new.writestr(name, old.read(name))


def compile_modules() -> None:
    """Replace the source of all modules in the image by compiled code.

    Packages of libraries keep the source of their `__init__.py`, because some read it to import their modules lazily.
    Only the engine's own modules keep line numbers.
    """
    for source in sorted((PAGE / "python").rglob("*.py")):
        is_engine = source.is_relative_to(PAGE / "python" / "edict")
        code = compile_source(source.read_bytes(), str(source), lines=is_engine)
        if source.name == "__init__.py" and not is_engine:
            cache_file = source.parent / "__pycache__" / f"{source.stem}.{sys.implementation.cache_tag}.pyc"
            cache_file.parent.mkdir(exist_ok=True)
            cache_file.write_bytes(code)
        else:
            source.with_suffix(".pyc").write_bytes(code)
            source.unlink()


def list_files() -> list[tuple[str, int]]:
    """Return path and size of each file of the image, in the order in which they are packed."""
    files = [file for folder in ("python", "home", "own") for file in sorted((PAGE / folder).rglob("*"))]
    return [(file.relative_to(PAGE).as_posix(), file.stat().st_size) for file in files if file.is_file()]


def drop_files(loaded: Iterable[str]) -> None:
    """Delete the files of modules, in the image and in the standard library, that the page's memory has imported.

    Args:
        loaded: Paths in the page's file system; those of the standard library begin with the path of its archive.
    """
    names = set()
    for path in loaded:
        if path.startswith(f"{PAGE.as_posix()}/"):
            Path(path).unlink()
        names.add(path.partition(".zip/")[2])
    library = PAGE / "python_stdlib.zip"
    with ZipFile(library) as old:
        kept = [(name, old.read(name)) for name in old.namelist() if name not in names]
    with ZipFile(library, "w", ZIP_STORED) as new:
        for name, raw in kept:
            new.writestr(name, raw)


def pack() -> None:
    """Compress all files, concatenated, to `image.zst`, and list them in `image.json`; compress the memory."""
    files = list_files()
    (PAGE / "image.zst").write_bytes(_compress(b"".join((PAGE / path).read_bytes() for path, _ in files)))
    (PAGE / "image.json").write_text(json.dumps(files))
    (PAGE / "memory.zst").write_bytes(_compress((PAGE / "memory").read_bytes()))


def _compress(raw: bytes) -> bytes:
    from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # new in Python 3.14, the version of Pyodide

    level, window = zstd.CompressionParameter.compression_level, zstd.CompressionParameter.window_log
    return bytes(zstd.compress(raw, options={level: COMPRESSION_LEVEL, window: WINDOW_LOG}))


async def prepare(settings: str) -> None:
    """Compile the modules of the page in `PAGE`, fill its cache and render its first pages.

    Called by `prepare.mjs`, which then makes the memory.

    Args:
        settings: The application's settings, as JSON.
    """
    compile_library()
    compile_modules()
    sys.path[:0] = [str(PAGE / "python")]
    os.chdir("/tmp")
    from edict.apps.page import page_application
    from edict.apps.page.web_workers import InlineWorker, WebWorkerExecutor

    await page_application.visit(workers=WebWorkerExecutor(InlineWorker), **json.loads(settings))
    (PAGE / "prepared").mkdir()
    for name, html in page_application.render_prepared_pages(**json.loads(settings)).items():
        (PAGE / "prepared" / name).write_text(html, encoding="utf-8")
