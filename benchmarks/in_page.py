"""What a page without a server thinks and plays in a second, beside native code and plain Python.

Needs Node and the extra `page`.

    python benchmarks/in_page.py
    python benchmarks/in_page.py --with governors,destiny --players 3 --runs 5

A search tries the options of a question in the middle of a game, by the network the rules have. Everything is a second
of one processor's own time, and takes turns; the best run counts, as the computer may be busy with other work. What an
engine compiles in other threads meanwhile counts, too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from machine import machine

import edict
from edict.agents.bots import SearchBot
from edict.agents.bots.search_bot import Search, SearchProblem
from edict.runtime.native.linking import LinkError
from edict.runtime.program import Program, create_state
from edict.runtime.simulation import native
from edict.runtime.simulation.page_backend import pack_numbers
from edict.runtime.simulation.page_modules import compile_for_page

RUN = 0.5  # seconds of one run
TRIES, GAMES = 16, 200  # at once, until a run is over
IN_PAGE = """
import fs from "node:fs";
const [folder, how, tries, games, seconds] = process.argv.slice(1);
const { Machine } = await import(`file://${folder}/machine.js`);
const file = (name) => fs.readFileSync(`${folder}/${name}`);
const rules = how === "translated" ? { program: file("program.wasm") } : { code: file("code") };
const machine = await Machine.load(file("machine.wasm"), rules);
const [question, initial] = [file("question"), file("initial")];
const seeds = BigInt64Array.from({ length: Number(games) }, (_, i) => BigInt(i));
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
function rate(work, each) {
  const begun = used();
  let done = 0;
  while (used() - begun < Number(seconds)) { work(); done += each; }
  return done / (used() - begun);
}
const search = machine.search(question);
rate(() => search.think(Number(tries)), 0); // engines begin with code that is slower
rate(() => machine.randomGames(initial, seeds), 0);
console.log(JSON.stringify({
  tries: rate(() => search.think(Number(tries)), Number(tries)),
  games: rate(() => machine.randomGames(initial, seeds), seeds.length),
}));
"""


def rate(work: Callable[[], object], each: int) -> float:
    """How much is done in a second of processor time."""
    work()
    begun, done = time.process_time(), 0
    while time.process_time() - begun < RUN:
        work()
        done += each
    return done / (time.process_time() - begun)


def here(program: Program, players: int, question: SearchProblem) -> dict[str, float]:
    search = Search(program, question)
    return {
        "tries": rate(lambda: search.think(TRIES), TRIES),
        "games": rate(lambda: native.play_batch(program, players, range(GAMES)), GAMES),
    }


def in_python(program: Program, players: int, question: SearchProblem) -> dict[str, float]:
    """The same functions, as Python runs them."""
    known, native.is_available = native.is_available, lambda: False
    try:
        search = Search(program, question)
        tries = rate(lambda: search.think(1), 1)
    finally:
        native.is_available = known
    return {"tries": tries, "games": rate(lambda: native.play_one(program, players, 1), 1)}


def in_page(folder: Path, how: str) -> dict[str, float]:
    command = ["node", "--input-type=module", "-e", IN_PAGE, str(folder), how, str(TRIES), str(GAMES), str(2 * RUN)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def asked(rules: edict.Rules, players: int) -> SearchProblem:
    """A question with a choice, after a year or so."""
    game = rules.new_game([f"Player {seat + 1}" for seat in range(players)], seed=1)
    for number in range(400):
        if number > 60 and game.seat >= 0 and len(game.ask.options) > 3:
            return SearchBot(rules.program, 1).create_problem(game.view(game.seat).history, game.seat)
        game.answer(number % len(game.ask.options))
    raise SystemExit("There is no question with more than three options in this game.")


def best(runs: int, measured: Mapping[str, Callable[[], dict[str, float]]]) -> dict[str, dict[str, float]]:
    """By what is measured, the best of its runs."""
    found: dict[str, dict[str, float]] = {name: {} for name in measured}
    for _ in range(runs):
        for name, measure in measured.items():
            for what, value in measure().items():
                found[name][what] = max(value, found[name].get(what, 0.0))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="kingsburg", help="a game by name or path")
    parser.add_argument("--with", dest="modules", default="", help="modules laid over it, with commas between")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--runs", type=int, default=3, help="of each, one of which counts")
    chosen = parser.parse_args()
    rules = edict.load(chosen.rules, tuple(name for name in chosen.modules.split(",") if name))
    program, players = rules.program, chosen.players
    if shutil.which("node") is None:
        parser.error("the page's engine is Node's here: install node")
    began = time.process_time()
    try:
        files = compile_for_page({"program": program})
    except LinkError as missing:
        parser.error(str(missing))
    print(f"{program.title}, {players} players, {machine()}, Node {_version()}")
    print(f"compiled for the page in {time.process_time() - began:.1f} s, or kept from before\n")
    question = asked(rules, players)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = create_state(program, players, {}, logging=False)
        data = {"code": program.code, "question": question.to_row(), "initial": first}
        for file, content in {**files, **{name: pack_numbers(row) for name, row in data.items()}}.items():
            (folder / file).write_bytes(content)
        (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        native.load_native()
        by_loop = here(program, players, question)
        native.translate(program)
        found = best(
            chosen.runs,
            {
                "native, translated": lambda: here(program, players, question),
                "page, translated": lambda: in_page(folder, "translated"),
                "page, by the loop": lambda: in_page(folder, "data"),
            },
        )
    found["native, by the loop"] = by_loop
    found["plain Python"] = in_python(program, players, question)
    print(f"{'':22} {'tries/s':>9} {'games/s':>9}")
    for name, rates in found.items():
        print(f"{name:22} {rates['tries']:>9,.0f} {rates['games']:>9,.0f}")
    return 0


def _version() -> str:
    return subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
