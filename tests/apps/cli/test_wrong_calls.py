"""Wrong calls, which get a short message with a remedy that exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import list_commands
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.main import run_command
from edict.apps.cli.shared_options import merge_game_arguments
from edict.apps.cli.usage_errors import _COMMAND_SYNONYMS, _OPTION_SYNONYMS

MESSAGES = {  # the typed words and a part of the message
    "play nowhere": "E0150",
    "play ./nowhere": "E0151",
    "play pig --bot randon": "did you mean `random`",
    "play pig --bot random:": "no name after the colon",
    "play pig --bot random": "2 to 4 players, not 1",
    "play pig --human Ann --human ann": "two players are called",
    "play pig --human A\x1b[2J": "cannot be displayed",
    "play pig --set goal": "needs a value",
    "play pig --set gaol=3": "did you mean `goal`",
    "play pig --set goal=x": "whole number",
    "play pig --dice loaded": "seeded",
    "play pig --speed -1": "from 0 to 60",
    f"play pig --seed {2**128}": "2**128",
    "play pig --with ./nowhere": "E0151",
    "play pig --table nowhere.yaml": "no file",
    "play pig --game kuhn-poker": "two games given",
    "play --scenario goblin-vally": "did you mean `goblin-valley`?",
    "resume nowhere.jsonl": "nowhere.jsonl",
    "resume": "start one with `play`",
    "resume --speed soon": "invalid speed `soon`",
    "games replay nowhere.jsonl": "nowhere.jsonl",
    "check nowhere": "E0150",
    "schema nothing": "there is no schema",
    "modules pgi": "did you mean `pig`",
    "modules governer": "did you mean `governors`",
    "show zzz": "nothing named",
    "show inn --format xml": "invalid value `xml` for --format",
    "explain E9999": "there is no message",
    "explain chose": "did you mean `choose`?",
    "test nowhere": "E0150",
    "study pig --players 0": "2 to 4 players, not 0",
    "study pig --never --players 0": "2 to 4 players, not 0",
    "compare base goal=60 --game pig --players 0": "2 to 4 players, not 0",
    "league pig --bots random,greedy --players 0": "2 to 4 players, not 0",
    "card pig --players 0": "2 to 4 players, not 0",
    "train pig --players 0": "2 to 4 players, not 0",
    "train kuhn-poker --bot learned --players 0": "2 players, not 0",
    "study --workers 0": "invalid value for --workers: 0",
    "study kuhn-poker --seed 1180591620717411303424": "below 2**64",
    f"study kuhn-poker --seed {'9' * 3000}": "is too large",
    f"play kuhn-poker --seed {'9' * 3000}": "is too large",
}
REMEDIES = {  # the typed words and a part of the remedy
    "plya": "did you mean `play`?",
    "why score": "type `why` while you play",
    "play --set years 3": "write --set NAME=VALUE",
    "study --set years 3": "write --set NAME=VALUE",
    "play --bot greedy,random": "--bot greedy --bot random",
    "study --bots greedy greedy random": "with commas, as in `--bots random,greedy`",
    "play --scenario governors": "add it with `--with governors`",
    "games replay last-game": "`kingsburg games` lists the saved games",
    "play --human Ann --bot gredy:Ben": "did you mean `greedy:Ben`?",
    "train --games 0": "a number from 50",
    "run": "write `kingsburg play`",
    "replay game": "write `kingsburg games replay`",
    "profile pig": "write `kingsburg study --profile`",
    "names dice": "write `kingsburg find --names`",
    "transcribe governors": "write `kingsburg new --form MODULE`",
    "new x --over pig": "write `--game NAME_OR_PATH`",
    "find": "--moments or --names to list everything",
    "test --name Ann": "--only WORDS picks scenes to run",
    "test pig --record game": "drop the module names",
    "test --record game --coverage": "use only one of them",
    "games --all view": "write options of `view` after its name",
    "study pig --profile -o out.json": "write --format json",
    "help plya": "did you mean `play`?",
    "version": "`kingsburg --version`",
    "games foo": "`kingsburg games --help` lists the commands",
    "league --games 1k": "write a whole number, as in `--games 120`",
    "serve --port 99999": "write a whole number from 0 to 65535",
    "test --fail-under much": "write a number",
    "diff": "write `kingsburg diff A [B]`",
    "play with governors": "write `kingsburg play --with governors`",
    "check --module governors": "write `kingsburg check governors`;",
    "check --module=governors": "write `kingsburg check governors`;",
    "fmt governors --dry-run": "write `--check`",
    "explain": "CODE|WORD... is a code from a message",
    "play pig kuhn-poker": "add modules with `--with kuhn-poker`",
    "play --players 6": "write `--human NAME` for each person and `--bot KIND` for each bot",
    "play --bots greedy": "write `--bot KIND[:NAME]`, once for each",
    "play --modules governors": "write `--with MODULE`, once for each",
    "check --strikt": "did you mean `--strict`?",
    "check --nonsense": "`kingsburg check --help` lists",
    "--nonsense": "`kingsburg --help` lists",
    "play --seed": "write `--seed SEED`: seed for the random numbers",
    "check --strict=3": "write `--strict` alone",
    "games view g 12:30": "write `kingsburg games view [FILE]`",
    "resume x https://h/y": "write `kingsburg resume [FILE]`",
    "gallery x C:\\games": "write `kingsburg gallery",
    "study pig a:b@c": "--with a:b@c",
}


def test_wrong_call_gets_a_short_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setenv("EDICT_GAMES", str(tmp_path))
    for words, said in MESSAGES.items():
        with subtests.test(words=words):
            code, told = run_command(words.split(" ")), "".join(capsys.readouterr())
            assert code == 2 and said in told and "help:" in told, (words, told)
            assert len(told.splitlines()) < 12 and "\x1b" not in told, (words, told)
            assert not list(tmp_path.iterdir()), "no game is begun"


@pytest.mark.parametrize("words", ["resume /", "play pig --bot random --bot random --save /", "games replay /"])
def test_root_folder_is_refused_as_a_saved_game(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(words.split()) == 2
    told = "".join(capsys.readouterr())
    assert "a directory" in told or "is a folder" in told, told


def test_wrong_call_gets_a_remedy(capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests) -> None:
    for words, said in REMEDIES.items():
        with subtests.test(words=words):
            assert run_command(words.split()) == 2
            reason, remedy = capsys.readouterr().err.strip().split("\nhelp: ")
            assert reason.startswith("kingsburg: ") and said in remedy, (words, reason, remedy)
    assert run_command(["explain", ""]) == 2 and "there is no message or word" in capsys.readouterr().err


def test_suggested_commands_and_options_exist() -> None:
    commands = {" ".join(words) for words in list_commands()}
    options = {name for one in list_commands().values() for param in one.params for name in param.opts}
    offered = {call.partition(" --")[0] for call in _COMMAND_SYNONYMS}
    assert offered <= commands and set(_OPTION_SYNONYMS) <= options
    assert {word for call in _COMMAND_SYNONYMS for word in call.split() if word.startswith("--")} <= options
    assert not {word for words in _COMMAND_SYNONYMS.values() for word in words.split()} & commands


def test_every_command_takes_a_game_by_option_and_only_once(subtests: pytest.Subtests) -> None:
    """Some also take it as first argument, as in `play pig`."""
    commands = list_commands()
    of_a_game = {name for (name, *_), one in commands.items() if any(p.name in ("game", "over") for p in one.params)}
    by_option = {name for (name, *_), one in commands.items() if any("--game" in p.opts for p in one.params)}
    assert of_a_game == by_option and {"play", "show", "study", "new"} <= by_option
    for first, named, game in (("", "", ""), ("pig", "", "pig"), ("", "pig", "pig"), ("pig", "pig", "pig")):
        with subtests.test(first=first):
            assert merge_game_arguments(first, named) == game
    with pytest.raises(UsageError, match="two games given: `a` and `b`"):
        merge_game_arguments("a", "b")
