"""Part of `resolve`: the words of a book, the scopes of local names, and what is said about a name without meaning."""

from __future__ import annotations

from collections.abc import Iterable

from edict.compiler.layering.orphans import Orphans
from edict.compiler.layering.suggestions import Candidates, Suggestion, choice, otherwise, suggestion
from edict.compiler.semantics.reach import Bound, Reach, not_bound
from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS, Local, Meaning, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, plurals
from edict.compiler.syntax.roles import runs
from edict.compiler.syntax.walking import walk
from edict.support.morphology import capitalize, join_words, with_article
from edict.support.report import MOST_FINDINGS, Diagnostic, Edit, Label, nearest
from edict.support.text import Span

# What a name may mean where a value stands; before `of`; and how some sorts are spoken of.
VALUES = ("thing", "kind", "keep", "quantity", "value", "setting", "resource", "group", "local", "builtin", "player")
HEADS = ("field", "keep", "quantity", "value", "resource", "group", "die", "local")
DECLARE = "declare it"  # the remedy where nobody can tell what is meant
SPOKEN = {"builtin": "a word of the language", "local": "a name of this rule"}


class Names:
    """Knows what every word means where it stands, and keeps what each name was bound to."""

    def __init__(self, book: t.Book) -> None:
        self.book = book
        self.meaning: dict[t.Name, Meaning] = {}
        self.binds: dict[t.Node, Local] = {}
        self.asked: dict[t.Node, Local] = {}
        self.found: list[Diagnostic] = []
        self._told, self._seen = set[Span](), 0  # where the first so many of them lie
        self.scopes: list[dict[str, Local]] = []
        self.ended: dict[str, Local] = {}  # names of blocks of this definition that have ended
        self.passed: list[str] = []  # what is gone through by the loops around a step
        self.names: dict[str, Symbol] = {}
        self.fields: dict[str, list[str]] = {}
        self.orphans = Orphans(book)
        self._fitting: dict[tuple[tuple[str, ...], tuple[str, ...]], Candidates] = {}
        self.bound_at: dict[t.Stmt, Bound] | None = None  # the names known at each step, of rules of which that matters
        self.steps_of: dict[t.Definition, dict[t.Stmt, Bound]] = {}
        self.reach, self.reached = Reach(), ""  # what is bound at the steps of a phase that an exception replaces
        self.edge = ""  # of the phase whose name is asked for: start, end
        self._declare()

    # --- the words of the book ---------------------------------------------------------------

    def _declare(self) -> None:
        for word in BUILTINS:
            self.names[word] = Symbol("builtin", word)
        for kind in BUILTIN_KINDS:
            for form in plurals(kind):
                self.names[form] = Symbol(kind, kind)
        for name, definition in self.book.definitions.items():
            if isinstance(definition, t.Display | t.Game | t.Assert):
                continue  # no value refers to these, so their names are free for others
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
        self._told.update(diagnostic.span for diagnostic in self.found[self._seen :])
        self._seen = len(self.found)
        if name.span in self._told:
            return  # what is wrong with it was said
        self.found.append(
            Diagnostic(
                "E0205",
                f"`{name.word}` already means something in every game",
                name.span,
                help="choose another name",
            )
        )

    def _check_fields(self) -> None:
        for field, kinds in self.fields.items():
            clash = self.book.definitions.get(field)
            if isinstance(clash, t.Keep | t.Quantity | t.Resource | t.Group):
                self.found.append(self._field_and(clash, kinds[0], field))

    def _field_and(self, clash: t.Definition, kind: str, field: str) -> Diagnostic:
        """Underlined is what came later: of a field over a game's rules, the field."""
        title, sort = f"`{field}` is both a field of `{kind}` and a {SORTS[type(clash)]}", SORTS[type(clash)]
        note, of = f"`{field} of ...` could mean either", self.book.definitions[kind]
        mine = next((f for f in of.fields if f.name.word == field), None) if isinstance(of, t.Kind) else None
        files, modules = self.book.files, [*dict.fromkeys(self.book.files.values())]
        first, second = (
            modules.index(files[one.span.file]) if one is not None and one.span.file in files else 0
            for one in (clash, mine)
        )
        if mine is not None and second > first:
            return Diagnostic(
                "E0204",
                title,
                mine.name.span,
                labels=(Label(clash.name.span, f"the {sort}"),),
                note=note,
                help=f"give the field another name, for example `{kind}-{field}`",
            )
        return Diagnostic(
            "E0204",
            title,
            clash.name.span,
            labels=(Label(of.span, "the field is declared in this kind"),),
            note=note,
            help="rename one of them",
        )

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
        wanted, suggested = _expected(sorts), self.meant(name.word, sorts)
        literal = suggested is not None and suggested.word and "..." not in suggested.word
        edits = (Edit(name.span, suggested.word),) if suggested and literal else ()
        if meaning is not None:
            return self._other(name, sorts, meaning, suggested)
        if name.word in self.reach.partly and "local" in sorts:
            return not_bound(name, self.reach.partly[name.word], self.reached)
        if name.word in self.ended and name.word != "it" and "local" in sorts:
            return _ended(name, self.ended[name.word])
        there = self._choice(sorts) if "builtin" not in sorts else ""
        declared = f"write {there}, or {DECLARE}" if there else f"{DECLARE}, or use a name that is declared"
        remedy = suggested.help if suggested else _declaring(name.word, sorts) or declared
        if " or " in there and suggested and suggested.guessed:
            remedy += f" There are {there.replace(' or ', ' and ')}"
        return Diagnostic(
            "E0201",
            f"nothing is named `{name.word}`",
            name.span,
            note=(suggested.note if suggested else "") or f"{capitalize(wanted)} is expected here.",
            help=remedy,
            edits=edits,
            exact=bool(edits) and suggested is not None and suggested.exact,
        )

    def _other(
        self, name: t.Name, sorts: tuple[str, ...], meaning: Meaning, suggested: Suggestion | None
    ) -> Diagnostic:
        """The name means something, but nothing that can stand here."""
        where = (Label(meaning.span, "bound here"),) if isinstance(meaning, Local) else ()
        if isinstance(meaning, Symbol) and meaning.definition:
            where = (Label(meaning.definition.name.span, "declared here"),)
        word = meaning.name if isinstance(meaning, Symbol) and meaning.definition else name.word  # and not its plural
        other = otherwise(word, meaning.sort, sorts, self.book.definitions) or suggested
        is_ = SPOKEN.get(meaning.sort) or with_article(meaning.sort)
        return Diagnostic(
            "E0202",
            f"`{name.word}` is {is_}, and {_expected(sorts)} is expected here",
            name.span,
            labels=where,
            note=other.note if other else "",
            help=other.help if other else self._such_as(sorts),
            edits=(Edit(name.span, other.word),) if other and other.word else (),
        )

    def _such_as(self, sorts: tuple[str, ...]) -> str:
        """What must be named, with what there is of it."""
        there = self._choice(sorts) if not {"builtin", "local"} & {*sorts} else ""
        return f"name {_expected(sorts)}" + (f": {there}" if there and there != "nothing" else "")

    def _choice(self, sorts: tuple[str, ...]) -> str:
        """What there is of these sorts; not told where nobody will read it."""
        return choice(self.fitting(sorts)) if len(self.found) < MOST_FINDINGS else ""

    def meant(self, word: str, sorts: tuple[str, ...]) -> Suggestion | None:
        """What may be meant by a word without meaning; not looked for where nobody will read it."""
        if len(self.found) >= MOST_FINDINGS:
            return None
        if word in self.fields and "builtin" in sorts:
            return self._of_what(word)
        if word in self.fields and sorts == ("quantity",):
            kind = self.fields[word][0]
            note = (
                f"`{word}` is a field of {with_article(kind)}; fields do not change in play, quantities are adjusted."
            )
            return Suggestion("", f"write `amend {kind} ...`, and under it `{word}` with its new value", note)
        rules = self._rules(word) if "action" in sorts else []
        if rules:
            return Suggestion(rules[0], f"write `{rules[0]}`", "A rule is named together with its action.")
        if word == "it" and self.passed:
            passed = self.passed[-1]
            note = f"In the lines below an `each`, what is gone through is `{passed}`."
            return Suggestion(passed, f"write `{passed}`", note)
        if word == "it":
            bound = next((word for scope in reversed(self.scopes) for word in scope), "you")
            note = "`it` is each of several in turn, and only where they are looked at, as behind `where` or `over`."
            return Suggestion("", f"name what is meant here, such as `{bound}`", note)
        return self._difference(word, sorts) or suggestion(word, sorts, self.fitting(sorts), self._end())

    def _of_what(self, field: str) -> Suggestion:
        """A field is always that of a thing: of `it`, or of what the rule has a name for."""
        kinds = self.fields[field]
        named = [word for scope in reversed(self.scopes) for word in scope if word in kinds or word == "it"]
        note = f"`{field}` is a field of {' or '.join(f'`{kind}`' for kind in kinds)}, and each of them has its own."
        if named:
            return Suggestion(f"{field} of {named[0]}", f"write `{field} of {named[0]}`", note)
        return Suggestion("", f"write `{field} of ...` with what it is asked of", note)

    def _difference(self, word: str, sorts: tuple[str, ...]) -> Suggestion | None:
        """One thing minus another, written without spaces."""
        left, _, right = word.rpartition("-")
        if not left or "builtin" not in sorts or not self.look(left) or not (right.isdecimal() or self.look(right)):
            return None
        apart = f"{left} - {right}"
        return Suggestion(apart, f"write `{apart}`", "A hyphen belongs to the name, so a minus needs spaces.")

    def near(self, word: str, known: Iterable[str], span: Span) -> tuple[str, tuple[Edit, ...]]:
        """A did-you-mean, and as an edit; nothing where nobody will read it."""
        found = nearest(word, known) if len(self.found) < MOST_FINDINGS else ""
        return (f"did you mean `{found}`?", (Edit(span, found),)) if found else ("", ())

    def fitting(self, sorts: tuple[str, ...]) -> Candidates:
        """Every word that can stand where one of these sorts must, with its definition."""
        own = tuple(word for scope in self.scopes for word in scope) if "local" in sorts else ()
        if (sorts, own) not in self._fitting:
            named = {word: symbol.definition for word, symbol in self.names.items() if word and symbol.sort in sorts}
            fields = dict.fromkeys(self.fields) if "field" in sorts else {}
            self._fitting[sorts, own] = Candidates({**named, **fields, **dict.fromkeys(own)})
        return self._fitting[sorts, own]

    def _rules(self, word: str) -> list[str]:
        """The rules of this name, each with its action."""
        actions = (d for d in self.book.definitions.values() if isinstance(d, t.Action))
        return [f"{action.name.word}.{word}" for action in actions for rule in action.rules if rule.name.word == word]

    def _end(self) -> str:
        """The start of the game, as that of a phase; or its end, if an end is asked for."""
        games = (d for d in self.book.definitions.values() if isinstance(d, t.Game))
        steps = (node for game in games for step in game.course for node in walk(step))
        phases = [name.word for step in steps for name in runs(step, "phase")]
        ends = self.edge == "end"
        return f"{'end' if ends else 'start'} of {phases[-1 if ends else 0]}" if phases else ""


def _ended(name: t.Name, local: Local) -> Diagnostic:
    return Diagnostic(
        "E0201",
        f"`{name.word}` is a name only up to the end of the block it was given in",
        name.span,
        labels=(Label(local.span, "it was named here"),),
        note="Whatever comes after that block, or stands to the left of it, does not know the name.",
        help=f"write `let {name.word} = ...` before that block and `set {name.word} to ...` in it, "
        "or move these steps into the block",
    )


def only_declares(one: Diagnostic) -> bool:
    """Whether nothing more is told of a name without meaning than that it may be declared."""
    return one.code == "E0201" and DECLARE in one.help


def _declaring(word: str, sorts: tuple[str, ...]) -> str:
    """How a name is declared where there may be anything that is kept."""
    if "keep" not in sorts:
        return ""
    whose = "" if "builtin" in sorts else " of player"
    named = f", name it with `let {word} = ...`" if "local" in sorts and not whose else ""
    return f"{DECLARE}, as in `keep {word}{whose} as number`{named}, or use a name that is declared"


def _expected(sorts: tuple[str, ...]) -> str:
    """What must stand in a place, in words."""
    if "builtin" in sorts:
        return "a value"
    return with_article(join_words((sort for sort in sorts if sort != "local"), "or"))


class _Scope:
    def __init__(self, names: Names, bindings: tuple[tuple[t.Node, t.Name], ...]) -> None:
        self.names = names
        self.bindings = bindings

    def __enter__(self) -> None:
        self.names.scopes.append({})
        for node, name in self.bindings:
            self.names.bind(node, name)

    def __exit__(self, *_: object) -> None:
        ended = self.names.scopes.pop()
        if self.names.scopes:
            self.names.ended.update(ended)
        else:
            self.names.ended = {}
