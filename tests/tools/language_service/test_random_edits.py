"""Random edits of real rules: the service always reports what `check` reports for the saved files."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from edict.compiler.pipeline.compile import check_rules
from edict.compiler.syntax.incremental import PIECE_CACHE
from edict.compiler.syntax.parse import parse
from edict.support import resources
from edict.support.rendering import sort_diagnostics
from edict.support.report import Diagnostic
from edict.support.text import Source
from edict.tools.language_service import (
    cursor_help,
    document_structure,
    formatting,
    navigation,
    rule_completion,
    text_decorations,
)
from edict.tools.language_service.answer_types import TextPosition
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, write_fair

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


def make_random_edits(text: str, seed: int, count: int) -> list[str]:
    """Return the text after each of a number of random edits.

    An edit inserts, deletes or replaces text, moves or duplicates lines, or restores the first text.
    """
    rng, texts = random.Random(seed), [text]
    for _ in range(count):
        current = texts[-1]
        offset = rng.randrange(len(current) + 1)
        if rng.random() < 0.4:
            texts.append(current[:offset] + rng.choice(PARTS) + current[offset:])
        elif rng.random() < 0.4:
            texts.append(current[:offset] + current[offset + rng.randrange(1, 12) :])
        elif rng.random() < 0.4:
            words = list(re.finditer(r"[a-z-]+|$", current))
            first_word, second_word = rng.choice(words), rng.choice(words)
            texts.append(current[: first_word.start()] + second_word[0] + current[first_word.end() :])
        elif rng.random() < 0.3:
            lines = current.split("\n")
            first = rng.randrange(len(lines))
            texts.append("\n".join([*lines, *lines[first : first + rng.randrange(1, 9)], ""]))
        elif rng.random() < 0.4:
            lines = current.split("\n")
            line = lines.pop(rng.randrange(len(lines)))
            lines.insert(rng.randrange(len(lines) + 1), line)
            texts.append("\n".join(lines))
        else:
            texts.append(text)
    return texts[1:]


def codes_and_titles(diagnostics: Iterable[Diagnostic]) -> set[tuple[str, str]]:
    return {(diagnostic.code, diagnostic.title) for diagnostic in diagnostics}


def copy_rules(folder: Path, number: int) -> Path:
    """Return rules to edit: a small module, the small game under it, then modules that ship."""
    if number < 2:
        return write_fair(folder) / ("forge", "fair")[number]
    shipped = resources.get_shipped_folder() / SHIPPED[number - 2]
    return Path(shutil.copytree(shipped, folder / shipped.name))


@pytest.mark.parametrize("seed", range(MANY // AT_A_TIME))
def test_service_reports_the_same_as_check_after_random_edits(tmp_path: Path, seed: int) -> None:
    module = copy_rules(tmp_path, seed % (len(SHIPPED) + 2))
    files = sorted(module.glob("*.edict"))
    space, file = Workspace([tmp_path]), files[seed // (len(SHIPPED) + 2) % len(files)]
    before = set[tuple[str, str]]()
    for number, text in enumerate(make_random_edits(file.read_text(encoding="utf-8"), seed, AT_A_TIME)):
        space.set_text(file, text)
        rules = space.get_rules(file)
        assert rules is not None
        at_once, quick = codes_and_titles(rules.check_while_typing()), rules.check()
        assert at_once <= codes_and_titles(quick.diagnostics) | before, (
            "what is found anew is right; what was found before may stay"
        )
        before = codes_and_titles(quick.diagnostics)
        if number % 10 == 9:
            file.write_text(text, encoding="utf-8")
            expected = sort_diagnostics(check_rules(str(module)).diagnostics)
            assert sort_diagnostics(rules.check(full=True).diagnostics) == expected
            assert set(quick.diagnostics) <= set(expected)


def test_every_question_works_at_every_position_after_random_edits(
    space: Workspace, game: Path, subtests: pytest.Subtests
) -> None:
    for number, text in enumerate(make_random_edits(GAME, 7, 40)):
        with subtests.test(text=text):
            space.set_text(game, text)
            lines = text.split("\n")
            line = 1 + number * 7 % len(lines)
            at = TextPosition(line, 1 + number * 5 % (len(lines[line - 1]) + 1))
            rule_completion.complete(space, game, at)
            colours = text_decorations.list_tokens(space, game)
            assert list(colours) == sorted(colours, key=lambda one: one.span)
            entries = document_structure.build_outline(space, game)
            assert all(1 <= one.span.line <= one.span.end_line <= len(lines) for one in entries)
            assert all(
                one.line <= at.line <= one.end_line for one in document_structure.list_selections(space, game, at)
            )
            assert all(one.at.line <= len(lines) for one in text_decorations.list_hints(space, game))
            formatting.format_lines(space, game, line, line + 3)
            formatting.indent_line(space, game, at)
            if number % 8 == 0:
                cursor_help.hover(space, game, at)
                navigation.find_callers(space, game, at)
                navigation.find_callees(space, game, at)


def test_cached_definitions_equal_freshly_parsed_ones(subtests: pytest.Subtests) -> None:
    """Spans, texts and diagnostics are the same, whether a definition moved or not."""
    for after in make_random_edits(GAME, 3, 15):
        with subtests.test(after=after):
            source = Source("fair/fair.edict", after)
            before = parse(source)
            PIECE_CACHE.clear()
            assert repr(before) == repr(parse(source))
