"""LLVM's text to code for this computer's processor, and such code into this process. Needs llvmlite."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

from llvmlite import __version__
from llvmlite import binding as llvm

MATHEMATICS = "ucrtbase" if sys.platform == "win32" else None  # where C's functions are; None: in this process
QUICK = ("always_inliner", "instruction_combine", "new_gvn", "simplify_cfg")
"""Passes that give most of the speed in a third of the time, for what somebody waits for."""
SELECTING = "--fast-isel"  # instructions are chosen one by one, not by graphs of a block


def target() -> str:
    """What code is made for: kept code of another target is of no use."""
    made_by = f"llvmlite {__version__}, {llvm.get_process_triple()}"
    return f"{made_by} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def deposits() -> bool:
    """Whether the processor has PDEP, and not merely in its microcode."""
    return bool(llvm.get_host_cpu_features().get("bmi2")) and llvm.get_host_cpu_name() not in ("znver1", "znver2")


@cache
def _begun() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.add_symbol("log", ctypes.cast(ctypes.CDLL(MATHEMATICS).log, ctypes.c_void_p).value)


def _machine(level: int) -> llvm.TargetMachine:
    _begun()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=level, jit=True, codemodel="jitdefault"
    )


def object_code(text: str, quick: bool = True) -> bytes:
    """Compile a module. `quick`: with the passes that pay; else with all, for what is compiled once in a while."""
    machine = _machine(1 if quick else 2)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    llvm.set_option("edict", f"{SELECTING}={'true' if quick else 'false'}")
    if quick:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        passes = llvm.create_new_module_pass_manager()
        for name in QUICK:
            getattr(passes, f"add_{name}_pass")()
    else:
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        options.loop_vectorization = options.slp_vectorization = False
        builder = llvm.create_pass_builder(machine, options)
        passes = builder.getModulePassManager()
    passes.run(module, builder)
    return machine.emit_object(module)  # type: ignore[no-any-return]


class Loaded:
    """Code in memory, for as long as this lives."""

    def __init__(self, code: bytes) -> None:
        """`code`: what `object_code` gave for this `target`; anything else may end the process."""
        _begun()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(1))
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))
