"""Lowering of players' choices of things, numbers, dice and branches, and of optional steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core import BlockLabel, Condition, CoreExpr
from edict.compiler.codegen.core_builder import ALWAYS, make_op
from edict.compiler.english import describe
from edict.compiler.lowering.asks import (
    BranchDomain,
    MemberDomain,
    QuestionSpec,
    ReasonScope,
    Requirement,
    add_switch,
    current_scope,
    possible_answers,
)
from edict.compiler.lowering.block_lowering import (
    LOWERINGS,
    RequirementFinder,
    StepOffer,
    binds_name,
    end_of_block,
    lower_block,
    lower_step,
    lower_steps,
    lowers_written_steps,
    no_requirement,
    register_question,
    register_step,
)
from edict.compiler.lowering.containers import all_of_kind, number_range, single_die
from edict.compiler.lowering.context import YOU, Context, member_mask
from edict.compiler.lowering.hiding import hide_changes
from edict.compiler.lowering.program_reasons import (
    ImpliedCondition,
    add_check,
    build_implied_use_limit,
    build_value,
    build_value_if_computed,
    filters_of_where,
    group_requirement,
    mentions_secret_local,
    option_exists_requirement,
    requirement_in_rules,
    source_requirement,
    source_text,
)
from edict.compiler.lowering.program_wording import (
    TextParts,
    branch_label,
    branch_text,
    choose_prompt,
    describe_with_values,
    may_prompt,
)
from edict.compiler.lowering.quantity_lowering import applies_condition, use_up
from edict.compiler.lowering.value_lowering import lower_condition, lower_value
from edict.compiler.semantics.ability_targets import GAINING, STEP_EDGES
from edict.compiler.semantics.call_graph import iter_callees_of_node
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import Local, definition_of, drop_texts, expand_steps, split_parts
from edict.compiler.sources.input_limits import MOST_AHEAD
from edict.compiler.sources.work_budget import LOOKING_AHEAD, budget_error, spend
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, carries_role, iter_role_values
from edict.runtime.program import LinkedPanelPart, PanelLine, Question
from edict.runtime.program import opcodes as o


def conditional_requirements(c: Context, block: t.Block, scope: ReasonScope) -> tuple[Requirement, ...]:
    """Return the condition of a block whose only step is conditional and does nothing otherwise."""
    block_steps = expand_steps(c.resolved, block)
    conditions = [condition for step in block_steps[:1] for condition in iter_role_values(step, Role.DECIDES)]
    if (
        len(block_steps) != 1
        or any(iter_role_values(block_steps[0], Role.INSTEAD))
        or not carries_role(type(block_steps[0]), Role.INSTEAD)
    ):
        return ()
    return tuple(requirement_in_rules(c, "if", condition, scope, block_steps[0].span) for condition in conditions)


def find_requirements(c: Context, block: t.Block, scope: ReasonScope) -> tuple[Requirement, ...]:
    """Return the requirements for completing a block."""
    spend(LOOKING_AHEAD)
    if c.env.ahead == MOST_AHEAD:
        raise budget_error()
    with c.with_environment(ahead=c.env.ahead + 1):
        needs = _find_requirements(c, block, scope)
        return _or_added_options(c, block, needs) if needs and c.linked.options else needs


def _find_requirements(c: Context, block: t.Block, scope: ReasonScope) -> tuple[Requirement, ...]:
    """Return the requirement of the first step behind those that bind names; empty if it cannot fail."""
    binding_steps: list[t.Stmt] = []
    block_steps = expand_steps(c.resolved, block)
    for i, step in enumerate(block_steps, 1):
        need = LOWERINGS[type(step)].needs(c, step, block_steps[i:], scope)
        if need is not None:
            return (_with_bindings(tuple(binding_steps), need) if binding_steps else need,)
        if not (carries_role(type(step), Role.BINDS) and carries_role(type(step), Role.INTO)):
            return ()  # only steps that bind a name are skipped
        binding_steps.append(step)
    return ()


def can_have_requirements(c: Context, block: t.Block, effect: str = "") -> bool:
    """Return False if `find_requirements` of a block is empty wherever it is called.

    Args:
        c: The context.
        block: The block.
        effect: The name of the effect whose block this is; the same effect of any thing is not examined again.
    """
    for step in expand_steps(c.resolved, block):
        step_type: Any = type(step)
        field = getattr(step, "field", None)  # the effect of a thing
        if isinstance(step, t.Loop):
            return can_have_requirements(c, step.block, effect)
        if carries_role(step_type, Role.DECIDES) and carries_role(step_type, Role.INSTEAD):
            branches = getattr(step, "then", ()), tuple(iter_role_values(step, Role.INSTEAD))
            if any(can_have_requirements(c, branch, effect) for branch in branches):
                return True
        elif isinstance(field, t.Name) and field.word == effect:
            return isinstance(definition_of(c.resolved, getattr(step, "thing", None)), t.Thing)
        elif hasattr(step, "some"):  # a bound value has a requirement only if it is a choice of some members of a set
            if step.some:
                return True
        elif LOWERINGS[step_type].needs is not no_requirement:
            return True
        elif not (carries_role(step_type, Role.BINDS) and carries_role(step_type, Role.INTO)):
            return False
    return False


def _with_bindings(binding_steps: t.Block, need: Requirement) -> Requirement:
    """Return a requirement that first evaluates the preceding steps that bind names."""

    def test(c: Context) -> Condition:
        """Build the condition behind the code of the steps that bind the names it uses."""
        with c.collect() as body:
            for step in binding_steps:
                LOWERINGS[type(step)].code(c, step)
        return core.StatementCondition(tuple(body), need.test(c))

    return replace(need, test=test, check=lambda c: -1)


def completion_condition(c: Context, block: t.Block, scope: ReasonScope) -> Condition:
    """Build the condition that a block can be completed."""
    needs = find_requirements(c, block, scope)
    return needs[0].test(c) if needs else ALWAYS


def option_requirement(options: Callable[[Context, Any], MemberDomain | BranchDomain]) -> RequirementFinder:
    """Return a requirement finder for an asking step that needs at least one option."""

    def find_requirement(c: Context, step: t.Stmt, _: t.Block, scope: ReasonScope) -> Requirement | None:
        """Return the requirement that the step has an option; None if some branch has no requirements."""
        offered = options(c, step)
        if isinstance(offered, BranchDomain) and not all(offered.needs):
            return None
        return option_exists_requirement(c, step, scope, offered.has_options)

    return find_requirement


# --- options that abilities add ---------------------------------------------------------------------


def _list_added_options(c: Context, step: t.Stmt) -> tuple[AttachedAbility, ...]:
    """Return the options that abilities add to the question of a step, without those whose own step it is."""
    return tuple(attached for attached in c.linked.options_at(step) if attached.ability not in c.env.own_options)


def _option_of(attached: AttachedAbility) -> t.AddedOption:
    """Return the option of an attached ability."""
    assert isinstance(attached.ability, t.AddedOption)
    return attached.ability


@contextmanager
def _within_option(c: Context, attached: AttachedAbility) -> Iterator[None]:
    """Attribute the code emitted inside to an option, which is not offered there again."""
    own = c.env.own_options | {attached.ability}
    with c.with_ability(attached), c.with_environment(own_options=own):
        yield


def _only_step_requirements(c: Context, block: t.Block, scope: ReasonScope) -> tuple[Requirement, ...]:
    """Return the requirement that the only step of a block does anything; empty for several steps, and other steps."""
    steps = drop_texts(block)
    steps = expand_steps(c.resolved, steps) if len(steps) == 1 else steps
    find_condition = LOWERINGS[type(steps[0])].effect if len(steps) == 1 else None
    if find_condition is None:
        return ()
    return (option_exists_requirement(c, steps[0], scope, lambda ctx: find_condition(ctx, steps[0], scope)),)


def _added_requirements(c: Context, attached: AttachedAbility) -> tuple[Requirement, ...]:
    """Return an option's requirements: it applies, is not used up, and its block can be completed."""
    option = _option_of(attached)

    def attribute(need: Requirement) -> Requirement:
        """Return a requirement whose code is attributed to the option."""

        def test(ctx: Context) -> Condition:
            with _within_option(ctx, attached):
                return need.test(ctx)

        return replace(need, test=test)

    def check(ctx: Context) -> int:
        return add_check(ctx, option.condition, scope) if option.condition is not None else -1

    with _within_option(c, attached):
        scope = current_scope(c)
        needs = [
            *conditional_requirements(c, option.block, scope),
            *_only_step_requirements(c, option.block, scope),
            *find_requirements(c, option.block, scope),
        ]
    if option.once_per is not None:
        needs.insert(0, build_implied_use_limit(option, scope).to_requirement("if"))
    if option.condition is not None or attached.thing is not None:
        applies = Requirement("if", scope, option.span, lambda ctx: applies_condition(ctx, attached), check)
        needs.insert(0, applies)
    return tuple(map(attribute, needs))


def _lower_added_option(c: Context, attached: AttachedAbility) -> None:
    """Lower what an option does; its limit is used up."""
    option = _option_of(attached)
    with _within_option(c, attached), c.mark_optional():
        use_up(c, option)
        lower_block(c, option.block)


def _or_added_options(c: Context, block: t.Block, needs: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    """Return the requirements of a block that can also be completed by options added to its questions."""
    added = [_added_requirements(c, each) for step in drop_texts(block) for each in _list_added_options(c, step)]

    def either(need: Requirement) -> Requirement:
        """Return the requirement that `need` is met, or all requirements of some option are."""

        def test(ctx: Context) -> Condition:
            options = (core.All(tuple(other.test(ctx) for other in others)) for others in added)
            return core.Any_((need.test(ctx), *options))

        return replace(need, test=test)

    return tuple(map(either, needs)) if added else needs


@lowers_written_steps
def _lower_written_step(c: Context, step: t.Stmt) -> None:
    """Lower a step as it is written; if options are added to its question and one is open, ask for that first.

    An option is done in place of the step, and of what follows in the block if that is about what would be chosen.
    """
    added = () if isinstance(step, t.ChooseOne) else _list_added_options(c, step)
    if not added:
        lower_steps(c, (step,))
        return
    with c.block() as end:
        with c.block() as plain:
            _ask_with_added_options(c, step, added, plain, end_of_block(c) if binds_name(step) else end)
            c.jump(end)
        lower_steps(c, (step,))


def _ask_with_added_options(
    c: Context, step: t.Stmt, added: tuple[AttachedAbility, ...], plain: BlockLabel, end: BlockLabel
) -> None:
    """Ask for one of the added options, the step or, if it is an offer, to decline it; do an option and jump to `end`.

    Control continues behind an accepted or declined offer, and at `plain` if the step is chosen or no option is open.
    """
    own_block: t.Block = (step,)
    if isinstance(step, t.May):
        own_block = (step.head,) if step.head is not None else step.then
    needs = tuple(_added_requirements(c, attached) for attached in added)
    c.jump_unless(core.Any_(tuple(core.All(tuple(need.test(c) for need in every)) for every in needs)), plain)
    own = t.Branch(step.span, "", None, own_block)
    words = describe_with_values(c.resolved, own_block, c.bindings)
    labels = (branch_label(c.resolved, own, words), *(_option_of(attached).title for attached in added))
    title = _branch_panel_line(c, own, words)
    question = c.add_question(
        Question(
            "choose-one",
            getattr(step, "prompt", "") or "Choose one",
            "branch",
            labels=labels,
            keys=(branch_text(own), *(_option_of(attached).title for attached in added)),
            titles=(title, *(PanelLine("", ()) for _ in added)) if title.parts else (),
        ),
        step.decline if isinstance(step, t.May) and not c.env.accepted else None,
    )

    def lower_case(case: AttachedAbility | None) -> None:
        if case is not None:
            _lower_added_option(c, case)
            c.jump(end)
        elif isinstance(step, t.May):
            with c.with_environment(accepted=True):
                lower_steps(c, (step,))
        else:
            c.jump(plain)

    domain = BranchDomain((find_requirements(c, own_block, current_scope(c)), *needs))
    with c.block() as answered:
        with c.block() as declined:
            may_decline = isinstance(step, t.May) and not c.env.accepted
            answer = QuestionSpec(
                question, domain, choosing_seat(c, step), declined=declined if may_decline else None
            ).lower(c)
            add_switch(c, answer, (None, *added), lower_case, lambda case: own if case is None else case.ability)
            c.jump(answered)
        if isinstance(step, t.May):
            lower_block(c, step.otherwise)


# --- optional steps --------------------------------------------------------------------------------


def _offer_condition(c: Context, may: t.May, scope: ReasonScope) -> Condition:
    """Build the condition that what is offered can be completed, or that declining does something."""
    return ALWAYS if may.otherwise else completion_condition(c, may.then if may.head is None else (may.head,), scope)


@register_step(t.May, effect=_offer_condition)
def _lower_may(c: Context, may: t.May) -> None:
    """Offer the head; then lower it and the block below it, or the block under `else`."""
    decline, agreed = None if c.env.accepted else may.decline, c.env.agreed
    # the code that is called must know of it
    notes_before = agreed is not None and carries_role(type(may.head), Role.RUNS)
    with (
        c.with_environment(accepted=False, agreed=None),
        c.mark_optional(),
        hide_changes(c, may.secretly, may),
        c.block() as end,
    ):
        with c.block() as no:
            if agreed is not None and notes_before:
                agreed.note()
            _offer_head(c, may, StepOffer(no, decline, may.prompt, may.then))
            if agreed is not None and not notes_before:
                agreed.note()
            lower_block(c, may.then)
            if may.otherwise or notes_before:
                c.jump(end)
        if agreed is not None and notes_before:
            agreed.undo()
        lower_block(c, may.otherwise)


def _offer_head(c: Context, may: t.May, offer: StepOffer) -> None:
    """Offer the head of a `may` and lower it; jump away if it is impossible or declined."""
    head = may.head
    if head is None or not LOWERINGS[type(head)].offered(c, head, offer):
        if offer.decline is not None:
            _ask_yes_or_no(c, may, offer.decline, offer.no)
        if head is not None:
            lower_step(c, head)


def _ask_yes_or_no(c: Context, may: t.May, decline: str, no: BlockLabel) -> None:
    """Ask whether to do an offer whose head asks nothing itself; jump to `no` if impossible or declined."""
    c.jump_unless(completion_condition(c, may.then if may.head is None else (may.head,), current_scope(c)), no)
    with c.block() as go_on:
        pure = is_pure_gain(c, may)
        if pure:
            _skip_question_of_gain(c, go_on)
        prompt = may_prompt(c.resolved, may.prompt, may.head, may.then)
        yes = Question("may", prompt, "branch", labels=("Yes",), keys=("yes",), secret=may.secretly)
        question = c.add_question(yes, decline)
        # gains are usually taken without asking
        QuestionSpec(question, BranchDomain(((),)), declined=no).lower(c, reports_fork=not pure)


def _skip_question_of_gain(c: Context, go_on: BlockLabel) -> None:
    """Jump to `go_on`, past the question of a pure gain, unless the rules `ask about gains if` and that holds."""
    asked = c.linked.game.ask_gains
    if asked is None:
        c.jump(go_on)
    else:
        c.jump_unless(lower_condition(c, asked), go_on)


def is_pure_gain(c: Context, statement: t.Stmt) -> bool:
    """Return True if a step only gains resources at no cost; declining it would never help."""
    if isinstance(statement, t.May):
        blocks = (*statement.then, *statement.otherwise)
        return statement.head is not None and not blocks and is_pure_gain(c, statement.head)
    if STEP_EDGES.get(type(statement)) != (GAINING,) or any(True for _ in iter_callees_of_node(c.resolved, statement)):
        return False  # an exception may replace the gain
    return not any(
        _is_die(c, part)
        for bundle in iter_role_values(statement, Role.MOVED)
        for part in split_parts(c.resolved, bundle)
    )


def _is_die(c: Context, part: t.Part | t.PartFrom) -> bool:
    """Return True if a part of an amount names a kind of die."""
    if isinstance(part, t.PartFrom):
        return False
    meaning = c.resolved.meaning_of(part.what)
    return not isinstance(meaning, Local) and meaning.sort == "die"


def is_optional(c: Context, block: t.Block) -> bool:
    """Return True if the block consists of a single `may`."""
    block_steps = expand_steps(c.resolved, block)
    return len(block_steps) == 1 and isinstance(block_steps[0], t.May)


def optional_block(c: Context, block: t.Block) -> t.Block:
    """Return the block under a `may` at the beginning of a block; empty without one."""
    first = next(iter(expand_steps(c.resolved, block)), None)
    if not isinstance(first, t.May):
        return ()
    return first.then if first.head is None else (first.head,)


# --- branches --------------------------------------------------------------------------------------


def _branch_requirements(c: Context, branch: t.Branch) -> tuple[Requirement, ...]:
    """Return a branch's requirements: its `if`, then what its block needs to be completed."""
    scope, condition = current_scope(c), branch.condition
    own_requirement = () if condition is None else (requirement_in_rules(c, "if", condition, scope, branch.span),)
    return (
        *own_requirement,
        *conditional_requirements(c, branch.block, scope),
        *find_requirements(c, branch.block, scope),
    )


def _branch_domain(c: Context, choice: t.ChooseOne) -> BranchDomain:
    """Return the branches of a `choose one`, and what abilities add to them, each with its requirements."""
    added = tuple(_added_requirements(c, attached) for attached in _list_added_options(c, choice))
    return BranchDomain((*(_branch_requirements(c, branch) for branch in choice.branches), *added))


@register_step(t.ChooseOne, needs=option_requirement(_branch_domain))
def _lower_choose_one(c: Context, choice: t.ChooseOne) -> None:
    """Lower a choice between branches; those that fail a condition or cannot be completed are not offered."""
    texts = tuple(describe_with_values(c.resolved, branch.block, c.bindings) for branch in choice.branches)
    labels = tuple(map(partial(branch_label, c.resolved), choice.branches, texts))
    added = _list_added_options(c, choice)
    titles = (*map(partial(_branch_panel_line, c), choice.branches, texts), *(PanelLine("", ()) for _ in added))
    question = c.add_question(
        Question(
            "choose-one",
            choice.prompt or "Choose one",
            "branch",
            labels=(*labels, *(_option_of(attached).title for attached in added)),
            keys=(*map(branch_text, choice.branches), *(_option_of(attached).title for attached in added)),
            secret=choice.secretly,
            titles=titles if any(title.parts for title in titles) else (),
        )
    )

    def lower_branch(branch: t.Branch | AttachedAbility) -> None:
        if isinstance(branch, AttachedAbility):
            _lower_added_option(c, branch)
            return
        with c.mark_optional():
            lower_block(c, branch.block)

    with hide_changes(c, choice.secretly, choice), c.block() as end:
        answer = QuestionSpec(question, _branch_domain(c, choice), choosing_seat(c, choice), none=end).lower(c)
        cases: tuple[t.Branch | AttachedAbility, ...] = (*choice.branches, *added)
        add_switch(c, answer, cases, lower_branch, lambda case: case if isinstance(case, t.Branch) else case.ability)


def _branch_panel_line(c: Context, branch: t.Branch, text: TextParts) -> PanelLine:
    """Return the parts of a branch title or text; values are evaluated while the question waits."""
    parts = (branch.title, *branch.more) if branch.title else text
    return PanelLine("", tuple(_panel_part(c, part) for part in parts) if len(parts) > 1 else ())


def _panel_part(c: Context, part: str | t.Expr) -> LinkedPanelPart:
    """Return a text as it is, `…` for a value that tells a secret, or a query that computes the value."""
    if isinstance(part, str):
        return LinkedPanelPart(part, -1)
    return (
        LinkedPanelPart("…", -1)
        if mentions_secret_local(c, part)
        else LinkedPanelPart("", build_value(c, part, current_scope(c)).query)
    )


def choosing_seat(c: Context, choice: t.Stmt) -> CoreExpr:
    """Return the seat that makes a choice: the player after `asking`, or else `you`."""
    asking: t.Expr | None = getattr(choice, "asking", None)
    return lower_value(c, asking) if asking is not None else YOU


# --- things and numbers ----------------------------------------------------------------------------


def choice_question(c: Context, choice: t.Choose, decline: str | None) -> int:
    """Add the question of a choice, and return its number."""
    meaning = c.resolved.meaning_of(choice.kind)
    kind = {"group": "resource"}.get(meaning.sort, meaning.name)
    prompt = choice.prompt or choose_prompt(c.resolved, choice.kind, meaning.name)
    domain = "number" if meaning.sort == "number" else "thing"
    possible = possible_answers(c, choice.kind, choice, choice.source, choice.where)
    question = Question(f"choose-{choice.name.word}", prompt, domain, kind, possible, secret=choice.secretly)
    return c.add_question(question, decline)


def choice_domain(c: Context, choice: t.Choose) -> MemberDomain:
    """Return the options of a `choose`: a range, a set, a group or all of a kind, filtered by `where`."""
    filters, scope, source = filters_of_where(c, choice.where), current_scope(c, choice), choice.source
    if choice.low is not None and choice.high is not None:
        low, high = choice.low, choice.high
        return MemberDomain(
            lambda ctx: number_range(ctx, low, high), _range_requirement(choice, low, high, scope), filters
        )
    if source is not None:
        return MemberDomain(lambda ctx: lower_value(ctx, source), source_requirement(c, choice, source, scope), filters)
    meaning = c.resolved.meaning_of(choice.kind)
    if meaning.sort == "group":
        group = member_mask(c.linked.resource_indexes(meaning.name))
        return MemberDomain(lambda ctx: group, group_requirement(choice.kind, group, scope, choice.span), filters)
    return MemberDomain(lambda ctx: all_of_kind(ctx, meaning.name), None, filters)


def _range_requirement(choice: t.Choose, low: t.Expr, high: t.Expr, scope: ReasonScope) -> Requirement:
    """Return the requirement that a chosen number lies between `low` and `high`, both included."""
    number = scope.params[0]

    def test(c: Context) -> Condition:
        """Build the condition that the number bound to the option lies in the range."""
        above = core.Compare(">=", c.bindings[number], lower_value(c, low))
        return core.All((above, core.Compare("<=", c.bindings[number], lower_value(c, high))))

    return ImpliedCondition(
        ("range", low, high),
        scope,
        low.span,
        test,
        lambda c: f"{source_text(c, low, scope)} to {source_text(c, high, scope)}",
        (low, high),
        lambda c: (*build_value_if_computed(c, low, scope), *build_value_if_computed(c, high, scope)),
        lambda c: f"{describe(c.resolved, low)} to {describe(c.resolved, high)}",
    ).to_requirement("range", choice.span)


@register_question(t.Choose, option_requirement(choice_domain))
def _lower_choose(c: Context, choice: t.Choose, offer: StepOffer) -> bool:
    """Ask for a member or number and bind it; jump to `offer.no` without options or if declined. Return True."""
    question = choice_question(c, choice, offer.decline)
    c.bind(
        choice,
        QuestionSpec(
            question, choice_domain(c, choice), choosing_seat(c, choice), offer.no, offer.decline_target
        ).lower(c),
    )
    return True


# --- dice ------------------------------------------------------------------------------------------


def _die_domain(c: Context, choice: t.ChooseDie) -> MemberDomain:
    """Return the domain of a die choice, the fields of all dice in a place."""
    scope = current_scope(c, choice)
    field = scope.params[0]

    def fields(ctx: Context) -> CoreExpr:
        return make_op(o.DFIELDS, lower_value(ctx, choice.source))

    origin = ImpliedCondition(
        "die",
        scope,
        choice.span,
        lambda ctx: core.Compare("in", ctx.bindings[field], fields(ctx)),
        lambda ctx: source_text(ctx, choice.source, scope),
        (choice.source,),
        lambda ctx: build_value_if_computed(ctx, choice.source, scope),
        lambda ctx: describe(ctx.resolved, choice.source),
    )
    return MemberDomain(fields, origin.to_requirement("from"))


@register_question(t.ChooseDie, option_requirement(_die_domain))
def _lower_choose_die(c: Context, choice: t.ChooseDie, offer: StepOffer) -> bool:
    """Ask for a die of a place and bind it as a set of one die. Return True, as the question is asked."""
    die_question = Question("choose-die", choice.prompt or "Which die?", "die", secret=choice.secretly)
    question = c.add_question(die_question, offer.decline)
    die = QuestionSpec(question, _die_domain(c, choice), none=offer.no, declined=offer.decline_target).lower(c)
    c.bind(choice, c.let(single_die(c, die)))
    return True
