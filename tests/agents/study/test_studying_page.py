"""The Python code of docs/guides/python.md and docs/guides/research.md runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from calling import make_environment
from edict.agents.study import table_files
from edict.agents.study.tuning_report import TUNING_COLUMNS

needs_pyarrow = pytest.mark.skipif(not table_files.is_available(), reason="pyarrow is an extra, and not installed here")


@pytest.mark.slow
@needs_pyarrow
def test_code_on_the_pages_runs(root: Path, tmp_path: Path) -> None:
    guides = root / "docs" / "guides"
    pages = "".join((guides / page).read_text(encoding="utf-8") for page in ("python.md", "research.md"))
    blocks = re.findall(r"^```python\n(.*?)^```", pages, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env=make_environment(tmp_path),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr
    told = ran.stdout
    assert "200 ['game', 'seed'" in told
    wins = [int(share) for share in re.findall(r"(\d+)% of the wins", told)]
    assert len(wins) == 3 and wins[2] < min(wins[:2]), "greedy beats random"
    thrifty, greedy = (re.search(rf"{name} (\[.*?\])", told) for name in ("thrifty", "greedy"))
    assert thrifty and greedy
    assert sum(map(int, re.findall(r"-?\d+", thrifty[1]))) < sum(map(int, re.findall(r"-?\d+", greedy[1])))
    chips = re.search(r"([+-][\d.]+) chips a game at first, ([+-][\d.]+) in the end", told)
    assert chips and float(chips[2]) > float(chips[1]), "it learned"
    beats = re.search(r"greedy beats three random bots in (\d+)%", told)
    assert beats and int(beats[1]) > 90
    assert not [line for line in ran.stderr.splitlines() if "Warning" in line]


@pytest.mark.parametrize("library", ["altair", "matplotlib"])
def test_code_that_plots_a_tuning_runs(
    library: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pandas", library):
        pytest.importorskip(name, reason=f"{name} is no dependency: only this recipe uses it")
    guide = (root / "docs" / "guides" / "studying.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```python\n(import {library}.*?)^```", guide, re.MULTILINE | re.DOTALL)
    columns = ",".join(TUNING_COLUMNS)
    rows = [
        f'"cost",{value},,,"built","Inn","%",{share},{share - 5},{share + 5},25,40,"",500,"open"'
        for value, share in ((3, 48), (4, 12))
    ]
    (tmp_path / "curve.csv").write_text("\n".join([columns, *rows]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "studying.md", "exec"), {})
    assert len(list(tmp_path.glob("curve.*"))) == 2
