"""What a scene gives of a secret that is counted is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.scenes.scene_runner import run_module

RULES = """
resource coin "coin/coins"
kind card "card/cards"
card penny "Penny"
card crown "Crown"

keep seating as order of player, quiet
keep pack of player as {shape} of card, secret but counted

game sample "Sample"
  players 2 to 3
  order seating
  winners players with most coin of it
  score coin of you
  course
    play counting

phase counting "Counting"
  each player
    gain count of pack of you coin
    if pack of you is empty
      gain 9 coin
"""
SCENES = """
scenes:
  - name: What is given is counted
    players: [Ann, Brian]
    start: phase counting
    given:
      Ann: {{pack: {given}}}
    then:
      Ann: {{coin: {coins}}}
      Brian: {{coin: 9}}
"""


GIVEN = [("bag", "{Penny: 3, Crown: 1}", 4), ("set", "[Penny, Crown]", 2)]


@pytest.mark.parametrize(("shape", "given", "coins"), GIVEN)
def test_what_is_given_is_counted(tmp_path: Path, shape: str, given: str, coins: int) -> None:
    manifest = "name: sample\ntitle: Sample\nversion: 1.0.0\nkind: game\n"
    scenes = SCENES.format(given=given, coins=coins)
    rules = RULES.format(shape=shape)
    for name, text in {"module.yaml": manifest, "rules.edict": rules, "scenes/a.yaml": scenes}.items():
        (tmp_path / "sample" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sample" / name).write_text(text, encoding="utf-8")
    report = run_module(tmp_path / "sample")
    assert report.ok, report.text()
