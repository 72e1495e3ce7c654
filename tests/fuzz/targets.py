"""Fuzz targets: three functions that take the bytes of a stranger's file and must never fail.

A file may be refused with diagnostics that point into it and say what to do; nothing else may happen.
"""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random

from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.sources.folders import Manifest, Module, read_text
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.syntax.printing.canonical import format_source
from edict.game.scenes.scene_runner import run_module
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, FAULTS, GAME_OVER, NO_ANSWER, OPTIONS, STATUS
from edict.support import resources
from edict.support.rendering import index_sources, render_diagnostics
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source

HERE = Path(__file__).resolve().parent
MAX_QUESTIONS = 40  # answered in each game

# a game with a little of every feature, for fuzzed rules to refer to
GAME = """\
resource coin "coin/coins"
resource plum "plum/plums"
resource fame may go below 0
group fruit is coin, plum
die cube with 6 sides
kind tree "tree/trees"
  height number from 1 to 9 "height", shown
  cost amounts, optional
  yield effect, optional
  next tree or none, optional
  works if tree is in owned of you
  in order of height
tree oak "Oak"
  height 9
  cost 1 coin
  yield gain 1 plum
tree elm
  height 2
  adjust price by 1
keep line as order of player, quiet
keep owned of player as set of tree
keep hand of player as dice, quiet
keep day as number from 0 to 20
keep hidden of player as tree or none, secret
quantity price of tree is height of tree, at least 0
moment planted with player and tree
action plant "Plant"
  choose a tree as what where it is not in owned of you
  choose dice from hand of you as paid making height of what
  rule cheap
    require price of what <= 5
  then
    add what to owned of you
    trigger planted with you and what
routine harvest with number called much
  gain much plum
game orchard
  players 2 to 3
  order line
  winners everyone
  score coin of you
  course
    repeat 2 times
      play season
phase season
  add 1 to day
  each player
    gain 1 coin
    roll 2 cube into hand of you
    may do plant
    do harvest with 1
"""


def fuzz_rules(data: bytes) -> None:
    """Parse, format, check, compile and play a rule file beside a small game."""
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n")
    formatted_text = format_source(Source("house/rules.edict", text))
    if formatted_text.value is not None:
        assert format_source(Source("house/rules.edict", formatted_text.value)).value == formatted_text.value, (
            "laid out again it changes"
        )
    build_and_play(GAME, text)


def build_and_play(game: str, *modules: str) -> Outcome[Program]:
    """Compile a game and modules, each over those before it; check diagnostics and play for a while."""
    all_modules = [_make_module("orchard", "game", game, ())]
    for number, text in enumerate(modules):
        all_modules.append(
            _make_module(
                f"house-{number}", "module", text, tuple(earlier_module.name for earlier_module in all_modules)
            )
        )
    outcome = build_program(tuple(all_modules), optimized=False)
    _check_diagnostics(outcome.diagnostics, [source for module in all_modules for source in module.sources])
    if outcome.value is not None and outcome.ok:
        _play_program(outcome.value)
    return outcome


def _make_module(name: str, kind: str, text: str, over: tuple[str, ...]) -> Module:
    manifest = Manifest(name, name.title(), "1.0.0", kind, requires=over, over=over)
    return Module(manifest, Path(name), (Source(f"{name}/rules.edict", text),))


def _play_program(program: Program) -> None:
    """Play with random answers and assert that every question has an option."""
    rng, log = Random(1), [0]
    state = create_state(program, program.least_players, {}, logging=False)
    for _ in range(MAX_QUESTIONS):
        if run(program.code, state, log) != ASKING:
            break
        assert state[OPTIONS] > 0
        state[ANSWER] = int(rng.random() * state[OPTIONS])
    assert state[STATUS] in (ASKING, GAME_OVER, *FAULTS) and state[STATUS] != NO_ANSWER


def _check_diagnostics(found: Iterable[Diagnostic], sources: Iterable[Source]) -> None:
    """Assert that every diagnostic can be rendered, lies in its file, and has a help text."""
    known = index_sources(sources)
    for diagnostic in found:
        assert diagnostic.title and diagnostic.help, diagnostic
        if diagnostic.span.file in known:
            assert 1 <= diagnostic.span.line <= known[diagnostic.span.file].text.count("\n") + 2, diagnostic
    _check_no_control_characters(render_diagnostics(found, known))


def _check_no_control_characters(text: str) -> None:
    """Assert that a text cannot control a terminal."""
    assert not [char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char != "\n"]


def fuzz_manifest(data: bytes) -> None:
    """Read a manifest and gather and layer its modules."""
    with _create_folder() as folder:
        (folder / "module.yaml").write_bytes(data)
        (folder / "empty.edict").write_text("resource nut\n", encoding="utf-8")
        outcome = gather_modules(folder)
        source = read_text(folder, folder / "module.yaml").value
        _check_diagnostics(outcome.diagnostics, [source] if source else [])


def fuzz_scenes(data: bytes) -> None:
    """Read, play and report a file of scenes beside a small game."""
    with _create_folder() as folder:
        (folder / "module.yaml").write_text("name: house\ntitle: House\nversion: 1.0.0\nkind: game\n", encoding="utf-8")
        (folder / "pig.edict").write_text(_read_pig(), encoding="utf-8")
        (folder / "scenes").mkdir()
        (folder / "scenes" / "all.yaml").write_bytes(data)
        report = run_module(folder)
        _check_no_control_characters(report.text())
        _check_diagnostics(report.diagnostics, report.sources.values())


@cache
def _read_pig() -> str:
    return (resources.get_shipped_folder() / "examples" / "pig" / "pig.edict").read_text(encoding="utf-8")


def _create_folder() -> _Folder:
    return _Folder(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


class _Folder(tempfile.TemporaryDirectory[str]):
    def __enter__(self) -> Path:  # type: ignore[override]
        return Path(super().__enter__())


TARGETS: dict[str, Callable[[bytes], None]] = {"rules": fuzz_rules, "manifest": fuzz_manifest, "scenes": fuzz_scenes}
