"""Part of pass 4: the words of a book, the scopes of local names, and what is said of a name without meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.front import tree as t
from edict.front.orphans import Orphans
from edict.front.symbols import BUILTINS, BUILTIN_KINDS, Local, Meaning, Symbol
from edict.front.sorts import SORTS, a, plurals
from edict.report import MOST_FINDINGS, Diagnostic, Label, did_you_mean

# What a name may mean where a value stands; before `of`; and how some sorts are spoken of.
VALUES = ("thing", "kind", "keep", "quantity", "setting", "resource", "group", "local", "builtin", "player")
HEADS = ("field", "keep", "quantity", "resource", "group", "die", "local")
SPOKEN = {"builtin": "a word of the language", "local": "a name of this rule"}


class Names:
    """Knows what every word means where it stands, and keeps what each name was bound to."""

    def __init__(self, book: t.Book) -> None:
        self.book = book
        self.meaning: dict[t.Name, Meaning] = {}
        self.binds: dict[t.Node, Local] = {}
        self.found: list[Diagnostic] = []
        self.scopes: list[dict[str, Local]] = []
        self.names: dict[str, Symbol] = {}
        self.fields: dict[str, list[str]] = {}
        self.orphans = Orphans(book)
        self._declare()

    # --- the words of the book ---------------------------------------------------------------

    def _declare(self) -> None:
        for word in BUILTINS:
            self.names[word] = Symbol("builtin", word)
        for kind in BUILTIN_KINDS:
            for form in plurals(kind):
                self.names[form] = Symbol(kind, kind)
        for name, definition in self.book.definitions.items():
            if isinstance(definition, t.Display | t.Game):
                continue  # nobody refers to these, so their names are free for others
            self._check_builtin(definition)
            self.names[name] = Symbol(SORTS[type(definition)], name, definition)
            if isinstance(definition, t.Kind):
                for field in definition.fields:
                    self.fields.setdefault(field.name.word, []).append(name)
        for name, definition in self.book.definitions.items():
            if isinstance(definition, t.Kind | t.Group | t.Resource | t.Die):
                _, _, many = definition.title.partition("/")
                for form in (*plurals(name), many.lower().replace(" ", "-")):
                    self.names.setdefault(form, self.names[name])
        self._check_fields()

    def _check_builtin(self, definition: t.Definition) -> None:
        word = definition.name.word
        if word in self.names and self.names[word].definition is None:
            self._taken(definition.name)

    def _check_free(self, name: t.Name) -> None:
        """`let you = ...` would make `you` mean two things."""
        if name.word in BUILTINS:
            self._taken(name)

    def _taken(self, name: t.Name) -> None:
        self.found.append(
            Diagnostic(
                "E0205", f"`{name.word}` already means something in every game", name.span,
                help="choose another name",
            )
        )  # fmt: skip

    def _check_fields(self) -> None:
        for field, kinds in self.fields.items():
            clash = self.book.definitions.get(field)
            if isinstance(clash, t.Keep | t.Quantity | t.Resource | t.Group):
                kind = self.book.definitions[kinds[0]]
                self.found.append(
                    Diagnostic(
                        "E0204", f"`{field}` is both a field of `{kinds[0]}` and a {SORTS[type(clash)]}",
                        clash.name.span, labels=(Label(kind.span, "the field is declared in this kind"),),
                        note=f"`{field} of ...` could mean either", help="rename one of them",
                    )
                )  # fmt: skip

    # --- scopes ------------------------------------------------------------------------------

    def bind(self, node: t.Node, name: t.Name) -> None:
        self._check_free(name)
        local = self.local(node, name)
        self.scopes[-1][name.word] = local
        self.meaning[name] = local

    def local(self, node: t.Node, name: t.Name) -> Local:
        """What a node binds: one and the same, whether its own definition or an ability of it is seen first."""
        return self.binds.setdefault(node, Local(name.word, name.span))

    def scoped(self, *bindings: tuple[t.Node, t.Name]) -> _Scope:
        return _Scope(self, bindings)

    def look(self, word: str) -> Meaning | None:
        for scope in reversed(self.scopes):
            if word in scope:
                return scope[word]
        return self.names.get(word)

    def use(self, name: t.Name, sorts: tuple[str, ...]) -> None:
        """Bind a use of a name that must mean one of these sorts."""
        meaning = self.look(name.word)
        if isinstance(meaning, Local) and "local" not in sorts:
            meaning = self.names.get(name.word, meaning)  # `each card as other` inside `each card`
        if "field" in sorts and name.word in self.fields and not isinstance(meaning, Local):
            meaning = Symbol("field", name.word)
        if meaning is None or meaning.sort not in sorts:
            if meaning is not None or not self.orphans.take(name.word, name.span):
                self.found.append(self._unknown(name, sorts, meaning))
            meaning = Symbol("unknown", name.word)
        self.meaning[name] = meaning

    def _unknown(self, name: t.Name, sorts: tuple[str, ...], meaning: Meaning | None) -> Diagnostic:
        wanted = " or ".join(s for s in sorts if s not in ("local", "builtin"))
        if meaning is not None:
            where = (Label(meaning.span, "bound here"),) if isinstance(meaning, Local) else ()
            if isinstance(meaning, Symbol) and meaning.definition:
                where = (Label(meaning.definition.name.span, "declared here"),)
            return Diagnostic(
                "E0202", f"`{name.word}` is {SPOKEN.get(meaning.sort) or a(meaning.sort)}, and here stands {a(wanted)}",
                name.span, labels=where, help=self.near(name.word, self._words(sorts)) or f"name {a(wanted)}",
            )  # fmt: skip
        return Diagnostic(
            "E0201", f"nothing is called `{name.word}`", name.span, note=f"expected {a(wanted)}",
            help=self.near(name.word, self._words(sorts)) or "declare it, or use a name that is declared",
        )  # fmt: skip

    def near(self, word: str, known: Iterable[str]) -> str:
        """What may be meant by a word without meaning; not looked for where nobody will read it."""
        return did_you_mean(word, known) if len(self.found) < MOST_FINDINGS else ""

    def _words(self, sorts: tuple[str, ...]) -> Iterator[str]:
        yield from (w for w, s in self.names.items() if s.sort in sorts)
        if "field" in sorts:
            yield from self.fields
        if "local" in sorts:
            yield from (w for scope in self.scopes for w in scope)


class _Scope:
    def __init__(self, names: Names, bindings: tuple[tuple[t.Node, t.Name], ...]) -> None:
        self.names = names
        self.bindings = bindings

    def __enter__(self) -> None:
        self.names.scopes.append({})
        for node, name in self.bindings:
            self.names.bind(node, name)

    def __exit__(self, *_: object) -> None:
        self.names.scopes.pop()
