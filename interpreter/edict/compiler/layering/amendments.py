"""Amendments, and diagnostics of definitions that conflict and of references to removed ones; part of `layer`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypeVar

from edict.compiler.sources.folders import Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, list_inflected_forms
from edict.compiler.syntax.printing.definition_printer import print_lines
from edict.support.morphology import add_indefinite_article, count_noun, quote_words
from edict.support.report import Diagnostic, Edit, Label, RuleReading
from edict.support.text import NOWHERE, Span


def sort_of(definition: t.Definition) -> str:
    """Return the word with which a definition begins, or the kind of a thing."""
    if isinstance(definition, t.Thing):
        return definition.kind.word
    return SORTS.get(type(definition), "exception")


def list_amended_parts(new: t.Definition) -> Sequence[tuple[str, Span]]:
    """Return (part, place) for each field, line or rule that an amendment sets; ("", place) if it replaces all."""
    title = [("title", new.name.span)] if new.title else []
    if isinstance(new, t.Thing | t.Kind):
        fields: tuple[Any, ...] = new.fields
        return [*title, *((field.name.word, field.name.span) for field in fields), *_list_extra_lines(new)]
    if isinstance(new, t.Game):
        return [*title, *((line, _span_of(value)) for line, value in _game_lines(new).items())]
    if isinstance(new, t.Action) and not _redefines_choices(new):
        then = [("then", new.then[0].span)] if new.then else []
        return [*title, *((rule.name.word, rule.name.span) for rule in new.rules), *then]
    return [("", new.name.span)]


def _redefines_choices(action: t.Action) -> bool:
    """Return True if an amendment sets the choices of an action, to which everything else in it refers."""
    return bool(action.params or action.payment)


def _span_of(value: t.Node | t.Block) -> Span:
    """Return the span of a node, or of the first step of a block."""
    return value[0].span if isinstance(value, tuple) else value.span


def _list_extra_lines(new: t.Thing | t.Kind) -> list[tuple[str, Span]]:
    """Return what a thing or kind sets besides fields (`text`, `in order of`, `unique`, ...), with spans."""
    if isinstance(new, t.Thing):
        return [("text", new.text.span)] if new.text is not None else []
    order = [("in order of", new.order.span)] if new.order else []
    unique = [("unique", new.unique[0].span)] if new.unique else []
    return [*order, *unique, *([("works if", new.works_if.span)] if new.works_if else [])]


def apply_amendment(old: t.Definition, new: t.Definition) -> t.Definition:
    """Return the old thing, kind, game or action with the parts of the new one; other sorts are replaced."""
    titled = replace(new, title=new.title or old.title)
    if isinstance(old, t.Thing) and isinstance(new, t.Thing):
        return replace(
            old,
            title=titled.title,
            fields=_merge_by_name(old.fields, new.fields),
            abilities=old.abilities + new.abilities,
            text=new.text or (None if _replaces_effect(old, new) else old.text),
            before_text=_list_files(old) if new.text else old.before_text,
        )
    if isinstance(old, t.Kind) and isinstance(new, t.Kind):
        return replace(
            old,
            title=titled.title,
            fields=_merge_by_name(old.fields, _inherit_titles(old.fields, new.fields)),
            order=new.order or old.order,
            works_if=new.works_if or old.works_if,
            unique=new.unique or old.unique,
        )
    if isinstance(old, t.Game) and isinstance(new, t.Game):
        return replace(old, title=titled.title, **_game_lines(new))
    if isinstance(old, t.Action) and isinstance(new, t.Action) and not _redefines_choices(new):
        return replace(old, title=titled.title, rules=_merge_by_name(old.rules, new.rules), then=new.then or old.then)
    return titled


def find_dropped_lines(old: t.Definition, new: t.Definition) -> list[str]:
    """Return the lines of a phase, a routine or an action that an amendment replaces completely and omits.

    The result is empty if the amendment repeats any of them, since that shows that the omission is intended.
    """
    if not (isinstance(new, t.Phase | t.Routine) or isinstance(new, t.Action) and _redefines_choices(new)):
        return []
    lines, new_lines = _list_rules_and_steps(old), _list_rules_and_steps(new)
    return [] if {*lines} & {*new_lines} else lines


def _list_rules_and_steps(definition: t.Definition) -> list[str]:
    """Return the rules of a definition by name, and those lines of its steps that have no lines below them."""
    rules: tuple[t.Rule, ...] = ()
    block = getattr(definition, "block", ())
    if isinstance(definition, t.Action):
        rules, block = definition.rules, definition.then
    lines = print_lines(block)
    pairs = zip_longest(lines, lines[1:])
    inner = [line for line, following in pairs if following is None or following.depth <= line.depth]
    steps = [line.text for line in inner if not isinstance(line.node, t.Nothing)]
    return [*(f"rule {rule.name.word}" for rule in rules), *steps]


def _list_files(thing: t.Thing) -> tuple[str, ...]:
    """Return the names of the files in which a thing's fields and abilities stand, each once."""
    return tuple(dict.fromkeys(part.span.file for part in (*thing.fields, *thing.abilities)))


def _replaces_effect(old: t.Thing, new: t.Thing) -> bool:
    """Return True if the new thing sets a field that holds steps in the old one, so its text may be outdated."""
    effects = {field.name.word for field in old.fields if field.block}
    return any(field.name.word in effects for field in new.fields)


def _game_lines(game: t.Game) -> dict[str, Any]:
    """Return the lines that a `game` definition sets, by the names of their attributes, such as `order` and `score`."""
    lines = ("players", "order", "ask_gains", "winners", "score", "judge", "course")
    return {name: value for name in lines if (value := getattr(game, name))}


F = TypeVar("F", t.FieldValue, t.FieldDef, t.Rule)


def _inherit_titles(old: tuple[t.FieldDef, ...], new: tuple[t.FieldDef, ...]) -> tuple[t.FieldDef, ...]:
    """Return new fields, with the titles of the old ones where they have none."""
    titles = {field.name.word: field.title for field in old if field.title}
    lack_title = (not field.title and field.name.word in titles for field in new)
    return tuple(
        replace(field, title=titles[field.name.word]) if lacks_title else field
        for field, lacks_title in zip(new, lack_title, strict=True)
    )


def _merge_by_name(old: tuple[F, ...], new: tuple[F, ...]) -> tuple[F, ...]:
    """Return the old fields or rules, with those of a new one's name replaced, followed by the other new ones."""
    changed = {field.name.word: field for field in new}
    merged = tuple(changed.pop(field.name.word, field) for field in old)
    return merged + tuple(changed.values())


ModulePlace = tuple[str, Span]  # a module's name, and the span of its declaration or change


def declared_twice_diagnostic(new: t.Definition, old: t.Definition) -> Diagnostic:
    """Return the diagnostic for a name that a module declares twice."""
    return Diagnostic(
        "E0171",
        f"`{new.name.word}` is declared twice",
        new.name.span,
        labels=_declaration_label(old),
        help="give one of them another name, or delete one",
    )


def name_exists_diagnostic(
    new: t.Definition, old: t.Definition, owner: str, module: Module, beside: bool
) -> Diagnostic:
    """Return the diagnostic for a name that another module declares already.

    Args:
        new: The second definition.
        old: The first definition.
        owner: The module of the first.
        module: The module of the second.
        beside: True if neither module is laid over the other.
    """
    name, sort = new.name.word, sort_of(new)
    is_standalone = isinstance(new, t.Standalone)
    if beside and sort != sort_of(old):
        remedy = "give one of them another name"
    elif beside:
        over = _describe_over(module.name, owner)
        remedy = f"give one of them another name; if `{module.name}` means to change it, {over}"
        remedy += "" if is_standalone else f" and `amend {sort} {name}`"
    elif is_standalone or sort != sort_of(old):
        remedy = f"choose another name, or write `remove {sort_of(old)} {name}` too"
    else:
        remedy = f"write `amend {sort} {name}` to change it, or give this one another name"
    title = f"`{name}` already exists in `{owner}`"
    edits = () if beside or is_standalone or sort != sort_of(old) else (Edit(_start_of(new.span), "amend "),)
    return Diagnostic("E0170", title, new.name.span, labels=_declaration_label(old), help=remedy, edits=edits)


def _start_of(span: Span) -> Span:
    return replace(span, end_line=span.line, end_column=span.column)


def wrong_sort_diagnostic(
    old: t.Definition, written_sort: t.Name, span: Span, verb: str, near: Sequence[str] = ()
) -> Diagnostic:
    """Return the diagnostic for a change that names the wrong sort of a definition.

    Args:
        old: The definition.
        written_sort: The sort that was written.
        span: The place of the name.
        verb: The keyword of the change.
        near: Similar names of the sort that was written.
    """
    sort = sort_of(old)
    if near:
        return Diagnostic(
            "E0173",
            f"`{old.name.word}` is {add_indefinite_article(sort)}, not {add_indefinite_article(written_sort.word)}",
            span,
            labels=(Label(old.name.span, "it is declared"),),
            help=f"did you mean {quote_words(near)}?",
            edits=(Edit(span, near[0]),) if len(near) == 1 else (),
        )
    return Diagnostic(
        "E0173",
        f"`{old.name.word}` is {add_indefinite_article(sort)}, not {add_indefinite_article(written_sort.word)}",
        written_sort.span if written_sort.span != NOWHERE else span,
        labels=(Label(old.name.span, "it is declared"),),
        help=f"write `{verb} {sort} {old.name.word}`",
        edits=(Edit(written_sort.span, sort),) if written_sort.span != NOWHERE else (),
    )


def parameter_count_diagnostic(old: t.Quantity, new: t.Quantity) -> Diagnostic:
    """Return the diagnostic for an amended quantity with more or fewer parameters.

    All uses of the quantity would be wrong.
    """
    arguments = " ".join(word for param in old.params for word in ("of", (param.name or param.kind).word))
    sort, name = sort_of(old), old.name.word
    return Diagnostic(
        "E0408",
        f"`{name}` takes {arguments or 'no arguments'}, and an amendment cannot change that",
        new.name.span,
        labels=_declaration_label(old),
        help=f"write `amend {sort} {name}{f' {arguments}' if arguments else ''} is ...`",
    )


def _declaration_label(old: t.Definition) -> tuple[Label, ...]:
    """Return the label that points at the name of an earlier declaration."""
    return (Label(old.name.span, f"the {sort_of(old)} `{old.name.word}` is declared"),)


def not_over_diagnostic(name: str, span: Span, declared: ModulePlace, module: Module) -> Diagnostic:
    """Return the diagnostic for a module that changes what another one declares without being laid over it."""
    owner, place = declared
    return Diagnostic(
        "E0183",
        f"`{module.name}` changes `{name}` of `{owner}`, but does not build on it",
        span,
        labels=(Label(place, f"`{owner}` declares it"),),
        help=f"{_describe_over(module.name, owner)}, or put this file into `with/{owner}/`, where it counts only if "
        f"`{owner}` is played too",
    )


def dropped_lines_diagnostic(new: t.Definition, old: t.Definition, lines: Sequence[str]) -> Diagnostic:
    """Return the warning for an amendment that drops lines, and was probably meant to add some."""
    name, sort = new.name.word, sort_of(new)
    remedy = f"to add to it, write these steps under `when end of {name}`"
    if sort == "action":
        remedy = "to add rules to it, leave the choices out"
    return Diagnostic(
        "E0576",
        f"this replaces everything in `{name}`",
        new.name.span,
        severity="warning",
        note=f"Dropped lines: {quote_words(dict.fromkeys(lines), 'and')}.",
        labels=_declaration_label(old),
        help=f"{remedy}; or repeat the lines to keep here; to keep nothing, write `remove {sort} {name}`, and "
        f"declare it again without `amend`",
    )


def changed_twice_diagnostic(part: str, name: str, span: Span, other_span: Span) -> Diagnostic:
    """Return the diagnostic for a definition, or a part of it, that one module changes in two places."""
    what = f"`{part} of {name}`" if part else f"`{name}`"
    label = (Label(other_span, "also changed"),)
    return Diagnostic("E0175", f"{what} is changed twice", span, labels=label, help="keep one of the two")


def conflict_diagnostic(changed: str, span: Span, other: ModulePlace, module: Module) -> Diagnostic:
    """Return the error for two unrelated modules that change the same part, with a reading for each order."""
    name, other_span = other
    return Diagnostic(
        "E0174",
        f"`{module.name}` and `{name}` both change `{changed}`",
        span,
        note="Neither builds on the other, so it is not clear which one applies.",
        labels=(Label(other_span, f"`{name}` changes it"),),
        help=f"{_describe_over(module.name, name)}, or the other way round, so that the one on top applies; put "
        f"rules for when both are played into `with/{name}/`; or play with only one of them",
        readings=tuple(
            RuleReading(f"`{upper}` builds on `{lower}`", over=(upper, lower))
            for upper, lower in ((module.name, name), (name, module.name))
        ),
    )


def _describe_over(upper: str, lower: str) -> str:
    return f"write `over: [{lower}]` into the manifest of `{upper}`"


MOST_PLACES = 3  # places of use that a message shows


class OrphanedReferences:
    """Collects the uses of words that belong to removed definitions."""

    def __init__(self, book: t.Book) -> None:
        self.removals: dict[str, tuple[t.Definition, Span]] = {}
        for definition, span in book.removed:
            for word in _iter_words(definition):
                self.removals.setdefault(word, (definition, span))
        self.uses: dict[Span, list[Span]] = {}

    def record_use(self, word: str, place: Span) -> bool:
        """Record a use of a word that belonged to a removed definition; return False for any other word."""
        if word not in self.removals:
            return False
        self.uses.setdefault(self.removals[word][1], []).append(place)
        return True

    def iter_diagnostics(self) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each removed definition that is still used."""
        removals = {span: definition for definition, span in self.removals.values()}
        for span, uses in self.uses.items():
            yield _orphan_diagnostic(removals[span], span, list(dict.fromkeys(uses)))


def _iter_words(definition: t.Definition) -> Iterator[str]:
    """Yield all words by which rules may refer to a definition (name, plurals, fields)."""
    yield definition.name.word
    if isinstance(definition, t.Kind | t.Group | t.Resource | t.Die):
        yield from list_inflected_forms(definition.name.word)
        plural = definition.title.partition("/")[2]
        yield from (plural.lower().replace(" ", "-"),) if plural else ()
    if isinstance(definition, t.Kind):
        yield from (field.name.word for field in definition.fields)


def _orphan_diagnostic(removed: t.Definition, span: Span, uses: list[Span]) -> Diagnostic:
    """Return the error at a `remove` whose definition is still used; at most MOST_PLACES uses are labelled."""
    remaining = len(uses) - MOST_PLACES
    rest = f" It is used in {count_noun(remaining, 'more place')}." if remaining > 0 else ""
    if isinstance(removed, t.Thing):
        sort = removed.kind.word
    else:
        sort = SORTS.get(type(removed), "exception")
    name = removed.name.word
    return Diagnostic(
        "E0211",
        f"the {sort} `{name}` is removed here, but other rules still need it",
        span,
        labels=(*(Label(use, "it is used") for use in uses[:MOST_PLACES]), Label(removed.name.span, "it was declared")),
        note=f"Rules cannot use what is removed.{rest}",
        help=f"remove or amend those rules too, or `amend {sort} {name}` instead of removing it",
    )
