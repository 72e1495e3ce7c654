"""What is fuzzed: three functions that take the bytes of a file a stranger wrote, and must never fail.

A file may be refused, with diagnostics that stand in it and say what to do; nothing else may happen to it.
"""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random

from edict.compiler.pipeline.pipeline import build
from edict.compiler.sources.folders import Manifest, Module, read_text
from edict.compiler.sources.module_set import gather
from edict.compiler.syntax.printing.canonical import formatted
from edict.game.scenes.scene_runner import run_module
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program.initial_state import create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, FAULTS, GAME_OVER, NO_ANSWER, OPTIONS, STATUS
from edict.support import resources
from edict.support.rendering import index_sources, render_diagnostics
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source

HERE = Path(__file__).resolve().parent
QUESTIONS = 40  # of a game that is fuzzed, so many are answered

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
"""What fuzzed rules are laid beside: a little of everything, so that there is something for them to speak of."""


def rules(data: bytes) -> None:
    """A rule file beside a small game: read, laid out, checked, compiled, and played for a while."""
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n")
    laid = formatted(Source("house/rules.edict", text))
    if laid.value is not None:
        assert formatted(Source("house/rules.edict", laid.value)).value == laid.value, "laid out again it changes"
    laid_together(GAME, text)


def laid_together(game: str, *modules: str) -> Outcome[Program]:
    """A game and modules, each over those before it: compiled, told of, and played for a while."""
    made = [_module("orchard", "game", game, ())]
    for number, text in enumerate(modules):
        made.append(_module(f"house-{number}", "module", text, tuple(m.name for m in made)))
    outcome = build(tuple(made), optimized=False)
    _told(outcome.diagnostics, [source for module in made for source in module.sources])
    if outcome.value is not None and outcome.ok:
        _play(outcome.value)
    return outcome


def _module(name: str, kind: str, text: str, over: tuple[str, ...]) -> Module:
    manifest = Manifest(name, name.title(), "1.0.0", kind, requires=over, over=over)
    return Module(manifest, Path(name), (Source(f"{name}/rules.edict", text),))


def _play(program: Program) -> None:
    """No fault for a question without an answer; those that only play can show are no defect."""
    lot, log = Random(1), [0]
    state = create_state(program, program.least_players, {}, logging=False)
    for _ in range(QUESTIONS):
        if run(program.code, state, log) != ASKING:
            break
        assert state[OPTIONS] > 0
        state[ANSWER] = int(lot.random() * state[OPTIONS])
    assert state[STATUS] in (ASKING, GAME_OVER, *FAULTS) and state[STATUS] != NO_ANSWER


def _told(found: Iterable[Diagnostic], sources: Iterable[Source]) -> None:
    """Every report can be shown, stands in a file, and says what to do."""
    known = index_sources(sources)
    for one in found:
        assert one.title and one.help, one
        if one.span.file in known:
            assert 1 <= one.span.line <= known[one.span.file].text.count("\n") + 2, one
    _harmless(render_diagnostics(found, known))


def _harmless(text: str) -> None:
    """Nothing in it could steer a terminal."""
    assert not [char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char != "\n"]


def manifest(data: bytes) -> None:
    """A manifest: read, and what it needs gathered and laid together."""
    with _folder() as folder:
        (folder / "module.yaml").write_bytes(data)
        (folder / "empty.edict").write_text("resource nut\n", encoding="utf-8")
        outcome = gather(folder)
        source = read_text(folder, folder / "module.yaml").value
        _told(outcome.diagnostics, [source] if source else [])


def scenes(data: bytes) -> None:
    """A file of scenes beside a small game: read, played and reported."""
    with _folder() as folder:
        (folder / "module.yaml").write_text("name: house\ntitle: House\nversion: 1.0.0\nkind: game\n", encoding="utf-8")
        (folder / "pig.edict").write_text(_pig(), encoding="utf-8")
        (folder / "scenes").mkdir()
        (folder / "scenes" / "all.yaml").write_bytes(data)
        report = run_module(folder)
        _harmless(report.text())
        _told(report.diagnostics, report.sources.values())


@cache
def _pig() -> str:
    return (resources.shipped_folder() / "examples" / "pig" / "pig.edict").read_text(encoding="utf-8")


def _folder() -> _Folder:
    return _Folder(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


class _Folder(tempfile.TemporaryDirectory[str]):
    def __enter__(self) -> Path:  # type: ignore[override]
        return Path(super().__enter__())


TARGETS: dict[str, Callable[[bytes], None]] = {"rules": rules, "manifest": manifest, "scenes": scenes}
