"""Columns of tables, matched with the parts of a kind's things by their headers, and the table of a kind.

It has a row for each thing and can be imported again without loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from edict.compiler.layering.thing_json import PROVENANCE_FIELDS, list_countable
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import list_inflected_forms, singular_title
from edict.compiler.syntax.printing import PrintedLine, print_lines
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.things import iter_sentences, sort_things
from edict.support.morphology import add_indefinite_article, quote_words
from edict.support.records import dataclass
from edict.support.report import find_nearest, suggest_word
from edict.support.request_errors import RequestError
from edict.support.text import to_slug

NAME, TITLE, TEXT, RULES, MODULE, DESCRIPTION = "name", "title", "text", "rules", "module", "description"
FIELD, LEFT_OUT = "field", ""
# headers of columns that are no fields, by what they hold; tables are written with the first of each
SPECIAL_HEADERS = {
    NAME: ("name",),
    TITLE: ("title",),
    TEXT: ("text",),
    RULES: ("rules", "rule", "abilities", "ability"),
    LEFT_OUT: (MODULE, DESCRIPTION),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    header: str
    role: str  # NAME, TITLE, TEXT, RULES, FIELD or LEFT_OUT
    field: str = ""
    resource: str = ""  # whose amounts the cells are, if the field is spread over several columns

    @property
    def target(self) -> str:
        """The part of a thing that the cells become, in words."""
        target = self.field if self.role == FIELD else self.role or "left out"
        return f"{target} ({self.resource})" if self.resource else target


def spell(text: str) -> str:
    """Return a word or title without case, spaces and signs, by which headers and cells are compared."""
    return to_slug(text).replace("-", "")


def iter_spellings(named: t.Definition | t.FieldDef) -> Iterator[str]:
    """Yield the spellings of a name and its titles, and last their other numbers."""
    titles = [spell(title) for title in named.title.split("/") if title]
    yield from (spell(named.name.word), *titles)
    yield from (*map(spell, list_inflected_forms(named.name.word)), *(title.removesuffix("s") for title in titles))


def match_columns(headers: Sequence[str], kind: t.Kind, book: t.Book) -> tuple[Column, ...]:
    """Return a column for each header. Raises `RequestError` for a misspelt one, or if titles or fields are missing."""
    known = _index_columns(kind, book)
    columns = [_match_header(header, known) for header in headers]
    if not any(column.role == TITLE for column in columns):
        columns = _find_titles(columns, {*iter_spellings(kind)})
    for column in columns:
        near = find_nearest(spell(column.header), known) if _is_unknown(column, known) else ""
        if near:
            reason = f"{add_indefinite_article(singular_title(kind))} has no field for the column `{column.header}`"
            raise RequestError(reason, f"did you mean `{known[near][0].header}`? Rename the column, or delete it")
    if not any(column.role == TITLE for column in columns):
        raise RequestError("no column has the titles", f"name that column `Title`, or `{singular_title(kind)}`")
    _check_repeated_fields(columns)
    return tuple(columns)


def find_needed_fields(kind: t.Kind) -> list[str]:
    """Return the fields that every thing of a kind needs."""
    return [field.name.word for field in kind.fields if field.type is not None and not field.optional]


def _is_unknown(column: Column, known: dict[str, list[Column]]) -> bool:
    return column.role == LEFT_OUT and spell(column.header) not in known


def _index_columns(kind: t.Kind, book: t.Book) -> dict[str, list[Column]]:
    """Return the columns that a header may mean, by its spelling; several for an amount of more than one field."""
    known: dict[str, list[Column]] = {}
    fields = [field for field in kind.fields if field.type is not None]
    own = ((spell(field.name.word), field) for field in fields)
    others = ((spelling, field) for field in fields for spelling in iter_spellings(field))
    for spelling, field in chain(own, others):
        known.setdefault(spelling, [Column(field.title or field.name.word, FIELD, field.name.word)])
    for role, headers in SPECIAL_HEADERS.items():
        for header in headers:
            known.setdefault(header, [Column(header, role)])
    for name in PROVENANCE_FIELDS:
        known.setdefault(name, [Column(name, FIELD, name)])
    amounts: dict[str, dict[Column, None]] = {}
    for field in fields:
        if field.type is not None and field.type.shape == "amounts":
            for form, column in _iter_amount_headers(field, book):
                amounts.setdefault(form, {})[column] = None
    return {form: list(columns) for form, columns in amounts.items()} | known


def _iter_amount_headers(field: t.FieldDef, book: t.Book) -> Iterator[tuple[str, Column]]:
    """Yield each header that may mean an amount of a resource in a field, with its column."""
    labels = ["", *iter_spellings(field)]
    for resource in list_countable(book):
        column = Column(f"{field.name.word} {resource}", FIELD, field.name.word, resource)
        for spelling in iter_spellings(book.definitions[resource]):
            yield from ((label + spelling, column) for label in labels)


def _match_header(header: str, known: dict[str, list[Column]]) -> Column:
    """Return the column of a header. Raises `RequestError` for an amount that several fields have."""
    matches = known.get(spell(header)) or [Column(header, LEFT_OUT)]
    if len(matches) > 1:
        fields = quote_words(column.field for column in matches)
        raise RequestError(f"the column `{header}` may be for {fields}", f"name it as in `{matches[0].header}`")
    return Column(header, matches[0].role, matches[0].field, matches[0].resource)


def _find_titles(columns: list[Column], spellings: set[str]) -> list[Column]:
    """Return columns of which one has the titles: that of the kind, else of names, else the first if it is no field."""
    candidates = (
        *(column for column in columns if column.role == LEFT_OUT and spell(column.header) in spellings),
        *(column for column in columns if column.role == NAME),
        *(column for column in columns[:1] if column.role == LEFT_OUT),
    )
    found = next(iter(candidates), None)
    return [Column(column.header, TITLE) if column is found else column for column in columns]


def _check_repeated_fields(columns: Sequence[Column]) -> None:
    """Raise `RequestError` if two columns are for the same part of a thing."""
    first: dict[tuple[str, str, str], Column] = {}
    whole = {column.field: column for column in columns if column.role == FIELD and not column.resource}
    for column in columns:
        other = first.setdefault((column.role, column.field, column.resource), column)
        other = whole.get(column.field, other) if column.resource else other
        if column.role != LEFT_OUT and other is not column:
            reason = f"the columns `{other.header}` and `{column.header}` are both for `{column.target}`"
            raise RequestError(reason, "rename or delete one of them")


def require_kind(rules: AnnotatedRules, text: str) -> t.Kind:
    """Return the kind with a name or title. Raises `RequestError`."""
    kinds = [definition for definition in rules.definitions.values() if isinstance(definition, t.Kind)]
    matches = [kind for kind in kinds if kind.name.word == text]
    matches += [kind for kind in kinds if spell(text) in iter_spellings(kind)]
    if not matches:
        names = [kind.name.word for kind in kinds]
        remedy = suggest_word(text, names) or f"kinds: {', '.join(names) or 'none'}"
        raise RequestError(f"no kind of things named `{text}` in {rules.title}", remedy)
    return matches[0]


def build_rows(rules: AnnotatedRules, kind_name: str) -> list[dict[str, str]]:
    """Return a row for each thing of a kind: its cells by header, in Edict except for the description at the end.

    Fields that only bots use are left out. Raises `RequestError` if there is no such kind.
    """
    rules = remove_judgement(rules)
    kind = require_kind(rules, kind_name)
    return [build_row(rules, kind, thing) for thing in sort_things(rules, kind)]


def build_row(rules: AnnotatedRules, kind: t.Kind, thing: t.Thing) -> dict[str, str]:
    """Return the cells of a thing by header."""
    note = rules.book.notes.get(thing.name.word, t.Note())
    manifest = next(module.manifest for module in rules.modules if module.name == note.module)
    values = {value.name.word: _format_value(value) for value in thing.fields}
    return {
        NAME: thing.name.word,
        TITLE: thing.title,
        **{field.name.word: values.get(field.name.word, "") for field in kind.fields if field.type is not None},
        TEXT: _format_text(thing.text),
        RULES: "\n".join(_format_line(line) for ability in thing.abilities for line in print_lines(ability)),
        "source": note.source if note.source != manifest.source else "",
        "origin": note.origin if note.origin != manifest.origin else "",
        MODULE: note.module,
        DESCRIPTION: " ".join(iter_sentences(rules, thing)),
    }


def _format_value(value: t.FieldValue) -> str:
    """Return the value of a field as it stands behind the field's name, or below it."""
    first, *below = map(_format_line, print_lines(value))
    return first.removeprefix(value.name.word).lstrip() or "\n".join(line.removeprefix("  ") for line in below)


def _format_text(text: t.Text | None) -> str:
    """Return the author's words, in quotation marks only if names stand between them."""
    match text.parts if text is not None else ():
        case ():
            return ""
        case (str(words),):
            return words
    assert text is not None
    return " ".join(map(_format_line, print_lines(text))).removeprefix("text ")


def _format_line(line: PrintedLine) -> str:
    """Return a line unbroken, with its indentation."""
    return "  " * line.depth + line.text
