"""The code of docs/guides/learners.md runs as it stands."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

import pytest

from edict.runtime.simulation import native
from edict.support.resources import get_shipped_folder

PAGE = get_shipped_folder() / "docs" / "guides" / "learners.md"
NEEDED = {"gym": ("pettingzoo", "gymnasium"), "openspiel": ("pyspiel",)}
BLOCKS = re.findall(r"```python (\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(("extra", "code"), BLOCKS, ids=[f"{extra}-{i}" for i, (extra, _) in enumerate(BLOCKS)])
def test_code_on_the_page_runs(extra: str, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not all(find_spec(module) for module in NEEDED[extra]) or not native.is_available():
        pytest.skip(f"the extra {extra} is not installed here")
    found: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), found)
    if "num_envs=512" in code:
        assert capsys.readouterr().out.startswith("(512, 2082) (512, 108) ")
    if "value" in found:
        assert found["value"][0] == pytest.approx(-1 / 18, abs=0.01)


def test_page_has_code_for_every_library() -> None:
    assert {extra for extra, _ in BLOCKS} == set(NEEDED)
