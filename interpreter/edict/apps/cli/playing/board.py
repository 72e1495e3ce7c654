"""The board at a terminal: status lines, lists of things, the table of players and their grids, fitted to the screen.

A `Detail` says how much of each is drawn, so that the layout can choose the largest that fits. Also here are moments to
look and the end of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from rich.text import Text

from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.panel_drawing import (
    GOOD_WORDS,
    LEAST_CELL,
    LEAST_WORDS,
    TIGHT_WORDS,
    GridPanel,
    Listing,
    is_number,
    merge_repeated_words,
    panel_heading,
)
from edict.apps.cli.playing.questions import BARE, BRIEF, LINES, RUN_ON, WHOLE
from edict.apps.cli.playing.screen import (
    Lines,
    Screen,
    flow,
    heading_lines,
    layout_table,
    lines_width,
    min_table_width,
    place_side_by_side,
    wrap,
)
from edict.game.explanations.board_state import DOWN, find_current_stage, iter_laid_cards, stage_progress
from edict.game.explanations.glossary import explain_victory, find_sign
from edict.game.table.game import Game
from edict.game.table.log_entries import AdjustmentTerm, ResourceGain
from edict.game.table.panels import PanelRow, PanelView, PlayerGrid, Summary
from edict.game.table.view import Result, View
from edict.game.table.wording import is_empty_value
from edict.support.morphology import to_sentence
from edict.support.translations import N_
from edict.support.translations.texts import inflect_text_title, translate


@dataclass(frozen=True, slots=True)
class Detail:
    """The level of detail in which a board is drawn."""

    lists: bool = False  # whether lists of things are drawn
    words: int = 0  # least columns for the effects of listed things; 0 for none
    own: int = 0  # of the viewer's grid: OWN_COUNTS, OWN_SHORT, OWN_NAMES or OWN_FULL
    effects: int = 0  # lines for the effects of the viewer's own marked things
    others: bool = False  # whether other players' grids are drawn
    headed: bool = False  # whether lists have headings


GAP = 2
OWN_COUNTS, OWN_SHORT, OWN_NAMES, OWN_FULL = range(4)
WHOLE_BOARD = Detail(lists=True, words=40, own=OWN_FULL, effects=99, others=True, headed=True)


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

    def render(self, detail: Detail = WHOLE_BOARD) -> Lines:
        """Return the board as lines."""
        width = self.screen.width
        head_lines, tail_lines = (
            [*self.status_lines(width), *self.list_lines(detail, width)],
            self.grid_lines(detail, width),
        )
        side_lines = self._side_grid_lines(detail)
        if side_lines:
            tables = self.player_table_lines(detail, width - lines_width(side_lines) - GAP)
            if tables:
                return [*head_lines, *place_side_by_side([tables, side_lines], GAP), *tail_lines]
        tables = self.player_table_lines(detail, width) or self.player_table_lines(detail, width, cut=True)
        return [*head_lines, *tables, *flow(side_lines[1:], width, " " * GAP), *tail_lines]

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
        """Return True if a single listing contains everything that the question offers."""
        return bool(self.offered) and any(listing.offered for listing in self.listings)

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
        return any(grids.render_full(grid, self.screen.width) for grids, grid in self._own_grids())

    # --- lines and lists

    def status_lines(self, width: int) -> Lines:
        """Return the title, the phases, the hints and all panels of lines, in running text."""
        items = [self.screen.to_text(self.title, "bold")] if self.title else []
        if self.phases:
            items.append(self.screen.to_text(" > ".join(self.phases), "bold"))
        items += [self.screen.to_text(hint) for hint in self.hints]
        for panel in self.panels:
            items += [self.screen.to_text(line) for line in panel.above]
            items += [self.screen.to_text(_join_row(row)) for row in panel.rows if panel.shape == "lines"]
        return flow([item for item in items if item.plain], width, "  |  ")

    def list_lines(self, detail: Detail, width: int) -> Lines:
        """Return the listings as lines, if the detail includes them, each below a heading."""
        lines: Lines = []
        for index, listing in enumerate(self.listings if detail.lists else ()):
            if detail.headed or index:
                lines += heading_lines(panel_heading(listing.panel), width)
            else:
                lines += []
            lines += listing.render(width, detail.words)
        return lines

    # --- the players

    def player_table_lines(self, detail: Detail, width: int, cut: bool = False) -> Lines:
        """Return the tables with a row for each player.

        Returns nothing if values, or too much of a heading, had to be cut and `cut` is False.
        """
        grids = [] if detail.others else self.grids
        tables = [
            self._player_table_rows(panel, () if index else grids) for index, panel in enumerate(self.player_panels)
        ]
        if not cut and any(min_table_width(rows) > width for rows, _ in tables):
            return []
        return [line for rows, numbers in tables for line in layout_table(rows, width, numbers)]

    def _player_table_rows(self, panel: PanelView, grids: Sequence[GridPanel]) -> tuple[list[list[Text]], list[bool]]:
        """Return the rows of the players' table, the heading first, and for each column if it is numbers."""
        head = [panel.title, *panel.header, *(grid_panel.panel.title for grid_panel in grids)]
        rows = [[self.screen.to_text(title, "dim") for title in head]]
        for row in panel.rows:
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

    def _side_grid_lines(self, detail: Detail) -> Lines:
        """Return the viewer's grid in short names, to be drawn beside the players' table."""
        if detail.own != OWN_SHORT or not self.player_panels:
            return []
        return [
            line
            for grids, grid in self._own_grids()
            for line in grids.render_short(grid, _narrow_grid_width(grids, self.screen.width))
        ]

    def grid_lines(self, detail: Detail, width: int) -> Lines:
        """Return the grids below the players' table, and the effects of the viewer's own things."""
        lines: Lines = []
        drawn: set[int] = set()
        for grids, grid in self._own_grids():
            own_lines = grids.render_full(grid, width) if detail.own == OWN_FULL else []
            has_names = detail.own >= OWN_NAMES or detail.own == OWN_SHORT and not self.player_panels
            if has_names and not own_lines:
                shared_board = grids.render_shared_board(grid, width)
            else:
                shared_board = []
            if not own_lines:
                below = shared_board or (grids.render_short(grid, width)[1:] if has_names else [])
                own_lines = [*below, *grids.render_effects(grid, width, detail.effects)]
            lines += own_lines
            if shared_board:
                drawn |= {other_grid.seat for other_grid in grids.panel.grids}
            elif has_names:
                drawn |= {grid.seat}
            else:
                drawn |= set()
        for grids in self.grids if detail.others else ():
            if not drawn and grids.panel.grids:
                shared_board = grids.render_shared_board(grids.unmarked_grid, width)
            else:
                shared_board = []
            remaining = [grid.seat for grid in grids.panel.grids if grid.seat not in drawn]
            lines += shared_board or grids.render_side_by_side(remaining, width)
        return lines


def _narrow_grid_width(grids: GridPanel, width: int) -> int:
    """Return the columns for a grid drawn beside something else, in the shortest legible names."""
    across = max((len(grid.columns) for grid in grids.panel.grids), default=0)
    return (LEAST_CELL + 1 + (width >= 80) + 4 * (width >= 120)) * across + 1


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


LAST_NEWS, SOME_NEWS = 2, 6  # lines of news, tried in this order
EFFECT_LINES = (2, 3, 4, 6, 20)  # lines for effects of own things, tried in this order
QUESTION_SHARE = 5  # 1 of so many lines is kept for the question, so that shorter questions do not change the board
SPARE_LINES = 3  # lines left over before headings are drawn, so that they do not come and go
MINIMAL_DETAIL = Detail()


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """The chosen detail of the board and the question, and the lines of news."""

    detail: Detail = MINIMAL_DETAIL
    question_detail: int = BARE
    news: int = 0


DetailStep = Callable[[Detail], Detail]


@dataclass(frozen=True)
class BoardFitter:
    """A search for the largest board, question and news that fit into a height.

    The detail of the board depends on the screen and not on the question, as long as the question can be drawn at all,
    so that the board looks the same at every answer. Question and news share the rest.
    """

    board: Board
    render_question: Callable[[int], Lines]  # draws the question in a detail, from BARE to WHOLE
    news: int  # lines of news
    height: int

    def plan(self) -> BoardPlan:
        """Return the most detailed `BoardPlan` (board, question, news) that fits the screen's height."""
        question_height = cache(lambda question_detail: len(self.render_question(question_detail)))
        detail = self._fit_detail(self.height - max(question_height(BARE), self.height // QUESTION_SHARE))
        plan, left = BoardPlan(detail), self.height - len(self.board.render(detail))
        for question_detail, news in self._question_steps():
            larger = replace(
                plan, question_detail=max(plan.question_detail, question_detail), news=max(plan.news, news)
            )
            if question_height(larger.question_detail) + min(self.news, larger.news) <= left:
                plan = larger
        return plan

    def _fit_detail(self, height: int) -> Detail:
        """Take each step of detail that still fits into a height, in order; return the resulting detail."""
        detail = MINIMAL_DETAIL
        for step in self._detail_steps():
            larger = step(detail)
            if len(self.board.render(larger)) <= height:
                detail = larger
        headed = replace(detail, headed=True)
        if len(self.board.render(headed)) + SPARE_LINES <= height:
            return headed
        return detail

    def _detail_steps(self) -> Iterator[DetailStep]:
        """Yield functions that each add one detail to the board, the most useful first."""
        yield _with_lists(0)
        yield from (_with_own(OWN_SHORT), _with_lists(TIGHT_WORDS), _with_lists(LEAST_WORDS))
        yield _with_effects(EFFECT_LINES[0])
        if self.board.tells:
            yield _with_own(OWN_FULL)
        yield from (_with_effects(lines) for lines in EFFECT_LINES)
        yield _with_own(OWN_NAMES)
        yield _with_lists(GOOD_WORDS)
        yield lambda detail: replace(detail, others=True)

    def _question_steps(self) -> Iterator[tuple[int, int]]:
        """Yield details of the question and lines of news, the most useful first."""
        most_useful = BRIEF if self.board.lists_all_offered else WHOLE  # the lists may show the effects of options
        yield from ((detail, 0) for detail in (RUN_ON, BRIEF, LINES, WHOLE) if detail <= most_useful)
        yield from ((BARE, lines) for lines in (LAST_NEWS, SOME_NEWS))
        yield from ((detail, SOME_NEWS) for detail in (LINES, WHOLE))
        yield BARE, self.news


def _with_own(level: int) -> DetailStep:
    """Return a step that draws the viewer's own grid in at least this level of detail."""
    return lambda detail: replace(detail, own=max(detail.own, level))


def _with_lists(columns: int) -> DetailStep:
    """Return a step that draws lists, with some columns for effects."""
    return lambda detail: replace(detail, lists=True, words=columns)


def _with_effects(lines: int) -> DetailStep:
    return lambda detail: replace(detail, effects=lines)


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
            yield from _hanging_lines(screen, f"{name}: {'; '.join(parts)}")


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


def _hanging_lines(screen: Screen, text: str) -> Iterator[Text]:
    """Yield a text wrapped to the screen, with every line after the first indented."""
    first, *other_lines = wrap(screen.to_text(text), screen.width - INDENT)
    yield first
    for line in other_lines:
        yield Text(" " * INDENT).append_text(line)


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
