"""Texts of things in the author's words that contradict the rules: in numbers, resources and moments.

Only certain contradictions are reported. A text may leave out the obvious, such as a single one of something, and may
mention all that the rules lead to: routines, quantities, and rules that read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property, lru_cache

from edict.compiler.checks.check_registry import CheckContext, Checks
from edict.compiler.semantics.symbols import ResolvedBook, Symbol, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import join_words, spell_name, split_title
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label

checks = Checks()


@checks.check_rules
def find_drifted_texts(rules: CheckContext) -> Iterator[Diagnostic]:
    """Compare the text of each thing with the rules it describes."""
    table: RuleVocabulary | None = None
    for _, thing in rules.nodes_of(t.Thing):
        rules_of_thing = (*(field_ for field_ in thing.fields if field_.block), *thing.abilities)
        parts = [part for part in rules_of_thing if thing.is_covered_by_text(part)]
        if thing.text is not None and parts:
            table = table or get_vocabulary(rules.resolved)
            for title, node in _find_differences(
                TextFacts.from_parts(table, thing.text.parts), DescribedRules(table, parts)
            ):
                yield Diagnostic(
                    "E0583",
                    title,
                    thing.text.span,
                    severity="warning",
                    labels=(Label(node.span, "the rules"),) if node is not None and node.span else (),
                    help="make the text match the rules, or delete `text` to generate it from them",
                )


def _find_differences(words: TextFacts, done: DescribedRules) -> Iterator[tuple[str, t.Node | None]]:
    """Yield each contradiction between a text and its rules, with the node it is about or None."""
    yield from _compare_numbers(words, done)
    yield from _find_resource_differences(words, done)
    yield from _compare_moments(words, done)


# --- numbers ---------------------------------------------------------------------------------------


def _compare_numbers(words: TextFacts, rules: DescribedRules) -> Iterator[tuple[str, t.Node | None]]:
    """Yield at most one number or amount that only the text or only the rules have, with its node or None."""
    for amount, resource in words.amounts:
        others = rules.amounts_of(resource)
        if others and amount not in others and amount not in rules.compared:
            numbers = join_words(map(str, sorted(others)), "or")
            title = f"the text says {amount} {words.title(resource)}, but the rules say {numbers}"
            yield title, rules.find_moving_part(resource)
            return
    for number in words.numbers:
        if number not in rules.numbers and number not in rules.compared:
            yield f"the text says {number}, which is not a number in these rules", None
            return
    if not words.has_values:
        for number, node in rules.literal:
            stated = {*words.numbers, *words.spelled}
            if number > 1 and number not in stated and rules.adjusted_values.get(node) not in stated:
                yield f"the rules say {number}, but the text does not", node
                return


# --- resources -------------------------------------------------------------------------------------


def _find_resource_differences(words: TextFacts, rules: DescribedRules) -> Iterator[tuple[str, t.Node | None]]:
    """Yield resources that only the text or only the rules mention, with a node or None; groups cover members."""
    mentioned = rules.resources
    members = {name for group in words.resources for name in rules.table.members(group)}
    for name in words.resources:
        group_members = rules.table.members(name)
        is_covered = any(
            name in rules.table.members(group)
            and (group in words.resources or rules.table.members(group) <= words.resources)
            for group in mentioned
        )
        if name not in mentioned and not (group_members & mentioned) and not is_covered:
            yield f"the text mentions {words.title(name)}, but the rules do not", None
    for name, part in rules.moved.items():
        group_members = rules.table.members(name)
        if (
            name not in words.resources
            and name not in members
            and not (group_members and group_members <= words.resources)
        ):
            if not any(name in group_members for group_members in map(rules.table.members, words.resources)):
                yield f"the rules change {words.title(name)}, but the text does not mention it", part


# --- moments ---------------------------------------------------------------------------------------


def _compare_moments(words: TextFacts, rules: DescribedRules) -> Iterator[tuple[str, t.Node | None]]:
    """Yield phases, and starts and ends of phases, that only the text or only the rules name, with a node or None."""
    for phase in words.phases:
        if rules.has_abilities and phase not in rules.phases and not rules.is_related_to(phase):
            yield f"the text mentions {words.title(phase)}, but the rules do not", None
    for phase, node in rules.during.items():
        if phase not in words.phases and not words.has_values:
            yield f"the rules depend on {words.title(phase)}, but the text does not mention it", node
    edges = {when.edge for when in rules.whens}
    for edge, phase in words.edges:
        if rules.whens and edge not in edges and "" not in edges:
            first_when = next(iter(rules.whens))
            yield (
                f"the text says the {edge} of {words.title(phase)}, but the rules say its {first_when.edge}",
                first_when,
            )


# --- facts of a text -------------------------------------------------------------------------------

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
}  # numbers that a word may stand for
_COMPARATIVE = re.compile(
    r"(?<!no )(?<!not )\b(?:fewer|less|more|lower|higher|above|below|over|under|beyond)(?: than)? $"
)
_BEFORE_PHASE = (
    r"(?<!\bfor )\b(?:of|in|during|each|every|per|once an?|when|before|after)"
    r"(?: (?:the|an?|each|every|this|that|any))? "
)  # words in front of the name of a phase
_EDGES = {"start": "start", "beginning": "start", "begins": "start", "starts": "start", "end": "end", "ends": "end"}


@dataclass
class TextFacts:
    """Numbers, resources and phases that a text mentions."""

    table: RuleVocabulary
    text: str
    has_values: bool = False  # whether it contains values that are known only in a game
    numbers: list[int] = field(default_factory=list)  # in figures; those in words are uncertain
    spelled: set[int] = field(default_factory=set)  # numbers in words or after a comparative
    amounts: list[tuple[int, str]] = field(default_factory=list)
    resources: set[str] = field(default_factory=set)
    phases: set[str] = field(default_factory=set)
    edges: list[tuple[str, str]] = field(default_factory=list)  # (start | end, phase)

    @classmethod
    def from_parts(cls, table: RuleVocabulary, text_parts: Sequence[str | t.Expr]) -> TextFacts:
        """Read the parts of a text."""
        parts = [table.read_part(part) for part in text_parts]
        words = cls(table, " ".join(part or "…" for part in parts).replace(" .", ".").replace(" ,", ","), None in parts)
        words._read_phases()
        words._read_resources()
        words._read_numbers()
        return words

    def title(self, name: str) -> str:
        """Return the title of a definition."""
        return self.table.title(name)

    def _read_phases(self) -> None:
        """Add the phases that the text names, and `start` or `end` if the text says so beside the name."""
        for match in self.table.phases.finditer(self.text):
            name = self.table.phase_names[match["what"].casefold()]
            self.phases.add(name)
            before, after = self.text[: match.start("what")], self.text[match.end("what") :]
            edge = re.search(r"\b(start|beginning|end) of (?:\w+ )?$", before)
            if edge := edge or re.match(r" (begins|starts|ends)\b", after):
                self.edges.append((_EDGES[edge[1]], name))

    def _read_resources(self) -> None:
        """Add the resources that the text names, unless negated (`no gold`), and mark them in the text as `⟦name⟧`."""

        def mark_resource(match: re.Match[str]) -> str:
            """Record a matched resource and return its mark; for a kind of things return only an ellipsis."""
            name = self.table.countable[match["what"].casefold()]
            if isinstance(self.table.resolved.require_definition(name), t.Kind):
                return "…"
            if not re.search(r"\b(?:no|without|nothing)\s(?:\w+ )?$", match.string[: match.start()]):
                self.resources.add(name)
            return f"⟦{name}⟧"

        self.text = self.table.resources.sub(mark_resource, self.text)

    def _read_numbers(self) -> None:
        """Add figures to `numbers`, those before resources to `amounts`; words and `more than N` to `spelled`."""
        for match in re.finditer(r"\d+|[a-z]+", self.text, re.IGNORECASE):
            is_figure = match[0].isdecimal()
            if not is_figure and match[0].casefold() not in SPELLED or self._inside_mark(match.start()):
                continue
            number = int(match[0]) if is_figure else SPELLED[match[0].casefold()]
            is_comparative = _COMPARATIVE.search(self.text[: match.start()]) is not None
            resource_match = re.match(
                r" (?:more |bonus |other |of each (?:other )?)?⟦([^⟧]+)⟧", self.text[match.end() :]
            )
            if is_comparative or not is_figure:
                self.spelled.add(number)
            else:
                self.numbers.append(number)
                self.amounts += [(number, resource_match[1])] if resource_match else []

    def _inside_mark(self, place: int) -> bool:
        """Return True if a position of the text is within a mark `⟦name⟧`."""
        return self.text.rfind("⟦", 0, place) > self.text.rfind("⟧", 0, place)


@lru_cache(maxsize=2)
def get_vocabulary(resolved: ResolvedBook) -> RuleVocabulary:
    """Return the vocabulary of some rules, which the checks of texts and of passages share."""
    return RuleVocabulary(resolved)


class RuleVocabulary:
    """Titles of resources and phases, the nesting of phases, and mentions between definitions."""

    def __init__(self, resolved: ResolvedBook) -> None:
        self.resolved = resolved
        self._facts: dict[str, RuleFacts] = {}
        self._facts_of_nodes: dict[t.Node, RuleFacts] = {}
        self._mentions_of_nodes: dict[t.Node, frozenset[str]] = {}
        self._nested: dict[str, frozenset[str]] = {}
        self.countable: dict[str, str] = {}
        self.phase_names: dict[str, str] = {}
        self.resources = self._build_pattern(self.countable, "", t.Kind, t.Resource, t.Group, t.Die)
        self.phases = self._build_pattern(self.phase_names, _BEFORE_PHASE, t.Phase)

    def _build_pattern(self, meanings: dict[str, str], prefix: str, *classes: type) -> re.Pattern[str]:
        """Return a pattern for the titles of some classes, longest first, and record their names in `meanings`."""
        definitions = self.resolved.book.definitions.items()
        for name, definition in sorted(
            definitions, key=lambda pair: not isinstance(pair[1], t.Kind)
        ):  # kinds come first
            if isinstance(definition, classes):
                spelled_name = spell_name(name)
                titles = [part.removeprefix("The ").casefold() for part in definition.title.split("/")]
                meanings.update({form: name for form in (*titles, spelled_name, f"{spelled_name}s") if form})
        words = "|".join(re.escape(form) for form in sorted(meanings, key=len, reverse=True)) or "(?!)"
        return re.compile(rf"{prefix}(?<!\w)(?P<what>{words})(?!\w)", re.IGNORECASE)

    def title(self, name: str) -> str:
        """Return the title of a definition, or its name spelled out."""
        title: str = self.resolved.require_definition(name).title
        return split_title(title or spell_name(name))[0]

    def mentions_phase(self, name: str, phase: str) -> bool:
        """Return True if the title of something else names a phase, as `battles won`."""
        definition = self.resolved.require_definition(name)
        match = (
            None
            if isinstance(definition, t.Phase)
            else self.phases.search(f"in {definition.title.replace('/', ' in ')}")
        )
        return match is not None and self.phase_names[match["what"].casefold()] == phase

    def read_part(self, part: str | t.Expr) -> str | None:
        """Return text, number or title of a resource or phase; `…` for other names, None for a computed value."""
        if isinstance(part, str):
            return part.partition("/")[0]
        if isinstance(part, t.Number):
            return str(part.value)
        name = self.name_of(part)
        if name is None:
            return None
        return self.title(name) if name in {*self.countable.values(), *self.phase_names.values()} else "…"

    def name_of(self, node: t.Node) -> str | None:
        """Return the name of the definition that a name node refers to; None for other nodes."""
        meaning = self.resolved.meaning.get(node) if isinstance(node, t.Name) else None
        return meaning.name if isinstance(meaning, Symbol) and meaning.name in self.resolved.book.definitions else None

    def members(self, name: str) -> frozenset[str]:
        """Return the names of a group's members; empty for other definitions."""
        definition = self.resolved.book.definitions.get(name)
        return frozenset(map(self._member_name, definition.members)) if isinstance(definition, t.Group) else frozenset()

    def _member_name(self, node: t.Name) -> str:
        """Return the name of the definition that a group's member refers to, or the word as written."""
        return self.name_of(node) or node.word

    @cached_property
    def mentions(self) -> dict[str, frozenset[str]]:
        """The names that each definition mentions."""
        return {name: self.mentions_in(definition) for name, definition in self.resolved.book.definitions.items()}

    def mentions_in(self, node: t.Node) -> frozenset[str]:
        """Return the names of all definitions that a node and those below it refer to (cached)."""
        if node not in self._mentions_of_nodes:
            names = map(self.name_of, walk(node))
            self._mentions_of_nodes[node] = frozenset(name for name in names if name)
        return self._mentions_of_nodes[node]

    def facts_in(self, node: t.Node) -> RuleFacts:
        """Return the facts of a node and those below it (cached)."""
        if node not in self._facts_of_nodes:
            facts = self._facts_of_nodes[node] = RuleFacts()
            facts._read(self, node)
        return self._facts_of_nodes[node]

    def facts_of(self, name: str) -> RuleFacts:
        """Return the facts of a definition; of a thing, those of its rules and numbers without its price."""
        if name not in self._facts:
            definition = self.resolved.require_definition(name)
            nodes: tuple[t.Node, ...] = (definition,)
            if isinstance(definition, t.Thing):
                nodes = (*(value for value in definition.fields if value.amounts is None), *definition.abilities)
            self._facts[name] = RuleFacts.from_nodes(self, *nodes)
        return self._facts[name]

    def get_nested_names(self, name: str) -> frozenset[str]:
        """Return the names of all phases, routines and moments that a phase runs, at any depth (cached)."""
        if name not in self._nested:
            nested, pending = set[str](), [name]
            while pending:
                for inner in self._runs_directly(pending.pop()) - nested:
                    nested.add(inner)
                    pending.append(inner)
            self._nested[name] = frozenset(nested)
        return self._nested[name]

    def _runs_directly(self, name: str) -> set[str]:
        """Return the names of the phases, routines and moments that a definition's own steps run."""
        definition = self.resolved.book.definitions.get(name)
        runs = (
            (name for node in walk(definition) for name in iter_role_values(node, Role.RUNS))
            if definition is not None
            else ()
        )
        return {callee for name in runs if (callee := self.name_of(name))}


# --- facts of rules --------------------------------------------------------------------------------

_INCLUDED = {"<": -1, ">": 1}
_COMPARED = frozenset(("<", "<=", ">", ">=", "=", "!=", "mod"))
_FACTUAL = (t.Number, t.Binary, t.Shift, t.FieldDef, t.Setting, t.Keep, t.During, t.Part, t.Loop)
_MAX_DEPTH = 4  # steps from name to name that are followed


@dataclass
class RuleFacts:
    """Numbers, amounts, limits and phases in some rules."""

    numbers: set[int] = field(default_factory=set)
    compared: set[int] = field(default_factory=set)  # limits as they may be put: above 3 is 4 or more
    amounts: dict[str, list[int | None]] = field(default_factory=dict)
    literal: list[tuple[int, t.Node]] = field(default_factory=list)  # numbers that are no limits of conditions
    moved: dict[str, t.Node] = field(default_factory=dict)  # resources that are gained, lost or paid
    during: dict[str, t.Node] = field(default_factory=dict)  # phases that conditions ask for

    @classmethod
    def from_nodes(cls, table: RuleVocabulary, *nodes: t.Node) -> RuleFacts:
        """Combine the facts of some rules."""
        facts = cls()
        for part in map(table.facts_in, nodes):
            facts.numbers |= part.numbers
            facts.compared |= part.compared
            facts.literal += part.literal
            facts.during |= part.during
            for name, moving_part in part.moved.items():
                facts.moved.setdefault(name, moving_part)
            for name, amounts in part.amounts.items():
                facts.amounts.setdefault(name, []).extend(amounts)
        return facts

    def _read(self, table: RuleVocabulary, node: t.Node) -> None:
        """Add the numbers, compared limits, phases and amounts in a node and all below it."""
        below = [*walk(node)]
        limits = {
            limit for part in below if isinstance(part, t.Binary) and part.op in _COMPARED for limit in walk(part)
        }
        for part in below:
            if not isinstance(part, _FACTUAL):
                continue
            if isinstance(part, t.Number):
                self.numbers.add(part.value)
                self.literal += [] if part in limits else [(part.value, part)]
            elif isinstance(part, t.Binary) and part.op in _COMPARED:
                self.compared |= {
                    number.value + _INCLUDED.get(part.op, 0) for number in walk(part) if isinstance(number, t.Number)
                }
            elif isinstance(part, t.Shift):
                self.numbers |= {abs(shift) for shift in part.by}
            elif isinstance(part, t.FieldDef | t.Setting | t.Keep):
                type_ = getattr(part, "type", None) or part
                self.numbers |= {
                    number
                    for number in (getattr(type_, "low", 0), getattr(type_, "high", 0))
                    if isinstance(number, int)
                }
            elif isinstance(part, t.During) and (phase := table.name_of(part.phase)):
                self.during[phase] = part
            elif isinstance(part, t.Part):
                self._read_part(table.name_of(part.what), part)
            elif isinstance(part, t.Loop):
                self.numbers.add(1)

    def _read_part(self, name: str | None, part: t.Part) -> None:
        """Add the amount of a moved resource, None if computed; the name is None if the resource is chosen in play."""
        amount = part.amount.value if isinstance(part.amount, t.Number) else None
        self.numbers |= {1} if amount is None else set()
        self.amounts.setdefault(name or "", []).append(amount)
        if name:
            self.moved.setdefault(name, part)


class DescribedRules:
    """The rules that a text describes and all they lead to."""

    def __init__(self, table: RuleVocabulary, parts: Sequence[t.FieldValue | t.Ability]) -> None:
        self.table = table
        self.parts = parts
        self.has_abilities = any(isinstance(part, t.Ability) for part in parts)
        self.whens = [part for part in parts if isinstance(part, t.When)]
        required_facts = RuleFacts.from_nodes(table, *(part for part in parts if not self._is_optional(part)))
        self.literal, self.moved, self.during, self._own_amounts = (
            required_facts.literal,
            required_facts.moved,
            required_facts.during,
            required_facts.amounts,
        )
        self._all = [required_facts, RuleFacts.from_nodes(table, *(part for part in parts if self._is_optional(part)))]
        self._all += map(table.facts_of, self._followed_names)
        self.adjusted_values = dict(self._iter_adjusted_values())
        self.numbers = {*self.adjusted_values.values(), *(number for facts in self._all for number in facts.numbers)}
        self.compared = {number for facts in self._all for number in facts.compared}

    def _is_optional(self, part: t.FieldValue | t.Ability) -> bool:
        """Return True if a text may omit a part: a computed adjustment, or a condition that mentions a setting."""
        if isinstance(part, t.Adjust) and not isinstance(part.by, t.Number | t.Unary):
            return True
        condition = getattr(part, "condition", None)
        names = (self.table.name_of(node) for node in walk(condition)) if condition is not None else ()
        return any(name and isinstance(self.table.resolved.require_definition(name), t.Setting) for name in names)

    def _iter_adjusted_values(self) -> Iterator[tuple[t.Node, int]]:
        """Yield the number in an adjustment with the quantity's value after it: a price of 2 less 1 is 1."""
        for adjust in self.parts:
            if isinstance(adjust, t.Adjust):
                quantity = definition_of(self.table.resolved, adjust.quantity)
                number = adjust.by.arg if isinstance(adjust.by, t.Unary) else adjust.by
                start = quantity.value if isinstance(quantity, t.Quantity) else None
                if isinstance(start, t.Number) and isinstance(number, t.Number):
                    yield number, start.value + (number.value if number is adjust.by else -number.value)

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of all definitions that the described parts mention."""
        return frozenset().union(*map(self.table.mentions_in, self.parts))

    @cached_property
    def _followed_names(self) -> frozenset[str]:
        """The names mentioned directly and indirectly, and the rules that read a quantity that is changed."""
        changed = {
            self.table.name_of(part.quantity if isinstance(part, t.Adjust) else part.target)
            for part in self.parts
            if isinstance(part, t.Adjust | t.Exception_)
        }
        followed = {name for name, mentioned in self.table.mentions.items() if mentioned & changed}
        awaited = {self.table.name_of(when.moment) for when in self.whens}  # but not what the moments do
        pending = {
            *(self._names - awaited),
            *followed,
            *(next_names for name in followed for next_names in self.table.mentions[name]),
        }
        chosen = self._find_choosable_things()
        pending |= {*chosen, *(next_names for name in chosen for next_names in self.table.mentions[name])}
        for _ in range(_MAX_DEPTH):
            next_names = {name for name_ in pending for name in self._find_mentions_to_follow(name_)} - followed
            followed |= pending
            pending = next_names
        return frozenset(followed)

    def _find_choosable_things(self) -> set[str]:
        """Return the things whose effects run when one of them is chosen."""
        kinds = self._names if any(isinstance(node, t.DoField) for part in self.parts for node in walk(part)) else ()
        things = self.table.resolved.book.things
        return {thing.name.word for thing in things if thing.kind.word in kinds}

    def _find_mentions_to_follow(self, name: str) -> frozenset[str]:
        """Return what a routine, action, quantity, keep or moment mentions; empty for other definitions."""
        definition = self.table.resolved.book.definitions.get(name)
        follow = isinstance(definition, t.Routine | t.Action | t.Quantity | t.Keep | t.Moment)
        return self.table.mentions.get(name, frozenset()) if follow else frozenset()

    @cached_property
    def resources(self) -> frozenset[str]:
        """The names that the rules mention or lead to."""
        names = self._followed_names | self._names
        mentioned = {inner for name in names for inner in self.table.mentions.get(name, ())}
        return frozenset(names | mentioned)

    @cached_property
    def phases(self) -> frozenset[str]:
        """The names among which phases are looked for."""
        return self._followed_names | self._names

    def is_related_to(self, phase: str) -> bool:
        """Return True if the text may name this phase: it contains, or is within, what the rules wait for."""
        nested = self.table.get_nested_names(phase)
        if any(self.table.mentions_phase(name, phase) for name in self.phases):
            return True
        if any(other != phase and self.table.get_nested_names(other) & nested for other in self.during):
            return False
        return bool(nested & self.phases) or any(
            phase in self.table.get_nested_names(mentioned) for mentioned in self.phases
        )

    def amounts_of(self, name: str) -> frozenset[int]:
        """Return all literal amounts of a resource; empty if the rules do not move it or compute one of the amounts."""
        if name not in self.moved or None in self._own_amounts[name]:
            return frozenset()
        amounts = set[int | None]()
        for facts in self._all:
            amounts.update(facts.amounts.get(name, ()), facts.amounts.get("", ()))
        return frozenset(amount for amount in amounts if amount is not None)

    def find_moving_part(self, name: str) -> t.Node | None:
        """Return the first part that moves a resource."""
        return self.moved.get(name)
