"""Part of the pass `resolve`: names in the bodies of rules, in steps and values, and how far each reaches."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from edict.compiler.layering.suggestions import OTHERS, all_others, otherwise
from edict.compiler.semantics.name_lookup import HEADS, VALUES, Names
from edict.compiler.semantics.symbols import Local, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, has, having, refers, roles_of
from edict.compiler.syntax.walking import holding, is_block
from edict.support.report import Diagnostic, Edit

GIVES = frozenset((Role.BINDS, Role.BINDS_BELOW))


def asks_members(kind: type, field: str) -> bool:
    """Whether a field is about `it`, so that it comes after the set that is gone through."""
    return Role.PER_MEMBER in roles_of(kind, field)


@cache
def _values(kind: Any) -> tuple[str, ...]:
    """The fields that are looked at before a name is given: the set that is gone through before what is about `it`."""
    fields = [name for name in holding(kind) if not roles_of(kind, name) & GIVES]
    return tuple(sorted(fields, key=lambda name: asks_members(kind, name)))


def _first(value: Any) -> t.Node:
    """What is asked first, if there are several."""
    return value if isinstance(value, t.Node) else _first(next(one for one in value if not isinstance(one, str)))


@cache
def _handler(kind: Any) -> str:
    if issubclass(kind, t.Loop) and "kind" in _values(kind) and kind is not t.EachNumber:
        return "visit_each"
    return f"visit_{kind.__name__.lower()}"


class Scopes(Names):
    """Goes through steps and values and binds their names."""

    def block(self, statements: t.Block) -> None:
        with self.scoped():
            for statement in statements:
                self.visit(statement)

    def visit(self, node: Any) -> None:
        if node is None or isinstance(node, str | int):
            return
        if self.bound_at is not None and isinstance(node, t.Stmt):
            self.bound_at[node] = {word: local for scope in self.scopes for word, local in scope.items()}
        kind: type = type(node)
        handler = getattr(self, _handler(kind), None)
        if handler:
            handler(node)
        elif isinstance(node, t.Name):
            self.use(node, VALUES)
        elif isinstance(node, tuple):
            for part in node:
                self.visit(part)
        else:
            self.visit_parts(node)

    def visit_parts(self, node: t.Node, skip: Collection[str] = ()) -> None:
        """What a node is made of: values first, then the name it gives, then the blocks below it."""
        kind: type = type(node)
        blocks = [name for name in holding(kind) if is_block(getattr(node, name))]
        for name in _values(kind):
            if name not in skip and name not in blocks:
                self._field(node, name)
        for name in having(node, Role.BINDS):
            self.bind(node, name)
        instead = [name for name in blocks if Role.INSTEAD in roles_of(kind, name)]
        with self.scoped(*((node, name) for name in having(node, Role.BINDS_BELOW))):
            for name in blocks:
                if name not in instead:
                    self.block(getattr(node, name))
        for name in instead:
            self.block(getattr(node, name))

    def _field(self, node: t.Node, name: str) -> None:
        value, sorts = getattr(node, name), refers(type(node), name)
        if sorts:
            for part in value if isinstance(value, tuple) else (value,):
                if part is not None:
                    self.use(part, sorts)
        elif value is not None and asks_members(type(node), name):
            with self.scoped():
                self._bind_it(node, value)
                self._also_called(node)
                self.visit(value)
        else:
            self.visit(value)

    def _bind_it(self, node: t.Node, asked: Any) -> None:
        """`it` belongs to the node, or, where that gives a name of its own, to what is asked of each."""
        if not any(has(type(node), role) for role in GIVES):
            self.bind(node, t.Name(node.span, "it"))
            return
        place = node.name.span if isinstance(node, t.Choose) else node.span
        self.scopes[-1]["it"] = self.asked.setdefault(_first(asked), Local("it", place))

    def _also_called(self, node: t.Node) -> None:
        """What is asked of each that may be chosen or gone through can call it by the name it is given there."""
        given: t.Name | None = getattr(node, "name", None)
        word = given.word if given is not None else ""
        if word and self.look(word) is None:
            self.scopes[-1][word] = self.scopes[-1]["it"]

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
                        "E0201",
                        f"nothing is named `{part.word}`",
                        part.span,
                        note="A text stands in quotes.",
                        help=f"write `{text}`",
                        edits=(Edit(part.span, text),),
                    )
                )
                self.meaning[part] = Symbol("unknown", part.word)
            else:
                self.visit(part)

    def visit_look(self, look: t.Look) -> None:
        """Panels have names of their own, so that a kind may have the same."""
        name = look.display
        panels = {word: display for word, display in self.book.definitions.items() if isinstance(display, t.Display)}
        if name.word not in panels and not self.orphans.take(name.word, name.span):
            near, edits = self.near(name.word, panels, name.span)
            remedy = near or "declare it: `display NAME`, and under it what it shows"
            title = f"no panel is named `{name.word}`"
            self.found.append(Diagnostic("E0201", title, name.span, help=remedy, edits=edits))
        self.meaning[name] = Symbol("display", name.word, panels.get(name.word))

    def visit_text(self, text: t.Text) -> None:
        """What it tells of is done as if it were not there, so a name given there is known after it."""
        self.visit(text.parts)
        for statement in text.block:
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
            asked = otherwise(phase.name, "phase", VALUES, self.book.definitions)
            if asked is not None:
                title = f"`{phase.name}` is a phase"
                text = asked.word if binary.op != "!=" else f"not {asked.word}"
                edits = (Edit(binary.span, text),)
                self.found.append(
                    Diagnostic("E0202", title, binary.span, asked.note, help=f"write `{text}`", edits=edits)
                )
            self.meaning[left] = self.meaning[right] = Symbol("unknown", "it")  # type: ignore[index]
            return
        self.visit_parts(binary)

    def visit_for(self, step: t.For) -> None:
        """Each of them is `you`."""
        self.visit(step.whom)
        self.passed.append("you")
        self.block(step.block)
        self.passed.pop()

    def visit_eachnumber(self, each: t.EachNumber) -> None:
        """Without a name of its own a number is called by the word that stands there."""
        self.visit((each.low, each.high))
        if each.name is not None:
            self._field(each, "kind")
        own = each.name or each.kind
        self.passed.append(own.word)
        with self.scoped((each, own)):
            self.block(each.block)
        self.passed.pop()

    def visit_each(self, each: Any) -> None:
        """Without a name of its own the member is called by its kind; a player is `you`."""
        others = each.kind.word in OTHERS and self.look(each.kind.word) is None
        if others:
            self.found.append(all_others(each))
            self.meaning[each.kind] = Symbol("player", "player")
        else:
            self._field(each, "kind")
        kind: Any = type(each)
        for field in _values(kind):
            if field not in ("kind", "block"):
                self._field(each, field)
        name: t.Name | None = getattr(each, "name", None)
        own = name if name is not None else t.Name(each.kind.span, each.kind.word)
        binds = name is not None or self.meaning[each.kind].sort != "player"
        self.passed.append(own.word if binds else "you")
        with self.scoped(*([(each, own)] if binds else [])):
            self.block(each.block)
        self.passed.pop()
