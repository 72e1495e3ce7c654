"""Forms to copy for each kind of line, for messages.

The structure and syntax of nodes are defined at their classes (`tree`, `patterns`). The forms that people are shown are
in the rows of the reference (`lines`); names declared in their rules take the place of the blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.construct_rows import GROUPS
from edict.compiler.syntax.declared_names import DeclaredNames
from edict.compiler.syntax.grammar_tables import load_grammar_table
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.support.morphology import add_indefinite_article

_BLANK = re.compile(r"(?P<a>\ba )?\b(?P<blank>[A-Z]{3,}(?:\.RULE)?)\b")  # a blank in a form such as `a KIND`

_NEW_NAME = re.compile(r"[^\W\d_][\w-]*")
_PLACEHOLDER = re.compile(r"^(\w+ )my-[a-z]+")  # the name of what a form defines
_NUMBER = re.compile(r"(\S+) \d+(?![\w-])")  # with the word before it


def find_form(line: str) -> str:
    """Return the form of lines that begin with the words of a line, by the longest known beginning, or ""."""
    words, forms = line.casefold().split(), _load_forms()
    return next(
        (forms[" ".join(words[:length])] for length in range(len(words), 0, -1) if " ".join(words[:length]) in forms),
        "",
    )


@cache
def _load_forms() -> dict[str, str]:
    """Return the form of each kind of line by its first words, from the rows of the reference."""
    rows = (row for group in GROUPS for row in load_grammar_table("rows", f"reference/{group}.yaml").values())
    return {beginning: form for row in rows for beginning, form in row.get("lines", {}).items()}


def find_place(word: str) -> str:
    """Return under what lines that begin with a word stand if they never begin a definition, or ""."""
    places: dict[str, str] = load_grammar_table("inside", "constructs.yaml")
    return places.get(word.casefold(), "")


def find_idea(words: Sequence[str], declared: DeclaredNames) -> str:
    """Return the form for the idea that shares most words with these, its blanks filled, or "".

    Args:
        words: The words to match; those that are declared have a meaning of their own.
        declared: The names for the blanks.
    """
    lowered = [word.casefold() for word in words if not declared.find_name(word)]
    scored = [
        (sum(word in idea_words for word in lowered), -index, form)
        for index, (idea_words, form) in enumerate(_load_ideas())
    ]
    best = max(scored, default=(0, 0, ""))
    return fill_blanks(best[2], declared) if best[0] else ""


@cache
def _load_ideas() -> tuple[tuple[frozenset[str], str], ...]:
    """Return the lines `WORDS => FORM` of `habits.yaml`, each as its set of words and its form."""
    lines = (line.partition(" => ") for line in load_grammar_table("ideas", "habits.yaml").splitlines())
    return tuple((frozenset(idea_words.split()), form) for idea_words, _, form in lines)


def fill_blanks(text: str, declared: DeclaredNames, written: Sequence[str] = ()) -> str:
    """Return a form with declared names in place of its blanks; blanks without a suitable name stay.

    Args:
        text: The form.
        declared: The names.
        written: The words that the author wrote, which are preferred.
    """
    counts: dict[str, int] = {}
    kinds: list[str] = []  # that were filled in, whose members a set after them must hold
    own_names = list(dict.fromkeys(filter(None, map(declared.find_name, written))))

    def fill_blank(match: re.Match[str]) -> str:
        """Return the next declared name that suits a matched blank, or the blank itself if there is none."""
        blank = match["blank"]
        counts[blank] = counts.get(blank, 0) + 1
        candidates = list(dict.fromkeys(_BLANKS[blank](declared))) if blank in _BLANKS else []
        if blank in ("KIND", "THING") and "SET" in text:  # those of which some set can hold members come first
            held = {declared.keep_kind(place.split()[0]) for place in _iter_sets(declared)}
            candidates.sort(key=lambda name: (name if blank == "KIND" else declared.sort_of(name)) not in held)
        own = [candidate for name in own_names for candidate in candidates if candidate.split()[0] == name]
        candidates = [*own, *(candidate for candidate in candidates if candidate not in own)]
        if blank == "SET" and kinds:
            candidates = [place for place in candidates if declared.keep_kind(place.split()[0]) == kinds[-1]]
            candidates = candidates or [*list_inflected_forms(kinds[-1])[-1:]]
        word = candidates[(counts[blank] - 1) % len(candidates)] if candidates else blank
        kinds.extend([word if blank == "KIND" else declared.sort_of(word)] if blank in ("KIND", "THING") else ())
        return add_indefinite_article(word) if match["a"] else word

    filled = _BLANK.sub(fill_blank, text)
    if written[1:2] and _NEW_NAME.fullmatch(written[1]) and not declared.find_name(written[1]):
        filled = _PLACEHOLDER.sub(rf"\g<1>{written[1]}", filled)
    return _NUMBER.sub(lambda match: _find_number(match[1], written) or match[0], filled, count=1)


def _find_number(word: str, written: Sequence[str]) -> str:
    """Return a word with the number that the author wrote after it, or ""."""
    for index, (first, second) in enumerate(pairwise(written)):
        if first == word and second.isdecimal():
            return f"{word} {second}"
        if first == word and second == "-" and written[index + 2 : index + 3] and written[index + 2].isdecimal():
            return f"{word} -{written[index + 2]}"
    return ""


def _names_of_types(*node_types: type) -> Callable[[DeclaredNames], Iterator[str]]:
    """Return a function that yields the declared names whose definitions are of some node classes."""

    def iter_names(declared: DeclaredNames) -> Iterator[str]:
        """Yield the declared names whose definitions are of the given node classes."""
        return (name for name, definition in declared.definitions.items() if isinstance(definition, node_types))

    return iter_names


def _iter_kinds_with_things(declared: DeclaredNames) -> Iterator[str]:
    """Yield the kind of each declared thing, once for every thing, and then the groups, which are chosen alike."""
    kinds = (thing.kind.word for thing in declared.definitions.values() if isinstance(thing, t.Thing))
    return chain(kinds, _names_of_types(t.Group)(declared))


def _iter_sets(declared: DeclaredNames) -> Iterator[str]:
    """Yield the state variables that hold a set, a bag or an order, as `market` or `hand of you`."""
    return _iter_state_variables(declared, ("set", "bag", "order"))


def _iter_state_variables(declared: DeclaredNames, shapes: Sequence[str]) -> Iterator[str]:
    """Yield state variables of these shapes that need no argument, or a player: `market`, `hand of you`."""
    for name, definition in declared.definitions.items():
        if isinstance(definition, t.Keep) and definition.type.shape in shapes:
            params = [param.kind.word for param in definition.params]
            if not params:
                yield name
            elif params == ["player"]:
                yield f"{name} of you"


def _iter_amounts(declared: DeclaredNames) -> Iterator[str]:
    """Yield `RESOURCE of you` for each declared resource."""
    return (f"{name} of you" for name in _names_of_types(t.Resource)(declared))


def _iter_action_rules(declared: DeclaredNames) -> Iterator[str]:
    """Yield the rules of all declared actions as `ACTION.RULE`."""
    actions = (action for action in declared.definitions.values() if isinstance(action, t.Action))
    return (f"{action.name.word}.{rule.name.word}" for action in actions for rule in action.rules)


# sources of names by blank
_BLANKS: dict[str, Callable[[DeclaredNames], Iterator[str]]] = {
    "RESOURCE": _names_of_types(t.Resource),
    "GROUP": _names_of_types(t.Group),
    "DIE": _names_of_types(t.Die),
    "KIND": _iter_kinds_with_things,
    "THING": _names_of_types(t.Thing),
    "PHASE": _names_of_types(t.Phase),
    "ROUTINE": _names_of_types(t.Routine),
    "ACTION": _names_of_types(t.Action),
    "QUANTITY": _names_of_types(t.Quantity),
    "SETTING": _names_of_types(t.Setting),
    "MOMENT": _names_of_types(t.Moment),
    "GAME": _names_of_types(t.Game),
    "SET": _iter_sets,
    "KEEP": lambda declared: _iter_state_variables(declared, ("number",)),
    "ORDER": lambda declared: _iter_state_variables(declared, ("order",)),
    "DICE": lambda declared: _iter_state_variables(declared, ("dice",)),
    "VALUE": _iter_amounts,
    "ACTION.RULE": _iter_action_rules,
    "CONDITION": lambda declared: (f"{place} > 3" for place in _iter_amounts(declared)),
    "FIELD": lambda declared: iter(sorted(declared.field_names)),
}
