"""The machine and programs for pages without a server: WebAssembly, from the text that native code is made of.

    machine.wasm    the machine's own functions, which play any program as data
    machine.js      a module of JavaScript that hands rows to them, see there
    NAME.wasm       a program, translated; it stands beside its code, and plays in the machine's memory

Programs are compiled quickly: engines optimize once more, and what took three times as long plays no faster there. The
machine is compiled with all passes, for networks are evaluated in its loops.
Needs llvmlite and a linker (the extra `page`).
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from edict import kept_files
from edict.machine import loop, mixing
from edict.machine.translation import EVENTS, HEAD, PLAY, RUN, code_folder, key_of
from edict.native import linking
from edict.native.assembling import PAGE, object_code
from edict.native.functions import Module, name_of, result_of
from edict.native.programs import translated
from edict.program import Program, digest
from edict.program import opcodes as o
from edict.simulation import plans
from edict.simulation.compiled import OFFERED, add_offered, machine_module

GLUE = Path(__file__).with_name("machine.js")
DESCRIPTION, CODE = "edict", "program"  # sections: what the machine can do, as JSON; a program's code, as a row
PROGRAMS_AT = 1 << 21  # bytes of memory before a program's own; the machine's stack and tables lie there
STACK = 1 << 20  # bytes for calls: the machine's
CELLS = ("STATUS", "ASKING", "RUNNING", "GAME_OVER", "OPTIONS", "ANSWER", "SEAT", "CHANCE", "FIRST_OPTION")


def compile_for_page(programs: Mapping[str, Program]) -> dict[str, bytes]:
    """The files for a page on which these programs are played, by name; those of a program have the name it goes by.

    Raises `native.linking.NoLinker` where nothing can link them. What was made once is kept in the user's cache.
    """
    files = {"machine.js": GLUE.read_bytes(), "machine.wasm": machine_for_page()}
    return files | {f"{name}.wasm": program_for_page(program) for name, program in programs.items()}


def machine_for_page() -> bytes:
    """The machine, with the description of what it offers."""
    module = machine_module()
    description = json.dumps(_description(module), separators=(",", ":")).encode()
    return linking.with_section(_kept("machine", partial(_machine, module)), DESCRIPTION, description)


def _machine(module: Module) -> bytes:
    add_offered(module)
    names = [name_of(function).strip('"') for function in OFFERED]
    options = ["--export=__heap_base", "--export-table", "--growable-table", "-z", f"stack-size={STACK}"]
    return linking.linked(object_code(module.text(), quick=False, target=PAGE), names, options)


def program_for_page(program: Program) -> bytes:
    """A program's translation, and beside it the program as data."""
    made = _kept(f"{key_of(program)}", partial(_program, program))
    return linking.with_section(made, CODE, as_row(program.code))


def _program(program: Program) -> bytes:
    text = translated(program, loop.run, mixing.mixed)
    # It has a stack of its own, which a page makes.
    options = ["--import-memory", f"--global-base={PROGRAMS_AT}", "--export=__heap_base", "--export=__stack_pointer"]
    return linking.linked(object_code(text, target=PAGE), ["run", "play"], options)


def _kept(name: str, make: Any) -> bytes:
    linking.linker()  # before anything else is made
    return kept_files.made(f"{code_folder('simulation')}/{name}-page-{digest(str(PAGE))}", make)


def _description(module: Module) -> dict[str, Any]:
    """What the page has to know: the functions with what each parameter is, and where things stand in rows."""
    functions = {name_of(function).strip('"'): _signature(module, function) for function in OFFERED}
    cells = {name: getattr(o, name) for name in CELLS}
    head = {"HEAD": HEAD, "RUN": RUN, "PLAY": PLAY, "EVENTS": EVENTS}
    thinking = {"ROOM": plans.ROOM, "VALUES": plans.VALUES, "COUNTS": plans.COUNTS}
    return {"functions": functions, "at": cells | head | thinking, "programsAt": PROGRAMS_AT}


def _signature(module: Module, function: Any) -> dict[str, Any]:
    tree, kinds = module.signature(function)
    return {"parameters": kinds, "result": result_of(tree)}


def as_row(numbers: Iterable[int]) -> bytes:
    """Numbers as a page takes them: 64 bits each, the lowest byte first."""
    row = array("q", (number - (1 << 64) if number >> 63 > 0 else number for number in numbers))
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()
