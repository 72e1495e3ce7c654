"""What to write in place of an option that a command does not have, because another one has it."""

from __future__ import annotations

from collections.abc import Sequence

from edict.resources import command

_INSTEAD = {
    ("play", "--players"): "seat the players one by one: --human NAME and --bot KIND, each as often as you like",
    ("play", "--bots"): "seat the bots one by one: --bot KIND, as often as you like",
    ("play", "--humans"): "seat the people one by one: --human NAME, as often as you like",
    ("play", "--module"): "lay modules over the game with --with MODULE",
    ("play", "--modules"): "lay modules over the game with --with MODULE, each with an option of its own",
    ("test", "--name"): "choose scenes by their words with -k WORDS",
    ("check", "--modules"): "lay modules over the rules with --with MODULE, each with an option of its own",
}


def hint(words: Sequence[str]) -> str:
    """The remedy for a wrong option, if it is one that people expect; or nothing."""
    verb = next((word for word in words if not word.startswith("-")), "")
    options = (word.partition("=")[0] for word in words if word.startswith("--"))
    found = next((_INSTEAD[verb, option] for option in options if (verb, option) in _INSTEAD), "")
    return f"{found}; `{command()} {verb} --help` lists the options" if found else ""
