"""A line put together anew from what it speaks of: its parts, in the form that such a line has.

Who remembers half of how a line is written still knows what it is about. So the parts that were written are laid into
the forms that the language has (`forms` in `grammar/phrases.yaml`), in whatever order they came; whether the line makes
sense then is for others to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from edict.language import tree as t
from edict.language.clauses import spelled
from edict.language.declared import Declared
from edict.language.facts import Facts, indent
from edict.language.gaps import Filled, first_of
from edict.language.lists import known
from edict.language.repairing import Change, Reading, Repaired, mistaken_line
from edict.language.sorts import a
from edict.language.spoken_of import TOKEN, Speaking, Spoken

_PIECE = re.compile(r"\[[^\]]*\]|\{[^}]*\}|\S+")
_SLOT = re.compile(r"\{(?P<how>a:|many:|=)?(?P<sort>[\w-]+)(?:=(?P<start>[\w-]*))?\}")
_STRETCH = re.compile(
    r"\s*(?:let\s+[\w-]+\s*=\s*|(?:else\s+)?if\s+|require\s+|repeat until\s+|"
    r"set\s+[\w-]+(?:\s+of\s+(?:you|it))?\s+to\s+)"
    r"(?P<value>[^<>=]+?)\s*(?:(?:<=|>=|!=|[<>=])|\Z)"
)
_TELLING = tuple(
    frozenset(line.split())
    for line in (
        "each every all", "some any", "most best highest largest biggest greatest max maximum up",
        "fewest least lowest smallest min minimum", "joining joins join joined added entering enters",
        "leaving leaves leave left removed", "gaining gains gain gained gets", "losing loses lose lost",
        "start starts begin begins beginning before", "end ends ending after", "sum total making adding", "faces",
        "text", "half", "count number times", "up at any", "once", "not no never", "except but", "or",
        "otherwise else", "has",
    )
)
"""Words without which a line says something else: a form has one of a row if the line has one, and only then."""
_FAMILIES = (("do", "play", "trigger"), ("spend", "pay"))
"""Words that are taken for one another."""
_BY_NAME = ("do", "play", "trigger", "for")  # forms of lines that begin with the name of what is done
NO_HEAD = ""
_ABOUT = ("adjust", "when")  # lines that speak of keeps and quantities, not of those of somebody
LONGEST = 24  # words of a line that is put together anew
MADE_UP, UNSAID, MOVED = 1.0, 0.3, 0.05


@dataclass(frozen=True)
class Reformed:
    """A stretch of a line in the form of the language, that form, and how far-fetched it is."""

    start: int
    end: int
    text: str
    form: str
    cost: float
    whole: bool = True  # of a line, and not of a value in it

    @property
    def shown(self) -> str:
        """The form, as it is told."""
        form = self.form.replace("{a:", "a {")
        form = form.replace("*", "")
        shown = re.sub(r"\{(?:many:|=)?([\w-]+?)(?:=[\w-]*)?\}", _slot_shown, form)
        return shown.replace("[", "(").replace("]", ")") if "[" in shown else shown


    @property
    def title(self) -> str:
        head = self.form.split(" ")[0]
        return f"this is not how {f'`{head}`' if self.whole else 'such a value'} is written"

    @property
    def note(self) -> str:
        return f"The form is `{self.shown}`."


_BOUND = re.compile(r"\b(?:as|let|called)\s+([A-Za-z][\w-]*)")
_WORDS = {
    "new": "NAME", "count": "KEEP", "one": "KEEP", "place": "KEEP of PLAYER", "bare": "KEEP", "asked": "VALUE of it",
    "effect": "FIELD of THING", "amounts": "AMOUNTS",
}  # fmt: skip


def _slot_shown(slot: re.Match[str]) -> str:
    return _WORDS.get(slot[1], "FIELD" if slot[1].endswith("-field") else slot[1].upper())


def reformed(line: str, declared: Declared, bound: frozenset[str] = frozenset()) -> list[Reformed]:
    """The line in every form of the language that takes all it speaks of, the likeliest first."""
    words = _words(line)
    if not 1 < len(words) <= LONGEST or not declared.definitions or words[0] == "adjust" and "to" in words:
        return []  # what is adjusted `to` a number is not adjusted `by` it
    lead = indent(line) + (len("may ") if words[0] == "may" else 0)
    head = words[1] if words[0] == "may" else words[0]
    named = declared.sort(declared.meant(head)) in ("phase", "routine", "action", "moment") or head in ("left", "right")
    head = NO_HEAD if named and head not in _forms() else head
    found = list(_formed(line, lead, len(line.rstrip()), _of_head(head), declared, bound))
    if head not in _forms():
        found = [replace(one, cost=one.cost + MADE_UP) for one in found]
    value = _STRETCH.match(line)
    for end in {value.end("value"), len(line.rstrip())} if value is not None else ():
        found += _formed(line, value.start("value") if value else 0, end, _values(), declared, bound)
    return sorted((one for one in found if one.text != line[one.start : one.end]), key=lambda one: one.cost)


def anew(facts: Facts, reading: Reading, most: float) -> Iterator[Repaired]:
    """The line of a mistake, put together anew so that it can be read; `most` is how far-fetched that may be."""
    number = mistaken_line(facts)
    line = facts.source.lines[number - 1].split("#")[0].rstrip()
    if "#" in facts.source.lines[number - 1]:
        return
    bound = frozenset(_BOUND.findall(facts.source.text)) - frozenset(_BOUND.findall(line))
    for one in reformed(spelled(line), facts.declared, bound):
        text = line[: one.start] + one.text + spelled(line)[one.end :]
        if one.cost <= most and reading(number, text) > (number, len(text)):
            yield Repaired(facts, number, text, _change(line, text, one), one.cost, note=one.note)


def _words(text: str) -> list[str]:
    return [word[0].casefold() for word in TOKEN.finditer(text)]


def _change(old: str, new: str, one: Reformed) -> Change:
    """The words of the line that are others now."""
    olds, news = (list(TOKEN.finditer(text)) for text in (old, new))
    same = next((i for i, (a, b) in enumerate(zip(olds, news, strict=False)) if a[0] != b[0]), len(olds) - 1)
    most = min(len(olds), len(news)) - same
    behind = next((i for i in range(most) if olds[-1 - i][0] != news[-1 - i][0]), max(most, 0))
    first, last = min(same, len(olds) - 1), max(len(olds) - 1 - behind, same)
    return Change(olds[first].start(), olds[min(last, len(olds) - 1)].end(), one.text, one.title, one.cost)


def _formed(
    line: str, start: int, end: int, forms: Sequence[str], declared: Declared, bound: frozenset[str]
) -> Iterator[Reformed]:
    text = line[start:end]
    whole = forms is not _values()
    verb = len(text.split(" ")[0]) if whole and forms is not _of_head(NO_HEAD) else 0
    speaking = Speaking(text[verb:], declared, bound, alone=text.split(" ")[0] in _ABOUT)
    parts = speaking.parts()
    said = ["", *_words(text)] if not whole else _words(text)
    for form in forms if parts and not speaking.computed else ():
        filled = _Filling(parts, declared, said).filled(form)
        if filled is not None:
            yield Reformed(start, end, filled[0], form, filled[1], whole)


@dataclass
class _Filling:
    """Parts that were said, going into a form."""

    said: Sequence[Spoken]
    declared: Declared
    words: Sequence[str]

    def filled(self, form: str) -> tuple[str, float] | None:
        """The form with everything that was said in it, and how far-fetched that is; None, if not all has a place."""
        self.form = form
        self.left, self.last, self.cost = list(self.said), dict[str, str](), 0.0
        self.literals = frozenset(re.findall(r"(?<![\w{:=-])[a-z]+(?![\w}:=-])", form))
        written, before = list[str](), ""
        for piece in _PIECE.findall(form):
            text = self._optional(piece[1:-1]) if piece[0] == "[" else self._piece(piece, before)
            if text is None:
                return None
            written += [text] if text else []
            before = piece
        text = " ".join(written).replace("( ", "(").replace(" )", ")").replace(" ,", ",")
        more = self._conditions(form, "and" if " if " in text else "if") if self.left else ""
        if more is None:
            return None
        if self._tells_otherwise(text):
            return None
        return text + more, self.cost + sum(one.cost for one in self.said)

    def _tells_otherwise(self, text: str) -> bool:
        """Whether a word that tells much is lost, or was never said."""
        words = _words(text) if self.words[0] else ["", *_words(text)]
        now, said = frozenset(words[1:]), frozenset(self.words[1:])
        usual = frozenset(re.findall(r"\*(\w+)", self.form))
        for row in (row for row in _TELLING if bool(row & now) != bool(row & said)):
            if not row & usual or row & said:
                return True
            self.cost += UNSAID
        return False

    def _optional(self, inner: str) -> str | None:
        """A part that is written only if it was said."""
        if "{" not in inner:
            return inner if {inner, inner.removesuffix("ly")} & {*self.words} else ""
        left, cost, written, before = list(self.left), self.cost, list[str](), ""
        for piece in _PIECE.findall(inner):
            text = self._piece(piece, before, sure=True)
            if text is None:
                self.left, self.cost = left, cost
                return ""
            written, before = [*written, text], piece
        return " ".join(written)

    def _piece(self, piece: str, before: str, sure: bool = False) -> str | None:
        slot = _SLOT.search(piece)
        if slot is None:
            return piece.removeprefix("*")
        sort = slot["sort"]
        if slot["how"] == "=":
            return piece.replace(slot[0], self.last.get(sort, ""))
        text = self._said(sort, before, slot["how"] or "")
        if text is None and not sure:
            text = self._made_up(sort, slot["start"], slot["how"] or "")
        if text is None:
            return None
        self.last[sort] = text
        return piece.replace(slot[0], text)

    def _said(self, sort: str, before: str, how: str) -> str | None:
        """The first part that can stand there: best after the same word, not after one that leads elsewhere."""
        fit = [one for one in self.left if sort in one.forms]
        after = [one for one in fit if one.before and one.before == before.casefold()]
        free = [one for one in fit if one.before not in self.literals or one.before == before]
        one = next(iter(after or free), None)
        if one is None:
            return None
        self.cost += MOVED * self.left.index(one)
        self.left.remove(one)
        return self._written(one.forms[sort], how)

    def _written(self, text: str, how: str) -> str:
        return a(text) if how == "a:" else Filled(text, self.declared).many if how == "many:" else text

    def _made_up(self, sort: str, start: str | None, how: str) -> str | None:
        """What is not said and can only be this: the kind of the things in a place, the place of a thing ..."""
        kind = next((one.kind for one in self.said if one.kind and one.kind != "player"), "")
        some = first_of(self.declared)
        usual = {"kind": kind, "dice": some.pool, "order": some.order, "die": some.die}.get(sort, start or "")
        if sort == "set" and start is not None:
            usual = Filled(kind, self.declared).theirs
        if start is None and sort not in ("kind",) or not usual:
            return None
        self.cost += MADE_UP if sort not in ("kind", "new") else UNSAID
        return self._written(usual, how)

    # --- what is left over -----------------------------------------------------------------------

    def _conditions(self, form: str, word: str) -> str | None:
        """For what it holds: what is said besides of a quantity or a moment is a condition on what comes with it."""
        if "{condition}" not in form or "if" not in form:
            return None
        asked = [self._asked(one) for one in self.left]
        self.cost += MADE_UP / 2
        return f" {word} {' and '.join(asked)}" if all(asked) else None

    def _asked(self, one: Spoken) -> str:
        for name, kind in self._coming():
            if one.kind and one.kind == kind and ("thing" in one.forms or "player" in one.forms):
                return f"{name} is {one.forms.get('thing') or one.forms['player']}"
            group = self.declared.definitions.get(kind)
            if isinstance(group, t.Group) and one.forms.get("resource") in {member.word for member in group.members}:
                return f"{name} is {one.forms['resource']}"
        if "resource" in self.last and "number" in one.forms:
            return f"amount >= {one.forms['number']}"
        return ""

    def _coming(self) -> Iterator[tuple[str, str]]:
        """The names that a quantity, moment or set comes with, and their kinds."""
        about = self.last.get("quantity") or self.last.get("moment") or self.last.get("bare", "")
        definition = self.declared.definitions.get(about)
        for param in getattr(definition, "params", ()):
            you = isinstance(definition, t.Quantity) and param.kind.word == "player"
            yield "you" if you else param.name.word, param.kind.word
        if isinstance(definition, t.Keep) and definition.type.name is not None:
            yield definition.type.name.word, definition.type.name.word


@cache
def _forms() -> dict[str, tuple[str, ...]]:
    """The forms of lines, by the word they begin with."""
    found: dict[str, list[str]] = {}
    for line in known("forms", "phrases.yaml").splitlines():
        found.setdefault(line.split(" ")[0], []).append(line)
    return {head: tuple(lines) for head, lines in found.items()}


@cache
def _values() -> tuple[str, ...]:
    return tuple(known("value_forms", "phrases.yaml").splitlines())


@cache
def _of_head(word: str) -> tuple[str, ...]:
    """The forms of lines that begin with a word, or with what it stands for."""
    forms = _forms()
    if word in forms and not any(word in heads for heads in _FAMILIES):
        return forms[word]
    family = next((heads for heads in _FAMILIES if word in heads), ())
    if family or word == NO_HEAD:
        return tuple(form for head in family or _BY_NAME for form in forms[head])
    meant = [head for head, said in known("synonyms").items() if word in said.split() and head in forms]
    return tuple(form for head in meant for form in forms[head])
