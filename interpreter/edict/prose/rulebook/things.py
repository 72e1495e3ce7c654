"""The chapters of things: kinds as grids, tables or cards, by what they declare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.compiler.english import Line, block_words, tell, thing_sentences, title_of
from edict.compiler.english.ability_phrases import works_for
from edict.compiler.english.truths import option_title
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plural_title, singular_title
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.chapters import (
    REFERENCE,
    Block,
    Card,
    Cards,
    Grid,
    Paragraph,
    Section,
    Steps,
    Table,
    TableRow,
)
from edict.prose.rulebook.passages import Passages
from edict.support.morphology import capitalize, join_words, to_sentence

PRINTED = ("", "printed")


def kind_sections(known: Known, said: Passages) -> tuple[Section, ...]:
    """A chapter for each kind that has something to tell."""
    grids, axes = _grids(known), axes_of_panels(known) | mere_names(known)
    found = []
    for kind in known.definitions.values():
        if isinstance(kind, t.Kind) and known.linked.things[kind.name.word] and kind.name.word not in axes:
            if not is_list_of_effects(known, kind):
                found.append(_section(known, kind, grids.get(kind.name.word), said))
    return tuple(sorted(found, key=lambda section: all(isinstance(block, Paragraph) for block in section.blocks)))


def _grids(known: Known) -> dict[str, t.Display]:
    return {
        name: display
        for display in known.definitions.values()
        if isinstance(display, t.Display)
        for name in _gridded(known, display)
    }


def axes_of_panels(known: Known) -> set[str]:
    """Kinds that say nothing but where something stands in a panel."""
    return {name for kind, display in _grids(known).items() for name in _axes(known, kind, display)}


def mere_names(known: Known) -> set[str]:
    """Kinds whose things have nothing but a title, which stands on the things of another kind."""
    on_others = {
        field.type.name.word
        for one in known.definitions.values()
        if isinstance(one, t.Kind)
        for field in one.fields
        if field.type is not None and field.type.name is not None
    }
    return {
        name
        for name in on_others
        if isinstance(kind := known.definitions.get(name), t.Kind)
        and not kind.fields
        and not any(thing.abilities for thing in known.linked.things[name])
    }


def is_list_of_effects(known: Known, kind: t.Definition) -> bool:
    """Whether a kind is no more than a list of things to do, of which some step chooses or does all."""
    assert isinstance(kind, t.Kind)
    things = known.linked.things[kind.name.word]
    printed = [field for field in kind.fields if field.type is not None and field.name.word != _order(kind)]
    only = len(printed) == 1 and printed[0].type is not None and printed[0].type.shape == "effect"
    return only and not any(thing.abilities for thing in things)


def _order(kind: t.Kind) -> str:
    return kind.order.word if isinstance(kind.order, t.Name) else ""


def lists_of_effects(known: Known) -> Iterator[Block]:
    """What such kinds hold, for the back of the book."""
    for kind in known.definitions.values():
        if isinstance(kind, t.Kind) and known.linked.things[kind.name.word] and is_list_of_effects(known, kind):
            section = _section(known, kind, None, Passages())
            rows = [row for block in section.blocks if isinstance(block, Table) for row in block.rows]
            told = tuple(Line(f"{row.cells[0]}: {row.cells[-1]}") for row in rows if _does(known, row.anchor))
            yield Steps(told, heading=section.title, anchor=kind.name.word)


def _does(known: Known, name: str) -> bool:
    """Whether there is anything to say of what a thing does; what waits for an option does nothing by itself."""
    thing = known.definitions[name]
    return isinstance(thing, t.Thing) and any(sentences(known, thing))


def _gridded(known: Known, display: t.Display) -> Iterator[str]:
    """The kind that a panel lays out by two of its fields."""
    if display.each is None or not isinstance(display.rows, t.Apply) or not isinstance(display.columns_by, t.Apply):
        return
    meanings = [known.resolved.meaning[axis.head] for axis in (display.rows, display.columns_by)]
    if all(meaning.sort == "field" for meaning in meanings):
        yield known.resolved.meaning[display.each].name


def _axes(known: Known, kind: str, display: t.Display) -> Iterator[str]:
    """Kinds that say nothing but where a thing stands in a grid."""
    for axis in (display.rows, display.columns_by):
        assert isinstance(axis, t.Apply)
        for field in known.definitions[kind].fields:  # type: ignore[attr-defined]
            if field.name.word == axis.head.word and field.type is not None and field.type.name is not None:
                name = field.type.name.word
                if not any(_says_something(thing) for thing in known.linked.things.get(name, ())):
                    yield name


def _says_something(thing: t.Thing) -> bool:
    return bool(thing.abilities) or any(field.block for field in thing.fields)


def ordered(known: Known, kind: t.Kind) -> list[t.Thing]:
    """The things of a kind in the order it declares; else by their numbers, the first number first."""
    things = list(known.linked.things[kind.name.word])
    if kind.order is not None:
        return things
    numbers = [f.name.word for f in kind.fields if f.type is not None and f.type.shape == "number" and not f.optional]
    return sorted(things, key=lambda thing: [_number(thing, field) for field in numbers])


def _number(thing: t.Thing, field: str) -> int:
    value = next((f.expr for f in thing.fields if f.name.word == field), None)
    if isinstance(value, t.Unary) and isinstance(value.arg, t.Number):
        return -value.arg.value
    return value.value if isinstance(value, t.Number) else 0


# --- a chapter -------------------------------------------------------------------------------------


def _section(known: Known, kind: t.Kind, display: t.Display | None, said: Passages) -> Section:
    many = plural_title(kind)
    things = ordered(known, kind)
    blocks: list[Block] = [*said.passages(kind.name.word), *(Paragraph(text) for text in _whom(known, kind))]
    if display is not None:
        blocks.append(_grid(known, kind, things, display))
    elif any(thing.abilities for thing in things):
        blocks.append(Cards(tuple(card(known, thing) for thing in things)))
    else:
        table = _table(known, kind, things)
        titles = _from_to(table) or join_words(row.cells[0] for row in table.rows) * (len(table.heads) == 1)
        blocks.append(Paragraph(to_sentence(titles)) if titles else table)
    return Section(capitalize(many), kind.name.word, (*blocks, *said.examples(kind.name.word)), part=REFERENCE)


def _from_to(table: Table) -> str:
    """Of many things that have nothing but numbers, which are their names, too: `Card 1 to Card 104`."""
    rows = [row.cells for row in table.rows if not row.heading]
    only_numbers = len(table.heads) > 1 and len(table.numbers) == len(table.heads) - 1
    if len(rows) > 9 and only_numbers and all(number in cells[0] for cells in rows for number in cells[1:]):
        return f"{rows[0][0]} to {rows[-1][0]}"
    return ""


def _whom(known: Known, kind: t.Kind) -> Iterator[str]:
    """For whom the abilities of things of the kind work."""
    if kind.works_if is not None and any(thing.abilities for thing in known.linked.things[kind.name.word]):
        yield to_sentence(works_for(known.resolved, kind))


def card(known: Known, thing: t.Thing, leaving: Sequence[str] = ()) -> Card:
    """A thing with its values and what it does; fields that are described elsewhere are left out."""
    note = known.book.notes.get(thing.name.word, t.Note())
    facts = [(name, text) for name, text in facts_of(known, thing) if name not in leaving]
    return Card(
        singular_title(thing),
        thing.name.word,
        tuple(facts),
        tuple(sentences(known, thing)),
        "" if note.origin in PRINTED else note.origin,
        note.source if note.origin not in PRINTED else "",
        note.module,
    )


def sentences(known: Known, thing: t.Thing) -> Iterator[str]:
    """What a thing does, a sentence for each effect and ability."""
    yield from thing_sentences(known.resolved, thing)


def facts_of(known: Known, thing: t.Thing) -> Iterator[tuple[str, str]]:
    """The values printed on a thing, by the titles of their fields; what only bots look at is left out."""
    kind = known.definitions[thing.kind.word]
    assert isinstance(kind, t.Kind)
    written = {value.name.word: value for value in thing.fields}
    for field in kind.fields:
        value = written.get(field.name.word)
        if value is not None and not value.block and field.type is not None:
            text = value_words(known, field, value)
            if text:
                yield _field_title(known, field), "" if field.type.shape == "truth" and text == "yes" else text


def _field_title(known: Known, field: t.FieldDef) -> str:
    return option_title(plural_title(field))


def value_words(known: Known, field: t.FieldDef, value: t.FieldValue) -> str:
    """A value as one reads it on a card."""
    if value.amounts is not None:
        return tell(known.resolved, value.amounts).replace(" and ", ", ")
    if value.text is not None:
        return value.text
    if value.expr is None:
        return ""
    words = tell(known.resolved, value.expr)
    return "" if words in ("no", "none") and field.optional else words


# --- grids -----------------------------------------------------------------------------------------


def _grid(known: Known, kind: t.Kind, things: Sequence[t.Thing], display: t.Display) -> Grid:
    """The kind as the panel lays it out; cards without the two fields that say where they stand."""
    assert isinstance(display.rows, t.Apply) and isinstance(display.columns_by, t.Apply)
    row, column = display.rows.head.word, display.columns_by.head.word
    rows, columns = _places(known, kind, things, row), _places(known, kind, things, column)
    fields = {field.name.word: _field_title(known, field) for field in kind.fields}
    leaving = (fields[row], fields[column])
    layers = [module.name for module in known.modules]
    by_module = sorted(things, key=lambda x: layers.index(known.book.notes[x.name.word].module))
    at: dict[tuple[str, str], list[Card]] = {}
    for thing in by_module:
        where = (_at(known, thing, row), _at(known, thing, column))
        at.setdefault(where, []).append(card(known, thing, leaving))
    cells = tuple(tuple(tuple(at.get((r, c), ())) for c in columns) for r in rows)
    return Grid(tuple(rows), tuple(columns), cells, capitalize(leaving[0]), capitalize(leaving[1]))


def _at(known: Known, thing: t.Thing, field: str) -> str:
    value = next((f.expr for f in thing.fields if f.name.word == field), None)
    return tell(known.resolved, value) if value is not None else ""


def _places(known: Known, kind: t.Kind, things: Sequence[t.Thing], field: str) -> list[str]:
    """The values of a field that occur: things of another kind in their order, numbers by size."""
    found = dict.fromkeys(_at(known, thing, field) for thing in things)
    declared = next(f for f in kind.fields if f.name.word == field)
    if declared.type is not None and declared.type.name is not None and declared.type.shape == "thing":
        others = known.definitions.get(declared.type.name.word)
        order = ordered(known, others) if isinstance(others, t.Kind) else []
        titles = [singular_title(thing) for thing in order]
        return [title for title in dict.fromkeys(titles) if title in found]
    return sorted(found, key=lambda text: (len(text), text))


# --- tables ----------------------------------------------------------------------------------------


def _table(known: Known, kind: t.Kind, things: Sequence[t.Thing]) -> Table:
    """A row for each thing; under headings when their first number says of which of a few groups they are."""
    fields = [f for f in kind.fields if f.type is not None and any(_cell(known, thing, f) for thing in things)]
    group = _grouping(kind, things)
    shown = [f for f in fields if f is not group]
    rows: list[TableRow] = []
    last = ""
    for thing in things:
        heading = f"{capitalize(_field_title(known, group))} {_cell(known, thing, group)}" if group else ""
        if heading != last:
            rows.append(TableRow((heading,), heading=True))
            last = heading
        rows.append(_row(known, thing, shown))
    heads = tuple(capitalize(_field_title(known, field)) for field in shown)
    numbers = tuple(i for i, f in enumerate(shown, 1) if f.type is not None and f.type.shape == "number")
    return Table((capitalize(singular_title(kind)), *heads), tuple(rows), numbers)


def _row(known: Known, thing: t.Thing, fields: Sequence[t.FieldDef]) -> TableRow:
    note = known.book.notes.get(thing.name.word, t.Note())
    mark = "" if note.origin in PRINTED else note.origin
    title = singular_title(thing)
    return TableRow(
        (title, *(_cell(known, thing, f) for f in fields)), thing.name.word, mark, note.source if mark else ""
    )


def _cell(known: Known, thing: t.Thing, field: t.FieldDef) -> str:
    value = next((f for f in thing.fields if f.name.word == field.name.word), None)
    if value is None:
        return ""
    if value.block is not None and thing.text is not None and known.resolved.authored:
        first = next(one for one in thing.fields if one.block is not None)
        return to_sentence(tell(known.resolved, thing.text)) if value is first else ""
    if value.block is not None:
        return to_sentence(block_words(known.resolved, value.block))
    return value_words(known, field, value)


def _grouping(kind: t.Kind, things: Sequence[t.Thing]) -> t.FieldDef | None:
    """The number by which the things fall into a few groups, if the kind has no order of its own."""
    numbers = [f for f in kind.fields if f.type is not None and f.type.shape == "number" and not f.optional]
    if kind.order is not None or not numbers or len(things) < 8:
        return None
    groups = {_number(thing, numbers[0].name.word) for thing in things}
    return numbers[0] if 1 < len(groups) <= len(things) // 3 else None


__all__ = ["card", "facts_of", "kind_sections", "ordered", "sentences", "title_of"]
