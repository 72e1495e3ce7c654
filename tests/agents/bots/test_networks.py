"""Networks as judgements: equal in plain Python and native code, stored in files, and better than `greedy`."""

from __future__ import annotations

import importlib
import json
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import edict
from calling import run_kingsburg
from edict.agents.bots import BOTS, find_policy, networks, self_play
from edict.agents.bots.features import list_player_features, list_table_features
from edict.agents.bots.networks import NETWORK_FILE, Network, create_reader, find_shipped_network, read_network
from edict.agents.bots.policy_bots import PolicyLookahead
from edict.agents.bots.search_bot import Search, SearchParameters, SearchProblem, TriedOption
from edict.agents.bots.self_play import UNITS, SelfPlayPlan, SelfPlayTraining
from edict.agents.bots.weight_training import PieceMapper, map_locally, measure_win_share
from edict.compiler.pipeline.compile import compile_rules
from edict.game.table.addresses import find_phase_cells
from edict.game.table.game_errors import GameError
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, GAME_OVER, HEADER, OPTIONS, SEAT, STATUS
from edict.runtime.simulation import native, plans, policies
from edict.support.resources import get_shipped_folder

needs_llvmlite = pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
SETS: list[tuple[str, tuple[str, ...], int]] = [
    ("pig", (), 2),
    ("kuhn-poker", (), 2),
    ("kingsburg", ("governors", "destiny"), 3),
]


def made_up(program: Program, units: int = 5) -> Network:
    """A network of weights drawn by lot, which knows every feature."""
    luck = Random(3)
    names = [name for place in list_player_features(program) for name in place.names]
    around = [name for place in list_table_features(program) for name in place.names]

    def row() -> tuple[int, ...]:
        return tuple(luck.randrange(-3000, 3000) for _ in range(units))

    own, others, table = ({name: row() for name in some} for some in (names, names, around))
    return Network(program.name, program.rules_hash, program.modules, row(), row(), own, others, table)


@pytest.mark.parametrize(("game", "modules", "players"), SETS)
def test_value_of_a_position_follows_from_its_features(game: str, modules: tuple[str, ...], players: int) -> None:
    program = compile_rules(game, modules).unwrap()
    network = made_up(program)
    names = [name for place in list_player_features(program) for name in place.names]
    around = [name for place in list_table_features(program) for name in place.names]
    plan = plans.build_plan(program, [network.to_policy(program, players)] * players)
    section, state, room = plan[plans.SEATS], create_state(program, players, {}, logging=False), [0] * 3000
    values, luck = set(), Random(5)
    scratch = [[0] * len(room) for _ in range(plans.SCRATCH_ROWS)]
    year = program.variable_by_name["year"].base if game == "kingsburg" else None  # few values, each read by itself
    policies.reset_net(state, plan, section, 1, scratch)  # once: every position then follows from the one before
    while run(program.code, state, [0]) == ASKING:
        count = policies.read_features(state, plan, section, 1, room)
        read = room[:count]
        table = dict(zip(around, read[2 * len(names) :], strict=True))
        assert table["players"] == players
        assert all(table[f"phase: {name}"] == state[cell] for name, cell in find_phase_cells(program).items())
        if year is not None:
            assert [table[f"year: {number}"] for number in range(6)] == [number == state[year] for number in range(6)]
        units = list(network.biases)
        for value, name in zip(read[: len(names)], names, strict=True):
            units = [u + value * w for u, w in zip(units, network.own[name], strict=True)]
        for value, name in zip(read[len(names) : 2 * len(names)], names, strict=True):
            scaled = [round(w / (players - 1)) for w in network.others[name]]
            units = [u + value * w for u, w in zip(units, scaled, strict=True)]
        for value, name in zip(read[2 * len(names) :], around, strict=True):
            units = [u + value * w for u, w in zip(units, network.table[name], strict=True)]
        above = [units[0], *(max(0, unit) for unit in units[1:])]
        expected = sum(u * w for u, w in zip(above, network.weights, strict=True))
        assert policies.evaluate_net(state, plan, section, 1, scratch) == expected
        values.add(expected)
        state[ANSWER] = luck.randrange(state[OPTIONS])
    assert len(values) > 3


@needs_llvmlite
@pytest.mark.parametrize(("game", "modules", "players"), SETS)
@pytest.mark.sample(2)
def test_native_games_equal_python(game: str, modules: tuple[str, ...], players: int) -> None:
    program = compile_rules(game, modules).unwrap()
    seats = [made_up(program).to_policy(program, players), *[plans.GREEDY] * (players - 1)]
    ends, counts = native.play_batch(program, players, [7], policies=seats)
    state, asked = native.play_one(program, players, 7, policies=seats)
    assert ends[0][STATUS] == state[STATUS] == GAME_OVER
    assert (int(counts[0]), ends[0][HEADER:].tolist()) == (asked, state[HEADER:])


@pytest.mark.slow
@needs_llvmlite
@pytest.mark.parametrize(("modules", "players", "bound"), [((), 3, 0.6), ((), 4, 0.5), (("alternate-rows",), 4, 0.35)])
@pytest.mark.sample(2)
def test_shipped_networks_beat_greedy(modules: tuple[str, ...], players: int, bound: float) -> None:
    program = compile_rules("kingsburg", modules).unwrap()
    learned, greedy = find_policy(program, "learned", players), find_policy(program, "greedy", players)
    assert learned and greedy and learned != greedy
    assert measure_win_share(program, [learned, *[greedy] * (players - 1)], 60 * players, seed=0)[0] > bound


@needs_llvmlite
def test_search_starts_from_network_values_equally_in_plain_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = edict.load("kingsburg")
    game = rules.new_game(["Ann", "Ben"], seed=5)
    ahead = PolicyLookahead(rules.program, 2, policy := made_up(rules.program).to_policy(rules.program, 2))
    while len(set(ahead.evaluate_options(game.view(game.seat).thinking_state))) < 3:
        game.answer(0)
    values, state = ahead.evaluate_options(game.view(game.seat).thinking_state), game.view(game.seat).thinking_state

    def searched(trust: float, explore: float) -> list[TriedOption]:
        form = SearchParameters(horizon=1, trust=trust, explore=explore, point=plans.POINT)
        search = Search(rules.program, SearchProblem.from_policies(rules.program, [state], [policy] * 2, form, 9))
        search.think(4)
        return search.list_results()

    first = values.index(max(values))
    assert searched(1e6, 0.0)[first].tries == 4, "so much trust leaves no doubt"
    found = searched(0.0, 1000.0)
    assert sum(tried.tries > 0 for tried in found) > 2, "so curious, it tries each before it tries one again"
    fast = searched(2.0, 0.3)
    monkeypatch.setattr(native, "is_available", lambda: False)
    assert searched(2.0, 0.3) == fast


def test_network_file_round_trips(tmp_path: Path) -> None:
    program = compile_rules("pig", ()).unwrap()
    network = made_up(program)
    file = tmp_path / "pig.json"
    file.write_text(network.to_json(), encoding="utf-8")
    assert read_network(file, program) == network
    assert len(Network.from_json(made_up(program, 1).to_json()).weights) == 1
    bot = BOTS[f"learned@{file}"](program, 1)
    state = create_state(program, 2, {}, logging=False)
    run(program.code, state, [0])
    assert 0 <= bot.pick(state) < state[OPTIONS]
    with pytest.raises(GameError, match="holds a network for pig, not for kuhn-poker"):
        read_network(file, compile_rules("kuhn-poker", ()).unwrap())


def test_features_unknown_to_a_network_count_nothing() -> None:
    """So the network of a game plays with any modules."""
    program = compile_rules("kingsburg", ("destiny",)).unwrap()
    network = find_shipped_network(program)
    assert network and any(name not in network.own for place in list_player_features(program) for name in place.names)
    net = network.to_policy(program, 4).net
    assert net and net.inputs < create_reader(program).inputs


def test_invalid_network_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    program = compile_rules("pig", ()).unwrap()
    file, whole = tmp_path / NETWORK_FILE, json.loads(made_up(program).to_json())
    changes: list[tuple[dict[str, object], str]] = [
        ({"format": 2}, "its format is 2, not 1"),
        ({"weights": []}, "it has 0 units, not 1 to 256"),
        ({"biases": [1, 2]}, "`biases` must have 5 whole numbers"),
        ({"own": {"point": [1.5] * 5}}, "`point` must have 5 whole numbers"),
        ({"table": {"players": [1 << 60] * 5}}, "`players` must have 5 whole numbers"),
        ({"own": None}, "object"),
    ]
    for change, reason in changes:
        file.write_text(json.dumps(whole | change), encoding="utf-8")
        with pytest.raises(GameError, match="does not hold a network: .*" + reason):
            read_network(file, program)
    file.write_text(json.dumps({key: value for key, value in whole.items() if key != "biases"}), encoding="utf-8")
    with pytest.raises(GameError, match="does not hold a network: `biases` is missing"):
        read_network(file, program)


def test_network_too_large_for_a_game_is_refused() -> None:
    program = compile_rules("pig", ()).unwrap()
    with pytest.raises(ValueError, match="too large for this game"):
        plans.build_plan(program, [made_up(program, 500).to_policy(program, 2)] * 2)


@needs_llvmlite
def test_self_play_example_writes_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, curve = tmp_path / "pig.json", tmp_path / "curve.json"
    script = str(get_shipped_folder() / "examples" / "self-play" / "learn.py")
    sizes = ["--games", "150", "--matches", "12", "--units", "4"]
    monkeypatch.setattr(sys, "argv", [script, "--game", "pig", *sizes, "-o", str(file), "--curve", str(curve)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(script, run_name="__main__")
    assert ended.value.code == 0
    program = compile_rules("pig", ()).unwrap()
    assert len(read_network(file, program).weights) == 4
    assert set(json.loads(curve.read_text())[-1]["wins"]) == {"2", "3", "4"}


@needs_llvmlite
def test_trained_network_plays_and_can_be_trained_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("edict.apps.cli.commands.train"), "MATCHES", 40)
    pig = ("train", "pig", "--bot", "learned", "--players", "2", "--games", "100")
    ran = run_kingsburg(tmp_path, *pig, "-o", "my.json")
    assert ran.returncode == 0, ran.stderr
    program = compile_rules("pig", ()).unwrap()
    network = read_network(tmp_path / "my.json", program)
    assert network.command == "kingsburg train pig --bot learned --games 100 --players 2 --seed 1"
    assert list(network.measured) == ["wins against 1 greedy"] and network.modules == program.modules
    assert "It does not beat `greedy` yet" in ran.stdout, "a round is not enough"
    assert ran.stdout.splitlines()[-1] == "Play against it: kingsburg play pig --bot learned@my.json"
    played = run_kingsburg(tmp_path, "study", "pig", "--bots", "learned@my.json,greedy", "--games", "4")
    assert played.returncode == 0 and "network" not in played.stderr, played.stderr
    (tmp_path / "start.json").write_text(made_up(program).to_json())
    ran = run_kingsburg(tmp_path, *pig, "--from", "start.json", "-o", "on.json")
    assert ran.returncode == 0, ran.stderr
    on = read_network(tmp_path / "on.json", program)
    assert "--from start.json" in on.command and len(on.weights) == UNITS
    afresh = run_kingsburg(tmp_path, *pig, "--from", "none", "-o", "fresh.json")
    assert afresh.returncode == 0, afresh.stderr
    assert on.weights != network.weights == read_network(tmp_path / "fresh.json", program).weights


@needs_llvmlite
def test_network_with_added_units_keeps_its_values() -> None:
    from edict.agents.bots import fitting

    luck = fitting.create_rng(1)
    part = fitting.Positions(luck.integers(0, 9, (50, 6)).astype("float16"), luck.random(50).astype("float32"))
    known = fitting.IntegerNetwork(
        [(4096, -200), (0, 350), (7, 1), (-900, 40), (0, 0), (5, 5)], (12, -90), (4000, -1500)
    )
    same = fitting.FloatNetwork.extend(part, known, 2, luck).to_integers()
    assert same == ([tuple(row) for row in known.inner], known.outer, known.bias)
    rows, outer, bias = fitting.FloatNetwork.extend(part, known, 5, luck).to_integers()
    assert ([row[:2] for row in rows], outer[:2], bias) == (same[0], known.outer, (12, -90, 0, 0, 0))
    assert any(row[2:] != (0, 0, 0) for row in rows) and any(outer[2:]), "new units learn too"


@needs_llvmlite
def test_learned_network_does_not_depend_on_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_play, "ROUND_GAMES", 200)
    program = compile_rules("pig", ()).unwrap()

    def learned(spread: PieceMapper) -> Network | None:
        course = SelfPlayTraining(SelfPlayPlan(program, (2, 3), 400, seed=5, units=3))
        assert list(course.train(spread))[-1] == course.played == 400 and course.rounds == 2
        return course.network

    def backwards(work: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        return ((piece, work(piece)) for piece in reversed(list(pieces)))

    assert learned(map_locally) == learned(backwards)


def test_shipped_network_that_knows_most_modules_is_chosen(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    program = compile_rules("kingsburg", ("governors", "destiny")).unwrap()
    kinds = ((), ("governors",), ("governors", "long-winter"))
    some = [replace(made_up(program), modules=("kingsburg", *modules)) for modules in kinds]
    for order in (some, some[::-1]):
        with subtests.test(order=order):
            monkeypatch.setattr(networks, "_load_shipped_networks", lambda order=order: tuple(order))
            assert find_shipped_network(program) is some[1]
            assert find_shipped_network(compile_rules("kingsburg", ()).unwrap()) is some[0]
            assert find_shipped_network(compile_rules("pig", ()).unwrap()) is None
    assert "trained without destiny;" in BOTS.describe_limits("learned", program)


def test_remark_says_that_a_network_does_not_know_the_rules(tmp_path: Path) -> None:
    pig, town = compile_rules("pig", ()).unwrap(), compile_rules("kingsburg", ("destiny",)).unwrap()
    (tmp_path / "pig.json").write_text(made_up(pig).to_json(), encoding="utf-8")
    assert find_shipped_network(pig) is None
    assert find_policy(pig, "learned", 2) == find_policy(pig, "greedy", 2)
    assert "Pig comes without a network, so `learned` plays like `greedy`" in BOTS.describe_limits("learned", pig)
    assert "trained without destiny" in BOTS.describe_limits("learned", town)
    assert not BOTS.describe_limits("greedy", pig) and not BOTS.describe_limits(f"learned@{tmp_path}/pig.json", pig)
    assert not BOTS.describe_limits("learned", compile_rules("kingsburg", ()).unwrap())
    ran = run_kingsburg(tmp_path, "study", "pig", "--bots", "learned,learned", "--games", "2")
    assert ran.returncode == 0 and ran.stderr.count("comes without a network") == 1


@needs_llvmlite
def test_search_with_network_at_its_horizon_is_the_same_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    program = compile_rules("pig", ()).unwrap()
    policy = made_up(program).to_policy(program, 2)
    state = create_state(program, 2, {}, logging=False)
    while run(program.code, state, [0]) == ASKING and state[SEAT] == CHANCE:
        state[ANSWER] = state[OPTIONS] - 1

    def found(horizon: int) -> list[TriedOption]:
        search = Search(
            program, SearchProblem.from_policies(program, [state], [policy] * 2, SearchParameters(horizon=horizon), 5)
        )
        search.think(12)
        return search.list_results()

    natively, whole = found(3), found(0)
    monkeypatch.setattr(native, "is_available", lambda: False)
    assert found(3) == natively != whole
    assert sum(tried.tries for tried in natively) == 12 and not any(tried.share for tried in natively)


def test_dice_in_a_hand_are_counted_by_kind_and_face() -> None:
    """What a hand of dice is worth depends on what they show."""
    program = compile_rules("kingsburg").unwrap()
    hands = [place.names for place in list_player_features(program) if place.names[0].startswith("hand: ")]
    kinds = ("own-die", "bonus-die")
    expected = [f"hand: {kind} {face}" for kind in kinds for face in range(1, 7)]
    assert len(hands) == 1 and list(hands[0][:12]) == expected, hands
