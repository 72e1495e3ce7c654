"""The machine of the in-page application, in Node: what a test asks for runs in WebAssembly."""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from edict.runtime.native import linking
from edict.runtime.native.functions import symbol_of
from edict.runtime.program import Program
from edict.runtime.simulation import native, page_backend, page_modules

DRIVER = Path(__file__).with_name("machine_in_node.mjs")


@cache
def find_missing_tool() -> str:
    """Return the tool that is needed and missing; empty if there is none."""
    if not native.is_available():
        return "llvmlite is an extra, and not installed here"
    if shutil.which("node") is None:
        return "there is no node here"
    try:
        linking.linker_command()
    except linking.LinkError as found:
        return str(found)
    return ""


class NodePage:
    """A page in which one program is played, until it is closed."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pieces = 0

    def ask(self, operation: str, rows: Sequence[Any] = (), **arguments: Any) -> dict[str, Any]:
        self._send(operation, b"".join(page_backend.pack_numbers(_flatten(row)) for row in rows), **arguments)
        return self._receive()

    def _send(self, operation: str, packed: bytes = b"", **arguments: Any) -> None:
        text = json.dumps({"does": operation, **arguments}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(f"{len(text):>12}".encode() + text + packed)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._read(int(self._read(12))))
        return data

    # --- as a `PageMachine`

    def allocate(self, numbers: int) -> int:
        self.pieces += 1
        return int(self.ask("allocate", numbers=numbers)["found"])

    def discard(self, address: int, numbers: int) -> None:
        self.pieces -= 1
        self._send("discard", address=address, numbers=numbers)

    def read(self, address: int, numbers: int) -> bytes:
        self.ask("read", address=address, numbers=numbers)
        return self._read(8 * numbers)

    def write(self, address: int, numbers: bytes) -> None:
        self._send("write", numbers, address=address, numbers=len(numbers))

    def work(self, name: str, given: Sequence[int | float | tuple[int, int, int]]) -> int | None:
        handed = [one if isinstance(one, (float, tuple)) else str(one) for one in given]
        found = self.ask("work", name=name, given=handed)["found"]
        return None if found is None else int(found)

    def count_unreachable(self) -> int:
        """Return the number of memory blocks that are still allocated although unreachable."""
        gc.collect()
        return self.pieces

    def read_numbers(self, *shape: int) -> Any:
        """Read one or several rows of numbers from the answer."""
        size = int(np.prod(shape))
        return np.frombuffer(self._read(8 * size), dtype=np.int64).reshape(shape)

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        found = self._process.stdout.read(size)
        assert len(found) == size, "node has ended"
        return found

    def faster(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function as `native.faster` does; a program's code, if it takes that first, is the page's own."""
        takes_code = next(iter(signature(function).parameters)) == "code"

        def called(*arguments: Any) -> Any:
            arguments = arguments[takes_code:]
            given = [*(["code"] if takes_code else []), *(_encode_shape(one) for one in arguments)]
            rows = [one.view(np.int64) for one in arguments if isinstance(one, np.ndarray)]
            found = self.ask("call", rows, name=symbol_of(function).strip('"'), given=given)
            for row in rows:
                row[...] = self.read_numbers(*row.shape)
            return None if found.get("result") is None else int(found["result"])

        return called

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(20) == 0


def _flatten(row: Any) -> list[int]:
    return [int(number) for number in row.ravel()] if isinstance(row, np.ndarray) else list(row)


def _encode_shape(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return [1, *argument.shape][-2:]
    return argument if isinstance(argument, float) else str(int(argument))


@contextmanager
def open_page(program: Program, folder: Path, translated: bool = True) -> Iterator[NodePage]:
    """Open a page with a program, compiled unless not `translated`, in which case the interpreter plays its code."""
    folder.mkdir(exist_ok=True)
    for name, content in page_modules.compile_for_page({"program": program} if translated else {}).items():
        (folder / name).write_bytes(content)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    which = ["--program", str(folder / "program.wasm")] if translated else ["--code", str(folder / "code")]
    (folder / "code").write_bytes(page_backend.pack_numbers(program.code))
    command = ["node", str(DRIVER), str(folder), *which]
    one = NodePage(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    try:
        yield one
        one.close()
    finally:
        one._process.kill()
        one._process.wait()


TRIED = """
import fs from "node:fs";
import { Machine } from "./machine.js";
const [machine, program] = ["machine.wasm", "program.wasm"].map((name) => fs.readFileSync(name));
await Machine.load(machine, { program }).then(() => {}, (problem) => console.log(problem.message));
"""


def get_refusal(folder: Path, files: Mapping[str, bytes]) -> str:
    """Return the message that a page gives for these files; empty if they work."""
    for name, content in {**files, "package.json": b'{"type": "module"}', "tried.js": TRIED.encode()}.items():
        (folder / name).write_bytes(content)
    return subprocess.run(["node", "tried.js"], cwd=folder, check=True, capture_output=True, text=True).stdout
