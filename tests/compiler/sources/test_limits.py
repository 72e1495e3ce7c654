"""Limits of files, folders, packed modules and zip files, each at its last allowed value and one above."""

from __future__ import annotations

import base64
import io
import json
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from edict.compiler.sources import folders, packing, zipped
from edict.compiler.sources.folders import list_files, parse_manifest
from edict.compiler.sources.input_limits import LONGEST_NAME
from edict.compiler.sources.module_lookup import load_module
from edict.compiler.sources.packing import pack_modules, unpack_modules
from edict.compiler.sources.yaml_reader import read_yaml
from edict.compiler.sources.zipped import InvalidZipError, extract_module
from edict.support.text import Source

MANIFEST = "name: tea\ntitle: Tea\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [kingsburg]\n"


def create_files(folder: Path, rules: int, others: int = 0) -> Path:
    """Fill a folder with empty rule files and other files."""
    for number in range(rules):
        (folder / f"rule-{number}.edict").touch()
    for number in range(others):
        (folder / f"other-{number}.txt").touch()
    return folder


@pytest.mark.parametrize(
    ("rules", "others", "refused"),
    [
        (3, 2, ""),  # five names, three of them of rules
        (3, 3, "more than 5 files"),
        (4, 0, "4 `.edict` files"),
        (4, 1, "4 `.edict` files"),
        (4, 2, "more than 5 files"),
    ],
)
def test_list_files_refuses_more_files_than_the_limits(
    rules: int, others: int, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MOST_NAMES", 5)
    monkeypatch.setattr(folders, "MOST_FILES", 3)
    found = list_files(create_files(tmp_path, rules, others), ".edict")
    if refused:
        (told,) = found.diagnostics
        assert found.value is None and refused in f"{told.title} {told.note}"
    else:
        assert found.ok and [one.name for one in found.value or ()] == ["rule-0.edict", "rule-1.edict", "rule-2.edict"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a" * (LONGEST_NAME - 6) + ".edict", ""),
        ("a" * (LONGEST_NAME - 5) + ".edict", "a" * 40 + "..."),
        ("\u202e" + "a" * (LONGEST_NAME - 12) + ".edict", r"\x202e" + "a" * (LONGEST_NAME - 12) + ".edict"),
        ("\u202e" + "a" * (LONGEST_NAME - 11) + ".edict", r"\x202e" + "a" * 34 + "..."),
    ],
)
def test_list_files_refuses_unsafe_names_and_shortens_them_in_messages(name: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    found = list_files(tmp_path, ".edict")
    assert found.ok is not bool(shown)
    if shown:
        (told,) = found.diagnostics
        assert told.title.startswith(f"`{shown}` in ")


def test_manifest_list_refuses_more_modules_than_the_limit(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setattr(folders, "MOST_MODULES", 3)
    for key, base in (("over", MANIFEST), ("requires", MANIFEST.replace("requires: [kingsburg]\n", ""))):
        for names, fits in (("a, b, c", True), ("a, b, c, d", False)):
            with subtests.test(names=names):
                found = read_yaml(Source("module.yaml", f"{base}{key}: [{names}]\n")).and_then(parse_manifest)
                assert found.ok is fits
                assert fits or found.diagnostics[0].title == f"`{key}` names 4 modules"


# --- packed -------------------------------------------------------------------------------------------


def encode_pack(data: Any) -> str:
    return base64.b64encode(zlib.compress(json.dumps(data).encode())).decode()


def build_module_data(files: Iterable[str] = ("tea/tea.edict",), **more: Any) -> dict[str, Any]:
    return {"manifest": MANIFEST, "files": dict.fromkeys(files, "# nothing\n"), "beside": [], **more}


def test_unpack_restores_packed_module() -> None:
    module = load_module("pig").unwrap()
    (again,) = unpack_modules(pack_modules((module,))).unwrap()
    assert (again.manifest.name, again.manifest.requires) == (module.manifest.name, module.manifest.requires)
    assert [(one.name, one.text) for one in again.sources] == [(one.name, one.text) for one in module.sources]
    assert again.look == module.look


PACKED = (
    ([build_module_data()] * 3, True),
    ([build_module_data()] * 4, False),
    ([build_module_data(f"tea/{name}.edict" for name in "ab")], True),
    ([build_module_data(f"tea/{name}.edict" for name in "abc")], False),
    ([build_module_data(["tea/with/milk/a.edict"])], True),
    ([build_module_data(["../a.edict"])], False),
    ([build_module_data(["tea/a.txt"])], False),
    ([build_module_data(files=()) | {"files": {"tea/a.edict": 5}}], False),
    (build_module_data(), False),
    ([5], False),
)


def test_unpack_rejects_invalid_or_oversized_data(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    monkeypatch.setattr(packing, "MOST_MODULES", 3)
    monkeypatch.setattr(packing, "MOST_FILES", 2)
    for data, fits in PACKED:
        with subtests.test(data=data):
            found = unpack_modules(encode_pack(data))
            assert found.ok is fits
            assert fits or [one.code for one in found.diagnostics] == ["E0140"]
    for languages, kept in ((["de"], 1), (["de", "it"], 2), (["de", "fr", "it"], 0)):  # more than files may be
        with subtests.test(languages=languages):
            (module,) = unpack_modules(
                encode_pack([build_module_data(words=dict.fromkeys(languages, "texts: {}\n"))])
            ).unwrap()
            assert len(module.words) == kept


# --- zipped -------------------------------------------------------------------------------------------


def build_zip(*files: tuple[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files:
            archive.writestr(name, text)
    return made.getvalue()


def build_file(size: int) -> list[tuple[str, str]]:
    """Return a rule file that has this size together with the manifest."""
    return [("a.edict", "1" * (size - len(MANIFEST)))]


ZIPPED: tuple[tuple[list[tuple[str, str]], str], ...] = (
    ([("a.edict", "1"), ("b.edict", "2")], ""),
    ([("a.edict", "1"), ("b.edict", "2"), ("c.edict", "3")], "its 4 files have"),
    ([("a.edict", "1"), ("A.edict", "2")], "two of its files have the same name"),
    (build_file(300), ""),
    (build_file(301), "its 2 files have 301 bytes"),
    ([("a.edict", "1"), *((f"{number}.png", "") for number in range(4))], ""),
    ([("a.edict", "1"), *((f"{number}.png", "") for number in range(5))], "it contains 7 files"),
)


def test_extract_module_enforces_the_limits(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    monkeypatch.setattr(zipped, "MOST_FILES", 2)
    monkeypatch.setattr(zipped, "MOST_TOTAL", 300)
    monkeypatch.setattr(zipped, "MOST_NAMES", 6)
    for files, refused in ZIPPED:
        with subtests.test(files=files):
            raw = build_zip(("tea/module.yaml", MANIFEST), *((f"tea/{name}", text) for name, text in files))
            if refused:
                with pytest.raises(InvalidZipError, match=refused):
                    extract_module(raw)
            else:
                rules = {name: text.encode() for name, text in files if name.endswith(".edict")}
                assert extract_module(raw) == ("tea", {"module.yaml": MANIFEST.encode(), **rules})
