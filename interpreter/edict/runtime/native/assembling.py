"""LLVM's text to code, for pages or this computer's processor; the latter into this process. Needs llvmlite."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from functools import cache

from llvmlite import __version__
from llvmlite import binding as llvm

MATHEMATICS = "ucrtbase" if sys.platform == "win32" else None  # where C's functions are; None: in this process
QUICK = ("always_inliner", "instruction_combine", "new_gvn", "simplify_cfg")
"""Passes that give most of the speed in a third of the time, for what somebody waits for."""
SELECTING = "--fast-isel"  # instructions are chosen one by one, not by graphs of a block


@dataclass(frozen=True, slots=True)
class Target:
    """What code is made for. `abi`: how functions call each other, where there is a choice. `vectors`: loops work on
    several numbers at once, where all passes are taken."""

    triple: str
    cpu: str
    features: str
    abi: str = ""
    vectors: bool = False
    here: bool = False  # to be brought into this process, not linked

    def __str__(self) -> str:
        """Kept code of another target is of no use."""
        return f"llvmlite {__version__}, {self.triple} {self.cpu} {self.features} {self.abi}".rstrip()


@cache
def this_computer() -> Target:
    return Target(
        llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), here=True
    )


# What every engine has had for years. With several values a result needs no memory, for which there is an ABI.
PAGE = Target(
    "wasm32-unknown-unknown",
    "generic",
    "+bulk-memory,+multivalue,+mutable-globals,+nontrapping-fptoint,+sign-ext,+simd128",
    abi="experimental-mv",
    vectors=True,
)


def deposits() -> bool:
    """Whether the processor has PDEP, and not merely in its microcode."""
    return bool(llvm.get_host_cpu_features().get("bmi2")) and llvm.get_host_cpu_name() not in ("znver1", "znver2")


@cache
def _begun() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.add_symbol("log", ctypes.cast(ctypes.CDLL(MATHEMATICS).log, ctypes.c_void_p).value)


@cache
def _begun_for_others() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _machine(target: Target, level: int) -> llvm.TargetMachine:
    (_begun if target.here else _begun_for_others)()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=level,
        jit=target.here,
        abiname=target.abi,
        codemodel="jitdefault" if target.here else "default",
        reloc="default" if target.here else "static",
    )


def object_code(text: str, quick: bool = True, target: Target | None = None) -> bytes:
    """Compile a module, for this computer unless a `target` is named. `quick`: with the passes that pay; else with
    all, for what is compiled once in a while."""
    target = target or this_computer()
    machine = _machine(target, 1 if quick else 2)
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
        options.loop_vectorization = options.slp_vectorization = target.vectors
        builder = llvm.create_pass_builder(machine, options)
        passes = builder.getModulePassManager()
    passes.run(module, builder)
    return machine.emit_object(module)  # type: ignore[no-any-return]


class Loaded:
    """Code in memory, for as long as this lives."""

    def __init__(self, code: bytes) -> None:
        """`code`: what `object_code` gave on `this_computer`; anything else may end the process."""
        _begun()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(this_computer(), 1))
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))
