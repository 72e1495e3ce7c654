"""A game as one seat may see it, as plain data: what a browser, a bot in another language or a test gets.

These classes are the format: `as_json` turns them into JSON, and `grammar/schema/view.schema.json` is their shape.
Things stand under their names in the rules, players under their own, sets and dice as lists; what the seat may not know
is `{"hidden": true}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Value = Any
"""A number, a truth, a name, null for nothing, a list of names or dice, `{"hidden": true}` (in panels with a `count`,
if everybody may know how many there are); or an object of these by what the value is of, player first."""

FORMAT = 1


@dataclass(frozen=True)
class CauseData:
    """The rule something comes from: its title (or name), its module (empty: the game itself), and its place."""

    rule: str
    module: str
    file: str
    line: int


@dataclass(frozen=True)
class ChangeData:
    """What an answer changes. sort: resource, kept, dice or quantity.

    `player` is whose it is (empty: the table's), `of` the titles of what else it is of. `before` and `after` are
    values, `amount` the difference of numbers. `loss`: whoever answers has less. `causes` are the rules that do it.
    """

    sort: str
    name: str
    title: str
    player: str
    of: list[str]
    before: Value
    after: Value
    amount: int | None
    text: str
    loss: bool
    causes: list[CauseData]


@dataclass(frozen=True)
class UseData:
    """A rule that is needed or used up. sort: exception, shift or once."""

    sort: str
    title: str
    text: str
    cause: CauseData


@dataclass(frozen=True)
class OutlookData:
    """What an answer is certain to lead to.

    `costs`, `by` (exceptions that let it), `gains` and `quantities` say it in words, `changes` and `uses` in data.
    ends: luck, others, hidden, choices or unknown, if that is why there is no more; empty if that is all.
    """

    text: str
    costs: list[str]
    by: list[str]
    gains: list[str]
    quantities: list[str]
    changes: list[ChangeData]
    uses: list[UseData]
    ends: str


@dataclass(frozen=True)
class WayData(OutlookData):
    """One way to continue after an option: the texts of the further answers, and their total outcome."""

    answers: list[str]


@dataclass(frozen=True)
class EffectData(OutlookData):
    """What an effect of a thing, by the name of its field, would do now to whoever is asked."""

    name: str


@dataclass(frozen=True)
class OptionData:
    """An answer: `key` is what to answer with. `prospect` is null where dice are to be typed."""

    key: str
    text: str
    caption: str
    words: str
    prospect: OutlookData | None
    ways: list[WayData]
    effects: list[EffectData]


@dataclass(frozen=True)
class QuestionData:
    """What the seat is asked. domain: thing, number, branch, ability, die or ways; `kind`: of the things, or empty."""

    name: str
    player: str
    prompt: str
    domain: str
    kind: str
    secret: bool
    cause: CauseData
    options: list[OptionData]


@dataclass(frozen=True)
class PieceData:
    """A part of what a panel says. shape: words, number, truth, thing, set, order, bag, dice, text or
    hidden.

    `kind` is of what things; `value` the value (null for words), `titles` the names that people read of things in it.
    """

    shape: str
    kind: str
    text: str
    value: Value
    titles: list[str]


@dataclass(frozen=True)
class RowData:
    """A row or line of a panel. `key` is the thing's name, `player` the player it is about; either may be empty.

    `cells` are texts, and `pieces` what each of them is put together from.
    """

    key: str
    title: str
    player: str
    cells: list[str]
    pieces: list[list[PieceData]]
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
    """One player's grid: `cells[row][column]` holds the things there, mostly one.

    `shifts`: by how many half places each row lies further on than the first, on a board of hexagons; else empty.
    """

    player: str
    rows: list[str]
    columns: list[str]
    cells: list[list[list[CellData]]]
    shifts: list[int]


@dataclass(frozen=True)
class PanelData:
    """A panel. shape: lines and rows fill `rows`, grid fills `grids`; `mark` is what being marked means.

    `kind` is of the things in it (`player` for players), `above` the lines that stand over them.
    """

    name: str
    title: str
    shape: str
    kind: str
    above: list[str]
    header: list[str]
    rows: list[RowData]
    grids: list[GridData]
    mark: str


@dataclass(frozen=True)
class TermData:
    """An adjustment that took part in a line of the log: of which quantity, whose, by how much, by which rule."""

    quantity: str
    player: str
    amount: int
    cause: CauseData


@dataclass(frozen=True)
class WonData:
    """How much a player won (or lost, below 0) of a resource by one rule."""

    player: str
    resource: str
    amount: int
    text: str
    cause: CauseData


@dataclass(frozen=True)
class LookData:
    """What there is to look at: a panel as it stood then, and what was won and lost since its phase began."""

    title: str
    panel: PanelData
    changes: list[WonData]
    terms: list[TermData]


@dataclass(frozen=True)
class LineData:
    """A line of the log. kind: phase, choice, luck, gain, change, shown, said or look (a moment worth a pause).

    `player` is whom it is about (empty: nobody), `level` counts the phases around it.
    """

    kind: str
    text: str
    player: str
    phase: str
    level: int
    cause: CauseData
    terms: list[TermData]
    look: LookData | None


@dataclass(frozen=True)
class SourceData:
    """What brought a part of a score."""

    amount: int
    label: str
    cause: CauseData


@dataclass(frozen=True)
class ScoreData:
    """A player's score as it is; null if the seat may not know it.

    `sources` tell where it comes from, where a score is nothing but what was gained and lost of a resource.
    """

    player: str
    score: int | None
    sources: list[SourceData]


@dataclass(frozen=True)
class GameData:
    """The rules that are played: the game, the modules laid over it, the values of the settings."""

    name: str
    title: str
    version: str
    modules: list[str]
    settings: dict[str, Value]


@dataclass(frozen=True)
class StepData:
    """A phase within a stage of the round. when: past, now or later."""

    name: str
    title: str
    words: str
    when: str


@dataclass(frozen=True)
class StageData:
    """A stage of the round in which the game is played. when: past, now or later; `words` is what it brings, without
    what the phases `within` do. sometimes: it does not come in every round."""

    name: str
    title: str
    words: str
    when: str
    sometimes: bool
    within: list[StepData]


@dataclass(frozen=True)
class CardData:
    """A place on the table where a card, or a pile of them, lies that not everybody may know.

    state: up, down or empty. secret: the seat knows the card, and not everybody does. `key`, `caption` and `words` are
    of the card, empty unless it is known. count: how many lie there; null if that is not known.
    """

    name: str
    title: str
    kind: str
    pile: bool
    state: str
    secret: bool
    count: int | None
    key: str
    called: str
    caption: str
    words: str


@dataclass(frozen=True)
class ViewData:
    """All of it. `seat` is the player's who looks, or null: then it is what everybody may know."""

    format: int
    game: GameData
    players: list[str]
    seat: str | None
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


def as_json(data: object) -> dict[str, Any]:
    """A view, or a part of one, as JSON has it."""
    made: dict[str, Any] = _plain(data)
    return made


def _plain(value: Any) -> Any:
    """As `dataclasses.asdict` has it, in an eighth of the time: a server does this whenever somebody looks."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
