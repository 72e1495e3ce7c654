"""What can be written at a place, by meaning: the words the parser takes there, and the names that fit.

Which names fit stands at the field of the tree in which the name would be (`Refers` of `language/roles`), or follows
from the type of the field or value; there is no list of statements here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from edict.compiler.english.calendar import CalendarEntry, build_calendar
from edict.compiler.semantics.ability_targets import select_target_sorts
from edict.compiler.semantics.name_lookup import HEADS, VALUES
from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import row_at
from edict.compiler.syntax.expecting import Expected, Place, expected
from edict.compiler.syntax.nouns import SORTS
from edict.compiler.syntax.roles import Role, Within, having, note, refers, roles_of
from edict.compiler.syntax.walking import parts
from edict.prose.rulebook.descriptions import describe_definition
from edict.support.morphology import split_title
from edict.tools.language_service.analysis import Analysis
from edict.tools.language_service.answer_types import At, Item
from edict.tools.language_service.document_structure import PARTIAL, before_word, in_text
from edict.tools.language_service.workspace import Workspace
from edict.tools.language_service.yaml_completion import file_completions

_NUMBER = re.compile(r"(?<![\w-])[0-9]+$")
BEST, GOOD, LESS, WORDS = 1, 3, 5, 6
OPENING = frozenset({"keyword", "snippet"})  # of what goes on behind the word
WRITTEN_OUT = ("effect", "amounts")  # fields that hold no value: steps, numbers of resources


def completions(space: Workspace, path: Path, at: At) -> tuple[Item, ...]:
    """All that can be written at a place, what fits best first; nothing in texts and comments, or where one is done."""
    if path.suffix == ".yaml":
        return file_completions(space, path, at)
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    if rules is None or source is None:
        return ()
    before = before_word(source.text, at)
    line = "".join(source.text.split("\n")[at.line - 1 : at.line])[: at.column - 1]
    if in_text(before.rpartition("\n")[2]) or _NUMBER.search(line):
        return ()
    known = rules.analysis(anew=False)
    wanted = expected(before, source.name, known.words if known is not None else ())
    items = {(item.label, item.sort): item for item in _items(wanted, known, before)}
    word = PARTIAL.search(line)
    sorts = {item.sort for item in items.values() if word is not None and item.label == word[0]}
    if sorts and not sorts & OPENING:
        return ()  # the name is whole
    return tuple(sorted(items.values(), key=lambda item: (item.rank, item.label)))


def _items(wanted: Expected, known: Analysis | None, before: str) -> Iterator[Item]:
    top = not before.rpartition("\n")[2].strip() and not before.endswith((" ", "\t"))
    if top and known is not None:
        yield from snippets(known)
    line = before.rpartition("\n")[2]
    for word in wanted.words:
        if word.isalpha():
            row = row_at(f"{line} {word}", len(line) + 1)
            detail = row.forms[0].partition("\n")[0] if row is not None and row.forms else ""
            yield Item(word, "keyword", detail, row.does if row is not None else "", rank=WORDS)
    if wanted.place is not None and known is not None:
        yield from _names(wanted.place, known)


# --- names -----------------------------------------------------------------------------------------


def _names(place: Place, known: Analysis) -> Iterator[Item]:
    parent, field = place.parent, place.field
    within = note(type(parent), field, Within)
    if within is not None:
        yield from _rules(known, getattr(parent, within.field).word)
    elif isinstance(parent, t.FieldValue) and field == "name":
        yield from _fields_of(place, known)
    elif isinstance(parent, t.When) and field == "moment":
        yield from _moments(known, parent.edge)
    elif isinstance(parent, t.Ability) and Role.ABOUT in roles_of(type(parent), field):
        yield from _of_sorts(place, known, select_target_sorts(parent, refers(type(parent), field)))
    elif isinstance(parent, t.Amend | t.Remove_ | t.Retitle) or isinstance(parent, t.Definition) and field == "name":
        yield from _existing(place, known)
    elif isinstance(parent, t.Apply) and field == "head":
        yield from _of_sorts(place, known, HEADS)
    elif refers(type(parent), field):
        of = _type_of(place, known) if isinstance(parent, t.Part) else None
        if of is None or of.shape in WRITTEN_OUT:
            yield from _of_sorts(place, known, refers(type(parent), field))
    elif not roles_of(type(parent), field) & {Role.BINDS, Role.BINDS_BELOW} and field != "name":
        yield from _values(place, known)


def _rules(known: Analysis, action: str) -> Iterator[Item]:
    there = known.definitions.get(action)
    for rule in there.rules if isinstance(there, t.Action) else ():
        yield Item(rule.name.word, "rule", f"rule of {action}", rule.because, rank=BEST)


def _moments(known: Analysis, edge: str) -> Iterator[Item]:
    """When what happens, with what it brings."""
    for moment in build_calendar(known.known.linked):
        if not edge or moment.edge == edge:
            line = moment.name if edge else moment.line.removeprefix("when ")
            yield Item(line, "moment", _brings(moment), moment.title, rank=BEST)


def _brings(moment: CalendarEntry) -> str:
    values = ", ".join(name if name == sort else f"{name} ({sort})" for name, sort in moment.values)
    turn = "in a player's turn" if moment.turn and not moment.nobody else "in nobody's turn" if not moment.turn else ""
    return "; ".join(part for part in (f"with {values}" if values else "", turn) if part)


def _existing(place: Place, known: Analysis) -> Iterator[Item]:
    """What a module can amend, remove or call otherwise: what is there already, of the sort that is written."""
    changing = place.around[0]
    if not isinstance(changing, t.Amend | t.Remove_ | t.Retitle):
        return
    written = changing.definition if isinstance(changing, t.Amend) else changing
    sort = written.kind.word if isinstance(written, t.Remove_ | t.Thing) else SORTS.get(type(written), "")
    for name, definition in known.definitions.items():
        own = definition.kind.word if isinstance(definition, t.Thing) else SORTS[type(definition)]
        if sort in ("", own):
            yield _item(known, name, definition, BEST)


def _fields_of(place: Place, known: Analysis) -> Iterator[Item]:
    """The fields of a kind that a thing has not filled in yet."""
    thing = next((node for node in place.around if isinstance(node, t.Thing)), None)
    kind = known.definitions.get(thing.kind.word) if thing is not None else None
    if thing is None or not isinstance(kind, t.Kind):
        return
    filled = {one.name.word for one in thing.fields}
    for field in kind.fields:
        if field.type is not None and field.name.word not in filled:
            detail = typed(field.type) + (", optional" if field.optional else "")
            yield Item(field.name.word, "field", detail, field.title, rank=GOOD if field.optional else BEST)


def typed(of: t.TypeName) -> str:
    """A type as it is written."""
    name = of.name.word if of.name is not None else ""
    bounds = f" from {of.low} to {of.high}" if of.low is not None else ""
    return (name if of.shape == "thing" else f"{of.shape} of {name}" if name else of.shape) + bounds


def _values(place: Place, known: Analysis) -> Iterator[Item]:
    """What can stand as a value: at a field of a thing kind its things, elsewhere all that has a value."""
    of = _type_of(place, known)
    if of is not None and of.name is not None:
        for name, definition in known.definitions.items():
            if isinstance(definition, t.Thing) and definition.kind.word == of.name.word:
                yield _item(known, name, definition, BEST)
        if of.optional:
            yield Item("none", "builtin", "nothing", rank=BEST)
    elif of is not None and of.shape == "truth":
        yield from (Item(word, "builtin", "truth", rank=BEST) for word in ("yes", "no"))
    elif of is None or of.shape not in WRITTEN_OUT:
        yield from _of_sorts(place, known, (*VALUES, *HEADS))


def _type_of(place: Place, known: Analysis) -> t.TypeName | None:
    """The type of the field that is filled in at a place, with a value or with amounts, if one is."""
    filled = next((node for node in reversed(place.around) if not isinstance(node, t.Part | t.Bundle)), None)
    if not isinstance(filled, t.FieldValue):
        return None
    thing = next((node for node in place.around if isinstance(node, t.Thing)), None)
    kind = known.definitions.get(thing.kind.word) if thing is not None else None
    fields = kind.fields if isinstance(kind, t.Kind) else ()
    return next((field.type for field in fields if field.name.word == filled.name.word), None)


def _of_sorts(place: Place, known: Analysis, sorts: tuple[str, ...]) -> Iterator[Item]:
    if "local" in sorts:
        for name, what in locals_at(place, known):
            yield Item(name, "local", what, rank=BEST)
    for name, definition in known.definitions.items():
        if SORTS.get(type(definition)) in sorts:
            usual = LESS if isinstance(definition, t.Thing | t.Kind | t.Setting) else GOOD
            yield _item(known, name, definition, usual if "builtin" in sorts else BEST)
    if "builtin" in sorts:
        yield from (Item(word, "builtin", BUILTINS[word].shape, rank=GOOD) for word in BUILTINS)
    yield from (Item(word, "kind", rank=GOOD) for word in BUILTIN_KINDS if word in sorts)
    if "field" in sorts:
        kinds = (one for one in known.definitions.values() if isinstance(one, t.Kind))
        for kind, field in ((one, field) for one in kinds for field in one.fields):
            yield Item(field.name.word, "field", f"field of {kind.name.word}", field.title, rank=GOOD)


def _item(known: Analysis, name: str, definition: t.Definition, rank: int) -> Item:
    sort = definition.kind.word if isinstance(definition, t.Thing) else SORTS[type(definition)]
    params = [p.name.word for p in getattr(definition, "params", ()) if isinstance(p, t.Param)]
    title = split_title(definition.title)[0] if definition.title else ""
    detail = f"{sort}{f' of {chr(32).join(params)}' if params else ''}{f': {title}' if title else ''}"
    return Item(name, SORTS[type(definition)], detail, rank=rank)


def words_of(space: Workspace, path: Path, name: str) -> str:
    """The English of something that is offered, shown when somebody looks at it."""
    rules = space.rules(path)
    known = rules.analysis(anew=False) if rules is not None else None
    told = known.told(name) if known is not None else None
    definition = told.definitions.get(name) if told is not None else None
    return " ".join(line.strip() for line in describe_definition(told, definition)) if told and definition else ""


# --- whole definitions to be filled in ------------------------------------------------------------


_GAPS = {"number": "1", "truth": "yes", "effect": "nothing", "amounts": "1 ", "dice": "no-dice"}


def snippets(known: Analysis) -> Iterator[Item]:
    """A thing_snippet of every kind, with gaps for its name, title and the fields it must have."""
    for definition in known.definitions.values():
        if isinstance(definition, t.Kind):
            yield thing_snippet(definition)


def thing_snippet(kind: t.Kind) -> Item:
    """A thing_snippet of a kind as a snippet: `${1:name}` is the first gap."""
    word = kind.name.word
    needed = [field for field in kind.fields if field.type is not None and not field.optional]
    lines = [f'{word} ${{1:name}} "${{2:Title}}"']
    for number, field in enumerate(needed, 3):
        gap = _GAPS.get(field.type.shape, "") if field.type is not None else ""
        lines.append(f"  {field.name.word} ${{{number}:{gap}}}")
    title = split_title(kind.title)[0] if kind.title else word
    return Item(word, "snippet", f"new {title}", text="\n".join([*lines, "$0"]), rank=2, snippet=True)


# --- local names: parameters, what was chosen or named before, what is gone through ---------------


def locals_at(place: Place, known: Analysis) -> Iterator[tuple[str, str]]:
    """Each name, and what it stands for in a word or two; the nearest first."""
    found: dict[str, str] = {}
    steps = list(pairwise((*place.around, place.name)))
    for outer, inner in reversed(steps):
        for name, what in (*_named_before(outer, inner), *_given_below(outer, inner, known)):
            found.setdefault(name, what)
    yield from found.items()


def _named_before(outer: t.Node, inner: t.Node) -> Iterator[tuple[str, str]]:
    """What was named before, in the same block or in an earlier part of the node."""
    for _, value in parts(outer):
        inside = any(one is inner for one in _each(value))
        for one in _each(value):
            if one is inner:
                return
            if isinstance(one, t.Node):
                yield from ((name.word, _what(one)) for name in having(one, Role.BINDS))
        if inside:
            return


def _given_below(outer: t.Node, inner: t.Node, known: Analysis) -> Iterator[tuple[str, str]]:
    """What the node itself gives to what stands in it."""
    field = next((name for name, value in parts(outer) if any(one is inner for one in _each(value))), "")
    yield from ((name.word, _what(outer)) for name in having(outer, Role.BINDS_BELOW))
    if Role.PER_MEMBER in roles_of(type(outer), field):
        yield "it", "each of them"
    if isinstance(outer, t.Each) and outer.name is None and outer.kind.word != "player":
        yield outer.kind.word, outer.kind.word
    if isinstance(outer, t.Kind):
        yield outer.name.word, outer.name.word
    if isinstance(outer, t.Ability):
        for about in having(outer, Role.ABOUT):
            there = known.definitions.get(about.word)
            for one in (*getattr(there, "params", ()), getattr(there, "payment", None)):
                if one is not None:
                    yield one.name.word, _what(one)


def _each(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _what(node: t.Node) -> str:
    """What is named: of a parameter or choice its kind."""
    kind = getattr(node, "kind", None)
    return kind.word if isinstance(kind, t.Name) else type(node).__name__.lower()
