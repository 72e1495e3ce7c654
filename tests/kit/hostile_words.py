"""Command lines that nobody should type: derived from the commands themselves, with hostile values for each argument.

Commands, options and the kinds of their values come from the Typer application, so that a new one is tried without a
word here. Each line is drawn by a number and is the same every time. None names the root,
or what lies more than two folders above the one it is typed in: commands write where they are told to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from calling import GAME, list_commands, make_manifest, write_files

# commands that wait for clients; tests of `apps/web`, `apps/page`, `tools/lsp` and `tools/mcp` cover them
SERVERS = {"serve", "studio", "page", "lsp", "mcp", "games watch"}
FORCE = {"--force", "--watch"}  # options that are never given: `--force` may overwrite files, `--watch` waits
# options that shorten a command; given first so that a hostile value after them wins
FEW = {"--games": "2", "--workers": "1", "--speed": "0"}
CONTENT = "this is mine\n"
# files of the user that no command may change
KEPT = ("notes.txt", "data.json", "table.csv", "page.html", "weights.json", "inner/deep.txt", "inner/rows.parquet")

HOSTILE = (
    "12:30",
    "https://h/y",
    "http://[::1",
    "C:\\games",
    "file:///etc/passwd",
    ":",
    "::",
    "a:b:c",
    "a:",
    ":b",
    "os:system",
    "x.py:Class",
    "x.py:Class@2s",
    "greedy:Ann",
    "greedy:",
    "greedy@",
    "greedy@nowhere.json",
    "greedy@notes.txt",
    "learned@binary.bin",
    "search@nan",
    "search@-1",
    "flat@1e999",
    "search@" + "9" * 400,
    "random,greedy",
    ",",
    "a,,b",
    "",
    " ",
    "\t",
    "\n",
    "a\nb",
    "x" * 5_000,
    "é" * 3_000,
    "a" * 300 + "/b",
    "\u202eevil",
    "\u200b",
    "\ufeff",
    "e\u0301",
    "\U0001f600",
    "\u0663",
    "\x00",
    "a\x00b",
    "\x1b[2J",
    "\udcff",
    "\x7f",
    "%s%n{0}",
    "{rules}",
    "$HOME",
    "*",
    "?",
    "'",
    '"',
    "`",
    "\\",
    "a=b",
    "=",
    "a=",
    "=b",
    "goal=nan",
    "goal=1e400",
    "goal=" + "9" * 400,
    "goal=-1",
    "goal=yes",
    "-",
    "--",
    "---",
    "-1",
    "-x",
    "--nope",
    "--=",
    "-=",
    "@",
    "@2s",
    "+process",
    "0",
    "1",
    "2",
    "00",
    "1_000",
    "1e3",
    "0x10",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "1e400",
    str(2**31),
    str(2**63),
    str(2**64),
    str(-(2**63)),
    "9" * 5_000,
    "none",
    "None",
    "..",
    "../..",
    ".",
    "./",
    "~",
    "~nobody/x",
    "/dev/null",
    "/dev/full",
    "/dev/stdin",
    "/proc/self/mem",
    "inner",
    "inner/",
    "notes.txt",
    "notes.txt/x",
    "data.json",
    "table.csv",
    "binary.bin",
    "pipe",
    "loop",
    "nowhere/x/y",
    "new.json",
    "new.csv",
    "new.html",
    "inner/deep.txt",
    "sample",
    "./sample",
    "./broken",
    "sample/module.yaml",
    "sample/sample.edict",
    "saved.jsonl",
    "half.jsonl",
    "kuhn-poker",
    "pig",
    "governors",
    "E0111",
    "choose",
    "text",
    "json",
    "sarif",
    "csv",
    "random",
    "greedy",
    "Ann",
    "Ann Ben",
    "1-3",
    "3-1",
    "player:1",
)
LONG = 40_000  # characters: as long as a word gets in the tests


def write_hostile_files(folder: Path) -> None:
    """Write the files that command lines name: the user's own ones, valid and broken rules, and others."""
    write_files(folder, dict.fromkeys(KEPT, CONTENT))
    write_files(folder / "sample", {"module.yaml": make_manifest("sample", "game", language="1"), "sample.edict": GAME})
    broken = {"module.yaml": make_manifest("broken", "game", language="1"), "broken.edict": "game \u202e(\n  x"}
    write_files(folder / "broken", broken)
    (folder / "binary.bin").write_bytes(bytes(range(256)) * 40)
    (folder / "saved.jsonl").write_text("", encoding="utf-8")
    (folder / "half.jsonl").write_text('{"format": 1, "game": \n', encoding="utf-8")
    for name, make in (("pipe", _make_pipe), ("loop", lambda path: path.symlink_to("loop"))):
        if not (folder / name).is_symlink() and not (folder / name).exists():
            make(folder / name)


def _make_pipe(path: Path) -> None:
    import os

    os.mkfifo(path)


def restore_changed(folder: Path) -> list[str]:
    """Restore the user's files and return the names of those that had changed."""
    names = [name for name in KEPT if _text(folder / name) != CONTENT]
    write_files(folder, dict.fromkeys(names, CONTENT))
    return names


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def command_lines(first: int, count: int) -> Iterator[tuple[str, ...]]:
    """Yield a number of random command lines, the first by its number; commands take turns."""
    commands = [(words, one) for words, one in list_commands().items() if " ".join(words) not in SERVERS]
    for number in range(first, first + count):
        luck = Random(number)
        words, command = commands[number % len(commands)]
        yield (*words, *_draw_arguments(luck, command.params))


def _draw_arguments(luck: Random, params: Sequence[Any]) -> Iterator[str]:
    """Draw arguments and options in any order, sometimes one that the command does not have."""
    options = [p for p in params if p.opts[0].startswith("-") and not (FORCE | {"--no-color"}) & {*p.opts}]
    named = {name: p for p in options for name in p.opts}
    parts = [[name, value] for name, value in FEW.items() if name in named]
    given: list[list[str]] = []
    for param in params:
        if not param.opts[0].startswith("-"):
            often = luck.choice((0, 1, 1, 1, 2)) if param.nargs < 0 else luck.choice((0, 1, 1, 1, 1, 1))
            given += [[_draw_value(luck, param)] for _ in range(often)]
    for param in luck.sample(options, min(len(options), luck.choice((0, 0, 1, 1, 1, 2, 3)))):
        name = luck.choice(param.opts)
        flag = getattr(param, "is_flag", False)
        given.append([name] if flag and luck.random() < 0.95 else _format_option(luck, name, _draw_value(luck, param)))
    if luck.random() < 0.1:
        given.append([_draw_hostile(luck)])
    luck.shuffle(given)
    return (word for part in (*parts, *given) for word in part)


def _format_option(luck: Random, name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if name.startswith("--") and luck.random() < 0.5 else [name, value]


def _draw_hostile(luck: Random) -> str:
    return "x:" * (LONG // 2) if luck.random() < 0.01 else luck.choice(HOSTILE)


# plausible values by parameter name, so that commands get far enough to meet other errors
USUAL: Mapping[str, tuple[str, ...]] = {
    "game": ("pig", "kuhn-poker", "./sample", "./broken"),
    "named": ("pig", "kuhn-poker", "./sample"),
    "over": ("pig", "kuhn-poker"),
    "file": ("saved.jsonl", "half.jsonl", "notes.txt"),
    "names": ("./sample", "./broken"),
    "bots": ("random", "greedy"),
    "format": ("text", "json"),
    "modules": ("governors", "./sample"),
    "output": (*KEPT, "new.json"),
    "name": ("turn", "point", "pig"),
    "first": ("base", "goal=60"),
    "second": ("goal=60", "./sample"),
    "old": ("pig", "./sample"),
    "new": ("./sample", "kuhn-poker"),
}


def _draw_value(luck: Random, param: Any) -> str:
    usual = USUAL.get(param.name, ())
    if "Path" in str(getattr(param.type, "func", "")) or type(param.type).__name__ == "FuncParamType":
        usual = (*usual, *KEPT)
    return luck.choice(usual) if usual and luck.random() < 0.4 else _draw_hostile(luck)


# internal objects and errors that users must never see
RAW = re.compile(
    r"Traceback|internal error|<[\w.]+ object at 0x|<(function|class|built-in|bound method|module) |Diagnostic\(|"
    r"Span\(|"
    r"(Posix|Windows)Path\(|\[Errno|\bNoneType\b|dataclass|KeyError|IndexError|AttributeError|TypeError|"
    r"ValueError|UnicodeEncodeError|RecursionError|\bmappingproxy\b"
)
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
MOST_PRINTED = 1_000_000


def find_faults(code: int, printed: str) -> list[str]:
    """Return what is wrong with how a command ended."""
    found = [f"it printed {raw[0]!r}" for raw in [RAW.search(printed)] if raw]
    if code not in (0, 1, 2, 130):
        found.append(f"it ended with {code}")
    if code in (1, 2) and not printed.strip():
        found.append("it failed without a word")
    if len(printed) > MOST_PRINTED:
        found.append(f"it printed {len(printed):,} characters")
    if steering := STEERING.search(printed):
        found.append(f"it printed {steering[0]!r}, which can steer a terminal")
    return found


# --- the arguments of tools -------------------------------------------------------------------------

# values other than text, for arguments of any type
OTHER: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    3.0,
    1.5,
    float("nan"),
    float("inf"),
    2**31,
    2**63,
    2**64,
    -(2**70),
    10**400,
    [],
    {},
    [[]],
    [None],
    {"": ""},
    {"a": {"b": []}},
    [1] * 100,
    {"module.yaml": None},
    {"../x": "y"},
    {"a.edict": "game \u202e("},
    {"module.yaml": "name: [", "a.edict": "\x00"},
    {"goal": float("nan")},
    {"goal": 2**70},
    {"goal": True},
)
KNOWN = ("pig", "kuhn-poker", "sample", "broken", "draft", "governors", "turn", "point", "E0111", "choose", "game-1")


def tool_calls(tools: Mapping[str, Any], first: int, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a number of random tool calls by the schemas of their arguments; tools take turns."""
    names = sorted(tools)
    for number in range(first, first + count):
        luck, name = Random(number), names[number % len(names)]
        takes = tools[name].takes
        known, needed = takes["properties"], takes["required"]
        chosen = {key: one for key, one in known.items() if key in needed or luck.random() < 0.3}
        if luck.random() < 0.1 and chosen:
            del chosen[luck.choice(sorted(chosen))]
        given = {key: _draw_argument(luck, schema) for key, schema in chosen.items()}
        if luck.random() < 0.05:
            given[_draw_hostile(luck)] = _draw_hostile(luck)
        yield name, given | ({"games": 2} if "games" in known else {})


def _draw_argument(luck: Random, schema: Mapping[str, Any]) -> Any:
    """Draw an argument, mostly of the right type, to get past the schema."""
    if luck.random() < 0.25:
        return luck.choice((*OTHER, *HOSTILE))
    if "enum" in schema:
        return luck.choice(schema["enum"])
    kind = schema.get("type", "string")
    if kind == "boolean":
        return luck.random() < 0.5
    if kind == "integer":
        return luck.choice((schema.get("minimum", -(2**70)), schema.get("maximum", 2**70), 2, 3, 2.0))
    if kind == "array":
        return [_draw_argument(luck, schema.get("items", {})) for _ in range(luck.choice((0, 1, 1, 2)))]
    if kind == "object":
        text = luck.choice(("", GAME, "game x\n", "\u202e", make_manifest("draft", "game", language="1")))
        return {luck.choice(("module.yaml", "draft.edict", "scenes/a.yaml", "goal", "../x", "a\x00")): text}
    return luck.choice(KNOWN if luck.random() < 0.6 else HOSTILE)
