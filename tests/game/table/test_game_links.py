"""Games in links: read again they are the same; links of other rules, broken and too long ones are told from games."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from calling import GAME, manifest, write
from edict.game.table import game_links
from edict.game.table.campaigns import Campaign
from edict.game.table.game import Game
from edict.game.table.game_errors import JournalError
from edict.game.table.game_links import (
    LONGEST,
    GameLink,
    JournalOrder,
    WrongLink,
    brings_rules,
    compared,
    read_link,
    same_game,
)
from edict.game.table.journal import Answer, parse_journal
from edict.game.table.rules import Rules, load_rules

PLAYERS = ("Ann", "Zoë 🦊", "Ben")


@cache
def rules_of(game: str, *modules: str) -> Rules:
    return load_rules(game, modules)


def played(rules: Rules, answers: int, seed: int = 2**127 + 3, **more: Any) -> Game:
    """A game that has come so far, or to its end."""
    luck = Random(seed)
    game = rules.new_game(PLAYERS[: max(2, rules.program.least_players)], seed=seed, **more)
    while not game.over and len(game.answers) < answers:
        game.answer(luck.choice(game.ask.options).key)
    return game


@pytest.mark.parametrize(
    ("game", "modules", "answers"),
    [
        ("pig", (), 0),
        ("pig", (), 999),
        ("kingsburg", ("destiny", "governors"), 25),
        ("kuhn-poker", (), 2),
        ("four-lanes", (), 7),
    ],
)
@pytest.mark.parametrize("dice", ["seeded", "typed"])
def test_a_game_read_from_its_link_is_the_same_to_the_last_byte(
    game: str, modules: tuple[str, ...], answers: int, dice: str
) -> None:
    journal = played(rules_of(game, *modules), answers, dice=dice, bots=("", "greedy")).journal
    link = GameLink(journal, 1, ((0, (Answer(0, "a", "b"),)),))
    letters = link.letters()
    assert len(letters) < 3000 and not brings_rules(letters)
    found = read_link(f"https://example.org/game/#game={letters[:50]}\n{letters[50:]}")
    assert found.journal.to_bytes() == journal.to_bytes() and (found.to, found.held) == (link.to, link.held)


def test_rules_that_do_not_ship_are_in_the_link_and_folders_are_not(tmp_path: Path) -> None:
    write(tmp_path / "isle", {"module.yaml": manifest("isle", "game"), "rules.edict": GAME})
    journal = played(load_rules(tmp_path / "isle"), 3).journal
    letters = GameLink(replace(journal, keeps_rules=True)).letters()
    found = read_link(letters).journal
    assert brings_rules(letters) and found.keeps_rules and str(tmp_path) not in found.to_bytes().decode()
    assert found.header == replace(journal.header, game="isle") and found.bundle == journal.bundle
    assert same_game(journal, found)


def test_a_link_says_no_folder_of_a_campaign(tmp_path: Path) -> None:
    rules = Campaign.read(tmp_path / "feud.jsonl").next(rules_of("kingsburg", "long-reign"))
    journal = rules.new_game(["Ann", "Ben"]).journal
    assert journal.header.chapter is not None
    chapter = read_link(GameLink(journal).letters()).journal.header.chapter
    assert chapter is not None and chapter.campaign == "feud" and chapter.values == journal.header.chapter.values


# --- what is no link ---------------------------------------------------------------------------------------


def packed(data: Any) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(data).encode())).decode().rstrip("=")


def unpacked() -> Any:
    text = GameLink(played(rules_of("pig"), 4).journal).letters()
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))))


def changed(**to: Any) -> str:
    return packed(unpacked() | to)


NO_GAME = ("there is no game in this link", "copy the whole link: a game stands behind #game=")
NOT_WHOLE = (
    "this link is not complete, or something in it was changed",
    "copy it again, from beginning to end",
)
TOO_LONG = ("this link is too long to hold a game", "copy it again, from beginning to end")
SEND_FILE = "ask whoever sent it for the file of the game, which brings its rules along"
LATER = (
    "its format is 'edict journal 9'",
    "this version reads 'edict journal 2' and 'edict journal 1'; open it with the version it was made with",
)
BROKEN: dict[str, tuple[Callable[[], str], tuple[str, str]]] = {
    "longer than its answers": (lambda: changed(answers="x"), NOT_WHOLE),
    "nothing": (lambda: "", NO_GAME),
    "another link": (lambda: "https://example.org/#/seat/x", NO_GAME),
    "cut short": (lambda: changed()[:-6], NOT_WHOLE),
    "more at its end": (lambda: changed() + "AAAA", NOT_WHOLE),
    "a letter that is another": (lambda: changed()[:30] + "_" + changed()[31:], NOT_WHOLE),
    "no game": (lambda: packed([1]), NOT_WHOLE),
    "nested for ever": (lambda: packed(json.loads("[" * 400 + "]" * 400)), NOT_WHOLE),
    "too much in it": (lambda: packed({"header": {}, "answers": "x" * 20_000_000}), NOT_WHOLE),
    "too many letters": (lambda: "A" * (game_links.MOST_LETTERS + 1), TOO_LONG),
    "as many letters as are read": (lambda: "A" * (10 * LONGEST), NOT_WHOLE),
    "an answer that is none": (lambda: changed(answers=[[0, 1, 2]]), NOT_WHOLE),
    "a seat that is not there": (lambda: changed(to=[7]), NOT_WHOLE),
    "held by nobody": (lambda: changed(held=[{"held": "x", "answers": 1}]), NOT_WHOLE),
    "rules of no name": (lambda: changed(rules=[3]), NOT_WHOLE),
    "rules that are not here": (
        lambda: changed(rules=[["lost-isle", None]]),
        ("it needs rules that are not here: lost-isle", SEND_FILE),
    ),
    "rules that cannot be read": (lambda: changed(rules=[["isle", {"files": 1}]]), NOT_WHOLE),
    "other rules": (
        lambda: changed(header=unpacked()["header"] | {"rules": "0", "meaning": "1"}),
        ("it was played under other rules of pig than the ones here", SEND_FILE),
    ),
    "a later format": (lambda: changed(header=unpacked()["header"] | {"format": "edict journal 9"}), LATER),
}


def test_what_is_no_link_or_a_broken_one_says_so() -> None:
    for case, (make, says) in BROKEN.items():
        with pytest.raises(JournalError) as found:
            read_link(make())
        assert (found.value.reason, found.value.remedy, found.value.place) == (*says, "link"), case


def test_a_game_that_no_address_can_carry_is_sent_as_a_file() -> None:
    journal = played(rules_of("pig"), 4).journal
    luck = Random(1)
    many = tuple(Answer(0, "q", f"{luck.getrandbits(128):032x}") for _ in range(LONGEST // 20))
    with pytest.raises(WrongLink, match="too large for a link") as found:
        GameLink(replace(journal, answers=many)).letters()
    assert "file" in found.value.remedy


def test_rules_that_are_worded_otherwise_but_mean_the_same_still_play_it() -> None:
    journal = played(rules_of("pig"), 4).journal
    old = replace(journal, header=replace(journal.header, rules="older", version="0.9"))
    found = read_link(GameLink(old).letters()).journal
    assert found.header == journal.header and same_game(old, found)
    assert rules_of("pig").replay(parse_journal(found.to_bytes())).state == rules_of("pig").replay(journal).state


# --- two courses of a game -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("here", "arrived", "standing", "common"),
    [
        ("abc", "abc", JournalOrder.SAME, 3),
        ("ab", "abcd", JournalOrder.NEWER, 2),
        ("abcd", "ab", JournalOrder.OLDER, 2),
        ("abxz", "aby", JournalOrder.FORKED, 2),
        ("", "a", JournalOrder.NEWER, 0),
    ],
)
def test_what_arrives_is_newer_older_the_same_or_another_course(
    here: str, arrived: str, standing: JournalOrder, common: int
) -> None:
    found = compared(*([Answer(0, "q", key, line) for line, key in enumerate(one)] for one in (here, arrived)))
    assert (found.standing, found.common) == (standing, common)
    assert "".join(one.key for one in found.new) == (arrived[common:] if standing is JournalOrder.NEWER else "")


def test_games_of_the_same_people_are_not_the_same_game() -> None:
    one, other = (played(rules_of("pig"), 3, seed=seed).journal for seed in (1, 2))
    assert not same_game(one, other)
