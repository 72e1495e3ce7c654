"""The page in Firefox, alone and at one table with Chromium (`make firefox`)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from whole_pages import host_files

PUPPETEER = os.environ.get("EDICT_PUPPETEER", "")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
CHROMIUM = shutil.which("chromium") or ""
SCRIPT = Path(__file__).resolve().parents[2] / "kit" / "page_in_firefox.mjs"
TIMEOUT = 1200.0  # seconds


@pytest.mark.skipif(not (PUPPETEER and FIREFOX and CHROMIUM), reason="two browsers and npm: `make firefox` runs it")
def test_firefox_plays_writes_rules_and_joins_a_table_with_chromium(page_made: Path) -> None:
    with host_files(page_made) as (address, _):
        command = ["node", str(SCRIPT), PUPPETEER, f"{address}/game/", str(FIREFOX), CHROMIUM]
        process = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
