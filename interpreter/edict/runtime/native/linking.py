"""Linking of objects for pages to WebAssembly by LLVM's linker.

It is Zig's, which a Python package ships, or one that is installed.
"""

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

from edict.support.resources import install_command

LINKER = "wasm-ld"
TIMEOUT = 120.0  # seconds
CUSTOM_SECTION = 0  # number of a section that engines pass on without reading it


class LinkError(Exception):
    """There is no linker on this computer, or it failed; the text says what to install, or what the linker says."""


@cache
def linker_command() -> tuple[str, ...]:
    """Return the command of the linker.

    Raises:
        LinkError: If there is none.
    """
    if find_spec("ziglang") is not None:
        return sys.executable, "-m", "ziglang", LINKER
    path = shutil.which(LINKER) or _find_newest()
    if path is None:
        raise LinkError(
            f"nothing here can link WebAssembly: `{install_command('page')}` brings what does, "
            f"and so does your system's package with `{LINKER}`, often called lld"
        )
    return (path,)


def _find_newest() -> str | None:
    """Find the newest linker with a version in its name, as some systems install it."""
    places = [Path(folder) for folder in os.get_exec_path()]
    candidates = [path for place in places if place.is_dir() for path in place.glob(f"{LINKER}-*")]
    numbered = [(int(path.name.rpartition("-")[2]), str(path)) for path in candidates if re.search(r"-\d+$", path.name)]
    return max(numbered)[1] if numbered else None


def link_module(code: bytes, exported: Sequence[str], options: Sequence[str] = ()) -> bytes:
    """Return the WebAssembly module linked from an object file's bytes, with only `exported` visible.

    Args:
        code: The object.
        exported: Names that are exported.
        options: Further options of the linker.

    Raises:
        LinkError: If there is no linker, or it failed.
    """
    with tempfile.TemporaryDirectory(prefix="edict-", ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "code.o", Path(folder) / "code.wasm"
        source.write_bytes(code)
        command = [
            *linker_command(),
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
            process = subprocess.run(command, capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired) as found:
            raise LinkError(f"{LINKER} cannot be run: {found}") from None
        if process.returncode != 0:
            raise LinkError(f"{LINKER} failed: {process.stderr.decode(errors='replace').strip() or process.returncode}")
        return target.read_bytes()


def add_section(module: bytes, name: str, content: bytes) -> bytes:
    """Return a module with a custom section, which pages find by its name."""
    section = _prefix_length(name.encode()) + content
    return module + bytes([CUSTOM_SECTION]) + _prefix_length(section)


def _prefix_length(content: bytes) -> bytes:
    """Return the bytes preceded by their length as unsigned LEB128."""
    number, head = len(content), bytearray()
    while number > 0x7F:
        head.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*head, number]) + content
