"""Pass 4, resolve: every name bound to what it means; a name without meaning gets a diagnostic."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Any

from edict.language import tree as t
from edict.layering.meant import OTHERS, all_others, otherwise
from edict.meaning.names import HEADS, VALUES, Names
from edict.language.roles import Role, field_for, having, refers, roles_of
from edict.meaning.symbols import Meaning, Resolved, Symbol
from edict.language.walking import is_block, parts
from edict.report import Diagnostic, Edit, Label, Outcome, listed

GIVES = frozenset((Role.BINDS, Role.BINDS_BELOW))


def asks_members(kind: type, field: str) -> bool:
    """Whether a field is about `it`, so that it comes after the set that is gone through."""
    return Role.PER_MEMBER in roles_of(kind, field)


def resolve(book: t.Book) -> Outcome[Resolved]:
    """Bind every name of the book."""
    work = _Resolver(book)
    for definition in book.definitions.values():
        work.definition(definition)
    for one in book.standalone:
        work.standalone(one)
    resolved = Resolved(book, work.meaning, work.binds, {k: tuple(v) for k, v in work.fields.items()})
    return Outcome(resolved, (*work.found, *work.orphans.diagnostics()))


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
                self.visit_parts(definition, skip=("name",))

    def _params(self, params: tuple[t.Param, ...]) -> None:
        self._check_doubles([p.name for p in params], "say what to call the second: `... called other`")
        for param in params:
            self.visit(param)

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

    _term = _quantity

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
            self.use(display.each, refers(t.Display, "each"))
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
            about = field_for(type(ability), Role.ABOUT)
            name = getattr(ability, about)
            self.use(name, refers(type(ability), about))
            self._open(self.meaning[name])
            if isinstance(ability, t.Exception_):
                self._exception(ability)
            else:
                if isinstance(ability, t.When):
                    self._edge(ability, self.meaning[name])
                self.visit_parts(ability, skip=(about,))

    def _edge(self, when: t.When, meaning: Meaning) -> None:
        """A phase or routine has a start and an end; a moment has neither."""
        name = when.moment.word
        edits: tuple[Edit, ...]
        if meaning.sort in ("phase", "routine") and not when.edge:
            title = f"`{name}` is a {meaning.sort}, and lasts"
            remedy = f"write `when start of {name}` or `when end of {name}`"
            edits = (Edit(when.moment.span, f"start of {name}"),)
        elif meaning.sort == "moment" and when.edge:
            title, remedy = f"`{name}` is a moment, and has no {when.edge}", f"write `when {name}`"
            edits = ()
        else:
            return
        self.found.append(Diagnostic("E0209", title, when.moment.span, help=remedy, edits=edits))

    def _open(self, meaning: Meaning) -> None:
        definition = meaning.definition if isinstance(meaning, Symbol) else None
        opened: tuple[t.Param | t.Choose | t.Payment, ...] = ()
        if isinstance(definition, t.Quantity | t.Moment | t.Routine):
            opened = definition.params
        if isinstance(definition, t.Action):
            opened = (*definition.params, *([definition.payment] if definition.payment else []))
        for one in opened:
            self.scopes[-1][one.name.word] = self.local(one, one.name)

    def _exception(self, ability: t.Exception_) -> None:
        target = self.meaning[ability.target]
        definition = target.definition if isinstance(target, Symbol) else None
        if isinstance(definition, t.Action):
            rules = self._rules_of(definition)
            if ability.rule is None or ability.rule.word not in rules:
                self.found.append(self._no_rule(definition, ability, rules))
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
        for name in (*ability.over, *ability.beside):
            self._other_exception(name, "over" if name in ability.over else "beside")
        self.visit(ability.condition)
        self.visit(ability.require)
        self.block(ability.then)

    def _rules_of(self, action: t.Action) -> dict[str, t.Rule]:
        """The rules of an action by name; every exception to one of them asks."""
        if action not in self.rules:
            self.rules[action] = {rule.name.word: rule for rule in action.rules}
        return self.rules[action]

    def _no_rule(self, action: t.Action, ability: t.Exception_, rules: Collection[str]) -> Diagnostic:
        """Of a rule that the action had before a module amended it, that is told too."""
        named = ability.rule.word if ability.rule else "..."
        before = [old for old in self.book.covered if isinstance(old, t.Action) and old.name.word == action.name.word]
        gone = [rule for old in before for rule in old.rules if rule.name.word == named]
        labels = [Label(action.name.span, "its rules are here")]
        if gone:
            labels = [
                Label(gone[0].name.span, f"`{named}` is declared"), Label(action.name.span, "this leaves it out"),
            ]  # fmt: skip
        near, edits = self.near(named, rules, ability.rule.span) if ability.rule else ("", ())
        dropped = "write the rule there too: what amends an action says all of it anew"
        return Diagnostic(
            "E0206", f"the action `{action.name.word}` has no rule `{named}`", (ability.rule or ability.target).span,
            labels=tuple(labels), help=dropped if gone else near or f"its rules: {listed(rules, 'and')}",
            edits=() if gone else edits,
        )  # fmt: skip

    def _other_exception(self, name: t.Name, word: str) -> None:
        """It names another exception, or the thing that has it."""
        known = self.exceptions
        if name.word in known:
            return
        gone = tuple(Label(span, "it is removed") for old, span in self.book.removed if old.name.word == name.word)
        near, edits = self.near(name.word, known, name.span)
        named = f"name an exception, or the thing it stands in: {listed(sorted(known))}"
        self.found.append(
            Diagnostic(
                "E0207", f"no exception is called `{name.word}`", name.span, labels=gone,
                help=f"leave out `{word} {name.word}`" if gone else near or named, edits=() if gone else edits,
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
        elif isinstance(node, tuple):
            for one in node:
                self.visit(one)
        else:
            self.visit_parts(node)

    def visit_parts(self, node: t.Node, skip: Collection[str] = ()) -> None:
        """What a node is made of: values first, then the name it gives, then the blocks below it."""
        blocks = [name for name, value in parts(node) if is_block(value)]
        later = {*skip, *blocks}
        for name in sorted((name for name, _ in parts(node)), key=lambda name: asks_members(type(node), name)):
            if name not in later and not roles_of(type(node), name) & GIVES:
                self._field(node, name)
        for name in having(node, Role.BINDS):
            self.bind(node, name)
        instead = [name for name in blocks if Role.INSTEAD in roles_of(type(node), name)]
        with self.scoped(*((node, name) for name in having(node, Role.BINDS_BELOW))):
            for name in blocks:
                if name not in instead:
                    self.block(getattr(node, name))
        for name in instead:
            self.block(getattr(node, name))

    def _field(self, node: t.Node, name: str) -> None:
        value, sorts = getattr(node, name), refers(type(node), name)
        if sorts:
            for one in value if isinstance(value, tuple) else (value,):
                if one is not None:
                    self.use(one, sorts)
        elif value is not None and asks_members(type(node), name):
            # `it` belongs to the node, or, where the node gives a name of its own, to what is asked
            owner, place = (value, node.name.span) if isinstance(node, t.Choose) else (node, node.span)
            with self.scoped((owner, t.Name(place, "it"))):
                self.visit(value)
        else:
            self.visit(value)

    def visit_apply(self, apply: t.Apply) -> None:
        self.use(apply.head, HEADS)
        self.visit(apply.args)

    def visit_announce(self, announce: t.Announce) -> None:
        """A name without meaning is a text that somebody forgot to put in quotes."""
        for part in announce.parts:
            unknown = isinstance(part, t.Name) and self.look(part.word) is None
            if isinstance(part, t.Name) and unknown and not self.orphans.take(part.word, part.span):
                text = f'"{part.word}"'
                self.found.append(
                    Diagnostic(
                        "E0201", f"nothing is called `{part.word}`", part.span, note="A text stands in quotes.",
                        help=f"write `{text}`", edits=(Edit(part.span, text),),
                    )
                )  # fmt: skip
                self.meaning[part] = Symbol("unknown", part.word)
            else:
                self.visit(part)

    def visit_look(self, look: t.Look) -> None:
        """Panels have names of their own, so that a kind may have the same."""
        name = look.display
        panels = {word: one for word, one in self.book.definitions.items() if isinstance(one, t.Display)}
        if name.word not in panels and not self.orphans.take(name.word, name.span):
            near, edits = self.near(name.word, panels, name.span)
            remedy = near or "declare it: `display NAME`, and under it what it shows"
            title = f"no panel is called `{name.word}`"
            self.found.append(Diagnostic("E0201", title, name.span, help=remedy, edits=edits))
        self.meaning[name] = Symbol("display", name.word, panels.get(name.word))

    def visit_text(self, text: t.Text) -> None:
        """What it tells of is done as if it were not there, so a name given there is known after it."""
        self.visit(text.parts)
        for statement in text.block:
            self.visit(statement)

    def visit_infull(self, step: t.InFull) -> None:
        """Names from a step in short are known after it."""
        for statement in step.block:
            self.visit(statement)

    def visit_may(self, may: t.May) -> None:
        """What the head binds holds in the block below it."""
        with self.scoped():
            head = may.head
            self.visit(head)
            if head is not None:
                self.scopes[-1].update((name.word, self.binds[head]) for name in having(head, Role.BINDS_BELOW))
            self.block(may.then)
        self.block(may.otherwise)

    def visit_binary(self, binary: t.Binary) -> None:
        """`it is summer` speaks of nothing: whether a phase is being played is asked in another way."""
        left, right = binary.left, binary.right
        phase = self.names.get(right.word) if isinstance(right, t.Name) else None
        nothing = isinstance(left, t.Name) and left.word == "it" and self.look("it") is None
        if nothing and phase is not None and phase.sort == "phase":
            asked = otherwise(phase.name, "phase", VALUES)
            if asked is not None:
                title = f"`{phase.name}` is a phase"
                edit = Edit(binary.span, asked.word if binary.op != "!=" else f"not {asked.word}")
                self.found.append(Diagnostic("E0202", title, binary.span, asked.note, help=asked.help, edits=(edit,)))
            self.meaning[left] = self.meaning[right] = Symbol("unknown", "it")  # type: ignore[index]
            return
        self.visit_parts(binary)

    def visit_each(self, each: t.Each) -> None:
        """Without a name of its own the member is called by its kind; a player is `you`."""
        others = each.kind.word in OTHERS and self.look(each.kind.word) is None
        if others:
            self.found.append(all_others(each))
            self.meaning[each.kind] = Symbol("player", "player")
        else:
            self._field(each, "kind")
        self.visit(each.source)
        own = each.name or t.Name(each.kind.span, each.kind.word)
        binds = each.name is not None or self.meaning[each.kind].sort != "player"
        with self.scoped(*([(each, own)] if binds else [])):
            self.block(each.block)
