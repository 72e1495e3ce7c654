"""The pass `expand`, which expands tables and combinations to things.

Combinations range over the values that are declared in their own module and in those it is laid over. A module that
adds another suit declares itself which cards come with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, product
from math import prod

from edict.compiler.sources.input_limits import MOST_THINGS, count_signs
from edict.compiler.sources.module_set import Module, compute_layers_below, sort_modules
from edict.compiler.sources.work_budget import CHECKING, WRITING_OUT, set_current_definition, spend
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.printing.expression_printer import print_amounts
from edict.compiler.syntax.traversal import copy_nodes, walk
from edict.support.morphology import count_noun, quote_words
from edict.support.report import Diagnostic, Label, Outcome, suggest_word

ModulePages = Sequence[tuple[Module, Sequence[t.Page]]]  # modules with their pages
COMMON_FIELDS = ("source", "origin")
CombinedValue = tuple[str, str, t.Expr]


def expand(module_pages: ModulePages) -> Outcome[ModulePages]:
    """Return each module's pages with its tables and combinations replaced by the things that they define."""
    spend(CHECKING * sum(count_signs(source) for module, _ in module_pages for source in module.sources))
    layers_below = compute_layers_below(module for module, _ in module_pages)
    pages = dict(iter_pages_in_order(module_pages))
    diagnostics: list[Diagnostic] = []
    result = []
    for module, own_pages in module_pages:
        visible_pages = [pages[name] for name in pages if name == module.name or name in layers_below[module.name]]
        visible = _VisibleRules(
            definition for page in chain.from_iterable(visible_pages) for definition in page.definitions
        )
        result.append((module, tuple(_expand_page(page, visible, diagnostics) for page in own_pages)))
    return Outcome(tuple(result), tuple(diagnostics))


def iter_pages_in_order(module_pages: ModulePages) -> Iterator[tuple[str, Sequence[t.Page]]]:
    """Yield each module's name with its pages sorted by file; modules come after those they are laid over."""
    pages = {module.name: sorted(written, key=lambda page: page.file) for module, written in module_pages}
    for module in sort_modules([module for module, _ in module_pages]):
        yield module.name, pages[module.name]


def _expand_page(page: t.Page, visible: _VisibleRules, diagnostics: list[Diagnostic]) -> t.Page:
    """Return a page with things in place of its tables and combinations; one without any is returned unchanged."""
    if not any(isinstance(definition, t.Table | t.Combinations) for definition in page.definitions):
        return page
    things = (_expand_definition(definition, visible, diagnostics) for definition in page.definitions)
    return replace(page, definitions=tuple(chain.from_iterable(things)))


def _expand_definition(
    definition: t.Definition, visible: _VisibleRules, diagnostics: list[Diagnostic]
) -> Iterable[t.Definition]:
    """Return the things of a table or combinations, or else the definition alone; add faults to `diagnostics`."""
    if isinstance(definition, t.Table):
        return _expand_table(definition, visible, diagnostics)
    if isinstance(definition, t.Combinations):
        return _expand_combinations(definition, visible, diagnostics)
    return (definition,)


class _VisibleRules:
    """The kinds with their fields, and the things by kind, that a module's rules may refer to."""

    def __init__(self, definitions: Iterable[t.Definition]) -> None:
        self.fields: dict[str, dict[str, t.FieldDef]] = {}
        self.things: dict[str, list[t.Definition]] = {}
        self.amended: dict[str, set[str]] = {}  # the fields that each thing is given elsewhere
        removed: set[str] = set()
        all_definitions = [*definitions]
        for definition in chain(
            all_definitions,
            chain.from_iterable(_iter_rows(table) for table in all_definitions if isinstance(table, t.Table)),
        ):
            if isinstance(definition, t.Amend):
                definition_or_amended = definition.definition
            else:
                definition_or_amended = definition
            if isinstance(definition, t.Amend) and isinstance(definition_or_amended, t.Thing):
                self.amended.setdefault(definition_or_amended.name.word, set()).update(
                    field.name.word for field in definition_or_amended.fields
                )
            if isinstance(definition_or_amended, t.Kind):
                self.fields.setdefault(definition_or_amended.name.word, {}).update(
                    (f.name.word, f) for f in definition_or_amended.fields
                )
            elif isinstance(definition, t.Thing):
                self.things.setdefault(definition.kind.word, []).append(definition)
            elif isinstance(definition, t.Resource):
                self.things.setdefault("resource", []).append(definition)
            elif isinstance(definition, t.Remove_):
                removed.add(definition.name.word)
        for things in self.things.values():
            things[:] = [thing for thing in things if thing.name.word not in removed]


# --- tables ------------------------------------------------------------------------------------


def _expand_table(table: t.Table, visible: _VisibleRules, diagnostics: list[Diagnostic]) -> Iterable[t.Thing]:
    """Return a thing for each row, or nothing if the columns are faulty; add the faults to `diagnostics`."""
    column_errors = [*_check_columns(table, visible)]
    diagnostics += column_errors or [
        _row_length_diagnostic(row, table) for row in table.rows if len(row.cells) != len(table.columns)
    ]
    return () if column_errors else _iter_rows(table)


def _iter_rows(table: t.Table) -> Iterator[t.Thing]:
    """Yield a thing for each row of a table, with a field for each cell that is not `-`."""
    for row in table.rows:
        cells = zip(table.columns, row.cells, strict=False)
        fields = tuple(replace(cell, name=copy_nodes(name)) for name, cell in cells if cell is not None)
        yield t.Thing(row.span, row.name, row.title, copy_nodes(table.kind), fields, ())


def _check_columns(table: t.Table, visible: _VisibleRules) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each fault in the columns, which affects all rows."""
    fields = visible.fields.get(table.kind.word)
    if fields is None:
        yield _unknown_kind_diagnostic(table, visible)
        return
    first: dict[str, t.Name] = {}
    for name in table.columns:
        if first.setdefault(name.word, name) is not name:
            yield _repeated_column_diagnostic(first[name.word], name)
        elif name.word not in (*fields, *COMMON_FIELDS):
            yield _unknown_field_diagnostic(name, table, fields)
    needed = [word for word, field in fields.items() if field.type is not None and not field.optional]
    elsewhere = [visible.amended.get(row.name.word, set()) for row in table.rows]
    missing = [word for word in needed if word not in first and not all(word in given for given in elsewhere)]
    if missing and not any(name.word not in (*fields, *COMMON_FIELDS) for name in table.columns):
        yield _missing_column_diagnostic(missing, table)


def _missing_column_diagnostic(missing: Sequence[str], table: t.Table) -> Diagnostic:
    names = quote_words(missing, "and")
    return Diagnostic(
        "E0195",
        f"the table has no column {names}",
        table.columns[0].span,
        note=f"Every {table.kind.word} needs its {names}.",
        help=f"add {names} after `with`, and a value to every row; fields that take several lines go under "
        f"`amend {table.kind.word} NAME`, for each thing",
    )


def _repeated_column_diagnostic(first: t.Name, second: t.Name) -> Diagnostic:
    return Diagnostic(
        "E0190",
        f"the table has two columns `{first.word}`",
        second.span,
        labels=(Label(first.span, "the first one"),),
        help="delete one of the two, with its values",
    )


def _row_length_diagnostic(row: t.Row, table: t.Table) -> Diagnostic:
    count, expected = len(row.cells), len(table.columns)
    names = quote_words([name.word for name in table.columns], "and")
    return Diagnostic(
        "E0191",
        f"`{row.name.word}` has {count_noun(count, 'value')}, but the table has {count_noun(expected, 'column')}",
        row.span,
        labels=(Label(table.columns[0].span, "the columns"),),
        help=_suggest_joined_amounts(row, expected)
        or f"write one value for each of {names}, with commas between them; `-` where a thing has none",
    )


def _suggest_joined_amounts(row: t.Row, expected: int) -> str:
    """Return a remedy if amounts that belong together are separated by commas, else ""."""
    runs = [list(run) for are_amounts, run in groupby(row.cells, key=_is_amount) if are_amounts]
    if len(row.cells) - sum(len(run) - 1 for run in runs) != expected:
        return ""
    joined = (
        " and ".join(print_amounts(cell.amounts) for cell in run if cell and cell.amounts)
        for run in runs
        if len(run) > 1
    )
    return f"a comma begins the next value; within one, write {quote_words(joined, 'and')}"


def _is_amount(cell: t.FieldValue | None) -> bool:
    """Return True for a table cell that holds amounts, like `2 gold`; False for other values and for None."""
    return cell is not None and cell.amounts is not None


# --- combinations ----------------------------------------------------------------------------------


def _expand_combinations(
    combinations: t.Combinations, visible: _VisibleRules, diagnostics: list[Diagnostic]
) -> Iterator[t.Thing]:
    """Yield a thing for every combination of the fields' values; none if they cannot be listed or are too many."""
    values = [_list_values(name, combinations, visible, diagnostics) for name in combinations.over]
    if any(value is None for value in values):
        return
    lists = [value for value in values if value is not None]
    if prod(map(len, lists)) > MOST_THINGS:
        diagnostics.append(_too_many_diagnostic(combinations))
        return
    words = {name.word for name in combinations.over}
    diagnostics += [
        _unknown_gap_diagnostic(gap, combinations) for gap in _iter_gap_names(combinations.title) if gap not in words
    ][:1]
    set_current_definition(combinations.kind.word, combinations.span)
    size = 3 + 3 * len(lists) + sum(1 for field in combinations.fields for _ in walk(field))  # nodes of each thing
    for combination in product(*lists):
        spend(WRITING_OUT * size)
        yield _build_thing(combinations, combination)


def _build_thing(combinations: t.Combinations, combination: Sequence[CombinedValue]) -> t.Thing:
    """Build the thing of one combination, named by its values, like `red-3`, or `card-3-red` if a number is first."""
    parts = [part for part, _, _ in combination]
    name = "-".join(parts if not parts[0].isdigit() else [combinations.kind.word, *parts])
    words_by_field = {field.word: words for field, (_, words, _) in zip(combinations.over, combination, strict=True)}
    combined = zip(combinations.over, combination, strict=True)
    fields = [t.FieldValue(field.span, copy_nodes(field), expr=copy_nodes(value)) for field, (_, _, value) in combined]
    further = tuple(copy_nodes(field) for field in combinations.fields)
    title = _fill_title(combinations.title, words_by_field)
    thing_name, kind = t.Name(combinations.kind.span, name), copy_nodes(combinations.kind)
    return t.Thing(combinations.span, thing_name, title, kind, (*fields, *further), ())


def _fill_title(pattern: str, words_by_field: dict[str, str]) -> str:
    """Return a title with each gap `{field}` replaced by the words of that field's value."""
    for name, words in words_by_field.items():
        pattern = pattern.replace(f"{{{name}}}", words)
    return pattern


def _iter_gap_names(pattern: str) -> list[str]:
    """Return the names in braces in a title, in order: `suit` and `rank` for `{suit} of {rank}`."""
    return [part.partition("}")[0] for part in pattern.split("{")[1:]]


def _list_values(
    name: t.Name, combinations: t.Combinations, visible: _VisibleRules, diagnostics: list[Diagnostic]
) -> list[CombinedValue] | None:
    """Return every value of a field of type number range, kind or the like; report and return None for others."""
    fields = visible.fields.get(combinations.kind.word)
    if fields is None:
        diagnostics.append(_unknown_kind_diagnostic(combinations, visible))
        return None
    field = fields.get(name.word)
    if field is None:
        diagnostics.append(_unknown_field_diagnostic(name, combinations, fields))
        return None
    field_type = field.type
    if (
        field_type is not None
        and field_type.shape == "number"
        and field_type.low is not None
        and field_type.high is not None
    ):
        if field_type.low >= 0:
            return [
                _number_value(name, number)
                for number in range(field_type.low, min(field_type.high, field_type.low + MOST_THINGS) + 1)
            ]
    elif (
        field_type is not None
        and field_type.shape == "thing"
        and field_type.name is not None
        and visible.things.get(field_type.name.word)
    ):
        return [_thing_value(name, thing) for thing in visible.things[field_type.name.word]]
    diagnostics.append(_not_listable_diagnostic(name, field, combinations))
    return None


def _number_value(name: t.Name, number: int) -> CombinedValue:
    """Return a number as (part of the thing's name, words in its title, expression)."""
    return str(number), str(number), t.Number(name.span, number)


def _thing_value(name: t.Name, thing: t.Definition) -> CombinedValue:
    """Return a thing as (part of the new thing's name, words in its title, expression)."""
    title = singular_title(thing)
    return thing.name.word, title, t.Name(name.span, thing.name.word)


def _unknown_kind_diagnostic(declaration: t.Table | t.Combinations, visible: _VisibleRules) -> Diagnostic:
    word = declaration.kind.word
    return Diagnostic(
        "E0300",
        f"there is no kind `{word}`",
        declaration.kind.span,
        note=f"These lines declare things of the kind `{word}`.",
        help=suggest_word(word, visible.fields) or f"declare `kind {word}`",
    )


def _unknown_field_diagnostic(
    name: t.Name, declaration: t.Table | t.Combinations, fields: dict[str, t.FieldDef]
) -> Diagnostic:
    return Diagnostic(
        "E0302",
        f"a {declaration.kind.word} has no field `{name.word}`",
        name.span,
        help=suggest_word(name.word, fields) or f"a {declaration.kind.word} has {quote_words([*fields], 'and')}",
    )


def _not_listable_diagnostic(name: t.Name, field: t.FieldDef, combinations: t.Combinations) -> Diagnostic:
    return Diagnostic(
        "E0192",
        f"the values of `{name.word}` cannot be listed",
        name.span,
        labels=(Label(field.span, "the field is declared"),),
        note=f"There is a {combinations.kind.word} for each value, so the possible values must be known.",
        help=f"declare it as `{name.word} number from 1 to 4`, or as a thing of a kind that has things",
    )


def _too_many_diagnostic(combinations: t.Combinations) -> Diagnostic:
    return Diagnostic(
        "E0193",
        f"this makes more than {MOST_THINGS:,} things",
        combinations.span,
        note=f"There can be up to {MOST_THINGS:,} things of a kind.",
        help="use fewer values, or one field fewer",
    )


def _unknown_gap_diagnostic(gap: str, combinations: t.Combinations) -> Diagnostic:
    names = quote_words([f"{{{name.word}}}" for name in combinations.over], "and")
    return Diagnostic(
        "E0194",
        f"`{{{gap}}}` has no value in this title",
        combinations.span,
        help=f"these can be filled in: {names}",
    )
