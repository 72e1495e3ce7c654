"""Folders that are hostile by their files, and by what their manifests require."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from inputs import GAME, HostileInput, scale_count, write_module

from calling import make_manifest

PAGE = "resource nut\n"
GAMES = make_manifest("sample", "game")


def _write_game(folder: Path) -> Path:
    write_module(folder, "sample", "game", game=GAME)
    return folder / "sample"


def _write_beside(add_files: Callable[[Path], object]) -> Callable[[Path], None]:
    """Return a function that writes a game and lets another one add to its folder."""

    def laid(folder: Path) -> None:
        add_files(_write_game(folder))

    return laid


def _write_many_files(count: int, suffix: str) -> Callable[[Path], None]:
    def files(sample: Path) -> None:
        for number in range(count):
            (sample / f"page-{number}{suffix}").touch()

    return _write_beside(files)


def _write_many_side_modules(count: int) -> Callable[[Path], None]:
    def folders(sample: Path) -> None:
        for number in range(count):
            (sample / "with" / f"m{number}").mkdir(parents=True)
            (sample / "with" / f"m{number}" / "page.edict").touch()

    return _write_beside(folders)


def _write_named_file(name: bytes) -> Callable[[Path], None]:
    """Return a function that writes a rule file of this name."""
    return _write_beside(lambda sample: Path(os.fsdecode(os.fsencode(sample) + b"/" + name)).write_text(PAGE))


def _write_folder_without_utf8(folder: Path) -> None:
    """Write a game into a folder whose name is not UTF-8."""
    _write_game(folder).rename(os.fsdecode(os.fsencode(folder) + b"/gr\xfcn"))


def _write_link(name: str, target: str) -> Callable[[Path], None]:
    def link(sample: Path) -> None:
        (sample / name).parent.mkdir(exist_ok=True)
        (sample / name).symlink_to(target)

    return _write_beside(link)


def _write_sparse_file(name: str, size: int) -> Callable[[Path], None]:
    """Return a function that writes a file of this size that takes no space on disk."""

    def file(sample: Path) -> None:
        with (sample / name).open("wb") as stream:
            stream.truncate(size)

    return _write_beside(file)


def _write_requirements(count: int, requirements: Callable[[int], list[int]]) -> Callable[[Path], None]:
    """Return a function that writes modules that require others of them."""

    def lay(folder: Path) -> None:
        _write_game(folder)
        for number in range(count):
            names = ", ".join(f"m{other}" for other in requirements(number))
            write_module(
                folder, f"m{number}", more=f"requires: [{names}]\n" if names else "", page=f"resource r{number}\n"
            )

    return lay


def _write_manifest(text: str) -> Callable[[Path], None]:
    return _write_beside(lambda sample: (sample / "module.yaml").write_text(text, encoding="utf-8"))


def _piped(folder: Path) -> None:
    (_write_game(folder) / "module.yaml").unlink()
    os.mkfifo(folder / "sample" / "module.yaml")


LAUGHS = "\n".join(["a: &a0 lol", *(f"b{i}: &a{i + 1} [*a{i}, *a{i}, *a{i}, *a{i}]" for i in range(30))]) + "\n"
M0 = ("check", "./sample", "--with", "./m0")

PLACES = (
    HostileInput("200,000 files", _write_many_files(200_000, ".txt"), "error E0152", slow=True),
    HostileInput("21,000 files", _write_many_files(21_000, ".txt"), "more than 20,000 files", slow=True),
    HostileInput("2,000 rule files", _write_many_files(2_000, ".edict"), "error E0152"),
    HostileInput(
        "rule files beside 2,000 modules", _write_many_side_modules(2_000), "error E0152", like="2,000 rule files"
    ),
    HostileInput("a name that is not UTF-8", _write_named_file(b"gr\xfcn.edict"), "error E0163"),
    HostileInput("a name with control characters", _write_named_file(b"a\x1b[31m\nb.edict"), "error E0163"),
    HostileInput("a long name", _write_named_file(b"a" * 240 + b".edict"), "error E0163"),
    HostileInput("a name that ends in a dot", _write_named_file(b"...edict"), "no errors", code=0),
    HostileInput(
        "a folder whose name is not UTF-8",
        _write_folder_without_utf8,
        "is not valid UTF-8",
        ("check", "gr\udcfcn/game.edict"),
        2,
    ),
    HostileInput("a link out of the folder", _write_link("page.edict", "/etc/passwd"), "error E0153"),
    HostileInput(
        "a link to a device", _write_link("page.edict", "/dev/zero"), "error E0153", like="a link out of the folder"
    ),
    HostileInput("a link to itself", _write_link("page.edict", "page.edict"), "error E0154"),
    HostileInput("a folder that is a link to everything", _write_link("with/other", "/"), "error E0153"),
    HostileInput(
        "a folder of folders that is a link",
        _write_link("with", "/"),
        "error E0153",
        like="a folder that is a link to everything",
    ),
    HostileInput("a pipe", _write_beside(lambda sample: os.mkfifo(sample / "page.edict")), "error E0154"),
    HostileInput(
        "a folder called like a file",
        _write_beside(lambda sample: (sample / "page.edict").mkdir()),
        "error E0154",
        like="a pipe",
    ),
    HostileInput("a file of 8 GB", _write_sparse_file("page.edict", 8_000_000_000), "error E0152"),
    HostileInput(
        "a manifest of 8 GB",
        _write_sparse_file("module.yaml", 8_000_000_000),
        "8,000,000,000 bytes",
        like="a file of 8 GB",
    ),
    HostileInput("a manifest that is a pipe", _piped, "has no `module.yaml`", code=2),
    HostileInput(
        "a chain of modules",
        _write_requirements(scale_count(1_500), lambda n: [n + 1] if n < scale_count(1_500) - 1 else []),
        "error E0707",
        M0,
    ),
    HostileInput(
        "modules requiring all others",
        _write_requirements(45, lambda n: [other for other in range(45) if other != n]),
        "error E0158",
        M0,
        like="modules requiring each other",
    ),
    HostileInput("modules requiring each other", _write_requirements(2, lambda n: [1 - n]), "error E0158", M0),
    HostileInput(
        "a module requiring itself",
        _write_requirements(1, lambda n: [0]),
        "error E0158",
        M0,
        like="modules requiring each other",
    ),
    HostileInput(
        "a manifest that requires much",
        _write_manifest(GAMES + f"requires: [{', '.join(f'm{i}' for i in range(scale_count(50_000)))}]\n"),
        "error E0707",
    ),
    HostileInput("aliases", _write_manifest(LAUGHS), "error E0142"),
    HostileInput("deep lists", _write_manifest("a: " + "[" * 100_000), "error E0142"),
    HostileInput(
        "deep maps", _write_manifest("".join(" " * i + "a:\n" for i in range(1000))), "error E0142", like="deep lists"
    ),
    HostileInput(
        "many keys", _write_manifest("".join(f"key-{i}: {i}\n" for i in range(scale_count(19_000)))), "more errors"
    ),
    HostileInput("huge numbers", _write_manifest(GAMES + "players: " + "9" * 900_000), ""),
    HostileInput("a long text", _write_manifest(GAMES + "summary: " + "word " * 190_000), ""),
    HostileInput(
        "many lines of text", _write_manifest(GAMES + "summary: |\n" + "  word\n" * 19_000), "", like="a long text"
    ),
    HostileInput("null bytes", _write_manifest("name: a\0b\n"), "error E0123"),
    HostileInput("tabs", _write_manifest("\t" * 900_000), ""),
    HostileInput("dashes", _write_manifest("- " * 400_000), "error E0142"),
    HostileInput("question marks", _write_manifest("? " * 400_000), "", like="dashes"),
    HostileInput("quotes", _write_manifest('a: "' + '\\"' * 400_000), "", like="dashes"),
    HostileInput(
        "a list of many",
        _write_manifest(GAMES + "over:\n" + "- a\n" * 19_000),
        "error E0707",
        like="a manifest that requires much",
    ),
    HostileInput(
        "flow list",
        _write_manifest(GAMES + "over: [" + "a," * scale_count(450_000)),
        "",
        like="a manifest that requires much",
    ),
)
