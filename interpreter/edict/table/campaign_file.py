"""The lines of a campaign's file: what each of them says, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from edict.table.chapter import Chapter
from edict.table.errors import JournalError
from edict.table.journal import are_texts, is_number, is_text
from edict.table.lasting import Values, as_rows, from_rows
from edict.table.sealing import Damaged, Seal, as_data

if TYPE_CHECKING:
    from edict.table.game import Game

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
            **{name: getattr(self, name) for name in TEXTS}, **{name: list(getattr(self, name)) for name in LISTS},
            "scores": self.scores, "told": {name: list(words) for name, words in self.told.items()},
            "values": as_rows(self.values),
        }  # fmt: skip

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
        chapter.identity, values, lasting.told(values), moment(), "", game.players, header.bots, result.scores,
        result.winners, header.rules, header.game, header.modules,
    )  # fmt: skip


def moment() -> str:
    return f"{datetime.now():%Y-%m-%d %H:%M}"


Found = tuple[str, tuple[CampaignEntry, ...], frozenset[str], tuple[dict[str, Any], ...]]


def read_lines(raw: bytes, place: str) -> Found:
    """The game, the entries that stand, the identities of all there were, and the lines. Raises `JournalError`."""
    entries: list[CampaignEntry] = []
    seal = Seal()
    known: set[str] = set()
    lines: list[dict[str, Any]] = []
    for number, line in enumerate(raw.removesuffix(b"\n").split(b"\n"), 1):
        try:
            lines.append(seal.opened(line) if lines or _is_header(line) else {})
            if len(lines) > 1:
                _take(lines[-1], entries)
        except Damaged as problem:
            remedy = "put a copy of the file in its place, or delete this line and those after it to play on from there"
            raise JournalError(str(problem), remedy if number > 1 else "name another file", number, place) from None
        seal.took(line + b"\n")
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
