"""Names in rules of older editions that are keywords today, and the edits that rename them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import count

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.reserved_words import find_reserved_sorts, iter_declared_names
from edict.compiler.syntax.traversal import walk
from edict.support.report import Edit


def rename_clashing_names(page: t.Page, renames: Iterable[tuple[str, str]]) -> Iterator[Edit]:
    """Yield the edits that rename the names which clash with a keyword.

    A local is renamed in its definition, any other name in the whole file. A local is also renamed where it would
    capture a new name.

    Args:
        page: A file in which nothing was renamed yet.
        renames: The new names that hold in every file of the module, as pairs of old and new name.
    """
    page_renames = dict(renames)
    taken = collect_names(page) | set(page_renames.values())
    for word in find_clashing_names(page):
        page_renames.setdefault(word, choose_free_name(word, taken))
    for definition in page.definitions:
        names = [node for node in walk(definition) if isinstance(node, t.Name)]
        captured = {page_renames[node.word] for node in names if node.word in page_renames}
        local_names = [
            name.word for name, sort in iter_declared_names(definition) if sort == "local" and name.word in captured
        ]
        local_names += [name.word for name, _ in _iter_clashes(definition)]
        new_names = {word: choose_free_name(word, taken) for word in local_names} | page_renames
        for node in names:
            if node.word in new_names:
                yield Edit(node.span, new_names[node.word])


def find_clashing_names(page: t.Page) -> list[str]:
    """Return the clashing names that can be used outside the definition that declares them."""
    clashes = (clash for definition in page.definitions for clash in _iter_clashes(definition))
    return [name.word for name, sort in clashes if sort != "local"]


def _iter_clashes(definition: t.Definition) -> Iterator[tuple[t.Name, str]]:
    """Yield the names that a definition declares and that are keywords today, each with its sort."""
    return ((name, sort) for name, sort in iter_declared_names(definition) if sort in find_reserved_sorts(name.word))


def collect_names(page: t.Page) -> set[str]:
    """Return every name that occurs in a page."""
    return {node.word for definition in page.definitions for node in walk(definition) if isinstance(node, t.Name)}


def choose_free_name(word: str, taken: Container[str]) -> str:
    """Return the first of `my-WORD`, `my-WORD-2`, `my-WORD-3` ... that is not taken."""
    names = (f"my-{word}" + (f"-{number}" if number > 1 else "") for number in count(1))
    return next(name for name in names if name not in taken)
