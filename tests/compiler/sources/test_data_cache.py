"""The cache of the data in YAML files: what it gives is what parsing gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.compiler.sources import folders, yaml_reader
from edict.compiler.sources.data_cache import load_or_parse
from edict.compiler.sources.folders import parse_manifest
from edict.compiler.sources.module_lookup import list_shipped_modules
from edict.compiler.sources.written_data import WrittenData
from edict.compiler.sources.yaml_reader import read_yaml
from edict.support.report import Outcome
from edict.support.text import Source

MANIFEST = "name: eggs\ntitle: Eggs\nversion: 1.0.0\nkind: game\nlanguage: 1\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))


def test_cached_data_equal_parsed_data(subtests: pytest.Subtests) -> None:
    for folder in list_shipped_modules():
        for file in (folder / "module.yaml", folder / "look.yaml", *(folder / "words").glob("*.yaml")):
            if file.is_file():
                source = Source(str(file), file.read_text(encoding="utf-8"))
                with subtests.test(file=str(file)):
                    parsed = load_or_parse("any", source, Outcome)
                    assert parsed.ok and parsed == load_or_parse("any", source, lambda _: pytest.fail("it was cached"))


def test_manifest_survives_the_cache_with_its_places() -> None:
    source = Source("eggs/module.yaml", MANIFEST)
    parsed = read_yaml(source).and_then(parse_manifest)
    for _ in range(2):
        folders._parse_manifest_text.cache_clear()
        cached = folders._parse_manifest_text(source)
        assert cached == parsed and cached.unwrap().places == parsed.unwrap().places


def test_changed_file_is_parsed_again_and_file_with_findings_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed_texts = list[str]()

    def parse(source: Source) -> Outcome[WrittenData]:
        parsed_texts.append(source.text)
        return read_yaml(source)

    monkeypatch.setattr(yaml_reader, "read_yaml", parse)
    texts = ("a: 1\n", "a: 1\n", "a: 2\n", "a: [\n", "a: [\n", "a: 2\n")
    assert [load_or_parse("any", Source("x.yaml", text), Outcome).ok for text in texts] == [True] * 3 + [False] * 2 + [
        True
    ]
    assert parsed_texts == ["a: 1\n", "a: 2\n", "a: [\n", "a: [\n"]
    assert len(list((tmp_path / "cache" / "data").iterdir())) == 1, "only the last text of a file is kept"
