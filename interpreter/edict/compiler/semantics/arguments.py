"""Part of the pass `check_types`: types of names, of fields and amounts asked with `of`, and of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.semantics.call_graph import expand_group, get_invoked_moment, iter_moment_abilities
from edict.compiler.semantics.signatures import SpecialCases, TypeChecker
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
    ResolvedBook,
    Symbol,
    definition_of,
)
from edict.compiler.semantics.type_remedies import (
    Remedy,
    are_arguments_swapped,
    complete_arguments,
    find_titles_as_amounts,
)
from edict.compiler.semantics.types import AMOUNTS, EFFECT, UNKNOWN, describe_type, fits, from_type_name, param_type
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, format_event
from edict.compiler.syntax.printing.expression_printer import ATOM, PRIMARY, print_expression
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.runtime.program import ValueType
from edict.support.morphology import add_indefinite_article, count_noun
from edict.support.report import Edit, Label
from edict.support.text import Span

Run = t.Do | t.Trigger | t.DoField | t.DoEdge
AMOUNT_SORTS = ("resource", "group", "die")  # sorts of which a player has an amount


# --- names -----------------------------------------------------------------------------------------


def _type_of_name(check: TypeChecker, name: t.Name) -> ValueType:
    """Return the type of a lone name; report E0411 if it needs an owner, as in `hand of you`."""
    meaning = check.resolved.meaning_of(name)
    if isinstance(meaning, Local):
        return check.locals.get(meaning, UNKNOWN)
    definition = meaning.definition
    if isinstance(definition, t.Keep | t.Quantity) and definition.params:
        check.report(
            "E0411",
            f"`{name.word}` of what?",
            name.span,
            _suggest_owner(check.resolved, name, definition.params, check.element_types[-1:] == [PLAYER]),
            Label(definition.span, "declared"),
        )
        return UNKNOWN
    if isinstance(definition, t.Keep | t.Quantity):
        return _type_declaration(check, definition)
    if isinstance(definition, t.Setting):
        return TRUTH if definition.truth else NUMBER
    if isinstance(definition, t.Thing):
        return ValueType("thing", definition.kind.word)
    if meaning.sort == "builtin":
        return BUILTINS[meaning.name]
    sorts = {"player": PLAYERS, "resource": RESOURCE, "group": RESOURCES, "kind": ValueType("set", meaning.name)}
    return sorts.get(meaning.sort, UNKNOWN)


def _type_declaration(check: TypeChecker, definition: t.Keep | t.Quantity) -> ValueType:
    """Return the declared type of a `keep`, the type of a `value`'s expression, or number for a quantity."""
    if isinstance(definition, t.Keep):
        return from_type_name(check.resolved, definition.type)
    return check.type_of(definition.value) if isinstance(definition, t.Term) else NUMBER


def _is_resource(check: TypeChecker, local: Local) -> bool:
    """Return True if a local name stands for a resource, or its type is unknown."""
    return fits(check.locals.get(local, UNKNOWN), RESOURCE)


def _check_part(check: TypeChecker, part: t.Part) -> None:
    """Check an amount such as `2 gold`; a local name in it must stand for a resource."""
    check.check_fields(part)
    meaning = check.resolved.meaning_of(part.what)
    check.diagnostics.extend(find_titles_as_amounts(part, meaning))
    if isinstance(meaning, Local) and not _is_resource(check, meaning):
        check.report(
            "E0403",
            f"`{part.what.word}` is not a resource",
            part.what.span,
            "only resources can be gained, lost and spent",
            Label(meaning.span, f"this is {describe_type(check.locals[meaning])}"),
        )


def _type_in_supply(check: TypeChecker, in_supply: t.InSupply) -> ValueType:
    """Report an unlimited resource in `R in supply`, or a local that is no resource; return the type number."""
    meaning = check.resolved.meaning_of(in_supply.resource)
    if isinstance(meaning, Local):
        if not _is_resource(check, meaning):
            check.report("E0403", f"`{meaning.name}` is not a resource", in_supply.resource.span, "name a resource")
        return NUMBER
    for endless in expand_group(check.resolved, meaning.definition) if meaning.definition is not None else ():
        if isinstance(endless, t.Resource) and endless.limit is None:
            name = endless.name.word
            check.report(
                "E0540",
                f"`{name}` never runs out",
                in_supply.resource.span,
                f"limit the supply: `resource {name} limited to ...`",
                Label(endless.span, "declared"),
            )
    return NUMBER


# --- what is asked of what -------------------------------------------------------------------------


def _type_application(check: TypeChecker, apply: t.Apply) -> ValueType:
    """Return the type of `NAME of ARGS`, an amount, a field, a `keep` or a quantity, and check its arguments."""
    argument_types, meaning = [check.type_of(arg) for arg in apply.args], _resolve_head(check, apply.head)
    if isinstance(meaning, Local) or meaning.sort in AMOUNT_SORTS:
        return _type_amount(check, apply, meaning)
    if meaning.sort == "field":
        return _type_field_access(check, apply, argument_types)
    definition = meaning.definition
    if not isinstance(definition, t.Keep | t.Quantity):
        return UNKNOWN
    _check_arguments(check, apply, apply.head.word, definition.params)
    if len(argument_types) != len(definition.params):
        return UNKNOWN
    return _type_declaration(check, definition)


def _resolve_head(check: TypeChecker, head: t.Name) -> Meaning:
    """Return the meaning of the name before `of`; a local that is no resource yields to a keep, quantity or field."""
    meaning = check.resolved.meaning_of(head)
    if not isinstance(meaning, Local) or _is_resource(check, meaning):
        return meaning
    definition = check.resolved.book.definitions.get(head.word)
    if head.word in check.resolved.fields:
        check.resolved.meaning[head] = Symbol("field", head.word)
    elif isinstance(definition, t.Keep | t.Quantity):
        check.resolved.meaning[head] = Symbol(SORTS[type(definition)], head.word, definition)
    return check.resolved.meaning_of(head)


def _type_amount(check: TypeChecker, apply: t.Apply, head: Meaning) -> ValueType:
    """Return the number type of `RESOURCE of PLAYER`; report a head that is no resource or an owner of another type."""
    if isinstance(head, Local) and not _is_resource(check, head):
        remedy = _suggest_copies(check, apply) if check.locals.get(head) == NUMBER else None
        check.report("E0403", f"`{apply.head.word}` is not a resource", apply.head.span, remedy or "name a resource")
        return UNKNOWN
    whose = apply.args[0]
    if len(apply.args) != 1 or not fits(check.type_of(whose), PLAYER):
        check.report(
            "E0401",
            "a resource belongs to a player",
            apply.span,
            check.suggest(whose, PLAYER, "asked", at="resource", whole=apply),
        )
        return UNKNOWN
    check.coerce(whose, PLAYER)
    return NUMBER


def _suggest_argument(check: TypeChecker, apply: t.Apply, arg: t.Expr, wanted: ValueType) -> Remedy | None:
    """Return the remedy for an argument of the wrong type or for several in place of one."""
    if len(apply.args) == 1:
        return check.suggest(arg, wanted, "asked", whole=apply)
    return None


def _type_field_access(check: TypeChecker, apply: t.Apply, argument_types: Sequence[ValueType]) -> ValueType:
    """Return the type of `FIELD of THING`; report amounts or effects used as values, and surplus arguments."""
    name = apply.head.word
    field_type = _field_type(check, apply.head, argument_types[0], apply.span, apply.args[0])
    for arg, type_ in zip(apply.args, argument_types, strict=True):
        check.coerce(arg, replace(type_, optional=False))
    if field_type == AMOUNTS and len(argument_types) == 2 and fits(argument_types[1], RESOURCE):
        return NUMBER
    if field_type in (AMOUNTS, EFFECT):
        without_resource = replace(apply, args=apply.args[:1])
        check.types[apply] = check.types[without_resource] = field_type
        if field_type == AMOUNTS:
            remedy = check.suggest(without_resource, NUMBER, "fields")
            check.report("E0412", f"`{name}` is an amount of several resources", apply.span, remedy)
        else:
            remedy = check.suggest(apply, UNKNOWN, "fields")
            check.report("E0409", f"`{name}` is an effect, not a value", apply.span, remedy)
        return UNKNOWN
    if len(argument_types) != 1 and field_type != UNKNOWN:
        check.report(
            "E0408", f"`{name}` takes 1 argument, but gets {len(argument_types)}", apply.span, "name one thing"
        )
    return field_type


def _field_type(check: TypeChecker, field: t.Name, of: ValueType, span: Span, expr: t.Expr) -> ValueType:
    """Return the type of a field of a thing of type `of`; `expr` is the thing."""
    if of == UNKNOWN or check.resolved.meaning_of(field).sort == "unknown":
        return UNKNOWN
    if of.shape != "thing" or of.kind not in check.resolved.fields.get(field.word, ()):
        check.types.setdefault(expr, of)
        remedy = check.suggest(expr, UNKNOWN, "asked", at="field", against=field)
        check.report("E0413", f"{describe_type(of)} has no field `{field.word}`", span, remedy)
        return UNKNOWN
    definition: t.FieldDef = next(
        f for f in check.resolved.require_definition(of.kind).fields if f.name.word == field.word
    )
    if definition.type is not None:
        return from_type_name(check.resolved, definition.type)
    return check.type_of(definition.value) if definition.value is not None else UNKNOWN


def _type_of_each(check: TypeChecker, of_each: t.OfEach) -> ValueType:
    """Return the bag type of `20 of each tile` or `FIELD of each KIND`; report a field that is no number."""
    check.check_fields(of_each)
    kind = check.resolved.meaning_of(of_each.kind).name
    if of_each.field is not None:
        count = _field_type(check, of_each.field, ValueType("thing", kind), of_each.span, of_each.kind)
        if count not in (NUMBER, UNKNOWN):
            title = f"`{of_each.field.word}` is {describe_type(count)}, not a number"
            check.report("E0401", title, of_each.field.span, "name a field that is a number")
    return ValueType("bag", kind)


# --- what is given to what runs --------------------------------------------------------------------


def _check_run(check: TypeChecker, step: t.Do | t.Trigger) -> None:
    """Check the arguments of a `do` of a routine or a `trigger` of a moment against its parameters."""
    (name,) = iter_role_values(step, Role.RUNS)
    definition = definition_of(check.resolved, name)
    _check_arguments(check, step, name.word, definition.params if isinstance(definition, t.Moment | t.Routine) else ())


def _check_arguments(check: TypeChecker, node: Run | t.Apply, name: str, params: Sequence[t.Param]) -> None:
    """Check arguments one by one against the parameters of a definition."""
    resolved, args = check.resolved, node.args
    if len(params) != len(args):
        if isinstance(node, t.Apply) and _is_ownerless_number(check, node):
            remedy = _suggest_copies(check, node)
        else:
            remedy = None
        remedy = remedy or _suggest_argument_count(resolved, node, name, params)
        check.report(
            "E0408",
            f"`{name}` takes {count_noun(len(params), 'argument')}, but gets {len(args)}",
            node.span,
            remedy,
            *(Label(param.span, "declared") for param in params[:1]),
        )
    if are_arguments_swapped(resolved, params, [check.type_of(arg) for arg in args]):
        text = _format_call(node, name, [print_expression(arg) for arg in reversed(args)])
        first = describe_type(param_type(resolved, params[0]))
        check.report(
            "E0401",
            f"`{name}` takes {first} first, but here it comes last",
            node.span,
            Remedy(f"write `{text}`", (Edit(node.span, text),)),
        )
        return
    for param, arg in zip(params, args, strict=False):
        check.expect(arg, param_type(resolved, param), f"`{name}`", node, labels=[Label(param.span, "declared")])


def _check_thing_effect(check: TypeChecker, do: t.DoEdge | t.DoField) -> None:
    """Check a step that does the effect in a field of a thing, or the thing's ability at a moment.

    A thing that is named outright must have such an effect.
    """
    invoked, thing_type = get_invoked_moment(check.resolved, do), check.type_of(do.thing)
    check.coerce(do.thing, replace(thing_type, optional=False))
    if isinstance(do, t.DoField) and invoked is None:
        _check_arguments(check, do, do.field.word, ())
        if _field_type(check, do.field, thing_type, do.span, do.thing) not in (EFFECT, UNKNOWN):
            check.report(
                "E0409", f"`{do.field.word}` is not an effect", do.field.span, "only effects can be carried out"
            )
    if invoked is None or thing_type == UNKNOWN:
        return
    moment, edge = invoked
    _check_arguments(check, do, moment.name.word, getattr(moment, "params", ()))
    thing = definition_of(check.resolved, do.thing)
    candidates = [
        doer
        for doer, _ in iter_moment_abilities(check.resolved, *invoked)
        if doer is thing or not isinstance(thing, t.Thing)
    ]
    if thing_type.shape != "thing" or thing_type.kind not in (ability.kind.word for ability in candidates):
        who = f"`{thing.name.word}`" if isinstance(thing, t.Thing) else describe_type(thing_type)
        waits = f"`when {format_event(moment.name.word, edge)}`"
        check.report(
            "E0418",
            f"{who} does nothing at that moment",
            do.span,
            f"add {waits} to the thing, or name a moment it waits for",
            Label(moment.name.span, "the moment"),
        )


# --- what to write instead -------------------------------------------------------------------------


def _suggest_owner(resolved: ResolvedBook, name: t.Name, params: Sequence[t.Param], it: bool) -> Remedy:
    """Return the remedy for a name without `of`; `it` is True where players are looked at one by one."""
    owners = " in ".join(complete_arguments(resolved, params, ["it"] if it else []))
    text = f"{name.word} of {owners}"
    if len(params) == 1 and owners in ("you", "it"):
        return Remedy(f"write `{text}`", (Edit(name.span, text),))
    kinds = " and ".join(add_indefinite_article(param.name.word) for param in params)
    return Remedy(f"write `{text}`, or name another {kinds.partition(' ')[2]}")


def _is_ownerless_number(check: TypeChecker, apply: t.Apply) -> bool:
    """Return True if the head of `NAME of X` is a number without parameters or a setting, so that `of` is wrong."""
    definition = definition_of(check.resolved, apply.head)
    ownerless = (
        isinstance(definition, t.Setting) or isinstance(definition, t.Keep | t.Quantity) and not definition.params
    )
    return ownerless and check.type_of(apply.head) == NUMBER


def _suggest_copies(check: TypeChecker, apply: t.Apply) -> Remedy | None:
    """Return the remedy for `many of penny` where that many copies of the thing are meant."""
    first, *more = apply.args
    if more or check.type_of(first).shape != "thing":
        return None
    text = f"({apply.head.word}) of {print_expression(first, ATOM)}"
    return Remedy(f"write `{text}`: a computed value before `of` needs parentheses", (Edit(apply.span, text),))


def _suggest_argument_count(
    resolved: ResolvedBook, node: Run | t.Apply, name: str, params: Sequence[t.Param]
) -> Remedy:
    """Return the remedy for too many or too few arguments."""
    if not params:
        text = _format_call(node, name, ())
        return Remedy(f"write `{text}` alone", (Edit(node.span, text),))
    text = _format_call(node, name, complete_arguments(resolved, params, map(print_expression, node.args)))
    missing = f", or another {params[-1].name.word}" if len(params) > len(node.args) else ""
    return Remedy(f"write `{text}`{missing}")


def _format_call(node: Run | t.Apply, name: str, values: Sequence[str]) -> str:
    """Format a call or application of `name` as source text, with `values` as the texts of its arguments."""
    if isinstance(node, t.Apply):
        return name + f" of {' in '.join(values)}" * bool(values)
    if isinstance(node, t.DoField | t.DoEdge):
        of = f" of {print_expression(node.thing, PRIMARY)}"
    else:
        of = ""
    edge = f"{node.edge} of " if isinstance(node, t.DoEdge) else ""
    verb = "trigger" if isinstance(node, t.Trigger) else "do"
    return f"{verb} {edge}{name}{of}" + f" with {' and '.join(values)}" * bool(values)


CASES = SpecialCases(
    values={t.Name: _type_of_name, t.Apply: _type_application, t.InSupply: _type_in_supply, t.OfEach: _type_of_each},
    nodes={
        t.Part: _check_part,
        t.Do: _check_run,
        t.Trigger: _check_run,
        t.DoField: _check_thing_effect,
        t.DoEdge: _check_thing_effect,
    },
    remedies={t.Apply: _suggest_argument},
)
