"""The Python code of pages that no other test runs: scenes, checking, views."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from calling import ROOT, run_kingsburg

PAGES = ("guides/scenes.md", "guides/checking.md", "reference/views.md")


@pytest.mark.parametrize("page", PAGES)
def test_python_code_on_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    assert run_kingsburg(tmp_path, "new", "my-variant").returncode == 0
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), page, "exec"), {})
