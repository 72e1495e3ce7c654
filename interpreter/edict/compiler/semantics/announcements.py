"""Which steps an announcement reports: those whose outcome it names by reference, not by words that look alike.

An announcement reports a step if one of its slots is the name that the step binds or the place that it writes, or if
its slots are the thing that the step writes and whose it is; or if it comes right after a step that moves all of a
resource, and its slots are whose that was and how much. The log then tells both in one line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.compiler.semantics.block_steps import steps
from edict.compiler.semantics.possible_values import Key, Reader
from edict.compiler.semantics.symbols import Local, Resolved, Symbol, definition_of, place_of
from edict.compiler.semantics.types import Typed
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.compiler.syntax.walking import is_block, parts

YOU: Key = ("builtin", "you")


@dataclass(frozen=True)
class Reported:
    """A step that an announcement reports; `name` is the variable that it changes or shows, "" where it only asks."""

    announcement: t.Announce
    step: t.Node
    name: str


def find_reported(typed: Typed, root: t.Node) -> Iterator[Reported]:
    """Yield the steps that the announcements in a definition or an ability report."""
    yield from _Finder(typed).search(root, (), ())


Nodes = tuple[t.Node, ...]


class _Finder:
    def __init__(self, typed: Typed) -> None:
        self.resolved: Resolved = typed.resolved
        self.same = Reader(typed)
        self.choices: dict[t.Node, t.Action] = {}  # of actions, which ask all of theirs in the action's own name

    def search(self, node: t.Node, earlier: Nodes, asked: Nodes) -> Iterator[Reported]:
        """Search the blocks below a node; `earlier` steps bind names there, `asked` led into its branches."""
        if isinstance(node, t.Action):
            self.choices |= dict.fromkeys((*node.params, *node.payments), node)
        for field, value in parts(node):
            if is_block(value):
                block = steps(self.resolved, value)
                if isinstance(node, t.May) and node.head is not None and field == "then":
                    block = (node.head, *block)
                yield from self._search_block(block, earlier, self._questions(node, field) or asked)
                earlier = (*earlier, *block)
                continue
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, t.Node) and not isinstance(part, t.Expr):
                    yield from self.search(part, earlier, (node,) if isinstance(node, t.ChooseOne) else ())
                if part in self.resolved.binds:
                    earlier = (*earlier, part)

    def _search_block(self, block: t.Block, earlier: Nodes, asked: Nodes) -> Iterator[Reported]:
        for i, step in enumerate(block):
            if isinstance(step, t.Announce):
                yield from (Reported(step, question, "") for question in asked)
                yield from self._reported(step, block[:i], earlier)
            else:
                yield from self.search(step, (*earlier, *block[:i]), ())

    def _questions(self, node: t.Node, field: str) -> Nodes:
        """Return the questions whose answer leads into a block of a `may`."""
        if not isinstance(node, t.May):
            return ()
        if node.head is None or field == "then":
            return (node,)
        actions = (definition_of(self.resolved, name) for name in having(node.head, Role.RUNS))
        return (node, node.head, *(action for action in actions if action is not None))

    def _reported(self, announcement: t.Announce, before: t.Block, earlier: Nodes) -> Iterator[Reported]:
        """Yield what it reports of the steps right before it, nearest first, and of those that bind its names."""
        slots: set[Key] = set()
        for part in announcement.parts:
            if not isinstance(part, str):
                self._add_slot(slots, part)
        moved = self._moved_resource(before, announcement) if before else ""
        if moved:
            yield Reported(announcement, before[-1], moved)
        for step in reversed(before):
            place = getattr(step, "place", None)
            if place is not None and self._writes_told(step, place, slots):
                meaning = place_of(self.resolved, place)
                yield Reported(announcement, step, meaning.name if meaning is not None else "")
            if isinstance(step, t.Set | t.Let):
                named = step.place if isinstance(step, t.Set) else step.name
                if self.same.key(named) in slots:
                    self._add_slot(slots, step.value)  # which is there now, or is called so
        for binder in (*earlier, *before):
            action = self.choices.get(binder)
            together = (binder,) if action is None else (*action.params, *action.payments)
            locals_ = [self.resolved.binds.get(one) for one in together]
            single = isinstance(binder, t.Roll) and isinstance(binder.count, t.Number) and binder.count.value == 1
            if all(_is_named(slots, local, single) for local in locals_):
                yield Reported(announcement, action or binder, "")

    def _moved_resource(self, before: t.Block, announcement: t.Announce) -> str:
        """Return the resource that the last of some steps moves if the announcement says whose and how much, or "".

        How much must refer to the resource itself, as `coin of you` does, or a name that was given to it.
        """
        moved = [part for bundle in having(before[-1], Role.MOVED) for part in bundle.parts]
        if len(moved) != 1 or not isinstance(moved[0], t.Part) or moved[0].each:
            return ""
        amount, what = moved[0].amount, self.resolved.meaning.get(moved[0].what)
        said = [self.same.key(part) for part in announcement.parts if not isinstance(part, str)]
        if not isinstance(what, Symbol) or said != [YOU, self.same.key(amount)]:
            return ""
        for step in reversed(before):
            if isinstance(step, t.Let) and self.same.key(step.name) == self.same.key(amount):
                amount = step.value
        refers = isinstance(amount, t.Apply) and self.resolved.meaning.get(amount.head) == what
        return what.name if refers else ""

    def _add_slot(self, slots: set[Key], value: t.Expr) -> None:
        slots.add(self.same.key(value))
        if isinstance(value, t.Unary) and value.op == "total":
            slots.add(("total", self.same.key(value.arg)))

    def _writes_told(self, step: t.Stmt, place: t.Expr, slots: set[Key]) -> bool:
        """Return True if the slots name the place, or else whose it is and the thing that is put there."""
        if self.same.key(place) in slots:
            return True
        value = getattr(step, "value", None)
        if value is None or not isinstance(place, t.Apply) or self.resolved.types[value].shape in ("number", "truth"):
            return False
        return all(self.same.key(part) in slots for part in (value, *place.args))


def _is_named(slots: set[Key], local: Local | None, single: bool) -> bool:
    """Return True if a local name is a slot; the total of a single die says all that the die does."""
    key = ("local", id(local))
    return local is not None and (key in slots or single and ("total", key) in slots)
