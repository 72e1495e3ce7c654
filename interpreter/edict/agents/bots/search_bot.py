"""Bots that search: they try each option in many games from possible states, with or without a tree.

The thinking time for an answer is an option of the name: `search@0.5s`, `search@200`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field, replace
from random import Random

from edict.agents.bots.networks import find_shipped_network
from edict.agents.bots.weights import SCALE, Weights, find_shipped_weights
from edict.game.table.belief import History
from edict.game.table.knowledge import Secrets
from edict.game.table.options import Ask
from edict.game.table.view import View
from edict.runtime.machine.mixing import MASK
from edict.runtime.program import Program
from edict.runtime.program.opcodes import OPTIONS, PLAYERS, SEAT
from edict.runtime.simulation import execution_backend, ismcts
from edict.runtime.simulation.plans import POINT, RANDOM, SCRATCH_ROWS, Policy, build_plan
from edict.support.records import dataclass

# --- a search, in native code if available, otherwise by the same functions in Python

TABLE_SIZE = 1 << 15
MAX_DEPTH = 64
PATH_SIZE = 2 * MAX_DEPTH + 2
CHUNK = 4
GLANCE, MOST_AT_ONCE = 0.005, 64  # seconds, and tries


@dataclass(frozen=True, slots=True)
class SearchParameters:
    """The parameters of a tree search."""

    depth: int = MAX_DEPTH  # choices that the tree reaches
    others: bool = False  # the tree includes choices of other seats
    explore: float = 2.5  # exploration constant, the readiness to try options that look worse
    winning: float = 0.5  # weight of winning beside the lead in score, 0 to 1
    horizon: int = 0  # questions played beyond the tree before a network evaluates the state; 0 plays to the end
    trust: float = 1.0  # the policy's own value of an answer counts as so many tries
    point: int = 1  # the policy's value of a point of the lead
    quarter: int = 10  # points by which an answer must be worse than the best to get a quarter of its attention


@dataclass(frozen=True, slots=True)
class TriedOption:
    """The statistics of an option."""

    index: int
    tries: int
    share: float  # mean share of the victory
    lead: float  # mean lead in score


@dataclass(frozen=True, slots=True)
class SearchProblem:
    """The input of a search as integers."""

    roots: Sequence[Sequence[int]]  # possible states
    plan: Sequence[int]  # the policies of the seats
    form: Sequence[int]
    seed: int
    options: int  # most of any question of the program

    @staticmethod
    def from_policies(
        program: Program, roots: Sequence[Sequence[int]], policies: Sequence[Policy], form: SearchParameters, seed: int
    ) -> SearchProblem:
        """Build the problem of searching from the states `roots`, with the policy of each seat for playouts."""
        return SearchProblem(
            roots, build_plan(program, policies), _encode_parameters(form), seed & (MASK >> 1), program.max_options
        )

    def to_row(self) -> list[int]:
        """Return header, root states, plan and parameters as one row of integers, for `Search` in `machine.js`."""
        width = len(self.roots[0])
        header = [
            self.seed,
            len(self.roots),
            width,
            len(self.plan),
            len(self.form),
            TABLE_SIZE,
            PATH_SIZE,
            self.options,
        ]
        return [*header, *(cell for root in self.roots for cell in root), *self.plan, *self.form]


class Search:
    """A search in progress; `think` may be called repeatedly."""

    def __init__(self, program: Program, problem: SearchProblem) -> None:
        first_root = problem.roots[0]
        integers, floats = execution_backend.make_integers, execution_backend.make_floats
        self._program = program
        self._roots = integers([list(root) for root in problem.roots])
        self._plan = integers(problem.plan)
        self._scratch = execution_backend.make_rows(SCRATCH_ROWS, len(first_root))
        self._form = integers(problem.form)
        self._keys, self._counts = integers([0] * TABLE_SIZE), integers([0] * TABLE_SIZE)
        self._sums = floats([0.0] * TABLE_SIZE)
        self._policy_values = integers([0] * TABLE_SIZE)
        self._path = integers([0] * PATH_SIZE)
        self._shares, self._leads = floats([0.0] * problem.options), floats([0.0] * problem.options)
        self._tried = integers([0] * first_root[OPTIONS])
        self._seed = problem.seed
        self._done = 0

    def think(self, tries: int) -> None:
        """Grow the search tree by this many more tries, each a playout that adds to the options' statistics."""
        with execution_backend.use_program(self._program) as code:
            execution_backend.accelerate(ismcts.grow)(
                code,
                self._roots,
                self._plan,
                self._scratch,
                self._seed,
                self._done,
                tries,
                self._form,
                self._keys,
                self._counts,
                self._sums,
                self._policy_values,
                self._path,
                self._shares,
                self._leads,
            )
        self._done += tries

    def think_until(self, tries: int) -> None:
        """Run up to so many tries in all, fewer if the choice is settled."""
        while self._done < tries and not self.is_settled(tries - self._done):
            self.think(min(CHUNK, tries - self._done))

    def think_for(self, seconds: float, use_all_time: bool = False) -> None:
        """Run tries for so many seconds, or less if the choice is settled, unless `use_all_time` is true.

        The first tries, for which native code must be loaded, are not counted.
        """
        chunk = CHUNK if execution_backend.is_accelerated() else 1
        self.think(chunk)
        start, done = time.perf_counter(), self._done
        elapsed = 0.0
        while elapsed < seconds:
            self.think(chunk)
            previous, elapsed = elapsed, time.perf_counter() - start
            chunk += chunk if elapsed - previous < GLANCE and chunk < MOST_AT_ONCE else 0
            remaining_tries = (seconds - elapsed) * (self._done - done) / elapsed
            if not use_all_time and self.is_settled(remaining_tries):
                return

    def is_settled(self, remaining_tries: float) -> bool:
        """Return True if so many more tries cannot change which option is tried most."""
        if remaining_tries >= self._done:
            return False
        first, second = sorted((tried.tries for tried in self.list_results()), reverse=True)[:2]
        return first - second > remaining_tries

    def list_results(self) -> list[TriedOption]:
        """Return a `TriedOption` (tries and mean results) for each option, in the order of the question."""
        execution_backend.accelerate(ismcts.write_visits)(self._roots[0], self._keys, self._counts, self._tried)
        return [self._average(index, int(tries)) for index, tries in enumerate(self._tried)]

    def _average(self, index: int, tries: int) -> TriedOption:
        """Return the mean share of the victory and mean lead of an option over its tries; 0 without tries."""
        divisor = max(1, tries)
        return TriedOption(index, tries, float(self._shares[index]) / divisor, float(self._leads[index]) / divisor)


def _encode_parameters(parameters: SearchParameters) -> list[int]:
    """Return the search parameters as the integers of the machine's `ismcts` config; fractions in thousandths."""
    row = [0] * ismcts.CONFIG_SIZE
    row[ismcts.DEPTH], row[ismcts.OTHERS] = min(parameters.depth, MAX_DEPTH), int(parameters.others)
    row[ismcts.EXPLORE], row[ismcts.WINNING] = round(parameters.explore * 1000), round(parameters.winning * 1000)
    row[ismcts.HORIZON], row[ismcts.TRUST] = parameters.horizon, max(1, round(parameters.trust * 1000))
    row[ismcts.POINT], row[ismcts.QUARTER] = parameters.point, parameters.quarter
    return row


# --- thinking time

MAX_SECONDS = 600.0
MAX_TRIES = 10_000_000


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """Seconds or tries for an answer; tries give the same answer each time."""

    seconds: float = 0.0
    tries: int = 0

    @staticmethod
    def parse(text: str) -> SearchBudget:
        """Parse a budget. Raises `ValueError` with the reason."""
        if text.isdecimal() and 0 < int(text) <= MAX_TRIES:
            return SearchBudget(tries=int(text))
        number = text.removesuffix("s")
        try:
            seconds = float(number) if number != text else -1.0
        except ValueError:
            seconds = -1.0
        if not 0 < seconds <= MAX_SECONDS:
            raise ValueError(
                f"`{text}` is not a thinking time: write seconds, like 0.5s (at most {MAX_SECONDS:.0f}s), "
                "or tries, as 200"
            )
        return SearchBudget(seconds=seconds)

    def spend(self, search: Search, use_all: bool = False) -> None:
        """Run a search within the budget; unless `use_all` is true, stop when its choice is settled."""
        if not self.tries:
            search.think_for(self.seconds, use_all)
        elif use_all:
            search.think(self.tries)
        else:
            search.think_until(self.tries)

    def __str__(self) -> str:
        return str(self.tries) if self.tries else f"{self.seconds:g}s"


# --- the bots

MAX_WORLDS = 16
DEFAULT_BUDGET = SearchBudget(seconds=1.0)
HORIZON = 10
TRUST = 5.0
NETWORK_EXPLORE = 0.3


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The settings of a kind of search bot."""

    tree: bool = True  # also search the bot's later answers, not only the next one
    form: SearchParameters = field(default_factory=SearchParameters)
    worlds: int = MAX_WORLDS


SEARCH = SearchSettings()
FLAT = SearchSettings(tree=False)


class SearchBot:
    """A bot that tries the options of a question in simulated games, and takes the one tried most often.

    All later answers in these games are given by a learned network, where the rules have one, which also evaluates
    the state after a few questions. Otherwise they are given by learned weights; without those they are random, and
    the tree includes the choices of others. Hidden information is redrawn in any way that agrees with what the seat
    has seen.
    """

    def __init__(
        self,
        program: Program,
        seed: int,
        budget: SearchBudget = DEFAULT_BUDGET,
        search_settings: SearchSettings = SEARCH,
        weights: Weights | None = None,
    ) -> None:
        """Create a bot.

        Args:
            program: The program.
            seed: The seed of its random numbers.
            budget: The thinking time.
            search_settings: The settings of the search.
            weights: Play by these weights, and by no network.
        """
        self._program = program
        self._random = Random(seed)
        self._budget = budget
        self._settings = search_settings
        self._weights = find_shipped_weights(program) if weights is None else weights
        self._network = find_shipped_network(program) if weights is None else None
        self._history: History | None = None
        self.values: Sequence[float] | None = None  # of the options of the last question: shares of the victory

    def follow(self, history: History) -> None:
        """Use the history of the game that `pick` will be asked about, while it is played."""
        self._history = history

    def choose(self, view: View, ask: Ask) -> int:
        """Return the index of the best option for the view's seat."""
        return select_best(self._think(view.history, view.seat))

    def analyze_options(self, view: View) -> list[TriedOption]:
        """Return the statistics of every option put to the view's seat, after all the available time."""
        return self._think(view.history, view.seat, full_games=True)

    def pick(self, state: list[int]) -> int:
        """Return the index of the best option in a state."""
        if self._history is not None:
            return select_best(self._think(self._history, state[SEAT]))
        return select_best(
            self._run_search(self._create_problem([Secrets.from_program(self._program).mask_state(state, state[SEAT])]))
        )

    def create_problem(self, history: History, seat: int, full_games: bool = False) -> SearchProblem:
        """Return the search problem when a seat is asked, to be searched elsewhere, see `SearchProblem.to_row`."""
        return self._create_problem(history.sample_states(seat, self._settings.worlds, self._random), full_games)

    def _think(self, history: History, seat: int, full_games: bool = False) -> list[TriedOption]:
        """Search from determinizations of a seat's information set; return the statistics of each option."""
        return self._run_search(self.create_problem(history, seat, full_games), full_games)

    def _create_problem(self, roots: Sequence[Sequence[int]], full_games: bool = False) -> SearchProblem:
        """Build the search problem from possible states, with the bot's policy in all seats and its parameters."""
        policy = self._select_policy(roots[0][PLAYERS])
        parameters = replace(self._settings.form, others=policy == RANDOM, point=self._point_value(policy))
        if not self._settings.tree:
            parameters = replace(parameters, depth=1)
        if self._network:
            parameters = replace(parameters, trust=TRUST)
            if not full_games:  # an analysis plays full games
                parameters = replace(parameters, horizon=HORIZON, explore=NETWORK_EXPLORE)
        return SearchProblem.from_policies(
            self._program, roots, [policy] * roots[0][PLAYERS], parameters, self._random.getrandbits(60)
        )

    def _run_search(self, problem: SearchProblem, use_all: bool = False) -> list[TriedOption]:
        """Spend the bot's budget on a problem; return each option's statistics and store the shares in `values`."""
        search = Search(self._program, problem)
        self._budget.spend(search, use_all)
        results = search.list_results()
        self.values = [tried.share for tried in results]
        return results

    def _point_value(self, policy: Policy) -> int:
        """Return the policy's value of a point of the lead."""
        if policy.net:
            return POINT
        if policy.linear:
            return SCALE * policy.linear.end
        return 1

    def _select_policy(self, players: int) -> Policy:
        """Return the policy of playouts: that of the network, else of the weights, else random."""
        if self._network:
            return self._network.to_policy(self._program, players)
        if self._weights:
            return self._weights.to_playout_policy(self._program, players)
        return RANDOM


def select_best(results: Sequence[TriedOption]) -> int:
    """Return the index of the option tried most often; the better an option looks the more it is tried."""
    return max(results, key=lambda tried: (tried.tries, tried.share, tried.lead)).index
