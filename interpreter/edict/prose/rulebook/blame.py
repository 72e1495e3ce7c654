"""A definition in the language, every line signed with the module it comes from, also the lines that are gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import Line, printed
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.history import DefinitionChange
from edict.support.text import Span

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
    """All lines of what is called so: as it is now, and what modules replaced or removed."""
    done = known.history.get(name, ())
    definition = known.definitions.get(name) or known.standing.get(name)
    if not done and definition is not None:
        return tuple(lines_of(known, definition))
    lines: list[Signed] = []
    for change in done:
        own = change.after if change.module == done[0].module else None  # a module may amend what it declares itself
        lines = lines_of(known, own) if own is not None else _after(known, lines, change)
    return tuple(lines)


def standing(known: Known, name: str, definition: t.Definition) -> list[Signed]:
    """The lines as they stand now, without marks."""
    lines = signed(known, name) if name else lines_of(known, definition)
    return [replace(line, mark=KEPT) for line in lines if line.mark != GONE]


def lines_of(known: Known, definition: t.Definition) -> list[Signed]:
    """The canonical lines of a definition, each with its place in the file."""
    found: list[Signed] = []
    seen: set[t.Node] = set()
    for line in printed(definition):
        span = line.node.span if line.node.span.file else definition.span
        if line.node in seen:
            span = _below(known, line, found[-1].span if found[-1].span.file == span.file else span)
        seen.add(line.node)
        found.append(Signed("\n".join(line.written), span, known.module_of(span)))
    return found


def _after(known: Known, lines: list[Signed], change: DefinitionChange) -> list[Signed]:
    """The lines after another module had its say."""
    new = lines_of(known, change.after) if change.after is not None else []
    if not lines:
        return new
    found = merged(lines, new, change.module)
    if change.verb == "call":
        return [replace(line, span=change.span, module=change.module) if line.mark == ADDED else line for line in found]
    return found


def merged(old: Sequence[Signed], new: Sequence[Signed], by: str) -> list[Signed]:
    """Old and new lines in one text; what is gone already stays where it was, what was written anew is signed anew."""
    standing = [i for i, line in enumerate(old) if line.mark != GONE]
    matcher = SequenceMatcher(None, [old[i].text for i in standing], [line.text for line in new], autojunk=False)
    found: list[Signed] = []
    done = 0
    for tag, _, i2, j1, j2 in matcher.get_opcodes():
        until = standing[i2] if i2 < len(standing) else len(old)
        fresh = iter(new[j1:j2])
        for line in old[done:until]:
            if line.mark == GONE:
                found.append(line)
            elif tag == "equal":
                same = next(fresh)
                found.append(replace(same, mark=line.mark if same.module == line.module else KEPT))
            else:
                found.append(replace(line, mark=GONE, by=by))
        done = until
        found += [replace(line, mark=ADDED, module=line.module or by) for line in fresh]
    return found


def _below(known: Known, line: Line, before: Span) -> Span:
    """Where a line stands whose node began further up, as that of `then`, `else` and `because`: below the last one."""
    source = known.sources.get(before.file)
    rest = source.lines[before.line :] if source is not None else []
    wanted = line.text.split()
    found = next((i for i, text in enumerate(rest, 1) if text.split()[: len(wanted)] == wanted), None)
    if found is None:
        return before
    return replace(before, line=before.line + found, end_line=before.line + found, column=1)
