"""The view of one seat as plain data for a browser, a bot in another language or a test.

These classes are the format: `to_json_data` turns them into JSON, and `grammar/schema/view.schema.json` describes it.
Things have their names in the rules, players their own, sets and dice are lists; a value that the seat may not know
is `{"hidden": true}`.
"""

from __future__ import annotations

from typing import Any

from edict.support.records import dataclass

# a number, a truth, a name, null for nothing, a list of names or dice, `{"hidden": true}` (in panels with a `count`, if
# everybody may know how many there are); or an object of these by the things of the value, player first
Value = Any

FORMAT = 1


@dataclass(frozen=True)
class CauseData:
    """The rule that something comes from."""

    rule: str  # its title or name
    module: str  # "" for the game itself
    file: str
    line: int


@dataclass(frozen=True)
class ChangeData:
    """A change by an answer."""

    sort: str  # resource, kept, dice or quantity
    name: str
    title: str
    player: str  # the owner, "" for the table
    of: list[str]  # titles of the things it belongs to
    before: Value
    after: Value
    amount: int | None  # difference of numbers
    text: str
    loss: bool  # the player who answers has less
    causes: list[CauseData]  # rules that do it


@dataclass(frozen=True)
class UseData:
    """A rule that is needed or used up."""

    sort: str  # exception, shift or once
    title: str
    text: str
    cause: CauseData


@dataclass(frozen=True)
class OutlookData:
    """The certain consequences of an answer."""

    text: str
    costs: list[str]
    by: list[str]  # exceptions that allow it
    gains: list[str]
    quantities: list[str]
    changes: list[ChangeData]
    uses: list[UseData]
    ends: str  # why it is incomplete: luck, others, hidden, choices or unknown; "" if it is complete


@dataclass(frozen=True)
class WayData(OutlookData):
    """One way to continue after an option."""

    answers: list[str]  # texts of the further answers


@dataclass(frozen=True)
class EffectData(OutlookData):
    """The outcome of a thing's effect if it happened now to the asked player."""

    name: str  # name of the field


@dataclass(frozen=True)
class OptionData:
    """One possible answer."""

    key: str  # what to answer with
    text: str
    caption: str
    words: str
    prospect: OutlookData | None  # null where dice are to be typed
    ways: list[WayData]
    effects: list[EffectData]


@dataclass(frozen=True)
class QuestionData:
    """The question to the seat."""

    name: str
    player: str
    prompt: str
    domain: str  # thing, number, branch, ability, die or ways
    kind: str  # of the things, or ""
    secret: bool
    cause: CauseData
    options: list[OptionData]


@dataclass(frozen=True)
class PieceData:
    """A part of a panel's text."""

    shape: str  # words, number, truth, thing, set, order, bag, dice, text or hidden
    kind: str  # of the things in the value
    text: str
    value: Value  # null for words
    titles: list[str]  # titles of the things in the value


@dataclass(frozen=True)
class RowData:
    """A row or line of a panel."""

    key: str  # name of the thing, may be empty
    title: str
    player: str  # the player it is about, may be empty
    cells: list[str]
    pieces: list[list[PieceData]]  # parts of each cell's text
    caption: str
    words: str
    marked: bool


@dataclass(frozen=True)
class CellData:
    """A thing in a grid."""

    key: str
    title: str
    caption: str
    words: str
    text: str
    marked: bool


@dataclass(frozen=True)
class GridData:
    """The grid of one player."""

    player: str
    rows: list[str]
    columns: list[str]
    cells: list[list[list[CellData]]]  # things by row and column, mostly one each
    shifts: list[int]  # offset of each row in half places on a board of hexagons, else empty


@dataclass(frozen=True)
class PanelData:
    """A panel."""

    name: str
    title: str
    shape: str  # lines and rows fill `rows`, grid fills `grids`
    kind: str  # of the things in it, `player` for players
    above: list[str]  # lines above the rest
    header: list[str]
    rows: list[RowData]
    grids: list[GridData]
    mark: str  # meaning of highlighted things


@dataclass(frozen=True)
class TermData:
    """An adjustment that took part in a line of the log."""

    quantity: str
    player: str
    amount: int
    cause: CauseData


@dataclass(frozen=True)
class WonData:
    """A gain (or loss, below 0) of a resource by one rule."""

    player: str
    resource: str
    amount: int
    text: str
    cause: CauseData


@dataclass(frozen=True)
class LookData:
    """A moment to look: a panel in its state then, with gains and losses since its phase began."""

    title: str
    panel: PanelData
    changes: list[WonData]
    terms: list[TermData]


@dataclass(frozen=True)
class LineData:
    """A line of the log."""

    kind: str  # phase, choice, luck, gain, change, shown, said or look (a moment worth a pause)
    text: str
    player: str  # the player it is about, "" for nobody
    phase: str
    level: int  # number of phases around it
    cause: CauseData
    terms: list[TermData]
    look: LookData | None


@dataclass(frozen=True)
class SourceData:
    """One source of a score."""

    amount: int
    label: str
    cause: CauseData


@dataclass(frozen=True)
class ScoreData:
    """A player's current score."""

    player: str
    score: int | None  # null if the seat may not know it
    sources: list[SourceData]  # filled if the score is the amount of a resource


@dataclass(frozen=True)
class GameData:
    """The rules of the game: its name, the modules over it and the values of settings."""

    name: str
    title: str
    version: str
    modules: list[str]
    settings: dict[str, Value]


@dataclass(frozen=True)
class StepData:
    """A phase within a stage of the round."""

    name: str
    title: str
    words: str
    when: str  # past, now or later


@dataclass(frozen=True)
class StageData:
    """A stage of the round."""

    name: str
    title: str
    words: str  # its effect, without those of the phases `within`
    when: str  # past, now or later
    sometimes: bool  # it does not come in every round
    within: list[StepData]


@dataclass(frozen=True)
class CardData:
    """A place on the table for a card or pile that not everybody may know."""

    name: str
    title: str
    kind: str
    pile: bool
    state: str  # up, down or empty
    secret: bool  # the seat knows the card, and not everybody does
    count: int | None  # number of cards there, null if unknown
    key: str  # name of the card, "" if unknown
    called: str
    caption: str
    words: str


@dataclass(frozen=True)
class ViewData:
    """The whole view."""

    format: int
    game: GameData
    players: list[str]
    seat: str | None  # name of the player, null for the public view
    phases: list[str]
    over: bool
    winners: list[str]
    waiting_for: str
    question: QuestionData | None
    scores: list[ScoreData]
    round: list[StageData]
    cards: list[CardData]
    panels: list[PanelData]
    values: dict[str, Value]
    log: list[LineData]


def to_json_data(data: object) -> dict[str, Any]:
    """Return a view or a part of one as JSON data."""
    plain: dict[str, Any] = _to_plain(data)
    return plain


def _to_plain(value: Any) -> Any:
    """Convert like `dataclasses.asdict` in an eighth of the time; a server does this for every look at a table."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, list):
        return [_to_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _to_plain(item) for name, item in value.items()}
    return {name: _to_plain(getattr(value, name)) for name in value.__dataclass_fields__}
