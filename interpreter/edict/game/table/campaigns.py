"""Campaigns: games of which each begins with what the rules carried over from the one before.

A campaign is a file with a checksum chain, as a journal is: a header, and a line for each game that was finished, for
each keep that was begun anew, and for each of these that was taken back. Every line holds all the values there were
after it. The file is written anew as a whole, so a process that dies leaves the old one or the new. A game that is only
begun counts nothing.

    campaign = edict.Campaign.read("winter.jsonl")
    game = campaign.next(rules).new_game(["Ann", "Brian"])
    ...
    campaign.count(game)  # once it is over
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edict.game.table.carry_over import Lasting, NoPlace
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import (
    MOST_BYTES,
    Chapter,
    ChecksumChain,
    Damaged,
    Values,
    are_texts,
    as_data,
    as_rows,
    from_rows,
    is_number,
    is_text,
    unusable,
)
from edict.support import locks
from edict.support.files import write_secret, write_whole
from edict.support.morphology import quote_words
from edict.support.paths import read_regular
from edict.support.report import did_you_mean

if TYPE_CHECKING:
    from edict.game.table.game import Game
    from edict.game.table.rules import Rules

PATIENCE = 10.0  # seconds to wait for another process to write its game down
COUNTED, BEFORE, TAKEN_BACK = "counted", "counted before", "taken back"


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign as its file has it; `entries` are those that stand, `known` the identities of all there ever were.

    typed: how people name it in a command, if not by its path.
    """

    path: Path
    typed: str = ""
    game: str = ""
    entries: tuple[CampaignEntry, ...] = ()
    known: frozenset[str] = frozenset()
    lines: tuple[dict[str, Any], ...] = ()

    @staticmethod
    def read(path: str | PathLike[str], typed: str = "") -> Campaign:
        """The campaign in a file; where there is none, one that has not begun. Raises `JournalError`."""
        where = Path(fspath(path))
        try:
            raw = read_regular(where, MOST_BYTES)
        except FileNotFoundError:
            return Campaign(where, typed)
        except (OSError, ValueError) as problem:
            raise unusable(where, problem) from None
        return Campaign(where, typed, *read_lines(raw, str(where)))

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def command(self) -> str:
        """What to type to do something with it."""
        return f"campaign {shlex.quote(self.typed or str(self.path))}"

    @property
    def games(self) -> tuple[CampaignEntry, ...]:
        """The games that count, the first one first."""
        return tuple(one for one in self.entries if not one.forgot)

    @property
    def values(self) -> Values:
        """What the next game begins with."""
        return self.entries[-1].values if self.entries else {}

    @property
    def told(self) -> dict[str, tuple[str, str]]:
        """The same in words, by keep: a title and what it is."""
        return self.entries[-1].told if self.entries else {}

    @property
    def last(self) -> str:
        return self.entries[-1].identity if self.entries else ""

    # --- playing

    def next(self, rules: Rules) -> Rules:
        """The rules for the next game, which begins with what was carried over: `campaign.next(rules).new_game(...)`.

        A campaign that has not begun gets its file, in a folder that is there. Raises `GameError` if these rules carry
        nothing over, are those of another game, or have no place for what was carried over.
        """
        program = rules.program
        if not any(one.lasting for one in program.variables):
            remedy = "declare what lasts with `lasting keep`, or play without a campaign"
            raise GameError(f"{program.title} carries nothing over from game to game", remedy)
        if self.game not in ("", program.name):
            remedy = "name another campaign, or the game it is of"
            raise GameError(f"the campaign {self.name} is of `{self.game}`, not of `{program.name}`", remedy)
        try:
            Lasting(program, ()).check(self.values)
        except NoPlace as problem:
            raise GameError(f"in the campaign {self.name}: {problem.reason}", _remedy(problem, self)) from None
        if not self.lines:
            self._make(program.name)
        number, identity = len(self.games) + 1, secrets.token_hex(8)
        return replace(rules, chapter=Chapter(str(self.path.absolute()), number, identity, self.last, self.values))

    def count(self, game: Game) -> str:
        """Write down what a finished game of the campaign came to; gives "counted", or why it was not needed.

        That is "counted before" or "taken back": a game counts once, and not again after `undo`. Raises `GameError` if
        the campaign has gone on without it, `JournalError` if the file cannot be written.
        """
        chapter = game.table.header.chapter
        if chapter is None or not game.over:
            raise GameError("only a finished game of a campaign can count", "play it to its end")
        if not Campaign.read(self.path).lines:
            raise GameError(f"there is no campaign at {self.path}", "put its file back, and resume this game")
        with self._changing() as now:
            if chapter.identity in now.known:
                return BEFORE if any(one.identity == chapter.identity for one in now.entries) else TAKEN_BACK
            if chapter.after != now.last:
                raise GameError(
                    f"this game does not count in the campaign {self.name}, which has gone on since the game began",
                    f"undo what came in between (`{self.command} --undo`) and resume this game; it is saved",
                )
            now._add(finished(game, chapter))
        return COUNTED

    # --- going back

    def undo(self) -> CampaignEntry:
        """Take back the last game or the last fresh start of a keep, and return it. `GameError` if there is none."""
        with self._changing() as now:
            if not now.entries:
                raise GameError(f"the campaign {self.name} has no game to undo", "play one with --campaign")
            now._write((*now.lines, {"undo": now.last}))
            return now.entries[-1]

    def forget(self, keep: str) -> None:
        """Start a keep afresh, as in a first game. Raises `GameError` if there is none of that name."""
        with self._changing() as now:
            names = dict.fromkeys(key[0] for key in now.values)
            if keep not in names:
                remedy = did_you_mean(keep, names) or f"it carries over {', '.join(names) or 'nothing'}"
                raise GameError(f"the campaign {self.name} does not carry over `{keep}`", remedy)
            left = {key: value for key, value in now.values.items() if key[0] != keep}
            shown = {name: words for name, words in now.told.items() if name != keep}
            now._add(CampaignEntry(secrets.token_hex(8), left, shown, moment(), forgot=keep))

    # --- the file

    @contextmanager
    def _changing(self) -> Iterator[Campaign]:
        """The campaign as its file has it, which nobody else writes meanwhile."""
        held = _held(self.path)
        try:
            yield Campaign.read(self.path, self.typed)
        finally:
            held.release()

    def _make(self, game: str) -> None:
        with self._changing() as now:
            if not now.lines:
                now._write(({"format": FORMAT, "game": game},))

    def _add(self, entry: CampaignEntry) -> None:
        self._write((*self.lines, entry.to_data()))

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        chain = ChecksumChain()
        raw = b"".join(chain.line(data) for data in lines)
        try:
            if not self.path.exists():
                beside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.part")
                write_secret(beside, raw)
                beside.replace(self.path)
            else:
                write_whole(self.path, raw.decode())
        except OSError as problem:
            raise unusable(self.path, problem) from None


def _remedy(problem: NoPlace, campaign: Campaign) -> str:
    """What can be done about a value that rules have no place for."""
    played = campaign.games[-1].modules if campaign.games else ()
    same = f"play with {quote_words(played)} as last time, " if played else ""
    anew = f"begin it anew with `{campaign.command} --forget {problem.keep}`"
    renamed = "list what was renamed under `renamed` in the manifest"
    return f"{problem.remedy + ' ' if problem.remedy else ''}{same}{renamed}, or {anew}"


def _held(path: Path) -> locks.Lock:
    """The lock of a campaign's file, after waiting for whoever writes there. Raises `JournalError`."""
    try:
        return locks.wait_for(path, PATIENCE)
    except OSError as problem:
        raise unusable(path, problem) from None


# --- the lines of the file ------------------------------------------------------------------------------

FORMAT = "edict campaign 1"
TEXTS = ("identity", "written", "forgot", "rules", "base")
LISTS = ("players", "bots", "winners", "modules")


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """What a campaign came to: a game that was finished, or (`forgot`) a keep that starts over.

    `told` are the values in words, by their keeps: a title, and what it was. `base` and `modules` are what the rules
    were loaded by, `rules` is their hash.
    """

    identity: str
    values: Values
    told: dict[str, tuple[str, str]]
    written: str
    forgot: str = ""
    players: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    scores: dict[str, int] = field(default_factory=dict)
    winners: tuple[str, ...] = ()
    rules: str = ""
    base: str = ""
    modules: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in TEXTS},
            **{name: list(getattr(self, name)) for name in LISTS},
            "scores": self.scores,
            "told": {name: list(words) for name, words in self.told.items()},
            "values": as_rows(self.values),
        }

    @staticmethod
    def from_data(data: dict[str, Any]) -> CampaignEntry:
        """Raises `Damaged` if that is none."""
        values, scores = from_rows(data.get("values")), data.get("scores")
        if values is None or not isinstance(scores, dict) or not all(map(is_number, scores.values())):
            raise Damaged("the line is not one of a campaign")
        for names, test in ((TEXTS, is_text), (LISTS, are_texts)):
            if not all(test(data.get(name)) for name in names):
                raise Damaged("the line is not one of a campaign")
        plain = {name: data[name] for name in TEXTS} | {name: tuple(data[name]) for name in LISTS}
        return CampaignEntry(values=values, scores=scores, told=_told(data.get("told")), **plain)


def _told(data: Any) -> dict[str, tuple[str, str]]:
    """Raises `Damaged` if these are not words for values."""
    if not isinstance(data, dict) or not all(isinstance(words, list) and len(words) == 2 for words in data.values()):
        raise Damaged("the line is not one of a campaign")
    return {name: (str(title), str(words)) for name, (title, words) in data.items()}


def finished(game: Game, chapter: Chapter) -> CampaignEntry:
    """What a game that is over came to."""
    lasting, header, result = game.table.lasting, game.table.header, game.result
    assert result is not None
    values = lasting.carried_over(chapter.values, game.state)
    return CampaignEntry(
        chapter.identity,
        values,
        lasting.told(values),
        moment(),
        "",
        game.players,
        header.bots,
        result.scores,
        result.winners,
        header.rules,
        header.game,
        header.modules,
    )


def moment() -> str:
    return f"{datetime.now():%Y-%m-%d %H:%M}"


Found = tuple[str, tuple[CampaignEntry, ...], frozenset[str], tuple[dict[str, Any], ...]]


def read_lines(raw: bytes, place: str) -> Found:
    """The game, the entries that stand, the identities of all there were, and the lines. Raises `JournalError`."""
    entries: list[CampaignEntry] = []
    chain = ChecksumChain()
    known: set[str] = set()
    lines: list[dict[str, Any]] = []
    for number, line in enumerate(raw.removesuffix(b"\n").split(b"\n"), 1):
        try:
            lines.append(chain.read(line) if lines or _is_header(line) else {})
            if len(lines) > 1:
                _take(lines[-1], entries)
        except Damaged as problem:
            remedy = "put a copy of the file in its place, or delete this line and those after it to play on from there"
            raise JournalError(str(problem), remedy if number > 1 else "name another file", number, place) from None
        chain.append(line + b"\n")
        known.update(one.identity for one in entries[-1:])
    return lines[0]["game"], tuple(entries), frozenset(known), tuple(lines)


def _is_header(line: bytes) -> bool:
    """Raises `Damaged` if it is none of ours."""
    data = as_data(line)
    if data.get("format") != FORMAT or not is_text(data.get("game")):
        raise Damaged("it does not begin with the header of a campaign")
    return True


def _take(data: dict[str, Any], entries: list[CampaignEntry]) -> None:
    """A line: an entry, or the taking back of the last."""
    if set(data) != {"undo"}:
        entries.append(CampaignEntry.from_data(data))
    elif entries and data["undo"] == entries[-1].identity:
        entries.pop()
    else:
        raise Damaged("it takes back what is not there")
