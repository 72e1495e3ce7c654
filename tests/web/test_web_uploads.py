"""A stranger's module as a zip file: played at a table if it is one, refused with a reason if it is anything else."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from calling import GAME, manifest
from serving import Opened, form
from starlette.testclient import TestClient

from edict.sources.input_limits import MOST_BYTES, MOST_FILES
from edict.table.journal import parse_journal
from edict.web.new_tables import WrongUpload, rules_with

MANIFEST = """\
name: loud
title: "<b>Loud</b>"
version: 1.0.0
kind: module
language: 1
requires: [pig]
"""
RULES = """\
setting noise "<script>alert(1)</script>" is 3 from 1 to 9
"""


def zipped(files: Mapping[str, str | bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


MANY = {"module.yaml": MANIFEST} | {f"{number}.edict": RULES for number in range(MOST_FILES + 1)}
MODULE = {"loud/module.yaml": MANIFEST, "loud/loud.edict": RULES, "loud/README.md": "me", "loud/scenes/a.yaml": "x"}


def test_it_is_played_at_a_table_and_the_game_keeps_it(client: TestClient) -> None:
    for files in (MODULE, {name.removeprefix("loud/"): text for name, text in MODULE.items()}):
        sent = {"data": form("pig", ["person", "person"]), "files": {"module": ("loud.zip", zipped(files))}}
        table = Opened.of(client, client.post("/tables", **sent, follow_redirects=True))
        assert "<script>alert" not in client.get(f"/seat/{table.seats[0]}").text
        assert table.view(table.seats[0])["game"]["modules"] == ["loud"]
        journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
        assert journal.header.modules == ("loud",) and journal.keeps_rules and journal.bundle


def test_nothing_of_it_stays_on_the_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert rules_with(zipped(MODULE), "pig", ()).modules == ("loud",)
    assert not list(tmp_path.iterdir())


EVIL = {
    "module.yaml": manifest("sample", "game"), "rules.edict": GAME,
    "look.yaml": "light: {accent: 'url(https://evil.example.org)'}\n",
}  # fmt: skip
WRONG = {
    "no zip": (b"hello", "not a zip file"),
    "empty": (zipped({}), "no file `module.yaml`"),
    "only elsewhere": (zipped({"../module.yaml": MANIFEST}), "no file `module.yaml`"),
    "absolute": (zipped({"/etc/module.yaml": MANIFEST}), "no file `module.yaml`"),
    "two": (zipped({"a/module.yaml": MANIFEST, "b/module.yaml": MANIFEST}), "several files `module.yaml`"),
    "same name": (zipped({"module.yaml": MANIFEST, "A.edict": RULES, "a.edict": RULES}), "the same name"),
    "bomb": (zipped({"module.yaml": MANIFEST, "a.edict": b"#" * (MOST_BYTES + 1)}), "a file may have"),
    "many": (zipped(MANY), "are allowed"),
    "unusual": (zipped({"module.yaml": MANIFEST}, zipfile.ZIP_LZMA), "unusual"),
    "torn": (zipped(MODULE)[:-8], "not a zip file"),
    "binary": (zipped({"module.yaml": b"\xff\xfe\0"}), "UTF-8"),
    "no map": (zipped({"module.yaml": "~", "a.edict": RULES}), "this file cannot be"),
    "no look": (zipped(EVIL), "look.yaml"),
    "not allowed": (zipped({"module.yaml": MANIFEST, "a.edict": "nonsense"}), "The module cannot be played"),
}


def test_anything_else_is_refused_with_a_reason(client: TestClient) -> None:
    for what, (raw, reason) in WRONG.items():
        sent = form("pig", ["person", "person"])
        done = client.post("/tables", data=sent, files={"module": ("x.zip", raw)})
        assert done.status_code == 422, what
        assert reason in done.text.replace("&#34;", '"').replace("&#39;", "'"), what


def test_what_lies_elsewhere_in_it_is_not_read() -> None:
    files = {**MODULE, "../evil.edict": "nonsense", "loud/../../evil.edict": "nonsense", "other/evil.edict": "nonsense"}
    assert rules_with(zipped(files), "pig", ()).modules == ("loud",)


def test_a_file_whose_check_is_wrong_is_damaged() -> None:
    raw = bytearray(zipped({"module.yaml": MANIFEST}, zipfile.ZIP_STORED))
    place = raw.index(b"loud")
    raw[place] ^= 1
    with pytest.raises(WrongUpload, match="damaged"):
        rules_with(bytes(raw), "pig", ())
