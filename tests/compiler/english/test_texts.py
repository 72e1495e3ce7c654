"""`text`: the author's words in place of those generated from the rules, without any other effect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calling import make_manifest, write_files
from edict.compiler.english import describe_thing
from edict.game.table.rules import load_rules
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules, read_annotated_rules
from edict.prose.rulebook.descriptions import describe_definition
from helpers import make_module
from reading import Call

RULES = """\
resource coin "coin/coins"
keep seats as order of player, quiet

kind card "card/cards"
  worth number from 0 to 9
  reward effect "Reward"

card ace "Ace"
  text "Worth", worth of ace + 1, "coin/coins to whoever holds the", ace, "; the", king, "gives", 1, "coin/coins."
  worth 3
  reward gain 4 coin

card king "King"
  worth 1
  reward
    gain 2 coin
    text "All hail the King"
    lose 1 coin

game sample "Sample"
  players 2 to 2
  order seats
  winners players with most coin of it
  score coin of you
  course
    play gifts

phase gifts "Yuletide"
  text "Everybody is given something."
    let gift = 2
    each player
      gain gift coin
  each player
    may "Take it?" do reward of ace
    gain gift coin

when end of gifts
  text "The King pays."
  each player
    may gain 1 coin
"""


def read_rules(folder: Path, text: str = RULES, over: str = "") -> AnnotatedRules:
    write_files(folder, {"sample/module.yaml": make_manifest("sample", "game"), "sample/rules.edict": text})
    if over:
        laid = make_manifest("over-it", requires="[sample]")
        write_files(folder, {"over-it/module.yaml": laid, "over-it/rules.edict": over})
    return read_annotated_rules(str(folder / "sample"), [str(folder / "over-it")] if over else []).unwrap()


def describe_card(known: AnnotatedRules, name: str) -> str:
    return describe_thing(known.resolved, known.resolved.require_definition(name))


def test_text_replaces_the_words_of_a_thing_or_of_the_steps_after_or_below_it(tmp_path: Path) -> None:
    one = read_rules(tmp_path)
    assert describe_card(one, "ace") == "Worth 4 coins to whoever holds the Ace; the King gives 1 coin."
    assert describe_card(one.with_generated_text, "ace") == "Gain 4 coins."
    assert describe_card(one, "king") == "Gain 2 coins; All hail the King."
    assert describe_card(one.with_generated_text, "king") == "Gain 2 coins; lose 1 coin."
    first, *rest = describe_definition(one, one.resolved.require_definition("gifts"))
    assert first == "Everybody is given something." and len(rest) == 3
    assert "“gift” starts at 2." in describe_definition(
        one.with_generated_text, one.resolved.require_definition("gifts")
    )


def test_names_in_a_text_become_titles(tmp_path: Path) -> None:
    assert "whoever holds the Trump" in describe_card(read_rules(tmp_path, over='call ace "Trump"\n'), "ace")


def test_numbers_in_a_text_follow_the_rules(tmp_path: Path) -> None:
    assert describe_card(read_rules(tmp_path, over="amend card ace\n  worth 8\n"), "ace").startswith("Worth 9 coins")


def test_additions_of_another_file_follow_the_text(tmp_path: Path) -> None:
    over = "amend card ace\n  when end of gifts\n    each player\n      gain 1 coin\n"
    assert describe_card(read_rules(tmp_path, over=over), "ace").endswith(
        "At the end of Yuletide: for each player: gain 1 coin."
    )


def test_text_is_dropped_with_the_effect_it_describes(tmp_path: Path) -> None:
    assert describe_card(read_rules(tmp_path, over="amend card ace\n  reward gain 9 coin\n"), "ace") == "Gain 9 coins."
    own = 'amend card ace\n  text "Nine coins"\n  reward gain 9 coin\n'
    assert describe_card(read_rules(tmp_path, over=own), "ace") == "Nine coins."


def test_two_modules_with_a_text_for_one_thing_are_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"sample/module.yaml": make_manifest("sample", "game"), "sample/rules.edict": RULES})
    for name in ("one", "other"):
        text = f'amend card ace\n  text "As {name} has it"\n'
        write_files(
            tmp_path, {f"{name}/module.yaml": make_manifest(name, requires="[sample]"), f"{name}/rules.edict": text}
        )
    diagnostics = read_annotated_rules(
        str(tmp_path / "sample"), [str(tmp_path / "one"), str(tmp_path / "other")]
    ).diagnostics
    assert [diagnostic.code for diagnostic in diagnostics if diagnostic.severity == "error"] == ["E0174"]


def test_text_changes_nothing_in_play(tmp_path: Path) -> None:
    """The game has the same questions and the same log with and without texts."""
    plain = "\n".join(line for line in RULES.split("\n") if not line.lstrip().startswith("text "))
    below = "    let gift = 2\n    each player\n      gain gift"
    plain = plain.replace(below, below.replace("\n  ", "\n")[2:])
    logs = []
    for number, text in enumerate((RULES, plain)):
        read_rules(tmp_path / str(number), text)
        game = load_rules(tmp_path / str(number) / "sample").new_game(["Ann", "Ben"], seed=1)
        said = []
        while not game.over:
            said.append(game.ask.prompt)
            game.answer(0)
        logs.append((said, [str(entry) for entry in game.log]))
    assert logs[0] == logs[1] and logs[0][0]


def test_mistakes_in_a_text_are_reported(subtests: pytest.Subtests) -> None:
    for wrong, code in {
        'text "The", knigh': "E0201",
        "text worth of coin": "E04",
        'text "A"\n  text "B"': "E0133",
    }.items():
        with subtests.test(wrong=wrong):
            diagnostics = annotate_rules(
                (make_module(RULES.replace('card king "King"', f'card king "King"\n  {wrong}')),)
            ).diagnostics
            assert any(diagnostic.code.startswith(code) for diagnostic in diagnostics), diagnostics


def test_show_prints_the_text_before_the_exact_words(call: Call, tmp_path: Path) -> None:
    read_rules(tmp_path)
    mine, _, exact = call("show", "ace", "--game", "./sample").stdout.partition("  Exactly:\n")
    assert "Worth 4 coins to whoever holds the Ace" in mine and "Gain 4 coins." in exact
    (entry,) = json.loads(call("show", "ace", "--game", "./sample", "--format", "json").stdout)["found"]
    assert any("Worth 4 coins" in line for line in entry["words"])
    assert any("Gain 4 coins." in line for line in entry["exactly"])
    assert "Exactly" not in call("show", "coin", "--game", "./sample").stdout
