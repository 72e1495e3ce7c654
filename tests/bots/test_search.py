"""The bots that think: legal, repeatable, the same in native code and plain Python, and blind to what is hidden."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import edict
from edict.bots import BOTS, SearchBot, play_match
from edict.bots.search import FLAT, Budget, Form, Question, Search, Tried, best
from edict.bots.features import clocks, places
from edict.cli.playing import help
from edict.program.opcodes import ASKING, HEADER, OPTIONS, STATUS
from edict.simulation import ismcts, native
from edict.simulation.plans import RANDOM
from edict.table.game import Game
from edict.table.belief import History
from edict.table.rules import Rules

SPECS = ("random", "judge", "greedy", "flat@6", "search@6")
FEW = Budget(tries=12)
NAMES = ["Ann", "Brian", "Cindy", "Dora"]


def to_question(game: Game, question: str, seat: int) -> None:
    """Take the first option until this is asked of the seat."""
    while not (game.ask.question == question and game.seat == seat):
        game.answer(0)


# --- they play


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", ["pig", "kuhn-poker"])
def test_every_bot_plays_every_game(spec: str, name: str) -> None:
    program = edict.load(name).program
    settings: dict[str, object] = {"goal": 5} if name == "pig" else {}
    assert play_match(program, [BOTS[spec](program, seat) for seat in range(2)], Random(1), settings).winners


def test_the_same_tries_give_the_same_answer_and_leave_the_game_alone() -> None:
    game = edict.load("kingsburg").new_game(NAMES, seed=5)
    state = game.state
    found = [SearchBot(game.program, 3, FEW).advice(game.view(game.seat)) for _ in range(2)]
    assert found[0] == found[1]
    assert game.state == state
    assert sum(tried.tries for tried in found[0]) == 12


def test_native_and_plain_searches_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    if not native.available():
        pytest.skip("llvmlite is an extra, and not installed here")
    game = edict.load("kuhn-poker").new_game(NAMES[:2], seed=2)
    form, roots = Form(others=True), game.view(game.seat).history.possible(game.seat, 3, Random(1))

    def searched() -> list[Tried]:
        search = Search(game.program, Question.of(game.program, roots, [RANDOM] * 2, form, 9))
        search.think(80)
        search.think(40)
        return search.found()

    fast = searched()
    monkeypatch.setattr(native, "available", lambda: False)
    assert searched() == fast
    assert len(roots) == 3
    assert sum(tried.tries for tried in fast) == 120


def test_a_settled_choice_ends_the_search_and_is_the_same() -> None:
    """With the highest card, calling a bet wins for sure, which is soon clear; many close options take all tries."""
    game = edict.load("kuhn-poker").new_game(NAMES[:2], seed=2)

    def searched(seed: int, whole: bool) -> list[Tried]:
        roots = game.view(game.seat).history.possible(game.seat, 3, Random(1))
        search = Search(game.program, Question.of(game.program, roots, [RANDOM] * 2, Form(others=True), seed))
        Budget(tries=120).spend(search, whole)
        return search.found()

    less = 0
    for seed in range(8):
        early, whole = searched(seed, False), searched(seed, True)
        assert sum(tried.tries for tried in whole) == 120
        assert best(early) == best(whole)
        less += 120 - sum(tried.tries for tried in early)
    assert less > 0


def test_the_better_option_is_found() -> None:
    """With the highest card, calling a bet wins for sure; with the lowest, it loses for sure."""
    rules = edict.load("kuhn-poker")
    seen = set()
    for seed in range(30):
        game = rules.new_game(NAMES[:2], seed=seed)
        game.answer("bet")
        card = game.view(1).words("hand", 1)
        if card in ("King", "Jack") and card not in seen:
            seen.add(card)
            index = SearchBot(rules.program, 1, Budget(tries=60)).choose(game.view(1), game.ask)
            assert game.ask.options[index].text == ("Call" if card == "King" else "Fold")
            flat = SearchBot(rules.program, 1, Budget(tries=60), FLAT).choose(game.view(1), game.ask)
            assert flat == index
    assert seen == {"King", "Jack"}


def test_time_is_kept_roughly() -> None:
    import time

    game = edict.load("pig").new_game(NAMES[:2], seed=2)
    SearchBot(game.program, 1, FEW).advice(game.view(game.seat))  # native code is loaded
    start = time.perf_counter()
    SearchBot(game.program, 1, Budget(seconds=0.2)).advice(game.view(game.seat))
    assert 0.2 <= time.perf_counter() - start < 5


def test_names_of_nodes_and_places_in_the_table() -> None:
    keys = [0] * 64
    name = ismcts.followed(ismcts.ROOT, -1)
    assert name != ismcts.followed(ismcts.ROOT, 0) != ismcts.followed(name, 0)
    at = ismcts.slot_of(keys, name)
    keys[at] = name
    assert ismcts.slot_of(keys, name) == at
    assert ismcts.slot_of([7] * 64, 8) == -1
    assert best([Tried(0, 3, 0.5, 1.0), Tried(1, 3, 0.6, 0.0), Tried(2, 1, 1.0, 9.0)]) == 1


# --- what may be the case


def hidden_pairs() -> list[tuple[Rules, list[str], int, str, str]]:
    """Rules, players, a seed, the question answered in secret, and that at which another seat then thinks."""
    return [
        (edict.load("kingsburg", ["soldier-tokens"]), NAMES[:3], 4, "choose-token-sent", "choose-token-sent"),
        (edict.load("kingsburg", ["governors"]), NAMES[:3], 4, "choose-kept", "choose-kept"),
        (edict.load("kingsburg", ["alternate-rows"]), NAMES[:2], 4, "choose-used", "choose-used"),
        (edict.load("kingsburg", ["destiny"]), NAMES[:3], 2, "choose-partner", "choose-partner"),
    ]


@pytest.mark.parametrize("case", range(4))
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.sample(6)
def test_the_secret_choice_of_another_changes_no_answer(case: int, spec: str) -> None:
    rules, names, seed, question, later = hidden_pairs()[case]
    game = rules.new_game(names, seed=seed)
    while game.ask.question != question:
        game.answer(0)
    first = game.seat
    answers: dict[tuple[str, ...], set[int]] = {}
    states: dict[tuple[str, ...], set[tuple[int, ...]]] = {}
    for option in range(game.count):
        other = game.copy()
        other.answer(option)
        while other.seat == first:
            other.answer(other.count - 1)
        assert other.ask.question == later
        view = other.view(other.seat)
        seen = tuple(map(str, view.log))  # whether somebody was asked once or twice, all can see
        answers.setdefault(seen, set()).add(BOTS[spec](rules.program, 7).choose(view, other.ask))
        states.setdefault(seen, set()).add(tuple(other.state[HEADER:]))
    assert all(len(found) == 1 for found in answers.values())
    assert max(map(len, states.values())) > 1, "there must be something to hide"


@pytest.mark.parametrize("spec", SPECS)
def test_a_card_others_have_drawn_changes_no_answer(spec: str) -> None:
    """Every enemy that may have been drawn in secret, every card the other may hold: the same answer."""
    answers: dict[object, set[int]] = {}
    rules = edict.load("kuhn-poker")
    for seed in range(16):
        game = rules.new_game(NAMES[:2], seed=seed)
        index = BOTS[spec](rules.program, 3).choose(game.view(0), game.ask)
        answers.setdefault(game.view(0).value("hand", 0), set()).add(index)
    assert len(answers) == 3
    assert all(len(found) == 1 for found in answers.values())


@pytest.mark.parametrize("spec", SPECS)
def test_the_enemy_another_has_looked_at_changes_no_answer(spec: str) -> None:
    """The dice are typed, so these games have the same course, and only the card drawn in secret differs."""
    rules = edict.load("kingsburg")
    year, foe = (rules.program.variable_by_name[name].base for name in ("year", "foe"))

    def looked_at(seed: int, course: Random) -> Game:
        game = rules.new_game(NAMES[:3], seed=seed, dice="typed")
        while game.seat < 0 or game.view(game.seat).knows("foe") or game.count < 3:
            game.answer(course.randrange(game.count))
        return game

    early = next(i for i in range(100) if looked_at(0, Random(i)).state[year] == 1)  # before any card is laid open
    games = [looked_at(seed, Random(early)) for seed in range(8)]
    assert len({game.state[foe] for game in games}) > 2
    chosen = {BOTS[spec](rules.program, 7).choose(game.view(game.seat), game.ask) for game in games}
    assert len(chosen) == len({game.ask.question for game in games}) == 1


@pytest.mark.parametrize("modules", [(), ("goblin-valley",)])
def test_a_foe_seen_by_one_is_drawn_anew_for_the_others(modules: tuple[str, ...]) -> None:
    rules = edict.load("kingsburg", list(modules))
    for seed in range(40):
        game = rules.new_game(NAMES[:3], seed=seed)
        luck = Random(seed)
        while not game.over and game.view(2).knows("foe"):
            game.answer(luck.randrange(game.count))
        seat = next((s for s in range(3) if not game.view(s).knows("foe")), -1)
        if game.over or seat < 0 or game.view(seat).ask is None:
            continue
        base = rules.program.variable_by_name["foe"].base
        worlds = History.of(game.table, game.answers).possible(seat, 30, Random(1))
        people = rules.program.kind_by_name["enemy"].things
        found = {people[world[base]].name for world in worlds}
        stage = people[game.state[base]].name.split("-")[1]
        assert {name.split("-")[1] for name in found} == {stage}, "only the year's cards can have been drawn"
        assert len(found) > 2
        return
    pytest.fail("nobody ever looked at the card in secret")


def test_worlds_agree_with_what_was_dealt_to_me() -> None:
    rules = edict.load("kingsburg", ["governors"])
    game = rules.new_game(NAMES[:3], seed=9)
    while game.ask.question != "choose-kept":
        game.answer(0)
    game.answer(0)
    seat, program = game.seat, rules.program
    dealt = program.variable_by_name["dealt"].base
    worlds = History.of(game.table, game.answers).possible(seat, 12, Random(2))
    for world in worlds:
        hands = [world[dealt + other] for other in range(3)]
        assert hands[seat] == game.state[dealt + seat]
        assert all(hand.bit_count() == 3 for hand in hands)
        assert hands[0] & hands[1] == hands[0] & hands[2] == hands[1] & hands[2] == 0
        assert world[STATUS] == ASKING and world[OPTIONS] == game.count
    others = {tuple(world[dealt + other] for other in range(3) if other != seat) for world in worlds}
    assert len(others) > 1, "what others were dealt is open"


def test_what_is_put_back_for_good_is_known_again() -> None:
    """After the governors are laid open nothing is hidden any more, so nothing has to be drawn anew."""
    game = edict.load("kingsburg", ["governors"]).new_game(NAMES[:3], seed=9)
    while game.ask.question != "choose-kept":
        game.answer(0)
    while game.ask.question == "choose-kept":
        game.answer(0)
    history = History.of(game.table, game.answers)
    worlds = history.possible(game.seat, 5, Random(1))
    assert len(worlds) == 1


# --- features and names


@pytest.mark.parametrize("name", ["kingsburg", "pig", "kuhn-poker"])
def test_features_come_from_declarations(name: str) -> None:
    program = edict.load(name).program
    names = [feature for place in places(program) for feature in place.names]
    assert len(names) == len(set(names)) > 0
    assert {v.name for v in program.variables if v.resource} <= set(names)
    assert all(v.type.shape == "number" for v in clocks(program))


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "0s", "1e9s", "nans", "601s", "99999999999", "1.5"])
def test_impossible_budgets(text: str) -> None:
    with pytest.raises(ValueError, match="not a thinking time"):
        Budget.read(text)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("serch", "there is no bot `serch`"),
        ("search@", "nothing after the @"),
        ("search@soon", "not a thinking time"),
        ("random@3", "takes no option"),
    ],
)
def test_bots_written_wrongly(spec: str, reason: str) -> None:
    problem = BOTS.problem(spec)
    assert problem is not None and reason in problem[0] and problem[1]
    assert spec not in BOTS


def test_bots_written_well() -> None:
    for spec in (*BOTS, "search@0.5s", "flat@200", "greedy@weights.json"):
        assert BOTS.problem(spec) is None
        assert spec in BOTS


@pytest.mark.parametrize(
    ("spec", "title"), [("greedy", "Greedy"), ("search@0.5s", "Search"), ("mine.py:Mine@2s", "Mine")]
)
def test_a_bot_is_called_by_its_kind_or_its_class(spec: str, title: str) -> None:
    assert BOTS.title(spec) == title


# --- at the table


def play(typed: str, *args: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "edict.cli.main", "play", *args, "--plain"],
        input=typed, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert ran.returncode == 0 and "Traceback" not in ran.stderr, ran.stderr
    return ran.stdout


def test_hint_shows_every_option_the_best_first(tmp_path: Path) -> None:
    file = str(tmp_path / "game.journal")
    who = ("--human", "Ann", "--bot", "flat@5:Bo", "--save", file, "--seed", "1")
    told = play("hint 30\nhint soon\nhelp\nquit\n", "kuhn-poker", *who)
    table = told[told.index("win") : told.index("not a thinking time")]
    tries = [int(line.split()[-1]) for line in table.splitlines()[1:] if line.strip()[:1].isdigit()]
    assert sum(tries) == 30 and tries == sorted(tries, reverse=True) and len(tries) >= 2
    assert "hint [5s]" in told
    assert '"flat@5"' in Path(file).read_text(encoding="utf-8"), "resume must find the same bot"


def test_hint_tells_each_player_only_what_they_may_know() -> None:
    """Two courses that look the same to Ann: the same hint for her, whatever the other holds."""
    rules = edict.load("kuhn-poker")
    told: dict[object, list[str]] = {}
    for seed in range(12):
        game = rules.new_game(NAMES[:2], seed=seed)
        lines = help.hint_lines(game.ask, SearchBot(rules.program, 5, FEW).advice(game.view(0)))
        assert told.setdefault(game.view(0).words("hand", 0), lines) == lines
    assert len(told) == 3
