"""How long an editor waits while somebody types: a module over the game with all modules that fit beside it.

    python benchmarks/typing_rules.py
    python benchmarks/typing_rules.py --keys 500

A small module is typed character by character. After each character the time is taken of what comes at once
(diagnostics) and of completion, and now and then of hover. Most texts cannot be read while they are typed. All
checks, once typing pauses, and what only making the machine's code finds out, later in the background, are measured
apart (`all checks`, `the rest`). Then a number is changed within one definition, of the game itself and of a module
over it, and it is measured, too, what stands above things (`lenses`). Milliseconds on the clock; `work` is the
processor time, which a busy machine lengthens less. `ratio` is the 95th percentile of work in hundredths of a yardstick
(`machine.measure_yardstick`), which are about milliseconds; the exit code is 1 if one is over its limit. `server` is
an edit of the variant as an editor sees it, until the diagnostics of its version: on the clock, of which the server
waits 30 for more keys; and processor time of the server, with the checks that go on until the next edit.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from machine import machine, measure_yardstick

from edict.apps.cli.main import GC_THRESHOLDS
from edict.support import resources
from edict.tools.language_service import cursor_help, rule_completion, scene_lenses
from edict.tools.language_service.answer_types import TextPosition
from edict.tools.language_service.document_structure import build_outline
from edict.tools.language_service.workspace import Workspace

TYPED = """
quantity watch "watchfulness" of player is count of owned of player, at least 0
governor watchman "Watchman"
  adjust reinforcement by 1 if watch of player > 3
  when victory
    gain 1 gold
  when end of winter
    each player
      if watch of you > 5
        gain 1 good
routine reward-watch "reward the watch"
  choose one
    option "Gold"
      gain 1 gold
    option "Soldiers"
      gain 1 soldier
when defeat if count of owned of loser > 2
  each player
    do reward-watch
"""
VARIANT = """
row G "G"
  place 7
building smithy "Smithy"
  row G
  column 2
  cost 3 gold, 1 stone
  worth 5
amend advisor squire
  reward gain 2 gold
"""
EDITS = 40
MANIFEST = "name: typed\ntitle: Typed\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [{modules}]\n"
LIMITS = {"diagnostics": 60, "completion": 50, "hover": 50}
SERVER = "import sys; from edict.apps.cli.main import main; sys.argv[1:] = ['lsp']; sys.exit(main())"
SERVER_LIMIT = 45
PLACES = ("game", "variant")
EDITED = {"an edit": 30, "all checks": 120, "lenses": 50}


@dataclass
class Times:
    """What was measured, in milliseconds: on the clock and of work."""

    clock: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)

    def take(self, done: Callable[[], object]) -> None:
        clock, work = time.perf_counter(), time.process_time()
        done()
        self.clock.append(1000 * (time.perf_counter() - clock))
        self.work.append(1000 * (time.process_time() - work))


def laid_over() -> Iterator[str]:
    """The modules that ship and can be played together, as far as they change the game itself."""
    for name in ("advisor-tiles", "alternate-rows", "destiny", "goblin-valley", "governors", "more-buildings"):
        if (resources.get_shipped_folder() / "modules" / name).is_dir():
            yield name


def replay(folder: Path, keys: int) -> dict[str, Times]:
    """Type, and measure."""
    (folder / "module.yaml").write_text(MANIFEST.format(modules=", ".join(laid_over())), encoding="utf-8")
    file = folder / "typed.edict"
    file.write_text("", encoding="utf-8")
    space, measured = Workspace([folder]), (*LIMITS, "all checks", "the rest")
    times = {name: Times() for name in measured}
    rules = space.get_rules(file)
    assert rules is not None
    rules.check(full=True)
    rules.get_analysis()
    text = ""
    for number, key in enumerate((TYPED * (1 + keys // len(TYPED)))[:keys]):
        text = "" if number % len(TYPED) == 0 else text
        text += key
        space.set_text(file, text)
        times["diagnostics"].take(rules.check_while_typing)
        lines = text.split("\n")
        at = TextPosition(len(lines), len(lines[-1]) + 1)
        times["completion"].take(lambda at=at: rule_completion.complete(space, file, at))  # type: ignore[misc]
        if number % 10 == 5:
            known = rules.get_analysis()  # as is done in the background as soon as nobody types
            if known is not None:
                known.warm_caches()
            times["hover"].take(lambda at=at: cursor_help.hover(space, file, at))  # type: ignore[misc]
        if key == "\n" and number % 3 == 0:
            times["all checks"].take(rules.check)
            times["the rest"].take(lambda: rules.check(full=True))
    return times


def change(folder: Path, game: bool, keys: int, times: dict[str, Times]) -> None:
    """Change a number within one definition: of the game, whose scenes speak of its things, or of a module over it."""
    rules_of_game = folder / "game"
    shutil.copytree(resources.get_shipped_folder() / "rules", rules_of_game)
    file = rules_of_game / "buildings.edict"
    if not game:
        file = write_variant(folder)
    space, text = Workspace([file.parent], str(rules_of_game)), file.read_text(encoding="utf-8")
    rules = space.get_rules(file)
    assert rules is not None
    rules.check()
    scene_lenses.list_lenses(space, file)
    for number in range(keys):
        space.set_text(file, text.replace("worth 5", f"worth {6 + number % 9}", 1))
        times["an edit"].take(rules.check_while_typing)
        times["all checks"].take(rules.check)
        times["lenses"].take(lambda: (scene_lenses.list_lenses(space, file, fresh=False), build_outline(space, file)))


def write_variant(folder: Path) -> Path:
    """Write a variant of the game into a folder, and return its rules."""
    file = folder / "variant" / "variant.edict"
    file.parent.mkdir()
    (file.parent / "module.yaml").write_text(
        "name: variant\ntitle: Variant\nversion: 1.0.0\nkind: module\nrequires: [kingsburg]\n", encoding="utf-8"
    )
    file.write_text(VARIANT, encoding="utf-8")
    return file


def main() -> int:
    gc.set_threshold(*GC_THRESHOLDS)  # as in the server that editors start
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=len(TYPED), help="characters to type (default: %(default)s)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        times = replay(Path(name).resolve(), chosen.keys)
    for place in PLACES:
        measured = {what: Times() for what in EDITED}
        with tempfile.TemporaryDirectory() as name:
            change(Path(name).resolve(), place == "game", min(chosen.keys, EDITS), measured)
        times |= {f"{place}: {what}": taken for what, taken in measured.items()}
    limits = LIMITS | {f"{place}: {what}": limit for place in PLACES for what, limit in EDITED.items()}
    print(f"{chosen.keys} characters typed over {len(list(laid_over()))} modules; {machine()}\n")
    print(f"{'milliseconds':20} {'n':>4} {'median':>8} {'p95':>8} {'max':>8} {'work':>6} {'ratio':>6} {'limit':>6}")
    yardstick = min(measure_yardstick() for _ in range(10))
    late = 0
    for what, taken in times.items():
        if len(taken.clock) < 2:
            continue
        p95, work = (statistics.quantiles(one, n=20)[-1] for one in (taken.clock, taken.work))
        limit = limits.get(what, 0)
        ratio = work / 10 / yardstick
        late += bool(limit) and ratio > limit
        half, usual = statistics.median(taken.clock), statistics.median(taken.work)
        print(
            f"{what:20} {len(taken.clock):>4} {half:>8.1f} {p95:>8.1f} {max(taken.clock):>8.1f} "
            f"{usual:>6.1f} {ratio:>6.1f} {limit or '':>6}"
        )
    per_edit, clock = measure_server(min(chosen.keys, EDITS))
    ratio, (half, p95) = 100 * per_edit / yardstick, (statistics.median(clock), statistics.quantiles(clock, n=20)[-1])
    print(
        f"{'server: an edit':20} {len(clock):>4} {1000 * half:>8.1f} {1000 * p95:>8.1f} {1000 * max(clock):>8.1f} "
        f"{1000 * per_edit:>6.1f} {ratio:>6.1f} {SERVER_LIMIT:>6}"
    )
    return 1 if late or ratio > SERVER_LIMIT else 0


def measure_server(edits: int) -> tuple[float, list[float]]:
    """Return what an edit of the variant takes in the language server.

    Returns:
        The processor seconds for each, beyond those of the start, with the checks that go on until the next edit; and
        the seconds on the clock of each, until its diagnostics.
    """
    with tempfile.TemporaryDirectory() as name:
        file = write_variant(Path(name).resolve())
        (start, _), (seconds, clock) = (run_server(file, count) for count in (0, edits))
    return (seconds - start) / edits, clock


def run_server(file: Path, edits: int) -> tuple[float, list[float]]:
    """Edit a file so many times in a server, each time until the diagnostics of its version come.

    Returns:
        The processor seconds of the server, and the seconds on the clock of each edit.
    """
    before, text, uri = os.times(), file.read_text(encoding="utf-8"), file.as_uri()
    clock: list[float] = []
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    send(server, "initialize", {"processId": None, "rootUri": file.parent.as_uri(), "capabilities": {}}, 1)
    send(server, "initialized", {})
    document = {"uri": uri, "languageId": "edict", "version": 0, "text": text}
    send(server, "textDocument/didOpen", {"textDocument": document})
    wait_for_version(server, 0)
    for version in range(1, edits + 1):
        changes = [{"text": text.replace("worth 5", f"worth {6 + version % 9}", 1)}]
        document, began = {"uri": uri, "version": version}, time.perf_counter()
        send(server, "textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        wait_for_version(server, version)
        clock.append(time.perf_counter() - began)
    send(server, "shutdown", None, 2)
    send(server, "exit", None)
    server.wait()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, clock


def send(server: subprocess.Popen[bytes], method: str, params: object, number: int | None = None) -> None:
    """Send a request, or a notification without a number."""
    message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
    body = json.dumps(message).encode()
    assert server.stdin is not None
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def wait_for_version(server: subprocess.Popen[bytes], version: int) -> None:
    """Read messages until the diagnostics of a version of the text."""
    assert server.stdout is not None
    while True:
        length = 0
        while (line := server.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(server.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics" and message["params"].get("version") == version:
            return


if __name__ == "__main__":
    sys.exit(main())
