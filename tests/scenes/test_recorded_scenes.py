"""Scenes written from played games: they hold at once, and they fail when the rules are no longer the same."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from calling import kingsburg, manifest, write
from examples import examples
from reading import EVERYTHING

from edict.scenes.scene_recorder import NotRecorded, Recorded, around, record, table_names
from edict.scenes.scene_reports import Report
from edict.scenes.scene_runner import run_module
from edict.scenes.game_timeline import Timeline
from edict.table.campaign import Campaign
from edict.table.game import Game
from edict.table.rules import Rules, load_rules

NAMES = ("Ann", "Brian", "Cindy", "David", "Emma")
COMBINATIONS = [
    (),
    EVERYTHING,
    *examples(
        [],
        [("governors",), ("destiny", "alternate-rows", "more-buildings"), ("soldier-tokens", "first-edition"),
         ("goblin-valley", "governors")],
    ),
]  # fmt: skip


def played(rules: Rules, seed: int, answers: int, names: tuple[str, ...] = NAMES[:3], **more: object) -> Game:
    """A game in which everything is answered at random, up to so many answers."""
    rng = Random(seed)
    game = rules.new_game(names, seed=seed, **more)  # type: ignore[arg-type]
    for _ in range(answers):
        if not game.over:
            game.answer(rng.randrange(game.count))
    return game


def stretches(game: Game, rng: Random, number: int) -> list[tuple[int, int]]:
    """Some stretches of answers, short ones mostly, and the first and the last."""
    last = len(game.journal.answers)
    starts = rng.choices(range(1, last + 1), k=number)
    return [(1, 1), (last, last), *((first, min(last, first + rng.choice((0, 1, 3, 8, 25)))) for first in starts)]


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """The game without its scenes, to write others beside it."""
    return Path(shutil.copytree(root / "rules", tmp_path / "rules", ignore=shutil.ignore_patterns("scenes")))


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / "scenes" / f"{name}.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


# --- there and back ---------------------------------------------------------------------------------


@pytest.mark.parametrize("modules", COMBINATIONS, ids=lambda names: "+".join(names) or "base")
def test_what_is_recorded_holds_at_once(copied: Path, modules: tuple[str, ...]) -> None:
    rules, rng = load_rules("kingsburg", modules), Random(len(modules))
    found: list[Recorded] = []
    for seed, answers in ((1, 30), (2, 110), (3, 1000)):
        game = played(rules, seed, answers, NAMES[: 2 + seed])
        for first, last in stretches(game, rng, 4):
            found.append(record(game, first, last, f"scene {len(found)}"))
            assert found[-1].first <= first and found[-1].last >= last
            inner = around(Timeline.of(game), first, last)[:1]
            assert found[-1].phase == (inner[0].name if inner else ""), "there are words for all of it"
    for number, one in enumerate(found):
        put(copied, f"scene-{number}", one.page({"modules": list(modules)}))
    report = run_module(copied)
    assert report.ok, report.text()
    assert report.passed == len(found)
    assert len({one.phase for one in found}) > 3, "they begin in different phases"


@pytest.mark.parametrize(("name", "text", "key"), [
    ("under-the-cups", "Bid", "do-bid"), ("kingsburg", "2 5 with a +2 token", "own-die:2,5 1-token"),
])  # fmt: skip
def test_no_answer_is_recorded_in_words_that_better_english_would_change(name: str, text: str, key: str) -> None:
    game = played(load_rules(name), 3, 1000, NAMES[:5])
    steps = record(game, 1, len(game.journal.answers)).scene["play"]
    given = [step[player] for step in steps for player in game.players if player in step]
    answers = [answer for one in given for answer in (one if isinstance(one, list) else [one])]
    assert key in answers and text not in answers


def test_the_phase_is_the_innermost_around_the_answers() -> None:
    game = played(load_rules("kingsburg"), 5, 60)
    timeline = Timeline.of(game)
    places = {asked.answer: place for place, asked in enumerate(timeline.asked) if asked.answer}
    for first, last in ((20, 20), (20, 24), (1, 50)):
        found = record(game, first, last)
        around = [s for s in timeline.phases if s.first <= places[first] and (s.last is None or places[last] < s.last)]
        deepest = max(around, key=lambda phase: phase.level, default=None)
        assert found.phase == (deepest.name if deepest else "")


def test_all_of_a_game_is_told_with_its_winners(copied: Path) -> None:
    game = played(load_rules("kingsburg"), 8, 5000)
    assert game.over and game.result is not None
    found = record(game, 1, len(game.journal.answers), "All of it")
    assert found.phase == "" and found.scene["then"]["over"] == "yes"
    assert found.scene["then"]["winners"] == list(game.result.winners)
    put(copied, "all", found.page({}))
    assert run_module(copied).ok


def test_a_phase_whose_code_stands_where_it_is_played_is_found_too(tmp_path: Path) -> None:
    """The compiler puts a short phase that is played in one place there, beside the one that scenes start at."""
    text = """\
resource coin "coin/coins"
keep turn-order as order of player, quiet

game trial
  players 2 to 2
  order turn-order
  winners everyone
  score coin of you
  course
    play morning
    play evening

phase morning "Morning"
  each player
    choose one "What now?"
      option "Rest"
        nothing
      option "Work"
        gain 1 coin

phase evening "Evening"
  each player
    gain 3 coin
"""
    write(tmp_path / "trial", {"module.yaml": manifest("trial", kind="game"), "trial.edict": text})
    rules = load_rules(tmp_path / "trial")
    game = rules.new_game(["Ann", "Ben"], 1)
    while not game.over:
        game.answer(1)
    assert "Work" in record(game, 2, 2).page({})


def test_answers_taken_back_are_not_told(copied: Path) -> None:
    game = played(load_rules("kingsburg"), 4, 20)
    before = record(game, 18, 20, "As it is").page({})
    game.answer(0)
    game.back()
    assert record(game, 18, 20, "As it is").page({}) == before


def test_dice_typed_from_a_real_table(copied: Path) -> None:
    game = played(load_rules("kingsburg"), 6, 60, dice="typed")
    put(copied, "typed", record(game, 40, 60, "Typed").page({}))
    report = run_module(copied)
    assert report.ok, report.text()


def test_settings_are_told(copied: Path) -> None:
    game = played(load_rules("kingsburg"), 6, 40, settings={"years": 2, "ask-about-gains": "on"})
    found = record(game, 30, 40, "Settings")
    assert found.scene["settings"] == {"years": 2, "ask-about-gains": "on"}
    put(copied, "settings", found.page({}))
    assert run_module(copied).ok


@pytest.mark.parametrize(
    "names", [("everyone", "Ann"), ("Ann knows", "Bo"), ("gold", "Bo"), ("1", "2"), ("none", "no")]
)
def test_names_that_scenes_could_misread_are_replaced(copied: Path, names: tuple[str, ...]) -> None:
    rules = load_rules("kingsburg")
    assert table_names(rules.program, names) == ("Ann", "Brian") or names == ("Ann knows", "Bo")
    put(copied, "names", record(played(rules, 6, 40, names), 20, 40, "Names").page({}))
    report = run_module(copied)
    assert report.ok, report.text()


def test_names_of_all_sorts_are_kept(copied: Path) -> None:
    names = ("Zoë", "O'Neill", "Ann Marie")
    found = record(played(load_rules("kingsburg"), 6, 40, names), 20, 40, "Names")
    assert found.players == names
    put(copied, "names", found.page({}))
    assert run_module(copied).ok


# --- a test that can fail -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("season.edict", "gain worth of what point", "gain worth of what + 1 point"),
        ("winter.edict", "gain sent soldier", "gain sent + 1 soldier"),
        ("year.edict", "gain 1 bonus-die", "gain 2 bonus-die"),
    ],
)
def test_a_recorded_scene_fails_when_the_rules_change(copied: Path, file: str, old: str, new: str) -> None:
    game = played(load_rules("kingsburg"), 8, 5000)
    put(copied, "all", record(game, 1, len(game.journal.answers), "All of it").page({}))
    assert run_module(copied).ok
    text = (copied / file).read_text(encoding="utf-8")
    assert old in text
    (copied / file).write_text(text.replace(old, new), encoding="utf-8")
    assert not run_module(copied).ok


# --- what is under way, and what was used ------------------------------------------------------------------

RULES = """\
resource coin "coin/coins"
keep seating as order of player, quiet

kind tool "tool/tools"
  works if coin of you >= 0

tool axe "Axe"
  when end of work, once per day
    may spend 1 coin
      gain 3 coin
  when start of work if during morning
    gain 1 coin

game farm "Farm"
  players 2 to 3
  order seating
  winners players with most coin of it
  score coin of you
  course
    repeat 2 times
      play day

phase day "Day"
  play morning
  play evening

phase morning "Morning"
  play work

phase evening "Evening"
  play work

phase work "Work"
  each player
    choose one "Work?"
      option "Yes"
        gain 1 coin
      option "Rest"
        nothing
"""


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    folder = tmp_path / "farm"
    folder.mkdir()
    (folder / "module.yaml").write_text("name: farm\ntitle: Farm\nversion: 1.0.0\nkind: game\n", encoding="utf-8")
    (folder / "rules.edict").write_text(RULES, encoding="utf-8")
    return folder


def report(folder: Path, text: str) -> Report:
    put(folder, "page", "scenes:\n  - name: A scene\n" + "".join(f"    {line}\n" for line in text.split("\n")))
    return run_module(folder)


WORKED = "start: phase work\nplay: [{Ann: Rest}, {Brian: Rest}"


@pytest.mark.parametrize(
    "text",
    [
        WORKED + "]\nthen: {rest: unchanged}",
        WORKED + ", {Ann: no}, {Brian: no}]\nduring: Morning\nthen: {everyone: {coin: 1}}",
        WORKED + ", {Ann: no}]\nduring: [day, morning]\nused: {Brian: Axe}\nthen: {everyone: {coin: 1}}",
        WORKED + ", {Ann: 1 coin}]\ngiven: {everyone: {coin: 1}}\nused: {Brian: [Axe]}\nthen: {Ann: {coin: 3}}",
    ],
)
def test_a_scene_says_what_is_under_way_and_what_was_used(farm: Path, text: str) -> None:
    found = report(farm, text)
    assert found.ok, found.text()


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("during: mornin", "did you mean `morning`?"),
        ("used: {Ann: ax}", "did you mean `axe`?"),
        ("used: {An: Axe}", "did you mean `Ann`?"),
        ("used: {Ann: [Axe, rest]}", "there are `axe`"),
    ],
)
def test_what_is_not_there_cannot_be_under_way_or_used(farm: Path, text: str, remedy: str) -> None:
    found = report(farm, WORKED + "]\n" + text)
    (played_,) = found.scenes
    assert [(d.code, d.help) for d in played_.diagnostics] == [("S0001", remedy)]


def test_both_are_recorded_where_they_matter(farm: Path) -> None:
    rules = load_rules(str(farm))
    game = rules.new_game(["Ann", "Brian"], seed=1)
    for key in ("rest", "rest", "1-coin", "no", "rest", "rest"):
        game.answer(key)
    found = record(game, 5, 6, "In the evening")
    assert found.phase == "work"
    assert found.scene["used"] == {"Ann": ["Axe"]} and found.scene["during"] == ["day", "evening"]
    put(farm, "page", found.page({}))
    assert run_module(farm).ok
    morning = record(game, 3, 4, "In the morning")
    assert "morning" in morning.scene["during"]


def test_a_secret_of_what_has_a_comma_in_its_title_is_told_by_its_name(farm: Path) -> None:
    aimed = """\
keep aim of tool as number from 0 to 3, secret

tool bow "Bow, strung"

phase work "Work"
  draw a number from 1 to 3 as drawn secretly
  set aim of bow to drawn
  show aim of bow to first of seating
"""
    (farm / "rules.edict").write_text(RULES.replace('phase work "Work"\n', aimed), encoding="utf-8")
    game = load_rules(str(farm)).new_game(["Ann", "Brian"], seed=1)
    game.answer("rest")
    game.answer("rest")
    found = record(game, 1, 2)
    assert found.scene["then"]["Brian does not know"] == ["aim of bow"]
    put(farm, "page", found.page({}))
    assert run_module(farm).ok


# --- what cannot be recorded -----------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "last"), [(0, 3), (5, 4), (1, 99), (99, 99)])
def test_stretches_that_are_not_there(farm: Path, first: int, last: int) -> None:
    game = played(load_rules(str(farm)), 1, 5, NAMES[:2])
    with pytest.raises(NotRecorded, match="no answers"):
        record(game, first, last)


def test_a_game_without_answers(farm: Path) -> None:
    with pytest.raises(NotRecorded) as caught:
        record(load_rules(str(farm)).new_game(["Ann", "Bo"], seed=1), 1, 1)
    assert caught.value.remedy == "play on"


# --- on the command line -------------------------------------------------------------------------------------


def test_recorded_and_tested_from_the_command_line(farm: Path, tmp_path: Path) -> None:
    rules = load_rules(str(farm))
    played(rules, 3, 9, NAMES[:2], journal=tmp_path / "played.jsonl")
    done = kingsburg(tmp_path, "test", "--record", "played.jsonl", "--list")
    assert done.returncode == 0 and "Day > Morning > Work" in done.stdout and "    9  " in done.stdout
    wanted = ("test", "--record", "played.jsonl", "--from", "2", "--to", "3", "--name", "A morning's work")
    done = kingsburg(tmp_path, *wanted)
    assert done.returncode == 0 and "game: farm" in done.stdout and "kingsburg test" in done.stderr
    done = kingsburg(tmp_path, *wanted, "-o", "farm/scenes/morning.yaml")
    assert done.returncode == 0, done.stderr
    done = kingsburg(tmp_path, "test", "./farm")
    assert done.returncode == 0 and "1 scene passed" in done.stdout, done.stdout
    done = kingsburg(tmp_path, *wanted, "-o", "farm/scenes/morning.yaml")
    assert done.returncode == 2 and "already exists" in done.stderr


def test_beside_a_module_of_ones_own(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    manifest = "name: house\ntitle: House\nversion: 1.0.0\nkind: module\nrequires: [kingsburg]\n"
    (house / "module.yaml").write_text(manifest, encoding="utf-8")
    (house / "house.edict").write_text("when start of summer\n  each player\n    gain 1 gold\n", encoding="utf-8")
    rules = load_rules("kingsburg", (str(house), "destiny"))
    played(rules, 3, 60, NAMES[:3], journal=tmp_path / "played.jsonl")
    done = kingsburg(tmp_path, "test", "--record", "played.jsonl", "-o", "house/scenes/s.yaml")
    assert done.returncode == 0, done.stderr
    text = (house / "scenes" / "s.yaml").read_text(encoding="utf-8")
    assert text.startswith("game: kingsburg\nmodules: [destiny]\n")
    assert kingsburg(tmp_path, "test", "./house").returncode == 0
    (tmp_path / "other" / "scenes").mkdir(parents=True)
    (tmp_path / "other" / "module.yaml").write_text(manifest.replace("house", "other"), encoding="utf-8")
    done = kingsburg(tmp_path, "test", "--record", "played.jsonl", "-o", "other/scenes/s.yaml")
    assert done.returncode == 2 and "`other` was not part of this game" in done.stderr


def test_what_is_no_journal_is_told(tmp_path: Path) -> None:
    (tmp_path / "no.jsonl").write_text("hello\n", encoding="utf-8")
    assert kingsburg(tmp_path, "test", "--record", "no.jsonl").returncode in (1, 2)
    assert kingsburg(tmp_path, "test", "--record", "nowhere.jsonl").returncode == 2


def test_a_game_of_a_campaign_is_recorded_with_what_it_began_with(tmp_path: Path, root: Path) -> None:
    rules, file = load_rules(root / "examples" / "recipes" / "campaign"), tmp_path / "winter.jsonl"
    for seed in (1, 2):
        game = Campaign.read(file).next(rules).new_game(NAMES[:2], seed)
        while not game.over:
            game.answer(0)
        Campaign.read(file).count(game)
    found = record(game, 1, len(game.answers))
    assert found.phase == "" and found.scene["given"]["roads washed out"] and found.scene["then"]["over"] == "yes"
