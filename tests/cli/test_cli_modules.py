"""What the command line says of modules: options, origins, scenarios, and forms to fill in from the box."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from calling import kingsburg, manifest, write

from edict.front.compile import compile_rules
from edict.sources.limits import BLANK
from edict.table.playout import play_random


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
    words = ("play", "--scenario", wanted, "--seed", "9", "--bot", "random", "--bot", "random", "--save")
    played = [kingsburg(tmp_path, *words, f"{i}.jsonl") for i in (1, 2)]
    assert [p.returncode for p in played] == [0, 0]
    first, second = (p.stdout.splitlines()[1:40] for p in played)
    assert first == second, "the same seed, the same scenario"
    assert re.match(r"Scenario: .+: \w.+\.", first[0]), "it is named, and said what it is about"


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
    (tmp_path / "mine" / "cards.edict").write_text(filled("rewrite" + card) + "\n", encoding="utf-8")
    assert kingsburg(tmp_path, "check", "./mine").returncode == 0
    program = compile_rules("kingsburg", (str(tmp_path / "mine"),)).unwrap()
    sawmill = next(t for k in program.kinds for t in k.things if t.name == "sawmill")
    assert (sawmill.words, sawmill.caption) == (
        "At the end of every productive season, if it is Summer, you may gain 1 wood.", "costs 1 gold, VP 2",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("module", "reason"),
    [("soldier-tokens", "all of it is as printed"), ("long-winter", "no cards to fill in: it is written as rules")],
)
def test_nothing_to_transcribe(module: str, reason: str, tmp_path: Path) -> None:
    told = kingsburg(tmp_path, "transcribe", module)
    assert told.returncode == 2
    assert reason in told.stderr


def test_a_folder_of_ones_own_is_told_like_what_ships(tmp_path: Path) -> None:
    write(tmp_path, {"mine/module.yaml": manifest("mine", requires="[kingsburg]"), "mine/x.edict": "adjust by\n"})
    assert kingsburg(tmp_path, "modules", "./mine").returncode == 1
    write(tmp_path, {"mine/x.edict": 'setting merry "Everybody is merry" is off\n'})
    told = kingsburg(tmp_path, "modules", "./mine")
    assert (told.returncode, "merry = off: Everybody is merry" in told.stdout) == (0, True)
    assert kingsburg(tmp_path, "modules", "governer").returncode == 2


# --- the forms, filled in ---------------------------------------------------------------------------

FORMS = ("alternate-rows", "destiny", "governors", "more-buildings")
ABILITY = {
    "building": "when end of season if during summer\n    may gain 1 wood",
    "governor": "when end of winter\n    may gain 1 gold",
    "destiny": "when foretold-year\n    each player\n      gain 1 stone",
    "advisor": "",
}
FIELD = {"row": "B", "rank": "7", "worth": "2", "cost": "1 gold", "column": "1"}


def filled(form: str) -> str:
    """A form filled in with plausible texts; each building gets a column of its own in its row."""
    lines: list[str] = []
    kind, number = "", 0
    for line in form.split("\n"):
        if line.startswith("rewrite"):
            kind, number = line.split()[1], number + 1
        field = line.strip().partition(" ")[0]
        words = ABILITY[kind] if line.strip() == BLANK else FIELD.get(field, "gain 1 gold")
        lines.append(line.replace(f'"{BLANK}"', f'"Card {number}"').replace(BLANK, words) if kind else line)
    return "\n".join(lines)


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every form, filled in."""
    folder = tmp_path_factory.mktemp("box")
    for module in FORMS:
        assert kingsburg(folder, "transcribe", module).returncode == 0
    for file in folder.glob("**/cards.edict"):
        file.write_text(filled(file.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


@pytest.mark.parametrize("module", FORMS)
def test_every_card_that_is_not_printed_is_on_the_form(module: str, boxes: Path) -> None:
    program = compile_rules("kingsburg", (module, *(FORMS if module == "alternate-rows" else ()))).unwrap()
    forms = "".join(file.read_text(encoding="utf-8") for file in boxes.glob(f"{module}-transcribed/**/cards.edict"))
    ours = [t for k in program.kinds for t in k.things if t.module == module and t.origin not in ("", "printed")]
    cards = [thing.name for thing in ours if thing.words]
    assert cards and all(re.search(rf"^rewrite \S+ {name} ", forms, re.M) for name in cards)


SETS = [(one,) for one in FORMS] + [FORMS]


@pytest.mark.parametrize("modules", SETS, ids="+".join)
def test_forms_filled_in_are_played_together(modules: tuple[str, ...], boxes: Path) -> None:
    mine = [str(boxes / f"{module}-transcribed") for module in modules]
    besides = ["soldier-tokens", "advisor-tiles", "first-edition", "goblin-valley"] if len(modules) == 4 else []
    outcome = compile_rules("kingsburg", (*mine, *besides))
    assert [d for d in outcome.diagnostics if d.severity == "warning"] == []
    for players in (2, 5):
        play_random(outcome.unwrap(), players, Random(players))
