"""Part of the pass `check_types`: types fit where they stand, in definitions, abilities and steps.

What a field takes is said in the tree; `CASES`, of which files have parts, is what is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.compiler.semantics import arguments, operators
from edict.compiler.semantics.prices import all_in_group, resource_by_resource, unclear, unpriced
from edict.compiler.semantics.signatures import Cases, Checker, signature
from edict.compiler.semantics.symbols import (
    NOTHING,
    NUMBER,
    NUMBERS,
    PLAYER,
    Local,
    Resolved,
    Symbol,
    definition_of,
    parts_of,
)
from edict.compiler.semantics.type_remedies import Remedy, of_its_kind
from edict.compiler.semantics.types import Coercion, Typed, declared, named, spoken
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.printed_expressions import expression
from edict.compiler.syntax.walking import walk
from edict.runtime.program import Type
from edict.support.morphology import quote_words, with_article
from edict.support.ordering import after_their_needs
from edict.support.report import Diagnostic, Label, Outcome


def check_types(resolved: Resolved) -> Outcome[Typed]:
    """Return the types of everything, with a diagnostic wherever they do not fit."""
    resolved = resolved.own_tables()
    check = Checker(resolved, CASES)
    for definition in resolved.book.definitions.values():
        _declare(check, definition)
    for value in _derived(resolved):
        check.expr(value)
    every = (*resolved.book.definitions.values(), *resolved.book.standalone)
    for node in sorted(every, key=lambda node: not isinstance(node, t.Phase | t.Routine)):  # exceptions speak of theirs
        check.visit(node)
    return Outcome(Typed(resolved, check.coerced), tuple(dict.fromkeys(check.found)))  # a price is written out


def _declare(check: Checker, definition: t.Definition) -> None:
    """Parameters first, since abilities anywhere may use them."""
    for brought in ("params", "payments"):
        for one in getattr(definition, brought, ()):
            check.bind(one)
    for param in check.resolved.passing.get(definition, ()):
        check.bind(param)
    if isinstance(definition, t.Kind):
        check.bound(definition, Type("thing", definition.name.word))


def _derived(resolved: Resolved) -> list[t.Expr]:
    """What derived fields are, each after those of the fields it speaks of."""
    found: dict[str, list[t.Expr]] = {}
    for kind in (d for d in resolved.book.definitions.values() if isinstance(d, t.Kind)):
        for field in kind.fields:
            if field.value is not None:
                found.setdefault(field.name.word, []).append(field.value)

    def needed(value: t.Expr) -> Iterator[t.Expr]:
        for node in walk(value):
            if isinstance(node, t.Apply):
                yield from found.get(node.head.word, ())

    return after_their_needs((value for values in found.values() for value in values), needed, circles=True)


# --- definitions -----------------------------------------------------------------------------------


def _thing(check: Checker, thing: t.Thing) -> None:
    kind: t.Kind = check.resolved.get(thing.kind.word)
    types = {field.name.word: field.type for field in kind.fields if field.type}
    for field in thing.fields:
        written = types.get(field.name.word)
        if field.expr is not None and written is not None:
            check.want(field.expr, declared(check.resolved, written), f"the field `{field.name.word}`")
    check.fields(thing)


def _term(check: Checker, term: t.Term) -> None:
    """What is no number: numbers can be adjusted, bounded and explained part by part."""
    check.fields(term)
    if check.expr(term.value) == NUMBER:
        check.wrong("E0417", f"`{term.name.word}` is a number", term.name.span, "write `quantity` in place of `value`")


def _action(check: Checker, action: t.Action) -> None:
    check.fields(replace(action, payments=action.payments[:1]))  # these are refused as such


def _game(check: Checker, game: t.Game) -> None:
    check.fields(game)
    keep = definition_of(check.resolved, game.order)
    if isinstance(keep, t.Keep) and (keep.params or declared(check.resolved, keep.type) != Type("order", "player")):
        check.wrong(
            "E0415",
            f"`{keep.name.word}` is not an order of players",
            game.order.span,
            f"declare it so: `keep {keep.name.word} as order of player`",
            Label(keep.span, "declared here"),
        )


def _display(check: Checker, display: t.Display) -> None:
    if display.columns and not display.each:
        check.wrong(
            "E0419",
            f"the columns of `{display.name.word}` belong to no rows",
            display.columns[0].span,
            f"add a line above them that says what has a row, such as `each {PLAYER.kind}`",
        )
        return
    if display.rows is not None:
        check.bound(display.rows, PLAYER)
    check.fields(display)


# --- what is spent, chosen and gone through --------------------------------------------------------


def _spend(check: Checker, spend: t.Spend) -> None:
    """`as paid` names the resource spent, so there must be one."""
    check.fields(spend)
    for bundle in spend.options if spend.name else ():
        part, *others = bundle.parts
        single = isinstance(part.amount, t.Number) and part.amount.value == 1 and not others
        one = isinstance(part, t.Part) and not part.each and isinstance(check.resolved.of(part.what), Symbol)
        if spend.name and not (single and one):
            check.wrong(
                "E0416",
                f"`{spend.name.word}` could not say which resource was spent",
                bundle.span,
                f"spend 1 of something, or leave out `as {spend.name.word}`",
            )


def _choose(check: Checker, choose: t.Choose) -> None:
    check.fields(choose)
    if named(check.resolved, choose.kind) == NUMBER and choose.low is None and choose.source is None:
        check.wrong("E0404", "a number is chosen from nowhere", choose.span, "write `from 0 to ...`")


def _each(check: Checker, each: t.Each) -> None:
    of = named(check.resolved, each.kind)
    if each.source is None and of == NUMBER:
        check.wrong("E0404", "numbers have no end", each.span, "write `each number in ...`")
    check.fields(each)
    if each.source is not None and of == PLAYER and check.expr(each.source).shape == "order":
        del check.coerced[each.source]  # players come in that order


def _gone_through(check: Checker, step: t.Choose | t.Each | t.EachAtOnce, value: t.Expr, _: Type) -> Remedy | None:
    if isinstance(step, t.Loop):
        named_so = getattr(step, "name", None) is not None
        return of_its_kind("each", step.kind, value, check.expr(value)) if not named_so else None
    return of_its_kind("choose", step.kind, value, check.expr(value)) if value is step.source else None


# --- what is changed -------------------------------------------------------------------------------


def _add(check: Checker, step: t.Add | t.Remove) -> None:
    of, away = check.place(step.place, step), isinstance(step, t.Remove)
    if isinstance(step, t.Remove) and step.to is not None:
        before = len(check.found)
        check.expr(step.to)
        del check.found[before:]  # what is wrong with it is told where it is added there
    if isinstance(step, t.Add) and step.first and of.shape not in ("order", "unknown"):
        check.wrong("E0410", f"nothing comes first in {spoken(of)}", step.place.span, "leave out `first`")
    elif of.shape == "order":
        check.want(step.value, Type("set", of.kind), "this place")
    elif of.shape == "thing" and (step.to if isinstance(step, t.Remove) else step.gone) is not None:
        _move(check, step, of, away)
    elif of.shape in ("truth", "thing"):
        moved = "removed from" if away else "added to"
        check.wrong("E0406", f"nothing can be {moved} {spoken(of)}", step.span, "use `set ... to ...`")
    elif of == NUMBERS and check.expr(step.value) == NUMBER:
        check.coerced[step.value] = Coercion.NUMBER_TO_SET
    else:
        check.want(step.value, of, "this place", step)


def _one_more(check: Checker, step: t.Add | t.Remove, value: t.Expr, of: Type) -> Remedy | None:
    """What can be added to a set, or taken out, is one of its members."""
    if of.shape not in ("set", "bag") or not of.kind or check.expr(value) == NOTHING:
        return None
    return check.instead(value, NUMBER if of == NUMBERS else Type("thing", of.kind), "values", "others")


def _move(check: Checker, step: t.Add | t.Remove, of: Type, away: bool) -> None:
    """What is moved may come from a place for a single thing, and go to one."""
    have = check.expr(step.value)
    if have.shape in ("set", "order", "bag"):
        check.wrong(
            "E0401",
            f"this place takes {spoken(of)}, and this is {spoken(have)}",
            step.value.span,
            "move one of them, as in `first of ...`",
        )
        return
    check.want(step.value, of, "this place")
    if away and not of.optional:
        check.wrong(
            "E0406",
            "nothing can be moved away from a place that is never empty",
            step.place.span,
            "declare the keep `or none`, or put something else there with `set`",
        )


def _show(check: Checker, show: t.Show) -> None:
    check.fields(show)
    head = show.place.head if isinstance(show.place, t.Apply) else show.place
    shown = definition_of(check.resolved, head)
    if isinstance(shown, t.Keep | t.Resource) and not shown.secret:
        check.wrong(
            "E0407",
            f"`{shown.name.word}` is not secret",
            show.span,
            "declare it `, secret`, or leave this out",
            Label(shown.span, "declared here, open to all"),
        )


def _take(check: Checker, take: t.Take) -> None:
    """Chance picks one of several."""
    check.fields(take)
    (part,) = take.bundle.parts
    named_ = definition_of(check.resolved, part.what) if isinstance(part, t.Part) else None
    if not isinstance(named_, t.Group):
        every = (one for one in check.resolved.book.definitions.values() if isinstance(one, t.Group))
        there = [one.name.word for one in every]
        check.wrong(
            "E0420",
            "nothing is left to chance here",
            part.span,
            f"name a group of resources{f': {quote_words(there)}' if there else ', and declare it with `group`'}; "
            "what is taken by name is lost by one player and gained by the other",
        )


def _reorder(check: Checker, step: t.Arrange | t.Shuffle) -> None:
    check.fields(step)
    of = check.expr(step.place)
    if of.shape not in ("order", "unknown"):
        keeps = (keep for keep in check.resolved.book.definitions.values() if isinstance(keep, t.Keep))
        there = [keep.name.word for keep in keeps if keep.type.shape == "order"]
        which = f"name {quote_words(there)}, or declare one" if there else "declare one"
        check.wrong(
            "E0410",
            f"{spoken(of)} cannot be {'shuffled' if isinstance(step, t.Shuffle) else 'arranged'}",
            step.place.span,
            f"only an order can be: {which}, as in `keep my-pile as order of KIND`",
        )


# --- steps in short --------------------------------------------------------------------------------


def _on_its_way(check: Checker, step: t.Move | t.DrawInto, value: t.Expr, first: bool) -> None:
    """What is taken from one place and put into another."""
    _add(check, t.Remove(step.span, value, step.source, to=step.place))
    _add(check, t.Add(step.span, value, step.place, first, gone=step.source))


def _moved(check: Checker, step: t.Move) -> None:
    _on_its_way(check, step, step.value, step.first)
    check.coerced.pop(step.value, None)  # it gets a name first


def _drawn(check: Checker, draw: t.DrawInto) -> None:
    values = ((field, getattr(draw, field.name)) for field in signature(t.DrawInto) if not field.place)
    good = [check.takes(draw, replace(field, place=False), value) for field, value in values if value is not None]
    if not all(good):
        return
    kind = t.Name(draw.span, draw.kind.word)
    check.resolved.meaning[kind] = Local(kind.word, draw.span)
    check.types[kind] = named(check.resolved, draw.kind)
    before = len(check.found)
    _on_its_way(check, draw, kind, False)
    check.found[before:] = [_taken_from_no_keep(told, draw) for told in check.found[before:]]
    _room_for_all(check, draw)


def _some(check: Checker, step: t.ChooseSome | t.DrawSome) -> None:
    """Out of a bag the same may come several times."""
    check.fields(step)
    if step.source is None and named(check.resolved, step.kind) == NUMBER:
        check.wrong("E0404", "numbers are chosen from nowhere", step.span, "name a set of them, as in `from (1, 2, 3)`")
    if step.source is not None and check.expr(step.source).shape == "bag":
        check.coerced.pop(step.source, None)
        check.bound(step, check.expr(step.source))


def _all_where(check: Checker, each: t.EachWhere | t.EachWith) -> None:
    if named(check.resolved, each.kind) == NUMBER:
        check.wrong("E0404", "numbers have no end", each.span, "write `each number in ...`")
    check.fields(each)


def _price(check: Checker, written: t.PartPrice) -> None:
    """An amount of several resources is of the right type if each of them is."""
    parts = resource_by_resource(Typed(check.resolved, check.coerced), written)
    if not parts:
        check.found.append(unpriced(check.resolved, written.source))
    check.resolved.prices[written] = parts
    for part in parts:
        check.visit(part)


def _give(check: Checker, give: t.Give) -> None:
    """What one player chooses to pay, the other must be given."""
    check.fields(give)
    for part in parts_of(check.resolved, give.bundle):
        if isinstance(part, t.PartFrom) or part.each or all_in_group(check.resolved, part) == ():
            check.found.append(unclear(part))


def _round(check: Checker, each: t.EachRound) -> None:
    reason = f"only players sit round the table, and this is {with_article(each.kind.word)}"
    remedy = "write `each player from ...`; through numbers one goes with `each number from ... to ...`"
    _of_players(check, each, "E0401", reason, remedy)


def _at_once(check: Checker, each: t.EachAtOnce) -> None:
    reason = f"{with_article(each.kind.word)} cannot answer anything"
    _of_players(check, each, "E0537", reason, "write `each player at once`, or leave out `at once`")


def _of_players(check: Checker, each: t.EachRound | t.EachAtOnce, code: str, reason: str, remedy: str) -> None:
    check.fields(each)
    if named(check.resolved, each.kind) != PLAYER:
        check.wrong(code, reason, each.kind.span, remedy)


def _room_for_all(check: Checker, draw: t.DrawInto) -> None:
    single = draw.count is None or isinstance(draw.count, t.Number) and draw.count.value == 1
    of = check.types[draw.place]
    if not single and of.shape == "thing":
        check.wrong(
            "E0406",
            "there is room for one thing only",
            draw.place.span,
            f"write `draw {with_article(of.kind)} ...`, or declare the keep `as set of ...`",
        )


def _taken_from_no_keep(told: Diagnostic, draw: t.DrawInto) -> Diagnostic:
    """What is no keep still holds all that is drawn from it: then nothing has to be taken out."""
    if told.code != "E0405" or told.span != draw.source.span:
        return told
    written = f"draw {expression(draw.count)}" if draw.count is not None else f"draw {draw.article}"
    line = f"{written} {draw.kind.word} from {expression(draw.source)} as drawn"
    return replace(
        told,
        note="What is drawn `into` another place is taken out of the first, and only a keep can lose something.",
        help=f"write `{line}`, and `add drawn to {expression(draw.place)}`; or keep what is left in a keep of its own",
    )


CASES = (
    arguments.CASES
    | operators.CASES
    | Cases(
        nodes={
            t.Thing: _thing,
            t.Term: _term,
            t.Action: _action,
            t.Game: _game,
            t.Display: _display,
            t.Spend: _spend,
            t.Choose: _choose,
            t.Each: _each,
            t.Add: _add,
            t.Remove: _add,
            t.Show: _show,
            t.Arrange: _reorder,
            t.Shuffle: _reorder,
            t.Move: _moved,
            t.DrawInto: _drawn,
            t.ChooseSome: _some,
            t.ChooseUpTo: _some,
            t.DrawSome: _some,
            t.EachWhere: _all_where,
            t.EachWith: _all_where,
            t.EachAtOnce: _at_once,
            t.EachRound: _round,
            t.PartPrice: _price,
            t.Give: _give,
            t.Take: _take,
        },
        remedies={
            t.Choose: _gone_through,
            t.Each: _gone_through,
            t.EachAtOnce: _gone_through,
            t.Add: _one_more,
            t.Remove: _one_more,
        },
    )
)
