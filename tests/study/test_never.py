"""What never happened in many games: faults that no check can know, each found with its likely reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calling import ROOT, kingsburg, manifest, write
from helpers import module

from edict.processes.spreading import alone
from edict.front.compile import compile_rules
from edict.front.pipeline import build
from edict.program import Program
from edict.study.games import GameRange, Setup, plan_of, play
from edict.study.never import Search, findings, tables
from edict.study.watching import watch
from edict.text import Source

PLANTED = """\
resource coin "coin/coins"
resource point "point/points"

keep turn-order as order of player, quiet
keep day "day" as number from 0 to 6, quiet
keep owned "houses" of player as set of house, quiet
keep rested "has rested" of player as truth starting at no, quiet

kind house "house/houses"
  cost number from 0 to 5000
  needs set of house
  worth number from 0 to 9

house hut "Hut"
  cost 2
  needs nobody
  worth 1

house mill "Mill"
  cost 4
  needs hut
  worth 2

house tower "Tower"
  cost 3
  needs tower
  worth 5

house palace "Palace"
  cost 2000
  needs nobody
  worth 9

game planted "Planted"
  players 2 to 3
  order turn-order
  winners players with most point of it
  score point of you
  course
    repeat until day = 6
      add 1 to day
      play morning
      play building
    play closing

phase morning "Morning"
  each player
    gain 1 coin
    if not rested of you
      may "Do you rest?"
        set rested of you to yes
        gain 1 coin

phase building "Building"
  each player
    may do build else "Build nothing"

action build "Build a house"
  choose a house as what "Which house do you build?"
  rule only-once
    require what is not in owned of you
    because "you have it already"
  rule in-order
    require needs of what is within owned of you
    because "what it needs comes first"
  rule affordable
    require cost of what <= coin of you
    because "you cannot pay for it"
  then
    spend cost of what coin
      announce you, "pays for", what
    add what to owned of you
    gain worth of what point

exception patronage to build.affordable if what is mill
  allow

phase closing "Closing"
  each player
    gain 3 coin
"""
"""Five faults: the tower needs itself; the palace costs 2,000; coins are given after their last use; `rested` is never
reset; patronage lets the mill be built for nothing."""

MENDED = (
    ("  needs tower\n", "  needs hut\n"),
    ("  cost 2000\n", "  cost 5\n"),
    ("    gain 3 coin\n", "    gain 1 point\n"),
    ("    play morning\n", "    each player\n        set rested of you to no\n      play morning\n"),
    ("\nexception patronage to build.affordable if what is mill\n  allow\n", ""),
)


def rules_of(text: str) -> Program:
    return build((module(text),)).unwrap()


def found_in(text: str, games: int = 60) -> dict[str, Any]:
    rules = rules_of(text)
    search = Search(tables(rules, ("random", "greedy"), 0, (), 0), games)
    search.run(alone, lambda done: None)
    return findings(search, {"page1.edict": Source("page1.edict", text)})


@pytest.fixture(scope="module")
def planted() -> dict[str, Any]:
    """Of a file that ends without a line end, as some editors leave it."""
    return found_in(PLANTED.removesuffix("\n"), 20)


@pytest.fixture(scope="module")
def otherwise() -> dict[str, Any]:
    """Patronage asks for something in place of coins, and huts lie in hands, too."""
    hands = "keep hand of player as bag of house\n\nwhen start of morning\n  each player\n    add hut to hand of you\n"
    return found_in(f"{PLANTED.replace('  allow', '  require worth of what > 1')}\n{hands}", 10)


def line(words: str) -> int:
    """The first line of the planted rules that has these words."""
    return next(number for number, text in enumerate(PLANTED.splitlines(), 1) if words in text)


def test_a_house_that_needs_itself_is_never_got_and_the_rule_is_blamed(planted: dict[str, Any]) -> None:
    (tower,) = (one for one in planted["things"] if one["thing"] == "tower")
    assert tower["because"]["text"] == "rule in-order"
    assert "what it needs comes first" in tower["because"]["why"]


def test_a_house_that_nobody_can_pay_for_is_never_got_and_its_price_is_blamed(planted: dict[str, Any]) -> None:
    (palace,) = (one for one in planted["things"] if one["thing"] == "palace")
    assert palace["because"]["text"] == "rule affordable"
    assert palace["because"]["times"] == palace["because"]["of"]


def test_what_is_given_after_its_last_use_is_told(planted: dict[str, Any]) -> None:
    (gift,) = planted["unused"]
    assert (gift["line"], gift["text"]) == (line("gain 3 coin"), "gain 3 coin")


def test_a_flag_that_is_never_reset_is_told(planted: dict[str, Any]) -> None:
    assert [flag["name"] for flag in planted["flags"]] == ["rested"]


def test_an_exception_that_makes_things_free_is_blamed_for_the_payment_left_out(planted: dict[str, Any]) -> None:
    (free,) = planted["unpaid"]
    assert free["line"] == line("spend cost of what coin")
    assert free["because"]["text"] == "patronage"


def test_an_exception_that_asks_for_something_else_leaves_no_payment_out(otherwise: dict[str, Any]) -> None:
    assert otherwise["unpaid"] == []


def test_what_lies_in_no_hand_and_is_in_no_keep_is_never_got(otherwise: dict[str, Any]) -> None:
    assert [(one["thing"], one["keeps"]) for one in otherwise["things"]] == [
        ("tower", ["houses", "hand"]), ("palace", ["houses", "hand"]),
    ]  # fmt: skip


def test_rules_without_these_faults_are_told_nothing() -> None:
    text = PLANTED
    for wrong, right in MENDED:
        assert wrong in text
        text = text.replace(wrong, right)
    found = found_in(text, 80)
    told = {part: found[part] for part in ("lines", "things", "options", "numbers", "flags", "unused", "unpaid")}
    assert not any(told.values()), told


def test_a_line_that_never_ran_is_told_with_the_condition_that_kept_it_from_running() -> None:
    text = PLANTED.replace("    gain 3 coin\n", "    if day > 6\n      gain 3 point\n")
    (dark,) = found_in(text)["lines"]
    assert dark["text"] == "gain 3 point"
    assert dark["because"]["text"] == "day > 6"
    assert "never so" in dark["because"]["why"]


def test_a_number_that_never_leaves_its_bound_is_told() -> None:
    text = PLANTED + "\nkeep zeal as number from 0 to 3\n\nwhen start of closing\n  if day > 6\n    add 1 to zeal\n"
    (zeal,) = found_in(text)["numbers"]
    assert (zeal["name"], zeal["value"], zeal["bound"]) == ("zeal", 0, "least")


def test_an_option_that_is_never_offered_is_told_with_what_refuses_it() -> None:
    offer = """\
  each player
    choose one "What now?"
      option "Wait"
        nothing
      option "Swim"
        nothing
      option "Fly" if day > 6
        gain 1 point
"""
    (fly,) = found_in(PLANTED.replace("phase closing \"Closing\"\n", f"phase closing \"Closing\"\n{offer}"))["options"]
    assert (fly["option"], fly["what"]) == ("Fly", "never offered")
    assert "day > 6" in fly["because"]["why"]


def test_the_size_of_a_bag_is_no_number_that_anybody_gives() -> None:
    """Everybody sees how many cards are in a hand that is `secret but counted`; rules need not ask for that."""
    rules = compile_rules("pedlars-road").unwrap()
    search = Search(tables(rules, ("random",), 2, (), 0), 3)
    search.run(alone, lambda done: None)
    assert findings(search, {})["unused"] == []


def test_what_lasts_is_for_the_next_game_of_a_campaign() -> None:
    rules = compile_rules(ROOT / "examples" / "recipes" / "campaign").unwrap()
    search = Search(tables(rules, ("random",), 2, (), 0), 5)
    search.run(alone, lambda done: None)
    found = findings(search, {})
    assert (found["unused"], found["flags"]) == ([], [])


def test_things_are_told_apart_beyond_the_bits_of_a_cell() -> None:
    """A keep of one thing holds its number: here one of 104 cards, each of which is played sooner or later."""
    rules = compile_rules("four-lanes").unwrap()
    search = Search(tables(rules, ("random",), 4, (), 0), 12)
    search.run(alone, lambda done: None)
    assert findings(search, {})["things"] == []


def test_a_flag_that_is_set_as_the_game_ends_is_not_told() -> None:
    shut = "when end of closing\n  each player\n    set shut of you to yes\n"
    text = f"{PLANTED}\nkeep shut of player as truth\n\n{shut}"
    assert [flag["name"] for flag in found_in(text)["flags"]] == ["rested"]


# --- how it is watched ----------------------------------------------------------------------------


@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_games_that_are_watched_are_those_of_a_study(bots: str) -> None:
    """Looking changes nothing: as many questions are asked as in the same games played by the machine alone."""
    setup, stretch = Setup(rules_of(PLANTED), (bots,) * 2, (), 7), GameRange(0, 20)
    row = plan_of(setup).row
    asked = sum(head[row.at("choices")] + head[row.at("draws")] for head in play(setup, stretch).counted.heads)
    assert sum(watch(setup, stretch).asked.values()) == asked


def test_pieces_add_up_to_the_whole() -> None:
    setup = Setup(rules_of(PLANTED), ("random",) * 2, (), 7)
    whole, first = watch(setup, GameRange(0, 20)), watch(setup, GameRange(0, 8))
    first.add(watch(setup, GameRange(8, 12)))
    assert first == whole


# --- the command ----------------------------------------------------------------------------------


def folder_of(tmp_path: Path) -> Path:
    write(tmp_path / "planted", {"module.yaml": manifest("planted", kind="game"), "planted.edict": PLANTED})
    return tmp_path


def test_the_command_tells_designers_what_never_happened_and_why(tmp_path: Path) -> None:
    words = ("study", "planted", "--never", "--games", "40", "--workers", "1")
    done = kingsburg(folder_of(tmp_path), *words)
    assert done.returncode == 0, done.stderr
    for told in ("what never happened in 80 games", "Tower", "Palace", "has rested", "gain 3 coin", "patronage"):
        assert told in done.stdout


def test_the_command_gives_the_same_as_data(tmp_path: Path) -> None:
    words = ("study", "planted", "--never", "--games", "40", "--workers", "1", "--format", "json")
    found = json.loads(kingsburg(folder_of(tmp_path), *words).stdout)
    assert {one["thing"] for one in found["things"]} == {"tower", "palace"}
    assert found["games"] == 80 and found["players"] == [2, 3]


def test_files_of_a_study_are_refused_beside_it(tmp_path: Path) -> None:
    done = kingsburg(folder_of(tmp_path), "study", "planted", "--never", "-o", "there")
    assert done.returncode == 2
    assert "--format json" in done.stderr


def test_after_the_coverage_by_scenes_it_tells_what_never_happens(tmp_path: Path) -> None:
    scene = "scenes:\n- name: it begins\n  given: {}\n  play: morning\n  answers: []\n  expect: {}\n"
    folder = folder_of(tmp_path)
    write(folder / "planted" / "scenes", {"first.yaml": scene})
    done = kingsburg(folder, "test", "planted", "--coverage", "--never")
    assert "covered:" in done.stdout
    assert done.stdout.index("covered:") < done.stdout.index("what never happened in 2,000 games")


def test_it_wants_the_coverage_to_come_after(tmp_path: Path) -> None:
    done = kingsburg(folder_of(tmp_path), "test", "planted", "--never")
    assert done.returncode == 2
    assert "--coverage" in done.stderr
