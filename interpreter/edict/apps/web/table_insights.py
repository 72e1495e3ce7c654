"""Explanations of a game at a table: reasons for options and log lines, missed moves, earlier positions, scores.

Each function takes the view of a seat (None: what everybody may see) and returns data for pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from edict.compiler.sources.folders import Passage
from edict.compiler.sources.packing import unpack_modules
from edict.compiler.sources.words_files import load_phrasebook
from edict.game.explanations import reasons_in_words
from edict.game.explanations.glossary import explain_victory
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
from edict.prose.rulebook.primer import Primer, build_primer, translate_primer
from edict.runtime.machine.mixing import MASK
from edict.runtime.program.opcodes import CHANCE, QUESTION
from edict.support.records import dataclass
from edict.support.translations import ENGLISH, current_language

LISTABLE_DOMAINS = ("thing", "branch", "ability")  # domains whose possible answers can be listed
MAX_UNAVAILABLE = 60
MAX_LINE_ENTRIES = 40  # log entries that one line may merge


@dataclass(frozen=True, slots=True)
class TableExplanation:
    """An option or a log line, with its explanation."""

    text: str
    key: str
    lines: tuple[ReasonLine, ...]  # for players; each with words and a level of indentation
    exactly: tuple[ReasonLine, ...]  # for authors of rules: the same with conditions and places in the rules


def get_view(game: Game, seat: int | None) -> View:
    """Return the view of a seat, or of an onlooker for None."""
    return View(game, len(game.players)) if seat is None else game.view(seat)


# --- why and why not ---------------------------------------------------------------------------------


def may_see_options(game: Game, seat: int | None) -> bool:
    """Return True if a seat may see the options of the current question.

    In a game with hidden information the options of others might give something away, so there only the player who
    is asked may see them.
    """
    if game.over or game.seat < 0:
        return False
    return get_view(game, seat).ask is not None or not has_secrets(game.program)


def explain_answer(game: Game, seat: int | None, key: str) -> TableExplanation | None:
    """Return the reasons why an answer to the current question is offered or is not.

    Args:
        game: The game.
        seat: The seat that wants to know; None for an onlooker.
        key: The key of the answer.

    Returns:
        None if no answer to this question has that key, or if the seat may not see the options.
    """
    if not may_see_options(game, seat):
        return None
    reasons = OptionExplainer(game, get_view(game, seat).seat)
    offered = game.ask.find(key)
    if offered is not None:
        return _explain_option(offered, reasons_in_words.describe_offered_option(reasons, offered))
    matches = [option for option in _list_possible_answers(game, reasons) if option.key == key]
    if matches:
        return _explain_option(matches[0], reasons_in_words.describe_refused_option(reasons, matches[0]))
    return None


def explain_unavailable_answers(game: Game, seat: int | None) -> list[TableExplanation]:
    """Return the possible answers to the current question that are not offered now, with the reasons.

    At most `MAX_UNAVAILABLE`; empty if the seat may not see the options.
    """
    if not may_see_options(game, seat):
        return []
    reasons = OptionExplainer(game, get_view(game, seat).seat)
    offered_keys = {option.key for option in game.ask.options}
    missing = [
        candidate
        for candidate in _list_possible_answers(game, reasons)
        if candidate.key not in offered_keys and candidate.value >= 0
    ]
    return [
        _explain_option(candidate, reasons_in_words.describe_refused_option(reasons, candidate)[1:])
        for candidate in missing[:MAX_UNAVAILABLE]
    ]


def _list_possible_answers(game: Game, reasons: OptionExplainer) -> tuple[Option, ...]:
    """Return all answers of the current question, allowed or not; empty unless it asks for one of a fixed list."""
    domain = game.program.questions[game.state[QUESTION]].domain
    return reasons.candidates().options if domain in LISTABLE_DOMAINS else ()


def _explain_option(option: Option, lines: list[ReasonLine]) -> TableExplanation:
    """Return an option's text and key, with the reasons for players and those for authors."""
    return _to_explanation(option.text, option.key, lines)


def _to_explanation(text: str, key: str, lines: list[ReasonLine]) -> TableExplanation:
    """Return an explanation of `text` that holds the lines for players and, apart, those for authors of rules."""
    return TableExplanation(
        text, key, *(tuple(reasons_in_words.select_voice(lines, exactly)) for exactly in (False, True))
    )


# --- the log -----------------------------------------------------------------------------------------


def explain_log_line(game: Game, seat: int | None, number: int) -> TableExplanation | None:
    """Return what led to a line of the log, as a seat reads it.

    Args:
        game: The game.
        seat: The seat that reads; None for an onlooker.
        number: The number of the line's first entry in that seat's log.

    Returns:
        None if the log has no such entry.
    """
    view = get_view(game, seat)
    log = view.log
    if not 0 <= number < len(log):
        return None
    lines = build_lines(log[number : number + MAX_LINE_ENTRIES], game.players)
    shown_line = next(
        (candidate for candidate in lines if log[number] in candidate.entries),
        DisplayLine(log[number].text, entries=(log[number],)),
    )
    reason_lines = line_accounted(LogExplainer(game, view.seat), shown_line)
    return _to_explanation(shown_line.text, str(number), reason_lines[1:])


def list_missed_lines(game: Game, seat: int | None) -> list[DisplayLine]:
    """Return the log lines since the seat's last move that others have followed.

    All lines if the seat has made no such move.
    """
    first_step = _find_last_move(game, seat)
    entries = [entry for entry in get_view(game, seat).log if _step_number(entry) >= first_step]
    return build_lines(entries, game.players)


def _find_last_move(game: Game, seat: int | None) -> int:
    """Return the number of the seat's last answer that another player's answer followed; 0 if there is none."""
    seats = [step.seat for step in list_steps(game.last_step)]
    others_moves = [number for number, answering_seat in enumerate(seats) if answering_seat not in (seat, CHANCE)]
    own_moves = [
        number
        for number, answering_seat in enumerate(seats)
        if answering_seat == seat and others_moves and number < others_moves[-1]
    ]
    return own_moves[-1] if own_moves else 0


def _step_number(entry: Entry) -> int:
    return entry.at[0] if entry.at is not None else 0


# --- as it was ---------------------------------------------------------------------------------------


def count_answers(game: Game) -> int:
    """Return the number of answers given so far."""
    return game.last_step.depth


def restore_earlier_game(game: Game, number: int) -> Game | None:
    """Return the game as it was after a number of answers; None if there were not so many."""
    steps = list_steps(game.last_step)
    if not 0 <= number < len(steps):
        return None
    return Game(game.table, rebuild_state(game.table, steps[number]).copy(), steps[number].draws, steps[number])


@dataclass(frozen=True, slots=True)
class ReplayedQuestion:
    """A question of an earlier position, with the option that was chosen."""

    player: str
    prompt: str
    options: tuple[Option, ...]
    option: Option | None  # None if it has not been answered


def find_taken_option(game: Game, earlier_game: Game, seat: int | None) -> ReplayedQuestion | None:
    """Return an earlier position's question with the option that the game then took.

    Args:
        game: The whole game.
        earlier_game: The earlier position, as from `restore_earlier_game`.
        seat: The seat that wants to know; None for an onlooker.

    Returns:
        None if there was no question, or if the seat may not see its options.
    """
    if not may_see_options(earlier_game, seat):
        return None
    ask, after = earlier_game.ask, list_steps(game.last_step)[earlier_game.last_step.depth + 1 :]
    return ReplayedQuestion(ask.player, ask.prompt, ask.options, ask.options[after[0].index] if after else None)


def build_score_history(game: Game, seat: int | None) -> dict[str, Any]:
    """Return the sources of each player's score, in the order in which they came.

    `players` lists for each player the score and its `sources`: after which answer, how much, and by which rule. Once
    the game is over, `winners` has their names, and `decided` the rules about victory if the scores do not show it.
    The sources are empty for a score that is not simply a resource, or that depends on something the seat may not
    know.
    """
    view = get_view(game, seat)
    explainer = LogExplainer(game, view.seat)
    players = [
        {
            "player": player,
            "score": view.compute(game.program.score, seat_number),
            "sources": [
                {"after": answer_count, "amount": term.amount, "label": term.label, "module": term.module}
                for answer_count, term in explainer.score_history(seat_number)
            ],
        }
        for seat_number, player in enumerate(game.players)
    ]
    winners = game.result.winners if game.result is not None else ()
    return {
        "answers": count_answers(game),
        "players": players,
        "winners": list(winners),
        "decided": list(explain_victory(game)),
    }


@dataclass(frozen=True, slots=True)
class SeedCommitment:
    """A commitment to a game's random seed: its hash at first, the seed itself once the game is over."""

    hash: str  # SHA-256 of the seed's decimal digits
    seed: int | None  # None while the game goes on


def get_seed_commitment(game: Game) -> SeedCommitment | None:
    """Return the commitment that proves that nobody chose the random numbers during the game.

    None for typed dice, and for a seed small enough to be guessed.
    """
    seed = game.table.seed
    if game.table.header.dice != "seeded" or seed <= MASK:
        return None
    return SeedCommitment(sha256(str(seed).encode()).hexdigest(), seed if game.over else None)


# --- the rules ---------------------------------------------------------------------------------------


def get_primer(rules: Rules) -> Primer | None:
    """Return the introduction to read before the first move; None if the texts of the rules are not available."""
    return _build_primer(rules.bundle, current_language()) if rules.bundle else None


def list_lessons(game: Game, book: Sequence[Passage]) -> list[Passage]:
    """Return the passages on the course of the game, then those on each phase in progress, innermost last."""
    names_by_title = {title: name for name, title in game.program.phases}
    places = ["primer", *(names_by_title[title] for title in game.phases if title in names_by_title)]
    return [passage for place in places for passage in book if passage.place == place]


@lru_cache(maxsize=64)
def _build_primer(bundle: str, language: str) -> Primer | None:
    """Return the primer of bundled rules in a language; None if they cannot be annotated."""
    modules = unpack_modules(bundle).value or ()
    annotated_rules = annotate_rules(modules).value
    if annotated_rules is None:
        return None
    primer = build_primer(annotated_rules)
    return primer if language == ENGLISH else translate_primer(primer, load_phrasebook(modules, language))
