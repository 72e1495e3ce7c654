"""`docs/reference/commands.md` and the man page `docs/kingsburg.1`, made from the commands themselves.

    python docs/site/command_pages.py --write

`tests/project/test_made_pages.py` compares them with what the commands are.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main
from generated_pages import write_or_print

from edict.apps.cli.app import INDEX, CommandEntry, app
from edict.support.resources import COMMANDS

DOCS = Path(__file__).resolve().parent.parent
NAME = COMMANDS[0]
EVERYWHERE = ("--no-color", "--help")  # options that all commands have; told once
Rows = list[tuple[str, str]]

EXITS = {
    "0": "Success.",
    "1": "The rules are at fault, or a check found something.",
    "2": "The command was used wrongly.",
    "130": "Stopped with Ctrl-C.",
}
ENVIRONMENT = {
    "EDICT_GAMES": "The folder of saved games and campaigns, instead of edict/games in XDG_DATA_HOME.",
    "EDICT_RULES": "The folder of your own games and variants, instead of edict/rules in XDG_DATA_HOME.",
    "EDICT_CACHE": "The folder of caches, instead of edict in XDG_CACHE_HOME.",
    "EDICT_DEBUG": "If set, an internal error prints its traceback.",
    "NO_COLOR": "If set, nothing is printed in colors.",
}
HEAD = f"""\
# Commands

Every command with its options, made from the commands themselves (`python docs/site/command_pages.py --write`).
`{NAME} help COMMAND` prints the same at the terminal, and `man {NAME}` where the package is installed.

Every command takes `--help` (or `-h`), and `--no-color` if nothing is to be printed in colors. What programs could read
is printed as JSON with `--format json`; the keys that are promised are in [what stays](stability.md). Exit codes are in
[checking and testing](../guides/checking.md#output-for-programs).
"""


def commands() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Each group with its commands, each as it is typed, and those under its name after it."""
    top: Any = typer.main.get_command(app)
    for title, entries in INDEX.items():
        yield title, [one for entry in entries for one in _called(NAME, entry, top.commands)]


def _called(before: str, entry: CommandEntry, known: Any) -> Iterator[tuple[str, Any]]:
    name, command = f"{before} {entry.name}", known[entry.name].loaded
    yield name, command
    for inner in entry.inner:
        yield from _called(name, inner, command.commands)


def taken(name: str, command: Any) -> tuple[str, Rows]:
    """How the command is called, and what its arguments and options are."""
    context = command.make_context(name, [], resilient_parsing=True)
    rows = [
        row
        for param in command.get_params(context)
        if not set(EVERYWHERE) & set(param.opts) and (row := param.get_help_record(context))
    ]
    return " ".join([name, *command.collect_usage_pieces(context)]), rows


# --- as Markdown -----------------------------------------------------------------------------------


def page() -> str:
    """All of docs/reference/commands.md."""
    return "\n".join([HEAD, *(line for title, some in commands() for line in _section(title, some))])


def _section(title: str, some: list[tuple[str, Any]]) -> Iterator[str]:
    yield f"## {title}\n"
    for name, command in some:
        usage, rows = taken(name, command)
        yield f"### {name}\n"
        yield textwrap.fill(_escaped(command.help), 120) + "\n"
        yield f"```text\n{usage}\n```\n"
        if rows:
            yield "| | |\n|---|---|"
            yield from (f"| `{_in_cell(written)}` | {_in_cell(_escaped(told))} |" for written, told in rows)
            yield ""


def _escaped(text: str) -> str:
    return re.sub(r"([\[\]*_<>`])", r"\\\1", text)


def _in_cell(text: str) -> str:
    return re.sub(r" +", " ", text.replace("|", "\\|"))


# --- as a man page ---------------------------------------------------------------------------------


def manual() -> str:
    """All of docs/kingsburg.1."""
    top: Any = typer.main.get_command(app)
    groups = list(commands())
    listed = [line for title, some in groups for line in _listed(title, some)]
    told = [line for _, some in groups for name, command in some for line in _told(name, command)]
    about = _summary(top.help)
    lines = [
        '.\\" Made by docs/site/command_pages.py --write',
        f'.TH {NAME.upper()} 1 "" "{NAME.title()}" "User Commands"',
        ".SH NAME",
        _roff(f"{NAME} - {about[:1].lower()}{about[1:]}"),
        ".SH SYNOPSIS",
        f".B {NAME}",
        _roff("[OPTIONS] COMMAND [ARGS]..."),
        ".SH DESCRIPTION",
        _roff(top.help),
        ".PP",
        _roff("Every command takes --help, which lists its arguments and options, and --no-color."),
        ".SH COMMANDS",
        *listed,
        ".SH OPTIONS OF THE COMMANDS",
        *told,
        ".SH EXIT STATUS",
        *_terms(list(EXITS.items())),
        ".SH ENVIRONMENT",
        *_terms(list(ENVIRONMENT.items())),
    ]
    return "\n".join(lines) + "\n"


def _summary(text: str) -> str:
    """The first sentence, as lists have it."""
    return text.strip().partition(". ")[0].removesuffix(".")


def _listed(title: str, some: list[tuple[str, Any]]) -> Iterator[str]:
    yield f".SS {title}"
    yield from _terms([(name.partition(" ")[2], _summary(command.help)) for name, command in some])


def _told(name: str, command: Any) -> Iterator[str]:
    usage, rows = taken(name, command)
    yield from (f'.SS "{_roff(usage)}"', _roff(command.help), *_terms(rows))


def _terms(rows: Rows) -> Iterator[str]:
    for term, meaning in rows:
        yield from (".TP", f".B {_roff(term)}", _roff(re.sub(r"\s+", " ", meaning)))


def _roff(text: str) -> str:
    """Text as it is, and not as roff would take it."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{safe}" if safe[:1] in ".'" else safe


FILES = {DOCS / "reference" / "commands.md": page, DOCS / f"{NAME}.1": manual}

if __name__ == "__main__":
    write_or_print(FILES)
