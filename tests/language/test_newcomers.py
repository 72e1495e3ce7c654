"""What people write who know the game and not the language: each mistake of `newcomers/` beside this is told once,
at its place, with the reason and a remedy; a remedy that is given as an edit makes the rules right.

An entry is `rules`, or lines in a place: `step` in a turn, `when` a condition, `value` a number. `at` is what is
underlined, `says` a pattern for title and reason, `remedy` a phrase of the help, `becomes` a line of the rules after
the edits, and `rest` the code of what is then still wrong (any: whatever it is, for it is another mistake).
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from newcoming import FILE, Judged, Mistake, found_in, judged, mended, mistakes

from edict.report import Diagnostic, Edit, edited
from edict.text import Span

ALL = tuple(mistakes())


def told(mistake: Mistake, one: Judged) -> str:
    """What is said, for whoever reads that a test failed."""
    said = "\n".join(f"{d.code} {d.span}: {d.title}\n  {d.note}\n  help: {d.help}" for d in one.found)
    return f"{mistake.text}\n{said}\n{mended(mistake, one.found)}"


@pytest.mark.parametrize("mistake", ALL, ids=lambda one: one.name)
def test_a_mistake_is_told_with_place_reason_and_remedy(mistake: Mistake) -> None:
    one = judged(mistake)
    assert one.alone, told(mistake, one)
    assert (one.place, one.reason, one.remedy) == (True, True, True), told(mistake, one)


def test_there_are_many_and_no_two_are_the_same() -> None:
    assert len({mistake.text for mistake in ALL}) == len(ALL) >= 250
    literal = [mistake for mistake in ALL if mistake.becomes]
    assert len(literal) >= len(ALL) / 2, "most have a remedy to the letter"


def edit(line: int, start: int, end: int, text: str) -> Edit:
    return Edit(Span(FILE, line, start, line, end), text)


EDITS = [
    ("one\ntwo\n", [edit(2, 1, 4, "2")], "one\n2\n"),
    ("one\ntwo\n", [edit(1, 4, 4, "!"), edit(1, 1, 1, ">")], ">one!\ntwo\n"),
    ("one\ntwo\n", [edit(1, 1, 4, "1"), edit(1, 2, 3, "x")], "1\ntwo\n"),
    ("one\n", [edit(1, 1, 4, "1"), edit(1, 1, 4, "1")], "1\n"),
    ("one", [edit(1, 4, 4, "\n  two")], "one\n  two"),
]


@pytest.mark.parametrize(("text", "edits", "expected"), EDITS)
def test_edits_are_carried_out_together(text: str, edits: Sequence[Edit], expected: str) -> None:
    assert edited(text, edits) == expected


def test_a_remedy_that_would_not_help_is_no_edit() -> None:
    """The word is told, but with it alone the line could not be read either."""
    (found,) = found_in("setting rounds six twelve\n")
    assert isinstance(found, Diagnostic) and "6" in found.help and found.edits == ()


def test_several_mistakes_are_told_each_once() -> None:
    text = "Amend advisor merchant\n  reward gain two gold\n\nadjust dice-rolled by 1 if year == 2\n"
    assert [d.span.line for d in found_in(text)] == [1, 4]
