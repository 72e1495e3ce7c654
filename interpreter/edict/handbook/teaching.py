"""What the author's words teach of something that is no card: what it is for, how one comes by it, where it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from edict.handbook.annotated import Known
from edict.language import tree as t
from edict.language.walking import walk
from edict.words import stmt_words
from edict.text import sentence

MOST = 4  # sentences that are found in what is said of other things
_BACK = re.compile(r"(?:(?:If|When) )?(?:it|its|they|he|she|this|these)\b", re.IGNORECASE)  # goes on from another one
_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z+])")


def taught(known: Known, name: str, titles: Sequence[str]) -> tuple[str, ...]:
    """What the author says of it; or else the sentences about the course of the game that speak of it.

    `titles` are the words by which it is known, in the singular and the plural.
    """
    passages = [one for module in known.modules for one in module.manifest.book]
    wanted = {title.casefold() for title in titles if title}
    places = [{name}, {one.name.word for one in known.definitions.values() if isinstance(one, t.Group)
                       and name in (known.resolved.of(member).name for member in one.members)}]  # fmt: skip
    own, of_group = ([text for one in passages if one.place in there for text in one.paragraphs] for there in places)
    titled = [text for one in passages if one.title.casefold() in wanted for text in one.paragraphs]
    return tuple(own or titled or of_group) or _spoken_of(_sentences(known), titles)


def _spoken_of(sentences: Iterator[str], titles: Sequence[str]) -> tuple[str, ...]:
    words = "|".join(re.escape(title) for title in titles if title)
    if not words:
        return ()
    spoken = re.compile(rf"(?<![\w+-])(?:{words})(?![\w-])", re.IGNORECASE)
    return tuple(dict.fromkeys(one for one in sentences if spoken.search(one) and not _BACK.match(one)))[:MOST]


def _sentences(known: Known) -> Iterator[str]:
    """What authors say of phases and routines, in the order of the rules: first in the rules, then in the book."""
    told = [one for one in known.definitions.values() if isinstance(one, t.Phase | t.Routine)]
    for one in told:
        texts = (node for node in walk(one) if isinstance(node, t.Text))
        yield from (part for text in texts for part in _ENDS.split(sentence(stmt_words(known.resolved, text))))
    names = {one.name.word for one in told}
    for module in known.modules:
        said = (text for one in module.manifest.book if one.place in names for text in one.paragraphs)
        yield from (part for text in said for part in _ENDS.split(text))
