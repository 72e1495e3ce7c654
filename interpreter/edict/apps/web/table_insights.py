"""What somebody at a table asks to understand: why and why not, what led to a line, what was missed, how it was before.

Each function takes the view of a seat, None for those who see what everybody may, and returns data for pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from edict.compiler.sources.folders import Passage
from edict.compiler.sources.packing import unpack
from edict.compiler.sources.words_files import in_language
from edict.game.explanations import reasons_in_words
from edict.game.explanations.deciding_rules import explain_victory
from edict.game.explanations.log_explanations import LogExplainer
from edict.game.explanations.log_explanations import describe_line as line_accounted
from edict.game.explanations.option_reasons import OptionExplainer
from edict.game.explanations.reasons_in_words import ReasonLine
from edict.game.table.game import Game
from edict.game.table.game_steps import list_steps, rebuild_state
from edict.game.table.knowledge import has_secrets
from edict.game.table.log_entries import DisplayLine, Entry, build_lines
from edict.game.table.options import Option
from edict.game.table.rules import Rules
from edict.game.table.view import View
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.primer import Primer, build_primer
from edict.runtime.machine.mixing import MASK
from edict.runtime.program.opcodes import CHANCE, QUESTION
from edict.support.translations import current_language

NAMED = ("thing", "branch", "ability")  # domains whose possible answers can be listed
MOST_REFUSED = 60
MOST_TOLD = 40  # entries of the log that may be told in one line


@dataclass(frozen=True, slots=True)
class About:
    """Something and what is said about it: `lines` have words and a level.

    `exactly` holds the same for those who write rules: with conditions, and places in the rules.
    """

    text: str
    key: str
    lines: tuple[ReasonLine, ...]
    exactly: tuple[ReasonLine, ...]


def view_of(game: Game, seat: int | None) -> View:
    return View(game, len(game.players)) if seat is None else game.view(seat)


# --- why and why not ---------------------------------------------------------------------------------


def may_ask(game: Game, seat: int | None) -> bool:
    """Whether the seat may see the options of the question: what others are offered may give them away."""
    if game.over or game.seat < 0:
        return False
    return view_of(game, seat).ask is not None or not has_secrets(game.program)


def why(game: Game, seat: int | None, key: str) -> About | None:
    """Why an answer is offered, or is not; None for no answer of this question, or if that is the asker's secret."""
    if not may_ask(game, seat):
        return None
    asked = OptionExplainer(game, view_of(game, seat).seat)
    offered = game.ask.find(key)
    if offered is not None:
        return _about(offered, reasons_in_words.describe_offered(asked, offered))
    found = [one for one in _possible(game, asked) if one.key == key]
    return _about(found[0], reasons_in_words.describe_refused(asked, found[0])) if found else None


def refused(game: Game, seat: int | None) -> list[About]:
    """Everything that could ever be an answer to this question and is none now, with what stands in its way."""
    if not may_ask(game, seat):
        return []
    asked = OptionExplainer(game, view_of(game, seat).seat)
    offered = {option.key for option in game.ask.options}
    missing = [one for one in _possible(game, asked) if one.key not in offered and one.value >= 0]
    return [_about(one, reasons_in_words.describe_refused(asked, one)[1:]) for one in missing[:MOST_REFUSED]]


def _possible(game: Game, asked: OptionExplainer) -> tuple[Option, ...]:
    domain = game.program.questions[game.state[QUESTION]].domain
    return asked.candidates().options if domain in NAMED else ()


def _about(option: Option, said: list[ReasonLine]) -> About:
    return _explained(option.text, option.key, said)


def _explained(text: str, key: str, said: list[ReasonLine]) -> About:
    return About(text, key, *(tuple(reasons_in_words.select_voice(said, exactly)) for exactly in (False, True)))


# --- the log -----------------------------------------------------------------------------------------


def line(game: Game, seat: int | None, number: int) -> About | None:
    """What led to a line of the log as the seat reads it, by the number of the first entry that it tells."""
    view = view_of(game, seat)
    log = view.log
    if not 0 <= number < len(log):
        return None
    lines = build_lines(log[number : number + MOST_TOLD], game.players)
    told = next(
        (one for one in lines if log[number] in one.entries), DisplayLine(log[number].text, entries=(log[number],))
    )
    said = line_accounted(LogExplainer(game, view.seat), told)
    return _explained(told.text, str(number), said[1:])


def missed(game: Game, seat: int | None) -> list[DisplayLine]:
    """What happened since the seat's last move, others' moves since then included; all of it, if it made none."""
    since = _last_move(game, seat)
    entries = [entry for entry in view_of(game, seat).log if _step(entry) >= since]
    return build_lines(entries, game.players)


def _last_move(game: Game, seat: int | None) -> int:
    """The number of the last answer the seat gave before others did."""
    who = [step.seat for step in list_steps(game.last_step)]
    others = [number for number, one in enumerate(who) if one not in (seat, CHANCE)]
    mine = [number for number, one in enumerate(who) if one == seat and others and number < others[-1]]
    return mine[-1] if mine else 0


def _step(entry: Entry) -> int:
    return entry.at[0] if entry.at is not None else 0


# --- as it was ---------------------------------------------------------------------------------------


def answers(game: Game) -> int:
    """How many answers have been given."""
    return game.last_step.depth


def earlier(game: Game, number: int) -> Game | None:
    """The game as it was after this many answers."""
    steps = list_steps(game.last_step)
    if not 0 <= number < len(steps):
        return None
    return Game(game.table, rebuild_state(game.table, steps[number]).copy(), steps[number].draws, steps[number])


@dataclass(frozen=True, slots=True)
class TakenOption:
    """A question as it was asked, and the option that was taken; None if it has not been answered."""

    player: str
    prompt: str
    options: tuple[Option, ...]
    option: Option | None


def taken(game: Game, then: Game, seat: int | None) -> TakenOption | None:
    """What was asked in a game as it was then, and answered; None if that was nothing, or is not the seat's to know."""
    if not may_ask(then, seat):
        return None
    ask, after = then.ask, list_steps(game.last_step)[then.last_step.depth + 1 :]
    return TakenOption(ask.player, ask.prompt, ask.options, ask.options[after[0].index] if after else None)


def scores(game: Game, seat: int | None) -> dict[str, Any]:
    """Where everybody's score comes from, in the order in which it came: after which answer, how much, by what.

    Once the game is over also who won, and the rule that decided if the scores do not show it. Empty for scores that
    are not simply a resource, or that hang on something the seat may not know.
    """
    view = view_of(game, seat)
    explainer = LogExplainer(game, view.seat)
    players = [
        {
            "player": player,
            "score": view.compute(game.program.score, number),
            "sources": [
                {"after": after, "amount": term.amount, "label": term.label, "module": term.module}
                for after, term in explainer.score_history(number)
            ],
        }
        for number, player in enumerate(game.players)
    ]
    winners = game.result.winners if game.result is not None else ()
    return {
        "answers": answers(game),
        "players": players,
        "winners": list(winners),
        "decided": list(explain_victory(game)),
    }


@dataclass(frozen=True, slots=True)
class SealedLuck:
    """The seed of a game as its hash, the SHA-256 of its decimal digits, and itself once the game is over."""

    hash: str
    seed: int | None


def sealed_luck(game: Game) -> SealedLuck | None:
    """What proves that nobody has chosen the luck on the way; None for typed dice, and for a seed one might guess."""
    seed = game.table.seed
    if game.table.header.dice != "seeded" or seed <= MASK:
        return None
    return SealedLuck(sha256(str(seed).encode()).hexdigest(), seed if game.over else None)


# --- the rules ---------------------------------------------------------------------------------------


def primer_of(rules: Rules) -> Primer | None:
    """What one must know before the first move; None for rules whose texts are not at hand."""
    return _primer(rules.bundle, current_language()) if rules.bundle else None


def lessons(game: Game, book: Sequence[Passage]) -> list[Passage]:
    """What the book says of how the game goes, and of the phases that are being played, the innermost last."""
    names = {title: name for name, title in game.program.phases}
    places = ["primer", *(names[title] for title in game.phases if title in names)]
    return [passage for place in places for passage in book if passage.place == place]


@lru_cache(maxsize=64)
def _primer(bundle: str, language: str) -> Primer | None:
    known = unpack(bundle).and_then(lambda modules: annotate_rules(in_language(modules, language))).value
    return build_primer(known) if known is not None else None
