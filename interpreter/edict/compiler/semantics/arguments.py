"""Part of the pass `check_types`: what names stand for, what is asked of what, and what is given to what runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.semantics.available_values import given, other_way_round
from edict.compiler.semantics.call_graph import answered, answers, moved
from edict.compiler.semantics.signatures import Cases, Checker
from edict.compiler.semantics.symbols import (
    BUILTINS,
    NUMBER,
    PLAYER,
    PLAYERS,
    RESOURCE,
    RESOURCES,
    TRUTH,
    Local,
    Meaning,
    Resolved,
    Symbol,
    definition_of,
)
from edict.compiler.semantics.type_remedies import Remedy, title_for_name
from edict.compiler.semantics.types import AMOUNTS, EFFECT, UNKNOWN, declared, fits, param_type, spoken
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, awaited
from edict.compiler.syntax.printing.printed_expressions import ATOM, PRIMARY, expression
from edict.compiler.syntax.roles import Role, having
from edict.runtime.program import Type
from edict.support.morphology import with_article
from edict.support.report import Edit, Label
from edict.support.text import Span

Run = t.Do | t.Trigger | t.DoField | t.DoEdge
AMOUNT = ("resource", "group", "die")
"""A player has some number of each."""


# --- names -----------------------------------------------------------------------------------------


def _named_value(check: Checker, name: t.Name) -> Type:
    meaning = check.resolved.of(name)
    if isinstance(meaning, Local):
        return check.locals.get(meaning, UNKNOWN)
    definition = meaning.definition
    if isinstance(definition, t.Keep | t.Quantity) and definition.params:
        check.wrong(
            "E0411",
            f"`{name.word}` of what?",
            name.span,
            _of_what(check.resolved, name, definition.params, check.its[-1:] == [PLAYER]),
            Label(definition.span, "declared here"),
        )
        return UNKNOWN
    if isinstance(definition, t.Keep | t.Quantity):
        return _held(check, definition)
    if isinstance(definition, t.Setting):
        return TRUTH if definition.truth else NUMBER
    if isinstance(definition, t.Thing):
        return Type("thing", definition.kind.word)
    if meaning.sort == "builtin":
        return BUILTINS[meaning.name]
    sorts = {"player": PLAYERS, "resource": RESOURCE, "group": RESOURCES, "kind": Type("set", meaning.name)}
    return sorts.get(meaning.sort, UNKNOWN)


def _held(check: Checker, definition: t.Keep | t.Quantity) -> Type:
    """What a keep holds, or a quantity is worked out to be."""
    if isinstance(definition, t.Keep):
        return declared(check.resolved, definition.type)
    return check.expr(definition.value) if isinstance(definition, t.Term) else NUMBER


def _is_resource(check: Checker, local: Local) -> bool:
    return fits(check.locals.get(local, UNKNOWN), RESOURCE)


def _part(check: Checker, part: t.Part) -> None:
    """`2 gold`: if a local name says of what, it stands for a resource."""
    check.fields(part)
    meaning = check.resolved.of(part.what)
    check.found.extend(title_for_name(part, meaning))
    if isinstance(meaning, Local) and not _is_resource(check, meaning):
        check.wrong(
            "E0403",
            f"`{part.what.word}` is not a resource",
            part.what.span,
            "only resources can be gained, lost and spent",
            Label(meaning.span, f"this is {spoken(check.locals[meaning])}"),
        )


def _in_supply(check: Checker, in_supply: t.InSupply) -> Type:
    """Of what is named only in play, some may be limited."""
    meaning = check.resolved.of(in_supply.resource)
    if isinstance(meaning, Local):
        if not _is_resource(check, meaning):
            check.wrong("E0403", f"`{meaning.name}` is not a resource", in_supply.resource.span, "name a resource")
        return NUMBER
    for endless in moved(check.resolved, meaning.definition) if meaning.definition is not None else ():
        if isinstance(endless, t.Resource) and endless.limit is None:
            name = endless.name.word
            check.wrong(
                "E0540",
                f"`{name}` never runs out",
                in_supply.resource.span,
                f"say how much there is: `resource {name} limited to ...`",
                Label(endless.span, "declared here"),
            )
    return NUMBER


# --- what is asked of what -------------------------------------------------------------------------


def _asked_value(check: Checker, apply: t.Apply) -> Type:
    have, meaning = [check.expr(arg) for arg in apply.args], _head(check, apply.head)
    if isinstance(meaning, Local) or meaning.sort in AMOUNT:
        return _amount(check, apply, meaning)
    if meaning.sort == "field":
        return _field_of(check, apply, have)
    definition = meaning.definition
    if not isinstance(definition, t.Keep | t.Quantity):
        return UNKNOWN
    _given(check, apply, apply.head.word, definition.params)
    return UNKNOWN if len(have) != len(definition.params) else _held(check, definition)


def _head(check: Checker, head: t.Name) -> Meaning:
    """What stands before `of`: a local name only if it is a resource, otherwise what is declared by that name."""
    meaning = check.resolved.of(head)
    if not isinstance(meaning, Local) or _is_resource(check, meaning):
        return meaning
    definition = check.resolved.book.definitions.get(head.word)
    if head.word in check.resolved.fields:
        check.resolved.meaning[head] = Symbol("field", head.word)
    elif isinstance(definition, t.Keep | t.Quantity):
        check.resolved.meaning[head] = Symbol(SORTS[type(definition)], head.word, definition)
    return check.resolved.of(head)


def _amount(check: Checker, apply: t.Apply, head: Meaning) -> Type:
    if isinstance(head, Local) and not _is_resource(check, head):
        remedy = _copies(check, apply) if check.locals.get(head) == NUMBER else None
        check.wrong("E0403", f"`{apply.head.word}` is not a resource", apply.head.span, remedy or "name a resource")
        return UNKNOWN
    whose = apply.args[0]
    if len(apply.args) != 1 or not fits(check.expr(whose), PLAYER):
        check.wrong(
            "E0401",
            "a resource is of a player",
            apply.span,
            check.instead(whose, PLAYER, "asked", at="resource", whole=apply),
        )
        return UNKNOWN
    check.coerce(whose, PLAYER)
    return NUMBER


def _asked(check: Checker, apply: t.Apply, arg: t.Expr, wanted: Type) -> Remedy | None:
    """What to write where something is asked of the wrong thing, or of several."""
    return check.instead(arg, wanted, "asked", whole=apply) if len(apply.args) == 1 else None


def _field_of(check: Checker, apply: t.Apply, have: Sequence[Type]) -> Type:
    name = apply.head.word
    of = _field(check, apply.head, have[0], apply.span, apply.args[0])
    for arg, type_ in zip(apply.args, have, strict=True):
        check.coerce(arg, replace(type_, optional=False))
    if of == AMOUNTS and len(have) == 2 and fits(have[1], RESOURCE):
        return NUMBER
    if of in (AMOUNTS, EFFECT):
        alone = replace(apply, args=apply.args[:1])
        check.types[apply] = check.types[alone] = of
        if of == AMOUNTS:
            remedy = check.instead(alone, NUMBER, "fields")
            check.wrong("E0412", f"`{name}` is an amount of several resources", apply.span, remedy)
        else:
            remedy = check.instead(apply, UNKNOWN, "fields")
            check.wrong("E0409", f"`{name}` is an effect, not a value", apply.span, remedy)
        return UNKNOWN
    if len(have) != 1 and of != UNKNOWN:
        check.wrong("E0408", f"`{name}` takes 1 and is given {len(have)}", apply.span, "name one thing")
    return of


def _field(check: Checker, field: t.Name, of: Type, span: Span, expr: t.Expr) -> Type:
    """The type of a field of a thing of this type; expr: what it is asked of."""
    if of == UNKNOWN or check.resolved.of(field).sort == "unknown":
        return UNKNOWN
    if of.shape != "thing" or of.kind not in check.resolved.fields.get(field.word, ()):
        check.types.setdefault(expr, of)
        remedy = check.instead(expr, UNKNOWN, "asked", at="field", against=field)
        check.wrong("E0413", f"{spoken(of)} has no field `{field.word}`", span, remedy)
        return UNKNOWN
    found: t.FieldDef = next(f for f in check.resolved.get(of.kind).fields if f.name.word == field.word)
    if found.type is not None:
        return declared(check.resolved, found.type)
    return check.expr(found.value) if found.value is not None else UNKNOWN


def _of_each(check: Checker, of_each: t.OfEach) -> Type:
    check.fields(of_each)
    kind = check.resolved.of(of_each.kind).name
    if of_each.field is not None:
        count = _field(check, of_each.field, Type("thing", kind), of_each.span, of_each.kind)
        if count not in (NUMBER, UNKNOWN):
            title = f"`{of_each.field.word}` is {spoken(count)}, and says not how many"
            check.wrong("E0401", title, of_each.field.span, "name a field that is a number")
    return Type("bag", kind)


# --- what is given to what runs --------------------------------------------------------------------


def _run(check: Checker, step: t.Do | t.Trigger) -> None:
    """A routine, moment or action."""
    (name,) = having(step, Role.RUNS)
    what = definition_of(check.resolved, name)
    _given(check, step, name.word, what.params if isinstance(what, t.Moment | t.Routine) else ())


def _given(check: Checker, node: Run | t.Apply, name: str, params: Sequence[t.Param]) -> None:
    """What is given to what runs, or something is asked of, is what the parameters are, one by one."""
    resolved, args = check.resolved, node.args
    if len(params) != len(args):
        remedy = _copies(check, node) if isinstance(node, t.Apply) and _is_count(check, node) else None
        remedy = remedy or _as_many(resolved, node, name, params)
        check.wrong(
            "E0408",
            f"`{name}` takes {len(params)} and is given {len(args)}",
            node.span,
            remedy,
            *(Label(param.span, "declared here") for param in params[:1]),
        )
    if other_way_round(resolved, params, [check.expr(arg) for arg in args]):
        text = _written(node, name, [expression(arg) for arg in reversed(args)])
        first = spoken(param_type(resolved, params[0]))
        check.wrong(
            "E0401",
            f"`{name}` takes {first} first, and here it comes last",
            node.span,
            (f"write `{text}`", (Edit(node.span, text),)),
        )
        return
    for param, arg in zip(params, args, strict=False):
        check.want(arg, param_type(resolved, param), f"`{name}`", node, labels=[Label(param.span, "declared here")])


def _do_of_thing(check: Checker, do: t.DoEdge | t.DoField) -> None:
    """The effect in a field of a thing, or what it does at a moment: if it is named outright, there must be some."""
    at, of = answered(check.resolved, do), check.expr(do.thing)
    check.coerce(do.thing, replace(of, optional=False))
    if isinstance(do, t.DoField) and at is None:
        _given(check, do, do.field.word, ())
        if _field(check, do.field, of, do.span, do.thing) not in (EFFECT, UNKNOWN):
            check.wrong("E0409", f"`{do.field.word}` is not an effect", do.field.span, "only effects can be done")
    if at is None or of == UNKNOWN:
        return
    moment, edge = at
    _given(check, do, moment.name.word, getattr(moment, "params", ()))
    thing = definition_of(check.resolved, do.thing)
    doing = [doer for doer, _ in answers(check.resolved, *at) if doer is thing or not isinstance(thing, t.Thing)]
    if of.shape != "thing" or of.kind not in (ability.kind.word for ability in doing):
        who = f"`{thing.name.word}`" if isinstance(thing, t.Thing) else spoken(of)
        waits = f"`when {awaited(moment.name.word, edge)}`"
        check.wrong(
            "E0418",
            f"{who} does nothing at that moment",
            do.span,
            f"write {waits} in the thing, or name a moment for which it waits",
            Label(moment.name.span, "the moment"),
        )


# --- what to write instead -------------------------------------------------------------------------


def _of_what(resolved: Resolved, name: t.Name, params: Sequence[t.Param], it: bool) -> Remedy:
    """Of `hand` alone, which is one for each player; `it`: players are looked at one by one here."""
    of = " in ".join(given(resolved, params, ["it"] if it else []))
    text = f"{name.word} of {of}"
    if len(params) == 1 and of in ("you", "it"):
        return f"write `{text}`", (Edit(name.span, text),)
    kinds = " and ".join(with_article(param.name.word) for param in params)
    return f"write `{text}`, or name another {kinds.partition(' ')[2]}", ()


def _is_count(check: Checker, apply: t.Apply) -> bool:
    """Whether what stands before `of` is a number that is nobody's."""
    what = definition_of(check.resolved, apply.head)
    ours = isinstance(what, t.Setting) or isinstance(what, t.Keep | t.Quantity) and not what.params
    return ours and check.expr(apply.head) == NUMBER


def _copies(check: Checker, apply: t.Apply) -> Remedy | None:
    """Of `many of penny`, where the thing is meant so many times."""
    first, *more = apply.args
    if more or check.expr(first).shape != "thing":
        return None
    text = f"({apply.head.word}) of {expression(first, ATOM)}"
    return f"write `{text}`: what is counted out before `of` stands in parentheses", (Edit(apply.span, text),)


def _as_many(resolved: Resolved, node: Run | t.Apply, name: str, params: Sequence[t.Param]) -> Remedy:
    """Where something is given too much or too little."""
    if not params:
        text = _written(node, name, ())
        return f"write `{text}` alone", (Edit(node.span, text),)
    text = _written(node, name, given(resolved, params, map(expression, node.args)))
    more = f", or another {params[-1].name.word}" if len(params) > len(node.args) else ""
    return f"write `{text}`{more}", ()


def _written(node: Run | t.Apply, name: str, values: Sequence[str]) -> str:
    """The same with other values."""
    if isinstance(node, t.Apply):
        return name + f" of {' in '.join(values)}" * bool(values)
    of = f" of {expression(node.thing, PRIMARY)}" if isinstance(node, t.DoField | t.DoEdge) else ""
    edge = f"{node.edge} of " if isinstance(node, t.DoEdge) else ""
    verb = "trigger" if isinstance(node, t.Trigger) else "do"
    return f"{verb} {edge}{name}{of}" + f" with {' and '.join(values)}" * bool(values)


CASES = Cases(
    values={t.Name: _named_value, t.Apply: _asked_value, t.InSupply: _in_supply, t.OfEach: _of_each},
    nodes={t.Part: _part, t.Do: _run, t.Trigger: _run, t.DoField: _do_of_thing, t.DoEdge: _do_of_thing},
    remedies={t.Apply: _asked},
)
