"""Findings about what never happened in many games: lines, things, options, numbers and flags, with likely reasons.

`check` finds what follows from the rules alone; this is found by playing. It is no proof: a rare event may not have
come up.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from edict.agents.bots.match import create_bot_table
from edict.agents.study.bot_games import GameRange, GameSetup, split_games
from edict.agents.study.game_watching import SeenInGames, find_watched_places, watch_games
from edict.agents.study.refusal_reasons import Obstacle, OptionCounts, collect_reasons
from edict.game.explanations.reasons_in_words import FAILED_TEXTS
from edict.game.scenes.coverage import iter_successors, reachable_addresses
from edict.game.table.addresses import PLAYER, iter_cells
from edict.game.table.wording import Wording
from edict.runtime.machine.events import count_jumps
from edict.runtime.program import NO, YES, Cause, LinkedKind, Program, StateVariable
from edict.runtime.program import opcodes as o
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import ASKC
from edict.runtime.simulation.counters import answer_texts, default_prompt
from edict.support.morphology import count_noun, join_words, split_title
from edict.support.processes.distribution import ExecutorStarter, run_in_workers
from edict.support.records import dataclass
from edict.support.text import Source

Data = dict[str, Any]
DEFAULT_BOTS = ("random", "greedy")
PIECE_GAMES = 25
MIN_OFFERED = 50
EXPLAINED_GAMES = 3  # games of a study that are played again to explain what was never offered
NAMED_DOMAINS = ("thing", "branch", "ability")
BUILT_IN_KINDS = ("", PLAYER, "resource", "number")


def create_setups(
    program: Program, bots: Sequence[str], players: int | None, settings: tuple[tuple[str, int], ...], seed: int
) -> tuple[GameSetup, ...]:
    """Return a setup for each kind of bot and number of players, by default every number that the rules allow."""
    numbers = range(program.least_players, program.most_players + 1) if players is None else [players]
    return tuple(GameSetup(program, (kind,) * number, settings, seed) for number in numbers for kind in bots)


@dataclass
class NeverSearch:
    """Games of several setups that are watched."""

    setups: tuple[GameSetup, ...]
    games: int  # for each kind of bots, over all numbers of players
    seen: SeenInGames = field(default_factory=SeenInGames)
    option_counts: OptionCounts = field(default_factory=OptionCounts)

    @property
    def total(self) -> int:
        """The number of games to play."""
        return sum(game_range.games for _, game_range in self._list_pieces())

    @property
    def played_games(self) -> int:
        """The number of games that were played."""
        return self.seen.games

    def run(self, start: ExecutorStarter, on_progress: Callable[[int], object]) -> None:
        """Watch the games, then ask for reasons in some of them. Raises `WorkersError`."""
        for _, seen in run_in_workers(_watch_piece, self._list_pieces(), start):
            self.seen.add(seen)
            on_progress(self.played_games)
        missing = find_never_offered_values(self.setups[0].program, self.seen)
        pieces = [(setup, missing, game_range) for setup, game_range in self._list_pieces() if game_range.first == 0]
        for _, counts in run_in_workers(_ask_piece, pieces, start):
            self.option_counts.add(counts)

    def _list_pieces(self) -> list[tuple[GameSetup, GameRange]]:
        """Return the pieces of work: for each setup, the games per number of players in ranges of `PIECE_GAMES`."""
        games_per_count = -(-self.games // len({setup.players for setup in self.setups}))
        return [
            (setup, game_range) for setup in self.setups for game_range in split_games(games_per_count, PIECE_GAMES)
        ]


def _watch_piece(piece: tuple[GameSetup, GameRange]) -> SeenInGames:
    return watch_games(*piece)


def _ask_piece(piece: tuple[GameSetup, dict[int, set[int]], GameRange]) -> OptionCounts:
    """Return why options were refused in the games of a piece: setup, values asked about by question, range."""
    return collect_reasons(*piece)


def collect_findings(search: NeverSearch, sources: Mapping[str, Source]) -> Data:
    """Return everything that never happened as data."""
    program, seen = search.setups[0].program, search.seen
    told = _FindingsBuilder(program, seen, search.option_counts, sources)
    return {
        "game": {"name": program.name, "title": program.title, "modules": list(program.modules)},
        "games": seen.games,
        "faults": seen.faults,
        "bots": list(dict.fromkeys(setup.bots[0] for setup in search.setups)),
        "players": list(dict.fromkeys(setup.players for setup in search.setups)),
        "lines": list(told.iter_lines()),
        "things": list(told.iter_things()),
        "options": list(told.iter_options()),
        "numbers": [*told.iter_numbers(), *told.iter_quantities()],
        "flags": list(told.iter_flags()),
        "unused": list(told.iter_unread_increments()),
        "unpaid": list(told.iter_unpaid()),
        "gaps": list(told.iter_gaps()),
        "idle": list(told.iter_idle_lines()),
    }


# --- options ----------------------------------------------------------------------------------------


def list_candidates(program: Program, number: int) -> range:
    """Return the values of a question's things or labels; an empty range for players and numbers."""
    question = program.questions[number]
    if question.domain not in NAMED_DOMAINS or question.kind in BUILT_IN_KINDS[1:]:
        return range(0)
    if question.domain == "thing":
        kind = program.kind_by_name.get(question.kind)
        return range(len(kind.things) if kind else 0)
    return range(len(question.labels))


def group_questions(program: Program, seen: SeenInGames) -> list[list[int]]:
    """Return lists of question numbers that one place in the rules asks; questions to chance are left out."""
    chance = {program.code[pc + 1] for pc in find_instructions(program)[1] if program.code[pc] == ASKC}
    groups: dict[tuple[object, ...], list[int]] = {}
    for number in sorted(seen.asked):
        asked, cause = program.questions[number], program.causes[program.questions[number].cause]
        if number not in chance:
            place = cause.file, cause.line, cause.column
            groups.setdefault((*place, asked.prompt, asked.domain, asked.kind, asked.labels), []).append(number)
    return list(groups.values())


def find_never_offered_values(program: Program, seen: SeenInGames) -> dict[int, set[int]]:
    """Return by question number the values that no question at the same place ever offered."""
    missing = dict[int, set[int]]()
    for numbers in group_questions(program, seen):
        offered = {v for n in numbers for v in list_candidates(program, n) if seen.offered[n, v] or seen.forced[n, v]}
        missing |= {n: set(list_candidates(program, n)) - offered for n in numbers}
    return {number: values for number, values in missing.items() if values}


def explain_untaken(setup: GameSetup, untaken: Sequence[Data], sources: Mapping[str, Source]) -> list[str]:
    """Return for each option that a study lists as untaken the likely reason, or an empty text.

    Some of the games are played again, to ask why what was never offered was missing.
    """
    program = setup.program
    places = [_find_option(program, row["question"], row["option"]) for row in untaken]
    missing, passed_over = dict[int, set[int]](), dict[int, set[int]]()
    for row, place in zip(untaken, places, strict=True):
        for question, value in place:
            (passed_over if row["offered"] else missing).setdefault(question, set()).add(value)
    counts = collect_reasons(setup, missing, GameRange(0, EXPLAINED_GAMES), passed_over) if untaken else OptionCounts()
    builder = _FindingsBuilder(program, SeenInGames(), counts, sources)
    reasons = []
    for row, place in zip(untaken, places, strict=True):
        if row["offered"]:
            reasons.append(builder.explain_preference(place))
            continue
        refusal = builder.explain_refusal([question for question, _ in place], place[0][1]) if place else None
        reasons.append(
            f"`{refusal['text']}` ({refusal['file']}:{refusal['line']}): {refusal['why']}" if refusal else ""
        )
    return reasons


def _find_option(program: Program, prompt: str, text: str) -> list[tuple[int, int]]:
    """Return the questions of a prompt that may offer an option, each with the option's value."""
    return [
        (number, value)
        for number, question in enumerate(program.questions)
        for value, answer in enumerate(answer_texts(program, question))
        if answer == text and prompt == (question.prompt or default_prompt(program, question))
    ]


# --- findings ---------------------------------------------------------------------------------------


class _FindingsBuilder:
    """Builds the findings from what was seen."""

    def __init__(self, program: Program, seen: SeenInGames, asked: OptionCounts, sources: Mapping[str, Source]) -> None:
        self.program, self.seen, self.option_counts, self.sources = program, seen, asked, sources
        self.wording = Wording(program, [])
        self.modules = dict(program.reasons.homes)  # by file
        self.options_of = create_bot_table(program, program.least_players).options

    def module_of_file(self, file: str) -> str:
        """Return the module to which a file belongs; the game, if its rules are not told apart."""
        return self.modules.get(file, self.program.name)

    # --- lines

    def iter_lines(self) -> Iterator[Data]:
        """Yield the lines that never ran, grouped by the condition that kept them from running."""
        flow = ControlFlow(self.program, self.seen.ran)
        unreached = flow.unreached_lines
        groups: dict[tuple[str, BranchCounts | None], list[tuple[int, list[int]]]] = {}
        for (file, line), places in unreached.items():
            groups.setdefault((file, flow.find_block(places)), []).append((line, places))
        things_not_held = {finding["thing"]: finding for finding in self.iter_things()}
        for (file, block), rows in groups.items():
            lines = sorted(line for line, _ in rows)
            cause = self.program.cause_at(rows[0][1][0])
            thing = things_not_held.get(cause.name)
            why = f"no player ever had {thing['title']}" if thing else ""
            yield {
                "module": self.module_of_file(file),
                "file": file,
                "lines": lines,
                "text": self.source_text(file, lines[0]),
                "name": cause.title or cause.name,
                "because": {"why": why} if why else self.describe_block(block),
            }

    def describe_block(self, block: BranchCounts | None) -> Data | None:
        """Return the condition that kept lines from running as data, with its reason; None without one."""
        if block is None:
            return None
        cause, words = block.cause, self.condition_text(block.cause)
        if block.holds is None:
            why = f"games reached this {count_noun(block.times, 'time')} but never continued to that line"
        else:
            why = f"{'always' if block.holds else 'never'} true in {count_noun(block.times, 'check')}"
        if ranges := self.describe_variables(words):
            why += f"; {ranges}"
        settings = {setting.name for setting in self.program.settings}
        return {
            "file": cause.file,
            "line": cause.line,
            "text": words,
            "why": why,
            "times": block.times,
            "setting": words.removeprefix("not ") in settings,
        }

    def describe_variables(self, condition: str) -> str:
        """Return the range of each number of the rules that a condition compares, as `year was 1 to 5`; or ""."""
        if not re.search(r"[<=>]|\d", condition):
            return ""
        words = dict.fromkeys(re.findall(r"[^\W\d][\w-]*", condition))
        variables = [v for w in words if (v := self.program.variable_by_name.get(w)) and v.type.shape == "number"]
        ranges = ((variable.name, self.values_of(variable)) for variable in variables)
        return ", ".join(f"{name} was {_format_range(values)}" for name, values in ranges if values)

    def source_text(self, file: str, line: int, column: int = 1) -> str:
        """Return a line of a rule file from a column on, stripped; empty if the file or line is missing."""
        source = self.sources.get(file)
        return source.lines[line - 1][column - 1 :].strip() if source and line <= len(source.lines) else ""

    def condition_text(self, cause: Cause) -> str:
        """Return the source text of a condition, up to its end on the same line."""
        text, depth = self.source_text(cause.file, cause.line, cause.column), 0
        for index, letter in enumerate(text):
            depth += (letter == "(") - (letter == ")")
            if depth < 0 or (depth == 0 and text[index:].startswith((" and ", " or "))):
                return text[:index].strip()
        return text

    # --- things

    def iter_things(self) -> Iterator[Data]:
        """Yield a finding for each thing that no player held; for kinds players hold none of, that no keep held."""
        keeps: dict[str, list[StateVariable]] = {}
        for variable in self.program.variables:
            kind = self.get_held_kind(variable)
            if kind is not None and any(self.seen.changed[address] for address in iter_addresses(variable)):
                keeps.setdefault(kind.name, []).append(variable)
        for name, variables in keeps.items():
            kind, own = self.program.kind_by_name[name], [one for one in variables if PLAYER in one.kinds]
            held_numbers = {number for variable in own or variables for number in self.find_held_things(variable, kind)}
            for number, thing in enumerate(kind.things):
                if held_numbers and number not in held_numbers:
                    yield {
                        "module": thing.module,
                        "thing": thing.name,
                        "title": thing.title or thing.name,
                        "kind": kind.title or kind.name,
                        "keeps": [split_title(one.title or one.name)[0] for one in own or variables],
                        "because": self.explain_why_not_held(kind, number),
                    }

    def get_held_kind(self, variable: StateVariable) -> LinkedKind | None:
        """Return the kind of the things that a variable (thing, set or bag) holds; None for others."""
        name = variable.kinds[-1] if variable.counts else variable.type.kind
        is_supported = variable.counts or variable.type.shape in ("set", "thing")
        kind = self.program.kind_by_name.get(name) if is_supported and name not in BUILT_IN_KINDS else None
        return kind if kind and kind.things else None

    def find_held_things(self, variable: StateVariable, kind: LinkedKind) -> set[int]:
        """Return the numbers of the things that a variable ever held."""
        numbers = set[int]()
        for cell in iter_cells(variable):
            if variable.counts:
                if max(self.seen.values.get(cell.address, ()), default=0) > 0:
                    numbers.add(cell.of[-1])
                continue
            for part in range(variable.type.cells):
                members = self.seen.values.get(cell.address + part, ())
                numbers |= {o.BITS * part + member for member in members if member >= 0}
        return numbers

    def explain_why_not_held(self, kind: LinkedKind, number: int) -> Data | None:
        """Return the obstacle that kept a thing from being offered, or that nobody took it; None if unknown."""
        questions = [n for n in sorted(self.seen.asked) if self.program.questions[n].kind == kind.name]
        why = self.explain_refusal(questions, number)
        if why is not None:
            return why
        counts = (self.seen.offered, self.seen.taken)
        offered, taken = (sum(counted[question, number] for question in questions) for counted in counts)
        return {"why": f"offered {count_noun(offered, 'time')}, never taken"} if offered and not taken else None

    # --- options

    def iter_options(self) -> Iterator[Data]:
        """Yield the options that were never offered, never taken, or always taken."""
        reported = {(finding["kind"], finding["thing"]) for finding in self.iter_things()}
        missing = find_never_offered_values(self.program, self.seen)
        for numbers in group_questions(self.program, self.seen):
            asked = sum(self.seen.asked[n] for n in numbers)
            for value in list_candidates(self.program, numbers[0]):
                if value in missing.get(numbers[0], ()):
                    why = self.explain_refusal(numbers, value)
                    if why is not None and self.option_thing(numbers[0], value) not in reported:
                        yield self.option_to_data(numbers[0], value, "never offered", asked, why)
                    continue
                counts = (self.seen.offered, self.seen.taken, self.seen.forced)
                offered, taken, forced = (sum(counted[n, value] for n in numbers) for counted in counts)
                if offered >= MIN_OFFERED and (taken == offered or not taken and not forced):
                    yield self.option_to_data(
                        numbers[0], value, "always taken" if taken else "never taken", offered, None
                    )

    def option_thing(self, question: int, value: int) -> tuple[str, str] | None:
        """Return (title of the kind, name of the thing) for an option of a question on things; else None."""
        asked = self.program.questions[question]
        kind = self.program.kind_by_name.get(asked.kind) if asked.domain == "thing" else None
        return (kind.title or kind.name, kind.things[value].name) if kind else None

    def option_to_data(self, question: int, value: int, what: str, times: int, why: Data | None) -> Data:
        """Return a finding about an option as data; `what` tells if it was never offered, never or always taken."""
        asked = self.program.questions[question]
        cause = self.program.causes[asked.cause]
        return {
            "module": self.module_of_file(cause.file),
            "question": asked.prompt or cause.title or cause.name,
            "option": self.options_of.text(question, value),
            "what": what,
            "times": times,
            "file": cause.file,
            "line": cause.line,
            "because": why,
        }

    def explain_preference(self, keys: Sequence[tuple[int, int]]) -> str:
        """Return what bots took instead of an option, the most frequent first, and how near it came to being taken."""
        taken, ranks = Counter[str](), Counter[tuple[int, int]]()
        for key in keys:
            for value, times in self.option_counts.preferred.get(key, {}).items():
                taken[self.options_of.text(key[0], value)] += times
            ranks.update(self.option_counts.ranks.get(key, {}))
        if not taken:
            return "the bots always preferred something else"
        shares = [f"{text} ({times / taken.total():.0%})".replace("%", " %") for text, times in taken.most_common(3)]
        said = f"the bots preferred {join_words(shares)}"
        if ranks:
            better, options = min(ranks, key=lambda rank: (rank[0], -rank[1]))
            said += f"; by their values it was at best number {better + 1} of {options}"
        return said

    def explain_refusal(self, numbers: Sequence[int], value: int) -> Data | None:
        """Return the most frequent obstacle of an option; None if there was none or the questions are not about it."""
        counted, asked = Counter[Obstacle](), sum(self.option_counts.asked[number, value] for number in numbers)
        for number in numbers:
            counted.update(self.option_counts.obstacles.get((number, value), {}))
        if not counted:
            return None
        # of several, the first in the order of the rules
        blamed, times = max(counted.items(), key=lambda item: item[1])
        if blamed.sort == "from" and times == asked:
            return None
        label = f"rule {blamed.name}" if blamed.name else self.source_text(blamed.file, blamed.line)
        words = blamed.because
        if not words and blamed.text:
            words = FAILED_TEXTS.get(blamed.sort, "{text}").format(text=blamed.text).removesuffix(".")
        return {
            "file": blamed.file,
            "line": blamed.line,
            "text": label,
            "times": times,
            "of": asked,
            "why": f"{words}, {_format_share(times, asked)}" if words else _format_share(times, asked),
            "words": self.describe_unmet(numbers, value, asked),
        }

    def describe_unmet(self, numbers: Sequence[int], value: int, asked: int) -> str:
        """Return what an option would have needed in each check, with the numbers that were never enough; or ""."""
        unmet, asked_thing = Counter[str](), self.option_thing(numbers[0], value)
        for number in numbers:
            unmet.update(
                {text: times for (key, text), times in self.option_counts.unmet.items() if key == (number, value)}
            )
        always = [text for text, times in unmet.items() if times == asked]
        for text in always:
            if asked_thing is not None and text.startswith(f"{asked_thing[1]} is in "):
                return f"it needs itself: `{text}`"
            ranges = self.describe_numbers(numbers, value, text)
            if ranges:
                return ranges
        return ""

    def describe_numbers(self, numbers: Sequence[int], value: int, condition: str) -> str:
        """Return the numbers that an unmet condition read, each with its range in all games; "" if it read none."""
        read: dict[str, set[int]] = {}
        for (key, text, name), values in self.option_counts.read.items():
            if text == condition and key in {(number, value) for number in numbers}:
                read.setdefault(name, set()).update(values)
        parts = []
        for name, values in read.items():
            title, plural = split_title(name)
            variable = next(
                (v for v in self.program.variables if v.resource and split_title(v.title)[0] == title), None
            )
            if variable is not None:
                most = max(self.values_of(variable), default=0)
                unit = title if most == 1 else plural
                parts.append(f"in {count_noun(self.seen.games, 'game')} nobody ever had more than {most:,} {unit}")
            else:
                parts.append(f"{name} is {_format_range(values)}")
        return "; ".join(parts)

    def values_of(self, variable: StateVariable) -> set[int]:
        """Return all values that a variable ever had, of any player or thing."""
        return {value for address in iter_addresses(variable) for value in self.seen.values.get(address, ())}

    # --- numbers and flags

    def iter_numbers(self) -> Iterator[Data]:
        """Yield the resources and keeps of numbers that never changed, though some step would change them."""
        written = find_watched_places(self.program).written
        for number, variable in enumerate(self.program.variables):
            if number not in written:
                continue
            values = self.values_of(variable)
            if len(values) == 1:
                value = values.pop()
                yield _number_to_data(variable.name, variable.title, value, _name_bound(variable, value))

    def iter_quantities(self) -> Iterator[Data]:
        """Yield a finding for each adjustable quantity that had the same value at every sample."""
        code = self.program.code
        adjusted = {code[pc + 1] for pc in find_instructions(self.program)[1] if code[pc] == o.TERM}
        names = {self.program.quantities[number][0] for number in adjusted}
        for number, values in sorted(self.option_counts.values.items()):
            measure = self.program.reasons.measures[number]
            if len(values) == 1 and self.option_counts.samples[number] >= MIN_OFFERED and measure.name in names:
                yield _number_to_data(measure.name, measure.title, min(values), "")

    def iter_flags(self) -> Iterator[Data]:
        """Yield the flags that were set to yes and never back to no."""
        for variable in self.program.variables:
            if variable.type.shape == "truth" and not variable.lasting:
                often, again = (
                    sum(counts[a] for a in iter_addresses(variable)) for counts in (self.seen.rose, self.seen.fell)
                )
                if often and not again:
                    yield {"name": variable.name, "title": variable.title or variable.name, "times": often}

    # --- rounds without a question, and steps without an effect

    def iter_gaps(self) -> Iterator[Data]:
        """Yield the questions that were asked in every round but one, in each game, as a number counts the rounds."""
        asked_at = self.seen.asked_at
        for numbers in group_questions(self.program, self.seen):
            for clock in sorted({clock for number, clock, _ in asked_at if number in numbers} - self.seen.turned_back):
                times = Counter[int]()
                for (number, on, value), count in asked_at.items():
                    if on == clock:
                        times[value] += count if number in numbers else 0
                missing = [value for value, count in times.items() if not count and value]
                often = [value for value, count in times.items() if count >= self.seen.seats]
                if len(missing) == 1 and len(often) > 1 and len(often) + 1 == len([value for value in times if value]):
                    variable, asked = self.program.variables[clock], self.program.questions[numbers[0]]
                    cause = self.program.causes[asked.cause]
                    yield {
                        "question": asked.prompt or cause.title or cause.name,
                        "name": variable.name,
                        "value": missing[0],
                        "file": cause.file,
                        "line": cause.line,
                    }

    def iter_idle_lines(self) -> Iterator[Data]:
        """Yield the lines whose steps ran often and never changed anything."""
        times, changed = Counter[tuple[str, int]](), set[tuple[str, int]]()
        for pc in find_watched_places(self.program).stores:
            cause = self.program.cause_at(pc)
            place = cause.file, cause.line
            times[place] = max(times[place], self.seen.ran[pc])
            if self.seen.effective[pc]:
                changed.add(place)
        for (file, line), ran in sorted(times.items()):
            if ran >= MIN_OFFERED and (file, line) not in changed:
                module = self.module_of_file(file)
                yield {"module": module, "file": file, "line": line, "text": self.source_text(file, line), "times": ran}

    # --- wasted effects

    def iter_unread_increments(self) -> Iterator[Data]:
        """Yield the lines that add to a number that nothing reads afterwards, in all games in which they ran."""
        by_line: dict[tuple[str, int], Counter[bool]] = {}
        for pc, games in self.seen.raised.items():
            cause = self.program.cause_at(pc)
            counted = by_line.setdefault((cause.file, cause.line), Counter())
            counted[True] += self.seen.unread[pc]
            counted[False] += games - self.seen.unread[pc]
        for (file, line), unread in sorted(by_line.items()):
            if unread[True] and not unread[False]:
                yield {
                    "module": self.module_of_file(file),
                    "file": file,
                    "line": line,
                    "text": self.source_text(file, line),
                    "games": unread[True],
                }

    def iter_unpaid(self) -> Iterator[Data]:
        """Yield a finding for each payment skipped because an exception allowed the action without it."""
        pays = {(c.file, c.line, c.column) for c in self.program.causes if c.pays}
        for fork in self.program.forks:
            cause = self.program.causes[fork.cause]
            passed = self.option_counts.passed.get(cause.name)
            if cause.asks or not passed or (cause.file, cause.line, cause.column) not in pays:
                continue
            times = self.seen.ran[fork.at]
            jumps = count_jumps(self.program.code, self.seen.ran, fork.at)
            skipped = jumps if fork.there == 0 else times - jumps
            (exception, rule), _ = passed.most_common(1)[0]
            if skipped:
                yield {
                    "module": self.module_of_file(cause.file),
                    "file": cause.file,
                    "line": cause.line,
                    "text": self.source_text(cause.file, cause.line),
                    "times": skipped,
                    "of": times,
                    "because": {
                        "file": exception.file,
                        "line": exception.line,
                        "text": exception.name,
                        "why": f"it allows what the rule {rule.name} refuses, and costs nothing instead",
                    },
                }


def iter_addresses(variable: StateVariable) -> Iterator[int]:
    """Yield the addresses of all cells of a variable."""
    return (cell.address + part for cell in iter_cells(variable) for part in range(variable.type.cells))


def _format_share(times: int, of: int) -> str:
    """Return `3 of the 10 times this was looked at`, with `each` if all were."""
    return f"in all {count_noun(of, 'check')}" if times == of else f"in {times:,} of {count_noun(of, 'check')}"


def _format_range(values: Collection[int]) -> str:
    """Return the least and greatest of some numbers, as `1 to 5`; one number alone."""
    least, most = min(values), max(values)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _name_bound(variable: StateVariable, value: int) -> str:
    """Return `least` or `greatest` if a value is that bound of a variable, else an empty text."""
    if value == variable.least:
        return "least"
    return "greatest" if value == variable.greatest else ""


def _number_to_data(name: str, title: str, value: int, bound: str) -> Data:
    """Return a number that never changed as data; `bound` is `least` or `greatest` if it equals that, else empty."""
    return {"name": name, "title": split_title(title or name)[0], "value": value, "bound": bound}


def is_empty(found: Data) -> bool:
    """Return True if there are no findings."""
    parts: Iterable[str] = ("lines", "things", "options", "numbers", "flags", "unused", "unpaid", "gaps", "idle")
    return not any(found[part] for part in parts)


# --- why code never ran: the nearest place that ran and led elsewhere each time -------------------------


@dataclass(frozen=True, slots=True)
class BranchCounts:
    """A place where games turned away from code that never ran."""

    cause: Cause  # place in the rules
    holds: bool | None  # how the condition came out each time; None if it is no condition
    times: int


class ControlFlow:
    """The control flow of a program, with counts of what ran."""

    def __init__(self, program: Program, ran: Sequence[int]) -> None:
        self.program, self.ran = program, ran
        self.reached = reachable_addresses(program, ran)
        self._forks = {fork.at: fork for fork in program.forks}
        self._before: dict[int, list[int]] = {}
        for pc in self.reached:
            for following in iter_successors(program.code, pc):
                self._before.setdefault(following, []).append(pc)

    @property
    def unreached_lines(self) -> Mapping[tuple[str, int], list[int]]:
        """The steps of each line of which none ran, by file and line."""
        steps: dict[tuple[str, int], list[int]] = {}
        for pc in sorted(self.reached):
            cause = self.program.cause_at(pc)
            if not cause.asks and self.program.code[pc] not in (o.JMP, o.RET):
                steps.setdefault((cause.file, cause.line), []).append(pc)
        return {line: pcs for line, pcs in steps.items() if not any(self.ran[pc] for pc in pcs)}

    def find_block(self, places: Iterable[int]) -> BranchCounts | None:
        """Return the fork (else the step) that ran most and never led on to these steps; None if none ran."""
        queue, known = deque(places), set(places)
        blocks: list[BranchCounts] = []
        while queue:
            pc = queue.popleft()
            for before in self._before.get(pc, ()):
                if self.ran[before]:
                    blocks.append(self._describe_branch(before))
                elif before not in known:
                    known.add(before)
                    queue.append(before)
        return max(blocks, key=lambda one: (one.holds is not None, one.times), default=None)

    def _describe_branch(self, pc: int) -> BranchCounts:
        """Return the condition at `pc`, the truth it always had, and how often it ran."""
        fork, times = self._forks.get(pc), self.ran[pc]
        if fork is None:
            return BranchCounts(self.program.cause_at(pc), None, times)
        jumped = count_jumps(self.program.code, self.ran, pc)
        outcome = fork.on if jumped == times else fork.there
        holds = {YES: False, NO: True}.get(outcome)
        return BranchCounts(self.program.causes[fork.cause], holds, times)
