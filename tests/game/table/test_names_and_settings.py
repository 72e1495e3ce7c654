"""Names and settings: names counted in visible characters, and the limits of numbers and seeds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edict.game.table.game_errors import GameError
from edict.game.table.setup import LONGEST_NAME, check_name, check_settings, parse_seed, parse_setting, shorten_name
from edict.runtime.program import LinkedSetting
from edict.support.rendering import escape_terminal
from table_kit import CARD, PAIR, RACE

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
JOINED = ["👩\u200d🚀", "👨\u200d👩\u200d👧\u200d👦", ENGLAND, "🏳️\u200d🌈", "👍🏽", "🇮🇹"]


@pytest.mark.parametrize("one", JOINED)
def test_joined_emoji_count_as_one_character_and_are_never_split(one: str) -> None:
    assert check_name(f"Ann {one}") == f"Ann {one}"
    assert check_name(one * LONGEST_NAME) == one * LONGEST_NAME
    with pytest.raises(GameError, match=f"{LONGEST_NAME + 1} characters"):
        check_name(one * (LONGEST_NAME + 1))
    assert shorten_name(f" {'x' * (LONGEST_NAME - 1)}{one}{one}") == "x" * (LONGEST_NAME - 1) + one
    assert escape_terminal(f"{one} rolls") == f"{one} rolls" and escape_terminal(f"{one}\u202e!") == f"{one}?!", (
        "in a terminal"
    )


@pytest.mark.parametrize("name", ["An\u200dn", "Ann\u200d", "\u200dAnn", "Ann\u202e", "\U000e0067"])
def test_stray_joiners_are_refused_and_shown(name: str) -> None:
    with pytest.raises(GameError, match="cannot be displayed"):
        check_name(name)
    assert "?" in escape_terminal(name)


def test_name_with_too_many_code_points_is_refused() -> None:
    with pytest.raises(GameError, match="too many signs"):
        check_name("a" + "\u0301" * 1000)
    assert len(shorten_name("a" + "\u0301" * 1000)) == 400


CANNOT_SIT_DOWN = [
    (["Ann"], "Race is for 2 players, not 1", "name 2 players"),
    (["Ann", "Ben", "Cleo"], "Race is for 2 players, not 3", "name 2 players"),
    (["Ann", "ann"], "two players are called ann", "give each player a different name"),
    (["Ann", " "], "a player has no name", "give each player a name"),
    (["Ann", "B\x1bob"], "the name 'B\\x1bob' contains a character that cannot be displayed", "leave it out"),
    (["Ann", "B\u2028b"], "the name 'B\\u2028b' contains a character that cannot be displayed", "leave it out"),
    (["Ann", "B" * 41], "a player's name is 41 characters long", "at most 40 fit on the table"),
    (["Ann", "B" + "\u0301" * 400], "a player's name is made of too many signs", "leave some of them out"),
    (["Ann", 3], "a player's name must be text, not 3", "put it in quotes"),
    ("AB", "players must be a list of names, not one text", 'write ["Ann", "Brian"]'),
]


@pytest.mark.parametrize(("players", "reason", "remedy"), CANNOT_SIT_DOWN)
def test_invalid_players_are_refused(players: list[str], reason: str, remedy: str) -> None:
    with pytest.raises(GameError) as caught:
        RACE.new_game(players)
    assert (caught.value.reason, caught.value.remedy) == (reason, remedy)


def test_names_are_normalized_and_limited_in_length() -> None:
    game = RACE.new_game([" Ann ", "B" + "\u0301" * 399], seed=1)
    assert game.journal.header.players == ("Ann", "B" + "\u0301" * 399)
    assert RACE.new_game(["Zoe\u0308", "B" * 40], seed=1).journal.header.players == ("Zoë", "B" * 40)
    with pytest.raises(GameError, match="two players are called zoë"):
        RACE.new_game(["Zoe\u0308", "zoë"])


SIZE = LinkedSetting("size", "Size", 0, 3, False, 2, 5)
GOAL, KIND = RACE.program.settings
OPEN_ENDED, BOUND = "it must be a whole number", "it must be a number from 2 to 5"
VALUES: list[tuple[LinkedSetting, object, int | str]] = [
    (GOAL, "20", 20),
    (GOAL, 999_999_999, 999_999_999),
    (GOAL, " -5 ", -5),
    (GOAL, 1_000_000_000, OPEN_ENDED),
    (GOAL, True, OPEN_ENDED),
    (GOAL, "many", OPEN_ENDED),
    (GOAL, "--1", OPEN_ENDED),
    (GOAL, "1-", OPEN_ENDED),
    (GOAL, "", OPEN_ENDED),
    (GOAL, 1.5, OPEN_ENDED),
    (SIZE, 1, BOUND),
    (SIZE, 2, 2),
    (SIZE, "5", 5),
    (SIZE, 6, BOUND),
    (KIND, True, 1),
    (KIND, "on", 1),
    (KIND, "Yes", 1),
    (KIND, "TRUE", 1),
    (KIND, "1", 1),
    (KIND, 1, 1),
    (KIND, False, 0),
    (KIND, "off", 0),
    (KIND, "no", 0),
    (KIND, "false", 0),
    (KIND, 0, 0),
    (KIND, 3, "it must be on or off"),
    (KIND, "maybe", "it must be on or off"),
]


@pytest.mark.parametrize(("setting", "value", "outcome"), VALUES)
def test_settings_are_parsed_or_refused(setting: LinkedSetting, value: object, outcome: int | str) -> None:
    if isinstance(outcome, int):
        assert parse_setting(setting, value) == outcome
        return
    with pytest.raises(GameError) as caught:
        parse_setting(setting, value)
    shown = value if setting is SIZE else repr(value)
    assert caught.value.reason == f"invalid value for the setting `{setting.name}`: {shown}"
    assert caught.value.remedy == outcome


def test_settings_are_found_by_current_and_former_names(subtests: pytest.Subtests) -> None:
    assert check_settings(RACE.program, {"kind": "on"}) == {"goal": 10, "kind": 1}
    renamed = replace(RACE.program, renamed=(("target", "goal"), ("kind", "goal")))
    assert check_settings(renamed, {"target": 12, "kind": 1}) == {"goal": 12, "kind": 1}, "what is known is meant"
    for wrong, remedy in (("gaol", "did you mean `goal`?"), ("xyz", "the settings are: goal, kind")):
        with subtests.test(wrong=wrong):
            with pytest.raises(GameError) as caught:
                RACE.new_game(PAIR, settings={wrong: 3})
            assert (caught.value.reason, caught.value.remedy) == (f"there is no setting `{wrong}`", remedy)
    with pytest.raises(GameError) as caught:
        CARD.new_game(PAIR, settings={"goal": 3})
    assert caught.value.remedy == "the settings are: none"


@pytest.mark.parametrize("seed", [0, 2**128 - 1])
def test_seeds_within_their_limits_are_accepted(seed: int) -> None:
    assert RACE.new_game(PAIR, seed=seed).journal.header.seed == seed == parse_seed(str(seed))


@pytest.mark.parametrize("seed", [-1, 2**128, True, "7"])
def test_seeds_beyond_their_limits_are_refused(seed: object) -> None:
    with pytest.raises(GameError) as caught:
        RACE.new_game(PAIR, seed=seed)  # type: ignore[arg-type, unused-ignore]
    assert caught.value.reason == f"invalid seed {seed!r}"
    assert caught.value.remedy == "it must be a whole number from 0 to 2**128 - 1"


def test_dice_are_seeded_or_typed() -> None:
    with pytest.raises(GameError) as caught:
        RACE.new_game(PAIR, dice="loaded")
    assert (caught.value.reason, caught.value.remedy) == (
        "invalid value `loaded` for dice",
        "write `seeded` or `typed`",
    )


def test_word_is_a_seed_by_its_digest(subtests: pytest.Subtests) -> None:
    assert (parse_seed(""), parse_seed("0"), parse_seed("017")) == (None, 0, 17)
    words = {parse_seed(word) for word in ("luck", "Luck", "-1", "٣", "12a")}
    assert len(words) == 5 and not words & {None, -1, 3, 12}
    for beyond in (str(2**128), "0" * 40):
        with subtests.test(beyond=beyond):
            with pytest.raises(GameError) as caught:
                parse_seed(beyond)
            assert caught.value.reason == f"the seed {beyond[:12]}... is too large"
            assert caught.value.remedy == "a seed is a word, or a whole number below 2**128"
