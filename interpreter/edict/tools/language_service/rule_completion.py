"""Completion in rule files: the keywords the parser accepts at a position, and the names that fit by meaning.

The names that fit follow from the syntax tree's field that would hold the name (`RefersTo` of
`compiler/syntax/roles`), or from the type of the field or value; there is no list of statements here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from edict.compiler.english.calendar import CalendarEntry, build_calendar
from edict.compiler.semantics.ability_targets import select_target_sorts
from edict.compiler.semantics.name_lookup import HEADS, VALUES
from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.completion import Expectation, NamePlace, compute_expectation
from edict.compiler.syntax.construct_rows import find_row_at
from edict.compiler.syntax.nouns import SORTS
from edict.compiler.syntax.roles import PartOf, Role, field_roles, get_field_note, get_referred_sorts, iter_role_values
from edict.compiler.syntax.traversal import iter_fields
from edict.prose.rulebook.name_catalog import describe_in_one_line
from edict.support.morphology import split_title
from edict.tools.language_service.analysis import Analysis
from edict.tools.language_service.answer_types import Completion, TextPosition
from edict.tools.language_service.document_structure import PARTIAL_WORD, ends_in_string_or_comment, text_before_word
from edict.tools.language_service.workspace import Workspace
from edict.tools.language_service.yaml_completion import complete_yaml

_NUMBER = re.compile(r"(?<![\w-])[0-9]+$")
BEST, GOOD, LESS, WORDS = 1, 3, 5, 6  # ranks of completions
_OTHER_EVENT = 2  # the rank of events that come with no declared moment
CONTINUING_SORTS = frozenset({"keyword", "snippet"})
NON_VALUE_SHAPES = ("effect", "amounts")  # fields that hold steps or amounts, no value


def complete(space: Workspace, path: Path, position: TextPosition) -> tuple[Completion, ...]:
    """Return the completions at a position, best first; among equals, what the rules use most.

    There are none in strings, comments and numbers, or if the name at the position is complete.
    """
    if path.suffix == ".yaml":
        return complete_yaml(space, path, position)
    rules = space.get_rules(path)
    source = rules.get_source(path) if rules is not None else None
    if rules is None or source is None:
        return ()
    before = text_before_word(source.text, position)
    line = "".join(source.text.split("\n")[position.line - 1 : position.line])[: position.column - 1]
    if ends_in_string_or_comment(before.rpartition("\n")[2]) or _NUMBER.search(line):
        return ()
    analysis = rules.get_analysis(fresh=False)
    expectation = compute_expectation(before, source.name, analysis.keyword_names if analysis is not None else ())
    items = {(item.label, item.sort): item for item in _iter_completions(expectation, analysis, before)}
    word = PARTIAL_WORD.search(line)
    sorts = {item.sort for item in items.values() if word is not None and item.label == word[0]}
    if sorts and not sorts & CONTINUING_SORTS:
        return ()  # the name is complete
    uses = analysis.uses_by_name if analysis is not None else Counter[str]()
    return tuple(sorted(items.values(), key=lambda item: (item.rank, -uses[item.label.split()[-1]], item.label)))


def _iter_completions(expectation: Expectation, analysis: Analysis | None, before: str) -> Iterator[Completion]:
    """Yield snippets at the left edge of a line, then the keywords and names that the parser expects there."""
    at_top_level = not before.rpartition("\n")[2].strip() and not before.endswith((" ", "\t"))
    if at_top_level and analysis is not None:
        yield from iter_snippets(analysis)
    line = before.rpartition("\n")[2]
    for word in expectation.words:
        if word.isalpha():
            row = find_row_at(f"{line} {word}", len(line) + 1)
            detail = row.forms[0].partition("\n")[0] if row is not None and row.forms else ""
            yield Completion(word, "keyword", detail, row.does if row is not None else "", rank=WORDS)
    if expectation.place is not None and analysis is not None:
        yield from _iter_names(expectation.place, analysis)


# --- names -----------------------------------------------------------------------------------------


def _iter_names(place: NamePlace, analysis: Analysis) -> Iterator[Completion]:
    """Yield the names that fit a place by its node and field: rules, fields, moments, definitions or values."""
    parent, field = place.parent, place.field
    rule_reference = get_field_note(type(parent), field, PartOf)
    if rule_reference is not None:
        yield from _iter_rules(analysis, getattr(parent, rule_reference.field).word)
    elif isinstance(parent, t.FieldValue) and field == "name":
        yield from _iter_missing_fields(place, analysis)
    elif isinstance(parent, t.When) and field == "moment":
        yield from _iter_moments(analysis, parent.edge)
    elif isinstance(parent, t.Ability) and Role.ABOUT in field_roles(type(parent), field):
        yield from _iter_by_sorts(place, analysis, select_target_sorts(parent, get_referred_sorts(type(parent), field)))
    elif isinstance(parent, t.Amend | t.Remove_ | t.Retitle) or isinstance(parent, t.Definition) and field == "name":
        yield from _iter_existing(place, analysis)
    elif isinstance(parent, t.Apply) and field == "head":
        yield from _iter_by_sorts(place, analysis, HEADS)
    elif get_referred_sorts(type(parent), field):
        field_type = _find_field_type(place, analysis) if isinstance(parent, t.Part) else None
        if field_type is None or field_type.shape in NON_VALUE_SHAPES:
            yield from _iter_by_sorts(place, analysis, get_referred_sorts(type(parent), field))
    elif not field_roles(type(parent), field) & {Role.BINDS, Role.BINDS_BELOW} and field != "name":
        yield from _iter_values(place, analysis)


def _iter_rules(analysis: Analysis, action: str) -> Iterator[Completion]:
    """Yield a completion for each rule of the named action; none if it is no action."""
    definition = analysis.definitions.get(action)
    for rule in definition.rules if isinstance(definition, t.Action) else ():
        yield Completion(rule.name.word, "rule", f"rule of {action}", rule.because, rank=BEST)


def _iter_moments(analysis: Analysis, edge: str) -> Iterator[Completion]:
    """Yield the moments with an edge (`start` or `end` of a phase); without one, all moments, each with its edge."""
    for moment in build_calendar(analysis.annotated_rules.linked):
        if not edge or moment.edge == edge:
            line = moment.name if edge else moment.line.removeprefix("when ")
            rank = BEST if moment.edge == edge else _OTHER_EVENT
            yield Completion(line, "moment", _describe_moment(moment), moment.title, rank=rank)


def _describe_moment(moment: CalendarEntry) -> str:
    """Return the values that come with a moment and in whose turn it is: `with card; in a player's turn`."""
    values = ", ".join(name if name == sort else f"{name} ({sort})" for name, sort in moment.values)
    if moment.turn and not moment.nobody:
        turn_text = "in a player's turn"
    elif not moment.turn:
        turn_text = "in nobody's turn"
    else:
        turn_text = ""
    return "; ".join(part for part in (f"with {values}" if values else "", turn_text) if part)


def _iter_existing(place: NamePlace, analysis: Analysis) -> Iterator[Completion]:
    """Yield the existing definitions that the `amend`, `remove` or rename at the cursor may name."""
    change = place.around[0]
    if not isinstance(change, t.Amend | t.Remove_ | t.Retitle):
        return
    written = change.definition if isinstance(change, t.Amend) else change
    if isinstance(written, t.Remove_ | t.Thing):
        sort = written.kind.word
    else:
        sort = SORTS.get(type(written), "")
    for name, definition in analysis.definitions.items():
        if isinstance(definition, t.Thing):
            definition_sort = definition.kind.word
        else:
            definition_sort = SORTS[type(definition)]
        if sort in ("", definition_sort):
            yield _to_completion(analysis, name, definition, BEST)


def _iter_missing_fields(place: NamePlace, analysis: Analysis) -> Iterator[Completion]:
    """Yield the fields of a kind that a thing has not filled in yet."""
    thing = next((node for node in place.around if isinstance(node, t.Thing)), None)
    kind = analysis.definitions.get(thing.kind.word) if thing is not None else None
    if thing is None or not isinstance(kind, t.Kind):
        return
    filled = {filled_field.name.word for filled_field in thing.fields}
    for field in kind.fields:
        if field.type is not None and field.name.word not in filled:
            detail = format_type(field.type) + (", optional" if field.optional else "")
            yield Completion(field.name.word, "field", detail, field.title, rank=GOOD if field.optional else BEST)


def format_type(type_name: t.TypeName) -> str:
    """Return a type as rules write it."""
    name = type_name.name.word if type_name.name is not None else ""
    bounds = f" from {type_name.low} to {type_name.high}" if type_name.low is not None else ""
    if type_name.shape == "thing":
        return name + bounds
    return (f"{type_name.shape} of {name}" if name else type_name.shape) + bounds


def _iter_values(place: NamePlace, analysis: Analysis) -> Iterator[Completion]:
    """Yield completions for a field: its kind's things (`none` if optional), `yes`/`no`, or all with a value."""
    field_type = _find_field_type(place, analysis)
    if field_type is not None and field_type.name is not None:
        for name, definition in analysis.definitions.items():
            if isinstance(definition, t.Thing) and definition.kind.word == field_type.name.word:
                yield _to_completion(analysis, name, definition, BEST)
        if field_type.optional:
            yield Completion("none", "builtin", "nothing", rank=BEST)
    elif field_type is not None and field_type.shape == "truth":
        yield from (Completion(word, "builtin", "truth", rank=BEST) for word in ("yes", "no"))
    elif field_type is None or field_type.shape not in NON_VALUE_SHAPES:
        yield from _iter_by_sorts(place, analysis, (*VALUES, *HEADS))


def _find_field_type(place: NamePlace, analysis: Analysis) -> t.TypeName | None:
    """Return the type of the field that is being filled in at a place; None if none is."""
    field_value = next((node for node in reversed(place.around) if not isinstance(node, t.Part | t.Bundle)), None)
    if not isinstance(field_value, t.FieldValue):
        return None
    thing = next((node for node in place.around if isinstance(node, t.Thing)), None)
    kind = analysis.definitions.get(thing.kind.word) if thing is not None else None
    fields = kind.fields if isinstance(kind, t.Kind) else ()
    return next((field.type for field in fields if field.name.word == field_value.name.word), None)


def _iter_by_sorts(place: NamePlace, analysis: Analysis, sorts: tuple[str, ...]) -> Iterator[Completion]:
    """Yield everything of some sorts: locals, definitions, built-in values and kinds, and fields."""
    if "local" in sorts:
        for name, meaning in list_locals(place, analysis):
            yield Completion(name, "local", meaning, rank=BEST)
    for name, definition in analysis.definitions.items():
        if SORTS.get(type(definition)) in sorts:
            default_rank = LESS if isinstance(definition, t.Thing | t.Kind | t.Setting) else GOOD
            yield _to_completion(analysis, name, definition, default_rank if "builtin" in sorts else BEST)
    if "builtin" in sorts:
        yield from (Completion(word, "builtin", BUILTINS[word].shape, rank=GOOD) for word in BUILTINS)
    yield from (Completion(word, "kind", rank=GOOD) for word in BUILTIN_KINDS if word in sorts)
    if "field" in sorts:
        kinds = (one for one in analysis.definitions.values() if isinstance(one, t.Kind))
        for kind, field in ((one, field) for one in kinds for field in one.fields):
            yield Completion(field.name.word, "field", f"field of {kind.name.word}", field.title, rank=GOOD)


def _to_completion(analysis: Analysis, name: str, definition: t.Definition, rank: int) -> Completion:
    """Return a definition as completion, detailed like `quantity of player: Victory points`."""
    sort = definition.kind.word if isinstance(definition, t.Thing) else SORTS[type(definition)]
    params = [p.name.word for p in getattr(definition, "params", ()) if isinstance(p, t.Param)]
    title = split_title(definition.title)[0] if definition.title else ""
    detail = f"{sort}{f' of {chr(32).join(params)}' if params else ''}{f': {title}' if title else ''}"
    return Completion(name, SORTS[type(definition)], detail, rank=rank)


def describe_name(space: Workspace, path: Path, name: str) -> str:
    """Return the English description of a completion, which an editor shows on demand."""
    rules = space.get_rules(path)
    analysis = rules.get_analysis(fresh=False) if rules is not None else None
    rules_to_describe = analysis.select_rules(name) if analysis is not None else None
    definition = rules_to_describe.definitions.get(name) if rules_to_describe is not None else None
    if rules_to_describe and definition:
        return describe_in_one_line(rules_to_describe, definition)
    return ""


# --- snippets -------------------------------------------------------------------------------------


# default contents of a snippet's gaps by type
_GAPS = {"number": "1", "truth": "yes", "effect": "nothing", "amounts": "1 ", "dice": "no-dice"}


def iter_snippets(analysis: Analysis) -> Iterator[Completion]:
    """Yield a snippet for every kind, with gaps for name, title and required fields."""
    for definition in analysis.definitions.values():
        if isinstance(definition, t.Kind):
            yield build_thing_snippet(definition)


def build_thing_snippet(kind: t.Kind) -> Completion:
    """Return a snippet that declares a thing of a kind; `${1:name}` is its first gap."""
    kind_name = kind.name.word
    required = [field for field in kind.fields if field.type is not None and not field.optional]
    lines = [f'{kind_name} ${{1:name}} "${{2:Title}}"']
    for number, field in enumerate(required, 3):
        gap = _GAPS.get(field.type.shape, "") if field.type is not None else ""
        lines.append(f"  {field.name.word} ${{{number}:{gap}}}")
    title = split_title(kind.title)[0] if kind.title else kind_name
    return Completion(kind_name, "snippet", f"new {title}", text="\n".join([*lines, "$0"]), rank=2, snippet=True)


# --- local names: parameters, earlier bindings, loop variables -----------------------------------


def list_locals(place: NamePlace, analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield (local name, short meaning) of every name bound around a place, nearest first."""
    names: dict[str, str] = {}
    steps = list(pairwise((*place.around, place.name)))
    for outer, inner in reversed(steps):
        for name, meaning in (*_iter_earlier_bindings(outer, inner), *_iter_inner_bindings(outer, inner, analysis)):
            names.setdefault(name, meaning)
    yield from names.items()


def _iter_earlier_bindings(outer: t.Node, inner: t.Node) -> Iterator[tuple[str, str]]:
    """Yield names bound earlier in the same block, or in an earlier part of the node."""
    for _, value in iter_fields(outer):
        contains_inner = any(one is inner for one in _as_tuple(value))
        for one in _as_tuple(value):
            if one is inner:
                return
            if isinstance(one, t.Node):
                yield from ((name.word, _describe_binding(one)) for name in iter_role_values(one, Role.BINDS))
        if contains_inner:
            return


def _iter_inner_bindings(outer: t.Node, inner: t.Node, analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield names that a node binds for the nodes inside it."""
    field = next((name for name, value in iter_fields(outer) if any(one is inner for one in _as_tuple(value))), "")
    yield from ((name.word, _describe_binding(outer)) for name in iter_role_values(outer, Role.BINDS_BELOW))
    if Role.PER_MEMBER in field_roles(type(outer), field):
        yield "it", "each of them"
    if isinstance(outer, t.Each) and outer.name is None and outer.kind.word != "player":
        yield outer.kind.word, outer.kind.word
    if isinstance(outer, t.Kind):
        yield outer.name.word, outer.name.word
    if isinstance(outer, t.Ability):
        for target in iter_role_values(outer, Role.ABOUT):
            definition = analysis.definitions.get(target.word)
            for one in (*getattr(definition, "params", ()), getattr(definition, "payment", None)):
                if one is not None:
                    yield one.name.word, _describe_binding(one)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    """Return a tuple as it is, and any other value as a tuple of one."""
    return value if isinstance(value, tuple) else (value,)


def _describe_binding(node: t.Node) -> str:
    """Return the kind that a node binds a name for; if it has none, the node's class in lower case."""
    kind = getattr(node, "kind", None)
    return kind.word if isinstance(kind, t.Name) else type(node).__name__.lower()
