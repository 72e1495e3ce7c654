"""Rules with every name and text replaced by nonsense, to prove that the engine knows no game.

Equal words stay equal, and alphabetical order is kept, because things of a kind that are equal in their order field
come in the order of their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS
from edict.compiler.sources.folders import Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.printing import print_page
from edict.compiler.syntax.traversal import walk
from edict.support.text import Source

# words that have a meaning in every game
LANGUAGE = frozenset({*BUILTINS, "it", *(form for kind in BUILTIN_KINDS for form in list_inflected_forms(kind))})

NOTES = ("source", "origin")  # fields of every thing, for readers only

# fields of nodes that hold texts; strings in other fields are keywords or operators
TEXTS = ("title", "decline", "prompt", "because", "text", "marked", "parts")


def rename_all(modules: Iterable[Module]) -> tuple[Module, ...]:
    """Return the modules with all names and texts replaced."""
    stack = list(modules)
    pages = [[parse(source).unwrap() for source in module.sources] for module in stack]
    new = NonsenseNames(stack, [page for written in pages for page in written])
    return tuple(new.rename_module(module, written) for module, written in zip(stack, pages, strict=True))


class NonsenseNames:
    """The replacement of every word and text of some rules."""

    def __init__(self, modules: list[Module], pages: list[t.Page]) -> None:
        nodes = [node for page in pages for definition in page.definitions for node in walk(definition)]
        said, named = {node.word for node in nodes if isinstance(node, t.Name)}, _find_names(nodes)
        self.words = _number_words("q", said - LANGUAGE - {""})
        self.words |= {form: self.words[word] + "s" for form, word in _iter_plurals(nodes) if form not in named}
        self.texts = _number_words("Zz", {text for node in nodes for text in iter_texts(node)})
        self.modules = _number_words("m", {module.name for module in modules})

    def rename_module(self, module: Module, pages: list[t.Page]) -> Module:
        name = self.modules[module.name]
        sources = tuple(
            Source(f"{name}/{i:02}.edict", print_page(t.Page("", tuple(map(self.rename_tree, page.definitions)))))
            for i, page in enumerate(sorted(pages, key=lambda page: page.file))
        )
        old = module.manifest
        requires, over, beside = map(self._rename_modules, (old.requires, old.over, module.beside))
        manifest = replace(old, name=name, title=name, requires=requires, over=over, conflicts=(), renamed=())
        return Module(manifest, Path(name), sources, dict.fromkeys(beside, ()))

    def _rename_modules(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the new names of those modules that are played."""
        return tuple(self.modules[name] for name in names if name in self.modules)

    def rename_tree(self, node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(map(self.rename_tree, node))
        if isinstance(node, t.Name):
            return replace(node, word=self.words.get(node.word, node.word))
        if not isinstance(node, t.Node) or is_note(node):
            return node
        values = {field.name: getattr(node, field.name) for field in fields(node)}
        return replace(node, **{name: self._rename_value(name, value) for name, value in values.items()})

    def _rename_value(self, field: str, value: Any) -> Any:
        if field in TEXTS and isinstance(value, tuple):
            return tuple(self._rename_value(field, one) for one in value)
        if field in TEXTS and isinstance(value, str):
            return "/".join(self.texts[form] for form in value.split("/")) if value else ""
        return self.rename_tree(value)


def is_note(node: t.Node) -> bool:
    """Return True if a field only says where a thing comes from."""
    return isinstance(node, t.FieldValue) and node.name.word in NOTES


def iter_texts(node: t.Node) -> Iterator[str]:
    """Yield the texts of a node without those of its children, the two forms of a title separately."""
    for field in TEXTS:
        value = getattr(node, field, "")
        for text in value if isinstance(value, tuple) else (value,):
            if text and isinstance(text, str) and not is_note(node):
                yield from text.split("/")


def _find_names(nodes: Iterable[t.Node]) -> set[str]:
    """Return the names that rules can use; nothing refers to displays, whose names may equal a kind's plural."""
    unnamed_types = (t.Display, t.Game, t.Amend)
    return {
        definition.name.word
        for definition in nodes
        if isinstance(definition, t.Definition) and not isinstance(definition, unnamed_types)
    } - {""}


def _iter_plurals(nodes: Iterable[t.Node]) -> Iterator[tuple[str, str]]:
    """Yield each other form of a word with the word, including the second form of a title."""
    for node in nodes:
        if isinstance(node, t.Kind | t.Group | t.Resource | t.Die | t.Retitle):
            many = node.title.partition("/")[2].lower().replace(" ", "-")
            for form in (*list_inflected_forms(node.name.word)[1:], *([many] if many else ())):
                yield form, node.name.word


def _number_words(letters: str, words: Iterable[str]) -> dict[str, str]:
    return {word: f"{letters}{i:04}" for i, word in enumerate(sorted(words))}
