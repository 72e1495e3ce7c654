"""Remedies for values of the wrong type, and for forms that mean something else.

This module fills the blanks of the table `grammar/remedies.yaml`, with values that the rules have of a type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from edict.compiler.semantics.symbols import NUMBER, PLAYER, RESOURCE, TRUTH, Meaning, ResolvedBook, Symbol, keep_of
from edict.compiler.semantics.types import UNKNOWN, describe_type, from_type_name, param_type
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.compiler.syntax.printing.expression_printer import PRIMARY, SUM, print_expression
from edict.compiler.syntax.remedy_table import TableRemedy, iter_table_remedies
from edict.runtime.program import ValueType
from edict.support.morphology import add_indefinite_article, quote_words
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Edit, Label


class Remedy(NamedTuple):
    """A suggestion in words, the edits that carry it out, and further suggestions if they do not work."""

    help: str
    edits: tuple[Edit, ...] = ()
    alternatives: tuple[tuple[str, tuple[Edit, ...]], ...] = ()
    asks: bool = False  # all of them are right, so the author has to choose


COLLECTION_SHAPES = ("set", "order", "bag")
MAX_EXAMPLES = 3  # in a message
MAX_ALTERNATIVES = 4  # remedies that are tried in turn


@dataclass(frozen=True)
class Misfit:
    """A value that stands where one of another type is wanted."""

    resolved: ResolvedBook
    expr: t.Expr
    wanted: ValueType
    it: str = "you"  # the player that is looked at
    at: str = ""  # further words for what is wanted
    whole: t.Node | None = None  # the node to replace, if it is more than the value
    against: t.Expr | None = None  # what it is compared with, or would be set to

    @property
    def actual(self) -> ValueType:
        """The type of the value."""
        return self.resolved.types[self.expr]

    def remedy(self, *parts: str) -> Remedy | None:
        """Return the first matching row in these parts of the remedy table, with the following ones as alternatives.

        None if no row matches.
        """
        remedies: list[tuple[str, tuple[Edit, ...]]] = []
        for row in islice(self._iter_rows(*parts), MAX_ALTERNATIVES):
            remedies.append((row.help, (Edit((self.whole or self.expr).span, row.text),) if row.text else ()))
            if not row.text:
                break  # nothing to try
        return Remedy(*remedies[0], tuple(remedies[1:])) if remedies else None

    def find_row(self, *parts: str) -> TableRemedy | None:
        """Return the first matching row in these parts of the remedy table, blanks filled; None if none matches."""
        return next(self._iter_rows(*parts), None)

    def _iter_rows(self, *parts: str) -> Iterator[TableRemedy]:
        """Yield the matching rows in these parts of the remedy table, with their blanks filled."""
        same_kind = ["same"] * (self.actual.kind == self.wanted.kind != "")
        wanted = {*_type_words(self.wanted), *self.at.split(), *self._form_words(self.against), *self._truth_words()}
        have = {*_type_words(self.actual), *self._form_words(self.expr), *same_kind}
        for part in parts:
            yield from iter_table_remedies(part, wanted, have, lambda blank: _BLANKS[blank](self))

    def _form_words(self, expr: t.Expr | None) -> list[str]:
        """Return the words that select rows by form, as `numeral 3`, `name keep` or `amount`; empty if unresolved."""
        if isinstance(expr, t.Number):
            return ["numeral", str(expr.value)]
        name = expr.head if isinstance(expr, t.Apply) else expr
        meaning = self.resolved.meaning.get(name) if isinstance(name, t.Name) else None
        if meaning is None:
            return []
        if isinstance(expr, t.Apply):
            return ["amount" if meaning.sort in ("resource", "group", "die") else meaning.sort]
        sort = {"builtin": meaning.name, "thing": "declared", "player": "kind"}.get(meaning.sort, meaning.sort)
        return ["name", sort]

    def _truth_words(self) -> list[str]:
        """Return `["holds"]` for `x = yes` or `x != no`, `["fails"]` for the opposite, else an empty list."""
        words = {"yes", "no"} & {*self._form_words(self.against)}
        if not words or not isinstance(self.whole, t.Binary):
            return []
        return ["holds" if ("yes" in words) == (self.whole.op == "=") else "fails"]


def _type_words(type_: ValueType) -> Iterable[str]:
    """Return the words that select rows of the remedy table by a type: `any`, its shape, `optional` and such."""
    kinds = {type_.kind} & {PLAYER.kind, RESOURCE.kind}
    properties = {
        "optional": type_.optional,
        "numbers": type_ == ValueType("set", "number"),
        "some": type_ == ValueType("set"),
    }
    return {"any", type_.shape, *kinds, *(word for word, holds in properties.items() if holds)}


# --- blanks of the table ---------------------------------------------------------------------------


def _make_formatter(least: int) -> Callable[[Misfit], str]:
    """Return a function that prints a misfit's expression, in parentheses if it binds weaker than `least`.

    Its own parentheses are left out, since they stay in the source, unless more than the value is replaced.
    """

    def text(misfit: Misfit) -> str:
        """Return the value's source text, with parentheses if it binds less tightly than `least`."""
        return print_expression(misfit.expr if misfit.whole is not None else replace(misfit.expr, wrapped=False), least)

    return text


def _format_operator(misfit: Misfit) -> str:
    """Return the operator as it was written, as a sign or a word."""
    binary = misfit.whole
    assert isinstance(binary, t.Binary)
    if binary.said:
        return {"=": "is", "!=": "is not"}.get(binary.op, binary.op)
    return binary.op


def _format_membership(misfit: Misfit) -> str:
    """Return `is not in` if the comparison is negative, else `is in`."""
    if isinstance(misfit.whole, t.Binary) and misfit.whole.op in ("!=", "not-in"):
        return "is not in"
    return "is in"


def _head_word(misfit: Misfit) -> str:
    """Return the word before `of`, as `rank` in `rank of oak`, or a lone name; "" for other expressions."""
    apply = misfit.whole if isinstance(misfit.whole, t.Apply) else misfit.expr
    name = apply.head if isinstance(apply, t.Apply) else apply
    return name.word if isinstance(name, t.Name) else ""


def _summable_word(misfit: Misfit) -> str:
    """Return the word asked of each member (`rank` in `rank of trees`) if it holds a number, or ""."""
    word = _BLANKS["other"](misfit) or _head_word(misfit)
    definition, kinds = misfit.resolved.book.definitions.get(word), misfit.resolved.fields.get(word, ())
    if isinstance(definition, t.Keep | t.Term):
        return word * (isinstance(definition, t.Keep) and definition.type.shape == "number")
    return word * (not kinds or any((word, NUMBER) in iter_attributes(misfit.resolved, kind) for kind in kinds))


def _kinds_with_field(misfit: Misfit) -> Sequence[str]:
    """Return the names of the kinds that declare the field named in the misfit."""
    return misfit.resolved.fields.get(_BLANKS["other"](misfit), ())


def _set_with_field(misfit: Misfit) -> str:
    """Return a place of `you` that holds a set of things with the field asked for, as `owned of you`, or ""."""
    sets = (
        place
        for kind in _kinds_with_field(misfit)
        for place in iter_state_values(misfit.resolved, ValueType("set", kind))
    )
    return next((place for place in sets if place.endswith("of you")), "")


def _format_fields(misfit: Misfit) -> str:
    """Return the fields of the value's kind in words, `no fields` if it has none, empty for values without a kind."""
    kind = misfit.resolved.book.definitions.get(misfit.actual.kind)
    if not isinstance(kind, t.Kind):
        return ""
    if kind.fields:
        return quote_words((field.name.word for field in kind.fields), "and")
    return "no fields"


def _format_examples(examples: Iterable[str], excluded: str = "") -> str:
    """Return the first few distinct examples in backticks with commas, without `excluded`."""
    remaining = (example for example in dict.fromkeys(examples) if example != excluded)
    return ", ".join(f"`{example}`" for example in islice(remaining, MAX_EXAMPLES))


def _format_numbers(misfit: Misfit) -> str:
    """Return examples such as `price of inn` of the number fields that the value has."""
    attributes = iter_attributes(misfit.resolved, misfit.actual.kind)
    return _format_examples(f"{word} of {_VALUE(misfit)}" for word, type_ in attributes if type_ == NUMBER)


def _place_of_kind(misfit: Misfit) -> str:
    """Return the first place that holds things of the value's kind."""
    return next(
        (
            place
            for shape in COLLECTION_SHAPES
            for place in iter_state_values(misfit.resolved, ValueType(shape, misfit.actual.kind))
        ),
        "",
    )


def _another_thing(misfit: Misfit) -> str:
    """Return another thing of the same kind."""
    return next(
        (
            value
            for value in iter_available_values(misfit.resolved, ValueType("thing", misfit.actual.kind))
            if value != _VALUE(misfit)
        ),
        "",
    )


def _attribute_of_shape(misfit: Misfit, kind: str, shapes: Sequence[str], member_kind: str = "") -> str:
    """Return the first field, keep or resource of a kind whose type has one of these shapes, or ""."""
    attributes = iter_attributes(misfit.resolved, kind) if kind else ()
    return next((word for word, type_ in attributes if type_.shape in shapes and member_kind in (type_.kind, "")), "")


def _find_first_declared_name(misfit: Misfit, sort: type[t.Definition]) -> str:
    """Return the name of the first definition of a class in the book; empty if there is none."""
    return next(
        (word for word, definition in misfit.resolved.book.definitions.items() if isinstance(definition, sort)), ""
    )


def _format_loop_head(misfit: Misfit) -> str:
    """Return the head of a loop over all members of the value."""
    is_everything = _VALUE(misfit) in ("everyone", *iter_set_names(misfit.resolved, misfit.actual.kind))
    return f"each {misfit.actual.kind}" + f" in {_VALUE(misfit)}" * (not is_everything)


_VALUE = _make_formatter(PRIMARY)
_BLANKS: dict[str, Callable[[Misfit], str]] = {
    "value": _VALUE,
    "sum": _make_formatter(SUM),
    "bare": lambda misfit: print_expression(replace(misfit.expr, wrapped=False)),
    "other": lambda misfit: print_expression(misfit.against, PRIMARY) if misfit.against is not None else "",
    "sign": _format_operator,
    "within": _format_membership,
    "head": _head_word,
    "it": lambda misfit: misfit.it,
    "loop": _format_loop_head,
    "one": lambda misfit: "you" if misfit.actual.kind == PLAYER.kind else misfit.actual.kind,
    "kind": lambda misfit: misfit.wanted.kind,
    "spoken": lambda misfit: describe_type(misfit.wanted),
    "noun": lambda misfit: describe_type(ValueType(misfit.wanted.shape, misfit.wanted.kind)).partition(" ")[2],
    "examples": lambda misfit: _format_examples(
        iter_available_values(misfit.resolved, misfit.wanted), _BLANKS["other"](misfit)
    ),
    "sets": lambda misfit: _format_examples(iter_state_values(misfit.resolved, ValueType("set"))) or "`everyone`",
    "summed": _summable_word,
    "fields": _format_fields,
    "their_things": _set_with_field,
    "owners": lambda misfit: ", ".join(_kinds_with_field(misfit)),
    "members": lambda misfit: _VALUE(misfit) * (misfit.actual.kind in _kinds_with_field(misfit)),
    "a_thing": lambda misfit: add_indefinite_article(misfit.actual.kind),
    "amount": lambda misfit: print_expression(misfit.against) if misfit.against is not None else "",
    "place": lambda misfit: print_expression(misfit.expr),
    "whose": lambda misfit: print_expression(misfit.expr.args[0]) if isinstance(misfit.expr, t.Apply) else "",
    "number": lambda misfit: next(iter_available_values(misfit.resolved, NUMBER), "..."),
    "numbers": _format_numbers,
    "among": _place_of_kind,
    "another": _another_thing,
    "field": lambda misfit: _attribute_of_shape(
        misfit, misfit.actual.kind, ("number" if misfit.wanted == NUMBER else "thing",), misfit.wanted.kind
    ),
    "theirs": lambda misfit: _attribute_of_shape(misfit, misfit.actual.kind, COLLECTION_SHAPES, misfit.wanted.kind),
    "others": lambda misfit: _attribute_of_shape(misfit, misfit.wanted.kind, COLLECTION_SHAPES, misfit.actual.kind),
    "price": lambda misfit: _attribute_of_shape(misfit, misfit.actual.kind, ("amounts",)),
    "die": lambda misfit: _find_first_declared_name(misfit, t.Die),
    "resource": lambda misfit: _find_first_declared_name(misfit, t.Resource) or "...",
}
COMPARISONS = frozenset(("=", "!=", "<", "<=", ">", ">="))


def suggest_alternative(binary: t.Binary, have: ValueType, wanted: ValueType) -> Remedy | None:
    """Return the remedy for `x is 1 or 2`: each side of `or` and `and` is a comparison of its own."""
    left, right = binary.left, binary.right
    while isinstance(left, t.Binary) and left.op == binary.op:
        left = left.right
    if have == TRUTH or wanted != TRUTH or not isinstance(left, t.Binary) or left.op not in COMPARISONS or left.wrapped:
        return None
    sign = {"=": "is", "!=": "is not"}.get(left.op, left.op) if left.said else left.op
    text = f"{print_expression(left.left)} {sign} {print_expression(right)}"
    if binary.op == "or" and left.op == "!=":  # `x is not 1 or 2` always holds, so neither is meant
        return Remedy(f"write `{print_expression(left)} and {text}` if it must be neither of them")
    return Remedy(f"write `{text}`", (Edit(right.span, text),))


def ask_about_parameter(expr: t.Expr, parameters: Sequence[str], remedy: Remedy | None) -> Remedy:
    """Return a remedy that asks whether a thing is meant that a parameter is, as `building is inn`, or the other one.

    Args:
        expr: The thing that stands for a condition.
        parameters: The parameters of its kind, at least one.
        remedy: The remedy that takes no notice of them.
    """
    name = print_expression(replace(expr, wrapped=False))
    tests = [f"{parameter} is {name}" for parameter in parameters]
    choices: list[tuple[str, tuple[Edit, ...]]] = [
        (f"write `{test}`: only for `{name}`", (Edit(expr.span, test),)) for test in tests
    ]
    if remedy is not None and remedy.edits:
        choices.append((remedy.help, remedy.edits))
    help_, edits = choices[0]
    return Remedy(help_, edits, tuple(choices[1:]), asks=len(choices) > 1)


def suggest_kind(step: str, kind: t.Name, source: t.Expr, source_type: ValueType) -> Remedy | None:
    """Return the remedy for `each fruit in owned of you` if things of another kind lie there."""
    if source_type.shape not in COLLECTION_SHAPES or source_type.kind in ("", "resource", "number"):
        return None
    if step in ("choose", "draw"):
        article = add_indefinite_article(source_type.kind).split()[0] + " "
    else:
        article = ""
    joint = "in" if step == "each" else "from"
    text = f"{step} {article}{source_type.kind} {joint} {print_expression(source)}"
    place, new = kind.span, source_type.kind
    if article and add_indefinite_article(kind.word).split()[0] != article.strip():
        place, new = (
            replace(place, column=place.column - len(add_indefinite_article(kind.word)) + len(kind.word)),
            article + new,
        )
    return Remedy(f"write `{text}`, which are the members", (Edit(place, new),))


def diagnose_unchangeable(
    resolved: ResolvedBook, place: t.Expr, meaning: Meaning | None, step: t.Node | None, value: t.Expr | None
) -> Diagnostic:
    """Return a diagnostic for a place that no step changes, with what to write instead.

    Args:
        resolved: The rules.
        place: The place.
        meaning: The meaning of its name, if it has one.
        step: The step that would change it.
        value: The value it would be set to, or that would be added or removed there.
    """
    at, span, title = "", place.span, "this cannot be changed"
    if step is not None and value is not None:
        at = f"to-{type(step).__name__.lower()}" + " yours" * _is_yours(place)
        ends = ((expr.span.end_line, expr.span.end_column) for expr in (place, value))
        line, column = max(ends)
        span = replace(step.span, end_line=line, end_column=column)
        if keep_of(resolved, value) is not None and (meaning is None or meaning.sort not in ("resource", "die")):
            at, title = at + " swapped", "this is the wrong way round"
    if meaning is not None and meaning.sort in ("setting", "quantity", "field"):
        title = f"`{meaning.name}` is {add_indefinite_article(meaning.sort)}, so it cannot be changed"
    wanted = resolved.types[value] if value is not None else UNKNOWN
    row = Misfit(resolved, place, wanted, at=at, against=value).find_row("changed")
    assert row is not None
    edits = (Edit(span, row.text),) if row.text else ()
    return Diagnostic("E0405", title, place.span, row.note, help=row.help, edits=edits)


def _is_yours(place: t.Expr) -> bool:
    """Return True if a place has no owner or belongs to `you`."""
    owner = place.args[0] if isinstance(place, t.Apply) and len(place.args) == 1 else None
    return isinstance(place, t.Name) or isinstance(owner, t.Name) and owner.word == "you"


def find_titles_as_amounts(part: t.Part, meaning: Meaning) -> Iterator[Diagnostic]:
    """Yield a diagnostic for `1 +2 token` where `+2 token` is a title, as it reads as 3 tokens."""
    amount, definition = part.amount, meaning.definition if isinstance(meaning, Symbol) else None
    if not isinstance(amount, t.Binary) or not isinstance(amount.right, t.Number) or definition is None:
        return
    sign = f"{amount.op}{amount.right.value} "
    if any(form.startswith(sign) for form in definition.title.split("/")) and not amount.wrapped:
        first, name = print_expression(amount.left), part.what.word
        advice = f"write `{first} {name}`, or `({print_expression(amount)}) {name}` if you mean the sum"
        yield Diagnostic(
            "E0212",
            f"`{sign}{name}` is a title, but this is the sum of two numbers",
            part.span,
            labels=(Label(definition.name.span, f"`{name}` is declared"),),
            note="Rules use the name of a resource, and players read its title.",
            help=advice,
            edits=(Edit(part.span, f"{first} {name}"),),
            alternatives=((advice, ()),),
        )


def iter_available_values(resolved: ResolvedBook, wanted: ValueType) -> Iterator[str]:
    """Yield the source text of values of a type that rules may use anywhere in a player's turn."""
    definitions = resolved.book.definitions.values()
    if wanted.shape == "thing" and wanted.kind == PLAYER.kind:
        yield from ("you", "left of you")
    elif wanted.shape == "thing" and wanted.kind == RESOURCE.kind:
        yield from (resource.name.word for resource in definitions if isinstance(resource, t.Resource))
    elif wanted.shape == "thing":
        yield from (thing.name.word for thing in resolved.book.things if thing.kind.word == wanted.kind)
    elif wanted.shape == "bag" and wanted.kind:
        yield f"1 of each {wanted.kind}"
    yield from iter_state_values(resolved, wanted)
    if wanted.shape == "set" and wanted.kind:
        yield from iter_set_names(resolved, wanted.kind)
    elif wanted == NUMBER:
        yield from (f"{resource.name.word} of you" for resource in definitions if isinstance(resource, t.Resource))


def iter_state_values(resolved: ResolvedBook, wanted: ValueType) -> Iterator[str]:
    """Yield the state variables (`keep`) of a type, of the table or `you`; a type without a kind matches all kinds."""
    for keep in resolved.book.definitions.values():
        kinds = [param.kind.word for param in keep.params] if isinstance(keep, t.Keep) else [""]
        if (
            isinstance(keep, t.Keep)
            and kinds in ([], [PLAYER.kind])
            and _matches_type(from_type_name(resolved, keep.type), wanted)
        ):
            yield keep.name.word + (" of you" if kinds else "")


def _matches_type(have: ValueType, wanted: ValueType) -> bool:
    """Return True if two types have one shape, and one kind unless `wanted` names none."""
    return have.shape == wanted.shape and wanted.kind in (have.kind, "")


def iter_set_names(resolved: ResolvedBook, kind: str) -> Iterator[str]:
    """Yield the names for the set of all things of a kind (plurals)."""
    groups = (group.name.word for group in resolved.book.select(t.Group))
    for name in groups if kind == "resource" else () if kind == "number" else (kind,):
        yield list_inflected_forms(name)[2 if name.endswith("y") else 1]


def iter_attributes(resolved: ResolvedBook, kind: str) -> Iterator[tuple[str, ValueType]]:
    """Yield the fields, state variables and resources of a thing of a kind, or of a player, each with its type."""
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Kind) and definition.name.word == kind:
            yield from (
                (field.name.word, from_type_name(resolved, field.type)) for field in definition.fields if field.type
            )
        elif isinstance(definition, t.Resource) and kind == PLAYER.kind:
            yield definition.name.word, NUMBER
        elif isinstance(definition, t.Keep) and [param.kind.word for param in definition.params] == [kind]:
            yield definition.name.word, from_type_name(resolved, definition.type)


def complete_arguments(resolved: ResolvedBook, params: Iterable[t.Param], written: Iterable[str] = ()) -> list[str]:
    """Return one source text for each parameter, as an example of a call.

    Args:
        resolved: The rules.
        params: The parameters of a moment, quantity or the like.
        written: Arguments that the author wrote; they come first, the rest is filled in by type.
    """
    arguments, known = list[str](), list(written)
    for number, param in enumerate(params):
        type_ = param_type(resolved, param)
        name = param.kind.word
        group = resolved.book.definitions.get(name)
        members = [member.word for member in group.members] if isinstance(group, t.Group) else []
        example = next(
            iter(members or iter_available_values(resolved, type_)), "3" if type_ == NUMBER else param.name.word
        )
        arguments.append(known[number] if number < len(known) else example)
    return arguments


def are_arguments_swapped(resolved: ResolvedBook, params: Sequence[t.Param], types: Sequence[ValueType]) -> bool:
    """Return True if two arguments fit their two parameters only in reverse order."""
    if len(params) != 2 or len(types) != 2:
        return False
    first, second = (param_type(resolved, param) for param in params)
    return _matches_type(types[0], second) and _matches_type(types[1], first) and not _matches_type(types[0], first)
