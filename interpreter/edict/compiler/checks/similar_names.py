"""Names and titles that people cannot tell apart: letters of another alphabet, one title for two things.

A local name may also hide a declaration: after `let gold = 3` no line below can refer to gold.
"""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.checks.check_registry import CheckContext, Checks, has_role
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import full_title, list_inflected_forms
from edict.compiler.syntax.patterns import keyword
from edict.compiler.syntax.printing import print_lines
from edict.compiler.syntax.roles import AskingStep, Role, iter_role_values
from edict.support.report import Diagnostic, Label

checks = Checks()

# Letters of other alphabets that look like a Latin one in most fonts.
_CYRILLIC = str.maketrans("асеһіјӏорԛѕухԝԁѵАВЕНІЈКМОРЅТУХ", "acehijlopqsyxwdvABEHIJKMOPSTYX")
_GREEK = str.maketrans("ονικρυαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovikpuaABEZHIKMNOPTYX")


def _to_latin(text: str) -> str:
    """Return a text with each letter that looks like a Latin one replaced by it."""
    return text.translate(_CYRILLIC).translate(_GREEK)


@checks.check_rules
def find_lookalike_names(rules: CheckContext) -> Iterator[Diagnostic]:
    """Yield a warning for a name that mixes alphabets, or looks like another one."""
    definitions = rules.resolved.book.definitions
    for word, definition in definitions.items():
        latin = _to_latin(word)
        if latin == word:
            continue
        other = definitions.get(latin)
        is_mixed = any(letter.isascii() and letter.isalpha() for letter in word)
        if other is not None or is_mixed:
            foreign = next(letter for letter, plain in zip(word, latin, strict=True) if letter != plain)
            yield Diagnostic(
                "E0585",
                f"the `{foreign}` in this name is not the Latin letter `{_to_latin(foreign)}`",
                definition.name.span,
                severity="warning",
                labels=() if other is None else (Label(other.name.span, "looks the same"),),
                note="Rules that are typed with the other letter would not mean it.",
                help=f"write `{latin}`" if other is None else "choose another name",
            )


@checks.check_rules
def find_double_titles(rules: CheckContext) -> Iterator[Diagnostic]:
    """Yield a warning for two resources, or two things that players choose from, under the same title.

    Things that are only drawn, and copies that are alike in all they say, may have the same.
    """
    chosen_kinds = {rules.resolved.meaning_of(step.kind).name for _, step in rules.nodes_of(_is_choice)}
    first_by_title: dict[tuple[str, str], t.Definition] = {}
    for definition in rules.resolved.book.definitions.values():
        kind: t.Name | None = getattr(definition, "kind", None)
        sort = definition.sort if kind is None else rules.resolved.meaning_of(kind).name
        if not isinstance(definition, t.Resource | t.Die) and sort not in chosen_kinds:
            continue
        title = full_title(definition)
        first = first_by_title.setdefault((sort, _to_latin(title).casefold()), definition)
        if first is not definition and not _are_copies(first, definition):
            remedy = "give one of them another title"
            if kind is not None:
                remedy += "; several copies of one thing go into a bag, as in "
                remedy += f"`bag of {sort} starting at 2 of {first.name.word}`"
            yield Diagnostic(
                "E0586",
                f"`{first.name.word}` and `{definition.name.word}` have the same title",
                definition.name.span,
                severity="warning",
                labels=(Label(first.name.span, f"also “{full_title(first)}”"),),
                note="Players could not tell them apart.",
                help=remedy,
            )


def _are_copies(one: t.Definition, other: t.Definition) -> bool:
    """Return True if two definitions say the same, apart from lines in which they name each other."""
    names = {one.name.word, other.name.word}
    texts = ([line.text for line in print_lines(definition)][1:] for definition in (one, other))
    one_lines, other_lines = ([line for line in lines if names.isdisjoint(line.split())] for lines in texts)
    return one_lines == other_lines


def _is_choice(kind: type) -> bool:
    """Return True for classes of steps in which a player chooses from the members of a kind."""
    fields: tuple[str, ...] = getattr(kind, "__match_args__", ())
    return issubclass(kind, AskingStep) and "kind" in fields


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
