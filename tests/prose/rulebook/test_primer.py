"""Tests of the primer, which tells what a player must know before the first move."""

from __future__ import annotations

import pytest

from edict.apps.cli.playing.help import primer_lines
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.primer import build_primer, take_fitting
from helpers import make_module
from reading import load_annotated


def primer_parts(*names: str) -> dict[str, tuple[str, ...]]:
    return dict(build_primer(load_annotated(*names)).parts)


def count_words(parts: dict[str, tuple[str, ...]]) -> int:
    return sum(len(sentence.split()) for sentences in parts.values() for sentence in sentences)


def test_primer_tells_the_core_in_150_words() -> None:
    found = primer_parts()
    assert list(found) == ["What it is about", "How it goes", "The goal"] and count_words(found) <= 150
    assert found["The goal"] == (
        "The player with the most VP wins.",
        "If players are tied, the one with the most goods wins, then the one with the most buildings.",
    )
    assert "they must add up to exactly the advisor's rank" in found["How it goes"][0]


def test_primer_shows_default_numbers_instead_of_settings() -> None:
    assert primer_parts("gem-fair")["How it ends"] and not any(
        "number of" in one for one in primer_parts("gem-fair")["How it ends"]
    )


def test_primer_includes_modules() -> None:
    assert any(
        line.startswith("Module 4: Destiny Cards.")
        for line in primer_parts("kingsburg", "destiny")["What the modules add"]
    )


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


def test_conditional_phases_have_their_condition_and_alternatives_are_included(subtests: pytest.Subtests) -> None:
    for more, course in (
        ("  play flood", "Ebb (if the tide is more than 3), then Flood"),
        ("  else\n    play flood", "Ebb, then Flood"),  # which of them it will be cannot be told so shortly
    ):
        with subtests.test(more=more):
            known = annotate_rules((make_module(TIDES.format(more=more)),)).unwrap()
            assert course in " ".join(dict(build_primer(known).parts)["How it goes"])


def test_primer_text_separates_its_parts() -> None:
    lines = primer_lines("kingsburg", ())
    assert lines[0] == "What it is about" and lines[-1] and lines.count("") == 2


def test_course_and_winner_read_naturally(subtests: pytest.Subtests) -> None:
    assert primer_parts("pig")["How it goes"][0] == "One turn follows another."
    for game, said in (
        ("causeway", "Whoever has come across wins."),
        ("high-water", "All win if the land is not flooded. Otherwise the game is lost."),
        ("nine-tiles", "The players win if there are no tiles that stand. Otherwise the game is lost."),
        ("under-the-cups", "The players with dice win."),
    ):
        with subtests.test(game=game):
            assert " ".join(primer_parts(game)["The goal"]) == said


def test_game_that_everyone_wins_has_a_singular_verb() -> None:
    """Regression: "Everyone win."."""
    game = TIDES.replace("winners players with most shell of it", "winners everyone").format(more="  play flood")
    goal = dict(build_primer(annotate_rules((make_module(game),)).unwrap()).parts)["The goal"]
    assert goal[0] == "Everyone wins."


def test_primer_says_who_has_done_something() -> None:
    """Regression: "until somebody is the player who has come across"."""
    assert primer_parts("causeway")["How it ends"] == ("The game goes on until somebody has come across.",)


def test_primer_takes_the_first_sentences_that_fit(subtests: pytest.Subtests) -> None:
    """No sentence follows one that does not fit, however short it is."""
    sentences = ("Each player takes one.", "All have five.", "Then the oldest player begins.", "Go on.")
    for room, said in ((0, 0), (3, 0), (4, 1), (6, 1), (7, 2), (9, 2), (12, 3), (13, 3), (14, 4)):
        with subtests.test(room=room):
            assert take_fitting(sentences, room) == sentences[:said]
