"""`check --watch`: a check made again whenever a file is saved, until Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter, strftime

from edict.cli.watching import saves, stamps
from edict.sources.finding import find
from edict.rendering import plain
from edict.report import RulesError


def recheck(names: Iterable[str], check: Callable[[], object]) -> int:
    """Check now, and whenever these rules are saved; Ctrl-C is the way to end this, so it ends well."""
    folders = _folders(names)
    before = stamps(folders)
    _timed(check)
    print(plain(f"Watching {', '.join(folder.name for folder in folders)}; Ctrl-C ends it."), flush=True)
    try:
        for saved in saves(folders, before):
            print(plain(f"\n--- {strftime('%H:%M:%S')} {_named(saved)} saved"), flush=True)
            _timed(check)
    except KeyboardInterrupt:
        print("\nNo longer watching.")
    return 0


def _folders(names: Iterable[str]) -> list[Path]:
    """The folders of what is checked; raises `RulesError` where there is none to watch."""
    found = [find(name) for name in names]
    missing = [d for outcome in found for d in outcome.diagnostics]
    if missing:
        raise RulesError(missing)
    return list(dict.fromkeys(outcome.unwrap().resolve() for outcome in found))


def _timed(check: Callable[[], object]) -> None:
    start = perf_counter()
    check()
    print(f"({perf_counter() - start:.2f} s)", flush=True)


def _named(files: Sequence[Path]) -> str:
    return ", ".join(f"{file.parent.name}/{file.name}" for file in files)
