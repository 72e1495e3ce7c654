"""What a GPU would be given: a game's own code as PTX, one game a thread. See benchmarks/gpu.md.

    python benchmarks/on_gpu.py [GAME [MODULE ...]]

Prints what NVIDIA's assembler (`ptxas`) makes of it, if there is one; whether the same kernel, its threads one after
another on this computer, ends every game as native code does; and how many games of a warp do the same at a time. No
GPU is needed, and none is used.
"""

from __future__ import annotations

import ctypes
import inspect
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from heapq import heappop, heappush
from pathlib import Path
from statistics import mean

import numpy as np
from llvmlite import binding as llvm

from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine import loop, mixing
from edict.runtime.native.assembling import LoadedCode, compile_object
from edict.runtime.native.programs import translate_program
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import native

PROCESSORS = ("sm_80", "sm_90", "sm_120")
PLAYERS, WARP, WARPS, CHECKED = 4, 32, 2, 500
PLACES = ("tid", "ntid", "ctaid")  # of a thread in its block, how many a block has, the block's own
READ = "llvm.nvvm.read.ptx.sreg.{}.x"

# A thread copies the state a game begins with into its own memory, of which a GPU keeps the cells of a warp's games
# side by side; plays; and writes the end, cell by cell, into columns of which each has a number of every game.
KERNEL = """
define {kind} void @games(ptr noalias %begin, ptr noalias %seeds, ptr noalias %ends, ptr noalias %asked, i64 %games) {{
entry:
  %s = alloca [{cells} x i64]
  %thread = call i32 @{tid}()
  %block = call i32 @{ctaid}()
  %size = call i32 @{ntid}()
  %first = mul i32 %block, %size
  %number = add i32 %first, %thread
  %game = zext i32 %number to i64
  %there = icmp ult i64 %game, %games
  br i1 %there, label %begins, label %out
begins:
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %begin, i64 {bytes}, i1 false)
  %seed.p = getelementptr i64, ptr %seeds, i64 %game
  %seed = load i64, ptr %seed.p
  %asked.p = getelementptr i64, ptr %asked, i64 %game
  store i64 0, ptr %asked.p
  %status = call i64 @play(ptr %s, i64 %seed, ptr %asked.p)
  br label %ends.here
ends.here:
  %i = phi i64 [0, %begins], [%next, %ends.here]
  %from = getelementptr i64, ptr %s, i64 %i
  %value = load i64, ptr %from
  %column = mul i64 %i, %games
  %at = add i64 %column, %game
  %to = getelementptr i64, ptr %ends, i64 %at
  store i64 %value, ptr %to
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {cells}
  br i1 %more, label %ends.here, label %out
out:
  ret void
}}
"""


def kernel(program: Program, kind: str, names: dict[str, str]) -> str:
    """The program's code with the kernel, of which alone can be seen from outside."""
    text = translate_program(program, loop.run, mixing.mix).replace("define i64 @", "define internal i64 @")
    cells = len(program.initial)
    return text + KERNEL.format(kind=kind, cells=cells, bytes=8 * cells, **names)


def ptx(program: Program, processor: str) -> str:
    """The kernel for a GPU."""
    names = {place: READ.format(place) for place in PLACES}
    declared = "".join(f"declare i32 @{name}()\n" for name in names.values())
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(
        cpu=processor,
        features="+ptx87" if processor == "sm_120" else "+ptx80",
        opt=2,
        reloc="default",
        codemodel="default",
    )
    module = llvm.parse_assembly(declared + kernel(program, "ptx_kernel", names))
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return str(machine.emit_assembly(module))


def assembled(text: str, processor: str) -> str:
    """What the assembler says of it: registers, memory, what did not fit into registers."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "games.ptx", Path(folder) / "games.cubin"
        source.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = ["ptxas", "-v", f"-arch={processor}", str(source), "-o", str(target)]
        found = subprocess.run(command, capture_output=True, text=True)
        if found.returncode:
            return f"refused: {found.stderr.strip()}"
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        told, size = found.stdout + found.stderr, target.stat().st_size // 1000
    registers, stack = (re.search(what, told) for what in (r"Used (\d+) registers", r"(\d+) bytes cumulative stack"))
    functions = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", told)
    spilled, most = sum(int(one[1]) for one in functions), max(int(one[1]) for one in functions)
    return (
        f"{registers and registers[1]} registers, {stack and stack[1]} bytes of a thread's own memory; "
        f"{spilled:,} bytes spilled in all {len(functions)} functions, {most} in one; {size:,} kB, {took:.0f} s"
    )


def alike(program: Program, games: int) -> bool:
    """Whether the kernel, its threads one after another here, ends games as native code does."""
    names = {place: place for place in PLACES}
    counted = "@now = global i32 0\n" + "".join(
        f"define i32 @{place}() {{\n  %n = {value}\n  ret i32 %n\n}}\n"
        for place, value in (("tid", "load i32, ptr @now"), ("ntid", "add i32 0, 1"), ("ctaid", "add i32 0, 0"))
    )
    code = LoadedCode(compile_object(counted + kernel(program, "", names)))
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)(code.address("games"))
    now = ctypes.c_int32.from_address(code.address("now"))
    begin = native.make_integers(create_state(program, PLAYERS, {}, logging=False))
    seeds, asked = native.make_seeds(range(games)), np.zeros(games, dtype=np.int64)
    ends = np.zeros((len(begin), games), dtype=np.int64)
    for game in range(games):
        now.value = game
        run(begin.ctypes.data, seeds.ctypes.data, ends.ctypes.data, asked.ctypes.data, games)
    native.translate(program)  # the loop leaves other numbers in cells that nobody reads any more
    expected, counts = native.play_batch(program, PLAYERS, range(games))
    return bool((ends.T == expected).all() and (asked == counts).all())


# --- how many games of a warp do the same


def steps(program: Program, seed: int) -> list[tuple[int, int]]:
    """How deep in calls, and where, a random game is at each step of the loop."""
    found: list[tuple[int, int]] = []
    names = loop.__dict__ | {"found": found}
    line = "        op = code[pc]\n"
    exec(inspect.getsource(loop.run).replace(line, f"{line}        found.append((-s[SP], pc))\n"), names)
    state, asked = create_state(program, PLAYERS, {}, logging=False), 0
    while names["run"](program.code, state, [0]) == o.ASKING:
        asked += 1
        state[o.ANSWER] = mixing.draw(seed, asked, state[o.OPTIONS])
    return found


def together(games: list[list[tuple[int, int]]]) -> int:
    """The steps a warp takes if those deepest in calls go first, and of those the ones that are furthest behind."""
    at, waiting, moved, taken = [0] * len(games), defaultdict[tuple[int, int], list[int]](list), [*range(len(games))], 0
    order: list[tuple[int, int]] = []
    while moved or order:
        for game in moved:
            if at[game] < len(games[game]):
                place = games[game][at[game]]
                if place not in waiting:
                    heappush(order, place)
                waiting[place].append(game)
        if order:
            moved = waiting.pop(heappop(order))
            taken += 1
            for game in moved:
                at[game] += 1
        else:
            moved = []
    return taken


def told(name: str, modules: tuple[str, ...]) -> int:
    program = compile_rules(name, modules).unwrap()
    print(f"{program.title}, {', '.join(modules) or 'no modules'}: {len(program.initial)} cells of 8 bytes")
    for processor in PROCESSORS:
        began = time.process_time()
        text = ptx(program, processor)
        print(f"  {processor}: {len(text) // 1000:,} kB of PTX in {time.process_time() - began:.1f} s")
        print(f"    {assembled(text, processor) if shutil.which('ptxas') else 'no ptxas here'}")
    same = alike(program, CHECKED)
    print(f"  the kernel on this computer, {CHECKED} games: {'every cell as native code has it' if same else 'WRONG'}")
    warps = [[steps(program, warp * WARP + i) for i in range(WARP)] for warp in range(WARPS)]
    each, all_ = mean(len(game) for warp in warps for game in warp), mean(together(warp) for warp in warps)
    print(f"  {each:,.0f} steps a game, {all_:,.0f} a warp: {each * WARP / all_:.1f} of {WARP} games at a time")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(told(sys.argv[1] if len(sys.argv) > 1 else "kingsburg", tuple(sys.argv[2:])))
