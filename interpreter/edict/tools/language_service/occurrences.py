"""Every name that is written in rules, and what it stands for: one key for all that means the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from edict.compiler.semantics.symbols import Local, Meaning, ResolvedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import Declared, declared_in
from edict.compiler.syntax.roles import Role, Within, note, refers, roles_of
from edict.compiler.syntax.walking import parts
from edict.support.text import Span

DECLARED, FIELD, RULE, LOCAL, WORD = "name", "field", "rule", "local", "word"
Key = tuple[str, str]
"""What a name stands for: its sort (one of the words above) and its name; of a local name the place of its binding."""

_FIELDS = frozenset(
    (
        (t.FieldDef, "name"),
        (t.FieldValue, "name"),
        (t.Table, "columns"),
        (t.Unique, "fields"),
        (t.Kind, "order"),
        (t.Combinations, "over"),
    )
)
"""Where a name is that of a field, also before anything is resolved."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name as it is written; `sort` is what people call what it means, `declares` whether it is declared here."""

    span: Span
    word: str
    key: Key
    sort: str
    declares: bool = False


def occurrences(pages: Iterable[t.Page], resolved: ResolvedBook) -> dict[str, tuple[Occurrence, ...]]:
    """All occurrences by file. What was read and then replaced by another module is found by its word."""
    read = list(pages)
    meant: dict[Span, Meaning] = {}
    for name, meaning in resolved.meaning.items():  # where a name also binds one, what it means itself counts
        if name.span not in meant or not isinstance(meaning, Local):
            meant[name.span] = meaning
    work = _Occurrences(meant, declared_in(read))
    return {page.file: tuple(sorted(work.of(page), key=lambda one: one.span)) for page in read}


@dataclass(frozen=True)
class _Occurrences:
    meant: dict[Span, Meaning]
    declared: Declared

    def of(self, page: t.Page) -> Iterator[Occurrence]:
        seen: set[Span] = set()
        for definition in page.definitions:
            for mention in self.within(definition, definition):
                if mention.span not in seen:
                    seen.add(mention.span)
                    yield mention

    def within(self, node: t.Node, definition: t.Definition) -> Iterator[Occurrence]:
        for field, value in parts(node):
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, t.Name):
                    if one.word and one.span.line:
                        yield self.mention(node, field, one, definition)
                elif isinstance(one, t.Node):
                    yield from self.within(one, definition)

    def mention(self, node: t.Node, field: str, name: t.Name, definition: t.Definition) -> Occurrence:
        declares = isinstance(node, t.Definition | t.Row | t.FieldDef | t.Rule) and field == "name"
        changing = isinstance(definition, t.Amend | t.Remove_ | t.Retitle)
        if declares and not isinstance(node, t.FieldDef | t.Rule):
            return Occurrence(name.span, name.word, (DECLARED, name.word), self.sort(name.word), not changing)
        if (type(node), field) in _FIELDS:
            return Occurrence(name.span, name.word, (FIELD, name.word), "field", isinstance(node, t.FieldDef))
        if isinstance(node, t.Rule) and field == "name":
            key = RULE, f"{amended(definition).name.word}.{name.word}"
            return Occurrence(name.span, name.word, key, "rule", True)
        within = note(type(node), field, Within)
        if within is not None:
            return Occurrence(name.span, name.word, (RULE, f"{getattr(node, within.field).word}.{name.word}"), "rule")
        return self.used(node, field, name)

    def used(self, node: t.Node, field: str, name: t.Name) -> Occurrence:
        """A name that means what it was found to mean; where nothing was, what is called so."""
        meaning = self.meant.get(name.span)
        if isinstance(meaning, Local):
            meaning = self.meant.get(meaning.span, meaning)  # what is called by its kind is renamed with it
        if isinstance(meaning, Local):
            binding = meaning.span == name.span
            return Occurrence(name.span, name.word, (LOCAL, str(meaning.span)), "local", binding)
        if meaning is not None and meaning.sort != "unknown":
            kind = FIELD if meaning.sort == "field" else WORD if meaning.definition is None else DECLARED
            return Occurrence(name.span, name.word, (kind, meaning.name), meaning.sort)
        word = self.declared.meant(name.word)
        rivals = roles_of(type(node), field) & {Role.OVER, Role.BESIDE}
        known = bool(word) and bool(refers(type(node), field) or rivals or isinstance(node, t.Remove_))
        return Occurrence(name.span, name.word, (DECLARED, word) if known else (WORD, name.word), self.sort(word))

    def sort(self, word: str) -> str:
        sort = self.declared.sort(word)
        definition = self.declared.definitions.get(word)
        return "thing" if isinstance(definition, t.Thing | t.Table) else sort or "thing"


def amended(definition: t.Definition) -> t.Definition:
    """What is defined: of an amendment what it changes."""
    return definition.definition if isinstance(definition, t.Amend) else definition


def sort_of(node: t.Node) -> str:
    """The word with which a definition or an ability begins, more or less: editors choose a sign by it."""
    return type(node).__name__.lower().rstrip("_")
