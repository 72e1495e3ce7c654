"""The registry of bots by name: a kind, and for some kinds an option after `@`.

random            a random option
judge             the option that looks best by the rules' own evaluation: at once, or after a few random answers
greedy            the option that looks best at once, by learned weights where the rules have some
greedy@FILE       the same by weights of your own (`kingsburg train`)
learned           the option that a network trained by self-play prefers; `greedy` where the rules have none
learned@FILE      the same by a network of your own
flat, flat@200    each option tried in many games; a second for an answer, or so many tries, or seconds (`0.5s`)
search, search@…  the same, with a tree of the bot's own later answers
module:Class      a bot of your own, see `user_bots`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from edict.agents.bots.guest_bot import GuestBot
from edict.agents.bots.match import Bot, BotFactory
from edict.agents.bots.networks import create_network_bot_factory, describe_network_limits, find_network_policy
from edict.agents.bots.policy_bots import DeterminizingBot, PolicyBot, RandomBot
from edict.agents.bots.process_bot_runner import check_in_process
from edict.agents.bots.search_bot import DEFAULT_BUDGET, FLAT, SearchBot, SearchBudget, SearchSettings
from edict.agents.bots.user_bots import NAMING_HINT, BotSpec, InvalidBot
from edict.agents.bots.weights import Weights, find_shipped_weights, read_weights
from edict.game.table.game_errors import GameError
from edict.game.table.knowledge import has_secrets
from edict.runtime.program import Program
from edict.runtime.simulation.plans import GREEDY, PLAYOUTS, RANDOM, Policy
from edict.support.files import parse_path, require_regular
from edict.support.report import find_nearest, suggest_word

OptionParser = Callable[[str], BotFactory]
LEARNED = "learned"  # the kind of bot that plays by a network


class BotRegistry(Mapping[str, BotFactory]):
    """Bot factories by name: `BOTS["search@0.5s"](program, seed)` creates a bot.

    Iterating gives the kinds without options.
    """

    def __init__(self, kinds: Mapping[str, OptionParser]) -> None:
        self._kinds = kinds

    def __getitem__(self, spec: str) -> BotFactory:
        if self.is_user_code(spec):
            return _guest_factory(spec)
        kind, _, option = spec.partition("@")
        if kind not in self._kinds or self.find_problem(spec):
            raise KeyError(spec)
        return self._kinds[kind](option)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def is_user_code(self, spec: str) -> bool:
        """Return True if the name is of a user's class, so that creating the bot runs their code."""
        return ":" in spec and spec.partition("@")[0] not in self._kinds

    def title(self, spec: str) -> str:
        """Return the default name of a bot at the table: `Greedy` for `greedy@FILE`, the class of a user's bot."""
        if self.is_user_code(spec):
            return BotSpec.parse(spec).name
        return spec.partition("@")[0].capitalize()

    def describe_limits(self, spec: str, program: Program) -> str:
        """Return a remark if the network of `learned` is missing or lacks modules; otherwise an empty text."""
        kind, _, option = spec.partition("@")
        return describe_network_limits(program, option) if kind == LEARNED else ""

    def _find_code_problem(self, spec: str) -> tuple[str, str] | None:
        """Return the problem with a user's bot such as `file.py:Class`, and its remedy; None if its class loads."""
        try:
            parsed = BotSpec.parse(spec)
            if parsed.separate_process:  # its code must not be run in this process
                check_in_process(parsed)
            else:
                parsed.load()
        except ValueError as error:
            module, _, name = spec.partition(":")
            suggestion = find_nearest(module, self._kinds)
            remedy = error.remedy if isinstance(error, InvalidBot) else NAMING_HINT
            return f"the bot `{spec}`: {error}", f"did you mean `{suggestion}:{name}`?" if suggestion else remedy
        return None

    def validate(self, spec: str) -> str:
        """Return the name of a bot; raise `GameError` if there is no such bot."""
        if problem := self.find_problem(spec):
            raise GameError(*problem)
        return spec

    def find_problem(self, spec: str) -> tuple[str, str] | None:
        """Return the problem with the name of a bot and its remedy; None if it is valid."""
        if self.is_user_code(spec):
            return self._find_code_problem(spec)
        kind, at, option = spec.partition("@")
        if "," in spec and all(not self.find_problem(part) for part in spec.split(",")):
            flags = " ".join(f"--bot {part}" for part in spec.split(","))
            return f"there is no bot `{spec}`", f"name each on its own: {flags}"
        if kind not in self._kinds:
            if kind.endswith(".py"):
                return f"there is no bot `{kind}`", f"write {kind}:Class, {kind}:Class@2s or {kind}:Class+process"
            remedy = suggest_word(kind, self._kinds) or f"the kinds are: {', '.join(sorted(self._kinds))}"
            return f"there is no bot `{kind}`", remedy
        if at and not option:
            return f"there is nothing after the @ in `{spec}`", f"write {kind}@OPTION, or only {kind}"
        try:
            self._kinds[kind](option)
        except ValueError as error:
            return f"`{spec}`: {error}", f"{kind} alone will do too"
        return None


def _guest_factory(spec: str) -> BotFactory:
    """Return the factory of a user's bot; raise `KeyError` if the name is invalid."""
    try:
        parsed = BotSpec.parse(spec)
    except ValueError:
        raise KeyError(spec) from None

    def maker(program: Program, seed: int) -> Bot:
        return GuestBot(program, seed, parsed)

    return maker


def _plain_factory(maker: BotFactory) -> OptionParser:
    """Return a parser that refuses any text after the bot's kind (`random:x`), and otherwise returns `maker`."""

    def parse_option(option: str) -> BotFactory:
        if option:
            raise ValueError("this kind of bot takes no option")
        return maker

    return parse_option


def _create_judge(program: Program, seed: int) -> Bot:
    """Create a bot that plays the rules' own evaluation, averaged over determinizations if the rules need it."""
    bot_class = DeterminizingBot if _needs_determinization(program) else PolicyBot
    return bot_class(program, seed, lambda players: _select_judge_policy(program))


def _select_judge_policy(program: Program) -> Policy:
    """Return the policy of the rules' own evaluation.

    Where weights ship, the evaluation is known to be good one answer ahead. Elsewhere it has not been measured, and
    may be no more than the score, which a turn of several answers or a roll of dice changes later. So the bot plays
    random games from each option.
    """
    return GREEDY if find_shipped_weights(program) else PLAYOUTS


def _needs_determinization(program: Program) -> bool:
    """Return True if the rules' own evaluation must be averaged over possible states.

    Where weights ship, it was measured beside them on states with hidden cells read as 0, and is used like that.
    """
    return has_secrets(program) and find_shipped_weights(program) is None


def _load_weights(program: Program, option: str) -> Weights | None:
    """Return the weights in the file of an option, or those that ship with the rules."""
    if option:
        return read_weights(parse_path(option), program)
    return find_shipped_weights(program)


def _greedy_factory(option: str) -> BotFactory:
    """Return the factory of `greedy`: weights from the file `option`, or shipped ones; without any, `judge`."""
    if option:
        require_regular(parse_path(option))

    def maker(program: Program, seed: int) -> Bot:
        """Create a bot that maximizes the trained weights of the program, or `judge` if it has none."""
        weights = _load_weights(program, option)
        if weights is None:
            return _create_judge(program, seed)
        return PolicyBot(program, seed, lambda players: weights.to_greedy_policy(program, players))

    return maker


def _search_factory(search_settings: SearchSettings) -> OptionParser:
    """Return a parser that reads the text after the bot's kind as its search budget, empty for the default."""

    def parse_option(option: str) -> BotFactory:
        """Return a factory of search bots with the budget in `option`, or the default budget if it is empty."""
        budget = SearchBudget.parse(option) if option else DEFAULT_BUDGET

        def maker(program: Program, seed: int) -> Bot:
            return SearchBot(program, seed, budget, search_settings)

        return maker

    return parse_option


BOTS = BotRegistry(
    {
        "random": _plain_factory(RandomBot),
        "judge": _plain_factory(_create_judge),
        "greedy": _greedy_factory,
        LEARNED: lambda option: create_network_bot_factory(option, _greedy_factory("")),
        "flat": _search_factory(FLAT),
        "search": _search_factory(SearchSettings()),
    }
)


def is_search(spec: str) -> bool:
    """Return True if a bot plays simulations to search, for which native code is wanted."""
    return spec.partition("@")[0] in ("flat", "search")


def native_policy(program: Program, spec: str, players: int) -> Policy | None:
    """Return the policy of the native loop that gives the same answers as a bot; None if it has to run in Python."""
    policy = find_policy(program, spec, players)
    return None if policy == PLAYOUTS and _needs_determinization(program) else policy


def find_policy(program: Program, spec: str, players: int) -> Policy | None:
    """Return the machine's policy of a bot, which reads hidden cells as 0; None for search bots."""
    kind, _, option = spec.partition("@")
    if kind == "random":
        return RANDOM
    if kind == LEARNED:
        return find_network_policy(program, option, players) or find_policy(program, "greedy", players)
    weights = None
    if kind == "greedy":
        weights = _load_weights(program, option)
    if kind in ("judge", "greedy"):
        if weights:
            return weights.to_greedy_policy(program, players)
        return _select_judge_policy(program)
    return None
