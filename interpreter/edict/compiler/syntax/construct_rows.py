"""The reference of the language, with one row per construct (effect, example and form).

The texts are in `grammar/reference`; the form, such as `choose a KIND [from SET] as NAME`, is derived
from the pattern of the construct's class. Words in capitals stand for what is to be written there, which follows from
the roles and types of the fields of the class. Brackets surround optional parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from textwrap import indent
from typing import Any

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.grammar_tables import load_grammar_table
from edict.compiler.syntax.patterns import (
    Gap,
    OptionalPart,
    Pattern,
    classes_by_rule,
    iter_gaps,
    lines_under,
    patterns,
    rule_name,
)
from edict.compiler.syntax.roles import (
    Iterates,
    MemberOfField,
    Requires,
    RequiresShape,
    Role,
    SetOfKind,
    field_roles,
    get_field_note,
    get_referred_sorts,
)
from edict.support import resources
from edict.support.records import dataclass

GROUPS = ("definitions", "abilities", "steps", "values", "layering")
_WORD = re.compile(r"[a-z]+(?![\w-])")


@dataclass(frozen=True)
class ConstructRow:
    """A row of the reference."""

    name: str
    group: str
    of: tuple[str, ...]  # rules of the patterns that it describes
    does: str
    shape: str  # what the example is, such as steps, values or rules
    example: str
    more: str
    see: tuple[str, ...]
    forms: tuple[str, ...]
    also: tuple[str, ...]  # further words by which it is found

    @cached_property
    def words(self) -> frozenset[str]:
        """Return all words of the language that occur in its forms and name, and its search words."""
        return frozenset(_WORD.findall(" ".join((*_remove_texts(self.forms), self.name)))) | frozenset(self.also)


def _remove_texts(forms: tuple[str, ...]) -> Iterator[str]:
    """Yield forms without their texts in double quotes, so that those words are not searched."""
    return (re.sub(r'"[^"]*"', "", form) for form in forms)


@cache
def list_rows() -> tuple[ConstructRow, ...]:
    """Return all rows in the order of the reference."""
    return tuple(row for group in GROUPS for row in _load_rows(group))


def describe_group(group: str) -> tuple[str, str]:
    """Return the title and the introduction of a group of rows."""
    file = f"reference/{group}.yaml"
    return load_grammar_table("title", file), load_grammar_table("about", file)


@cache
def read_example_game() -> str:
    """Return the rules to which the examples belong."""
    return (resources.grammar_folder() / "reference" / "orchard.edict").read_text(encoding="utf-8")


@cache
def read_example_scenes() -> str:
    """Return a file of scenes for the example rules."""
    return (resources.grammar_folder() / "reference" / "orchard-scenes.yaml").read_text(encoding="utf-8")


def find_row_at(line: str, column: int) -> ConstructRow | None:
    """Return the row that best describes the word at a column of a line, or None.

    Args:
        line: A line of rules.
        column: The column, counted from 0.
    """
    word = next((match for match in re.finditer(r"[\w-]+", line) if match.start() <= column <= match.end()), None)
    candidates = [row for row in list_rows() if word is not None and word[0] in row.words]
    if word is None or not candidates:
        return None
    words_here = frozenset(_WORD.findall(re.sub(r'"[^"]*"', "", line)))
    return max(
        candidates,
        key=lambda row: (
            _count_form_words(row, words_here) > 0,
            _score_name(row, line, word),
            _count_form_words(row, words_here),
        ),
    )


def _score_name(row: ConstructRow, line: str, word: re.Match[str]) -> int:
    """Return how many characters of the row's name stand around a word, or 1 for one of its search words."""
    for match in re.finditer(rf"(?<![\w-]){re.escape(row.name)}(?![\w-])", line):
        if match.start() <= word.start() and word.end() <= match.end():
            return len(row.name)
    if row.name.startswith(f"{word[0]} "):
        return len(word[0])
    return int(word[0] in row.also)


def _count_form_words(row: ConstructRow, words_here: frozenset[str]) -> int:
    """Return the largest number of required words of a form that all occur here."""
    required = [_find_required_words(form) for form in row.forms] or [frozenset(row.name.split())]
    return max((len(words) for words in required if words <= words_here), default=0)


@cache
def _find_required_words(form: str) -> frozenset[str]:
    """Return the words of a form's first line that are not in brackets or choices."""
    first_line = re.sub(r'"[^"]*"', "", form.partition("\n")[0])
    return frozenset(_WORD.findall(re.sub(r"\[[^\]]*\]|\([^)]*\)", "", first_line)))


def iter_rows_of_node(node: t.Node) -> Iterator[ConstructRow]:
    """Yield the rows that describe a node.

    They are found by its class, by its shape or operator (`order`, `count`), and by optional words that it has.
    """
    node_type: Any = type(node)
    variants = {getattr(node, "shape", ""), getattr(node, "op", "")}
    flag_fields = {
        gap.field for pattern in patterns(node_type).values() for gap in iter_gaps(pattern) if gap.spec == "word"
    }
    names = variants | {field for field in flag_fields if getattr(node, field)}
    candidates = _rows_by_class().get(node_type, ())
    yield from candidates if len(candidates) == 1 else (row for row in candidates if variants & set(row.name.split()))
    yield from (row for row in list_rows() if not row.of and row.name in names)


@cache
def _rows_by_class() -> dict[Any, tuple[ConstructRow, ...]]:
    """Return, for each class of nodes, the rows about its grammar rule or one of its patterns."""
    node_types = [node_type for node_type in vars(t).values() if isinstance(node_type, type)]
    rules = {node_type: {rule_name(node_type), *patterns(node_type)} for node_type in node_types}
    return {
        node_type: tuple(row for row in list_rows() if not rules[node_type].isdisjoint(row.of))
        for node_type in node_types
    }


def find_rows(query: str) -> list[ConstructRow]:
    """Return the rows for some words.

    Rows with exactly that name come alone; else those with the words in name or search words; else in their forms.
    """
    words = query.casefold().split()
    if not words:
        return []
    exact = [row for row in list_rows() if row.name.split() == words]
    by_name = [row for row in list_rows() if set(words) <= {*row.name.split(), *row.also}]
    by_form = [row for row in list_rows() if set(words) <= row.words]
    return list(dict.fromkeys(exact or by_name or by_form))


def _load_rows(group: str) -> Iterator[ConstructRow]:
    """Yield the rows of `reference/GROUP.yaml`, with the forms written there and those derived from the grammar."""
    file = f"reference/{group}.yaml"
    entries: dict[str, dict[str, Any]] = load_grammar_table("rows", file)
    for name, row in entries.items():
        derived = [form for rule in row["of"] for form in derive_forms(rule)]
        forms = [
            *row.get("forms", ()),
            *(form_text for form_text in derived if not _is_nested_form(form_text, derived)),
        ]
        yield ConstructRow(
            name,
            group,
            tuple(row["of"]),
            row["does"].strip(),
            row.get("as") or _SHAPES.get(group, "rules"),
            row["example"].rstrip(),
            row.get("more", "").strip(),
            tuple(row["see"]),
            tuple(forms),
            tuple(row.get("words", ())),
        )


def _is_nested_form(form: str, others: Iterable[str]) -> bool:
    """Return True if a form is indented within another one."""
    inner = indent(form, "  ")
    return any(f"\n{inner}" in other for other in others)


_SHAPES = {"steps": "steps", "values": "values", "layering": "over kingsburg"}


_EDGE_FORMS = "joining KEEP | leaving KEEP | gaining RESOURCE | losing RESOURCE"
# placeholders by the specification of a gap
_BY_SPEC = {
    "article": "a",
    "text": '"text"',
    "below": "\n  STEPS",
    "number": "N",
    "signed": "N",
    "bundles": "AMOUNTS",
    "many": "NUMBER",
    "bundle": "AMOUNTS",
    "args": "VALUE [and VALUE]",
    "parts": '"text", VALUE',
    "list": "VALUE, VALUE and VALUE",
    "rankings": "most NUMBER [then fewest NUMBER]",
    "givens": "KIND [called NAME] [and ...]",
    "type": "TYPE",
    "of": "KIND [called NAME] [by ...]",
    "switch": "(on | off | N)",
    "signs": "+1 or -1",
    "zero": "0",
    "step": "STEP",
    "target": f"(ACTION.RULE | PHASE | ROUTINE | {_EDGE_FORMS})",
    "and": "FIELD [and FIELD]",
    "awaited": f"(MOMENT | start of PHASE | end of PHASE | {_EDGE_FORMS})",
}
# placeholders of fields for which the derived one would not be clear
_BY_FIELD = {
    "Arrange.direction": "(lowest | highest)",
    "DoEdge.edge": "(start | end)",
    "Over.op": "(sum | best | least)",
    "OfSeveral.op": "(best | least)",
    "Quantified.op": "(every | some | no)",
    "Part.said": "all",
    "Kind.order": "FIELD",
    "PartPrice.source": "FIELD of THING",
    "NextTo.shape": "(square | hexagonal)",
    "NumbersFrom.kind": "number",
    "Connected.start": "SET",
    "Connected.through": "SET",
    "LongestPath.through": "SET",
    "Thing.text": 'text "text", VALUE',
    "Game.players": "players N to N",
    "RollSeveral.rolls": "NUMBER DIE, NUMBER DIE and NUMBER DIE",
    "Remove_.kind": "KIND",
    "Column.parts": "VALUE, VALUE",
    "Listed.members": "THING, THING",
    "Track.steps": "NUMBER, NUMBER",
}
_TYPES = {"truth": "CONDITION", "resources": "RESOURCES"}  # placeholders of types whose name would not be clear
# forms of nodes on lines of their own
_BELOW = {"FieldValue": "FIELD VALUE", "Ability": "ABILITY", "Choose": "choose a KIND as NAME ..."}


def derive_forms(rule: str) -> Iterator[str]:
    """Yield the form of the construct with this grammar rule; nothing if its class has no pattern."""
    node_type: Any = classes_by_rule().get(rule)
    if node_type is None:
        return
    pattern = patterns(node_type)[rule]
    form = _render_pattern(node_type, pattern)
    if not any(gap.spec == "line" for gap in iter_gaps(pattern)):
        form += "".join(
            "\n" + indent(_render_pattern(node_type, line), "  ") for line in lines_under(node_type).values()
        )
    yield form + ("\n[else\n  STEPS]" if "otherwise" in vars(node_type).get("__annotations__", {}) else "")


def _render_pattern(node_type: Any, pattern: Pattern) -> str:
    """Return a pattern as a form such as `choose a KIND [from SET] as NAME`, with optional parts in brackets."""
    pieces = "".join(
        f"[{''.join(_render_piece(node_type, inner) for inner in piece.pieces)}]"
        if isinstance(piece, OptionalPart)
        else _render_piece(node_type, piece)
        for piece in pattern
    )
    spaced = pieces.replace("[ ", " [").replace(" ]", "] ").replace("CONDITION|", "CONDITION |")
    return re.sub(r"\[(\n *)", r"\1[", spaced)


def _render_piece(node_type: Any, piece: str | Gap) -> str:
    """Return a literal piece of a pattern as it is, or the placeholder of a gap."""
    return piece if isinstance(piece, str) else _render_gap(node_type, piece)


def _render_gap(node_type: Any, gap: Gap) -> str:
    """Return the placeholder of a gap, such as `KIND`, or the indented forms of the lines that it puts below."""
    if gap.spec == "line":
        return "\n" + indent(_render_pattern(node_type, lines_under(node_type)[gap.field]), "  ")
    if gap.spec[:1].isupper():
        return "".join("\n" + indent(form, "  ") for form in _render_lines_below(gap.spec))
    if gap.spec == "word":
        return gap.field.replace("_", " ")
    if gap.spec == "names":
        placeholder = _placeholder(node_type, gap.field)
        return f"{placeholder}[, {placeholder}]"
    return (
        _BY_FIELD.get(f"{node_type.__name__}.{gap.field}")
        or _BY_SPEC.get(gap.spec)
        or _placeholder(node_type, gap.field)
    )


def _render_lines_below(name: str) -> Iterator[str]:
    """Yield the forms of a node class whose nodes stand on lines below another node."""
    node_type = getattr(t, name)
    if name in _BELOW:
        yield _BELOW[name]
    else:
        yield from (_render_pattern(node_type, pattern) for pattern in patterns(node_type).values())


def _placeholder(node_type: Any, field: str) -> str:
    """Return the word in capitals for a value or name in a field."""
    sorts = get_referred_sorts(node_type, field)
    takes, shaped = get_field_note(node_type, field, Requires), get_field_note(node_type, field, RequiresShape)
    roles = field_roles(node_type, field)
    if roles & {Role.BINDS, Role.BINDS_BELOW} or field == "name" and not sorts:
        return "NAME"
    if sorts:
        return sorts[0].upper()
    if takes is not None:
        return _TYPES.get(takes.shape, takes.shape.upper())
    if shaped is not None:
        return shaped.shape.upper()
    if get_field_note(node_type, field, MemberOfField):
        return "THING"
    if get_field_note(node_type, field, SetOfKind) or get_field_note(node_type, field, Iterates):
        return "SET"
    if Role.CHANGED in roles or Role.SHOWN in roles:
        return "PLACE"
    return _DEFAULTS.get(field, "VALUE")


# placeholders of fields without roles or types
_DEFAULTS = {
    "joker": "RESOURCE",
    "price": "AMOUNTS",
    "fields": "FIELD",
    "over": "NAME",
    "beside": "NAME",
    "thing": "THING",
}
