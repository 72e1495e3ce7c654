"""What somebody wrote, in the words of the language: the parts from which the remedies of `mistakes.yaml` are made."""

from __future__ import annotations

import re
from collections.abc import Mapping

from edict.language import tree as t
from edict.language.declared import Declared
from edict.language.printing.expressions import expression
from edict.language.sorts import a
from edict.text import NUMBERS, slug

_SIGNS = {
    ">=": ("at least", "no less than", ""), "<=": ("at most", "no more than"), "=": ("equal to", "equals", "exactly"),
    "<": ("less than", "fewer than", "smaller than", "lower than"),  # every other is `>`
}  # fmt: skip

Groups = Mapping[str, str]


def reworded(groups: Groups, declared: Declared) -> dict[str, str]:
    """Words for the texts of an entry, from the parts of the line that its pattern found.

    sign: of a comparison in words; digit: of a number in words; number: with its sign; small: `word` in small letters;
    joined: `name` as one name; slug: `title` as a name; article: for `what`; first: the first word of `head`;
    theirs: where the things of the kind `k` are that a player has;
    held, holding: how one asks whether a player has the thing `what`; doing: how the routine `r` is carried out;
    effects: the fields that hold steps.
    """
    word, what, head = groups.get("word", ""), groups.get("what", ""), groups.get("head", "")
    holding = _held(what, declared)
    return {
        "sign": groups.get("sign") or _sign(" ".join((groups.get("than") or groups.get("least", "")).split())),
        "digit": str(NUMBERS.index(word.lower())) if word.lower() in NUMBERS else "",
        "number": ("-" if groups.get("sign") == "-" else "") + groups.get("n", ""),
        "small": word.lower(),
        "joined": re.sub(r"[\s_]+", "-", groups.get("name", "")).strip("-").lower(),
        "slug": slug(groups.get("title", "")) or "my-name",
        "article": a(what).split()[0],
        "first": (head.split() or [""])[0],
        "theirs": _theirs(groups.get("k", ""), declared) or "KEEP of you",
        "holding": holding,
        "held": f"write `{holding}`" if holding else f"write `{what} is in ...` with the keep that it may lie in",
        "doing": _doing(groups, declared),
        "effects": " or ".join(f"`{one}`" for one in declared.effects("")) or "a field",
    }


def _sign(words: str) -> str:
    words = words.replace(" then", " than")
    return next((sign for sign, said in _SIGNS.items() if words in said), ">")


def _held(thing: str, declared: Declared) -> str:
    """The condition under which the abilities of a thing count for a player, which is how that player has it."""
    definition = declared.definitions.get(thing)
    kind = declared.definitions.get(definition.kind.word) if isinstance(definition, t.Thing) else None
    if not isinstance(kind, t.Kind) or kind.works_if is None:
        return ""
    asked = expression(kind.works_if)
    return re.sub(rf"(?<![\w-]){re.escape(kind.name.word)}(?![\w-])", thing, asked) if "you" in asked.split() else ""


def _theirs(kind: str, declared: Declared) -> str:
    """The things of a kind that a player has: where one must be so that its abilities count."""
    definition = declared.definitions.get(kind)
    works = definition.works_if if isinstance(definition, t.Kind) else None
    inside = isinstance(works, t.Binary) and works.op == "in"
    return expression(works.right) if isinstance(works, t.Binary) and inside else ""


def _doing(groups: Groups, declared: Declared) -> str:
    """`do` with the name of a routine, and what it is given or must be given."""
    routine, given = groups.get("r", ""), groups.get("a", "")
    params = getattr(declared.definitions.get(routine), "params", ())
    if not given and params:
        given = " and ".join("..." for _ in params)
    return f"do {routine}" + (f" with {given}" if given else "")
