"""Run in Pyodide while a page is made (see `prepare.mjs`): what need not be done again in every browser.

Python's own library and all modules are compiled, and the application is asked for what a visitor asks first: what it
compiles and finds in order lies then in its cache, which the page brings along.
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

PAGE = Path("/page")
UNCHECKED = 1  # as PEP 552 numbers it: by the hash of the source, which nobody looks at
SAME_LINE = 0b1_1101_000  # an entry without columns; how far the line is follows
MOST_UNITS = 8  # of two bytes, for which an entry stands
WINDOW = 21  # so far back packing looks, as a power of two: browsers need this much memory to unpack, and keep it
BARE = 2  # without what others wrote for readers
UNUSED = re.compile(
    r"(_pyrepl|unittest|xmlrpc|wsgiref|curses|tkinter|idlelib|ensurepip|venv|pydoc_data|turtledemo)/|"
    r"(pdb|bdb|pydoc|doctest|mailbox|imaplib|smtplib|poplib|ftplib|turtle|pickletools|optparse|cProfile|profile)\.py$"
)
"""Of Python's own library: what is for terminals, for mail, and for those who write Python."""


def compiled(source: bytes, name: str, lines: bool = False) -> bytes:
    """A module that is never compared with its source; without what only readers want of it.

    lines: whether tracebacks name its lines, which takes a third as much again; otherwise they name functions.
    """
    code = compile(source, name, "exec", dont_inherit=True, optimize=BARE)
    code = code if lines else without_lines(code)
    return MAGIC_NUMBER + UNCHECKED.to_bytes(4, "little") + bytes(8) + marshal.dumps(code)


def without_lines(code: CodeType) -> CodeType:
    """As if all of a function stood in its first line, in the form that Python's own tables of lines have."""
    constants = tuple(without_lines(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    left, table = len(code.co_code) // 2, bytearray()
    while left > 0:
        taken = min(left, MOST_UNITS)
        table += bytes((SAME_LINE | (taken - 1), 0))
        left -= taken
    return code.replace(co_consts=constants, co_linetable=bytes(table))


def compile_library() -> None:
    """Python's own library, compiled, in one archive, without what nobody asks for in a page."""
    with ZipFile("/pyodide/python_stdlib.zip") as old, ZipFile(PAGE / "python_stdlib.zip", "w", ZIP_STORED) as new:
        for name in old.namelist():
            if name.endswith(".py") and not UNUSED.match(name):
                new.writestr(f"{name}c", compiled(old.read(name), name))
            elif not name.endswith(("/", ".py")):
                new.writestr(name, old.read(name))


def compile_modules() -> None:
    """Everybody's modules, in place of their source.

    Of packages it stays: some read their own, to import what is in them when it is asked for.
    """
    for source in sorted((PAGE / "python").rglob("*.py")):
        own = source.is_relative_to(PAGE / "python" / "edict")
        made = compiled(source.read_bytes(), str(source), lines=own)
        if source.name == "__init__.py" and not own:
            beside = source.parent / "__pycache__" / f"{source.stem}.{sys.implementation.cache_tag}.pyc"
            beside.parent.mkdir(exist_ok=True)
            beside.write_bytes(made)
        else:
            source.with_suffix(".pyc").write_bytes(made)
            source.unlink()


def pack() -> None:
    """All files in one, one after the other, and a list of them; packed as Python can, which is much smaller."""
    listed, raw = [], []
    for folder in ("python", "home", "own"):
        for file in sorted((PAGE / folder).rglob("*")):
            if file.is_file():
                raw.append(file.read_bytes())
                listed.append((file.relative_to(PAGE).as_posix(), len(raw[-1])))
    from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # of Python 3.14, which is not the one that makes pages

    level, window = zstd.CompressionParameter.compression_level, zstd.CompressionParameter.window_log
    (PAGE / "image.zst").write_bytes(zstd.compress(b"".join(raw), options={level: 19, window: WINDOW}))
    (PAGE / "image.json").write_text(json.dumps(listed))


async def prepare(told: str) -> None:
    """told: the application's settings, as JSON."""
    compile_library()
    compile_modules()
    sys.path[:0] = [str(PAGE / "python")]
    os.chdir("/tmp")
    from edict.apps.page import answering
    from edict.apps.page.web_workers import InWorkers, SameWorker

    await answering.visit(workers=InWorkers(SameWorker), **json.loads(told))
    pack()
