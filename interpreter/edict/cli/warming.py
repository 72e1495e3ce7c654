"""The first use of the native machine: it is compiled, which takes a while, and says so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from edict import kept_files
from edict.cli.loading import rules_of
from edict.cli.study.progress import progress
from edict.machine import native
from edict.machine.orders import RANDOM
from edict.program import Program
from edict.resources import installing

COMPILING = "Compiling the machine for this computer, once; this takes a minute ..."
COMPILING_AGAIN = "Compiling the machine; without a cache, this takes a minute in every run ..."


def notice() -> str:
    """What somebody should know before native code is first used; nothing if there is nothing to wait for."""
    if not native.available():
        return f"Playing in plain Python. `{installing('fast')}` makes this a hundred times faster."
    if all(map(native.kept, PARTS)):
        return ""
    return COMPILING if kept_files.usable() else COMPILING_AGAIN


def warmed(load: Callable[[], object] = native.warm) -> None:
    """Have all native code compiled, for whatever command comes next, with a bar if somebody looks; then load what this
    one needs. Where nothing can be kept, only that is compiled."""
    words = notice()
    if words and not (native.available() and sys.stderr.isatty()):
        print(words, file=sys.stderr, flush=True)
    if not native.available():
        return
    with _compiling() if words else nullcontext():
        if words == COMPILING:
            for function, compile_ in PARTS.items():
                if not native.kept(function):
                    compile_()
        load()


@contextmanager
def _compiling() -> Iterator[None]:
    with progress("Compiling the machine", None), _unheard():
        yield


@contextmanager
def _unheard() -> Iterator[None]:
    """Ctrl-C may come while the compiler calls back from C, where Python only prints what it can do nothing about."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda what: None if what.exc_type is KeyboardInterrupt else hook(what)
    try:
        yield
    finally:
        sys.unraisablehook = hook


def _shipped() -> Program:
    """The game that ships will do: native code is the same for all."""
    return rules_of("").program


def _counting() -> None:
    """Games are counted, and compared in pairs."""
    from edict.study.comparing import play_pairs
    from edict.study.games import Setup, Stretch

    program = _shipped()
    setup = Setup(program, ("random",) * program.least_players, tuple((s.name, s.value) for s in program.settings))
    play_pairs(setup, setup, Stretch(0, 1))


def _learning() -> None:
    """Positions are recorded, to learn from."""
    from edict.machine.fitting import sampled

    program = _shipped()
    sampled(program, [0], [RANDOM] * program.least_players, RANDOM, every=50, games=1)


PARTS: dict[str, Callable[[], object]] = {
    "thinking.searched": native.warm, "counted.pairs": _counting, "thinking.samples": _learning,
}  # fmt: skip
"""How each part of native code is compiled, by a function of it that is kept when that is done."""
