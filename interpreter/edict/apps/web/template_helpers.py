"""Functions and constants for templates: properties of a view's data, and the chart of a game's scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from itertools import chain, groupby
from typing import Any

from edict.game.explanations.glossary import find_sign
from edict.game.explanations.option_previews import ENDINGS, RESOURCE
from edict.game.explanations.option_trials import LUCK
from edict.game.table.clock import TimeControl
from edict.support.records import dataclass
from edict.support.svg import format_points, render_element, render_text
from edict.support.translations import N_, gettext, ngettext

# --- views -----------------------------------------------------------------------------------------


Data = dict[str, Any]

WAYS = 3  # ways to pay that are shown with an option; the next question offers all
FEW = 5  # up to so many pieces of a resource, each is drawn
WIDE_PANE_TEXT = 90  # letters on a thing that need a wider pane
STEM = 3  # letters by which a word is the same in the singular and the plural
LONG_CELL_TEXT = 12  # letters in a cell that need a line of their own
_WORD = re.compile(r"\w+")


def seats_of(view: Data) -> dict[str, int]:
    """Return each player's seat by name."""
    return {player: seat for seat, player in enumerate(view["players"])}


def title_of(view: Data) -> str:
    """Return the title of the browser's tab."""
    title = str(view["title"])
    if view["question"]:
        return gettext("Your turn: %(title)s") % {"title": title}
    return title


def heading_of(view: Data) -> Data:
    """Return the fields of a view that the head of the table shows."""
    return {name: view[name] for name in ("title", "tries", "phases", "scores", "waiting", "over")}


def options_of(view: Data) -> dict[str, Data]:
    """Return the options by key if the current question asks for a thing; {} for any other question.

    Players can click these where they stand on the board. Empty for any other question.
    """
    question = view["question"]
    if question and question["domain"] == "thing":
        return {option["key"]: option for option in question["options"]}
    return {}


def is_asked(view: Data, panel: Data) -> bool:
    """Return True if the question asks for one of the things in a panel."""
    question = view["question"]
    return bool(question) and question["domain"] == "thing" and question["kind"] == panel["kind"]


def find_cause(view: Data, panel: Data) -> str:
    """Return the key of the thing in a panel whose rule asks the question; empty if none of them does.

    A thing asks if the rule has its title, or that of a thing that lies on it. Of grids, the player's own counts.
    """
    question = view["question"]
    if not question or panel["kind"] == "player":
        return ""
    rule = question["cause"]["rule"]
    rows = [row for row in panel["rows"] if rule in (row["title"], *row["cells"])]
    own = (line for grid in panel["grids"] if grid["player"] == view["seat"] for line in grid["cells"])
    cells = (cell for line in own for place in line for cell in place if cell["title"] == rule)
    return next((str(thing["key"]) for thing in chain(rows, cells)), "")


def is_placed(view: Data) -> bool:
    """Return True if any panel with rows or grids shows things that the question asks for."""
    return any(is_asked(view, panel) and (panel["rows"] or panel["grids"]) for panel in view["panels"])


Quantities = list[tuple[str, list[Data]]]


def told_of(look: Data, seats: dict[str, int]) -> list[tuple[str, list[Data], Quantities]]:
    """Return (player, resource changes, terms by quantity) of a `look at` moment, in the order of the seats.

    In the order of the seats.
    """
    by_player = dict[str, tuple[list[Data], dict[str, list[Data]]]]()
    for item in look["changes"]:
        by_player.setdefault(item["player"], ([], {}))[0].append(item)
    for item in look["terms"]:
        by_player.setdefault(item["player"], ([], {}))[1].setdefault(item["quantity"], []).append(item)
    order = sorted(by_player, key=lambda player: seats.get(player, len(seats)))
    return [(player, by_player[player][0], list(by_player[player][1].items())) for player in order]


MOST_BLOCKS = 30  # a larger number is not built up of blocks


@dataclass(frozen=True)
class Contestant:
    """A player in a scene: the number that is compared, and what it is made of."""

    player: str
    total: int
    blocks: list[int]  # for each unit of the number the index of its term, then -1 up to the goal
    terms: list[Data]
    outcomes: list[tuple[str, bool]]  # columns of yes and no with the player's value
    changes: list[Data]


@dataclass(frozen=True)
class Contest:
    """A moment to look at whose first column is built up term by term, against the number in its last line."""

    measure: str  # title of the column
    goal: int | None
    contestants: list[Contestant]


def build_contest(look: Data) -> Contest | None:
    """Return the scene of a `look at` moment; None if no column of its panel has a number for each player."""
    rows, header = look["panel"]["rows"], look["panel"]["header"]
    columns = range(len(header))
    measure = next((column for column in columns if all(_is_piece(row, column, "number") for row in rows)), None)
    if measure is None or not rows:
        return None
    number = re.search(r"\d+$", next(reversed(look["panel"]["above"]), ""))
    goal = int(number[0]) if number else None
    truths = [column for column in columns if all(_is_piece(row, column, "truth") for row in rows)]
    contestants = []
    for row in rows:
        total = int(row["pieces"][measure][0]["value"])
        terms = _find_terms(look["terms"], row["player"], total)
        outcomes = [(header[column], bool(row["pieces"][column][0]["value"])) for column in truths]
        changes = [item for item in look["changes"] if item["player"] == row["player"]]
        contestants.append(
            Contestant(row["player"], total, _stack_blocks(total, terms, goal or 0), terms, outcomes, changes)
        )
    return Contest(header[measure], goal, contestants)


def _is_piece(row: Data, column: int, shape: str) -> bool:
    """Return True if a cell of a row is one value of a shape that is known to whoever looks."""
    pieces = row["pieces"][column]
    return len(pieces) == 1 and pieces[0]["shape"] == shape and pieces[0]["value"] is not None


def _find_terms(terms: Sequence[Data], player: str, total: int) -> list[Data]:
    """Return the terms of the player's quantity that comes to a total; empty if there is none."""
    by_quantity = dict[str, list[Data]]()
    for term in terms:
        if term["player"] == player:
            by_quantity.setdefault(term["quantity"], []).append(term)
    return next((own for own in by_quantity.values() if sum(term["amount"] for term in own) == total), [])


def _stack_blocks(total: int, terms: Sequence[Data], goal: int) -> list[int]:
    """Return the index of a term for each unit of a number, and -1 for each that is missing to the goal."""
    if not 0 <= total <= MOST_BLOCKS or goal > MOST_BLOCKS:
        return []
    indexes = [index for index, term in enumerate(terms) for _ in range(max(0, term["amount"]))]
    indexes = indexes[:total] + [0] * (total - len(indexes))
    return indexes + [-1] * (goal - total)


def head_of(panel: Data) -> Data:
    """Return the fields of a panel that its parts need."""
    names = ("name", "title", "kind", "header", "mark", "joined")
    return {name: panel[name] for name in names if name in panel}


def own_first(grids: Sequence[Data], seat: str | None) -> list[Data]:
    """Return the grids with those of a player (`seat`) in front."""
    return sorted(grids, key=lambda grid: grid["player"] != seat)


def marked_in(grid: Data) -> int:
    """Return the number of marked cells in a grid."""
    return sum(cell["marked"] for line in grid["cells"] for place in line for cell in place)


def who_marked(panel: Data) -> dict[str, tuple[str, ...]]:
    """Return by thing's key the names of the players in whose grids it is marked."""
    players_by_thing: dict[str, tuple[str, ...]] = {}
    for grid in panel["grids"]:
        for cell in (cell for line in grid["cells"] for place in line for cell in place if cell["marked"]):
            players_by_thing[cell["key"]] = (*players_by_thing.get(cell["key"], ()), grid["player"])
    return players_by_thing


def holds_dice(pieces: Sequence[Data]) -> bool:
    """Return True if one of the pieces holds dice."""
    return any(piece["shape"] == "dice" for piece in pieces)


def things_in(piece: Data) -> list[tuple[Any, str, int]]:
    """Return (name, title, count) of each thing in a panel's piece; counts other than 1 only in a bag."""
    value, titles = piece["value"], piece["titles"]
    if isinstance(value, dict):
        return list(zip(value, titles, value.values(), strict=True))
    names = value if isinstance(value, list) else [value]
    return [(name, title, 1) for name, title in zip(names, titles, strict=True)]


def is_empty(pieces: Sequence[Data]) -> bool:
    """Return True if the pieces of a cell hold nothing."""
    return all(piece["value"] in ([], {}) for piece in pieces)


def repeats(pieces: Sequence[Data], row: Data) -> bool:
    """Return True if a cell of a row says nothing new to the eye.

    It names just the players whose dice lie on the row's thing, or one thing that is called after it.
    """
    text = "".join(piece["text"] for piece in pieces)
    if len(pieces) == 1 and text.startswith(row["title"]) and pieces[0]["kind"] not in ("", "player"):
        return True
    owners = {dice["player"] for dice in row.get("lying", ())}
    players = {title for piece in pieces if piece["kind"] == "player" for title in piece["titles"]}
    return bool(players) and players == owners and all(piece["kind"] == "player" for piece in pieces)


def is_nothing(pieces: Sequence[Data]) -> bool:
    """Return True if a cell shows the number 0."""
    return is_count(pieces) and pieces[0]["value"] == 0


def is_long(pieces: Sequence[Data]) -> bool:
    """Return True if a cell's pieces contain dice or more than `LONG_CELL_TEXT` characters."""
    return holds_dice(pieces) or sum(len(piece["text"]) for piece in pieces) > LONG_CELL_TEXT


def is_count(pieces: Sequence[Data]) -> bool:
    """Return True if a cell shows one number and nothing else."""
    return len(pieces) == 1 and pieces[0]["shape"] == "number"


def badge_of(row: Data) -> int | None:
    """Return the index of the first cell whose text is the row's whole caption, such as a rank; None if none."""
    return next((index for index, cell in enumerate(row["cells"]) if cell and cell == row["caption"]), None)


def measure_longest_word(title: str) -> int:
    """Return the number of letters of the longest word of a title, as stylesheets know it: from 8 to 20."""
    return min(max(8, *map(len, re.split(r"[\s-]+", title))), 20)


def fields_of(caption: str) -> list[str]:
    """Split a caption at commas, but not before a number: `Inn, 1 gold, 2 wood` has two fields.

    An amount of several resources (`1 gold, 2 wood`) is one field.
    """
    fields: list[str] = []
    for part in caption.split(", "):
        if fields and part[:1].isdigit():
            fields[-1] += f", {part}"
        else:
            fields.append(part)
    return fields


def find_unsaid_fields(row: Data, header: Sequence[str]) -> list[str]:
    """Return the fields of a row's caption that its cells do not say.

    They say a field that is one of them, and one whose numbers are those under the headings that it names.
    """
    fields = []
    for field in fields_of(row["caption"]) if row["caption"] else []:
        stems = {word[:STEM] for word in _words_of(field)}
        cells = [cell for head, cell in zip(header, row["cells"], strict=True) if head.casefold()[:STEM] in stems]
        if field not in row["cells"] and sorted(re.findall(r"\d+", field)) != sorted(cells):
            fields.append(field)
    return fields


def has_long(panel: Data) -> bool:
    """Return True if one of the things in a panel has a long text."""
    return any(len(row["words"]) > WIDE_PANE_TEXT for row in panel["rows"])


def dice_spent(prospect: Data) -> list[Data]:
    """Return `dice` (those lost) and `text` (the cost in words) for each change of dice that an option costs."""
    return [
        {"dice": _find_removed_dice(change["before"], change["after"]), "text": change["text"].removeprefix("-")}
        for change in prospect["changes"]
        if change["sort"] == "dice" and change["loss"]
    ]


def paid_with(option: Data) -> str:
    """Return the dice of each way to pay for an option, as `d6:3 d6:4|d6:1 d6:6`.

    Empty if they are not known.
    """
    ways = [dice for way in option["ways"] or [option["prospect"]] if way for dice in dice_spent(way)]
    return "|".join(
        dict.fromkeys(" ".join(f"{die['die']}:{die['face']}" for die in spending["dice"]) for spending in ways)
    )


def hand_of(question: Data) -> list[Data]:
    """Return the asked player's dice before paying, from the first option that costs dice; [] if none does."""
    ways = (way for option in question["options"] for way in [*option["ways"], option["prospect"]] if way)
    spent = (
        change["before"] for way in ways for change in way["changes"] if change["sort"] == "dice" and change["loss"]
    )
    return next((dice for dice in spent if isinstance(dice, list)), [])


def dice_asked(view: Data, option: Data) -> list[Data]:
    """Return the die that an option of a question about a die stands for; [] for any other option."""
    name, _, face = str(option["key"]).rpartition("-")
    return [{"die": name, "face": int(face)}] if view["question"]["domain"] == "die" and face.isdigit() else []


def dice_at_stake(view: Data) -> list[Data]:
    """Return the dice that the viewer has, for questions whose answer luck goes on from; [] for other questions."""
    if not any(option["prospect"] and option["prospect"]["ends"] == LUCK for option in view["question"]["options"]):
        return []
    rows = (row for panel in view["panels"] for row in panel["rows"] if row["player"] == view["seat"])
    pieces = (piece for row in rows for cell in row["pieces"] for piece in cell if piece["shape"] == "dice")
    return [die for piece in pieces for die in piece["value"]]


# --- what an option costs and brings, each once ------------------------------------------------------


def _words_of(text: str) -> Counter[str]:
    """Return the words and numbers of a text with their counts, without signs and punctuation."""
    return Counter(_WORD.findall(text.casefold()))


def distinct_ways(option: Data) -> list[Data]:
    """Return the ways to pay for an option; of those that cost and bring the same, the first."""
    by_outcome = dict[tuple[str, ...], Data]()
    for way in option["ways"]:
        by_outcome.setdefault((*sorted(way["costs"]), *way["gains"], *way["quantities"], way["ends"]), way)
    return list(by_outcome.values())


def pieces_to_pay(option: Data) -> tuple[int, list[str]]:
    """Return (number, names) of the pieces that every way to pay takes, of whichever resources of these names.

    The number is 0 if there are not several ways, or if they differ in more than which resources they take.
    """
    totals, names = set[int](), dict[str, None]()
    ways = distinct_ways(option)
    for way in ways:
        losses = [change for change in way["changes"] if change["loss"]]
        if not losses or any(change["sort"] != RESOURCE or change["amount"] is None for change in losses):
            return 0, []
        totals.add(-sum(change["amount"] for change in losses))
        names |= dict.fromkeys(change["name"] for change in losses)
    return (totals.pop(), list(names)) if len(ways) > 1 and len(totals) == 1 and len(names) > 1 else (0, [])


def left_to_pay(question: Data) -> int:
    """Return how many pieces a question and those after it take, if it asks which to pay one by one; else 0."""
    totals = set[int]()
    for option in question["options"]:
        ways = option["ways"] or [option["prospect"]]
        if not all(ways) or any(way["gains"] or way["ends"] for way in ways):
            return 0
        for way in ways:
            losses = [change for change in way["changes"] if change["loss"]]
            if not losses or any(change["sort"] != RESOURCE or change["amount"] is None for change in losses):
                return 0
            totals.add(-sum(change["amount"] for change in losses))
    return totals.pop() if question["domain"] == "thing" and len(totals) == 1 else 0


def without_repetition(option: Data) -> Data:
    """Return an option without the costs and gains that its text tells.

    Its caption loses the fields that tell of the others.
    """
    outlook = option["prospect"]
    if not outlook:
        return option
    said = _words_of(option["text"])
    kept = {key: [text for text in outlook[key] if not _words_of(text) <= said] for key in ("costs", "gains")}
    told = [_words_of(text) for text in (*kept["costs"], *kept["gains"])]
    fields = [field for field in fields_of(option["caption"]) if not any(part <= _words_of(field) for part in told)]
    return option | {"caption": ", ".join(fields), "prospect": outlook | kept}


def words_spent(prospect: Data) -> list[tuple[str, str]]:
    """Return (cost, note such as `once a year`) for each cost of an option that is not dice.

    Each is a pair: the cost, and a note on how often it may be paid, which may be empty.
    """
    dice_texts = {item["text"] for item in dice_spent(prospect)}
    once = {item["text"]: item["title"] for item in prospect["uses"] if item["sort"] == "once"}
    titled_costs = ((cost, once.get(cost, cost)) for cost in prospect["costs"] if cost not in dice_texts)
    return [(title, cost.removeprefix(title)) for cost, title in titled_costs]


def _find_removed_dice(before: Any, after: Any) -> list[Data]:
    """Return the dice that are in the first list but not in the second; none if either is hidden."""
    if not isinstance(before, list) or not isinstance(after, list):
        return []
    remaining = Counter((one["die"], one["face"]) for one in after)
    removed = Counter((one["die"], one["face"]) for one in before) - remaining
    return [{"die": die, "face": face} for (die, face), count in sorted(removed.items()) for _ in range(count)]


def stage_now(stages: Sequence[Data]) -> Data | None:
    """Return the current stage of a round, or step of a stage; None if none is current."""
    return next((stage for stage in stages if stage["when"] == "now"), None)


def words_now(stage: Data) -> str:
    """Return the text of the stage's step in progress; without one, that of the stage."""
    step = stage_now(stage["within"])
    return str(step["words"] if step and step["words"] else stage["words"])


def rank_players(scores: Sequence[Data], winners: Sequence[str] = ()) -> list[Data]:
    """Return the players' scores: winners first, then the best score first, hidden scores last."""
    sign = find_sign({row["player"]: row["score"] for row in scores}, winners) or 1
    return sorted(
        scores, key=lambda row: (row["player"] not in winners, row["score"] is None, -sign * (row["score"] or 0))
    )


# --- clocks ----------------------------------------------------------------------------------------

MINUTE, HOUR, DAY = 60, 3600, 86_400


def clock_words(clock: TimeControl) -> str:
    """Describe a table's clock and what happens when time runs out."""
    time_text, increment_text = duration(clock.seconds), duration(clock.increment)
    if clock.each_turn:
        text = gettext("Clock: %(time)s a turn. If time runs out, a bot takes that turn.")
    elif clock.increment:
        text = gettext("Clock: %(time)s each, plus %(more)s a turn. A bot takes over from anyone who runs out of time.")
    else:
        text = gettext("Clock: %(time)s each. A bot takes over from anyone who runs out of time.")
    return text % {"time": time_text, "more": increment_text}


def duration(seconds: int) -> str:
    """Return a duration in words, in the largest unit that divides it."""
    if seconds % DAY == 0:
        number, template = seconds // DAY, ngettext("%(num)s day", "%(num)s days", seconds // DAY)
    elif seconds % HOUR == 0:
        number, template = seconds // HOUR, ngettext("%(num)s hour", "%(num)s hours", seconds // HOUR)
    elif seconds % MINUTE == 0:
        number, template = seconds // MINUTE, ngettext("%(num)s minute", "%(num)s minutes", seconds // MINUTE)
    else:
        number, template = seconds, ngettext("%(num)s second", "%(num)s seconds", seconds)
    return template % {"num": number}


def clock_face(seconds: int) -> str:
    """Return seconds as `4:05`, or from an hour on as `2:04:05`."""
    minutes, rest = divmod(seconds, MINUTE)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
    return f"{minutes}:{rest:02}"


# --- changes of the lead ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Lead:
    """A player who takes the lead alone, or several players who are level at the end."""

    players: tuple[str, ...]
    after: int  # the number of answers given when it happens
    points: int
    next_best: int | None  # the best score of the others then; None if there are no others
    kept: bool = False  # True if a sole leader stays ahead to the end, and wins


def find_leads(course: Data) -> list[Lead]:
    """Return a `Lead` for each time that one player took the lead alone, and a last one if all end level.

    Empty for a single player, and if the points do not show who won: with several winners or a rule other than most
    or fewest points, the story would be wrong.

    Args:
        course: The data of `table_insights.build_score_history`.
    """
    names = [player["player"] for player in course["players"]]
    sign = find_sign({player["player"]: player["score"] for player in course["players"]}, course["winners"])
    if not sign:
        return []
    gained = sorted(
        (source["after"], number, source["amount"])
        for number, player in enumerate(course["players"])
        for source in player["sources"]
    )
    points = [player["score"] - sum(source["amount"] for source in player["sources"]) for player in course["players"]]
    leaders, since, leads = _find_leaders(points, sign), 0, list[Lead]()
    for after, same in groupby(gained, key=lambda source: source[0]):
        for _, number, amount in same:
            points[number] += amount
        before, leaders = leaders, _find_leaders(points, sign)
        since = since if before == leaders else after
        if len(leaders) == 1 and before != leaders and (not leads or leads[-1].players != (names[leaders[0]],)):
            leads.append(_build_lead(names, points, leaders, after, sign))
    if len(leaders) > 1 and leads:
        return [*leads, _build_lead(names, points, leaders, since, sign)]
    if leads and [*leads[-1].players] == course["winners"]:
        leads[-1] = replace(leads[-1], kept=True)
    return leads


def _find_leaders(points: Sequence[int], sign: int) -> list[int]:
    """Return the seats with the best points: the most if `sign` is 1, the fewest if it is -1."""
    best = max(sign * amount for amount in points)
    return [seat for seat, amount in enumerate(points) if sign * amount == best]


def _build_lead(names: Sequence[str], points: Sequence[int], leaders: Sequence[int], after: int, sign: int) -> Lead:
    """Return the lead after an answer: leaders, their points and those of the best other; None if all lead."""
    others = [sign * amount for seat, amount in enumerate(points) if seat not in leaders]
    return Lead(
        tuple(names[leader] for leader in leaders), after, points[leaders[0]], sign * max(others) if others else None
    )


# --- the chart of scores: each player's points, stacked by source, over the answers -----------------


WIDTH, HEIGHT, MARGIN = 320, 180, 28
TIME_AXIS_FACTOR = 1.04  # longer than the game, to show the points of its last answer
MAX_SOURCES = 8  # sources with a colour of their own; the others are combined
OTHER_SOURCES = N_("other sources")


@dataclass(frozen=True)
class Band:
    """The area of one source in a player's chart."""

    label: str
    colour: int  # number of the colour, 0 to MAX_SOURCES
    corners: tuple[tuple[float, float], ...]  # x and y, in the SVG's units


@dataclass(frozen=True)
class PlayerChart:
    """One player's chart of points by source."""

    player: str
    score: int | None
    bands: tuple[Band, ...]
    zero: float  # height of the line for no points
    top: float  # height of the line for `most` points
    most: int  # highest value on the common scale

    @property
    def svg(self) -> str:
        """The chart as an SVG element."""
        template = gettext("The points of %(player)s over the game, by source; the table below has the numbers.")
        label = template % {"player": self.player}
        areas = (
            render_element(
                "polygon",
                render_element("title", escape(band.label)),
                class_=f"source-{band.colour}",
                points=format_points(band.corners),
            )
            for band in self.bands
        )
        inside = _draw_level_line(self.top, self.most) + "".join(areas) + _draw_level_line(self.zero, 0)
        return render_element(
            "svg", inside, class_="chart", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label
        )


def _draw_level_line(y: float, value: int) -> str:
    """Return a horizontal line at a height, with the number it stands for."""
    line = render_element("line", class_="axis", x1=MARGIN, x2=WIDTH, y1=y, y2=y)
    return line + render_text(str(value), x=MARGIN - 4, y=y + 4, text_anchor="end")


@dataclass(frozen=True)
class Charts:
    """The charts of all players on the same scale, and the same numbers as a table."""

    sources: tuple[str, ...]
    players: tuple[PlayerChart, ...]
    table: tuple[tuple[str, tuple[int, ...]], ...]  # a row for each source, with the points of each player


def charts(course: dict[str, Any]) -> Charts | None:
    """Return a chart by player of the points from each source over the game; None if no source is known.

    Args:
        course: The data of `table_insights.build_score_history`.
    """
    players, axis_end = course["players"], max(course["answers"], 1) * TIME_AXIS_FACTOR
    totals: Counter[str] = Counter()
    for player in players:
        for source in player["sources"]:
            totals[source["label"]] += abs(source["amount"])
    if not totals:
        return None
    main_sources = [label for label, _ in totals.most_common(MAX_SOURCES)]
    sources = tuple(main_sources if len(totals) <= MAX_SOURCES else [*main_sources, gettext(OTHER_SOURCES)])
    histories = [_accumulate_sources(player["sources"], sources) for player in players]
    heights = [_source_range(pile, sources, label)[1] for steps in histories for _, pile in steps for label in sources]
    most, least = max(1, *heights), min(0, *heights)
    player_charts = tuple(
        _build_player_chart(player, steps, sources, (axis_end, most, least))
        for player, steps in zip(players, histories, strict=True)
    )
    final_points = [steps[-1][1] for steps in histories]
    return Charts(
        sources, player_charts, tuple((label, tuple(end[label] for end in final_points)) for label in sources)
    )


SourceHistory = list[tuple[int, Counter[str]]]


def _accumulate_sources(gains: list[dict[str, Any]], sources: tuple[str, ...]) -> SourceHistory:
    """Return (answer number, points by source so far) at each answer with a gain, from (0, none) on."""
    steps: SourceHistory = [(0, Counter())]
    for gain in gains:
        label = gain["label"] if gain["label"] in sources else sources[-1]
        after, points_by_source = steps[-1]
        if gain["after"] != after:
            steps.append((gain["after"], points_by_source.copy()))
        steps[-1][1][label] += gain["amount"]
    return steps


def _build_player_chart(
    player: dict[str, Any], history: SourceHistory, sources: tuple[str, ...], scale: tuple[float, int, int]
) -> PlayerChart:
    """Return a player's chart: one band of points per source, scaled by last answer, most and least points."""
    last, most, least = scale

    def x(after: float) -> float:
        """Return the horizontal position of the point after so many answers."""
        return MARGIN + (WIDTH - MARGIN) * after / last

    def y(score: int) -> float:
        """Return the vertical position of a score, higher scores further up."""
        return HEIGHT - 8 - (HEIGHT - 20) * (score - least) / (most - least)

    bands = []
    for number, label in enumerate(sources):
        ranges = [(x(after), _source_range(points_by_source, sources, label)) for after, points_by_source in history]
        edges = [(x_position, y(low), y(high)) for x_position, (low, high) in ranges]
        if any(low != high for _, low, high in edges):
            bands.append(Band(label, number, _step_corners([*edges, (x(last), edges[-1][1], edges[-1][2])])))
    return PlayerChart(player["player"], player["score"], tuple(bands), y(0), y(most), most)


def _source_range(points_by_source: Counter[str], sources: tuple[str, ...], label: str) -> tuple[int, int]:
    """Return the bounds in points of a source's band: from the sum of those below it to that plus its own.

    Gains pile up above zero in the order of the sources, losses below zero.
    """
    value = points_by_source[label]
    before = sources[: sources.index(label)]
    below = sum(points_by_source[source] for source in before if points_by_source[source] * value > 0)
    return below, below + value


def _step_corners(edges: list[tuple[float, float, float]]) -> tuple[tuple[float, float], ...]:
    """Return the corners of an area that changes in steps: along its upper edge, and back along the lower one."""
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
    "dice_asked",
    "dice_at_stake",
    "dice_spent",
    "distinct_ways",
    "build_contest",
    "fields_of",
    "find_unsaid_fields",
    "measure_longest_word",
    "hand_of",
    "has_long",
    "head_of",
    "heading_of",
    "holds_dice",
    "find_cause",
    "find_leads",
    "is_asked",
    "is_count",
    "is_empty",
    "is_long",
    "is_nothing",
    "is_placed",
    "left_to_pay",
    "marked_in",
    "repeats",
    "options_of",
    "own_first",
    "paid_with",
    "pieces_to_pay",
    "rank_players",
    "seats_of",
    "stage_now",
    "things_in",
    "title_of",
    "told_of",
    "who_marked",
    "without_repetition",
    "words_now",
    "words_spent",
]
