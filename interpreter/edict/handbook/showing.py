"""What is told of one thing or rule: its members, where it comes from, what acts on it; all of it as data."""

from __future__ import annotations

from collections.abc import Sequence

from edict.handbook.annotated import Known
from edict.handbook.blame import signed
from edict.handbook.looking import Named
from edict.handbook.telling import description, exactly
from edict.handbook.things import ordered
from edict.handbook.touching import Touch, mentions
from edict.language import tree as t
from edict.text import Span


def as_data(rules: Known, one: Named, all_: Sequence[Touch]) -> dict[str, object]:
    """All about one thing or rule, for programs."""
    removed = rules.history[one.name][-1] if one.gone else None
    return {
        "name": one.name, "title": one.title, "sort": one.sort, **origins(rules, one),
        "removed": None if removed is None else {"by": removed.module, "at": place(removed.span)},
        "words": [] if one.gone else list(description(rules, one.definition)),
        "exactly": [] if one.gone else list(exactly(rules, one.definition)), "things": members(rules, one),
        "lines": [
            {"mark": line.mark, "text": line.text, "at": place(line.span), "module": line.module, "until": line.by}
            for line in signed(rules, one.name)
        ],
        "touched": [
            {"name": touch.who, "by": who(rules, touch), "how": touch.how, "words": touch.words,
             "at": place(touch.span), "module": touch.module}
            for touch in acting(one, all_)
        ],
    }  # fmt: skip


def members(rules: Known, one: Named) -> list[str]:
    """The titles of all there is of a kind."""
    if not isinstance(one.definition, t.Kind):
        return []
    return [thing.title.partition("/")[0] or thing.name.word for thing in ordered(rules, one.definition)]


def origins(rules: Known, one: Named) -> dict[str, str]:
    """Where it comes from; texts may be empty."""
    note = rules.book.notes.get(one.name, t.Note())
    return {"source": note.source, "origin": note.origin, "module": note.module}


def acting(one: Named, all_: Sequence[Touch]) -> list[Touch]:
    """What acts on it, without the small print, which only speaks of it."""
    mine = (touch for touch in all_ if touch.whom == one.name)
    return [touch for touch in mine if not mentions(touch) and not touch.how.endswith(" by")]


def who(rules: Known, touch: Touch) -> str:
    """The title of what touches."""
    there = rules.definitions.get(touch.who) or rules.standing.get(touch.who)
    title = there.title.partition("/")[0] if there is not None else ""
    nameless = isinstance(there, t.Standalone) and not there.name.word
    return title or ("a house rule" if nameless else touch.who.replace("-", " "))


def place(span: Span) -> str:
    """File and line without the folder, which the module's name stands for."""
    return f"{span.file.partition('/')[2] or span.file}:{span.line}" if span.file else ""
