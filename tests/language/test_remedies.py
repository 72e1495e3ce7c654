"""Every row of the table "wanted, have, so write": a rule with that mistake, what is said of it, and the rule as it is
once the remedy was applied, of which nothing is said any more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from newcoming import FOLDER, found_in, listed_in, rules_of

from edict import resources
from edict.report import edited

TABLE, MISTAKES = listed_in(resources.grammar() / "remedies.yaml"), listed_in(FOLDER / "remedies.yaml")


def rows() -> Iterator[Any]:
    for part, some in TABLE.items():
        for number, (row, mistake) in enumerate(zip(some, MISTAKES.get(part, ()), strict=False), 1):
            yield pytest.param(row, mistake, id=f"{part}-{number}: {row['wanted']} <- {row['have']}")


def test_there_is_a_mistake_for_every_row() -> None:
    assert {part: len(some) for part, some in MISTAKES.items()} == {part: len(some) for part, some in TABLE.items()}


@pytest.mark.parametrize(("row", "mistake"), list(rows()))
def test_what_a_row_says_makes_the_rule_right(row: dict[str, str], mistake: dict[str, str]) -> None:
    given, (form, *_) = mistake.get("given", ""), [key for key in mistake if key not in ("given", "right")]
    wrong, right = given + rules_of({form: mistake[form]}), given + rules_of({form: mistake["right"]})
    (found,) = found_in(wrong)
    assert re.fullmatch(_said(row), found.help), found
    assert re.fullmatch(_with_any(row.get("note", "")), found.note)
    assert edited(wrong, found.edits) == (right if "write" in row else wrong)
    assert not found.exact, "a value of another type may always be meant otherwise"
    assert found_in(right) == ()


def _said(row: dict[str, str]) -> str:
    """What a row says, with anything in its blanks."""
    more = f", or {row['or']}" if "or" in row else ""
    because = f": {row['because']}" if "because" in row else ""
    return _with_any(row.get("say", f"write `{row.get('write', '')}`{more}{because}"))


def _with_any(text: str) -> str:
    return ".+".join(map(re.escape, re.split(r"\{\w+\}", text)))
