"""All that can be looked for in a game: when what happens, what rules can speak of, and every thing."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.words.calendar import calendar
from edict.handbook.annotated import Known
from edict.handbook.naming import names
from edict.handbook.telling import description
from edict.words.titles import forms
from edict.service.answer_types import Found


def everything(known: Known) -> Iterator[Found]:
    """All that can be looked for: first when what happens, then what rules can speak of."""
    for moment in calendar(known.linked):
        yield Found(moment.line, moment.called, moment.sort, moment.meaning)
    yield from (Found(one.written, one.title, one.sort, one.meaning) for one in names(known) if one.sort != "moments")
    for definition in known.definitions.values():
        if isinstance(definition, t.Thing):
            meaning = " ".join(line.strip() for line in description(known, definition))
            yield Found(definition.name.word, forms(definition.title)[0], definition.kind.word, meaning)
