"""`study` and `compare` from the command line: output, interruption, and messages about wrong input."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from calling import COMMAND, make_environment, wait_until
from edict.agents.study.bot_games import GameRange, GameSetup, get_plan, play_range
from edict.agents.study.checkpoint import CHECKPOINT_FILE, CheckpointFile
from edict.agents.study.study_run import make_study_format
from edict.agents.study.summary import summarize_study
from edict.agents.study.table_files import RequestedTables, play_piece
from edict.agents.study.tables import compute_fingerprint
from edict.agents.study.totals import Totals, sum_games
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.file_schemas import load_schema

Done = subprocess.CompletedProcess[str]
PIG = ("study", "pig", "--players", "2", "--bots", "random", "--workers", "1")


def setup() -> GameSetup:
    return GameSetup(compile_rules("pig").unwrap(), ("random",) * 2, (), 1)


# --- what is found --------------------------------------------------------------------------------


def test_study_data_fits_the_schema_and_win_shares_add_up() -> None:
    """That moving first helps is a known truth about Pig: with 3,000 games the intervals part."""
    check = Draft202012Validator(load_schema("study"))
    data = summarize_study(setup(), sum_games(setup(), play_range(setup(), GameRange(0, 3000))), 3000)
    check.validate(data)
    first, second = (seat["win_share"] for seat in data["seats"])
    assert first["value"] + second["value"] == pytest.approx(1)
    assert first["low"] < first["value"] < first["high"] and first["low"] > second["high"]
    assert data["shared"] == 0, "one player wins alone; see also test_teams"
    nothing = Totals.zero(2)
    check.validate(summarize_study(setup(), nothing, 10))
    faults = replace(nothing, games=5, faults=Counter({"no such card": 2, "too deep": 1}))
    assert (faults.games, faults.played_games) == (5, 8), "games that ended in a fault were played too"


def test_choosers_and_others_add_up_to_all_players() -> None:
    poker = GameSetup(compile_rules("kuhn-poker").unwrap(), ("random",) * 2, (), 1)
    for played, games in ((setup(), 100), (poker, 300)):
        data = summarize_study(played, sum_games(played, play_range(played, GameRange(0, games))), games)
        score = sum(seat["score"]["mean"]["value"] for seat in data["seats"]) / 2
        assert sum(one["brought"] for one in data["sources"]) == pytest.approx(score)
        assert all(one["brought"] for one in data["sources"])
        options = [option for group in data["chosen"] for option in group["options"]]
        for option in options:
            times = list(option["times"].values())
            for parts in ((option["with"], option["without"]), times):
                some = [one for one in parts if one["of"]]
                assert sum(one["of"] for one in some) == 2 * games
                assert sum(one["of"] * one["win_share"]["value"] for one in some) == pytest.approx(games)
                told = sum(one["of"] * one["score"]["value"] for one in some)
                assert told == pytest.approx(2 * games * score, abs=1e-6)
            assert option["without"] == times[0] and sum(option["by_seat"]) == pytest.approx(2 * option["often"])
    assert any(option["without"]["of"] and option["with"]["of"] for option in options)


def test_announcements_with_numbers_are_grouped_in_the_plural() -> None:
    cups = get_plan(GameSetup(compile_rules("under-the-cups").unwrap(), ("random",) * 2))
    assert "bids [number] dice of [number]" in {feature.group for feature in cups.features}


def test_fingerprint_depends_only_on_what_affects_games() -> None:
    what = setup()
    retitled = replace(what, program=replace(what.program, title="Pork"))
    assert compute_fingerprint(what) == compute_fingerprint(retitled) == compute_fingerprint(replace(what))
    others = (replace(what, settings=(("goal", 60),)), replace(what, bots=("greedy",) * 2), replace(what, seed=2))
    assert len({compute_fingerprint(one) for one in (what, *others)}) == 4


# --- the command ----------------------------------------------------------------------------------


def test_study_folder_has_all_files_and_is_not_overwritten(call: Callable[..., Done], tmp_path: Path) -> None:
    done = call(*PIG, "--games", "300", "-o", "kept")
    assert done.returncode == 0, done.stderr
    assert "300 games, 2 random bots" in done.stdout and "Who wins" in done.stdout
    assert {file.name for file in (tmp_path / "kept").iterdir()} == {
        CHECKPOINT_FILE,
        "study.json",
        "study.csv",
        "study.html",
    }
    data = json.loads((tmp_path / "kept" / "study.json").read_text())
    assert (data["games"], data["bots"]) == (300, ["random", "random"])
    rows = list(csv.DictReader(open(tmp_path / "kept" / "study.csv", encoding="utf-8")))
    assert float(rows[0]["with_win_share"]) == pytest.approx(data["seats"][0]["win_share"]["value"])
    before = (tmp_path / "kept" / CHECKPOINT_FILE).read_bytes()
    again = call(*PIG, "--games", "300", "-o", "kept")
    other = call(*PIG, "--games", "400", "--seed", "2", "-o", "kept", "--resume")
    assert (again.returncode, other.returncode) == (2, 2)
    assert "--resume" in again.stderr and "started with seed 0, not 2" in other.stderr
    assert (tmp_path / "kept" / CHECKPOINT_FILE).read_bytes() == before


def test_command_states_how_many_comparisons_it_makes(call: Callable[..., Done]) -> None:
    """In the terminal as on the page: three cards that were held; draws cannot change the sum of all chips."""
    done = call("study", "kuhn-poker", "--bots", "random", "--workers", "1", "--games", "40")
    assert done.returncode == 0, done.stderr
    printed = " ".join(done.stdout.split())
    assert re.search(r"3 comparisons: \w+ of them (is|are) significant \(\*\), with a risk of 5 %", printed)
    assert "on its own; one or more may exclude 0 by chance" in printed


def test_interrupted_study_reports_and_keeps_its_games_and_tables(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, *PIG[:-1], "2", "--games", "100000000", "-o", "kept", "--games-to", "games.csv"],
        cwd=tmp_path,
        env=make_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as running:
        file, parts = tmp_path / "kept" / CHECKPOINT_FILE, tmp_path / "kept" / "tables" / "games"
        wait_until(lambda: file.exists() and file.read_bytes().count(b"\n") > 3 and len([*parts.glob("*.csv")]) > 2)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in err and "--resume" in err and "Stopped after" in err
    assert "Who wins" in out, "what there is, is told"
    games = json.loads((tmp_path / "kept" / "study.json").read_text())["games"]
    assert file.read_bytes().endswith(b"\n")
    numbers = [int(row["game"]) for row in csv.DictReader(open(tmp_path / "games.csv", encoding="utf-8"))]
    assert numbers == sorted(set(numbers)) and len(numbers) >= games > 200


# --- what cannot be ---------------------------------------------------------------------------------


NONSENSE = [
    (("study", "pig", "--bots", "nobody"), "there is no bot `nobody`"),
    (("study", "pig", "--bots", "randum"), "`random`"),
    (("study", "pig", "--games", "0"), "invalid value for --games: 0"),
    (("study", "pig", "--games", "many"), "invalid value `many` for --games"),
    (("study", "pig", "--players", "9"), "2 to 4 players"),
    (("study", "pig", "--players", "-1"), "2 to 4 players"),
    (("study", "pig", "--workers", "-3"), "invalid value for --workers: -3"),
    (("study", "pig", "--bots", "random,random", "--players", "3"), "2 kinds of bots for 3 players"),
    (("study", "pig", "--set", "x=1"), "no setting `x`"),
    (("study", "pig", "--set", "goal"), "needs a value"),
    (("study", "pig", "--resume"), "--resume continues"),
    (("study", "pig", "--plan", "ann=my.plan"), "there is no seat `ann`"),
    (("study", "pig", "--plan", "my.plan"), "the plan my.plan cannot be read: No such file or directory"),
    (("study", "pig", "--plan", "my.plan", "--never"), "--plan cannot be combined"),
    (("study", "nosuch"), "nosuch"),
    (("study", "pig", "-o", "/dev/null/x", "--games", "5"), "Not a directory"),
    (("study", "pig", "--workers", "2", "--cluster", "tcp://x:1"), "--cluster"),
    (("compare", "base", "base", "--game", "pig"), "the same rules"),
    (("compare", "base", "goal=", "--game", "pig"), "goal`: ''"),
    (("compare", "base+", "goal=50", "--game", "pig"), "not a set of rules"),
    (("compare", "base", "nosuch", "--game", "pig"), "nosuch"),
    (("compare", "pig", "kuhn-poker"), "are both games"),
    (("compare", "pig", "goal=50", "--game", "kuhn-poker"), "two games given"),
    (("study", "--profile", "pig", "--games", "0"), "invalid value for --games: 0"),
    (("study", "--profile", "pig", "--rows", "0"), "invalid value for --rows: 0"),
]


def test_wrong_arguments_are_refused_with_the_reason(call: Callable[..., Done], subtests: pytest.Subtests) -> None:
    for words, said in NONSENSE:
        with subtests.test(words=words):
            done = call(*words)
            assert done.returncode in (1, 2) and said in done.stderr and done.stdout == "", (words, done.stderr)


def test_study_without_llvmlite_gives_the_same_result_with_a_hint(
    call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without llvmlite the same study, in plain Python, with a word on how to be faster."""
    fast = call(*PIG, "--games", "20")
    monkeypatch.setattr("edict.runtime.simulation.native.is_available", lambda: False)
    slow = call(*PIG, "--games", "20")
    assert slow.stdout == fast.stdout
    assert "pip install 'llvmlite" in slow.stderr


# --- a full disk --------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="limits of files are a thing of Unix")
def test_full_disk_leaves_only_whole_lines(tmp_path: Path) -> None:
    """The system refuses the file's growth in the middle of a line, as a full disk does."""
    import resource

    kept = CheckpointFile.create(tmp_path / "kept", make_study_format(setup()))
    totals = play_piece(setup(), RequestedTables(), GameRange(0, 50)).totals
    kept.add(GameRange(0, 50), totals)
    size = kept.path.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200, limits[1]))
    try:
        with pytest.raises(OSError, match="large"):
            kept.add(GameRange(50, 50), totals)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, old)
    assert kept.path.stat().st_size == size
    kept.close()
    with CheckpointFile.resume(tmp_path / "kept", make_study_format(setup())) as again:
        assert again.results == [(GameRange(0, 50), totals)] and not again.left_out


def test_full_disk_during_a_study_is_reported_and_games_are_kept(
    call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add = CheckpointFile.add
    added: list[GameRange] = []

    def full(self: CheckpointFile[Totals], stretch: GameRange, totals: Totals) -> None:
        if len(added) == 2:
            raise OSError(28, "No space left on device", str(self.path))
        added.append(stretch)
        add(self, stretch, totals)

    monkeypatch.setattr(CheckpointFile, "add", full)
    done = call(*PIG, "--games", "3000", "-o", "kept")
    assert done.returncode == 2
    assert "No space left" in done.stderr and "make room" in done.stderr and "--resume" in done.stderr
    assert "Who wins" in done.stdout
    monkeypatch.undo()
    with CheckpointFile.resume(tmp_path / "kept", make_study_format(setup_as_called())) as kept:
        assert sum(totals.games for _, totals in kept.results) == 1000


def setup_as_called() -> GameSetup:
    program = compile_rules("pig").unwrap()
    return GameSetup(program, ("random", "random"), tuple((s.name, s.value) for s in program.settings), 0)


# --- profile -------------------------------------------------------------------------------------------


def test_profile_counts_instructions(call: Callable[..., Done]) -> None:
    done = call("study", "--profile", "pig", "--players", "2", "--games", "5", "--rows", "6")
    assert done.returncode == 0, done.stderr
    assert "instructions and" in done.stdout and "By operation" in done.stdout
    assert "pig/pig.edict:" in done.stdout


def test_profile_is_exact_and_repeatable() -> None:
    """The counts of operations and of rules are of the same instructions, and stay the same."""
    from edict.agents.study.game_watching import profile_games
    from edict.runtime.simulation.plans import RANDOM

    one, other = (profile_games(compile_rules("pig").unwrap(), [RANDOM] * 2, 4) for _ in range(2))
    assert one.instructions == pytest.approx(sum(cost.ran for cost in one.operations))
    assert one.instructions == pytest.approx(sum(cost.ran for cost in one.rules))
    assert [(c.name, c.ran) for c in one.operations] == [(c.name, c.ran) for c in other.operations]


def test_profile_excludes_time_between_games_and_of_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instruction 7 takes 300 nanoseconds and 8 takes 500; then another process had its turn, for a millisecond."""
    from edict.agents.study.game_watching import InstructionClock

    moments = iter([1_000, 1_000, 1_300, 1_300, 1_800, 1_800, 1_001_800, 1_001_800, 1_002_000, 1_002_000])
    monkeypatch.setattr("time.perf_counter_ns", lambda: next(moments))
    clock = InstructionClock([0] * 10, {7, 8})
    read = [clock[place] for place in (7, 8, 9, 7, 8, 7)]
    assert read == [0] * 6 and clock.spent == {7: 300, 8: 500 + 200}
