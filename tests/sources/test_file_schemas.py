"""Manifests, scenes and looks that can be read, but not as what they are: what is meant is told."""

from __future__ import annotations

import pytest

from edict.report import Diagnostic, edited
from edict.sources.file_schemas import FIXED, check_written, fixed_schema
from edict.sources.yaml_reader import read_yaml
from edict.text import Source

MANIFEST = "name: house\ntitle: House\nversion: 1.0.0\nkind: module\nrequires: [kingsburg]\n"
SCENES = "scenes:\n  - name: One\n    start: game\n    then: {over: yes}\n"
LOOK = 'light:\n  paper: "#efe6d2"\n'


def found_in(schema: str, text: str) -> list[Diagnostic]:
    return check_written(schema, read_yaml(Source("file.yaml", text)).unwrap())


@pytest.mark.parametrize(
    ("schema", "text", "old", "new", "meant"),
    [
        ("module", MANIFEST, "requires", "depends", "requires"),
        ("module", MANIFEST, "requires", "depends_on", "requires"),
        ("module", MANIFEST, "requires", "require", "requires"),
        ("module", MANIFEST, "kind: module", "kind: expansion", "module"),
        ("module", MANIFEST, "name: house", "name: My House", "my-house"),
        ("scenes", SCENES, "then", "expect", "then"),
        ("scenes", SCENES, "start", "begin", "start"),
        ("scenes", SCENES, "scenes", "tests", "scenes"),
        ("module", MANIFEST, "version: 1.0.0", "version: 1.0.0,", "1.0.0"),
        ("module", MANIFEST, "kind: module", "kind: module;", "module"),
        ("module", MANIFEST, "[kingsburg]", "[kingsburg >= 1.0]", "kingsburg"),
        ("scenes", "players: 3\n" + SCENES, "players: 3", "players: three", "3"),
        ("look", LOOK, '"#efe6d2"', '"#EFE6D2"', '"#efe6d2"'),
        ("look", LOOK, '"#efe6d2"', "efe6d2", '"#efe6d2"'),
        ("look", LOOK, '"#efe6d2"', '"#eed"', '"#eeeedd"'),
    ],
)
def test_what_is_meant_is_told_and_helps(schema: str, text: str, old: str, new: str, meant: str) -> None:
    wrong = text.replace(old, new)
    told = next(one for one in found_in(schema, wrong) if one.edits)
    assert f"`{meant}`" in told.help
    assert not found_in(schema, edited(wrong, told.edits))


@pytest.mark.parametrize("schema", ["module", "look", "scenes", "table", "tutorial"])
@pytest.mark.parametrize("text", ["~", "hello", "5", "---\n", "[]", "- a", "- a: b", "- 5", "'q'", "- [a]"])
def test_a_file_that_is_no_map_is_told_what_it_consists_of(schema: str, text: str) -> None:
    (found,) = found_in(schema, text)
    assert found.code == "E0145" and found.help and found.span.line > 0
    assert "`- `" in found.help or any(key in found.help for key in fixed_schema(schema).get("required", ["light"]))


def test_nothing_is_without_a_remedy() -> None:
    (unknown,) = found_in("module", MANIFEST + "author: Ben\n")
    assert unknown.help.startswith("delete it, or write one of these") and not unknown.edits
    (twice,) = found_in("module", MANIFEST + "depends: [pig]\n")
    assert twice.help == "delete it: `requires` is here already"
    (listed,) = found_in("scenes", "scenes:\n  name: One\n")
    assert "begins with `- `" in listed.note and listed.help == "write `- name: One`"
    (more,) = found_in("scenes", "scenes:\n  name: One\n  start: game\n")
    assert more.help == "write `- name: One`, and its other lines two spaces further than the `-`"
    (mapped,) = found_in("module", MANIFEST + "renamed:\n  - trader: merchant\n")
    assert "no list" in mapped.note and "`trader: merchant`, without `- `" in mapped.help


@pytest.mark.parametrize("name", FIXED)
def test_synonyms_stand_for_what_a_schema_knows_and_are_not_known_themselves(name: str) -> None:
    def walk(part: object) -> None:
        if isinstance(part, dict):
            known = {*part.get("properties", {}), *part.get("enum", [])}
            for word, meant in part.get("synonyms", {}).items():
                assert meant in known and word not in known
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            walk(inner)

    walk(fixed_schema(name))
