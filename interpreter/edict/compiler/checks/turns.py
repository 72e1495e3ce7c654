"""Rules for the wrong player: `you` outside of anybody's turn, and abilities that act for each owner of a thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from edict.compiler.checks.check_registry import CheckContext, Checks
from edict.compiler.checks.ranges import iter_additions
from edict.compiler.semantics.ability_targets import target_name
from edict.compiler.semantics.call_graph import (
    collect_handlers,
    gather_facts,
    get_invoked_moment,
    is_you,
)
from edict.compiler.semantics.effects import collect_reads
from edict.compiler.semantics.symbols import (
    Local,
    Meaning,
    ResolvedBook,
    definition_of,
    drop_texts,
    keep_of,
    list_event_params,
    split_parts,
)
from edict.compiler.semantics.types import TypedBook
from edict.compiler.semantics.whose_turn import gives_turns
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import format_event
from edict.compiler.syntax.printing.expression_printer import NOT, print_expression
from edict.compiler.syntax.roles import AskingStep, OverwritingStep, Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.report import Diagnostic, Edit, Label, readings_of_edits
from edict.support.text import Span

REMEDY = "write `each player` above it for everyone, or `each player in ...` for only some players"
NAME_MEMBER = (
    "give the player of the outer condition a name, as in `each player as other where …`, and write `other`; "
    "`it` is the innermost member"
)

checks = Checks()


@checks.check_nodes(t.Definition)
def find_you_outside_turns(rules: CheckContext, owner: t.Definition) -> Iterator[Diagnostic]:
    """Find `you` outside of anybody's turn, where the machine would always take the same seat."""
    ownerless = [node for node in walk(owner) if node in rules.ownerless_nodes] if rules.ownerless_nodes else ()
    if ownerless:
        yield _diagnose_outside_turn(rules.typed, ownerless, rules.ownerless_nodes[ownerless[0]], owner)


def _diagnose_outside_turn(
    typed: TypedBook, ownerless: Sequence[t.Node], caller: t.Node | None, owner: t.Node
) -> Diagnostic:
    """Return E0530, for nodes about `you` in nobody's turn, with a fix such as `each player` around the steps."""
    node, title = ownerless[0], "it is nobody's turn here, so there is no `you`"
    if isinstance(node, t.Stmt):
        title = "it is nobody's turn here, so this affects nobody"
    if isinstance(node, t.Exception_):
        return Diagnostic(
            "E0530",
            "it is nobody's turn here, so nobody can choose which exception applies",
            node.span,
            labels=(Label(caller.span, "called"),) if caller else (),
            help="write `over` in place of `beside`, or conditions that cannot both be true",
        )
    if isinstance(owner, t.Routine) and caller is not None:
        title = f"it is nobody's turn here, but `{owner.name.word}` is for the player whose turn it is"
        return Diagnostic(
            "E0530",
            title,
            caller.span,
            labels=(Label(node.span, "`you` is used"),),
            help=REMEDY,
        )
    when = owner.ability if isinstance(owner, t.Standalone) and isinstance(owner.ability, t.When) else None
    if when is not None and when.condition is not None and node in walk(when.condition):
        return _diagnose_outside_condition(typed, when, when.condition, node, title)
    if any(node in walk(part) for node_ in walk(owner) for part in iter_role_values(node_, Role.PER_MEMBER)):
        edits = (Edit(node.span, "it"),) if isinstance(node, t.Name) else ()
        return Diagnostic(
            "E0530",
            title,
            node.span,
            help="write `it` for the member being tested",
            edits=edits,
            alternatives=(*_name_loop_members(owner, node), (NAME_MEMBER, ())),
        )
    block = when.block if when is not None else owner.block if isinstance(owner, t.Phase) else ()
    return Diagnostic(
        "E0530",
        title,
        node.span,
        labels=(Label(caller.span, "called"),) if caller else (),
        help=REMEDY,
        edits=_wrap_in_each_player(ownerless, block),
    )


def _name_loop_members(owner: t.Node, node: t.Node) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield remedies that write the name of a loop's member in place of `you`."""
    for loop in walk(owner):
        name = getattr(loop, "name", None)
        if isinstance(loop, t.Loop) and isinstance(name, t.Name) and any(part is node for part in walk(loop)):
            yield f"write `{name.word}`, the player of the loop", (Edit(node.span, name.word),)


def _wrap_in_each_player(ownerless: Sequence[t.Node], block: Sequence[t.Stmt]) -> tuple[Edit, ...]:
    """Return edits that put the steps of a block that are about `you` under `each player`."""
    indexes = [number for number, step in enumerate(block) if set(walk(step)) & set(ownerless)]
    steps = block[indexes[0] : indexes[-1] + 1] if indexes else ()
    if any(carries_role(type(step), Role.BINDS) for step in steps):
        steps = block[indexes[0] :]  # the bound name is used up to the end of the block
    return _indent_under(steps, ["each player"])


def _diagnose_outside_condition(
    typed: TypedBook, when: t.When, condition: t.Expr, node: t.Node, title: str
) -> Diagnostic:
    """Return a diagnostic for a condition of `when` about each player, with edits that move it under `each player`."""
    only_step = when.block[0] if len(when.block) == 1 and gives_turns(typed.resolved, when.block[0]) else None
    question = f"if {print_expression(condition)}"
    steps = only_step.block if isinstance(only_step, t.Loop) else when.block
    above = [question] if only_step is not None else ["each player", question]
    moment, end = when.moment.span, condition.span
    removal = Edit(replace(end, line=moment.end_line, column=moment.end_column), "")
    return Diagnostic(
        "E0530",
        title,
        node.span,
        note="The condition after the moment is tested once, before anybody's turn.",
        help=f"write `{question}` under `each player`, and the steps indented under it",
        edits=(removal, *_indent_under(steps, above)),
    )


def _indent_under(steps: Sequence[t.Stmt], above: Sequence[str]) -> tuple[Edit, ...]:
    """Return edits that put lines above some steps, each indented under the one before."""
    if not steps:
        return ()
    first, *other_lines = sorted({part.span.line for step in steps for part in walk(step)})
    indent = " " * (steps[0].span.column - 1)
    deeper = "  " * len(above)
    inserted = "".join(f"{indent}{'  ' * depth}{line}\n" for depth, line in enumerate(above))
    starts = {first: inserted + deeper, **dict.fromkeys(other_lines, deeper)}
    return tuple(Edit(Span(steps[0].span.file, line, 1, line, 1), text) for line, text in starts.items())


# --- abilities of things that act for each owner --------------------------------------------------


@checks.check_nodes(t.Thing)
def find_abilities_per_owner(rules: CheckContext, thing: t.Thing) -> Iterator[Diagnostic]:
    """Find abilities of things that act for every owner where one player was meant."""
    resolved = rules.resolved
    for when in thing.abilities:
        if isinstance(when, t.When) and when in collect_handlers(resolved).owned and not _is_solitaire(resolved):
            yield from _check_ability(resolved, thing, when)


def _is_solitaire(resolved: ResolvedBook) -> bool:
    """Return True if the game is for one player, who is always meant."""
    return any(
        isinstance(definition, t.Game) and definition.high < 2 for definition in resolved.book.definitions.values()
    )


def _check_ability(resolved: ResolvedBook, thing: t.Thing, when: t.When) -> Iterator[Diagnostic]:
    """Yield faults of a thing's `when`: no test of whose event it is, or a loop repeated for each owner."""
    moment = definition_of(resolved, when.moment)
    if isinstance(moment, t.Moment) and moment not in _collect_run_definitions(resolved):
        return
    params = list_event_params(resolved, moment) if moment is not None else ()
    players = [param for param in params if resolved.meaning[param.kind].sort == "player"]
    if players:
        yield from _find_missing_player_test(resolved, when, players)
    else:
        yield from _find_repeated_loops(resolved, thing, when)


@lru_cache(maxsize=2)
def _collect_run_definitions(resolved: ResolvedBook) -> frozenset[t.Definition | None]:
    """Return the definitions that rules run, except those run for one thing, as in `do planted of oak`."""
    running = [node for owner in resolved.book.roots for node in walk(owner) if any(iter_role_values(node, Role.RUNS))]
    nodes = (node for node in running if get_invoked_moment(resolved, node) is None)
    return frozenset(definition_of(resolved, name) for node in nodes for name in iter_role_values(node, Role.RUNS))


@checks.check_nodes(t.Thing)
def find_abilities_without_owner(rules: CheckContext, thing: t.Thing) -> Iterator[Diagnostic]:
    """Find abilities for everybody in things that belong to single players.

    The kind has no `works if`, but a keep records something for each of its things and each player.
    """
    resolved, kind = rules.resolved, definition_of(rules.resolved, thing.kind)
    if not isinstance(kind, t.Kind) or kind.works_if is not None or not thing.abilities or _is_solitaire(resolved):
        return
    keeps = [keep for keep in resolved.book.select(t.Keep) if _records_things_of_players(keep, kind)]
    for ability in thing.abilities if keeps else ():
        if isinstance(ability, t.When | t.Adjust) and not _mentions_kind(rules.typed, ability, kind):
            yield Diagnostic(
                "E0587",
                f"this applies to every player, whoever has `{thing.name.word}`",
                target_name(ability).span,
                severity="warning",
                labels=(Label(keeps[0].name.span, f"who has it is recorded in `{keeps[0].name.word}`"),),
                note=f"The kind `{kind.name.word}` has no line `works if`, so the abilities of its things always work.",
                help=f"add a condition that names `{thing.name.word}`, or give the kind a line `works if`; "
                "if it should apply to everybody, write it at the left edge",
            )


def _records_things_of_players(keep: t.Keep, kind: t.Kind) -> bool:
    """Return True for a keep with a value for each thing of a kind and each player."""
    return {"player", kind.name.word} <= {param.kind.word for param in keep.params}


def _mentions_kind(typed: TypedBook, ability: t.Ability, kind: t.Kind) -> bool:
    """Return True if an ability reads or names things of a kind."""
    types = (typed.types.get(node) for node in walk(ability) if isinstance(node, t.Expr))
    return any(type_ is not None and type_.kind == kind.name.word for type_ in types)


# --- events of a player -------------------------------------------------------------------------


def _find_missing_player_test(resolved: ResolvedBook, when: t.When, players: Sequence[t.Param]) -> Iterator[Diagnostic]:
    """Find abilities for an event of a player that do not test which player that is."""
    player_locals = {resolved.binds[param] for param in players}
    if any(resolved.meaning.get(node) in player_locals for node in walk(when) if isinstance(node, t.Name)):
        return
    if _is_identity_known(resolved, when):
        return
    tests = [f"{param.name.word} is you" for param in players]
    rest = f" and {print_expression(when.condition, NOT)}" if when.condition is not None else ""
    moment, names = format_event(when.moment.word, when.edge), " or ".join(f"`{param.name.word}`" for param in players)
    explicit_test = f"if {players[0].name.word} is in everyone"
    is_written = players[0].span != players[0].name.span  # parameters of gains and of sets are generated
    edits = _insert_condition(when, tests[0]) if len(tests) == 1 else ()
    yield Diagnostic(
        "E0572",
        f"this happens for every player who owns it, whoever {names} is",
        when.moment.span,
        severity="warning",
        labels=(Label(players[0].span, f"`{players[0].name.word}` is declared"),) if is_written else (),
        help=f"write `when {moment} if {tests[0]}{rest}`; "
        f"if it should happen whoever that is, write `{explicit_test}{rest}`",
        edits=edits,
        readings=readings_of_edits(edits, f"it happens whoever {names} is", f"it happens only if {tests[0]}"),
    )


def _is_identity_known(resolved: ResolvedBook, when: t.When) -> bool:
    """Return True if the ability reads what may have been stored about that player before, as `won of you`."""
    reads = collect_reads(
        resolved, *(condition_ for node in walk(when) for condition_ in iter_role_values(node, Role.DECIDES))
    )
    keeps = (None if isinstance(condition_, Local) else condition_.definition for condition_ in reads)
    return any(isinstance(condition_, t.Keep) and _stores_players(condition_) for condition_ in keeps)


def _stores_players(keep: t.Keep) -> bool:
    """Return True for a keep that holds players, or a truth or number for each player."""
    of_players = any(param.kind.word == "player" for param in keep.params)
    member_kind = keep.type.name.word if keep.type.name is not None else ""
    return member_kind == "player" or (of_players and keep.type.shape in ("truth", "number"))


def _insert_condition(when: t.When, condition_text: str) -> tuple[Edit, ...]:
    """Return edits that insert a condition before the present one; none if its layout is unusual."""
    moment_span, condition = when.moment.span, when.condition
    after = Span(
        moment_span.file, moment_span.end_line, moment_span.end_column, moment_span.end_line, moment_span.end_column
    )
    if condition is None:
        return (Edit(after, f" if {condition_text}"),)
    opening = " if (" if condition.wrapped else " if "
    if (condition.span.line, condition.span.column) != (moment_span.end_line, moment_span.end_column + len(opening)):
        return ()
    # it needs parentheses beside `and`
    needs_parentheses = print_expression(condition, NOT) != print_expression(condition)
    opening_text = f" if {condition_text} and " + ("(" if needs_parentheses or condition.wrapped else "")
    end = replace(condition.span, line=condition.span.end_line, column=condition.span.end_column)
    return (
        Edit(replace(after, end_column=condition.span.column), opening_text),
        *([Edit(end, ")")] if needs_parentheses else []),
    )


# --- events of the table ------------------------------------------------------------------------


def _find_repeated_loops(resolved: ResolvedBook, thing: t.Thing, when: t.When) -> Iterator[Diagnostic]:
    """Yield a warning for an ability that is only an `each player` loop, if several players may own the thing."""
    block = drop_texts(when.block)
    loop = block[0] if len(block) == 1 else None
    if not isinstance(loop, t.Loop) or not gives_turns(resolved, loop) or any(iter_role_values(loop, Role.DECIDES)):
        return
    condition_nodes = () if when.condition is None else walk(when.condition)
    if any(is_you(resolved, node) for node in condition_nodes) or not _accumulates(resolved, loop.block):
        return
    if any(_can_have_several_owners(resolved, keep, thing) for keep in _find_owner_keeps(resolved, thing)):
        edits = _remove_loop_head(loop, block[0].span)
        yield Diagnostic(
            "E0573",
            "this happens to everyone, once for each player who owns it",
            block[0].span,
            severity="warning",
            note=f"If two players own `{thing.name.word}`, it happens to everyone twice.",
            help="delete `each player`: this runs for each owner anyway, who is `you`; to make it happen to "
            "everyone once, write it at the left edge",
            edits=edits,
            readings=readings_of_edits(
                edits, "it happens to everyone, once for each owner", "it happens to each owner"
            ),
        )


def _accumulates(resolved: ResolvedBook, block: t.Block) -> bool:
    """Return True if repetition makes a difference: a fixed amount is gained or lost each time."""
    return bool(gather_facts(resolved, _literal_amounts_in, *block))


def _literal_amounts_in(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[bool]:
    """Return {True} if any amount that moves is a literal number, else an empty set."""
    bundles = (bundle_ for node in nodes for bundle_ in iter_role_values(node, Role.MOVED))
    amounts = (part.amount for bundle in bundles for part in split_parts(resolved, bundle))
    return frozenset(True for amount in amounts if isinstance(amount, t.Number))


def _find_owner_keeps(resolved: ResolvedBook, thing: t.Thing) -> set[t.Keep]:
    """Return the keeps that say who owns things of this kind, as `owned of you`."""
    kind = definition_of(resolved, thing.kind)
    asked = walk(kind.works_if) if isinstance(kind, t.Kind) else ()
    own_places = (
        node for node in asked if isinstance(node, t.Apply) and any(is_you(resolved, arg) for arg in node.args)
    )
    return {keep for node in own_places if (keep := keep_of(resolved, node)) is not None}


def _can_have_several_owners(resolved: ResolvedBook, keep: t.Keep, thing: t.Thing) -> bool:
    """Return True if several players surely may own the thing: from the start, or by taking it without removing it."""
    initial = definition_of(resolved, keep.start)
    if initial is not None and initial in (thing, definition_of(resolved, thing.kind)):
        return True
    return any(_can_be_taken_by_all(resolved, keep, owner) for owner in resolved.book.roots)


def _can_be_taken_by_all(resolved: ResolvedBook, keep: t.Keep, owner: t.Definition) -> bool:
    """Return True if a choice is added to the keep and stays where it was chosen from."""
    nodes = [*walk(owner)]
    chosen = {resolved.binds[node] for node in nodes if isinstance(node, AskingStep) and node in resolved.binds}
    steps = [node for node in nodes if isinstance(node, t.Stmt) and any(iter_role_values(node, Role.CHANGED))]
    for step in steps:
        meaning = next(
            (
                resolved.meaning.get(value)
                for place, value in _iter_written_values(step)
                if isinstance(value, t.Name) and keep_of(resolved, place) is keep
            ),
            None,
        )
        is_specific = (
            meaning in chosen if isinstance(meaning, Local) else meaning is not None and meaning.sort == "thing"
        )
        if is_specific and not any(
            meaning in _collect_written_meanings(resolved, other) for other in steps if other is not step
        ):
            return not _reads_other_owners(resolved, keep, owner)
    return False


def _iter_written_values(step: t.Stmt) -> Iterator[tuple[t.Expr, t.Expr]]:
    """Yield (place, value) for each place that a step adds to or assigns; rolls and shuffles have no value."""
    yield from iter_additions(step)
    if isinstance(step, OverwritingStep) and any(iter_role_values(step, Role.INTO)):  # not rolls and shuffles
        yield from zip(iter_role_values(step, Role.CHANGED), iter_role_values(step, Role.INTO), strict=True)


def _collect_written_meanings(resolved: ResolvedBook, step: t.Stmt) -> set[Meaning | None]:
    """Return the meanings of all names in the places that a step changes and the values it puts there."""
    places = (*iter_role_values(step, Role.CHANGED), *iter_role_values(step, Role.INTO))
    return {resolved.meaning.get(node) for node in walk(places) if isinstance(node, t.Name)}


def _reads_other_owners(resolved: ResolvedBook, keep: t.Keep, owner: t.Definition) -> bool:
    """Return True if rules read what others have in the keep, perhaps so that nobody takes the same."""
    return keep in gather_facts(
        resolved, _read_for_others_in, *(node for node in walk(owner) if isinstance(node, t.Expr))
    )


def _read_for_others_in(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[t.Keep]:
    """Return the keeps that some nodes read for somebody else than `you`."""
    places = (node for node in nodes if isinstance(node, t.Apply))
    others = (place for place in places if not all(is_you(resolved, arg) for arg in place.args))
    return frozenset(keep for place in others if (keep := keep_of(resolved, place)) is not None)


def _remove_loop_head(loop: t.Loop, head: Span) -> tuple[Edit, ...]:
    """Return edits that delete the head of a loop and unindent its block."""
    lines = sorted({node.span.line for step in loop.block for node in walk(step)})
    indentation = loop.block[0].span.column - head.column
    if head.line in lines:
        return ()
    file = head.file
    deletion = Edit(Span(file, head.line, 1, head.line + 1, 1), "")
    return (deletion, *(Edit(Span(file, line, 1, line, 1 + indentation), "") for line in lines))
