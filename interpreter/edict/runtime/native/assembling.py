"""Compilation of LLVM text for pages or this computer's processor, and loading of the latter. Needs llvmlite."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

from llvmlite import __version__
from llvmlite import binding as llvm

from edict.support.records import dataclass

# library of C's mathematical functions; None for this process
MATH_LIBRARY = "ucrtbase" if sys.platform == "win32" else None
# passes that give most of the speed in a third of the time
QUICK_PASSES = ("always_inliner", "instruction_combine", "new_gvn", "simplify_cfg")
FAST_ISEL_OPTION = "--fast-isel"  # selects instructions one by one instead of by graphs of a block


@dataclass(frozen=True, slots=True)
class CompileTarget:
    """The processor that code is compiled for."""

    triple: str
    cpu: str
    features: str
    abi: str = ""  # calling convention, where there is a choice
    vectors: bool = False  # vectorize loops when optimizing fully
    in_process: bool = False  # the code is loaded into this process, not linked

    def __str__(self) -> str:
        """Return what cached code depends on."""
        return f"llvmlite {__version__}, {self.triple} {self.cpu} {self.features} {self.abi}".rstrip()


@cache
def host_target() -> CompileTarget:
    """Return the target of this computer."""
    return CompileTarget(
        llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), in_process=True
    )


# Features that every engine has had for years. Multiple results need no memory, with the ABI for that.
PAGE = CompileTarget(
    "wasm32-unknown-unknown",
    "generic",
    "+bulk-memory,+multivalue,+mutable-globals,+nontrapping-fptoint,+sign-ext,+simd128",
    abi="experimental-mv",
    vectors=True,
)


def has_fast_pdep() -> bool:
    """Return True if the processor has the PDEP instruction in hardware, not just in microcode."""
    return bool(llvm.get_host_cpu_features().get("bmi2")) and llvm.get_host_cpu_name() not in ("znver1", "znver2")


@cache
def _initialize_host() -> None:
    """Initialize LLVM for this processor, and resolve the symbol `log` to the C library's function."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.add_symbol("log", ctypes.cast(ctypes.CDLL(MATH_LIBRARY).log, ctypes.c_void_p).value)


@cache
def _initialize_cross_targets() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _create_machine(target: CompileTarget, level: int) -> llvm.TargetMachine:
    """Create an LLVM target machine with optimization `level` 0 to 3; for use in this process, in JIT mode."""
    (_initialize_host if target.in_process else _initialize_cross_targets)()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=level,
        jit=target.in_process,
        abiname=target.abi,
        codemodel="jitdefault" if target.in_process else "default",
        reloc="default" if target.in_process else "static",
    )


def compile_object(text: str, quick: bool = True, target: CompileTarget | None = None) -> bytes:
    """Compile a module of LLVM text to an object file.

    Args:
        text: The module.
        quick: Use few passes; otherwise all, for code that is compiled rarely.
        target: The target; this computer if None.
    """
    target = target or host_target()
    machine = _create_machine(target, 1 if quick else 2)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    llvm.set_option("edict", f"{FAST_ISEL_OPTION}={'true' if quick else 'false'}")
    if quick:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        passes = llvm.create_new_module_pass_manager()
        for name in QUICK_PASSES:
            getattr(passes, f"add_{name}_pass")()
    else:
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        options.loop_vectorization = options.slp_vectorization = target.vectors
        builder = llvm.create_pass_builder(machine, options)
        passes = builder.getModulePassManager()
    passes.run(module, builder)
    return machine.emit_object(module)  # type: ignore[no-any-return]


class LoadedCode:
    """Executable code in memory, valid as long as this object lives."""

    def __init__(self, code: bytes) -> None:
        """Load code into this process.

        Args:
            code: The result of `compile_object` on this computer; anything else may crash the process.
        """
        _initialize_host()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _create_machine(host_target(), 1))
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return int(self._engine.get_function_address(name))
