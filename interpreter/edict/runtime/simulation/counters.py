"""What is counted in the games of a batch, by the names a program declares; as integers for the counting loop.

A `Feature` is something a game can have more or less of: an option chosen, a thing drawn, a line announced, a
thing held at the end, a rule that brought score. `Plan` numbers them, and says in one flat row of integers which
event of the machine belongs to which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from edict.runtime.program import Kind, Program, Question, Say, Variable, listing, opcodes
from edict.runtime.program.opcodes import ASKC, LDX, RET, ROWS, SAY, SET, SIZE
from edict.runtime.simulation.counting_layout import Layout, row_layout, sums_layout
from edict.support.morphology import run_on, split_title

CHOSEN, DRAWN, SAID, NAMED, AMOUNT, HELD, SCORED = "chosen", "drawn", "said", "named", "amount", "held", "scored"
PLAYER = "player"
MOST_NUMBERS = 24  # answers to "how many?" are distinguished up to this one
WHO, WHAT, NUMBER = 1, 2, 3  # what a part of an announcement tells of

# --- the head of the flat row; what is called a table is the place where it begins
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
) = range(24)
PLAN_HEAD = 24
PER_QUESTION = 3  # the first of its features in the row, how many, by how many bits to shift an answer
PER_PLACE = 4  # what a part announced is; features of the line, of the value, of the rule's score
PER_HELD = 5  # first cell, whether it holds a set, first feature, how many, how many cells there are of each player


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that is counted. `kind`: chosen drawn said named amount held scored.

    group: the question, the announcement or what is held; option: which of its possibilities; of: the kind of thing
    that is, if any, or the rule's name; place: the rule's file and line (of several, the first that is sure to score).
    """

    kind: str
    group: str
    option: str
    of: str = ""
    place: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names it in other rules too, where lines may have moved."""
        return (self.kind, self.group, self.option, self.of)


@dataclass
class Numbers:
    """Features as they get their numbers; equal ones get the same."""

    features: list[Feature] = field(default_factory=list)
    _known: dict[tuple[str, str, str, str], int] = field(default_factory=dict)

    def of(self, feature: Feature) -> int:
        if feature.key not in self._known:
            self._known[feature.key] = len(self.features)
            self.features.append(feature)
        return self._known[feature.key]

    def block(self, features: list[Feature]) -> int:
        """The first of these, which get numbers in a row."""
        first = self.of(features[0])
        for at, feature in enumerate(features[1:], first + 1):
            if self.of(feature) != at:
                raise ValueError(f"{feature} was counted elsewhere before")
        return first


@dataclass(frozen=True)
class Plan:
    """What is counted for one program and number of players. `flat`: for the counting loop; `score_cells`: those
    whose changes make up the score, or none if it is reckoned in another way."""

    program: Program
    players: int
    features: tuple[Feature, ...]
    flat: tuple[int, ...]

    @property
    def rounds(self) -> int:
        return self.flat[ROUNDS]

    @property
    def round_name(self) -> str:
        """What a round of this game is called, or nothing if it has none."""
        number = self.flat[ROUND]
        if number < 0:
            return ""
        name, title = self.program.phases[number]
        return title or name

    @cached_property
    def row(self) -> Layout:
        """Of what a game is counted in."""
        return row_layout(self.players, len(self.features), self.rounds)

    @property
    def head(self) -> int:
        """With how many numbers a row begins that are not about features."""
        return self.row.at("by_seat")

    @cached_property
    def sums(self) -> Layout:
        """Of what a batch sums up to."""
        return sums_layout(self.players, len(self.features), self.rounds)

    @cached_property
    def numbered(self) -> dict[tuple[str, str, str, str], int]:
        return {feature.key: number for number, feature in enumerate(self.features)}


def plan_for(program: Program, players: int, round_phase: int = -1, rounds: int = 0) -> Plan:
    """What to count. `round_phase` is the phase that is a round of the game, `rounds` how many are distinguished."""
    numbers = Numbers()
    questions, options = _questions(program, numbers)
    places = _places(program, numbers)
    helds = [number for variable in program.variables for number in _held(program, variable, numbers)]
    query, score = program.queries[program.score], score_variable(program)
    head = [0] * PLAN_HEAD
    at = PLAN_HEAD
    head[QUESTIONS], at = at, at + len(questions)
    questions = [q + (at if i % PER_QUESTION == 0 and q >= 0 else 0) for i, q in enumerate(questions)]
    at += len(options)
    head[PLACES], at = at, at + len(places)
    head[HELDS], head[HELD_COUNT] = at, len(helds) // PER_HELD
    head[SEATS], head[FEATURES] = players, len(numbers.features)
    head[ROUNDS], head[ROUND] = max(1, rounds), round_phase
    head[BITS], head[ORDER] = program.dice.bits, program.order
    head[SCORE_AT], head[SCORE_LAST] = (score.base, score.base + players - 1) if score else (0, -1)
    head[ENTRY], head[RESULT_AT] = query.entry, query.result
    head[PARAMETER] = query.params[0] if query.params else query.result
    row = row_layout(players, head[FEATURES], head[ROUNDS])
    sums = sums_layout(players, head[FEATURES], head[ROUNDS])
    head[ROW_SCORES], head[ROW_PLACES], head[ROW_SEATS] = row.at("scores"), row.at("places"), row.at("by_seat")
    head[ROW_ROUNDS], head[ROW_OFFERED] = row.at("by_round"), row.at("offered")
    head[SUM_PLACES], head[SUM_SEATS], head[SUM_BINS] = sums.at("wins_by_place"), sums.at("by_seat"), sums.at("bins")
    return Plan(program, players, tuple(numbers.features), (*head, *questions, *options, *places, *helds))


# --- answers ----------------------------------------------------------------------------------


def _questions(program: Program, numbers: Numbers) -> tuple[list[int], list[int]]:
    """Three numbers a question, and the features of all answers: of each question the one to decline (-1) first."""
    by_chance = {operands[0] for _, op, operands in instructions(program) if op == ASKC}
    table: list[int] = []
    options: list[int] = []
    for number, question in enumerate(program.questions):
        features = _answers(program, question, number in by_chance)
        bits = program.dice.bits if question.domain == "ways" else 0
        table += [len(options) if features else -1, len(features), bits]
        options += [numbers.of(feature) for feature in features]
    return table, options


def _answers(program: Program, question: Question, chance: bool) -> list[Feature]:
    """The features of a question's answers, from -1 up; none if its answers are not distinguished."""
    texts = _texts(program, question)
    if not texts or (chance and question.domain != "thing"):
        return []
    group = question.prompt or _prompt(program, question)
    of = question.kind if question.domain == "thing" else ""
    kind = DRAWN if chance else CHOSEN
    return [Feature(kind, group, text, of) for text in (question.decline or "No", *texts)]


def _texts(program: Program, question: Question) -> list[str]:
    if question.domain == "thing" and question.kind != PLAYER:
        return titles(program.kind_by_name[question.kind])
    if question.domain == "number":
        return [*map(str, range(MOST_NUMBERS)), f"{MOST_NUMBERS} or more"]
    if question.domain in ("branch", "ability"):
        return list(question.labels)
    if question.domain == "ways":
        combinations = program.shifts.get(question.name, ())
        return [" and ".join(texts) or "as they are" for texts in combinations] if len(combinations) > 1 else []
    return []


def _prompt(program: Program, question: Question) -> str:
    kind = program.kind_by_name.get(question.kind)
    return f"Which {kind.title or kind.name}?" if kind else question.name


# --- places in the code: announcements, and rules that bring score ------------------------------


def _places(program: Program, numbers: Numbers) -> list[int]:
    table = [0, -1, -1, -1] * len(program.code)
    line: list[tuple[int, Say]] = []
    for pc, op, operands in instructions(program):
        if op == SAY and program.says[operands[0]].panel < 0:
            part = program.says[operands[0]]
            if not line or line[-1][1] is not part or part.type is None or part.type.cells == 1:
                line.append((pc, part))
            if part.last:
                _line(program, line, table, numbers)
                line = []
    scoring = [(pc, certain, _scored(program, pc)) for pc, certain in _scoring(program)]
    lines: dict[tuple[str, str, str, str], str] = {}
    for _, _, feature in sorted(scoring, key=lambda scored: not scored[1]):  # where it is certain to score comes first
        lines.setdefault(feature.key, feature.place)
    for pc, _, feature in scoring:
        table[PER_PLACE * pc + 3] = numbers.of(replace(feature, place=lines[feature.key]))
    return table


def _scored(program: Program, pc: int) -> Feature:
    cause = program.cause_at(pc)
    place = f"{cause.file}:{cause.line}"
    return Feature(SCORED, "score", cause.title or cause.name or place, cause.name or place, place)


def _line(program: Program, line: list[tuple[int, Say]], table: list[int], numbers: Numbers) -> None:
    """An announcement: how often it is made, and what it names."""
    group = _wording(program, line)
    for pc, part in line:
        at, type_ = PER_PLACE * pc, part.type
        if type_ is not None and type_.shape == "thing" and type_.kind == PLAYER:
            table[at] = WHO
        elif type_ is not None and type_.shape == "thing" and program.kind_by_name[type_.kind].things:
            table[at] = WHAT
            called = titles(program.kind_by_name[type_.kind])
            table[at + 2] = numbers.block([Feature(NAMED, group, title, type_.kind) for title in called])
        elif type_ is not None and type_.shape == "number":
            table[at] = NUMBER
            table[at + 2] = numbers.of(Feature(AMOUNT, group, "in all"))
        if part.last:
            table[at + 1] = numbers.of(Feature(SAID, group, ""))


def _wording(program: Program, line: list[tuple[int, Say]]) -> str:
    """The words of a line, what changes in brackets, and words behind a number in the form for many; whose it is stands
    at its head and is left out."""
    texts: list[str] = []
    number = False
    for _, part in line:
        worded = split_title(part.text)[1] if number else part.text
        texts.append(worded if part.type is None else f"[{_called(program, part)}]")
        number = part.type is not None and part.type.shape == "number"
    if texts[0] == f"[{PLAYER}]" and len(texts) > 1:
        texts = texts[1:]
    return run_on(texts).removeprefix("'s ")


def _called(program: Program, part: Say) -> str:
    assert part.type is not None
    kind = program.kind_by_name.get(part.type.kind)
    return (split_title(kind.title)[0] or kind.name) if kind else part.type.shape


def _scoring(program: Program) -> Iterator[tuple[int, bool]]:
    """Places that may change what the score counts, and whether they do nothing else.

    They change its own cells, or any of the resources, by number, of which the score may be one.
    """
    score = score_variable(program)
    if score is None:
        return
    first = min(v.base for v in program.variables if v.resource) if score.resource else score.base
    for pc, op, operands in instructions(program):
        if (op == SET and score.base <= operands[0] < score.base + score.sizes[0]) or (
            op in ROWS and first <= operands[0] <= score.base
        ):
            yield pc, operands[0] >= score.base


def score_variable(program: Program) -> Variable | None:
    """What the score is, if it is simply so much of one thing that each player has: one look, and no more."""
    query, code = program.queries[program.score], program.code
    look = code[query.entry : query.entry + SIZE[LDX] + 1]
    if look[0] != LDX or look[1] != query.result or look[-1] != RET:
        return None
    return next((v for v in program.variables if v.kinds == (PLAYER,) and v.base == look[2]), None)


# --- what is held at the end ----------------------------------------------------------------------


def _held(program: Program, variable: Variable, numbers: Numbers) -> list[int]:
    kind = program.kind_by_name.get(variable.type.kind)
    wanted = variable.kinds == (PLAYER,) and variable.type.shape in ("set", "thing") and variable.type.kind != PLAYER
    if not wanted or kind is None or not kind.things:
        return []
    group, is_set, step = variable.title or variable.name, variable.type.shape == "set", variable.type.cells
    first, size = numbers.block([Feature(HELD, group, title, kind.name) for title in titles(kind)]), len(kind.things)
    if step == 1:
        return [variable.base, int(is_set), first, size, step]
    bits = opcodes.BITS
    parts = ((variable.base + i, first + bits * i) for i in range(step))  # of the last cell, some bits mean nothing
    return [number for base, of in parts for number in (base, 1, of, bits, step)]


def titles(kind: Kind) -> list[str]:
    """What the things of a kind are called; where two have one title, their names stand behind it."""
    often = Counter(thing.title or thing.name for thing in kind.things)
    called = [(thing.title or thing.name, thing.name) for thing in kind.things]
    return [title if often[title] == 1 else f"{title}, {name}" for title, name in called]


def instructions(program: Program) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Place, operation and operands of every instruction; the tables behind the code are left out."""
    code = program.code
    for pc in sorted(listing.instructions(program)[1]):
        yield pc, code[pc], code[pc + 1 : pc + SIZE[code[pc]]]
