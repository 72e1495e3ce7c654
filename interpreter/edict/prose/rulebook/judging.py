"""The rules as a reader wants them: without what is there for bots alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edict.compiler.semantics.judgement import JudgementNames, judgement_of
from edict.compiler.semantics.link import Linked
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import printed, text_of
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.history import DefinitionChange


def without_judgement(known: Known) -> Known:
    """The same rules; no definition, field, ability or change by a module in them serves the judgement alone."""
    if known.linked.game.judge is None:
        return known
    judgement = judgement_of(known.linked)
    left = {name: tuple(_kept(judgement, done)) for name, done in known.history.items()}
    kept = {name: done for name, done in left.items() if done}
    return replace(known, linked=_linked(judgement, known.linked), history=kept)


def _linked(judgement: JudgementNames, linked: Linked) -> Linked:
    book = _book(judgement, linked.resolved.book)
    return replace(
        linked,
        typed=replace(linked.typed, resolved=replace(linked.resolved, book=book)),
        game=next(one for one in book.definitions.values() if isinstance(one, t.Game)),
        things={kind: tuple(judgement.thing(one) for one in things) for kind, things in linked.things.items()},
        adjusts={name: held for name, held in linked.adjusts.items() if name not in judgement.names},
        held=tuple(one for one in linked.held if not judgement.has(one.ability)),
    )


def _book(judgement: JudgementNames, book: t.Book) -> t.Book:
    rest = {name: judgement.rest(one) for name, one in book.definitions.items()}
    return replace(
        book,
        definitions={name: one for name, one in rest.items() if one is not None},
        standalone=tuple(one for one in book.standalone if judgement.rest(one) is not None),
    )


def _kept(judgement: JudgementNames, done: Sequence[DefinitionChange]) -> Iterator[DefinitionChange]:
    """What was done, but for what changes nothing when the judgement is left out."""
    before: str | None = None
    for change in done:
        after = judgement.rest(change.after) if change.after is not None else None
        if change.after is not None and after is None:
            continue
        text = text_of(printed(after)) if after is not None else None
        if change.verb == "declare" or text != before:
            yield replace(change, after=after)
        before = text
