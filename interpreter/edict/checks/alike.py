"""Choices that are none: options that do the same or are called the same, offers of nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.checks.excluding import Key, Reader
from edict.language import tree as t
from edict.language.roles import Asks, Role, has, having
from edict.language.walking import parts, walk
from edict.meaning.calls import owners
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def alike(typed: Typed) -> Iterator[Diagnostic]:
    same = Reader(typed.resolved)
    for owner in owners(typed.resolved):
        for node in walk(owner):
            if isinstance(node, t.ChooseOne):
                yield from _options(same, node)
            elif isinstance(node, t.Stmt) and has(type(node), Role.MOVED):
                yield from _twice([(same.key(one), one) for one in having(node, Role.MOVED)], "this is offered already")
            elif isinstance(node, t.Stmt) and has(type(node), Role.INSTEAD):
                yield from _offer(node) if isinstance(node, Asks) else _branches(same, node)


def _options(same: Reader, choice: t.ChooseOne) -> Iterator[Diagnostic]:
    branches = choice.branches
    if len(branches) == 1 and branches[0].condition is None:
        yield _none("a single option is no choice", branches[0], "add another, or write the steps without `choose one`")
    titled = [(("title", one.title), one) for one in branches if one.title and not one.more]
    called = [*_twice(titled, "another option has the same title")]
    done = [((*map(same.key, one.block), _condition(same, one)), one) for one in branches]
    yield from called or _twice(done, "this option does the same as another")


def _condition(same: Reader, branch: t.Branch) -> Key:
    return ("always",) if branch.condition is None else same.key(branch.condition)


def _twice(keyed: Sequence[tuple[Key, t.Node]], title: str) -> Iterator[Diagnostic]:
    first: dict[Key, t.Node] = {}
    for key, node in keyed:
        before = first.setdefault(key, node)
        if before is not node:
            yield _none(title, node, "make them differ, or delete one", Label(before.span, "the other one"))


def _offer(may: t.Stmt) -> Iterator[Diagnostic]:
    inner = [one for _, value in parts(may) for one in (value if isinstance(value, tuple) else (value,))]
    if all(isinstance(one, t.Nothing) for one in inner if isinstance(one, t.Stmt)):
        yield _none("nothing happens, whatever is answered", may, "write below it what is offered")


def _branches(same: Reader, one: t.Stmt) -> Iterator[Diagnostic]:
    otherwise, then = [*map(same.key, having(one, Role.INSTEAD))], [*map(same.key, getattr(one, "then", ()))]
    for condition in having(one, Role.DECIDES):
        if otherwise and otherwise == then:
            yield _none("the same happens whether this is so or not", condition, "make the two differ, or leave it out")


def _none(title: str, node: t.Node, remedy: str, *labels: Label) -> Diagnostic:
    return Diagnostic("E0555", title, node.span, severity="warning", labels=labels, help=remedy)
