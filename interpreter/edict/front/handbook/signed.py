"""A definition in the language, every line signed with the module it comes from, also the lines that are gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from edict.front import tree as t
from edict.front.handbook.deeds import Deed
from edict.front.handbook.known import Known
from edict.front.printing import Line, printed
from edict.text import Span

KEPT, ADDED, GONE = " ", "+", "-"


@dataclass(frozen=True, slots=True)
class Signed:
    """`mark`: one of KEPT, ADDED (by another module than the first), GONE; `by`: who took it away."""

    text: str
    span: Span
    module: str
    mark: str = KEPT
    by: str = ""


def signed(known: Known, name: str) -> tuple[Signed, ...]:
    """All lines of what is called so: as it stands now, and what modules replaced or removed."""
    done = known.deeds.get(name, ())
    definition = known.definitions.get(name) or known.standing.get(name)
    if not done and definition is not None:
        return tuple(_new(known, line, KEPT) for line in written(definition))
    lines: list[Signed] = []
    for deed in done:
        lines = _after(known, lines, deed)
    return tuple(lines)


def written(definition: t.Definition) -> list[Line]:
    """The canonical lines of a definition."""
    return printed(definition)


def _after(known: Known, lines: list[Signed], deed: Deed) -> list[Signed]:
    """The lines after another module had its say."""
    new = [_new(known, line, KEPT) for line in (written(deed.after) if deed.after is not None else ())]
    if not lines:
        return new
    return merged(lines, new, deed.module)


def merged(old: Sequence[Signed], new: Sequence[Signed], by: str) -> list[Signed]:
    """Old and new lines in one text; what is gone already stays where it was."""
    standing = [i for i, line in enumerate(old) if line.mark != GONE]
    matcher = SequenceMatcher(None, [old[i].text for i in standing], [line.text for line in new], autojunk=False)
    found: list[Signed] = []
    done = 0
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        until = standing[i2] if i2 < len(standing) else len(old)
        for line in old[done:until]:
            kept = tag == "equal" or line.mark == GONE
            found.append(line if kept else replace(line, mark=GONE, by=by))
        done = until
        found += [replace(line, mark=ADDED, module=line.module or by) for line in new[j1:j2] if tag != "equal"]
    return found


def _new(known: Known, line: Line, mark: str) -> Signed:
    span = getattr(line.node, "span", None)
    text = "\n".join(line.written)
    return Signed(text, span, known.module_of(span), mark) if span is not None else Signed(text, Span("", 0, 0, 0, 0), "")
