"""Phrases for routines and effects that are run, and for moments, as `at the end of each productive season`."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from edict.compiler.english.block_phrases import describe_block
from edict.compiler.english.phrases import describe, describes
from edict.compiler.english.plurals import describe_definite
from edict.compiler.english.titles import LETTERS, describe_parameter, field_title, title_of
from edict.compiler.semantics.ability_targets import GAINING, JOINING, LEAVING, LOSING, MEMBERSHIP_EDGES, RESOURCE_EDGES
from edict.compiler.semantics.call_graph import get_invoked_moment
from edict.compiler.semantics.symbols import ResolvedBook, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import full_title, singular_title
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import (
    add_definite_article,
    add_indefinite_article,
    conjugate_for_you,
    join_with_of,
    join_words,
    make_possessive,
    spell_name,
    split_title,
    uncapitalize_title,
)


@describes(t.Do)
def _describe_do(r: ResolvedBook, s: t.Do) -> str:
    """Describe `do ROUTINE with ARGS` by the routine's title, as `recruit 2 soldiers`."""
    args = [describe(r, arg) for arg in s.args]
    return _fill_title(title_of(r, s.name, many=args not in (["1"], [])), args)


def describe_signature(routine: t.Routine) -> str:
    """Return the title of a routine with its parameters, as `recruit X soldiers`."""
    numbers = iter(LETTERS)
    arguments = [
        next(numbers, param.name.word) if param.kind.word == "number" else describe_parameter(param)
        for param in routine.params
    ]
    return _fill_title(split_title(full_title(routine))[bool(arguments)], arguments)


# an amount at the end of a title, as in `give back up to X`
_AMOUNT_AT_END = re.compile(rf"(?: (?:up|at|least|most|to|of|by|for|with))* (?:{'|'.join(LETTERS)})\Z")


def describe_without_amounts(routine: t.Routine) -> str:
    """Return the title of a routine without amounts, as `recruit soldiers` or `swap places with the partner`."""
    title = _AMOUNT_AT_END.sub("", describe_signature(routine))
    for letter in LETTERS:
        title = title.replace(f"{letter} ", "")
    return title


def _fill_title(title: str, args: list[str]) -> str:
    """Return a title with its blanks `_` filled by the arguments; without blanks they follow at the end.

    A title of several words has its object already: `take a lane`.
    """
    title = uncapitalize_title(title)
    values = args if title.count("_") == len(args) else [join_words(args)] * title.count("_")
    if not values:
        has_object = " " in title and join_with_of(title, "") != f"{title} "
        if has_object:
            shown_args = [arg for arg in args if arg.isdecimal() or arg in LETTERS]
        else:
            shown_args = args
        return f"{title} {join_words(shown_args)}".strip()
    if title.startswith("_ ") and values[0] in ("you", "they"):
        title = conjugate_for_you(title)
    for arg in values:
        arg = "that many" if arg == "that number" and "_ " in title else arg
        blank = "the _" if arg.startswith(("the ", "that ", "your ")) and "the _" in title else "_"
        title = title.replace(blank, arg, 1)
    return title


@describes(t.DoField, t.DoEdge)
def _describe_do_field(r: ResolvedBook, s: t.DoField | t.DoEdge) -> str:
    """Describe `do FIELD of THING`: the steps printed on a known thing, or `receive its reward`."""
    invoked = get_invoked_moment(r, s)
    if invoked is not None:
        return f"do what {describe_definite(r, s.thing)} does {describe_moment(r, *invoked)}"
    assert isinstance(s, t.DoField)
    printed = _find_printed_effect(r, s)
    if printed:
        return describe_block(r, printed)
    title = field_title(r, r.meaning.get(s.field))
    whose = describe(r, s.thing)
    if not title:
        return f"carry out the {spell_name(s.field.word)} of {whose}"
    if " of " in whose:
        return f"receive the {title} of {whose}"
    return f"receive {make_possessive(whose)} {title}"


def _find_printed_effect(r: ResolvedBook, s: t.DoField) -> t.Block:
    """Return the effect printed on a thing that is named outright, unless it runs another printed effect."""
    thing = definition_of(r, s.thing)
    fields = thing.fields if isinstance(thing, t.Thing) else ()
    block = next((value.block or () for value in fields if value.name.word == s.field.word), ())
    if any(isinstance(node, t.DoField) for step in block for node in walk(step)):
        return ()
    return block


def describe_moment(r: ResolvedBook, moment: t.Definition, edge: str) -> str:
    """Return a time: a moment, the start or end of a phase or routine, or before or after an event."""
    if edge in (*MEMBERSHIP_EDGES, *RESOURCE_EDGES):
        return f"{'after' if edge in (JOINING, GAINING) else 'before'} {_describe_event(moment, edge)}"
    if isinstance(moment, t.Routine):
        return f"{'before' if edge == 'start' else 'after'} “{describe_without_amounts(moment)}”"
    title = singular_title(moment)
    if edge:
        return f"at the {edge} of {_describe_phase(title, moment.name.word in _find_recurring_phases(r))}"
    return uncapitalize_title(title)


_NO_PERIOD = re.compile(r"(?:ing|s)\Z")  # `Bidding`, `Gifts`: `each bidding` would be wrong


def _describe_phase(title: str, recurs: bool) -> str:
    """Return a phase in mid-sentence, as `each productive season`; capitalized titles, as `the King's Reward`, stay."""
    if title.startswith("The ") and title[1:].islower():
        return f"each {title[4:]}" if recurs else uncapitalize_title(title)
    if title[1:].islower() and (" " in title or recurs and not _NO_PERIOD.search(title)):
        return f"each {title.lower()}"
    return uncapitalize_title(title) if title.startswith("The ") else title


@lru_cache(maxsize=2)
def _find_recurring_phases(r: ResolvedBook) -> frozenset[str]:
    """Return the phases that may come more than once: played in a loop, at two places, or by one that recurs."""
    plays = {name: _list_played_phases(definition) for name, definition in r.book.definitions.items()}
    places = Counter(phase for recurring in plays.values() for phase in recurring)
    recurring = {phase for phase, count in places.items() if count > 1}
    pending = [*recurring]
    while pending:
        inner = {*plays.get(pending.pop(), ())} - recurring
        recurring |= inner
        pending += inner
    return frozenset(recurring)


def _list_played_phases(definition: t.Definition) -> list[str]:
    """Return the phases that a definition plays, once for each place, and twice for one in a loop."""
    nodes = [*walk(definition)]
    loops = (node for node in nodes if isinstance(node, t.Repeat | t.Each))
    return [play.phase.word for nodes_ in (nodes, *map(walk, loops)) for play in nodes_ if isinstance(play, t.Play)]


_DOES = {JOINING: "joins", LEAVING: "leaves", GAINING: "gains", LOSING: "loses"}


def _describe_event(definition: t.Definition, edge: str) -> str:
    """Return an event of a resource or set, as `a player gains wood`."""
    kind, place = _describe_event_parts(definition)
    return f"{kind} {_DOES[edge]} {place}"


def describe_replaced_event(definition: t.Definition, edge: str) -> str:
    """Return an event in place of which something else is done, as `gaining wood`."""
    kind, place = _describe_event_parts(definition)
    return f"{edge} {place}" if edge in RESOURCE_EDGES else f"{kind} {edge} {place}"


def _describe_event_parts(definition: t.Definition) -> tuple[str, str]:
    """Return the subject and the object of an event of a resource or set."""
    title_singular, title_plural = split_title(full_title(definition))
    if not isinstance(definition, t.Keep):
        return "a player", uncapitalize_title(title_plural)
    title = uncapitalize_title(title_singular)
    kind = spell_name(definition.type.name.word) if definition.type.name is not None else "thing"
    owner_kinds = [spell_name(param.kind.word) for param in definition.params]
    if owner_kinds[:1] == ["player"]:
        title, owner_kinds = f"a player's {title}", owner_kinds[1:]
    return add_indefinite_article(kind), join_with_of(
        title, join_words(add_indefinite_article(title_singular) for title_singular in owner_kinds)
    ) if owner_kinds else add_definite_article(title)
