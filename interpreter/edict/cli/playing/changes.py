"""A game whose rules have changed: what is different, and which answer no longer fits, in words."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from edict.table.rules import Rules

if TYPE_CHECKING:
    from rich.text import Text

    from edict.table.rules import Migrated

MOST_LINES = 40
Lines = list["str | Text"]


def rule_changes(before: Rules | None, now: Rules) -> list[str]:
    """What is different in the rules since a game was begun."""
    from edict.cli.rules.differing import compared
    from edict.handbook.annotated import known_from

    title = now.title
    if before is None:
        return [f"The rules of {title} have changed since this game was started; it does not contain the old ones."]
    sides = [known_from(rules.sources).value for rules in (before, now)]
    if sides[0] is None or sides[1] is None:
        return [f"The rules of {title} have changed since this game was started."]
    lines = [text for _, text in islice(compared(sides[0], sides[1]), 1, None)]
    if not lines:
        return [f"The rules of {title} have been reordered since this game was started, but mean the same."]
    more = [f"  ... and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return [f"The rules of {title} have changed since this game was started:", *lines[:MOST_LINES], *more, ""]


def misfit(migrated: Migrated, before: Rules | None) -> str:
    """The answer that does not fit, and why; of one to a question that is or was secret, only that."""
    answer, game = migrated.stopped, migrated.game
    assert answer is not None
    who = game.players[answer.seat] if 0 <= answer.seat < len(game.players) else "dice"
    programs = [game.program, *([before.program] if before else [])]
    known = [question.secret for one in programs for question in one.questions if question.name == answer.question]
    secret = any(known) or not known
    what, reason = ("(secret)", "it is not possible") if secret else (f"`{answer.key}`", migrated.reason)
    return f"answer {migrated.answers + 1} ({who}, `{answer.question}`: {what}) no longer fits: {reason}"


def why(migrated: Migrated) -> list[Text]:
    """The rules by which the answer is no option, as far as everybody may know."""
    from edict.cli.playing import why_lines
    from edict.cli.playing.screen import Screen
    from edict.table import why_options
    from edict.table.why_options import Why

    game, answer = migrated.game, migrated.stopped
    if answer is None or game.over or game.seat < 0:
        return []
    ask = game.ask
    if ask.secret or (ask.question, ask.seat) != (answer.question, answer.seat):
        return []
    asked = Why(game, len(game.players))
    found = [option for option in asked.candidates().options if option.key == answer.key]
    return why_lines.lines(Screen(game.players), why_options.refused(asked, found[0])) if len(found) == 1 else []
