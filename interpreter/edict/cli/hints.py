"""What to write in place of an option that a command does not have, because another one has it."""

from __future__ import annotations

from collections.abc import Sequence

from edict.resources import command

_INSTEAD = {
    ("play", "--players"): "add players with --human NAME and --bot KIND, both repeatable",
    ("play", "--bots"): "add bots with --bot KIND, which is repeatable",
    ("play", "--humans"): "add people with --human NAME, which is repeatable",
    ("play", "--module"): "add modules to the game with --with MODULE",
    ("play", "--modules"): "add modules to the game with --with MODULE, once for each",
    ("test", "--name"): "select scenes with -k WORDS",
    ("check", "--modules"): "add modules to the rules with --with MODULE, once for each",
}


def hint(words: Sequence[str]) -> str:
    """The remedy for a wrong option, if it is one that people expect; or nothing."""
    verb = next((word for word in words if not word.startswith("-")), "")
    options = (word.partition("=")[0] for word in words if word.startswith("--"))
    found = next((_INSTEAD[verb, option] for option in options if (verb, option) in _INSTEAD), "")
    return f"{found}; `{command()} {verb} --help` lists the options" if found else ""
