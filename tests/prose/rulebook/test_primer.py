"""The primer: what one must know before the first move, of any game, from its rules."""

from __future__ import annotations

from edict.apps.cli.playing.help import primer_lines
from edict.prose.rulebook.annotated import known_from
from edict.prose.rulebook.primer import _fitting, primer
from helpers import module
from reading import rules


def told(*names: str) -> dict[str, tuple[str, ...]]:
    return dict(primer(rules(*names)).parts)


def words(parts: dict[str, tuple[str, ...]]) -> int:
    return sum(len(sentence.split()) for sentences in parts.values() for sentence in sentences)


def test_it_tells_the_core_in_150_words() -> None:
    found = told()
    assert list(found) == ["What it is about", "How it goes", "The goal"] and words(found) <= 150
    assert found["The goal"] == (
        "The player with the most VP wins.",
        "If players are tied, the one with the most goods wins, then the one with the most buildings.",
    )
    assert "they must add up to exactly the advisor's rank" in found["How it goes"][0]


def test_settings_do_not_show() -> None:
    assert told("gem-fair")["How it ends"] and not any("number of" in one for one in told("gem-fair")["How it ends"])


def test_modules_are_told_too() -> None:
    assert any(line.startswith("Module 4: Destiny Cards.") for line in told("kingsburg", "destiny")["What it is about"])


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


def test_what_comes_only_at_times_has_its_condition_and_what_comes_instead_is_not_left_out() -> None:
    for more, course in (
        ("  play flood", "Ebb (if the tide is more than 3), then Flood"),
        ("  else\n    play flood", "Ebb, then Flood"),  # which of them it will be cannot be told so shortly
    ):
        known = known_from((module(TIDES.format(more=more)),)).unwrap()
        assert course in " ".join(dict(primer(known).parts)["How it goes"])


def test_as_text_it_has_its_parts_apart() -> None:
    lines = primer_lines("kingsburg", ())
    assert lines[0] == "What it is about" and lines[-1] and lines.count("") == 2


def test_how_it_goes_and_who_wins_is_said_as_people_say_it() -> None:
    assert told("pig")["How it goes"][0] == "One turn follows another."
    for game, said in (
        ("causeway", "Whoever has come across wins."),
        ("high-water", "All win if the land is not flooded. Otherwise the game is lost."),
        ("nine-tiles", "The players win if there are no tiles that stand. Otherwise the game is lost."),
        ("under-the-cups", "The players with dice win."),
    ):
        assert " ".join(told(game)["The goal"]) == said


def test_as_many_sentences_are_said_as_there_is_room_for() -> None:
    """Of those that follow one that does not fit, none is said, however short."""
    sentences = ("Each player takes one.", "All have five.", "Then the oldest player begins.", "Go on.")
    for room, said in ((0, 0), (3, 0), (4, 1), (6, 1), (7, 2), (9, 2), (12, 3), (13, 3), (14, 4)):
        assert _fitting(sentences, room) == sentences[:said], room
