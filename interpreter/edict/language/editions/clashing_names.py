"""Names of older rules that are words of today's language, and the edits that rename them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import count

from edict.language import tree as t
from edict.language.reserved_words import declared_names, reserved
from edict.language.walking import walk
from edict.report import Edit


def rename_clashing_names(page: t.Page, renames: Iterable[tuple[str, str]]) -> Iterator[Edit]:
    """Return the edits that rename what clashes with a word of the language.

    A local is renamed in its definition, any other name in the whole file. A local is also renamed where it would
    capture a new name.

    Args:
        page: A file in which nothing was renamed yet.
        renames: The new names that hold in every file of the module.
    """
    everywhere = dict(renames)
    taken = names_in_page(page) | set(everywhere.values())
    for word in find_clashing_names(page):
        everywhere.setdefault(word, choose_free_name(word, taken))
    for definition in page.definitions:
        names = [node for node in walk(definition) if isinstance(node, t.Name)]
        captured = {everywhere[node.word] for node in names if node.word in everywhere}
        local = [name.word for name, sort in declared_names(definition) if sort == "local" and name.word in captured]
        local += [name.word for name, _ in _clashes(definition)]
        new_names = {word: choose_free_name(word, taken) for word in local} | everywhere
        for node in names:
            if node.word in new_names:
                yield Edit(node.span, new_names[node.word])


def find_clashing_names(page: t.Page) -> list[str]:
    """Return the names that clash and can be used outside of the definition that declares them."""
    clashes = (clash for definition in page.definitions for clash in _clashes(definition))
    return [name.word for name, sort in clashes if sort != "local"]


def _clashes(definition: t.Definition) -> Iterator[tuple[t.Name, str]]:
    return ((name, sort) for name, sort in declared_names(definition) if sort in reserved(name.word))


def names_in_page(page: t.Page) -> set[str]:
    """Return every name that is written in a page."""
    return {node.word for definition in page.definitions for node in walk(definition) if isinstance(node, t.Name)}


def choose_free_name(word: str, taken: Container[str]) -> str:
    """Return the first of `my-WORD`, `my-WORD-2`, `my-WORD-3` ... that is not taken."""
    names = (f"my-{word}" + (f"-{number}" if number > 1 else "") for number in count(1))
    return next(name for name in names if name not in taken)
