"""The primer: what one must know before the first move, of any game, from its rules."""

from __future__ import annotations

import pytest
from helpers import module
from reading import Call, rules

from edict.cli.playing.help import primer_lines
from edict.handbook.annotated import known_from
from edict.handbook.primer import primer


def told(*names: str) -> dict[str, tuple[str, ...]]:
    return dict(primer(rules(*names)).parts)


def test_it_tells_purpose_goal_course_end_and_words() -> None:
    found = told()
    assert list(found) == ["What it is about", "The goal", "How it goes", "How it ends", "The words"]
    assert found["The goal"] == (
        "The player with the most VP wins.", "If players are tied, the most goods, then the most buildings decide.",
    )  # fmt: skip
    assert "Winter: The King's Reinforcements, then The Battle." in found["How it goes"]
    assert "The game goes on until the year reaches the number of years the game lasts." in found["How it ends"]
    assert "There are 18 advisors, 20 buildings and 25 enemies." in found["The words"]


def test_modules_are_told_too() -> None:
    assert any(line.startswith("Module 4: Destiny Cards.") for line in told("kingsburg", "destiny")["What it is about"])
    assert any("the game ends early" in line for line in told("kingsburg", "destiny")["How it ends"])


TIDES = """
resource shell "shell/shells"
keep line as order of player, quiet
keep tide "tide" as number
phase ebb "Ebb"
  nothing
phase flood "Flood"
  nothing
game shore "Shore"
  players 2 to 4
  order line
  winners players with most shell of it
  score shell of you
  course
    play day
phase day "Day"
  if tide > 3
    play ebb
{more}
"""


@pytest.mark.parametrize(
    ("more", "course"),
    [
        ("  play flood", "Ebb (if the tide is more than 3), then Flood"),
        ("  else\n    play flood", "Ebb, then Flood"),  # which of them it will be cannot be told so shortly
    ],
)
def test_what_comes_only_at_times_has_its_condition_and_what_comes_instead_is_not_left_out(
    more: str, course: str
) -> None:
    known = known_from((module(TIDES.format(more=more)),)).unwrap()
    assert course in " ".join(dict(primer(known).parts)["How it goes"])


@pytest.mark.parametrize("name", ["pig", "kuhn-poker"])
def test_it_serves_any_game(name: str) -> None:
    found = told(name)
    assert found["What it is about"] and found["The goal"] and found["How it goes"] and found["The words"]
    assert all(line[-1] in ".!?" and "None" not in line for lines in found.values() for line in lines)


def test_as_text_it_has_its_parts_apart() -> None:
    lines = primer_lines("pig", ())
    assert lines[0] == "What it is about" and lines[-1] and lines.count("") == 4


def test_the_rulebook_opens_with_it_and_a_turn_that_was_played(call: Call) -> None:
    said = call("rulebook", "-o", "-").stdout
    opening = said[said.index("## The game in short") : said.index("## What is in play")]
    assert "The player with the most VP wins." in opening
    assert "Brian influences Alchemist with 1 3." in opening and "Brian constructs Palisade." in opening
    assert "An example" not in call("rulebook", "pig", "-o", "-").stdout
