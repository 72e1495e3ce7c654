"""Values that people could read in two ways are refused without parentheses."""

from __future__ import annotations

import pytest

from edict.language.parse import parse
from edict.text import Source


@pytest.mark.parametrize(
    ("value", "first", "second"),
    [
        ("best of 0 and a - b", "(best of 0 and a) - b", "best of 0 and (a - b)"),
        ("(1, 3, 6) at n + 1", "((1, 3, 6) at n) + 1", "(1, 3, 6) at (n + 1)"),
        ("least of 0, a and b * 2", "(least of 0, a and b) * 2", "least of 0, a and (b * 2)"),
    ],
)
def test_a_sum_behind_a_value_without_an_end_wants_parentheses(value: str, first: str, second: str) -> None:
    (found,) = parse(Source("a.edict", f"quantity q is {value}\n")).diagnostics
    assert found.code == "E0135" and f"`{first}` or `{second}`" in found.help
    for written in (first, second, f"3 + {second}"):
        assert not parse(Source("a.edict", f"quantity q is {written}\n")).diagnostics
