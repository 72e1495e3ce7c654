"""What lies on the table, drawn for a terminal, and how much of it fits: status, lists of things, the players' table,
each player's grid; a moment to look, and the end of a game.

A `Detail` says how much of it is drawn out, so that the layout can take as much as fits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from rich.text import Text

from edict.apps.cli.playing.panels_drawn import (
    GOOD_WORDS,
    LEAST_CELL,
    LEAST_WORDS,
    TIGHT_WORDS,
    Grids,
    Listing,
    heading_of,
    is_number,
    said_once,
)
from edict.apps.cli.playing.questions import BARE, BRIEF, LINES, RUN_ON, WHOLE
from edict.apps.cli.playing.screen import Lines, Screen, beside, flowing, heading, least_width, table, width_of, wrapped
from edict.game.explanations.board_state import DOWN, find_current_stage, iter_laid_cards, stage_progress
from edict.game.explanations.deciding_rules import explain_victory, find_sign
from edict.game.table.game import Game
from edict.game.table.log_entries import AdjustmentTerm, ResourceGain
from edict.game.table.panels import PanelRow, PanelView, PlayerGrid, Summary
from edict.game.table.view import Result, View
from edict.game.table.wording import is_empty_value
from edict.support.morphology import to_sentence


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of the board is drawn out.

    lists: whether the lists of things are drawn at all. words: the least columns for what things in them do, 0 for
    nothing. own: of your own grid nothing but numbers, its names in few letters, whole names, or all that is printed.
    effects: lines for what one's own marked things do. others: whether the other players' grids are drawn too.
    headed: whether lists have headings.
    """

    lists: bool = False
    words: int = 0
    own: int = 0
    effects: int = 0
    others: bool = False
    headed: bool = False


GAP = 2
COUNTED, SHORT, NAMED, TOLD = range(4)
WHOLE_BOARD = Detail(lists=True, words=40, own=TOLD, effects=99, others=True, headed=True)


@dataclass(frozen=True)
class Board:
    """The panels of one view, drawn for a screen.

    seat: whose eyes it is for. offered: the names of the things among which somebody chooses just now. hints: what is
    said of the round and the cards, see `hints_of`.
    """

    screen: Screen
    title: str
    panels: Sequence[PanelView]
    phases: Sequence[str]
    seat: int
    offered: Collection[str] = ()
    hints: Sequence[str] = ()

    def lines(self, detail: Detail = WHOLE_BOARD) -> Lines:
        width = self.screen.width
        top, below = [*self.status(width), *self.lists(detail, width)], self.below(detail, width)
        side = self._side(detail)
        if side:
            tables = self.players_tables(detail, width - width_of(side) - GAP)
            if tables:
                return [*top, *beside([tables, side], GAP), *below]
        tables = self.players_tables(detail, width) or self.players_tables(detail, width, cut=True)
        return [*top, *tables, *flowing(side[1:], width, " " * GAP), *below]

    # --- which panels

    @cached_property
    def listings(self) -> list[Listing]:
        found = [panel for panel in self.panels if panel.shape == "rows" and not _of_players(panel) and panel.rows]
        return [Listing(self.screen, panel, self._offered(panel)) for panel in found]

    def _offered(self, panel: PanelView) -> Collection[str]:
        """Of a list's things those that are offered, if it has them all; else the question is about something else."""
        return self.offered if set(self.offered) <= {row.key for row in panel.rows} else ()

    @property
    def lists_all(self) -> bool:
        """Whether everything that is offered is in one of the lists."""
        return bool(self.offered) and any(listing.offered for listing in self.listings)

    @property
    def tables(self) -> list[PanelView]:
        return [panel for panel in self.panels if panel.shape == "rows" and _of_players(panel)]

    @cached_property
    def grids(self) -> list[Grids]:
        return [Grids(self.screen, panel) for panel in self.panels if panel.shape == "grid"]

    def _own(self) -> list[tuple[Grids, PlayerGrid]]:
        return [(grids, grid) for grids in self.grids for grid in grids.panel.grids if grid.seat == self.seat]

    @property
    def tells(self) -> bool:
        """Whether the screen is wide enough to say what everything in the player's own grid does."""
        return any(grids.drawn(grid, self.screen.width) for grids, grid in self._own())

    # --- lines and lists

    def status(self, width: int) -> Lines:
        """The course of the game and every line of the rules, one after the other."""
        items = [self.screen.text(self.title, "bold")] if self.title else []
        if self.phases:
            items.append(self.screen.text(" > ".join(self.phases), "bold"))
        items += [self.screen.text(hint) for hint in self.hints]
        for panel in self.panels:
            items += [self.screen.text(line) for line in panel.above]
            items += [self.screen.text(_line(row)) for row in panel.rows if panel.shape == "lines"]
        return flowing([item for item in items if item.plain], width, "  |  ")

    def lists(self, detail: Detail, width: int) -> Lines:
        lines: Lines = []
        for place, listing in enumerate(self.listings if detail.lists else ()):
            lines += heading(heading_of(listing.panel), width) if detail.headed or place else []
            lines += listing.lines(width, detail.words)
        return lines

    # --- the players

    def players_tables(self, detail: Detail, width: int, cut: bool = False) -> Lines:
        """A row a player; nothing where values or too much of their headings would have to be `cut`."""
        grids = [] if detail.others else self.grids
        found = [self._players_rows(panel, () if place else grids) for place, panel in enumerate(self.tables)]
        if not cut and any(least_width(rows) > width for rows, _ in found):
            return []
        return [line for rows, numbers in found for line in table(rows, width, numbers)]

    def _players_rows(self, panel: PanelView, grids: Sequence[Grids]) -> tuple[list[list[Text]], list[bool]]:
        """The cells of a players' table, `grids` counted in further columns; and which columns are numbers."""
        head = [panel.title, *panel.header, *(one.panel.title for one in grids)]
        rows = [[self.screen.text(title, "dim") for title in head]]
        for row in panel.rows:
            counts = [one.counted(one.panel.grids[row.seat]) for one in grids]
            name = self.screen.text(row.title)
            name.append(" (you)" if row.seat == self.seat else "", style="dim")
            rows.append([name, *(self.value(cell) for cell in (*row.cells, *counts))])
        numbers = [all(is_number(row.cells[i]) for row in panel.rows) for i in range(len(panel.header))]
        return rows, [False, *numbers, *(False for _ in grids)]

    def value(self, words: str) -> Text:
        return Text("-", style="dim") if is_empty_value(words) else self.screen.text(said_once(words))

    # --- grids

    def _side(self, detail: Detail) -> Lines:
        """One's own grid in few letters, to stand beside something else."""
        if detail.own != SHORT or not self.tables:
            return []
        return [line for grids, grid in self._own() for line in grids.short(grid, _narrow(grids, self.screen.width))]

    def below(self, detail: Detail, width: int) -> Lines:
        """What stands under the players' table: grids as far as they are drawn out, and what one's own things do."""
        lines: Lines = []
        drawn: set[int] = set()
        for grids, grid in self._own():
            told = grids.drawn(grid, width) if detail.own == TOLD else []
            named = detail.own >= NAMED or detail.own == SHORT and not self.tables
            board = grids.together(grid, width) if named and not told else []
            if not told:
                below = board or (grids.short(grid, width)[1:] if named else [])
                told = [*below, *grids.effects(grid, width, detail.effects)]
            lines += told
            drawn |= {one.seat for one in grids.panel.grids} if board else {grid.seat} if named else set()
        for grids in self.grids if detail.others else ():
            board = grids.together(grids.nobodys, width) if not drawn and grids.panel.grids else []
            left = [grid.seat for grid in grids.panel.grids if grid.seat not in drawn]
            lines += board or grids.side_by_side(left, width)
        return lines


def _narrow(grids: Grids, width: int) -> int:
    """The columns for one's own grid beside other things: as few letters as still can be read."""
    across = max((len(grid.columns) for grid in grids.panel.grids), default=0)
    return (LEAST_CELL + 1 + (width >= 80) + 4 * (width >= 120)) * across + 1


def hints_of(game: Game, view: View) -> list[str]:
    """What follows in the round, and which cards lie face down, for whoever has this view."""
    found = stage_progress(game.program, game.state)
    here, following = find_current_stage(found)
    then = f", then {following.stage.title}" if following is not None else ""
    cards = iter_laid_cards(view, View(game, len(game.players)))
    return [
        *([f"{here} of {len(found)}{then}"] if here else []),
        *(f"{card.title}: face down" for card in cards if card.state == DOWN and not card.pile),
    ]


def plain_lines(
    screen: Screen, panels: Sequence[PanelView], phases: Sequence[str], seat: int, hints: Sequence[str] = ()
) -> list[str]:
    """The board as text, not drawn: one line per thing, for screens without places."""
    said = [*([" > ".join(phases)] if phases else []), *hints]
    for panel in panels:
        said += panel.above
        if panel.shape == "lines":
            said += [_line(row) for row in panel.rows]
        elif panel.shape == "rows":
            said += [_plain_row(panel, row, row.seat == seat) for row in panel.rows]
        else:
            said += [f"{panel.title}, {grid.player}: {_marked(grid)}" for grid in panel.grids]
    return said


def _plain_row(panel: PanelView, row: PanelRow, own: bool) -> str:
    pairs = zip(panel.header, row.cells, strict=True)
    values = [f"{title} {cell}".strip() for title, cell in pairs if not is_empty_value(cell)]
    mark = [panel.mark or "marked"] if row.marked else []
    words = f". {row.words}" if row.words else ""
    return f"{row.title}{' (you)' if own else ''}: {', '.join([*values, *mark])}{words}"


def _marked(grid: PlayerGrid) -> str:
    marked = [c.title for row in grid.cells for place in row for c in place if c.marked]
    return ", ".join(marked) or "nothing"


def _of_players(panel: PanelView) -> bool:
    return any(row.seat >= 0 for row in panel.rows)


def _line(row: PanelRow) -> str:
    return " ".join(part for part in (row.title, *row.cells) if part)


LAST_NEWS, SOME_NEWS = 2, 6
EFFECTS = (2, 3, 4, 6, 20)  # lines for what one's own things do, tried one after the other
QUESTIONS = 5  # one line of so many is kept for the question, so that the board is as steady as that is long
SPARE = 3  # lines that must be left over for headings, or they would come and go with the length of others
LEAST = Detail()


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """How much is drawn of the board and of the question's options, and how many lines of news."""

    detail: Detail = LEAST
    asked: int = BARE
    news: int = 0


Wish = Callable[[Detail], Detail]


@dataclass(frozen=True)
class Fitting:
    """A board, a question (`asked` draws it in one of its ways) and so many lines of news, for `height` lines.

    What is drawn of the board hangs on the screen and not on the question, as long as the question can be drawn at all:
    nobody has to look for things anew at every answer. The question and the news share what is left.
    """

    board: Board
    asked: Callable[[int], Lines]
    news: int
    height: int

    def plan(self) -> BoardPlan:
        """As much as fits, by what is needed most."""
        asked = cache(lambda room: len(self.asked(room)))
        detail = self._detail(self.height - max(asked(BARE), self.height // QUESTIONS))
        plan, left = BoardPlan(detail), self.height - len(self.board.lines(detail))
        for room, news in self._wishes():
            wanted = replace(plan, asked=max(plan.asked, room), news=max(plan.news, news))
            if asked(wanted.asked) + min(self.news, wanted.news) <= left:
                plan = wanted
        return plan

    def _detail(self, height: int) -> Detail:
        """How much of the board fits into so many lines."""
        detail = LEAST
        for wish in self._details():
            wanted = wish(detail)
            if len(self.board.lines(wanted)) <= height:
                detail = wanted
        headed = replace(detail, headed=True)
        return headed if len(self.board.lines(headed)) + SPARE <= height else detail

    def _details(self) -> Iterator[Wish]:
        yield _listed(0)
        yield from (_own(SHORT), _listed(TIGHT_WORDS), _listed(LEAST_WORDS))
        yield _effects(EFFECTS[0])
        if self.board.tells:
            yield _own(TOLD)
        yield from (_effects(lines) for lines in EFFECTS)
        yield _own(NAMED)
        yield _listed(GOOD_WORDS)
        yield lambda detail: replace(detail, others=True)

    def _wishes(self) -> Iterator[tuple[int, int]]:
        """Ways to draw the question, and lines of news."""
        said = BRIEF if self.board.lists_all else WHOLE  # what the options do may be said in the lists
        yield from ((room, 0) for room in (RUN_ON, BRIEF, LINES, WHOLE) if room <= said)
        yield from ((BARE, lines) for lines in (LAST_NEWS, SOME_NEWS))
        yield from ((room, SOME_NEWS) for room in (LINES, WHOLE))
        yield BARE, self.news


def _own(own: int) -> Wish:
    return lambda detail: replace(detail, own=max(detail.own, own))


def _listed(columns: int) -> Wish:
    """The lists, with so many columns for what things do."""
    return lambda detail: replace(detail, lists=True, words=columns)


def _effects(lines: int) -> Wish:
    return lambda detail: replace(detail, effects=lines)


INDENT = 2


def moment_lines(screen: Screen, summary: Summary, seat: int) -> Lines:
    """The summary in lines; `seat` is whoever looks, or -1."""
    board = Board(screen, "", [replace(summary.panel, title="")], (), seat)
    return [*heading(summary.title, screen.width), *board.lines(), *_player_lines(screen, summary)]


def _player_lines(screen: Screen, summary: Summary) -> Iterator[Text]:
    """A line a player: `Ann: strength 4 + 1 Guard Tower; +1 stone (Goblins); +1 VP (The Battle)`."""
    columns = [title.casefold() for title in summary.panel.header]
    shown = [change for change in summary.changes if change.title.casefold() in columns]
    changes = shown or summary.changes
    terms = [term for term in summary.terms if any(title in term.quantity.casefold() for title in columns)]
    for seat, name in enumerate(screen.players):
        own = [change for change in changes if change.seat == seat]
        parts = [*_sums([term for term in terms if term.seat == seat]), *_told_changes(own)]
        if parts:
            yield from _hanging_lines(screen, f"{name}: {'; '.join(parts)}")


def _sums(terms: Sequence[AdjustmentTerm]) -> Iterator[str]:
    """What a quantity was made up of; where it is nothing but itself, the table has it already."""
    for quantity in dict.fromkeys(term.quantity for term in terms):
        mine = [term for term in terms if term.quantity == quantity]
        if len(mine) > 1:
            first, *more = mine
            yield " ".join([f"{quantity} {first.amount}", *(_term(term) for term in more)])


def _term(term: AdjustmentTerm) -> str:
    return f"{'-' if term.amount < 0 else '+'} {abs(term.amount)} {term.cause.title or term.cause.name}"


def _told_changes(changes: Sequence[ResourceGain]) -> Iterator[str]:
    """By resource, what changed it: `+9 VP: +8 Construct a building, +1 Fortress`, or `+1 wood (Inn)` if just one."""
    for title in dict.fromkeys(change.title for change in changes):
        mine = [change for change in changes if change.title == title and change.amount]
        if len(mine) == 1:
            yield f"{mine[0].words} ({mine[0].cause.title or mine[0].cause.name})"
        elif mine:
            net = sum(change.amount for change in mine)
            sources = ", ".join(f"{change.amount:+} {change.cause.title or change.cause.name}" for change in mine)
            yield f"{net:+} {title.partition('/')[0]}: {sources}"


def _hanging_lines(screen: Screen, words: str) -> Iterator[Text]:
    first, *more = wrapped(screen.text(words), screen.width - INDENT)
    yield first
    for line in more:
        yield Text(" " * INDENT).append_text(line)


def ending(screen: Screen, game: Game, path: Path | None) -> Lines:
    """The result as lines; the last one names the winners."""
    result = game.result
    assert result is not None
    sign = find_sign(result.scores, result.winners) or 1
    ranked = sorted(result.scores, key=lambda name: (name not in result.winners, -sign * result.scores[name]))
    rows = [[screen.text(word, "dim") for word in ("", "Player", "Score", "")]]
    won, lost = ({result.scores[name] for name in ranked if (name in result.winners) is one} for one in (True, False))
    for name in ranked:
        score = result.scores[name]
        remarks = ("wins", name in result.winners), ("tied score", score in won & lost)
        remark = [word for word, holds in remarks if holds]
        place = _place(name, result, sign)
        rows.append([Text(f"{place}."), screen.text(name), Text(str(score)), Text(", ".join(remark), style="dim")])
    kept = [screen.text(f"The game is saved in {path} (games replay prints its log)", "dim")] if path else []
    why = [line for words in explain_victory(game) for line in wrapped(screen.text(words), screen.width)]
    luck = screen.text(f"The same luck again: --seed {game.table.seed}", "dim")
    return [
        Text(""),
        Text("The game is over.", style="bold"),
        *table(rows, screen.width, [True, False, True, False]),
        luck,
        *kept,
        *why,
        screen.text(to_sentence(result.verdict), "bold"),
    ]


def _place(name: str, result: Result, sign: int) -> int:
    """Winners are first; the others follow by score (the fewest first if sign is -1), equal ones on the same place."""
    if name in result.winners:
        return 1
    others = [score for other, score in result.scores.items() if other not in result.winners]
    return 1 + len(result.winners) + sum(sign * score > sign * result.scores[name] for score in others)
