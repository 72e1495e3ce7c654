"""The chapters of kinds of things, laid out as grids, tables or cards."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from edict.compiler.english import OutlineLine, describe, describe_block, iter_thing_sentences, title_of
from edict.compiler.english.ability_phrases import describe_works_if
from edict.compiler.english.condition_phrases import option_title
from edict.compiler.lowering.constants import FieldConstants
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plural_title, singular_title
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.chapters import (
    REFERENCE,
    Block,
    Card,
    Cards,
    Grid,
    Paragraph,
    Passages,
    Section,
    Steps,
    Table,
    TableRow,
)
from edict.support.morphology import capitalize, join_words, to_sentence

PRINTED_ORIGINS = ("", "printed")  # origins that need no mark


def build_kind_sections(rules: AnnotatedRules, passages: Passages) -> tuple[Section, ...]:
    """Build a section for each kind that has something to describe."""
    grids, axes = _grid_displays(rules), find_axis_kinds(rules) | find_name_kinds(rules)
    sections = []
    for kind in rules.definitions.values():
        if isinstance(kind, t.Kind) and rules.linked.things[kind.name.word] and kind.name.word not in axes:
            if not is_list_of_effects(rules, kind):
                sections.append(_build_section(rules, kind, grids.get(kind.name.word), passages))
    return tuple(sorted(sections, key=lambda section: all(isinstance(block, Paragraph) for block in section.blocks)))


def _grid_displays(rules: AnnotatedRules) -> dict[str, t.Display]:
    """Return the panel that lays out a kind as a grid, by the name of the kind."""
    return {
        name: display
        for display in rules.definitions.values()
        if isinstance(display, t.Display)
        for name in _iter_gridded_kinds(rules, display)
    }


def find_axis_kinds(rules: AnnotatedRules) -> set[str]:
    """Return the names of kinds without rules of their own that only label rows or columns of a grid."""
    return {name for kind, display in _grid_displays(rules).items() for name in _iter_axis_kinds(rules, kind, display)}


def find_name_kinds(rules: AnnotatedRules) -> set[str]:
    """Return the kinds whose things are only titles, shown on things of other kinds."""
    field_kinds = {
        field.type.name.word
        for kind_def in rules.definitions.values()
        if isinstance(kind_def, t.Kind)
        for field in kind_def.fields
        if field.type is not None and field.type.name is not None
    }
    return {
        name
        for name in field_kinds
        if isinstance(kind := rules.definitions.get(name), t.Kind)
        and not kind.fields
        and not any(thing.abilities for thing in rules.linked.things[name])
    }


def is_list_of_effects(rules: AnnotatedRules, kind: t.Definition) -> bool:
    """Return True for a kind whose things have nothing but one effect, as in a list of options."""
    if not isinstance(kind, t.Kind):
        return False
    things = rules.linked.things[kind.name.word]
    printed = [field for field in kind.fields if field.type is not None and field.name.word != _order_field(kind)]
    has_one_effect = len(printed) == 1 and printed[0].type is not None and printed[0].type.shape == "effect"
    return has_one_effect and not any(thing.abilities for thing in things)


def _order_field(kind: t.Kind) -> str:
    """Return the name of the field that orders a kind's things; an empty text without such a field."""
    return kind.order.word if isinstance(kind.order, t.Name) else ""


def build_effect_lists(rules: AnnotatedRules, described: Container[str]) -> Iterator[Block]:
    """Build the blocks of effect lists for the back of the book, but for the kinds that are described elsewhere."""
    for kind in rules.definitions.values():
        if not isinstance(kind, t.Kind) or kind.name.word in described:
            continue
        if rules.linked.things[kind.name.word] and is_list_of_effects(rules, kind):
            section = _build_section(rules, kind, None, Passages())
            rows = [row for block in section.blocks if isinstance(block, Table) for row in block.rows]
            lines_ = tuple(OutlineLine(f"{row.cells[0]}: {row.cells[-1]}") for row in rows if _says_more(rules, row))
            if lines_:
                yield Steps(lines_, heading=section.title, anchor=kind.name.word)


def _says_more(rules: AnnotatedRules, row: TableRow) -> bool:
    """Return True for the row of a thing with an effect that is more than its title: unlike `1 gold: Gain 1 gold`."""
    thing = rules.definitions[row.anchor]
    title, effect = (text.casefold().rstrip(".") for text in (row.cells[0], row.cells[-1]))
    return isinstance(thing, t.Thing) and any(iter_sentences(rules, thing)) and not effect.endswith(title)


def _iter_gridded_kinds(rules: AnnotatedRules, display: t.Display) -> Iterator[str]:
    """Yield the kind that a panel lays out by two of its fields, if it does."""
    if display.each is None or not isinstance(display.rows, t.Apply) or not isinstance(display.columns_by, t.Apply):
        return
    meanings = [rules.resolved.meaning[axis.head] for axis in (display.rows, display.columns_by)]
    if all(meaning.sort == "field" for meaning in meanings):
        yield rules.resolved.meaning[display.each].name


def _iter_axis_kinds(rules: AnnotatedRules, kind: str, display: t.Display) -> Iterator[str]:
    """Yield each kind that is the type of a grid's row or column field, if none of its things has rules."""
    for axis in (display.rows, display.columns_by):
        assert isinstance(axis, t.Apply)
        for field in rules.definitions[kind].fields:  # type: ignore[attr-defined]
            if field.name.word == axis.head.word and field.type is not None and field.type.name is not None:
                name = field.type.name.word
                if not any(_has_rules(thing) for thing in rules.linked.things.get(name, ())):
                    yield name


def _has_rules(thing: t.Thing) -> bool:
    """Return True if a thing has abilities or a field with steps."""
    return bool(thing.abilities) or any(field.block for field in thing.fields)


def sort_things(rules: AnnotatedRules, kind: t.Kind) -> list[t.Thing]:
    """Return the things of a kind in its declared order, or sorted by their numbers."""
    things = list(rules.linked.things[kind.name.word])
    if kind.order is not None:
        return things
    numbers = [
        field_def.name.word
        for field_def in kind.fields
        if field_def.type is not None and field_def.type.shape == "number" and not field_def.optional
    ]
    return sorted(things, key=lambda thing: [_number_in_field(thing, field) for field in numbers])


def _number_in_field(thing: t.Thing, field: str) -> int:
    """Return the literal number in a field of a thing, also a negative one; 0 if there is none."""
    value = next((field_value.expr for field_value in thing.fields if field_value.name.word == field), None)
    if isinstance(value, t.Unary) and isinstance(value.arg, t.Number):
        return -value.arg.value
    return value.value if isinstance(value, t.Number) else 0


# --- a chapter -------------------------------------------------------------------------------------


def _build_section(rules: AnnotatedRules, kind: t.Kind, display: t.Display | None, passages: Passages) -> Section:
    """Build a kind's section with a grid (if a panel has one), cards (if things have abilities) or a table."""
    plural = plural_title(kind)
    things = sort_things(rules, kind)
    blocks: list[Block] = [
        *passages.iter_passages(kind.name.word),
        *(Paragraph(text) for text in _describe_users(rules, kind)),
    ]
    if display is not None:
        blocks.append(_build_grid(rules, kind, things, display))
    elif any(thing.abilities for thing in things):
        blocks.append(Cards(tuple(build_card(rules, thing) for thing in things)))
    else:
        table = _build_table(rules, kind, things)
        titles = _summarize_numbered_rows(table) or join_words(row.cells[0] for row in table.rows) * (
            len(table.heads) == 1
        )
        blocks.append(Paragraph(to_sentence(titles)) if titles else table)
    return Section(
        capitalize(plural), kind.name.word, (*blocks, *passages.iter_examples(kind.name.word)), part=REFERENCE
    )


def _summarize_numbered_rows(table: Table) -> str:
    """Return a range for many things with nothing but a number: `Card 1 to Card 104`."""
    rows = [row.cells for row in table.rows if not row.heading]
    only_numbers = len(table.heads) > 1 and len(table.numbers) == len(table.heads) - 1
    if len(rows) > 9 and only_numbers and all(number in cells[0] for cells in rows for number in cells[1:]):
        return f"{rows[0][0]} to {rows[-1][0]}"
    return ""


def _describe_users(rules: AnnotatedRules, kind: t.Kind) -> Iterator[str]:
    """Yield the sentence on the kind's `works if` condition, if it has one and things with abilities."""
    if kind.works_if is not None and any(thing.abilities for thing in rules.linked.things[kind.name.word]):
        yield to_sentence(describe_works_if(rules.resolved, kind))


def build_card(rules: AnnotatedRules, thing: t.Thing, omitted: Sequence[str] = ()) -> Card:
    """Return the card of a thing, without the fields in `omitted`."""
    note = rules.book.notes.get(thing.name.word, t.Note())
    facts = [(name, text) for name, text in iter_facts(rules, thing) if name not in omitted]
    return Card(
        singular_title(thing),
        thing.name.word,
        tuple(facts),
        tuple(iter_sentences(rules, thing)),
        "" if note.origin in PRINTED_ORIGINS else note.origin,
        note.source if note.origin not in PRINTED_ORIGINS else "",
        note.module,
    )


def iter_sentences(rules: AnnotatedRules, thing: t.Thing) -> Iterator[str]:
    """Iterate over the sentences on a thing, one for each effect and ability."""
    yield from iter_thing_sentences(rules.resolved, thing)


def iter_facts(rules: AnnotatedRules, thing: t.Thing) -> Iterator[tuple[str, str]]:
    """Iterate over the printed values of a thing with the titles of their fields."""
    kind = rules.definitions[thing.kind.word]
    assert isinstance(kind, t.Kind)
    values = {value.name.word: value for value in thing.fields}
    for field in kind.fields:
        value = values.get(field.name.word)
        if value is not None and not value.block and field.type is not None:
            text = describe_field_value(rules, field, value)
            if text:
                yield _field_title(rules, field), "" if field.type.shape == "truth" and text == "yes" else text


def _field_title(rules: AnnotatedRules, field: t.FieldDef) -> str:
    return option_title(plural_title(field))


def describe_field_value(rules: AnnotatedRules, field: t.FieldDef, value: t.FieldValue) -> str:
    """Return a field value as a card shows it."""
    if value.amounts is not None:
        return describe(rules.resolved, value.amounts).replace(" and ", ", ")
    if value.text is not None:
        return value.text
    if value.expr is None:
        return ""
    words = describe(rules.resolved, value.expr)
    return "" if words in ("no", "none") and field.optional else words


# --- grids -----------------------------------------------------------------------------------------


def _build_grid(rules: AnnotatedRules, kind: t.Kind, things: Sequence[t.Thing], display: t.Display) -> Grid:
    """Return cards in a grid by the two fields that the panel uses as row and column, omitted on the cards."""
    assert isinstance(display.rows, t.Apply) and isinstance(display.columns_by, t.Apply)
    row, column = display.rows.head.word, display.columns_by.head.word
    rows, columns = _list_coordinates(rules, kind, things, row), _list_coordinates(rules, kind, things, column)
    fields = {field.name.word: _field_title(rules, field) for field in kind.fields}
    omitted = (fields[row], fields[column])
    layers = [module.name for module in rules.modules]
    by_module = sorted(things, key=lambda item: layers.index(rules.book.notes[item.name.word].module))
    cards_at: dict[tuple[str, str], list[Card]] = {}
    for thing in by_module:
        position = (_coordinate(rules, thing, row), _coordinate(rules, thing, column))
        cards_at.setdefault(position, []).append(build_card(rules, thing, omitted))
    cells = tuple(
        tuple(tuple(cards_at.get((row_title, column_title), ())) for column_title in columns) for row_title in rows
    )
    return Grid(tuple(rows), tuple(columns), cells, capitalize(omitted[0]), capitalize(omitted[1]))


def _coordinate(rules: AnnotatedRules, thing: t.Thing, field: str) -> str:
    """Return the value of a field in words, to place the thing on an axis; an empty text without a value."""
    value = next((f.expr for f in thing.fields if f.name.word == field), None)
    return describe(rules.resolved, value) if value is not None else ""


def _list_coordinates(rules: AnnotatedRules, kind: t.Kind, things: Sequence[t.Thing], field: str) -> list[str]:
    """Return the values of a field that occur, things in the order of their kind and numbers by size."""
    occurring = dict.fromkeys(_coordinate(rules, thing, field) for thing in things)
    declared = next(field_def for field_def in kind.fields if field_def.name.word == field)
    if declared.type is not None and declared.type.name is not None and declared.type.shape == "thing":
        others = rules.definitions.get(declared.type.name.word)
        order = sort_things(rules, others) if isinstance(others, t.Kind) else []
        titles = [singular_title(thing) for thing in order]
        return [title for title in dict.fromkeys(titles) if title in occurring]
    return sorted(occurring, key=lambda text: (len(text), text))


# --- tables ----------------------------------------------------------------------------------------


def _build_table(rules: AnnotatedRules, kind: t.Kind, things: Sequence[t.Thing]) -> Table:
    """Build a table of things, under group headings if their first number forms a few groups."""
    fields = [field_def for field_def in kind.fields if any(_cell_text(rules, thing, field_def) for thing in things)]
    group = _grouping_field(kind, things)
    shown = [field_def for field_def in fields if field_def is not group]
    rows: list[TableRow] = []
    last = ""
    for thing in things:
        if group:
            heading = f"{capitalize(_field_title(rules, group))} {_cell_text(rules, thing, group)}"
        else:
            heading = ""
        if heading != last:
            rows.append(TableRow((heading,), heading=True))
            last = heading
        rows.append(_build_row(rules, thing, shown))
    heads = tuple(capitalize(_field_title(rules, field)) for field in shown)
    numbers = tuple(
        i for i, field_def in enumerate(shown, 1) if field_def.type is not None and field_def.type.shape == "number"
    )
    return Table((capitalize(singular_title(kind)), *heads), tuple(rows), numbers)


def _build_row(rules: AnnotatedRules, thing: t.Thing, fields: Sequence[t.FieldDef]) -> TableRow:
    """Build a thing's table row of title and fields, with mark and source unless its origin is printed."""
    note = rules.book.notes.get(thing.name.word, t.Note())
    mark = "" if note.origin in PRINTED_ORIGINS else note.origin
    title = singular_title(thing)
    return TableRow(
        (title, *(_cell_text(rules, thing, field) for field in fields)),
        thing.name.word,
        mark,
        note.source if mark else "",
    )


def _cell_text(rules: AnnotatedRules, thing: t.Thing, field: t.FieldDef) -> str:
    """Return a table cell for a field; the author's text, if any, replaces effects, in the first such field only."""
    value = next((field_value for field_value in thing.fields if field_value.name.word == field.name.word), None)
    if value is None:
        return _list_computed_members(rules, thing, field)
    if value.block is not None and thing.text is not None and rules.resolved.authored:
        first = next(other for other in thing.fields if other.block is not None)
        if value is first:
            return to_sentence(describe(rules.resolved, thing.text))
        return ""
    if value.block is not None:
        return to_sentence(describe_block(rules.resolved, value.block))
    words = describe_field_value(rules, field, value)
    return "" if words == singular_title(thing) else words  # a reference to a thing of the same title says nothing


def _list_computed_members(rules: AnnotatedRules, thing: t.Thing, field: t.FieldDef) -> str:
    """Return the titles of the things in a computed field that players see; an empty text for other fields."""
    type_ = rules.resolved.types.get(field.value) if field.value is not None and field.shown else None
    if type_ is None or type_.shape != "set" or type_.kind not in rules.linked.things:
        return ""
    kind = thing.kind.word
    number = rules.linked.things[kind].index(thing)
    members = FieldConstants(rules.linked).field_table(kind, field.name.word)[number]
    return join_words(
        singular_title(member) for i, member in enumerate(rules.linked.things[type_.kind]) if members >> i & 1
    )


def _grouping_field(kind: t.Kind, things: Sequence[t.Thing]) -> t.FieldDef | None:
    """Return the first number field if it splits 8 or more unordered things into groups of 3 or more; else None."""
    numbers = [
        field for field in kind.fields if field.type is not None and field.type.shape == "number" and not field.optional
    ]
    if kind.order is not None or not numbers or len(things) < 8:
        return None
    groups = {_number_in_field(thing, numbers[0].name.word) for thing in things}
    return numbers[0] if 1 < len(groups) <= len(things) // 3 else None


__all__ = ["build_card", "iter_facts", "build_kind_sections", "sort_things", "iter_sentences", "title_of"]
