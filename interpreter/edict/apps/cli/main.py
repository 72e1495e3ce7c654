"""The entry point of the command `kingsburg`. Slow imports are left to the commands that need them."""

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
from edict.apps.cli.command_errors import ENGINE_BUG, RULES, STOPPED, USAGE, print_error
from edict.apps.cli.command_output import bound_output
from edict.support.resources import COMMANDS, command_name
from edict.support.translations import language_from_environment, set_language

GC_THRESHOLDS = 400_000, 20, 100  # rules and games live long, and scanning them takes a tenth of a check


def main() -> None:
    """Run the command and exit, reporting any failure in a short message."""
    gc.set_threshold(*GC_THRESHOLDS)
    atexit.register(gc.freeze)  # otherwise Python scans all objects once more at exit
    _prepare_streams()
    sys.exit(run_command(sys.argv[1:]))


def run_command(args: Sequence[str]) -> int:
    """Run the command with these arguments and return its exit code. Failures are reported on standard error."""
    set_language(language_from_environment())
    with bound_output() as streams:
        code = _run_and_report_errors(lambda: app(list(args), prog_name=command_name(), standalone_mode=False), args)
    if any(stream.left_out for stream in streams):
        _report_cut(sum(stream.left_out for stream in streams), args)
    return code


def _prepare_streams() -> None:
    """Make the standard streams replace characters that they cannot encode, and reopen closed ones.

    A closed stream leads to the null device; otherwise the next opened file, such as a saved game, would take its
    descriptor.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _run_and_report_errors(run: Callable[[], object], args: Sequence[str]) -> int:
    """Run a command and return its exit code; report exceptions, an interrupt and a closed pipe without traceback."""
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
        _discard_output()
        return 0
    except SystemExit as leaving:  # click and rich exit like this if the pipe is closed
        if leaving.code == 1:
            _discard_output()
        return 0
    except Exception as problem:
        if _is_interrupt(problem):
            return STOPPED
        try:
            return _report_problem(problem, args)
        except Exception as failure:  # rendering itself is broken
            return _report_without_rendering(failure)


def _is_interrupt(error: BaseException) -> bool:
    """Return True if an error was caused by Ctrl-C.

    Python 3.11 raises RuntimeError from an exception in the middle of a class definition.
    """
    cause = error.__cause__
    return isinstance(cause, KeyboardInterrupt) or (cause is not None and _is_interrupt(cause))


def _discard_output() -> None:
    """Send further output to the null device, as its reader is gone; this includes Python's flush at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_without_rendering(failure: Exception) -> int:
    """Report that an error message could not be rendered; return the exit code."""
    if os.environ.get("EDICT_DEBUG"):
        traceback.print_exception(failure)
    kind = type(failure).__name__
    sys.stderr.write(f"{COMMANDS[0]}: internal error: {kind} while an error was reported\nhelp: {ENGINE_BUG}\n")
    return RULES


def _report_cut(left_out: int, args: Sequence[str]) -> None:
    """Report how many characters of output were cut, and the option that gives all of it if the command has one."""
    from edict.apps.cli.usage_errors import describe_complete_output

    print_error(
        f"the last {left_out:,} characters are not shown", describe_complete_output(args, typer.main.get_command(app))
    )


def _report_problem(problem: Exception, args: Sequence[str]) -> int:
    """Print an exception as an error message and return the exit code: `USAGE` for a rejected command line."""
    from edict.apps.cli.usage_errors import describe_command_line_error, is_command_line_error

    if is_command_line_error(problem):
        print_error(*describe_command_line_error(problem, args, typer.main.get_command(app)))
        return USAGE
    from edict.apps.cli.reporting import report_problem

    return report_problem(problem)


if __name__ == "__main__":
    main()
