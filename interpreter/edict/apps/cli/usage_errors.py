"""Messages for wrong command lines: what is wrong, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, get_args, get_type_hints

from edict.apps.cli.command_errors import CommandLineError, NoSuchCommand, TooManyArguments
from edict.support.morphology import inflect, quote_words, uncapitalize
from edict.support.report import suggest_word
from edict.support.resources import command_name

# commands, some with an option, and the words that users type instead
_COMMAND_SYNONYMS = {
    "play": "run start begin go game solo",
    "check": "validate verify lint compile typecheck",
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
    "find --names": "names vocabulary keywords",
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

# options, and those that users type instead
_OPTION_SYNONYMS = {
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

_PLAYERS_REMEDY = "write `--human NAME` for each person and `--bot KIND` for each bot"  # each of these is one player


def is_command_line_error(error: Exception) -> bool:
    """Return True if Typer or a command rejected the command line itself."""
    return isinstance(error, CommandLineError) or hasattr(error, "format_message")


def describe_command_line_error(error: Any, args: Sequence[str], program: Any) -> tuple[str, str]:
    """Return the reason why a command line was rejected, and the remedy."""
    context = getattr(error, "ctx", None) or _build_context(args, program)
    describe = _DESCRIBERS.get(type(error).__name__)
    if describe:
        return describe(error, context, args)
    return (error.format_message(), _help_hint(context))


def _describe_unknown_command(error: NoSuchCommand, context: Any, _: Sequence[str]) -> tuple[str, str]:
    """Return (reason, remedy) for an unknown command: a synonym, a subcommand, or the nearest name."""
    typed = error.name
    commands: Mapping[str, Any] = context.command.commands
    path, help_hint = context.command_path, f"`{context.command_path} --help` lists the commands"
    if typed.casefold() == "version":
        return f"there is no command `{typed}`", f"write `{path} --version`"
    if typed.casefold() in _list_in_game_commands():
        return f"there is no command `{typed}`", f"type `{typed.casefold()}` while you play; {help_hint}"
    group = next((name for name, subcommand in commands.items() if typed in _list_subcommands(subcommand)), "")
    if group:
        synonym = f"{group} {typed}"
    elif context.parent is None:
        synonym = _find_synonym(typed.casefold(), _COMMAND_SYNONYMS)
    else:
        synonym = ""
    suggestion = f"write `{path} {synonym}`;" if synonym else suggest_word(typed, commands)
    return f"there is no command `{typed}`", f"{suggestion} {help_hint}".lstrip()


def _list_subcommands(command: Any) -> list[str]:
    """Return the names of a command's subcommands; empty if it has none."""
    entry = getattr(command, "entry", None)
    return [subcommand.name for subcommand in entry.inner] if entry else []


def _list_in_game_commands() -> set[str]:
    """Return the words that a player may type during a game."""
    from edict.apps.cli.playing.keyboard import HELP

    return {word for typed, _ in HELP for word in typed.split()[:1] if word.isalpha()}


def _describe_unknown_option(error: Any, context: Any, args: Sequence[str]) -> tuple[str, str]:
    """Return (reason, remedy) for an unknown option: a synonym of this command's, or the nearest name."""
    typed, options = (
        error.option_name,
        {name: param for param in context.command.params for name in param.opts if _is_option(param)},
    )
    reason = f"`{context.command_path}` has no option `{typed}`"
    if typed == "--players" and "--human" in options:
        return reason, f"{_PLAYERS_REMEDY}; {_help_hint(context)}"
    synonym = _find_synonym(typed, {k: v for k, v in _OPTION_SYNONYMS.items() if k in options})
    value = _last_value(typed, args)
    if (
        synonym == "--with"
        and value
        and not value.startswith("-")
        and any(param.nargs < 0 for param in context.command.params)
    ):
        return reason, f"write `{context.command_path} {value}`; {_help_hint(context)}"
    if not synonym:
        suggestion = suggest_word(typed, options)
        return reason, f"{suggestion} {_help_hint(context)}" if suggestion else _help_hint(context)
    return (
        reason,
        f"write {_format_option(options[synonym])}{_repetition_hint(options[synonym])}; {_help_hint(context)}",
    )


def _last_value(typed: str, args: Sequence[str]) -> str:
    """Return the last value that was typed for an option, or an empty text."""
    values = [
        arg.partition("=")[2] if "=" in arg else next_arg
        for arg, next_arg in zip(args, (*args[1:], ""), strict=True)
        if arg.partition("=")[0] == typed
    ]
    return values[-1] if values else ""


def _describe_misused_option(error: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    """Describe an option that lacks its value, or a flag that was given one."""
    name, param = error.option_name, _options(context).get(error.option_name)
    if getattr(param, "is_flag", False):
        return f"`{name}` takes no value", f"write `{name}` alone; {_help_hint(context)}"
    return f"`{name}` needs a value", f"write {_format_option(param)}: {_help_text(param)}" if param else _help_hint(
        context
    )


def _describe_missing_argument(error: Any, context: Any, _: Sequence[str]) -> tuple[str, str]:
    """Return (reason, remedy) for a missing argument, with the usage and the argument's help."""
    name = _metavar(error.param)
    help_text = f"{name} is {_help_text(error.param)}"
    return f"`{context.command_path}` needs {name}", f"write `{_format_usage(context)}`; {help_text}"


def _describe_extra_arguments(error: TooManyArguments, context: Any, _: Sequence[str]) -> tuple[str, str]:
    """Return (reason, remedy) for extra arguments; hints at a missing `--`, `--with` or joined bots."""
    extra = error.extra
    arguments = "; ".join(f"{_metavar(p)}: {_help_text(p)}" for p in context.command.params if not _is_option(p))
    remedy = f"add modules with `--with {extra[0]}`; " if "--with" in _options(context) else ""
    dashless_option = next((word for word in map(str, context.params.values()) if f"--{word}" in _options(context)), "")
    if dashless_option:
        reason = f"`{dashless_option}` is an option; options begin with two dashes"
        return reason, f"write `{context.command_path} --{dashless_option} {extra[0]}`; {_help_hint(context)}"
    bots = [word for word in (*extra, *map(str, context.params.values())) if word in _bot_kinds()]
    if bots and "--bots" in _options(context):
        remedy = f"join several bots with commas, as in `--bots {','.join((*bots, *bots)[:2])}`; "
    reason = f"unexpected {inflect(len(extra), 'argument', 'arguments')} {quote_words(extra, 'and')}"
    return reason, remedy + f"write `{_format_usage(context)}`" + (f" ({arguments})" if arguments else "")


def _bot_kinds() -> Mapping[str, Any]:
    from edict.agents.bots import BOTS

    return BOTS


def _describe_bad_value(error: Any, context: Any, args: Sequence[str]) -> tuple[str, str]:
    """Return (reason, remedy) for a value of the wrong type, with the type, bounds and default expected."""
    param = error.param
    types, info = _parameter_annotation(context.command.callback, param.name)
    if int in types:
        expected = "a whole number"
    elif float in types:
        expected = "a number"
    else:
        expected = "another value"
    low, high = getattr(info, "min", None), getattr(info, "max", None)
    bounds = " ".join(f"{word} {n}" for word, n in (("from", low), ("to", high)) if n is not None)
    name = next((one for one in param.opts if one.startswith("--")), _metavar(param))
    value = next((one for typed in param.opts if (one := _last_value(typed, args))), "")
    if isinstance(param.default, int | float) and param.default:
        example = f", as in `{name} {param.default}`"
    else:
        example = ""
    return f"invalid value `{value}` for {name}", f"write {expected} {bounds}".rstrip() + example


def _parameter_annotation(function: Callable[..., Any], name: str) -> tuple[tuple[Any, ...], Any]:
    """Return the types of a command's parameter, and the option as it is declared."""
    hint = get_type_hints(function, include_extras=True)[name]
    return get_args(hint.__origin__) or (hint.__origin__,), hint.__metadata__[0]


# keyed by class name, because Typer's own exceptions are not in a public module
_DESCRIBERS: Mapping[str, Callable[[Any, Any, Sequence[str]], tuple[str, str]]] = {
    "NoSuchCommand": _describe_unknown_command,
    "TooManyArguments": _describe_extra_arguments,
    "NoSuchOption": _describe_unknown_option,
    "BadOptionUsage": _describe_misused_option,
    "MissingParameter": _describe_missing_argument,
    "BadParameter": _describe_bad_value,
}


def _build_context(args: Sequence[str], program: Any) -> Any:
    """Return an object with `command` and `command_path` of the command that the arguments begin with."""
    path, current = [command_name()], program
    for arg in args:
        if arg not in getattr(current, "commands", {}):
            break
        path, current = [*path, arg], getattr(current.commands[arg], "loaded", current.commands[arg])
    return SimpleNamespace(command=current, command_path=" ".join(path))


def describe_complete_output(args: Sequence[str], program: Any) -> str:
    """Return the remedy for cut output, the options of the command that print all of it."""
    options = _options(_build_context(args, program))
    choices = [
        f"{option} {value}" for option, value in (("--output", "FILE"), ("--format", "json")) if option in options
    ]
    if choices:
        return f"{quote_words(choices)} gives all of it"
    return "ask for less at a time"


# --- what a command takes --------------------------------------------------------------------------


def _find_synonym(typed: str, synonyms: Mapping[str, str]) -> str:
    """Return the key whose space-separated words include the typed one; empty if none does."""
    return next((name for name, alternatives in synonyms.items() if typed in alternatives.split()), "")


def _is_option(param: Any) -> bool:
    return any(name.startswith("-") for name in param.opts)


def _options(context: Any) -> dict[str, Any]:
    """Return the options of the context's command by each of their spellings, such as `-o` and `--output`."""
    return {name: param for param in context.command.params if _is_option(param) for name in param.opts}


def _metavar(param: Any) -> str:
    """Return the name of an argument as help shows it, such as `GAME`, without brackets."""
    return str(param.metavar or param.name.upper()).strip("[]")


def _format_option(param: Any) -> str:
    """Return an option in backticks by its longest spelling, with its value's name unless it is a flag."""
    name: str = max(param.opts, key=len)
    if getattr(param, "is_flag", False):
        return f"`{name}`"
    return f"`{name} {param.metavar or 'VALUE'}`"


def _repetition_hint(param: Any) -> str:
    return ", once for each" if getattr(param, "multiple", False) else ""


def _help_text(param: Any) -> str:
    """Return the help of an option or argument as a phrase within a sentence."""
    return uncapitalize(str(param.help or "").strip().rstrip("."))


def _format_usage(context: Any) -> str:
    """Return the command's path and its arguments, such as `edict play [GAME]`, without options."""
    arguments: Sequence[Any] = [param for param in context.command.params if not _is_option(param)]
    return " ".join([context.command_path, *(str(p.metavar or p.name.upper()) for p in arguments)])


def _help_hint(context: Any) -> str:
    return f"`{context.command_path} --help` lists the arguments and options"
