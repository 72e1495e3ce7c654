"""A bot of your own: a class, named as `module:Class` or `file.py:Class`.

    class Mine:
        def __init__(self, seed: int) -> None: ...
        def choose(self, view: View, ask: Ask, clock: Clock) -> Option | str | int: ...

One instance is made for each seat and game, so its memory is its own. `@2s` after the name is its time limit for an
answer, `+process` lets it think in a separate process: `mine:Mine@2s+process`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from edict.table.options import Ask, Option
from edict.table.view import View

USUAL_LIMIT = 10.0  # seconds for an answer
LONGEST_LIMIT = 3600.0
PROCESS = "+process"


class Clock:
    """The time for one answer, in seconds: `limit` in all, `left` of it now (less than 0 when it is over)."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._end = time.monotonic() + limit

    @property
    def left(self) -> float:
        return self._end - time.monotonic()


class Agent(Protocol):
    """What a bot must be able to do. It may also keep `values`: what it thought of each option of the last question,
    a number for each, which goes into the tables of decisions."""

    def choose(self, view: View, ask: Ask, clock: Clock) -> Option | str | int:
        """An option of the question put to the view's seat, its key, or its index.

        `view` shows what the seat may know, and `view.log` what it has seen happen; neither holds anything else.
        """
        ...


@dataclass(frozen=True, slots=True)
class Spec:
    """A bot as it was named: where its class is, seconds for an answer, and whether it gets a separate process."""

    text: str
    module: str
    name: str
    limit: float = USUAL_LIMIT
    apart: bool = False

    @staticmethod
    def read(text: str) -> Spec:
        """Raises `ValueError` with the reason."""
        module, _, rest = text.removesuffix(PROCESS).rpartition(":")
        name, at, option = rest.partition("@")
        if not module or not name.isidentifier():
            raise ValueError("a bot of your own is written as module:Class or file.py:Class")
        return Spec(text, module, name, _seconds(option) if at else USUAL_LIMIT, text.endswith(PROCESS))

    def load(self) -> Any:
        """The class. Raises `ValueError` with the reason, whatever the bot's own code raises."""
        try:
            made = getattr(_module(self.module), self.name, None)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            raise ValueError(f"`{self.module}` cannot be loaded: {what_was_raised(problem)}") from None
        if made is None:
            raise ValueError(f"`{self.module}` has no `{self.name}`")
        if not callable(getattr(made, "choose", None)):
            raise ValueError(f"`{self.name}` has no method `choose(view, ask, clock)`")
        return made


def _seconds(text: str) -> float:
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_LIMIT:
        raise ValueError(f"`{text}` is not a time limit: write seconds, like 2s (at most {LONGEST_LIMIT:.0f}s)")
    return seconds


def _module(name: str) -> Any:
    """A module by its file or its name; those in the current folder can be named too."""
    if name.endswith(".py"):
        return _of_file(Path(name).expanduser().resolve())
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)  # last, so that no file there stands in for a module of Python's
    return importlib.import_module(name)


def _of_file(path: Path) -> Any:
    """The module in a file, loaded once; what lies beside the file can be imported by it."""
    known = f"edict_bot_{path.stem}_{abs(hash(str(path))):x}"
    if known not in sys.modules:
        found = importlib.util.spec_from_file_location(known, path)
        if found is None or found.loader is None or not path.is_file():
            raise FileNotFoundError(f"there is no file `{path}`")
        module = importlib.util.module_from_spec(found)
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))
        sys.modules[known] = module
        try:
            found.loader.exec_module(module)
        except BaseException:
            del sys.modules[known]
            raise
    return sys.modules[known]


def what_was_raised(problem: BaseException) -> str:
    """An exception of somebody's code in a line, with the place it comes from."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""
    text = " ".join(str(problem).split())[:200]
    return f"{type(problem).__name__}{f': {text}' if text else ''}{place}"
