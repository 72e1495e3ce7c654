"""Search bots: legal, repeatable, the same in native code and plain Python, and blind to hidden information."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import edict
from calling import run_kingsburg
from edict.agents.bots import BOTS, SearchBot
from edict.agents.bots.features import list_clock_variables, list_player_features
from edict.agents.bots.search_bot import (
    FLAT,
    Search,
    SearchBudget,
    SearchParameters,
    SearchProblem,
    TriedOption,
    select_best,
)
from edict.apps.cli.playing import help
from edict.game.table.belief import History
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from edict.runtime.program.opcodes import HEADER
from edict.runtime.simulation import ismcts, native, plans
from edict.runtime.simulation.plans import RANDOM
from helpers import compile_program, make_phase

SPECS = ("random", "judge", "greedy", "flat@6", "search@6")
FEW = SearchBudget(tries=12)
NAMES = ["Ann", "Brian", "Cindy", "Dora"]


def to_question(game: Game, question: str, seat: int) -> None:
    """Take the first option until this is asked of the seat."""
    while not (game.ask.question == question and game.seat == seat):
        game.answer(0)


# --- what they answer


def test_equal_searches_give_equal_advice_and_do_not_change_the_game() -> None:
    game = edict.load("kingsburg").new_game(NAMES, seed=5)
    state = game.state
    found = [SearchBot(game.program, 3, FEW).analyze_options(game.view(game.seat)) for _ in range(2)]
    assert found[0] == found[1]
    assert game.state == state
    assert sum(tried.tries for tried in found[0]) == 12


def test_native_and_python_searches_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    if not native.is_available():
        pytest.skip("llvmlite is an extra, and not installed here")
    game = edict.load("kuhn-poker").new_game(NAMES[:2], seed=2)
    form, roots = SearchParameters(others=True), game.view(game.seat).history.sample_states(game.seat, 3, Random(1))

    def searched() -> list[TriedOption]:
        search = Search(game.program, SearchProblem.from_policies(game.program, roots, [RANDOM] * 2, form, 9))
        search.think(80)
        search.think(40)
        return search.list_results()

    fast = searched()
    monkeypatch.setattr(native, "is_available", lambda: False)
    assert searched() == fast
    assert len(roots) == 3
    assert sum(tried.tries for tried in fast) == 120


def test_settled_choice_ends_the_search_early_with_the_same_answer() -> None:
    """With the highest card, calling a bet wins for sure, which is soon clear; many close options take all tries."""
    game = edict.load("kuhn-poker").new_game(NAMES[:2], seed=2)

    def searched(seed: int, whole: bool) -> list[TriedOption]:
        roots = game.view(game.seat).history.sample_states(game.seat, 3, Random(1))
        search = Search(
            game.program,
            SearchProblem.from_policies(game.program, roots, [RANDOM] * 2, SearchParameters(others=True), seed),
        )
        SearchBudget(tries=120).spend(search, whole)
        return search.list_results()

    less = 0
    for seed in range(8):
        early, whole = searched(seed, False), searched(seed, True)
        assert sum(tried.tries for tried in whole) == 120
        assert select_best(early) == select_best(whole)
        less += 120 - sum(tried.tries for tried in early)
    assert less > 0


def test_search_finds_the_better_option() -> None:
    """With the highest card, calling a bet wins for sure; with the lowest, it loses for sure."""
    rules = edict.load("kuhn-poker")
    seen = set()
    for seed in range(30):
        game = rules.new_game(NAMES[:2], seed=seed)
        game.answer("bet")
        card = game.view(1).words("hand", 1)
        if card in ("King", "Jack") and card not in seen:
            seen.add(card)
            index = SearchBot(rules.program, 1, SearchBudget(tries=60)).choose(game.view(1), game.ask)
            assert game.ask.options[index].text == ("Call" if card == "King" else "Fold")
            flat = SearchBot(rules.program, 1, SearchBudget(tries=60), FLAT).choose(game.view(1), game.ask)
            assert flat == index
    assert seen == {"King", "Jack"}


def test_thinking_time_is_kept_roughly() -> None:
    import time

    game = edict.load("pig").new_game(NAMES[:2], seed=2)
    SearchBot(game.program, 1, FEW).analyze_options(game.view(game.seat))  # native code is loaded
    start = time.perf_counter()
    SearchBot(game.program, 1, SearchBudget(seconds=0.2)).analyze_options(game.view(game.seat))
    assert 0.2 <= time.perf_counter() - start < 5


def test_node_keys_differ_and_keep_their_slots() -> None:
    keys = [0] * 64
    name = ismcts.child_name(ismcts.ROOT, -1)
    assert name != ismcts.child_name(ismcts.ROOT, 0) != ismcts.child_name(name, 0)
    at = ismcts.find_slot(keys, name)
    keys[at] = name
    assert ismcts.find_slot(keys, name) == at
    assert ismcts.find_slot([7] * 64, 8) == -1
    assert select_best([TriedOption(0, 3, 0.5, 1.0), TriedOption(1, 3, 0.6, 0.0), TriedOption(2, 1, 1.0, 9.0)]) == 1


def test_leads_are_squashed_and_worse_options_get_less_attention() -> None:
    form = [0] * ismcts.CONFIG_SIZE
    form[ismcts.POINT], form[ismcts.QUARTER] = 100, 3
    assert [ismcts.exploration_weight(behind, form) for behind in (0, 300)] == [1.0, 0.25]
    assert [ismcts.squash_lead(ahead, form) for ahead in (-1.0, 0.0, 1.0)] == [0.25, 0.5, 0.75]
    form[ismcts.LEADS], form[ismcts.TRIES] = 8000, 2  # four on the average
    assert [ismcts.squash_lead(ahead, form) for ahead in (-4.0, 0.0, 4.0, 12.0)] == [0.25, 0.5, 0.75, 0.875]


# --- what may be the case


@pytest.mark.parametrize(
    ("module", "players", "seed", "question"),
    [
        ("soldier-tokens", 3, 4, "choose-token-sent"),
        ("alternate-rows", 2, 4, "choose-used"),
        ("destiny", 3, 2, "choose-partner"),
        ("governors", 3, 4, "choose-kept"),
    ],
)
@pytest.mark.sample(2)
def test_secret_choice_of_another_does_not_change_answers(module: str, players: int, seed: int, question: str) -> None:
    rules = edict.load("kingsburg", [module])
    game = rules.new_game(NAMES[:players], seed=seed)
    while game.ask.question != question:
        game.answer(0)
    first = game.seat
    answers: dict[tuple[str, ...], set[tuple[int, ...]]] = {}
    states: dict[tuple[str, ...], set[tuple[int, ...]]] = {}
    for option in range(game.count):
        other = game.copy()
        other.answer(option)
        while other.seat == first:
            other.answer(other.count - 1)
        assert other.ask.question == question
        view = other.view(other.seat)
        seen = tuple(map(str, view.log))  # whether somebody was asked once or twice, all can see
        chosen = tuple(BOTS[spec](rules.program, 7).choose(view, other.ask) for spec in SPECS)
        answers.setdefault(seen, set()).add(chosen)
        states.setdefault(seen, set()).add(tuple(other.state[HEADER:]))
    assert all(len(found) == 1 for found in answers.values()), SPECS
    assert max(map(len, states.values())) > 1, "there must be something to hide"


def test_hidden_card_of_another_does_not_change_answers() -> None:
    """Whatever card the other may hold: the same answer."""
    answers: dict[object, set[tuple[int, ...]]] = {}
    rules = edict.load("kuhn-poker")
    for seed in range(16):
        game = rules.new_game(NAMES[:2], seed=seed)
        chosen = tuple(BOTS[spec](rules.program, 3).choose(game.view(0), game.ask) for spec in SPECS)
        answers.setdefault(game.view(0).value("hand", 0), set()).add(chosen)
    assert len(answers) == 3
    assert all(len(found) == 1 for found in answers.values()), SPECS


def test_enemy_card_seen_only_by_another_does_not_change_answers(subtests: pytest.Subtests) -> None:
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
    assert len({game.state[foe] for game in games}) > 2 and len({game.ask.question for game in games}) == 1
    for spec in SPECS:
        with subtests.test(spec=spec):
            assert len({BOTS[spec](rules.program, 7).choose(game.view(game.seat), game.ask) for game in games}) == 1


def test_enemy_seen_by_one_seat_is_resampled_for_others() -> None:
    rules = edict.load("kingsburg")
    for seed in range(40):
        game = rules.new_game(NAMES[:3], seed=seed)
        luck = Random(seed)
        while not game.over and game.view(2).knows("foe"):
            game.answer(luck.randrange(game.count))
        seat = next((s for s in range(3) if not game.view(s).knows("foe")), -1)
        if game.over or seat < 0 or game.view(seat).ask is None:
            continue
        base = rules.program.variable_by_name["foe"].base
        worlds = History.from_game(game.table, game.answers).sample_states(seat, 30, Random(1))
        people = rules.program.kind_by_name["enemy"].things
        found = {people[world[base]].name for world in worlds}
        stage = people[game.state[base]].name.split("-")[1]
        assert {name.split("-")[1] for name in found} == {stage}, "only the year's cards can have been drawn"
        assert len(found) > 2
        return
    pytest.fail("nobody ever looked at the card in secret")


def test_no_world_is_resampled_once_nothing_is_hidden() -> None:
    """After the governors are laid open nothing is hidden any more, so nothing has to be drawn anew."""
    game = edict.load("kingsburg", ["governors"]).new_game(NAMES[:3], seed=9)
    while game.ask.question != "choose-kept":
        game.answer(0)
    while game.ask.question == "choose-kept":
        game.answer(0)
    history = History.from_game(game.table, game.answers)
    worlds = history.sample_states(game.seat, 5, Random(1))
    assert len(worlds) == 1


# --- features and names


@pytest.mark.parametrize("name", ["kingsburg", "pig", "kuhn-poker"])
def test_features_come_from_declarations(name: str) -> None:
    program = edict.load(name).program
    names = [feature for place in list_player_features(program) for feature in place.names]
    assert len(names) == len(set(names)) > 0
    assert {v.name for v in program.variables if v.resource} <= set(names)
    assert all(v.type.shape == "number" for v in list_clock_variables(program))


def test_state_variables_of_players_become_features_relative_to_oneself() -> None:
    rules = "keep leader as player\nkeep bold as set of player\nkeep ranks as order of player\nkeep pot as number\n"
    of_players = {
        place.names: place.shape for place in list_player_features(compile_program(rules + make_phase("gain 1 coin")))
    }
    kept = {"leader": plans.MINE, "bold": plans.AMONG, "ranks": plans.PLACE}
    assert {name: of_players.get((name,)) for name in (*kept, "pot")} == {**kept, "pot": None}


def test_budgets_and_bot_names_are_parsed_or_refused(subtests: pytest.Subtests) -> None:
    for text in ("", "0", "-1", "x", "0s", "1e9s", "nans", "601s", "99999999999", "1.5"):
        with pytest.raises(ValueError, match="not a thinking time"):
            SearchBudget.parse(text)
    for spec, reason in (
        ("serch", "there is no bot `serch`"),
        ("search@", "nothing after the @"),
        ("greedy@", "nothing after the @"),
        ("search@soon", "not a thinking time"),
        ("random@3", "takes no option"),
    ):
        with subtests.test(spec=spec):
            problem = BOTS.find_problem(spec)
            assert problem is not None and reason in problem[0] and problem[1]
            assert spec not in BOTS
            with pytest.raises(KeyError):
                BOTS[spec]
    several = BOTS.find_problem("greedy,random")
    assert several == ("there is no bot `greedy,random`", "name each on its own: --bot greedy --bot random")
    assert "name each" not in str(BOTS.find_problem("greedy,randm")), "one of them is no bot"
    for spec in (*BOTS, "search@0.5s", "flat@200", "greedy@weights.json"):
        with subtests.test(spec=spec):
            assert BOTS.find_problem(spec) is None and spec in BOTS
    for spec, title in (("greedy", "Greedy"), ("search@0.5s", "Search"), ("mine.py:Mine@2s", "Mine")):
        with subtests.test(spec=spec):
            assert BOTS.title(spec) == title, "a bot is called by its kind or its class"


DOUBLES = """\
choose one "Which?"
  option "Safe"
    gain 2 fame
  option "Doubles"
    draw a number from 1 to 4 as first-drawn
    draw a number from 1 to 4 as then-drawn
    if first-drawn = then-drawn
      gain 4 fame
"""


def test_search_draws_each_chance_anew() -> None:
    """The second of two equal draws is no repetition of the first: one in four is a double."""
    game = Rules(compile_program(make_phase(DOUBLES)), "trial").new_game(NAMES[:2], seed=1)
    bot = BOTS["search@200"](game.program, 3)
    assert isinstance(bot, SearchBot)
    leads = {option.index: option.lead for option in bot.analyze_options(game.view(0))}
    assert leads[0] == 2 and 0.4 < leads[1] < 1.6, "a double gains 4, on average 1"


# --- at the table


def test_hint_lists_every_option_best_first(tmp_path: Path) -> None:
    who = ("--human", "Ann", "--bot", "flat@5:Bo", "--save", "game.journal", "--seed", "1", "--plain")
    ran = run_kingsburg(tmp_path, "play", "kuhn-poker", *who, typed="hint 30\nhint soon\nhelp\nquit\n")
    assert ran.returncode == 0, ran.stderr
    table = ran.stdout[ran.stdout.index("win") : ran.stdout.index("not a thinking time")]
    tries = [int(line.split()[-1]) for line in table.splitlines()[1:] if line.strip()[:1].isdigit()]
    assert sum(tries) == 30 and tries == sorted(tries, reverse=True) and len(tries) >= 2
    assert "hint [5s]" in ran.stdout
    assert '"flat@5"' in (tmp_path / "game.journal").read_text(encoding="utf-8"), "resume must find the same bot"


def test_hint_reveals_no_hidden_information() -> None:
    """Two courses that look the same to Ann: the same hint for her, whatever the other holds."""
    rules = edict.load("kuhn-poker")
    told: dict[object, list[str]] = {}
    for seed in range(12):
        game = rules.new_game(NAMES[:2], seed=seed)
        lines = help.hint_lines(game.ask, SearchBot(rules.program, 5, FEW).analyze_options(game.view(0)))
        assert told.setdefault(game.view(0).words("hand", 0), lines) == lines
    assert len(told) == 3
