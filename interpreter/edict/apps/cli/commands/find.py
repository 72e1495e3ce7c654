"""`find`: what rules may speak of, by the words people use; `--moments` in order, `--names` by sort."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import known
from edict.compiler.english.calendar import build_calendar, to_data
from edict.compiler.english.calendar import find_entries as matching_moments
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.name_catalog import filter_names
from edict.prose.rulebook.name_catalog import iter_names as all_names
from edict.support.report import suggest_word
from edict.tools.language_service.analysis import find as found_by
from edict.tools.language_service.analysis import search_entries
from edict.tools.language_service.answer_types import found_data
from edict.tools.language_service.search_lines import found_lines, moment_lines, name_lines

Words = Annotated[list[str] | None, typer.Argument(metavar="[WORDS]...", help="Words to look for.")]
Moments = Annotated[
    bool,
    typer.Option("--moments", help="List what happens in a game, in order: each line is the first line of a rule."),
]
Names = Annotated[bool, typer.Option("--names", help="List the names that rules may use, with titles and meanings.")]


def find(
    words: Words = None,
    moments: Moments = False,
    names: Names = False,
    game: o.Game = "",
    modules: o.Modules = None,
    form: o.DataFormat = "text",
) -> int:
    """Print what fits the words; or only moments or names, without words all of them."""
    checked_form(form)
    about = " ".join(words or ())
    if moments and names:
        raise UsageError("--moments and --names cannot be combined", "leave one of them out")
    if not (about or moments or names):
        raise UsageError("there are no words to look for", "write some, or --moments or --names to list everything")
    rules = known(game, modules or ())
    look = _moments if moments else _names if names else _search
    look(rules, about, form == JSON)
    return 0


def _moments(rules: AnnotatedRules, about: str, as_json: bool) -> None:
    """When what happens, in order, or only that in which the words are found."""
    all_ = build_calendar(rules.linked)
    found = tuple(matching_moments(all_, about)) if about else all_
    if not found:
        near = suggest_word(about, [one.name for one in all_]) or "without words, everything is listed"
        raise UsageError(f"no moment of {rules.game.manifest.title} has `{about}` in its name or title", near)
    if as_json:
        print_json([to_data(one) for one in found])
    else:
        print_lines(list(moment_lines(found, nested=not about)))


def _names(rules: AnnotatedRules, about: str, as_json: bool) -> None:
    """The names, or only those in which the words are found."""
    rules = remove_judgement(rules)
    found = list(filter_names(all_names(rules), about))
    if not found:
        near = suggest_word(about, [one.written.split()[0] for one in all_names(rules)])
        remedy = near or "without words, everything is listed"
        raise UsageError(f"no name in {rules.game.manifest.title} has `{about}` in it or in its title", remedy)
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        print_lines(list(name_lines(found)))


def _search(rules: AnnotatedRules, about: str, as_json: bool) -> None:
    """What fits the words best: each line as a rule would write it."""
    rules = remove_judgement(rules)
    all_ = tuple(search_entries(rules))
    found = found_by(all_, about)
    if as_json:
        print_json([found_data(one) for one in found])
        return
    if not found:
        near = suggest_word(about, [one.title for one in all_ if one.title])
        raise UsageError(f"nothing in {rules.game.manifest.title} fits `{about}`", near or "try fewer or other words")
    print_lines(list(found_lines(found)))
