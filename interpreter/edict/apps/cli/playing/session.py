"""A game at the terminal: who looks at the screen, what it shows, and what stays hidden from others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.text import Text

from edict.agents.bots import Bot
from edict.apps.cli.playing import board, questions
from edict.apps.cli.playing.board import (
    Board,
    BoardFitter,
    ending_lines,
    plain_board_lines,
    plain_thing_lines,
    round_hints,
)
from edict.apps.cli.playing.questions import PresentedQuestion
from edict.apps.cli.playing.screen import (
    Lines,
    Screen,
    fit,
    heading_lines,
    place_side_by_side,
    wrap,
    wrap_hanging,
)
from edict.game.explanations.option_previews import preview_options
from edict.game.table.game import Game
from edict.game.table.game_steps import list_steps
from edict.game.table.knowledge import Secrets
from edict.game.table.log import iter_forced_moves
from edict.game.table.log_entries import LOOK, DisplayLine, Entry, build_lines
from edict.game.table.panels import PanelRow, PanelView
from edict.game.table.tracing import trace_step, trace_taint
from edict.game.table.view import View
from edict.runtime.program.opcodes import DECLINE, PC
from edict.support.translations import N_
from edict.support.translations.texts import translate

BOARD_WIDTH = 92  # columns for the board before the log has a place beside it
LEAST_LOG_WIDTH, MAX_LOG_WIDTH = 36, 60
GAP = 2
PROMPT_LINES = 3  # an empty line and two prompts
HINT = N_("(Type a number or a word. ? explains the choices; help lists the commands.)")


class Session:
    """A game that the people at this keyboard and some bots play.

    `holder` is the seat of the person who looks at the screen, or -1. `path` is the file in which the game is saved, if
    it is. `seen` is the number of log entries that were shown, by seat.
    """

    def __init__(
        self, game: Game, screen: Screen, bots: Mapping[int, Bot], speed: float = 0.0, path: Path | None = None
    ) -> None:
        self.game = game
        self.screen = screen
        self.bots = bots
        self.speed = speed
        self.path = path
        self.free_takebacks = False  # whether undo ignores what was revealed
        self.people = tuple(seat for seat in range(len(game.players)) if seat not in bots)
        self.holder = self.people[0] if len(self.people) == 1 else -1
        self.private = True  # whether only the holder looks at the screen
        screen.shared = len(self.people) > 1
        self.secret_shown = False
        self.passing: Lines = []  # printed since the last question; the next page replaces them
        self.messages: Lines = []  # messages to show with the next question
        self.presented_lines: Lines = []  # news shown with the last question
        self.notes: Lines = []  # messages and notes on that question
        self.question_lines: Lines = []  # the question as drawn
        self.shown_lines = 0  # lines shown since, by a command
        self.has_hinted = False
        self.attended = False  # whether a person is there to wait for
        self.numbered = False  # whether numbered lines of the log were shown
        self.seen = dict.fromkeys((*self.people, -1), 0)
        # by seat, the number of steps whose forced moves were shown
        self.seen_steps = dict.fromkeys(self.seen, len(game.answers) and len(game.answers) + 1)
        # by seat, lines on the board that only they have seen
        self.lines_seen: dict[int, set[PanelRow]] = {seat: set() for seat in self.people}

    def replace_game(self, game: Game, bots: Mapping[int, Bot], path: Path | None) -> None:
        """Continue with another game, whose log counts as shown."""
        self.game, self.bots, self.path = game, bots, path
        self.seen = dict.fromkeys(self.seen, len(game.log))
        self.seen_steps = dict.fromkeys(self.seen_steps, len(game.answers) + 1)

    def report_reload(self, lines: Sequence[str], wait: bool) -> None:
        """Show the result of a reload of the rules; with `wait`, until it was read."""
        if not self.screen.alive:
            self.screen.say(*lines)
        elif wait and self.people:
            self.screen.say("", *lines)
            self.screen.ask(translate("Press Enter.") + " ")
        else:
            self.messages += [self.screen.to_text("  " + line) for line in lines]

    def hand_over(self, seat: int) -> None:
        """Let the person in a seat hold the keyboard; the screen stays public until a secret is to be shown.

        All people can look at the screen until something secret is to be shown.
        """
        self.hide_secrets()
        self.holder, self.passing, self.messages, self.presented_lines = seat, [], [], []
        self.private = len(self.people) == 1

    def make_private(self) -> None:
        """Unless private already, have the keyboard passed to the holder and Enter pressed on a clear screen."""
        if not self.private:
            name = self.game.players[self.holder]
            self.screen.clear()
            self.screen.say("", translate("Pass the keyboard to {player}.", player=name), "")
            self.screen.ask(translate("{player}: press Enter.", player=name) + " ")
            self.screen.clear()
        self.private = self.secret_shown = True
        self.lines_seen[self.holder] |= rule_lines(self.view.panels())

    def hide_secrets(self) -> None:
        """Clear the screen if it shows secrets of the holder, once they have read the latest lines."""
        if self.holder >= 0 and self.secret_shown:
            if self.passing:
                name = self.game.players[self.holder]
                message = translate("{player}: press Enter to hide what only you may see.", player=name)
                self.screen.ask(f"{message} ")
            self.screen.clear()
        self.secret_shown = False

    @property
    def onlookers(self) -> list[int]:
        """Return the seats of the people who look on besides the holder."""
        if self.holder >= 0:
            return [seat for seat in self.people if seat != self.holder]
        return []

    def guard_news(self) -> None:
        """Pass the keyboard on a clear screen if the holder's news reveals to an onlooker what is hidden from them."""
        first_entry, known_rows = self.seen[self.holder], self.lines_seen.get(self.holder, set())
        if any(reveals_more(self.game, self.holder, onlooker, first_entry, known_rows) for onlooker in self.onlookers):
            self.make_private()

    def guard_all(self) -> None:
        """Make the screen private if the holder knows anything that an onlooker must not."""
        if any(knows_more(self.game, self.holder, onlooker) for onlooker in self.onlookers):
            self.make_private()

    def leave(self) -> None:
        """Clear secrets from a shared screen when a player leaves."""
        if len(self.people) > 1 and self.secret_shown:
            self.screen.clear()

    def finish(self) -> None:
        """Show the last news, the board and the result."""
        if len(self.people) > 1 and self.holder >= 0:
            self.hide_secrets()
            self.seen[-1], self.holder = self.seen[self.holder], -1
        ending = ending_lines(self.screen, self.game, self.path)
        if not self.screen.alive:
            self.tell()
            self.screen.draw(ending)
            return
        self.show_moments()
        news, board = self.passing + self.take_news(), self.make_board()
        wrapped_rows = sum(max(line.cell_len - 1, 0) // self.screen.width for line in ending)  # of the file's path
        height = self.screen.height - 1 - wrapped_rows
        board_lines = board.render(BoardFitter(board, lambda detail: ending, len(news), height).plan().detail)
        self.screen.start_page()
        self.screen.draw([*board_lines, *_last_lines(news, height - len(board_lines) - len(ending)), *ending])

    # --- what is shown

    @property
    def view(self) -> View:
        """Return the view of the holder, or the public view if there is none."""
        return View(self.game, self.holder if self.holder >= 0 else len(self.game.players))

    def make_board(self, offered: Collection[str] = (), reserved: int = 0) -> Board:
        """Return the board for the current viewer.

        Args:
            offered: The keys that can be chosen now.
            reserved: The columns of the screen that are for something else.
        """
        game = self.game
        return Board(
            self.screen,
            game.program.title,
            self.panels(),
            game.phases,
            self.holder,
            offered,
            self.hints(),
            reserved,
        )

    def hints(self) -> list[str]:
        """Return the hints on the round: those of the holder's view on a private screen, else the public ones."""
        is_private = self.private or self.holder < 0
        return round_hints(self.game, self.view if is_private else View(self.game, len(self.game.players)))

    def panels(self) -> list[PanelView]:
        """Return the holder's panels; in public, without secrets that any onlooker does not know."""
        if self.private or self.holder < 0:
            return self.view.panels()
        return with_common_knowledge(self.game, self.holder, self.onlookers).view(self.holder).panels()

    def show_moments(self) -> None:
        """Show the moments to look since the last news, each until it was seen."""
        self.guard_news()
        for index in range(self.seen[self.holder], len(self.game.log)):
            if self.game.log[index].kind == LOOK:
                self.show_moment(self.take_news(index), self.game.log[index])

    def show_moment(self, new_lines: Lines, entry: Entry) -> None:
        """Show a moment to look, after the lines that lead to it."""
        lines = board.moment_lines(self.screen, self.view.summary(entry), self.holder)
        if self.screen.alive:
            self.screen.start_page()
            new_lines = _last_lines(self.passing + new_lines, self.screen.height - 2 - len(lines))
            self.passing = []
        self.screen.draw([*new_lines, *lines])
        if self.attended and self.people:
            self.screen.wait()

    def tell(self) -> int:
        """Show the moments and print the log entries that are new to the viewer; return the number of lines."""
        self.show_moments()
        lines = self.take_news()
        self.screen.say(*lines)
        self.passing += lines
        return len(lines)

    def take_news(self, end: int | None = None) -> Lines:
        """Return the viewer's unseen log entries below index `end` as lines, and mark them as seen."""
        log = self.game.log[:end]
        new = [entry.seen_by(self.view.seat) for entry in log[self.seen[self.holder] :]]
        self.seen[self.holder] = len(log)
        return self.format_entries([entry for entry in new if entry is not None and entry.kind != LOOK])

    def take_forced_moves(self) -> Lines:
        """Return the holder's forced moves since the last time, and mark them as shown.

        They can reveal what the holder has, so there are none while others look on.
        """
        steps = list_steps(self.game.last_step)
        new_steps, self.seen_steps[self.holder] = steps[self.seen_steps[self.holder] :], len(steps)
        if not self.private:
            return []
        moves = iter_forced_moves(self.game.table.options, new_steps, self.holder)
        return [
            line for move in moves for line in wrap_hanging(self.screen.to_text(f"  {move}", "dim"), self.screen.width)
        ]

    def format_entries(self, entries: Sequence[Entry], width: int = 0) -> Lines:
        """Return log entries as lines, wrapped to a width, by default that of the screen."""
        lines = [self.format_line(line) for line in build_lines(entries, self.game.players)]
        if self.screen.simple:
            return lines
        return [wrapped_line for line in lines for wrapped_line in wrap_hanging(line, width or self.screen.width)]

    def log_lines(self) -> list[DisplayLine]:
        """Return the whole log as the viewer may read it; after a game without a holder, everything."""
        entries = self.game.log if self.game.over and self.holder < 0 else self.view.log
        return build_lines(entries, self.game.players)

    def number_log_lines(self) -> Lines:
        """Return the log with a number before each line, for `why`."""
        lines = self.log_lines()
        digits = len(str(len(lines)))
        return [
            Text(f"{number:>{digits}} ", style="dim").append_text(self.format_line(line))
            for number, line in enumerate(lines, 1)
        ]

    def format_line(self, line: DisplayLine) -> Text:
        """Return a line of news: headings in bold, causes dimmed."""
        if line.heading:
            return Text(f"-- {self.screen.to_text(line.text).plain}", style="bold")
        text = self.screen.to_text("  " + line.text)
        if line.cause:
            return text.append(f" ({self.screen.to_text(line.cause).plain})", style="dim")
        return text

    def present(self, again: bool = False) -> None:
        """Show the news, the board and the question.

        With `again`, the news that were shown with the question before are repeated.
        """
        self.show_moments()
        new_lines, forced_moves = self.take_news(), self.take_forced_moves()
        if self.screen.alive:
            news = self.presented_lines + self.passing + new_lines if again else self.passing + new_lines
            messages = self.messages + forced_moves
            self.notes = self.notes + messages if again else messages + self.take_hint() + self.withheld_note()
            self.presented_lines = news
            self.draw_page(self.build_question(), news)
        else:
            self.screen.say(*new_lines, *forced_moves)
            self.screen.draw(questions.render_question(self.screen, self.build_question(), questions.WHOLE))
        self.passing, self.messages = [], []

    def show(self, lines: Lines) -> None:
        """Print lines, on a terminal page by page."""
        page = max(1, self.screen.height - PROMPT_LINES) if self.screen.alive else len(lines)
        for start in range(0, len(lines), page or 1):
            if start:
                self.screen.wait()
            self.screen.draw(lines[start : start + page])
        self.shown_lines = min(len(lines), page)

    def ask_again(self) -> None:
        """Print the question again below other output, or draw the page again if that leaves no room for it.

        Do nothing on plain streams.
        """
        if not self.screen.alive:
            return
        shown, self.shown_lines = self.shown_lines, 0
        if shown + len(self.question_lines) + PROMPT_LINES > self.screen.height:
            self.screen.wait()
            self.present(again=True)
        else:
            self.screen.draw([Text(""), *self.question_lines])

    def draw_page(self, question: PresentedQuestion, new_lines: Lines) -> None:
        """Draw the board, the last of the news and the question, fitted to the screen."""
        offered = {option.key for option in question.ask.options if option.value != DECLINE}
        board = self.make_board(offered, self.log_width and self.log_width + GAP)
        new_lines = [] if board.reserved else new_lines
        question, height = replace(question, listed=board.lists_all_offered), self.screen.height - 1
        render_question = partial(questions.render_question, self.screen, question)
        plan = BoardFitter(board, render_question, len(new_lines) + len(self.notes), height).plan()
        question_lines, board_lines = render_question(plan.question_detail), board.render(plan.detail)
        room = max(height - len(question_lines), 0)
        notes = self.notes[: max(room - len(board_lines), 0)]
        news = _last_lines(new_lines, room - len(board_lines) - len(notes))
        page = [*board_lines, *news, *notes]
        if board.reserved:
            log_lines = self.recent_log_lines(board.reserved - GAP, room)
            page = place_side_by_side([[fit(line, board.width) for line in page], log_lines], GAP)
        self.screen.start_page()
        self.screen.draw([*page, *question_lines])
        self.question_lines = question_lines

    @property
    def log_width(self) -> int:
        """Return the columns for the log beside the board; 0 on screens too narrow for it."""
        spare = self.screen.width - BOARD_WIDTH
        return min(spare, MAX_LOG_WIDTH) if spare >= LEAST_LOG_WIDTH and self.screen.alive else 0

    def recent_log_lines(self, width: int, height: int) -> Lines:
        """Return the end of the log below a heading, as onlookers may read it unless the screen is private."""
        public = View(self.game, len(self.game.players))
        entries = (self.view if self.private or self.holder < 0 else public).log[-3 * height :]
        lines = self.format_entries([entry for entry in entries if entry.kind != LOOK], width)
        return [*heading_lines(translate("Log"), width), *lines[-(height - 1) :]]

    def build_question(self) -> PresentedQuestion:
        """Return the current question with the outcomes of its options."""
        return questions.build_question(self.game.ask, self.asking_rule(), preview_options(self.game))

    def take_hint(self) -> Lines:
        """Return the lines that tell how to answer, the first time it is called; afterwards nothing."""
        is_done, self.has_hinted = self.has_hinted, True
        return [] if is_done else wrap(self.screen.to_text(f"  {translate(HINT)}", "dim"), self.screen.width)

    def withheld_note(self) -> Lines:
        """Return a line that points to `board` if panels of the holder are hidden from onlookers; else nothing."""
        if self.private or not rule_lines(self.view.panels()) - rule_lines(self.panels()):
            return []
        return [self.screen.to_text(f"  {translate('(`board` shows what only you may see.)')}", "dim")]

    def asking_rule(self) -> str:
        """Return the title of the rule that asks, unless it is the phase, which the board shows."""
        cause = self.game.program.cause_at(self.game.state[PC])
        if cause.title not in (cause.name, *self.game.phases[-1:]):
            return cause.title
        return ""

    def show_board(self) -> None:
        """Show the whole board with every grid, and all that the holder may see."""
        self.guard_all()
        if self.screen.simple:
            self.screen.say(*plain_board_lines(self.screen, self.panels(), self.game.phases, self.holder, self.hints()))
        else:
            self.show(self.make_board().render())

    def show_sheet(self, seat: int) -> None:
        """Show everything of a player's own that the holder may see."""
        self.guard_all()
        panels = [_select_seat(panel, seat) for panel in self.panels()]
        if self.screen.simple:
            self.screen.say(*plain_board_lines(self.screen, panels, (), self.holder), *plain_thing_lines(panels))
        else:
            board = replace(self.make_board(), panels=panels)
            self.show(board.render_sheet())


def _select_seat(panel: PanelView, seat: int) -> PanelView:
    """Return a panel with nothing but the rows and grids of a seat."""
    rows = tuple(row for row in panel.rows if row.seat == seat)
    return replace(panel, rows=rows, grids=tuple(grid for grid in panel.grids if grid.seat == seat), above=())


def _last_lines(lines: Lines, height: int) -> Lines:
    """Return the last lines that fit into a height, below a line `... and 12 earlier lines` if some are cut."""
    if len(lines) <= height:
        return lines
    shown = lines[len(lines) - max(height - 1, 0) :]
    earlier = translate("... and {number} earlier lines (log)", number=len(lines) - len(shown))
    return [Text(f"  {earlier}", style="dim"), *shown][: max(height, 0)]


def knows_more(game: Game, seat: int, other: int) -> bool:
    """Return True if a seat sees log lines, cells or a question that are hidden from another seat."""
    return (
        _has_private_entries(game, seat, other, 0)
        or _is_secret_question(game, seat)
        or _has_private_cells(game, seat, other)
    )


def reveals_more(game: Game, seat: int, other: int, since: int, lines: Collection[PanelRow] = ()) -> bool:
    """Return True if what a seat is shown now contains anything that another seat may not see.

    Args:
        game: The game.
        seat: The seat that is shown its view.
        other: A seat that looks on.
        since: The first log entry that is new to the seat.
        lines: Lines of the rules that the seat has seen; they need not be shown while others look on.
    """
    if _has_private_entries(game, seat, other, since) or _is_secret_question(game, seat):
        return True
    moments = (entry for entry in game.log[since:] if entry.kind == LOOK)
    if any(game.view(seat).summary(entry) != game.view(other).summary(entry) for entry in moments):
        return True
    if not _has_private_cells(game, seat, other):
        return False
    shared = with_common_knowledge(game, seat, [other])
    if _panels_differ(game.view(seat).panels(), shared.view(seat).panels(), lines):
        return True
    return not game.over and game.seat == seat and _question_reveals(game, shared, seat, other)


def _panels_differ(
    own_panels: Sequence[PanelView], shared_panels: Sequence[PanelView], seen_rows: Collection[PanelRow]
) -> bool:
    """Return True if a seat's panels differ from the shared ones in more than lines that it has seen."""
    if rule_lines(own_panels) - rule_lines(shared_panels) - set(seen_rows):
        return True
    return [_strip_lines(panel) for panel in own_panels] != [_strip_lines(panel) for panel in shared_panels]


def rule_lines(panels: Sequence[PanelView]) -> set[PanelRow]:
    """Return every line of the rules, in panels of lines and above other panels."""
    rows = {row for panel in panels if panel.shape == "lines" for row in panel.rows}
    return rows | {PanelRow("", (text,)) for panel in panels for text in panel.above}


def _strip_lines(panel: PanelView) -> PanelView:
    """Return a panel without lines of the rules: those above it, and all rows of a panel of lines."""
    return replace(panel, above=(), rows=() if panel.shape == "lines" else panel.rows)


def _question_reveals(game: Game, shared: Game, seat: int, other: int) -> bool:
    """Return True if the question reveals a secret by its options, its wording or their outcomes."""
    step = game.last_step
    visibility_masks = trace_step(game.table, step, trace_taint(game.table, step).before).offer_knowers
    if not all(mask >> other & 1 for mask in visibility_masks):
        return True
    return game.view(seat).ask != shared.view(seat).ask or preview_options(game) != preview_options(shared)


def _is_secret_question(game: Game, seat: int) -> bool:
    """Return True if the game puts a secret question to this seat now."""
    return not game.over and game.seat == seat and game.ask.secret


def _has_private_entries(game: Game, seat: int, other: int, since: int) -> bool:
    """Return True if a log entry from index `since` on is for `seat` but not for `other`."""
    recipients = (entry.seats for entry in game.log[since:] if entry.seats is not None)
    return any(seat in seats and other not in seats for seats in recipients)


def _has_private_cells(game: Game, seat: int, other: int) -> bool:
    """Return True if `seat` knows a name or cell of the state that `other` does not know."""
    has_private_names = not set(game.names_unknown(other)) <= set(game.names_unknown(seat))
    return has_private_names or Secrets.from_program(game.program).knows_more(game.state, seat, other)


def with_common_knowledge(game: Game, seat: int, others: Sequence[int]) -> Game:
    """Return a copy of the game in which a seat knows no secret cell that one of the others does not know."""
    state = game.state
    for _, mask_cell, _ in Secrets.from_program(game.program).cells:
        if not all(state[mask_cell] >> other & 1 for other in others):
            state[mask_cell] &= ~(1 << seat)
    return Game(game.table, state, game.draws, game.last_step)
