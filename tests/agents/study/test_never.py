"""What never happened in many games: faults that no check can know, each found with its likely reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calling import ROOT, kingsburg, manifest, write
from edict.agents.study.bot_games import GameRange, Setup, plan_of, play
from edict.agents.study.never import NeverSearch, findings, tables
from edict.agents.study.watching import watch
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.pipeline.pipeline import build
from edict.runtime.program import Program
from edict.support.processes.distribution import start_inline
from edict.support.text import Source
from helpers import module
from planted import PLANTED

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
    search = NeverSearch(tables(rules, ("random", "greedy"), None, (), 0), games)
    search.run(start_inline, lambda done: None)
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


def test_each_fault_is_told_with_what_is_to_blame(planted: dict[str, Any]) -> None:
    assert [one["thing"] for one in planted["things"]] == ["tower", "palace"]
    tower, palace = (one["because"] for one in planted["things"])
    assert tower["text"] == "rule in-order" and "what it needs comes first" in tower["why"]
    assert palace["text"] == "rule affordable" and palace["times"] == palace["of"]
    (gift,) = planted["unused"]
    assert (gift["line"], gift["text"]) == (line("gain 3 coin"), "gain 3 coin"), "given after its last use"
    assert [flag["name"] for flag in planted["flags"]] == ["rested"], "it is never reset"
    (free,) = planted["unpaid"]
    assert free["line"] == line("spend cost of what coin") and free["because"]["text"] == "patronage"


def test_an_exception_that_asks_for_something_else_leaves_no_payment_out(otherwise: dict[str, Any]) -> None:
    assert otherwise["unpaid"] == []


def test_what_lies_in_no_hand_and_is_in_no_keep_is_never_got(otherwise: dict[str, Any]) -> None:
    assert [(one["thing"], one["keeps"]) for one in otherwise["things"]] == [
        ("tower", ["houses", "hand"]),
        ("palace", ["houses", "hand"]),
    ]


def test_rules_without_these_faults_are_told_nothing() -> None:
    text = PLANTED
    for wrong, right in MENDED:
        assert wrong in text
        text = text.replace(wrong, right)
    found = found_in(text, 40)
    told = {part: found[part] for part in ("lines", "things", "options", "numbers", "flags", "unused", "unpaid")}
    assert not any(told.values()), told


LATER = """\
phase closing "Closing"
  each player
    choose one "What now?"
      option "Wait"
        nothing
      option "Swim"
        nothing
      option "Fly" if day > 6
        gain 1 point
  each player
    if day > 6
      gain 3 point

when start of morning
  each player in (players where coin of it > 900)
    gain 7 point

keep zeal as number from 0 to 3
keep shut of player as truth

when start of closing
  if day > 6
    add 1 to zeal

when end of closing
  each player
    set shut of you to yes
"""


def test_what_never_comes_about_is_told_with_the_condition_that_keeps_it_from_it() -> None:
    """A line, an option, a number; but a flag that is set as the game ends is none."""
    found = found_in(PLANTED[: PLANTED.index("phase closing")] + LATER, 40)
    lines = {one["text"]: one["because"] for one in found["lines"]}
    assert "never went on from it to there" in lines["gain 7 point"]["why"]
    assert lines["gain 3 point"]["text"] == "day > 6" and "never so" in lines["gain 3 point"]["why"]
    (fly,) = found["options"]
    assert (fly["option"], fly["what"]) == ("Fly", "never offered") and "day > 6" in fly["because"]["why"]
    (zeal,) = found["numbers"]
    assert (zeal["name"], zeal["value"], zeal["bound"]) == ("zeal", 0, "least")
    assert [flag["name"] for flag in found["flags"]] == ["rested"]


def searched(rules: str | Path, players: int, games: int) -> dict[str, Any]:
    search = NeverSearch(tables(compile_rules(rules).unwrap(), ("random",), players, (), 0), games)
    search.run(start_inline, lambda done: None)
    return findings(search, {})


def test_the_size_of_a_bag_is_no_number_that_anybody_gives() -> None:
    """Everybody sees how many cards are in a hand that is `secret but counted`; rules need not ask for that."""
    assert searched("pedlars-road", 2, 3)["unused"] == []


def test_what_lasts_is_for_the_next_game_of_a_campaign() -> None:
    found = searched(ROOT / "examples" / "recipes" / "campaign", 2, 5)
    assert (found["unused"], found["flags"]) == ([], [])


def test_things_are_told_apart_beyond_the_bits_of_a_cell() -> None:
    """A keep of one thing holds its number: here one of 104 cards, each of which is played sooner or later."""
    assert searched("four-lanes", 4, 12)["things"] == []


# --- how it is watched ----------------------------------------------------------------------------


def test_games_that_are_watched_are_those_of_a_study_and_pieces_of_them_add_up_to_the_whole() -> None:
    """Looking changes nothing: as many questions are asked as in the same games played by the machine alone."""
    for bots in ("random", "greedy"):
        setup, stretch = Setup(rules_of(PLANTED), (bots,) * 2, (), 7), GameRange(0, 12)
        row = plan_of(setup).row_layout
        asked = sum(
            head[row.place_of("choices")] + head[row.place_of("draws")] for head in play(setup, stretch).counted.heads
        )
        whole, first = watch(setup, stretch), watch(setup, GameRange(0, 5))
        assert sum(whole.asked.values()) == asked
        first.add(watch(setup, GameRange(5, 7)))
        assert first == whole


# --- the command ----------------------------------------------------------------------------------


def folder_of(tmp_path: Path) -> Path:
    write(tmp_path / "planted", {"module.yaml": manifest("planted", kind="game"), "planted.edict": PLANTED})
    return tmp_path


def test_the_command_tells_designers_what_never_happened_and_why(tmp_path: Path) -> None:
    words = ("study", "planted", "--never", "--games", "20", "--workers", "1")
    done = kingsburg(folder_of(tmp_path), *words)
    assert done.returncode == 0, done.stderr
    for told in ("what never happened in 40 games", "Tower", "Palace", "has rested", "gain 3 coin", "patronage"):
        assert told in done.stdout
    found = json.loads(kingsburg(tmp_path, *words, "--format", "json").stdout)
    assert {one["thing"] for one in found["things"]} == {"tower", "palace"}
    assert found["games"] == 40 and found["players"] == [2, 3]


def test_after_the_coverage_by_scenes_it_tells_what_never_happens(tmp_path: Path) -> None:
    scene = "scenes:\n- name: it begins\n  given: {}\n  play: morning\n  answers: []\n  expect: {}\n"
    folder = folder_of(tmp_path)
    write(folder / "planted" / "scenes", {"first.yaml": scene})
    done = kingsburg(folder, "test", "planted", "--coverage", "--never")
    assert "covered:" in done.stdout
    assert done.stdout.index("covered:") < done.stdout.index("what never happened in 2,000 games")


def test_files_of_a_study_and_a_test_without_coverage_are_refused_beside_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    for words, said in (
        (("study", "planted", "--never", "-o", "there"), "--format json"),
        (("test", "planted", "--never"), "--coverage"),
    ):
        done = kingsburg(folder, *words)
        assert done.returncode == 2 and said in done.stderr, words
