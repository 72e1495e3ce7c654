"""Part of the pass `resolve`: symbols of a book, scopes of local names, and diagnostics for names without meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.compiler.layering.amendments import OrphanedReferences
from edict.compiler.layering.suggestions import (
    NameCandidates,
    NameSuggestion,
    describe_candidates,
    suggest_for_wrong_sort,
    suggest_name,
)
from edict.compiler.semantics.replaced_steps import LocalNames, Reach, diagnose_partly_bound
from edict.compiler.semantics.symbols import BUILTIN_KINDS, BUILTINS, Local, Meaning, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS, list_inflected_forms
from edict.compiler.syntax.roles import iter_run_names
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import add_indefinite_article, join_words
from edict.support.report import MOST_FINDINGS, Diagnostic, Edit, Label, find_nearest
from edict.support.resources import command_name
from edict.support.text import Span

# Sorts of a name that is a value; of a name before `of`; and phrases for some sorts.
VALUES = (*(sort for node, sort in SORTS.items() if node.is_value), "local", "builtin", "player")
HEADS = ("field", "keep", "quantity", "value", "resource", "group", "die", "local")
DECLARE = "declare it"  # the remedy if no suggestion is found
SORT_PHRASES = {"builtin": "a word of the language", "local": "a name of this rule"}


class NameLookup:
    """A symbol table with scopes, which looks up names and records their meanings."""

    def __init__(self, book: t.Book) -> None:
        self.book = book
        self.meaning: dict[t.Name, Meaning] = {}
        self.binds: dict[t.Node, Local] = {}
        self.member_locals: dict[t.Node, Local] = {}
        self.diagnostics: list[Diagnostic] = []
        self._reported_spans, self._reported_count = set[Span](), 0  # of the first `_reported_count` diagnostics
        self.scopes: list[dict[str, Local]] = []
        self.ended_locals: dict[str, Local] = {}  # locals of closed scopes of the definition being resolved
        self.loop_names: list[str] = []  # names of the members in the loops around a step
        self.names: dict[str, Symbol] = {}
        self.fields: dict[str, list[str]] = {}
        self.orphans = OrphanedReferences(book)
        self._candidates: dict[tuple[tuple[str, ...], tuple[str, ...]], NameCandidates] = {}
        self.names_at_steps: dict[t.Stmt, LocalNames] | None = (
            None  # names at each step, of definitions after `in` of exceptions
        )
        self.steps_of: dict[t.Definition, dict[t.Stmt, LocalNames]] = {}
        self.reach, self.reach_owner = Reach(), ""  # names at the steps that an exception replaces, and their phase
        self.edge = ""  # of the phase whose name is looked up: start, end
        self._declare_all()

    # --- symbols of the book -----------------------------------------------------------------

    def _declare_all(self) -> None:
        """Declare the language's words, all definitions and fields, then plurals; a plural never replaces a name."""
        for word in BUILTINS:
            self.names[word] = Symbol("builtin", word)
        for kind in BUILTIN_KINDS:
            for form in list_inflected_forms(kind):
                self.names[form] = Symbol(kind, kind)
        for name, definition in self.book.definitions.items():
            if isinstance(definition, t.Display | t.Game | t.Assert):
                continue  # no value refers to these, so other definitions may have their names
            self._check_builtin(definition)
            self.names[name] = Symbol(SORTS[type(definition)], name, definition)
            if isinstance(definition, t.Kind):
                for field in definition.fields:
                    self.fields.setdefault(field.name.word, []).append(name)
        for name, definition in self.book.definitions.items():
            if isinstance(definition, t.Kind | t.Group | t.Resource | t.Die):
                _, _, many = definition.title.partition("/")
                for form in (*list_inflected_forms(name), many.lower().replace(" ", "-")):
                    self.names.setdefault(form, self.names[name])
        self._check_fields()

    def _check_builtin(self, definition: t.Definition) -> None:
        """Report a definition whose name is a word of the language, such as `you`."""
        word = definition.name.word
        if word in self.names and self.names[word].definition is None:
            self._report_taken_name(definition.name)

    def _check_free(self, name: t.Name) -> None:
        """Report a name that is a word of the language, as in `let you = ...`."""
        if name.word in BUILTINS:
            self._report_taken_name(name)

    def _report_taken_name(self, name: t.Name) -> None:
        """Report E0205 for a name that the language already uses, unless another fault of it is reported."""
        self._reported_spans.update(diagnostic.span for diagnostic in self.diagnostics[self._reported_count :])
        self._reported_count = len(self.diagnostics)
        if name.span in self._reported_spans:
            return  # a fault of this name is reported already
        self.diagnostics.append(
            Diagnostic(
                "E0205",
                f"`{name.word}` is a built-in name",
                name.span,
                help="choose another name",
            )
        )

    def _check_fields(self) -> None:
        """Report each field that has the name of a `keep`, quantity, resource or group."""
        for field, kinds in self.fields.items():
            clash = self.book.definitions.get(field)
            if isinstance(clash, t.Keep | t.Quantity | t.Resource | t.Group):
                self.diagnostics.append(self._diagnose_field_clash(clash, kinds[0], field))

    def _diagnose_field_clash(self, definition: t.Definition, kind: str, field: str) -> Diagnostic:
        """Return a diagnostic for a field and a definition of one name; it points at the later of them."""
        title, sort = f"`{field}` is both a field of `{kind}` and a {SORTS[type(definition)]}", SORTS[type(definition)]
        note, kind_definition = f"`{field} of ...` could mean either", self.book.definitions[kind]
        if isinstance(kind_definition, t.Kind):
            field_definition = next((f for f in kind_definition.fields if f.name.word == field), None)
        else:
            field_definition = None
        files, modules = self.book.files, [*dict.fromkeys(self.book.files.values())]
        first, second = (
            modules.index(files[declaration.span.file])
            if declaration is not None and declaration.span.file in files
            else 0
            for declaration in (definition, field_definition)
        )
        if field_definition is not None and second > first:
            return Diagnostic(
                "E0204",
                title,
                field_definition.name.span,
                labels=(Label(definition.name.span, f"the {sort}"),),
                note=note,
                help=f"give the field another name, for example `{kind}-{field}`",
            )
        return Diagnostic(
            "E0204",
            title,
            definition.name.span,
            labels=(Label(kind_definition.span, "the field is declared in this kind"),),
            note=note,
            help="rename one of them",
        )

    # --- scopes ------------------------------------------------------------------------------

    def bind(self, node: t.Node, name: t.Name) -> None:
        """Add a name to the innermost scope with the node's local as its meaning; report a name that is taken."""
        self._check_free(name)
        local = self.local_for(node, name)
        self.scopes[-1][name.word] = local
        self.meaning[name] = local

    def local_for(self, node: t.Node, name: t.Name) -> Local:
        """Return the local that a node binds: one and the same, from whichever rule it is bound first."""
        return self.binds.setdefault(node, Local(name.word, name.span))

    def scope(self, *bindings: tuple[t.Node, t.Name]) -> _Scope:
        """Return a context manager in which a new scope with some bindings is open."""
        return _Scope(self, bindings)

    def look_up(self, word: str) -> Meaning | None:
        """Return the meaning of a word in the scopes from the inside out, then in the book; None if it has none."""
        for scope in reversed(self.scopes):
            if word in scope:
                return scope[word]
        return self.names.get(word)

    def resolve_name(self, name: t.Name, sorts: tuple[str, ...]) -> None:
        """Record the meaning of a name, which must be of one of these sorts; else report it."""
        meaning = self.look_up(name.word)
        if isinstance(meaning, Local) and "local" not in sorts:
            meaning = self.names.get(name.word, meaning)  # `each card as other` inside `each card` means the kind
        if "field" in sorts and name.word in self.fields and not isinstance(meaning, Local):
            meaning = Symbol("field", name.word)
        if meaning is None or meaning.sort not in sorts:
            if meaning is not None or not self.orphans.record_use(name.word, name.span):
                self.diagnostics.append(self._diagnose_unknown(name, sorts, meaning))
            meaning = Symbol("unknown", name.word)
        self.meaning[name] = meaning

    def _diagnose_unknown(self, name: t.Name, sorts: tuple[str, ...], meaning: Meaning | None) -> Diagnostic:
        """Return E0201 for a name that has no meaning here or one of a wrong sort, with the best suggestion."""
        listed = sorts
        if {"moment", "phase"} <= {*sorts}:  # of what a rule can wait for, what most wait for
            usual = ("phase",) if self.edge else ("moment",)
            listed = usual if self.candidates_for(usual) else sorts
        wanted, suggested = _describe_sorts(listed), self.suggest_meaning(name.word, sorts)
        literal = suggested is not None and suggested.word and "..." not in suggested.word
        edits = (Edit(name.span, suggested.word),) if suggested and literal else ()
        if meaning is not None:
            return self._diagnose_wrong_sort(name, sorts, meaning, suggested)
        if name.word in self.reach.partly and "local" in sorts:
            return diagnose_partly_bound(name, self.reach.partly[name.word], self.reach_owner)
        if name.word in self.ended_locals and name.word != "it" and "local" in sorts:
            return _diagnose_ended_scope(name, self.ended_locals[name.word])
        choices = self._list_choices(listed) if "builtin" not in sorts else ""
        if choices:
            advice = f"write {choices}, or {DECLARE}"
            if "moment" in sorts and choices.endswith("others"):
                advice += f"; `{command_name()} find --moments` lists all moments"
        else:
            advice = f"{DECLARE}, or use a name that is declared"
        remedy = suggested.help if suggested else _suggest_declaration(name.word, sorts) or advice
        if " or " in choices and suggested and suggested.guessed:
            remedy += f" There are {choices.replace(' or ', ' and ')}"
        return Diagnostic(
            "E0201",
            f"unknown name `{name.word}`",
            name.span,
            note=(suggested.note if suggested else "") or f"Expected {wanted} here.",
            help=remedy,
            edits=edits,
            alternatives=(*_edits_for_others(name, suggested), (_suggest_declaration(name.word, sorts) or advice, ())),
            asks=suggested is not None and bool(suggested.others),
            exact=bool(edits) and suggested is not None and suggested.exact,
        )

    def _diagnose_wrong_sort(
        self, name: t.Name, sorts: tuple[str, ...], meaning: Meaning, suggested: NameSuggestion | None
    ) -> Diagnostic:
        """Return the diagnostic for a name whose meaning cannot stand here."""
        labels = (Label(meaning.span, "defined"),) if isinstance(meaning, Local) else ()
        if isinstance(meaning, Symbol) and meaning.definition:
            labels = (Label(meaning.definition.name.span, "declared"),)
        word = meaning.name if isinstance(meaning, Symbol) and meaning.definition else name.word  # not its plural
        alternative = suggest_for_wrong_sort(word, meaning.sort, sorts, self.book.definitions) or suggested
        actual = SORT_PHRASES.get(meaning.sort) or add_indefinite_article(meaning.sort)
        return Diagnostic(
            "E0202",
            f"`{name.word}` is {actual}, but {_describe_sorts(sorts)} is expected here",
            name.span,
            labels=labels,
            note=alternative.note if alternative else "",
            help=alternative.help if alternative else self._suggest_sorts(sorts),
            edits=(Edit(name.span, alternative.word),) if alternative and alternative.word else (),
            alternatives=(*_edits_for_others(name, alternative), (self._suggest_sorts(sorts), ())),
            asks=alternative is not None and bool(alternative.others),
        )

    def _suggest_sorts(self, sorts: tuple[str, ...]) -> str:
        """Return advice to name something of these sorts with those that exist."""
        choices = self._list_choices(sorts) if not {"builtin", "local"} & {*sorts} else ""
        return f"name {_describe_sorts(sorts)}" + (f": {choices}" if choices and choices != "nothing" else "")

    def _list_choices(self, sorts: tuple[str, ...]) -> str:
        """Return the names that exist for these sorts as a phrase; "" once enough diagnostics were reported."""
        if len(self.diagnostics) < MOST_FINDINGS:
            return describe_candidates(self.candidates_for(sorts))
        return ""

    def suggest_meaning(self, word: str, sorts: tuple[str, ...]) -> NameSuggestion | None:
        """Return what a word without meaning may stand for; None once enough is reported that nobody will read it."""
        if len(self.diagnostics) >= MOST_FINDINGS:
            return None
        if word in self.fields and "builtin" in sorts:
            return self._suggest_field_owner(word)
        if word in self.fields and sorts == ("quantity",):
            kind = self.fields[word][0]
            owner = add_indefinite_article(kind)
            note = f"`{word}` is a field of {owner}; fields do not change in play, quantities are adjusted."
            return NameSuggestion("", f"write `amend {kind} ...`, and under it `{word}` with its new value", note)
        rules = self._list_qualified_rules(word) if "action" in sorts else []
        if rules:
            return NameSuggestion(rules[0], f"write `{rules[0]}`", "A rule's name needs its action.")
        if word == "it" and self.loop_names:
            loop_name = self.loop_names[-1]
            note = f"Inside an `each`, the current member is `{loop_name}`."
            return NameSuggestion(loop_name, f"write `{loop_name}`", note)
        if word == "it":
            bound = next((word for scope in reversed(self.scopes) for word in scope), "you")
            note = (
                "`it` stands for each member in turn, and works only in conditions such as those after "
                "`where` or `over`."
            )
            return NameSuggestion("", f"use a name here, such as `{bound}`", note)
        return self._suggest_difference(word, sorts) or suggest_name(
            word, sorts, self.candidates_for(sorts), self._game_edge() if "phase" in sorts else ""
        )

    def _suggest_field_owner(self, field: str) -> NameSuggestion:
        """Return the advice to ask a field of `it`, or of a name that the rule has for a thing with that field."""
        kinds = self.fields[field]
        owners = [word for scope in reversed(self.scopes) for word in scope if word in kinds or word == "it"]
        note = f"`{field}` is a field of {' or '.join(f'`{kind}`' for kind in kinds)}, and each of them has its own."
        if owners:
            return NameSuggestion(f"{field} of {owners[0]}", f"write `{field} of {owners[0]}`", note)
        return NameSuggestion("", f"write `{field} of ...` with the thing it belongs to", note)

    def _suggest_difference(self, word: str, sorts: tuple[str, ...]) -> NameSuggestion | None:
        """Return the advice to write `a - b` for the unknown word `a-b` if both sides mean something; else None."""
        left, _, right = word.rpartition("-")
        if (
            not left
            or "builtin" not in sorts
            or not self.look_up(left)
            or not (right.isdecimal() or self.look_up(right))
        ):
            return None
        expression = f"{left} - {right}"
        return NameSuggestion(
            expression, f"write `{expression}`", "A hyphen is part of a name, so a minus needs spaces."
        )

    def suggest_spelling(self, word: str, known: Iterable[str], span: Span) -> tuple[str, tuple[Edit, ...]]:
        """Return a did-you-mean and its edit; empty once enough is reported that nobody will read it."""
        nearest_word = find_nearest(word, known) if len(self.diagnostics) < MOST_FINDINGS else ""
        if nearest_word:
            return (f"did you mean `{nearest_word}`?", (Edit(span, nearest_word),))
        return ("", ())

    def candidates_for(self, sorts: tuple[str, ...]) -> NameCandidates:
        """Return every word that may stand where one of these sorts must, with its definition."""
        if "local" in sorts:
            local_words = tuple(word for scope in self.scopes for word in scope)
        else:
            local_words = ()
        if (sorts, local_words) not in self._candidates:
            symbols = {word: symbol.definition for word, symbol in self.names.items() if word and symbol.sort in sorts}
            fields = dict.fromkeys(self.fields) if "field" in sorts else {}
            self._candidates[sorts, local_words] = NameCandidates({**symbols, **fields, **dict.fromkeys(local_words)})
        return self._candidates[sorts, local_words]

    def _list_qualified_rules(self, word: str) -> list[str]:
        """Return `action.rule` for every action that has a rule of this name."""
        actions = self.book.select(t.Action)
        return [f"{a.name.word}.{word}" for a in actions if any(rule.name.word == word for rule in a.rules)]

    def _game_edge(self) -> str:
        """Return the start of the game's first phase; or the end of its last, if an end is asked for."""
        course = tuple(step for game in self.book.select(t.Game) for step in game.course)
        phases = [name.word for node in walk(course) for name in iter_run_names(node, "phase")]
        ends = self.edge == "end"
        if phases:
            return f"{'end' if ends else 'start'} of {phases[-1 if ends else 0]}"
        return ""


def _diagnose_ended_scope(name: t.Name, local: Local) -> Diagnostic:
    """Return E0201 for a local name that is used behind the block it was bound in."""
    return Diagnostic(
        "E0201",
        f"`{name.word}` exists only inside the block where it was defined",
        name.span,
        labels=(Label(local.span, "defined"),),
        note="Lines after that block, or to its left, cannot use the name.",
        help=f"write `let {name.word} = ...` before that block and `set {name.word} to ...` in it, "
        "or move these steps into the block",
    )


def _edits_for_others(name: t.Name, suggested: NameSuggestion | None) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield remedies that write the words which are as likely as the suggested one."""
    for word in suggested.others if suggested is not None else ():
        yield f"did you mean `{word}`?", (Edit(name.span, word),)


def only_suggests_declaring(diagnostic: Diagnostic) -> bool:
    """Return True if a diagnostic of a name without meaning has no better advice than to declare it."""
    return diagnostic.code == "E0201" and DECLARE in diagnostic.help


def _suggest_declaration(word: str, sorts: tuple[str, ...]) -> str:
    """Return advice on how to declare a name, where a `keep` may stand; `it` is no name that could be declared."""
    if word == "it":
        return "write a name in place of `it`"
    if "keep" not in sorts:
        return ""
    parameter = "" if "builtin" in sorts else " of player"
    let_advice = f", name it with `let {word} = ...`" if "local" in sorts and not parameter else ""
    return f"{DECLARE}, as in `keep {word}{parameter} as number`{let_advice}, or use a name that is declared"


def _describe_sorts(sorts: tuple[str, ...]) -> str:
    """Return the sorts that may stand in a place, in words with an article, such as `a phase or routine`."""
    if "builtin" in sorts:
        return "a value"
    return add_indefinite_article(join_words((sort for sort in sorts if sort != "local"), "or"))


class _Scope:
    def __init__(self, names: NameLookup, bindings: tuple[tuple[t.Node, t.Name], ...]) -> None:
        self.names = names
        self.bindings = bindings

    def __enter__(self) -> None:
        self.names.scopes.append({})
        for node, name in self.bindings:
            self.names.bind(node, name)

    def __exit__(self, *_: object) -> None:
        closed = self.names.scopes.pop()
        if self.names.scopes:
            self.names.ended_locals.update(closed)
        else:
            self.names.ended_locals = {}
