"""What is said of a line in which nothing is understood: the first word without meaning, and how to write such lines.

The lines are written with names of the rules at hand, so that they can be copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from edict.language.declared import Declared
from edict.language.facts import Facts, indent, keywords
from edict.language.finding import fitting
from edict.language.gaps import LONGEST_NAME, Filled, first_of
from edict.language.lists import known
from edict.language.mistakes import SHAPED
from edict.text import NUMBERS
from edict.report import Diagnostic, nearest

_WORD = re.compile(r"\"[^\"]*\"|[A-Za-z][\w'-]*")
_ALWAYS = frozenset("you everyone nobody none yes no no-dice it player players number numbers".split())
_LITTLE = frozenset("the a an is are be to of and your my his her their".split())
_BOUND = re.compile(r"\b(?:as|let|called)\s+([A-Za-z][\w-]*)")
ANY = "gain 1 RESOURCE"  # a line that can stand wherever something is done
ENOUGH = 2  # words of the language that an idea shares with a line, or one that counts by itself
SHORTEST_MISSPELT = 4  # letters: shorter words are like many others
APART = "the words of this line do not fit together"
_RULES = ("when", "adjust", "shift")  # at the left edge, that name nothing new
_SORTS = {
    "RESOURCE": "resource", "QUANTITY": "quantity", "KEEP": "keep", "MOMENT": "moment", "ROUTINE": "routine",
    "DIE": "die",
}  # fmt: skip


def shaped(told: Diagnostic, facts: Facts, like: str = "") -> Diagnostic:
    """What is not known in particular, with the word that nothing is called, and how such a line is written.

    like: the line itself in a form in which it can be read.
    """
    other = _idea_in(facts)
    if other is not None and told.code in (*SHAPED, "E0103", "E0115"):
        return other
    if told.code not in SHAPED:
        step = f"a step is written like `{_filled(ANY, facts.declared)}`"
        return replace(told, help=f"{told.help}; {step}") if told.code == "E0103" and "gain" in facts.wants else told
    example = like or example_of(facts.line, facts.declared, facts)
    if (unknown := means_nothing(facts)) is None:
        return _as_far(told, facts, example)
    start, word = unknown
    near = nearest(word, keywords()) if len(word) > SHORTEST_MISSPELT else ""
    line = f"write a line such as `{example or _filled(ANY, facts.declared)}`"
    return replace(
        told, code="E0103", title=f"`{word}` is not a word of the language, and nothing is called so",
        span=replace(facts.span, column=start + 1, end_column=start + len(word) + 1), edits=(),
        note="", help=f"did you mean `{near}`? Otherwise {line}" if near else line,
    )  # fmt: skip


def _as_far(told: Diagnostic, facts: Facts, example: str) -> Diagnostic:
    """What is said of a line all of whose words have a meaning: how far it can be read, and how such a line is written.

    The word that seems to be missing is not told: it was tried, and did not help.
    """
    read = facts.before.strip()
    misleads = told.code in ("E0111", "E0118") and facts.kind != "line-end" and not _declares(facts.line)
    if misleads and read:
        help = told.help if told.code == "E0118" else f"look at what follows `{read}`"
        told = replace(told, title=f"this line can be read as far as `{read}`, and not beyond", help=help)
    if not example:
        return told
    written = "write a line such as" if misleads else f"{told.help}; such a line is written like"
    return replace(told, help=f"{written} `{example}`")


def _declares(line: str) -> bool:
    """Whether a line gives something its name."""
    return not indent(line) and line.split(" ")[0] not in _RULES


def _idea_in(facts: Facts) -> Diagnostic | None:
    """What is said of a line with words for which the language has another way: of the first that is foreign."""
    said = list(_WORD.finditer(facts.written))
    found = None if _declares(facts.written) else _likeliest([word[0] for word in said], facts.declared)
    if found is None:
        return None
    help = _filled(found.written, facts.declared, [word[0] for word in said])
    word = next((one for one in said if one[0].casefold() in found.words), None)
    if word is not None and word.start() in {bound.start(1) for bound in _BOUND.finditer(facts.written)}:
        return None  # a name that is given here may be any word
    start, end = (word.start(), word.end()) if word else (indent(facts.written), len(facts.written.rstrip()))
    foreign = word is not None and word[0].casefold() not in keywords()
    title = f"`{word[0]}` is not {'a word of the language' if foreign else 'valid here'}" if word else APART
    return Diagnostic("E0116", title, replace(facts.span, column=start + 1, end_column=end + 1), help=help)


def idea(word: str, line: str, declared: Declared) -> str:
    """How the language says what an unknown word of a line stands for, with names that are declared, or nothing."""
    found = _likeliest([word], declared)
    return _filled(found.written, declared, _WORD.findall(line)) if found is not None else ""


def _likeliest(said: list[str], declared: Declared) -> _Idea | None:
    """The way of saying it that shares most words with what is written, if it shares enough.

    Of the words that the language has not, most must be shared: in a long sentence a single one says little.
    """
    words = {word.casefold() for word in said if not declared.meant(word)} if declared.definitions else set[str]()
    foreign = [word for word in words if word[0].isalpha() and word not in keywords() | _ALWAYS | _LITTLE]
    likely = [one for _, one in fitting(_ideas(), foreign)] if foreign else list(_ideas())
    shared = [(3 * len(words & one.words) + len(words & one.beside), one) for one in likely if one.suits(words)]
    most, best = max(shared, key=lambda found: found[0], default=(0, None))
    return best if most >= ENOUGH else None


class _Idea(NamedTuple):
    words: frozenset[str]
    beside: frozenset[str]
    written: str
    line: str = ""
    sort: str = ""
    meaning: str = ""

    head: str = ""  # of an idea without words that count by themselves, the one that must be there

    def suits(self, words: set[str]) -> bool:
        return bool(self.words) or self.head in words

    @property
    def title(self) -> str:
        """The words by which it is found."""
        return " ".join(sorted(self.words | self.beside))


@cache
def _ideas() -> tuple[_Idea, ...]:
    """What to write for which words."""
    lines = (line.partition(" => ") for line in known("ideas", "phrases.yaml").splitlines())
    return tuple(_Idea(*_apart(said.split()), written, head=said.split()[0][1:]) for said, _, written in lines)


def _apart(words: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Those that count, and those that only count beside another."""
    beside = frozenset(word[1:] for word in words if word[0] == "~")
    return frozenset(word for word in words if word[0] != "~"), beside


def means_nothing(facts: Facts) -> tuple[int, str] | None:
    """A word of a line that means nothing, if there is one up to the mistake; not in lines that declare a name.

    It is the first that says something: not an article, a number or the like.
    """
    line = facts.written
    if not facts.declared.definitions or _declares(line):
        return None
    bound = frozenset(_BOUND.findall(facts.source.text))
    known_ = keywords() | _ALWAYS | facts.declared.fields | bound | frozenset(NUMBERS)
    foreign = [
        word for word in _WORD.finditer(line)
        if word[0][0] != '"' and word[0].casefold() not in known_ and not facts.declared.meant(word[0])
    ]  # fmt: skip
    first = next((word for word in foreign if word.start() < facts.span.end_column - 1), None)
    telling = next((word for word in foreign if word[0].casefold() not in known("fillers")), None)
    return (telling.start(), telling[0]) if first is not None and telling is not None else None


_WITHIN = {
    "kind": "{name} number from 1 to 9", "table": "{name} 3, 2 RESOURCE", "group": "", "action": "rule my-rule",
    "exception": "instead", "rule": "require CONDITION",
}  # fmt: skip
"""How a line is written under one that begins with such a word, if its own first word is none of the language."""


def example_of(line: str, declared: Declared, facts: Facts | None = None) -> str:
    """How a line is written that begins like this one, with names that are declared; nothing, where that is unknown."""
    above = facts.parent.split()[:1] if facts is not None else []
    if above and above[0] in _WITHIN and line.split()[0] not in keywords():
        return _filled(_WITHIN[above[0]].format(name=line.split()[0].strip(",:")), declared, _WORD.findall(line))
    shapes = {**known("shapes"), **known("steps")} if indent(line) else known("shapes")
    line = line.strip()
    head = next((one for one in shapes if re.match(rf"{one}(?![\w-])", line)), "")
    shape = shapes[head] if head else declared.example(line.split(" ")[0])
    return _filled(str(shape), declared, _WORD.findall(line)) if shape else ""


def _filled(shape: str, declared: Declared, said: Sequence[str] = ()) -> str:
    """A line with declared names, best those that are said, in place of the words in capitals."""
    spoken = list(_spoken(declared, said))
    kind = Filled(next((n for n in spoken if Filled(n, declared).theirs), "") or _owned(declared), declared)
    always = _always(declared, spoken, kind) | {"FIELD": _field(declared, said)}
    names = {word: iter(_named(declared, sort, spoken)) for word, sort in _SORTS.items()}
    names["THING"] = iter(_named(declared, kind.text, spoken))

    def name(found: re.Match[str]) -> str:
        return always.get(found[0], "") or next(names.get(found[0], iter(())), "") or found[0]

    return re.sub(r"[A-Z]{3,}(?:\.[A-Z]+)?", name, re.sub(r"\ba (?=KIND\b)", f"{kind.article} ", shape))


def _spoken(declared: Declared, said: Sequence[str]) -> Iterator[str]:
    """The names that words speak of, the longest where several begin at a word."""
    words, at = [*said], 0
    while at < len(words):
        sizes = (size for size in range(LONGEST_NAME, 0, -1) if declared.meant(" ".join(words[at : at + size])))
        size = next(sizes, 0)
        if size:
            yield declared.meant(" ".join(words[at : at + size]))
        at += max(1, size)


def _conditions(declared: Declared, spoken: Sequence[str]) -> Iterator[str]:
    """What can be asked about the names that are spoken of: who has a thing, how many, whether a phase is played."""
    for name in spoken:
        one, sort = Filled(name, declared), declared.sort(name)
        if sort == "phase":
            yield f"during {name}"
        elif sort == "resource":
            yield f"{name} of you > 3"
        elif one.held or one.theirs:
            yield one.held or f"count of {one.theirs} > 3"
        elif sort == "keep" and declared.held(name) == "player":
            yield f"{name} is you"
        elif sort == "keep" and declared.held(name) == "number" and one.its:
            yield f"{one.its} = 1"


def _always(declared: Declared, spoken: Sequence[str], kind: Filled) -> dict[str, str]:
    """What the words in capitals stand for that mean the same wherever they stand."""
    some = first_of(declared)
    resource = next(iter(_named(declared, "resource", spoken)), "")
    asked = next(_conditions(declared, spoken), resource and f"{resource} of you > 3")
    return {
        "CONDITION": asked, "VALUE": resource and f"{resource} of you",
        "KIND": kind.text, "SET": kind.theirs or kind.text and kind.many,
        "PHASE": next(iter(_named(declared, "phase", spoken)), ""),
        "ORDER": some.order, "GROUP": some.group, "SHIFTED": some.action, "ACTION.RULE": declared.rule(""),
        "PLAYER": "left of you", "EFFECT": next(iter(declared.effects("")), ""),
    }  # fmt: skip


def _field(declared: Declared, said: Sequence[str]) -> str:
    """A field that is spoken of, or else the first that is a number."""
    numbers = (one for one in sorted(declared.fields) if declared.shape(one) == "number")
    return next((word for word in said if word in declared.fields), next(numbers, ""))


def _named(declared: Declared, sort: str, spoken: Sequence[str]) -> list[str]:
    """The names of a sort: first those that are spoken of."""
    return sorted((n for n in declared.definitions if declared.sort(n) == sort), key=lambda n: n not in spoken)


def _owned(declared: Declared) -> str:
    """The first kind of which players have things."""
    return next((name for name in _named(declared, "kind", ()) if Filled(name, declared).theirs), "")
