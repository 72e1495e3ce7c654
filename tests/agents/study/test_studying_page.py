"""The Python code of docs/guides/python.md and docs/guides/research.md runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from calling import make_environment
from edict.agents.study import table_files

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
