"""Bots that search: every option tried in many games, over states that are possible for them, along a tree or not.

How long they may think about an answer is written behind the name: `search@0.5s`, `search@200`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from edict.agents.bots.nets import shipped_network
from edict.agents.bots.weights import SCALE, Weights, shipped_weights
from edict.game.table.belief import History
from edict.game.table.knowledge import Secrets
from edict.game.table.options import Ask
from edict.game.table.view import View
from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Program
from edict.runtime.program.opcodes import OPTIONS, PLAYERS, SEAT
from edict.runtime.simulation import execution_backend, ismcts
from edict.runtime.simulation.plans import POINT, RANDOM, SCRATCH_ROWS, Policy, build_plan

# --- one search, in native code where that can be had, else by the same functions in plain Python

TABLE = 1 << 15  # answers a search remembers
DEEPEST = 64
PATH = 2 * DEEPEST + 2
CHUNK = 4  # tries between two looks at the clock, at first; more, where they take less than a glance
GLANCE, MOST_AT_ONCE = 0.005, 64  # seconds, and tries


@dataclass(frozen=True, slots=True)
class SearchDepth:
    """How to search. depth: choices the tree reaches; others: whether other seats' choices are in it too.

    explore: how readily what looks worse is tried; winning: how much winning counts beside the lead in score, 0 to 1.
    horizon: questions that are played on beyond the tree before a network guesses how it ends; 0 plays to the end of
    the game. trust: how many tries the policy's own value of an answer counts for; point: what it says for a point of
    the lead; quarter: the points an answer must seem worse than the best for a quarter of its attention.
    """

    depth: int = DEEPEST
    others: bool = False
    explore: float = 2.5
    winning: float = 0.5
    horizon: int = 0
    trust: float = 1.0
    point: int = 1
    quarter: int = 10


@dataclass(frozen=True, slots=True)
class TriedOption:
    """An option of a question: how often it was tried, and the means of the victory's share and of the lead."""

    index: int
    tries: int
    share: float
    lead: float


@dataclass(frozen=True, slots=True)
class Question:
    """What a search is about, as whole numbers: `roots` are states that may be the case, `plan` is who answers how."""

    roots: Sequence[Sequence[int]]
    plan: Sequence[int]
    form: Sequence[int]
    seed: int
    options: int  # at most, of any question of the program

    @staticmethod
    def of(
        program: Program, roots: Sequence[Sequence[int]], policies: Sequence[Policy], form: SearchDepth, seed: int
    ) -> Question:
        return Question(roots, build_plan(program, policies), _row(form), seed & (MASK >> 1), program.max_options)

    def packed(self) -> list[int]:
        """One row of all, for a page: `Search` in `simulation/machine.js` takes it as bytes (`in_page.packed`)."""
        width = len(self.roots[0])
        head = [self.seed, len(self.roots), width, len(self.plan), len(self.form), TABLE, PATH, self.options]
        return [*head, *(cell for root in self.roots for cell in root), *self.plan, *self.form]


class Search:
    """One question being thought about; `think` may be called again."""

    def __init__(self, program: Program, question: Question) -> None:
        first = question.roots[0]
        numbers, floats = execution_backend.make_integers, execution_backend.make_floats
        self._program = program
        self._roots = numbers([list(root) for root in question.roots])
        self._plan = numbers(question.plan)
        self._room = execution_backend.make_rows(SCRATCH_ROWS, len(first))
        self._form = numbers(question.form)
        self._keys, self._counts = numbers([0] * TABLE), numbers([0] * TABLE)
        self._sums = floats([0.0] * TABLE)
        self._worths = numbers([0] * TABLE)
        self._path = numbers([0] * PATH)
        self._shares, self._leads = floats([0.0] * question.options), floats([0.0] * question.options)
        self._tried = numbers([0] * first[OPTIONS])
        self._seed = question.seed
        self._done = 0

    def think(self, tries: int) -> None:
        """Try so often, after what has been tried already."""
        with execution_backend.use_program(self._program) as code:
            execution_backend.accelerate(ismcts.grow)(
                code,
                self._roots,
                self._plan,
                self._room,
                self._seed,
                self._done,
                tries,
                self._form,
                self._keys,
                self._counts,
                self._sums,
                self._worths,
                self._path,
                self._shares,
                self._leads,
            )
        self._done += tries

    def think_until(self, tries: int) -> None:
        """Try so often, or less, once the choice is settled: the option tried most is the same."""
        while self._done < tries and not self.settled(tries - self._done):
            self.think(min(CHUNK, tries - self._done))

    def think_for(self, seconds: float, whole: bool = False) -> None:
        """Try until so many seconds are over, or, unless the `whole` time is wanted, the choice is settled.

        The first tries, for which native code must be fetched, are free.
        """
        chunk = CHUNK if execution_backend.is_accelerated() else 1
        self.think(chunk)
        start, done = time.perf_counter(), self._done
        taken = 0.0
        while taken < seconds:
            self.think(chunk)
            before, taken = taken, time.perf_counter() - start
            chunk += chunk if taken - before < GLANCE and chunk < MOST_AT_ONCE else 0
            left = (seconds - taken) * (self._done - done) / taken
            if not whole and self.settled(left):
                return

    def settled(self, left: float) -> bool:
        """Whether so many more tries could not change which option is tried most."""
        if left >= self._done:
            return False
        first, second = sorted((tried.tries for tried in self.found()), reverse=True)[:2]
        return first - second > left

    def found(self) -> list[TriedOption]:
        """Every option of the question, in its order."""
        execution_backend.accelerate(ismcts.write_visits)(self._roots[0], self._keys, self._counts, self._tried)
        return [self._mean(index, int(tries)) for index, tries in enumerate(self._tried)]

    def _mean(self, index: int, tries: int) -> TriedOption:
        often = max(1, tries)
        return TriedOption(index, tries, float(self._shares[index]) / often, float(self._leads[index]) / often)


def _row(form: SearchDepth) -> list[int]:
    row = [0] * ismcts.CONFIG_SIZE
    row[ismcts.DEPTH], row[ismcts.OTHERS] = min(form.depth, DEEPEST), int(form.others)
    row[ismcts.EXPLORE], row[ismcts.WINNING] = round(form.explore * 1000), round(form.winning * 1000)
    row[ismcts.HORIZON], row[ismcts.TRUST] = form.horizon, max(1, round(form.trust * 1000))
    row[ismcts.POINT], row[ismcts.QUARTER] = form.point, form.quarter
    return row


# --- how long

LONGEST = 600.0
MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds, or tries; the latter give the same answer each time."""

    seconds: float = 0.0
    tries: int = 0

    @staticmethod
    def read(text: str) -> Budget:
        """What was written; raises `ValueError` with the reason."""
        if text.isdecimal() and 0 < int(text) <= MOST:
            return Budget(tries=int(text))
        number = text.removesuffix("s")
        try:
            seconds = float(number) if number != text else -1.0
        except ValueError:
            seconds = -1.0
        if not 0 < seconds <= LONGEST:
            raise ValueError(
                f"`{text}` is not a thinking time: write seconds, like 0.5s (at most {LONGEST:.0f}s), or tries, as 200"
            )
        return Budget(seconds=seconds)

    def spend(self, search: Search, whole: bool = False) -> None:
        """Let a search think as long as this says; less if its choice is settled, unless the `whole` is wanted."""
        if not self.tries:
            search.think_for(self.seconds, whole)
        elif whole:
            search.think(self.tries)
        else:
            search.think_until(self.tries)

    def __str__(self) -> str:
        return str(self.tries) if self.tries else f"{self.seconds:g}s"


# --- the bots

WORLDS = 16  # states that may be the case, thought about in turn
SECOND = Budget(seconds=1.0)
HORIZON = 10  # questions played on beyond the tree before a network says how the game ends
TRUST = 5.0  # tries that a network's own value of an answer counts for
CALM = 0.3  # how much to explore where a network guesses how games end, as that depends less on luck than their ends


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a kind of bot searches. `tree`: whether it also plans its later answers, or weighs the next one alone."""

    tree: bool = True
    form: SearchDepth = field(default_factory=SearchDepth)
    worlds: int = WORLDS


SEARCH = SearchSettings()
FLAT = SearchSettings(tree=False)


class SearchBot:
    """Tries the options of a question in games played on to their end, and takes the one tried most often.

    Both its own later answers in these games and everybody else's are given by a learned network, where the rules have
    one, and it says after a few questions how the game will end. Else they are given by learned weights; without those
    all is tried at random, and others' choices are searched too. What its seat may not know is redrawn, in any way that
    agrees with what it has seen. weights: play by these, and by no network.
    """

    def __init__(
        self,
        program: Program,
        seed: int,
        budget: Budget = SECOND,
        manner: SearchSettings = SEARCH,
        weights: Weights | None = None,
    ) -> None:
        self._program = program
        self._random = Random(seed)
        self._budget = budget
        self._manner = manner
        self._weights = shipped_weights(program) if weights is None else weights
        self._network = shipped_network(program) if weights is None else None
        self._history: History | None = None
        self.values: Sequence[float] | None = None  # of the options of the last question: shares of the victory

    def follow(self, history: History) -> None:
        """The game that `pick` will be asked about, as it is played."""
        self._history = history

    def choose(self, view: View, ask: Ask) -> int:
        return best(self._think(view.history, view.seat))

    def advice(self, view: View) -> list[TriedOption]:
        """The outcome of every option of the question put to the view's seat, after all the available time."""
        return self._think(view.history, view.seat, whole=True)

    def pick(self, state: list[int]) -> int:
        if self._history is not None:
            return best(self._think(self._history, state[SEAT]))
        return best(self._searched(self._about([Secrets.from_program(self._program).mask_state(state, state[SEAT])])))

    def question(self, history: History, seat: int, whole: bool = False) -> Question:
        """What it thinks about when a seat is asked, for whoever lets somebody else think: see `Question.packed`."""
        return self._about(history.sample_states(seat, self._manner.worlds, self._random), whole)

    def _think(self, history: History, seat: int, whole: bool = False) -> list[TriedOption]:
        return self._searched(self.question(history, seat, whole), whole)

    def _about(self, roots: Sequence[Sequence[int]], whole: bool = False) -> Question:
        policy = self._policy(roots[0][PLAYERS])
        form = replace(self._manner.form, others=policy == RANDOM, point=self._point(policy))
        if not self._manner.tree:
            form = replace(form, depth=1)
        if self._network:
            form = replace(form, trust=TRUST)
            if not whole:  # advice is about whole games
                form = replace(form, horizon=HORIZON, explore=CALM)
        return Question.of(self._program, roots, [policy] * roots[0][PLAYERS], form, self._random.getrandbits(60))

    def _searched(self, question: Question, whole: bool = False) -> list[TriedOption]:
        search = Search(self._program, question)
        self._budget.spend(search, whole)
        found = search.found()
        self.values = [tried.share for tried in found]
        return found

    def _point(self, policy: Policy) -> int:
        """What it says for a point of the lead."""
        return POINT if policy.net else SCALE * policy.linear.end if policy.linear else 1

    def _policy(self, players: int) -> Policy:
        if self._network:
            return self._network.policy(self._program, players)
        return self._weights.playing(self._program, players) if self._weights else RANDOM


def best(found: Sequence[TriedOption]) -> int:
    """The option tried most often, as the better an option looks the more it is tried."""
    return max(found, key=lambda tried: (tried.tries, tried.share, tried.lead)).index
