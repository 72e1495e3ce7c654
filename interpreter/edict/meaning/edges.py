"""Whether what a rule waits for has what it says: a phase a start and an end, a set what joins and leaves it."""

from __future__ import annotations

from collections.abc import Container, Iterator

from edict.language import tree as t
from edict.meaning.symbols import Meaning
from edict.report import Diagnostic, Edit

PASSING = JOINING, LEAVING = "joining", "leaving"


def wrong_edge(when: t.When, meaning: Meaning, sets: Container[t.Definition]) -> Iterator[Diagnostic]:
    """What a rule waits for that never comes; `sets` are the keeps that something can join and leave."""
    name, definition = when.moment.word, getattr(meaning, "definition", None)
    edits: tuple[Edit, ...] = ()
    if isinstance(definition, t.Keep):
        found = _of_keep(when, definition, definition in sets)
    elif meaning.sort in ("phase", "routine") and not when.edge:
        found = f"`{name}` is a {meaning.sort}, and lasts", f"write `when start of {name}` or `when end of {name}`"
        edits = (Edit(when.moment.span, f"start of {name}"),)
    elif meaning.sort == "moment" and when.edge:
        found = f"`{name}` is a moment, and has no {when.edge}", f"write `when {name}`"
    else:
        return
    if found is not None:
        yield Diagnostic("E0209", found[0], when.moment.span, help=found[1], edits=edits)


def awaitable(ability: t.Ability, sorts: tuple[str, ...]) -> tuple[str, ...]:
    """What the name of what an ability is about may mean: only a keep is joined and left."""
    if not isinstance(ability, t.When):
        return sorts
    return ("keep",) if ability.edge in PASSING else tuple(sort for sort in sorts if sort != "keep")


def _of_keep(when: t.When, keep: t.Keep, is_set: bool) -> tuple[str, str] | None:
    name = keep.name.word
    if not is_set:
        return f"`{name}` is not a set, so nothing joins or leaves it", "name a keep that is a set, or a moment"
    if keep.secret:
        remedy = "declare a `moment`, and `trigger` it where everybody may know"
        return f"`{name}` is secret, so nobody may notice what joins or leaves it", remedy
    return None
