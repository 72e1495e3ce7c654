"""WebAssembly for pages, equal to native code in every cell, for programs as data and translated ones.

`make wasm` tests everything, with thousands of games.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("llvmlite", reason="llvmlite is an extra, and not installed here")

import edict
from edict.agents.bots import SearchBot
from edict.agents.bots.bot_registry import find_policy
from edict.agents.bots.policy_bots import PolicyLookahead
from edict.agents.bots.search_bot import Search, SearchBudget
from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine.translation import NativeProgram
from edict.runtime.program import Program, create_state, program_key
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import batches, execution_backend, native, page_modules, plans, policies
from edict.runtime.simulation.counting import count_games, plan_counting
from edict.runtime.simulation.page_backend import PageBackend
from edict.runtime.simulation.page_modules import compile_for_page
from edict.runtime.simulation.plans import RANDOM, SCRATCH_ROWS, build_plan
from node_page import NodePage, find_missing_tool, get_refusal, open_page
from random_programs import mask_dead_cells
from shipped import GAMES, MODULES

pytestmark = pytest.mark.skipif(bool(find_missing_tool()), reason=find_missing_tool())

ALL = os.environ.get("EDICT_PAGES") == "all"
Rules = tuple[str, tuple[str, ...]]
KINGSBURG: Rules = ("kingsburg", ())
SOME: list[tuple[Rules, bool]] = [(("pig", ()), True), (KINGSBURG, False)]  # whether it is translated
EVERY: list[Rules] = [*((game, ()) for game in GAMES), *(("kingsburg", (module,)) for module in MODULES)]
PLAYED: dict[tuple[str, bool], NativeProgram] = {}  # their code lives as long as they do
GAMES_EACH = 100  # a set of rules, in each of the two ways


@cache
def compile_game(game: str, modules: tuple[str, ...]) -> Program:
    return compile_rules(game, modules).unwrap()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a page for rules, shared by all tests of this file."""
    with ExitStack() as stack:

        @cache
        def opened(rules: Rules, translated: bool) -> NodePage:
            return stack.enter_context(open_page(compile_game(*rules), tmp_path_factory.mktemp("page"), translated))

        yield opened


def choose_players(program: Program) -> int:
    return min(4, program.most_players)


def load_code_row(program: Program, translated: bool = False) -> Any:
    """Return a program as native code takes it."""
    key = program_key(program), translated
    if key not in PLAYED:
        PLAYED[key] = NativeProgram(program)
    return PLAYED[key].refresh(False, wait=True) if translated else PLAYED[key].row


def start_game(program: Program) -> Any:
    return native.make_integers(create_state(program, choose_players(program), {}, logging=False))


def create_bot_plan(program: Program, kind: str) -> Any:
    players = choose_players(program)
    return native.make_integers(build_plan(program, [find_policy(program, kind, players) or RANDOM] * players))


def find_question(program: Program, number: int) -> Any:
    """Return the state of the `number`-th question to a player in a random game."""
    state, luck = start_game(program).tolist(), Random(number)
    while (
        native.native_function(batches.step)(
            load_code_row(program), s := native.make_integers(state), native.make_integers([0])
        )
        == o.ASKING
    ):
        state = s.tolist()
        number -= state[o.SEAT] != o.CHANCE
        if number <= 0 and state[o.SEAT] != o.CHANCE and state[o.OPTIONS] > 1:
            return s
        state[o.ANSWER] = luck.randrange(state[o.OPTIONS])
    raise AssertionError("the game is over")


@pytest.mark.parametrize(("rules", "translated"), SOME)
def test_page_games_end_in_the_native_states(
    rules: Rules, translated: bool, pages: Any, subtests: pytest.Subtests
) -> None:
    program, seeds = compile_game(*rules), native.make_seeds(range(40))
    initial = start_game(program)
    ends, counts = native.make_rows(len(seeds), len(initial)), native.make_integers([0] * len(seeds))
    native.native_function(batches.random_games)(
        load_code_row(program), initial, seeds, ends, counts, native.make_integers([0])
    )
    one: NodePage = pages(rules, translated)
    one.ask("games", [initial, [], seeds], width=len(initial), plan=0, seeds=len(seeds))
    found, answered = one.read_numbers(*ends.shape), one.read_numbers(len(seeds))
    assert answered.tolist() == counts.tolist()
    for there, here in zip(found.tolist(), ends.tolist(), strict=True):
        with subtests.test(there=there):
            assert here[o.STATUS] == o.GAME_OVER
            assert mask_dead_cells(there) == mask_dead_cells(here)
            assert translated or there == here


@pytest.mark.parametrize("kind", ["greedy", "learned"])
def test_page_policies_answer_and_evaluate_like_native_ones(kind: str, pages: Any) -> None:
    program, seeds = compile_game(*KINGSBURG), native.make_seeds([5, 1 << 63])
    initial, orders, one = start_game(program), create_bot_plan(program, kind), pages(KINGSBURG, False)
    ends, counts = native.make_rows(len(seeds), len(initial)), native.make_integers([0] * len(seeds))
    room = native.make_rows(SCRATCH_ROWS, len(initial))
    native.native_function(batches.games)(load_code_row(program), initial, orders, seeds, ends, counts, room)
    one.ask("games", [initial, orders, seeds], width=len(initial), plan=len(orders), seeds=len(seeds))
    assert one.read_numbers(*ends.shape).tolist() == ends.tolist()
    assert one.read_numbers(len(seeds)).tolist() == counts.tolist()

    state = find_question(program, 9)
    found = one.ask("values", [state, orders], width=len(state), plan=len(orders), seed="77", number=3)
    native.native_function(batches.think)(load_code_row(program), state, orders, room)
    assert one.read_numbers(found["size"]).tolist() == room[plans.VALUES][: found["size"]].tolist()
    assert found["chosen"] == native.native_function(policies.choose)(
        load_code_row(program), state, orders, room, 77, 3
    )


def test_page_search_tries_the_same_options_within_its_time(pages: Any) -> None:
    game, one = edict.load("kingsburg").new_game(["Ann", "Ben", "Cleo"], seed=4), pages(KINGSBURG, False)
    while len(game.ask.options) < 3 or game.seat < 0:
        game.answer(0)
    bot = SearchBot(game.program, 6)
    question = bot.create_problem(game.view(game.seat).history, game.seat)
    search, row = Search(game.program, question), question.to_row()
    search.think(40)
    found = one.ask("search", [row], size=len(row), tries=40, whole=True)
    assert [list(option.values()) for option in found["found"]] == [
        [tried.index, tried.tries, tried.share, tried.lead] for tried in search.list_results()
    ]
    early = Search(game.program, question)
    SearchBudget(tries=400).spend(early)
    found = one.ask("search", [row], size=len(row), tries=400, whole=False)
    assert [option["tries"] for option in found["found"]] == [tried.tries for tried in early.list_results()]
    assert one.ask("search", [row], size=len(row), seconds=0.01, whole=True)["done"] >= 4


def test_determinizations_are_equal_in_a_page(pages: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rules: Rules = ("kuhn-poker", ())
    game, one = edict.load("kuhn-poker").new_game(["Ann", "Ben"], seed=3), pages(rules, False)
    while game.seat != 1:
        game.answer(0)
    worlds = [game.view(1).history.sample_states(1, 6, Random(2))]
    monkeypatch.setattr(native, "native_function", one.faster)
    worlds.append(game.view(1).history.sample_states(1, 6, Random(2)))
    assert worlds[0] == worlds[1]
    assert len({tuple(world) for world in worlds[0]}) > 1


@pytest.mark.parametrize(("game", "least"), [("kuhn-poker", 2), ("kingsburg", 1)])
def test_bots_in_a_page_work_on_rows_in_its_memory(
    game: str, least: int, pages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their evaluations and samples equal those of native code."""

    def thought() -> Any:
        table = edict.load(game).new_game(["Ann", "Ben"], seed=3)
        while table.seat != 1 or len(table.ask.options) < 2:
            table.answer(0)
        bot = SearchBot(table.program, 6, SearchBudget(tries=24))
        tried = bot.analyze_options(table.view(1))
        worlds = table.view(1).history.sample_states(1, 6, Random(2))
        ahead = PolicyLookahead(table.program, 2, find_policy(table.program, "learned", 2) or RANDOM)
        return tried, worlds, ahead.evaluate_options(table.view(1).thinking_state)

    here = thought()
    monkeypatch.setattr(native, "is_available", lambda: False)
    monkeypatch.setattr(native, "is_loaded", lambda: False)
    desk: NodePage = pages((game, ()), False)
    monkeypatch.setattr(execution_backend, "_page", PageBackend(desk))
    assert thought() == here
    assert len({tuple(world) for world in here[1]}) >= least
    del execution_backend._page._codes  # type: ignore[union-attr]
    assert not desk.count_unreachable(), "memory is given back"


def test_page_counts_equal_native_counts(pages: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    program, one = compile_game(*KINGSBURG), pages(KINGSBURG, False)
    seats = [find_policy(program, kind, 3) or RANDOM for kind in ("greedy", "random", "judge")]
    wanted = plan_counting(program, 3)
    counted = [count_games(wanted, range(3), policies=seats)]
    monkeypatch.setattr(native, "native_function", one.faster)
    counted.append(count_games(wanted, range(3), policies=seats))
    assert counted[0] == counted[1]
    assert any(counted[0].sums)


EMPTY = b"\0asm\1\0\0\0"  # a module with nothing in it


def test_files_of_different_versions_are_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    files = compile_for_page({"program": compile_game("pig", ())})
    made, neither = page_modules.toolchain_version(), "this WebAssembly is neither the machine nor a program of it"
    older = files["program.wasm"].replace(made.encode(), made[::-1].encode())
    for name, content, message in (
        ("program.wasm", b"", "WebAssembly"),
        ("program.wasm", EMPTY, neither),
        ("machine.wasm", EMPTY, neither),
        ("program.wasm", older, "the machine and the program were made by different versions; make the page again"),
    ):
        with subtests.test(name=name):
            assert message in get_refusal(tmp_path, files | {name: content})


# --- in a browser -----------------------------------------------------------------------------------

ASKED = """async ({ players, question, seeds }) => {
  const { Machine } = await import("/machine.js");
  const { MachineInWorker } = await import("/machine_in_worker.js");
  const [initial, task, own] = [players, question, seeds].map((row) => BigInt64Array.from(row.map(BigInt)));
  const machine = await Machine.load(fetch("/machine.wasm"), { program: fetch("/program.wasm") });
  const worker = await MachineInWorker.load(fetch("/machine.wasm"), { program: fetch("/program.wasm") });
  const games = [machine.randomGames(initial, own), await worker.randomGames(initial, own)];
  const thought = await worker.search(task, { tries: 30, whole: true });
  const long = worker.search(task, { seconds: 600, whole: true }).catch((problem) => problem.message);
  worker.end("that takes too long");
  const wrong = await MachineInWorker.load(fetch("/machine.wasm"), { program: fetch("/machine.wasm") })
    .catch((problem) => problem.message);
  return {
    games: games.map(({ states }) => [...states].map(String)), tries: thought.found.map((one) => one.tries),
    problems: [await long, await worker.values(initial, task).catch((problem) => problem.message), wrong],
  };
}"""


@pytest.mark.skipif(not ALL, reason="a browser of its own: `make wasm`")
def test_browser_plays_equally_in_page_and_worker(tmp_path: Path, browser: Any, subtests: pytest.Subtests) -> None:
    program = compile_game("pig", ())
    for name, content in compile_for_page({"program": program}).items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "index.html").write_text("<!doctype html><title>A page</title>", encoding="utf-8")
    game = edict.load("pig").new_game(["Ann", "Ben"], seed=4)
    while game.seat < 0 or len(game.ask.options) < 2:
        game.answer(0)
    question = SearchBot(program, 6).create_problem(game.view(game.seat).history, game.seat)
    (search := Search(program, question)).think(30)
    initial, seeds = create_state(program, 2, {}, logging=False), range(10)
    asked = {"players": initial, "question": question.to_row(), "seeds": seeds}
    texts = {name: [str(number) for number in row] for name, row in asked.items()}
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        tab = browser.new_page()
        tab.goto(f"http://127.0.0.1:{server.server_port}/")
        found = tab.evaluate(ASKED, texts)
        tab.close()
        server.shutdown()
    ends = [native.play_one(program, 2, seed)[0] for seed in seeds]
    for states in found["games"]:
        numbers = [int(text) for text in states]
        width = len(initial)
        for number, end in enumerate(ends):
            with subtests.test(end=end):
                assert mask_dead_cells(numbers[number * width : (number + 1) * width]) == mask_dead_cells(end)
    assert found["tries"] == [tried.tries for tried in search.list_results()]
    machine = "this is the machine itself, not a program of it"
    assert found["problems"] == ["that takes too long", "that takes too long", machine]


class QuietHandler(SimpleHTTPRequestHandler):
    """A file server without log output."""

    def log_message(self, *_: Any) -> None:
        pass


# --- everything: `make wasm` -----------------------------------------------------------------------


def trace_games(program: Program, translated: bool, seeds: range) -> list[list[int]]:
    """Return for each game the number of questions, a checksum of all cells after every answer, and the last status."""
    import numpy as np

    code, initial, orders = load_code_row(program, translated), start_game(program), create_bot_plan(program, "random")
    room, log = native.make_rows(SCRATCH_ROWS, len(initial)), native.make_integers([0])
    powers = np.array([pow(31, 2 * len(initial) - 1 - i, 1 << 32) for i in range(2 * len(initial))], dtype=np.uint32)
    whole, found = pow(31, 2 * len(initial), 1 << 32), []
    for seed in seeds:
        s, number, total = initial.copy(), 0, 0
        while True:
            status = int(native.native_function(batches.step)(code, s, log))
            total = (total * whole + int((s.view(np.uint32) * powers).sum(dtype=np.uint32))) & 0xFFFFFFFF
            if status != o.ASKING:
                break
            number += 1
            s[o.ANSWER] = native.native_function(policies.choose)(code, s, orders, room, seed, number)
        found.append([number, total - (total >> 31 << 32), status])
    return found


@pytest.mark.skipif(not ALL, reason="takes minutes: `make wasm`")
@pytest.mark.parametrize("translated", [False, True])
@pytest.mark.parametrize("rules", EVERY if ALL else EVERY[:1], ids=lambda rules: "+".join([rules[0], *rules[1]]))
def test_every_cell_is_equal_after_every_answer(rules: Rules, translated: bool, tmp_path: Path) -> None:
    """Compare all cells, since the same text was compiled for both processors."""
    program = compile_game(*rules)
    initial, orders, seeds = start_game(program), create_bot_plan(program, "random"), range(GAMES_EACH)
    with open_page(program, tmp_path, translated) as one:
        more = {"width": len(initial), "plan": len(orders), "seeds": [str(seed) for seed in seeds]}
        found = one.ask("trace", [initial, orders], **more)
    assert found["answers"] == trace_games(program, translated, seeds)
    assert all(status == o.GAME_OVER for _, _, status in found["answers"])
