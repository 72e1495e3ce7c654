"""What the commands that describe rules share: rules read, and what is named in them."""

from __future__ import annotations

from collections.abc import Sequence

from edict.cli.errors import UsageError, WrongRules
from edict.cli.rules_by_name import default_game, steady, texts_of
from edict.handbook.annotated import Known, read
from edict.handbook.looking import Named, nearest, shown_in



def known(game: str, modules: Sequence[str]) -> Known:
    """The rules of a game; raises `RulesError` with the texts in which to show the places."""
    names = [steady(name) for name in (game or default_game(), *modules)]
    outcome = read(names[0], tuple(names[1:]))
    if outcome.value is None or not outcome.ok:
        raise WrongRules(outcome.diagnostics, texts_of(names))
    return outcome.value


def found_in(rules: Known, about: str) -> tuple[Known, list[Named]]:
    """What is called so, and the rules to show it in: with what is there for bots only if nothing else is called so.

    Raises `UsageError` if nothing is.
    """
    view, found = shown_in(rules, about)
    if found:
        return view, found
    raise UsageError(f"nothing in {rules.game.manifest.title} is named `{about}`", nearest(rules, about))
