"""Names given in steps that hide what is declared: `let gold = 3`, and no line below can speak of gold."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.checks.check_registry import Checks, Rules, with_role
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plurals
from edict.compiler.syntax.patterns import keyword
from edict.compiler.syntax.roles import Role, having
from edict.support.report import Diagnostic, Label

checks = Checks()

_CALLED = {
    "resource": "the resource",
    "group": "the group",
    "die": "dice",
    "keep": "the keep",
    "quantity": "the quantity",
    "value": "the value",
    "setting": "the setting",
    "kind": "all things of the kind",
}
"""What a name hides, by how it is declared. A member may be called by its kind, and an option by the thing it is."""

_IN_PLURAL = ("resource", "group", "die", "kind")


@checks.of_all
def hidden(rules: Rules) -> Iterator[Diagnostic]:
    declared = _declared(rules.resolved.book)
    for role in (Role.BINDS, Role.BINDS_BELOW):
        for _, step in rules.of(with_role(role)):
            for name in having(step, role) if isinstance(step, t.Stmt) else ():
                definition = declared.get(name.word)
                if definition is not None and not _later(rules.resolved.book, definition, name):
                    yield _hides(name, definition)


def _declared(book: t.Book) -> dict[str, t.Definition]:
    """What could be meant by a word; of a kind only the plural, as each of its things may well be called by it."""
    found: dict[str, t.Definition] = {}
    for definition in book.definitions.values():
        sort, word = keyword(type(definition)), definition.name.word
        if sort in _CALLED:
            found.update(dict.fromkeys(plurals(word) if sort in _IN_PLURAL else (word,), definition))
        if sort == "kind":
            del found[word]
    return found


def _later(book: t.Book, definition: t.Definition, name: t.Name) -> bool:
    """Whether it was declared by a module laid over the rules that give the name, which could not know of it."""
    own, other = book.files.get(name.span.file, ""), book.files.get(definition.span.file, "")
    games = {book.files.get(one.span.file, "") for one in book.definitions.values() if isinstance(one, t.Game)}
    return own != other and other not in games


def _hides(name: t.Name, definition: t.Definition) -> Diagnostic:
    what = f"{_CALLED[keyword(type(definition))]} `{definition.name.word}`"
    return Diagnostic(
        "E0584",
        f"this name hides {what}",
        name.span,
        severity="warning",
        labels=(Label(definition.name.span, "declared here"),),
        note=f"As far as the name reaches, `{name.word}` means what is named here, and nothing else.",
        help=f"choose another name, such as `this-{name.word}`",
    )
