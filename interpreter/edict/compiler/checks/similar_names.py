"""Names and titles that people cannot tell apart: letters of another alphabet, and one title for two things."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.checks.check_registry import CheckContext, Checks
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import full_title
from edict.compiler.syntax.printing import print_lines
from edict.compiler.syntax.roles import AskingStep
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
            yield Diagnostic(
                "E0586",
                f"`{first.name.word}` and `{definition.name.word}` have the same title",
                definition.name.span,
                severity="warning",
                labels=(Label(first.name.span, f"also “{full_title(first)}”"),),
                note="Players could not tell them apart.",
                help="give one of them another title; several copies of one thing go into a bag, as in "
                f"`bag of {sort} starting at 2 of {first.name.word}`"
                if kind is not None
                else "give one of them another title",
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
