"""What is carried out by its name, in words; and when: `at the end of each productive season`."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from edict.compiler.english.block_phrases import block_words
from edict.compiler.english.bound import LETTERS, given_words
from edict.compiler.english.phrase_tables import tell, tells
from edict.compiler.english.plurals import definite
from edict.compiler.english.titles import field_title, title_of
from edict.compiler.semantics.ability_targets import GAINING, JOINING, LEAVING, LOSING, MOVING, PASSING
from edict.compiler.semantics.call_graph import answered
from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import full_title, singular_title
from edict.compiler.syntax.walking import walk
from edict.support.morphology import (
    conjugate_for_you,
    join_words,
    make_possessive,
    spell_name,
    split_title,
    uncapitalize_title,
    with_article,
    with_of,
    with_the,
)


@tells(t.Do)
def _do(r: Resolved, s: t.Do) -> str:
    args = [tell(r, a) for a in s.args]
    return _filled(title_of(r, s.name, many=args not in (["1"], [])), args)


def defined(routine: t.Routine) -> str:
    """The title of a routine with `X` and the like for what it is given: `recruit X soldiers`."""
    numbers = iter(LETTERS)
    given = [next(numbers, p.name.word) if p.kind.word == "number" else given_words(p) for p in routine.params]
    return _filled(split_title(full_title(routine))[bool(given)], given)


_UP_TO = re.compile(rf"(?: (?:up|at|least|most|to|of|by|for|with))* (?:{'|'.join(LETTERS)})\Z")
"""What says how many at the end of a title: `give back up to X`."""


def called(routine: t.Routine) -> str:
    """The title alone, where nobody asks how many: `recruit soldiers`, `give back`, `swap places with the partner`."""
    title = _UP_TO.sub("", defined(routine))
    for letter in LETTERS:
        title = title.replace(f"{letter} ", "")
    return title


def _filled(title: str, args: list[str]) -> str:
    """`_` in a title stands for what is given, each for one of several; else that comes last.

    A title of several words has its object already: `take a lane`.
    """
    title = uncapitalize_title(title)
    fill = args if title.count("_") == len(args) else [join_words(args)] * title.count("_")
    if not fill:
        complete = " " in title and with_of(title, "") != f"{title} "
        given = [one for one in args if one.isdecimal() or one in LETTERS] if complete else args
        return f"{title} {join_words(given)}".strip()
    if title.startswith("_ ") and fill[0] in ("you", "they"):
        title = conjugate_for_you(title)
    for one in fill:
        one = "that many" if one == "that number" and "_ " in title else one
        blank = "the _" if one.startswith(("the ", "that ", "your ")) and "the _" in title else "_"
        title = title.replace(blank, one, 1)
    return title


@tells(t.DoField, t.DoEdge)
def _do_field(r: Resolved, s: t.DoField | t.DoEdge) -> str:
    at = answered(r, s)
    if at is not None:
        return f"do what {definite(r, s.thing)} does {moment_words(r, *at)}"
    assert isinstance(s, t.DoField)
    lent = _lent(r, s)
    if lent:
        return block_words(r, lent)
    title = field_title(r, r.meaning.get(s.field))
    whose = tell(r, s.thing)
    if not title:
        return f"carry out the {spell_name(s.field.word)} of {whose}"
    return f"receive the {title} of {whose}" if " of " in whose else f"receive {make_possessive(whose)} {title}"


def _lent(r: Resolved, s: t.DoField) -> t.Block:
    """What is printed there, if the thing is named outright and what it prints is not lent in turn."""
    meaning = r.meaning.get(s.thing) if isinstance(s.thing, t.Name) else None
    thing = meaning.definition if isinstance(meaning, Symbol) else None
    printed = thing.fields if isinstance(thing, t.Thing) else ()
    found = next((value.block or () for value in printed if value.name.word == s.field.word), ())
    return () if any(isinstance(node, t.DoField) for step in found for node in walk(step)) else found


def moment_words(r: Resolved, moment: t.Definition, edge: str) -> str:
    """When it is: a moment, or the start or end of a phase or routine."""
    if edge in (*PASSING, *MOVING):
        return f"{'after' if edge in (JOINING, GAINING) else 'before'} {_passing_words(moment, edge)}"
    if isinstance(moment, t.Routine):
        return f"{'before' if edge == 'start' else 'after'} “{called(moment)}”"
    title = singular_title(moment)
    return f"at the {edge} of {_phase(title, moment.name.word in _recurring(r))}" if edge else uncapitalize_title(title)


_NO_PERIOD = re.compile(r"(?:ing|s)\Z")  # `Bidding`, `Gifts`: one does not say `each bidding`


def _phase(title: str, recurs: bool) -> str:
    """A phase in mid-sentence: `each productive season`, `each winter`, but `the King's Reward` keeps its capitals; of
    what comes again an article gives way: `each long night`."""
    if title.startswith("The ") and title[1:].islower():
        return f"each {title[4:]}" if recurs else uncapitalize_title(title)
    if title[1:].islower() and (" " in title or recurs and not _NO_PERIOD.search(title)):
        return f"each {title.lower()}"
    return uncapitalize_title(title) if title.startswith("The ") else title


@lru_cache(maxsize=2)
def _recurring(r: Resolved) -> frozenset[str]:
    """The phases that may come more than once in a game: played in a loop, at two places, or by one that recurs."""
    plays = {name: _played(one) for name, one in r.book.definitions.items()}
    places = Counter(phase for found in plays.values() for phase in found)
    found = {phase for phase, count in places.items() if count > 1}
    waiting = [*found]
    while waiting:
        inner = {*plays.get(waiting.pop(), ())} - found
        found |= inner
        waiting += inner
    return frozenset(found)


def _played(definition: t.Definition) -> list[str]:
    """The phases that a definition plays, once for each place and twice for one in a loop."""
    nodes = [*walk(definition)]
    loops = (node for node in nodes if isinstance(node, t.Repeat | t.Each))
    return [one.phase.word for whole in (nodes, *map(walk, loops)) for one in whole if isinstance(one, t.Play)]


_DOES = {JOINING: "joins", LEAVING: "leaves", GAINING: "gains", LOSING: "loses"}


def _passing_words(definition: t.Definition, edge: str) -> str:
    """What happens to a resource or a set: `a player gains wood`, `a building joins a player's buildings`."""
    kind, place = _passing(definition)
    return f"{kind} {_DOES[edge]} {place}"


def instead_of(definition: t.Definition, edge: str) -> str:
    """The same where something else is done: `gaining wood`, `a building joining a player's buildings`."""
    kind, place = _passing(definition)
    return f"{edge} {place}" if edge in MOVING else f"{kind} {edge} {place}"


def _passing(definition: t.Definition) -> tuple[str, str]:
    """What joins or leaves a set and which, while it is in there; or who gains or loses which resource."""
    one, many = split_title(full_title(definition))
    if not isinstance(definition, t.Keep):
        return "a player", uncapitalize_title(many)
    title = uncapitalize_title(one)
    kind = spell_name(definition.type.name.word) if definition.type.name is not None else "thing"
    whose = [spell_name(param.kind.word) for param in definition.params]
    if whose[:1] == ["player"]:
        title, whose = f"a player's {title}", whose[1:]
    return with_article(kind), with_of(title, join_words(with_article(one) for one in whose)) if whose else with_the(
        title
    )
