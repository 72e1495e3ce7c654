"""Lines that never stand at the left edge, and where they do: `homes` in `grammar/mistakes.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from edict.language import tree as t
from edict.language.facts import Facts
from edict.language.lists import known
from edict.language.sorts import a
from edict.report import Diagnostic
from edict.text import Span

Definitions = Mapping[str, t.Definition]


def homeless(facts: Facts) -> Diagnostic | None:
    """What is said of a line at the left edge that belongs into something else."""
    word = facts.line.split()[0].rstrip(":") if facts.line.strip() and not facts.line[0].isspace() else ""
    place = Span(facts.span.file, facts.span.line, 1, facts.span.line, len(word) + 1)
    return misplaced(word, place, facts.declared.definitions)


def misplaced(word: str, place: Span, definitions: Definitions) -> Diagnostic | None:
    """The same of a word that begins a line at a place, if it is one of those."""
    home = _homes().get(word) if word not in definitions else None
    kind = _with_field(word, definitions)
    if home is None and not kind:
        return None
    where, above = home or ("", f"{kind} my-{kind}")
    some = {sort: _some(of, definitions) for sort, of in _SORTS.items()}
    stands = f"stands in {where}, not at the left edge" if home else f"is a field of {a(kind)}, and stands under it"
    beside = "at the margin of" if word in _BESIDE else "indented under"
    return Diagnostic(
        "E0127", f"`{word}` {stands}", place,
        help=f"write it {beside} a line such as `{above.format(**some)}`",
    )  # fmt: skip


_BESIDE = ("else", "otherwise")  # stand beside the line to which they belong
_SORTS = {"action": t.Action, "game": t.Game, "phase": t.Phase}


def _some(kind: type, definitions: Definitions) -> str:
    return next((one.name.word for one in definitions.values() if isinstance(one, kind)), "NAME")


def _with_field(word: str, definitions: Definitions) -> str:
    """The kind whose things have a field of that name."""
    kinds = (one for one in definitions.values() if isinstance(one, t.Kind))
    return next((one.name.word for one in kinds if any(field.name.word == word for field in one.fields)), "")


@cache
def _homes() -> dict[str, tuple[str, str]]:
    """Where a line stands, and a line above it, by its first word."""
    found = dict[str, tuple[str, str]]()
    for line in known("homes").splitlines():
        words, _, rest = line.partition(" => ")
        where, _, above = rest.partition(" | ")
        found |= dict.fromkeys(words.split(), (where, above))
    return found
