"""The command `diff`, which shows what one set of rules changes compared with another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import BASE, load_annotated_rules, split_game_and_modules, split_names
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.blame import KEPT, SignedLine
from edict.prose.rulebook.definition_page import format_place, render_columns
from edict.prose.rulebook.rule_differences import CHANGE_TYPES, RuleChange, find_differences
from edict.support.morphology import spell_name
from edict.support.rendering import escape_terminal

CONTEXT_LINES = 2  # unchanged lines shown beside a changed one
Lines = Iterator[tuple[str, str]]

OldRules = Annotated[
    str,
    typer.Argument(metavar="A", autocompletion=o.rules_names, help="`base`, a game, or modules joined by +."),
]
NewRules = Annotated[
    str | None,
    typer.Argument(
        metavar="[B]",
        autocompletion=o.rules_names,
        help="What to compare it with, as in `base my-variant`; without it, A is compared with `base`.",
    ),
]


def diff(
    old: OldRules, new: NewRules = None, game: o.Game = "", modules: o.Modules = None, form: o.DataFormat = "text"
) -> int:
    """Print the differences of two sets of rules, each `base`, a game, or modules joined by `+`; return 0."""
    if new is None:
        old, new = BASE, old
    validate_format(form)
    sides = [split_game_and_modules(split_names(side)) for side in (old, new)]
    game = game or sides[0][0] or sides[1][0]
    before, after = (
        load_annotated_rules(side_game or game, (*(modules or ()), *side_modules)) for side_game, side_modules in sides
    )
    changes = find_differences(before, after)
    if form == JSON:
        print_document("differences", **_changes_data(old, new, changes))
    else:
        print_lines(list(format_differences(before, after, changes)))
    return 0


# --- as text ---------------------------------------------------------------------------------------


def format_differences(
    before: AnnotatedRules, after: AnnotatedRules, changes: Sequence[RuleChange] | None = None
) -> Lines:
    """Yield the differences of two sets of rules as lines, each with a mark or style."""
    changes = find_differences(before, after) if changes is None else changes
    yield (
        "bold",
        escape_terminal(f"{_module_names(after)}, compared with {_module_names(before)}: {_count_changes(changes)}"),
    )
    for way in CHANGE_TYPES:
        group = [change for change in changes if change.way == way]
        if group:
            yield "", ""
            yield "bold", way
        for change in group:
            yield from _format_change(change)


def _module_names(rules: AnnotatedRules) -> str:
    return " + ".join(module.name for module in rules.modules)


def _count_changes(changes: Sequence[RuleChange]) -> str:
    """Return the numbers of changes by type, such as `2 added, 1 changed`, or `nothing differs`."""
    counts = Counter(change.way for change in changes)
    return ", ".join(f"{counts[way]} {way}" for way in CHANGE_TYPES if counts[way]) or "nothing differs"


def _format_change(change: RuleChange) -> Lines:
    """Yield a changed definition's lines: sort, name, title, marked source lines, and its texts before and after."""
    title = f" ({change.title})" if change.title and change.title != spell_name(change.name) else ""
    yield "", escape_terminal(f"  {change.sort} {change.name or 'without a name'}{title}")
    yield from render_columns(_select_lines(change), "    ")
    has_both = change.way == "changed"
    for label, texts in (("was", change.before), ("now", change.after)):
        for text in texts:
            yield "dim", escape_terminal(f"      {label + ': ' if has_both else ''}{text}")


def _select_lines(change: RuleChange) -> list[SignedLine]:
    """Return a change's lines to print: all with + or -, or of a changed rule only those near a change."""
    mark = {"added": "+", "removed": "-"}.get(change.way)
    if mark:
        return [SignedLine(line.text, line.span, line.module, mark) for line in change.lines]
    changed = [i for i, line in enumerate(change.lines) if line.mark != KEPT]
    return [line for i, line in enumerate(change.lines) if i == 0 or any(abs(i - j) <= CONTEXT_LINES for j in changed)]


# --- as data ---------------------------------------------------------------------------------------


def _changes_data(old: str, new: str, changes: Sequence[RuleChange]) -> dict[str, object]:
    """Return the changes as JSON data, with the names of both sides."""
    return {"from": old, "to": new, "changes": [_change_data(change) for change in changes]}


def _change_data(change: RuleChange) -> dict[str, object]:
    """Return one changed definition as JSON data: type of change, place, marked lines, texts before and after."""
    lines = [
        {"mark": line.mark, "text": line.text, "at": format_place(line.span), "module": line.module}
        for line in _select_lines(change)
    ]
    return {
        "way": change.way,
        "sort": change.sort,
        "name": change.name,
        "title": change.title,
        "at": format_place(change.span),
        "lines": lines,
        "before": list(change.before),
        "after": list(change.after),
    }
