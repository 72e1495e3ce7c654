"""Which rules touch which: abilities their quantities, moments, actions and phases; modules what they change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.front import tree as t
from edict.front.handbook.deeds import VERBS
from edict.front.handbook.known import Known
from edict.front.handbook.looking import Named, everything
from edict.front.symbols import Symbol, walk
from edict.front.words import ability_words, sentence
from edict.text import Span

ABILITIES: dict[type, str] = {t.Adjust: "adjusts", t.When: "happens at", t.Shift: "shifts", t.Exception_: "replaces"}
CHANGES = (t.Set, t.Add, t.Remove, t.Reroll, t.Show, t.Arrange, t.Shuffle)
HOW = ("adjusts", "happens at", "shifts", "excepts", "replaces", "plays", "does", "triggers", "changes", "reads",
       *(f"{verb} by" for verb in VERBS.values()))  # fmt: skip


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
    changed = {(x.who, x.whom) for x in found if x.how == "changes"}
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


def target(ability: t.Ability) -> t.Name:
    """What an ability is about."""
    if isinstance(ability, t.Adjust):
        return ability.quantity
    if isinstance(ability, t.When):
        return ability.moment
    if isinstance(ability, t.Shift):
        return ability.action
    assert isinstance(ability, t.Exception_)
    return ability.target


def _ability(known: Known, one: Named, ability: t.Ability) -> Touch:
    how, part = ABILITIES[type(ability)], ""
    if isinstance(ability, t.Exception_) and ability.rule is not None:
        how, part = "excepts", ability.rule.word
    if isinstance(ability, t.When):
        part = ability.edge
    words = sentence(ability_words(known.resolved, ability))
    whom = known.resolved.meaning[target(ability)].name
    return Touch(one.name, how, whom, ability.span, known.module_of(ability.span), part, words)


def _mention(known: Known, one: Named, name: t.Name) -> Iterator[Touch]:
    """What a rule asks about: a keep, a quantity, a setting, another thing."""
    meaning = known.resolved.meaning.get(name)
    if not isinstance(meaning, Symbol) or meaning.sort not in ("keep", "quantity", "setting", "thing", "resource"):
        return
    if meaning.name != one.name:
        yield Touch(one.name, "reads", meaning.name, name.span, known.module_of(name.span))


def _steps(known: Known, one: Named) -> Iterator[Touch]:
    for node in walk(one.definition):
        if not isinstance(node, t.Stmt):
            continue
        how = {t.Play: "plays", t.Do: "does", t.Trigger: "triggers"}.get(type(node), "changes")
        for name in _stepped(node):
            meaning = known.resolved.meaning.get(name)
            if isinstance(meaning, Symbol) and meaning.name != one.name and meaning.name in known.definitions:
                yield Touch(one.name, how, meaning.name, node.span, known.module_of(node.span))


def _stepped(node: t.Stmt) -> Iterator[t.Name]:
    """The names a step changes, plays, does or triggers."""
    if isinstance(node, t.Play):
        yield node.phase
    elif isinstance(node, t.Do):
        yield node.name
    elif isinstance(node, t.Trigger):
        yield node.moment
    elif isinstance(node, CHANGES):
        place = node.place
        name = place.head if isinstance(place, t.Apply) else place
        if isinstance(name, t.Name):
            yield name
    elif isinstance(node, t.Gain | t.Spend | t.Lose):
        bundles = (node.bundle,) if isinstance(node, t.Lose) else node.options
        yield from (part.what for bundle in bundles for part in bundle.parts if isinstance(part, t.Part))


def _by_modules(known: Known) -> Iterator[Touch]:
    """What modules did to definitions of others: with the fields, where it is a thing or a kind."""
    for name, done in known.deeds.items():
        before = done[0].after
        for deed in done[1:]:
            for part in _fields_changed(before, deed.after) or ("",):
                yield Touch(deed.module, f"{VERBS[deed.verb]} by", name, deed.span, deed.module, part)
            before = deed.after


def _fields_changed(before: t.Definition | None, after: t.Definition | None) -> tuple[str, ...]:
    if not isinstance(before, t.Thing | t.Kind) or not isinstance(after, t.Thing | t.Kind):
        return ()
    old = {field.name.word: field for field in before.fields}
    return tuple(field.name.word for field in after.fields if old.get(field.name.word) is not field)


def mentions(touch: Touch) -> bool:
    """Whether it only reads or changes what is kept: the small print, left out of the whole picture."""
    return touch.how in ("reads", "changes")
