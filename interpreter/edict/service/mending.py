"""Rules with mistakes in them, made ready to be understood: each wrong definition as it was before, or left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from edict.language.incremental import pieces
from edict.sources.module_set import Modules
from edict.report import Diagnostic
from edict.text import Source

_BEGINNING = re.compile(r'[^"\n#]*')


def mended(modules: Modules, found: Iterable[Diagnostic], before: Mapping[str, Source]) -> Modules:
    """The modules without the definitions in which errors were found; where they were there before, as they were."""
    lines: dict[str, set[int]] = {}
    for one in found:
        if one.is_error:
            lines.setdefault(one.span.file, set()).add(one.span.line)
    return tuple(
        replace(module, sources=tuple(_mended(s, lines.get(s.name, set()), before.get(s.name)) for s in module.sources))
        for module in modules
    )


def _mended(source: Source, wrong: set[int], before: Source | None) -> Source:
    if not wrong:
        return source
    old = {beginning(text): text for text in _texts(before.text)} if before is not None else {}
    kept, line = list[str](), 1
    ended = source.text if source.text.endswith("\n") else source.text + "\n"  # so the last line counts as one too
    for text in _texts(ended):
        after = line + text.count("\n")
        if any(line <= number < after or number == line for number in wrong):
            earlier = old.get(beginning(text), "")
            text = _blank(text) if earlier == text else _as_long(earlier, text)
        kept.append(text)
        line = after
    return Source(source.name, "".join(kept))


def _texts(text: str) -> Iterator[str]:
    """The file cut at its definitions; what stands above the first one is a part of its own."""
    stretches = [(one.start, one.end) for one in pieces(text)]
    yield text[: stretches[0][0]] if stretches else text
    yield from (text[start:end] for start, end in stretches)


def beginning(piece: str) -> str:
    """The words with which a definition begins, by which it is known again: `building inn`."""
    found = _BEGINNING.match(piece)
    return " ".join((found[0] if found else "").split()[:2])


def _blank(text: str) -> str:
    return "\n" * text.count("\n")


def _as_long(earlier: str, now: str) -> str:
    """An earlier text, with as many lines as the present one where it has fewer: what stands below keeps its place."""
    missing = now.count("\n") - earlier.count("\n")
    return earlier + "\n" * max(0, missing) if earlier else _blank(now)
