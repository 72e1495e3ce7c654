"""Translations of rules, which change texts and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from calling import make_manifest, write_files
from edict.compiler.pipeline import translation_checks
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.folders import read_module
from edict.compiler.sources.packing import pack_modules, unpack_modules
from edict.compiler.sources.words_files import list_languages, translate_modules
from edict.game.table.rules import Rules, load_rules
from examples import choose_examples

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
    write_files(tmp_path / "stalls", files)
    return tmp_path / "stalls"


def record_calls(monkeypatch: pytest.MonkeyPatch, name: str, describe: Callable[..., object]) -> list[object]:
    """Return a list that grows by what `describe` says of the arguments of each call of a function of the checks."""
    called, function = list[object](), getattr(translation_checks, name)

    def call(*args: Any) -> Any:
        called.append(describe(*args))
        return function(*args)

    monkeypatch.setattr(translation_checks, name, call)
    return called


def find_translation_faults(folder: Path) -> list[str]:
    """Return the faults in the German translation."""
    said = [one for one in check_rules(folder).diagnostics if one.span.file.endswith("words/de.yaml")]
    return [f"{one.code} {one.title}" for one in said]


def test_translation_changes_texts_but_not_the_journal(stalls: Path) -> None:
    rules = load_rules(stalls)
    games = [one.new_game(["Ann", "Ben"], seed=1) for one in (rules, rules.in_language("de"))]
    asked = [game.ask for game in games]
    assert [one.prompt for one in asked] == ["What do you do?", "Was tust du?"]
    assert [option.text for option in asked[1].options] == ["Verkaufen", "Warten"]
    assert games[0].journal.to_bytes() == games[1].journal.to_bytes()
    games[1].answer(games[1].ask.options[0].key)
    assert any("2 Münzen" in entry.text for entry in games[1].log)
    assert rules.replay(games[1].journal).state == games[1].state


def test_translated_rules_keep_their_edition(stalls: Path) -> None:
    write_files(stalls, {"stalls.edict": f"{RULES}\nquantity left-over is best of 0 and 7 - 3\n"})
    german = load_rules(stalls).in_language("de").new_game(["Ann", "Ben"], seed=1)
    assert german.ask.prompt == "Was tust du?"


def test_missing_or_invalid_translation_leaves_rules_unchanged(stalls: Path) -> None:
    rules = load_rules(stalls)
    assert rules.in_language("en") is rules
    assert rules.in_language("it").new_game(["Ann", "Ben"], seed=1).ask.prompt == "What do you do?"
    write_files(stalls, {"words/de.yaml": "texts: [Buden]\n"})
    assert load_rules(stalls).in_language("de").title == "Stalls"
    assert any("`texts`" in one for one in find_translation_faults(stalls))


def test_complete_translation_is_checked_again_only_if_something_changed(
    stalls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    checked = record_calls(monkeypatch, "_check_module", lambda _, module, *rest: module.name)
    write_files(stalls, {"words/de.yaml": GERMAN + "  a new text: ein neuer Text\n"})
    for _ in range(2):  # what lacks something is reported each time
        assert find_translation_faults(stalls) == ["E0169 “a new text” does not appear in the game"]
    write_files(stalls, {"words/de.yaml": GERMAN.replace("Warten", "Zögern")})
    for _ in range(2):
        assert not find_translation_faults(stalls)
    write_files(stalls, {"stalls.edict": RULES.replace("gain 2 coin", "gain 3 coin")})
    assert not find_translation_faults(stalls)
    assert checked == ["stalls"] * 4


def test_check_of_a_module_lists_the_texts_of_its_game_only_if_the_game_changed(
    stalls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    listed = record_calls(monkeypatch, "_list_texts", lambda program: len(program.modules))
    module = tmp_path / "pearls"
    words = "texts:\n  pearl/pearls: Perle/Perlen\n"
    write_files(module, {"module.yaml": make_manifest("pearls", requires="[stalls]"), "words/de.yaml": words})
    for remark in "ab":
        write_files(module, {"rules.edict": f'resource pearl "pearl/pearls"  # {remark}\n'})
        check_rules(stalls, [str(module)])
    write_files(stalls, {"stalls.edict": RULES + "# changed\n"})
    check_rules(stalls, [str(module)])
    assert (listed.count(1), listed.count(2)) == (2, 3), "of the game, and of the game with the module"


def test_texts_that_another_module_removes_are_not_reported(stalls: Path, tmp_path: Path) -> None:
    """Nor are those that an untranslated module brings along with a translated one."""
    rules = {
        "pearls": 'resource pearl "pearl/pearls"\n',
        "no-pearls": "remove resource pearl\n",
        "more": "when start of market\n  each player\n    gain 2 pearl\n",
    }
    for name, text in rules.items():
        manifest = make_manifest(name, requires="[stalls]") + ("over: [pearls]\n" if name != "pearls" else "")
        write_files(tmp_path / name, {"module.yaml": manifest, f"{name}.edict": text})
    write_files(tmp_path / "pearls", {"words/de.yaml": "title: Perlen\ntexts:\n  pearl: (die) Perle/Perlen\n"})
    for other in ("no-pearls", "more"):
        found = check_rules(stalls, [str(tmp_path / "pearls"), str(tmp_path / other)])
        assert found.ok and not [one for one in found.diagnostics if one.code in ("E0168", "E0169")], found


def test_check_reports_missing_and_obsolete_translations(stalls: Path, subtests: pytest.Subtests) -> None:
    assert not find_translation_faults(stalls)
    wrong = GERMAN.replace("Sell: Verkaufen", "Buy: Kaufen").replace("title: Buden", "book: []")
    write_files(stalls, {"words/de.yaml": wrong})
    assert find_translation_faults(stalls) == [
        "E0168 no `de` translation for `title` of the module",
        "E0168 no `de` translation for “Sell”",
        "E0169 “Buy” does not appear in the game",
    ]
    for unsaid, told in (
        (4, "“Wait” and “Market”"),
        (6, "“Wait” and 1 more"),
    ):  # some are named, and the others counted
        with subtests.test(unsaid=unsaid):
            kept = GERMAN.rstrip().split("\n")[:-unsaid]
            write_files(stalls, {"words/de.yaml": "\n".join(kept) + "\n"})
            (said,) = find_translation_faults(stalls)
            assert said.count("“") == min(unsaid, 5) and said.endswith(told)


def test_book_is_translated_only_if_a_translation_exists(stalls: Path, subtests: pytest.Subtests) -> None:
    book = "book: [{place: start, text: Ring the bell.}]\n"
    for words, read in (("", "Ring the bell."), (book.replace("Ring the bell", "Glocke"), "Glocke.")):
        with subtests.test(read=read):
            write_files(stalls, {"module.yaml": MANIFEST + book, "words/de.yaml": GERMAN + words})
            (module,) = translate_modules((read_module(stalls).unwrap(),), "de")
            assert [one.text for one in module.manifest.book] == [read]


def test_packed_module_keeps_translations_and_book(stalls: Path) -> None:
    write_files(stalls, {"module.yaml": MANIFEST + "book: [{place: start, text: Ring the bell.}]\n"})
    module = read_module(stalls).unwrap()
    again = unpack_modules(pack_modules((module,))).unwrap()
    assert again[0].manifest.book == module.manifest.book != ()
    assert list_languages(again) == ("de",)
    assert translate_modules(again, "de")[0].manifest.title == "Buden"


BOX = ("advisor-tiles", "alternate-rows", "destiny", "governors", "more-buildings", "soldier-tokens")


@pytest.mark.parametrize(("language", "modules"), choose_examples([("de", ())], [("de", ()), ("de", BOX), ("it", BOX)]))
def test_translated_base_game_compiles_to_the_same_program(language: str, modules: tuple[str, ...]) -> None:
    english = load_rules("kingsburg", modules)
    other = english.in_language(language)
    assert other is not english and _program_without_texts(other) == _program_without_texts(english)


def _program_without_texts(rules: Rules) -> tuple[object, ...]:
    program = rules.program
    return program.code, program.initial, program.rules_hash, program.meaning, [one.keys for one in program.questions]
