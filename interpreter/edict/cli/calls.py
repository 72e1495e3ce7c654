"""Commands that were called in a way they cannot be: what is wrong with the call, and how it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import dropwhile, islice
from types import SimpleNamespace
from typing import Any

from edict.report import did_you_mean, listed
from edict.resources import command

_COMMANDS = {
    "play": "run start begin go game solo", "check": "validate verify lint compile build typecheck",
    "fmt": "format prettify beautify tidy", "new": "create init make scaffold add generate template",
    "test": "tests scenes spec verify-scenes", "modules": "list ls info expansions scenarios catalogue catalog",
    "study": "simulate simulation sim stats statistics analyze analyse bench benchmark",
    "resume": "continue load restore", "games": "saves saved history", "show": "describe card print cat see rules",
    "rulebook": "book manual docs doc pdf",
    "serve": "server host web online", "studio": "edit editor ide", "explain": "error errors code",
    "names": "vocabulary words keywords", "moments": "calendar events timeline triggers", "find": "search grep lookup",
    "league": "tournament elo ratings rate", "train": "learn", "compare": "ab versus vs", "graph": "deps dependencies",
    "diff": "changes changed", "schema": "schemas", "view": "state export", "watch": "spectate follow",
}  # fmt: skip
"""Commands, each with words that are typed for it."""

_OPTIONS = {
    "--with": "--module --modules --mod --mods --expansion --expansions --add --variant -m -w",
    "--bot": "--bots --ai --computer --opponent --opponents",
    "--bots": "--bot --ai --computer --opponents",
    "--human": "--humans --player --players --name --names --me",
    "--players": "--player --seats --count -p",
    "--games": "--game-count --count --runs --rounds --number -n",
    "--only": "--name --filter --match --scene",
    "--output": "--out --file --to --html --pdf --write --export",
    "--seed": "--random --random-seed --rng -s",
    "--set": "--setting --settings --option --config",
    "--force": "--overwrite --yes -f -y",
    "--format": "--json --output-format --as --sarif",
    "--no-color": "--no-colour --nocolor --color --mono",
    "--workers": "--jobs --processes --threads --cores -j",
    "--check": "--dry-run --dry --no-write --verify -n -c",
    "--diff": "--preview --show -d",
    "--fix": "--autofix --apply --write",
    "--speed": "--delay --fast --pause",
    "--html": "--report --output-html",
}  # fmt: skip
"""Options, each with others that are typed for it."""

_SEATS = "write `--human NAME` for each person and `--bot KIND` for each bot"  # whose number is that of the seats
_TYPES = {"int": "a whole number", "float": "a number", "bool": "on or off", "datetime": "a date"}


def is_call(problem: Exception) -> bool:
    """Whether the command line itself was at fault, as found by typer."""
    return hasattr(problem, "format_message") and hasattr(problem, "exit_code")


def refusal(problem: Any, words: Sequence[str], program: Any) -> tuple[str, str]:
    """Why a command line with these words cannot be carried out by the program, and what to write."""
    context = getattr(problem, "ctx", None) or _context(words, program)
    for means, told in _TOLD.items():
        if means in type(problem).__name__ or means in str(problem):
            return told(problem, context, words)
    return problem.format_message(), _more(context)


def _no_command(problem: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    typed = str(problem).split("'")[1]
    known: Mapping[str, Any] = context.command.commands
    path, more = context.command_path, f"`{context.command_path} --help` lists the commands"
    if typed.casefold() == "help":
        return "there is no command `help`", f"{more}, and `{path} COMMAND --help` what a command takes"
    if typed.casefold() == "version":
        return f"there is no command `{typed}`", f"write `{path} --version`"
    if typed.casefold() in _in_play():
        return f"there is no command `{typed}`", f"type `{typed.casefold()}` while you play; {more}"
    meant = _meant(typed.casefold(), {k: v for k, v in _COMMANDS.items() if k in known}) or ""
    near = f"write `{path} {meant}`;" if meant else did_you_mean(typed, known)
    return f"there is no command `{typed}`", f"{near} {more}".lstrip()


def _in_play() -> set[str]:
    """The commands of people who play."""
    from edict.cli.playing.keyboard import HELP

    return {word for typed, _ in HELP for word in typed.split()[:1] if word.isalpha()}


def _no_option(problem: Any, context: Any, words: Sequence[str]) -> tuple[str, str]:
    typed, options = problem.option_name, {name: p for p in context.command.params for name in p.opts if _is_option(p)}
    reason = f"`{context.command_path}` has no option `{typed}`"
    if typed == "--players" and "--human" in options:
        return reason, f"{_SEATS}; {_more(context)}"
    meant = _meant(typed, {k: v for k, v in _OPTIONS.items() if k in options})
    named = _value_of(typed, words)
    if meant == "--with" and named and any(p.nargs < 0 for p in context.command.params):
        return reason, f"write `{context.command_path} {named}`; {_more(context)}"
    if not meant:
        near = did_you_mean(typed, options)
        return reason, f"{near} {_more(context)}" if near else _more(context)
    return reason, f"write {_written(options[meant])}{_and_again(options[meant])}; {_more(context)}"


def _value_of(typed: str, words: Sequence[str]) -> str:
    """What stands after an option that is not there, as it was typed."""
    after = dropwhile(lambda word: word.split("=")[0] != typed, words)
    value = [part for word in islice(after, 2) for part in word.split("=")][1:2]
    return value[0] if value and not value[0].startswith("-") else ""


def _lacks_value(problem: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    param = _param(problem.option_name, context)
    remedy = f"write {_written(param)}: {_said(param)}" if param else _more(context)
    return f"`{problem.option_name}` has no value", remedy


def _takes_none(problem: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    return f"`{problem.option_name}` takes no value", f"write `{problem.option_name}` alone; {_more(context)}"


def _lacks(problem: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    name = _metavar(problem.param)
    said = f"{name} is {_said(problem.param)}"
    return f"`{context.command_path}` needs {name}", f"write `{_usage(context)}`; {said}"


def _too_many(problem: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    extra = str(problem).split("(")[-1].rstrip(")").split()
    takes = "; ".join(f"{_metavar(p)}: {_said(p)}" for p in context.command.params if not _is_option(p))
    remedy = f"modules are added with `--with {extra[0]}`; " if "--with" in _options(context) else ""
    bare = next((one for one in map(str, context.params.values()) if f"--{one}" in _options(context)), "")
    if bare:
        reason = f"`{bare}` is an option, and an option begins with two dashes"
        return reason, f"write `{context.command_path} --{bare} {extra[0]}`; {_more(context)}"
    bots = [one for one in (*extra, *map(str, context.params.values())) if one in _bots()]
    if bots and "--bots" in _options(context):
        remedy = f"several bots are joined by commas, as in `--bots {','.join((*bots, *bots)[:2])}`; "
    reason = f"{listed(extra, 'and')} {'is' if len(extra) == 1 else 'are'} too much for `{context.command_path}`"
    return reason, remedy + f"write `{_usage(context)}`" + (f" ({takes})" if takes else "")


def _bots() -> Mapping[str, Any]:
    from edict.bots import BOTS

    return BOTS


def _bad_value(problem: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    param, wanted = problem.param, _TYPES.get(getattr(getattr(problem.param, "type", None), "name", ""), "")
    low, high = getattr(param.type, "min", None), getattr(param.type, "max", None)
    name = next((one for one in param.opts if one.startswith("--")), _metavar(param))
    bounds = " ".join(f"{word} {n}" for word, n in (("from", low), ("to", high)) if n is not None)
    value = str(problem).split("'")[1] if "'" in str(problem) else str(problem).split(" ")[0]
    if not wanted and not bounds:
        wanted = "a whole number" if "integer" in getattr(param.type, "name", "") else "another value"
    like = f", as in `{name} {param.default}`" if isinstance(param.default, int | float) and param.default else ""
    return f"invalid value `{value}` for {name}", f"write {wanted or 'a whole number'} {bounds}".rstrip() + like


_TOLD = {
    "NoSuchOption": _no_option, "No such command": _no_command, "requires an argument": _lacks_value,
    "does not take a value": _takes_none, "MissingParameter": _lacks, "unexpected extra": _too_many,
    "BadParameter": _bad_value,
}  # fmt: skip


def _context(words: Sequence[str], program: Any) -> Any:
    """The command that words begin with, where typer does not say which it was."""
    path, here = [command()], program
    for word in words:
        if word not in getattr(here, "commands", {}):
            break
        path, here = [*path, word], here.commands[word]
    return SimpleNamespace(command=here, command_path=" ".join(path))


# --- what a command takes --------------------------------------------------------------------------


def _meant(typed: str, said: Mapping[str, str]) -> str:
    return next((one for one, words in said.items() if typed in words.split()), "")


def _is_option(param: Any) -> bool:
    return any(name.startswith("-") for name in param.opts)


def _options(context: Any) -> dict[str, Any]:
    return {name: param for param in context.command.params if _is_option(param) for name in param.opts}


def _param(name: str, context: Any) -> Any:
    return _options(context).get(name)


def _metavar(param: Any) -> str:
    return str(param.metavar or param.name.upper()).strip("[]")


def _written(param: Any) -> str:
    name: str = max(param.opts, key=len)
    return f"`{name}`" if getattr(param, "is_flag", False) else f"`{name} {param.metavar or 'VALUE'}`"


def _and_again(param: Any) -> str:
    return ", once for each" if getattr(param, "multiple", False) else ""


def _said(param: Any) -> str:
    """What an option or argument is, in the words of the help."""
    said = str(param.help or "").strip().rstrip(".")
    return said[:1].lower() + said[1:] if said[1:2].islower() or said[:2] == "A " else said


def _usage(context: Any) -> str:
    arguments: Sequence[Any] = [one for one in context.command.params if not _is_option(one)]
    return " ".join([context.command_path, *(str(p.metavar or p.name.upper()) for p in arguments)])


def _more(context: Any) -> str:
    return f"`{context.command_path} --help` lists the arguments and options"
