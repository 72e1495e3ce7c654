"""The rules of an action, with the exceptions to them."""

from __future__ import annotations

from dataclasses import dataclass

from edict.backend import core
from edict.backend.composing import ALWAYS
from edict.backend.core import Condition, Const, Var
from edict.language import tree as t
from edict.lowering.asks import Need
from edict.lowering.blocks import block
from edict.lowering.choosing import capital
from edict.lowering.context import NOTHING, YOU, Context
from edict.lowering.exceptions import exception_of, foremost, labels, rivals
from edict.lowering.quantities import holds
from edict.lowering.reason_code import Scope, cause_of, check, guarded
from edict.lowering.values import condition
from edict.meaning.link import AttachedAbility
from edict.meaning.symbols import Local
from edict.program import Question
from edict.program.reasons import Instead


@dataclass(frozen=True)
class Ruled:
    """A rule, and the exceptions to it, of which the first that holds stands in its place."""

    action: t.Action
    rule: t.Rule
    held: tuple[AttachedAbility, ...]

    def level(self, c: Context) -> int:
        """The last choice it or an exception to it speaks of: it can be checked from there on."""
        excepted = (getattr(one.ability, part) for one in self.held for part in ("condition", "require"))
        asked = (self.rule.require, *excepted)
        locals_ = [(c.resolved.binds[choice], i) for i, choice in enumerate(self.action.params, 1)]
        return max((i for it, i in locals_ if any(c.speaks_of(it, expr) for expr in asked)), default=0)

    def test(self, c: Context) -> Condition:
        if all(_required(one) is None for one in self.held):
            required, allowed = condition(c, self.rule.require), tuple(holds(c, one) for one in self.held)
            return core.Excepted(required, allowed) if allowed else required
        if any(rivals(c, self.held).beside):
            return self._any_of(c)
        found = condition(c, self.rule.require)
        for one in reversed(self.held):
            instead = _required(one)
            then = ALWAYS if instead is None else condition(c, instead)
            found = core.Either(holds(c, one), then, found)
        return found

    def _any_of(self, c: Context) -> Condition:
        """The player chooses which counts, so it is enough that one of them lets it pass."""
        passed = tuple(
            core.All((first, ALWAYS if (instead := _required(one)) is None else condition(c, instead)))
            for one, first in zip(self.held, foremost(c, self.held), strict=True)
        )
        none_holds = core.Not(core.Any_(tuple(holds(c, one) for one in self.held)))
        return core.Any_((*passed, core.All((none_holds, condition(c, self.rule.require)))))

    def need(self, c: Context, it: Local) -> Need:
        """As what an option must meet, whose name is given."""
        action, rule = self.action, self.rule
        scope = Scope((f"{action.name.word}.{rule.name.word}", action.title or action.name.word), (it,))
        return Need(
            "rule", scope, rule.span, self.test, lambda c2: check(c2, rule.require, scope), rule.name.word,
            rule.because, lambda c2: tuple(_instead(c2, one, it) for one in self.held),
        )  # fmt: skip

    # --- the price of an exception -------------------------------------------------------------------

    def used(self, c: Context) -> list[tuple[Var, AttachedAbility]]:
        """A flag for each exception that does something: set for the one that is needed.

        None is if the rule itself allows, or an exception that does nothing; of several that hold one is chosen.
        """
        priced = [one for one in self.held if exception_of(one).then]
        flags = [(c.let(NOTHING), one) for one in priced]
        if not priced:
            return []
        with c.block() as done:
            c.go(done, condition(c, self.rule.require))
            for free in (one for one in self.held if one not in priced):
                c.go(done, holds(c, free))
            if len(flags) > 1:
                self._ask_which(c, flags)
            else:
                c.unless(holds(c, priced[0]), done)
                c.set(flags[0][0], Const(1))
        return flags

    def _ask_which(self, c: Context, flags: list[tuple[Var, AttachedAbility]]) -> None:
        """Which of the exceptions that hold is used, as each has its price."""
        because = self.rule.because
        prompt = f"{capital(because)}. What do you use?" if because else "What do you use?"
        question = c.question(Question("exception", prompt, "branch", labels=labels(tuple(one for _, one in flags))))
        answer, options = Var(), tuple((i, (holds(c, one),)) for i, (_, one) in enumerate(flags))
        c.add(core.Ask(question, YOU, options, answer, cause=c.cause))
        cases = []
        for flag, _ in flags:
            with c.apart() as case:
                c.set(flag, Const(1))
            cases.append((-1, tuple(case)))
        c.add(core.Switch(answer, tuple(cases), cause=c.cause))


def rules_of(c: Context, action: t.Action) -> tuple[Ruled, ...]:
    exceptions = c.linked.exceptions
    return tuple(Ruled(action, r, exceptions.get((action.name.word, r.name.word), ())) for r in action.rules)


def carry_out(c: Context, flag: Var, held: AttachedAbility) -> None:
    """What an exception does, if it was used."""
    with c.block() as skip:
        c.unless(core.Test(flag), skip)
        with c.because_of(held):
            block(c, exception_of(held).then)


def _required(held: AttachedAbility) -> t.Expr | None:
    return exception_of(held).require


def _instead(c: Context, held: AttachedAbility, it: Local) -> Instead:
    exception, scope = exception_of(held), Scope((held.name, held.title), (it,))
    require = check(c, exception.require, scope) if exception.require is not None else -1
    return Instead(cause_of(c, scope, exception.span), guarded(c, held, (it,)), require, exception.because)
