"""Objects for pages, linked to WebAssembly by LLVM's own linker: Zig's, which a package of Python's brings, or one that
is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from edict.support.resources import installing

LINKER = "wasm-ld"
PATIENCE = 120.0  # seconds
CUSTOM = 0  # the number of a section that engines hand on and do not read


class NotLinked(Exception):
    """There is no linker on this computer, or it failed; the text says what to install, or what it says."""


@cache
def linker() -> tuple[str, ...]:
    """How it is called. Raises `NotLinked`."""
    if find_spec("ziglang") is not None:
        return sys.executable, "-m", "ziglang", LINKER
    found = shutil.which(LINKER) or _newest()
    if found is None:
        raise NotLinked(
            f"nothing here can link WebAssembly: `{installing('page')}` brings what does, "
            f"and so does your system's package with `{LINKER}`, often called lld"
        )
    return (found,)


def _newest() -> str | None:
    """Some systems put the number of the version behind its name."""
    places = [Path(folder) for folder in os.get_exec_path()]
    found = [path for place in places if place.is_dir() for path in place.glob(f"{LINKER}-*")]
    numbered = [(int(path.name.rpartition("-")[2]), str(path)) for path in found if re.search(r"-\d+$", path.name)]
    return max(numbered)[1] if numbered else None


def linked(code: bytes, exported: Sequence[str], options: Sequence[str] = ()) -> bytes:
    """A module of WebAssembly from an object for `assembling.PAGE`, from which these names can be had outside.

    Raises `NotLinked`.
    """
    with tempfile.TemporaryDirectory(prefix="edict-", ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "code.o", Path(folder) / "code.wasm"
        source.write_bytes(code)
        command = [
            *linker(),
            "--no-entry",
            "--strip-all",
            "--allow-undefined",
            *(f"--export={name}" for name in exported),
            *options,
            str(source),
            "-o",
            str(target),
        ]
        try:
            ended = subprocess.run(command, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired) as found:
            raise NotLinked(f"{LINKER} cannot be run: {found}") from None
        if ended.returncode != 0:
            raise NotLinked(f"{LINKER} failed: {ended.stderr.decode(errors='replace').strip() or ended.returncode}")
        return target.read_bytes()


def with_section(module: bytes, name: str, content: bytes) -> bytes:
    """The module with something beside its code, which a page finds by its name."""
    named = _counted(name.encode()) + content
    return module + bytes([CUSTOM]) + _counted(named)


def _counted(content: bytes) -> bytes:
    """The bytes, and before them how many (LEB128)."""
    number, head = len(content), bytearray()
    while number > 0x7F:
        head.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*head, number]) + content
