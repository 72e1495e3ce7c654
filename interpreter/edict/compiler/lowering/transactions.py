"""Lowering of gains, losses and payments of resources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Condition, Const, CoreExpr, Var
from edict.compiler.codegen.core_builder import make_op
from edict.compiler.lowering import costs
from edict.compiler.lowering.asks import (
    BranchDomain,
    MemberDomain,
    MemberFilter,
    QuestionSpec,
    ReasonScope,
    Requirement,
    add_switch,
    current_scope,
)
from edict.compiler.lowering.block_lowering import StepOffer, lower_block, register_step
from edict.compiler.lowering.context import NOTHING, Context, member_mask
from edict.compiler.lowering.costs import (
    AnyPart,
    ResourceChange,
    ResourceMover,
    counts_for,
    has_floor,
    part_amount,
    possible_payment,
    resource_of_local,
    resources_of,
    sum_among,
)
from edict.compiler.lowering.hiding import hide_changes_of
from edict.compiler.lowering.layout import is_secret_resource
from edict.compiler.lowering.program_reasons import (
    ImpliedCondition,
    build_implied_price,
    group_requirement,
    request_query,
    source_requirement,
    title_forms,
)
from edict.compiler.lowering.program_wording import (
    amount_text,
    price_text,
    single_text,
    spend_prompt,
    supply_text,
)
from edict.compiler.lowering.value_lowering import (
    StorageLocation,
    dynamic_resource_place,
    hide_new_value,
    lower_value,
    resource_place,
)
from edict.compiler.semantics.ability_targets import GAINING, LOSING
from edict.compiler.semantics.effects import iter_moved_resources
from edict.compiler.semantics.secret_sources import has_secret
from edict.compiler.semantics.symbols import NUMBER, Local, Symbol, split_parts
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import ReasonValue
from edict.support.morphology import capitalize, split_title
from edict.support.records import dataclass
from edict.support.text import NOWHERE

OPTION_LOCAL = Local("option", NOWHERE)


def update_place(c: Context, place: StorageLocation, opcode: int, operand: CoreExpr) -> None:
    """Emit code that stores `place = place OPCODE operand`."""
    place, operand = place.evaluate_once(c), c.evaluate_once(operand)
    place.store(c, make_op(opcode, place.value, operand))


def _choice_words(c: Context, part: AnyPart) -> tuple[str, str]:
    """Return the name and the title for `Which ...?` when the resource of a part is chosen."""
    if isinstance(part, t.PartFrom):
        return "resource", ""
    title = c.resolved.require_definition(c.symbol_of(part.what).name).title or part.what.word
    return part.what.word, split_title(str(title))[0]


# --- gain and lose ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Transfer:
    """The differences between gaining and losing."""

    edge: str
    name: str
    verb: str
    some: ResourceChange  # moves an amount of a resource
    one: ResourceChange  # moves one piece that was chosen
    # asks for a resource out of a set, given its possible members and a jump target if there is none
    choose: Callable[[Context, int, AnyPart, CoreExpr, tuple[int, ...], BlockLabel], Var]
    # moves what needs no question
    beforehand: Callable[[Context, Var, CoreExpr, tuple[int, ...], BlockLabel, ResourceMover], None] = lambda *_: None


def transfer_bundle(c: Context, transfer: Transfer, bundle: t.Bundle, move: ResourceMover) -> None:
    """Lower the transfer of all parts of a bundle."""
    for part in split_parts(c.resolved, bundle):
        _transfer_part(c, transfer, part, move)


def pay_bundle(c: Context, bundle: t.Bundle) -> None:
    """Lower a payment; unlike a loss it has no exceptions and raises no moments."""
    with c.with_payment_cause():
        transfer_bundle(c, PAY, bundle, lambda ctx, _, resource, amount_, plain: plain(ctx, resource, amount_))


def _transfer_part(c: Context, transfer: Transfer, part: AnyPart, move: ResourceMover) -> None:
    """Lower the gain or loss of one part; the player chooses the resource if several can be meant."""
    revealing_amount = part.amount if has_secret(c.resolved, part.amount) else None

    def transfer_amount(resource: CoreExpr) -> None:
        """Move the part's amount of one resource, and hide the new amount if a secret decides on it."""
        move(c, transfer.edge, resource, part_amount(c, part), transfer.some)
        if revealing_amount is not None:  # those who knew the old amount do not know the change
            hide_new_value(c, dynamic_resource_place(c, resource))

    members = possible_payment(c, part)
    if isinstance(part, t.PartFrom):
        _transfer_chosen_pieces(c, transfer, part, members or (), lower_value(c, part.source), move)
    elif part.each:
        for member in members or ():
            with c.block() as skip:
                c.jump_unless(counts_for(c, part, member), skip)
                transfer_amount(Const(member))
    elif members is None:
        transfer_amount(resource_of_local(c, part))
    elif len(members) == 1:
        transfer_amount(Const(members[0]))
    else:
        _transfer_chosen_pieces(c, transfer, part, members, member_mask(members), move)


def _transfer_chosen_pieces(
    c: Context, transfer: Transfer, part: AnyPart, members: tuple[int, ...], choices: CoreExpr, move: ResourceMover
) -> None:
    """Lower a transfer whose pieces are chosen one by one, with repeats."""
    choices = c.evaluate_once(choices)
    remaining = c.let(part_amount(c, part))
    name, title = _choice_words(c, part)
    if transfer.edge == LOSING:
        secret = [member for member in members if is_secret_resource(c.linked, member)]
    else:
        secret = []
    prompt = f"{f'Which {title}' if title else 'What'} do you {transfer.verb}?"
    with c.block() as end, hide_changes_of(c, [resource_place(c, member) for member in secret]):
        possible = tuple(sorted(members))
        question = c.add_question(
            Question(f"{transfer.name}-{name}", prompt, "thing", "resource", possible, secret=bool(secret))
        )
        transfer.beforehand(c, remaining, choices, members, end, move)
        with c.loop():
            c.jump_unless(core.Compare(">", remaining, NOTHING), end)
            move(
                c,
                transfer.edge,
                transfer.choose(c, question, part, choices, members, end),
                Const(1),
                transfer.one,
            )
            c.set(remaining, make_op(o.SUB, remaining, Const(1)))


def _choose_resource(
    c: Context,
    question: int,
    part: AnyPart,
    choices: CoreExpr,
    filters: tuple[MemberFilter, ...] = (),
    none: BlockLabel | None = None,
) -> Var:
    """Ask for a resource out of a set and return the variable of its number; jump to `none` without options."""
    scope = current_scope(c).with_params(OPTION_LOCAL)
    if isinstance(part, t.PartFrom):
        origin = source_requirement(c, part, part.source, scope)
    else:
        origin = group_requirement(part.what, member_mask(resources_of(c, part) or ()), scope, part.span)
    return QuestionSpec(question, MemberDomain(lambda ctx: choices, origin, filters), none=none).lower(c)


# --- gain ------------------------------------------------------------------------------------------


def _gain_amount(c: Context, resource: CoreExpr, gained: CoreExpr) -> None:
    """Gain an amount limited by the supply."""
    update_place(c, dynamic_resource_place(c, resource), o.ADD, costs.limit_to_supply(c, resource, gained))


def _gain_chosen_resource(c: Context, resource: CoreExpr, gained: CoreExpr) -> None:
    """Gain chosen pieces of a resource; the supply was checked when they were offered."""
    update_place(c, dynamic_resource_place(c, resource), o.ADD, gained)


def _ask_resource_to_gain(
    c: Context, question: int, part: AnyPart, choices: CoreExpr, _: tuple[int, ...], none: BlockLabel
) -> Var:
    """Ask which resource to gain, of those left in the supply; jump to `none` if there are none."""
    choices = costs.available_in_supply(c, choices)
    c.jump_unless(core.Test(choices), none)
    return _choose_resource(c, question, part, choices)


GAIN = Transfer(GAINING, "gain", "gain", _gain_amount, _gain_chosen_resource, _ask_resource_to_gain)


def supply_requirements(c: Context, bundle: t.Bundle) -> tuple[Requirement, ...]:
    """Return the requirement that the supply has some of a bundle, or nothing if it is unlimited."""
    limited, scope = costs.supply_limits(c), current_scope(c)
    part_resources = [
        resources_of(c, part) if isinstance(part, t.Part) else None for part in split_parts(c.resolved, bundle)
    ]
    numbers = [number for members in part_resources for number in members or (-1,)]
    if any(number not in limited for number in numbers):
        return ()

    def test(ctx: Context) -> Condition:
        """Build the condition that the supply has some of at least one of the resources."""
        return core.Any_(tuple(core.Test(costs.supply_of(ctx, number)) for number in numbers))

    def text(ctx: Context) -> str:
        """Return the text that the supply has some of these resources, by their plural titles."""
        return supply_text(costs.resource_titles(ctx, number)[1] for number in numbers)

    return (ImpliedCondition(("supply", bundle), scope, bundle.span, test, text).to_requirement("supply"),)


# --- lose ------------------------------------------------------------------------------------------


def _lose_amount(c: Context, resource: CoreExpr, lost: CoreExpr) -> None:
    """Lose an amount limited to what the player has."""
    lost = c.evaluate_once(lost)
    if isinstance(resource, Const):
        place = resource_place(c, resource.value)
        remaining = make_op(o.SUB, place.value, lost)
        place.store(c, make_op(o.MAX, remaining, NOTHING) if has_floor(c, resource.value) else remaining)
        return
    place = dynamic_resource_place(c, resource).evaluate_once(c)
    floors = tuple(0 if has_floor(c, r) else -(1 << 40) for r in range(len(c.linked.resources)))
    place.store(c, make_op(o.MAX, make_op(o.SUB, place.value, lost), core.TableLookup(floors, resource)))


def _lose_chosen_resource(c: Context, resource: CoreExpr, lost: CoreExpr) -> None:
    """Lose chosen pieces of a resource, which the player is known to have."""
    update_place(c, dynamic_resource_place(c, resource), o.SUB, lost)


def _lose_whole(c: Context, resource: CoreExpr, _: CoreExpr) -> None:
    """Set your amount of a resource to 0."""
    dynamic_resource_place(c, resource).store(c, NOTHING)


def _ask_resource_to_lose(
    c: Context, question: int, part: AnyPart, choices: CoreExpr, members: tuple[int, ...], none: BlockLabel
) -> Var:
    """Ask which of the resources to lose, of those you have; jump to `none` if you have none."""
    owned_filter = MemberFilter(
        OPTION_LOCAL,
        (_build_ownership_requirement(part, member_mask(members), current_scope(c).with_params(OPTION_LOCAL)),),
    )
    return _choose_resource(c, question, part, choices, (owned_filter,), none)


def _lose_everything_if_no_choice(
    c: Context, remaining: Var, choices: CoreExpr, members: tuple[int, ...], end: BlockLabel, move: ResourceMover
) -> None:
    """Lose everything in the set at once if the player has no more than must be lost."""
    with c.block() as choice_needed:
        c.jump(choice_needed, core.Compare("<", remaining, sum_among(c, members, choices)))
        for member in members:
            with c.block() as skip:
                c.jump_unless(core.Compare("in", Const(member), choices), skip)
                move(c, LOSING, Const(member), resource_place(c, member).value, _lose_whole)
        c.jump(end)


def _build_ownership_requirement(part: AnyPart, members: Const, scope: ReasonScope) -> Requirement:
    """Return the requirement that you have at least 1 of the resource offered."""

    def load_owned_amount(c: Context) -> CoreExpr:
        return dynamic_resource_place(c, c.bindings[OPTION_LOCAL]).value

    def test(c: Context) -> Condition:
        """Build the condition that the option is one of the resources, and you have some of it."""
        return core.All(
            (core.Compare("in", c.bindings[OPTION_LOCAL], members), core.Compare(">=", load_owned_amount(c), Const(1)))
        )

    def values(c: Context) -> tuple[ReasonValue, ...]:
        """Return your amount of the resource, for the explanation."""
        return (ReasonValue("{0}", request_query(c, "amount", scope, (), NUMBER, load_owned_amount), have=True),)

    return ImpliedCondition(("held", members.value), scope, part.span, test, values=values).to_requirement("held")


LOSE = Transfer(
    LOSING, "lose", "lose", _lose_amount, _lose_chosen_resource, _ask_resource_to_lose, _lose_everything_if_no_choice
)
PAY = replace(LOSE, verb="pay")


# --- spend -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PaymentOption:
    """One way to pay, by a bundle or a single piece of a group's resource."""

    bundle: t.Bundle
    resource: int | None
    text: str  # English description

    def format_key(self, c: Context) -> str:
        """Return the text of the rules that identifies this payment."""
        return amount_text(self.bundle, None if self.resource is None else c.linked.resources[self.resource])

    def lower(self, c: Context, paid: Var | None) -> None:
        """Pay it, and store the resource in `paid` if it is given."""
        if self.resource is None:
            pay_bundle(c, self.bundle)
        else:
            with c.with_payment_cause():
                update_place(c, resource_place(c, self.resource), o.SUB, Const(1))
            if paid is not None:
                c.set(paid, Const(self.resource))


def payment_options(c: Context, spend: t.Spend) -> list[PaymentOption]:
    """Return all ways to pay."""
    options: list[PaymentOption] = []
    for bundle in spend.options:
        part = bundle.parts[0]
        resources = costs.resources_of(c, part) if isinstance(part, t.Part) else None
        is_one_piece = len(bundle.parts) == 1 and isinstance(part.amount, t.Number) and part.amount.value == 1
        if is_one_piece and resources is not None and isinstance(part, t.Part) and not part.each:
            options += [PaymentOption(bundle, r, single_text(_resource_title(c, r))) for r in resources]
        else:
            options.append(PaymentOption(bundle, None, price_text(c.resolved, bundle)))
    return options


def _offer_payment(c: Context, spend: t.Spend, offer: StepOffer) -> bool:
    """Ask which of the possible payments to make, and pay it. Return True, as it asks a question itself."""
    payments, paid = payment_options(c, spend), None
    if spend.name is not None:
        paid = c.declare()
        c.bind(spend, paid)
    prompt, labels = (
        offer.prompt or spend_prompt(c.resolved, offer.then),
        tuple(capitalize(payment.text) for payment in payments),
    )
    keys = tuple(payment.format_key(c) for payment in payments)
    secret_resources = payable_secrets(c, spend) if len(payments) > 1 else []
    question = Question("spend", prompt, "branch", labels=labels, keys=keys, secret=bool(secret_resources))
    question_number = c.add_question(question, offer.decline)
    scope = current_scope(c)
    options = BranchDomain(
        tuple(
            (build_implied_price(scope, payment.text, (payment.bundle,), payment.resource).to_requirement("price"),)
            for payment in payments
        )
    )
    ask = QuestionSpec(
        question_number, options, none=offer.no, declined=offer.decline_target, untaken=offer.decline is None
    )
    answer = ask.lower(c)
    with hide_changes_of(c, [resource_place(c, number) for number in secret_resources]):
        add_switch(
            c,
            answer,
            payments,
            lambda payment: payment.lower(c, paid),
            (lambda payment: payment.bundle) if len(payments) > 1 else None,
        )
    return True


def payable_secrets(c: Context, spend: t.Spend) -> list[int]:
    """Return the numbers of the secret resources that a `spend` may take."""
    paid = {meaning.name for bundle in spend.options for meaning in iter_moved_resources(c.resolved, bundle)}
    numbers = (c.linked.resource_index(name) for name in sorted(paid))
    return [number for number in numbers if is_secret_resource(c.linked, number)]


def _spend_requirement(c: Context, spend: t.Spend, _: t.Block, scope: ReasonScope) -> Requirement:
    """Return the requirement that you can pay one of the alternatives of a `spend`."""
    return build_implied_price(scope, price_text(c.resolved, *spend.options), spend.options).to_requirement(
        "price", spend.span
    )


@register_step(t.Spend, needs=_spend_requirement, offered=_offer_payment)
def _lower_spend(c: Context, spend: t.Spend) -> None:
    """Lower `spend`: pay and do the block below, or do `else` if it cannot be paid or is declined."""
    with c.block() as end:
        with c.block() as declined:
            _offer_payment(c, spend, StepOffer(declined, then=spend.then))
            lower_block(c, spend.then)
            if spend.otherwise:
                c.jump(end)
        lower_block(c, spend.otherwise)


def _resource_title(c: Context, resource: int) -> str:
    """Return the title of a resource by its number, with its plural, such as `coin/coins`."""
    definition = c.linked.resources[resource]
    return title_forms(Symbol("resource", definition.name.word, definition))
