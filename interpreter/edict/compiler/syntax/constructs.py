"""The table of constructs: how each line of the language is written, and under what it stands.

What a node of the tree holds and how it is written stands at its class (`language/tree`, `language/patterns`); here is
what people are shown: a form to copy, with names of the rules at hand in its blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import Declared
from edict.compiler.syntax.grammar_tables import grammar_table
from edict.support.morphology import add_indefinite_article

_BLANK = re.compile(r"(?P<a>\ba )?\b(?P<blank>[A-Z]{3,}(?:\.RULE)?)\b")


def form_of(line: str, part: str = "forms") -> str:
    """How a line is written that begins with these words: by the longest of them that is known; or nothing."""
    words = line.casefold().split()
    forms: dict[str, str] = grammar_table(part, "constructs.yaml")
    return next((forms[" ".join(words[:n])] for n in range(len(words), 0, -1) if " ".join(words[:n]) in forms), "")


def idea_of(words: Sequence[str], line: str, declared: Declared) -> str:
    """How the language says what some words say: the idea with most of them; or nothing."""
    low = [word.casefold() for word in words]
    found = [(sum(word in said for word in low), -n, how) for n, (said, how) in enumerate(_ideas())]
    best = max(found, default=(0, 0, ""))
    return blanks_filled(best[2], declared) if best[0] else ""


@cache
def _ideas() -> tuple[tuple[frozenset[str], str], ...]:
    lines = (line.partition(" => ") for line in grammar_table("ideas", "habits.yaml").splitlines())
    return tuple((frozenset(said.split()), how) for said, _, how in lines)


def blanks_filled(text: str, declared: Declared) -> str:
    """A form with names that these rules declare in place of its blanks; without any, the blanks stay."""
    used: dict[str, int] = {}

    def fill(match: re.Match[str]) -> str:
        blank = match["blank"]
        used[blank] = used.get(blank, 0) + 1
        some = list(_BLANKS[blank](declared)) if blank in _BLANKS else []
        word = some[(used[blank] - 1) % len(some)] if some else blank
        return add_indefinite_article(word) if match["a"] else word

    return _BLANK.sub(fill, text)


def _of(*kinds: type) -> Callable[[Declared], Iterator[str]]:
    def some(declared: Declared) -> Iterator[str]:
        return (name for name, definition in declared.definitions.items() if isinstance(definition, kinds))

    return some


def _kind_with_things(declared: Declared) -> Iterator[str]:
    return (thing.kind.word for thing in declared.definitions.values() if isinstance(thing, t.Thing))


def _sets(declared: Declared) -> Iterator[str]:
    return _keeps(declared, ("set", "bag", "order"))


def _keeps(declared: Declared, shapes: Sequence[str]) -> Iterator[str]:
    for name, definition in declared.definitions.items():
        if isinstance(definition, t.Keep) and definition.type.shape in shapes:
            params = [param.kind.word for param in definition.params]
            if not params:
                yield name
            elif params == ["player"]:
                yield f"{name} of you"


def _amount(declared: Declared) -> Iterator[str]:
    return (f"{name} of you" for name in _of(t.Resource)(declared))


def _rules(declared: Declared) -> Iterator[str]:
    actions = (action for action in declared.definitions.values() if isinstance(action, t.Action))
    return (f"{action.name.word}.{rule.name.word}" for action in actions for rule in action.rules)


_BLANKS: dict[str, Callable[[Declared], Iterator[str]]] = {
    "RESOURCE": _of(t.Resource),
    "GROUP": _of(t.Group),
    "DIE": _of(t.Die),
    "KIND": _kind_with_things,
    "THING": _of(t.Thing),
    "PHASE": _of(t.Phase),
    "ROUTINE": _of(t.Routine),
    "ACTION": _of(t.Action),
    "QUANTITY": _of(t.Quantity),
    "MOMENT": _of(t.Moment),
    "GAME": _of(t.Game),
    "SET": _sets,
    "KEEP": lambda declared: _keeps(declared, ("number",)),
    "ORDER": lambda declared: _keeps(declared, ("order",)),
    "DICE": lambda declared: _keeps(declared, ("dice",)),
    "VALUE": _amount,
    "ACTION.RULE": _rules,
    "CONDITION": lambda declared: (f"{place} > 3" for place in _amount(declared)),
    "FIELD": lambda declared: iter(sorted(declared.fields)),
}
