"""What of the board, the question and the news is shown on a screen of so many lines: what is needed most first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from edict.cli.playing.board import NAMED, SHORT, TOLD, Board, Detail
from edict.cli.playing.columns import Lines
from edict.cli.playing.questions import BARE, BRIEF, LINES, RUN_ON, WHOLE
from edict.cli.playing.listing import GOOD_WORDS, LEAST_WORDS, TIGHT_WORDS

LAST_NEWS, SOME_NEWS = 2, 6
EFFECTS = (2, 3, 4, 6, 20)  # lines for what one's own things do, tried one after the other
LEAST = Detail()


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is drawn of the board and of the question's options, and how many lines of news."""

    detail: Detail = LEAST
    asked: int = BARE
    news: int = 0


Wish = Callable[[Plan], Plan]


@dataclass(frozen=True)
class Fitting:
    """A board, a question (`asked` draws it in one of its ways) and so many lines of news, for `height` lines."""

    board: Board
    asked: Callable[[int], Lines]
    news: int
    height: int

    def plan(self) -> Plan:
        """As much as fits, by what is needed most."""
        plan = Plan()
        board = cache(lambda detail: len(self.board.lines(detail)))
        asked = cache(lambda room: len(self.asked(room)))
        for wish in self._wishes():
            wanted = wish(plan)
            if board(wanted.detail) + asked(wanted.asked) + min(self.news, wanted.news) <= self.height:
                plan = wanted
        return plan

    def _wishes(self) -> Iterator[Wish]:
        own = [_detailed(lambda detail: replace(detail, own=SHORT)), _effects(EFFECTS[0])]
        lists = [_listed(columns) for columns in (0, TIGHT_WORDS, LEAST_WORDS)]
        if self.board.lists_all:  # what the options do is said in the lists
            yield from [*lists, _asked(RUN_ON), *own, _asked(BRIEF)]
        else:
            yield from [_asked(LINES), *own, _asked(WHOLE), *lists]
        yield _news(LAST_NEWS)
        if self.board.tells:
            yield _detailed(lambda detail: replace(detail, own=TOLD))
        yield from (_effects(lines) for lines in EFFECTS)
        yield _detailed(lambda detail: replace(detail, own=max(detail.own, NAMED)))
        yield _news(SOME_NEWS)
        yield from map(_asked, (LINES, WHOLE))
        yield _listed(GOOD_WORDS)
        yield _detailed(lambda detail: replace(detail, others=True))
        yield _news(self.news)
        yield lambda plan: replace(plan, detail=replace(plan.detail, headed=plan.news >= self.news))


def _asked(room: int) -> Wish:
    return lambda plan: replace(plan, asked=max(plan.asked, room))


def _detailed(more: Callable[[Detail], Detail]) -> Wish:
    return lambda plan: replace(plan, detail=more(plan.detail))


def _listed(columns: int) -> Wish:
    """The lists, with so many columns for what things do."""
    return _detailed(lambda detail: replace(detail, lists=True, words=columns))


def _effects(lines: int) -> Wish:
    return _detailed(lambda detail: replace(detail, effects=lines))


def _news(lines: int) -> Wish:
    return lambda plan: replace(plan, news=lines)
