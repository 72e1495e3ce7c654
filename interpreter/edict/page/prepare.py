"""Run in Pyodide while a page is made (see `prepare.mjs`): what need not be done again in every browser.

Python's own library and all modules are compiled, and the application is asked for what a visitor asks first: what it
compiles and finds in order lies then in its cache, which the page brings along. `TOLD` are its settings, as JSON.
"""

# ruff: noqa: F704
import json
import os
import py_compile
import sys
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

PAGE = Path("/page")
UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH


def compiled(source: Path, target: Path, name: str) -> None:
    """A module that is never compared with its source."""
    py_compile.compile(str(source), str(target), dfile=name, doraise=True, invalidation_mode=UNCHECKED, quiet=2)


def compile_library() -> None:
    """Python's own library, compiled, in one archive."""
    made = Path("/tmp/made.pyc")
    with ZipFile("/pyodide/python_stdlib.zip") as old, ZipFile(PAGE / "python_stdlib.zip", "w", ZIP_STORED) as new:
        for name in old.namelist():
            raw = old.read(name)
            if name.endswith(".py"):
                Path("/tmp/one.py").write_bytes(raw)
                try:
                    compiled(Path("/tmp/one.py"), made, name)
                except py_compile.PyCompileError:
                    continue  # tests of what cannot be compiled
                new.writestr(f"{name}c", made.read_bytes())
            elif not name.endswith("/"):
                new.writestr(name, raw)


def compile_modules() -> None:
    """Everybody's modules, beside their source: some libraries read their own."""
    for source in sorted((PAGE / "python").rglob("*.py")):
        target = source.parent / "__pycache__" / f"{source.stem}.{sys.implementation.cache_tag}.pyc"
        target.parent.mkdir(exist_ok=True)
        compiled(source, target, str(source))


async def warm() -> None:
    """Be a first visitor."""
    from edict.page.answering import Answering
    from edict.page.web_workers import AtOnce, InWorkers

    async def keep() -> None:
        pass

    folder = Path("/kept")
    folder.mkdir()
    app = Answering(folder, keep, InWorkers(AtOnce), **json.loads(TOLD))  # type: ignore[name-defined]  # noqa: F821
    await app.begin()
    for number, (method, address, body) in enumerate([
        ("GET", "/", b""), ("GET", "/gallery", b""), ("POST", "/play", b""), ("GET", "/studio", b""),
    ]):  # fmt: skip
        given: list[object] = []
        headers = [("content-type", "application/x-www-form-urlencoded"), ("content-length", str(len(body)))]
        await app.answer(number, method, address, headers, body, lambda *piece: given.append(piece))  # noqa: B023
        print(method, address, given[0][0])  # type: ignore[index]


compile_library()
compile_modules()
sys.path[:0] = [str(PAGE / "python")]
os.chdir("/tmp")
await warm()  # type: ignore[top-level-await]
