"""Topological order and strong components, without recursion, so that chains may be of any length."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


class CycleError(Exception):
    """A cycle of dependencies; `members` begins and ends with the same node."""

    def __init__(self, members: list[object]) -> None:
        self.members = members
        super().__init__()


def sort_topologically(
    starts: Iterable[N], dependencies: Callable[[N], Iterable[N]], allow_cycles: bool = False
) -> list[N]:
    """Return the starts and everything they depend on, each after its own dependencies.

    Args:
        starts: The nodes to begin with.
        dependencies: Returns the dependencies of a node.
        allow_cycles: Accept cycles; a node on a cycle then comes after only one of its dependencies there.

    Raises:
        CycleError: If there is a cycle and `allow_cycles` is False.
    """
    done: dict[N, bool] = {}  # whether all its dependencies have been visited
    ordered: list[N] = []
    for start in starts:
        if start in done:
            continue
        done[start] = False
        path: list[tuple[N, Iterator[N]]] = [(start, iter(dependencies(start)))]
        while path:
            node, remaining = path[-1]
            dependency = next(remaining, None)
            if dependency is None:
                done[node] = True
                ordered.append(node)
                path.pop()
            elif dependency not in done:
                done[dependency] = False
                path.append((dependency, iter(dependencies(dependency))))
            elif not done[dependency] and not allow_cycles:
                members = [member for member, _ in path]
                raise CycleError([*members[members.index(dependency) :], dependency])
    return ordered


def find_cycles(nodes: Iterable[N], dependencies: Callable[[N], Iterable[N]]) -> list[list[N]]:
    """Return the strong components of the nodes that contain a cycle."""
    all_components = strong_components(nodes, dependencies)
    return [
        component for component in all_components if len(component) > 1 or component[0] in dependencies(component[0])
    ]


def strong_components(nodes: Iterable[N], dependencies: Callable[[N], Iterable[N]]) -> Iterator[list[N]]:
    """Yield the strong components of the nodes and everything they depend on, dependencies first.

    Uses Tarjan's algorithm.
    """
    index: dict[N, int] = {}
    low_link: dict[N, int] = {}
    stack: dict[N, None] = {}
    for start in nodes:
        path: list[tuple[N, Iterator[N]]] = [] if start in index else [(start, iter(dependencies(start)))]
        while path:
            node, remaining = path[-1]
            if node not in index:
                index[node] = low_link[node] = len(index)
                stack[node] = None
            dependency = next(remaining, None)
            if dependency is None:
                path.pop()
                if path:
                    low_link[path[-1][0]] = min(low_link[path[-1][0]], low_link[node])
                if low_link[node] == index[node]:
                    yield _pop_component(node, stack)
            elif dependency not in index:
                path.append((dependency, iter(dependencies(dependency))))
            elif dependency in stack:
                low_link[node] = min(low_link[node], index[dependency])


def _pop_component(root: N, stack: dict[N, None]) -> list[N]:
    """Pop the component with this root off the stack."""
    members: list[N] = []
    while not members or members[-1] != root:
        members.append(stack.popitem()[0])
    return members[::-1]
