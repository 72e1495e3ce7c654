"""Tests of `find`, which lists the moments of a game in sequence and the names that rules may use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from calling import make_manifest, run_kingsburg, write_files
from edict.compiler.english.calendar import CalendarEntry, build_calendar
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.name_catalog import add_usage, iter_names
from helpers import make_module

RULES = """\
resource coin "coin/coins"
keep seats as order of player, quiet
keep owned "cards" of player as set of card
kind card "card/cards"
  gift effect, optional
  works if card is in owned of you
card ace "Ace"
  gift do cheer with 1
  when start of dusk
    trigger sung with you
moment cheered "after cheering" with number called loudness
moment sung "after singing" with player called singer
moment unheard
quantity volume "volume" of player is 1, at least 0
routine cheer "cheer _ times" with number called times
  trigger cheered with times
game sample "Sample"
  players 2 to 3
  order seats
  winners everyone
  score coin of you
  course
    repeat 2 times
      play day
    each player
      play dusk
phase day "Day"
  each player
    gain 1 coin
    do gift of ace
  play noon
phase noon "Noon"
  do cheer with 3
phase dusk "Dusk"
  gain 1 coin
"""


def moments_of(text: str) -> dict[str, CalendarEntry]:
    return {one.line: one for one in build_calendar(annotate_rules((make_module(text),)).unwrap().linked)}


def test_moments_are_listed_in_sequence_with_their_you() -> None:
    found = moments_of(RULES)
    assert [(one.depth, line, one.turn, one.nobody) for line, one in found.items()] == [
        (0, "when start of day", False, True),
        (1, "when gaining coin", True, False),
        (1, "when start of cheer", True, True),
        (1, "when cheered", True, True),
        (1, "when end of cheer", True, True),
        (1, "when start of noon", False, True),
        (1, "when end of noon", False, True),
        (0, "when end of day", False, True),
        (0, "when start of dusk", True, False),
        (1, "when sung", True, False),
        (0, "when end of dusk", True, False),
        (0, "when unheard", False, False),
    ]
    assert found["when sung"].values == (("singer", "player"),)


def test_listed_lines_are_valid_rules(subtests: pytest.Subtests) -> None:
    for line, one in moments_of(RULES).items():
        with subtests.test(line=line):
            step = "lose 1 coin" if one.turn and not one.nobody else "each player\n    lose 1 coin"
            assert annotate_rules((make_module(RULES, f"{line}\n  {step}\n"),)).ok
            if one.nobody:
                found = annotate_rules((make_module(RULES, f"{line}\n  gain 1 coin\n"),)).diagnostics
                assert "E0530" in [d.code for d in found]


def test_names_come_with_their_time_and_a_line_that_uses_them() -> None:
    more = (
        'action shout "Shout"\n  choose a player from everyone as whom\n  rule near\n    require whom is you\n'
        "adjust volume by 2 if coin of you > 3\n"
    )
    rules = annotate_rules((make_module(RULES, more),)).unwrap()
    found = {entry.name: (entry.sort, entry.happens, entry.example) for entry in add_usage(rules, iter_names(rules))}
    assert found["sung"] == ("moments", "Dusk", "when sung")
    assert found["cheered"] == ("moments", "Day", "when cheered")
    assert found["unheard"] == ("moments", "", "when unheard")
    assert found["dusk"] == ("phases", "", "when start of dusk")
    assert found["noon"] == ("phases", "Day", "when end of noon")
    assert found["cheer"] == ("routines", "Day", "do cheer with 3")
    assert found["volume"] == ("quantities", "", "adjust volume by 2 if coin of you > 3")
    assert found["shout.near"] == ("rules of actions", "", "exception to shout.near")


def test_long_routine_chain_is_followed_to_its_end() -> None:
    chain = "".join(f"routine r{n}\n  do r{n + 1}\n" for n in range(1100))
    text = RULES.replace("  do cheer with 3\n", "  do r0\n") + chain + "moment last\nroutine r1100\n  trigger last\n"
    assert moments_of(text)["when last"].nobody


def test_find_prints_moments_and_reports_missing_ones(tmp_path: Path, subtests: pytest.Subtests) -> None:
    write_files(tmp_path, {"sample/module.yaml": make_manifest("sample", "game"), "sample/page.edict": RULES})
    done = run_kingsburg(tmp_path / "sample", "find", "--moments")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^  when cheered +# after cheering; .*with `loudness` \(a number\)$", done.stdout, re.MULTILINE)
    some = run_kingsburg(tmp_path, "find", "--moments", "end", "day", "--game", "./sample")
    (line,) = [line for line in some.stdout.splitlines() if line.startswith("when")]
    assert line == "when end of day  # nobody's turn"
    named = run_kingsburg(tmp_path, "find", "--names", "--game", "./sample").stdout
    assert '  volume of player  "volume"\n' in named and '  cheer with times  "cheer _ times"\n' in named
    assert "moments\n" not in run_kingsburg(tmp_path, "find", "--names", "volume", "--game", "./sample").stdout
    for option, word, near in (("--moments", "noom", "did you mean `noon`?"), ("--names", "volune", "`volume`")):
        with subtests.test(option=option):
            done = run_kingsburg(tmp_path, "find", option, word, "--game", "./sample")
            assert done.returncode == 2 and near in done.stderr, done.stderr
