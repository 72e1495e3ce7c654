"""What editors may know of kinds and files: JSON Schemas."""

from __future__ import annotations

from collections.abc import Sequence

from edict.cli.errors import UsageError, WrongRules
from edict.cli.forms import print_json
from edict.cli.loading import default_game, steady, texts_of
from edict.layering.bounds import bounds
from edict.layering.expand import expand
from edict.layering.in_full import in_full
from edict.layering.layer import layer
from edict.sources.modules import gather
from edict.front.pipeline import parse_all
from edict.sources.file_schemas import FIXED, fixed_schema
from edict.layering.shape import kind_schema
from edict.language.tree import Book, Kind
from edict.report import did_you_mean


def schema(name: str, game: str, modules: Sequence[str]) -> int:
    """Print a schema as JSON: of a file, or of a kind of thing in a game; without a name, list them."""
    if name in FIXED:
        print_json(fixed_schema(name))
        return 0
    book = _book(game, modules)
    kinds = {d.name.word: d for d in book.definitions.values() if isinstance(d, Kind)}
    if not name:
        print(f"files: {', '.join(FIXED)}\nkinds: {', '.join(sorted(kinds)) or 'none'}")
        return 0
    if name not in kinds:
        known = [*FIXED, *kinds]
        raise UsageError(f"there is no schema `{name}`", did_you_mean(name, known) or f"there are {', '.join(known)}")
    print_json(kind_schema(kinds[name], book))
    return 0


def _book(game: str, modules: Sequence[str]) -> Book:
    names = [steady(name) for name in (game or default_game(), *modules)]
    outcome = gather(names[0], names[1:]).then(parse_all).then(expand).then(in_full).then(layer).then(bounds)
    if outcome.value is None or not outcome.ok:
        raise WrongRules(outcome.diagnostics, texts_of(names))
    return outcome.value
