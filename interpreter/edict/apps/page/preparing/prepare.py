"""Preparation of a page in Pyodide, run by `prepare.mjs` while the page is built, so that browsers need not repeat it.

It compiles Python's standard library and all modules. Then it sends the application the first requests of a visitor,
which fill the application's cache. The page contains that cache.
"""

from __future__ import annotations

import json
import marshal
import os
import re
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from zipfile import ZIP_STORED, ZipFile

PAGE = Path("/page")  # the image's folder, mounted by `prepare.mjs`
UNCHECKED_HASH = 1  # flag of PEP 552: hash-based, and never compared with its source
LINE_ENTRY = 0b1_1101_000  # head of a line table entry without columns; the line's offset follows
MAX_ENTRY_UNITS = 8  # code units of two bytes that one entry covers
WINDOW_LOG = 21  # zstd's window as a power of two; browsers need this much memory to decompress, and keep it
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


def pack() -> None:
    """Write all files of the image, concatenated and compressed, to `image.zst`, and a list of them to `image.json`."""
    file_sizes, contents = [], []
    for folder in ("python", "home", "own"):
        for file in sorted((PAGE / folder).rglob("*")):
            if file.is_file():
                contents.append(file.read_bytes())
                file_sizes.append((file.relative_to(PAGE).as_posix(), len(contents[-1])))
    from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # new in Python 3.14, the version of Pyodide

    level, window = zstd.CompressionParameter.compression_level, zstd.CompressionParameter.window_log
    (PAGE / "image.zst").write_bytes(zstd.compress(b"".join(contents), options={level: 19, window: WINDOW_LOG}))
    (PAGE / "image.json").write_text(json.dumps(file_sizes))


async def prepare(settings: str) -> None:
    """Prepare the page in `PAGE`. Called by `prepare.mjs`.

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
    pack()
