"""Sentences of a rulebook in a rule file, and how the language says the same.

What a sentence speaks of (things, phases, amounts, who it is for) gives the lines in which the rule is written; what
cannot be told from it is left as `...`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from edict.language import tree as t
from edict.language.facts import Facts, indent
from edict.language.grammar import openings
from edict.language.gaps import Filled
from edict.language.lists import known
from edict.text import NUMBERS
from edict.report import Diagnostic, Edit
from edict.text import Source, Span

_WORD = re.compile(r"[A-Za-z][\w'-]*|\d+")
_PROSE = frozenset(
    "the gives give gets get costs starts begins must can cannot will should instead their his her who whose has have "
    "everyone everybody nobody all players always never every during after before also loses wins receives worth may "
    "not at in on a an rule house takes counts game turn first when whenever if then does plays has gains is are each "
    "player you with".split()
)
_ORDER = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_FORBIDDEN = ("cannot", "can't", "not", "never", "forbidden", "mustn't")
_AFTERWARDS = ("whenever", "when", "then", "they", "turn", "round")
_EVERYBODY = ("each", "every", "everyone", "everybody", "all", "players", "player")
_TOLD = ("number", "amounts", "effect")  # shapes of fields whose values sentences give
LONGEST_NAME = 4  # words


@dataclass(frozen=True)
class Named:
    """Something declared that a sentence speaks of: between which words, and of what sort it is."""

    first: int
    last: int
    name: str
    sort: str


@dataclass(frozen=True)
class Sentence:
    """A line of English."""

    facts: Facts
    line: int

    @cached_property
    def text(self) -> str:
        return self.facts.source.lines[self.line - 1].split("#")[0].rstrip()

    @cached_property
    def words(self) -> list[str]:
        return [word.casefold() for word in _WORD.findall(self.text)]

    @property
    def prose(self) -> int:
        """How many of its words are those of sentences."""
        return sum(word in _PROSE for word in self.words)

    @property
    def plain(self) -> bool:
        """Whether it can hardly be anything but a sentence."""
        return self.prose >= 3

    @cached_property
    def named(self) -> list[Named]:
        """What it speaks of, the longest names first where several begin at a word."""
        found, at = list[Named](), 0
        while at < len(self.words):
            one = next((n for size in range(LONGEST_NAME, 0, -1) if (n := self._named(at, at + size))), None)
            found += [one] if one else []
            at = one.last if one else at + 1
        return found

    def _named(self, first: int, last: int) -> Named | None:
        if last > len(self.words):
            return None
        name = self.facts.declared.meant("-".join(self.words[first:last]))
        return Named(first, last, name, self.facts.declared.sort(name)) if name else None

    def _of(self, *sorts: str) -> Named | None:
        return next((one for one in self.named if one.sort in sorts), None)

    # --- its parts -----------------------------------------------------------------------------

    @cached_property
    def amounts(self) -> str:
        """What is gained, lost or paid."""
        found = (self._amount(one) for one in self.named if one.sort in ("resource", "group"))
        joint = " or " if "or" in self.words else " and "
        return joint.join(one for one in found if one)

    def _amount(self, what: Named) -> str:
        before = (self.words[i] for i in range(what.first - 1, max(-1, what.first - 3), -1))
        number = next((n for word in before if (n := _number(word))), "")
        return f"{number} {what.name}" if number else ""

    @property
    def verb(self) -> str:
        words, said = set(self.words), known("synonyms")
        return next((verb for verb in ("gain", "lose") if words & {verb, *said[verb].split()}), "")

    @property
    def condition(self) -> str:
        """In which year, round or the like."""
        keep = self._of("keep")
        if keep is None:
            return ""
        around = [*self.words[max(0, keep.first - 1) : keep.first], *self.words[keep.last : keep.last + 2]]
        number = next((n for word in around if (n := _ordinal(word))), "")
        return f"{keep.name} = {number}" if number else ""

    @property
    def moment(self) -> str:
        phase = self._of("phase")
        edge = "end" if {"end", "ends", "after"} & set(self.words) else "start"
        if phase is None and {"start", "starts", "begin", "begins", "beginning"} & set(self.words):
            return f"when start of {self._first_phase()}"
        return f"when {edge} of {phase.name if phase else '...'}"

    def _first_phase(self) -> str:
        games = (d for d in self.facts.declared.definitions.values() if isinstance(d, t.Game))
        plays = (step.phase.word for game in games for step in game.course or () if isinstance(step, t.Play))
        return next(plays, "...")

    # --- the rule ------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> list[str]:
        """How the language says it, each line indented under the one before; empty, if that cannot be told."""
        if self._forbids():
            return self._forbidden()
        setting, number = self._of("setting"), next((n for word in self.words if (n := _number(word))), "...")
        if setting is not None:
            return [f"amend setting {setting.name} is {number}"]
        thing = next((one for one in self.named if self.facts.declared.fits(one.name, ["thing"])), None)
        if thing is not None and self.amounts and (self._of("phase") or set(_AFTERWARDS) & set(self.words)):
            return [f"amend {thing.sort} {thing.name}", self.moment, f"{self.verb or 'gain'} {self.amounts}"]
        if thing is not None:
            return [f"amend {thing.sort} {thing.name}", self._field(thing)]
        quantity = self._of("quantity")
        if quantity is not None:
            return [f"adjust {quantity.name} by ..." + (f" if {self.condition}" if self.condition else "")]
        if not (self._of("phase") or self.amounts or self.verb or set(_EVERYBODY) & set(self.words)):
            return []
        return [self.moment, self._who, *([f"if {self.condition}"] if self.condition else []), *self._steps]

    @property
    def _who(self) -> str:
        """All players, or those with most or fewest of something."""
        rank = next((word for word in ("most", "fewest") if word in self.words), "")
        after = self.words.index(rank) if rank else 0
        what = next((one for one in self.named if one.sort in ("resource", "kind") and one.first > after), None)
        if not rank or what is None:
            return "each player"
        each = Filled(what.name, self.facts.declared).each
        asked = f"{what.name} of it" if what.sort == "resource" else f"count of {each}" if each else "..."
        return f"each player with {rank} {asked}"

    @property
    def _steps(self) -> list[str]:
        """What happens: an offer, if one is paid for the other; else what is gained or lost."""
        paid, _, got = self.amounts.partition(" and ")
        if got and {"may", "can"} & set(self.words) and {"spend", "pay", "exchange", "trade", "for"} & set(self.words):
            return [f"may spend {paid}", f"gain {got}"]
        return [f"{self.verb or 'gain'} {self.amounts}" if self.amounts else "..."]

    def _forbids(self) -> bool:
        return bool(set(_FORBIDDEN) & set(self.words))

    def _forbidden(self) -> list[str]:
        spoken, resource = self._of("action"), self._of("resource")
        about = self.facts.declared.definitions.get(spoken.name) if spoken else None
        if isinstance(about, t.Action):
            return [f"amend action {about.name.word}", "rule my-rule", f"require {self._allowed(about)}"]
        if resource is not None and "more" in self.words and (number := self._amount(resource).split(" ")[0]):
            name = resource.name
            return [f"when gaining {name}", "for player", f"lose {name} of you - {number} {name}"]
        actions = (d for d in self.facts.declared.definitions.values() if isinstance(d, t.Action) and d.rules)
        action = next(actions, None)
        target = f"{action.name.word}.{action.rules[0].name.word}" if action else "ACTION.RULE"
        return [f"exception my-rule to {target}", "require ..."]

    def _allowed(self, action: t.Action) -> str:
        """What is left when it is forbidden: with another thing than the one that is spoken of, or later."""
        kinds = {one.kind.word: one.name.word for one in action.params if one.name is not None}
        named = next((one for one in self.named if one.sort in kinds), None)
        later = self._of("keep")
        number = self.condition.rpartition(" ")[2] if later else ""
        if later and "before" in self.words and number:
            since = f"{later.name} >= {number}"
        else:
            since = self.condition.replace(" = ", " != ")
        other = f"{kinds[named.sort]} is not {named.name}" if named else ""
        return " or ".join(one for one in (other, since) if one) or "..."

    def _field(self, thing: Named) -> str:
        """The field of the thing that is spoken of, with its value."""
        kind = self.facts.declared.definitions.get(thing.sort)
        all_ = kind.fields if isinstance(kind, t.Kind) else ()
        fields = [one for one in all_ if one.type and one.type.shape in _TOLD]
        rest = self.words[: thing.first] + self.words[thing.last :]
        field = next((one for one in fields if _speaks(one, rest)), None)
        effects = self.facts.declared.effects(thing.sort)
        if field is None and self.amounts and effects:
            return f"{effects[0]} {self.verb or 'gain'} {self.amounts}"
        if field is None:
            return "..."
        shape = field.type.shape if field.type else ""
        number = next((n for word in rest if (n := _number(word))), "...")
        if {"less", "more", "fewer", "cheaper", "extra", "another"} & set(self.words):
            return f"{field.name.word} ..."  # by how much it changes is not what it is
        values = {"number": number, "amounts": self.amounts.replace(" and ", ", "), "effect": f"gain {self.amounts}"}
        return f"{field.name.word} {values.get(shape) or '...'}"

    def diagnostic(self, holds: Callable[[Source, tuple[Edit, ...], bool], bool]) -> Diagnostic:
        span = Span(self.facts.source.name, self.line, indent(self.text) + 1, self.line, len(self.text) + 1)
        written = " > ".join(self.lines)
        text = "\n".join(f"{'  ' * depth}{line}" for depth, line in enumerate(self.lines))
        edits = (Edit(span, text),) if "..." not in written and not indent(self.text) else ()
        return Diagnostic(
            "E0116", "rules are not written as sentences", span,
            note="A line begins with a word of the language, and what belongs to it is indented under it.",
            help="write " + ", under it ".join(f"`{line}`" for line in self.lines),
            edits=edits if edits and holds(self.facts.source, edits, True) else (),
        )  # fmt: skip


def _begins_with_thing(one: Sentence) -> bool:
    """Whether its first words are the name or title of a thing, and more follows than a thing would have."""
    first = one.named[0] if one.named and one.named[0].first == 0 else None
    return first is not None and one.facts.declared.fits(first.name, ["thing"]) and len(one.words) > first.last + 1


def sentence(facts: Facts) -> Sentence | None:
    """The line of a mistake, if it may be a sentence of which something is understood."""
    number = facts.above.line if facts.kind == "deeper" else facts.span.line
    one = Sentence(facts, number)
    opened = one.text.split(" ")[0] in openings() or facts.declared.sort(one.text.split(" ")[0]) == "kind"
    english = one.prose >= 2 and len(one.words) >= 4 or _begins_with_thing(one)
    return one if not opened and english and not indent(one.text) and one.lines else None


def _speaks(field: t.FieldDef, words: list[str]) -> bool:
    said = {field.name.word, *field.title.casefold().split()}
    return bool(said & {form for word in words for form in (word, word.removesuffix("s"))})


def _number(word: str) -> str:
    if word in ("a", "an"):
        return "1"
    return word if word.isdecimal() else str(NUMBERS.index(word)) if word in NUMBERS else ""


def _ordinal(word: str) -> str:
    return str(_ORDER.index(word) + 1) if word in _ORDER else _number(word)
