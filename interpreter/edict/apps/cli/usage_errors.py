"""Commands that were called in a way they cannot be: what is wrong with the call, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, get_args, get_type_hints

from edict.apps.cli.command_errors import NoSuchCommand, TooManyArguments, WrongCall
from edict.support.morphology import inflect, quote_words, uncapitalize
from edict.support.report import suggest_word
from edict.support.resources import command_name

_COMMANDS = {
    "play": "run start begin go game solo",
    "check": "validate verify lint compile build typecheck",
    "fmt": "format prettify beautify tidy",
    "new": "create init make scaffold add generate template",
    "new --form MODULE": "transcribe form forms",
    "test": "tests scenes spec verify-scenes",
    "modules": "list ls info expansions scenarios catalogue catalog",
    "study": "simulate simulation sim stats statistics analyze analyse bench benchmark",
    "study --profile": "profile profiling",
    "resume": "continue load restore",
    "games": "saves saved history",
    "show": "describe print cat see rules",
    "rulebook": "book manual docs doc pdf",
    "serve": "server host web online",
    "studio": "edit editor ide",
    "page": "site website static wasm pyodide offline",
    "explain": "error errors code",
    "find": "search grep lookup",
    "find --names": "names vocabulary words keywords",
    "find --moments": "moments calendar events timeline triggers",
    "card": "size complexity branching measure metrics",
    "league": "tournament elo ratings rate",
    "train": "learn",
    "compare": "ab versus vs",
    "graph": "deps dependencies",
    "diff": "changes changed",
    "schema": "schemas",
    "games view": "state export",
    "games watch": "spectate follow",
}
"""Commands, some with an option, each with words that are typed for it."""

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
    "--game": "--over",
    "--no-color": "--no-colour --nocolor --color --mono",
    "--workers": "--jobs --processes --threads --cores -j",
    "--check": "--dry-run --dry --no-write --verify -n -c",
    "--diff": "--preview --show -d",
    "--fix": "--autofix --apply --write",
    "--speed": "--delay --fast --pause",
    "--html": "--report --output-html",
}
"""Options, each with others that are typed for it."""

_SEATS = "write `--human NAME` for each person and `--bot KIND` for each bot"  # whose number is that of the seats


def is_call(problem: Exception) -> bool:
    """Whether the command line itself was at fault, as found by typer."""
    return isinstance(problem, WrongCall) or hasattr(problem, "format_message")


def refusal(problem: Any, words: Sequence[str], program: Any) -> tuple[str, str]:
    """Why a command line with these words cannot be carried out by the program, and what to write."""
    context = getattr(problem, "ctx", None) or _context(words, program)
    told = _TOLD.get(type(problem).__name__)
    return told(problem, context, words) if told else (problem.format_message(), _more(context))


def _no_command(problem: NoSuchCommand, context: Any, _: Sequence[str]) -> tuple[str, str]:
    typed = problem.name
    known: Mapping[str, Any] = context.command.commands
    path, more = context.command_path, f"`{context.command_path} --help` lists the commands"
    if typed.casefold() == "version":
        return f"there is no command `{typed}`", f"write `{path} --version`"
    if typed.casefold() in _in_play():
        return f"there is no command `{typed}`", f"type `{typed.casefold()}` while you play; {more}"
    within = next((name for name, one in known.items() if typed in _inner(one)), "")
    meant = f"{within} {typed}" if within else _meant(typed.casefold(), _COMMANDS) if context.parent is None else ""
    near = f"write `{path} {meant}`;" if meant else suggest_word(typed, known)
    return f"there is no command `{typed}`", f"{near} {more}".lstrip()


def _inner(command: Any) -> list[str]:
    """The commands that it has under its own name."""
    entry = getattr(command, "entry", None)
    return [one.name for one in entry.inner] if entry else []


def _in_play() -> set[str]:
    """The commands of people who play."""
    from edict.apps.cli.playing.keyboard import HELP

    return {word for typed, _ in HELP for word in typed.split()[:1] if word.isalpha()}


def _no_option(problem: Any, context: Any, words: Sequence[str]) -> tuple[str, str]:
    typed, options = problem.option_name, {name: p for p in context.command.params for name in p.opts if _is_option(p)}
    reason = f"`{context.command_path}` has no option `{typed}`"
    if typed == "--players" and "--human" in options:
        return reason, f"{_SEATS}; {_more(context)}"
    meant = _meant(typed, {k: v for k, v in _OPTIONS.items() if k in options})
    named = _value_of(typed, words)
    if meant == "--with" and named and not named.startswith("-") and any(p.nargs < 0 for p in context.command.params):
        return reason, f"write `{context.command_path} {named}`; {_more(context)}"
    if not meant:
        near = suggest_word(typed, options)
        return reason, f"{near} {_more(context)}" if near else _more(context)
    return reason, f"write {_written(options[meant])}{_and_again(options[meant])}; {_more(context)}"


def _value_of(typed: str, words: Sequence[str]) -> str:
    """What was typed after an option, the last time it was typed."""
    values = [
        word.partition("=")[2] if "=" in word else after
        for word, after in zip(words, (*words[1:], ""), strict=True)
        if word.partition("=")[0] == typed
    ]
    return values[-1] if values else ""


def _misused_option(problem: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    """An option without its value, or with one though it takes none."""
    name, param = problem.option_name, _options(context).get(problem.option_name)
    if getattr(param, "is_flag", False):
        return f"`{name}` takes no value", f"write `{name}` alone; {_more(context)}"
    return f"`{name}` has no value", f"write {_written(param)}: {_said(param)}" if param else _more(context)


def _lacks(problem: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    name = _metavar(problem.param)
    said = f"{name} is {_said(problem.param)}"
    return f"`{context.command_path}` needs {name}", f"write `{_usage(context)}`; {said}"


def _too_many(problem: TooManyArguments, context: Any, _: Sequence[str]) -> tuple[str, str]:
    extra = problem.extra
    takes = "; ".join(f"{_metavar(p)}: {_said(p)}" for p in context.command.params if not _is_option(p))
    remedy = f"modules are added with `--with {extra[0]}`; " if "--with" in _options(context) else ""
    bare = next((one for one in map(str, context.params.values()) if f"--{one}" in _options(context)), "")
    if bare:
        reason = f"`{bare}` is an option, and an option begins with two dashes"
        return reason, f"write `{context.command_path} --{bare} {extra[0]}`; {_more(context)}"
    bots = [one for one in (*extra, *map(str, context.params.values())) if one in _bots()]
    if bots and "--bots" in _options(context):
        remedy = f"several bots are joined by commas, as in `--bots {','.join((*bots, *bots)[:2])}`; "
    reason = f"unexpected {inflect(len(extra), 'argument', 'arguments')} {quote_words(extra, 'and')}"
    return reason, remedy + f"write `{_usage(context)}`" + (f" ({takes})" if takes else "")


def _bots() -> Mapping[str, Any]:
    from edict.agents.bots import BOTS

    return BOTS


def _bad_value(problem: Any, context: Any, words: Sequence[str]) -> tuple[str, str]:
    param = problem.param
    numbers, info = _annotated(context.command.callback, param.name)
    wanted = "a whole number" if int in numbers else "a number" if float in numbers else "another value"
    low, high = getattr(info, "min", None), getattr(info, "max", None)
    bounds = " ".join(f"{word} {n}" for word, n in (("from", low), ("to", high)) if n is not None)
    name = next((one for one in param.opts if one.startswith("--")), _metavar(param))
    value = next((one for typed in param.opts if (one := _value_of(typed, words))), "")
    like = f", as in `{name} {param.default}`" if isinstance(param.default, int | float) and param.default else ""
    return f"invalid value `{value}` for {name}", f"write {wanted} {bounds}".rstrip() + like


def _annotated(function: Callable[..., Any], name: str) -> tuple[tuple[Any, ...], Any]:
    """The types that a command's parameter may have, and its option as it is declared."""
    hint = get_type_hints(function, include_extras=True)[name]
    return get_args(hint.__origin__) or (hint.__origin__,), hint.__metadata__[0]


_TOLD: Mapping[str, Callable[[Any, Any, Sequence[str]], tuple[str, str]]] = {
    "NoSuchCommand": _no_command,
    "TooManyArguments": _too_many,
    "NoSuchOption": _no_option,
    "BadOptionUsage": _misused_option,
    "MissingParameter": _lacks,
    "BadParameter": _bad_value,
}
"""By the names of the classes: Typer's own are in a module that is none of its public ones."""


def _context(words: Sequence[str], program: Any) -> Any:
    """The command that words begin with, where typer does not say which it was."""
    path, here = [command_name()], program
    for word in words:
        if word not in getattr(here, "commands", {}):
            break
        path, here = [*path, word], getattr(here.commands[word], "loaded", here.commands[word])
    return SimpleNamespace(command=here, command_path=" ".join(path))


def ways_to_get_all(words: Sequence[str], program: Any) -> str:
    """Return what to write to get all that a command with these words has to say."""
    options = _options(_context(words, program))
    ways = [f"{option} {value}" for option, value in (("--output", "FILE"), ("--format", "json")) if option in options]
    return f"{quote_words(ways)} gives all of it" if ways else "ask for less at a time"


# --- what a command takes --------------------------------------------------------------------------


def _meant(typed: str, said: Mapping[str, str]) -> str:
    return next((one for one, words in said.items() if typed in words.split()), "")


def _is_option(param: Any) -> bool:
    return any(name.startswith("-") for name in param.opts)


def _options(context: Any) -> dict[str, Any]:
    return {name: param for param in context.command.params if _is_option(param) for name in param.opts}


def _metavar(param: Any) -> str:
    return str(param.metavar or param.name.upper()).strip("[]")


def _written(param: Any) -> str:
    name: str = max(param.opts, key=len)
    return f"`{name}`" if getattr(param, "is_flag", False) else f"`{name} {param.metavar or 'VALUE'}`"


def _and_again(param: Any) -> str:
    return ", once for each" if getattr(param, "multiple", False) else ""


def _said(param: Any) -> str:
    """What an option or argument is, in the words of the help."""
    return uncapitalize(str(param.help or "").strip().rstrip("."))


def _usage(context: Any) -> str:
    arguments: Sequence[Any] = [one for one in context.command.params if not _is_option(one)]
    return " ".join([context.command_path, *(str(p.metavar or p.name.upper()) for p in arguments)])


def _more(context: Any) -> str:
    return f"`{context.command_path} --help` lists the arguments and options"
