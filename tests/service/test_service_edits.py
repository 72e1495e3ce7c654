"""Random edits of real rules, replayed: what the service says is at any time what `check` says of the saved files."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from edict import resources
from edict.front.compile import check_rules
from edict.language.parse import parse
from edict.language.pieces import KEPT
from edict.rendering import in_order
from edict.service import colouring, completing, hovering, outlining
from edict.service.values import At
from edict.service.workspace import Workspace
from edict.text import Source

PARTS = ("gain 1 gold", "when ", "  ", "\n", '"', "(", " of you", "price", "amend ", "7", "# ", "-", "building x\n")


def edits(text: str, seed: int, count: int) -> list[str]:
    """The text after each of so many edits: something typed, something deleted, a line moved, an edit taken back."""
    chance, texts = random.Random(seed), [text]
    for _ in range(count):
        now = texts[-1]
        at = chance.randrange(len(now) + 1)
        if chance.random() < 0.4:
            texts.append(now[:at] + chance.choice(PARTS) + now[at:])
        elif chance.random() < 0.5:
            texts.append(now[:at] + now[at + chance.randrange(1, 12) :])
        elif chance.random() < 0.4:
            lines = now.split("\n")
            moved = lines.pop(chance.randrange(len(lines)))
            lines.insert(chance.randrange(len(lines) + 1), moved)
            texts.append("\n".join(lines))
        else:
            texts.append(text)
    return texts[1:]


@pytest.fixture
def module(tmp_path: Path) -> Path:
    folder = tmp_path / "soldier-tokens"
    shutil.copytree(resources.home() / "modules" / "soldier-tokens", folder)
    return folder


@pytest.mark.parametrize("seed", range(2))
def test_after_random_edits_the_service_says_what_check_says(module: Path, seed: int) -> None:
    space, file = Workspace([module]), module / "tokens.edict"
    for number, text in enumerate(edits(file.read_text(encoding="utf-8"), seed, 60)):
        space.lay(file, text)
        rules = space.rules(file)
        assert rules is not None
        quick = rules.checked()
        if number % 10 == 9:
            file.write_text(text, encoding="utf-8")
            expected = in_order(check_rules(str(module)).diagnostics)
            assert in_order(rules.checked(whole=True).found) == expected
            assert set(quick.found) <= set(expected)


def test_no_edit_and_no_place_is_too_odd_to_be_asked_about(module: Path) -> None:
    space, file = Workspace([module]), module / "tokens.edict"
    for number, text in enumerate(edits(file.read_text(encoding="utf-8"), 7, 40)):
        space.lay(file, text)
        lines = text.split("\n")
        line = 1 + number * 7 % len(lines)
        at = At(line, 1 + number * 5 % (len(lines[line - 1]) + 1))
        completing.completions(space, file, at)
        colours = colouring.colours(space, file)
        assert list(colours) == sorted(colours, key=lambda one: one.span)
        assert all(1 <= one.span.line <= one.span.end_line <= len(lines) for one in outlining.outline(space, file))
        if number % 8 == 0:
            hovering.hover(space, file, at)


def test_definitions_that_were_read_before_are_the_same_as_read_anew(module: Path) -> None:
    """Moved or not: spans, texts and what was found in them."""
    text = (module / "tokens.edict").read_text(encoding="utf-8")
    for after in edits(text, 3, 40):
        source = Source("soldier-tokens/tokens.edict", after)
        before = parse(source)
        KEPT.forget()
        anew = parse(source)
        assert repr(before) == repr(anew)
