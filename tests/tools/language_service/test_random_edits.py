"""Random edits of real rules, replayed: what the service says is at any time what `check` says of the saved files."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from edict.compiler.pipeline.compile import check_rules
from edict.compiler.syntax.incremental import KEPT
from edict.compiler.syntax.parse import parse
from edict.support import resources
from edict.support.rendering import sort_diagnostics
from edict.support.report import Diagnostic
from edict.support.text import Source
from edict.tools.language_service import (
    call_hierarchy,
    cursor_help,
    document_structure,
    formatting,
    inlay_hints,
    rule_completion,
    semantic_tokens,
)
from edict.tools.language_service.answer_types import At
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, fair

MANY = int(os.environ.get("EDICT_EDITS", "30"))  # `make edits` replays thousands, also of rules that ship
AT_A_TIME = 15
PARTS = ("gain 1 coin", "when ", "  ", "\n", '"', "(", " of you", "price", "amend ", "7", "# ", "-", "stall x\n")
SHIPPED = (
    "examples/gem-fair",
    "modules/soldier-tokens",
    "modules/governors",
    "examples/embers",
    "modules/destiny",
    "examples/foxes-at-court",
    "modules/goblin-valley",
    "examples/four-winds",
)


def edits(text: str, seed: int, count: int) -> list[str]:
    """The text after each of so many edits.

    Something is typed, deleted or put for another word, a line moved or a stretch written twice, or all taken back.
    """
    chance, texts = random.Random(seed), [text]
    for _ in range(count):
        now = texts[-1]
        at = chance.randrange(len(now) + 1)
        if chance.random() < 0.4:
            texts.append(now[:at] + chance.choice(PARTS) + now[at:])
        elif chance.random() < 0.4:
            texts.append(now[:at] + now[at + chance.randrange(1, 12) :])
        elif chance.random() < 0.4:
            words = list(re.finditer(r"[a-z-]+|$", now))
            one, other = chance.choice(words), chance.choice(words)
            texts.append(now[: one.start()] + other[0] + now[one.end() :])
        elif chance.random() < 0.3:
            lines = now.split("\n")
            first = chance.randrange(len(lines))
            texts.append("\n".join([*lines, *lines[first : first + chance.randrange(1, 9)], ""]))
        elif chance.random() < 0.4:
            lines = now.split("\n")
            moved = lines.pop(chance.randrange(len(lines)))
            lines.insert(chance.randrange(len(lines) + 1), moved)
            texts.append("\n".join(lines))
        else:
            texts.append(text)
    return texts[1:]


def said(found: Iterable[Diagnostic]) -> set[tuple[str, str]]:
    return {(one.code, one.title) for one in found}


def edited_rules(folder: Path, number: int) -> Path:
    """Rules to edit, in a folder: a small module, then the small game it is laid over, then one by one what ships."""
    if number < 2:
        return fair(folder) / ("forge", "fair")[number]
    shipped = resources.shipped_folder() / SHIPPED[number - 2]
    return Path(shutil.copytree(shipped, folder / shipped.name))


@pytest.mark.parametrize("seed", range(MANY // AT_A_TIME))
def test_after_random_edits_the_service_says_what_check_says(tmp_path: Path, seed: int) -> None:
    module = edited_rules(tmp_path, seed % (len(SHIPPED) + 2))
    files = sorted(module.glob("*.edict"))
    space, file = Workspace([tmp_path]), files[seed // (len(SHIPPED) + 2) % len(files)]
    before = set[tuple[str, str]]()
    for number, text in enumerate(edits(file.read_text(encoding="utf-8"), seed, AT_A_TIME)):
        space.lay(file, text)
        rules = space.rules(file)
        assert rules is not None
        at_once, quick = said(rules.at_once()), rules.checked()
        assert at_once <= said(quick.found) | before, "what is found anew is right; what was found before may stay"
        before = said(quick.found)
        if number % 10 == 9:
            file.write_text(text, encoding="utf-8")
            expected = sort_diagnostics(check_rules(str(module)).diagnostics)
            assert sort_diagnostics(rules.checked(whole=True).found) == expected
            assert set(quick.found) <= set(expected)


def test_no_edit_and_no_place_is_too_odd_to_be_asked_about(space: Workspace, game: Path) -> None:
    for number, text in enumerate(edits(GAME, 7, 40)):
        space.lay(game, text)
        lines = text.split("\n")
        line = 1 + number * 7 % len(lines)
        at = At(line, 1 + number * 5 % (len(lines[line - 1]) + 1))
        rule_completion.completions(space, game, at)
        colours = semantic_tokens.colours(space, game)
        assert list(colours) == sorted(colours, key=lambda one: one.span)
        entries = document_structure.outline(space, game)
        assert all(1 <= one.span.line <= one.span.end_line <= len(lines) for one in entries)
        assert all(one.line <= at.line <= one.end_line for one in document_structure.selections(space, game, at))
        assert all(one.at.line <= len(lines) for one in inlay_hints.hints(space, game))
        formatting.laid_out_lines(space, game, line, line + 3)
        formatting.indented(space, game, at)
        if number % 8 == 0:
            cursor_help.hover(space, game, at)
            call_hierarchy.callers(space, game, at)
            call_hierarchy.called(space, game, at)


def test_definitions_that_were_read_before_are_the_same_as_read_anew() -> None:
    """Moved or not: spans, texts and what was found in them."""
    for after in edits(GAME, 3, 15):
        source = Source("fair/fair.edict", after)
        before = parse(source)
        KEPT.forget()
        assert repr(before) == repr(parse(source))
