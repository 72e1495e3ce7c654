"""`repair`: recovers what is valid in a damaged journal, and reports it."""

from __future__ import annotations

from pathlib import Path

from edict.cli.playing import saves
from edict.rendering import plain
from edict.table import journal_files
from edict.text import so_many


def repair(file: Path) -> int:
    """Keep what is valid in the file of a game, and print what was saved and what was lost; returns the exit code."""
    path = saves.find(file)
    done = journal_files.repair(path)
    answers = len(done.journal.answers)
    saved = so_many(answers, "answer")
    if done.kept is None:
        print(plain(f"{path} is not damaged: the game is complete, with {saved}."))
        return 0
    lost = f"line {done.line}" if done.lost == 1 else f"{done.lost} lines, starting with line {done.line}"
    print(plain(f"Saved: the game up to line {done.line - 1}, with {saved}."))
    print(plain(f"Lost: {lost} ({done.reason})."))
    print(plain(f"The damaged file is kept as {done.kept}."))
    print(plain(f"To continue: {saves.command(path)}"))
    return 0
