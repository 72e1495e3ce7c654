"""What never happened in many games: lines, things, options, numbers and flags, each with the likely reason, as data.

What `check` looks for can be known from the rules alone; this is found by playing. Nothing here is proof: what is rare
may not have come up.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from edict.agents.bots.match import laid
from edict.agents.study.bot_games import GameRange, Setup, game_ranges
from edict.agents.study.never_asked import Blamed, OptionCounts, ask
from edict.agents.study.watching import SeenInGames, places_of, watch
from edict.game.explanations.reasons_in_words import FAILED_TEXTS
from edict.game.scenes.coverage import iter_successors, reachable_addresses
from edict.game.table.addresses import PLAYER, iter_cells
from edict.game.table.wording import Wording
from edict.runtime.machine.observed_code import count_jumps
from edict.runtime.program import NO, YES, Cause, LinkedKind, Program, StateVariable
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import ASKC
from edict.support.morphology import count_noun, split_title
from edict.support.processes.distribution import ExecutorStarter, run_distributed
from edict.support.text import Source

Data = dict[str, Any]
BOTS = ("random", "greedy")
PIECE = 25  # games in a piece of work
OFTEN = 50  # an option that was always taken, or never, must have been offered so often
NAMED = ("thing", "branch", "ability")  # options that are told apart
BUILT_IN = ("", PLAYER, "resource", "number")  # kinds of what is no thing of the rules


def tables(
    program: Program, bots: Sequence[str], players: int | None, settings: tuple[tuple[str, int], ...], seed: int
) -> tuple[Setup, ...]:
    """Return a setup for each kind of bot: of so many players, or by default of every number the rules are for."""
    numbers = range(program.least_players, program.most_players + 1) if players is None else [players]
    return tuple(Setup(program, (kind,) * number, settings, seed) for number in numbers for kind in bots)


@dataclass
class NeverSearch:
    """Games of several setups, watched; `games` for each kind of bots, over all numbers of players."""

    setups: tuple[Setup, ...]
    games: int
    seen: SeenInGames = field(default_factory=SeenInGames)
    asked: OptionCounts = field(default_factory=OptionCounts)

    @property
    def whole(self) -> int:
        """Games to be played in all."""
        return sum(stretch.games for _, stretch in self._pieces())

    @property
    def played(self) -> int:
        """Games that are done."""
        return self.seen.games

    def run(self, start: ExecutorStarter, told: Callable[[int], object]) -> None:
        """Play and watch, then ask why in some of the games. Raises `WorkersError`."""
        for _, seen in run_distributed(_watch, self._pieces(), start):
            self.seen.add(seen)
            told(self.played)
        missing = never_offered(self.setups[0].program, self.seen)
        wanted = [(setup, missing, stretch) for setup, stretch in self._pieces() if stretch.first == 0]
        for _, asked in run_distributed(_ask, wanted, start):
            self.asked.add(asked)

    def _pieces(self) -> list[tuple[Setup, GameRange]]:
        each = -(-self.games // len({setup.players for setup in self.setups}))
        return [(setup, stretch) for setup in self.setups for stretch in game_ranges(each, PIECE)]


def _watch(piece: tuple[Setup, GameRange]) -> SeenInGames:
    return watch(*piece)


def _ask(piece: tuple[Setup, dict[int, set[int]], GameRange]) -> OptionCounts:
    return ask(*piece)


def findings(search: NeverSearch, sources: Mapping[str, Source]) -> Data:
    """All that never happened."""
    program, seen = search.setups[0].program, search.seen
    told = _Told(program, seen, search.asked, sources)
    return {
        "game": {"name": program.name, "title": program.title, "modules": list(program.modules)},
        "games": seen.games,
        "faults": seen.faults,
        "bots": list(dict.fromkeys(setup.bots[0] for setup in search.setups)),
        "players": list(dict.fromkeys(setup.players for setup in search.setups)),
        "lines": list(told.lines()),
        "things": list(told.things()),
        "options": list(told.options()),
        "numbers": [*told.numbers(), *told.quantities()],
        "flags": list(told.flags()),
        "unused": list(told.unused()),
        "unpaid": list(told.unpaid()),
    }


# --- options ----------------------------------------------------------------------------------------


def candidates(program: Program, number: int) -> range:
    """All that could be an answer to a question of named options; players and numbers are not."""
    question = program.questions[number]
    if question.domain not in NAMED or question.kind in BUILT_IN[1:]:
        return range(0)
    if question.domain == "thing":
        kind = program.kind_by_name.get(question.kind)
        return range(len(kind.things) if kind else 0)
    return range(len(question.labels))


def alike(program: Program, seen: SeenInGames) -> list[list[int]]:
    """The questions that were asked, and not of chance; those that stand at one place of the rules are one question."""
    chance = {program.code[at + 1] for at in find_instructions(program)[1] if program.code[at] == ASKC}
    found: dict[tuple[object, ...], list[int]] = {}
    for number in sorted(seen.asked):
        asked, cause = program.questions[number], program.causes[program.questions[number].cause]
        if number not in chance:
            place = cause.file, cause.line, cause.column
            found.setdefault((*place, asked.prompt, asked.domain, asked.kind, asked.labels), []).append(number)
    return list(found.values())


def never_offered(program: Program, seen: SeenInGames) -> dict[int, set[int]]:
    """By question, what was never offered where it stands."""
    missing = dict[int, set[int]]()
    for numbers in alike(program, seen):
        there = {v for n in numbers for v in candidates(program, n) if seen.offered[n, v] or seen.forced[n, v]}
        missing |= {n: set(candidates(program, n)) - there for n in numbers}
    return {number: values for number, values in missing.items() if values}


# --- what is told -----------------------------------------------------------------------------------


class _Told:
    """The findings, from what was seen."""

    def __init__(self, program: Program, seen: SeenInGames, asked: OptionCounts, sources: Mapping[str, Source]) -> None:
        self.program, self.seen, self.asked, self.sources = program, seen, asked, sources
        self.wording = Wording(program, [])
        self.options_of = laid(program, program.least_players).options

    # --- lines

    def lines(self) -> Iterator[Data]:
        """Lines of which nothing ran, those that one condition kept from running together."""
        flow = Flow(self.program, self.seen.ran)
        dark = flow.dark
        together: dict[tuple[str, BranchCounts | None], list[tuple[int, list[int]]]] = {}
        for (file, line), places in dark.items():
            together.setdefault((file, flow.block(places)), []).append((line, places))
        not_got = {one["thing"]: one for one in self.things()}
        for (file, block), found in together.items():
            lines = sorted(line for line, _ in found)
            cause = self.program.cause_at(found[0][1][0])
            nobody = not_got.get(cause.name)
            why = f"nobody ever got {nobody['title']}" if nobody else ""
            yield {
                "file": file,
                "lines": lines,
                "text": self.text(file, lines[0]),
                "name": cause.title or cause.name,
                "because": {"why": why} if why else self.because(block),
            }

    def because(self, block: BranchCounts | None) -> Data | None:
        if block is None:
            return None
        cause, words = block.cause, self.condition(block.cause)
        if block.holds is None:
            why = f"games came as far as this {count_noun(block.times, 'time')}, and never went on from it to there"
        else:
            why = f"{'always' if block.holds else 'never'} so, {_share(block.times, block.times)}"
        settings = {setting.name for setting in self.program.settings}
        return {
            "file": cause.file,
            "line": cause.line,
            "text": words,
            "why": why,
            "times": block.times,
            "setting": words.removeprefix("not ") in settings,
        }

    def text(self, file: str, line: int, column: int = 1) -> str:
        source = self.sources.get(file)
        return source.lines[line - 1][column - 1 :].strip() if source and line <= len(source.lines) else ""

    def condition(self, cause: Cause) -> str:
        """The words of a condition from its place on, as far as it reaches on its line."""
        text, depth = self.text(cause.file, cause.line, cause.column), 0
        for at, letter in enumerate(text):
            depth += (letter == "(") - (letter == ")")
            if depth < 0 or (depth == 0 and text[at:].startswith((" and ", " or "))):
                return text[:at].strip()
        return text

    # --- things

    def things(self) -> Iterator[Data]:
        """Things of which others got into players' hands; of kinds that players hold nothing of, those in no keep."""
        keeps: dict[str, list[StateVariable]] = {}
        for variable in self.program.variables:
            kind = self.held(variable)
            if kind is not None and any(self.seen.changed[address] for address in addresses_of(variable)):
                keeps.setdefault(kind.name, []).append(variable)
        for name, variables in keeps.items():
            kind, own = self.program.kind_by_name[name], [one for one in variables if PLAYER in one.kinds]
            held = {number for variable in own or variables for number in self.had(variable, kind)}
            for number, thing in enumerate(kind.things):
                if held and number not in held:
                    yield {
                        "thing": thing.name,
                        "title": thing.title or thing.name,
                        "kind": kind.title or kind.name,
                        "keeps": [split_title(one.title or one.name)[0] for one in own or variables],
                        "because": self.not_got(kind, number),
                    }

    def held(self, variable: StateVariable) -> LinkedKind | None:
        """The kind of what a keep or a bag has, if it is a thing of the rules."""
        name = variable.kinds[-1] if variable.counts else variable.type.kind
        plain = variable.counts or variable.type.shape in ("set", "thing")
        kind = self.program.kind_by_name.get(name) if plain and name not in BUILT_IN else None
        return kind if kind and kind.things else None

    def had(self, variable: StateVariable, kind: LinkedKind) -> set[int]:
        """The numbers of the things that it ever had."""
        found = set[int]()
        for cell in iter_cells(variable):
            if variable.counts:
                if max(self.seen.values.get(cell.address, ()), default=0) > 0:
                    found.add(cell.of[-1])
                continue
            for part in range(variable.type.cells):
                members = self.seen.values.get(cell.address + part, ())
                found |= {o.BITS * part + member for member in members if member >= 0}
        return found

    def not_got(self, kind: LinkedKind, number: int) -> Data | None:
        """Why a thing could not be had: of the questions about its kind the one that offered it least."""
        about = [n for n in sorted(self.seen.asked) if self.program.questions[n].kind == kind.name]
        why = self.refused(about, number)
        if why is not None:
            return why
        counts = (self.seen.offered, self.seen.taken)
        offered, taken = (sum(counted[question, number] for question in about) for counted in counts)
        return {"why": f"offered {count_noun(offered, 'time')}, never taken"} if offered and not taken else None

    # --- options

    def options(self) -> Iterator[Data]:
        """Options never offered, never taken, always taken."""
        told = {(one["kind"], one["thing"]) for one in self.things()}
        missing = never_offered(self.program, self.seen)
        for numbers in alike(self.program, self.seen):
            asked = sum(self.seen.asked[n] for n in numbers)
            for value in candidates(self.program, numbers[0]):
                if value in missing.get(numbers[0], ()):
                    why = self.refused(numbers, value)
                    if why is not None and self.thing(numbers[0], value) not in told:
                        yield self.option(numbers[0], value, "never offered", asked, why)
                    continue
                counts = (self.seen.offered, self.seen.taken, self.seen.forced)
                offered, taken, forced = (sum(counted[n, value] for n in numbers) for counted in counts)
                if offered >= OFTEN and (taken == offered or not taken and not forced):
                    yield self.option(numbers[0], value, "always taken" if taken else "never taken", offered, None)

    def thing(self, question: int, value: int) -> tuple[str, str] | None:
        """The kind and name of an option that is a thing."""
        asked = self.program.questions[question]
        kind = self.program.kind_by_name.get(asked.kind) if asked.domain == "thing" else None
        return (kind.title or kind.name, kind.things[value].name) if kind else None

    def option(self, question: int, value: int, what: str, times: int, why: Data | None) -> Data:
        asked = self.program.questions[question]
        cause = self.program.causes[asked.cause]
        return {
            "question": asked.prompt or cause.title or cause.name,
            "option": self.options_of.text(question, value),
            "what": what,
            "times": times,
            "file": cause.file,
            "line": cause.line,
            "because": why,
        }

    def refused(self, numbers: Sequence[int], value: int) -> Data | None:
        """What stood in its way most often; None if nothing did, or if the questions are not about it."""
        counted, asked = Counter[Blamed](), sum(self.asked.asked[number, value] for number in numbers)
        for number in numbers:
            counted.update(self.asked.blamed.get((number, value), {}))
        if not counted:
            return None
        blamed, times = max(counted.items(), key=lambda one: one[1])  # of several the first that rules ask for
        if blamed.sort == "from" and times == asked:
            return None
        told = f"rule {blamed.name}" if blamed.name else self.text(blamed.file, blamed.line)
        words = blamed.because or FAILED_TEXTS.get(blamed.sort, "{}").format(blamed.text).removesuffix(".")
        return {
            "file": blamed.file,
            "line": blamed.line,
            "text": told,
            "times": times,
            "of": asked,
            "why": f"{words}, {_share(times, asked)}" if words else _share(times, asked),
        }

    # --- numbers and flags

    def numbers(self) -> Iterator[Data]:
        """Resources and keeps of numbers that were the same in all games, though some step would change them."""
        written = places_of(self.program).written
        for number, variable in enumerate(self.program.variables):
            if number not in written:
                continue
            values = {value for address in addresses_of(variable) for value in self.seen.values.get(address, ())}
            if len(values) == 1:
                value = values.pop()
                bound = "least" if value == variable.least else "greatest" if value == variable.greatest else ""
                yield _number(variable.name, variable.title, value, bound)

    def quantities(self) -> Iterator[Data]:
        """Quantities that something adjusts, and that were the same whenever they were looked at."""
        code = self.program.code
        adjusted = {code[at + 1] for at in find_instructions(self.program)[1] if code[at] == o.TERM}
        names = {self.program.quantities[number][0] for number in adjusted}
        for number, values in sorted(self.asked.values.items()):
            measure = self.program.reasons.measures[number]
            if len(values) == 1 and self.asked.looked[number] >= OFTEN and measure.name in names:
                yield _number(measure.name, measure.title, min(values), "")

    def flags(self) -> Iterator[Data]:
        """What was set to yes in games that asked for it afterwards, and never to no again."""
        for variable in self.program.variables:
            if variable.type.shape == "truth" and not variable.lasting:
                often, again = (sum(one[a] for a in addresses_of(variable)) for one in (self.seen.rose, self.seen.fell))
                if often and not again:
                    yield {"name": variable.name, "title": variable.title or variable.name, "times": often}

    # --- what was for nothing

    def unused(self) -> Iterator[Data]:
        """Lines that add to a number for which nothing asks any more, in all games in which they ran."""
        by_line: dict[tuple[str, int], Counter[bool]] = {}
        for pc, games in self.seen.raised.items():
            cause = self.program.cause_at(pc)
            counted = by_line.setdefault((cause.file, cause.line), Counter())
            counted[True] += self.seen.unread[pc]
            counted[False] += games - self.seen.unread[pc]
        for (file, line), unread in sorted(by_line.items()):
            if unread[True] and not unread[False]:
                yield {"file": file, "line": line, "text": self.text(file, line), "games": unread[True]}

    def unpaid(self) -> Iterator[Data]:
        """Payments in an action that were left out, as an exception let pass what cannot be paid."""
        pays = {(c.file, c.line, c.column) for c in self.program.causes if c.pays}
        for fork in self.program.forks:
            cause = self.program.causes[fork.cause]
            passed = self.asked.passed.get(cause.name)
            if cause.asks or not passed or (cause.file, cause.line, cause.column) not in pays:
                continue
            times = self.seen.ran[fork.at]
            went = count_jumps(self.program.code, self.seen.ran, fork.at)
            skipped = went if fork.there == 0 else times - went
            (exception, rule), _ = passed.most_common(1)[0]
            if skipped:
                yield {
                    "file": cause.file,
                    "line": cause.line,
                    "text": self.text(cause.file, cause.line),
                    "times": skipped,
                    "of": times,
                    "because": {
                        "file": exception.file,
                        "line": exception.line,
                        "text": exception.name,
                        "why": f"it lets pass what the rule {rule.name} refuses, and asks for nothing in its place",
                    },
                }


def addresses_of(variable: StateVariable) -> Iterator[int]:
    """All its cells."""
    return (cell.address + part for cell in iter_cells(variable) for part in range(variable.type.cells))


def _share(times: int, of: int) -> str:
    return f"{'each' if times == of else f'{times:,}'} of the {count_noun(of, 'time')} this was looked at"


def _number(name: str, title: str, value: int, bound: str) -> Data:
    return {"name": name, "title": split_title(title or name)[0], "value": value, "bound": bound}


def empty(found: Data) -> bool:
    """Whether there is nothing that never happened."""
    parts: Iterable[str] = ("lines", "things", "options", "numbers", "flags", "unused", "unpaid")
    return not any(found[part] for part in parts)


# --- why code never ran: the nearest place that ran and led elsewhere each time -------------------------


@dataclass(frozen=True, slots=True)
class BranchCounts:
    """Where games turned away: at which words of the rules, how they came out each time, and how often.

    `holds`: None where it is no condition, but something that was not there to be done.
    """

    cause: Cause
    holds: bool | None
    times: int


class Flow:
    """Where code can be entered from, and where games turned away."""

    def __init__(self, program: Program, ran: Sequence[int]) -> None:
        self.program, self.ran = program, ran
        self.reached = reachable_addresses(program, ran)
        self._forks = {fork.at: fork for fork in program.forks}
        self._before: dict[int, list[int]] = {}
        for at in self.reached:
            for following in iter_successors(program.code, at):
                self._before.setdefault(following, []).append(at)

    @property
    def dark(self) -> Mapping[tuple[str, int], list[int]]:
        """By file and line, the steps of which none ran."""
        steps: dict[tuple[str, int], list[int]] = {}
        for at in sorted(self.reached):
            cause = self.program.cause_at(at)
            if not cause.asks and self.program.code[at] not in (o.JMP, o.RET):
                steps.setdefault((cause.file, cause.line), []).append(at)
        return {line: found for line, found in steps.items() if not any(self.ran[at] for at in found)}

    def block(self, places: Iterable[int]) -> BranchCounts | None:
        """What kept games from all of these; None if nothing that ran leads there."""
        todo, known = deque(places), set(places)
        found: list[BranchCounts] = []
        while todo:
            at = todo.popleft()
            for before in self._before.get(at, ()):
                if self.ran[before]:
                    found.append(self._turned(before, at))
                elif before not in known:
                    known.add(before)
                    todo.append(before)
        return max(found, key=lambda one: (one.holds is not None, one.times), default=None)

    def _turned(self, at: int, missed: int) -> BranchCounts:
        """At a place that ran, and never went on to what was missed."""
        fork, times = self._forks.get(at), self.ran[at]
        if fork is None:
            return BranchCounts(self.program.cause_at(at), None, times)
        jumped = count_jumps(self.program.code, self.ran, at)
        way = fork.on if jumped == times else fork.there
        holds = {YES: False, NO: True}.get(way)
        return BranchCounts(self.program.causes[fork.cause], holds, times)
