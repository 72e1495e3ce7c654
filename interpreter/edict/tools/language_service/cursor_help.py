"""What is said about the word somebody points at, and about what takes the value that is being written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from edict.compiler.semantics.symbols import Local
from edict.compiler.semantics.types import describe_type
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import row_at
from edict.compiler.syntax.expecting import Place, expected
from edict.compiler.syntax.printing import printed, text_of
from edict.prose.rulebook.cross_references import CrossReference, is_mention
from edict.prose.rulebook.descriptions import describe_definition, describe_exactly
from edict.prose.rulebook.history import sort_title
from edict.prose.rulebook.language_reference import render_entry
from edict.prose.rulebook.rule_search import NamedDefinition
from edict.support.morphology import capitalize, spell_name
from edict.support.resources import COMMANDS
from edict.tools.language_service.analysis import Analysis
from edict.tools.language_service.answer_types import At, Hover, Signature
from edict.tools.language_service.document_structure import before_word, word_at
from edict.tools.language_service.navigation import SymbolAt, symbol_at
from edict.tools.language_service.occurrences import FIELD, LOCAL, RULE
from edict.tools.language_service.workspace import Workspace

LONGEST = 24  # lines of a definition that are shown
MOST = 8  # rules that act on it, and that read it


def hover(space: Workspace, path: Path, at: At) -> Hover | None:
    """What is said about the word at a place, a name or a word of the language; None where nothing is known of it."""
    found = symbol_at(space, path, at)
    text = "\n\n".join(part for part in _parts(found) if part) if found is not None else ""
    return Hover(text, found.span) if found is not None and text else _keyword(space, path, at)


def _keyword(space: Workspace, path: Path, at: At) -> Hover | None:
    """What a word of the language does, in the line it stands in."""
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    word = word_at(source, at) if source is not None else None
    if source is None or word is None:
        return None
    row = row_at(source.text.split("\n")[at.line - 1], word[1].column - 1)
    if row is None:
        return None
    parts = (f"**{row.name}**", render_entry(row, english=False), f"More: `{COMMANDS[0]} explain {row.name}`")
    return Hover("\n\n".join(parts), word[1])


def _parts(found: SymbolAt) -> Iterator[str]:
    if found.definition is not None:
        yield from _definition(found.known, found.definition)
    elif found.key[0] == FIELD:
        yield from _field(found.known, found.key[1])
    elif found.key[0] == RULE:
        yield from _rule(found.known, found.key[1])
    elif found.key[0] == LOCAL:
        yield from _local(found)


def _definition(known: Analysis, definition: t.Definition) -> Iterator[str]:
    name = definition.name.word
    told = known.told(name)
    definition = told.definitions[name]
    yield f"**{capitalize(NamedDefinition(name, definition).title)}** ({sort_title(definition)})"
    yield english(describe_definition(told, definition))
    made = describe_exactly(told, definition)
    yield f"Exactly:\n\n{english(made)}" if made else ""
    yield written(definition)
    yield _origin(known, name, definition)
    yield from _touched(known, name)


def english(told: Iterable[str]) -> str:
    """What it says, in English; steps below each other as a list."""
    lines = list(told)
    if not any(line.startswith(" ") for line in lines):
        return " ".join(lines)
    return "\n".join(f"{' ' * (len(line) - len(line.lstrip()))}- {line.strip()}" for line in lines)


def written(node: t.Definition) -> str:
    """How it is written, all modules taken together."""
    lines = text_of(printed(node)).rstrip().split("\n")
    more = ["..."] if len(lines) > LONGEST else []
    return "\n".join(["```edict", *lines[:LONGEST], *more, "```"])


def _origin(known: Analysis, name: str, definition: t.Definition) -> str:
    note = known.linked.resolved.book.notes.get(name, t.Note())
    said = {"Source": note.source, "Origin": note.origin, "Module": note.module}
    place = f"`{definition.span.file}:{definition.span.line}`" if definition.span.line else ""
    changes = [f"{change.module} ({change.verb})" for change in known.told(name).history.get(name, ())[1:]]
    facts = [f"{label}: {value}" for label, value in said.items() if value]
    return "  \n".join(filter(None, (place, *facts, f"Changed by {', '.join(changes)}" if changes else "")))


def _touched(known: Analysis, name: str) -> Iterator[str]:
    """Who adjusts, excepts and follows it; then who changes and who reads it."""
    mine = [touch for touch in known.touching(name) if not touch.how.endswith(" by")]
    acting = [touch for touch in mine if not is_mention(touch)]
    if acting:
        lines = [f"- {_who(known, touch)}: {touch.words or f'{touch.how} it'}" for touch in acting]
        yield "\n".join(["**Touched by**", "", *_some(lines)])
    for how, label in (("changes", "Changed in"), ("reveals", "Revealed in"), ("reads", "Read in")):
        names = list(dict.fromkeys(_who(known, touch) for touch in mine if touch.how == how))
        if names:
            yield f"{label}: {', '.join(_some(names))}"


def _some(lines: list[str]) -> list[str]:
    return lines if len(lines) <= MOST else [*lines[:MOST], f"and {len(lines) - MOST} more"]


def _who(known: Analysis, touch: CrossReference) -> str:
    there = known.known.definitions.get(touch.who) or known.known.standalone.get(touch.who)
    nameless = there is None or isinstance(there, t.Standalone) and not there.name.word
    return "a house rule" if nameless or there is None else NamedDefinition(touch.who, there).title


def _field(known: Analysis, name: str) -> Iterator[str]:
    for kind in known.definitions.values():
        for field in kind.fields if isinstance(kind, t.Kind) else ():
            if field.name.word == name:
                title = field.title or spell_name(name)
                line = next(one.text for one in printed(kind) if one.node is field)
                yield f"**{capitalize(title)}** (field of {kind.name.word})\n\n```edict\n{line}\n```"


def _rule(known: Analysis, name: str) -> Iterator[str]:
    action, _, rule = name.rpartition(".")
    there = known.definitions.get(action)
    for one in there.rules if isinstance(there, t.Action) else ():
        if one.name.word == rule:
            lines = text_of(printed(one)).rstrip()
            because = f"When it is refused: “{one.because}”" if one.because else ""
            yield f"**{capitalize(spell_name(rule))}** (rule of {action})"
            yield because
            yield f"```edict\n{lines}\n```"
    yield from _touched(known, action)


def _local(found: SymbolAt) -> Iterator[str]:
    """What a name of this rule stands for, and the line that gives it."""
    resolved = found.known.linked.resolved
    for local in {one for one in resolved.meaning.values() if isinstance(one, Local)}:
        if str(local.span) == found.key[1]:
            of = resolved.locals.get(local)
            what = describe_type(of) if of is not None else ""
            source = found.known.sources.get(local.span.file)
            line = source.text.split("\n")[local.span.line - 1].strip() if source else ""
            yield f"**{local.name}** ({what or 'a name of this rule'})\n\n```edict\n{line}\n```"
            return


# --- what is given to a quantity, keep, routine or moment, and which part of it is being written ---


_GIVEN = (
    (t.Do, "name", "args"),
    (t.DoField, "field", "args"),
    (t.DoEdge, "moment", "args"),
    (t.Trigger, "moment", "args"),
    (t.Apply, "head", "args"),
)


def signature(space: Workspace, path: Path, at: At) -> Signature | None:
    """The line of what takes the value at a place; None where nothing does."""
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    known = rules.analysis(anew=False) if rules is not None else None
    if source is None or known is None:
        return None
    place = expected(before_word(source.text, at), source.name, known.words).place
    given = _given(place) if place is not None else None
    definition = known.definitions.get(given[0]) if given is not None else None
    params = [p for p in getattr(definition, "params", ()) if isinstance(p, t.Param)]
    if given is None or definition is None or not params:
        return None
    names = tuple(p.name.word if p.name.word == p.kind.word else f"{p.kind.word} called {p.name.word}" for p in params)
    label = f"{given[0]} {_joint(definition)} " + " ".join(_joined(definition, names))
    words = " ".join(line.strip() for line in describe_definition(known.told(given[0]), definition))
    return Signature(label, names, min(given[1], len(names) - 1), words)


def _given(place: Place) -> tuple[str, int] | None:
    """What the innermost node around a place takes values for, and which of them stands here."""
    below: t.Node = place.name
    for node in reversed(place.around):
        for kind, head, args in _GIVEN:
            if isinstance(node, kind):
                values = getattr(node, args)
                if any(one is below for one in values):
                    return getattr(node, head).word, next(i for i, one in enumerate(values) if one is below)
        below = node
    return None


def _joint(definition: t.Definition) -> str:
    return "of" if isinstance(definition, t.Keep | t.Quantity) else "with"


def _joined(definition: t.Definition, names: tuple[str, ...]) -> list[str]:
    """The names with the words between them, as they are written when they are given."""
    between = [*getattr(definition, "joints", ()), *["and"] * len(names)]
    return [word for i, name in enumerate(names) for word in ((between[i - 1], name) if i else (name,))]
