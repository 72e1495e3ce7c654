"""Bots written by users: a class, named as `module:Class` or `file.py:Class`.

    class Mine:
        def __init__(self, seed: int) -> None: ...
        def choose(self, view: View, ask: Ask, clock: Clock) -> Option | str | int: ...

There is one instance for each seat and game, so its memory is its own. `@2s` after the name limits the time for an
answer, `+process` runs the bot in a separate process: `mine:Mine@2s+process`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from edict.game.table.options import Ask, Option
from edict.game.table.view import View
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.report import suggest_word
from edict.support.request_errors import RequestError

DEFAULT_LIMIT = 10.0  # seconds for an answer
MAX_LIMIT = 3600.0  # seconds for an answer
PROCESS_SUFFIX = "+process"


class Clock:
    """The time for one answer, in seconds.

    Attributes:
        limit: The time for the whole answer.
        left: The time that is left now, negative when it is over.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._end = time.monotonic() + limit

    @property
    def left(self) -> float:
        """The seconds that are left, negative when the time is over."""
        return self._end - time.monotonic()


class Agent(Protocol):
    """The interface of a bot that a user writes.

    It may also have `values`, its evaluation of each option of the last question, which goes into the tables of
    decisions.
    """

    def choose(self, view: View, ask: Ask, clock: Clock) -> Option | str | int:
        """Return an option of the question put to the view's seat, or its key or index.

        Args:
            view: The game as the seat may see it; `view.log` is what it has seen happen.
            ask: The question.
            clock: The time for the answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A user's bot as it was named on the command line."""

    text: str
    module: str
    name: str
    limit: float = DEFAULT_LIMIT  # seconds for an answer
    separate_process: bool = False  # run it in a separate process

    @staticmethod
    def parse(text: str) -> BotSpec:
        """Parse the name of a user's bot. Raises `ValueError` with the reason."""
        module, _, rest = text.removesuffix(PROCESS_SUFFIX).rpartition(":")
        name, at, option = rest.partition("@")
        if not module or not name.isidentifier():
            raise ValueError("a bot of your own is written as module:Class or file.py:Class")
        return BotSpec(
            text, module, name, _parse_seconds(option) if at else DEFAULT_LIMIT, text.endswith(PROCESS_SUFFIX)
        )

    def load(self) -> Any:
        """Load the class. Raises `InvalidBot`, whatever the bot's own code raises."""
        return load_bot_class(self.module, self.name)


def _parse_seconds(text: str) -> float:
    """Parse a bot's time limit in seconds, such as `2s` or `0.5`; raise `ValueError` outside 0 to `MAX_LIMIT`."""
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_LIMIT:
        raise ValueError(f"`{text}` is not a time limit: write seconds, like 2s (at most {MAX_LIMIT:.0f}s)")
    return seconds


NAMING_HINT = "name a class, as in my_bots:Mine or bots/mine.py:Mine"
CONSTRUCTOR_FORM = "def __init__(self, seed: int)"
METHOD_FORM = "def choose(self, view, ask, clock)"


class InvalidBot(RequestError, ValueError):
    """A bot that cannot take a seat."""

    def __init__(self, reason: str, remedy: str = NAMING_HINT) -> None:
        super().__init__(reason, remedy)


def load_bot_class(module: str, name: str) -> Any:
    """Load a bot's class. Raises `InvalidBot`, whatever the bot's own code raises."""
    try:
        bot_module = _load_module(module)
    except (KeyboardInterrupt, InvalidBot):
        raise
    except BaseException as problem:
        raise _make_load_error(module, problem) from None
    bot_class = getattr(bot_module, name, None)
    if bot_class is None:
        bots = [key for key, value in vars(bot_module).items() if callable(getattr(value, "choose", None))]
        raise InvalidBot(f"`{module}` has no `{name}`", suggest_word(name, bots) or NAMING_HINT)
    _check_interface(name, bot_class)
    return bot_class


def _check_interface(name: str, bot_class: Any) -> None:
    """Raise `InvalidBot` for a class that cannot answer a question."""
    choose = getattr(bot_class, "choose", None)
    if not callable(choose):
        raise InvalidBot(f"`{name}` has no method `choose(view, ask, clock)`")
    if not callable(bot_class):
        raise InvalidBot(f"`{name}` is not a class")
    if inspect.iscoroutinefunction(choose):
        raise InvalidBot(f"`choose` of `{name}` is `async`, and nobody waits for it", f"write {METHOD_FORM}")
    problem = _describe_call_error(bot_class, 1)
    if problem:
        raise InvalidBot(f"`{name}` cannot be made with a seed alone: {problem}", f"write {CONSTRUCTOR_FORM}")
    problem = _describe_call_error(choose, 4 if _has_self_parameter(bot_class) else 3)
    if problem:
        raise InvalidBot(
            f"`choose` of `{name}` cannot be called with view, ask and clock: {problem}", f"write {METHOD_FORM}"
        )


def _has_self_parameter(bot_class: Any) -> bool:
    """Return True if `choose` is a plain method of a class, neither a static method nor on an instance."""
    return inspect.isclass(bot_class) and inspect.isfunction(inspect.getattr_static(bot_class, "choose"))


def _describe_call_error(function: Callable[..., Any], argument_count: int) -> str:
    """Return why an object cannot be called with so many arguments; empty if it can, or if its signature is unknown."""
    try:
        inspect.signature(function).bind(*range(argument_count))
    except TypeError as problem:
        return str(problem)
    except ValueError:  # written in C
        return ""
    return ""


def _load_module(name: str) -> Any:
    """Load a module by its file or its name, also from the current folder."""
    if name.endswith(".py"):
        return _load_file(Path(name).expanduser().resolve())
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)  # last, so that no file there shadows a module of the standard library
    return importlib.import_module(name)


def _load_file(path: Path) -> Any:
    """Load the module in a file, once; it can import modules beside the file."""
    module_name = f"edict_bot_{path.stem}_{abs(hash(str(path))):x}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise InvalidBot(
                f"there is no file `{path}`", suggest_word(path.name, _list_python_files(path.parent)) or NAMING_HINT
            )
        module = importlib.util.module_from_spec(spec)
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[module_name]
            raise
    return sys.modules[module_name]


def _list_python_files(folder: Path) -> list[str]:
    """Return the names of the `.py` files directly in a folder, unsorted."""
    return [path.name for path in folder.glob("*.py")]


def _make_load_error(module: str, problem: BaseException) -> InvalidBot:
    """Return the error for a module that cannot be loaded, with a remedy."""
    missing = problem.name if isinstance(problem, ModuleNotFoundError) and problem.name else ""
    if missing and f"{module}.".startswith(f"{missing}."):
        local_modules = [name.removesuffix(".py") for name in _list_python_files(Path.cwd())]
        return InvalidBot(f"there is no module `{missing}`", suggest_word(module, local_modules) or NAMING_HINT)
    remedy = f"install `{missing}` for {sys.executable}" if missing else "correct it first"
    return InvalidBot(f"`{module}` cannot be loaded: {describe_exception(problem)}", remedy)


def describe_exception(problem: BaseException) -> str:
    """Describe an exception of a user's code in one line with the place where it was raised."""
    text = " ".join(str(problem.msg if isinstance(problem, SyntaxError) else problem).split())[:200]
    place = _locate_exception(problem)
    return escape_terminal(f"{type(problem).__name__}{f': {text}' if text else ''}{f' ({place})' if place else ''}")


def _locate_exception(problem: BaseException) -> str:
    """Return file and line of the innermost frame that has a source file."""
    if isinstance(problem, SyntaxError):
        return f"{Path(problem.filename or '?').name}:{problem.lineno}"
    trace, place = problem.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<"):
            place = f"{Path(file).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
