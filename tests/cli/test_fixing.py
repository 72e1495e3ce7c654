"""`check --fix`: remedies that are told to the letter are carried out, in one's own files, and every line is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import GAME, ROOT, kingsburg, manifest, write



@pytest.fixture
def house(tmp_path: Path) -> Path:
    write(tmp_path, {
        "sample/module.yaml": manifest("sample", "game"), "sample/page.edict": GAME,
        "house/module.yaml": manifest("house").replace("kind:", "kind") + "requires: [sample]\n",
        "house/page.edict": "Amend card acee\r\n  worth 2\r\n\r\nadjust luk by 1 if seats of you == 3\r\n",
    })  # fmt: skip
    return tmp_path / "house"


def test_one_mistake_behind_the_other_is_mended(house: Path) -> None:
    done = kingsburg(house.parent, "check", "house", "--fix")
    assert (house / "module.yaml").read_text(encoding="utf-8").endswith("kind: module\nrequires: [sample]\n")
    text = (house / "page.edict").read_bytes().decode("utf-8")
    assert text == "amend card ace\r\n  worth 2\r\n\r\nadjust luk by 1 if seats of you = 3\r\n"
    assert "house/page.edict:1: fixed E0103: `Amend` is written in lowercase\n  - Amend card acee\n" in done.stdout
    assert done.returncode == 1 and "nothing is called `luk`" in done.stdout, "what is left is told"


def test_rules_in_order_stay_as_they_are(tmp_path: Path) -> None:
    write(tmp_path, {"sample/module.yaml": manifest("sample", "game"), "sample/page.edict": GAME})
    done = kingsburg(tmp_path, "check", "sample", "--fix")
    assert (done.returncode, done.stdout) == (0, "sample: no errors\n")
    assert (tmp_path / "sample" / "page.edict").read_text(encoding="utf-8") == GAME


def test_what_only_a_person_can_choose_is_left(tmp_path: Path) -> None:
    write(tmp_path, {
        "house/module.yaml": manifest("house", requires="[kingsburg]"),
        "house/page.edict": "when start of summer\n  gain 1 gold\n",
    })  # fmt: skip
    before = (ROOT / "rules" / "year.edict").read_bytes()
    done = kingsburg(tmp_path, "check", "house", "--fix")
    assert done.returncode == 1 and "E0530" in done.stdout and "fixed" not in done.stdout
    assert (tmp_path / "house" / "page.edict").read_text(encoding="utf-8") == "when start of summer\n  gain 1 gold\n"
    assert (ROOT / "rules" / "year.edict").read_bytes() == before
