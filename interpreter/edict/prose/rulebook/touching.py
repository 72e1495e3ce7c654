"""Which rules touch which: abilities their quantities, moments, actions and phases; modules what they change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.compiler.english import tell
from edict.compiler.semantics.ability_targets import target
from edict.compiler.semantics.call_graph import answered
from edict.compiler.semantics.effects import changes
from edict.compiler.semantics.symbols import Meaning, Resolved, Symbol, parts_of, place_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.compiler.syntax.walking import walk
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.history import VERBS
from edict.prose.rulebook.looking import Named, everything
from edict.support.morphology import to_sentence
from edict.support.text import Span

ABILITIES: dict[type, str] = {t.Adjust: "adjusts", t.When: "happens at", t.Shift: "shifts", t.Exception_: "replaces"}
RUNNING = {"phase": "plays", "routine": "does", "action": "does", "moment": "triggers"}
SMALL_PRINT = ("changes", "reveals", "reads")
HOW = (
    "adjusts",
    "happens at",
    "shifts",
    "excepts",
    "replaces",
    *RUNNING.values(),
    *SMALL_PRINT,
    *(f"{verb} by" for verb in VERBS.values()),
)


@dataclass(frozen=True, slots=True)
class Touch:
    """`who` touches `whom`, in one of the ways HOW; `part` is the rule or field, `words` what it does."""

    who: str
    how: str
    whom: str
    span: Span
    module: str
    part: str = ""
    words: str = ""


def touches(known: Known) -> tuple[Touch, ...]:
    """All of them, in an order that does not depend on that of files."""
    found = [touch for one in everything(known).values() if not one.gone for touch in _of(known, one)]
    found += _by_modules(known)
    changed = {(x.who, x.whom) for x in found if x.how in ("changes", "reveals")}
    found = [x for x in found if x.how != "reads" or (x.who, x.whom) not in changed]
    unique = {(x.who, x.how, x.whom, x.part, x.words): x for x in found}
    return tuple(sorted(unique.values(), key=lambda x: (x.whom, HOW.index(x.how), x.who, x.part, x.words, x.span)))


def _of(known: Known, one: Named) -> Iterator[Touch]:
    definition = one.definition
    abilities = _abilities(definition)
    for ability in abilities:
        yield _ability(known, one, ability)
    for node in walk(definition):
        if isinstance(node, t.Name):
            yield from _mention(known, one, node)
    yield from _steps(known, one)


def _abilities(definition: t.Definition) -> tuple[t.Ability, ...]:
    if isinstance(definition, t.Standalone):
        return (definition.ability,)
    return definition.abilities if isinstance(definition, t.Thing) else ()


def _ability(known: Known, one: Named, ability: t.Ability) -> Touch:
    how, part = ABILITIES[type(ability)], ""
    if isinstance(ability, t.Exception_) and ability.rule is not None:
        how, part = "excepts", ability.rule.word
    if isinstance(ability, t.When):
        part = ability.edge
    words = to_sentence(tell(known.resolved, ability))
    whom = known.resolved.meaning[target(ability)].name
    return Touch(one.name, how, whom, ability.span, known.module_of(ability.span), part, words)


def _mention(known: Known, one: Named, name: t.Name) -> Iterator[Touch]:
    """What a rule asks about: a keep, a quantity, a setting, another thing."""
    meaning = known.resolved.meaning.get(name)
    asked = ("keep", "quantity", "value", "setting", "thing", "resource")
    if not isinstance(meaning, Symbol) or meaning.sort not in asked:
        return
    if meaning.name != one.name:
        yield Touch(one.name, "reads", meaning.name, name.span, known.module_of(name.span))


def _steps(known: Known, one: Named) -> Iterator[Touch]:
    """What its statements carry out, change and reveal."""
    for node in walk(one.definition):
        for how, meaning in _done(known.resolved, node) if isinstance(node, t.Stmt) else ():
            if isinstance(meaning, Symbol) and meaning.name != one.name and meaning.name in known.definitions:
                yield Touch(one.name, how, meaning.name, node.span, known.module_of(node.span))


def _done(resolved: Resolved, node: t.Stmt) -> Iterator[tuple[str, Meaning | None]]:
    for name in having(node, Role.RUNS):
        meaning = resolved.meaning[name]
        if meaning.sort in RUNNING and answered(resolved, node) is None:
            yield RUNNING[meaning.sort], meaning
    for place in having(node, Role.SHOWN):
        yield "reveals", place_of(resolved, place)
    for bundle in having(node, Role.MOVED):
        named = (part.what for part in parts_of(resolved, bundle) if isinstance(part, t.Part))
        yield from (("changes", resolved.meaning.get(name)) for name in named)
    yield from (("changes", meaning) for meaning in changes(resolved, node) if meaning.sort != "phase")


def _by_modules(known: Known) -> Iterator[Touch]:
    """What modules did to definitions of others: with the fields, where it is a thing or a kind."""
    for name, done in known.history.items():
        before = done[0].after
        for change in done[1:]:
            others = _fields_changed(before, change.after) or ("",) if change.module != done[0].module else ()
            for part in others:
                yield Touch(change.module, f"{VERBS[change.verb]} by", name, change.span, change.module, part)
            before = change.after


def _fields_changed(before: t.Definition | None, after: t.Definition | None) -> tuple[str, ...]:
    if not isinstance(before, t.Thing | t.Kind) or not isinstance(after, t.Thing | t.Kind):
        return ()
    old = {field.name.word: field for field in before.fields}
    return tuple(field.name.word for field in after.fields if old.get(field.name.word) is not field)


def mentions(touch: Touch) -> bool:
    """Whether it only reads, changes or reveals what is kept: the small print, left out of the whole picture."""
    return touch.how in SMALL_PRINT
