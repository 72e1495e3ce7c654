"""The command `kingsburg`. What takes long to import is imported by the command that needs it."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence

import typer

from edict.apps.cli.app import app
from edict.apps.cli.bounded_output import bounded
from edict.apps.cli.command_errors import ENGINE_BUG, RULES, STOPPED, USAGE, print_error
from edict.support.resources import COMMANDS, command_name
from edict.support.translations import language_from_environment, set_language

COLLECTED = (50_000, 20, 100)  # garbage: rules and games live long, and to look through all of them takes half the time


def main() -> None:
    """Run the command and exit; whatever goes wrong is reported in a few words."""
    gc.set_threshold(*COLLECTED)
    atexit.register(gc.freeze)  # or Python would look through all of them once more at the very end
    _prepare()
    sys.exit(run(sys.argv[1:]))


def run(words: Sequence[str]) -> int:
    """The command with these words; returns its exit code. What goes wrong is reported on standard error."""
    set_language(language_from_environment())
    with bounded() as streams:
        code = _guarded(lambda: app(list(words), prog_name=command_name(), standalone_mode=False), words)
    if any(stream.left_out for stream in streams):
        _tell_of_cut(sum(stream.left_out for stream in streams), words)
    return code


def _prepare() -> None:
    """Whatever the terminal's encoding, a character it cannot show is no reason to stop.

    A stream that was closed leads nowhere; else the next file opened, such as a saved game, would take its place.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _guarded(run: Callable[[], object], words: Sequence[str]) -> int:
    try:
        code = run()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (typer.Abort, KeyboardInterrupt):
        print(file=sys.stderr)
        return STOPPED
    except typer.Exit as leaving:
        return leaving.exit_code
    except BrokenPipeError:
        _no_more_output()
        return 0
    except SystemExit as leaving:  # so click and rich end where nobody reads any more
        if leaving.code == 1:
            _no_more_output()
        return 0
    except Exception as problem:
        if _interrupted(problem):
            return STOPPED
        try:
            return _told(problem, words)
        except Exception as failure:  # nothing is left that could tell of it: a message needs no rendering
            return _tell_plainly(failure)


def _interrupted(problem: BaseException) -> bool:
    """Whether it is Ctrl-C in disguise: Python 3.11 makes a RuntimeError of what is raised while a class is made."""
    cause = problem.__cause__
    return isinstance(cause, KeyboardInterrupt) or (cause is not None and _interrupted(cause))


def _no_more_output() -> None:
    """Nobody reads any more: let what is left go nowhere, also when Python ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell_plainly(failure: Exception) -> int:
    """Say that a message could not be made; returns the exit code."""
    if os.environ.get("EDICT_DEBUG"):
        traceback.print_exception(failure)
    kind = type(failure).__name__
    sys.stderr.write(f"{COMMANDS[0]}: internal error: {kind} while an error was reported\nhelp: {ENGINE_BUG}\n")
    return RULES


def _tell_of_cut(left_out: int, words: Sequence[str]) -> None:
    """Say last of all that not all was printed, and how to get it."""
    from edict.apps.cli.usage_errors import ways_to_get_all

    print_error(f"the last {left_out:,} characters were left out", ways_to_get_all(words, typer.main.get_command(app)))


def _told(problem: Exception, words: Sequence[str]) -> int:
    from edict.apps.cli.usage_errors import is_call, refusal

    if is_call(problem):
        print_error(*refusal(problem, words, typer.main.get_command(app)))
        return USAGE
    from edict.apps.cli.reporting import tell

    return tell(problem)


if __name__ == "__main__":
    main()
