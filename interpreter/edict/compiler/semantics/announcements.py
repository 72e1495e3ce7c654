"""Steps that announcements report, and panels that rules show on request.

Reported steps are found by references to their outcome, not by words that look alike.

An announcement reports a step if one of its slots is the name that the step binds or the place that it writes, or if
its slots are the thing that the step writes and whose it is; or if it comes right after a step that moves all of a
resource, and its slots are whose that was and how much. The log then tells both in one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from edict.compiler.semantics.possible_values import ConditionReader, ValueKey
from edict.compiler.semantics.symbols import ResolvedBook, Symbol, definition_of, expand_steps, meaning_of_place
from edict.compiler.semantics.types import TypedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import is_block, iter_fields, walk
from edict.support.records import dataclass

YOU: ValueKey = ("builtin", "you")


@dataclass(frozen=True)
class ReportedStep:
    """A step that an announcement reports."""

    announcement: t.Announce
    step: t.Node
    name: str  # the variable that the step changes or shows; empty if it only asks


def find_announced_steps(typed: TypedBook, roots: Iterable[t.Node]) -> Iterator[ReportedStep]:
    """Yield (announcement, step, name of what it changed) for each step that an `announce` below `roots` restates."""
    finder = _Finder(typed)
    for root in roots:
        yield from finder.search(root, ())


@lru_cache(maxsize=2)
def find_kinds_with_article(resolved: ResolvedBook) -> frozenset[str]:
    """Return the kinds whose things the authors announce with an article, as in `constructs the Market`."""
    kinds: set[str] = set()
    for announcement in _iter_announcements(resolved):
        for before, part in pairwise(announcement.parts):
            if isinstance(before, str) and before.endswith(" the") and not isinstance(part, str):
                type_ = resolved.types.get(part)
                kinds |= {type_.kind} if type_ is not None and type_.shape == "thing" else set()
    return frozenset(kinds)


def _iter_announcements(resolved: ResolvedBook) -> Iterator[t.Announce]:
    """Iterate over all announcements."""
    for definition in resolved.book.roots:
        yield from (node for node in walk(definition) if isinstance(node, t.Announce))


Nodes = tuple[t.Node, ...]


@dataclass(frozen=True)
class _Change:
    """A step that changes or names a value, with the keys by which an announcement may refer to it."""

    step: t.Stmt
    place: t.Expr | None  # what is written, None for `let`
    place_key: ValueKey | None
    # keys of the value that is put there and of whose place it is; empty if that says too little
    put: tuple[ValueKey, ...]
    named: ValueKey | None  # of the place or name that stands for the value from here on


class _Finder:
    def __init__(self, typed: TypedBook) -> None:
        self.resolved: ResolvedBook = typed.resolved
        self.reader = ConditionReader(typed)
        self.actions_of_choices: dict[
            t.Node, t.Action
        ] = {}  # the action of each choice: its questions have the action's name
        self.binders: dict[ValueKey, t.Node] = {  # of the names of loops none: those are no event
            ("local", id(local)): node
            for node, local in self.resolved.binds.items()
            if not isinstance(node, t.Loop | t.Expr)
        }

    def search(self, node: t.Node, asked: Nodes) -> Iterator[ReportedStep]:
        """Search the blocks below a node; `asked` are the questions that led into its branches."""
        if isinstance(node, t.Action):
            self.actions_of_choices |= dict.fromkeys((*node.params, *node.payments), node)
        for field, value in iter_fields(node):
            if is_block(value):
                block = expand_steps(self.resolved, value)
                if isinstance(node, t.May) and node.head is not None and field == "then":
                    block = (node.head, *block)
                yield from self._search_block(block, self._questions(node, field) or asked)
                continue
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, t.Node) and not isinstance(part, t.Expr):
                    yield from self.search(part, (node,) if isinstance(node, t.ChooseOne) else ())

    def _search_block(self, block: t.Block, asked: Nodes) -> Iterator[ReportedStep]:
        """Yield the steps reported by a block's announcements; each one also reports the questions in `asked`."""
        changes: list[_Change] = []
        before: t.Stmt | None = None
        for step in block:
            if isinstance(step, t.Announce):
                yield from (ReportedStep(step, question, "") for question in asked)
                yield from self._find_steps(step, before, changes)
            else:
                yield from self.search(step, ())
                changes += self._changes(step)
            before = step

    def _changes(self, step: t.Stmt) -> Iterator[_Change]:
        """Yield the change that a step makes, if it has a place or is a `let`, with the keys that may refer to it."""
        place = getattr(step, "place", None)
        if place is None and not isinstance(step, t.Let):
            return
        place_key = None if place is None else self.reader.value_key(place)
        put: tuple[ValueKey, ...] = ()
        value = getattr(step, "value", None)
        if value is not None and isinstance(place, t.Apply):
            if self.resolved.types[value].shape not in ("number", "truth"):
                put = tuple(self.reader.value_key(part) for part in (value, *place.args))
        named = place_key if isinstance(step, t.Set) else None
        if isinstance(step, t.Let):
            named = self.reader.value_key(step.name)
        yield _Change(step, place, place_key, put, named)

    def _find_steps(
        self, announcement: t.Announce, before: t.Stmt | None, changes: list[_Change]
    ) -> Iterator[ReportedStep]:
        """Yield earlier steps whose new values an announcement mentions, nearest first, then those that bind its names.

        A change is removed from `changes` when it is reported: a later announcement has nothing to add to it.
        """
        slots: set[ValueKey] = set()
        for part in announcement.parts:
            if not isinstance(part, str):
                self._add_slot(slots, part)
        moved = "" if before is None else self._find_moved_resource(before, announcement, changes)
        if before is not None and moved:
            yield ReportedStep(announcement, before, moved)
        for at in reversed(range(len(changes))):
            change = changes[at]
            if change.place is not None and (change.place_key in slots or change.put and slots.issuperset(change.put)):
                meaning = meaning_of_place(self.resolved, change.place)
                yield ReportedStep(announcement, change.step, meaning.name if meaning is not None else "")
                changes[at] = replace(change, place=None)
            if change.named in slots and isinstance(change.step, t.Set | t.Let):
                self._add_slot(slots, change.step.value)  # the place or the name now stands for this value
        yield from self._find_binders(announcement, slots)

    def _find_binders(self, announcement: t.Announce, slots: set[ValueKey]) -> Iterator[ReportedStep]:
        """Yield in written order the steps that bind a value in `slots`, or an action if all its choices are in."""
        found: dict[t.Node, None] = {}
        for slot in slots:
            total = slot[0] == "total" and isinstance(slot[1], tuple)
            binder = self.binders.get(slot[1] if total else slot)
            if binder is None:
                continue
            action = self.actions_of_choices.get(binder)
            together = (binder,) if action is None else (*action.params, *action.payments)
            if all(self._is_slot(slots, node) for node in together):
                found[action or binder] = None
        for binder in sorted(found, key=lambda node: (node.span.line, node.span.column)):
            yield ReportedStep(announcement, binder, "")

    def _is_slot(self, slots: set[ValueKey], binder: t.Node) -> bool:
        """Return True if `slots` has the local that a node binds, or, for a roll of one die, the total of it."""
        local = self.resolved.binds.get(binder)
        key = ("local", id(local))
        single = isinstance(binder, t.Roll) and isinstance(binder.count, t.Number) and binder.count.value == 1
        return local is not None and (key in slots or single and ("total", key) in slots)

    def _questions(self, node: t.Node, field: str) -> Nodes:
        """Return the questions whose answer leads into a block of a `may`."""
        if not isinstance(node, t.May):
            return ()
        if node.head is None or field == "then":
            return (node,)
        actions = (definition_of(self.resolved, name) for name in iter_role_values(node.head, Role.RUNS))
        return (node, node.head, *(action for action in actions if action is not None))

    def _find_moved_resource(self, before: t.Stmt, announcement: t.Announce, changes: Sequence[_Change]) -> str:
        """Return the name of the resource that `before` moves if the announcement says whose and how much, or "".

        How much must refer to the resource itself, as `coin of you` does, or a name that was given to it.
        """
        parts = [part for bundle in iter_role_values(before, Role.MOVED) for part in bundle.parts]
        if len(parts) != 1 or not isinstance(parts[0], t.Part) or parts[0].each:
            return ""
        amount, resource = parts[0].amount, self.resolved.meaning.get(parts[0].what)
        slot_keys = [self.reader.value_key(part) for part in announcement.parts if not isinstance(part, str)]
        if not isinstance(resource, Symbol) or slot_keys != [YOU, self.reader.value_key(amount)]:
            return ""
        for change in reversed(changes):
            if isinstance(change.step, t.Let) and change.named == self.reader.value_key(amount):
                amount = change.step.value
        refers = isinstance(amount, t.Apply) and self.resolved.meaning.get(amount.head) == resource
        return resource.name if refers else ""

    def _add_slot(self, slots: set[ValueKey], value: t.Expr) -> None:
        """Add the key of an announced value to `slots`; `total of x` also adds a key for the total of `x`."""
        slots.add(self.reader.value_key(value))
        if isinstance(value, t.Unary) and value.op == "total":
            slots.add(("total", self.reader.value_key(value.arg)))


def find_requested_panels(resolved: ResolvedBook) -> frozenset[str]:
    """Return the names of the panels that are shown only when rules `look at` them."""
    nodes = (node for owner in resolved.book.roots for node in walk(owner))
    return frozenset(node.display.word for node in nodes if isinstance(node, t.Look))
