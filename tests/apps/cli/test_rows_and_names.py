"""Rows that commands print, and the parsing of typed names."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import edict
from edict.agents.study.bot_games import GameRange, GameSetup, play_range
from edict.agents.study.comparison import FAVOUR, MORE, WINS
from edict.agents.study.summary import summarize_study
from edict.agents.study.totals import sum_games
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.commands import replay
from edict.apps.cli.commands.campaign import campaign_file
from edict.apps.cli.commands.compare import _question_row
from edict.apps.cli.commands.diff import _select_lines
from edict.apps.cli.commands.modules import _play_arguments
from edict.apps.cli.commands.resume import _resolve_bots
from edict.apps.cli.commands.study import print_study
from edict.apps.cli.long_runs import report_bot_faults
from edict.apps.cli.main import _prepare_streams
from edict.apps.cli.playing import why
from edict.apps.cli.playing.board import EFFECTS, BoardFitter, Detail
from edict.apps.cli.playing.live_reload import _record_in_new_file
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.apps.cli.rules_by_name import split_game_and_modules, split_names
from edict.apps.cli.study_findings import describe_never
from edict.game.table.journal import read_journal
from edict.prose.rulebook.blame import ADDED, KEPT, SignedLine
from edict.prose.rulebook.game_gallery import GalleryEntry
from edict.prose.rulebook.rule_differences import RuleChange
from edict.support.text import NOWHERE


@pytest.mark.parametrize(
    ("about", "values", "row"),
    [
        ("scores", (10.0, 12.5, 2.5, 1.0, 4.0), ["10.00", "12.50", "+2.50", "+1.00 to +4.00"]),
        ("scores", (0.004, 0.008, 0.004, -1.0, 1.0), ["0.004", "0.008", "+0.004", "-1.000 to +1.000"]),
        (WINS, (0.25, 0.26, 0.01, 0.0, 0.02), ["25.00 %", "26.00 %", "+1.00", "+0.00 to +2.00"]),
        (FAVOUR, (0.5, 0.50002, 0.00002, 0.0, 0.02), ["50.000 %", "50.002 %", "+0.002", "+0.000 to +2.000"]),
    ],
)
def test_comparison_row_has_enough_digits_to_show_a_difference(
    about: str, values: tuple[float, ...], row: list[str]
) -> None:
    one, other, value, low, high = values
    difference = {"value": value, "low": low, "high": high}
    answer = {"about": about, "name": "it", "values": [one, other], "difference": difference, "verdict": MORE}
    assert _question_row(answer)[:5] == ["it", *row]


@pytest.mark.parametrize(
    ("changed", "shown"),
    [((0,), [0, 1, 2]), ((5,), [0, 3, 4, 5, 6, 7]), ((4, 9), [0, 2, 3, 4, 5, 6, 7, 8, 9]), ((), [0])],
)
def test_diff_shows_first_line_and_changes_with_context(
    changed: tuple[int, ...], shown: list[int], subtests: pytest.Subtests
) -> None:
    lines = [SignedLine(f"line {i}", NOWHERE, "pig", ADDED if i in changed else KEPT) for i in range(10)]
    assert [
        lines.index(line) for line in _select_lines(RuleChange("changed", "phase", "turn", "Turn", tuple(lines)))
    ] == shown
    for way, mark in (("added", "+"), ("removed", "-")):
        with subtests.test(way=way):
            all_ = _select_lines(RuleChange(way, "phase", "turn", "Turn", tuple(lines)))
            assert [line.mark for line in all_] == [mark] * 10


@pytest.mark.parametrize(
    ("group", "kind", "said"),
    [("Games", "game", "pig"), ("Modules", "module", "--with pig"), ("recipes", "module", "--with '/my rules/pig'")],
)
def test_gallery_entry_has_its_play_arguments(
    group: str, kind: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edict.prose.rulebook.game_gallery.RECIPES", "recipes")
    assert (
        _play_arguments(GalleryEntry("pig", "Pig", group, kind, "", "2", (), 9, (), Path("/my rules/pig"), "")) == said
    )


def test_compared_rules_are_joined_by_plus_or_commas() -> None:
    sides = [("a+b", ("", ("a", "b"))), ("a, b", ("", ("a", "b"))), ("base", ("", ())), ("pig+a", ("pig", ("a",)))]
    assert [split_game_and_modules(split_names(side)) for side, _ in sides] == [found for _, found in sides]


def test_resume_options_assign_seats_to_people_and_bots(subtests: pytest.Subtests) -> None:
    game = edict.load("kuhn-poker").new_game(["Ann", "Ben"], seed=1, bots=["", "greedy"])
    for humans, bots, found in (
        ((), (), ("", "greedy")),
        (("ben",), (), ("", "")),
        ((), ("random:Ann",), ("random", "greedy")),
        (("Ben",), ("judge:Ben", "random:ANN"), ("random", "judge")),
    ):
        with subtests.test(humans=humans):
            assert _resolve_bots(game, humans, bots) == found
    with pytest.raises(UsageError, match="no player of this game is named `Cem`"):
        _resolve_bots(game, ["Cem"], ())


@pytest.mark.parametrize(
    ("holder", "secret", "wiped"), [(0, True, True), (1, True, True), (-1, True, False), (0, False, False)]
)
def test_secrets_of_the_holder_are_cleared(holder: int, secret: bool, wiped: bool, subtests: pytest.Subtests) -> None:
    done = list[str]()
    screen = SimpleNamespace(clear=lambda: done.append("wiped"), ask=lambda words: done.append("asked"))
    game = SimpleNamespace(players=("Ann", "Ben"))
    for passing in (False, True):
        with subtests.test(passing=passing):
            done.clear()
            session: Any = SimpleNamespace(
                holder=holder, secret_shown=secret, passing=passing, screen=screen, game=game
            )
            Session.hide_secrets(session)
            assert done == (["asked"] * passing + ["wiped"]) * wiped and not session.secret_shown


@pytest.mark.parametrize(
    ("before", "now", "same", "said"),
    [
        (("old", "ab"), ("old", "abc"), 2, []),
        (("old", "ab"), ("old", "a"), 1, ["Answers were taken back."]),
        (("old", "ab"), ("old", "ac"), 1, ["Answers were taken back."]),
        (("old", "ab"), ("new", "abc"), 2, ["The game continues under different rules.", ""]),
    ],
)
def test_spectator_reports_undo_and_changed_rules(
    before: tuple[str, str], now: tuple[str, str], same: int, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repeated, told = list[str](), list[str]()
    old, new = (
        SimpleNamespace(header=header, answers=[SimpleNamespace(key=key, line=1) for key in keys], place=None)
        for header, keys in (before, now)
    )
    for name, found in (("_stamp_of", 1), ("read_journal", new), ("_alike", same)):
        monkeypatch.setattr(replay, name, lambda *about, found=found: found)
    monkeypatch.setattr(replay, "replay_answer", lambda game, answer, *place: repeated.append(answer.key))
    session = SimpleNamespace(game=SimpleNamespace(log=[]), seen={}, tell=lambda: None)
    watching: Any = SimpleNamespace(
        path=None,
        journal=old,
        game=None,
        screen=SimpleNamespace(say=told.append),
        session=session,
        _rules=lambda: None,
        _replay_game=lambda answers: session.game,
    )
    replay.Spectator.update(watching)
    assert told == said and "".join(repeated) == now[1][same:] and watching.journal is new


def test_bot_faults_are_listed_by_frequency_and_the_rest_counted(capsys: pytest.CaptureFixture[str]) -> None:
    report_bot_faults({f"fault {number}": number for number in range(1, 13)})
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 12 and lines[0] == "kingsburg: the bot fault 12 (12 times)"
    assert lines[9:] == [
        "kingsburg: the bot fault 3 (3 times)",
        "kingsburg: and 2 other faults of bots",
        "help: each time, a random option was chosen instead",
    ]


def test_campaign_name_must_be_a_valid_file_name() -> None:
    for name in (".hidden", "-dash", "a\nb", "x" * 300, ".x" * 200):
        with pytest.raises(UsageError, match="invalid campaign name"):
            campaign_file(name)


def test_game_under_new_rules_is_saved_under_the_next_number(tmp_path: Path, subtests: pytest.Subtests) -> None:
    game = edict.load("kuhn-poker").new_game(["Ann", "Ben"], seed=1)
    for kept, goes_on in {
        "game": "game-under-2",
        "game-under-2": "game-under-3",
        "2026": "2026-under-2",
        "a-under-b": "a-under-2",
        "other-under-9": "other-under-10",
    }.items():
        with subtests.test(kept=kept):
            path = _record_in_new_file(game, tmp_path / f"{kept}.jsonl")
            game.close()
            assert path == tmp_path / f"{goes_on}.jsonl" and read_journal(path).header.players == ("Ann", "Ben")
    assert _record_in_new_file(game, None) is None


# --- what it is read and written by


class Tty(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("out", "into", "term", "simple", "alive", "plain"),
    [
        (Tty, Tty, "xterm", False, True, False),
        (Tty, Tty, "dumb", False, False, True),
        (Tty, Tty, "xterm", True, False, True),
        (Tty, io.StringIO, "xterm", False, False, False),
        (io.StringIO, Tty, "xterm", False, False, True),
    ],
)
def test_screen_is_redrawn_only_at_a_capable_terminal(
    out: type[io.StringIO],
    into: type[io.StringIO],
    term: str,
    simple: bool,
    alive: bool,
    plain: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdout", out())
    monkeypatch.setattr(sys, "stdin", into())
    monkeypatch.setenv("TERM", term)
    screen = Screen(simple=simple)
    assert (screen.alive, screen.simple) == (alive, plain)


def test_unencodable_characters_and_closed_streams_are_tolerated(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    monkeypatch.setattr(sys, "stderr", None)
    _prepare_streams()
    print("caf\u00e9", flush=True)
    assert raw.getvalue() == b"caf?\n"
    leads_nowhere: Any = sys.stderr
    assert leads_nowhere.write("lost")
    leads_nowhere.close()


@pytest.mark.parametrize(
    ("seat", "asked", "secrets", "seen"),
    [
        (-1, False, False, False),
        (-1, True, False, False),
        (1, True, True, True),
        (0, False, True, False),
        (0, False, False, True),
    ],
)
def test_options_of_other_players_are_visible_only_without_secrets(
    seat: int, asked: bool, secrets: bool, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(why, "has_secrets", lambda program: secrets)
    session: Any = SimpleNamespace(
        game=SimpleNamespace(seat=seat, program=None), view=SimpleNamespace(ask="What?" if asked else None)
    )
    assert why._can_see_options(session) == seen


@pytest.mark.parametrize("tells", [False, True])
def test_grids_of_other_players_are_the_last_detail(tells: bool) -> None:
    """Other players' grids come after all details of one's own."""
    board: Any = SimpleNamespace(tells=tells, offers_own=tells)
    fitting = BoardFitter(board, lambda room: [], 0, 30)
    details = [Detail()]
    for wish in fitting._detail_steps():
        details.append(wish(details[-1]))
    assert [one.others for one in details] == [False] * (len(details) - 1) + [True]
    assert details[-1].lists == EFFECTS and details[-1].effects and details[-1].players


def test_study_tables_count_comparisons_and_have_a_column_per_round(capsys: pytest.CaptureFixture[str]) -> None:
    setup = GameSetup(edict.load("kuhn-poker").program, ("random", "random"), (), 1)
    found = summarize_study(setup, sum_games(setup, play_range(setup, GameRange(0, 40))), 40)
    line = {"words": "Somebody bets", "label": "Somebody bets", "by_round": [0.5, 0.25, 0.125]}
    found["announced"], found["round"] = [line], "hand"
    print_study(found)
    said = capsys.readouterr().out
    assert f"{found['comparisons']['made']} comparisons: 3 of them are significant (*)" in said
    assert [f"hand {number}" in said for number in range(1, 5)] == [True, True, True, False]


def test_lines_disabled_by_a_setting_are_listed_separately() -> None:
    parts = ("lines", "things", "options", "numbers", "flags", "unused", "unpaid", "gaps", "idle")
    found: dict[str, Any] = {
        "bots": ["random"],
        "players": [2, 3],
        "games": 1,
        "faults": 2,
        "game": {"title": "Mill", "modules": ["mill"]},
    }
    found |= {part: [] for part in parts}
    assert list(describe_never(found)) == [
        "Mill: what never happened in 1 game (`random` bots, 2 to 3 players)",
        "2 games ended in an error; run `study` without --never to see which.",
        "",
        "Nothing: every line ran, every thing was held, and every option was taken at least once.",
    ]
    line = {"file": "a.edict", "text": "gain 1 coin"}
    because = {"file": "a.edict", "line": 2, "text": "long-game", "why": "never true in 9 checks"}
    found["lines"] = [
        {**line, "lines": [*range(3, 10)], "because": None},
        {**line, "lines": [4], "because": {**because, "setting": True}},
        {**line, "lines": [5], "because": {**because, "text": "", "setting": False}},
    ]
    assert list(describe_never(found))[2:] == [
        "",
        "Lines that never ran",
        "  a.edict:3, 4, 5, 6, 7 and 2 more  gain 1 coin",
        "  a.edict:5  gain 1 coin",
        "      this (a.edict:2): never true in 9 checks",
        "",
        "Lines that need other settings (`--set`)",
        "  a.edict:4  gain 1 coin",
        "      `long-game` (a.edict:2): never true in 9 checks",
    ]
