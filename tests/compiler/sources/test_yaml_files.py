"""Files written in YAML: one that cannot be read is told where and why, with the line as it can be; so is one that does
not fit its schema."""

from __future__ import annotations

import pytest

from edict.compiler.sources.file_schemas import FIXED, check_written, fixed_schema
from edict.compiler.sources.yaml_reader import LineMap, read_yaml, write_yaml
from edict.support.report import Diagnostic, apply_edits
from edict.support.text import Source

GOOD = "name: house\ntitle: House\nrequires: [kingsburg]\nsummary: One.\n"

BROKEN = [
    ("name: house", "name:house", "a space is missing after `name:`"),
    ("name: house", "name house", "a colon is missing"),
    ("title: House", "title = House", "a colon is missing"),
    ("title: House", "title House  # or: Home", "a colon is missing"),
    ("title: House", "title: House: the second", "double quotes"),
    ("title: House", 'title: "House', "no closing quote"),
    ("title: House", "title: 'Bob's house'", "double quotes"),
    ("title: House", "\ttitle: House", "tab"),
    ("title: House", "  title: House", "begins after 2 spaces"),
    ("requires: [kingsburg]", "requires: [kingsburg", "not closed"),
    ("summary: One.", "summary: @home", "double quotes"),
    ("summary: One.", "summary: *", "double quotes"),
]


def test_the_line_is_named_and_mended() -> None:
    for line, written, said in BROKEN:
        text = GOOD.replace(line, written)
        (found,) = read_yaml(Source("module.yaml", text)).diagnostics
        assert said in found.title, written
        assert text.split("\n")[found.span.line - 1] == written
        assert read_yaml(Source("module.yaml", apply_edits(text, found.edits))).ok, written


def test_what_no_change_of_a_line_mends_is_told_by_the_reader() -> None:
    (found,) = read_yaml(Source("module.yaml", "a: [\n}\n  - {\n" * 3)).diagnostics
    assert found.code == "E0140" and not found.edits


def test_a_comment_is_not_part_of_what_to_write_and_stays() -> None:
    text = "name = house  # ours\ntitle House\n"
    (found,) = read_yaml(Source("module.yaml", text)).diagnostics
    assert (found.help, found.span.end_column) == ("write `name: house`", len("name = house") + 1)
    assert apply_edits(text, found.edits) == "name: house  # ours\ntitle House\n"


def test_a_colon_is_missed_where_a_line_opens_others() -> None:
    text = "scenes:\n  - name Ann gets a gold\n    start: start of summer\n    then\n      Ann: {gold: 1}\n"
    (found,) = read_yaml(Source("scenes.yaml", text)).diagnostics
    assert (found.title, found.span.line) == ("a colon is missing after `name`", 2)
    (other,) = read_yaml(Source("scenes.yaml", apply_edits(text, found.edits))).diagnostics
    assert (other.title, other.span.line) == ("a colon is missing after `then`", 4)
    assert read_yaml(Source("scenes.yaml", apply_edits(apply_edits(text, found.edits), other.edits))).ok


def test_a_line_stands_over_the_next_one_where_it_fits_nowhere_else() -> None:
    text = "scenes:\n  - play:\n      - Ann: yes\n\tstart: game\n    then: {over: no}\n"
    (found,) = read_yaml(Source("scenes.yaml", text)).diagnostics
    assert found.span.line == 4 and apply_edits(text, found.edits) == text.replace("\t", "    ")


def test_what_is_written_keeps_its_order_and_is_read_as_it_was() -> None:
    data = {"name": "pig", "kind": "game", "year": "2", "owner": LineMap({"Zoë": ["a", "b"], "Ann": "no"})}
    text = "name: pig\nkind: game\nyear: '2'\nowner:\n  Zoë: [a, b]\n  Ann: no\n"
    assert write_yaml(data) == text
    written = read_yaml(Source("page", text)).unwrap()
    assert written.data == data and written.place(("owner", "Zoë", 1, "c")) == written.places["owner", "Zoë", 1]


# --- against their schemas ------------------------------------------------------------------------


WHOLE_MANIFEST = "name: house\ntitle: House\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [kingsburg]\n"
SCENES = "scenes:\n  - name: One\n    start: game\n    then: {over: yes}\n"
LOOK = 'light:\n  paper: "#efe6d2"\n'


def found_in(schema: str, text: str) -> list[Diagnostic]:
    return check_written(schema, read_yaml(Source("file.yaml", text)).unwrap())


MEANT = (
    ("module", WHOLE_MANIFEST, "requires", "depends", "requires"),
    ("module", WHOLE_MANIFEST, "requires", "depends_on", "requires"),
    ("module", WHOLE_MANIFEST, "requires", "require", "requires"),
    ("module", WHOLE_MANIFEST, "kind: module", "kind: expansion", "module"),
    ("module", WHOLE_MANIFEST, "name: house", "name: My House", "my-house"),
    ("scenes", SCENES, "then", "expect", "then"),
    ("scenes", SCENES, "start", "begin", "start"),
    ("scenes", SCENES, "scenes", "tests", "scenes"),
    ("module", WHOLE_MANIFEST, "version: 1.0.0", "version: 1.0.0,", "1.0.0"),
    ("module", WHOLE_MANIFEST, "kind: module", "kind: module;", "module"),
    ("module", WHOLE_MANIFEST, "[kingsburg]", "[kingsburg >= 1.0]", "kingsburg"),
    ("scenes", "players: 3\n" + SCENES, "players: 3", "players: three", "3"),
    ("look", LOOK, '"#efe6d2"', '"#EFE6D2"', '"#efe6d2"'),
    ("look", LOOK, '"#efe6d2"', "efe6d2", '"#efe6d2"'),
    ("look", LOOK, '"#efe6d2"', '"#eed"', '"#eeeedd"'),
)
"""Schema, text, what is written otherwise in it and how, and what is told to have been meant."""


def test_what_is_meant_is_told_and_helps() -> None:
    for schema, text, old, new, meant in MEANT:
        wrong = text.replace(old, new)
        told = next(one for one in found_in(schema, wrong) if one.edits)
        assert f"`{meant}`" in told.help, new
        assert not found_in(schema, apply_edits(wrong, told.edits)), new


NO_MAP = ("~", "hello", "5", "---\n", "[]", "- a", "- a: b", "- 5", "'q'", "- [a]")


@pytest.mark.parametrize("schema", ["module", "look", "scenes", "table", "tutorial"])
def test_a_file_that_is_no_map_is_told_what_it_consists_of(schema: str) -> None:
    for text in NO_MAP:
        (found,) = found_in(schema, text)
        assert found.code == "E0145" and found.help and found.span.line > 0, text
        known = fixed_schema(schema).get("required", ["light"])
        assert "`- `" in found.help or any(key in found.help for key in known), text


def test_nothing_is_without_a_remedy() -> None:
    (unknown,) = found_in("module", WHOLE_MANIFEST + "author: Ben\n")
    assert unknown.help.startswith("delete it, or write one of these") and not unknown.edits
    (twice,) = found_in("module", WHOLE_MANIFEST + "depends: [pig]\n")
    assert twice.help == "delete it: `requires` is here already"
    (listed,) = found_in("scenes", "scenes:\n  name: One\n")
    assert "begins with `- `" in listed.note and listed.help == "write `- name: One`"
    (more,) = found_in("scenes", "scenes:\n  name: One\n  start: game\n")
    assert more.help == "write `- name: One`, and its other lines two spaces further than the `-`"
    (apart,) = found_in("scenes", "name: One\nstart: game\n")
    assert apart.title == "`name` and `start` belong to an item of `scenes`" and "`scenes:` above" in apart.help
    (mapped,) = found_in("module", WHOLE_MANIFEST + "renamed:\n  - trader: merchant\n")
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
