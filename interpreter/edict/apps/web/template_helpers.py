"""What templates ask of a view: small questions that Jinja would answer at length, and the chart of a game's scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from typing import Any

from edict.game.explanations.deciding_rules import find_sign
from edict.game.explanations.option_previews import ENDINGS
from edict.game.table.clock import TimeControl
from edict.support.svg import format_points, render_element, render_text
from edict.support.translations import N_, gettext, ngettext

# --- views -----------------------------------------------------------------------------------------


Data = dict[str, Any]

WAYS = 3  # of paying for an option that are shown with it; the next question offers all
FEW = 5  # pieces of a resource that lie side by side
MUCH = 90  # letters that want a wider pane
LONG = 12  # letters of what takes a line of its own


def seats_of(view: Data) -> dict[str, int]:
    """The numbers of the players' seats, by their names."""
    return {player: seat for seat, player in enumerate(view["players"])}


def title_of(view: Data) -> str:
    """What the browser's tab says."""
    title = str(view["title"])
    return gettext("Your turn: %(title)s") % {"title": title} if view["question"] else title


def options_of(view: Data) -> dict[str, Data]:
    """The options that can be clicked where they stand on the board: those that are things, by their names."""
    question = view["question"]
    return {one["key"]: one for one in question["options"]} if question and question["domain"] == "thing" else {}


def is_asked(view: Data, panel: Data) -> bool:
    """Whether the question is about the things in a panel."""
    question = view["question"]
    return bool(question) and question["domain"] == "thing" and question["kind"] == panel["kind"]


def is_placed(view: Data) -> bool:
    """Whether the question is about things that are on the board."""
    return any(is_asked(view, panel) and (panel["rows"] or panel["grids"]) for panel in view["panels"])


Quantities = list[tuple[str, list[Data]]]


def told_of(look: Data, seats: dict[str, int]) -> list[tuple[str, list[Data], Quantities]]:
    """For each player what they won and lost, and what each of their quantities was made of; in order of the seats."""
    found = dict[str, tuple[list[Data], dict[str, list[Data]]]]()
    for one in look["changes"]:
        found.setdefault(one["player"], ([], {}))[0].append(one)
    for one in look["terms"]:
        found.setdefault(one["player"], ([], {}))[1].setdefault(one["quantity"], []).append(one)
    order = sorted(found, key=lambda player: seats.get(player, len(seats)))
    return [(player, found[player][0], list(found[player][1].items())) for player in order]


def head_of(panel: Data) -> Data:
    """What the parts of a panel need of it."""
    return {name: panel[name] for name in ("name", "title", "kind", "header", "mark")}


def own_first(grids: Sequence[Data], seat: str | None) -> list[Data]:
    return sorted(grids, key=lambda grid: grid["player"] != seat)


def marked_in(grid: Data) -> int:
    return sum(cell["marked"] for line in grid["cells"] for place in line for cell in place)


def who_marked(panel: Data) -> dict[str, list[str]]:
    """Who has marked a thing in the grids of a panel, by its name."""
    found: dict[str, list[str]] = {}
    for grid in panel["grids"]:
        for cell in (cell for line in grid["cells"] for place in line for cell in place if cell["marked"]):
            found.setdefault(cell["key"], []).append(grid["player"])
    return found


def holds_dice(pieces: Sequence[Data]) -> bool:
    return any(one["shape"] == "dice" for one in pieces)


def things_in(piece: Data) -> list[tuple[Any, str, int]]:
    """The things in a value: the name, the title and the number of each. A bag names each with its number."""
    value, titles = piece["value"], piece["titles"]
    if isinstance(value, dict):
        return list(zip(value, titles, value.values(), strict=True))
    names = value if isinstance(value, list) else [value]
    return [(name, title, 1) for name, title in zip(names, titles, strict=True)]


def is_empty(pieces: Sequence[Data]) -> bool:
    """Whether a cell says no more than that nothing is there."""
    return all(one["value"] in ([], {}) for one in pieces)


def is_long(pieces: Sequence[Data]) -> bool:
    """Whether a cell needs a line of its own."""
    return holds_dice(pieces) or sum(len(one["text"]) for one in pieces) > LONG


def is_count(pieces: Sequence[Data]) -> bool:
    """Whether a cell says a number and nothing else."""
    return len(pieces) == 1 and pieces[0]["shape"] == "number"


def badge_of(row: Data) -> int | None:
    """Which cell of a row says all that is printed on its thing, as the rank of a card; None if none does."""
    return next((at for at, cell in enumerate(row["cells"]) if cell and cell == row["caption"]), None)


def fields_of(caption: str) -> list[str]:
    """What is printed on a thing, field by field: an amount of several resources is one field."""
    found: list[str] = []
    for part in caption.split(", "):
        if found and part[:1].isdigit():
            found[-1] += f", {part}"
        else:
            found.append(part)
    return found


def has_long(panel: Data) -> bool:
    """Whether much is printed on one of the things in a panel."""
    return any(len(row["words"]) > MUCH for row in panel["rows"])


def dice_spent(prospect: Data) -> list[Data]:
    """The dice that an answer takes, and those words of its costs that say the same."""
    return [
        {"dice": _fewer(one["before"], one["after"]), "text": one["text"].removeprefix("-")}
        for one in prospect["changes"]
        if one["sort"] == "dice" and one["loss"]
    ]


def paid_with(option: Data) -> str:
    """The dice that each way to pay for an option takes, as `d6:3 d6:4|d6:1 d6:6`; empty if that is not known."""
    ways = [dice for way in option["ways"] or [option["prospect"]] if way for dice in dice_spent(way)]
    return "|".join(dict.fromkeys(" ".join(f"{die['die']}:{die['face']}" for die in one["dice"]) for one in ways))


def hand_of(question: Data) -> list[Data]:
    """The dice of whoever is asked, where they pay with them; empty where they do not."""
    ways = (way for option in question["options"] for way in [*option["ways"], option["prospect"]] if way)
    spent = (one["before"] for way in ways for one in way["changes"] if one["sort"] == "dice" and one["loss"])
    return next((dice for dice in spent if isinstance(dice, list)), [])


def words_spent(prospect: Data) -> list[tuple[str, str]]:
    """The costs of an answer without the dice, each with a note: how often it may be paid."""
    drawn = {one["text"] for one in dice_spent(prospect)}
    once = {one["text"]: one["title"] for one in prospect["uses"] if one["sort"] == "once"}
    told = ((cost, once.get(cost, cost)) for cost in prospect["costs"] if cost not in drawn)
    return [(title, cost.removeprefix(title)) for cost, title in told]


def _fewer(before: Any, after: Any) -> list[Data]:
    """The dice that are in one list and no longer in another; none where either is hidden."""
    if not isinstance(before, list) or not isinstance(after, list):
        return []
    left = Counter((one["die"], one["face"]) for one in after)
    gone = Counter((one["die"], one["face"]) for one in before) - left
    return [{"die": die, "face": face} for (die, face), count in sorted(gone.items()) for _ in range(count)]


def stage_now(stages: Sequence[Data]) -> Data | None:
    """The stage of the round, or the step of a stage, that is on."""
    return next((one for one in stages if one["when"] == "now"), None)


def words_now(stage: Data) -> str:
    """What is said of the step of a stage that is on; if nothing is, of the stage."""
    step = stage_now(stage["within"])
    return str(step["words"] if step and step["words"] else stage["words"])


def ranked(scores: Sequence[Data], winners: Sequence[str] = ()) -> list[Data]:
    """Players, the winners first, then by score, the best first; whose score is hidden, last."""
    sign = find_sign({one["player"]: one["score"] for one in scores}, winners) or 1
    return sorted(
        scores, key=lambda one: (one["player"] not in winners, one["score"] is None, -sign * (one["score"] or 0))
    )


# --- clocks ----------------------------------------------------------------------------------------

MINUTE, HOUR, DAY = 60, 3600, 86_400


def clock_words(clock: TimeControl) -> str:
    """How a table's clocks are set, and what happens when time is up."""
    time, more = duration(clock.seconds), duration(clock.increment)
    if clock.each_turn:
        said = gettext("Clock: %(time)s a turn. If time runs out, a bot takes that turn.")
    elif clock.increment:
        said = gettext("Clock: %(time)s each, plus %(more)s a turn. A bot takes over from anyone who runs out of time.")
    else:
        said = gettext("Clock: %(time)s each. A bot takes over from anyone who runs out of time.")
    return said % {"time": time, "more": more}


def duration(seconds: int) -> str:
    """Seconds in words, in the largest unit that goes."""
    if seconds % DAY == 0:
        number, said = seconds // DAY, ngettext("%(num)s day", "%(num)s days", seconds // DAY)
    elif seconds % HOUR == 0:
        number, said = seconds // HOUR, ngettext("%(num)s hour", "%(num)s hours", seconds // HOUR)
    elif seconds % MINUTE == 0:
        number, said = seconds // MINUTE, ngettext("%(num)s minute", "%(num)s minutes", seconds // MINUTE)
    else:
        number, said = seconds, ngettext("%(num)s second", "%(num)s seconds", seconds)
    return said % {"num": number}


def clock_face(seconds: int) -> str:
    """`4:05`, or with hours `2:04:05`."""
    minutes, rest = divmod(seconds, MINUTE)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


# --- the story of a game ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Lead:
    """A player who comes to lead alone, or several who are level at the end, and the answer after which it is so.

    `next_best` is what the best of the others has then; None if there are no others. `kept`: who leads alone stays
    ahead to the end, and wins.
    """

    players: tuple[str, ...]
    after: int
    points: int
    next_best: int | None
    kept: bool = False


def find_leads(course: Data) -> list[Lead]:
    """Return who came to lead alone and when, from `table_insights.scores`, and who are level at the end.

    Nothing for a single player, and where the points do not show who won: none of the story would be true where, say,
    the fewest points win, or all won together.
    """
    names = [player["player"] for player in course["players"]]
    sign = find_sign({player["player"]: player["score"] for player in course["players"]}, course["winners"])
    if not sign:
        return []
    gained = sorted(
        (one["after"], number, one["amount"])
        for number, player in enumerate(course["players"])
        for one in player["sources"]
    )
    points = [player["score"] - sum(one["amount"] for one in player["sources"]) for player in course["players"]]
    ahead, since, found = _leaders(points, sign), 0, list[Lead]()
    for after, same in groupby(gained, key=lambda one: one[0]):
        for _, number, amount in same:
            points[number] += amount
        before, ahead = ahead, _leaders(points, sign)
        since = since if before == ahead else after
        if len(ahead) == 1 and before != ahead and (not found or found[-1].players != (names[ahead[0]],)):
            found.append(_lead(names, points, ahead, after, sign))
    if len(ahead) > 1 and found:
        return [*found, _lead(names, points, ahead, since, sign)]
    if found and [*found[-1].players] == course["winners"]:
        found[-1] = replace(found[-1], kept=True)
    return found


def _leaders(points: Sequence[int], sign: int) -> list[int]:
    best = max(sign * amount for amount in points)
    return [number for number, amount in enumerate(points) if sign * amount == best]


def _lead(names: Sequence[str], points: Sequence[int], ahead: Sequence[int], after: int, sign: int) -> Lead:
    others = [sign * amount for number, amount in enumerate(points) if number not in ahead]
    return Lead(tuple(names[i] for i in ahead), after, points[ahead[0]], sign * max(others) if others else None)


# --- the chart of scores: for each player the points by source, piled up over the answers ----------


WIDTH, HEIGHT, MARGIN = 320, 180, 28
BEYOND = 1.04  # of the game is drawn, so that what its last answer brought is seen
MOST_SOURCES = 8  # that have a colour of their own; the others are one
OTHERS = N_("other sources")


@dataclass(frozen=True)
class Band:
    """The points of one source: the corners of its area, and the number of its colour."""

    label: str
    colour: int
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class PlayerChart:
    """One player's picture; `zero`, `top` are heights at which a line stands, for no points and for `most`."""

    player: str
    score: int | None
    bands: tuple[Band, ...]
    zero: float
    top: float
    most: int

    @property
    def svg(self) -> str:
        said = gettext("The points of %(player)s over the game, by source; the table below has the numbers.")
        label = said % {"player": self.player}
        areas = (
            render_element(
                "polygon",
                render_element("title", escape(band.label)),
                class_=f"source-{band.colour}",
                points=format_points(band.corners),
            )
            for band in self.bands
        )
        inside = _level(self.top, self.most) + "".join(areas) + _level(self.zero, 0)
        return render_element(
            "svg", inside, class_="chart", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label
        )


def _level(y: float, value: int) -> str:
    """A line across at this height, and the number it stands for."""
    line = render_element("line", class_="axis", x1=MARGIN, x2=WIDTH, y1=y, y2=y)
    return line + render_text(str(value), x=MARGIN - 4, y=y + 4, text_anchor="end")


@dataclass(frozen=True)
class Charts:
    """All players on the same scale; `table` has a row a source and a column a player."""

    sources: tuple[str, ...]
    players: tuple[PlayerChart, ...]
    table: tuple[tuple[str, tuple[int, ...]], ...]


def charts(course: dict[str, Any]) -> Charts | None:
    """The charts of scores from `table_insights.scores`; None if no source is known."""
    players, last = course["players"], max(course["answers"], 1) * BEYOND
    totals: Counter[str] = Counter()
    for player in players:
        for one in player["sources"]:
            totals[one["label"]] += abs(one["amount"])
    if not totals:
        return None
    known = [label for label, _ in totals.most_common(MOST_SOURCES)]
    sources = tuple(known if len(totals) <= MOST_SOURCES else [*known, gettext(OTHERS)])
    piles = [_piles(player["sources"], sources) for player in players]
    heights = [_edges(pile, sources, label)[1] for steps in piles for _, pile in steps for label in sources]
    most, least = max(1, *heights), min(0, *heights)
    drawn = tuple(
        _chart(player, steps, sources, (last, most, least)) for player, steps in zip(players, piles, strict=True)
    )
    ends = [steps[-1][1] for steps in piles]
    return Charts(sources, drawn, tuple((label, tuple(end[label] for end in ends)) for label in sources))


Steps = list[tuple[int, Counter[str]]]


def _piles(gained: list[dict[str, Any]], sources: tuple[str, ...]) -> Steps:
    """How many points each source has brought, after each answer at which that changed."""
    steps: Steps = [(0, Counter())]
    for one in gained:
        label = one["label"] if one["label"] in sources else sources[-1]
        after, pile = steps[-1]
        if one["after"] != after:
            steps.append((one["after"], pile.copy()))
        steps[-1][1][label] += one["amount"]
    return steps


def _chart(
    player: dict[str, Any], steps: Steps, sources: tuple[str, ...], scale: tuple[float, int, int]
) -> PlayerChart:
    last, most, least = scale

    def x(after: float) -> float:
        return MARGIN + (WIDTH - MARGIN) * after / last

    def y(score: int) -> float:
        return HEIGHT - 8 - (HEIGHT - 20) * (score - least) / (most - least)

    bands = []
    for number, label in enumerate(sources):
        found = [(x(after), _edges(pile, sources, label)) for after, pile in steps]
        edges = [(at, y(low), y(high)) for at, (low, high) in found]
        if any(low != high for _, low, high in edges):
            bands.append(Band(label, number, _corners([*edges, (x(last), edges[-1][1], edges[-1][2])])))
    return PlayerChart(player["player"], player["score"], tuple(bands), y(0), y(most), most)


def _edges(pile: Counter[str], sources: tuple[str, ...], label: str) -> tuple[int, int]:
    """Between which heights a source lies on those before it; what was lost lies below nothing."""
    value = pile[label]
    before = sources[: sources.index(label)]
    below = sum(pile[one] for one in before if pile[one] * value > 0)
    return below, below + value


def _corners(edges: list[tuple[float, float, float]]) -> tuple[tuple[float, float], ...]:
    """The corners of an area that changes in steps: along its upper edge, and back along the lower."""
    upper, lower = list[tuple[float, float]](), list[tuple[float, float]]()
    for number, (x, low, high) in enumerate(edges):
        if number:
            upper.append((x, edges[number - 1][2]))
            lower.append((x, edges[number - 1][1]))
        upper.append((x, high))
        lower.append((x, low))
    return (*upper, *reversed(lower))


__all__ = [
    "FEW",
    "HEIGHT",
    "Lead",
    "MARGIN",
    "ENDINGS",
    "WAYS",
    "WIDTH",
    "Band",
    "PlayerChart",
    "Charts",
    "badge_of",
    "charts",
    "clock_face",
    "clock_words",
    "dice_spent",
    "fields_of",
    "hand_of",
    "has_long",
    "head_of",
    "holds_dice",
    "find_leads",
    "is_asked",
    "is_count",
    "is_empty",
    "is_long",
    "is_placed",
    "marked_in",
    "options_of",
    "own_first",
    "paid_with",
    "ranked",
    "seats_of",
    "stage_now",
    "things_in",
    "title_of",
    "told_of",
    "who_marked",
    "words_now",
    "words_spent",
]
