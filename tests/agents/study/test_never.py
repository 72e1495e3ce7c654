"""Findings about what never happens in many games, each with its likely reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calling import ROOT, make_manifest, run_kingsburg, write_files
from edict.agents.study.bot_games import GameRange, GameSetup, get_plan, play_range
from edict.agents.study.game_watching import watch_games
from edict.agents.study.never_happened import NeverSearch, collect_findings, create_setups, explain_untaken
from edict.apps.cli.long_runs import default_study_bot
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.pipeline.pipeline import build_program
from edict.runtime.program import Program
from edict.support.processes.distribution import start_inline
from edict.support.text import Source
from helpers import make_module
from planted import PLANTED

MENDED = (
    ("  needs tower\n", "  needs hut\n"),
    ("  cost 2000\n", "  cost 5\n"),
    ("    gain 3 coin\n", "    gain 1 point\n"),
    ("    play morning\n", "    each player\n        set rested of you to no\n      play morning\n"),
    ("\nexception patronage to build.affordable if what is mill\n  allow\n", ""),
)


def rules_of(text: str) -> Program:
    return build_program((make_module(text),)).unwrap()


def found_in(text: str, games: int = 60) -> dict[str, Any]:
    rules = rules_of(text)
    search = NeverSearch(create_setups(rules, ("random", "greedy"), None, (), 0), games)
    search.run(start_inline, lambda done: None)
    return collect_findings(search, {"page1.edict": Source("page1.edict", text)})


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


def test_each_finding_names_its_cause(planted: dict[str, Any]) -> None:
    assert [one["thing"] for one in planted["things"]] == ["tower", "palace"]
    tower, palace = (one["because"] for one in planted["things"])
    assert tower["text"] == "rule in-order" and "what it needs comes first" in tower["why"]
    assert palace["text"] == "rule affordable" and palace["times"] == palace["of"]
    assert "is 2,000; in " in palace["words"] and "nobody ever had more than" in palace["words"]
    (gift,) = planted["unused"]
    assert (gift["line"], gift["text"]) == (line("gain 3 coin"), "gain 3 coin"), "given after its last use"
    assert [flag["name"] for flag in planted["flags"]] == ["rested"], "it is never reset"
    (free,) = planted["unpaid"]
    assert free["line"] == line("spend cost of what coin") and free["because"]["text"] == "patronage"


def test_exception_with_another_payment_is_no_finding(otherwise: dict[str, Any]) -> None:
    assert otherwise["unpaid"] == []


def test_things_that_nobody_ever_gets_are_found(otherwise: dict[str, Any]) -> None:
    assert [(one["thing"], one["keeps"]) for one in otherwise["things"]] == [
        ("tower", ["houses", "hand"]),
        ("palace", ["houses", "hand"]),
    ]


def test_rules_without_faults_have_no_findings() -> None:
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


def test_finding_names_the_condition_that_prevents_it() -> None:
    """A line, an option, a number; but a flag that is set as the game ends is none."""
    found = found_in(PLANTED[: PLANTED.index("phase closing")] + LATER, 40)
    lines = {one["text"]: one["because"] for one in found["lines"]}
    assert "never continued to that line" in lines["gain 7 point"]["why"]
    assert lines["gain 3 point"]["text"] == "day > 6" and "never true in" in lines["gain 3 point"]["why"]
    (fly,) = found["options"]
    assert (fly["option"], fly["what"]) == ("Fly", "never offered") and "day > 6" in fly["because"]["why"]
    (zeal,) = found["numbers"]
    assert (zeal["name"], zeal["value"], zeal["bound"]) == ("zeal", 0, "least")
    assert [flag["name"] for flag in found["flags"]] == ["rested"]


ROUNDS = """\
phase closing "Closing"
  nothing

when end of building
  each player
    if day != 3
      choose one "What now?"
        gain 1 point
        gain 1 coin

when start of morning
  each player
    lose 3 plank

resource plank
"""


def test_round_without_a_question_and_line_without_an_effect_are_found() -> None:
    found = found_in(PLANTED[: PLANTED.index("phase closing")] + ROUNDS, 40)
    assert [(gap["question"], gap["name"], gap["value"]) for gap in found["gaps"]] == [("What now?", "day", 3)]
    assert [one["text"] for one in found["idle"]] == ["lose 3 plank"]


def searched(rules: str | Path, players: int, games: int) -> dict[str, Any]:
    search = NeverSearch(create_setups(compile_rules(rules).unwrap(), ("random",), players, (), 0), games)
    search.run(start_inline, lambda done: None)
    return collect_findings(search, {})


def test_size_of_a_hidden_hand_is_not_reported_as_unused() -> None:
    """Everybody sees how many cards are in a hand that is `secret but counted`; rules need not ask for that."""
    assert searched("pedlars-road", 2, 3)["unused"] == []


def test_values_carried_over_in_a_campaign_are_not_reported_as_unused() -> None:
    found = searched(ROOT / "examples" / "recipes" / "campaign", 2, 5)
    assert (found["unused"], found["flags"]) == ([], [])


def test_more_things_than_bits_in_a_cell_are_told_apart() -> None:
    """A keep of one thing holds its number: here one of 104 cards, each of which is played sooner or later."""
    assert searched("four-lanes", 4, 12)["things"] == []


# --- how it is watched ----------------------------------------------------------------------------


def test_watched_games_equal_those_of_a_study_and_add_up(subtests: pytest.Subtests) -> None:
    """Looking changes nothing: as many questions are asked as in the same games played by the machine alone."""
    for bots in ("random", "greedy"):
        with subtests.test(bots=bots):
            setup, stretch = GameSetup(rules_of(PLANTED), (bots,) * 2, (), 7), GameRange(0, 12)
            row = get_plan(setup).row_layout
            asked = sum(
                head[row.place_of("choices")] + head[row.place_of("draws")]
                for head in play_range(setup, stretch).counted.heads
            )
            whole, first = watch_games(setup, stretch), watch_games(setup, GameRange(0, 5))
            assert sum(whole.asked.values()) == asked
            first.add(watch_games(setup, GameRange(5, 7)))
            assert first == whole


# --- the command ----------------------------------------------------------------------------------


def folder_of(tmp_path: Path) -> Path:
    write_files(tmp_path / "planted", {"module.yaml": make_manifest("planted", kind="game"), "planted.edict": PLANTED})
    return tmp_path


def test_study_never_prints_findings_with_reasons(tmp_path: Path, subtests: pytest.Subtests) -> None:
    words = ("study", "planted", "--never", "--games", "20", "--workers", "1")
    done = run_kingsburg(folder_of(tmp_path), *words)
    assert done.returncode == 0, done.stderr
    for told in ("what never happened in 40 games", "Tower", "Palace", "has rested", "gain 3 coin", "patronage"):
        with subtests.test(told=told):
            assert told in done.stdout
    found = json.loads(run_kingsburg(tmp_path, *words, "--format", "json").stdout)
    assert {one["thing"] for one in found["things"]} == {"tower", "palace"}
    assert found["games"] == 40 and found["players"] == [2, 3]


def test_test_never_prints_findings_after_the_coverage(tmp_path: Path) -> None:
    scene = "scenes:\n- name: it begins\n  given: {}\n  play: morning\n  answers: []\n  expect: {}\n"
    folder = folder_of(tmp_path)
    write_files(folder / "planted" / "scenes", {"first.yaml": scene})
    done = run_kingsburg(folder, "test", "planted", "--coverage", "--never")
    assert "covered:" in done.stdout
    assert done.stdout.index("covered:") < done.stdout.index("what never happened in 100 games")


def test_never_refuses_output_files_and_needs_coverage(tmp_path: Path, subtests: pytest.Subtests) -> None:
    folder = folder_of(tmp_path)
    for words, said in (
        (("study", "planted", "--never", "-o", "there"), "--format json"),
        (("test", "planted", "--never"), "--coverage"),
    ):
        with subtests.test(words=words):
            done = run_kingsburg(folder, *words)
            assert done.returncode == 2 and said in done.stderr


def test_study_says_why_options_were_never_offered_or_taken() -> None:
    setup = GameSetup(compile_rules("kingsburg").unwrap(), ("greedy",) * 2)
    question = "Which building do you construct?"
    rows = [{"option": name, "question": question, "offered": times} for name, times in (("Farms", 0), ("Market", 60))]
    never, refused = explain_untaken(setup, rows, {})
    assert "(rules/season.edict:" in never and "in all " in never
    assert refused.startswith("the bots preferred ") and "; by their values it was at best number " in refused


def test_study_says_only_that_others_were_preferred_if_an_option_is_rarely_offered() -> None:
    setup = GameSetup(compile_rules("kingsburg").unwrap(), ("greedy",) * 2)
    row = {"option": "Cathedral", "question": "Which building do you construct?", "offered": 1}
    assert explain_untaken(setup, [row], {}) == ["the bots always preferred something else"]


def test_network_of_the_game_is_the_default_of_a_study() -> None:
    assert default_study_bot(compile_rules("kingsburg").unwrap()) == "learned"
    assert default_study_bot(compile_rules("pig").unwrap()) == "greedy"
