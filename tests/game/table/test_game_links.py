"""Games in links: they round-trip; links of other rules, and broken and long ones, are refused."""

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

from calling import GAME, make_manifest, write_files
from edict.game.table import game_links
from edict.game.table.campaigns import Campaign
from edict.game.table.game import Game
from edict.game.table.game_errors import JournalError
from edict.game.table.game_links import (
    MOST_LINK_CHARACTERS,
    GameLink,
    GameLinkError,
    JournalOrder,
    compare_answers,
    contains_rules,
    is_same_game,
    read_link,
)
from edict.game.table.journal import Answer, parse_journal
from edict.game.table.rules import Rules, load_rules

PLAYERS = ("Ann", "Zoë 🦊", "Ben")


@cache
def load_modules(game: str, *modules: str) -> Rules:
    return load_rules(game, modules)


def play_answers(rules: Rules, answers: int, seed: int = 2**127 + 3, **more: Any) -> Game:
    """Return a game after this many answers or at its end."""
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
def test_link_restores_the_journal_byte_by_byte(game: str, modules: tuple[str, ...], answers: int, dice: str) -> None:
    journal = play_answers(load_modules(game, *modules), answers, dice=dice, bots=("", "greedy")).journal
    link = GameLink(journal, 1, ((0, (Answer(0, "a", "b"),)),))
    letters = link.encode()
    assert len(letters) < 3000 and not contains_rules(letters)
    found = read_link(f"https://example.org/game/#game={letters[:50]}\n{letters[50:]}")
    assert found.journal.to_bytes() == journal.to_bytes() and (found.to, found.held) == (link.to, link.held)


def test_link_contains_custom_rules_but_no_folders(tmp_path: Path) -> None:
    write_files(tmp_path / "isle", {"module.yaml": make_manifest("isle", "game"), "rules.edict": GAME})
    journal = play_answers(load_rules(tmp_path / "isle"), 3).journal
    letters = GameLink(replace(journal, keeps_rules=True)).encode()
    found = read_link(letters).journal
    assert contains_rules(letters) and found.keeps_rules and str(tmp_path) not in found.to_bytes().decode()
    assert found.header == replace(journal.header, game="isle") and found.bundle == journal.bundle
    assert is_same_game(journal, found)


def test_link_contains_no_campaign_folder(tmp_path: Path) -> None:
    rules = Campaign.read(tmp_path / "feud.jsonl").next(load_modules("kingsburg", "long-reign"))
    journal = rules.new_game(["Ann", "Ben"]).journal
    assert journal.header.chapter is not None
    chapter = read_link(GameLink(journal).encode()).journal.header.chapter
    assert chapter is not None and chapter.campaign == "feud" and chapter.values == journal.header.chapter.values


# --- what is no link ---------------------------------------------------------------------------------------


def encode_data(data: Any) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(data).encode())).decode().rstrip("=")


def decode_sample() -> Any:
    text = GameLink(play_answers(load_modules("pig"), 4).journal).encode()
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))))


def encode_changed(**to: Any) -> str:
    return encode_data(decode_sample() | to)


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
    "longer than its answers": (lambda: encode_changed(answers="x"), NOT_WHOLE),
    "nothing": (lambda: "", NO_GAME),
    "another link": (lambda: "https://example.org/#/seat/x", NO_GAME),
    "cut short": (lambda: encode_changed()[:-6], NOT_WHOLE),
    "more at its end": (lambda: encode_changed() + "AAAA", NOT_WHOLE),
    "a letter that is another": (lambda: encode_changed()[:30] + "_" + encode_changed()[31:], NOT_WHOLE),
    "no game": (lambda: encode_data([1]), NOT_WHOLE),
    "nested for ever": (lambda: encode_data(json.loads("[" * 400 + "]" * 400)), NOT_WHOLE),
    "too much in it": (lambda: encode_data({"header": {}, "answers": "x" * 20_000_000}), NOT_WHOLE),
    "too many letters": (lambda: "A" * (game_links.MOST_READ_CHARACTERS + 1), TOO_LONG),
    "as many letters as are read": (lambda: "A" * (10 * MOST_LINK_CHARACTERS), NOT_WHOLE),
    "an answer that is none": (lambda: encode_changed(answers=[[0, 1, 2]]), NOT_WHOLE),
    "a seat that is not there": (lambda: encode_changed(to=[7]), NOT_WHOLE),
    "a seat after the last": (lambda: encode_changed(to=[2]), NOT_WHOLE),
    "held by nobody": (lambda: encode_changed(held=[{"held": "x", "answers": 1}]), NOT_WHOLE),
    "rules of no name": (lambda: encode_changed(rules=[3]), NOT_WHOLE),
    "rules that are not here": (
        lambda: encode_changed(rules=[["lost-isle", None]]),
        ("it needs rules that are not here: lost-isle", SEND_FILE),
    ),
    "rules that cannot be read": (lambda: encode_changed(rules=[["isle", {"files": 1}]]), NOT_WHOLE),
    "other rules": (
        lambda: encode_changed(header=decode_sample()["header"] | {"rules": "0", "meaning": "1"}),
        ("it was played under other rules of pig than the ones here", SEND_FILE),
    ),
    "a later format": (lambda: encode_changed(header=decode_sample()["header"] | {"format": "edict journal 9"}), LATER),
}


def test_broken_links_are_refused(subtests: pytest.Subtests) -> None:
    for case, (make, says) in BROKEN.items():
        with subtests.test(case=case):
            with pytest.raises(JournalError) as found:
                read_link(make())
            assert (found.value.reason, found.value.remedy, found.value.place) == (*says, "link")


def test_game_too_large_for_a_link_is_refused() -> None:
    journal = play_answers(load_modules("pig"), 4).journal
    luck = Random(1)
    many = tuple(Answer(0, "q", f"{luck.getrandbits(128):032x}") for _ in range(MOST_LINK_CHARACTERS // 20))
    with pytest.raises(GameLinkError, match="too large for a link") as found:
        GameLink(replace(journal, answers=many)).encode()
    assert "file" in found.value.remedy


def test_link_may_be_as_long_as_its_limit() -> None:
    link = GameLink(play_answers(load_modules("pig"), 4).journal)
    text = link.encode()
    assert link.encode(len(text)) == text
    with pytest.raises(GameLinkError, match="too large for a link"):
        link.encode(len(text) - 1)


def test_link_opens_under_reworded_rules() -> None:
    journal = play_answers(load_modules("pig"), 4).journal
    old = replace(journal, header=replace(journal.header, rules="older", version="0.9"))
    found = read_link(GameLink(old).encode()).journal
    assert found.header == journal.header and is_same_game(old, found)
    assert (
        load_modules("pig").replay(parse_journal(found.to_bytes())).state == load_modules("pig").replay(journal).state
    )


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
def test_received_game_is_newer_older_same_or_forked(
    here: str, arrived: str, standing: JournalOrder, common: int
) -> None:
    found = compare_answers(*([Answer(0, "q", key, line) for line, key in enumerate(one)] for one in (here, arrived)))
    assert (found.order, found.common) == (standing, common)
    assert "".join(one.key for one in found.new) == (arrived[common:] if standing is JournalOrder.NEWER else "")


def test_games_with_different_seeds_are_different_games() -> None:
    one, other = (play_answers(load_modules("pig"), 3, seed=seed).journal for seed in (1, 2))
    assert not is_same_game(one, other)
