"""Features that are counted in the games of a batch, as integers for the counting loop.

Features are named as a program declares them. A `Feature` is something a game can have more or less of, such as an
option chosen, a thing drawn, a line announced, a
thing held at the end, or a rule that brought score. A `CountingPlan` numbers the features, and maps the machine's
events to them in one flat row of integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import field, replace
from functools import cached_property

from edict.runtime.program import AnnouncementPart, LinkedKind, Program, Question, StateVariable, listing, opcodes
from edict.runtime.program.opcodes import ASKC, LDX, RET, ROW_STORES, SAY, SET, SIZE
from edict.runtime.simulation.counting_layout import RowLayout, row_layout, sums_layout
from edict.support.morphology import join_line, split_title
from edict.support.records import dataclass

CHOSEN, DRAWN, SAID, NAMED, AMOUNT, HELD, SCORED = "chosen", "drawn", "said", "named", "amount", "held", "scored"
GROUPED = "grouped"
PLAYER = "player"
MAX_NUMBER = 24  # answers to "how many?" are distinguished up to this one
WHO, WHAT, NUMBER = 1, 2, 3  # meaning of an announcement's part

# --- the head of the flat row; a table is given by the place where it begins
(
    SEATS,
    FEATURES,
    ROUNDS,
    ROUND,
    BITS,
    SCORE,
    ORDER,
    SCORE_AT,
    SCORE_LAST,
    ENTRY,
    PARAMETER,
    RESULT_AT,
    QUESTIONS,
    PLACES,
    HELDS,
    HELD_COUNT,
    ROW_SCORES,
    ROW_PLACES,
    ROW_SEATS,
    ROW_ROUNDS,
    ROW_OFFERED,
    SUM_PLACES,
    SUM_SEATS,
    SUM_BINS,
    GROUPS,
    GROUP_COUNT,
    TURNS,
    ROW_SCORED,
    ROW_TURNS,
    SUM_COURSE,
    SUM_LED,
    SUM_TURNS,
) = range(32)
PLAN_HEAD = 32
PER_QUESTION = 3  # place of its features in the row, their number, bits by which to shift an answer
PER_PLACE = 4  # meaning of the announced part; features of the line, of the value, of the rule's score
PER_HELD = 5  # first cell, whether it is a set, first feature, number of features, cells of each player
PER_MEMBER = 2  # feature of a thing, feature of a group that it belongs to


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that is counted."""

    kind: str  # chosen drawn said named amount held scored grouped
    group: str  # the question, the announcement or what is held; for groups of these things, with the field
    option: str  # which of its possibilities
    of: str = ""  # the kind of the thing that it is, or the rule's name
    place: str = ""  # the rule's file and line; of several, the first that is certain to score

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Return its name, which also holds in other versions of the rules, where lines may have moved."""
        return (self.kind, self.group, self.option, self.of)


@dataclass
class FeatureNumbers:
    """The numbering of features; equal ones get the same number."""

    features: list[Feature] = field(default_factory=list)
    _known: dict[tuple[str, str, str, str], int] = field(default_factory=dict)

    def number_of(self, feature: Feature) -> int:
        """Return the number of a feature, a new one if needed."""
        if feature.key not in self._known:
            self._known[feature.key] = len(self.features)
            self.features.append(feature)
        return self._known[feature.key]

    def number_block(self, features: list[Feature]) -> int:
        """Assign consecutive numbers to some features, if not done before, and return the first number.

        Raises:
            ValueError: If one of them has another number already.
        """
        first = self.number_of(features[0])
        for number, feature in enumerate(features[1:], first + 1):
            if self.number_of(feature) != number:
                raise ValueError(f"{feature} was counted elsewhere before")
        return first


@dataclass(frozen=True)
class CountingPlan:
    """The features that are counted for a program and a number of players."""

    program: Program
    players: int
    features: tuple[Feature, ...]
    flat: tuple[int, ...]  # for the counting loop

    @property
    def rounds(self) -> int:
        """Return how many rounds are distinguished."""
        return self.flat[ROUNDS]

    @property
    def round_name(self) -> str:
        """Return the title of a round of this game; empty without rounds."""
        number = self.flat[ROUND]
        if number < 0:
            return ""
        name, title = self.program.phases[number]
        return title or name

    @property
    def turn_names(self) -> list[str]:
        """Return the titles of the phases in which the turn order is set anew."""
        sets_order = self.flat[self.flat[TURNS] :]
        return [title or name for (name, title), sets in zip(self.program.phases, sets_order, strict=True) if sets]

    @cached_property
    def row_layout(self) -> RowLayout:
        """Return the layout of a game's row."""
        return row_layout(self.players, len(self.features), self.rounds)

    @property
    def head_length(self) -> int:
        """Return the number of cells in a row before those of features."""
        return self.row_layout.place_of("by_seat")

    @cached_property
    def sums_layout(self) -> RowLayout:
        """Return the layout of a batch's sums."""
        return sums_layout(self.players, len(self.features), self.rounds)

    @cached_property
    def feature_numbers(self) -> dict[tuple[str, str, str, str], int]:
        """Index the numbers of features by their keys."""
        return {feature.key: number for number, feature in enumerate(self.features)}


def build_counting_plan(
    program: Program, players: int, round_phase: int = -1, rounds: int = 0, turn_phases: Collection[int] = ()
) -> CountingPlan:
    """Build the counting plan of a program.

    Args:
        program: The program.
        players: The number of players.
        round_phase: The number of the phase that is a round of the game; -1 without rounds.
        rounds: How many rounds are distinguished.
        turn_phases: The numbers of the phases in which the turn order is set anew.
    """
    numbers = FeatureNumbers()
    questions, options = _number_answers(program, numbers)
    places = _number_places(program, numbers)
    helds = [number for variable in program.variables for number in _number_holdings(program, variable, numbers)]
    members = [number for pair in _number_groups(program, numbers) for number in pair]
    turns = [int(phase in turn_phases) for phase in range(len(program.phases))]
    query, score = program.queries[program.score], score_variable(program)
    head = [0] * PLAN_HEAD
    at = PLAN_HEAD
    head[QUESTIONS], at = at, at + len(questions)
    questions = [cell + (at if i % PER_QUESTION == 0 and cell >= 0 else 0) for i, cell in enumerate(questions)]
    at += len(options)
    head[PLACES], at = at, at + len(places)
    head[HELDS], head[HELD_COUNT], at = at, len(helds) // PER_HELD, at + len(helds)
    head[GROUPS], head[GROUP_COUNT], at = at, len(members) // PER_MEMBER, at + len(members)
    head[TURNS] = at
    head[SEATS], head[FEATURES] = players, len(numbers.features)
    head[ROUNDS], head[ROUND] = max(1, rounds), round_phase
    head[BITS], head[ORDER] = program.dice.bits, program.order
    head[SCORE_AT], head[SCORE_LAST] = (score.base, score.base + players - 1) if score else (0, -1)
    head[ENTRY], head[RESULT_AT] = query.entry, query.result
    head[PARAMETER] = query.params[0] if query.params else query.result
    row = row_layout(players, head[FEATURES], head[ROUNDS])
    sums = sums_layout(players, head[FEATURES], head[ROUNDS])
    head[ROW_SCORES], head[ROW_PLACES], head[ROW_SEATS] = (
        row.place_of("scores"),
        row.place_of("places"),
        row.place_of("by_seat"),
    )
    head[ROW_ROUNDS], head[ROW_OFFERED] = row.place_of("by_round"), row.place_of("offered")
    head[ROW_SCORED], head[ROW_TURNS] = row.place_of("scored"), row.place_of("turns")
    head[SUM_PLACES], head[SUM_SEATS], head[SUM_BINS] = (
        sums.place_of("wins_by_place"),
        sums.place_of("by_seat"),
        sums.place_of("bins"),
    )
    head[SUM_COURSE], head[SUM_LED], head[SUM_TURNS] = (
        sums.place_of("course"),
        sums.place_of("led"),
        sums.place_of("turn_places"),
    )
    flat = (*head, *questions, *options, *places, *helds, *members, *turns)
    return CountingPlan(program, players, tuple(numbers.features), flat)


# --- answers ----------------------------------------------------------------------------------


def _number_answers(program: Program, numbers: FeatureNumbers) -> tuple[list[int], list[int]]:
    """Return (start of its answers, how many, die bits) for each question, flat, and all answers' feature numbers."""
    by_chance = _find_chance_questions(program)
    table: list[int] = []
    options: list[int] = []
    for number, question in enumerate(program.questions):
        features = _answer_features(program, question, number in by_chance)
        bits = program.dice.bits if question.domain == "ways" else 0
        table += [len(options) if features else -1, len(features), bits]
        options += [numbers.number_of(feature) for feature in features]
    return table, options


def _find_chance_questions(program: Program) -> set[int]:
    """Return the numbers of the questions that chance answers."""
    return {operands[0] for _, op, operands in iter_instructions(program) if op == ASKC}


def _answer_features(program: Program, question: Question, chance: bool) -> list[Feature]:
    """Return a feature for declining and one for each answer; [] for chance, except draws of things, or no texts."""
    texts = answer_texts(program, question)
    if not texts or (chance and question.domain != "thing"):
        return []
    group = question.prompt or default_prompt(program, question)
    of = question.kind if question.domain == "thing" else ""
    kind = DRAWN if chance else CHOSEN
    return [Feature(kind, group, text, of) for text in (question.decline or "No", *texts)]


def list_named_options(plan: CountingPlan) -> list[list[int]]:
    """Return for each prompt the features of its options that are things or branches of the rules.

    Numbers, players, combinations of dice and declining are no such options.
    """
    by_chance = _find_chance_questions(plan.program)
    groups: dict[str, dict[int, None]] = {}
    for number, question in enumerate(plan.program.questions):
        if number not in by_chance and question.domain in ("thing", "branch") and question.kind != "resource":
            for feature in _answer_features(plan.program, question, False)[1:]:
                groups.setdefault(feature.group, {})[plan.feature_numbers[feature.key]] = None
    return [list(numbers) for numbers in groups.values()]


def answer_texts(program: Program, question: Question) -> list[str]:
    """Return the texts of a question's answers, by number; none if its answers are not distinguished."""
    if question.domain == "thing" and question.kind != PLAYER:
        return distinct_titles(program.kind_by_name[question.kind])
    if question.domain == "number":
        return [*map(str, range(MAX_NUMBER)), f"{MAX_NUMBER} or more"]
    if question.domain in ("branch", "ability"):
        return list(question.labels)
    if question.domain == "ways":
        combinations = program.shifts.get(question.name, ())
        return [" and ".join(texts) or "as they are" for texts in combinations] if len(combinations) > 1 else []
    return []


def default_prompt(program: Program, question: Question) -> str:
    """Return `Which KIND?` for a question about things of a kind, else the question's name."""
    kind = program.kind_by_name.get(question.kind)
    return f"Which {kind.title or kind.name}?" if kind else question.name


# --- places in the code: announcements, and rules that bring score ------------------------------


def _number_places(program: Program, numbers: FeatureNumbers) -> list[int]:
    """Return PER_PLACE numbers for each place of the code, by which its announcements and scores are counted."""
    table = [0, -1, -1, -1] * len(program.code)
    announcement: list[tuple[int, AnnouncementPart]] = []
    for pc, op, operands in iter_instructions(program):
        if op == SAY and program.says[operands[0]].panel < 0:
            part = program.says[operands[0]]
            if not announcement or announcement[-1][1] is not part or part.type is None or part.type.cells == 1:
                announcement.append((pc, part))
            if part.last:
                _number_announcement(program, announcement, table, numbers)
                announcement = []
    scoring = [(pc, is_certain, _score_feature(program, pc)) for pc, is_certain in _find_score_changes(program)]
    place_of: dict[tuple[str, str, str, str], str] = {}
    for _, _, feature in sorted(scoring, key=lambda scored: not scored[1]):  # certain places first
        place_of.setdefault(feature.key, feature.place)
    for pc, _, feature in scoring:
        table[PER_PLACE * pc + 3] = numbers.number_of(replace(feature, place=place_of[feature.key]))
    return table


def _score_feature(program: Program, pc: int) -> Feature:
    """Return the feature that counts points scored at a place, titled by the rule that the code comes from."""
    cause = program.cause_at(pc)
    place = f"{cause.file}:{cause.line}"
    return Feature(SCORED, "score", cause.title or cause.name or place, cause.name or place, place)


def _number_announcement(
    program: Program, announcement: list[tuple[int, AnnouncementPart]], table: list[int], numbers: FeatureNumbers
) -> None:
    """Fill in the table's cells for an announcement: what kind each part is, and its first feature number."""
    group = _describe_announcement(program, announcement)
    for pc, part in announcement:
        cell, value_type = PER_PLACE * pc, part.type
        if value_type is not None and value_type.shape == "thing" and value_type.kind == PLAYER:
            table[cell] = WHO
        elif value_type is not None and value_type.shape == "thing" and program.kind_by_name[value_type.kind].things:
            table[cell] = WHAT
            names = distinct_titles(program.kind_by_name[value_type.kind])
            table[cell + 2] = numbers.number_block([Feature(NAMED, group, title, value_type.kind) for title in names])
        elif value_type is not None and value_type.shape == "number":
            table[cell] = NUMBER
            table[cell + 2] = numbers.number_of(Feature(AMOUNT, group, "in all"))
        if part.last:
            table[cell + 1] = numbers.number_of(Feature(SAID, group, ""))


def _describe_announcement(program: Program, announcement: list[tuple[int, AnnouncementPart]]) -> str:
    """Return the words of an announcement, with values in brackets, and words after a number in the plural.

    A player's name at its head is omitted.
    """
    texts: list[str] = []
    after_number = False
    for _, part in announcement:
        words = split_title(part.text)[1] if after_number else part.text
        texts.append(words if part.type is None else f"[{_name_value(program, part)}]")
        after_number = part.type is not None and part.type.shape == "number"
    if texts[0] == f"[{PLAYER}]" and len(texts) > 1:
        texts = texts[1:]
    return join_line(texts).removeprefix("'s ")


def _name_value(program: Program, part: AnnouncementPart) -> str:
    """Return the singular title of the kind of an announced value, or its shape, such as `number`, without a kind."""
    assert part.type is not None
    kind = program.kind_by_name.get(part.type.kind)
    return (split_title(kind.title)[0] or kind.name) if kind else part.type.shape


def _find_score_changes(program: Program) -> Iterator[tuple[int, bool]]:
    """Yield the place of each store that may change the score, and True if it can change nothing else.

    They store into its own cells, or into resources by number, of which the score may be one.
    """
    score = score_variable(program)
    if score is None:
        return
    first = min(v.base for v in program.variables if v.resource) if score.resource else score.base
    for pc, op, operands in iter_instructions(program):
        if (op == SET and score.base <= operands[0] < score.base + score.sizes[0]) or (
            op in ROW_STORES and first <= operands[0] <= score.base
        ):
            yield pc, operands[0] >= score.base


def score_variable(program: Program) -> StateVariable | None:
    """Return the variable that the score is, if the score's query only reads it; else None."""
    query, code = program.queries[program.score], program.code
    instructions_read = code[query.entry : query.entry + SIZE[LDX] + 1]
    if instructions_read[0] != LDX or instructions_read[1] != query.result or instructions_read[-1] != RET:
        return None
    return next((v for v in program.variables if v.kinds == (PLAYER,) and v.base == instructions_read[2]), None)


# --- what is held at the end ----------------------------------------------------------------------


def _number_holdings(program: Program, variable: StateVariable, numbers: FeatureNumbers) -> list[int]:
    """Return PER_HELD numbers for each cell of a variable that holds each player's things; [] for others."""
    kind = program.kind_by_name.get(variable.type.kind)
    is_countable = (
        variable.kinds == (PLAYER,) and variable.type.shape in ("set", "thing") and variable.type.kind != PLAYER
    )
    if not is_countable or kind is None or not kind.things:
        return []
    group, is_set, step = variable.title or variable.name, variable.type.shape == "set", variable.type.cells
    first, size = (
        numbers.number_block([Feature(HELD, group, title, kind.name) for title in distinct_titles(kind)]),
        len(kind.things),
    )
    if step == 1:
        return [variable.base, int(is_set), first, size, step]
    bits = opcodes.BITS
    parts = ((variable.base + i, first + bits * i) for i in range(step))  # some bits of the last cell are unused
    return [number for base, feature in parts for number in (base, 1, feature, bits, step)]


# --- groups of things -----------------------------------------------------------------------------


def _number_groups(program: Program, numbers: FeatureNumbers) -> list[tuple[int, int]]:
    """Return (feature of a thing, feature of its group) for each way to group what players hold, or else choose."""
    held = {feature.of for feature in numbers.features if feature.kind == HELD}
    members = [
        (number, feature)
        for number, feature in enumerate(numbers.features)
        if feature.kind == HELD or (feature.kind == CHOSEN and feature.of not in held)
    ]
    pairs = list[tuple[int, int]]()
    for kind in program.kinds:
        for grouping in kind.groupings:
            label_of = dict(zip(distinct_titles(kind), grouping.labels, strict=True))
            for number, feature in members:
                if feature.of == kind.name and feature.option in label_of:
                    title = f"{feature.group} by {grouping.title}"
                    group = Feature(GROUPED, title, label_of[feature.option], kind.name)
                    pairs.append((number, numbers.number_of(group)))
    return pairs


def distinct_titles(kind: LinkedKind) -> list[str]:
    """Return the titles of a kind's things; things that share one are distinguished by their names."""
    uses = Counter(thing.title or thing.name for thing in kind.things)
    names = [(thing.title or thing.name, thing.name) for thing in kind.things]
    return [title if uses[title] == 1 else f"{title}, {name}" for title, name in names]


def iter_instructions(program: Program) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield place, opcode and operands of every instruction."""
    code = program.code
    for pc in sorted(listing.find_instructions(program)[1]):
        yield pc, code[pc], code[pc + 1 : pc + SIZE[code[pc]]]
