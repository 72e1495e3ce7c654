"""Rules in other languages: the same rules, in which their authors' texts are others."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import write
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.folders import read_module
from edict.compiler.sources.packing import pack, unpack
from edict.compiler.sources.words_files import in_language, languages_of
from edict.game.table.rules import Rules, load_rules
from examples import examples

RULES = """
keep places "places" as order of player, quiet
resource coin "coin/coins" # what "coins" are in
game stalls "Stalls"
  players 2 to 4
  order places
  winners everyone with most coin of it
  score coin of you
  course
    shuffle places
    play market

phase market "Market"
  each player
    choose one "What do you do?"
      option "Sell"
        gain 2 coin
      option "Wait"
        gain 1 coin
"""
GERMAN = """
title: Buden
texts:
  places: Plätze
  coin/coins: Münze/Münzen
  Stalls: Buden
  Market: Markt
  What do you do?: Was tust du?
  Sell: Verkaufen
  Wait: Warten
"""
MANIFEST = "name: stalls\ntitle: Stalls\nversion: 1.0.0\nkind: game\n"


@pytest.fixture
def stalls(tmp_path: Path) -> Path:
    files = {"module.yaml": MANIFEST, "stalls.edict": RULES, "words/de.yaml": GERMAN}
    write(tmp_path / "stalls", files)
    return tmp_path / "stalls"


def found(folder: Path) -> list[str]:
    """What is wrong with the words."""
    said = [one for one in check_rules(folder).diagnostics if one.span.file.endswith("words/de.yaml")]
    return [f"{one.code} {one.title}" for one in said]


def test_what_players_read_is_in_the_language_and_what_is_kept_is_not(stalls: Path) -> None:
    rules = load_rules(stalls)
    games = [one.new_game(["Ann", "Ben"], seed=1) for one in (rules, rules.in_language("de"))]
    asked = [game.ask for game in games]
    assert [one.prompt for one in asked] == ["What do you do?", "Was tust du?"]
    assert [option.text for option in asked[1].options] == ["Verkaufen", "Warten"]
    assert games[0].journal.to_bytes() == games[1].journal.to_bytes()
    games[1].answer(games[1].ask.options[0].key)
    assert any("2 Münzen" in entry.text for entry in games[1].log)
    assert rules.replay(games[1].journal).state == games[1].state


def test_rules_of_an_older_edition_are_of_that_edition_in_every_language(stalls: Path) -> None:
    write(stalls, {"stalls.edict": f"{RULES}\nquantity left-over is best of 0 and 7 - 3\n"})
    german = load_rules(stalls).in_language("de").new_game(["Ann", "Ben"], seed=1)
    assert german.ask.prompt == "Was tust du?"


def test_rules_without_words_in_a_language_or_with_words_in_the_wrong_form_are_as_they_are(stalls: Path) -> None:
    rules = load_rules(stalls)
    assert rules.in_language("it") is rules and rules.in_language("en") is rules
    write(stalls, {"words/de.yaml": "texts: [Buden]\n"})
    assert load_rules(stalls).in_language("de").title == "Stalls"
    assert any("`texts`" in one for one in found(stalls))


def test_check_tells_what_has_no_words_and_which_words_are_for_nothing(stalls: Path) -> None:
    assert not found(stalls)
    wrong = GERMAN.replace("Sell: Verkaufen", "Buy: Kaufen").replace("title: Buden", "book: []")
    write(stalls, {"words/de.yaml": wrong})
    assert found(stalls) == [
        "E0168 no words in `de` for “Sell” and `title` of the module",
        "E0169 nothing in the rules says “Buy”",
    ]
    for unsaid, told in ((5, "“Wait”"), (6, "“Sell” and 1 more")):  # some are named, and the others counted
        kept = GERMAN.rstrip().split("\n")[:-unsaid]
        write(stalls, {"words/de.yaml": "\n".join(kept) + "\n"})
        (said,) = found(stalls)
        assert said.count("“") == 5 and said.endswith(told)


def test_the_book_is_read_in_the_language_only_where_it_has_words(stalls: Path) -> None:
    book = "book: [{place: start, text: Ring the bell.}]\n"
    for words, read in (("", "Ring the bell."), (book.replace("Ring the bell", "Glocke"), "Glocke.")):
        write(stalls, {"module.yaml": MANIFEST + book, "words/de.yaml": GERMAN + words})
        (module,) = in_language((read_module(stalls).unwrap(),), "de")
        assert [one.text for one in module.manifest.book] == [read]


def test_words_and_the_book_go_wherever_rules_are_packed(stalls: Path) -> None:
    write(stalls, {"module.yaml": MANIFEST + "book: [{place: start, text: Ring the bell.}]\n"})
    module = read_module(stalls).unwrap()
    again = unpack(pack((module,))).unwrap()
    assert again[0].manifest.book == module.manifest.book != ()
    assert languages_of(again) == ("de",)
    assert in_language(again, "de")[0].manifest.title == "Buden"


BOX = ("advisor-tiles", "alternate-rows", "destiny", "governors", "more-buildings", "soldier-tokens")


@pytest.mark.parametrize(("language", "modules"), examples([("de", ())], [("de", ()), ("de", BOX), ("it", BOX)]))
def test_the_game_of_the_box_is_the_same_program_in_every_language_it_is_said_in(
    language: str, modules: tuple[str, ...]
) -> None:
    """But for what players read."""
    english = load_rules("kingsburg", modules)
    other = english.in_language(language)
    assert other is not english and _unsaid(other) == _unsaid(english)


def _unsaid(rules: Rules) -> tuple[object, ...]:
    program = rules.program
    return program.code, program.initial, program.rules_hash, program.meaning, [one.keys for one in program.questions]
