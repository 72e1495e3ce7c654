"""The board at a terminal: status lines, the table of players, lists of things and grids, fitted to the screen.

Each panel has one place. A `Detail` says which of them are drawn, so that the layout can choose as many as fit. Nothing
is abbreviated: what does not fit in whole words is left out, one command away. Also here are moments to look and the
end of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path

from rich.text import Text

from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.panel_drawing import GridPanel, Listing, is_number, merge_repeated_words
from edict.apps.cli.playing.questions import BARE, BRIEF, DENSE, PAIRED, RUN_ON, WHOLE
from edict.apps.cli.playing.screen import (
    Lines,
    Screen,
    flow,
    heading_lines,
    layout_table,
    min_table_width,
    wrap,
    wrap_hanging,
)
from edict.game.explanations.board_state import DOWN, find_current_stage, iter_laid_cards, stage_progress
from edict.game.explanations.glossary import explain_victory, find_sign
from edict.game.table.game import Game
from edict.game.table.log_entries import AdjustmentTerm, ResourceGain
from edict.game.table.panels import PanelRow, PanelView, PlayerGrid, Summary
from edict.game.table.view import Result, View
from edict.game.table.wording import is_empty_value
from edict.support.morphology import to_sentence
from edict.support.records import dataclass
from edict.support.translations import N_
from edict.support.translations.texts import inflect_text_title, translate

TITLES, EFFECTS = 1, 2  # of lists
OWN_COUNTS, OWN_NAMES, OWN_FULL = range(3)  # of the viewer's grid


@dataclass(frozen=True, slots=True)
class Detail:
    """The level of detail in which a board is drawn."""

    status: bool = True  # whether the lines of the rules are drawn, or only the title and the phase
    players: bool = False  # whether all players are in the table, or only the viewer
    lists: int = 0  # of lists of things: 0, TITLES or EFFECTS
    own: int = OWN_COUNTS  # of the viewer's grid: OWN_COUNTS, OWN_NAMES or OWN_FULL
    effects: bool = False  # whether the effects of the viewer's own marked things are drawn
    others: bool = False  # whether other players' grids are drawn


WHOLE_BOARD = Detail(players=True, lists=EFFECTS, own=OWN_FULL, effects=True, others=True)


@dataclass(frozen=True)
class Board:
    """The panels of one view, drawn for a screen."""

    screen: Screen
    title: str
    panels: Sequence[PanelView]
    phases: Sequence[str]
    seat: int  # seat of the viewer; -1 for none
    offered: Collection[str] = ()  # keys of the things that can be chosen now
    hints: Sequence[str] = ()  # see `round_hints`
    reserved: int = 0  # columns of the screen for something else

    @property
    def width(self) -> int:
        """Return the columns of the board."""
        return self.screen.width - self.reserved

    def render(self, detail: Detail = WHOLE_BOARD) -> Lines:
        """Return the board as lines."""
        return [
            *self.status_lines(detail, self.width),
            *self.player_table_lines(detail, self.width),
            *self.list_lines(detail, self.width),
            *self.grid_lines(detail, self.width),
        ]

    def render_sheet(self) -> Lines:
        """Return the table of players and all grids, with the effect of every thing that fits."""
        lines = self.player_table_lines(Detail(players=True, others=True), self.width)
        for grids in self.grids:
            for grid in grids.panel.grids:
                lines += grids.render_full(grid, self.width) or [
                    *heading_lines(grids.legend, self.width),
                    *grids.render_rows(grid, self.width)[1:],
                    *grids.render_effects(grid, self.width, everything=True),
                ]
        return lines

    # --- which panels

    @cached_property
    def listings(self) -> list[Listing]:
        """Return a listing for each panel of rows that are things rather than players."""
        panels = [
            panel for panel in self.panels if panel.shape == "rows" and not _is_player_panel(panel) and panel.rows
        ]
        return [Listing(self.screen, panel, self._find_offered_keys(panel)) for panel in panels]

    def _find_offered_keys(self, panel: PanelView) -> Collection[str]:
        """Return the offered keys if all are rows of the panel; else none, as the question is about other things."""
        if set(self.offered) <= {row.key for row in panel.rows}:
            return self.offered
        return ()

    @property
    def lists_all_offered(self) -> bool:
        """Return True if a single listing has everything that the question offers, with its effect."""
        return bool(self.offered) and any(listing.offered and listing.has_effects for listing in self.listings)

    @property
    def offers_own(self) -> bool:
        """Return True if the question is about things in the viewer's grid."""
        things = (thing for _, grid in self._own_grids() for row in grid.cells for place in row for thing in place)
        return bool(self.offered) and set(self.offered) <= {thing.key for thing in things}

    @property
    def player_panels(self) -> list[PanelView]:
        """Return the panels with a row for each player."""
        return [panel for panel in self.panels if panel.shape == "rows" and _is_player_panel(panel)]

    @cached_property
    def grids(self) -> list[GridPanel]:
        """Return the panels with a grid for each player."""
        return [GridPanel(self.screen, panel) for panel in self.panels if panel.shape == "grid"]

    def _own_grids(self) -> list[tuple[GridPanel, PlayerGrid]]:
        """Return the viewer's grid of each panel that has one, with its panel."""
        return [(grids, grid) for grids in self.grids for grid in grids.panel.grids if grid.seat == self.seat]

    @property
    def tells(self) -> bool:
        """Return True if the screen is wide enough for the viewer's grid with the effect of every thing."""
        return any(grids.render_full(grid, self.width) for grids, grid in self._own_grids())

    # --- lines and lists

    def status_lines(self, detail: Detail, width: int) -> Lines:
        """Return the title, the phases, the hints and all panels of lines, in running text."""
        items = [self.screen.to_text(self.title, "bold")] if self.title else []
        if self.phases:
            items.append(self.screen.to_text(" > ".join(self.phases), "bold"))
        items += [self.screen.to_text(hint) for hint in self.hints]
        for panel in self.panels if detail.status else ():
            items += [self.screen.to_text(line) for line in panel.above]
            items += [self.screen.to_text(_join_row(row)) for row in panel.rows if panel.shape == "lines"]
        items = [line for item in items if item.plain for line in wrap_hanging(item, width)]
        return flow(items, width, "  |  ")

    def list_lines(self, detail: Detail, width: int) -> Lines:
        """Return the listings as lines, if the detail includes them."""
        listings = self.listings if detail.lists else []
        return [line for listing in listings for line in listing.render(width, detail.lists == EFFECTS)]

    # --- the players

    def player_table_lines(self, detail: Detail, width: int) -> Lines:
        """Return the tables with a row for each player; in running text if their longest words are too wide."""
        grids = [grid_panel for grid_panel in self.grids if not self._draws_all(grid_panel, detail, width)]
        lines: Lines = []
        for index, panel in enumerate(self.player_panels):
            shown = (
                panel.rows if detail.players or self.seat < 0 else [row for row in panel.rows if row.seat == self.seat]
            )
            rows, numbers = self._player_table_rows(panel, shown, () if index else grids)
            if min_table_width(rows) <= width:
                lines += layout_table(rows, width, numbers)
                continue
            for row in shown:
                lines += wrap_hanging(self.screen.to_text(_plain_row(panel, row, row.seat == self.seat)), width)
        return lines

    def _player_table_rows(
        self, panel: PanelView, shown: Sequence[PanelRow], grids: Sequence[GridPanel]
    ) -> tuple[list[list[Text]], list[bool]]:
        """Return some rows of the players' table, the heading first, and for each column if it is numbers."""
        head = [panel.title, *panel.header, *(grid_panel.panel.title for grid_panel in grids)]
        rows = [[self.screen.to_text(title, "dim") for title in head]]
        for row in shown:
            counts = [grid_panel.format_counts(grid_panel.panel.grids[row.seat]) for grid_panel in grids]
            is_own = row.seat == self.seat
            name = self.screen.to_text(translate("{player} (you)", player=row.title) if is_own else row.title)
            name.stylize("dim", len(row.title))
            rows.append([name, *(self.format_value(cell) for cell in (*row.cells, *counts))])
        numbers = [all(is_number(row.cells[i]) for row in panel.rows) for i in range(len(panel.header))]
        return rows, [False, *numbers, *(False for _ in grids)]

    def format_value(self, text: str) -> Text:
        """Return a cell; a dash if it says nothing."""
        if is_empty_value(text):
            return Text("-", style="dim")
        return self.screen.to_text(merge_repeated_words(text))

    # --- grids

    def _draws_all(self, grids: GridPanel, detail: Detail, width: int) -> bool:
        """Return True if the marks of all players are drawn in this detail, so that they need not be counted."""
        own = [grid for panel, grid in self._own_grids() if panel is grids]
        return detail.others or detail.own == OWN_NAMES and any(grids.render_shared_board(grid, width) for grid in own)

    def grid_lines(self, detail: Detail, width: int) -> Lines:
        """Return the viewer's grids, the effects of their things, and other players' grids."""
        lines: Lines = []
        drawn: set[int] = set()
        for grids, grid in self._own_grids() if detail.own else ():
            drawn |= {grid.seat}
            own_lines = grids.render_full(grid, width) if detail.own == OWN_FULL else []
            if not own_lines:
                shared_board = grids.render_shared_board(grid, width)
                drawn |= {other_grid.seat for other_grid in grids.panel.grids} if shared_board else set()
                own_lines = shared_board or [*heading_lines(grids.legend, width), *grids.render_rows(grid, width)[1:]]
                own_lines += grids.render_effects(grid, width) if detail.effects else []
            lines += own_lines
        if detail.effects and not detail.own:
            lines += [line for grids, grid in self._own_grids() for line in grids.render_effects(grid, width)]
        for grids in self.grids if detail.others else ():
            remaining = [grid.seat for grid in grids.panel.grids if grid.seat not in drawn]
            base = next((grid for panel, grid in self._own_grids() if panel is grids), None)
            shared_board = grids.render_shared_board(base or grids.unmarked_grid, width) if remaining else []
            lines += shared_board or grids.render_side_by_side(remaining, width)
        return lines


def round_hints(game: Game, view: View) -> list[str]:
    """Return lines such as `2 of 8, then Winter` and `Enemy: face down`."""
    stages = stage_progress(game.program, game.state)
    current, following_stage = find_current_stage(stages)
    phase = translate("Phase {number} of {total}", number=current, total=len(stages))
    if following_stage is not None:
        phase = translate("{phase}; next: {title}", phase=phase, title=following_stage.stage.title)
    cards = iter_laid_cards(view, View(game, len(game.players)))
    return [
        *([phase] if current else []),
        *(translate("{title}: face down", title=card.title) for card in cards if card.state == DOWN and not card.pile),
    ]


def plain_board_lines(
    screen: Screen, panels: Sequence[PanelView], phases: Sequence[str], seat: int, hints: Sequence[str] = ()
) -> list[str]:
    """Return the board as plain text, a line for each thing."""
    lines = [*([" > ".join(phases)] if phases else []), *hints]
    for panel in panels:
        lines += panel.above
        if panel.shape == "lines":
            lines += [_join_row(row) for row in panel.rows]
        elif panel.shape == "rows":
            lines += [_plain_row(panel, row, row.seat == seat) for row in panel.rows]
        else:
            lines += [f"{panel.title}, {grid.player}: {_join_marked_titles(grid)}" for grid in panel.grids]
    return lines


def plain_thing_lines(panels: Sequence[PanelView]) -> list[str]:
    """Return a line for each thing in grids that has printed values or an effect."""
    return [
        _plain_row(
            replace(panel, header=("",)),
            PanelRow(thing.title, (thing.caption,), words=thing.words, marked=thing.marked),
            False,
        )
        for panel in panels
        for grid in panel.grids
        for row in grid.cells
        for place in row
        for thing in place
        if thing.caption or thing.words
    ]


def _plain_row(panel: PanelView, row: PanelRow, is_own: bool) -> str:
    """Return a panel row as one line: title, `(you)` if own, non-empty cells with headings, mark, and effect."""
    pairs = zip(panel.header, row.cells, strict=True)
    values = [f"{title} {cell}".strip() for title, cell in pairs if not is_empty_value(cell)]
    marks = [panel.mark or translate("marked")] if row.marked else []
    effect = f". {row.words}" if row.words else ""
    title = translate("{player} (you)", player=row.title) if is_own else row.title
    return f"{title}: {', '.join([*values, *marks])}{effect}"


def _join_marked_titles(grid: PlayerGrid) -> str:
    """Return the titles of a grid's marked things, joined by commas, or `nothing`."""
    marked = [cell.title for row in grid.cells for place in row for cell in place if cell.marked]
    return ", ".join(marked) or translate("nothing")


def _is_player_panel(panel: PanelView) -> bool:
    """Return True if a row of the panel belongs to a player."""
    return any(row.seat >= 0 for row in panel.rows)


def _join_row(row: PanelRow) -> str:
    """Return a row's title and cells joined by spaces, leaving out empty ones."""
    return " ".join(part for part in (row.title, *row.cells) if part)


LAST_NEWS = 2  # lines of news kept in front of all but the viewer's own row and the question
QUESTION_LINES = 8  # lines kept for question and news, so that shorter ones do not change the board


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """The chosen detail of the board and the question."""

    detail: Detail = Detail()
    question_detail: int = BARE


DetailStep = Callable[[Detail], Detail]


@dataclass(frozen=True)
class BoardFitter:
    """A search for the largest board and question that fit into a height.

    The question comes first, with the effect of each option. The board has what is left, and the same at every question
    that is not too long.
    """

    board: Board
    render_question: Callable[[int], Lines]  # draws the question in a detail, from BARE to WHOLE
    news: int  # lines of news
    height: int

    def plan(self) -> BoardPlan:
        """Return the most detailed `BoardPlan` that fits the screen's height."""
        least, question_detail = self._fit_question()
        question_height = len(self.render_question(question_detail)) + min(self.news, LAST_NEWS)
        return BoardPlan(self._fit_detail(least, self.height - question_height), question_detail)

    def _fit_question(self) -> tuple[Detail, int]:
        """Return the largest detail of the question that fits beside the least board, and that board."""
        least, own, everybody = Detail(status=False), Detail(), Detail(players=True)
        question_height = cache(lambda question_detail: len(self.render_question(question_detail)))
        board_height = cache(lambda detail: len(self.board.render(detail)))
        candidates = [
            (everybody, WHOLE),
            (everybody, PAIRED),
            (own, WHOLE),
            (own, PAIRED),
            (everybody, DENSE),
            (own, DENSE),
            (least, DENSE),
            (everybody, BRIEF),
            (everybody, RUN_ON),
            (own, RUN_ON),
            (least, RUN_ON),
        ]
        if self.board.lists_all_offered:
            candidates.insert(0, (replace(everybody, lists=EFFECTS), BRIEF))
        for detail, question_detail in candidates:
            news = min(self.news, LAST_NEWS) if detail.players else 0
            if board_height(detail) + question_height(question_detail) + news <= self.height:
                return detail, question_detail
        return least, BARE

    def _fit_detail(self, least: Detail, height: int) -> Detail:
        """Take each step of detail that still fits, in order; return the resulting detail.

        Some lines are left to question and news.
        """
        detail, room = least, min(height, self.height - QUESTION_LINES)
        for step in self._detail_steps():
            larger = step(detail)
            if len(self.board.render(larger)) <= room:
                detail = larger
        return detail

    def _detail_steps(self) -> Iterator[DetailStep]:
        """Yield functions that each add one detail to the board, the most useful first."""
        yield lambda detail: replace(detail, status=True)
        yield lambda detail: replace(detail, players=True)
        if self.board.offers_own:
            yield _with_own(OWN_NAMES)
        yield _with_lists(TITLES)
        yield _with_own(OWN_NAMES)
        yield lambda detail: replace(detail, effects=True)
        yield _with_lists(EFFECTS)
        if self.board.tells:
            yield _with_own(OWN_FULL)
        yield lambda detail: replace(detail, others=True)


def _with_own(level: int) -> DetailStep:
    """Return a step that draws the viewer's own grid in at least this level of detail."""
    return lambda detail: replace(detail, own=max(detail.own, level))


def _with_lists(level: int) -> DetailStep:
    """Return a step that draws lists in at least this level of detail."""
    return lambda detail: replace(detail, lists=max(detail.lists, level))


INDENT = 2


def moment_lines(screen: Screen, summary: Summary, seat: int) -> Lines:
    """Return the lines of a moment to look, for the viewer in a seat or -1."""
    board = Board(screen, "", [replace(summary.panel, title="")], (), seat)
    return [*heading_lines(summary.title, screen.width), *board.render(), *_player_lines(screen, summary)]


def _player_lines(screen: Screen, summary: Summary) -> Iterator[Text]:
    """Yield a line for each player.

    For example: `Ann: strength 4 + 1 Guard Tower; +1 stone (Goblins); +1 VP (The Battle)`.
    """
    columns = [title.casefold() for title in summary.panel.header]
    shown = [change for change in summary.changes if change.title.casefold() in columns]
    changes = shown or summary.changes
    terms = [term for term in summary.terms if any(title in term.quantity.casefold() for title in columns)]
    for seat, name in enumerate(screen.players):
        seat_changes = [change for change in changes if change.seat == seat]
        parts = [*_sum_parts([term for term in terms if term.seat == seat]), *_change_parts(seat_changes)]
        if parts:
            yield from wrap_hanging(screen.to_text(f"{name}: {'; '.join(parts)}"), screen.width, INDENT)


def _sum_parts(terms: Sequence[AdjustmentTerm]) -> Iterator[str]:
    """Yield the terms of each quantity that has more than one; a single one is in the table already."""
    for quantity in dict.fromkeys(term.quantity for term in terms):
        own_terms = [term for term in terms if term.quantity == quantity]
        if len(own_terms) > 1:
            first, *other_terms = own_terms
            yield " ".join([f"{quantity} {first.amount}", *(_format_term(term) for term in other_terms)])


def _format_term(term: AdjustmentTerm) -> str:
    """Return a term of a sum with its rule: `+ 2 Inn` or `- 1 Inn`."""
    return f"{'-' if term.amount < 0 else '+'} {abs(term.amount)} {term.cause.title or term.cause.name}"


def _change_parts(changes: Sequence[ResourceGain]) -> Iterator[str]:
    """Yield a text for each resource that changed, with the rules that changed it.

    For example: `+9 VP: +8 Construct a building, +1 Fortress`, or for a single source `+1 wood (Inn)`.
    """
    for title in dict.fromkeys(change.title for change in changes):
        own_changes = [change for change in changes if change.title == title and change.amount]
        if len(own_changes) == 1:
            yield f"{own_changes[0].words} ({own_changes[0].cause.title or own_changes[0].cause.name})"
        elif own_changes:
            net = sum(change.amount for change in own_changes)
            sources = ", ".join(
                f"{change.amount:+} {change.cause.title or change.cause.name}" for change in own_changes
            )
            yield f"{net:+} {inflect_text_title(abs(net), title)}: {sources}"


RESULT_HEADER = ("", N_("Player"), N_("Score"), "")
REPLAY_DICE = N_("To replay with the same dice: --seed {number}")
REPLAY_LUCK = N_("To replay with the same luck: --seed {number}")


def ending_lines(screen: Screen, game: Game, path: Path | None) -> Lines:
    """Return the result as lines; the last one names the winners."""
    result = game.result
    assert result is not None
    sign = find_sign(result.scores, result.winners) or 1
    ranked = sorted(result.scores, key=lambda name: (name not in result.winners, -sign * result.scores[name]))
    rows = [[screen.to_text(word and translate(word), "dim") for word in RESULT_HEADER]]
    won, lost = (
        {result.scores[name] for name in ranked if (name in result.winners) is is_winner} for is_winner in (True, False)
    )
    for name in ranked:
        score = result.scores[name]
        remarks = (translate("wins"), name in result.winners), (translate("tied score"), score in won & lost)
        remark = [word for word, applies in remarks if applies]
        place = _place(name, result, sign)
        rows.append([Text(f"{place}."), screen.to_text(name), Text(str(score)), Text(", ".join(remark), style="dim")])
    if path:
        command = saved_games.format_command(path, "games replay")
        saved = translate("The game is saved in {path}. To read its log: {command}", path=path, command=command)
        file_lines = [screen.to_text(saved, "dim")]
    else:
        file_lines = []
    explanation = [line for words in explain_victory(game) for line in wrap(screen.to_text(words), screen.width)]
    message = REPLAY_DICE if game.program.dice.kinds else REPLAY_LUCK
    seed_line = screen.to_text(translate(message, number=game.table.seed), "dim")
    return [
        Text(""),
        Text(translate("The game is over."), style="bold"),
        *layout_table(rows, screen.width, [True, False, True, False]),
        seed_line,
        *file_lines,
        *explanation,
        screen.to_text(to_sentence(result.verdict), "bold"),
    ]


def _place(name: str, result: Result, sign: int) -> int:
    """Return a player's place: 1 for winners, then by score, with equal scores on the same place.

    A sign of -1 means that the lowest score is best.
    """
    if name in result.winners:
        return 1
    others = [score for other, score in result.scores.items() if other not in result.winners]
    return 1 + len(result.winners) + sum(sign * score > sign * result.scores[name] for score in others)
