"""Programs played in plain Python: by the loop, and by functions written for the program once it has been played much.

The functions that answer, search and count call `run` of this module; native code has its own (`compiled`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import MutableSequence, Sequence

from edict.machine import loop
from edict.native.python import in_python
from edict.native.remembering import Run
from edict.program import Program, digest

PATIENCE = 20_000  # answers by the loop; then it has taken as long as writing functions does
MOST = 4  # programs remembered in a process


class Code(tuple[int, ...]):
    """A program's code that knows how to be played. `play` is the loop at first."""

    program: Program
    played: int
    play: Run


def code_of(program: Program) -> Code:
    """The program's code; the same one for equal programs, as long as it is remembered."""
    key = key_of(program)
    if key not in _KNOWN:
        code = _KNOWN[key] = Code(program.code)
        code.program, code.played, code.play = program, 0, loop.run
        while len(_KNOWN) > MOST:
            _KNOWN.popitem(last=False)
    _KNOWN.move_to_end(key)
    return _KNOWN[key]


_KNOWN: OrderedDict[str, Code] = OrderedDict()


def key_of(program: Program) -> str:
    """A name for how a program plays."""
    return program.meaning or digest(repr((program.code, program.initial, program.constants, program.tables)))


def run(code: Sequence[int], s: MutableSequence[int], log: MutableSequence[int]) -> int:
    """`loop.run`, or what does the same for this program, and faster."""
    if not isinstance(code, Code):
        return loop.run(code, s, log)
    code.played += 1
    if code.played == PATIENCE:
        code.play = in_python(code.program, loop.run)
    return code.play(code, s, log)
