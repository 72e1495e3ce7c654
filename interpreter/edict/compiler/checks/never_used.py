"""What is written down and never used: names, keeps, resources and amounts; phases nobody plays, values in quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from functools import cache, partial
from typing import Any

from edict.compiler.checks.check_registry import Checks, Rules, with_role
from edict.compiler.semantics.effects import ever_changed, moved
from edict.compiler.semantics.resource_names import named, resources
from edict.compiler.semantics.symbols import Meaning, Resolved, Symbol, definition_of, place_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, has, having
from edict.compiler.syntax.walking import walk
from edict.support.morphology import quote_words
from edict.support.report import Diagnostic, Label

_KEPT = {t.Keep: "keep", t.Quantity: "quantity", t.Term: "value", t.Setting: "setting"}
_GIVING = (Role.BINDS, Role.BINDS_BELOW)


checks = Checks()


@checks.of_all
def unread(rules: Rules) -> Iterator[Diagnostic]:
    """As long as a game has no panel nobody plays it: what it does not use yet, it may be going to."""
    if not any(rules.of(t.Display)):
        return
    spoken, put = _spoken_of(rules)
    before = _spoken_before(rules.resolved)
    yield from _names(rules, spoken, put)
    yield from _definitions(rules.resolved, spoken, put, before)
    yield from _resources(rules, spoken, put, before)
    yield from _amounts(rules)


def _spoken_of(rules: Rules) -> tuple[Counter[Meaning], Counter[Meaning]]:
    """How often rules speak of what, and how often only to put something there."""
    spoken, put = Counter[Meaning](), Counter[Meaning]()
    for _, name in rules.of(t.Name):
        meaning = rules.resolved.meaning.get(name)
        if meaning is not None:
            spoken[meaning] += 1
    for _, node in rules.of(_puts):
        put.update(_put(rules.resolved, node))
    return spoken, put


def _puts(kind: type) -> bool:
    """Whether such nodes put something somewhere, or name it."""
    return issubclass(kind, t.Gain | t.Adjust) or any(map(partial(has, kind), (Role.CHANGED, *_GIVING)))


def _put(resolved: Resolved, node: t.Node) -> Iterator[Meaning]:
    """What a node only puts something into, or gives a name."""
    taken = {*having(node, Role.INTO)}  # as in a swap, which asks for both
    places = (place_of(resolved, one) for one in having(node, Role.CHANGED) if one not in taken)
    yield from (meaning for meaning in places if meaning is not None)
    yield from (meaning for name in _given(node) if (meaning := resolved.meaning.get(name)) is not None)
    yield from (meaning for name in _gained(node) if isinstance(meaning := resolved.meaning.get(name), Symbol))


def _given(node: t.Node) -> Iterator[t.Name]:
    """The names that a node gives, and the quantity it adjusts."""
    for role in _GIVING:
        yield from having(node, role)
    if isinstance(node, t.Adjust):
        yield node.quantity


def _gained(node: t.Node) -> Iterator[t.Name]:
    """The resources that are gained, by name."""
    for bundle in having(node, Role.MOVED) if isinstance(node, t.Gain | t.Take) else ():
        yield from (part.what for part in bundle.parts if isinstance(part, t.Part))


def _names(rules: Rules, spoken: Counter[Meaning], put: Counter[Meaning]) -> Iterator[Diagnostic]:
    """Names that rules give, and never use."""
    for owner, node in rules.of(t.Loop, with_role(Role.BINDS)):
        asked = isinstance(owner, t.Routine)  # of what comes along at a moment, rules take what they need
        local = rules.resolved.binds.get(node) if _names_one(rules.resolved, node) else None
        if local is None or (isinstance(node, t.Param) and not asked):
            continue
        if spoken[local] <= put[local]:
            yield Diagnostic(
                "E0553",
                f"`{local.name}` is never used",
                local.span,
                severity="warning",
                help="use it where you meant to, or delete it",
            )


def _names_one(resolved: Resolved, node: t.Node) -> bool:
    """Whether it gives a name to be used; loops through numbers must give one."""
    kind: type = type(node)
    if not isinstance(node, t.Loop):
        return has(kind, Role.BINDS)
    name: t.Name | None = getattr(node, "name", None)
    return name is not None and resolved.meaning[getattr(node, "kind")].name != "number"  # noqa: B009


def _definitions(
    resolved: Resolved, spoken: Counter[Meaning], put: Counter[Meaning], before: frozenset[str]
) -> Iterator[Diagnostic]:
    changed = ever_changed(resolved)
    symbols = {one.definition: one for one in spoken if isinstance(one, Symbol)}
    for definition in resolved.book.definitions.values():
        sort = _KEPT.get(type(definition))
        if sort is None or definition.name.word in before:
            continue
        symbol, name = symbols.get(definition), definition.name
        if symbol is None or (isinstance(definition, t.Quantity) and spoken[symbol] <= put[symbol]):
            yield _said(name, f"the {sort} `{name.word}` is never used", "use it where you meant to, or delete it")
        elif isinstance(definition, t.Keep) and not definition.lasting:
            if spoken[symbol] <= put[symbol] and definition.type.shape != "dice":  # which must lie somewhere
                remedy = "use it where you meant to, show it in a panel, or delete it"
                yield _said(name, f"`{name.word}` is set but never read", remedy)
            elif symbol not in changed and definition.start is None and definition.type.shape != "order":
                remedy = "set it where you meant to; if it is meant to stay as it is, say what it is `starting at`"
                yield _said(name, f"`{name.word}` is never set, so it always has the value it starts with", remedy)


def _spoken_before(resolved: Resolved) -> frozenset[str]:
    """What was spoken of where another module now has laid something else: that it is idle now is nobody's mistake."""
    covered = (node for one in resolved.book.covered for node in walk(one))
    return frozenset(node.word for node in covered if isinstance(node, t.Name))


def _resources(
    rules: Rules, spoken: Counter[Meaning], put: Counter[Meaning], before: frozenset[str]
) -> Iterator[Diagnostic]:
    """Resources that are asked for or paid, and never gained."""
    gained = set[Meaning]()
    for _, gain in rules.of(t.Gain):
        for bundle in having(gain, Role.MOVED):
            gained.update(moved(rules.resolved, bundle))
    for meaning in spoken:
        definition = meaning.definition if isinstance(meaning, Symbol) else None
        if not isinstance(definition, t.Resource) or definition.name.word in before:
            continue
        name = definition.name
        if spoken[meaning] <= put[meaning]:
            remedy = "use it where you meant to, show it in a panel, or delete it"
            yield _said(name, f"`{name.word}` is gained but never used", remedy)
        elif meaning not in gained and not definition.below_zero:
            yield _said(name, f"nobody ever gains any `{name.word}`", f"write `gain 1 {name.word}` where it comes from")


def _amounts(rules: Rules) -> Iterator[Diagnostic]:
    """What stands in a field of amounts, of a resource for which no rule asks there, though it asks for others."""
    asked, resolved = _asked_for(rules), rules.resolved
    covered = {node.head.word for one in resolved.book.covered for node in walk(one) if isinstance(node, t.Apply)}
    for thing in resolved.book.definitions.values():
        for field in thing.fields if isinstance(thing, t.Thing) else ():
            asking = asked.get(field.name.word, {})
            if field.amounts is None or not asking or field.name.word in covered:
                continue
            for part in field.amounts.parts:
                if isinstance(part, t.Part) and not resources(resolved, part.what) & asking.keys():
                    yield _never_moved(field.name.word, part, part.what.word, asking)


def _asked_for(rules: Rules) -> dict[str, dict[Meaning, t.Apply]]:
    """Fields of amounts with the resources for which rules ask there, each with a place where they do."""
    found: dict[str, dict[Meaning, t.Apply]] = {}
    resolved = rules.resolved
    priced = ((owner, part.amount) for owner, one in rules.of(t.PartPrice) for part in resolved.prices[one])
    asking_rules = ((owner, node) for owner, node in (*rules.of(t.Apply), *priced) if not isinstance(owner, t.Display))
    for _, node in asking_rules:
        if isinstance(node, t.Apply) and len(node.args) == 2 and resolved.meaning[node.head].sort == "field":
            what = node.args[1]
            among = resources(resolved, what) if isinstance(what, t.Name) else named(resolved, what)
            asking = found.setdefault(node.head.word, {})
            asking.update((one, node) for one in among if one not in asking)
    return found


def _never_moved(field: str, part: t.Part, what: str, asking: dict[Meaning, t.Apply]) -> Diagnostic:
    places = [*asking.values()]
    return Diagnostic(
        "E0570",
        f"no rule asks for `{field}` in `{what}`, so this is neither paid nor gained",
        part.span,
        severity="warning",
        labels=(Label(max(places, key=places.count).span, f"`{field}` is asked for"),),
        note=f"It is asked for only in {quote_words(sorted(one.name for one in asking), 'and')}.",
        help=f"let the rules that deal with the others ask for `{field} of ... in {what}` too, or leave it out here",
    )


def _said(name: t.Name, title: str, remedy: str) -> Diagnostic:
    return Diagnostic("E0554", title, name.span, severity="warning", help=remedy)


# --- what never happens --------------------------------------------------------------------------


VERBS = {
    t.Phase: ("phase", "played", "play"),
    t.Routine: ("routine", "done", "do"),
    t.Action: ("action", "done", "do"),
    t.Moment: ("moment", "triggered", "trigger"),
}


@checks.of_all
def unused(rules: Rules) -> Iterator[Diagnostic]:
    """Routines and phases may be parts of a game that a module laid over it has use for, so this only warns.

    What a module has made idle by laying something over its uses is no mistake of anybody.
    """
    happens, before = _happening(rules), once_used(rules.resolved.book)
    for definition in rules.resolved.book.definitions.values():
        if type(definition) in VERBS and definition not in happens and definition.name.word not in before:
            sort, done, verb = VERBS[type(definition)]
            name = definition.name
            yield Diagnostic(
                "E0510",
                f"the {sort} `{name.word}` is never {done}",
                name.span,
                severity="warning",
                help=f"write `{verb} {name.word}` where it belongs, or delete it",
            )


def _happening(rules: Rules) -> set[t.Definition]:
    """What is played, done or triggered somewhere outside itself."""
    found: set[t.Definition] = set()
    for owner, node in rules.of(with_role(Role.RUNS)):
        for name in having(node, Role.RUNS):
            definition = definition_of(rules.resolved, name)
            if definition is not None and definition is not owner:
                found.add(definition)
    return found


def once_used(book: t.Book) -> set[str]:
    """The names that are used where another module now has laid something else."""
    return {name.word for covered in book.covered for node in walk(covered) for name in having(node, Role.RUNS)}


# --- values that stand in quotes -----------------------------------------------------------------


_VALUE = r"([a-z][a-z0-9-]*)(?: of (?:you|it|player|left of you|right of you))"
_WHOLE = re.compile(rf"\s*{_VALUE}\s*")
_MARKED = re.compile(rf"\{{\s*{_VALUE}?\s*\}}")
_VALUES = (t.Keep, t.Quantity, t.Term, t.Resource, t.Group)


@cache
def _texts(kind: Any) -> tuple[str, ...]:
    """The fields with what is read out between values; and with questions and options, which are only words."""
    words = issubclass(kind, t.Stmt | t.Branch)
    return tuple(one.name for one in fields(kind) if "str | Expr" in one.type or (words and one.type == "str"))


@checks.at(_texts)
def quoted(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    kind: Any = type(node)
    for value in (getattr(node, field) for field in _texts(kind)):
        for text in (one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, str)):
            found = _WHOLE.fullmatch(text) or _MARKED.search(text)
            if found and isinstance(rules.resolved.book.definitions.get(found[1]), _VALUES):
                yield _as_written(node, found[0].strip().strip("{ }"))


def _as_written(node: t.Node, value: str) -> Diagnostic:
    return Diagnostic(
        "E0561",
        f"`{value}` stands in quotes, so these words are read and not what they come to",
        node.span,
        severity="warning",
        help=f"in announcements, options and panels end the text before it, and write `, {value}` "
        "behind the quotes; elsewhere, use words alone",
    )
