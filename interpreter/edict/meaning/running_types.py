"""Of which types it is what routines, moments and effects of things are given."""

from __future__ import annotations

from dataclasses import replace

from edict.language import tree as t
from edict.language.printing.expressions import expression
from edict.meaning.asked_of import does_nothing
from edict.meaning.calls import answered, answers
from edict.meaning.counted_types import Counted
from edict.meaning.symbols import definition_of
from edict.meaning.at_hand import given, other_way_round
from edict.meaning.types import EFFECT, UNKNOWN, param_type, spoken
from edict.report import Edit, Label


class Running(Counted):
    """The same, also of steps that run something."""

    def arguments(self, node: t.Node, name: str, params: tuple[t.Param, ...], args: tuple[t.Expr, ...]) -> None:
        if len(params) != len(args):
            step = "trigger" if isinstance(node, t.Trigger) else "do"
            with_ = " and ".join(given(self.resolved, params, map(expression, args)))
            self.wrong(
                "E0408", f"`{name}` takes {len(params)} and is given {len(args)}", node.span,
                f"write `{step} {name} with {with_}`" if params else f"write `{name}` alone",
                *(Label(p.span, "declared here") for p in params[:1]),
            )  # fmt: skip
        if other_way_round(self.resolved, params, [self.expr(arg) for arg in args]):
            first, last = (expression(arg) for arg in args)
            self.wrong("E0401", f"`{name}` takes {spoken(param_type(self.resolved, params[0]))} first", args[0].span,
                       (f"write `with {last} and {first}`", (Edit(args[0].span, last), Edit(args[1].span, first))))
            return
        for param, arg in zip(params, args, strict=False):
            self.want(arg, param_type(self.resolved, param), f"`{name}`")

    def _trigger(self, trigger: t.Trigger) -> None:
        moment = definition_of(self.resolved, trigger.moment)
        self.arguments(trigger, trigger.moment.word, getattr(moment, "params", ()), trigger.args)

    def _do(self, do: t.Do) -> None:
        what = definition_of(self.resolved, do.name)
        params = what.params if isinstance(what, t.Routine) else ()
        self.arguments(do, do.name.word, params, do.args)

    def _dofield(self, do: t.DoField) -> None:
        if answered(self.resolved, do) is not None:
            self._doedge(do)
            return
        self.arguments(do, do.field.word, (), do.args)
        of = self.expr(do.thing)
        self.coerce(do.thing, replace(of, optional=False))
        written = self._field(do.field, of, do.span, do.thing)
        if written not in (EFFECT, UNKNOWN):
            self.wrong(
                "E0409", f"`{do.field.word}` is no effect", do.field.span, "only effects can be done",
            )  # fmt: skip

    def _doedge(self, do: t.DoEdge | t.DoField) -> None:
        """What a thing does at a moment; if it is named outright, there must be something."""
        of = self.expr(do.thing)
        self.coerce(do.thing, replace(of, optional=False))
        at = answered(self.resolved, do)
        if at is None or of == UNKNOWN:
            return
        self.arguments(do, at[0].name.word, getattr(at[0], "params", ()), do.args)
        thing = definition_of(self.resolved, do.thing)
        doing = [one for one, _ in answers(self.resolved, *at) if one is thing or not isinstance(thing, t.Thing)]
        if of.shape != "thing" or of.kind not in (one.kind.word for one in doing):
            self.found.append(does_nothing(of, thing, do, *at))
