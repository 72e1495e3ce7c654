"""The option `--watch` of `check` and `play`, which reloads rules when they are saved."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calling import GAME, make_manifest, run_kingsburg, write_files
from edict.apps.cli.playing.live_reload import iter_saves
from edict.game.table.game_errors import GameError
from edict.game.table.journal import read_journal
from edict.game.table.rules import load_rules, migrate_journal
from running import TIMEOUT, RunningCommand

Start = Callable[..., RunningCommand]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[RunningCommand] = []

    def start_(*words: str) -> RunningCommand:
        running.append(RunningCommand(tmp_path, *words))
        return running[-1]

    yield start_
    for one in running:
        one.end()


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return the file of a module `twist` over a game of four questions."""
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME,
            "twist/module.yaml": make_manifest("twist", requires="[sample]"),
            "twist/page.edict": "# nothing yet\n",
        },
    )
    return tmp_path / "twist" / "page.edict"


# --- waiting -------------------------------------------------------------------------------------


def test_only_rule_files_are_watched_until_stopped(tmp_path: Path) -> None:
    stop: threading.Event = threading.Event()
    found: queue.Queue[list[Path]] = queue.Queue()

    def look() -> None:
        for some in iter_saves([tmp_path], stop):
            found.put(some)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    assert found.get(timeout=TIMEOUT) == [], "it watches"
    for name in (".page.edict", ".page.edict.swp", "notes.txt", "page.edict~", "page.edict"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    assert found.get(timeout=TIMEOUT) == [tmp_path / "page.edict"]
    (tmp_path / "notes.txt").write_text("more", encoding="utf-8")
    (tmp_path / "page.edict").unlink()
    assert found.get(timeout=TIMEOUT) == [tmp_path / "page.edict"]
    stop.set()
    thread.join(TIMEOUT)
    assert not thread.is_alive() and found.empty()


# --- check ---------------------------------------------------------------------------------------


def test_check_runs_again_at_every_save(start: Start, page: Path) -> None:
    run = start("check", "twist", "--watch")
    assert "twist: no errors" in run.wait_for("Ctrl-C stops")
    page.write_text("amend card ase\n  worth 2\n", encoding="utf-8")
    told = run.wait_for(" s)\n")
    assert "twist/page.edict saved" in told and "did you mean `ace`?" in told and "twist: 1 error" in told
    page.write_text("amend card ace\n  worth 2\n", encoding="utf-8")
    assert "twist: no errors" in run.wait_for(" s)\n")
    (page.parent / "module.yaml").write_text("name: [\n", encoding="utf-8")
    assert "E0140" in run.wait_for(" s)\n"), "also a manifest that cannot be read"
    assert run.interrupt() == 0
    run.wait_for("Stopped watching.")


# --- play ----------------------------------------------------------------------------------------


def start_watched_game(start: Start, folder: Path) -> RunningCommand:
    run = start(
        "play",
        "./sample",
        "--with",
        "twist",
        "--human",
        "Ann",
        "--bot",
        "greedy:Bob",
        "--seed",
        "1",
        "--watch",
        "--save",
        str(folder / "game.jsonl"),
    )
    run.wait_for("2 Right")
    return run


def test_game_continues_under_saved_rules_as_far_as_answers_fit(start: Start, page: Path, tmp_path: Path) -> None:
    run = start_watched_game(start, tmp_path)
    run.type_line("1")
    run.wait_for("2 Down")
    page.write_text("when start of sample\n  nothing\n", encoding="utf-8")
    told = run.wait_for("2 Down")
    assert "error" in told and "The game continues under the old rules." in told
    page.write_text('call ace "Big Ace"\n', encoding="utf-8")
    told = run.wait_for("2 Down")
    assert "The rules were saved, and the game continues under them." in told
    other = GAME.replace('option "Left"', 'option "Middle"')
    (tmp_path / "sample" / "page.edict").write_text(other, encoding="utf-8")
    told = run.wait_for("2 Right")
    assert "the first 0 answers hold; the next one (Ann: " in told and "1 Middle" in told
    assert f"The original game is saved as {tmp_path / 'game-under-2.jsonl'}." in told
    first, second, third = (read_journal(tmp_path / f"game{end}.jsonl") for end in ("", "-under-2", "-under-3"))
    assert [len(one.answers) for one in (first, second, third)] == [2, 2, 0]
    assert [one.key for one in second.answers] == [one.key for one in first.answers]
    assert len({one.header.rules for one in (first, second, third)}) == 3
    run.type_line("1")
    run.wait_for("2 Down")
    run.type_line("2")
    run.wait_for("Bob")
    assert run.process.wait(TIMEOUT) == 0
    assert run_kingsburg(tmp_path, "games", "replay", "game-under-3.jsonl").returncode == 0


def test_game_waits_for_a_fix_of_failing_rules(start: Start, page: Path, tmp_path: Path) -> None:
    run = start_watched_game(start, tmp_path)
    broken = GAME.replace("gain 1 coin", "gain 6 / coin of you coin")
    (tmp_path / "sample" / "page.edict").write_text(broken, encoding="utf-8")
    run.wait_for("2 Right")
    run.type_line("1")
    told = run.wait_for("save it to continue")
    assert "error E09" in told
    (tmp_path / "sample" / "page.edict").write_text(GAME, encoding="utf-8")
    run.wait_for("2 Right")
    run.type_line("1")
    run.wait_for("2 Down")
    assert run.interrupt() == 130


# --- carrying over -------------------------------------------------------------------------------


def test_migration_keeps_settings_and_players_if_possible(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME + "\nsetting old-one is on\n",
            "few/module.yaml": make_manifest("few", "game"),
            "few/page.edict": GAME.replace("1 to 2", "1 to 1"),
        },
    )
    game = load_rules(tmp_path / "sample").new_game(["Ann", "Bob"], seed=5, settings={"old-one": "off"})
    game.answer(1)
    (tmp_path / "sample" / "page.edict").write_text(GAME, encoding="utf-8")
    migrated = migrate_journal(load_rules(tmp_path / "sample"), game.journal)
    assert (migrated.answers, migrated.rejected, migrated.game.journal.header.settings) == (1, None, {})
    assert migrated.game.journal.header.seed == 5
    with pytest.raises(GameError, match="1 players, not 2"):
        migrate_journal(load_rules(tmp_path / "few"), game.journal)
