"""Questions of designers about a variant, answered by games in the background, and kept beside the variant's drafts.

What should something cost (a tuning), is something too strong (a comparison of a player who wants it with one who
never takes it), does one strategy beat another (a comparison of two plans). All of them name only what the rules have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from edict.agents.bots.networks import find_shipped_network
from edict.agents.bots.plan_guides import build_guides
from edict.agents.study.bot_games import GameSetup, split_games
from edict.agents.study.charts import Axis, Chart, ChartRow, Mark, build_dot_chart
from edict.agents.study.comparison import (
    PIECE_PAIRS,
    SLOW_PIECE_PAIRS,
    WINS,
    ComparedQuestion,
    Comparison,
    label_seats,
    play_pairs,
)
from edict.agents.study.plan_report import report_plans
from edict.agents.study.retraining import AUTO
from edict.agents.study.tuned_rules import collect_facts, create_arms, find_title
from edict.agents.study.tuning import Tuning, describe_tuning, summarize_tuning
from edict.agents.study.tuning_report import build_curves
from edict.agents.study.verdict import round_up
from edict.compiler.pipeline.compiled_plans import Plan
from edict.compiler.pipeline.plan_compiler import compile_plans
from edict.game.table.rules import Rules
from edict.prose.rulebook.rule_numbers import find_numbers, list_numbers
from edict.runtime.program import Program, digest
from edict.support.files import make_private_folder, write_private
from edict.support.morphology import capitalize, format_range, spell_name
from edict.support.processes.distribution import start_inline
from edict.support.processes.tasks import ReportFunction
from edict.support.records import dataclass
from edict.support.text import Source, parse_integer
from edict.tools.studio import StudioError
from edict.tools.studio.background import BackgroundRun
from edict.tools.studio.evaluation import DEFAULT_BOT, DEFAULT_PLAYERS, check_bot
from edict.tools.studio.variant_files import Snapshot, compile_variant

COST, STRENGTH, STRATEGIES = QUESTION_KINDS = ("cost", "strength", "strategies")
GAME_COUNTS = (500, 2000, 8000)  # of each value, or pairs of games
MAX_TUNED_VALUES = 12
MAX_PLAN_LENGTH = 4000  # characters
OTHER_RULES = "other rules"  # group of the numbers that belong to no thing
MARGIN = 2  # values tried on either side of the present one, by default
NOTABLE = 0.02  # a difference of shares of wins below which something is neither strong nor weak


# --- what can be asked -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NumberChoice:
    """A number in the rules that can be tuned."""

    place: str  # FILE:LINE:COLUMN
    title: str  # the thing or setting that it belongs to, and its line with the number in brackets
    group: str  # the kind of thing
    value: int
    is_counted: bool  # it belongs to a thing that games count, since players choose or hold it


@dataclass(frozen=True, slots=True)
class ThingChoice:
    """A thing that players choose."""

    name: str
    title: str
    group: str  # the kind of thing
    held: bool  # players have it afterwards


@dataclass(frozen=True, slots=True)
class GoalChoice:
    """A measure that a number can be tuned by."""

    name: str
    title: str  # before the range
    unit: str  # after it
    goal: str  # for `parse_goal`, with `{low}` and `{high}`
    about_thing: bool = True  # it is about the thing that the number belongs to


GOALS = (
    GoalChoice("games", "it is used in", "% of games", "{low} to {high} % of games"),
    GoalChoice("players", "it is used by", "% of players", "{low} to {high} % of players"),
    GoalChoice("offers", "it is taken in", "% of offers", "taken when offered {low} to {high} %"),
    GoalChoice("wins", "wins with it minus wins without are", "points", "win difference {low} to {high} points"),
    GoalChoice("score", "the winning score is", "", "winning score {low} to {high}", about_thing=False),
    GoalChoice("length", "a game has", "choices", "length {low} to {high}", about_thing=False),
)


@dataclass(frozen=True, slots=True)
class QuestionChoices:
    """The choices that the forms of questions offer, all of them from the rules."""

    numbers: tuple[NumberChoice, ...]
    things: tuple[ThingChoice, ...]
    players: range
    goals: tuple[GoalChoice, ...] = GOALS
    games: tuple[int, ...] = GAME_COUNTS
    has_network: bool = False  # `learned` plays by a network that ships

    @property
    def usual_players(self) -> int:
        """The number of players that is chosen at first."""
        return min(DEFAULT_PLAYERS, self.players[-1])


def list_choices(rules: Rules) -> QuestionChoices:
    """Return what questions about some rules may name."""
    program = rules.program
    players = range(program.least_players, program.most_players + 1)
    has_network = find_shipped_network(program) is not None
    return QuestionChoices(tuple(_iter_numbers(rules)), tuple(_iter_things(program)), players, has_network=has_network)


def _iter_numbers(rules: Rules) -> Iterator[NumberChoice]:
    """Yield the numbers in the rules, those of things and settings under their titles."""
    titles = {
        thing.name: (thing.title or thing.name, kind.title or kind.name)
        for kind in rules.program.kinds
        for thing in kind.things
    }
    titles |= {setting.name: (setting.title, "settings") for setting in rules.program.settings}
    counted = {
        thing.name
        for kind in rules.program.kinds
        if kind.name in _find_chosen_kinds(rules.program) | _find_held_kinds(rules.program)
        for thing in kind.things
    }
    lines = {source.name: source.lines for module in rules.sources for source in module.sources}
    for number in list_numbers(rules.sources):
        title, group = titles.get(number.definition, (capitalize(spell_name(number.definition)), OTHER_RULES))
        line, span = lines[number.span.file][number.span.line - 1], number.span
        marked = " ".join(f"{line[: span.column - 1]}[{number.value}]{line[span.end_column - 1 :]}".split())
        marked = marked.removeprefix(f'{number.definition} "{title}" ')  # the row of a table begins with both
        title = f"{title}: {marked}".removeprefix(": ")
        yield NumberChoice(str(span), title, group, number.value, number.definition in counted)


def _iter_things(program: Program) -> Iterator[ThingChoice]:
    """Yield the things that players choose by a question, kind by kind."""
    held, chosen = _find_held_kinds(program), _find_chosen_kinds(program)
    for kind in program.kinds:
        if kind.name in chosen:
            for thing in kind.things:
                group = kind.title or kind.name
                yield ThingChoice(thing.name, thing.title or thing.name, group, kind.name in held)


def _find_chosen_kinds(program: Program) -> set[str]:
    """Return the kinds of the things that a question offers."""
    return {question.kind for question in program.questions if question.domain == "thing"} - {"player", "resource"}


def _find_held_kinds(program: Program) -> set[str]:
    """Return the kinds of the things that each player may hold."""
    return {v.type.kind for v in program.variables if v.kinds == ("player",) and v.type.shape in ("set", "thing")}


# --- questions -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DesignQuestion:
    """A question, with what it names."""

    kind: str  # one of `QUESTION_KINDS`
    title: str  # in words
    number: str = ""  # place of the number
    low: int = 0  # range of its values
    high: int = 0
    goal: str = ""
    plans: tuple[str, str] = ("", "")  # texts; empty for a bot without a plan
    names: tuple[str, str] = ("", "")  # of the two strategies; first, that of the number
    players: int = DEFAULT_PLAYERS
    bot: str = DEFAULT_BOT  # in every seat
    games: int = GAME_COUNTS[0]


def parse_question(fields: Mapping[str, str], choices: QuestionChoices) -> DesignQuestion:
    """Return the question that a form asks. Raises `StudioError` for one that the rules cannot answer."""
    players = parse_integer(fields.get("players", "")) or choices.usual_players
    games = parse_integer(fields.get("games", "")) or GAME_COUNTS[0]
    if players not in choices.players or games not in choices.games:
        low, high = choices.players[0], choices.players[-1]
        raise StudioError("so many players or games are not offered", f"choose {format_range(low, high)} players")
    common: dict[str, Any] = {"players": players, "games": games, "bot": check_bot(fields.get("bot") or DEFAULT_BOT)}
    match fields.get("kind"):
        case "cost":
            return _parse_cost(fields, choices, common)
        case "strength":
            return _parse_strength(fields, choices, common)
        case "strategies":
            return _parse_strategies(fields, common)
    raise StudioError("that is no question that the studio answers", "choose one of the forms")


def _parse_cost(fields: Mapping[str, str], choices: QuestionChoices, common: dict[str, Any]) -> DesignQuestion:
    """Return a question of the form "What should it cost?"."""
    number = next((choice for choice in choices.numbers if choice.place == fields.get("number")), None)
    goal = next((choice for choice in choices.goals if choice.name == fields.get("goal")), None)
    if number is None or goal is None:
        raise StudioError("choose a number and what should come of it", "both lists show what these rules have")
    if goal.about_thing and not number.is_counted:
        raise StudioError("that number belongs to nothing that players choose or hold", "choose another goal for it")
    low, high = (parse_integer(fields.get(name, "")) for name in ("low", "high"))
    low, high = max(0, number.value - MARGIN) if low is None else low, number.value + MARGIN if high is None else high
    if not 0 <= high - low < MAX_TUNED_VALUES:
        raise StudioError(f"from {low} to {high} is no range of at most {MAX_TUNED_VALUES} values", "write another one")
    least, most = (parse_integer(fields.get(name, "")) for name in ("least", "most"))
    if least is None or most is None or least > most:
        raise StudioError("write two numbers, the smaller one first", "as in 25 to 40")
    wanted = f"{goal.title} {least} to {most} {goal.unit}".strip()
    title = f"What should the number in “{number.title}” be, from {low} to {high}, so that {wanted}?"
    text = goal.goal.format(low=least, high=most)
    names = (number.title, "")
    return DesignQuestion(COST, title, number=number.place, low=low, high=high, goal=text, names=names, **common)


def _parse_strength(fields: Mapping[str, str], choices: QuestionChoices, common: dict[str, Any]) -> DesignQuestion:
    """Return a question of the form "Is it too strong?": whoever wants the thing, against whoever never takes it."""
    thing = next((choice for choice in choices.things if choice.name == fields.get("thing")), None)
    if thing is None:
        raise StudioError("choose something that players can choose", "the list shows what these rules have")
    plans = (f"never {thing.name}", f"{'first' if thing.held else 'prefer'} {thing.name}")
    names = (f"without {thing.title}", f"with {thing.title}")
    return DesignQuestion(STRENGTH, f"Is {thing.title} too strong?", plans=plans, names=names, **common)


def _parse_strategies(fields: Mapping[str, str], common: dict[str, Any]) -> DesignQuestion:
    """Return a question of the form "Does A beat B?"."""
    first, second = (fields.get(name, "").replace("\r\n", "\n").strip() for name in ("first", "second"))
    if first == second:
        raise StudioError("both strategies are the same", "write two that differ; an empty one is the bot alone")
    if max(len(first), len(second)) > MAX_PLAN_LENGTH:
        raise StudioError("a strategy is too long", f"write at most {MAX_PLAN_LENGTH} characters")
    title = "Does strategy A beat strategy B?"
    return DesignQuestion(STRATEGIES, title, plans=(second, first), names=("B", "A"), **common)


# --- answers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DesignAnswer:
    """The answer to a question so far."""

    done: int  # games played, or pairs of them
    of: int  # at most
    sentences: tuple[str, ...] = ()  # empty before the first look
    charts: tuple[Chart, ...] = ()
    details: tuple[str, ...] = ()  # lines: the change of the rules, or how far the plans could be followed
    finished: bool = False


class QuestionRun(BackgroundRun[DesignAnswer]):
    """A question that is being answered in a separate process."""

    def __init__(self, snapshot: Snapshot, question: DesignQuestion) -> None:
        super().__init__(answer_question, snapshot, question)


def answer_question(snapshot: Snapshot, question: DesignQuestion, report: ReportFunction[DesignAnswer]) -> None:
    """Play games, and report the answer; raises `RulesError`, or `RequestError` if there can be none."""
    rules = compile_variant(snapshot)
    if question.kind == COST:
        _answer_cost(rules, question, report)
    else:
        _answer_strategies(rules, question, report)


def _answer_cost(rules: Rules, question: DesignQuestion, report: ReportFunction[DesignAnswer]) -> None:
    """Tune a number, and report the value with which games meet the goal."""
    found = find_numbers(list_numbers(rules.sources), question.number)
    if len(found) != 1:
        raise StudioError("the rules have changed, and the number is no longer there", "ask again")
    (number,) = found
    subject = find_title(rules.program, number.definition)
    phrase = question.names[0]

    def build_setup(program: Program) -> GameSetup:
        return GameSetup(program, (question.bot,) * question.players)

    values = range(question.low, question.high + 1)
    arms = create_arms(rules, build_setup, [number], [values], [phrase], (question.goal,), subject)
    search = Tuning(list(arms), question.games, (number.value,), AUTO)
    total = search.total
    search.run(start_inline, lambda done: report(DesignAnswer(done, total)))
    facts = collect_facts(search, build_setup(rules.program), rules, [number], [phrase])
    data = summarize_tuning(search, facts)
    charts = tuple(part.chart for part in build_curves(data) if part.chart is not None)
    texts = [_insert_values(text, phrase, question) for text in (*describe_tuning(data), *data["notes"])]
    place = f"{number.span.file}, line {number.span.line}"
    details = tuple(f"{place}: {number.line} → {line[1:].strip()}" for line in data["diff"][-1:])
    report(DesignAnswer(search.done, search.done, tuple(texts), charts, details, finished=True))


def _insert_values(text: str, phrase: str, question: DesignQuestion) -> str:
    """Return a text with the value of a number in the line of its rule, in brackets, instead of behind a phrase."""
    for value in range(question.high, question.low - 1, -1):  # 12 before 1
        line = re.sub(r"\[\d+\]", f"[{value}]", question.names[0])
        text = text.replace(f"{phrase} = {value}", f"“{line}”")
    return text


def _answer_strategies(rules: Rules, question: DesignQuestion, report: ReportFunction[DesignAnswer]) -> None:
    """Play pairs of games in which the first player follows one plan and then the other, with the same luck."""
    program, plans = _compile_plans(rules, question)
    setups = [_build_planned_setup(program, question, plan) for plan in plans]
    comparison = Comparison(setups[0], setups[1], question.games)
    size = PIECE_PAIRS if all(setup.is_native for setup in setups) else SLOW_PIECE_PAIRS
    answer = DesignAnswer(0, question.games)
    for pairs in split_games(question.games, size):
        comparison.add(play_pairs(setups[0], setups[1], pairs))
        played = comparison.played_pairs
        if played in comparison.looks:
            answer = _describe_pairs(comparison, question)
            if answer.finished:
                break
        report(DesignAnswer(played, question.games, answer.sentences, answer.charts))
    faults = (f"{count:,} pairs of games were aborted: the rules {f}" for f, count in comparison.faults.items())
    played, details = comparison.played_pairs, (*faults, *_iter_followings(setups, question))
    report(DesignAnswer(played, played, answer.sentences, answer.charts, details, finished=True))


def _compile_plans(rules: Rules, question: DesignQuestion) -> tuple[Program, tuple[Plan | None, Plan | None]]:
    """Return the program with both plans; None for a bot without one. Raises `RulesError` or `RequestError`."""
    sources = [
        Source(f"strategy {name}", text) for name, text in zip(question.names, question.plans, strict=True) if text
    ]
    program, compiled = compile_plans(rules.sources, sources).unwrap()
    by_name = {plan.name: plan for plan in compiled}
    first, second = (by_name.get(f"strategy {name}") for name in question.names)
    build_guides(program, [first, second])  # reports titles of options that no question has
    return program, (first, second)


def _build_planned_setup(program: Program, question: DesignQuestion, plan: Plan | None) -> GameSetup:
    """Return a setup in which the first seat follows a plan."""
    plans = (plan, *[None] * (question.players - 1))
    return GameSetup(program, (question.bot,) * question.players, plans=plans)


def _describe_pairs(comparison: Comparison, question: DesignQuestion) -> DesignAnswer:
    """Return the answer after a look."""
    seat = label_seats(comparison.one, comparison.other)[0]
    wins = next((a for a in comparison.evaluate() if a.question.about == WINS and a.question.bot == seat), None)
    played, last = comparison.played_pairs, comparison.looks[-1]
    if wins is None:
        sentence = "In none of these games did it make a difference who wins."
        return DesignAnswer(played, question.games, (sentence,), finished=played >= last)
    is_finished = played >= last or wins.low > 0 or wins.high < 0 or max(-wins.low, wins.high) <= NOTABLE
    sentences, charts = (_describe_wins(wins, question, comparison),), tuple(_iter_charts(wins, question))
    return DesignAnswer(played, question.games, sentences, charts, finished=is_finished)


def _describe_wins(wins: ComparedQuestion, question: DesignQuestion, comparison: Comparison) -> str:
    """Return the answer as a sentence, with the share of wins of both and the difference with its interval."""
    points, low, high = (100 * number for number in (wins.value, wins.low, wins.high))
    difference = f"a difference of {points:+.1f} points ({low:+.1f} to {high:+.1f})".replace("-", "−")
    first, second = question.names
    if question.kind == STRENGTH:
        thing = second.removeprefix("with ")
        better, worse = f"whoever wants {thing} wins more", f"whoever wants {thing} wins less"
        even = f"{thing} hardly matters"
        first, second = f"a player who never takes {thing}", f"a player who wants {thing}"
    else:
        better, worse, even = f"{second} beats {first}", f"{first} beats {second}", "both win as often"
    if wins.low > 0:
        verdict = f"Yes, {better}"
    elif wins.high < 0:
        verdict = f"No, {worse}"
    elif max(-wins.low, wins.high) <= NOTABLE:
        verdict = f"No, {even}"
    else:
        needed = f" (about {round_up(wins.needed_pairs):,} would do)" if wins.needed_pairs else ""
        verdict = f"Not clear: {comparison.pairs:,} pairs of games are too few to tell{needed}"
    shares = f"{second} wins {100 * wins.other:.1f} % of games, {first} {100 * wins.one:.1f} %"
    return f"{verdict}. {capitalize(shares)}: {difference}."


def _iter_charts(wins: ComparedQuestion, question: DesignQuestion) -> Iterator[Chart]:
    """Yield the picture of the difference in wins."""
    value, low, high = (100 * number for number in (wins.value, wins.low, wins.high))
    text = f"{value:+.1f} ({low:+.1f} to {high:+.1f})".replace("-", "−")
    shares = f"{100 * wins.one:.1f} % → {100 * wins.other:.1f} %"
    first, second = question.names
    label = capitalize(second) if question.kind == STRENGTH else f"{second} against {first}"
    mark = Mark(label, value, low, high, text, shares)
    axis = Axis("points more", sign=True, note="share of wins")
    chart = build_dot_chart([mark], "Difference in the share of wins", axis)
    if chart is not None:
        yield chart


def _iter_followings(setups: list[GameSetup], question: DesignQuestion) -> Iterator[str]:
    """Yield for each line of the plans how far it could be followed, as `With Inn, “first inn”: reached in ...`."""
    for setup, name in zip(setups, question.names, strict=True):
        if setup.plans[0] is not None:
            for plan in report_plans(setup, question.games):
                for line in plan["lines"]:
                    yield f"{capitalize(name)}, “{line['text']}”: {line['said']}"


FORMAT = "edict answer 1"
MAX_KEPT = 200  # answers of a variant; the oldest go
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class KeptAnswer:
    """A question about a variant as it was, with its answer if there is one."""

    question: DesignQuestion
    mark: str  # of the rules that it is about
    asked: str  # the day
    answer: DesignAnswer | None = None
    problem: str = ""  # why there is no answer, as a sentence

    @property
    def key(self) -> str:
        """The part of a link that names it."""
        return digest(json.dumps([self.mark, asdict(self.question)]))


def ask(question: DesignQuestion, mark: str) -> KeptAnswer:
    """Return a question that is asked today of rules with a mark."""
    return KeptAnswer(question, mark, datetime.now(UTC).date().isoformat())


class AnswerStore:
    """The answers of one variant, a file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> KeptAnswer | None:
        """Return the answer of a key; None if there is none, or another version wrote it."""
        if not _ID.fullmatch(key):
            return None
        try:
            return _parse(json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def put(self, kept: KeptAnswer) -> None:
        """Store an answer, and remove the oldest if there are too many."""
        make_private_folder(self.folder)
        write_private(self.folder / f"{kept.key}.json", json.dumps({"format": FORMAT, **asdict(kept)}).encode())
        files = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - MAX_KEPT)]:
            path.unlink(missing_ok=True)


def _parse(data: dict[str, Any]) -> KeptAnswer:
    """Read an answer from JSON data; raises `ValueError`, `TypeError` or `KeyError` if it is malformed."""
    if data.pop("format") != FORMAT:
        raise ValueError
    question = DesignQuestion(**data["question"])
    pair: Any = {name: tuple(getattr(question, name)) for name in ("plans", "names")}
    answer = data["answer"] and DesignAnswer(**data["answer"])
    if answer:
        lines: Any = {name: tuple(getattr(answer, name)) for name in ("sentences", "details")}
        answer = replace(answer, charts=tuple(map(_parse_chart, data["answer"]["charts"])), **lines)
    return KeptAnswer(**{**data, "question": replace(question, **pair), "answer": answer})


def _parse_chart(data: dict[str, Any]) -> Chart:
    return Chart(**{**data, "rows": [ChartRow(**row) for row in data["rows"]], "names": Axis(**data["names"])})
