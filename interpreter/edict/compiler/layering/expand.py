"""The pass `expand`: tables and combinations written out as the things they stand for.

What they are combined of is what is declared by then: the values of fields in their own module and in those
it is laid over. A module that brings another suit says itself which cards come with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, product
from math import prod

from edict.compiler.sources.input_limits import MOST_THINGS, count_signs
from edict.compiler.sources.module_set import Module, above, in_order
from edict.compiler.sources.work_budget import CHECKING, WRITING_OUT, spend, work_on
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.printing.printed_expressions import amounts
from edict.compiler.syntax.walking import copied, walk
from edict.support.morphology import count_noun, quote_words
from edict.support.report import Diagnostic, Label, Outcome, suggest_word

Laid = Sequence[tuple[Module, Sequence[t.Page]]]
ORIGIN = ("source", "origin")  # every thing has these two
Value = tuple[str, str, t.Expr]  # its part of a name, its words in a title, and itself


def expand(laid: Laid) -> Outcome[Laid]:
    """The same pages without tables and combinations."""
    spend(CHECKING * sum(count_signs(source) for module, _ in laid for source in module.sources))
    beneath = above(module for module, _ in laid)
    pages = dict(laid_in_order(laid))
    diagnostics: list[Diagnostic] = []
    done = []
    for module, written in laid:
        rules = [pages[name] for name in pages if name == module.name or name in beneath[module.name]]
        seen = _Seen(definition for page in chain.from_iterable(rules) for definition in page.definitions)
        done.append((module, tuple(_page(page, seen, diagnostics) for page in written)))
    return Outcome(tuple(done), tuple(diagnostics))


def laid_in_order(laid: Laid) -> Iterator[tuple[str, Sequence[t.Page]]]:
    """The pages of each module by its name: modules after those they are laid over, files by their names."""
    pages = {module.name: sorted(written, key=lambda page: page.file) for module, written in laid}
    for module in in_order([module for module, _ in laid]):
        yield module.name, pages[module.name]


def _page(page: t.Page, seen: _Seen, diagnostics: list[Diagnostic]) -> t.Page:
    if not any(isinstance(definition, t.Table | t.Combinations) for definition in page.definitions):
        return page
    things = (_things(definition, seen, diagnostics) for definition in page.definitions)
    return replace(page, definitions=tuple(chain.from_iterable(things)))


def _things(definition: t.Definition, seen: _Seen, diagnostics: list[Diagnostic]) -> Iterable[t.Definition]:
    if isinstance(definition, t.Table):
        return _of_table(definition, seen, diagnostics)
    return _of_combinations(definition, seen, diagnostics) if isinstance(definition, t.Combinations) else (definition,)


class _Seen:
    """What a module's rules may speak of: kinds with their fields, and things by kind."""

    def __init__(self, definitions: Iterable[t.Definition]) -> None:
        self.fields: dict[str, dict[str, t.FieldDef]] = {}
        self.things: dict[str, list[t.Definition]] = {}
        self.amended: dict[str, set[str]] = {}  # the fields that each thing is given elsewhere
        gone: set[str] = set()
        every = [*definitions]
        for definition in chain(every, chain.from_iterable(_rows(x) for x in every if isinstance(x, t.Table))):
            what = definition.definition if isinstance(definition, t.Amend) else definition
            if isinstance(definition, t.Amend) and isinstance(what, t.Thing):
                self.amended.setdefault(what.name.word, set()).update(field.name.word for field in what.fields)
            if isinstance(what, t.Kind):
                self.fields.setdefault(what.name.word, {}).update((f.name.word, f) for f in what.fields)
            elif isinstance(definition, t.Thing):
                self.things.setdefault(definition.kind.word, []).append(definition)
            elif isinstance(definition, t.Resource):
                self.things.setdefault("resource", []).append(definition)
            elif isinstance(definition, t.Remove_):
                gone.add(definition.name.word)
        for things in self.things.values():
            things[:] = [thing for thing in things if thing.name.word not in gone]


# --- tables ------------------------------------------------------------------------------------


def _of_table(table: t.Table, seen: _Seen, found: list[Diagnostic]) -> Iterable[t.Thing]:
    wrong = [*_wrong_columns(table, seen)]
    found += wrong or [_wrong_length(row, table) for row in table.rows if len(row.cells) != len(table.columns)]
    return () if wrong else _rows(table)


def _rows(table: t.Table) -> Iterator[t.Thing]:
    for row in table.rows:
        cells = zip(table.columns, row.cells, strict=False)
        fields = tuple(replace(cell, name=copied(name)) for name, cell in cells if cell is not None)
        yield t.Thing(row.span, row.name, row.title, copied(table.kind), fields, ())


def _wrong_columns(table: t.Table, seen: _Seen) -> Iterator[Diagnostic]:
    """What is wrong with all rows alike, which is told once."""
    fields = seen.fields.get(table.kind.word)
    if fields is None:
        yield _no_kind(table, seen)
        return
    first: dict[str, t.Name] = {}
    for name in table.columns:
        if first.setdefault(name.word, name) is not name:
            yield _column_twice(first[name.word], name)
        elif name.word not in (*fields, *ORIGIN):
            yield _no_field(name, table, fields)
    needed = [word for word, field in fields.items() if field.type is not None and not field.optional]
    elsewhere = [seen.amended.get(row.name.word, set()) for row in table.rows]
    lacking = [word for word in needed if word not in first and not all(word in given for given in elsewhere)]
    if lacking and not any(name.word not in (*fields, *ORIGIN) for name in table.columns):
        yield _no_column(lacking, table)


def _no_column(lacking: Sequence[str], table: t.Table) -> Diagnostic:
    names = quote_words(lacking, "and")
    return Diagnostic(
        "E0195",
        f"the table has no column {names}",
        table.columns[0].span,
        note=f"Every {table.kind.word} says its {names}.",
        help=f"add {names} behind `with`, and a value to every row; what takes several lines is said "
        f"of each thing by itself, below `amend {table.kind.word} NAME`",
    )


def _column_twice(first: t.Name, second: t.Name) -> Diagnostic:
    return Diagnostic(
        "E0190",
        f"the table has two columns `{first.word}`",
        second.span,
        labels=(Label(first.span, "the first one"),),
        help="delete one of the two, and what stands in it",
    )


def _wrong_length(row: t.Row, table: t.Table) -> Diagnostic:
    there, wanted = len(row.cells), len(table.columns)
    names = quote_words([name.word for name in table.columns], "and")
    return Diagnostic(
        "E0191",
        f"`{row.name.word}` has {count_noun(there, 'value')}, and the table {count_noun(wanted, 'column')}",
        row.span,
        labels=(Label(table.columns[0].span, "the columns"),),
        help=_as_one_value(row, wanted)
        or f"write one value for each of {names}, with commas between them; `-` where a thing has none",
    )


def _as_one_value(row: t.Row, wanted: int) -> str:
    """What is meant where amounts that belong together were parted by commas."""
    runs = [list(run) for parted, run in groupby(row.cells, key=_is_amount) if parted]
    if len(row.cells) - sum(len(run) - 1 for run in runs) != wanted:
        return ""
    joined = (" and ".join(amounts(one.amounts) for one in run if one and one.amounts) for run in runs if len(run) > 1)
    return f"a comma begins the next value; within one, write {quote_words(joined, 'and')}"


def _is_amount(cell: t.FieldValue | None) -> bool:
    return cell is not None and cell.amounts is not None


# --- combinations ----------------------------------------------------------------------------------


def _of_combinations(combinations: t.Combinations, seen: _Seen, found: list[Diagnostic]) -> Iterator[t.Thing]:
    values = [_values(name, combinations, seen, found) for name in combinations.over]
    if any(value is None for value in values):
        return
    lists = [value for value in values if value is not None]
    if prod(map(len, lists)) > MOST_THINGS:
        found.append(_too_many(combinations))
        return
    words = {name.word for name in combinations.over}
    found += [_no_value(gap, combinations) for gap in _gaps(combinations.title) if gap not in words][:1]
    work_on(combinations.kind.word, combinations.span)
    size = 3 + 3 * len(lists) + sum(1 for field in combinations.fields for _ in walk(field))  # nodes of each thing
    for combination in product(*lists):
        spend(WRITING_OUT * size)
        yield _thing(combinations, combination)


def _thing(combinations: t.Combinations, combination: Sequence[Value]) -> t.Thing:
    parts = [part for part, _, _ in combination]
    name = "-".join(parts if not parts[0].isdigit() else [combinations.kind.word, *parts])
    said = {field.word: words for field, (_, words, _) in zip(combinations.over, combination, strict=True)}
    own = zip(combinations.over, combination, strict=True)
    fields = [t.FieldValue(field.span, copied(field), expr=copied(value)) for field, (_, _, value) in own]
    more = tuple(copied(field) for field in combinations.fields)
    title = _title(combinations.title, said)
    called, kind = t.Name(combinations.kind.span, name), copied(combinations.kind)
    return t.Thing(combinations.span, called, title, kind, (*fields, *more), ())


def _title(pattern: str, said: dict[str, str]) -> str:
    """A pattern with the words of the values put into its gaps; nothing, where none is written."""
    for name, words in said.items():
        pattern = pattern.replace(f"{{{name}}}", words)
    return pattern


def _gaps(pattern: str) -> list[str]:
    return [part.partition("}")[0] for part in pattern.split("{")[1:]]


def _values(
    name: t.Name, combinations: t.Combinations, seen: _Seen, diagnostics: list[Diagnostic]
) -> list[Value] | None:
    """All values a field of the kind can have; None, with the reason told, if they cannot be gone through."""
    fields = seen.fields.get(combinations.kind.word)
    if fields is None:
        diagnostics.append(_no_kind(combinations, seen))
        return None
    field = fields.get(name.word)
    if field is None:
        diagnostics.append(_no_field(name, combinations, fields))
        return None
    type_ = field.type
    if type_ is not None and type_.shape == "number" and type_.low is not None and type_.high is not None:
        if type_.low >= 0:
            return [_number(name, n) for n in range(type_.low, min(type_.high, type_.low + MOST_THINGS) + 1)]
    elif type_ is not None and type_.shape == "thing" and type_.name is not None and seen.things.get(type_.name.word):
        return [_of_thing(name, thing) for thing in seen.things[type_.name.word]]
    diagnostics.append(_not_countable(name, field, combinations))
    return None


def _number(name: t.Name, number: int) -> Value:
    return str(number), str(number), t.Number(name.span, number)


def _of_thing(name: t.Name, thing: t.Definition) -> Value:
    title = singular_title(thing)
    return thing.name.word, title, t.Name(name.span, thing.name.word)


def _no_kind(declaration: t.Table | t.Combinations, seen: _Seen) -> Diagnostic:
    word = declaration.kind.word
    return Diagnostic(
        "E0300",
        f"there is no kind `{word}`",
        declaration.kind.span,
        note=f"These lines declare things of the kind `{word}`.",
        help=suggest_word(word, seen.fields) or f"declare `kind {word}`",
    )


def _no_field(name: t.Name, declaration: t.Table | t.Combinations, fields: dict[str, t.FieldDef]) -> Diagnostic:
    return Diagnostic(
        "E0302",
        f"a {declaration.kind.word} has no field `{name.word}`",
        name.span,
        help=suggest_word(name.word, fields) or f"a {declaration.kind.word} has {quote_words([*fields], 'and')}",
    )


def _not_countable(name: t.Name, field: t.FieldDef, combinations: t.Combinations) -> Diagnostic:
    return Diagnostic(
        "E0192",
        f"the values of `{name.word}` cannot be listed",
        name.span,
        labels=(Label(field.span, "the field is declared"),),
        note=f"There is a {combinations.kind.word} for each value, so it must be known which values there are.",
        help=f"declare it as `{name.word} number from 1 to 4`, or as a thing of a kind that has things",
    )


def _too_many(combinations: t.Combinations) -> Diagnostic:
    return Diagnostic(
        "E0193",
        f"this makes more than {MOST_THINGS:,} things",
        combinations.span,
        note=f"There can be up to {MOST_THINGS:,} things of a kind.",
        help="take fewer values, or a field less",
    )


def _no_value(gap: str, combinations: t.Combinations) -> Diagnostic:
    names = quote_words([f"{{{name.word}}}" for name in combinations.over], "and")
    return Diagnostic(
        "E0194",
        f"`{{{gap}}}` stands for nothing in this title",
        combinations.span,
        help=f"what can be filled in is {names}",
    )
