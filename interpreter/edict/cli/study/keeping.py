"""What a study keeps in its folder, and what is said about it."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from edict.cli.study.output import Targets
from edict.rendering import plain
from edict.resources import command
from edict.study.checkpoint import Form, Kept, check_free

Result = TypeVar("Result")
MOST_TOLD = 5


def keeping(targets: Targets, form: Form[Result], games: int) -> AbstractContextManager[Kept[Result] | None]:
    """What is kept in the folder that was named, if any; what of it cannot be used is reported.

    Raises `StudyError` or `OSError` for what cannot be, and before anything would be written over.
    """
    if targets.folder and not targets.resume:
        check_free(targets.folder)
    targets.check()
    if targets.folder is None:
        return nullcontext()
    if not targets.resume:
        return Kept.begin(targets.folder, form)
    kept = Kept.resume(targets.folder, form, games)
    _tell_what_is_left_out(kept)
    return kept


def _tell_what_is_left_out(kept: Kept[Result]) -> None:
    for reason in kept.left_out[:MOST_TOLD]:
        print(plain(f"{command()}: {kept.path}, {reason}"), file=sys.stderr)
    more = len(kept.left_out) - MOST_TOLD
    if more > 0:
        print(f"{command()}: and {more:,} more lines like that", file=sys.stderr)
    if kept.left_out:
        print("help: nothing to do: these lines are ignored, and their games are played again", file=sys.stderr)


def stopped(where: str, targets: Targets) -> None:
    """That it was stopped, and how to continue it."""
    print(f"Stopped after {where}.", file=sys.stderr)
    if targets.folder is not None:
        going_on = f"the same command with {targets.to_resume} continues in {targets.folder}"
        print(f"What was played is kept: {going_on}", file=sys.stderr)
