"""Bots by what is written for them: a kind, and perhaps an option behind `@`.

random            any option
judge             what looks best by the rules' own judgement: at once, or after a few random answers
greedy            what looks best at once, by learned weights where the rules have some
greedy@FILE       the same by weights of your own (`kingsburg train`)
learned           what looks best at once to a network that learned by self-play; `greedy` where the rules have none
learned@FILE      the same by a network of your own
flat, flat@200    every option tried in many games; a second for an answer, or so many tries, or seconds (`0.5s`)
search, search@…  the same, and its own later answers planned too
module:Class      a bot of your own, see `agents`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from edict.agents.bots.agents import NAMING, Spec, Unfit
from edict.agents.bots.apart import try_apart
from edict.agents.bots.bot_protocol import Bot, Maker
from edict.agents.bots.guest import GuestBot
from edict.agents.bots.nets import learned, learned_policy, remark
from edict.agents.bots.policy import GuessingBot, PolicyBot, RandomBot
from edict.agents.bots.search import FLAT, SECOND, Budget, SearchBot, SearchSettings
from edict.agents.bots.weights import Weights, read_weights, shipped_weights
from edict.game.table.knowledge import has_secrets
from edict.runtime.program import Program
from edict.runtime.simulation.plans import GREEDY, PLAYOUTS, RANDOM, Policy
from edict.support.paths import parse_path, require_regular
from edict.support.report import find_nearest, suggest_word

Made = Callable[[str], Maker]


class Kinds(Mapping[str, Maker]):
    """`BOTS["search@0.5s"](program, seed)` makes a bot; iterating gives the kinds without options."""

    def __init__(self, kinds: Mapping[str, Made]) -> None:
        self._kinds = kinds

    def __getitem__(self, spec: str) -> Maker:
        if self.is_code(spec):
            return _guest(spec)
        kind, _, option = spec.partition("@")
        if kind not in self._kinds or self.problem(spec):
            raise KeyError(spec)
        return self._kinds[kind](option)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def is_code(self, spec: str) -> bool:
        """Whether a bot is named by a class of somebody's own, so that making it runs their code."""
        return ":" in spec and spec.partition("@")[0] not in self._kinds

    def title(self, spec: str) -> str:
        """What somebody may call themselves who plays like this."""
        return Spec.read(spec).name if self.is_code(spec) else spec.partition("@")[0].capitalize()

    def remark(self, spec: str, program: Program) -> str:
        """What whoever seats this bot in a game by these rules should know; nothing, as a rule."""
        kind, _, option = spec.partition("@")
        return remark(program, option) if kind == "learned" else ""

    def _problem_of_code(self, spec: str) -> tuple[str, str] | None:
        try:
            read = Spec.read(spec)
            if read.apart:  # what shall run in a separate process is not even loaded here
                try_apart(read)
            else:
                read.load()
        except ValueError as wrong:
            module, _, name = spec.partition(":")
            meant = find_nearest(module, self._kinds)
            remedy = wrong.remedy if isinstance(wrong, Unfit) else NAMING
            return f"the bot `{spec}`: {wrong}", f"did you mean `{meant}:{name}`?" if meant else remedy
        return None

    def problem(self, spec: str) -> tuple[str, str] | None:
        """What is wrong with a bot as written, and what would do; None if nothing is."""
        if self.is_code(spec):
            return self._problem_of_code(spec)
        kind, at, option = spec.partition("@")
        if "," in spec and all(not self.problem(one) for one in spec.split(",")):
            each = " ".join(f"--bot {one}" for one in spec.split(","))
            return f"there is no bot `{spec}`", f"name each on its own: {each}"
        if kind not in self._kinds:
            if kind.endswith(".py"):
                return f"there is no bot `{kind}`", f"write {kind}:Class, {kind}:Class@2s or {kind}:Class+process"
            remedy = suggest_word(kind, self._kinds) or f"the kinds are: {', '.join(sorted(self._kinds))}"
            return f"there is no bot `{kind}`", remedy
        if at and not option:
            return f"there is nothing after the @ in `{spec}`", f"write {kind}@OPTION, or only {kind}"
        try:
            self._kinds[kind](option)
        except ValueError as wrong:
            return f"`{spec}`: {wrong}", f"{kind} alone will do too"
        return None


def _guest(spec: str) -> Maker:
    """Return what makes a bot of somebody's own. Raises `KeyError`, as any mapping, for a text that names none."""
    try:
        read = Spec.read(spec)
    except ValueError:
        raise KeyError(spec) from None

    def maker(program: Program, seed: int) -> Bot:
        return GuestBot(program, seed, read)

    return maker


def _plain(maker: Maker) -> Made:
    def made(option: str) -> Maker:
        if option:
            raise ValueError("this kind of bot takes no option")
        return maker

    return made


def _judge(program: Program, seed: int) -> Bot:
    made = GuessingBot if _has_to_guess(program) else PolicyBot
    return made(program, seed, lambda players: _judging(program))


def _judging(program: Program) -> Policy:
    """Return the policy that goes by the rules' own judgement.

    Where weights ship, the judgement is known to be good one answer ahead. Elsewhere nobody has measured it: it may say
    no more than the score, which a turn of several answers or a roll of dice changes later. So the bot plays on from
    each option at random, which shows what comes of it.
    """
    return GREEDY if shipped_weights(program) else PLAYOUTS


def _has_to_guess(program: Program) -> bool:
    """Whether the rules' own judgement is asked about states that may be the case.

    Where weights ship, it was measured beside them on states in which hidden things read as nothing, and so it is used.
    """
    return has_secrets(program) and shipped_weights(program) is None


def _weights(program: Program, option: str) -> Weights | None:
    """Those of the file named, or else those that ship with the rules."""
    return read_weights(parse_path(option), program) if option else shipped_weights(program)


def _greedy(option: str) -> Maker:
    if option:
        require_regular(parse_path(option))

    def maker(program: Program, seed: int) -> Bot:
        weights = _weights(program, option)
        if weights is None:
            return _judge(program, seed)
        return PolicyBot(program, seed, lambda players: weights.judging(program, players))

    return maker


def _thinking(manner: SearchSettings) -> Made:
    def made(option: str) -> Maker:
        budget = Budget.read(option) if option else SECOND

        def maker(program: Program, seed: int) -> Bot:
            return SearchBot(program, seed, budget, manner)

        return maker

    return made


BOTS = Kinds(
    {
        "random": _plain(RandomBot),
        "judge": _plain(_judge),
        "greedy": _greedy,
        "learned": lambda option: learned(option, _greedy("")),
        "flat": _thinking(FLAT),
        "search": _thinking(SearchSettings()),
    }
)


def thinks(spec: str) -> bool:
    """Whether a bot plays games on in its head, for which native code is wanted."""
    return spec.partition("@")[0] in ("flat", "search")


def native_policy(program: Program, spec: str, players: int) -> Policy | None:
    """The same bot as a policy of the machine, which gives the same answers in the native loop; None if there is none:
    it has to think in Python."""
    found = policy_of(program, spec, players)
    return None if found == PLAYOUTS and _has_to_guess(program) else found


def policy_of(program: Program, spec: str, players: int) -> Policy | None:
    """What a bot goes by as a policy of the machine, which reads hidden things as nothing; None if it searches."""
    kind, _, option = spec.partition("@")
    if kind == "random":
        return RANDOM
    if kind == "learned":
        return learned_policy(program, option, players) or policy_of(program, "greedy", players)
    weights = None
    if kind == "greedy":
        weights = _weights(program, option)
    if kind in ("judge", "greedy"):
        return weights.judging(program, players) if weights else _judging(program)
    return None
