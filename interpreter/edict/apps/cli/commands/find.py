"""The command `find`, which searches the moments, names and things that rules can refer to."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.option_values import JSON, print_json, validate_format
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import load_annotated_rules
from edict.compiler.english.calendar import build_calendar, to_data
from edict.compiler.english.calendar import find_entries as matching_moments
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.name_catalog import filter_names
from edict.prose.rulebook.name_catalog import iter_names as all_names
from edict.support.report import suggest_word
from edict.tools.language_service.analysis import build_search_index
from edict.tools.language_service.analysis import search as found_by
from edict.tools.language_service.answer_types import search_entry_data
from edict.tools.language_service.search_lines import format_entries, format_moments, format_names

Words = Annotated[list[str] | None, typer.Argument(metavar="[WORDS]...", help="Words to search for.")]
Moments = Annotated[
    bool,
    typer.Option("--moments", help="List all moments of a game, in order, each as the first line of a rule."),
]
Names = Annotated[bool, typer.Option("--names", help="List all names that rules can use, with titles and meanings.")]


def find(
    words: Words = None,
    moments: Moments = False,
    names: Names = False,
    game: o.Game = "",
    modules: o.Modules = None,
    form: o.DataFormat = "text",
) -> int:
    """Print what fits the words; or only moments or names, without words all of them."""
    validate_format(form)
    query = " ".join(words or ())
    if moments and names:
        raise UsageError("--moments and --names cannot be combined", "use only one of them")
    if not (query or moments or names):
        raise UsageError("missing search words", "add some, or use --moments or --names to list everything")
    rules = load_annotated_rules(game, modules or ())
    search = _print_moments if moments else _print_names if names else _print_search
    search(rules, query, form == JSON)
    return 0


def _print_moments(rules: AnnotatedRules, query: str, as_json: bool) -> None:
    """Print the moments of a game in order, or those that match; raises `UsageError` if there are none."""
    moments = build_calendar(rules.linked)
    matches = tuple(matching_moments(moments, query)) if query else moments
    if not matches:
        suggestion = (
            suggest_word(query, [moment.name for moment in moments]) or "run it without words to list everything"
        )
        raise UsageError(f"no moment of {rules.game.manifest.title} matches `{query}`", suggestion)
    if as_json:
        print_json([to_data(moment) for moment in matches])
    else:
        print_lines(list(format_moments(matches, nested=not query)))


def _print_names(rules: AnnotatedRules, query: str, as_json: bool) -> None:
    """Print the names that rules can use, or those that match; raises `UsageError` if there are none."""
    rules = remove_judgement(rules)
    matches = list(filter_names(all_names(rules), query))
    if not matches:
        suggestion = suggest_word(query, [entry.written.split()[0] for entry in all_names(rules)])
        remedy = suggestion or "run it without words to list everything"
        raise UsageError(f"no name in {rules.game.manifest.title} matches `{query}`", remedy)
    if as_json:
        print_json([asdict(entry) for entry in matches])
    else:
        print_lines(list(format_names(matches)))


def _print_search(rules: AnnotatedRules, query: str, as_json: bool) -> None:
    """Print the best matches, each as rules would write it; raises `UsageError` if there are none."""
    rules = remove_judgement(rules)
    search_index = tuple(build_search_index(rules))
    matches = found_by(search_index, query)
    if as_json:
        print_json([search_entry_data(entry) for entry in matches])
        return
    if not matches:
        suggestion = suggest_word(query, [entry.title for entry in search_index if entry.title])
        raise UsageError(
            f"nothing in {rules.game.manifest.title} matches `{query}`", suggestion or "try fewer words, or other ones"
        )
    print_lines(list(format_entries(matches)))
