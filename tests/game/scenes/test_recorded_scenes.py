"""Scenes recorded from games: they pass at once, and fail when the rules change."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from calling import make_manifest, run_kingsburg, write_files
from edict.game.scenes.game_timeline import Timeline
from edict.game.scenes.scene_facts import NotExpressible, StateWriter
from edict.game.scenes.scene_recorder import RecordedScene, record_scene, safe_player_names
from edict.game.scenes.scene_runner import run_module
from edict.game.scenes.scene_vocabulary import SceneVocabulary
from edict.game.table.addresses import StateLayout
from edict.game.table.campaigns import Campaign
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Opening
from edict.game.table.rules import Rules, load_rules
from examples import choose_examples
from reading import EVERYTHING
from scene_kit import play_each_scene, write_game, write_scene_pages

NAMES = ("Ann", "Brian", "Cindy", "David", "Emma")
FARM = """\
resource coin "coin/coins"
die d6 "die" with 6 sides
keep seating as order of player, quiet
setting days "Days" is 2 from 1 to 9
setting fine "Fine days" is off

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
    repeat days times
      play day

phase day "Day"
  roll 1 d6 as weather
  if fine or total of weather > 3
    each player
      gain 1 coin
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
    return write_game(tmp_path / "farm", FARM)


def play_random_answers(
    rules: Rules, seed: int, answers: int, names: tuple[str, ...] = NAMES[:3], **more: object
) -> Game:
    """Return a game after this many random answers."""
    rng = Random(seed)
    game = rules.new_game(names, seed=seed, **more)  # type: ignore[arg-type]
    for _ in range(answers):
        if not game.over:
            game.answer(rng.randrange(game.count))
    return game


def player_answers(found: RecordedScene) -> set[str]:
    """Return every answer that a scene gives for players."""
    given = [step[player] for step in found.scene["play"] for player in found.players if player in step]
    return {answer for one in given for answer in (one if isinstance(one, list) else [one])}


# --- there and back ---------------------------------------------------------------------------------


def choose_stretches(game: Game, rng: Random) -> list[tuple[int, int]]:
    """Return the first answer, the last, and two mostly short stretches of answers."""
    last = len(game.journal.answers)
    starts = rng.choices(range(1, last + 1), k=2)
    return [(1, 1), (last, last), *((first, min(last, first + rng.choice((0, 1, 3, 8, 25)))) for first in starts)]


COMBINATIONS: list[tuple[str, ...]] = [
    EVERYTHING,
    *choose_examples(
        [],
        [
            (),
            ("governors",),
            ("destiny", "alternate-rows", "more-buildings"),
            ("soldier-tokens", "first-edition"),
            ("goblin-valley", "governors"),
        ],
    ),
]


@pytest.mark.parametrize("modules", COMBINATIONS, ids=lambda names: "+".join(names) or "base")
def test_recorded_scene_covers_the_innermost_phase_and_passes(
    root: Path, tmp_path: Path, modules: tuple[str, ...], subtests: pytest.Subtests
) -> None:
    rules, rng = load_rules("kingsburg", modules), Random(len(modules))
    found: list[RecordedScene] = []
    for seed, answers in ((1, 30), (2, 110), (3, 1000)):
        game = play_random_answers(rules, seed, answers, NAMES[: 2 + seed])
        timeline = Timeline.from_game(game)
        places = {asked.answer: place for place, asked in enumerate(timeline.asked) if asked.answer}
        for first, last in choose_stretches(game, rng):
            with subtests.test(first=first, last=last):
                found.append(one := record_scene(game, first, last, f"scene {len(found)}"))
                assert one.first <= first and one.last >= last
                begin, end = places[first], places[last]
                held = [
                    span for span in timeline.phases if span.first <= begin and (span.last is None or end < span.last)
                ]
                assert one.phase == (max(held, key=lambda span: span.level).name if held else "")
    folder = shutil.copytree(root / "rules", tmp_path / "rules", ignore=shutil.ignore_patterns("scenes"))
    write_scene_pages(folder, *(one.to_page({"modules": list(modules)}) for one in found))
    report = run_module(folder)
    assert report.ok and report.passed_count == len(found), report.text()
    assert len({one.phase for one in found}) > 3, "they begin in different phases"
    answers_given = set[str]().union(*map(player_answers, found))
    assert [key for key in answers_given if key.startswith("own-die:") and key.endswith("token")]
    assert not [text for text in answers_given if " with a " in text], "words that better English would change"


def test_recorded_game_has_settings_and_winners_and_fails_under_changed_rules(
    farm: Path, subtests: pytest.Subtests
) -> None:
    chosen = {"days": 3, "fine": "on"}
    game = play_random_answers(load_rules(farm), 8, 100, settings=chosen)
    assert game.over and game.result is not None
    found = record_scene(game, 1, len(game.journal.answers), "All of it")
    assert found.phase == "" and found.scene["settings"] == chosen
    assert found.scene["then"]["over"] == "yes" and found.scene["then"]["winners"] == list(game.result.winners)
    write_scene_pages(farm, found.to_page({}))
    assert run_module(farm).ok
    for old, new in (
        ("gain 3 coin", "gain 2 coin"),
        ("may spend 1 coin", "may spend 2 coin"),
        (", once per day", ""),
        ("      gain 1 coin\n  play morning", "      gain 2 coin\n  play morning"),
        ("        nothing", "        gain 1 coin"),
    ):
        with subtests.test(old=old, new=new):
            assert old in FARM
            write_files(farm, {"rules.edict": FARM.replace(old, new)})
            report = run_module(farm)
            assert report.scenes and not report.ok


def test_answer_in_generated_english_is_recorded_by_key() -> None:
    game = play_random_answers(load_rules("under-the-cups"), 3, 1000, NAMES)
    answers = player_answers(record_scene(game, 1, len(game.journal.answers)))
    assert "do-bid" in answers and "Bid" not in answers


def test_undone_answers_are_not_recorded(farm: Path) -> None:
    game = play_random_answers(load_rules(farm), 4, 6)
    before = record_scene(game, 3, 6, "As it is").to_page({})
    game.answer(0)
    game.back()
    assert record_scene(game, 3, 6, "As it is").to_page({}) == before


def test_ambiguous_player_names_are_replaced(farm: Path) -> None:
    rules = load_rules(farm)
    misread = [("everyone", "Ann"), ("coin", "Bo"), ("1", "2"), ("none", "no")]
    kept = [("Ann knows", "Bo"), ("Zoë", "O'Neill", "Ann Marie")]
    found = [record_scene(play_random_answers(rules, 6, 8, names), 3, 8, "Names") for names in (*misread, *kept)]
    assert [one.players for one in found] == [("Ann", "Brian")] * len(misread) + kept
    assert all(safe_player_names(rules.program, one.players) == one.players for one in found)
    typed = record_scene(play_random_answers(rules, 6, 9, dice="typed"), 2, 9, "Dice typed from a real table")
    write_scene_pages(farm, *(one.to_page({}) for one in (*found, typed)))
    report = run_module(farm)
    assert report.ok and report.passed_count == len(found) + 1, report.text()


# --- what is under way, and what was used ------------------------------------------------------------------

WORKED = "start: phase work\nplay: [{Ann: Rest}, {Brian: Rest}"
HOLDING = (
    WORKED + "]\nthen: {rest: unchanged}",
    WORKED + ", {Ann: no}, {Brian: no}]\nduring: Morning\nthen: {everyone: {coin: 1}}",
    WORKED + ", {Ann: no}]\nduring: [day, morning]\nused: {Brian: Axe}\nthen: {everyone: {coin: 1}}",
    WORKED + ", {Ann: 1 coin}]\ngiven: {everyone: {coin: 1}}\nused: {Brian: [Axe]}\nthen: {Ann: {coin: 3}}",
)
REMEDIES = {
    "during: mornin": "did you mean `morning`?",
    "used: {Ann: ax}": "did you mean `axe`?",
    "used: {An: Axe}": "did you mean `Ann`?",
    "used: {Ann: [Axe, rest]}": "choose one of `axe`",
}


def test_scene_sets_phases_in_progress_and_used_abilities(farm: Path, subtests: pytest.Subtests) -> None:
    reports = play_each_scene(farm, [*HOLDING, *(f"{WORKED}]\n{text}" for text in REMEDIES)])
    assert not {text: reports[text].text() for text in HOLDING if not reports[text].ok}
    for text, remedy in REMEDIES.items():
        with subtests.test(text=text):
            (one,) = reports[f"{WORKED}]\n{text}"].scenes
            assert [(d.code, d.help) for d in one.diagnostics] == [("S0001", remedy)]


def test_recorder_writes_progress_and_used_abilities_where_they_matter(farm: Path) -> None:
    game = load_rules(farm).new_game(["Ann", "Brian"], seed=1)
    for key in ("rest", "rest", "1-coin", "no", "rest", "rest"):
        game.answer(key)
    found = record_scene(game, 5, 6, "In the evening")
    assert found.phase == "work"
    assert found.scene["used"] == {"Ann": ["Axe"]} and found.scene["during"] == ["day", "evening"]
    write_scene_pages(farm, found.to_page({}))
    assert run_module(farm).ok
    assert "morning" in record_scene(game, 3, 4, "In the morning").scene["during"]


AIMED = """\
keep aim of tool as number from 0 to 3, secret
keep held of player as tool or none, secret

tool bow "Bow, strung"

phase work "Work"
  draw a number from 1 to 3 as drawn secretly
  set aim of bow to drawn
  each player
    set held of you to bow
  show aim of bow to {}
"""


def test_secret_of_a_thing_with_a_comma_in_its_title_is_written_by_name(farm: Path) -> None:
    write_files(farm, {"rules.edict": FARM.replace('phase work "Work"\n', AIMED.format("first of seating"))})
    game = load_rules(farm).new_game(["Ann", "Brian"], seed=1)
    game.answer("rest")
    game.answer("rest")
    found = record_scene(game, 1, 2)
    assert found.scene["then"]["Brian does not know"] == ["aim of bow", "held of Ann"]
    assert found.scene["then"]["aim"] == {"Bow, strung": 3}
    write_scene_pages(farm, found.to_page({}))
    assert run_module(farm).ok


def test_recorder_gives_knowledge_of_others_and_shared_values_once(farm: Path) -> None:
    write_files(farm, {"rules.edict": FARM.replace('phase work "Work"\n', AIMED.format("everyone"))})
    game = load_rules(farm).new_game(["Ann", "Brian"], seed=1)
    for key in ("rest", "rest", "no", "no", "rest", "rest"):
        game.answer(key)
    found = record_scene(game, 5, 6)
    assert found.scene["given"] == {
        "aim": {"Bow, strung": 3},
        "everyone": {"coin": 1, "held": "Bow, strung"},
        "Ann knows": ["aim of bow"],
        "Brian knows": ["aim of bow"],
    }
    write_scene_pages(farm, found.to_page({}))
    assert run_module(farm).ok


def test_inexpressible_values_are_not_recorded(farm: Path) -> None:
    program = load_rules(farm).program
    writer = StateWriter(SceneVocabulary(program, NAMES[:2]), StateLayout.from_program(program))
    assert {cell.of for cell in writer.cells if cell.variable.name == "coin"} == {(0,), (1,)}, "of those who play"
    number = program.variable_by_name["coin"].type
    assert writer.write_value(number, 10**9 - 1) == 10**9 - 1, "nine digits"
    with pytest.raises(NotExpressible):
        writer.write_value(number, 10**9)


INLINED = """\
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


def test_inlined_phase_is_found(tmp_path: Path) -> None:
    """The compiler inlines a short phase that is played in one place, besides the copy at which scenes start."""
    game = load_rules(write_game(tmp_path / "trial", INLINED)).new_game(["Ann", "Ben"], 1)
    while not game.over:
        game.answer(1)
    assert "Work" in record_scene(game, 2, 2).to_page({})


def test_campaign_game_is_recorded_with_its_carried_values(tmp_path: Path, root: Path) -> None:
    rules, file = load_rules(root / "examples" / "recipes" / "campaign"), tmp_path / "winter.jsonl"
    for seed in (1, 2):
        game = Campaign.read(file).next(rules).new_game(NAMES[:2], seed)
        while not game.over:
            game.answer(0)
        Campaign.read(file).count(game)
    found = record_scene(game, 1, len(game.answers))
    assert found.phase == "" and found.scene["given"]["roads washed out"] and found.scene["then"]["over"] == "yes"


def test_missing_stretches_are_refused(farm: Path, subtests: pytest.Subtests) -> None:
    rules = load_rules(farm)
    game = play_random_answers(rules, 1, 5, NAMES[:2])
    for first, last in ((0, 3), (5, 4), (1, 6), (6, 6)):
        with subtests.test(first=first):
            with pytest.raises(GameError) as caught:
                record_scene(game, first, last)
            assert caught.value.reason == f"there are no answers {first} to {last}"
            assert caught.value.remedy == "this game has 5 answers, counted from 1"
    assert (record_scene(game, 1, 5).first, record_scene(game, 5, 5).last) == (1, 5)
    with pytest.raises(GameError) as caught:
        record_scene(rules.new_game(NAMES[:2], seed=1), 1, 1)
    assert caught.value.remedy == "play on"


def test_game_started_in_the_middle_is_not_recorded_beyond_its_phase(farm: Path) -> None:
    rules = load_rules(farm)
    journal = rules.new_game(NAMES[:2], seed=1).journal
    game = rules.replay(replace(journal, header=replace(journal.header, opening=Opening("phase evening"))))
    for _ in range(3):
        game.answer("rest")
    with pytest.raises(GameError) as caught:
        record_scene(game, 1, 3)
    assert caught.value.reason == "a game that began in the middle cannot be recorded beyond the phase it is in"
    assert caught.value.remedy == "begin a game at the start, or choose answers of one phase that began in this game"


def test_default_scene_name_is_the_phase_or_the_game(farm: Path, subtests: pytest.Subtests) -> None:
    game = play_random_answers(load_rules(farm), 1, 9, NAMES[:2])
    for last, what in {4: "Work", 5: "Day", 9: "Farm"}.items():
        with subtests.test(last=last):
            assert record_scene(game, 1, last).scene["name"] == f"{what} as it was played, answers 1 to {last}"
            assert record_scene(game, 1, last, "Mine").scene["name"] == "Mine"


# --- on the command line -------------------------------------------------------------------------------------


def test_command_records_games_and_plays_the_scenes(farm: Path, tmp_path: Path) -> None:
    play_random_answers(load_rules(farm), 3, 9, NAMES[:2], journal=tmp_path / "played.jsonl")
    done = run_kingsburg(tmp_path, "test", "--record", "played.jsonl", "--list")
    assert done.returncode == 0 and "Day > Morning > Work" in done.stdout and "    9  " in done.stdout
    wanted = ("test", "--record", "played.jsonl", "--from", "2", "--to", "3", "--name", "A morning's work")
    done = run_kingsburg(tmp_path, *wanted)
    assert done.returncode == 0 and "game: farm" in done.stdout and "kingsburg test" in done.stderr
    done = run_kingsburg(tmp_path, *wanted, "-o", "farm/scenes/morning.yaml")
    assert done.returncode == 0, done.stderr
    done = run_kingsburg(tmp_path, "test", "./farm")
    assert done.returncode == 0 and "1 scene passed" in done.stdout, done.stdout
    done = run_kingsburg(tmp_path, *wanted, "-o", "farm/scenes/morning.yaml")
    assert done.returncode == 2 and "already exists" in done.stderr


def test_command_reports_why_a_game_cannot_be_recorded(tmp_path: Path) -> None:
    write_files(tmp_path, {"no.jsonl": "hello\n"})
    assert run_kingsburg(tmp_path, "test", "--record", "no.jsonl").returncode in (1, 2)
    assert run_kingsburg(tmp_path, "test", "--record", "nowhere.jsonl").returncode == 2


def test_game_with_modules_is_recorded_beside_a_custom_module(tmp_path: Path) -> None:
    about = make_manifest("house", requires="[kingsburg]")
    rule = "when start of summer\n  each player\n    gain 1 gold\n"
    write_files(tmp_path / "house", {"module.yaml": about, "house.edict": rule})
    rules = load_rules("kingsburg", (str(tmp_path / "house"), "destiny"))
    play_random_answers(rules, 3, 60, journal=tmp_path / "played.jsonl")
    done = run_kingsburg(tmp_path, "test", "--record", "played.jsonl", "-o", "house/scenes/s.yaml")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "house" / "scenes" / "s.yaml").read_text(encoding="utf-8")
    assert text.startswith("game: kingsburg\nmodules: [destiny]\n")
    assert run_kingsburg(tmp_path, "test", "./house").returncode == 0
    write_files(tmp_path / "other", {"module.yaml": about.replace("house", "other"), "scenes/a.txt": ""})
    done = run_kingsburg(tmp_path, "test", "--record", "played.jsonl", "-o", "other/scenes/s.yaml")
    assert done.returncode == 2 and "`other` was not part of this game" in done.stderr
