"""The page that needs no server in Firefox, alone and at one table with Chromium (`make firefox`)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from whole_pages import hosted

PUPPETEER = os.environ.get("EDICT_PUPPETEER", "")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
CHROMIUM = shutil.which("chromium") or ""
SCRIPT = Path(__file__).resolve().parents[2] / "kit" / "page_in_firefox.mjs"
PATIENCE = 1200.0  # seconds, on however busy a machine


@pytest.mark.skipif(not (PUPPETEER and FIREFOX and CHROMIUM), reason="two browsers and npm: `make firefox` runs it")
def test_firefox_plays_writes_and_sits_at_one_table_with_chromium(page_made: Path) -> None:
    with hosted(page_made) as (at, _):
        asked = ["node", str(SCRIPT), PUPPETEER, f"{at}/game/", str(FIREFOX), CHROMIUM]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
