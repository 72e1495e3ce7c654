"""Lines laid out in columns of the terminal."""

from __future__ import annotations

import pytest
from rich.text import Text

from edict.cli.playing import why_lines
from edict.cli.playing.columns import HANG, hanging, packed
from edict.cli.playing.screen import Screen
from edict.table.why_options import Said


def test_a_long_line_is_broken_between_words_and_set_in() -> None:
    said = "  Whenever you win a battle, you may gain 1 VP, and once a year you may call a blessing."
    lines = [line.plain for line in hanging(Text(said), 40)]
    assert len(lines) > 2 and all(len(line) <= 40 for line in lines)
    assert lines[0].startswith("  Whenever")
    assert all(len(line) - len(line.lstrip()) == HANG for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == said.strip()


def test_a_short_line_stays_as_it_is() -> None:
    assert [line.plain for line in hanging(Text("  Year 1"), 40)] == ["  Year 1"]


@pytest.mark.parametrize(
    ("width", "tall", "lines"),
    [
        (80, 10, 10),  # one below the other, as long as that fits
        (80, 5, 5),
        (80, 4, 4),
        (80, 3, 3),
        (12, 1, 4),  # too many for the height: as many side by side as the width holds
        (3, 1, 10),
    ],
)
def test_words_stand_side_by_side_as_far_as_the_height_asks_and_the_width_allows(
    width: int, tall: int, lines: int
) -> None:
    words = [f"w{number}" for number in range(10)]
    found = [line.plain for line in packed([Text(word) for word in words], width, tall, gap=2)]
    assert len(found) == lines and all(len(line) <= width for line in found)
    assert sorted(" ".join(found).split()) == words


@pytest.mark.parametrize("level", [0, 1, 3])
@pytest.mark.parametrize("hang", [0, 12])
def test_what_explains_is_wrapped_within_the_screen_beside_its_first_column(
    monkeypatch: pytest.MonkeyPatch, level: int, hang: int
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    screen = Screen(colour=False)
    screen.simple = False
    words = "why not 3   says what keeps an option from being offered to you, " + "and why that is so, " * 6
    lines = [line.plain for line in why_lines.lines(screen, [Said(words, level=level, hang=hang)])]
    assert len(lines) > 2 and all(len(line) <= 60 for line in lines)
    assert " ".join(" ".join(lines).split()) == " ".join(words.split())
    if hang:
        indent = len(lines[0]) - len(lines[0].lstrip())
        assert all(line.startswith(" " * (indent + hang)) for line in lines[1:])
