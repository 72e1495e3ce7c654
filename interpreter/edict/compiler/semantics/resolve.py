"""The pass `resolve`, which binds every name to its meaning and reports names that have none."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from edict.compiler.semantics.ability_targets import (
    MEMBERSHIP_EDGES,
    RESOURCE_SORTS,
    describe_non_set,
    diagnose_question,
    diagnose_secret_question,
    find_edge_faults,
    find_questions,
    list_running_steps,
    list_secret_steps,
    select_target_sorts,
)
from edict.compiler.semantics.replaced_steps import (
    Reach,
    ScopedReplacement,
    compute_reach,
    diagnose_no_single_step,
    diagnose_no_step,
    select_replaced_steps,
)
from edict.compiler.semantics.scopes import ScopeVisitor
from edict.compiler.semantics.symbols import Meaning, ResolvedBook, Symbol, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, StepAbility, field_with_role, get_referred_sorts, iter_role_values
from edict.support.morphology import quote_words
from edict.support.report import Diagnostic, Label, Outcome


def resolve(book: t.Book) -> Outcome[ResolvedBook]:
    """Bind every name of the book, with a diagnostic for each that has no meaning."""
    resolver = _Resolver(book)
    for definition in book.definitions.values():
        resolver.resolve_definition(definition)
    for standalone in book.standalone:
        resolver.resolve_standalone(standalone)
    resolver.resolve_pending_abilities()
    fields = {field: tuple(kinds) for field, kinds in resolver.fields.items()}
    resolved = ResolvedBook(
        book, resolver.meaning, resolver.binds, resolver.member_locals, fields, resolver.event_params
    )
    return Outcome(resolved, (*resolver.diagnostics, *resolver.orphans.iter_diagnostics()))


class _Resolver(ScopeVisitor):
    """Resolves the names in all declarations."""

    def __init__(self, book: t.Book) -> None:
        super().__init__(book)
        self.rules_of_actions: dict[t.Action, dict[str, t.Rule]] = {}
        self.event_params: dict[t.Definition, tuple[t.Param, ...]] = {}
        things = book.things
        thing_abilities = (ability for thing in things for ability in thing.abilities)
        abilities = (*thing_abilities, *(standalone.ability for standalone in book.standalone))
        self.replaced_owners = {owner.word for ability in abilities if (owner := _owner_of_steps(ability)) is not None}
        # exceptions and options with names that are bound in other rules
        self.pending_abilities: list[t.Exception_ | t.AddedOption] = []

    # --- definitions -------------------------------------------------------------------------

    def resolve_definition(self, definition: t.Definition) -> None:
        """Resolve a definition in a new scope; record the names at its steps if an exception with `in` needs them."""
        params = [param.name for param in getattr(definition, "params", ()) if isinstance(param, t.Param)]
        self._check_unique(params, "say what to call the second: `... called other`")
        with self.scope():
            handler = getattr(self, "_" + type(definition).__name__.lower(), self._visit_all_fields)
            if definition.name.word in self.replaced_owners:
                self.names_at_steps = self.steps_of.setdefault(definition, {})
            else:
                self.names_at_steps = None
            handler(definition)
            self.names_at_steps = None

    def _visit_all_fields(self, definition: t.Definition) -> None:
        self.visit_parts(definition, skip=("name",))

    def _check_unique(self, names: list[t.Name], remedy: str = "give the second a name of its own") -> None:
        """Report names that occur twice in one list."""
        first: dict[str, t.Name] = {}
        for name in names:
            if name.word in first:
                self.diagnostics.append(
                    Diagnostic(
                        "E0208",
                        f"two of these have the name `{name.word}`",
                        name.span,
                        labels=(Label(first[name.word].span, "the first one"),),
                        help=remedy,
                    )
                )
            first.setdefault(name.word, name)

    def _keep(self, keep: t.Keep) -> None:
        """Resolve a `keep`, and the parameter by which abilities name what joins or leaves it."""
        self._visit_all_fields(keep)
        self.visit(self._member_params(keep))

    def _member_params(self, keep: t.Keep) -> tuple[t.Param, ...]:
        """Return the parameter for the member that joins or leaves a set keep; empty for keeps that are no set."""
        kind = keep.type.name
        if keep.type.shape == "set" and kind is not None and keep not in self.event_params:
            taken = kind.word in (param.name.word for param in keep.params)
            self.event_params[keep] = (_make_param(kind, kind.word, "other" if taken else kind.word),)
        return self.event_params.get(keep, ())

    def _amount_params(self, resource: t.Resource | t.Group | t.Die) -> tuple[t.Param, ...]:
        """Return the parameters `player`, the member if it is a group, and `amount` of a gain or loss (cached)."""
        if resource not in self.event_params:
            words = ("player", *([resource.name.word] if isinstance(resource, t.Group) else []))
            params = (*((word, word) for word in words), ("number", "amount"))
            self.event_params[resource] = tuple(_make_param(resource.name, kind, name) for kind, name in params)
            for param in self.event_params[resource]:
                self.visit(param)
        return self.event_params[resource]

    def _kind(self, kind: t.Kind) -> None:
        """Resolve a kind's fields and `works if`, with the kind's name as a local, then `order` and `unique`."""
        with self.scope((kind, kind.name)):
            for field in kind.fields:
                self.visit(field.type)
                self.visit(field.value)
            self.visit(kind.works_if)
        if kind.order:
            self._check_own_field(kind, kind.order, "order things by one of the kind's fields")
        for name in (name for unique in kind.unique for name in unique.fields):
            self._check_own_field(kind, name, "name fields of the kind")

    def _check_own_field(self, kind: t.Kind, name: t.Name, remedy: str) -> None:
        """Report E0203 with a spelling suggestion if a kind does not declare the named field."""
        known = [f.name.word for f in kind.fields]
        if name.word not in known:
            near, edits = self.suggest_spelling(name.word, known, name.span)
            title = f"a `{kind.name.word}` has no field `{name.word}`"
            self.diagnostics.append(Diagnostic("E0203", title, name.span, help=near or remedy, edits=edits))

    def _thing(self, thing: t.Thing) -> None:
        """Resolve a thing: its kind, its text, each field in a scope of its own, and its abilities."""
        self.resolve_name(thing.kind, ("kind",))
        self.visit(thing.text)
        for field in thing.fields:
            with self.scope():
                self.visit(field.expr)
                self.visit(field.amounts)
                self.visit_block(field.block or ())
        for ability in thing.abilities:
            self.resolve_ability(ability)

    def resolve_standalone(self, standalone: t.Standalone) -> None:
        self.resolve_ability(standalone.ability)

    def _action(self, action: t.Action) -> None:
        """Resolve an action in order: choices, payment, rules, then steps; report choices or rules of the same name."""
        self._check_unique([c.name for c in action.params] + ([action.payment.name] if action.payment else []))
        self._check_unique([r.name for r in action.rules])
        for choice in action.params:
            self.visit(choice)
        if action.payment:
            self.visit(action.payment)
        for rule in action.rules:
            self.visit(rule.require)
        self.visit_block(action.then)

    def _display(self, display: t.Display) -> None:
        """Resolve a panel; its rows bind the member named by `each`, and a grid's rows also bind `player`."""
        self.visit(display.among)
        if display.each:
            self.resolve_name(display.each, get_referred_sorts(t.Display, "each"))
            self.bind(display, t.Name(display.each.span, display.each.word))
        grid = display.rows is not None
        with self.scope():
            if grid:
                self.bind(display.rows, t.Name(display.span, "player"))  # type: ignore[arg-type]
            for value in (display.condition, display.rows, display.columns_by, display.mark):
                self.visit(value)
            for line in (*display.lines, *display.columns):
                for part in (*line.parts, line.condition):
                    self.visit(part)

    def _assertnever(self, never: t.AssertNever) -> None:
        """Resolve an assertion that something never happens; report a watched `keep` that is no set."""
        self.resolve_name(never.moment, ("keep",) if never.edge in MEMBERSHIP_EDGES else RESOURCE_SORTS)
        keep = definition_of(self, never.moment)
        if isinstance(keep, t.Keep) and not self._member_params(keep):
            title, remedy = describe_non_set(never.moment.word)
            self.diagnostics.append(Diagnostic("E0209", title, never.moment.span, help=remedy))
        self.visit(never.condition)

    def resolve_ability(self, ability: t.Ability) -> None:
        """Resolve an ability, which sees the parameters of its target; those that act among other rules' steps wait."""
        if isinstance(ability, t.Exception_ | t.AddedOption) and _owner_of_steps(ability) is not None:
            self.pending_abilities.append(ability)
        else:
            self._resolve_ability(ability)

    def resolve_pending_abilities(self) -> None:
        """Resolve exceptions and options that use names bound at steps of other rules, once those names are known."""
        for ability in self.pending_abilities:
            with self.scope():
                self._resolve_ability(ability)
                self.reach, self.reach_owner = Reach(), ""

    def _open_question(self, option: t.AddedOption) -> None:
        """Bring the names that are bound at the question of an option into scope; report a question that is none."""
        target = self.meaning[option.target]
        definition = target.definition if isinstance(target, Symbol) else None
        if definition is None:
            return
        questions = find_questions(self.meaning, option, self._running_steps)
        self.diagnostics += diagnose_question(self.meaning, option, definition, questions)
        self.diagnostics += diagnose_secret_question(option, questions, self._secret_steps)
        steps_of_owner = self.steps_of.get(definition, {})
        steps = {step: steps_of_owner[step] for step in questions if step in steps_of_owner}
        self.reach, self.reach_owner = compute_reach(steps, steps_of_owner), definition.name.word
        self.scopes[-1].update(self.reach.names)

    @cached_property
    def _running_steps(self) -> tuple[t.Stmt, ...]:
        """The steps of all rules that run something."""
        return list_running_steps(self.book.roots)

    @cached_property
    def _secret_steps(self) -> frozenset[t.Node]:
        """The steps of all rules whose answers are unseen."""
        return list_secret_steps(self.book.roots)

    def _open_reach(self, exception: t.Exception_, inside: t.Name) -> None:
        """Bring the names that are bound at the replaced steps into scope."""
        self.resolve_name(inside, get_referred_sorts(type(exception), "inside"))
        replacing = ScopedReplacement(exception.target, inside, exception.edge)
        target, definition = self.meaning[exception.target], definition_of(self, inside)
        if isinstance(target, Symbol) and target.sort in ("action", "phase"):
            self.diagnostics.append(diagnose_no_single_step(replacing, target.sort))
        elif definition is not None and isinstance(target, Symbol) and target.definition is not None:
            steps_of_owner = self.steps_of.get(definition, {})
            steps = select_replaced_steps(self, replacing, steps_of_owner)
            self.diagnostics += [] if steps else [diagnose_no_step(replacing, definition)]
            self.reach, self.reach_owner = compute_reach(steps, steps_of_owner), definition.name.word
            self.scopes[-1].update(self.reach.names)

    def _resolve_ability(self, ability: t.Ability) -> None:
        """Resolve an ability's target, open the target's parameters as locals, then resolve the rest."""
        with self.scope():
            about = field_with_role(type(ability), Role.ABOUT)
            name = getattr(ability, about)
            self.edge = ability.edge if isinstance(ability, StepAbility) else ""
            self.resolve_name(name, select_target_sorts(ability, get_referred_sorts(type(ability), about)))
            if isinstance(ability, t.Exception_) and ability.inside is not None:
                self._open_reach(ability, ability.inside)
            if isinstance(ability, t.AddedOption):
                self._open_question(ability)
            else:
                self._bind_target_params(self.meaning[name])
            self.diagnostics.extend(find_edge_faults(ability, self.meaning[name], self.event_params))
            if isinstance(ability, t.Exception_):
                self._resolve_exception(ability)
            else:
                self.visit_parts(ability, skip=(about,))

    def _bind_target_params(self, meaning: Meaning) -> None:
        """Bring the parameters of an ability's target into the innermost scope."""
        definition = meaning.definition if isinstance(meaning, Symbol) else None
        binders: tuple[t.Node, ...] = ()
        if isinstance(definition, t.Quantity | t.Moment | t.Routine):
            binders = definition.params
        if isinstance(definition, t.Keep):
            binders = (*definition.params, *self._member_params(definition))
        if isinstance(definition, t.Resource | t.Group | t.Die):
            binders = self._amount_params(definition)
        if isinstance(definition, t.Action):
            binders = (*definition.params, *([definition.payment] if definition.payment else []))
        for param in binders:
            for name in iter_role_values(param, Role.BINDS):
                self.scopes[-1][name.word] = self.local_for(param, name)

    def _resolve_exception(self, exception: t.Exception_) -> None:
        """Resolve an exception; report a rule its target lacks, or `instead` and `require` where they do not fit."""
        target = self.meaning[exception.target]
        definition = target.definition if isinstance(target, Symbol) else None
        if isinstance(definition, t.Action):
            rules = self._get_rules(definition)
            if exception.rule is None or exception.rule.word not in rules:
                self.diagnostics.append(self._diagnose_no_rule(definition, exception, rules))
            elif "instead" in exception.lines:
                self.diagnostics.append(_diagnose_replaced_rule(exception))
        elif exception.rule is not None and definition is not None:
            self.diagnostics.append(
                Diagnostic(
                    "E0206",
                    f"`{exception.target.word}` has no rules; only actions have rules",
                    exception.rule.span,
                    help=f"write `to {exception.target.word}` alone to replace all of it",
                )
            )
        elif definition is not None and (exception.require is not None or not exception.then):
            self.diagnostics.append(
                Diagnostic(
                    "E0210",
                    f"only rules of actions can be allowed or refused, not {_describe_event(exception, target.sort)}",
                    exception.target.span,
                    labels=(Label(definition.name.span, f"this {target.sort}"),),
                    help="write `instead`, and the replacement steps under it, or `nothing`",
                )
            )
        for name in (*exception.over, *exception.beside):
            self._check_exception_name(name, "over" if name in exception.over else "beside")
        self._visit_field(exception, "once_per")
        self.visit(exception.condition)
        self.visit(exception.require)
        self.visit_block(exception.then)

    def _get_rules(self, action: t.Action) -> dict[str, t.Rule]:
        """Return the rules of an action by name, computed once."""
        if action not in self.rules_of_actions:
            self.rules_of_actions[action] = {rule.name.word: rule for rule in action.rules}
        return self.rules_of_actions[action]

    def _diagnose_no_rule(self, action: t.Action, exception: t.Exception_, rules: Collection[str]) -> Diagnostic:
        """Return a diagnostic for a rule the action does not have; it says so if an amendment dropped the rule."""
        rule_name = exception.rule.word if exception.rule else "..."
        replaced_actions = [
            old for old in self.book.covered if isinstance(old, t.Action) and old.name.word == action.name.word
        ]
        dropped_rules = [rule for old in replaced_actions for rule in old.rules if rule.name.word == rule_name]
        labels = [Label(action.name.span, "its rules")]
        if dropped_rules:
            labels = [
                Label(dropped_rules[0].name.span, f"`{rule_name}` is declared"),
                Label(action.name.span, "missing here"),
            ]
        if exception.rule:
            near, edits = self.suggest_spelling(rule_name, rules, exception.rule.span)
        else:
            near, edits = ("", ())
        dropped_advice = "write the rule there too: an amendment with choices replaces the whole action"
        title = f"the action `{action.name.word}` has no rule `{rule_name}`"
        examples = quote_words(f"{action.name.word}.{rule}" for rule in rules)
        return Diagnostic(
            "E0206",
            title if exception.rule else f"an exception to the action `{action.name.word}` must name its rule",
            (exception.rule or exception.target).span,
            labels=tuple(labels),
            help=dropped_advice if dropped_rules else near or f"write {examples}",
            edits=() if dropped_rules else edits,
        )

    def _check_exception_name(self, name: t.Name, word: str) -> None:
        """Report a name after `over` or `beside` that is neither an exception nor a thing with one."""
        known = self.exception_names
        if name.word in known:
            return
        removed_labels = tuple(
            Label(span, "it is removed") for old, span in self.book.removed if old.name.word == name.word
        )
        near, edits = self.suggest_spelling(name.word, known, name.span)
        advice = f"name an exception, or the thing that contains it: {self.exception_list}"
        self.diagnostics.append(
            Diagnostic(
                "E0207",
                f"no exception named `{name.word}`",
                name.span,
                labels=removed_labels,
                help=f"delete `{word} {name.word}`" if removed_labels else near or advice,
                edits=() if removed_labels else edits,
            )
        )

    @cached_property
    def exception_names(self) -> set[str]:
        """The names of exceptions, and of things that have some."""
        things = [*self.book.things]
        of_things = {x.name.word for x in things if any(isinstance(a, t.Exception_) for a in x.abilities)}
        return of_things | {
            s.name.word for s in self.book.standalone if isinstance(s.ability, t.Exception_) and s.name.word
        }

    @cached_property
    def exception_list(self) -> str:
        """The first of the exceptions in words, computed once, since there may be thousands."""
        return quote_words(sorted(self.exception_names))


def _owner_of_steps(ability: t.Ability) -> t.Name | None:
    """Return the name of the rule among whose steps an ability acts, or None."""
    if isinstance(ability, t.AddedOption):
        return ability.target
    return ability.inside if isinstance(ability, t.Exception_) else None


def _make_param(location: t.Name, kind: str, name: str) -> t.Param:
    """Return a new parameter node of a kind and a name, at the place of a name."""
    return t.Param(location.span, t.Name(location.span, kind), t.Name(location.span, name))


def _describe_event(exception: t.Exception_, sort: str) -> str:
    """Return the words for what an exception replaces, such as `gaining something` or `a routine`."""
    return f"{exception.edge} something" if exception.edge else f"a {sort}"


def _diagnose_replaced_rule(exception: t.Exception_) -> Diagnostic:
    """Return E0134 for an exception that replaces a rule of an action by steps."""
    return Diagnostic(
        "E0134",
        "steps cannot replace a rule of an action",
        exception.then[0].span,
        note="A rule only permits or forbids a choice.",
        help="write `allow` to lift the rule, or `require` and the new condition; its price goes under `then`",
    )
