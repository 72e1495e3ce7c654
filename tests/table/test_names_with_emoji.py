"""What people see as one character counts as one in a name, and is never cut in two."""

from __future__ import annotations

import pytest

from edict.rendering import plain
from edict.table.errors import GameError
from edict.table.setup import LONGEST_NAME, checked_name, short_name

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
JOINED = ["👩\u200d🚀", "👨\u200d👩\u200d👧\u200d👦", ENGLAND, "🏳️\u200d🌈", "👍🏽", "🇮🇹"]


@pytest.mark.parametrize("one", JOINED)
def test_joined_emoji_are_one_character_of_a_name(one: str) -> None:
    assert checked_name(f"Ann {one}") == f"Ann {one}"
    assert checked_name(one * LONGEST_NAME) == one * LONGEST_NAME
    with pytest.raises(GameError, match=f"{LONGEST_NAME + 1} characters"):
        checked_name(one * (LONGEST_NAME + 1))


@pytest.mark.parametrize("one", JOINED)
def test_a_name_that_is_too_long_is_cut_between_characters(one: str) -> None:
    assert short_name(f" {'x' * (LONGEST_NAME - 1)}{one}{one}") == "x" * (LONGEST_NAME - 1) + one


@pytest.mark.parametrize("one", JOINED)
def test_they_are_written_to_a_terminal_as_they_are(one: str) -> None:
    assert plain(f"{one} rolls") == f"{one} rolls" and plain(f"{one}\u202e!") == f"{one}?!"


@pytest.mark.parametrize("name", ["An\u200dn", "Ann\u200d", "\u200dAnn", "Ann\u202e", "\U000e0067"])
def test_signs_that_join_nothing_are_refused_and_shown(name: str) -> None:
    with pytest.raises(GameError, match="cannot be displayed"):
        checked_name(name)
    assert "?" in plain(name)


def test_no_name_is_made_of_endless_signs() -> None:
    with pytest.raises(GameError, match="too many signs"):
        checked_name("a" + "\u0301" * 1000)
    assert len(short_name("a" + "\u0301" * 1000)) <= 400
