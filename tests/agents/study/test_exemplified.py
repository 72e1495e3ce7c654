"""Examples of ambiguous rules: played under each reading, and reported as scenes that tell the readings apart."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from calling import make_manifest, run_kingsburg, write_files
from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers
from edict.agents.study.bot_games import BotSeats
from edict.agents.study.divergence import find_example
from edict.compiler.pipeline.ambiguities import compile_reading
from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.sources.file_schemas import load_schema
from edict.compiler.sources.folders import Module
from edict.compiler.sources.yaml_reader import read_yaml
from edict.game.scenes.scene_recorder import play_data
from edict.game.table.addresses import StateLayout
from edict.runtime.program.opcodes import CHANCE
from edict.support.report import Diagnostic, ReadingExample
from edict.support.text import Source
from helpers import compile_program, make_module

# a complete game for two players with coops
MARKET = """\
resource coin "coin/coins"
resource egg "egg/eggs"
resource feather "feather/feathers"

keep turn-order as order of player, quiet
keep day "day" as number from 0 to 3, quiet
keep owned "coops" of player as set of coop

quantity price "price" of player is 2, at least 0

kind coop "coop/coops"
  cost number from 0 to 9
  works if coop is in owned of you

coop shed "Shed"
  cost 1
  when start of evening
    gain 1 egg

coop barn "Barn"
  cost 2

game market "Market"
  players 2 to 2
  order turn-order
  winners players with most egg of it
  score egg of you
  course
    repeat until day = 3
      add 1 to day
      play morning
      play building
      play evening

phase morning "Morning"
  each player
    gain 2 coin

phase building "Building"
  each player
    may do build else "Build nothing"

action build "Build a coop"
  choose a coop as what "Which coop do you build?"
  rule only-once
    require what is not in owned of you
  rule affordable
    require cost of what <= coin of you
  then
    spend cost of what coin
    add what to owned of you

phase evening "Evening"
  each player
    if coin of you >= price of you
      spend (price of you) coin
        gain 1 egg
"""


def rules(*texts: str) -> tuple[Module, ...]:
    """The market, and a module over it for each text, `house` first."""
    over = [
        make_module(text, name=name, kind="module") for text, name in zip(texts, ("house", "barnyard"), strict=False)
    ]
    renamed = [
        Module(one.manifest, one.folder, tuple(Source(f"{one.name}/{s.name}", s.text) for s in one.sources))
        for one in over
    ]
    return (make_module(MARKET), *renamed)


def shown(*texts: str) -> tuple[Diagnostic, ReadingExample]:
    """The finding with readings, and its example."""
    modules = rules(*texts)
    (found,) = (one for one in build_program(modules, optimized=False).diagnostics if one.readings)
    return found, find_example(found, modules)


CASES = {
    "two exceptions to a phase": (
        [
            "exception feast to evening if day = 2\n  instead\n    each player\n      gain 1 egg\n",
            "exception thieves to evening if day > 1\n  instead\n    each player\n      gain 1 feather\n",
        ],
        "E0503",
        "`thieves` applies, not `feast`",
        "Ann, egg: ",
    ),
    "two exceptions to a rule": (
        [
            "exception credit to build.affordable if day = 1\n  require what is barn\n",
            "exception thrift to build.affordable\n  require cost of what = 1\n\n"
            "exception saving to build.affordable if coin of you < 9\n  require cost of what = 1\n",
        ],
        "E0503",
        "`saving` applies, not `credit`",
        "can",
    ),
    "two exceptions to what is gained": (
        [
            "exception fox to gaining egg if day = 1\n  instead\n    gain 1 feather\n",
            "exception rats to gaining egg if coin of you > 0\n  instead\n    gain 1 coin\n",
        ],
        "E0503",
        "`rats` applies, not `fox`",
        "coin: ",
    ),
    "two adjustments": (
        ["adjust price to 1 if day = 1\n", "adjust price to 0 if coin of player > 0\n"],
        "E0513",
        "`price` becomes 0",
        "coin: ",
    ),
    "two adjustments of things": (
        ["amend coop shed\n  adjust price to 1\n", "amend coop barn\n  adjust price to 0\n"],
        "E0513",
        "`price` becomes 0, by `barn`",
        "egg: ",
    ),
    "two modules that change one field": (
        ["amend coop barn\n  cost 0\n", "amend coop barn\n  cost 1\n"],
        "E0174",
        "`house` builds on `barnyard`",
        "Ann",
    ),
    "two modules that say who wins": (
        [
            "amend game market\n  winners players with most coin of it\n",
            "amend game market\n  winners players with most feather of it\n",
        ],
        "E0174",
        "`house` builds on `barnyard`",
        "winners: ",
    ),
    "an amendment that adds": (
        ["amend coop shed\n  when start of evening\n    gain 2 egg\n"],
        "E0575",
        "both apply",
        "egg: ",
    ),
    "what is written twice": (
        [
            "when start of evening\n  each player\n    gain 1 feather\n\n"
            "when start of evening\n  each player\n    gain 1 feather\n"
        ],
        "E0555",
        "it happens once",
        "feather: ",
    ),
    "and beside or": (
        [
            "when start of evening\n  each player\n    if day = 1 and coin of you = 1 or coin of you = 2\n"
            "      gain 1 feather\n"
        ],
        "E0577",
        "it means `day = 1 and (coin of you = 1 or coin of you = 2)`",
        "feather: ",
    ),
    "what happens to everybody for each owner": (
        ["amend coop barn\n  when start of morning\n    each player\n      gain 1 feather\n"],
        "E0573",
        "it happens to each owner",
        "feather: ",
    ),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", CASES)
def test_example_has_two_scenes_and_each_reading_passes_one(name: str, subtests: pytest.Subtests) -> None:
    texts, code, reading, fact = CASES[name]
    found, example = shown(*texts)
    assert found.code == code
    told = dict(example.facts)
    assert list(told) == [one.consequence for one in found.readings] and fact in "; ".join(told[reading]), example
    written = read_yaml(Source("page", example.scene_file)).value
    assert written is not None
    read = [compile_reading(rules(*texts), one).unwrap() for one in found.readings]
    for place, scene in enumerate(written.data["scenes"]):
        for other, game in enumerate(read):
            with subtests.test(game=game):
                stage = play_data(game, StateLayout.from_program(game), scene["players"], scene)
                assert stage is not None and (not stage.differences) == (place == other), (
                    place,
                    other,
                    example.scene_file,
                )


def test_example_scene_gives_only_facts_that_matter(subtests: pytest.Subtests) -> None:
    _, example = shown(*CASES["two exceptions to a phase"][0])
    written = read_yaml(Source("page", example.scene_file)).value
    assert written is not None
    for scene in written.data["scenes"]:
        with subtests.test(scene=scene):
            assert scene["given"] == {"day": 2} and scene["start"] == "phase evening" and "play" not in scene


def test_example_scene_begins_late_and_names_the_running_phases() -> None:
    dusk = 'phase dusk "Dusk"\n  each player\n    gain 1 coin\n\nwhen start of evening\n  play dusk\n\n'
    feast = "exception feast to dusk if during evening\n  instead\n    each player\n      gain 1 egg\n"
    thieves = "exception thieves to dusk if during evening\n  instead\n    each player\n      gain 1 feather\n"
    _, example = shown(dusk + feast, thieves)
    written = read_yaml(Source("page", example.scene_file)).value
    assert written is not None
    assert {(scene["start"], tuple(scene["during"])) for scene in written.data["scenes"]} == {
        ("phase dusk", ("evening",))
    }


def test_example_of_two_conflicting_rules_leaves_out_a_third() -> None:
    feast, thieves = CASES["two exceptions to a phase"][0]
    moths = "\nexception moths to evening if day > 1\n  instead\n    each player\n      gain 1 coin\n"
    modules = rules(feast + moths, thieves)
    told = [
        dict(find_example(one, modules).facts)
        for one in build_program(modules, optimized=False).diagnostics
        if one.readings
    ]
    assert len(told) == 2
    (mine,) = (one for one in told if any("`moths`" in reading for reading in one))
    counts = next(facts for reading, facts in mine.items() if reading.startswith("`moths` applies"))
    assert any("coin: 1" in fact for fact in counts) and not any("egg" in fact for fact in counts), mine


def test_missing_difference_is_reported_as_no_proof() -> None:
    _, example = shown(
        "exception feast to evening if day = 2\n  instead\n    nothing\n",
        "exception thieves to evening if some everyone has egg of it > 90\n  instead\n    each player\n      nothing\n",
    )
    assert "none found: in 200 games" in example.summary and "does not prove" in example.summary
    assert not example.facts and not example.scene_file


def test_other_errors_must_be_fixed_before_an_example() -> None:
    one, other = CASES["two adjustments"][0]
    _, example = shown(one, other + "\nwhen start of morning\n  gain 1 coin\n")
    assert example.summary.startswith("none can be played before this is mended")


def test_random_bots_do_not_use_the_random_numbers_of_the_table() -> None:
    """Or else the game they played could not be played again at a table."""
    rolling = (
        'phase trial-run\n  each player\n    choose one\n      option "More"\n        roll 2 cube as few\n'
        '      option "Less"\n        roll 1 cube as one\n'
    )
    rules = compile_program(rolling)
    drawn, chance = count(), 0
    match = Match(create_bot_table(rules, 2), 1, lambda _, options: next(drawn) % options)
    for seat, index in iter_answers(match, BotSeats(rules, ("random", "random")).create_seats(1)):
        chance += seat == CHANCE
        match.answer(index)
    assert 2 <= chance == next(drawn)


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The market and two modules over it that contradict each other."""
    texts = CASES["two exceptions to a phase"][0]
    write_files(
        tmp_path,
        {
            "market/module.yaml": make_manifest("market", "game"),
            "market/page.edict": MARKET,
            "house/module.yaml": make_manifest("house", requires="[market]"),
            "house/page.edict": texts[0],
            "barnyard/module.yaml": make_manifest("barnyard", requires="[market]"),
            "barnyard/page.edict": texts[1],
        },
    )
    return tmp_path


BOTH = ("house", "--with", "barnyard")


def test_kept_scene_passes_once_the_rules_choose_a_reading(folder: Path) -> None:
    done = run_kingsburg(folder, "check", *BOTH, "--keep", "house/scenes/open.yaml")
    assert done.returncode == 1 and "example: in a game of 2 players" in done.stdout, done.stdout + done.stderr
    assert "2 scenes written to house/scenes/open.yaml" in done.stdout
    assert "run `kingsburg test house --with barnyard`" in done.stdout
    feast, _ = CASES["two exceptions to a phase"][0]
    write_files(folder, {"house/with/barnyard/page.edict": feast.replace("day = 2", "day = 2 over thieves")})
    (folder / "house/page.edict").unlink()
    again = run_kingsburg(folder, "test", *BOTH)
    assert "1 scene passed" in again.stdout and "Thieves applies, not feast" in again.stdout, again.stdout


def test_json_output_has_the_example(folder: Path) -> None:
    data = json.loads(run_kingsburg(folder, "check", *BOTH, "--example", "--format", "json").stdout)
    Draft202012Validator(load_schema("diagnostics")).validate(data)
    (one,) = data["diagnostics"]
    assert len(one["example"]["readings"]) == 2 and one["example"]["scenes"].count("- name: ") == 2
    plain = json.loads(run_kingsburg(folder, "check", *BOTH, "--format", "json").stdout)
    assert "example" not in plain["diagnostics"][0]


def test_findings_without_readings_need_no_example(folder: Path) -> None:
    write_files(folder, {"house/page.edict": "when start of evening if day > 3\n  each player\n    gain 1 egg\n"})
    done = run_kingsburg(folder, "check", "house", "--example", "--keep", "open.yaml")
    assert "follow from the rules alone" in done.stdout and "study --never" in done.stdout
    assert "No scenes to write" in done.stdout and not (folder / "open.yaml").exists()
