"""`compare`: two sets of rules over the same seeds, and whether what differs is more than chance."""

from __future__ import annotations

import sys
from dataclasses import replace

from edict.cli.errors import RULES, UsageError
from edict.cli.study.executors import carried_out
from edict.cli.study.keeping import keeping, stopped
from edict.cli.study.mishaps import tell_mishaps
from edict.cli.study.output import Targets, as_json
from edict.cli.study.printing import page, table
from edict.cli.study.study_options import StudyOptions, checked, setup_of
from edict.cli.warming import remarked
from edict.resources import command
from edict.study.comparison import CERTAIN, FAVOUR, LESS, MORE, WINS, Answer, Comparison, comparison_data, form_of
from edict.study.summary import Data
from edict.study.games import Setup
from edict.study.reports import comparison_page
from edict.study.charts import digits

BASE = "base"
MOST_DETAILS = 40
VERDICTS = {
    "more": "higher",
    "less": "lower",
    "same": "no meaningful difference",
    "open": "unclear",
    "rare": "too rare to tell",
}


def compare(one: str, other: str, options: StudyOptions, targets: Targets) -> int:
    """Play in pairs, print, write; returns the exit code."""
    checked(options)
    first = side(one, options)
    second = _beside(first, side(other, options), other)
    for setup in (first, second):
        remarked(setup.bots, setup.program)
    with keeping(targets, form_of(first, second, options.games), options.games) as kept:
        found = Comparison(first, second, options.games, kept=kept)
        code = carried_out(found, options, f"{one} against {other}, pairs", found.budget)
        data = comparison_data(found, (one, other))
        failed = targets.write({".json": lambda: as_json(data), ".html": lambda: comparison_page(data)})
    _print(found, data)
    if code:
        stopped(f"{found.played:,} of at most {found.budget:,} pairs", targets)
    return code or failed or _broken(found)


def side(spec: str, options: StudyOptions) -> Setup:
    """One of the two: `base`, modules with `+` between them, and settings as NAME=VALUE among these."""
    parts = [part.strip() for part in spec.split("+")]
    if not all(parts):
        raise UsageError(f"`{spec}` is not a set of rules", "write base, a module, or several joined by +")
    modules = [part for part in parts if part != BASE and "=" not in part]
    settings = [part for part in parts if "=" in part]
    return setup_of(replace(options, modules=[*options.modules, *modules], settings=[*options.settings, *settings]))


def _beside(one: Setup, other: Setup, spec: str) -> Setup:
    if one.players != other.players:
        raise UsageError("the two are not for the same number of players", "give --players")
    if (one.program.rules_hash, one.settings) == (other.program.rules_hash, other.settings):
        raise UsageError(f"`{spec}` is the same rules as those it is compared with", "name two that differ")
    return other


def _broken(found: Comparison) -> int:
    for what, often in found.faults.items():
        print(f"{command()}: {often:,} pairs were aborted by a fault: the rules {what}", file=sys.stderr)
    tell_mishaps(found.mishaps)
    return RULES if found.broken else 0


# --- in the terminal --------------------------------------------------------------------------

HEAD = ("", "first", "second", "change", "interval", "")


def _print(found: Comparison, data: Data) -> None:
    one, other = (rules["name"] for rules in data["rules"])
    page(f"{data['rules'][0]['title']}: {one} (first) against {other} (second), {found.pairs:,} pairs of games")
    answers = found.answers()
    table("The main questions", HEAD, [_row(a) for a in answers if a.question.main])
    certain = [a for a in answers if not a.question.main and a.verdict in (MORE, LESS)]
    often = sorted((a for a in certain if a.question.about != FAVOUR), key=_surety)
    table(
        f"What else differs by {CERTAIN} (per player and game; announcements: per game)",
        HEAD,
        [_row(a) for a in often[:MOST_DETAILS]],
    )
    favoured = sorted((a for a in certain if a.question.about == FAVOUR), key=_surety)
    table("What correlates with winning more, or less, than before", HEAD, [_row(a) for a in favoured[:MOST_DETAILS]])
    left = max(0, len(often) - MOST_DETAILS) + max(0, len(favoured) - MOST_DETAILS)
    if left:
        print(f"{left} more are not shown: -o FILE.json or --html FILE lists them all")
    print()
    for sentence in data["said"]:
        page(sentence)


def _surety(answer: Answer) -> float:
    """The surest first: how far the interval is from nothing, for its width."""
    width = (answer.high - answer.low) or 1e-9
    return -abs(answer.value) / width


def _row(answer: Answer) -> list[str]:
    share = answer.question.about in (WINS, FAVOUR)
    unit, sign = (100, " %") if share else (1, "")
    n = digits((unit * answer.value, unit * answer.low, unit * answer.high))
    return [
        answer.question.name, f"{unit * answer.one:.{n}f}{sign}", f"{unit * answer.other:.{n}f}{sign}",
        f"{unit * answer.value:+.{n}f}", f"{unit * answer.low:+.{n}f} to {unit * answer.high:+.{n}f}",
        VERDICTS[answer.verdict],
    ]  # fmt: skip
