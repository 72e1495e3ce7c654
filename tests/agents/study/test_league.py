"""Leagues: fair seating, ratings that recognize stronger bots, and messages about wrong options."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import jsonschema
import pytest

import edict
from calling import COMMAND, make_environment, run_kingsburg, wait_until
from edict.agents.bots import RandomBot
from edict.agents.study import bot_games, league_play
from edict.agents.study.bot_games import GameRange, GameSetup, get_plan
from edict.agents.study.checkpoint import CheckpointFile
from edict.agents.study.league_play import League, LeagueSetup, Seating, make_league_format, play_meetings
from edict.agents.study.rating import RESAMPLES, Meeting, _central_interval, compare_kinds, rate_bots
from edict.compiler.sources.file_schemas import load_schema
from edict.runtime.program import Program
from edict.support.processes.distribution import process_starter, start_inline
from edict.support.report import RulesError
from helpers import compile_program


def seated(kinds: str, players: int, games: int) -> list[tuple[str, ...]]:
    return [*map(Seating([*kinds], players, 1).seats_in_game, range(games))]


def test_every_bot_has_every_seat_equally_often() -> None:
    tables = seated("abc", 2, 60)
    for seat in range(2):
        assert set(Counter(kinds[seat] for kinds in tables).values()) == {20}
    assert Counter(map(frozenset, tables)) == {frozenset(p): 20 for p in ("ab", "ac", "bc")}
    assert set(Counter(tables).values()) == {10} and set(Counter(seated("abcd", 2, 60)).values()) == {5}
    filled = {"".join(kinds) for kinds in seated("ab", 4, 200)}
    assert filled == {"".join(some) for some in product("ab", repeat=4)} - {"aaaa", "bbbb"}


def test_bot_that_wins_more_is_rated_higher() -> None:
    meetings = [Meeting(("good", "bad"), (1.0, 0.0), (9, 3))] * 200 + [
        Meeting(("bad", "good"), (1.0, 0.0), (5, 4))
    ] * 40
    first, second = rate_bots(meetings)
    assert (first.kind, second.kind) == ("good", "bad")
    assert first.strength.low > second.strength.high
    assert first.wins.value == pytest.approx(200 / 240) and first.wins.low < 200 / 240 < first.wins.high
    assert first.even == second.even == 0.5


def test_ratings_are_on_the_elo_scale() -> None:
    """Ten wins to a loss are 400 points apart, around a median of 1500; a draw is half a win."""
    won, lost, drawn = (Meeting(("a", "b"), shares, (1, 1)) for shares in ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5)))
    one, other = rate_bots([won] * 9000 + [drawn] * 2000)
    assert one.strength.value - other.strength.value == pytest.approx(400, abs=1)
    assert one.strength.value + other.strength.value == pytest.approx(3000)
    same = rate_bots([won, lost, drawn] * 20)
    assert same[0].strength.value == pytest.approx(1500) and same[0].strength.low < 1500 < same[0].strength.high


def test_ratings_do_not_depend_on_the_order_of_games() -> None:
    meetings = league_of(STRONG, 60, Random(1))
    assert (
        rate_bots(meetings)
        == rate_bots(list(reversed(meetings)))
        == rate_bots(sorted(meetings, key=lambda one: one.scores))
    )


def test_bot_that_never_won_has_a_wide_interval() -> None:
    meetings = league_of({"a": 1500, "b": 1500}, 100, Random(1), 2)
    lost = [Meeting((one, "never"), (1.0, 0.0), (1, 0)) for one in ("a", "b")] * 50
    ratings = {rating.kind: rating.strength for rating in rate_bots(meetings + lost)}
    assert ratings["never"].high < ratings["a"].low - 300
    assert ratings["never"].high - ratings["never"].low > 400
    assert ratings["a"].high - ratings["a"].low < 150, "and those it lost to are as certain as if it had not been there"


STRONG = {"a": 1200, "b": 1450, "c": 1550, "d": 1800}


def league_of(strong: dict[str, int], games: int, random: Random, seats: int = 3) -> list[Meeting]:
    """Made-up games at tables of `seats`: who is strong by Elo's scale comes first so much more often."""
    meetings = []
    for _ in range(games):
        kinds = random.sample(sorted(strong), seats)
        order, left = list[str](), list(kinds)
        while left:
            order += random.choices(left, [10 ** (strong[kind] / 400) for kind in left])
            left.remove(order[-1])
        shares = tuple(float(kind == order[0]) for kind in kinds)
        meetings.append(Meeting(tuple(kinds), shares, tuple(seats - order.index(kind) for kind in kinds)))
    return meetings


@pytest.mark.slow
def test_intervals_of_ratings_have_their_coverage_and_shrink_with_more_games(subtests: pytest.Subtests) -> None:
    random, widths = Random(36), []
    for most, expected in ((120, 220), (480, 225)):
        with subtests.test(most=most):
            leagues = [rate_bots(league_of(STRONG, most, random)) for _ in range(60)]
            ratings = [rating for league in leagues for rating in league]
            held = sum(one.strength.low <= STRONG[one.kind] <= one.strength.high for one in ratings)
            assert (held, len(ratings)) == (expected, 240)
            widths.append(sum(one.strength.high - one.strength.low for one in ratings) / len(ratings))
    assert widths[1] / widths[0] == pytest.approx(0.5, abs=0.05)


def test_league_game_can_be_repeated() -> None:
    program = edict.load("kuhn-poker").program
    table = GameSetup(program, ("random", "judge"), (), 5)
    assert play_meetings(table, range(9))[3:] == play_meetings(table, range(3, 9))


def test_invalid_options_are_refused_with_the_reason(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for words, reason in (
        (("--bots", "random,greddy"), "there is no bot `greddy`"),
        (("--bots", "random"), "two or more different bots"),
        (("--games", "0"), "invalid value for --games: 0"),
        (("--budget", "soon"), "not a thinking time"),
        (("--players", "9"), "for 2 players, not 9"),
        (("--bots", "random,greedy@nowhere.json"), "nowhere.json cannot be read"),
        (("-o", "nowhere/at/all.json"), "there is no folder `nowhere/at`"),
        (("--seed", "9" * 20), "the seed 99999999999999999999 is too large"),
    ):
        with subtests.test(words=words):
            ran = run_kingsburg(tmp_path, "league", "kuhn-poker", *words)
            assert ran.returncode == 2, ran.stderr
            assert reason in ran.stderr and ran.stderr.count("kingsburg:") == 1 and "help:" in ran.stderr


SLOW = """
class Slow:
    def __init__(self, seed):
        pass
    def choose(self, view, ask, clock):
        with open(__file__ + ".asked", "ab") as file:
            file.write(b".")
        return 0
"""


def test_interrupted_league_reports_its_results(tmp_path: Path) -> None:
    file, asked = tmp_path / "league.json", tmp_path / "slow.py.asked"
    (tmp_path / "slow.py").write_text(SLOW)
    command = ["league", "pig", "--bots", f"random,{tmp_path}/slow.py:Slow", "--games", "1000000", "-o", str(file)]
    process = subprocess.Popen(
        [*COMMAND, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=make_environment(tmp_path, PYTHONUNBUFFERED="1"),
    )
    wait_until(lambda: asked.exists() and asked.stat().st_size > 1500)  # several games, of some hundred answers each
    process.send_signal(signal.SIGINT)
    told, wrong = process.communicate(timeout=240)
    assert process.returncode == 130, wrong
    assert "of 1000000" in told and "Traceback" not in wrong
    assert len(json.loads(file.read_text())["games"]) > 0


# --- many games, gone on with, spread


def test_resumed_league_equals_an_uninterrupted_one_on_any_workers(tmp_path: Path) -> None:
    who = LeagueSetup(edict.load("kuhn-poker").program, ("random", "judge", "greedy"), 2, 4)
    straight = League(who, 90)
    straight.run(start_inline, lambda done: None)
    with CheckpointFile.create(tmp_path, make_league_format(who)) as kept:
        League(who, 50, kept).run(process_starter(2), lambda done: None)
    with CheckpointFile.resume(tmp_path, make_league_format(who), 90) as kept:
        second = League(who, 90, kept)
        assert second.played_games == 50
        second.run(process_starter(2), lambda done: None)
    assert second.meetings == straight.meetings and second.played_games == 90
    seating = Seating(who.kinds, 2, who.seed)
    assert [meeting.kinds for meeting in straight.meetings] == [seating.seats_in_game(number) for number in range(90)]


def test_pairwise_shares_of_victories() -> None:
    first = Meeting(("a", "b", "a"), (0.0, 1.0, 0.0), (3, 9, 4))
    meetings = [first, Meeting(("b", "a", "c"), (0.0, 0.0, 1.0), (2, 2, 5))]
    found = compare_kinds(meetings)
    assert {pair: (share.value, share.sample_size) for pair, share in found.items()} == {
        ("a", "b"): (0.25, 2),
        ("b", "a"): (0.75, 2),
        ("a", "c"): (0.0, 1),
        ("c", "a"): (1.0, 1),
        ("b", "c"): (0.0, 1),
        ("c", "b"): (1.0, 1),
    }


def test_league_folder_has_games_data_and_a_page(tmp_path: Path, subtests: pytest.Subtests) -> None:
    words = ("league", "kuhn-poker", "--bots", "random,judge,greedy", "-o", "league")
    assert run_kingsburg(tmp_path, *words, "--games", "20").returncode == 0
    again = run_kingsburg(tmp_path, *words, "--games", "30", "--resume")
    assert again.returncode == 0, again.stderr
    data = json.loads((tmp_path / "league" / "league.json").read_text())
    jsonschema.validate(data, load_schema("league"))
    assert len(data["games"]) == 30 and "30 games" in again.stdout
    for bot in data["bots"]:
        with subtests.test(bot=bot):
            assert bot["bot"] in again.stdout
            assert bot["wins"]["low"] <= bot["wins"]["value"] <= bot["wins"]["high"]
            assert bot["rating"]["low"] < bot["rating"]["value"] < bot["rating"]["high"]
    assert {bot["bot"] for bot in data["bots"]} == {"random", "judge", "greedy"}
    for one in data["against"]:
        with subtests.test(one=one):
            other = next(o for o in data["against"] if (o["bot"], o["other"]) == (one["other"], one["bot"]))
            assert one["of"] == other["of"] and one["ahead"]["value"] + other["ahead"]["value"] == pytest.approx(1)
    page = (tmp_path / "league" / "league.html").read_text()
    assert "Head to head" in page and "judge" in page
    assert run_kingsburg(tmp_path, *words, "--games", "30").returncode == 2, "what is there is not overwritten"


def test_custom_bots_can_play_in_a_league(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Wrong:\n    def __init__(self, seed): pass\n    def choose(self, view, ask, clock): return 'nothing'\n"
    )
    ran = run_kingsburg(
        tmp_path, "league", "kuhn-poker", "--bots", "random,mine:Wrong", "--games", "6", "--workers", "1"
    )
    assert ran.returncode == 0, ran.stderr
    assert "mine:Wrong" in ran.stdout and "the bot mine:Wrong answered 'nothing'" in ran.stderr


def test_native_bots_play_league_games_as_in_a_study(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Nobody is asked in Python, and a game is that of a study with the same seed and seats."""
    program = edict.load("pig").program
    monkeypatch.setattr(bot_games, "play_bot_games", None)
    who = LeagueSetup(program, ("random", "judge"), 2, 7)
    found = league_play.play_piece(who, GameRange(0, 30)).meetings
    for number in (0, 1, 29):
        with subtests.test(number=number):
            (head,) = bot_games.play_range(who.setup_for(found[number].kinds), GameRange(number, 1)).counted.heads
            assert get_plan(who.setup_for(found[number].kinds)).row_layout.slice_of(head, "scores") == list(
                found[number].scores
            )


def test_fault_in_the_rules_ends_a_league_with_its_place() -> None:
    broken = compile_program("phase trial-run\n  gain 1 / (fame of you) coin\n")
    with pytest.raises(RulesError, match="divided by zero"):
        league_play.play_piece(LeagueSetup(broken, ("random", "judge"), 2, 1), GameRange(0, 4))


def test_bots_of_a_game_have_different_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    lucky: list[int] = []

    def noted(program: Program, seed: int) -> RandomBot:
        lucky.append(seed)
        return RandomBot(program, seed)

    monkeypatch.setattr(bot_games, "find_policies", lambda *_, **__: None)
    monkeypatch.setattr(bot_games, "BOTS", {"one": noted, "other": noted})
    monkeypatch.setattr(bot_games, "check_bots", lambda bots: None)
    players = bot_games.BotSeats(edict.load("pig").program, ("one", "other", "one"))
    for seed in range(50):
        players.create_seats(seed)
    assert len(set(lucky)) == 150


TWICE = Meeting(("a", "b", "a"), (0.0, 1.0, 0.0), (3, 9, 4))
ONCE = Meeting(("b", "a"), (0.0, 1.0), (2, 5))


@pytest.mark.parametrize(
    ("meetings", "kind", "even", "wins", "seats"),
    [
        ([TWICE], "a", 1 / 3, 0.0, 2),
        ([TWICE], "b", 1 / 3, 1.0, 1),
        ([TWICE, ONCE], "a", (2 / 3 + 1 / 2) / 3, 1 / 3, 3),
        ([TWICE, ONCE], "b", (1 / 3 + 1 / 2) / 2, 1 / 2, 2),
    ],
)
def test_even_share_of_victory_is_counted_by_seats(
    meetings: list[Meeting], kind: str, even: float, wins: float, seats: int
) -> None:
    (rating,) = [rating for rating in rate_bots(meetings) if rating.kind == kind]
    assert rating.even == pytest.approx(even, abs=1e-12)
    assert rating.wins.value == pytest.approx(wins)
    assert rating.wins.sample_size == seats
    assert rating.games == len(meetings)


def test_rating_interval_leaves_out_one_in_forty_resamples_at_either_end() -> None:
    """The ends of a 95 % interval are the 10th and the 390th of 399 resamples, so that 2.5 % lie beyond each."""
    shuffled = Random(1).sample(range(1, RESAMPLES + 1), RESAMPLES)
    assert RESAMPLES == 399 and _central_interval([float(one) for one in shuffled]) == (10.0, 390.0)


def test_rating_interval_is_as_wide_as_that_of_the_gamma_distribution(subtests: pytest.Subtests) -> None:
    """Each rating is half the logarithm of a ratio of two gamma(20) variables, on Elo's scale: 1500 with 95 % in 54."""
    won, lost = (Meeting(("a", "b"), shares, (1, 1)) for shares in ((1.0, 0.0), (0.0, 1.0)))
    for rating in rate_bots([won, lost] * 20):
        with subtests.test(rating=rating):
            assert rating.strength.value == pytest.approx(1500)
            assert rating.strength.high - rating.strength.low == pytest.approx(2 * 54, abs=5)
