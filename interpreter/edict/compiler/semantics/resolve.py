"""The pass `resolve`: every name bound to what it means; a name without meaning gets a diagnostic."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from edict.compiler.semantics.ability_targets import PASSING, RESOURCES, awaitable, no_set, wrong_edge
from edict.compiler.semantics.reach import Reach, Replacing, not_steps, nothing_there, reach, replaced_in
from edict.compiler.semantics.scopes import Scopes
from edict.compiler.semantics.symbols import Meaning, Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, Stepwise, field_for, having, refers
from edict.support.morphology import quote_words
from edict.support.report import Diagnostic, Label, Outcome


def resolve(book: t.Book) -> Outcome[Resolved]:
    """Bind every name of the book."""
    work = _Resolver(book)
    for definition in book.definitions.values():
        work.definition(definition)
    for standalone in book.standalone:
        work.standalone(standalone)
    work.exceptions_in_reach()
    fields = {field: tuple(kinds) for field, kinds in work.fields.items()}
    resolved = Resolved(book, work.meaning, work.binds, work.asked, fields, work.passing)
    return Outcome(resolved, (*work.found, *work.orphans.diagnostics()))


class _Resolver(Scopes):
    """Goes through all that is declared and binds its names."""

    def __init__(self, book: t.Book) -> None:
        super().__init__(book)
        self.rules: dict[t.Action, dict[str, t.Rule]] = {}
        self.passing: dict[t.Definition, tuple[t.Param, ...]] = {}
        things = (definition for definition in book.definitions.values() if isinstance(definition, t.Thing))
        held = (ability for thing in things for ability in thing.abilities)
        abilities = (*held, *(standalone.ability for standalone in book.standalone))
        self.inside = {one.inside.word for one in abilities if isinstance(one, t.Exception_) and one.inside is not None}
        self.waiting: list[t.Exception_] = []  # for what is bound in other rules

    # --- definitions -------------------------------------------------------------------------

    def definition(self, definition: t.Definition) -> None:
        params = [param.name for param in getattr(definition, "params", ()) if isinstance(param, t.Param)]
        self._check_doubles(params, "say what to call the second: `... called other`")
        with self.scoped():
            handler = getattr(self, "_" + type(definition).__name__.lower(), self._plain)
            self.bound_at = self.steps_of.setdefault(definition, {}) if definition.name.word in self.inside else None
            handler(definition)
            self.bound_at = None

    def _plain(self, definition: t.Definition) -> None:
        self.visit_parts(definition, skip=("name",))

    def _check_doubles(self, names: list[t.Name], remedy: str = "give the second a name of its own") -> None:
        """Two with the same name could not be distinguished."""
        first: dict[str, t.Name] = {}
        for name in names:
            if name.word in first:
                self.found.append(
                    Diagnostic(
                        "E0208",
                        f"two of these are called `{name.word}`",
                        name.span,
                        labels=(Label(first[name.word].span, "the first one"),),
                        help=remedy,
                    )
                )
            first.setdefault(name.word, name)

    def _keep(self, keep: t.Keep) -> None:
        self._plain(keep)
        self.visit(self._passing(keep))

    def _passing(self, keep: t.Keep) -> tuple[t.Param, ...]:
        """What joins or leaves a set, called by its kind; `other`, if somebody or something else is called so."""
        kind = keep.type.name
        if keep.type.shape == "set" and kind is not None and keep not in self.passing:
            taken = kind.word in (param.name.word for param in keep.params)
            self.passing[keep] = (_param(kind, kind.word, "other" if taken else kind.word),)
        return self.passing.get(keep, ())

    def _moving(self, moved: t.Resource | t.Group | t.Die) -> tuple[t.Param, ...]:
        """Who gains or loses it, which of a group it is, and how much."""
        if moved not in self.passing:
            words = ("player", *([moved.name.word] if isinstance(moved, t.Group) else []))
            known = (*((word, word) for word in words), ("number", "amount"))
            self.passing[moved] = tuple(_param(moved.name, kind, name) for kind, name in known)
            for param in self.passing[moved]:
                self.visit(param)
        return self.passing[moved]

    def _kind(self, kind: t.Kind) -> None:
        with self.scoped((kind, kind.name)):
            for field in kind.fields:
                self.visit(field.type)
                self.visit(field.value)
            self.visit(kind.works_if)
        if kind.order:
            self._own_field(kind, kind.order, "order things by one of the kind's fields")
        for name in (name for unique in kind.unique for name in unique.fields):
            self._own_field(kind, name, "name fields of the kind")

    def _own_field(self, kind: t.Kind, name: t.Name, remedy: str) -> None:
        known = [f.name.word for f in kind.fields]
        if name.word not in known:
            near, edits = self.near(name.word, known, name.span)
            title = f"a `{kind.name.word}` has no field `{name.word}`"
            self.found.append(Diagnostic("E0203", title, name.span, help=near or remedy, edits=edits))

    def _thing(self, thing: t.Thing) -> None:
        self.use(thing.kind, ("kind",))
        self.visit(thing.text)
        for field in thing.fields:
            with self.scoped():
                self.visit(field.expr)
                self.visit(field.amounts)
                self.block(field.block or ())
        for ability in thing.abilities:
            self.ability(ability)

    def standalone(self, standalone: t.Standalone) -> None:
        self.ability(standalone.ability)

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
        self.visit(display.among)
        if display.each:
            self.use(display.each, refers(t.Display, "each"))
            self.bind(display, t.Name(display.each.span, display.each.word))
        grid = display.rows is not None
        with self.scoped():
            if grid:
                self.bind(display.rows, t.Name(display.span, "player"))  # type: ignore[arg-type]
            for value in (display.condition, display.rows, display.columns_by, display.mark):
                self.visit(value)
            for line in (*display.lines, *display.columns):
                for part in (*line.parts, line.condition):
                    self.visit(part)

    def _assertnever(self, never: t.AssertNever) -> None:
        self.use(never.moment, ("keep",) if never.edge in PASSING else RESOURCES)
        meaning = self.meaning[never.moment]
        keep = meaning.definition if isinstance(meaning, Symbol) else None
        if isinstance(keep, t.Keep) and not self._passing(keep):
            title, remedy = no_set(never.moment.word)
            self.found.append(Diagnostic("E0209", title, never.moment.span, help=remedy))
        self.visit(never.condition)

    def ability(self, ability: t.Ability) -> None:
        """An ability sees the parameters of what it changes."""
        if isinstance(ability, t.Exception_) and ability.inside is not None:
            self.waiting.append(ability)
        else:
            self._ability(ability)

    def exceptions_in_reach(self) -> None:
        """Those that can name what is bound at the steps they replace, now that it is known."""
        for exception in self.waiting:
            with self.scoped():
                self._ability(exception)
                self.reach, self.reached = Reach(), ""

    def _in_reach(self, exception: t.Exception_, inside: t.Name) -> None:
        """What is bound there, it can name."""
        self.use(inside, refers(type(exception), "inside"))
        replacing = Replacing(exception.target, inside, exception.edge)
        whole, target = (self.meaning[name] for name in (inside, exception.target))
        definition = whole.definition if isinstance(whole, Symbol) else None
        if isinstance(target, Symbol) and target.sort in ("action", "phase"):
            self.found.append(not_steps(replacing, target.sort))
        elif definition is not None and isinstance(target, Symbol) and target.definition is not None:
            every = self.steps_of.get(definition, {})
            steps = replaced_in(self.meaning, replacing, every)
            self.found += [] if steps else [nothing_there(replacing, definition)]
            self.reach, self.reached = reach(steps, every), definition.name.word
            self.scopes[-1].update(self.reach.names)

    def _ability(self, ability: t.Ability) -> None:
        with self.scoped():
            about = field_for(type(ability), Role.ABOUT)
            name = getattr(ability, about)
            self.edge = ability.edge if isinstance(ability, Stepwise) else ""
            self.use(name, awaitable(ability, refers(type(ability), about)))
            if isinstance(ability, t.Exception_) and ability.inside is not None:
                self._in_reach(ability, ability.inside)
            self._open(self.meaning[name])
            self.found.extend(wrong_edge(ability, self.meaning[name], self.passing))
            if isinstance(ability, t.Exception_):
                self._exception(ability)
            else:
                self.visit_parts(ability, skip=(about,))

    def _open(self, meaning: Meaning) -> None:
        definition = meaning.definition if isinstance(meaning, Symbol) else None
        opened: tuple[t.Node, ...] = ()
        if isinstance(definition, t.Quantity | t.Moment | t.Routine):
            opened = definition.params
        if isinstance(definition, t.Keep):
            opened = (*definition.params, *self._passing(definition))
        if isinstance(definition, t.Resource | t.Group | t.Die):
            opened = self._moving(definition)
        if isinstance(definition, t.Action):
            opened = (*definition.params, *([definition.payment] if definition.payment else []))
        for param in opened:
            for name in having(param, Role.BINDS):
                self.scopes[-1][name.word] = self.local(param, name)

    def _exception(self, exception: t.Exception_) -> None:
        target = self.meaning[exception.target]
        definition = target.definition if isinstance(target, Symbol) else None
        if isinstance(definition, t.Action):
            rules = self._rules_of(definition)
            if exception.rule is None or exception.rule.word not in rules:
                self.found.append(self._no_rule(definition, exception, rules))
            elif "instead" in exception.lines:
                self.found.append(_replaced_rule(exception))
        elif exception.rule is not None and definition is not None:
            self.found.append(
                Diagnostic(
                    "E0206",
                    f"`{exception.target.word}` has no rules to except; only actions have",
                    exception.rule.span,
                    help=f"write `to {exception.target.word}` alone to replace the whole of it",
                )
            )
        elif definition is not None and (exception.require is not None or not exception.then):
            self.found.append(
                Diagnostic(
                    "E0210",
                    f"{_happening(exception, target.sort)} is not allowed or refused, it happens",
                    exception.target.span,
                    labels=(Label(definition.name.span, f"this {target.sort}"),),
                    help="write `instead` and under it what happens in its place; `nothing`, if nothing does",
                )
            )
        for name in (*exception.over, *exception.beside):
            self._other_exception(name, "over" if name in exception.over else "beside")
        self.visit(exception.condition)
        self.visit(exception.require)
        self.block(exception.then)

    def _rules_of(self, action: t.Action) -> dict[str, t.Rule]:
        """The rules of an action by name; every exception to one of them asks."""
        if action not in self.rules:
            self.rules[action] = {rule.name.word: rule for rule in action.rules}
        return self.rules[action]

    def _no_rule(self, action: t.Action, exception: t.Exception_, rules: Collection[str]) -> Diagnostic:
        """If the action had the rule before a module amended it, the message says so too."""
        named = exception.rule.word if exception.rule else "..."
        before = [old for old in self.book.covered if isinstance(old, t.Action) and old.name.word == action.name.word]
        gone = [rule for old in before for rule in old.rules if rule.name.word == named]
        labels = [Label(action.name.span, "its rules are here")]
        if gone:
            labels = [
                Label(gone[0].name.span, f"`{named}` is declared"),
                Label(action.name.span, "this leaves it out"),
            ]
        near, edits = self.near(named, rules, exception.rule.span) if exception.rule else ("", ())
        dropped = "write the rule there too: an amendment that says what to choose says all of the action anew"
        wrong = f"the action `{action.name.word}` has no rule `{named}`"
        ways = quote_words(f"{action.name.word}.{rule}" for rule in rules)
        return Diagnostic(
            "E0206",
            wrong if exception.rule else f"an exception to the action `{action.name.word}` must name its rule",
            (exception.rule or exception.target).span,
            labels=tuple(labels),
            help=dropped if gone else near or f"write {ways}",
            edits=() if gone else edits,
        )

    def _other_exception(self, name: t.Name, word: str) -> None:
        """It names another exception, or the thing that has it."""
        known = self.exceptions
        if name.word in known:
            return
        gone = tuple(Label(span, "it is removed") for old, span in self.book.removed if old.name.word == name.word)
        near, edits = self.near(name.word, known, name.span)
        named = f"name an exception, or the thing it stands in: {self.exceptions_listed}"
        self.found.append(
            Diagnostic(
                "E0207",
                f"no exception is named `{name.word}`",
                name.span,
                labels=gone,
                help=f"leave out `{word} {name.word}`" if gone else near or named,
                edits=() if gone else edits,
            )
        )

    @cached_property
    def exceptions(self) -> set[str]:
        """The names by which exceptions are called, or the things that have them."""
        things = [d for d in self.book.definitions.values() if isinstance(d, t.Thing)]
        own = {x.name.word for x in things if any(isinstance(a, t.Exception_) for a in x.abilities)}
        return own | {s.name.word for s in self.book.standalone if isinstance(s.ability, t.Exception_) and s.name.word}

    @cached_property
    def exceptions_listed(self) -> str:
        """The first of them in words; made once, for there may be thousands."""
        return quote_words(sorted(self.exceptions))


def _param(near: t.Name, kind: str, name: str) -> t.Param:
    return t.Param(near.span, t.Name(near.span, kind), t.Name(near.span, name))


def _happening(exception: t.Exception_, sort: str) -> str:
    return f"{exception.edge} something" if exception.edge else f"a {sort}"


def _replaced_rule(exception: t.Exception_) -> Diagnostic:
    return Diagnostic(
        "E0134",
        "a rule of an action is not replaced by steps",
        exception.then[0].span,
        note="It lets a choice pass or does not; nothing happens in it.",
        help="write `allow` if the rule is not to count, or `require` and what it demands now; "
        "the price of that stands under `then`",
    )
