"""`show`: anything that has a name, as it is after all modules: in English and in the language, signed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from edict.cli import completion
from edict.cli import options as o
from edict.cli.describing import found_in, in_columns, known
from edict.cli.option_values import JSON, checked_form, print_json
from edict.cli.reporting import print_lines
from edict.handbook.annotated import Known
from edict.handbook.blame import signed
from edict.handbook.looking import Named
from edict.handbook.showing import acting, as_data, members, origins, place, who
from edict.handbook.telling import description, exactly
from edict.handbook.touching import Touch, touches
from edict.rendering import plain

Lines = Iterator[tuple[str, str]]
MOST_NAMES = 12

Thing = Annotated[
    str,
    typer.Argument(
        metavar="THING", autocompletion=completion.thing_names,
        help="Name or title, or the beginning of one.",
    ),
]


def show(name: Thing, game: o.Game = "", modules: o.Modules = None, form: o.DataFormat = "text") -> int:
    """Tell all about what is called so."""
    checked_form(form)
    rules, found = found_in(known(game, modules or ()), name)
    all_ = touches(rules)
    if form == JSON:
        print_json([as_data(rules, one, all_) for one in found])
        return 0
    pages = [list(_page(rules, one, all_)) for one in found]
    print_lines([line for i, page in enumerate(pages) for line in ([("", "")] if i else []) + page])
    return 0


def _page(rules: Known, one: Named, all_: Sequence[Touch]) -> Lines:
    yield "bold", plain(f"{one.title} ({one.sort})")
    if one.gone:
        change = rules.history[one.name][-1]
        yield "", plain(f"  Removed by {change.module} ({place(change.span)}).")
    else:
        yield from _told(rules, one)
        yield from _things(rules, one)
    yield "", ""
    yield from in_columns(signed(rules, one.name))
    notes = list(_notes(rules, one))
    yield from [("", "")] * bool(notes)
    yield from notes
    touching = list(_touched(rules, one, all_))
    yield from [("", "")] * bool(touching)
    yield from touching


def _told(rules: Known, one: Named) -> Lines:
    """What it says, in the author's words where there are some, and then exactly."""
    yield from (("", plain(f"  {text}")) for text in description(rules, one.definition))
    made = exactly(rules, one.definition)
    yield from [("", "  Exactly:")] if made else []
    yield from (("", plain(f"    {text}")) for text in made)


def _things(rules: Known, one: Named) -> Lines:
    """Of a kind, what there is of it."""
    titles = members(rules, one)
    if titles:
        yield "", plain(f"  There {'are' if len(titles) > 1 else 'is'} {len(titles)}: {', '.join(titles)}.")


def _notes(rules: Known, one: Named) -> Lines:
    """Where it comes from."""
    yield from (("", plain(f"  {label}: {value}")) for label, value in origins(rules, one).items() if value)


def _touched(rules: Known, one: Named, all_: Sequence[Touch]) -> Lines:
    """What acts on it; the small print as a list of names."""
    mine = [touch for touch in all_ if touch.whom == one.name]
    active = acting(one, all_)
    yield from [("bold", "  affected by")] if active else []
    for touch in active:
        words = touch.words or f"{touch.how} it"
        yield "", plain(f"    {who(rules, touch)}: {words}  [{place(touch.span)}  {touch.module}]")
    for how, label in (("changes", "changed in"), ("reveals", "revealed in"), ("reads", "mentioned in")):
        names = list(dict.fromkeys(touch.who for touch in mine if touch.how == how))
        if names:
            yield "", plain(f"  {label}: {_some(names)}")


def _some(names: Sequence[str]) -> str:
    named = ["a house rule" if ":" in name else name for name in names]
    unique = list(dict.fromkeys(named))
    more = len(unique) - MOST_NAMES
    return ", ".join(unique[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
