"""Rules with every name and text in them replaced by nonsense, so that nothing is left that an engine could know.

Words that look alike stay alike, and what came first in the alphabet still does: things of a kind that are equal in
the field they are ordered by come in the order of their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS
from edict.compiler.sources.folders import Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plurals
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.printing import page_text
from edict.compiler.syntax.walking import walk
from edict.support.text import Source

LANGUAGE = frozenset({*BUILTINS, "it", *(form for kind in BUILTIN_KINDS for form in plurals(kind))})
"""Words with a meaning in every game."""

NOTES = ("source", "origin")
"""Fields of every thing, for readers alone."""

TEXTS = ("title", "decline", "prompt", "because", "text", "marked", "parts")
"""Where texts stand in a tree; other strings in it are signs of the language."""


def renamed(modules: Iterable[Module]) -> tuple[Module, ...]:
    """The same modules, as their author might have written them in a language nobody knows."""
    stack = list(modules)
    pages = [[parse(source).unwrap() for source in module.sources] for module in stack]
    new = Nonsense(stack, [page for written in pages for page in written])
    return tuple(new.module(module, written) for module, written in zip(stack, pages, strict=True))


class Nonsense:
    """What every word and text of some rules is replaced by."""

    def __init__(self, modules: list[Module], pages: list[t.Page]) -> None:
        nodes = [node for page in pages for definition in page.definitions for node in walk(definition)]
        said, named = {node.word for node in nodes if isinstance(node, t.Name)}, _named(nodes)
        self.words = _numbered("q", said - LANGUAGE - {""})
        self.words |= {form: self.words[word] + "s" for form, word in _plurals(nodes) if form not in named}
        self.texts = _numbered("Zz", {text for node in nodes for text in texts_in(node)})
        self.modules = _numbered("m", {module.name for module in modules})

    def module(self, module: Module, pages: list[t.Page]) -> Module:
        name = self.modules[module.name]
        sources = tuple(
            Source(f"{name}/{i:02}.edict", page_text(t.Page("", tuple(map(self.tree, page.definitions)))))
            for i, page in enumerate(sorted(pages, key=lambda page: page.file))
        )
        old = module.manifest
        requires, over, beside = map(self._modules, (old.requires, old.over, module.beside))
        manifest = replace(old, name=name, title=name, requires=requires, over=over, conflicts=(), renamed=())
        return Module(manifest, Path(name), sources, dict.fromkeys(beside, ()))

    def _modules(self, names: Iterable[str]) -> tuple[str, ...]:
        """Of those that are played, what they are called."""
        return tuple(self.modules[name] for name in names if name in self.modules)

    def tree(self, node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(map(self.tree, node))
        if isinstance(node, t.Name):
            return replace(node, word=self.words.get(node.word, node.word))
        if not isinstance(node, t.Node) or is_note(node):
            return node
        values = {field.name: getattr(node, field.name) for field in fields(node)}
        return replace(node, **{name: self._value(name, value) for name, value in values.items()})

    def _value(self, field: str, value: Any) -> Any:
        if field in TEXTS and isinstance(value, tuple):
            return tuple(self._value(field, one) for one in value)
        if field in TEXTS and isinstance(value, str):
            return "/".join(self.texts[form] for form in value.split("/")) if value else ""
        return self.tree(value)


def is_note(node: t.Node) -> bool:
    """Whether it says where a thing comes from."""
    return isinstance(node, t.FieldValue) and node.name.word in NOTES


def texts_in(node: t.Node) -> Iterator[str]:
    """The texts of a node, without those of the nodes below it; the two forms of a title apart."""
    for field in TEXTS:
        value = getattr(node, field, "")
        for text in value if isinstance(value, tuple) else (value,):
            if text and isinstance(text, str) and not is_note(node):
                yield from text.split("/")


def _named(nodes: Iterable[t.Node]) -> set[str]:
    """What rules can speak of; nobody refers to a display, so `advisors` may be one and mean those of the kind too."""
    unspoken = (t.Display, t.Game, t.Amend)
    return {d.name.word for d in nodes if isinstance(d, t.Definition) and not isinstance(d, unspoken)} - {""}


def _plurals(nodes: Iterable[t.Node]) -> Iterator[tuple[str, str]]:
    """What a word may also be written as, and the word; of a title of two forms also the second."""
    for node in nodes:
        if isinstance(node, t.Kind | t.Group | t.Resource | t.Die | t.Retitle):
            many = node.title.partition("/")[2].lower().replace(" ", "-")
            for form in (*plurals(node.name.word)[1:], *([many] if many else ())):
                yield form, node.name.word


def _numbered(letters: str, words: Iterable[str]) -> dict[str, str]:
    return {word: f"{letters}{i:04}" for i, word in enumerate(sorted(words))}
