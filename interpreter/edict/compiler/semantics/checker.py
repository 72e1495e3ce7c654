"""The pass `check_types`: types in definitions, abilities and steps.

Most of it is declared in the tree, as signatures of fields; `CASES`, of which several files have parts, is the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.semantics import arguments, operators
from edict.compiler.semantics.ability_targets import target_name
from edict.compiler.semantics.resource_names import all_in_group, diagnose_no_amount, diagnose_unclear_gift, split_price
from edict.compiler.semantics.signatures import SpecialCases, TypeChecker, signature_of
from edict.compiler.semantics.symbols import (
    NOTHING,
    NUMBER,
    NUMBERS,
    PLAYER,
    Local,
    ResolvedBook,
    Symbol,
    definition_of,
    split_parts,
)
from edict.compiler.semantics.type_remedies import Remedy, suggest_kind
from edict.compiler.semantics.types import Coercion, TypedBook, describe_type, from_type_name, type_of_kind
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.expression_printer import print_expression
from edict.compiler.syntax.traversal import walk
from edict.runtime.program import ValueType
from edict.support.morphology import add_indefinite_article, quote_words
from edict.support.ordering import sort_topologically
from edict.support.report import Diagnostic, Label, Outcome


def check_types(resolved: ResolvedBook) -> Outcome[TypedBook]:
    """Return the types of all expressions, with a diagnostic wherever one does not fit."""
    resolved = resolved.copy_tables()
    check = TypeChecker(resolved, CASES)
    for definition in resolved.book.definitions.values():
        _bind_parameters(check, definition)
    for value in _sort_derived_fields(resolved):
        check.type_of(value)
    nodes = resolved.book.roots
    for node in sorted(nodes, key=lambda node: not isinstance(node, t.Phase | t.Routine)):  # exceptions use their names
        check.visit(node)
    # prices repeat per resource
    return Outcome(TypedBook(resolved, check.coerced), tuple(dict.fromkeys(check.diagnostics)))


def _bind_parameters(check: TypeChecker, definition: t.Definition) -> None:
    """Bind the parameters of a definition; first of all, since abilities anywhere may use them."""
    for field_name in ("params", "payments"):
        for parameter in getattr(definition, field_name, ()):
            check.bind_type(parameter)
    for param in check.resolved.event_params.get(definition, ()):
        check.bind_type(param)
    if isinstance(definition, t.Kind):
        check.set_local_type(definition, ValueType("thing", definition.name.word))


def _sort_derived_fields(resolved: ResolvedBook) -> list[t.Expr]:
    """Return the values of derived fields, each after those of the fields it refers to."""
    values_by_field: dict[str, list[t.Expr]] = {}
    for kind in resolved.book.select(t.Kind):
        for field in kind.fields:
            if field.value is not None:
                values_by_field.setdefault(field.name.word, []).append(field.value)

    def find_dependencies(value: t.Expr) -> Iterator[t.Expr]:
        """Yield the values of the derived fields that a value refers to as `FIELD of ...`."""
        for node in walk(value):
            if isinstance(node, t.Apply):
                yield from values_by_field.get(node.head.word, ())

    return sort_topologically(
        (value for values in values_by_field.values() for value in values), find_dependencies, allow_cycles=True
    )


# --- definitions -----------------------------------------------------------------------------------


def _check_thing(check: TypeChecker, thing: t.Thing) -> None:
    """Check each field value of a thing against the type that its kind declares for the field."""
    kind: t.Kind = check.resolved.require_definition(thing.kind.word)
    types = {field.name.word: field.type for field in kind.fields if field.type}
    for field in thing.fields:
        type_name = types.get(field.name.word)
        if field.expr is not None and type_name is not None:
            check.expect(field.expr, from_type_name(check.resolved, type_name), f"the field `{field.name.word}`")
    check.check_fields(thing)


def _check_ability(check: TypeChecker, ability: t.Adjust | t.When) -> None:
    """Check an ability, whose conditions may be about the parameters of its target."""
    target = definition_of(check.resolved, target_name(ability))
    params = target.params if isinstance(target, t.Quantity | t.Moment) else ()
    check.parameters = [(param.name.word, type_of_kind(check.resolved, param.kind)) for param in params]
    check.check_fields(ability)
    check.parameters = []


def _check_term(check: TypeChecker, term: t.Term) -> None:
    """Check a `value` declaration, and report one whose type is a number, which has to be a `quantity`."""
    check.check_fields(term)
    if check.type_of(term.value) == NUMBER:
        check.report("E0417", f"`{term.name.word}` is a number", term.name.span, "write `quantity` in place of `value`")


def _check_action(check: TypeChecker, action: t.Action) -> None:
    """Check the parameters, the rules, the steps and the first payment of an action."""
    # further payments are refused by a check of their own
    check.check_fields(replace(action, payments=action.payments[:1]))


def _check_game(check: TypeChecker, game: t.Game) -> None:
    """Check a `game`; report E0415 if its turn order is not a `keep ... as order of player`."""
    check.check_fields(game)
    keep = definition_of(check.resolved, game.order)
    if isinstance(keep, t.Keep) and (
        keep.params or from_type_name(check.resolved, keep.type) != ValueType("order", "player")
    ):
        check.report(
            "E0415",
            f"`{keep.name.word}` is not an order of players",
            game.order.span,
            f"declare it so: `keep {keep.name.word} as order of player`",
            Label(keep.span, "declared"),
        )


def _check_display(check: TypeChecker, display: t.Display) -> None:
    """Check a panel; report E0419 if it has columns but no `each` line that says what its rows are."""
    if display.columns and not display.each:
        check.report(
            "E0419",
            f"the columns of `{display.name.word}` have no rows",
            display.columns[0].span,
            f"add a line above them that declares the rows, such as `each {PLAYER.kind}`",
        )
        return
    if display.rows is not None:
        check.set_local_type(display.rows, PLAYER)
    check.check_fields(display)


# --- payments, choices and loops ---------------------------------------------------------------------


def _check_spend(check: TypeChecker, spend: t.Spend) -> None:
    """Check that `as paid` can name the single resource that was spent."""
    check.check_fields(spend)
    for bundle in spend.options if spend.name else ():
        part, *others = bundle.parts
        single = isinstance(part.amount, t.Number) and part.amount.value == 1 and not others
        is_plain = (
            isinstance(part, t.Part) and not part.each and isinstance(check.resolved.meaning_of(part.what), Symbol)
        )
        if spend.name and not (single and is_plain):
            check.report(
                "E0416",
                f"`{spend.name.word}` would not be a single resource",
                bundle.span,
                f"spend 1 of something, or delete `as {spend.name.word}`",
            )


def _check_choose(check: TypeChecker, choose: t.Choose) -> None:
    """Check a `choose`; report E0404 for `choose number` without `from` and without a set."""
    check.check_fields(choose)
    if type_of_kind(check.resolved, choose.kind) == NUMBER and choose.low is None and choose.source is None:
        check.report("E0404", "the number has no range to choose from", choose.span, "write `from 0 to ...`")


def _check_each(check: TypeChecker, each: t.Each) -> None:
    """Check an `each` loop; report E0404 for numbers without a source; an order of players keeps its order."""
    kind = type_of_kind(check.resolved, each.kind)
    if each.source is None and kind == NUMBER:
        check.report("E0404", "there are infinitely many numbers", each.span, "write `each number in ...`")
    check.check_fields(each)
    if each.source is not None and kind == PLAYER and check.type_of(each.source).shape == "order":
        del check.coerced[each.source]  # players are visited in that order


def _suggest_loop_kind(
    check: TypeChecker, step: t.Choose | t.Each | t.EachAtOnce, value: t.Expr, _: ValueType
) -> Remedy | None:
    """Return the remedy for a loop or choice whose source holds things of another kind than it names."""
    if isinstance(step, t.Loop):
        has_name = getattr(step, "name", None) is not None
        if not has_name:
            return suggest_kind("each", step.kind, value, check.type_of(value))
        return None
    if value is step.source:
        return suggest_kind("choose", step.kind, value, check.type_of(value))
    return None


# --- changes of state --------------------------------------------------------------------------------


def _check_add(check: TypeChecker, step: t.Add | t.Remove) -> None:
    """Check `add` or `remove`: the value must fit a set, order, bag, dice or number that the place holds."""
    place_type, is_removal = check.type_place(step.place, step), isinstance(step, t.Remove)
    if isinstance(step, t.Remove) and step.to is not None:
        before = len(check.diagnostics)
        check.type_of(step.to)
        del check.diagnostics[before:]  # faults of the target are reported where the thing is added there
    if isinstance(step, t.Add) and step.first and place_type.shape not in ("order", "unknown"):
        check.report(
            "E0410", f"there is no first place in {describe_type(place_type)}", step.place.span, "delete `first`"
        )
    elif place_type.shape == "order":
        check.expect(step.value, ValueType("set", place_type.kind), "this place")
    elif place_type.shape == "thing" and (step.to if isinstance(step, t.Remove) else step.gone) is not None:
        _check_moved_thing(check, step, place_type, is_removal)
    elif place_type.shape in ("truth", "thing"):
        participle = "removed from" if is_removal else "added to"
        check.report(
            "E0406", f"nothing can be {participle} {describe_type(place_type)}", step.span, "use `set ... to ...`"
        )
    elif place_type == NUMBERS and check.type_of(step.value) == NUMBER:
        check.coerced[step.value] = Coercion.NUMBER_TO_SET
    else:
        check.expect(step.value, place_type, "this place", step)


def _suggest_element(check: TypeChecker, step: t.Add | t.Remove, value: t.Expr, of: ValueType) -> Remedy | None:
    """Return the remedy for a value of the wrong type in `add` or `remove`; None for orders and for `none`."""
    if of.shape not in ("set", "bag") or not of.kind or check.type_of(value) == NOTHING:
        return None
    return check.suggest(value, NUMBER if of == NUMBERS else ValueType("thing", of.kind), "values", "others")


def _check_moved_thing(check: TypeChecker, step: t.Add | t.Remove, place_type: ValueType, is_removal: bool) -> None:
    """Check a thing that moves between places of which one or both are for a single thing."""
    value_type = check.type_of(step.value)
    if value_type.shape in ("set", "order", "bag"):
        check.report(
            "E0401",
            f"this place takes {describe_type(place_type)}, but this is {describe_type(value_type)}",
            step.value.span,
            "move one of them, as in `first of ...`",
        )
        return
    check.expect(step.value, place_type, "this place")
    if is_removal and not place_type.optional:
        check.report(
            "E0406",
            "you cannot move something out of a place that is never empty",
            step.place.span,
            "declare the keep `or none`, or put something else there with `set`",
        )


def _check_show(check: TypeChecker, show: t.Show) -> None:
    """Check a `show`; report E0407 if the `keep` or resource that it reveals is not secret."""
    check.check_fields(show)
    head = show.place.head if isinstance(show.place, t.Apply) else show.place
    definition = definition_of(check.resolved, head)
    if isinstance(definition, t.Keep | t.Resource) and not definition.secret:
        check.report(
            "E0407",
            f"`{definition.name.word}` is not secret",
            show.span,
            "declare it `, secret`, or delete this line",
            Label(definition.span, "declared without `secret`"),
        )


def _check_take(check: TypeChecker, take: t.Take) -> None:
    """Check that `take` names a group, of which chance picks one resource."""
    check.check_fields(take)
    (part,) = take.bundle.parts
    definition = definition_of(check.resolved, part.what) if isinstance(part, t.Part) else None
    if not isinstance(definition, t.Group):
        groups = check.resolved.book.select(t.Group)
        group_names = [group.name.word for group in groups]
        which = f": {quote_words(group_names)}" if group_names else ", and declare it with `group`"
        check.report(
            "E0420",
            "there is nothing random about this",
            part.span,
            f"name a group of resources{which}; for a single resource, delete `at random`",
        )


def _check_take_chosen(check: TypeChecker, take: t.TakeChosen) -> None:
    """Check `take ... from`; report E0422 if the player would choose from what is secret."""
    check.check_fields(take)
    (part,) = take.bundle.parts
    definition = definition_of(check.resolved, part.what) if isinstance(part, t.Part) else None
    if isinstance(definition, t.Die):
        check.report("E0403", f"`{definition.name.word}` is not a resource", part.span, "name a resource or a group")
    names = definition.members if isinstance(definition, t.Group) else ()
    resources = (definition_of(check.resolved, name) for name in names)
    secret = next((one for one in (*resources, definition) if isinstance(one, t.Resource) and one.secret), None)
    if secret is not None:
        check.report(
            "E0422",
            f"the player cannot see how much `{secret.name.word}` there is to take",
            part.span,
            "write `at random` before `from`, or let the owner `give` it",
            Label(secret.span, "declared secret"),
        )


def _check_reorder(check: TypeChecker, step: t.Arrange | t.Shuffle) -> None:
    """Check `arrange` or `shuffle`; report E0410 if the place is not an order."""
    check.check_fields(step)
    place_type = check.type_of(step.place)
    if place_type.shape not in ("order", "unknown"):
        keeps = check.resolved.book.select(t.Keep)
        orders = [keep.name.word for keep in keeps if keep.type.shape == "order"]
        remedy = f"name {quote_words(orders)}, or declare one" if orders else "declare one"
        check.report(
            "E0410",
            f"{describe_type(place_type)} cannot be {'shuffled' if isinstance(step, t.Shuffle) else 'arranged'}",
            step.place.span,
            f"only an order can be: {remedy}, as in `keep my-pile as order of KIND`",
        )


# --- shorthand steps ---------------------------------------------------------------------------------


def _check_transfer(check: TypeChecker, step: t.Move | t.DrawInto, value: t.Expr, first: bool) -> None:
    """Check both halves of a step that takes something from one place and puts it into another."""
    _check_add(check, t.Remove(step.span, value, step.source, to=step.place))
    _check_add(check, t.Add(step.span, value, step.place, first, gone=step.source))


def _check_move(check: TypeChecker, step: t.Move) -> None:
    """Check `move` as a removal and an addition; the moved value itself is not coerced."""
    _check_transfer(check, step, step.value, step.first)
    check.coerced.pop(step.value, None)  # the expansion gives it a name first, and so needs no coercion


def _check_draw_into(check: TypeChecker, draw: t.DrawInto) -> None:
    """Check `draw ... into PLACE` as a removal from the source and an addition to the place, with room for all."""
    values = ((field, getattr(draw, field.name)) for field in signature_of(t.DrawInto) if not field.place)
    fits = [check.check_value(draw, replace(field, place=False), value) for field, value in values if value is not None]
    if not all(fits):
        return
    kind = t.Name(draw.span, draw.kind.word)
    check.resolved.meaning[kind] = Local(kind.word, draw.span)
    check.types[kind] = type_of_kind(check.resolved, draw.kind)
    before = len(check.diagnostics)
    _check_transfer(check, draw, kind, False)
    check.diagnostics[before:] = [
        _explain_unremovable_source(diagnostic, draw) for diagnostic in check.diagnostics[before:]
    ]
    _check_room(check, draw)


def _check_several(check: TypeChecker, step: t.ChooseSome | t.DrawSome) -> None:
    """Check a step that chooses or draws several; out of a bag the same thing may come more than once."""
    check.check_fields(step)
    if step.source is None and type_of_kind(check.resolved, step.kind) == NUMBER:
        check.report(
            "E0404", "the numbers have no range to choose from", step.span, "name a set of them, as in `from (1, 2, 3)`"
        )
    if step.source is not None and check.type_of(step.source).shape == "bag":
        check.coerced.pop(step.source, None)
        check.set_local_type(step, check.type_of(step.source))


def _check_each_where(check: TypeChecker, each: t.EachWhere | t.EachWith) -> None:
    """Check `each KIND where ...` or `each KIND with most ...`; report E0404 for numbers without a source."""
    if type_of_kind(check.resolved, each.kind) == NUMBER:
        check.report("E0404", "there are infinitely many numbers", each.span, "write `each number in ...`")
    check.check_fields(each)


def _check_price(check: TypeChecker, price: t.PartPrice) -> None:
    """Split a price such as `price of inn` into one part per resource, store them in `prices`, and check each."""
    parts = split_price(TypedBook(check.resolved, check.coerced), price)
    if not parts:
        check.diagnostics.append(diagnose_no_amount(check.resolved, price.source))
    check.resolved.prices[price] = parts
    for part in parts:
        check.visit(part)


def _check_give(check: TypeChecker, give: t.Give) -> None:
    """Refuse gifts of which the giver would choose the resource: what one pays, the other must be given."""
    check.check_fields(give)
    for part in split_parts(check.resolved, give.bundle):
        if isinstance(part, t.PartFrom) or part.each or all_in_group(check.resolved, part) == ():
            check.diagnostics.append(diagnose_unclear_gift(part))


def _check_each_round(check: TypeChecker, each: t.EachRound) -> None:
    """Check `each player from ...`, a loop round the table; report E0401 for a kind other than `player`."""
    reason = f"only players sit around the table, but this is {add_indefinite_article(each.kind.word)}"
    remedy = "write `each player from ...`; for numbers, use `each number from ... to ...`"
    _check_player_loop(check, each, "E0401", reason, remedy)


def _check_each_at_once(check: TypeChecker, each: t.EachAtOnce) -> None:
    """Check `each player at once`; report E0537 for a kind other than `player`."""
    reason = f"{add_indefinite_article(each.kind.word)} cannot answer questions"
    _check_player_loop(check, each, "E0537", reason, "write `each player at once`, or delete `at once`")


def _check_player_loop(
    check: TypeChecker, each: t.EachRound | t.EachAtOnce, code: str, reason: str, remedy: str
) -> None:
    """Check the fields of a loop; report `code` with `reason` and `remedy` if it is not over players."""
    check.check_fields(each)
    if type_of_kind(check.resolved, each.kind) != PLAYER:
        check.report(code, reason, each.kind.span, remedy)


def _check_room(check: TypeChecker, draw: t.DrawInto) -> None:
    """Report E0406 if several things are drawn into a place that holds a single thing."""
    single = draw.count is None or isinstance(draw.count, t.Number) and draw.count.value == 1
    place_type = check.types[draw.place]
    if not single and place_type.shape == "thing":
        check.report(
            "E0406",
            "this place has room for only one thing",
            draw.place.span,
            f"write `draw {add_indefinite_article(place_type.kind)} ...`, or declare the keep `as set of ...`",
        )


def _explain_unremovable_source(diagnostic: Diagnostic, draw: t.DrawInto) -> Diagnostic:
    """Return the diagnostic, with help added if it is about the source of `draw ... into` being no `keep`."""
    if diagnostic.code != "E0405" or diagnostic.span != draw.source.span:
        return diagnostic
    if draw.count is not None:
        written = f"draw {print_expression(draw.count)}"
    else:
        written = f"draw {draw.article}"
    line = f"{written} {draw.kind.word} from {print_expression(draw.source)} as drawn"
    return replace(
        diagnostic,
        note="`draw ... into` moves things from one place to another, and they can only leave a keep.",
        help=f"write `{line}`, and `add drawn to {print_expression(draw.place)}`; or store the remaining things "
        f"in their own keep",
    )


CASES = (
    arguments.CASES
    | operators.CASES
    | SpecialCases(
        nodes={
            t.Thing: _check_thing,
            t.Adjust: _check_ability,
            t.When: _check_ability,
            t.Term: _check_term,
            t.Action: _check_action,
            t.Game: _check_game,
            t.Display: _check_display,
            t.Spend: _check_spend,
            t.Choose: _check_choose,
            t.Each: _check_each,
            t.Add: _check_add,
            t.Remove: _check_add,
            t.Show: _check_show,
            t.Arrange: _check_reorder,
            t.Shuffle: _check_reorder,
            t.Move: _check_move,
            t.DrawInto: _check_draw_into,
            t.ChooseSome: _check_several,
            t.ChooseUpTo: _check_several,
            t.DrawSome: _check_several,
            t.EachWhere: _check_each_where,
            t.EachWith: _check_each_where,
            t.EachAtOnce: _check_each_at_once,
            t.EachRound: _check_each_round,
            t.PartPrice: _check_price,
            t.Give: _check_give,
            t.Take: _check_take,
            t.TakeChosen: _check_take_chosen,
        },
        remedies={
            t.Choose: _suggest_loop_kind,
            t.Each: _suggest_loop_kind,
            t.EachAtOnce: _suggest_loop_kind,
            t.Add: _suggest_element,
            t.Remove: _suggest_element,
        },
    )
)
