"""Who sits down, and by which settings: names, in which what people see as one character counts as one, and numbers."""

from __future__ import annotations

import pytest
from table_kit import PAIR, RACE

from edict.rendering import plain
from edict.table.game_errors import GameError
from edict.table.setup import LONGEST_NAME, checked_name, short_name

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
JOINED = ["👩\u200d🚀", "👨\u200d👩\u200d👧\u200d👦", ENGLAND, "🏳️\u200d🌈", "👍🏽", "🇮🇹"]


@pytest.mark.parametrize("one", JOINED)
def test_joined_emoji_are_one_character_of_a_name_and_never_cut_in_two(one: str) -> None:
    assert checked_name(f"Ann {one}") == f"Ann {one}"
    assert checked_name(one * LONGEST_NAME) == one * LONGEST_NAME
    with pytest.raises(GameError, match=f"{LONGEST_NAME + 1} characters"):
        checked_name(one * (LONGEST_NAME + 1))
    assert short_name(f" {'x' * (LONGEST_NAME - 1)}{one}{one}") == "x" * (LONGEST_NAME - 1) + one
    assert plain(f"{one} rolls") == f"{one} rolls" and plain(f"{one}\u202e!") == f"{one}?!", "in a terminal"


@pytest.mark.parametrize("name", ["An\u200dn", "Ann\u200d", "\u200dAnn", "Ann\u202e", "\U000e0067"])
def test_signs_that_join_nothing_are_refused_and_shown(name: str) -> None:
    with pytest.raises(GameError, match="cannot be displayed"):
        checked_name(name)
    assert "?" in plain(name)


def test_no_name_is_made_of_endless_signs() -> None:
    with pytest.raises(GameError, match="too many signs"):
        checked_name("a" + "\u0301" * 1000)
    assert len(short_name("a" + "\u0301" * 1000)) <= 400


@pytest.mark.parametrize(
    ("players", "reason"),
    [
        (["Ann"], "for 2 players, not 1"),
        (["Ann", "ann"], "two players"),
        (["Ann", " "], "no name"),
        (["Ann", "B\x1bob"], "cannot be displayed"),
        (["Ann", "B" * 41], "41 characters"),
        (["Ann", 3], "must be text"),
        ("AB", "a list of names"),
    ],
)
def test_players_are_checked(players: list[str], reason: str) -> None:
    with pytest.raises(GameError, match=reason) as caught:
        RACE.new_game(players)
    assert caught.value.remedy


def test_settings_are_checked() -> None:
    game = RACE.new_game(PAIR, seed=1, settings={"goal": "20", "kind": "on"})
    assert game.journal.header.settings == {"goal": 20, "kind": 1}
    for wrong in ({"gaol": 3}, {"goal": True}, {"goal": "many"}, {"kind": 3}):
        with pytest.raises(GameError) as caught:
            RACE.new_game(PAIR, settings=wrong)
        assert caught.value.remedy
    for seed in (0, 2**128 - 1):
        assert RACE.new_game(PAIR, seed=seed).journal.header.seed == seed
    for arguments in ({"seed": -1}, {"seed": 2**128}, {"seed": True}, {"dice": "loaded"}):
        with pytest.raises(GameError):
            RACE.new_game(PAIR, **arguments)  # type: ignore[arg-type, unused-ignore]
