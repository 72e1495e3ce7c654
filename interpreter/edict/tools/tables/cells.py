"""Cells of tables as parts of things: what people write in spreadsheets, or Edict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from edict.compiler.layering.thing_json import list_countable, list_members
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import DeclaredNames
from edict.compiler.syntax.making.builders import build_list_node
from edict.compiler.syntax.parse import parse_file
from edict.compiler.syntax.reserved_words import find_keyword_names
from edict.support.report import Diagnostic
from edict.support.text import NOWHERE, Source, parse_integer, to_slug
from edict.tools.tables.columns import iter_spellings, spell

TRUTHS = {"yes": "yes", "y": "yes", "true": "yes", "x": "yes", "1": "yes"} | {
    "no": "no",
    "n": "no",
    "false": "no",
    "0": "no",
    "-": "no",
}
_AMOUNT = re.compile(r"([0-9]{1,9})\s*[x×]?\s*(\D.*)|(\D.*?)\s*[x×:]?\s*([0-9]{1,9})", re.IGNORECASE)
_JOINT = re.compile(r"\s*(?:[,;+&\n]|\band\b)\s*", re.IGNORECASE)
_FRACTION = re.compile(r"(?<![\w.,])[0-9]+[.,][0-9]+(?![\w.,])")
_WHOLE = re.compile(r"(.*)[.,]0{1,2}")  # a whole number as some spreadsheets write it


@dataclass
class CellReader:
    """Builds parts of things; what cannot be built becomes a value that the compiler reports."""

    book: t.Book
    kind: str
    diagnostics: list[Diagnostic] = field(default_factory=list)  # about the last cell, which is not Edict

    @cached_property
    def _keyword_names(self) -> frozenset[str]:
        return find_keyword_names(self.book.definitions.values())

    @cached_property
    def _resources(self) -> Mapping[str, str]:
        return self._index_names(list_countable(self.book))

    def _index_names(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return names by their spellings, of which names and plurals come before titles."""
        spellings = {name: [*iter_spellings(self.book.definitions[name])] for name in names}
        own = {spell(name): name for name in spellings}
        return {form: name for name, forms in reversed(spellings.items()) for form in forms} | own

    def read_field(self, declared: t.FieldDef, cell: str) -> t.FieldValue:
        """Return the value of a field, from what the cell says."""
        name = t.Name(NOWHERE, declared.name.word)
        assert declared.type is not None
        shape = declared.type.shape
        fraction = _FRACTION.search(cell) if shape in ("amounts", "number") and read_number(cell) is None else None
        if fraction is not None:
            self.diagnostics = [report_no_whole_number(fraction[0])]
            return t.FieldValue(NOWHERE, name, text=to_quotable(cell))
        match shape:
            case "amounts" if (parts := self.read_amounts(cell)) is not None:
                return t.FieldValue(NOWHERE, name, amounts=t.Bundle(NOWHERE, parts))
            case "effect":
                return self._parse_field(name, cell) or t.FieldValue(NOWHERE, name, text=to_quotable(cell))
        expr = self._read_value(declared.type, cell)
        if expr is not None:
            return t.FieldValue(NOWHERE, name, expr=expr)
        parsed, self.diagnostics = self._parse_field(name, cell), []
        if parsed is None and shape == "thing" and to_slug(cell):
            return t.FieldValue(NOWHERE, name, expr=t.Name(NOWHERE, to_slug(cell)))
        return parsed or t.FieldValue(NOWHERE, name, text=to_quotable(cell))

    def _read_value(self, type_name: t.TypeName, cell: str) -> t.Expr | None:
        """Return a number, truth, thing or set that a cell has in words; None for anything else."""
        if type_name.shape == "number":
            return read_number(cell)
        if type_name.shape == "truth":
            return t.Name(NOWHERE, TRUTHS[cell.casefold()]) if cell.casefold() in TRUTHS else None
        if type_name.name is None:
            return None
        if type_name.optional and cell in ("-", "none"):
            return t.Name(NOWHERE, "none")
        members = self._index_names(list_members(type_name.name.word, self.book))
        if spell(cell) in members:
            return t.Name(NOWHERE, members[spell(cell)])
        names = [members.get(spell(part), "") for part in _JOINT.split(cell)]
        if type_name.shape in ("set", "order") and all(names):
            return build_list_node(NOWHERE, [t.Name(NOWHERE, name) for name in names], bare=True)
        return None

    def read_amounts(self, cell: str) -> tuple[t.Part, ...] | None:
        """Return the amounts in a cell like `2 gold, 1 wood`, of resources by name or title; None for anything else."""
        matches = [_AMOUNT.fullmatch(part) for part in _JOINT.split(cell) if part]
        pairs = [(match[1] or match[4], match[2] or match[3]) for match in matches if match is not None]
        if not pairs or len(pairs) < len(matches):
            return None
        return tuple(
            build_part(t.Number(NOWHERE, int(count)), self._resources.get(spell(what), to_slug(what)))
            for count, what in pairs
        )

    def read_amount(self, cell: str, resource: str) -> t.Part:
        """Return an amount of a resource from a cell that has only its number."""
        number = read_number(cell)
        if not isinstance(number, t.Number):
            self.diagnostics = [report_no_whole_number(cell)]
        return build_part(number or t.Number(NOWHERE, 0), resource)

    def _parse_field(self, name: t.Name, cell: str) -> t.FieldValue | None:
        """Return the value of a field from Edict, on the line of its name or below; None if it is not Edict."""
        layouts = [f"{name.word}\n{_indent(cell)}"] + [f"{name.word} {cell}"] * ("\n" not in cell)
        for layout in reversed(layouts):
            things = self._parse(layout)
            if things and things[0].fields:
                return things[0].fields[0]
        return None

    def read_text(self, cell: str) -> t.Text:
        """Return the author's words; with quotation marks they are Edict, with names between the quoted parts."""
        things = self._parse(f"text {cell}") if cell.startswith('"') else []
        self.diagnostics = []
        parsed = next((thing.text for thing in things if thing.text is not None), None)
        return parsed or t.Text(NOWHERE, (" ".join(to_quotable(cell).split()),))

    def read_rules(self, cell: str) -> tuple[Sequence[t.FieldValue], Sequence[t.Ability]]:
        """Return the abilities in Edict, and what reads like fields, which the compiler explains."""
        things = self._parse(cell)
        return (things[0].fields, things[0].abilities) if things else ((), ())

    def _parse(self, lines: str) -> list[t.Thing]:
        """Return the thing with these lines; an empty list, with the reason in `diagnostics`, if they are not Edict."""
        # a name of its own, because printing sorts the parts of one file by their places
        source = Source(f"cell {lines}", f"{self.kind} cell\n{_indent(lines)}\n")
        result = parse_file(source, names=self._keyword_names)
        self.diagnostics = [] if result.ok else [*result.explain(DeclaredNames(dict(self.book.definitions)))]
        definitions = result.page.definitions if result.ok and result.page is not None else ()
        return [definition for definition in definitions if isinstance(definition, t.Thing)]


def build_part(count: t.Expr, resource: str) -> t.Part:
    """Return an amount of a resource."""
    return t.Part(NOWHERE, count, t.Name(NOWHERE, resource))


def report_no_whole_number(text: str) -> Diagnostic:
    """Return the diagnostic of a cell in which a text stands for a number."""
    return Diagnostic("E0303", f"`{text}` is not a whole number", NOWHERE, help="write a whole number, from 0 up")


def read_number(cell: str) -> t.Expr | None:
    """Return the whole number in a cell, as spreadsheets write it; None if it is none."""
    whole = _WHOLE.fullmatch(cell)
    number = parse_integer((whole[1] if whole else cell).replace("\N{MINUS SIGN}", "-").removeprefix("+"))
    if number is None:
        return None
    digits = t.Number(NOWHERE, abs(number))
    return digits if number >= 0 else t.Unary(NOWHERE, "minus", digits)


def to_quotable(text: str) -> str:
    """Return a text that can stand in quotation marks."""
    return text.replace('"', "'")


def _indent(lines: str) -> str:
    return "\n".join(f"  {line}" for line in lines.splitlines())
