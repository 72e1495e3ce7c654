"""The author's words beside the rules: numbers, resources and moments that stand in one and not in the other.

Only what cannot be meant otherwise is told. Words may leave out what goes without saying, such as a single one of
something, and may speak of whatever the rules lead to: routines, quantities, and those who ask for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from edict.compiler.checks.check_registry import Checks, Rules
from edict.compiler.semantics.symbols import Resolved, Symbol, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.compiler.syntax.walking import walk
from edict.support.morphology import join_words, spell_name, split_title
from edict.support.report import Diagnostic, Label

checks = Checks()


@checks.of_all
def drifted_apart(rules: Rules) -> Iterator[Diagnostic]:
    """The words of each thing that has some, beside the rules they stand for."""
    table: RuleWords | None = None
    for _, thing in rules.of(t.Thing):
        doing = (*(one for one in thing.fields if one.block), *thing.abilities)
        parts = [part for part in doing if thing.tells(part)]
        if thing.text is not None and parts:
            table = table or RuleWords(rules.resolved)
            for said, what in _differences(TextWords.of(table, thing.text.parts), Done(table, parts)):
                yield Diagnostic(
                    "E0583",
                    said,
                    thing.text.span,
                    severity="warning",
                    labels=(Label(what.span, "the rules"),) if what is not None and what.span else (),
                    help="make the text say what the rules do, or leave `text` out: then it is made from them",
                )


def _differences(words: TextWords, done: Done) -> Iterator[tuple[str, t.Node | None]]:
    yield from _numbers(words, done)
    yield from _resources(words, done)
    yield from _moments(words, done)


# --- numbers ---------------------------------------------------------------------------------------


def _numbers(words: TextWords, done: Done) -> Iterator[tuple[str, t.Node | None]]:
    for amount, what in words.amounts:
        others = done.amounts_of(what)
        if others and amount not in others and amount not in done.compared:
            numbers = join_words(map(str, sorted(others)), "or")
            yield f"the text says {amount} {words.title(what)}, and the rules {numbers}", done.part(what)
            return
    for number in words.numbers:
        if number not in done.numbers and number not in done.compared:
            yield f"the text says {number}, which is not a number in these rules", None
            return
    if not words.open:
        for number, node in done.literal:
            said = {*words.numbers, *words.spelled}
            if number > 1 and number not in said and done.then.get(node) not in said:
                yield f"the rules say {number}, and the text does not", node
                return


# --- resources -------------------------------------------------------------------------------------


def _resources(words: TextWords, done: Done) -> Iterator[tuple[str, t.Node | None]]:
    spoken = done.resources
    members = {one for group in words.resources for one in done.table.members(group)}
    for one in words.resources:
        inside = done.table.members(one)
        whole = any(
            one in done.table.members(group)
            and (group in words.resources or done.table.members(group) <= words.resources)
            for group in spoken
        )
        if one not in spoken and not (inside & spoken) and not whole:
            yield f"the text speaks of {words.title(one)}, and the rules do not", None
    for one, part in done.moved.items():
        inside = done.table.members(one)
        if one not in words.resources and one not in members and not (inside and inside <= words.resources):
            if not any(one in inside for inside in map(done.table.members, words.resources)):
                yield f"the rules move {words.title(one)}, and the text does not speak of it", part


# --- moments ---------------------------------------------------------------------------------------


def _moments(words: TextWords, done: Done) -> Iterator[tuple[str, t.Node | None]]:
    for phase in words.phases:
        if done.waits and phase not in done.phases and not done.goes_with(phase):
            yield f"the text speaks of {words.title(phase)}, and the rules do not", None
    for phase, node in done.during.items():
        if phase not in words.phases and not words.open:
            yield f"the rules ask for {words.title(phase)}, and the text does not speak of it", node
    edges = {when.edge for when in done.whens}
    for edge, phase in words.edges:
        if done.whens and edge not in edges and "" not in edges:
            there = next(iter(done.whens))
            yield f"the text says the {edge} of {words.title(phase)}, and the rules its {there.edge}", there


# --- what the text says ----------------------------------------------------------------------------

_ONES = "one two three four five six seven eight nine ten eleven twelve".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
SPELLED = {
    **{word: number for number, word in enumerate(_ONES, 1)},
    **{word: n for n, word in enumerate(_ORDINALS, 1)},
    **dict.fromkeys(("a", "an", "once", "single", "another"), 1),
    **dict.fromkeys(("twice", "double", "half", "halves", "both", "pair", "even", "odd", "couple"), 2),
    "thrice": 3,
    "triple": 3,
    "dozen": 12,
    "i": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "vi": 6,
}
_FEWER = re.compile(r"(?<!no )(?<!not )\b(?:fewer|less|more|lower|higher|above|below|over|under|beyond)(?: than)? $")
_AHEAD = (
    r"(?<!\bfor )\b(?:of|in|during|each|every|per|once an?|when|before|after)"
    r"(?: (?:the|an?|each|every|this|that|any))? "
)
_EDGES = {"start": "start", "beginning": "start", "begins": "start", "starts": "start", "end": "end", "ends": "end"}


@dataclass
class TextWords:
    """What the text says. `open`: it holds values that are known only in a game."""

    table: RuleWords
    text: str
    open: bool = False
    numbers: list[int] = field(default_factory=list)  # in figures; those in words may be meant otherwise
    spelled: set[int] = field(default_factory=set)
    amounts: list[tuple[int, str]] = field(default_factory=list)
    resources: set[str] = field(default_factory=set)
    phases: set[str] = field(default_factory=set)
    edges: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, table: RuleWords, said: Sequence[str | t.Expr]) -> TextWords:
        parts = [table.shown(part) for part in said]
        words = cls(table, " ".join(part or "…" for part in parts).replace(" .", ".").replace(" ,", ","), None in parts)
        words._read_phases()
        words._read_resources()
        words._read_numbers()
        return words

    def title(self, name: str) -> str:
        return self.table.title(name)

    def _read_phases(self) -> None:
        for match in self.table.phases.finditer(self.text):
            name = self.table.times[match["what"].casefold()]
            self.phases.add(name)
            before, after = self.text[: match.start("what")], self.text[match.end("what") :]
            edge = re.search(r"\b(start|beginning|end) of (?:\w+ )?$", before)
            if edge := edge or re.match(r" (begins|starts|ends)\b", after):
                self.edges.append((_EDGES[edge[1]], name))

    def _read_resources(self) -> None:
        def marked(match: re.Match[str]) -> str:
            name = self.table.countable[match["what"].casefold()]
            if isinstance(self.table.resolved.get(name), t.Kind):
                return "…"
            if not re.search(r"\b(?:no|without|nothing)\s(?:\w+ )?$", match.string[: match.start()]):
                self.resources.add(name)
            return f"⟦{name}⟧"

        self.text = self.table.resources.sub(marked, self.text)

    def _read_numbers(self) -> None:
        for match in re.finditer(r"\d+|[a-z]+", self.text, re.IGNORECASE):
            figure = match[0].isdecimal()
            if not figure and match[0].casefold() not in SPELLED or self._inside_mark(match.start()):
                continue
            number = int(match[0]) if figure else SPELLED[match[0].casefold()]
            strict = _FEWER.search(self.text[: match.start()]) is not None
            what = re.match(r" (?:more |bonus |other |of each (?:other )?)?⟦([^⟧]+)⟧", self.text[match.end() :])
            if strict or not figure:
                self.spelled.add(number)
            else:
                self.numbers.append(number)
                self.amounts += [(number, what[1])] if what else []

    def _inside_mark(self, place: int) -> bool:
        return self.text.rfind("⟦", 0, place) > self.text.rfind("⟧", 0, place)


class RuleWords:
    """What resources and phases are called, how phases lie within each other, and who speaks of what."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self._facts: dict[str, RuleFacts] = {}
        self._within: dict[str, frozenset[str]] = {}
        self.countable: dict[str, str] = {}
        self.times: dict[str, str] = {}
        self.resources = self._pattern(self.countable, "", t.Kind, t.Resource, t.Group, t.Die)
        self.phases = self._pattern(self.times, _AHEAD, t.Phase)

    def _pattern(self, meanings: dict[str, str], ahead: str, *sorts: type) -> re.Pattern[str]:
        """All that things of some sorts are called, the longest first; what each means is noted in `meanings`."""
        named = self.resolved.book.definitions.items()
        for name, one in sorted(named, key=lambda pair: not isinstance(pair[1], t.Kind)):  # what is no kind overrides
            if isinstance(one, sorts):
                plain = spell_name(name)
                titles = [part.removeprefix("The ").casefold() for part in one.title.split("/")]
                meanings.update({form: name for form in (*titles, plain, f"{plain}s") if form})
        words = "|".join(re.escape(form) for form in sorted(meanings, key=len, reverse=True)) or "(?!)"
        return re.compile(rf"{ahead}(?<!\w)(?P<what>{words})(?!\w)", re.IGNORECASE)

    def title(self, name: str) -> str:
        title: str = self.resolved.get(name).title
        return split_title(title or spell_name(name))[0]

    def speaks_of(self, name: str, phase: str) -> bool:
        """Whether a phase is named in the title of something that is no phase: `battles won`."""
        one = self.resolved.get(name)
        match = None if isinstance(one, t.Phase) else self.phases.search(f"in {one.title.replace('/', ' in ')}")
        return match is not None and self.times[match["what"].casefold()] == phase

    def shown(self, part: str | t.Expr) -> str | None:
        """How a part of the text reads; nothing for what is known only in a game."""
        if isinstance(part, str):
            return part.partition("/")[0]
        if isinstance(part, t.Number):
            return str(part.value)
        name = self.name(part)
        if name is None:
            return None
        return self.title(name) if name in {*self.countable.values(), *self.times.values()} else "…"

    def name(self, node: t.Node) -> str | None:
        """What a name that is declared means."""
        meaning = self.resolved.meaning.get(node) if isinstance(node, t.Name) else None
        return meaning.name if isinstance(meaning, Symbol) and meaning.name in self.resolved.book.definitions else None

    def members(self, name: str) -> frozenset[str]:
        """Of a group."""
        one = self.resolved.book.definitions.get(name)
        return frozenset(map(self._named, one.members)) if isinstance(one, t.Group) else frozenset()

    def _named(self, node: t.Name) -> str:
        return self.name(node) or node.word

    @cached_property
    def mentions(self) -> dict[str, set[str]]:
        """What each definition speaks of."""
        book = self.resolved.book
        named = book.definitions.items()
        return {name: {found for node in walk(one) if (found := self.name(node))} for name, one in named}

    def facts(self, name: str) -> RuleFacts:
        """What stands in a definition; of a thing, in what it does and in its numbers, its price left out."""
        if name not in self._facts:
            one = self.resolved.get(name)
            nodes: tuple[t.Node, ...] = (one,)
            if isinstance(one, t.Thing):
                nodes = (*(value for value in one.fields if value.amounts is None), *one.abilities)
            self._facts[name] = RuleFacts.of(self, *nodes)
        return self._facts[name]

    def within(self, name: str) -> frozenset[str]:
        """What is carried out in a phase, one inside the other, down to the moments that are triggered there."""
        if name not in self._within:
            found, waiting = set[str](), [name]
            while waiting:
                for inner in self._carries_out(waiting.pop()) - found:
                    found.add(inner)
                    waiting.append(inner)
            self._within[name] = frozenset(found)
        return self._within[name]

    def _carries_out(self, name: str) -> set[str]:
        one = self.resolved.book.definitions.get(name)
        runs = (name for node in walk(one) for name in having(node, Role.RUNS)) if one is not None else ()
        return {found for name in runs if (found := self.name(name))}


# --- what the rules do -----------------------------------------------------------------------------

_INCLUDED = {"<": -1, ">": 1}  # the last number that is still among those below, or the first above
_COMPARED = frozenset(("<", "<=", ">", ">=", "=", "!=", "mod"))
_AHEAD_OF = 4  # how far what is spoken of is followed


@dataclass
class RuleFacts:
    """What stands in some rules: numbers, amounts of what, limits of conditions, phases that are asked for."""

    numbers: set[int] = field(default_factory=set)
    compared: set[int] = field(default_factory=set)  # how limits may be said: above 3 is 4 or more
    amounts: dict[str, list[int | None]] = field(default_factory=dict)
    literal: list[tuple[int, t.Node]] = field(default_factory=list)  # numbers that are no limits of conditions
    moved: dict[str, t.Node] = field(default_factory=dict)  # what is gained, lost or paid
    during: dict[str, t.Node] = field(default_factory=dict)

    @classmethod
    def of(cls, table: RuleWords, *nodes: t.Node) -> RuleFacts:
        facts = cls()
        for node in nodes:
            facts._read(table, node)
        return facts

    def _read(self, table: RuleWords, node: t.Node) -> None:
        below = [*walk(node)]
        limits = {limit for one in below if isinstance(one, t.Binary) and one.op in _COMPARED for limit in walk(one)}
        for one in below:
            if isinstance(one, t.Number):
                self.numbers.add(one.value)
                self.literal += [] if one in limits else [(one.value, one)]
            elif isinstance(one, t.Binary) and one.op in _COMPARED:
                self.compared |= {n.value + _INCLUDED.get(one.op, 0) for n in walk(one) if isinstance(n, t.Number)}
            elif isinstance(one, t.Shift):
                self.numbers |= {abs(by) for by in one.by}
            elif isinstance(one, t.FieldDef | t.Setting | t.Keep):
                of = getattr(one, "type", None) or one
                self.numbers |= {n for n in (getattr(of, "low", 0), getattr(of, "high", 0)) if isinstance(n, int)}
            elif isinstance(one, t.During) and (phase := table.name(one.phase)):
                self.during[phase] = one
            elif isinstance(one, t.Part):
                self._part(table.name(one.what), one)
            elif isinstance(one, t.Loop):
                self.numbers.add(1)

    def _part(self, name: str | None, part: t.Part) -> None:
        """Of what was chosen, the name is empty."""
        amount = part.amount.value if isinstance(part.amount, t.Number) else None
        self.numbers |= {1} if amount is None else set()
        self.amounts.setdefault(name or "", []).append(amount)
        if name:
            self.moved.setdefault(name, part)


class Done:
    """What the rules do that the text stands for, and what they lead to."""

    def __init__(self, table: RuleWords, parts: Sequence[t.FieldValue | t.Ability]) -> None:
        self.table = table
        self.parts = parts
        self.waits = any(isinstance(part, t.Ability) for part in parts)
        self.whens = [part for part in parts if isinstance(part, t.When)]
        own = RuleFacts.of(table, *(part for part in parts if not self._optional(part)))
        self.literal, self.moved, self.during, self._own_amounts = own.literal, own.moved, own.during, own.amounts
        self._all = [own, RuleFacts.of(table, *(part for part in parts if self._optional(part)))]
        self._all += map(table.facts, self._led_to)
        self.then = dict(self._adjusted())
        self.numbers = {*self.then.values(), *(number for facts in self._all for number in facts.numbers)}
        self.compared = {number for facts in self._all for number in facts.compared}

    def _optional(self, part: t.FieldValue | t.Ability) -> bool:
        """Whether the text need not speak of it: a setting decides about it, or it is reckoned out."""
        if isinstance(part, t.Adjust) and not isinstance(part.by, t.Number | t.Unary):
            return True
        condition = getattr(part, "condition", None)
        named = (self.table.name(node) for node in walk(condition)) if condition is not None else ()
        return any(name and isinstance(self.table.resolved.get(name), t.Setting) for name in named)

    def _adjusted(self) -> Iterator[tuple[t.Node, int]]:
        """By the number in an adjustment, what the quantity is then: a price of 2 that is 1 less is 1."""
        for adjust in self.parts:
            if isinstance(adjust, t.Adjust):
                quantity = definition_of(self.table.resolved, adjust.quantity)
                number = adjust.by.arg if isinstance(adjust.by, t.Unary) else adjust.by
                start = quantity.value if isinstance(quantity, t.Quantity) else None
                if isinstance(start, t.Number) and isinstance(number, t.Number):
                    yield number, start.value + (number.value if number is adjust.by else -number.value)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for part in self.parts for node in walk(part) if (name := self.table.name(node)))

    @cached_property
    def _led_to(self) -> frozenset[str]:
        """What is spoken of, further and further, and those who ask for a quantity that is changed."""
        changed = {
            self.table.name(part.quantity if isinstance(part, t.Adjust) else part.target)
            for part in self.parts
            if isinstance(part, t.Adjust | t.Exception_)
        }
        found = {name for name, spoken in self.table.mentions.items() if spoken & changed}
        awaited = {self.table.name(when.moment) for when in self.whens}  # not what they do
        waiting = {*(self._names - awaited), *found, *(inner for name in found for inner in self.table.mentions[name])}
        chosen = self._chosen_from()
        waiting |= {*chosen, *(inner for name in chosen for inner in self.table.mentions[name])}
        for _ in range(_AHEAD_OF):
            inner = {name for one in waiting for name in self._spoken(one)} - found
            found |= waiting
            waiting = inner
        return frozenset(found)

    def _chosen_from(self) -> set[str]:
        """The things whose effects are carried out when one of them is chosen."""
        kinds = self._names if any(isinstance(node, t.DoField) for part in self.parts for node in walk(part)) else ()
        things = (one for one in self.table.resolved.book.definitions.values() if isinstance(one, t.Thing))
        return {one.name.word for one in things if one.kind.word in kinds}

    def _spoken(self, name: str) -> set[str]:
        one = self.table.resolved.book.definitions.get(name)
        follow = isinstance(one, t.Routine | t.Action | t.Quantity | t.Keep | t.Moment)
        return self.table.mentions.get(name, set()) if follow else set()

    @cached_property
    def resources(self) -> frozenset[str]:
        named = self._led_to | self._names
        spoken = {inner for name in named for inner in self.table.mentions.get(name, ())}
        return frozenset(named | spoken)

    @cached_property
    def phases(self) -> frozenset[str]:
        return self._led_to | self._names

    def goes_with(self, phase: str) -> bool:
        """Whether a phase lies around what the rules wait for, or in it, unless they name another like it."""
        inside = self.table.within(phase)
        if any(self.table.speaks_of(name, phase) for name in self.phases):
            return True
        if any(other != phase and self.table.within(other) & inside for other in self.during):
            return False
        return bool(inside & self.phases) or any(phase in self.table.within(one) for one in self.phases)

    def amounts_of(self, name: str) -> frozenset[int]:
        """The amounts of something that is moved, if all are plain numbers."""
        if name not in self.moved or None in self._own_amounts[name]:
            return frozenset()
        found = [amount for facts in self._all for one in (name, "") for amount in facts.amounts.get(one, ())]
        return frozenset(amount for amount in found if amount is not None)

    def part(self, name: str) -> t.Node | None:
        return self.moved.get(name)
