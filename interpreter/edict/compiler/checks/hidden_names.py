"""Local names that hide a declaration: after `let gold = 3` no line below can refer to gold."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.checks.check_registry import CheckContext, Checks, has_role
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.compiler.syntax.patterns import keyword
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.support.report import Diagnostic, Label

checks = Checks()

# the words for what a name hides, by its sort; a member may be named like its kind, an option like its thing
_SORT_PHRASES = {
    "resource": "the resource",
    "group": "the group",
    "die": "dice",
    "keep": "the keep",
    "quantity": "the quantity",
    "value": "the value",
    "setting": "the setting",
    "kind": "all things of the kind",
}

_PLURAL_SORTS = ("resource", "group", "die", "kind")


@checks.check_rules
def find_hidden_names(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find local names that hide a declaration."""
    declared = _hideable_words(rules.resolved.book)
    for role in (Role.BINDS, Role.BINDS_BELOW):
        for _, step in rules.nodes_of(has_role(role)):
            for name in iter_role_values(step, role) if isinstance(step, t.Stmt | t.Expr) else ():
                definition = declared.get(name.word)
                if definition is not None and not _is_from_later_module(rules.resolved.book, definition, name):
                    yield _diagnose_hidden_name(name, definition)


def _hideable_words(book: t.Book) -> dict[str, t.Definition]:
    """Map each word that a local name may hide to its definition; a kind's own name may be used and is left out."""
    words: dict[str, t.Definition] = {}
    for definition in book.definitions.values():
        sort, word = keyword(type(definition)), definition.name.word
        if sort in _SORT_PHRASES:
            words.update(dict.fromkeys(list_inflected_forms(word) if sort in _PLURAL_SORTS else (word,), definition))
        if sort == "kind":
            del words[word]
    return words


def _is_from_later_module(book: t.Book, definition: t.Definition, name: t.Name) -> bool:
    """Return True if a definition is from a module on top of the rules with the name, which could not know it."""
    module, other_module = book.files.get(name.span.file, ""), book.files.get(definition.span.file, "")
    games = {book.files.get(definition_.span.file, "") for definition_ in book.select(t.Game)}
    return module != other_module and other_module not in games


def _diagnose_hidden_name(name: t.Name, definition: t.Definition) -> Diagnostic:
    """Return the warning E0584, for a local name that hides a definition."""
    phrase = f"{_SORT_PHRASES[keyword(type(definition))]} `{definition.name.word}`"
    return Diagnostic(
        "E0584",
        f"this name hides {phrase}",
        name.span,
        severity="warning",
        labels=(Label(definition.name.span, "declared"),),
        note=f"Within its block, this `{name.word}` hides the other one.",
        help=f"choose another name, such as `this-{name.word}`",
    )
