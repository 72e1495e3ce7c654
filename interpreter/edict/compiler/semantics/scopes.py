"""Part of the pass `resolve`: names in the bodies of rules, in steps and values, and the scope of each."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from edict.compiler.layering.suggestions import OTHER_PLAYERS, other_players_diagnostic, suggest_for_wrong_sort
from edict.compiler.semantics.name_lookup import HEADS, VALUES, NameLookup
from edict.compiler.semantics.symbols import Local, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, carries_role, field_roles, get_referred_sorts, iter_role_values
from edict.compiler.syntax.traversal import is_block, node_fields
from edict.support.report import Diagnostic, Edit

BINDING_ROLES = frozenset((Role.BINDS, Role.BINDS_BELOW))


def binds_it(kind: type, field: str) -> bool:
    """Return True if a field is evaluated for each member of a set, as `it`."""
    return Role.PER_MEMBER in field_roles(kind, field)


@cache
def _value_fields(kind: Any) -> tuple[str, ...]:
    """Return the non-binding fields of a node class in resolution order: those that see `it` come last."""
    fields = [name for name in node_fields(kind) if not field_roles(kind, name) & BINDING_ROLES]
    return tuple(sorted(fields, key=lambda name: binds_it(kind, name)))


def _first_node(value: Any) -> t.Node:
    """Return a value if it is a node, else the first node within its nested tuples."""
    if isinstance(value, t.Node):
        return value
    return _first_node(next(part for part in value if not isinstance(part, str)))


@cache
def _handler_name(kind: Any) -> str:
    """Return the name of the method that visits nodes of a class; loops over members share `visit_each`."""
    if issubclass(kind, t.Loop) and "kind" in _value_fields(kind) and kind is not t.EachNumber:
        return "visit_each"
    return f"visit_{kind.__name__.lower()}"


class ScopeVisitor(NameLookup):
    """A visitor of steps and values that binds their names."""

    def visit_block(self, statements: t.Block) -> None:
        """Visit statements in a scope of their own."""
        with self.scope():
            for statement in statements:
                self.visit(statement)

    def visit(self, node: Any) -> None:
        """Resolve the names in a node, a tuple of nodes, or None."""
        if node is None or isinstance(node, str | int):
            return
        if self.names_at_steps is not None and isinstance(node, t.Stmt):
            self.names_at_steps[node] = {word: local for scope in self.scopes for word, local in scope.items()}
        kind: type = type(node)
        handler = getattr(self, _handler_name(kind), None)
        if handler:
            handler(node)
        elif isinstance(node, t.Name):
            self.resolve_name(node, VALUES)
        elif isinstance(node, tuple):
            for part in node:
                self.visit(part)
        else:
            self.visit_parts(node)

    def visit_parts(self, node: t.Node, skip: Collection[str] = ()) -> None:
        """Visit the parts of a node: values first, then the name it binds, then the blocks below it."""
        kind: type = type(node)
        blocks = [name for name in node_fields(kind) if is_block(getattr(node, name))]
        for name in _value_fields(kind):
            if name not in skip and name not in blocks:
                self._visit_field(node, name)
        for name in iter_role_values(node, Role.BINDS):
            self.bind(node, name)
        alternative_blocks = [name for name in blocks if Role.INSTEAD in field_roles(kind, name)]
        if isinstance(node, t.Expr):
            return
        with self.scope(*((node, name) for name in iter_role_values(node, Role.BINDS_BELOW))):
            for name in blocks:
                if name not in alternative_blocks:
                    self.visit_block(getattr(node, name))
        for name in alternative_blocks:
            self.visit_block(getattr(node, name))

    def _visit_field(self, node: t.Node, name: str) -> None:
        """Resolve one field of a node: as names of given sorts, for each member with `it` bound, or by a visit."""
        value, sorts = getattr(node, name), get_referred_sorts(type(node), name)
        if sorts:
            for part in value if isinstance(value, tuple) else (value,):
                if part is not None:
                    self.resolve_name(part, sorts)
        elif value is not None and binds_it(type(node), name):
            with self.scope():
                self._bind_it(node, value)
                self._alias_it(node)
                self.visit(value)
        else:
            self.visit(value)

    def _bind_it(self, node: t.Node, operand: Any) -> None:
        """Bind `it`, and a value's name for it, to the node's local; in a step with a name, bind another local."""
        if isinstance(node, t.Expr) or not any(carries_role(type(node), role) for role in BINDING_ROLES):
            member_name = next(iter_role_values(node, Role.BINDS_BELOW), None)
            if isinstance(node, t.Over) and node.name is None and node.member_name is not None:
                self.binds[node] = self.binds[node.members]  # as its condition names each member
                self.scopes[-1] |= {"it": self.binds[node], node.member_name.word: self.binds[node]}
                return
            self.bind(node, member_name or t.Name(node.span, "it"))
            self.scopes[-1]["it"] = self.binds[node]
            return
        place = node.name.span if isinstance(node, t.Choose) else node.span
        self.scopes[-1]["it"] = self.member_locals.setdefault(_first_node(operand), Local("it", place))

    def _alias_it(self, node: t.Node) -> None:
        """Let the step's own name mean the same as `it` in its conditions, unless the word already has a meaning."""
        name: t.Name | None = getattr(node, "name", None)
        word = name.word if name is not None else ""
        if word and self.look_up(word) is None:
            self.scopes[-1][word] = self.scopes[-1]["it"]

    def visit_apply(self, apply: t.Apply) -> None:
        """Resolve the head of an application and its arguments."""
        self.resolve_name(apply.head, HEADS)
        self.visit(apply.args)

    def visit_announce(self, announce: t.Announce) -> None:
        """Resolve the parts of an announcement; a name without meaning is a text that lacks its quotes."""
        for part in announce.parts:
            is_unknown = isinstance(part, t.Name) and self.look_up(part.word) is None
            if isinstance(part, t.Name) and is_unknown and not self.orphans.record_use(part.word, part.span):
                text = f'"{part.word}"'
                self.diagnostics.append(
                    Diagnostic(
                        "E0201",
                        f"unknown name `{part.word}`",
                        part.span,
                        note="Texts need quotes.",
                        help=f"write `{text}`",
                        edits=(Edit(part.span, text),),
                    )
                )
                self.meaning[part] = Symbol("unknown", part.word)
            else:
                self.visit(part)

    def visit_look(self, look: t.Look) -> None:
        """Resolve the name of a panel; panels have names of their own, so that a kind may have the same."""
        name = look.display
        panels = {word: display for word, display in self.book.definitions.items() if isinstance(display, t.Display)}
        if name.word not in panels and not self.orphans.record_use(name.word, name.span):
            near, edits = self.suggest_spelling(name.word, panels, name.span)
            remedy = near or "declare it: `display NAME`, and under it what it shows"
            title = f"no panel named `{name.word}`"
            self.diagnostics.append(Diagnostic("E0201", title, name.span, help=remedy, edits=edits))
        self.meaning[name] = Symbol("display", name.word, panels.get(name.word))

    def visit_text(self, text: t.Text) -> None:
        """Visit the steps below a text in the scope around it, so that names bound there are known after it."""
        self.visit(text.parts)
        for statement in text.block:
            self.visit(statement)

    def visit_may(self, may: t.May) -> None:
        """Resolve an offer; names that its head binds hold in the block below it."""
        with self.scope():
            head = may.head
            self.visit(head)
            if head is not None:
                self.scopes[-1].update(
                    (name.word, self.binds[head]) for name in iter_role_values(head, Role.BINDS_BELOW)
                )
            self.visit_block(may.then)
        self.visit_block(may.otherwise)

    def visit_binary(self, binary: t.Binary) -> None:
        """Resolve an operator; `it is summer` with no `it` gets advice on how to ask for a phase."""
        left, right = binary.left, binary.right
        phase = self.names.get(right.word) if isinstance(right, t.Name) else None
        lacks_subject = isinstance(left, t.Name) and left.word == "it" and self.look_up("it") is None
        if lacks_subject and phase is not None and phase.sort == "phase":
            alternative = suggest_for_wrong_sort(phase.name, "phase", VALUES, self.book.definitions)
            if alternative is not None:
                title = f"`{phase.name}` is a phase"
                text = alternative.word if binary.op != "!=" else f"not {alternative.word}"
                edits = (Edit(binary.span, text),)
                self.diagnostics.append(
                    Diagnostic("E0202", title, binary.span, alternative.note, help=f"write `{text}`", edits=edits)
                )
            self.meaning[left] = self.meaning[right] = Symbol("unknown", "it")  # type: ignore[index]
            return
        self.visit_parts(binary)

    def visit_for(self, step: t.For) -> None:
        """Resolve a step for some players, each of whom is `you`."""
        self.visit(step.whom)
        self.loop_names.append("you")
        self.visit_block(step.block)
        self.loop_names.pop()

    def visit_eachnumber(self, each: t.EachNumber) -> None:
        """Resolve a loop over numbers; without a name of its own a number is called by its kind."""
        self.visit((each.low, each.high))
        if each.name is not None:
            self._visit_field(each, "kind")
        own = each.name or each.kind
        self.loop_names.append(own.word)
        with self.scope((each, own)):
            self.visit_block(each.block)
        self.loop_names.pop()

    def visit_each(self, each: Any) -> None:
        """Resolve a loop; without a name of its own a member is called by its kind, and a player is `you`."""
        is_others = each.kind.word in OTHER_PLAYERS and self.look_up(each.kind.word) is None
        if is_others:
            self.diagnostics.append(other_players_diagnostic(each))
            self.meaning[each.kind] = Symbol("player", "player")
        else:
            self._visit_field(each, "kind")
        kind: Any = type(each)
        for field in _value_fields(kind):
            if field not in ("kind", "block"):
                self._visit_field(each, field)
        name: t.Name | None = getattr(each, "name", None)
        member_name = name if name is not None else t.Name(each.kind.span, each.kind.word)
        binds = name is not None or self.meaning[each.kind].sort != "player"
        self.loop_names.append(member_name.word if binds else "you")
        with self.scope(*([(each, member_name)] if binds else [])):
            self.visit_block(each.block)
        self.loop_names.pop()
