"""`text`: the author's words in place of those made from the rules, which change nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from calling import manifest, write
from edict.compiler.english import thing_words
from edict.game.table.rules import load_rules
from edict.prose.rulebook.annotated import Known, known_from, read
from edict.prose.rulebook.descriptions import description
from helpers import module
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


def known(folder: Path, text: str = RULES, over: str = "") -> Known:
    write(folder, {"sample/module.yaml": manifest("sample", "game"), "sample/rules.edict": text})
    if over:
        laid = manifest("over-it", requires="[sample]")
        write(folder, {"over-it/module.yaml": laid, "over-it/rules.edict": over})
    return read(str(folder / "sample"), [str(folder / "over-it")] if over else []).unwrap()


def words(one: Known, name: str) -> str:
    return thing_words(one.resolved, one.resolved.get(name))


def test_the_author_tells_a_thing_and_a_text_stands_for_what_follows_it_or_is_below_it(tmp_path: Path) -> None:
    one = known(tmp_path)
    assert words(one, "ace") == "Worth 4 coins to whoever holds the Ace; the King gives 1 coin."
    assert words(one.generated, "ace") == "Gain 4 coins."
    assert words(one, "king") == "Gain 2 coins; All hail the King."
    assert words(one.generated, "king") == "Gain 2 coins; lose 1 coin."
    first, *rest = description(one, one.resolved.get("gifts"))
    assert first == "Everybody is given something." and len(rest) == 3
    assert "“gift” starts at 2." in description(one.generated, one.resolved.get("gifts"))


def test_names_in_it_are_told_by_their_titles(tmp_path: Path) -> None:
    assert "whoever holds the Trump" in words(known(tmp_path, over='call ace "Trump"\n'), "ace")


def test_numbers_in_it_follow_the_rules(tmp_path: Path) -> None:
    assert words(known(tmp_path, over="amend card ace\n  worth 8\n"), "ace").startswith("Worth 9 coins")


def test_what_another_file_adds_is_told_after_it(tmp_path: Path) -> None:
    over = "amend card ace\n  when end of gifts\n    each player\n      gain 1 coin\n"
    assert words(known(tmp_path, over=over), "ace").endswith("At the end of Yuletide: for each player: gain 1 coin.")


def test_a_text_goes_with_the_effect_it_speaks_of(tmp_path: Path) -> None:
    assert words(known(tmp_path, over="amend card ace\n  reward gain 9 coin\n"), "ace") == "Gain 9 coins."
    own = 'amend card ace\n  text "Nine coins"\n  reward gain 9 coin\n'
    assert words(known(tmp_path, over=own), "ace") == "Nine coins."


def test_two_modules_may_not_both_tell_a_thing(tmp_path: Path) -> None:
    write(tmp_path, {"sample/module.yaml": manifest("sample", "game"), "sample/rules.edict": RULES})
    for name in ("one", "other"):
        text = f'amend card ace\n  text "As {name} has it"\n'
        write(tmp_path, {f"{name}/module.yaml": manifest(name, requires="[sample]"), f"{name}/rules.edict": text})
    found = read(str(tmp_path / "sample"), [str(tmp_path / "one"), str(tmp_path / "other")]).diagnostics
    assert [one.code for one in found if one.severity == "error"] == ["E0174"]


def test_it_changes_nothing_in_play(tmp_path: Path) -> None:
    """With texts and without, the game is the same question for question and line for line."""
    plain = "\n".join(line for line in RULES.split("\n") if not line.lstrip().startswith("text "))
    below = "    let gift = 2\n    each player\n      gain gift"
    plain = plain.replace(below, below.replace("\n  ", "\n")[2:])
    logs = []
    for number, text in enumerate((RULES, plain)):
        known(tmp_path / str(number), text)
        game = load_rules(tmp_path / str(number) / "sample").new_game(["Ann", "Ben"], seed=1)
        said = []
        while not game.over:
            said.append(game.ask.prompt)
            game.answer(0)
        logs.append((said, [str(entry) for entry in game.log]))
    assert logs[0] == logs[1] and logs[0][0]


def test_mistakes_in_it_are_told() -> None:
    for wrong, code in {
        'text "The", knigh': "E0201",
        "text worth of coin": "E04",
        'text "A"\n  text "B"': "E0133",
    }.items():
        found = known_from((module(RULES.replace('card king "King"', f'card king "King"\n  {wrong}')),)).diagnostics
        assert any(one.code.startswith(code) for one in found), found


def test_show_prints_them_first_and_then_what_is_exact(call: Call, tmp_path: Path) -> None:
    known(tmp_path)
    mine, _, exact = call("show", "ace", "--game", "./sample").stdout.partition("  Exactly:\n")
    assert "Worth 4 coins to whoever holds the Ace" in mine and "Gain 4 coins." in exact
    (found,) = json.loads(call("show", "ace", "--game", "./sample", "--format", "json").stdout)
    assert any("Worth 4 coins" in line for line in found["words"])
    assert any("Gain 4 coins." in line for line in found["exactly"])
    assert "Exactly" not in call("show", "coin", "--game", "./sample").stdout
