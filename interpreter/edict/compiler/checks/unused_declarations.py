"""Declarations without a use: names, keeps, resources, amounts, phases and actions; and values put in quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from functools import cache, partial
from typing import Any

from edict.compiler.checks.check_registry import CheckContext, Checks, has_role
from edict.compiler.semantics.effects import collect_changed_meanings, iter_moved_resources
from edict.compiler.semantics.resource_names import resources_of_name, resources_of_set
from edict.compiler.semantics.symbols import Meaning, ResolvedBook, Symbol, definition_of, meaning_of_place
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import quote_words
from edict.support.report import Diagnostic, Label

_DECLARED_SORTS: dict[type, str] = {node: node.sort for node in (t.Keep, t.Quantity, t.Term, t.Setting)}
_BINDING_ROLES = (Role.BINDS, Role.BINDS_BELOW)


checks = Checks()


@checks.check_rules
def find_unused_values(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find names, state variables, quantities, resources and amounts that no rule reads.

    A game without a panel is still being written; then nothing is reported.
    """
    if not any(rules.nodes_of(t.Display)):
        return
    mentions, writes = _count_mentions(rules)
    replaced_words = _collect_replaced_words(rules.resolved)
    yield from _find_unused_names(rules, mentions, writes)
    yield from _find_unused_definitions(rules.resolved, mentions, writes, replaced_words)
    yield from _find_unused_resources(rules, mentions, writes, replaced_words)
    yield from _find_unread_amounts(rules)


def _count_mentions(rules: CheckContext) -> tuple[Counter[Meaning], Counter[Meaning]]:
    """Return two counters by meaning: of all its names in the rules, and of those that only write or bind it."""
    mentions, writes = Counter[Meaning](), Counter[Meaning]()
    for _, name in rules.nodes_of(t.Name):
        meaning = rules.resolved.meaning.get(name)
        if meaning is not None:
            mentions[meaning] += 1
    for _, node in rules.nodes_of(_can_write):
        writes.update(_iter_writes(rules.resolved, node))
    return mentions, writes


def _can_write(kind: type) -> bool:
    """Return True if nodes of a class write a place or bind a name."""
    return issubclass(kind, t.Gain | t.Adjust) or any(map(partial(carries_role, kind), (Role.CHANGED, *_BINDING_ROLES)))


def _iter_writes(resolved: ResolvedBook, node: t.Node) -> Iterator[Meaning]:
    """Yield the meanings that a node changes, binds or gains without reading them; a swap also reads its places."""
    read_places = {*iter_role_values(node, Role.INTO)}  # a swap reads what it writes
    places = (
        meaning_of_place(resolved, place) for place in iter_role_values(node, Role.CHANGED) if place not in read_places
    )
    yield from (meaning for meaning in places if meaning is not None)
    yield from (meaning for name in _iter_bound_names(node) if (meaning := resolved.meaning.get(name)) is not None)
    yield from (
        meaning for name in _iter_gained_names(node) if isinstance(meaning := resolved.meaning.get(name), Symbol)
    )


def _iter_bound_names(node: t.Node) -> Iterator[t.Name]:
    """Yield the names that a node binds, and the quantity it adjusts."""
    for role in _BINDING_ROLES:
        yield from iter_role_values(node, role)
    if isinstance(node, t.Adjust):
        yield node.quantity


def _iter_gained_names(node: t.Node) -> Iterator[t.Name]:
    """Yield the names of the resources that a node gains."""
    for bundle in iter_role_values(node, Role.MOVED) if isinstance(node, t.Gain | t.Take) else ():
        yield from (part.what for part in bundle.parts if isinstance(part, t.Part))


def _find_unused_names(
    rules: CheckContext, mentions: Counter[Meaning], writes: Counter[Meaning]
) -> Iterator[Diagnostic]:
    """Find local names that are never used."""
    for owner, node in rules.nodes_of(t.Loop, has_role(Role.BINDS)):
        in_routine = isinstance(owner, t.Routine)  # a handler of a moment need not use every parameter
        local = rules.resolved.binds.get(node) if _binds_usable_name(rules.resolved, node) else None
        if local is None or (isinstance(node, t.Param) and not in_routine):
            continue
        if mentions[local] <= writes[local]:
            yield Diagnostic(
                "E0553",
                f"`{local.name}` is never used",
                local.span,
                severity="warning",
                help="use it where you meant to, or delete it",
            )


def _binds_usable_name(resolved: ResolvedBook, node: t.Node) -> bool:
    """Return True if a node binds a name that should be used; loops over numbers have to bind one."""
    kind: type = type(node)
    if not isinstance(node, t.Loop):
        return carries_role(kind, Role.BINDS)
    name: t.Name | None = getattr(node, "name", None)
    return name is not None and resolved.meaning[getattr(node, "kind")].name != "number"  # noqa: B009


def _find_unused_definitions(
    resolved: ResolvedBook, mentions: Counter[Meaning], writes: Counter[Meaning], replaced_words: frozenset[str]
) -> Iterator[Diagnostic]:
    """Yield E0554 for definitions never used, and for keeps never read or never set."""
    changed = collect_changed_meanings(resolved)
    symbols = {meaning.definition: meaning for meaning in mentions if isinstance(meaning, Symbol)}
    for definition in resolved.book.definitions.values():
        sort = _DECLARED_SORTS.get(type(definition))
        if sort is None or definition.name.word in replaced_words:
            continue
        symbol, name = symbols.get(definition), definition.name
        if symbol is None or (isinstance(definition, t.Quantity) and mentions[symbol] <= writes[symbol]):
            yield _diagnose_unused_name(
                name, f"the {sort} `{name.word}` is never used", "use it where you meant to, or delete it"
            )
        elif isinstance(definition, t.Keep) and not definition.lasting:
            if mentions[symbol] <= writes[symbol] and definition.type.shape != "dice":  # dice have to lie somewhere
                remedy = "use it where you meant to, show it in a panel, or delete it"
                yield _diagnose_unused_name(name, f"`{name.word}` is set but never read", remedy)
            elif symbol not in changed and definition.start is None and definition.type.shape != "order":
                remedy = "set it where you meant to; if it should never change, give its value with `starting at`"
                yield _diagnose_unused_name(
                    name, f"`{name.word}` is never set, so it always has the value it starts with", remedy
                )


def _collect_replaced_words(resolved: ResolvedBook) -> frozenset[str]:
    """Return the names in rules that another module replaced: if they are unused now, it is nobody's mistake."""
    nodes = (node for definition in resolved.book.covered for node in walk(definition))
    return frozenset(node.word for node in nodes if isinstance(node, t.Name))


def _find_unused_resources(
    rules: CheckContext, mentions: Counter[Meaning], writes: Counter[Meaning], replaced_words: frozenset[str]
) -> Iterator[Diagnostic]:
    """Find resources that are never used, or never gained."""
    gained = set[Meaning]()
    for _, gain in rules.nodes_of(t.Gain):
        for bundle in iter_role_values(gain, Role.MOVED):
            gained.update(iter_moved_resources(rules.resolved, bundle))
    for meaning in mentions:
        definition = meaning.definition if isinstance(meaning, Symbol) else None
        if not isinstance(definition, t.Resource) or definition.name.word in replaced_words:
            continue
        name = definition.name
        if mentions[meaning] <= writes[meaning]:
            remedy = "use it where you meant to, show it in a panel, or delete it"
            yield _diagnose_unused_name(name, f"`{name.word}` is gained but never used", remedy)
        elif meaning not in gained and not definition.below_zero:
            yield _diagnose_unused_name(
                name, f"nobody ever gains any `{name.word}`", f"write `gain 1 {name.word}` where players should get it"
            )


def _find_unread_amounts(rules: CheckContext) -> Iterator[Diagnostic]:
    """Yield a warning for each resource in a thing's amounts field whose amount no rule asks for there."""
    reads_by_field, resolved = _collect_amount_reads(rules), rules.resolved
    covered = {
        node.head.word for definition in resolved.book.covered for node in walk(definition) if isinstance(node, t.Apply)
    }
    for thing in resolved.book.definitions.values():
        for field in thing.fields if isinstance(thing, t.Thing) else ():
            reads = reads_by_field.get(field.name.word, {})
            if field.amounts is None or not reads or field.name.word in covered:
                continue
            for part in field.amounts.parts:
                if isinstance(part, t.Part) and not resources_of_name(resolved, part.what) & reads.keys():
                    yield _diagnose_unread_amount(field.name.word, part, part.what.word, reads)


def _collect_amount_reads(rules: CheckContext) -> dict[str, dict[Meaning, t.Apply]]:
    """Map each field name to the resources whose amounts rules ask of it, each with the first such expression."""
    reads_by_field: dict[str, dict[Meaning, t.Apply]] = {}
    resolved = rules.resolved
    priced = ((owner, part.amount) for owner, price in rules.nodes_of(t.PartPrice) for part in resolved.prices[price])
    asking_rules = (
        (owner, node) for owner, node in (*rules.nodes_of(t.Apply), *priced) if not isinstance(owner, t.Display)
    )
    for _, node in asking_rules:
        if isinstance(node, t.Apply) and len(node.args) == 2 and resolved.meaning[node.head].sort == "field":
            resource = node.args[1]
            if isinstance(resource, t.Name):
                possible_resources = resources_of_name(resolved, resource)
            else:
                possible_resources = resources_of_set(resolved, resource)
            reads = reads_by_field.setdefault(node.head.word, {})
            reads.update((price, node) for price in possible_resources if price not in reads)
    return reads_by_field


def _diagnose_unread_amount(field: str, part: t.Part, resource: str, reads: dict[Meaning, t.Apply]) -> Diagnostic:
    """Return E0570, for an amount in a field that rules read only for other resources."""
    places = [*reads.values()]
    return Diagnostic(
        "E0570",
        f"no rule uses `{field}` in `{resource}`, so this is never paid or gained",
        part.span,
        severity="warning",
        labels=(Label(max(places, key=places.count).span, f"`{field}` is used"),),
        note=f"Rules use it only in {quote_words(sorted(meaning.name for meaning in reads), 'and')}.",
        help=f"make those rules use `{field} of ... in {resource}` too, or delete it here",
    )


def _diagnose_unused_name(name: t.Name, title: str, remedy: str) -> Diagnostic:
    """Return the warning E0554, for a name that nothing uses."""
    return Diagnostic("E0554", title, name.span, severity="warning", help=remedy)


# --- definitions that never run ------------------------------------------------------------------


# for each class its noun, participle and verb
VERBS = {
    t.Phase: ("phase", "played", "play"),
    t.Routine: ("routine", "done", "do"),
    t.Action: ("action", "done", "do"),
    t.Moment: ("moment", "triggered", "trigger"),
}


@checks.check_rules
def find_unreached_definitions(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find phases, routines, actions and moments that no rule runs.

    They may be meant for modules on top, so this only warns. What a module made unused by replacing its uses is no
    mistake.
    """
    reached, replaced_uses = _collect_reached_definitions(rules), collect_replaced_uses(rules.resolved.book)
    for definition in rules.resolved.book.definitions.values():
        if type(definition) in VERBS and definition not in reached and definition.name.word not in replaced_uses:
            sort, participle, verb = VERBS[type(definition)]
            name = definition.name
            yield Diagnostic(
                "E0510",
                f"the {sort} `{name.word}` is never {participle}",
                name.span,
                severity="warning",
                help=f"write `{verb} {name.word}` where it belongs, or delete it",
            )


def _collect_reached_definitions(rules: CheckContext) -> set[t.Definition]:
    """Return the definitions that are played, done or triggered outside of themselves."""
    reached: set[t.Definition] = set()
    for owner, node in rules.nodes_of(has_role(Role.RUNS)):
        for name in iter_role_values(node, Role.RUNS):
            definition = definition_of(rules.resolved, name)
            if definition is not None and definition is not owner:
                reached.add(definition)
    return reached


def collect_replaced_uses(book: t.Book) -> set[str]:
    """Return the names of definitions that rules ran before another module replaced these rules."""
    names = set[str]()
    for node in walk(book.covered):
        names.update(name.word for name in iter_role_values(node, Role.RUNS))
    return names


# --- values in quotes ----------------------------------------------------------------------------


_VALUE = r"([a-z][a-z0-9-]*)(?: of (?:you|it|player|left of you|right of you))"
_WHOLE = re.compile(rf"\s*{_VALUE}\s*")
_MARKED = re.compile(rf"\{{\s*{_VALUE}?\s*\}}")
_VALUES = (t.Keep, t.Quantity, t.Term, t.Resource, t.Group)


@cache
def _text_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a class whose texts players read, also of questions and options."""
    is_question = issubclass(kind, t.Stmt | t.Branch)
    return tuple(
        field_.name for field_ in fields(kind) if "str | Expr" in field_.type or (is_question and field_.type == "str")
    )


@checks.check_nodes(_text_fields)
def find_quoted_values(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Yield a warning for a text that is just the name of a value, as `"gold"`, or marks one, as `"{gold}"`."""
    kind: Any = type(node)
    for value in (getattr(node, field) for field in _text_fields(kind)):
        for text in (part for part in (value if isinstance(value, tuple) else (value,)) if isinstance(part, str)):
            match = _WHOLE.fullmatch(text) or _MARKED.search(text)
            if match and isinstance(rules.resolved.book.definitions.get(match[1]), _VALUES):
                yield _diagnose_quoted_value(node, match[0].strip().strip("{ }"))


def _diagnose_quoted_value(node: t.Node, value: str) -> Diagnostic:
    """Return the warning E0561, for the name of a value in quotes, which is shown as mere words."""
    return Diagnostic(
        "E0561",
        f"`{value}` is in quotes, so players read these words, not the value",
        node.span,
        severity="warning",
        help=f"in announcements, options and panels, close the quotes before it and write `, {value}`; "
        f"elsewhere, use plain words",
    )
