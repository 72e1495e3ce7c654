"""Verdicts on rules in one or two sentences, from the data of a study or a comparison.

Every report begins with these sentences, so all of them say the same. A difference is stated only where its interval
excludes 0; otherwise the verdict says how large a difference may have been missed, and how many games would show it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any

from edict.agents.study.comparison import (
    LENGTH,
    LESS,
    MORE,
    RELEVANT_DIFFERENCE,
    SAME,
    SCORE_PER_PLAYER,
    SCORES,
    WINNING_SCORE,
    WINS,
    ComparedQuestion,
)
from edict.agents.study.inference import CONFIDENCE, Estimate, estimate_difference, estimate_share
from edict.agents.study.option_groups import select_groups
from edict.support.morphology import capitalize, inflect, join_words, pluralize_title, uncapitalize_title
from edict.support.records import dataclass
from edict.support.translations import ENGLISH, N_, current_language, gettext

Data = dict[str, Any]
MIN_OFFERED = 50  # offers before it is notable that nobody took an option
MAX_NAMED = 3  # options named in a sentence
POINTS = N_("points")


# --- a study ---------------------------------------------------------------------------------------


def describe_study(data: Data) -> list[str]:
    """Return the verdict of a study: how its games went, and what stands out among the options.

    Args:
        data: The study as data, with at least one game.
    """
    return [_to_verdict(_describe_games(data)), *_list_if_any(_iter_notable_options(data))]


def _list_if_any(clauses: Iterator[str]) -> list[str]:
    collected = list(clauses)
    return [_to_verdict(collected)] if collected else []


def _to_verdict(clauses: Sequence[str]) -> str:
    return capitalize("; ".join(clauses)) + "."


def _describe_games(data: Data) -> list[str]:
    """Return how long games are, how close, and what the turn order does."""
    length = data["length"]
    template = gettext("games last %(choices)s choices") if not data["round"] else gettext(ROUNDS)
    facts = {
        "choices": _format_number(length["choices"]["mean"]["value"]),
        "rounds": _count_rounds(length["rounds"]["mean"]["value"], data["round"]),
    }
    lasting = template % facts
    if is_shared_fate(data):
        won = {"share": _format_share(data["seats"][0]["wins"] / data["games"])}
        return [lasting, gettext("%(share)s of them are won") % won]
    lead = {"lead": _format_number(data["margin"]["mean"]["value"]), "unit": _name_unit(data["score_unit"])}
    closeness = gettext("the winner is %(lead)s %(unit)s ahead on average") % lead
    return [lasting, closeness, *_describe_order(data)]


ROUNDS = N_("games last %(rounds)s (%(choices)s choices)")


def is_shared_fate(data: Data) -> bool:
    """Return True if all players won or lost together in every game, or there is a single player."""
    return data["players"] == 1 or all(seat["wins"] == data["shared"] for seat in data["seats"])


def _describe_order(data: Data) -> list[str]:
    """Return what the turn order does to the chance to win: the initial one, and those that the rules set later."""
    places = data["turns"]["places"]
    significant = [number for number, place in enumerate(places) if place["difference"].get("significant")]
    if not significant:
        return [_describe_seats(data)[0]]
    number = max(significant, key=lambda place: abs(places[place]["difference"]["value"]))
    share = places[number]["win_share"]
    facts = {
        "turns": _join(data["turns"]["names"]),
        "place": number + 1,
        "share": f"{100 * share['value']:.1f}",
        "low": f"{100 * share['low']:.1f}",
        "high": f"{100 * share['high']:.1f}",
        "even": _format_number(100 * (share["value"] - places[number]["difference"]["value"])),
    }
    clause = gettext({0: FIRST_IN_TURNS, data["players"] - 1: LAST_IN_TURNS}.get(number, PLACE_IN_TURNS)) % facts
    sentence, is_found = _describe_seats(data)
    return [sentence, clause] if is_found else [clause]


FIRST_IN_TURNS = N_(
    "who goes first in %(turns)s wins %(share)s %% of games (%(low)s to %(high)s), where %(even)s %% would be even"
)
LAST_IN_TURNS = N_(
    "who goes last in %(turns)s wins %(share)s %% of games (%(low)s to %(high)s), where %(even)s %% would be even"
)
PLACE_IN_TURNS = N_(
    "who is at place %(place)s of the order in %(turns)s wins %(share)s %% of games (%(low)s to %(high)s), "
    "where %(even)s %% would be even"
)


def _describe_seats(data: Data) -> tuple[str, bool]:
    """Return what the initial turn order or the bots do to the chance to win, and True if they do anything."""
    games, places = data["games"], data["places"]
    even = sum(place["value"] for place in places) / len(places)
    level = 1 - (1 - CONFIDENCE) / len(places)  # all intervals hold at once
    estimates = [estimate_share(place["value"] * games, games, level) for place in places]
    deviating = [number for number, share in enumerate(estimates) if not share.low <= even <= share.high]
    if not deviating:
        reach = max(max(share.high - even, even - share.low) for share in estimates)
        return _describe_missing_effect(reach, games), False
    most = max(deviating, key=lambda number: abs(estimates[number].value - even))
    number = 0 if 0 in deviating and len(places) == 2 else most
    share = estimates[number]
    facts = {
        "place": number + 1,
        "share": f"{100 * share.value:.1f}",
        "low": f"{100 * share.low:.1f}",
        "high": f"{100 * share.high:.1f}",
        "even": _format_number(100 * even),
    }
    if len(set(data["bots"])) > 1 and places_match_seats(data):
        return gettext(BOT_EFFECT) % {**facts, "bot": data["bots"][number]}, True
    if number:
        return gettext(PLACE_EFFECT) % facts, True
    return gettext(FIRST_HELPS if share.value > even else FIRST_HURTS) % facts, True


FIRST_HELPS = N_(
    "going first helps: the first player wins %(share)s %% of games (%(low)s to %(high)s), "
    "where %(even)s %% would be even"
)
FIRST_HURTS = N_(
    "going first hurts: the first player wins %(share)s %% of games (%(low)s to %(high)s), "
    "where %(even)s %% would be even"
)
PLACE_EFFECT = N_(
    "the turn order matters: place %(place)s wins %(share)s %% of games (%(low)s to %(high)s), "
    "where %(even)s %% would be even"
)
BOT_EFFECT = N_(
    "the bots differ: %(bot)s in seat %(place)s wins %(share)s %% of games (%(low)s to %(high)s), "
    "where %(even)s %% would be even"
)


def _describe_missing_effect(reach: float, games: int) -> str:
    facts = {"reach": _format_number(100 * reach), "games": f"{games:,}"}
    if reach <= RELEVANT_DIFFERENCE:
        return gettext("the turn order does not matter (at most ±%(reach)s percentage points)") % facts
    needed = f"{round_up(ceil(games * (reach / RELEVANT_DIFFERENCE) ** 2)):,}"
    template = gettext(
        "no effect of the turn order was found, but %(games)s games are too few to rule out one of %(reach)s "
        "percentage points (about %(needed)s would show one of 1)"
    )
    return template % {**facts, "needed": needed}


def places_match_seats(data: Data) -> bool:
    """Return True if the turn order follows the seats, so that places repeat what seats show."""
    return all(
        abs(place["value"] - seat["win_share"]["value"]) < 1e-9
        for place, seat in zip(data["places"], data["seats"], strict=True)
    )


def _iter_notable_options(data: Data) -> Iterator[str]:
    """Yield which option goes with winning most, which ones were never taken, and which things never offered."""
    options = [option for group in select_groups(data) for option in group["options"] if option["lift"]]
    if options and not is_shared_fate(data):
        yield _describe_best_option(options)
    untaken = [option["option"] for option in data["untaken"] if option["offered"] >= MIN_OFFERED]
    if untaken:
        yield gettext("never taken: %(options)s") % {"options": _list_names(untaken)}
    unoffered = [option["option"] for option in data["untaken"] if option["of"] and not option["offered"]]
    if unoffered:
        yield gettext("never offered: %(options)s") % {"options": _list_names(unoffered)}


def _describe_best_option(options: list[Data]) -> str:
    """Return which option goes with winning most, if any does by more than chance would explain."""
    level = 1 - (1 - CONFIDENCE) / len(options)  # all intervals hold at once
    lifts = [_estimate_lift(option, level) for option in options]
    best = max(range(len(options)), key=lambda number: lifts[number].low)
    if lifts[best].low <= 0:
        return gettext("no option was found to go with winning more than chance would explain")
    option = options[best]
    facts = {
        "option": option["option"],
        "with": _format_share(option["with"]["win_share"]["value"]),
        "without": _format_share(option["without"]["win_share"]["value"]),
    }
    return (
        gettext("%(option)s goes with winning most (%(with)s of those with it win, %(without)s of those without)")
        % facts
    )


def _estimate_lift(option: Data, level: float) -> Estimate:
    """Estimate the difference in win share of those with an option and the others, at a level of confidence."""
    with_share, without_share = (
        estimate_share(side["win_share"]["value"] * side["of"], side["of"], level)
        for side in (option["with"], option["without"])
    )
    return estimate_difference(with_share, without_share)


def _list_names(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    if len(unique) <= MAX_NAMED:
        return ", ".join(unique)
    left = {"options": ", ".join(unique[: MAX_NAMED - 1]), "count": len(unique) - MAX_NAMED + 1}
    return gettext("%(options)s and %(count)s more") % left


# --- a comparison ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ComparedGames:
    """The games of a comparison, as far as a verdict mentions them."""

    pairs: int
    change: str  # what the second rules add or set, as readers call it
    score_unit: str = ""  # the plural of a point, in the words of the rules


def describe_comparison(answers: Sequence[ComparedQuestion], games: ComparedGames) -> list[str]:
    """Return the verdict of a comparison: what the change does, and what it does not.

    Args:
        answers: The answers to its questions; the details among them are not mentioned.
        games: The games that were played.
    """
    main = [answer for answer in answers if answer.question.main]
    if not main:
        return [gettext("No pair of games was completed, so nothing can be said.")]
    effects = list(_iter_effects(main, games))
    subjects = list(_iter_unchanged(main))
    verdict: list[str] = []
    change = {"change": games.change}
    if effects:
        verdict.append(gettext("With “%(change)s”, %(effects)s.") % {**change, "effects": _join(effects)})
    remaining = [*_describe_same(subjects, games, bool(effects)), *_describe_open(subjects, games, bool(effects))]
    return [*verdict, _to_verdict(remaining)] if remaining else verdict


def _iter_effects(main: Sequence[ComparedQuestion], games: ComparedGames) -> Iterator[str]:
    """Yield a clause for each effect that is significant; of the shares of wins, for the largest."""
    differing = [answer for answer in main if answer.verdict in (MORE, LESS)]
    names = {answer.question.name: answer for answer in differing}
    if score := names.get(SCORE_PER_PLAYER) or names.get(WINNING_SCORE):
        yield _describe_effect(score, SCORE_EFFECTS[score.question.name], games)
    for answer in differing:
        if answer.question.about == LENGTH:
            yield _describe_effect(answer, LENGTH_EFFECTS, games)
    wins = [answer for answer in differing if answer.question.about == WINS]
    if wins:
        largest = max(wins, key=lambda answer: abs(answer.value))
        question = largest.question
        if question.place:
            templates = PLACE_EFFECTS
        elif question.bot:
            templates = BOT_EFFECTS
        else:
            templates = WIN_EFFECTS
        yield _describe_effect(largest, templates, games)


def _describe_effect(answer: ComparedQuestion, templates: tuple[str, str], games: ComparedGames) -> str:
    question = answer.question
    unit = 100 if question.about == WINS else 1
    facts = {
        "size": _format_number(unit * abs(answer.value)),
        "margin": _format_number(unit * (answer.high - answer.low) / 2),
        "unit": _name_unit(games.score_unit),
        "place": question.place,
        "bot": question.bot,
    }
    return gettext(templates[answer.value < 0]) % facts


SCORE_EFFECTS = {
    SCORE_PER_PLAYER: (
        N_("scores are %(size)s %(unit)s higher (±%(margin)s)"),
        N_("scores are %(size)s %(unit)s lower (±%(margin)s)"),
    ),
    WINNING_SCORE: (
        N_("winning scores are %(size)s %(unit)s higher (±%(margin)s)"),
        N_("winning scores are %(size)s %(unit)s lower (±%(margin)s)"),
    ),
}
LENGTH_EFFECTS = (
    N_("games are %(size)s choices longer (±%(margin)s)"),
    N_("games are %(size)s choices shorter (±%(margin)s)"),
)
PLACE_EFFECTS = (
    N_("place %(place)s in the turn order wins %(size)s percentage points more often (±%(margin)s)"),
    N_("place %(place)s in the turn order wins %(size)s percentage points less often (±%(margin)s)"),
)
BOT_EFFECTS = (
    N_("%(bot)s wins %(size)s percentage points more often (±%(margin)s)"),
    N_("%(bot)s wins %(size)s percentage points less often (±%(margin)s)"),
)
WIN_EFFECTS = (
    N_("somebody wins %(size)s percentage points more often (±%(margin)s)"),
    N_("somebody wins %(size)s percentage points less often (±%(margin)s)"),
)


@dataclass(frozen=True, slots=True)
class _Subject:
    """A subject of the main questions for which no difference was found."""

    name: str  # a text to translate
    about: str
    answers: tuple[ComparedQuestion, ...]

    @property
    def is_same(self) -> bool:
        return all(answer.verdict == SAME for answer in self.answers)

    @property
    def reach(self) -> float:
        """The largest difference that the intervals leave possible."""
        return max(max(abs(answer.low), abs(answer.high)) for answer in self.answers)


def _iter_unchanged(main: Sequence[ComparedQuestion]) -> Iterator[_Subject]:
    """Yield the subjects for which no difference was found.

    Both questions about scores are one subject unless one of them is answered by a difference; the winner's score then
    goes without saying if that of all players differs.
    """
    about = {kind: tuple(answer for answer in main if answer.question.about == kind) for kind in (SCORES, LENGTH, WINS)}
    differing = {answer.question.name for answer in about[SCORES] if answer.verdict in (MORE, LESS)}
    if not differing and about[SCORES]:
        yield _Subject(N_("scores"), SCORES, about[SCORES])
    elif differing == {WINNING_SCORE}:
        mean = tuple(answer for answer in about[SCORES] if answer.question.name == SCORE_PER_PLAYER)
        yield _Subject(N_("the mean score"), SCORES, mean)
    for kind, name in ((LENGTH, N_("the length of games")), (WINS, N_("who wins"))):
        if about[kind] and not any(answer.verdict in (MORE, LESS) for answer in about[kind]):
            yield _Subject(name, kind, about[kind])


def _describe_same(subjects: Sequence[_Subject], games: ComparedGames, has_effects: bool) -> Iterator[str]:
    same = [subject for subject in subjects if subject.is_same]
    if same:
        if has_effects:
            template = gettext("it does not change %(list)s")
        else:
            template = gettext("“%(change)s” does not change %(list)s")
        yield template % {"change": games.change, "list": _list_subjects(same, games)}


def _describe_open(subjects: Sequence[_Subject], games: ComparedGames, has_effects: bool) -> Iterator[str]:
    """Yield that some differences were not found, how large they may be, and how many pairs would show them."""
    unclear = [subject for subject in subjects if not subject.is_same]
    if not unclear:
        return
    is_first = not has_effects and len(unclear) == len(subjects)
    if is_first:
        template = gettext("with “%(change)s”, no difference was found in %(list)s")
    else:
        template = gettext("no difference was found in %(list)s")
    yield template % {"change": games.change, "list": _list_subjects(unclear, games)}
    needed = max(answer.needed_pairs for subject in unclear for answer in subject.answers if answer.verdict != SAME)
    facts = {"pairs": f"{games.pairs:,}", "needed": f"{round_up(needed):,}"}
    if needed:
        yield gettext("%(pairs)s pairs of games are too few to tell (about %(needed)s would do)") % facts
    else:
        yield gettext("%(pairs)s pairs of games are too few to tell") % facts


def _list_subjects(subjects: Sequence[_Subject], games: ComparedGames) -> str:
    """Return the subjects, each with the largest difference that is still possible."""
    return _join([_describe_reach(subject, games) for subject in subjects], gettext("or"))


def _describe_reach(subject: _Subject, games: ComparedGames) -> str:
    facts = {
        "subject": gettext(subject.name),
        "reach": _format_number(subject.reach * (100 if subject.about == WINS else 1)),
        "unit": {
            SCORES: _name_unit(games.score_unit),
            LENGTH: gettext("choices"),
            WINS: gettext("percentage points"),
        }[subject.about],
    }
    return gettext("%(subject)s (at most ±%(reach)s %(unit)s)") % facts


# --- numbers and lists -----------------------------------------------------------------------------


def round_up(number: int) -> int:
    """Round a number up to two significant digits."""
    unit = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // unit) * unit


def _format_number(value: float) -> str:
    """Return a number with as many digits as a sentence needs: `237`, `43.7`, `5` or `0.53`."""
    if abs(value) >= 100:
        digits = 0
    elif abs(value) >= 1:
        digits = 1
    else:
        digits = 2
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _format_share(share: float) -> str:
    return f"{100 * share:.0f} %"


def _name_unit(unit: str) -> str:
    return unit or gettext(POINTS)


def _count_rounds(mean: float, title: str) -> str:
    """Return a number of rounds like `5 years`; other languages than English keep the title as it is."""
    number = _format_number(mean)
    if current_language() != ENGLISH:
        return f"{title}: {number}"
    name = uncapitalize_title(title)
    return f"{number} {inflect(1 if number == '1' else 2, name, pluralize_title(name))}"


def _join(words: Sequence[str], conjunction: str = "") -> str:
    """Join words like `a, b and c` in the current language."""
    return join_words(words, conjunction or gettext("and"))
