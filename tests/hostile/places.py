"""Folders that are hostile by what lies in them, and by what their manifests ask for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from inputs import GAME, Hostile, module, much

from calling import manifest

PAGE = "resource nut\n"
GAMES = manifest("sample", "game")


def _game(folder: Path) -> Path:
    module(folder, "sample", "game", game=GAME)
    return folder / "sample"


def _beside(lay: Callable[[Path], object]) -> Callable[[Path], None]:
    """A game, and in its folder what this makes."""

    def laid(folder: Path) -> None:
        lay(_game(folder))

    return laid


def _many_files(count: int, suffix: str) -> Callable[[Path], None]:
    def files(sample: Path) -> None:
        for number in range(count):
            (sample / f"page-{number}{suffix}").touch()

    return _beside(files)


def _many_beside(count: int) -> Callable[[Path], None]:
    def folders(sample: Path) -> None:
        for number in range(count):
            (sample / "with" / f"m{number}").mkdir(parents=True)
            (sample / "with" / f"m{number}" / "page.edict").touch()

    return _beside(folders)


def _named(name: bytes) -> Callable[[Path], None]:
    """A rule file of this name."""
    return _beside(lambda sample: Path(os.fsdecode(os.fsencode(sample) + b"/" + name)).write_text(PAGE))


def _folder_named(folder: Path) -> None:
    """A game in a folder whose name is not UTF-8."""
    _game(folder).rename(os.fsdecode(os.fsencode(folder) + b"/gr\xfcn"))


def _link(name: str, target: str) -> Callable[[Path], None]:
    def link(sample: Path) -> None:
        (sample / name).parent.mkdir(exist_ok=True)
        (sample / name).symlink_to(target)

    return _beside(link)


def _sparse(name: str, size: int) -> Callable[[Path], None]:
    """A file of this size that takes no room on the disk."""

    def file(sample: Path) -> None:
        with (sample / name).open("wb") as stream:
            stream.truncate(size)

    return _beside(file)


def _requiring(count: int, who: Callable[[int], list[int]]) -> Callable[[Path], None]:
    """Modules that require others of them."""

    def lay(folder: Path) -> None:
        _game(folder)
        for number in range(count):
            names = ", ".join(f"m{other}" for other in who(number))
            module(folder, f"m{number}", more=f"requires: [{names}]\n" if names else "", page=f"resource r{number}\n")

    return lay


def _manifest(text: str) -> Callable[[Path], None]:
    return _beside(lambda sample: (sample / "module.yaml").write_text(text, encoding="utf-8"))


def _piped(folder: Path) -> None:
    (_game(folder) / "module.yaml").unlink()
    os.mkfifo(folder / "sample" / "module.yaml")


LAUGHS = "\n".join(["a: &a0 lol", *(f"b{i}: &a{i + 1} [*a{i}, *a{i}, *a{i}, *a{i}]" for i in range(30))]) + "\n"
M0 = ("check", "./sample", "--with", "./m0")

PLACES = (
    Hostile("200,000 files", _many_files(200_000, ".txt"), "error E0152", slow=True),
    Hostile("21,000 files", _many_files(21_000, ".txt"), "more than 20,000 files", slow=True),
    Hostile("2,000 rule files", _many_files(2_000, ".edict"), "error E0152"),
    Hostile("rule files beside 2,000 modules", _many_beside(2_000), "error E0152", like="2,000 rule files"),
    Hostile("a name that is not UTF-8", _named(b"gr\xfcn.edict"), "error E0163"),
    Hostile("a name with control characters", _named(b"a\x1b[31m\nb.edict"), "error E0163"),
    Hostile("a long name", _named(b"a" * 240 + b".edict"), "error E0163"),
    Hostile("a name that ends in a dot", _named(b"...edict"), "no errors", code=0),
    Hostile(
        "a folder whose name is not UTF-8", _folder_named, "is not valid UTF-8", ("check", "gr\udcfcn/game.edict"), 2
    ),
    Hostile("a link out of the folder", _link("page.edict", "/etc/passwd"), "error E0153"),
    Hostile("a link to a device", _link("page.edict", "/dev/zero"), "error E0153", like="a link out of the folder"),
    Hostile("a link to itself", _link("page.edict", "page.edict"), "error E0154"),
    Hostile("a folder that is a link to everything", _link("with/other", "/"), "error E0153"),
    Hostile(
        "a folder of folders that is a link",
        _link("with", "/"),
        "error E0153",
        like="a folder that is a link to everything",
    ),
    Hostile("a pipe", _beside(lambda sample: os.mkfifo(sample / "page.edict")), "error E0154"),
    Hostile(
        "a folder called like a file",
        _beside(lambda sample: (sample / "page.edict").mkdir()),
        "error E0154",
        like="a pipe",
    ),
    Hostile("a file of 8 GB", _sparse("page.edict", 8_000_000_000), "error E0152"),
    Hostile("a manifest of 8 GB", _sparse("module.yaml", 8_000_000_000), "8,000,000,000 bytes", like="a file of 8 GB"),
    Hostile("a manifest that is a pipe", _piped, "has no `module.yaml`", code=2),
    Hostile(
        "a chain of modules",
        _requiring(much(1_500), lambda n: [n + 1] if n < much(1_500) - 1 else []),
        "error E0707",
        M0,
    ),
    Hostile(
        "modules requiring all others",
        _requiring(45, lambda n: [other for other in range(45) if other != n]),
        "error E0158",
        M0,
        like="modules requiring each other",
    ),
    Hostile("modules requiring each other", _requiring(2, lambda n: [1 - n]), "error E0158", M0),
    Hostile(
        "a module requiring itself",
        _requiring(1, lambda n: [0]),
        "error E0158",
        M0,
        like="modules requiring each other",
    ),
    Hostile(
        "a manifest that requires much",
        _manifest(GAMES + f"requires: [{', '.join(f'm{i}' for i in range(much(50_000)))}]\n"),
        "error E0707",
    ),
    Hostile("aliases", _manifest(LAUGHS), "error E0142"),
    Hostile("deep lists", _manifest("a: " + "[" * 100_000), "error E0142"),
    Hostile("deep maps", _manifest("".join(" " * i + "a:\n" for i in range(1000))), "error E0142", like="deep lists"),
    Hostile("many keys", _manifest("".join(f"key-{i}: {i}\n" for i in range(much(19_000)))), "more errors"),
    Hostile("huge numbers", _manifest(GAMES + "players: " + "9" * 900_000), ""),
    Hostile("a long text", _manifest(GAMES + "summary: " + "word " * 190_000), ""),
    Hostile("many lines of text", _manifest(GAMES + "summary: |\n" + "  word\n" * 19_000), "", like="a long text"),
    Hostile("null bytes", _manifest("name: a\0b\n"), "error E0123"),
    Hostile("tabs", _manifest("\t" * 900_000), ""),
    Hostile("dashes", _manifest("- " * 400_000), "error E0142"),
    Hostile("question marks", _manifest("? " * 400_000), "", like="dashes"),
    Hostile("quotes", _manifest('a: "' + '\\"' * 400_000), "", like="dashes"),
    Hostile(
        "a list of many",
        _manifest(GAMES + "over:\n" + "- a\n" * 19_000),
        "error E0707",
        like="a manifest that requires much",
    ),
    Hostile("flow list", _manifest(GAMES + "over: [" + "a," * much(450_000)), "", like="a manifest that requires much"),
)
