"""Commands called in a way they cannot be: each refusal says what to write instead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from calling import environment

from edict.cli.calls import _COMMANDS, _OPTIONS
from edict.cli.commands import app
from edict.cli.main import run

PROGRAM = typer.main.get_command(app)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("plya", "did you mean `play`?"),
        ("why score", "type `why` while you play"),
        ("play --set years 3", "write --set NAME=VALUE"),
        ("study --set years 3", "write --set NAME=VALUE"),
        ("play --bot greedy,random", "--bot greedy --bot random"),
        ("study --bots greedy greedy random", "joined by commas, as in `--bots random,greedy`"),
        ("play --scenario governors", "add it with `--with governors`"),
        ("replay last-game", "`kingsburg games` lists the saved games"),
        ("play --human Ann --bot gredy:Ben", "did you mean `greedy:Ben`?"),
        ("train --games 0", "a number from 50"),
        ("run", "write `kingsburg play`"),
        ("help play", "`kingsburg COMMAND --help`"),
        ("version", "`kingsburg --version`"),
        ("scene foo", "`kingsburg scene --help` lists the commands"),
        ("study --games 1k", "write a whole number, as in `--games 1000`"),
        ("serve --port 99999", "write a whole number from 0 to 65535"),
        ("test --fail-under much", "write a number"),
        ("diff", "write `kingsburg diff A [B]`"),
        ("play with governors", "write `kingsburg play --with governors`"),
        ("check --module governors", "write `kingsburg check governors`;"),
        ("check --module=governors", "write `kingsburg check governors`;"),
        ("fmt governors --dry-run", "write `--check`"),
        ("explain", "CODE is a code from a message"),
        ("play pig kuhn-poker", "modules are added with `--with kuhn-poker`"),
        ("play --players 6", "write `--human NAME` for each person and `--bot KIND` for each bot"),
        ("play --bots greedy", "write `--bot KIND[:NAME]`, once for each"),
        ("play --modules governors", "write `--with MODULE`, once for each"),
        ("test --name Ann", "write `--only WORDS`"),
        ("check --strikt", "did you mean `--strict`?"),
        ("check --nonsense", "`kingsburg check --help` lists"),
        ("--nonsense", "`kingsburg --help` lists"),
        ("play --seed", "write `--seed SEED`: seed for the random numbers"),
        ("check --strict=3", "write `--strict` alone"),
    ],
)
def test_a_wrong_call_is_told_with_what_to_write(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words.split()) == 2
    reason, remedy = capsys.readouterr().err.strip().split("\nhelp: ")
    assert reason.startswith("kingsburg: ") and said in remedy, (reason, remedy)


def test_what_is_offered_instead_is_there() -> None:
    commands = getattr(PROGRAM, "commands", {})
    options = {name for one in commands.values() for param in one.params for name in param.opts}
    assert set(_COMMANDS) <= set(commands) and set(_OPTIONS) <= options
    assert not {word for words in _COMMANDS.values() for word in words.split()} & set(commands)


def test_ctrl_c_during_the_first_imports_ends_quietly(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from edict.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
