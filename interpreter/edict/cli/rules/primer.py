"""The primer as plain text: what one must know before the first move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.cli.rules.helpers import known
from edict.handbook.primer import primer


def primer_lines(game: str, modules: Sequence[str]) -> list[str]:
    """A line a sentence, under headings, with an empty line between the parts; nothing is wrapped."""
    return list(_lines(game, modules))[:-1]


def _lines(game: str, modules: Sequence[str]) -> Iterator[str]:
    for heading, sentences in primer(known(game, modules)).parts:
        yield heading
        yield from (f"  {sentence}" for sentence in sentences)
        yield ""
