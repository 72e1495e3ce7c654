"""Pass 3, resolve: every name bound to what it means; a name without meaning gets a diagnostic."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from edict.front import tree as t
from edict.front.names import HEADS, VALUES, Names
from edict.front.symbols import Local, Meaning, Resolved, Symbol, parts
from edict.report import Diagnostic, Label, Outcome, listed

# Where a name must mean a certain sort of thing.
REFERENCES: dict[tuple[type, str], tuple[str, ...]] = {
    (t.Play, "phase"): ("phase",),
    (t.During, "phase"): ("phase",),
    (t.Do, "name"): ("routine", "action"),
    (t.Trigger, "moment"): ("moment",),
    (t.Adjust, "quantity"): ("quantity",),
    (t.When, "moment"): ("moment", "phase"),
    (t.When, "once_per"): ("phase",),
    (t.Shift, "action"): ("action",),
    (t.Shift, "once_per"): ("phase",),
    (t.Exception_, "target"): ("action", "phase", "routine"),
    (t.Roll, "die"): ("die",),
    (t.Payment, "die"): ("die",),
    (t.Showing, "die"): ("die",),
    (t.Among, "die"): ("die",),
    (t.Part, "what"): ("resource", "group", "die", "local"),
    (t.Part, "beside"): ("resource", "group", "local"),
    (t.Choose, "kind"): ("kind", "group", "player", "number"),
    (t.Draw, "kind"): ("kind", "player"),
    (t.Each, "kind"): ("kind", "group", "player", "number"),
    (t.Display, "each"): ("kind", "player"),
    (t.TypeName, "name"): ("kind", "player", "number", "group"),
    (t.Param, "kind"): ("kind", "player", "number", "group"),
    (t.Group, "members"): ("resource",),
    (t.Game, "order"): ("keep",),
    (t.Thing, "kind"): ("kind",),
}
# Names that are declared, not used, at these places.
DECLARES = {"name"}


def resolve(book: t.Book) -> Outcome[Resolved]:
    """Bind every name of the book."""
    work = _Resolver(book)
    for definition in book.definitions.values():
        work.definition(definition)
    for one in book.standalone:
        work.standalone(one)
    resolved = Resolved(book, work.meaning, work.binds, {k: tuple(v) for k, v in work.fields.items()})
    return Outcome(resolved, tuple(work.found))


class _Resolver(Names):
    """Goes through everything that is written and binds its names."""

    def __init__(self, book: t.Book) -> None:
        super().__init__(book)
        self.rules: dict[t.Action, dict[str, t.Rule]] = {}

    # --- definitions -------------------------------------------------------------------------

    def definition(self, definition: t.Definition) -> None:
        with self.scoped():
            handler = getattr(self, "_" + type(definition).__name__.lower(), None)
            if handler:
                handler(definition)
            else:
                self.visit_parts(definition, skip=DECLARES)

    def _params(self, params: tuple[t.Param, ...]) -> None:
        self._check_doubles([p.name for p in params], "say what to call the second: `... called other`")
        for param in params:
            self.use(param.kind, REFERENCES[t.Param, "kind"])
            self._bind_choice(param, param.name)

    def _check_doubles(self, names: list[t.Name], remedy: str = "give the second a name of its own") -> None:
        """Two of one name could not be told apart."""
        first: dict[str, t.Name] = {}
        for name in names:
            if name.word in first:
                self.found.append(
                    Diagnostic(
                        "E0208", f"two of these are called `{name.word}`", name.span,
                        labels=(Label(first[name.word].span, "the first one"),),
                        help=remedy,
                    )
                )  # fmt: skip
            first.setdefault(name.word, name)

    def _keep(self, keep: t.Keep) -> None:
        self._params(keep.params)
        self.visit(keep.type)
        self.visit(keep.start)

    def _quantity(self, quantity: t.Quantity) -> None:
        self._params(quantity.params)
        for expr in (quantity.value, quantity.at_least, quantity.at_most):
            self.visit(expr)

    def _moment(self, moment: t.Moment) -> None:
        self._params(moment.params)

    def _routine(self, routine: t.Routine) -> None:
        self._params(routine.params)
        self.block(routine.block)

    def _kind(self, kind: t.Kind) -> None:
        with self.scoped((kind, kind.name)):
            for field in kind.fields:
                self.visit(field.type)
                self.visit(field.value)
            self.visit(kind.works_if)
        if kind.order and kind.order.word not in [f.name.word for f in kind.fields]:
            known = [f.name.word for f in kind.fields]
            self.found.append(
                Diagnostic(
                    "E0203", f"a `{kind.name.word}` has no field `{kind.order.word}`", kind.order.span,
                    help=self.near(kind.order.word, known) or "order things by one of the kind's fields",
                )
            )  # fmt: skip

    def _thing(self, thing: t.Thing) -> None:
        self.use(thing.kind, ("kind",))
        for field in thing.fields:
            with self.scoped():
                self.visit(field.expr)
                self.visit(field.amounts)
                self.block(field.block or ())
        for ability in thing.abilities:
            self.ability(ability)

    def standalone(self, one: t.Standalone) -> None:
        self.ability(one.ability)

    def _action(self, action: t.Action) -> None:
        self._check_doubles([c.name for c in action.params] + ([action.payment.name] if action.payment else []))
        self._check_doubles([r.name for r in action.rules])
        for choice in action.params:
            self.visit(choice)
        if action.payment:
            self.visit(action.payment)
        for rule in action.rules:
            self.visit(rule.require)
        self.block(action.then)

    def _display(self, display: t.Display) -> None:
        if display.each:
            self.use(display.each, REFERENCES[t.Display, "each"])
            self.bind(display, t.Name(display.each.span, display.each.word))
        grid = display.rows is not None
        with self.scoped():
            if grid:
                self.bind(display.rows, t.Name(display.span, "player"))  # type: ignore[arg-type]
            for value in (display.condition, display.rows, display.columns_by, display.mark):
                self.visit(value)
            for line in (*display.lines, *display.columns):
                for part in line.parts:
                    self.visit(part)

    def ability(self, ability: t.Ability) -> None:
        """An ability sees the parameters of what it changes."""
        with self.scoped():
            target = {
                t.Adjust: "quantity", t.When: "moment", t.Shift: "action", t.Exception_: "target",
            }[type(ability)]  # fmt: skip
            name = getattr(ability, target)
            self.use(name, REFERENCES[type(ability), target])
            self._open(self.meaning[name])
            if isinstance(ability, t.Exception_):
                self._exception(ability)
            else:
                if isinstance(ability, t.When):
                    self._edge(ability, self.meaning[name])
                self.visit_parts(ability, skip={target})

    def _edge(self, when: t.When, meaning: Meaning) -> None:
        """A phase has a start and an end; a moment has neither."""
        name = when.moment.word
        if meaning.sort == "phase" and not when.edge:
            title, remedy = f"`{name}` is a phase, and lasts", f"write `when start of {name}` or `when end of {name}`"
        elif meaning.sort == "moment" and when.edge:
            title, remedy = f"`{name}` is a moment, and has no {when.edge}", f"write `when {name}`"
        else:
            return
        self.found.append(Diagnostic("E0209", title, when.moment.span, help=remedy))

    def _open(self, meaning: Meaning) -> None:
        definition = meaning.definition if isinstance(meaning, Symbol) else None
        if isinstance(definition, t.Quantity | t.Moment | t.Routine):
            for param in definition.params:
                self.scopes[-1][param.name.word] = self._shared(param, param.name)
        if isinstance(definition, t.Action):
            for choice in definition.params:
                self.scopes[-1][choice.name.word] = self._shared(choice, choice.name)
            if definition.payment:
                self.scopes[-1][definition.payment.name.word] = self._shared(
                    definition.payment, definition.payment.name
                )

    def _shared(self, node: t.Node, name: t.Name) -> Local:
        """One local for a parameter, whether its own definition or an ability is seen first."""
        if node not in self.binds:
            self.binds[node] = Local(name.word, name.span)
        return self.binds[node]

    def _exception(self, ability: t.Exception_) -> None:
        target = self.meaning[ability.target]
        definition = target.definition if isinstance(target, Symbol) else None
        if isinstance(definition, t.Action):
            rules = self._rules_of(definition)
            if ability.rule is None or ability.rule.word not in rules:
                named = ability.rule.word if ability.rule else "..."
                self.found.append(
                    Diagnostic(
                        "E0206", f"the action `{definition.name.word}` has no rule `{named}`",
                        (ability.rule or ability.target).span,
                        labels=(Label(definition.name.span, "its rules are here"),),
                        help=self.near(named, rules) or f"its rules: {listed(rules, 'and')}",
                    )
                )  # fmt: skip
        elif ability.rule is not None and definition is not None:
            self.found.append(
                Diagnostic(
                    "E0206", f"`{ability.target.word}` has no rules to except; only actions have", ability.rule.span,
                    help=f"write `to {ability.target.word}` alone to replace the whole of it",
                )
            )  # fmt: skip
        elif definition is not None and (ability.require is not None or not ability.then):
            self.found.append(
                Diagnostic(
                    "E0210", f"a {target.sort} is not allowed or refused, it happens", ability.target.span,
                    labels=(Label(definition.name.span, f"this {target.sort}"),),
                    help="write `instead` and under it what happens in its place; `nothing`, if nothing does",
                )
            )  # fmt: skip
        self._over(ability)
        self.visit(ability.condition)
        self.visit(ability.require)
        self.block(ability.then)

    def _rules_of(self, action: t.Action) -> dict[str, t.Rule]:
        """The rules of an action by name; every exception to one of them asks."""
        if action not in self.rules:
            self.rules[action] = {rule.name.word: rule for rule in action.rules}
        return self.rules[action]

    def _over(self, ability: t.Exception_) -> None:
        """It names another exception, or the thing that has it."""
        name, known = ability.over, self.exceptions
        if name is not None and name.word not in known:
            self.found.append(
                Diagnostic(
                    "E0207", f"no exception is called `{name.word}`", name.span,
                    help=self.near(name.word, known) or "name an exception, or the thing it stands in",
                )
            )  # fmt: skip

    @cached_property
    def exceptions(self) -> set[str]:
        """The names by which exceptions are called, or the things that have them."""
        things = [d for d in self.book.definitions.values() if isinstance(d, t.Thing)]
        own = {x.name.word for x in things if any(isinstance(a, t.Exception_) for a in x.abilities)}
        return own | {s.name.word for s in self.book.standalone if isinstance(s.ability, t.Exception_) and s.name.word}

    # --- statements and expressions ------------------------------------------------------------

    def block(self, statements: t.Block) -> None:
        with self.scoped():
            for statement in statements:
                self.visit(statement)

    def visit(self, node: Any) -> None:
        if node is None or isinstance(node, str | int):
            return
        handler = getattr(self, "visit_" + type(node).__name__.lower(), None)
        if handler:
            handler(node)
        elif isinstance(node, t.Name):
            self.use(node, VALUES)
        else:
            self.visit_parts(node)

    def visit_parts(self, node: t.Node, skip: set[str] | frozenset[str] = frozenset()) -> None:
        for name, value in parts(node):
            if name not in skip:
                self._part(node, name, value)

    def _part(self, node: t.Node, name: str, value: Any) -> None:
        sorts = REFERENCES.get((type(node), name))
        if isinstance(value, t.Name) and sorts:
            self.use(value, sorts)
        elif isinstance(value, tuple) and value and isinstance(value[0], t.Stmt):
            self.block(value)
        elif isinstance(value, tuple):
            for each in value:
                self._part(node, name, each)
        else:
            self.visit(value)

    def visit_apply(self, apply: t.Apply) -> None:
        self.use(apply.head, HEADS)
        for arg in apply.args:
            self.visit(arg)

    def visit_dofield(self, do: t.DoField) -> None:
        self.use(do.field, ("field",))
        self.visit(do.thing)

    def visit_let(self, let: t.Let) -> None:
        self.visit(let.value)
        self.bind(let, let.name)

    def visit_choose(self, choose: t.Choose) -> None:
        self.use(choose.kind, REFERENCES[t.Choose, "kind"])
        for expr in (choose.low, choose.high, choose.source, choose.asking):
            self.visit(expr)
        if choose.where is not None:
            with self.scoped((choose.where, t.Name(choose.name.span, "it"))):
                self.visit(choose.where)
        self._bind_choice(choose, choose.name)

    def _bind_choice(self, node: t.Node, name: t.Name) -> None:
        self._check_free(name)
        local = self._shared(node, name)
        self.scopes[-1][name.word] = local
        self.meaning[name] = local

    def visit_payment(self, payment: t.Payment) -> None:
        for expr in (payment.place, payment.total):
            self.visit(expr)
        if payment.die:
            self.use(payment.die, ("die",))
        self._bind_choice(payment, payment.name)

    def visit_choosedie(self, choose: t.ChooseDie) -> None:
        self.visit(choose.source)
        self.bind(choose, choose.name)

    def visit_draw(self, draw: t.Draw) -> None:
        self.use(draw.kind, REFERENCES[t.Draw, "kind"])
        self.visit(draw.source)
        self.bind(draw, draw.name)

    def visit_roll(self, roll: t.Roll) -> None:
        self.visit(roll.count)
        self.use(roll.die, ("die",))
        self.visit(roll.place)
        if roll.name:
            self.bind(roll, roll.name)

    def visit_spend(self, spend: t.Spend) -> None:
        for bundle in spend.options:
            self.visit(bundle)
        with self.scoped():
            if spend.name:
                self.bind(spend, spend.name)
            self.block(spend.then)

    def visit_may(self, may: t.May) -> None:
        """What the head binds holds in the block below it."""
        with self.scoped():
            self.visit(may.head)
            head = may.head
            if isinstance(head, t.Spend) and head.name:
                self.scopes[-1][head.name.word] = self.binds[head]
            self.block(may.then)
        self.block(may.otherwise)

    def visit_branch(self, branch: t.Branch) -> None:
        self.visit(branch.condition)
        self.block(branch.block)

    def visit_each(self, each: t.Each) -> None:
        self.use(each.kind, REFERENCES[t.Each, "kind"])
        self.visit(each.source)
        with self.scoped():
            if each.name:
                self.bind(each, each.name)
            elif self.meaning[each.kind].sort != "player":
                self.bind(each, t.Name(each.kind.span, each.kind.word))
            self.block(each.block)

    def _members(self, owner: t.Node, members: t.Expr, *inner: t.Expr) -> None:
        self.visit(members)
        with self.scoped((owner, t.Name(owner.span, "it"))):
            for expr in inner:
                self.visit(expr)

    def visit_arrange(self, arrange: t.Arrange) -> None:
        self._members(arrange, arrange.place, arrange.key)

    def visit_where(self, where: t.Where) -> None:
        self._members(where, where.members, where.condition)

    def visit_best(self, best: t.Best) -> None:
        self._members(best, best.members, *(key for _, key in best.keys))

    def visit_over(self, over: t.Over) -> None:
        self._members(over, over.members, over.value)

    def visit_quantified(self, one: t.Quantified) -> None:
        self._members(one, one.members, one.condition)
