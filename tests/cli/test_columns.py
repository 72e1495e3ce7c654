"""Lines laid out in columns of the terminal."""

from __future__ import annotations

from rich.text import Text

from edict.cli.playing.columns import HANG, hanging


def test_a_long_line_is_broken_between_words_and_set_in() -> None:
    said = "  Whenever you win a battle, you may gain 1 VP, and once a year you may call a blessing."
    lines = [line.plain for line in hanging(Text(said), 40)]
    assert len(lines) > 2 and all(len(line) <= 40 for line in lines)
    assert lines[0].startswith("  Whenever")
    assert all(len(line) - len(line.lstrip()) == HANG for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == said.strip()


def test_a_short_line_stays_as_it_is() -> None:
    assert [line.plain for line in hanging(Text("  Year 1"), 40)] == ["  Year 1"]
