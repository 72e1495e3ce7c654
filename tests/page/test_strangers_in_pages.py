"""Strangers' rules in a page: whatever they take, they end in a worker of their own, and the page goes on."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from browsing import chromium
from calling import asked_once
from whole_pages import PATIENCE, WHOLE, hosted

QUESTION = """\
choose one "How?"
  option "Much"
    {much}
  option "Little"
    gain 1 point
"""
FOR_EVER = "repeat 9000 times\n      repeat 9000 times\n        gain 1 point"
DEEP = "".join(f"\nquantity q{one} is q{one - 1} + q{one - 1}" for one in range(1, 4000)) + "\nquantity q0 is 1\n"
ASK = """async ([path, sent, zip]) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(sent)) body.append(name, value);
  if (zip) body.append("module", new File([Uint8Array.from(atob(zip), (one) => one.charCodeAt(0))], "rules.zip"));
  const answer = await fetch(path, Object.keys(sent).length ? { method: "POST", body } : {});
  return [answer.status, await answer.text()];
}"""
TWO = {"game": "pig", "seat-0": "person", "name-0": "Ann", "seat-1": "person", "name-1": "Ben"}


@WHOLE
@pytest.mark.parametrize(
    ("much", "more", "says"),
    [(FOR_EVER, "", "would run for ever, or far too long"), ("gain q3999 point", DEEP, "were stopped")],
    ids=["for ever", "deep"],
)
def test_rules_that_take_too_much_are_stopped_and_the_page_goes_on(
    much: str, more: str, says: str, page_made: Path
) -> None:
    with hosted(page_made) as (at, _), chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{at}/game/")
        page.frame_locator("#application").locator("section.begin").first.wait_for()

        def ask(path: str, sent: dict[str, str] | None = None, files: str = "") -> Any:
            return page.frames[1].evaluate(ASK, [f"{at}/game{path}", sent or {}, files])

        packed = io.BytesIO()
        with ZipFile(packed, "w") as rules:
            for name, content in asked_once("greedy-rules", QUESTION.format(much=much)).items():
                rules.writestr(name, content)
            rules.writestr("more.edict", more)
        status, text = ask("/tables", TWO, base64.b64encode(packed.getvalue()).decode())
        if status == 200:
            seats = re.findall(r'href="[^"]*(/seat/[\w-]+)"', text)
            shown = {seat: ask(seat)[1] for seat in seats}
            asked = next(seat for seat, found in shown.items() if 'value="much"' in found)
            version = re.findall(r'name="version" value="(\d+)"', shown[asked])[0]
            text = ask(f"{asked}/answer", {"version": version, "answer": "much", "since": ""})[1]
        assert says in text
        assert ask("/play", {"name": "Ann"})[0] == 200, "there is another table"
