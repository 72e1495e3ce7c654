"""A game with a bit of everything, told by the book, by `show` and in play: people read what is in `whole/`, and read
it again where it changes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from edict.apps.cli.commands.rulebook import as_html, as_markdown
from edict.prose.rulebook.annotated import Known, read
from edict.prose.rulebook.contents import rulebook
from edict.prose.rulebook.terms import Term, Terms
from reading import Call

WHOLE = Path(__file__).parent / "whole"
GAME, MODULE = str(WHOLE / "shore"), str(WHOLE / "storms")
SMALL_PRINT = ["Fish that matter here: Bream.", "When it begins: see Crab."]


@cache
def known() -> Known:
    return read(GAME, (MODULE,)).unwrap()


def asked(file: Path) -> list[str]:
    return [line[4:] for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("### ")]


def test_the_book_reads_as_it_should() -> None:
    made = rulebook(known(), read(GAME).unwrap())
    assert as_markdown(made) == (WHOLE / "book.md").read_text(encoding="utf-8")
    html = as_html(made)
    assert re.findall(r'<p class="quiet">(.*?)</p>', html) == SMALL_PRINT
    assert set(re.findall(r'<span class="quiet">(.*?)</span>', html)) == {"fish", "gull", "boat"}  # in the index


def test_what_show_says_reads_as_it_should(call: Call) -> None:
    file = WHOLE / "shown.txt"
    said = (f"### {name}\n{call('show', name, '--game', GAME, '--with', MODULE).stdout}" for name in asked(file))
    assert "".join(said) == file.read_text("utf-8")


def test_what_is_told_in_play_reads_as_it_should() -> None:
    file, terms = WHOLE / "asked.txt", Terms(known())
    assert "".join(f"### {name}\n{told(terms.look(name))}" for name in asked(file)) == file.read_text("utf-8")


def told(found: list[Term]) -> str:
    """All that is said of what was asked about, a line each."""
    lines = [
        line
        for one in found
        for line in (
            f"{one.title} ({one.sort}{', ' * bool(one.module)}{one.module})",
            *(f"  {name}: {value}" for name, value in one.facts),
            *(f"  {line}" for line in one.lines),
            *(f"  exactly: {line}" for line in one.exactly),
            *(f"  of it: {title}" for title in one.members),
            *(f"  touched: {line}" for line in one.touched),
            *(f"  seen in: {title}" for title in one.seen_in),
        )
    ]
    return "\n".join([*lines, ""])
