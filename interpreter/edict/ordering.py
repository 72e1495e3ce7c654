"""Putting things in order by what they need, however long the chain: without calls that go as deep."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


class Circle(Exception):
    """What needs itself; `members` begin and end with the same one."""

    def __init__(self, members: list[object]) -> None:
        self.members = members
        super().__init__()


def after_their_needs(starts: Iterable[N], needs: Callable[[N], Iterable[N]], circles: bool = False) -> list[N]:
    """The starts and all they need, each after what it needs itself; raises `Circle`.

    circles: what needs itself is no error, and stands after one of those on its circle.
    """
    done: dict[N, bool] = {}  # whether all it needs has been seen
    ordered: list[N] = []
    for start in starts:
        if start in done:
            continue
        done[start] = False
        path: list[tuple[N, Iterator[N]]] = [(start, iter(needs(start)))]
        while path:
            one, left = path[-1]
            needed = next(left, None)
            if needed is None:
                done[one] = True
                ordered.append(one)
                path.pop()
            elif needed not in done:
                done[needed] = False
                path.append((needed, iter(needs(needed))))
            elif not done[needed] and not circles:
                members = [member for member, _ in path]
                raise Circle([*members[members.index(needed) :], needed])
    return ordered


def together(nodes: Iterable[N], needs: Callable[[N], Iterable[N]]) -> list[list[N]]:
    """Those of the nodes that need each other in a circle, each circle by itself."""
    found = components(nodes, needs)
    return [circle for circle in found if len(circle) > 1 or circle[0] in needs(circle[0])]


def components(nodes: Iterable[N], needs: Callable[[N], Iterable[N]]) -> Iterator[list[N]]:
    """Yield the nodes and all they need, those that need each other together, after what these need: Tarjan's strong
    components."""
    number: dict[N, int] = {}
    lowest: dict[N, int] = {}
    open_: dict[N, None] = {}
    for start in nodes:
        path: list[tuple[N, Iterator[N]]] = [] if start in number else [(start, iter(needs(start)))]
        while path:
            one, left = path[-1]
            if one not in number:
                number[one] = lowest[one] = len(number)
                open_[one] = None
            needed = next(left, None)
            if needed is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[one])
                if lowest[one] == number[one]:
                    yield _close(one, open_)
            elif needed not in number:
                path.append((needed, iter(needs(needed))))
            elif needed in open_:
                lowest[one] = min(lowest[one], number[needed])


def _close(first: N, open_: dict[N, None]) -> list[N]:
    """Take the component off that this one was the first of."""
    members: list[N] = []
    while not members or members[-1] != first:
        members.append(open_.popitem()[0])
    return members[::-1]
