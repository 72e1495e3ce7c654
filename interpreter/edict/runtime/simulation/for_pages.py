"""The machine and programs for pages without a server: WebAssembly, from the text that native code is made of.

    machine.wasm    the machine's own functions, which play any program as data
    machine.js      a module of JavaScript that hands rows to them, see there; with machine_in_worker.js, in a worker
    NAME.wasm       a program, translated; it stands beside its code, and plays in the machine's memory

Programs are compiled quickly: engines optimize once more, and what took three times as long plays no faster there. The
machine is compiled with all passes, for networks are evaluated in its loops.
Needs llvmlite and a linker (the extra `page`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from edict.runtime.machine import loop, mixing
from edict.runtime.machine.translation import HEAD, PLAY, RUN, code_folder
from edict.runtime.native import linking
from edict.runtime.native.assembling import PAGE, object_code
from edict.runtime.native.functions import Function, FunctionModule, name_of, result_of
from edict.runtime.native.programs import translated
from edict.runtime.program import Program, digest, key_of
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import plans
from edict.runtime.simulation.compiled import OFFERED, add_offered, machine_module
from edict.runtime.simulation.in_page import CELL, packed
from edict.support import kept_files

SCRIPTS = ("machine.js", "machine_in_worker.js", "machine_worker.js")
DESCRIPTION, CODE = "edict", "program"  # sections: what it is, as JSON; a program's code, as a row
PROGRAMS_AT = 1 << 21  # bytes of memory before a program's own; the machine's stack and tables lie there
WHOLE = 1 << 16  # bytes by which memory grows
STACK = 1 << 20  # bytes for calls: the machine's
CELLS = ("STATUS", "ASKING", "GAME_OVER", "OPTIONS", "ANSWER", "SEAT", "FIRST_OPTION")


def compile_for_page(programs: Mapping[str, Program]) -> dict[str, bytes]:
    """The files for a page on which these programs are played, by name; those of a program have the name it goes by.

    Raises `native.linking.NotLinked` where nothing can link them. What was made once is kept in the user's cache.
    """
    scripts = {name: Path(__file__).with_name(name).read_bytes() for name in SCRIPTS}
    translations = {f"{name}.wasm": program_for_page(program) for name, program in programs.items()}
    return {**scripts, "machine.wasm": machine_for_page(), **translations}


def machine_for_page() -> bytes:
    """The machine, with a description of what it offers."""
    module = machine_module()
    cells = {name: getattr(o, name) for name in CELLS} | {"HEAD": HEAD, "RUN": RUN, "PLAY": PLAY}
    at = cells | {"ROOM": plans.ROOM, "VALUES": plans.VALUES}
    functions = {_symbol(function): _signature(module, function) for function in OFFERED}
    return _described(_kept("machine", partial(_machine, module)), functions=functions, at=at)


def _machine(module: FunctionModule) -> bytes:
    add_offered(module)
    options = ["--export=__heap_base", "--export-table", "--growable-table", "-z", f"stack-size={STACK}"]
    code = object_code(module.text(), quick=False, target=PAGE)
    return linking.linked(code, [_symbol(function) for function in OFFERED], options)


def program_for_page(program: Program) -> bytes:
    """A program's translation, and beside it the program as data."""
    made = _kept(key_of(program), partial(_program, program))
    end, translation = int.from_bytes(made[:CELL], "little"), made[CELL:]
    return linking.with_section(_described(translation, start=PROGRAMS_AT, end=end), CODE, packed(program.code))


def _program(program: Program) -> bytes:
    """Where it ends in memory, and the translation."""
    code = object_code(translated(program, loop.run, mixing.mixed), target=PAGE)
    end = PROGRAMS_AT + -(-len(code) // WHOLE) * WHOLE  # what it has in memory is all in there
    memory = ["--import-memory", f"--global-base={PROGRAMS_AT}", f"--initial-memory={end}"]
    stack = ["-z", "stack-size=16", "--export=__stack_pointer"]  # a page makes one that is large enough
    return end.to_bytes(CELL, "little") + linking.linked(code, ["run", "play"], [*memory, *stack])


def _kept(name: str, make: Callable[[], bytes]) -> bytes:
    linking.linker()  # without one, nothing needs to be made
    return kept_files.made(f"{code_folder('simulation')}/{name}-page-{version()}", make)


def version() -> str:
    """Of what makes the files; those made by different versions do not fit together."""
    return digest(code_folder("simulation") + str(PAGE))


def _described(module: bytes, **more: Any) -> bytes:
    """With what the page has to know of it, as JSON."""
    text = json.dumps({"version": version(), **more}, separators=(",", ":"))
    return linking.with_section(module, DESCRIPTION, text.encode())


def _symbol(function: Function) -> str:
    return name_of(function).strip('"')


def _signature(module: FunctionModule, function: Function) -> dict[str, Any]:
    """What each parameter is, and what comes back."""
    tree, kinds = module.signature(function)
    return {"parameters": kinds, "result": result_of(tree)}
