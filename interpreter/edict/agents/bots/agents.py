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
import inspect
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from edict.game.table.options import Ask, Option
from edict.game.table.view import View
from edict.support.rendering import escape_terminal
from edict.support.report import suggest_word

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
        """The class. Raises `Unfit`, whatever the bot's own code raises."""
        return load(self.module, self.name)


def _seconds(text: str) -> float:
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_LIMIT:
        raise ValueError(f"`{text}` is not a time limit: write seconds, like 2s (at most {LONGEST_LIMIT:.0f}s)")
    return seconds


NAMING = "name a class, as in my_bots:Mine or bots/mine.py:Mine"
CONSTRUCTOR = "def __init__(self, seed: int)"
METHOD = "def choose(self, view, ask, clock)"


class Unfit(ValueError):
    """Why a bot cannot take a seat, and (`remedy`) what to do about it."""

    def __init__(self, reason: str, remedy: str = NAMING) -> None:
        super().__init__(reason)
        self.remedy = remedy


def load(module: str, name: str) -> Any:
    """The class. Raises `Unfit`, whatever the bot's own code raises."""
    try:
        found = _module(module)
    except (KeyboardInterrupt, Unfit):
        raise
    except BaseException as problem:
        raise _unloadable(module, problem) from None
    made = getattr(found, name, None)
    if made is None:
        bots = [one for one, thing in vars(found).items() if callable(getattr(thing, "choose", None))]
        raise Unfit(f"`{module}` has no `{name}`", suggest_word(name, bots) or NAMING)
    _check(name, made)
    return made


def _check(name: str, made: Any) -> None:
    """Raises `Unfit` for what could not answer a single question."""
    choose = getattr(made, "choose", None)
    if not callable(choose):
        raise Unfit(f"`{name}` has no method `choose(view, ask, clock)`")
    if not callable(made):
        raise Unfit(f"`{name}` is not a class")
    if inspect.iscoroutinefunction(choose):
        raise Unfit(f"`choose` of `{name}` is `async`, and nobody waits for it", f"write {METHOD}")
    problem = _unlike(made, 1)
    if problem:
        raise Unfit(f"`{name}` cannot be made with a seed alone: {problem}", f"write {CONSTRUCTOR}")
    problem = _unlike(choose, 4 if _takes_itself(made) else 3)
    if problem:
        raise Unfit(f"`choose` of `{name}` cannot be called with view, ask and clock: {problem}", f"write {METHOD}")


def _takes_itself(made: Any) -> bool:
    return inspect.isclass(made) and inspect.isfunction(inspect.getattr_static(made, "choose"))


def _unlike(made: Callable[..., Any], given: int) -> str:
    """Why something cannot be called with so many arguments; nothing if it can, or if nobody knows."""
    try:
        inspect.signature(made).bind(*range(given))
    except TypeError as problem:
        return str(problem)
    except ValueError:  # written in C
        return ""
    return ""


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
            raise Unfit(f"there is no file `{path}`", suggest_word(path.name, _files(path.parent)) or NAMING)
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


def _files(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*.py")]


def _unloadable(module: str, problem: BaseException) -> Unfit:
    """Why a module cannot be loaded, and what to do about it."""
    missing = problem.name if isinstance(problem, ModuleNotFoundError) and problem.name else ""
    if missing and f"{module}.".startswith(f"{missing}."):
        here = [name.removesuffix(".py") for name in _files(Path.cwd())]
        return Unfit(f"there is no module `{missing}`", suggest_word(module, here) or NAMING)
    remedy = f"install `{missing}` for {sys.executable}" if missing else "correct it first"
    return Unfit(f"`{module}` cannot be loaded: {what_was_raised(problem)}", remedy)


def what_was_raised(problem: BaseException) -> str:
    """An exception of somebody's code in a line, with the place it comes from."""
    text = " ".join(str(problem.msg if isinstance(problem, SyntaxError) else problem).split())[:200]
    place = _place(problem)
    return escape_terminal(f"{type(problem).__name__}{f': {text}' if text else ''}{f' ({place})' if place else ''}")


def _place(problem: BaseException) -> str:
    """File and line, where that is code that somebody can look at."""
    if isinstance(problem, SyntaxError):
        return f"{Path(problem.filename or '?').name}:{problem.lineno}"
    trace, place = problem.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<"):
            place = f"{Path(file).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
