"""A game at the terminal: who is looking, what is shown, and what is asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.text import Text

from edict.agents.bots import Bot
from edict.apps.cli.playing import board, questions
from edict.apps.cli.playing.board import Board, Fitting, ending, hints_of, plain_lines
from edict.apps.cli.playing.questions import Put
from edict.apps.cli.playing.screen import Lines, Screen, hanging
from edict.game.explanations.option_previews import preview_options
from edict.game.table.game import Game
from edict.game.table.game_steps import list_steps
from edict.game.table.knowledge import Secrets
from edict.game.table.log import iter_forced_moves
from edict.game.table.log_entries import LOOK, DisplayLine, Entry, build_lines
from edict.game.table.panels import PanelRow, PanelView
from edict.game.table.tracing import trace_step, trace_taints
from edict.game.table.view import View
from edict.runtime.program.opcodes import DECLINE, PC

HINT = "  (Type an option's number or letter, or one of its words; ? and help explain.)"


class Session:
    """One game being played by the people at this keyboard and some bots.

    `holder` is the seat of the person looking at the screen, or -1. `path` is where the game is saved, if it is.
    """

    def __init__(
        self, game: Game, screen: Screen, bots: Mapping[int, Bot], speed: float = 0.0, path: Path | None = None
    ) -> None:
        self.game = game
        self.screen = screen
        self.bots = bots
        self.speed = speed
        self.path = path
        self.free = False  # whether answers are taken back whatever was revealed since
        self.people = tuple(seat for seat in range(len(game.players)) if seat not in bots)
        self.holder = self.people[0] if len(self.people) == 1 else -1
        self.private = True  # whether only the holder looks at the screen
        screen.shared = len(self.people) > 1
        self.secret_shown = False
        self.passing: Lines = []  # told since the last question, and about to be wiped from the screen
        self.presented: Lines = []  # told with the last question
        self.notes: Lines = []  # said of that question, which is not news
        self.asked: Lines = []  # the question, as it was drawn
        self.hinted = False
        self.attended = False  # whether whoever looks can be waited for
        self.numbered = False  # whether lines of the log have been shown with their numbers
        self.seen = dict.fromkeys((*self.people, -1), 0)
        self.steps = dict.fromkeys(self.seen, len(game.answers) and len(game.answers) + 1)  # of which all is told
        self.lines_seen: dict[int, set[PanelRow]] = {seat: set() for seat in self.people}  # only by them, on the board

    def exchange(self, game: Game, bots: Mapping[int, Bot], path: Path | None) -> None:
        """Continue with this game instead, whose log is known so far."""
        self.game, self.bots, self.path = game, bots, path
        self.seen = dict.fromkeys(self.seen, len(game.log))
        self.steps = dict.fromkeys(self.steps, len(game.answers) + 1)

    def tell_saved(self, lines: Sequence[str], wait: bool) -> None:
        """Show what happened to saved rules; `wait`: it is long, and must be read before the board is drawn."""
        if not self.screen.alive:
            self.screen.say(*lines)
        elif wait and self.people:
            self.screen.say("", *lines)
            self.screen.ask("Press Enter. ")
        else:
            self.passing += [self.screen.text("  " + line) for line in lines]

    def hand_over(self, seat: int) -> None:
        """Another person is asked now. Everybody may look on until something is to be shown that not all may see."""
        self.hide()
        self.holder, self.passing, self.presented = seat, [], []
        self.private = len(self.people) == 1

    def pass_on(self) -> None:
        """Only the holder may see what comes next: the screen is wiped, and the keyboard passed on if it was not."""
        if not self.private:
            name = self.game.players[self.holder]
            self.screen.clear()
            self.screen.say("", f"Pass the keyboard to {name}.", "")
            self.screen.ask(f"{name}: press Enter. ")
            self.screen.clear()
        self.private = self.secret_shown = True
        self.lines_seen[self.holder] |= lines_in(self.view.panels())

    def hide(self) -> None:
        """Nothing that only the holder may see stays on the screen; what was told since the answer is read first."""
        if self.holder >= 0 and self.secret_shown:
            if self.passing:
                self.screen.ask(f"{self.game.players[self.holder]}: press Enter to hide what only you may see. ")
            self.screen.clear()
        self.secret_shown = False

    @property
    def others(self) -> list[int]:
        """Who looks on, beside the holder."""
        return [seat for seat in self.people if seat != self.holder] if self.holder >= 0 else []

    def guard(self) -> None:
        """Pass the keyboard on if what is shown next is not for all who sit at it."""
        since, lines = self.seen[self.holder], self.lines_seen.get(self.holder, set())
        if any(shows_more(self.game, self.holder, one, since, lines) for one in self.others):
            self.pass_on()

    def guard_all(self) -> None:
        """The same before anything may be shown that the holder has ever come to know."""
        if any(holds_more(self.game, self.holder, one) for one in self.others):
            self.pass_on()

    def left(self) -> None:
        """Somebody stops: at a keyboard that several share, nothing secret stays on the screen."""
        if len(self.people) > 1 and self.secret_shown:
            self.screen.clear()

    def finish(self) -> None:
        """The end: the last news, the table as it is, and the result."""
        if len(self.people) > 1 and self.holder >= 0:
            self.hide()
            self.seen[-1], self.holder = self.seen[self.holder], -1
        self.tell()
        if self.screen.alive:
            self.screen.say("")
            self.screen.draw(self.board().lines())
        self.screen.draw(ending(self.screen, self.game, self.path))

    # --- what is shown

    @property
    def view(self) -> View:
        """What the person looking may know; with nobody in particular, what everybody may."""
        return View(self.game, self.holder if self.holder >= 0 else len(self.game.players))

    def board(self, offered: Collection[str] = ()) -> Board:
        """The board for the current viewer; `offered` are the keys of what may be chosen now."""
        game = self.game
        return Board(self.screen, game.program.title, self.panels(), game.phases, self.holder, offered, self.hints())

    def hints(self) -> list[str]:
        """What is said of the round and the cards beside the panels, as far as all who look may know it."""
        alone = self.private or self.holder < 0
        return hints_of(self.game, self.view if alone else View(self.game, len(self.game.players)))

    def panels(self) -> list[PanelView]:
        """What lies on the table for whoever looks; while all look on, as all of them know it."""
        if self.private or self.holder < 0:
            return self.view.panels()
        return as_all_know(self.game, self.holder, self.others).view(self.holder).panels()

    def look(self) -> None:
        """Show the moments to look since the last time, each until the player has seen it."""
        self.guard()
        for place in range(self.seen[self.holder], len(self.game.log)):
            if self.game.log[place].kind == LOOK:
                self.show(self.news(place), self.game.log[place])

    def show(self, new: Lines, entry: Entry) -> None:
        """A moment to look, after what led to it."""
        lines = board.moment_lines(self.screen, self.view.summary(entry), self.holder)
        if self.screen.alive:
            self.screen.fresh()
            new = _last(self.passing + new, self.screen.height - 2 - len(lines))
            self.passing = []
        self.screen.draw([*new, *lines])
        if self.attended and self.people:
            self.screen.wait()

    def tell(self) -> int:
        """Show what happened since the last time; returns how many lines that took."""
        self.look()
        lines = self.news()
        self.screen.say(*lines)
        self.passing += lines
        return len(lines)

    def news(self, end: int | None = None) -> Lines:
        """What is new to whoever is looking, as lines; up to an entry of the log, or all."""
        log = self.game.log[:end]
        new = [entry.seen_by(self.view.seat) for entry in log[self.seen[self.holder] :]]
        self.seen[self.holder] = len(log)
        return self.lines_of([entry for entry in new if entry is not None and entry.kind != LOOK])

    def unasked(self) -> Lines:
        """What whoever looks did without being asked; it may tell what they hold."""
        steps = list_steps(self.game.last_step)
        new, self.steps[self.holder] = steps[self.steps[self.holder] :], len(steps)
        if not self.private:
            return []
        said = iter_forced_moves(self.game.table.options, new, self.holder)
        return [line for words in said for line in hanging(self.screen.text(f"  {words}", "dim"), self.screen.width)]

    def lines_of(self, entries: Sequence[Entry]) -> Lines:
        lines = [self.line(line) for line in build_lines(entries, self.game.players)]
        return lines if self.screen.simple else [part for line in lines for part in hanging(line, self.screen.width)]

    def log_lines(self) -> list[DisplayLine]:
        """The whole log as the current viewer may read it; after the game, everything."""
        entries = self.game.log if self.game.over and self.holder < 0 else self.view.log
        return build_lines(entries, self.game.players)

    def numbered_lines(self) -> Lines:
        """The log with a number before each line, by which one can ask why."""
        lines = self.log_lines()
        digits = len(str(len(lines)))
        return [
            Text(f"{number:>{digits}} ", style="dim").append_text(self.line(line))
            for number, line in enumerate(lines, 1)
        ]

    def line(self, line: DisplayLine) -> Text:
        """A line of news: headings set off, causes dim."""
        if line.heading:
            return Text(f"-- {self.screen.text(line.text).plain}", style="bold")
        text = self.screen.text("  " + line.text)
        return text.append(f" ({self.screen.text(line.cause).plain})", style="dim") if line.cause else text

    def present(self, again: bool = False) -> None:
        """The news (those told with it before, if the question is put `again`), the board and the question."""
        self.look()
        new = self.passing + self.news() + self.unasked()
        if not self.screen.alive:
            self.screen.say(*new[len(self.passing) :])
            self.passing = []
            self.screen.draw(questions.shown(self.screen, self.put(), questions.WHOLE))
            return
        self.passing = []
        self.presented = new = self.presented + new if again else new
        self.notes = self.notes if again else self.hint() + self.withheld()
        self.draw(self.put(), new)

    def ask_again(self) -> None:
        """The question below what was said instead of an answer to it; on plain lines an empty answer brings it."""
        if self.screen.alive:
            self.screen.draw([Text(""), *self.asked])

    def draw(self, put: Put, new: Lines) -> None:
        """The board, the end of the news and the question, as they fit on the screen."""
        board = self.board({option.key for option in put.ask.options if option.value != DECLINE})
        put, height = replace(put, listed=board.lists_all), self.screen.height - 1
        plan = Fitting(board, partial(questions.shown, self.screen, put), len(new) + len(self.notes), height).plan()
        drawn, asked = board.lines(plan.detail), questions.shown(self.screen, put, plan.asked)
        self.screen.fresh()
        self.screen.draw(drawn)
        notes = self.notes[: max(height - len(drawn) - len(asked), 0)]
        self.screen.draw([*_last(new, height - len(drawn) - len(asked) - len(notes)), *notes])
        self.screen.draw(asked)
        self.asked = asked

    def put(self) -> Put:
        """The question as it is."""
        return questions.put(self.game.ask, self.because(), preview_options(self.game))

    def hint(self) -> Lines:
        """How to answer, once."""
        hinted, self.hinted = self.hinted, True
        return [] if hinted else [self.screen.text(HINT, "dim")]

    def withheld(self) -> Lines:
        """That the holder may see more than is shown while all look on."""
        if self.private or not lines_in(self.view.panels()) - lines_in(self.panels()):
            return []
        return [self.screen.text("  (`board` shows what only you may see.)", "dim")]

    def because(self) -> str:
        """The title of the rule that asks, unless it is the phase, which is shown above."""
        cause = self.game.program.cause_at(self.game.state[PC])
        return cause.title if cause.title not in (cause.name, *self.game.phases[-1:]) else ""

    def show_board(self) -> None:
        """The whole board, every player's grid drawn out, and all that is on it for the holder."""
        self.guard_all()
        if self.screen.simple:
            self.screen.say(*plain_lines(self.screen, self.panels(), self.game.phases, self.holder, self.hints()))
        else:
            self.screen.draw(self.board().lines())


def _last(lines: Lines, room: int) -> Lines:
    """The end of the news, if not all of it fits."""
    if len(lines) <= room:
        return lines
    kept = lines[len(lines) - max(room - 1, 0) :]
    return [Text(f"  ... and {len(lines) - len(kept)} earlier lines (log)", style="dim"), *kept][: max(room, 0)]


def holds_more(game: Game, seat: int, other: int) -> bool:
    """Whether a seat knows, or has been told since the beginning, anything that the other may not know."""
    return _told_more(game, seat, other, 0) or _asked_in_secret(game, seat) or _knows_more(game, seat, other)


def shows_more(game: Game, seat: int, other: int, since: int, lines: Collection[PanelRow] = ()) -> bool:
    """Whether there is anything the other may not see in what a seat is shown now: what is new in the log since this
    entry, what lies on the table, and the question if it is put to that seat.

    A line of the rules that the seat has seen already (one of `lines`) need not be shown while all look on.
    """
    if _told_more(game, seat, other, since) or _asked_in_secret(game, seat):
        return True
    looks = (entry for entry in game.log[since:] if entry.kind == LOOK)
    if any(game.view(seat).summary(entry) != game.view(other).summary(entry) for entry in looks):
        return True
    if not _knows_more(game, seat, other):
        return False
    shared = as_all_know(game, seat, [other])
    if _panels_differ(game.view(seat).panels(), shared.view(seat).panels(), lines):
        return True
    return not game.over and game.seat == seat and _asks_more(game, shared, seat, other)


def _panels_differ(own: Sequence[PanelView], shared: Sequence[PanelView], seen: Collection[PanelRow]) -> bool:
    """Whether anything but lines that have been `seen` is on one's own panels and not on those of all."""
    if lines_in(own) - lines_in(shared) - set(seen):
        return True
    return [_without_lines(one) for one in own] != [_without_lines(one) for one in shared]


def lines_in(panels: Sequence[PanelView]) -> set[PanelRow]:
    """Every line of the rules: panels of lines, and what stands above others."""
    rows = {row for panel in panels if panel.shape == "lines" for row in panel.rows}
    return rows | {PanelRow("", (words,)) for panel in panels for words in panel.above}


def _without_lines(panel: PanelView) -> PanelView:
    return replace(panel, above=(), rows=() if panel.shape == "lines" else panel.rows)


def _asks_more(game: Game, shared: Game, seat: int, other: int) -> bool:
    """Whether the question tells something: by what there is to choose from, by its words, by what is said of it."""
    step = game.last_step
    offered = trace_step(game.table, step, trace_taints(game.table, step)[-1].before).offer_knowers
    if not all(mask >> other & 1 for mask in offered):
        return True
    return game.view(seat).ask != shared.view(seat).ask or preview_options(game) != preview_options(shared)


def _asked_in_secret(game: Game, seat: int) -> bool:
    return not game.over and game.seat == seat and game.ask.secret


def _told_more(game: Game, seat: int, other: int, since: int) -> bool:
    told = (entry.seats for entry in game.log[since:] if entry.seats is not None)
    return any(seat in seats and other not in seats for seats in told)


def _knows_more(game: Game, seat: int, other: int) -> bool:
    named = not set(game.names_unknown(other)) <= set(game.names_unknown(seat))
    return named or Secrets.from_program(game.program).knows_more(game.state, seat, other)


def as_all_know(game: Game, seat: int, others: Sequence[int]) -> Game:
    """The same game, in which a seat knows no secret that one of the others does not know."""
    state = game.state
    for _, known, _ in Secrets.from_program(game.program).cells:
        if not all(state[known] >> other & 1 for other in others):
            state[known] &= ~(1 << seat)
    return Game(game.table, state, game.draws, game.last_step)
