"""The machine and programs as WebAssembly for pages without a server, made from the text of the native code.

    machine.wasm    the machine's own functions, which play any program as data
    machine.js      a JavaScript module that passes rows to them; with machine_in_worker.js, in a worker
    NAME.wasm       a translated program, with its code; it plays in the machine's memory

Programs are compiled quickly: engines optimize again, and more passes take three times as long without playing
faster. The machine is compiled with all passes, because networks are evaluated in its loops.
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
from edict.runtime.native.assembling import PAGE, compile_object
from edict.runtime.native.functions import Function, FunctionModule, result_type, symbol_of
from edict.runtime.native.programs import translate_program
from edict.runtime.program import Program, digest, program_key
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import plans
from edict.runtime.simulation.compiled import EXPORTED_FUNCTIONS, add_exported_functions, create_machine_module
from edict.runtime.simulation.page_backend import CELL_BYTES, pack_numbers
from edict.support import signed_cache

SCRIPTS = ("machine.js", "machine_in_worker.js", "machine_worker.js")
DESCRIPTION, CODE = "edict", "program"  # custom sections: a description as JSON; a program's code as a row
PROGRAMS_AT = 1 << 21  # address of a program's memory, after the machine's stack and tables
MEMORY_PAGE = 1 << 16  # bytes by which memory grows
STACK_SIZE = 1 << 20  # bytes of the machine's call stack
CELLS = ("STATUS", "ASKING", "GAME_OVER", "OPTIONS", "ANSWER", "SEAT", "FIRST_OPTION")


def compile_for_page(programs: Mapping[str, Program]) -> dict[str, bytes]:
    """Compile the files for a page that plays some programs, by file name. Results are cached.

    Raises:
        LinkError: If nothing can link them.
    """
    scripts = {name: Path(__file__).with_name(name).read_bytes() for name in SCRIPTS}
    translations = {f"{name}.wasm": build_program(program) for name, program in programs.items()}
    return {**scripts, "machine.wasm": build_machine(), **translations}


def build_machine() -> bytes:
    """Return the machine's WebAssembly module, with names of cells and signatures in a custom section."""
    module = create_machine_module()
    cells = {name: getattr(o, name) for name in CELLS} | {"HEAD": HEAD, "RUN": RUN, "PLAY": PLAY}
    at = cells | {"ROOM": plans.SCRATCH_ROWS, "VALUES": plans.VALUES}
    functions = {_symbol(function): _describe_signature(module, function) for function in EXPORTED_FUNCTIONS}
    return _add_description(_get_or_build_module("machine", partial(_link_machine, module)), functions=functions, at=at)


def _link_machine(module: FunctionModule) -> bytes:
    """Compile the exported functions to a WebAssembly module with a growable function table."""
    add_exported_functions(module)
    options = ["--export=__heap_base", "--export-table", "--growable-table", "-z", f"stack-size={STACK_SIZE}"]
    code = compile_object(module.text(), quick=False, target=PAGE)
    return linking.link_module(code, [_symbol(function) for function in EXPORTED_FUNCTIONS], options)


def build_program(program: Program) -> bytes:
    """Build the translation of a program that contains the program as data."""
    cached = _get_or_build_module(program_key(program), partial(_link_program, program))
    end, translation = int.from_bytes(cached[:CELL_BYTES], "little"), cached[CELL_BYTES:]
    return linking.add_section(
        _add_description(translation, start=PROGRAMS_AT, end=end), CODE, pack_numbers(program.code)
    )


def _link_program(program: Program) -> bytes:
    """Return the end of the translation's memory in 8 bytes, then its WebAssembly module."""
    code = compile_object(translate_program(program, loop.run, mixing.mix), target=PAGE)
    end = PROGRAMS_AT + -(-len(code) // MEMORY_PAGE) * MEMORY_PAGE  # an upper bound of its data
    memory = ["--import-memory", f"--global-base={PROGRAMS_AT}", f"--initial-memory={end}"]
    stack = ["-z", "stack-size=16", "--export=__stack_pointer"]  # the page creates a large one
    return end.to_bytes(CELL_BYTES, "little") + linking.link_module(code, ["run", "play"], [*memory, *stack])


def _get_or_build_module(name: str, make: Callable[[], bytes]) -> bytes:
    """Return a WebAssembly file from the cache or made by `make`; fail at once if there is no linker."""
    linking.linker_command()  # fail early without a linker
    return signed_cache.get_or_create(f"{code_folder('simulation')}/{name}-page-{toolchain_version()}", make)


def toolchain_version() -> str:
    """Return the version of everything that makes the files; files of different versions do not fit."""
    return digest(code_folder("simulation") + str(PAGE))


def _add_description(module: bytes, **description: Any) -> bytes:
    """Return the module with a custom section that holds the toolchain version and `description` as JSON."""
    text = json.dumps({"version": toolchain_version(), **description}, separators=(",", ":"))
    return linking.add_section(module, DESCRIPTION, text.encode())


def _symbol(function: Function) -> str:
    return symbol_of(function).strip('"')


def _describe_signature(module: FunctionModule, function: Function) -> dict[str, Any]:
    """Return the kind of each parameter and the type of the result."""
    tree, kinds = module.signature(function)
    return {"parameters": kinds, "result": result_type(tree)}
