"""Definitions as source lines, each signed with its module, including replaced and removed lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import PrintedLine, print_lines
from edict.prose.rulebook.annotated_rules import AnnotatedRules, DefinitionChange
from edict.support.records import dataclass
from edict.support.text import Span

KEPT, ADDED, GONE = " ", "+", "-"


@dataclass(frozen=True, slots=True)
class SignedLine:
    """A line of a definition with its origin."""

    text: str
    span: Span
    module: str
    mark: str = KEPT  # KEPT, ADDED (by another module than the first) or GONE
    by: str = ""  # the module that removed it


def sign_lines(rules: AnnotatedRules, name: str) -> tuple[SignedLine, ...]:
    """Return a definition's lines, each signed with the module that wrote it, those removed since marked GONE."""
    changes = rules.history.get(name, ())
    definition = rules.definitions.get(name) or rules.standalone.get(name)
    if not changes and definition is not None:
        return tuple(canonical_lines(rules, definition))
    lines: list[SignedLine] = []
    for change in changes:
        own_text = change.after if change.module == changes[0].module else None  # a module may amend its own definition
        if own_text is not None:
            lines = canonical_lines(rules, own_text)
        else:
            lines = _apply_change(rules, lines, change)
    return tuple(lines)


def current_lines(rules: AnnotatedRules, name: str, definition: t.Definition) -> list[SignedLine]:
    """Return a definition's lines as they are now, each signed with its module; all are marked KEPT."""
    lines = sign_lines(rules, name) if name else canonical_lines(rules, definition)
    return [replace(line, mark=KEPT) for line in lines if line.mark != GONE]


def canonical_lines(rules: AnnotatedRules, definition: t.Definition) -> list[SignedLine]:
    """Return the canonical lines of a definition, each with its place in the file."""
    result: list[SignedLine] = []
    seen: set[t.Node] = set()
    for line in print_lines(definition):
        span = line.node.span if line.node.span.file else definition.span
        if line.node in seen:
            span = _find_line_below(rules, line, result[-1].span if result[-1].span.file == span.file else span)
        seen.add(line.node)
        result.append(SignedLine("\n".join(line.physical_lines), span, rules.module_of(span)))
    return result


def _apply_change(rules: AnnotatedRules, lines: list[SignedLine], change: DefinitionChange) -> list[SignedLine]:
    """Return the lines after a change by another module."""
    new = canonical_lines(rules, change.after) if change.after is not None else []
    if not lines:
        return new
    result = merge_lines(lines, new, change.module)
    if change.verb == "call":
        return [
            replace(line, span=change.span, module=change.module) if line.mark == ADDED else line for line in result
        ]
    return result


def merge_lines(old_lines: Sequence[SignedLine], new_lines: Sequence[SignedLine], by: str) -> list[SignedLine]:
    """Return the old lines, removed ones marked GONE by module `by`, with the new lines at their places."""
    current = [i for i, line in enumerate(old_lines) if line.mark != GONE]
    matcher = SequenceMatcher(
        None, [old_lines[i].text for i in current], [line.text for line in new_lines], autojunk=False
    )
    result: list[SignedLine] = []
    position = 0
    for tag, _, i2, j1, j2 in matcher.get_opcodes():
        end = current[i2] if i2 < len(current) else len(old_lines)
        added = iter(new_lines[j1:j2])
        for line in old_lines[position:end]:
            if line.mark == GONE:
                result.append(line)
            elif tag == "equal":
                equal_line = next(added)
                result.append(replace(equal_line, mark=line.mark if equal_line.module == line.module else KEPT))
            else:
                result.append(replace(line, mark=GONE, by=by))
        position = end
        result += [replace(line, mark=ADDED, module=line.module or by) for line in added]
    return result


def _find_line_below(rules: AnnotatedRules, line: PrintedLine, before: Span) -> Span:
    """Return the place of the next line in the file below `before` that begins with the printed line's words."""
    source = rules.sources.get(before.file)
    rest = source.lines[before.line :] if source is not None else []
    words = line.text.split()
    offset = next((i for i, text in enumerate(rest, 1) if text.split()[: len(words)] == words), None)
    if offset is None:
        return before
    return replace(before, line=before.line + offset, end_line=before.line + offset, column=1)
