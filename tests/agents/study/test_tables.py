"""Tables of games and decisions: the same from Python and the command, and complete after any interruption."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import NoneType
from typing import Any

import pytest

import edict
from calling import run_kingsburg
from edict.agents.study import table_files
from edict.agents.study.bot_games import GameRange, GameSetup, StudyError, play_range
from edict.agents.study.study_run import Study
from edict.agents.study.summary import summarize_study
from edict.agents.study.table_files import OpenTables, TableParts, _overlap
from edict.agents.study.tables import DECISIONS, WHOLE, TableColumn, build_game_rows, game_columns, to_list
from edict.game.table.rules import load_rules
from edict.runtime.program.opcodes import DIVISION
from edict.runtime.simulation import native
from edict.support.processes.distribution import start_inline

needs_pyarrow = pytest.mark.skipif(not table_files.is_available(), reason="pyarrow is an extra, and not installed here")


def setup(name: str = "kuhn-poker", *bots: str, modules: tuple[str, ...] = ()) -> GameSetup:
    return GameSetup(load_rules(name, modules).program, bots or ("greedy", "random"), (), 3)


def recording(folder: Path, of: GameSetup, ending: str = ".csv") -> OpenTables:
    return OpenTables(
        TableParts(folder / "games", game_columns(of), ending), TableParts(folder / "decisions", DECISIONS, ending)
    )


def rows_of(file: Path) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


# --- from Python ------------------------------------------------------------------------------------


@needs_pyarrow
def test_games_table_has_a_row_per_game(subtests: pytest.Subtests) -> None:
    table = edict.play("kingsburg", games=3, bots="random", players=3, modules=["governors"], seed=1)
    assert table.num_rows == 3 and table["game"].to_pylist() == list(range(3))
    for row in table.to_pylist():
        with subtests.test(row=row):
            scores = [row[f"score_{seat}"] for seat in range(3)]
            assert row["winning_score"] == max(scores) and row["margin"] == max(scores) - sorted(scores)[-2]
            assert sum(row[f"win_{seat}"] for seat in range(3)) == pytest.approx(1)
            assert sorted(row[f"place_{seat}"] for seat in range(3)) == [0, 1, 2]
            assert row["fault"] is None and row["modules"] == "kingsburg+governors"
            for seat in range(3):
                points = sum(value for name, value in row.items() if name.startswith(f"points_{seat}."))
                assert points <= scores[seat] + 10 and row[f"bot_{seat}"] == "random"
    assert all(field.metadata[b"means"] for field in table.schema)
    assert any(value for row in table.to_pylist() for name, value in row.items() if name.startswith("held_"))


@pytest.mark.skipif(not native.is_available(), reason="compares native code with Python")
def test_rows_are_equal_with_and_without_native_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of plain Python, or an array of NumPy; one of the games was aborted, of which only that is known."""
    what, stretch = setup("kuhn-poker", "random", "judge"), GameRange(4, 12)
    tables = []
    for way in (True, False):
        monkeypatch.setattr(native, "is_available", lambda way=way: way)
        counted = play_range(what, stretch, keep=True).counted
        counted.statuses[5] = DIVISION
        tables.append({name: to_list(column) for name, column in build_game_rows(what, stretch, counted).items()})
    assert tables[0] == tables[1]
    assert {type(value) for column in tables[0].values() for value in column} == {int, str, float, list, NoneType}
    told = {name for name, column in tables[0].items() if column[5] is not None}
    assert told == {"game", "seed", "rules", "modules", "fault", "bot_0", "bot_1"}
    assert tables[0]["game"] == list(range(4, 16)) and tables[0]["fault"].count(None) == 11


@needs_pyarrow
def test_tables_and_study_agree() -> None:
    what = setup("pig", "random", "random")
    run = Study(what, 40)
    run.run(start_inline, lambda done: None)
    found = summarize_study(what, run.totals, 40)
    rules = edict.load("pig")
    table = edict.play(rules, games=40, bots=["random", "random"], seed=3)
    for seat in range(2):
        assert sum(table[f"win_{seat}"].to_pylist()) == pytest.approx(found["seats"][seat]["wins"])
        counts = Counter(map(str, table[f"score_{seat}"].to_pylist()))
        assert counts == Counter(found["seats"][seat]["score"]["counts"])
    decided = edict.decisions(rules, games=40, bots=["random", "random"], seed=3)
    assert Counter(decided["game"].to_pylist()) == Counter(dict(enumerate(table["choices"].to_pylist())))


@needs_pyarrow
def test_decisions_table_has_a_row_per_decision(subtests: pytest.Subtests) -> None:
    """`greedy` takes what it values most, and a search values shares of victories."""
    table = edict.decisions("kuhn-poker", games=20, bots=["greedy", "search@5"], seed=2).to_pylist()
    for row in table:
        with subtests.test(row=row):
            assert row["options"][row["chosen"]] == row["answer"]
            assert row["phase"] == "betting" and row["bot"] == ("greedy", "search@5")[row["seat"]]
            assert len(row["values"]) == len(row["options"])
            if row["bot"] == "search@5":
                assert all(0 <= value <= 1 for value in row["values"])
            else:
                assert row["values"][row["chosen"]] == max(value for value in row["values"] if value is not None)
    for game, number in Counter(row["game"] for row in table).items():
        with subtests.test(game=game):
            assert [row["number"] for row in table if row["game"] == game] == list(range(number))


@needs_pyarrow
def test_tables_do_not_depend_on_the_number_of_workers() -> None:
    one, two = (edict.play("pig", games=230, bots="random", players=2, workers=workers) for workers in (1, 2))
    assert one.equals(two)


CANNOT_BE: list[tuple[dict[str, Any], str]] = [
    ({"games": -1}, "invalid value for games"),
    ({"games": True}, "invalid value for games"),
    ({"seed": 1 << 64}, "invalid value for seed"),
    ({"bots": "gredy"}, "there is no bot"),
    ({"bots": ["random"] * 3}, "is for 2 to 2 players"),
    ({"players": 9}, "is for 2 to 2 players"),
    ({"players": 0}, "is for 2 to 2 players, not 0"),
    ({"settings": {"speed": 1}}, "there is no setting"),
    ({"workers": 0}, "invalid value for workers"),
]


@needs_pyarrow
def test_invalid_arguments_are_refused_with_the_reason() -> None:
    for arguments, reason in CANNOT_BE:
        for called in (edict.play, edict.decisions):
            with pytest.raises(edict.GameError, match=reason):
                called("kuhn-poker", **arguments)


class Last:
    """Takes the last option, and says so."""

    def __init__(self, seed: int) -> None:
        self.values: list[float] = []

    def choose(self, view: edict.View, ask: edict.Ask, clock: edict.Clock) -> int:
        self.values = [float(number) for number in range(len(ask.options))]
        return len(ask.options) - 1


@needs_pyarrow
def test_python_class_can_be_a_bot() -> None:
    table = edict.decisions("kuhn-poker", games=10, bots=[Last, "random"], seed=2)
    mine = [row for row in table.to_pylist() if row["seat"] == 0]
    assert mine and all(row["chosen"] == len(row["options"]) - 1 == row["values"][-1] for row in mine)

    class Within(Last):
        pass

    for kind, reason in ((Within, "cannot be found by its name"), (3, "a bot cannot be 3")):
        with pytest.raises(edict.GameError, match=reason):
            edict.play("kuhn-poker", games=1, bots=[kind, "random"])  # type: ignore[list-item]


@needs_pyarrow
def test_threads_play_the_same_games() -> None:
    rules = edict.load("kuhn-poker")
    with ThreadPoolExecutor(3) as threads:
        tables = list(threads.map(lambda _: edict.decisions(rules, games=30, bots="random", seed=3), range(3)))
    assert tables[0].equals(tables[1]) and tables[0].equals(tables[2])


@needs_pyarrow
def test_zero_games_give_an_empty_table() -> None:
    assert edict.play("pig", games=0).num_rows == 0
    assert edict.decisions("pig", games=0).schema.names == [column.name for column in DECISIONS]


# --- on disk ----------------------------------------------------------------------------------------


@needs_pyarrow
def test_command_writes_the_same_tables_as_python(tmp_path: Path) -> None:
    words = ("study", "kuhn-poker", "--games", "60", "--bots", "judge,random", "--seed", "3", "--workers", "2")
    ran = run_kingsburg(tmp_path, *words, "--games-to", "games.parquet", "--decisions-to", "decisions.csv")
    assert ran.returncode == 0, ran.stderr
    from pyarrow import parquet

    rules = edict.load("kuhn-poker")
    games = parquet.read_table(tmp_path / "games.parquet")
    assert games.to_pylist() == edict.play(rules, games=60, bots=["judge", "random"], seed=3).to_pylist()
    rows = rows_of(tmp_path / "decisions.csv")
    table = edict.decisions(rules, games=60, bots=["judge", "random"], seed=3).to_pylist()
    assert [row["answer"] for row in rows] == [row["answer"] for row in table]
    assert [json.loads(row["options"]) for row in rows] == [row["options"] for row in table]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["decisions.csv", "games.parquet"]


def study_in(folder: Path, games: int, what: GameSetup, limit: int = 10**9) -> Study:
    """Play, kept in a folder, and stop after so many pieces."""
    from edict.agents.study.checkpoint import CheckpointFile
    from edict.agents.study.study_run import make_study_format

    form = make_study_format(what)
    kept = (
        CheckpointFile.resume(folder, form, games)
        if (folder / "games.jsonl").exists()
        else CheckpointFile.create(folder, form)
    )
    with kept:
        run, seen = Study(what, games, kept, recording(folder / "tables", what)), iter(range(limit))

        def told(done: int) -> None:
            if next(seen, None) is None:
                raise KeyboardInterrupt

        try:
            run.run(start_inline, told)
        except KeyboardInterrupt:
            pass
    return run


def tables_in(folder: Path, what: GameSetup) -> Iterator[list[dict[str, str]]]:
    kept = recording(folder / "tables", what)
    for name, parts in (("games.csv", kept.games), ("decisions.csv", kept.decisions)):
        assert parts is not None
        parts.join(folder / name)
        yield rows_of(folder / name)


def test_interrupted_tables_are_continued(tmp_path: Path) -> None:
    what = setup("kuhn-poker", "random", "random")
    study_in(tmp_path / "a", 500, what)
    for games, limit in ((260, 3), (260, 2), (500, 4), (500, 10**9)):
        study_in(tmp_path / "b", games, what, limit)
    whole, parts = (list(tables_in(tmp_path / name, what)) for name in "ab")
    assert whole == parts
    assert [row["game"] for row in whole[0]] == [str(number) for number in range(500)]


def test_lost_or_stray_rows_are_replaced(tmp_path: Path) -> None:
    what = setup("kuhn-poker", "random", "random")
    run = study_in(tmp_path, 300, what)
    whole = list(tables_in(tmp_path, what))
    folder = tmp_path / "tables"
    parts = TableParts(folder / "games", game_columns(what), ".csv")
    parts.delete(parts.list_ranges()[1])
    (folder / "decisions" / "000000000900-100.csv").write_text("game\n900\n")
    assert study_in(tmp_path, 300, what).totals == run.totals
    assert list(tables_in(tmp_path, what)) == whole


def test_table_requested_later_has_the_same_games(tmp_path: Path) -> None:
    words = ("study", "pig", "--players", "2", "--games", "120", "--bots", "random", "-o", "kept")
    assert run_kingsburg(tmp_path, *words).returncode == 0
    before = (tmp_path / "kept" / "study.json").read_text()
    ran = run_kingsburg(tmp_path, *words, "--resume", "--games-to", "games.csv")
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "kept" / "study.json").read_text() == before
    assert len(rows_of(tmp_path / "games.csv")) == 120


def test_invalid_table_files_are_refused_with_the_reason(tmp_path: Path, subtests: pytest.Subtests) -> None:
    (tmp_path / "there.csv").write_text("mine")
    for words, reason in (
        (("--games-to", "games.xlsx"), "writes .parquet or .csv, not `games.xlsx`"),
        (("--games-to", "a.csv", "--decisions-to", "./a.csv"), "name the same file"),
        (("--games-to", "there.csv"), "`there.csv` already exists"),
        (("--games-to", "no/where.csv"), "there is no folder `no`"),
    ):
        with subtests.test(words=words):
            ran = run_kingsburg(tmp_path, "study", "pig", "--games", "10", "--players", "2", *words)
            assert ran.returncode == 2 and reason in ran.stderr and "help:" in ran.stderr
    assert (tmp_path / "there.csv").read_text() == "mine"


def test_missing_pyarrow_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "is_available", lambda: False)
    with pytest.raises(StudyError, match="tables need pyarrow") as raised:
        edict.play("pig", games=1)
    assert "install" in raised.value.remedy


def test_missing_ranges_do_not_depend_on_the_saved_pieces(tmp_path: Path) -> None:
    """What a table lacks is worked out from what is kept, whatever pieces it was kept in."""
    what = setup("pig", "random", "random")
    kept = recording(tmp_path, what)
    known = [GameRange(0, 50), GameRange(50, 150)]
    assert kept.prepare_missing(200, known, 100) == [GameRange(0, 100), GameRange(100, 100)]
    assert OpenTables().prepare_missing(200, known, 100) == []


@needs_pyarrow
def test_memory_does_not_grow_with_the_number_of_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of many columns are put together in groups of fewer rows."""
    from pyarrow import parquet

    monkeypatch.setattr(table_files, "GROUP_VALUES", 1000)
    columns = tuple(TableColumn(f"c{number}", WHOLE, "a number") for number in range(10))
    parts = TableParts(tmp_path / "parts", columns, ".parquet")
    for first in range(0, 250, 50):
        parts.add(GameRange(first, 50), {column.name: list(range(first, first + 50)) for column in columns})
    read: list[int] = []
    parts.join(tmp_path / "table.parquet", read.append)
    found = parquet.ParquetFile(tmp_path / "table.parquet").metadata
    assert (found.num_rows, found.num_row_groups, read) == (250, 3, [0, 1, 2, 3, 4])


@needs_pyarrow
def test_part_with_other_columns_is_refused_by_name(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for ending in (".parquet", ".csv"):
        with subtests.test(ending=ending):
            TableParts(tmp_path / "parts", (TableColumn("before", WHOLE, ""),), ending).add(
                GameRange(0, 1), {"before": [1]}
            )
            with pytest.raises(StudyError, match=r"holds other columns$") as refused:
                TableParts(tmp_path / "parts", (TableColumn("now", WHOLE, ""),), ending).join(
                    tmp_path / f"table{ending}"
                )
            assert refused.value.remedy == "delete it, then use --resume"


def test_game_ranges_overlap_if_they_share_a_game(subtests: pytest.Subtests) -> None:
    for one, other, meet in (
        ((0, 10), (10, 10), False),
        ((0, 10), (9, 10), True),
        ((0, 10), (3, 2), True),
        ((0, 10), (0, 10), True),
    ):
        with subtests.test(one=one):
            assert _overlap(GameRange(*one), GameRange(*other)) is _overlap(GameRange(*other), GameRange(*one)) is meet
