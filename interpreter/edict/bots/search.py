"""Bots that think by simulation: every option in many games, over states that are possible for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from edict.bots.budget import Budget
from edict.bots.nets import shipped_network
from edict.bots.tree_search import Form, Search, Tried
from edict.bots.weights import Weights, shipped_weights
from edict.program import Program
from edict.program.opcodes import PLAYERS, SEAT
from edict.simulation.plans import RANDOM, Policy
from edict.table.belief import History
from edict.table.knowledge import Secrets
from edict.table.options import Ask
from edict.table.view import View

WORLDS = 16  # states that may be the case, thought about in turn
SECOND = Budget(seconds=1.0)
HORIZON = 10  # questions played on beyond the tree before a network says how the game ends
TRUST = 5.0  # tries that a network's own value of an answer counts for


@dataclass(frozen=True, slots=True)
class Manner:
    """How a kind of bot searches. `tree`: whether it also plans its later answers, or weighs the next one alone."""

    tree: bool = True
    form: Form = field(default_factory=Form)
    worlds: int = WORLDS


SEARCH = Manner()
FLAT = Manner(tree=False)


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
        manner: Manner = SEARCH,
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

    def advice(self, view: View) -> list[Tried]:
        """The outcome of every option of the question put to the view's seat, after all the available time."""
        return self._think(view.history, view.seat, whole=True)

    def pick(self, state: list[int]) -> int:
        if self._history is not None:
            return best(self._think(self._history, state[SEAT]))
        return best(self._searched([Secrets.of(self._program).masked(state, state[SEAT])]))

    def _think(self, history: History, seat: int, whole: bool = False) -> list[Tried]:
        return self._searched(history.possible(seat, self._manner.worlds, self._random), whole)

    def _searched(self, roots: Sequence[Sequence[int]], whole: bool = False) -> list[Tried]:
        policy = self._policy(roots[0][PLAYERS])
        form = self._manner.form if self._manner.tree else replace(self._manner.form, depth=1)
        horizon = HORIZON if self._network and not whole else 0  # advice is about whole games
        trust = TRUST if self._network else 0.0
        form = replace(form, others=policy == RANDOM, horizon=form.horizon or horizon, trust=form.trust or trust)
        search = Search(self._program, roots, [policy] * roots[0][PLAYERS], form, self._random.getrandbits(60))
        self._budget.spend(search, whole)
        found = search.found()
        self.values = [tried.share for tried in sorted(found, key=lambda tried: tried.index)]
        return found

    def _policy(self, players: int) -> Policy:
        if self._network:
            return self._network.policy(self._program, players)
        return self._weights.playing(self._program, players) if self._weights else RANDOM


def best(found: Sequence[Tried]) -> int:
    """The option tried most often, as the better an option looks the more it is tried."""
    return max(found, key=lambda tried: (tried.tries, tried.share, tried.lead)).index
