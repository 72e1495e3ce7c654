"""Moments: what happens besides, for whom, in which order, how often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edict.front import tree as t
from edict.front.link import Held
from edict.front.lower import asking, choices, demands
from edict.front.lower.blocks import block
from edict.front.lower.completing import jump_impossible, offered
from edict.front.lower.context import Context, Procedure
from edict.front.lower.emit import Label, Operand, Slot
from edict.front.lower.expressions import guard, jump
from edict.front.lower.periods import jump_used_up, use_up
from edict.front.meaning.calls import calls
from edict.front.meaning.orders import may_decide
from edict.front.meaning.steps import steps
from edict.front.words import block_words, sentence
from edict.program import opcodes as o

@contextmanager
def each_player(c: Context, among: Operand, order: Operand, rebind: bool = True) -> Iterator[Slot]:
    """A loop over players in an order; inside, the player is `you` if `rebind`."""
    before = c.copy(o.YOU)
    rest, line, k, member = c.copy(among), c.copy(order), c.copy(c.const(0)), c.cell()
    again, end = c.label(), c.label()
    c.put(again)
    c.emit(o.NTH, member, k, line, rest, end)
    if rebind:
        c.emit(o.MOV, o.YOU, member)
    yield member
    c.emit(o.JMP, again)
    c.put(end)
    if rebind:
        c.emit(o.MOV, o.YOU, before)


# --- raising a moment -----------------------------------------------------------------------------------


def raise_moment(c: Context, name: str, edge: str, args: list[Operand]) -> None:
    """Everything that happens then: first what belongs to nobody, then each player's own in their order."""
    held = c.linked.whens.get((name, edge), ())
    if not held:
        return
    definition = c.resolved.get(name)
    procedure = c.procedure(
        ("moment", name, edge), len(args), lambda c2, p: _write_moment(c2, p, definition, held),
        (name, definition.title or name, definition.span),
    )  # fmt: skip
    c.call(procedure, args)


def _belongs_to_nobody(c: Context, held: Held) -> bool:
    """Whether it happens once and not for each player: its thing works, or not, without regard to `you`."""
    return held.ability not in calls(c.resolved).owned


def _write_moment(c: Context, p: Procedure, definition: t.Definition, held: tuple[Held, ...]) -> None:
    if isinstance(definition, t.Moment):
        for param, slot in zip(definition.params, p.params, strict=True):
            c.bind(param, slot)
    for one in held:
        if _belongs_to_nobody(c, one):
            _once(c, one)
    owned = [one for one in held if not _belongs_to_nobody(c, one)]
    if owned:
        order = c.layout.keeps[c.symbol(c.linked.game.order).name].base
        with each_player(c, o.EVERYONE, order):
            _Menu(c, owned, definition).write()


def _once(c: Context, held: Held) -> None:
    skip = c.label()
    with c.because(held.name, held.known_as, held.ability.span):
        guard(c, held, skip)
        jump_used_up(c, held.ability, skip)
        _carry_out(c, held, accepted=False)
        c.put(skip)


def _carry_out(c: Context, held: Held, accepted: bool) -> None:
    """The ability's block; `accepted` when its `may` has already been answered.

    What works once in a while is used up by doing it, not by declining it.
    """
    when = held.ability
    assert isinstance(when, t.When)

    def body(c2: Context, _: Procedure) -> None:
        if accepted or not _optional(held):
            use_up(c2, when)
        else:
            c2.agreed = lambda: use_up(c2, when)
        c2.accepted = accepted
        block(c2, when.block)
        c2.accepted, c2.agreed = False, None

    c.call(c.procedure((when, accepted), 0, body, (held.name, held.known_as, when.span)))


class _Menu:
    """A player's abilities at one moment, each at most once, in the order the player wants.

    After each, it is seen anew which apply. What must happen, or could never hurt, happens by itself
    unless another ability's condition depends on it.
    """

    def __init__(self, c: Context, held: list[Held], definition: t.Definition) -> None:
        self.c = c
        self.held = held
        self.definition = definition
        self.optional = [_optional(h) for h in held]
        self.pure = [_optional(h) and choices.is_pure_gain(c, _block_of(h)[0]) for h in held]

    def write(self) -> None:
        c = self.c
        used, free = c.copy(c.const(0)), c.cell()
        again, end = c.label(), c.label()
        c.put(again)
        self._find(used, free)
        c.emit(o.JZ, free, end)
        for i in range(len(self.held)):
            if not self.optional[i] or self.pure[i]:
                self._by_itself(i, used, free, again)
        self._single(used, free, again)
        self._choose(used, free, again, end)
        c.put(end)

    def _find(self, used: Slot, free: Slot) -> None:
        """Which abilities apply now."""
        c = self.c
        c.emit(o.MOV, free, c.const(0))
        for i, held in enumerate(self.held):
            skip = c.label()
            c.emit(o.JIN, c.const(i), used, skip)
            guard(c, held, skip)
            jump_used_up(c, held.ability, skip)
            self._jump_impossible(held, skip)
            c.emit(o.OR, free, free, c.const(1 << i))
            c.put(skip)

    def _jump_impossible(self, held: Held, skip: Label) -> None:
        """An offer that cannot be completed is none."""
        jump_impossible(self.c, offered(held.ability), skip)

    def _use(self, i: int, used: Slot, accepted: bool) -> None:
        self.c.emit(o.OR, used, used, self.c.const(1 << i))
        _carry_out(self.c, self.held[i], accepted)

    def _by_itself(self, i: int, used: Slot, free: Slot, again: Label) -> None:
        c, skip = self.c, self.c.label()
        c.emit(o.JOUT, c.const(i), free, skip)
        hindered = sum(1 << j for j in range(len(self.held)) if j != i and self._touches(i, j))
        if hindered:
            cell = c.cell()
            c.emit(o.AND, cell, free, c.const(hindered))
            c.emit(o.JNZ, cell, skip)
        if self.pure[i] and c.linked.game.ask_gains is not None:
            jump(c, c.linked.game.ask_gains, skip, True)
        self._use(i, used, accepted=self.pure[i])
        c.emit(o.JMP, again)
        c.put(skip)

    def _single(self, used: Slot, free: Slot, again: Label) -> None:
        """One ability alone needs no menu; it asks for itself."""
        c, several = self.c, self.c.label()
        cell = c.cell()
        c.emit(o.SUB, cell, free, c.const(1))
        c.emit(o.AND, cell, cell, free)
        c.emit(o.JNZ, cell, several)
        for i in range(len(self.held)):
            skip = c.label()
            c.emit(o.JOUT, c.const(i), free, skip)
            self._use(i, used, accepted=False)
            c.emit(o.JMP, again)
            c.put(skip)
        c.put(several)

    def _choose(self, used: Slot, free: Slot, again: Label, end: Label) -> None:
        c = self.c
        forced = sum(1 << i for i in range(len(self.held)) if not self.optional[i])
        must, cell = c.label(), c.cell()
        c.emit(o.OFFERS, free)
        c.emit(o.AND, cell, free, c.const(forced))
        c.emit(o.JNZ, cell, must)
        c.emit(o.OFFER, c.const(o.DECLINE))
        c.put(must)
        labels = tuple(_label(c, h) for h in self.held)
        prompt = f"{self.definition.title or self.definition.name.word}: which effect do you use?"
        question = c.question("ability", prompt, "ability", labels=labels, decline="No more")
        for i, held in enumerate(self.held):
            demands.effect(c, question, i, held, used)
        answer = asking.ask(c, question)
        c.emit(o.JLT, answer, c.const(0), end)
        cases = [lambda i=i: self._use(i, used, self.optional[i]) for i in range(len(self.held))]
        asking.dispatch(c, answer, cases)
        c.emit(o.JMP, again)

    def _touches(self, i: int, j: int) -> bool:
        """Whether using one may decide whether the other applies."""
        return may_decide(self.c.resolved, self.held[i].ability, self.held[j].ability)


def _block_of(held: Held) -> t.Block:
    assert isinstance(held.ability, t.When)
    return steps(held.ability.block)


def _optional(held: Held) -> bool:
    return len(_block_of(held)) == 1 and isinstance(_block_of(held)[0], t.May)


def _label(c: Context, held: Held) -> str:
    when = held.ability
    assert isinstance(when, t.When)
    title = when.title or held.title
    words = block_words(c.resolved, when.block).removeprefix("you may ")
    return f"{title}: {sentence(words)}" if title else sentence(words)
