"""Definitions of things from a table, printed as `fmt` formats them, and validated with the rules they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path

from edict.compiler.layering.thing_json import PROVENANCE_FIELDS, list_countable, list_members
from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.sources.folders import Manifest
from edict.compiler.sources.module_set import Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import DeclaredNames
from edict.compiler.syntax.making.builders import build_list_node
from edict.compiler.syntax.nouns import plural_title, singular_title
from edict.compiler.syntax.parse import parse_file
from edict.compiler.syntax.printing import PrintedLine, print_lines
from edict.compiler.syntax.printing.canonical import is_same_tree
from edict.compiler.syntax.printing.definition_printer import needs_empty_line
from edict.compiler.syntax.reserved_words import find_keyword_names
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.support.morphology import count_noun, quote_words
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label
from edict.support.request_errors import RequestError
from edict.support.text import EDITION, NOWHERE, Source, parse_integer, to_slug
from edict.tools.tables.columns import (
    NAME,
    RULES,
    TEXT,
    TITLE,
    Column,
    find_needed_fields,
    iter_spellings,
    match_columns,
    spell,
)
from edict.tools.tables.spreadsheets import Spreadsheet, SpreadsheetRow

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


Place = tuple[SpreadsheetRow, str]  # a row, and the header of a column or an empty text


@dataclass(frozen=True)
class ThingImport:
    """The definitions of a table."""

    table: Spreadsheet
    kind: t.Kind
    columns: tuple[Column, ...]
    text: str  # the rule file
    names: tuple[str, ...]  # of the things defined in it
    diagnostics: tuple[Diagnostic, ...]  # located in the table where it is at fault

    @property
    def count(self) -> int:
        """The number of definitions."""
        return len(self.names)

    @property
    def ok(self) -> bool:
        """True without errors."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)

    def preview(self) -> list[str]:
        """Return lines that tell which column becomes what, and how many definitions there are."""
        width = max(len(column.header) for column in self.columns)
        counts = count_noun(len(self.table.rows), "row"), count_noun(self.count, "definition")
        return [
            f"{self.table.source.name}: {counts[0]}, {counts[1]} of {plural_title(self.kind)}",
            *(f"  {column.header:{width}}  -> {column.target}" for column in self.columns),
        ]


def import_things(
    rules: AnnotatedRules, kind: t.Kind, table: Spreadsheet, amend: bool = False, into: str = ""
) -> ThingImport:
    """Return the things of a table as definitions, with the diagnostics of the rules that have them.

    Args:
        rules: The rules.
        kind: The kind of the things.
        table: The table.
        amend: Change things that exist already, instead of refusing them; only what differs is written.
        into: Name of the module that gets the definitions; by default a new one over all others.

    Raises:
        RequestError: Columns or titles are missing, wrong, or taken.
    """
    columns = match_columns(table.headers, kind, rules.book)
    builder = ThingBuilder(rules, kind, table, columns)
    things = [(row, builder.build_thing(row)) for row in table.rows]
    _check_names(table, kind, rules.book, things, amend)
    present = {column.field for column in columns}
    missing = [name for name in find_needed_fields(kind) if name not in present]
    if missing and any(thing.name.word not in rules.definitions for _, thing in things):
        reason = f"`{table.source.name}` has no column for {quote_words(missing, 'and')}"
        raise RequestError(reason, f"every {singular_title(kind)} needs it: add the column, or rename one")
    changes = [(row, builder.build_definition(thing)) for row, thing in things]
    entries = [(row, definition) for row, definition in changes if definition is not None]
    text, places = _print_definitions(entries, columns)
    diagnostics = tuple(builder.diagnostics)
    if not diagnostics and entries:
        diagnostics = tuple(_validate(rules, into, table, text, places))
    names = tuple(definition.name.word for _, definition in entries)
    return ThingImport(table, kind, columns, text, names, diagnostics)


class ThingBuilder:
    """Builds things of a kind from rows."""

    def __init__(self, rules: AnnotatedRules, kind: t.Kind, table: Spreadsheet, columns: Sequence[Column]) -> None:
        self.book = book = rules.book
        self.shown = remove_judgement(rules).definitions
        self.kind = kind
        self.table = table
        self.columns = columns
        self.reader = CellReader(book, kind.name.word)
        self.diagnostics: list[Diagnostic] = []
        self.declared = {field.name.word: field for field in kind.fields}

    def build_thing(self, row: SpreadsheetRow) -> t.Thing:
        """Return the thing of a row."""
        cells = {column.role: row.cells[column.header] for column in self.columns if column.header in row.cells}
        title = to_quotable(" ".join(cells.get(TITLE, "").split()))
        text = self.reader.read_text(cells[TEXT]) if TEXT in cells else None
        fields = [*self._iter_fields(row)]
        header = next((column.header for column in self.columns if column.role == RULES), "")
        more_fields, abilities = self.reader.read_rules(cells[RULES]) if RULES in cells else ((), ())
        self._collect_diagnostics(row, header)
        return t.Thing(
            NOWHERE,
            t.Name(NOWHERE, cells.get(NAME) or self._build_name(row, title)),
            title,
            t.Name(NOWHERE, self.kind.name.word),
            (*fields, *more_fields),
            tuple(abilities),
            text,
        )

    def _build_name(self, row: SpreadsheetRow, title: str) -> str:
        """Return a name for a title, with that of the kind before it if names cannot begin so."""
        slug = to_slug(title.partition("/")[0])
        if not slug:
            raise RequestError(f"{self.table.describe(row)}: there is no title", "write one, or delete the row")
        return slug if slug[0].isalpha() else f"{self.kind.name.word}-{slug}"

    def _iter_fields(self, row: SpreadsheetRow) -> Iterator[t.FieldValue]:
        """Yield a value for each field with cells that are not empty, in the order of the kind."""
        for name in (*self.declared, *PROVENANCE_FIELDS):
            possible = [column for column in self.columns if column.field == name]
            columns = [column for column in possible if column.header in row.cells]
            if not columns:
                self._check_empty(row, possible)
                continue
            header, cell = columns[0].header, row.cells[columns[0].header]
            if columns[0].resource:
                yield self._join_amounts(name, row, columns)
            elif name == "source":
                yield t.FieldValue(NOWHERE, t.Name(NOWHERE, name), text=to_quotable(cell))
            elif name == "origin":
                yield t.FieldValue(NOWHERE, t.Name(NOWHERE, name), expr=t.Name(NOWHERE, to_slug(cell) or "-"))
            else:
                yield self.reader.read_field(self.declared[name], cell)
                self._collect_diagnostics(row, header)

    def _check_empty(self, row: SpreadsheetRow, columns: Sequence[Column]) -> None:
        """Report the empty cell of a field that every thing needs."""
        for name in find_needed_fields(self.kind) if columns else ():
            if name == columns[0].field:
                title = f"the cell is empty, but every {singular_title(self.kind)} needs `{name}`"
                diagnostic = Diagnostic("E0301", title, NOWHERE, help="fill in the cell")
                self.diagnostics.append(_locate(self.table, (row, columns[0].header), diagnostic))

    def _join_amounts(self, name: str, row: SpreadsheetRow, columns: Sequence[Column]) -> t.FieldValue:
        """Return a field whose amounts are spread over columns; those of 0 are left out if there are others."""
        cells = [(column, row.cells[column.header]) for column in columns]
        filled = [(column, cell) for column, cell in cells if cell != "0"] or cells[:1]
        parts = list[t.Part]()
        for column, cell in filled:
            parts.append(self.reader.read_amount(cell, column.resource))
            self._collect_diagnostics(row, column.header)
        return t.FieldValue(NOWHERE, t.Name(NOWHERE, name), amounts=t.Bundle(NOWHERE, tuple(parts)))

    def _collect_diagnostics(self, row: SpreadsheetRow, header: str) -> None:
        """Take over what the reader says of the cell that it read last."""
        self.diagnostics += [_locate(self.table, (row, header), diagnostic) for diagnostic in self.reader.diagnostics]
        self.reader.diagnostics = []

    def build_definition(self, thing: t.Thing) -> t.Definition | None:
        """Return the definition that a thing needs: itself, a change of an existing one, or None if nothing differs.

        It is rewritten as a whole where an amendment could not take something away.
        """
        old = self.shown.get(thing.name.word)
        if not isinstance(old, t.Thing):
            return thing
        note = self.book.notes.get(thing.name.word, t.Note())
        present = {column.field for column in self.columns} | {column.role for column in self.columns}
        title = thing.title if TITLE in present and thing.title != old.title else ""
        old_values = {value.name.word: value for value in old.fields}
        values = {value.name.word: value for value in thing.fields}
        changed = tuple(
            value
            for name, value in values.items()
            if not is_same_tree(value, old_values.get(name)) and _read_word(value) not in (note.source, note.origin)
        )
        keeps_rules = RULES not in present or is_same_tree(thing.abilities, old.abilities)
        keeps_text = TEXT not in present or is_same_tree(thing.text, old.text)
        emptied = [name for name in old_values if name in present and name not in values]
        if emptied or not keeps_rules or (not keeps_text and thing.text is None):
            kept = tuple(value for name, value in old_values.items() if name not in present)
            whole = replace(thing, fields=(*thing.fields, *kept), title=thing.title or old.title)
            whole = whole if RULES in present else replace(whole, abilities=old.abilities)
            whole = whole if TEXT in present else replace(whole, text=old.text)
            return t.Amend(NOWHERE, thing.name, "", whole, whole=True)
        if not (title or changed or not keeps_text):
            return None
        text = None if keeps_text else thing.text
        return t.Amend(NOWHERE, thing.name, "", replace(thing, title=title, fields=changed, abilities=(), text=text))


def _read_word(value: t.FieldValue) -> str | None:
    """Return the source or origin that a field gives; None for other fields."""
    if value.name.word not in PROVENANCE_FIELDS:
        return None
    return value.expr.word if isinstance(value.expr, t.Name) else value.text


def _check_names(
    table: Spreadsheet, kind: t.Kind, book: t.Book, things: Iterable[tuple[SpreadsheetRow, t.Thing]], amend: bool
) -> None:
    """Raise `RequestError` for a name that two rows have, or that the rules have already."""
    first: dict[str, SpreadsheetRow] = {}
    existing = list[str]()
    for row, thing in things:
        name, known = thing.name.word, book.definitions.get(thing.name.word)
        other = first.setdefault(name, row)
        if other is not row:
            reason = f"{table.describe(row)}: `{thing.title or name}` is in row {other.number}, too"
            raise RequestError(reason, f"give it another title, or add a column `{NAME}` with different names")
        if known is not None and not (isinstance(known, t.Thing) and known.kind.word == kind.name.word):
            sort = known.kind.word if isinstance(known, t.Thing) else known.sort
            reason = f"{table.describe(row)}: `{name}` is already the name of something else ({sort})"
            raise RequestError(reason, f"give it another title, or add a column `{NAME}` with other names")
        existing += [thing.title or name] if known is not None else []
    if existing and not amend:
        reason = f"{quote_words(existing, 'and')} of `{table.source.name}` exist already"
        raise RequestError(reason, "--amend changes them as the table says; or give these rows other titles")


# --- the rule file ---------------------------------------------------------------------------------


def _print_definitions(
    entries: Iterable[tuple[SpreadsheetRow, t.Definition]], columns: Sequence[Column]
) -> tuple[str, list[Place | None]]:
    """Return definitions in the canonical layout, and the place in the table that each of their lines comes from."""
    headers = {column.field or column.role: column.header for column in reversed(columns)}
    texts, places, above = list[str](), list[Place | None](), list[PrintedLine]()
    for row, definition in entries:
        lines = print_lines(definition)
        if above and (needs_empty_line(above, lines) or len(lines) > 1):
            texts.append("")
            places.append(None)
        header = headers.get(TITLE, "")
        for line in lines:
            if line.depth == 1:
                word = line.text.partition(" ")[0]
                header = headers.get(word) or headers.get(RULES, "")
            texts += line.physical_lines
            places += [(row, header)] * len(line.physical_lines)
        above = lines
    return "".join(f"{text}\n" for text in texts), places


def _validate(
    rules: AnnotatedRules, into: str, table: Spreadsheet, text: str, places: Sequence[Place | None]
) -> Iterator[Diagnostic]:
    """Yield what the compiler says of the rules with this file, with places in the file as places in the table."""
    name = f"{table.source.name}.edict"
    source = Source(name, text)
    modules = [
        replace(module, sources=(*module.sources, source)) if module.name == into else module
        for module in rules.modules
    ]
    if not into:
        below = tuple(module.name for module in modules)
        manifest = Manifest("imported-table", "Imported table", "1.0.0", "module", requires=below, language=EDITION)
        modules.append(Module(manifest, Path("imported-table"), (source,)))
    for diagnostic in analyze(tuple(modules)).diagnostics:
        if diagnostic.span.file == name:
            yield _locate(table, places[diagnostic.span.line - 1], diagnostic)
        elif diagnostic.is_error:
            yield replace(diagnostic, labels=tuple(_locate_label(table, name, places, x) for x in diagnostic.labels))


def _locate_label(table: Spreadsheet, file: str, places: Sequence[Place | None], label: Label) -> Label:
    """Return a label in the definitions as one in the table."""
    place = places[label.span.line - 1] if label.span.file == file else None
    if place is None:
        return label
    return replace(label, span=table.locate(place[0]), text=f"row {place[0].number}, {label.text}")


def _locate(table: Spreadsheet, place: Place | None, diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic about a cell, without edits, which are for the definitions."""
    if place is None:
        return replace(diagnostic, span=NOWHERE, edits=())
    row, header = place
    place_in_table = table.describe(row, header)
    span = table.locate(row)
    if span != NOWHERE:
        place_in_table = place_in_table.removeprefix(f"{table.source.name}, ")
    labels = tuple(label for label in diagnostic.labels if label.span.file != diagnostic.span.file)
    title = f"{place_in_table}: {diagnostic.title}"
    return replace(diagnostic, title=title, span=span, labels=labels, edits=(), readings=())
