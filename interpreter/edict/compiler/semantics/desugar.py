"""The pass `desugar`: expansions of shorthand steps, once names and types are known.

The expansions are written in Edict itself, in `grammar/sugar.edict`. They are kept beside the tree
(`Resolved.expansions`), and analyses of rules look there (`walk_expanded`); the tree has the steps as they were
written. Generated names cannot clash with those of an author, which are resolved by now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache, reduce
from itertools import chain
from typing import Any, TypeVar

from edict.compiler.semantics.checker import CASES
from edict.compiler.semantics.resource_names import iter_given_parts
from edict.compiler.semantics.signatures import TypeChecker
from edict.compiler.semantics.symbols import (
    BUILTIN_KINDS,
    BUILTINS,
    Local,
    ResolvedBook,
    Symbol,
    definition_of,
    iter_leave_steps,
    keep_of,
)
from edict.compiler.semantics.types import TypedBook, copy_expression
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.parse import get_parse_result, save_page
from edict.compiler.syntax.roles import Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import is_block, iter_fields, node_fields, walk
from edict.support import resources
from edict.support.records import dataclass
from edict.support.report import Outcome
from edict.support.text import Source, Span

FILE = "sugar.edict"  # the file of templates, in `grammar`
HOLE = "its-"
_EXPANDABLE = (t.Short, t.ChooseDie, t.Loop)  # classes of nodes that may have an expansion
_BINDING_ROLES = (Role.BINDS, Role.BINDS_BELOW)


def desugar(typed: TypedBook) -> Outcome[TypedBook]:
    """Return the same rules with the expansion of every shorthand step beside them."""
    typed = TypedBook(typed.resolved.copy_tables(), dict(typed.coerced))
    desugaring = Desugaring(typed)
    typed.resolved.expansions.update(typed.resolved.prices)
    for owner in typed.resolved.book.roots:
        if any(isinstance(node, _EXPANDABLE) for node in walk(owner)):
            desugaring.expand_all(owner)
    return Outcome(typed)


class Desugaring:
    """An expander of rules from the outside in, since expansions may contain shorthand steps, too."""

    def __init__(self, typed: TypedBook) -> None:
        self.resolved = typed.resolved
        self.checker = _ExpansionChecker(typed)
        self.typed = typed

    def expand_all(self, node: Any) -> None:
        """Store the expansions of all shorthand steps below a node."""
        pending = [node]
        while pending:
            part = pending.pop()
            if isinstance(part, tuple):
                pending += part
            elif isinstance(part, t.Node):
                block = self._expand(part)
                if block is not None:
                    self.resolved.expansions[part] = block
                    self.checker.check_expansion(block, source_step=part)
                    pending.append(block)
                else:
                    kind: Any = type(part)
                    pending += [getattr(part, name) for name in node_fields(kind)]

    def _expand(self, node: t.Node) -> t.Block | None:
        """Return the expansion of a shorthand step, offer, or loop with `leave`; None if the node is plain."""
        if isinstance(node, t.Loop) and any(iter_leave_steps(node)):
            return _expand_early_exit(self, node)
        desugaring = DESUGARINGS.get(type(node))
        if desugaring is not None:
            return desugaring(self, node)
        return _expand_offer(self, node)

    def fill_template(self, step: t.Stmt, template: str, **more: Any) -> t.Block:
        """Return a template filled with the fields of a step, and with `more` holes."""
        return TemplateFiller(self.typed, step, more)(template)

    def is_secret(self, place: t.Expr) -> bool:
        """Return True if a place is a secret state variable."""
        keep = keep_of(self.resolved, place)
        return keep is not None and keep.secret

    def make_builtin_name(self, word: str, span: Span) -> t.Name:
        """Return a new name node that means a built-in of the language, such as `you` or `everyone`."""
        name = t.Name(span, word)
        self.resolved.meaning[name] = Symbol("builtin", word)
        return name

    def make_set_name(self, kind: t.Name) -> t.Name:
        """Return a new name node for all things of a kind, or all players."""
        name = t.Name(kind.span, kind.word)
        self.resolved.meaning[name] = self.resolved.meaning_of(kind)
        return name


class _ExpansionChecker(TypeChecker):
    """A type checker of generated nodes; the types of what the author wrote are known."""

    def __init__(self, typed: TypedBook) -> None:
        super().__init__(typed.resolved, CASES)
        self.coerced = typed.coerced
        self.known: set[t.Node] = set()

    def check_expansion(self, block: t.Block, source_step: t.Node) -> None:
        """Type-check the generated steps of an expansion, without the author's own; assert that no fault is found."""
        for _, value in iter_fields(source_step):
            nodes = value if isinstance(value, tuple) else (value,)
            self.known.update(stmt for stmt in nodes if isinstance(stmt, t.Stmt))
        for step in block:
            self.visit(step)
        assert not self.diagnostics, self.diagnostics

    def visit(self, node: t.Node) -> None:
        """Check a node unless the author wrote it, as its types are known."""
        if node not in self.known:
            super().visit(node)


class TemplateFiller:
    """A filler of templates for one step.

    Names in templates are shared between the templates of one step, and no author's name can refer to them.
    """

    def __init__(self, typed: TypedBook, step: t.Stmt, holes: Mapping[str, Any]) -> None:
        self.typed = typed
        self.resolved = typed.resolved
        self.step = step
        self.span = step.span
        self.holes = dict(iter_fields(step), **holes)
        self.locals: dict[str, Local] = {}
        self.used: set[Any] = set()

    def __call__(self, template: str, at: Span | None = None, **more: Any) -> t.Block:
        """Return a template's steps with its holes filled, at the place `at` or that of the step."""
        before, self.holes = self.holes, {**self.holes, **more}
        if at is not None:
            self.span = at
        block = self.fill_block(_templates()[template])
        self.span = self.step.span
        self.holes = before
        return block

    def make_name(self, word: str, author_name: t.Name | None = None) -> t.Name:
        """Return a new name node for the template's local `word`, spelled as `author_name` if the author gave one."""
        name = t.Name(
            author_name.span if author_name is not None else self.step.span,
            author_name.word if author_name is not None else word,
        )
        local = self.locals.setdefault(word, Local(name.word, name.span))
        self.resolved.meaning[name] = local
        return name

    def fill_block(self, steps: t.Block) -> t.Block:
        """Return steps of a template with their holes filled."""
        return tuple(filled_step for step in steps for filled_step in self._fill_step(step))

    def _fill_step(self, step: t.Stmt) -> tuple[t.Stmt, ...]:
        """Return the steps for one step of a template: those of the hole that it names, or a filled copy."""
        hole = self._get_hole(step.name) if isinstance(step, t.Do) else None
        if hole is None:
            return (self._fill_node(step),)
        return hole if isinstance(hole, tuple) else (hole,)

    def _get_hole(self, name: t.Name) -> Any:
        """Return what fills the hole that a name of a template stands for; None if the name is no hole."""
        if name.word.startswith(HOLE):
            return self.holes[name.word.removeprefix(HOLE).replace("-", "_")]
        return None

    def _fill_value(self, value: Any) -> Any:
        """Return a field's value with its holes filled: a step, a block, a tuple, a node or a plain value."""
        if isinstance(value, t.Stmt):
            (step,) = self._fill_step(value)
            return step
        if isinstance(value, tuple) and value and isinstance(value[0], t.Stmt):
            return self.fill_block(value)
        if isinstance(value, tuple):
            return tuple(self._fill_value(part) for part in value)
        return self._fill_node(value) if isinstance(value, t.Node) else value

    def _fill_node(self, node: Any) -> Any:
        """Return a copy of a template's node at the step's place, with holes filled and its names bound."""
        if isinstance(node, t.Name):
            return self._fill_name(node)
        filled_fields = {
            field.name: self._fill_field(node, field.name) for field in fields(node) if field.name != "span"
        }
        if isinstance(node, t.OfMembers) and filled_fields.get("condition", node) is None:
            return filled_fields["members"]
        filled = replace(node, span=self.span, **filled_fields)
        self._bind(filled)
        return filled

    def _fill_field(self, node: t.Node, name: str) -> Any:
        """Return a filled field of a template's node; `secretly` and texts come from the author's step."""
        value = getattr(node, name)
        if value is True and name in self.holes:
            return self.holes[name]
        if isinstance(value, str) and value.startswith(HOLE):
            return self.holes[value.removeprefix(HOLE)]
        return self._fill_value(value)

    def _fill_name(self, name: t.Name) -> Any:
        """Return the author's node for a hole; else a new name for a word of the language or a generated local."""
        if name.word.startswith(HOLE):
            return self._insert(self._get_hole(name))
        filled = t.Name(self.span, name.word)
        if name.word in BUILTINS or name.word in BUILTIN_KINDS:
            sort = name.word if name.word in BUILTIN_KINDS else "builtin"
            self.resolved.meaning[filled] = Symbol(sort, name.word)
        else:
            self.resolved.meaning[filled] = self._get_local(name.word)
        return filled

    def _get_local(self, word: str) -> Local:
        """Return the generated local for a word of the templates, the same one throughout a step's expansion."""
        return self.locals.setdefault(word, Local(word, self.step.span))

    def _insert(self, hole: Any) -> Any:
        """Return the author's node for a hole of the template; an expression that was inserted before is copied."""
        if not isinstance(hole, t.Expr) or hole not in self.used:
            self.used.add(hole)
            return hole
        return copy_expression(self.typed, hole)

    def _bind(self, node: t.Node) -> None:
        """Record in `binds` the local that a filled node binds: its own name, else the shorthand step's, else `it`."""
        kind: type = type(node)
        binds = self.resolved.binds
        names = [name for role in _BINDING_ROLES for name in iter_role_values(node, role)]
        for name in names:
            meaning = self.resolved.meaning[name]
            assert isinstance(meaning, Local)
            binds[node] = meaning
        if not names and issubclass(kind, t.Loop) and carries_role(kind, Role.BINDS_BELOW) and self.step in binds:
            binds[node] = binds[self.step]
        for asked in iter_role_values(node, Role.PER_MEMBER):
            if isinstance(asked, t.Expr) and asked in self.resolved.member_locals:
                binds.setdefault(node, self.resolved.member_locals[asked])
            elif not names:
                binds.setdefault(node, self._get_local("it"))


def replace_fields(resolved: ResolvedBook, node: Any, **changes: Any) -> Any:
    """Return a node with some fields replaced, which binds the same local name."""
    new = replace(node, **changes)
    resolved.copied_from[new] = node
    if node in resolved.binds:
        resolved.binds[new] = resolved.binds[node]
    return new


@cache
def _templates() -> Mapping[str, t.Block]:
    """Return the blocks of the expansion templates by template name, parsed from the grammar folder."""
    source = Source(FILE, (resources.grammar_folder() / FILE).read_text(encoding="utf-8"))
    page = get_parse_result(source).page
    save_page(source)
    assert page is not None
    return {routine.name.word: routine.block for routine in page.definitions if isinstance(routine, t.Routine)}


DESUGARINGS: dict[type, Callable[[Desugaring, Any], t.Block | None]] = {}
ExpansionT = TypeVar("ExpansionT", bound=Callable[[Desugaring, Any], t.Block | None])


def desugars(*step_types: type) -> Callable[[ExpansionT], ExpansionT]:
    """Return a decorator that registers a function as the expansion of some classes of steps."""

    def register(expand: ExpansionT) -> ExpansionT:
        DESUGARINGS.update(dict.fromkeys(step_types, expand))
        return expand

    return register


def _link_transfer(block: Any) -> t.Block:
    """Return the block with its last two steps, removal and addition, referring to each other's places."""
    *before, removal, addition = block
    return (*before, replace(removal, to=addition.place), replace(addition, gone=removal.place))


# --- from one place into another -------------------------------------------------------------------


@desugars(t.DrawInto)
def _expand_draw_into(d: Desugaring, s: t.DrawInto) -> t.Block:
    """Expand drawing into a place; into a secret place nobody sees what is drawn."""
    count = s.count if s.count is not None else t.Number(s.span, 1)
    again: Any
    (again,) = d.fill_template(s, "draw-into", count=count, secretly=s.secretly or d.is_secret(s.place))
    return (replace(again, block=_link_transfer(again.block)),)


@desugars(t.Move)
def _expand_move(d: Desugaring, s: t.Move) -> t.Block:
    """Expand `move X from A to B` into a removal and an addition that are linked."""
    return _link_transfer(d.fill_template(s, "move-over"))


# --- choices of several ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ChoiceTemplates:
    """Templates for something chosen several times."""

    beginning: str  # before the first choice
    choice: str  # each time
    taking: str  # after each choice, on what was chosen
    first: str  # the first choice, as the head of an offer
    settling: str = "settling"  # binds the result


_OF_SET = _ChoiceTemplates("nothing-yet", "choice", "taking", "first-choice")
_OF_NUMBERS = _ChoiceTemplates("no-numbers-yet", "choice", "taking", "first-choice")
_OF_BAG = _ChoiceTemplates("two-bags", "choice-of-bag", "taking-over", "first-of-bag", "settling-of-bag")
_OF_DICE = _ChoiceTemplates("no-dice-yet", "choice-of-dice", "taking-over", "first-of-dice")


class _RepeatedChoice:
    """The expansion of a step that chooses or draws several under one name."""

    def __init__(self, d: Desugaring, s: Any) -> None:
        self.step = s
        all_members = d.make_set_name(s.kind) if hasattr(s, "kind") else None
        source = s.source if s.source is not None else all_members
        shape = d.typed.type_of(s.source).shape if s.source is not None else "set"
        wanted = getattr(s, "where", None) or d.make_builtin_name("yes", s.span)
        self.templates = {"bag": _OF_BAG, "dice": _OF_DICE}.get(shape, _OF_SET)
        if all_members is not None and d.resolved.meaning_of(all_members).sort == "number":
            self.templates = _OF_NUMBERS
        self.fill = TemplateFiller(d.typed, s, {"every": all_members, "source": source, "wanted": wanted})
        self.fill.holes["one"] = self.fill.make_name("one", s.name)

    @property
    def is_of_set(self) -> bool:
        return self.templates in (_OF_SET, _OF_NUMBERS)

    def fill_settling(self) -> t.Block:
        """Return the filled `let` that names what was chosen, marked as needing at least one member."""
        (let,) = self.fill(self.templates.settling)
        return (replace_fields(self.fill.resolved, let, some=True),)

    def fill_beginning(self) -> t.Block:
        return self.fill(self.templates.beginning)

    def fill_turns(self, count: t.Expr, **more: Any) -> t.Block:
        """Return steps that choose one at a time, `count` times; with `up to` the player may stop earlier."""
        if not isinstance(self.step, t.ChooseUpTo | t.ChooseUpToDice):
            return self.fill("turns", count=count, **self._fill_single_choice(**more))
        if not self.step.secretly:
            return self.fill("turns-up-to", count=count, turn=self._fill_turn(**more))
        return self.fill(
            "turns-up-to-secretly", count=count, first_turn=self._fill_turn(**more), turn=self._fill_turn(**more)
        )

    def _fill_turn(self, **more: Any) -> t.Block:
        """Return the steps of one turn: one choice, and its removal from what is left to choose from."""
        return self.fill("turn", **self._fill_single_choice(**more))

    def _fill_single_choice(self, **more: Any) -> dict[str, Any]:
        """Return the steps for the holes `choice` (one question) and `taking` (its removal from the rest)."""
        return {"choice": self.fill(self.templates.choice, **more), "taking": self.fill(self.templates.taking, **more)}


@desugars(t.ChooseSome, t.ChooseUpTo, t.ChooseDice, t.ChooseUpToDice)
def _expand_choose_some(d: Desugaring, s: t.ChooseSome | t.ChooseUpTo | t.ChooseDice | t.ChooseUpToDice) -> t.Block:
    """Expand a choice of several things or dice into repeated single choices that collect in one name."""
    choice = _RepeatedChoice(d, s)
    settling, beginning = choice.fill_settling(), choice.fill_beginning()
    return choice.fill("choose-some", settling=settling, beginning=beginning, turns=choice.fill_turns(s.count))


@desugars(t.DrawSome)
def _expand_draw_some(d: Desugaring, s: t.DrawSome) -> t.Block:
    """Expand `draw 3 card from deck as hand` into repeated draws out of a set or bag, collected under one name."""
    choice = _RepeatedChoice(d, s)
    return choice.fill("draw-some" if choice.is_of_set else "draw-some-of-bag", beginning=choice.fill_beginning())


def _split_offered_choice(d: Desugaring, s: t.ChooseSome | t.ChooseDice, many: int) -> tuple[t.Stmt, t.Block]:
    """Return the choice of the first of several, and the steps that choose the others."""
    choice, remaining = _RepeatedChoice(d, s), t.Number(s.span, many - 1)
    if choice.is_of_set:
        result, (first,) = _value_of(choice.fill("settling")), choice.fill(choice.templates.first)
        if many == 1:
            return first, choice.fill("no-others", beginning=choice.fill_beginning())
        others = "others-up-to" if isinstance(s, t.ChooseUpTo) else "others"
        return first, choice.fill(others, less=remaining, whole=result)
    (first,) = choice.fill(choice.templates.first)
    settling = choice.fill("settling") if choice.templates is _OF_DICE else ()
    beginning, another = choice.fill_beginning(), choice.fill.make_name("another", s.name)
    return first, choice.fill(
        "others-of-bag", settling=settling, beginning=beginning, turns=choice.fill_turns(remaining, one=another)
    )


def _value_of(block: t.Block) -> t.Expr:
    """Return the value of the `let` that a block of one step consists of."""
    (let,) = block
    value: t.Expr = getattr(let, "value")  # noqa: B009
    return value


# --- dice ------------------------------------------------------------------------------------------


@desugars(t.ChooseDie)
def _expand_choose_die(d: Desugaring, s: t.ChooseDie) -> t.Block | None:
    """Expand `choose a die from ...` with a `where` into a choice of the dice that qualify; None without one."""
    return d.fill_template(s, "choose-die") if s.where is not None else None


@desugars(t.RollSeveral)
def _expand_roll_several(d: Desugaring, s: t.RollSeveral) -> t.Block:
    """Expand a roll of dice of several kinds; into a secret place each kind is rolled unseen."""
    fill, rolls = TemplateFiller(d.typed, s, {}), list[t.Stmt]()
    hidden, names = s.place is not None and d.is_secret(s.place), list[t.Expr]()
    for number, roll in enumerate(s.rolls):
        name = fill.make_name(f"rolled-{number}")
        rolls += fill("roll-unseen" if hidden else "roll-a-kind", many=roll.count, die=roll.die, one=name)
        names.append(copy_expression(d.typed, name))
    if hidden:
        return tuple(rolls)
    sum_of_rolls = reduce(lambda left, right: t.Binary(s.span, "+", left, right, wrapped=True), names)
    return (*rolls, *fill("roll-as" if s.place is None else "roll-into", all=sum_of_rolls))


@desugars(t.SetFace)
def _expand_set_face(d: Desugaring, s: t.SetFace) -> t.Block:
    """Expand setting a die to a face into a case for each kind of die that the rules declare."""
    fill, kinds = TemplateFiller(d.typed, s, {}), list[t.Stmt]()
    for die in d.resolved.book.select(t.Die):
        name = t.Name(s.span, die.name.word)
        d.resolved.meaning[name] = Symbol("die", die.name.word, die)
        kinds += fill("set-face-of-a-kind", die=name, sides=t.Number(s.span, die.sides))
    return fill("set-face", kinds=tuple(kinds))


# --- payments --------------------------------------------------------------------------------------


@desugars(t.Give)
def _expand_give(d: Desugaring, s: t.Give) -> t.Block:
    """Expand a gift; its amounts are computed for the giver."""
    fill, lets, parts = TemplateFiller(d.typed, s, {}), list[t.Stmt](), list[t.Part]()
    for number, part in enumerate(iter_given_parts(d.typed, s.bundle)):
        name = fill.make_name(f"amount-{number}")
        lets += fill("amount", one=name, amount=part.amount)
        parts.append(t.Part(part.span, copy_expression(d.typed, name), part.what))
        d.resolved.originals[parts[-1]] = part
    paid = t.Bundle(s.bundle.span, tuple(parts))
    gained = t.Bundle(s.bundle.span, tuple(_copy_part(d, part) for part in parts))
    d.resolved.originals.update({paid: s.bundle, gained: s.bundle})
    whom = fill.make_name("whom")
    d.resolved.originals[whom] = s.whom
    turn = fill("given", receiver=whom, gained=t.Gain(s.span, (gained,)))
    return (*fill("receiver"), *lets, t.Spend(s.span, (paid,), None, turn))


@desugars(t.TakeChosen)
def _expand_take_chosen(d: Desugaring, s: t.TakeChosen) -> t.Block:
    """Expand `take 2 goods from ...` into choices among what the other player has, or into a loss and a gain."""
    (part,) = s.bundle.parts
    assert isinstance(part, t.Part)
    group = definition_of(d.resolved, part.what)
    if isinstance(group, t.Group):
        every, prompt = d.make_set_name(part.what), f"Which {singular_title(group)} do you take?"
        return d.fill_template(s, "take-of-group", count=part.amount, group=part.what, every=every, prompt=prompt)
    loser, robbed, *steps = d.fill_template(s, "take-of-resource", count=part.amount, what=part.what)
    return (loser, replace_fields(d.resolved, robbed, some=True), *steps)


def _copy_part(d: Desugaring, part: t.Part) -> t.Part:
    """Return a copy of an amount such as `2 gold`, so that its nodes can stand in the expansion twice."""
    return replace(part, amount=copy_expression(d.typed, part.amount), what=copy_expression(d.typed, part.what))


# --- offers ------------------------------------------------------------------------------------------


def _expand_offer(d: Desugaring, offer: Any) -> t.Block | None:
    """Move a shorthand step at the head of an offer below it, so that its expansion may be several steps."""
    head: t.Stmt | None = getattr(offer, "head", None)
    if isinstance(head, t.ChooseSome | t.ChooseDice) and isinstance(head.count, t.Number) and head.count.value > 0:
        first, others = _split_offered_choice(d, head, head.count.value)
        return (replace(offer, head=first, then=(*others, *offer.then)),)
    if isinstance(head, t.ChooseDie) and head.where is not None:
        (first,) = d.fill_template(head, "choose-die")
        return (replace(offer, head=first),)
    if isinstance(head, t.Short):
        return (replace(offer, head=None, then=(head, *offer.then)),)
    return None


# --- loops -------------------------------------------------------------------------------------------


@desugars(t.DoTimes)
def _expand_do_times(d: Desugaring, s: t.DoTimes) -> t.Block:
    return d.fill_template(s, "do-times")


@desugars(t.For)
def _expand_for(d: Desugaring, s: t.For) -> t.Block:
    return d.fill_template(s, "for-each")


@desugars(t.EachWhere)
def _expand_each_where(d: Desugaring, s: t.EachWhere) -> t.Block:
    """Expand `each KIND where CONDITION` into a loop over the members that meet the condition."""
    return d.fill_template(s, "each-where", every=d.make_set_name(s.kind))


@desugars(t.EachWith)
def _expand_each_with(d: Desugaring, s: t.EachWith) -> t.Block:
    """Expand `each KIND with most KEY` into a loop over the members that lead by their keys."""
    best = t.Best(s.span, d.make_set_name(s.kind), None, s.keys)
    d.resolved.binds[best] = d.resolved.member_locals[s.keys[0][1]]
    return d.fill_template(s, "each-with", best=best)


@desugars(t.EachRound)
def _expand_each_round(d: Desugaring, s: t.EachRound) -> t.Block:
    """Expand `each player from ...` into a loop round the table, with or without a `where`."""
    return d.fill_template(s, "each-round" if s.where is None else "each-round-where")


@desugars(t.EachNumber)
def _expand_each_number(d: Desugaring, s: t.EachNumber) -> t.Block:
    """Expand `each number from A to B` into a loop that counts; the local is called `number` if unnamed."""
    return d.fill_template(s, "each-number", name=s.name or s.kind)


@desugars(t.EachAtOnce)
def _expand_each_at_once(d: Desugaring, s: t.EachAtOnce) -> t.Block:
    """Expand simultaneous answers: one player after the other, with every question in secret."""
    d.expand_all(s.block)
    (each,) = d.fill_template(s, "each-at-once", block=_make_questions_secret(d.resolved, s.block))
    return (replace_fields(d.resolved, each, unseen=True),)


def _make_questions_secret(resolved: ResolvedBook, value: Any) -> Any:
    """Return a copy of steps in which every question is `secretly`; parts without questions stay the same nodes."""
    if isinstance(value, tuple):
        expanded = ((step, _make_questions_secret(resolved, step)) for step in value)
        return tuple(chain.from_iterable(new if step in resolved.expansions else (new,) for step, new in expanded))
    if not isinstance(value, t.Node) or isinstance(value, t.Expr):
        return value
    if value in resolved.expansions:
        return _make_questions_secret(resolved, resolved.expansions[value])
    changes = {
        name: new
        for name, old in iter_fields(value)
        if not _is_identical(new := _make_questions_secret(resolved, old), old)
    }
    if hasattr(value, "secretly"):
        changes["secretly"] = True
    return replace_fields(resolved, value, **changes) if changes else value


def _is_identical(left: Any, right: Any) -> bool:
    """Return True if two values are the same node, or tuples of the same nodes."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(_is_identical(x, y) for x, y in zip(left, right, strict=True))
    return left is right


# --- loops that are left early -----------------------------------------------------------------------


def _expand_early_exit(d: Desugaring, loop: Any) -> t.Block:
    """Expand a loop with `leave` into one with a flag, which `leave` sets and which skips all later steps."""
    fill = TemplateFiller(d.typed, loop, {})
    prologue, block = fill("not-left"), _guard_after_leave(fill, loop.block)
    if getattr(loop, "until", None) is not None:
        return (*prologue, *fill("until-left", block=block))
    return (*prologue, replace_fields(d.resolved, loop, block=_skip_if_left(fill, block)))


def _guard_after_leave(fill: TemplateFiller, block: t.Block) -> t.Block:
    """Return a block in which `leave` sets the flag, and the steps behind it run only if it is not set."""
    for i, step in enumerate(block):
        if any(iter_leave_steps(step)):
            rest = _guard_after_leave(fill, block[i + 1 :])
            return (*block[:i], *_set_flag_on_leave(fill, step), *(_skip_if_left(fill, rest) if rest else ()))
    return block


def _set_flag_on_leave(fill: TemplateFiller, node: Any) -> tuple[Any, ...]:
    """Return a step in which each `leave loop` also sets the loop's flag, and the steps behind it test the flag."""
    if isinstance(node, t.Leave):
        return fill("leave", at=node.span)
    changes: dict[str, Any] = {}
    for name, value in iter_fields(node):
        if is_block(value):
            changes[name] = _guard_after_leave(fill, value)
        elif isinstance(value, tuple) and any(isinstance(part, t.Branch) for part in value):
            changes[name] = tuple(part for branch in value for part in _set_flag_on_leave(fill, branch))
    return (replace_fields(fill.resolved, node, **changes),)


def _skip_if_left(fill: TemplateFiller, rest: t.Block) -> t.Block:
    """Return steps wrapped in a condition that skips them once the flag of `leave` is set."""
    (guarded,) = fill("unless-left", rest=rest)
    return (replace(guarded, span=rest[0].span),)
