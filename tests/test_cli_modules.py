"""What the command line says of modules: options, origins, scenarios, and forms to fill in from the box."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from calling import kingsburg

from edict.front.compile import compile_rules
from edict.front.limits import BLANK


def test_a_module_tells_its_options_and_origins(tmp_path: Path) -> None:
    told = kingsburg(tmp_path, "modules", "governors")
    assert told.returncode == 0
    assert "random-governors = off" in told.stdout
    assert re.search(r"things: \d+ \(.*reconstructed.*original", told.stdout)
    assert "Sorcerer (governor, single-source)" in told.stdout


def test_the_origin_stands_beside_the_card_in_play() -> None:
    program = compile_rules("kingsburg", ("governors",)).unwrap()
    captions = {thing.name: thing.caption for kind in program.kinds for thing in kind.things}
    assert "reconstructed" in captions["damsel-governor"]
    assert "original" in captions["steward-governor"]
    assert "reconstructed" not in captions["merchant"]


@pytest.mark.parametrize("wanted", ["goblin-valley", "random"])
def test_a_scenario_by_name_or_by_lot(wanted: str, tmp_path: Path) -> None:
    played = [
        kingsburg(tmp_path, "play", "--scenario", wanted, "--seed", "9", "--save", f"{i}.jsonl") for i in (1, 2)
    ]
    assert [p.returncode for p in played] == [0, 0]
    first, second = (p.stdout.splitlines()[1:40] for p in played)
    assert first == second, "the same seed, the same scenario"


def test_an_unknown_scenario(tmp_path: Path) -> None:
    refused = kingsburg(tmp_path, "play", "--scenario", "goblin-vally")
    assert refused.returncode == 2
    assert "did you mean `goblin-valley`?" in refused.stderr


def test_a_form_is_written_filled_in_and_played(tmp_path: Path) -> None:
    written = kingsburg(tmp_path, "transcribe", "more-buildings", "--output", "mine")
    assert written.returncode == 0
    form = (tmp_path / "mine" / "cards.edict").read_text(encoding="utf-8")
    assert f'rewrite building sawmill "Sawmill"\n  row A\n  column 1\n  cost {BLANK}\n' in form
    gap = kingsburg(tmp_path, "check", "./mine")
    assert gap.returncode == 1
    assert "E0131" in gap.stdout + gap.stderr
    assert re.search(r"`sawmill` so far at more-buildings/buildings.edict:\d+", gap.stdout + gap.stderr)
    card = form.partition("# stands for sawmill")[2].partition("\n\n")[0].partition("rewrite")[2]
    filled = "rewrite" + card.replace(f"cost {BLANK}", "cost 3 gold").replace(f"worth {BLANK}", "worth 2")
    effect = "  when end of season\n    may gain 1 wood"
    (tmp_path / "mine" / "cards.edict").write_text(filled.replace(f"  {BLANK}", effect) + "\n", encoding="utf-8")
    assert kingsburg(tmp_path, "check", "./mine").returncode == 0
    program = compile_rules("kingsburg", (str(tmp_path / "mine"),)).unwrap()
    sawmill = next(t for k in program.kinds for t in k.things if t.name == "sawmill")
    assert (sawmill.words, sawmill.caption) == (
        "At the end of every productive season: you may gain 1 wood.", "costs 3 gold, VP 2",
    )  # fmt: skip


def test_nothing_to_transcribe(tmp_path: Path) -> None:
    told = kingsburg(tmp_path, "transcribe", "soldier-tokens")
    assert told.returncode == 2
    assert "as printed" in told.stderr
