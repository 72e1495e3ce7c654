"""Every command once as a process of its own: what it needs it brings, though no other command was called before it."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from calling import GAME, kingsburg, manifest, started, write

from edict.cli.commands import app

FEW = ("--players", "2", "--bots", "random", "--workers", "1", "--games", "20")
SCENES = "scenes:\n  - {name: left, players: [Ann], play: [Ann: Left, Ann: Up], then: {Ann: {coins: 4}}}\n"
SAID: dict[tuple[str, ...], str] = {
    ("games",): "Ann",
    ("campaign",): "There are no campaigns.",
    ("view", "games/one.jsonl"): '"seat": null',
    ("repair", "games/one.jsonl"): "is not damaged",
    ("tables",): "",
    ("moments", "--game", "./sample"): "when ",
    ("names", "--game", "./sample"): "coin",
    ("find", "coin", "--game", "./sample"): "coin",
    ("rulebook", "./sample", "-o", "-"): "# Sample",
    ("diff", "./sample", "./sample"): "nothing differs",
    ("graph", "--game", "./sample"): "",
    ("league", "./sample", "--bots", "random,judge", "--games", "2"): "random",
    ("train", "kuhn-poker", "--games", "50", "-o", "weights.json"): "",
    ("compare", "base", "goal=60", "--game", "pig", *FEW): "goal",
    ("profile", "pig", "--games", "2"): "games",
    ("new", "twist", "--over", "pig"): "check twist",
    ("check", "./sample"): "sample: no errors",
    ("test", "./sample"): "1 scene passed",
    ("schema", "card", "--game", "./sample"): '"worth"',
    ("fmt", "./sample"): "1 file",
    ("transcribe", "governors", "-o", "form"): "form",
    ("scene", "record", "games/one.jsonl", "--to", "1"): "scenes:",
}  # fmt: skip
ELSEWHERE = {  # what else is called in a process of its own, and by which test
    "test_cli_commands": {"play"}, "test_saved_games": {"resume", "watch"}, "test_stopping": {"study"},
    "test_cli_door": {"replay", "modules", "show", "explain"}, "test_web and test_lsp": {"serve", "studio", "lsp"},
}  # fmt: skip


@pytest.mark.parametrize("words", SAID, ids=lambda words: words[0])
def test_it_answers_in_a_process_of_its_own(tmp_path: Path, words: tuple[str, ...]) -> None:
    write(tmp_path, {"sample/module.yaml": manifest("sample", "game"), "sample/sample.edict": GAME,
                     "sample/scenes/one.yaml": SCENES})  # fmt: skip
    (tmp_path / "games").mkdir()
    kingsburg(tmp_path, "play", "./sample", "--human", "Ann", "--save", "games/one.jsonl", typed="left\n")
    done = started(tmp_path, *words)
    assert done.returncode == 0 and SAID[words] in done.stdout, done.stdout + done.stderr


def test_every_command_is_called_so() -> None:
    commands = set(getattr(typer.main.get_command(app), "commands", {}))
    assert {words[0] for words in SAID} | {name for names in ELSEWHERE.values() for name in names} == commands
