"""YAML files with syntax errors, which get a place and a repaired line, or with values that their schemas refuse."""

from __future__ import annotations

import pytest

from edict.compiler.sources.file_schemas import SCHEMA_NAMES, load_schema, validate_yaml_data
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
    ("requires: [kingsburg]", "requires: [kingsburg", "never closed"),
    ("summary: One.", "summary: @home", "double quotes"),
    ("summary: One.", "summary: *", "double quotes"),
]


def test_faulty_line_is_reported_and_repaired(subtests: pytest.Subtests) -> None:
    for line, written, said in BROKEN:
        with subtests.test(written=written):
            text = GOOD.replace(line, written)
            (found,) = read_yaml(Source("module.yaml", text)).diagnostics
            assert said in found.title
            assert text.split("\n")[found.span.line - 1] == written
            assert read_yaml(Source("module.yaml", apply_edits(text, found.edits))).ok


def test_unrepairable_yaml_gets_the_parsers_message() -> None:
    (found,) = read_yaml(Source("module.yaml", "a: [\n}\n  - {\n" * 3)).diagnostics
    assert found.code == "E0140" and not found.edits


def test_comment_stays_behind_a_repaired_line() -> None:
    text = "name = house  # ours\ntitle House\n"
    (found,) = read_yaml(Source("module.yaml", text)).diagnostics
    assert (found.help, found.span.end_column) == ("write `name: house`", len("name = house") + 1)
    assert apply_edits(text, found.edits) == "name: house  # ours\ntitle House\n"


def test_missing_colon_is_found_above_indented_lines() -> None:
    text = "scenes:\n  - name Ann gets a gold\n    start: start of summer\n    then\n      Ann: {gold: 1}\n"
    (found,) = read_yaml(Source("scenes.yaml", text)).diagnostics
    assert (found.title, found.span.line) == ("a colon is missing after `name`", 2)
    (other,) = read_yaml(Source("scenes.yaml", apply_edits(text, found.edits))).diagnostics
    assert (other.title, other.span.line) == ("a colon is missing after `then`", 4)
    assert read_yaml(Source("scenes.yaml", apply_edits(apply_edits(text, found.edits), other.edits))).ok


def test_tab_is_replaced_by_the_next_lines_indentation() -> None:
    text = "scenes:\n  - play:\n      - Ann: yes\n\tstart: game\n    then: {over: no}\n"
    (found,) = read_yaml(Source("scenes.yaml", text)).diagnostics
    assert found.span.line == 4 and apply_edits(text, found.edits) == text.replace("\t", "    ")


def test_write_yaml_keeps_order_and_is_read_back() -> None:
    data = {"name": "pig", "kind": "game", "year": "2", "owner": LineMap({"Zoë": ["a", "b"], "Ann": "no"})}
    text = "name: pig\nkind: game\nyear: '2'\nowner:\n  Zoë: [a, b]\n  Ann: no\n"
    assert write_yaml(data) == text
    written = read_yaml(Source("page", text)).unwrap()
    assert written.data == data and written.span_of(("owner", "Zoë", 1, "c")) == written.places["owner", "Zoë", 1]


# --- against their schemas ------------------------------------------------------------------------


WHOLE_MANIFEST = "name: house\ntitle: House\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [kingsburg]\n"
SCENES = "scenes:\n  - name: One\n    start: game\n    then: {over: yes}\n"
LOOK = 'light:\n  paper: "#efe6d2"\n'


def validate_text(schema: str, text: str) -> list[Diagnostic]:
    return validate_yaml_data(schema, read_yaml(Source("file.yaml", text)).unwrap())


# schema, text, correct part, its wrong replacement, and the suggestion
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
    ("module", WHOLE_MANIFEST, "[kingsburg]", "[kingsburg 1.0]", '"kingsburg>=1.0"'),
    ("module", WHOLE_MANIFEST, "[kingsburg]", "[kingsburg^1.2]", '"kingsburg>=1.2"'),
    ("module", WHOLE_MANIFEST, "requires: [kingsburg]", "over: [kingsburg >= 1.0]", "kingsburg"),
    ("scenes", "players: 3\n" + SCENES, "players: 3", "players: three", "3"),
    ("look", LOOK, '"#efe6d2"', '"#EFE6D2"', '"#efe6d2"'),
    ("look", LOOK, '"#efe6d2"', "efe6d2", '"#efe6d2"'),
    ("look", LOOK, '"#efe6d2"', '"#eed"', '"#eeeedd"'),
)


def test_schema_error_gets_a_fix_that_is_valid(subtests: pytest.Subtests) -> None:
    for schema, text, old, new, meant in MEANT:
        with subtests.test(new=new):
            wrong = text.replace(old, new)
            told = next(one for one in validate_text(schema, wrong) if one.edits)
            assert f"`{meant}`" in told.help
            assert not validate_text(schema, apply_edits(wrong, told.edits))


NO_MAP = ("~", "hello", "5", "---\n", "[]", "- a", "- a: b", "- 5", "'q'", "- [a]")


@pytest.mark.parametrize("schema", ["module", "look", "scenes", "table", "tutorial"])
def test_file_that_is_no_map_is_told_its_keys(schema: str, subtests: pytest.Subtests) -> None:
    for text in NO_MAP:
        with subtests.test(text=text):
            (found,) = validate_text(schema, text)
            assert found.code == "E0145" and found.help and found.span.line > 0
            known = load_schema(schema).get("required", ["light"])
            assert "`- `" in found.help or any(key in found.help for key in known)


def test_every_schema_error_has_a_remedy() -> None:
    (unknown,) = validate_text("module", WHOLE_MANIFEST + "author: Ben\n")
    assert unknown.help.startswith("delete it, or write one of these") and not unknown.edits
    (twice,) = validate_text("module", WHOLE_MANIFEST + "depends: [pig]\n")
    assert twice.help == "delete it: `requires` is here already"
    (listed,) = validate_text("scenes", "scenes:\n  name: One\n")
    assert "begins with `- `" in listed.note and listed.help == "write `- name: One`"
    (more,) = validate_text("scenes", "scenes:\n  name: One\n  start: game\n")
    assert more.help == "write `- name: One`, and its other lines two spaces further than the `-`"
    (apart,) = validate_text("scenes", "name: One\nstart: game\n")
    assert apart.title == "`name` and `start` belong to an item of `scenes`" and "`scenes:` above" in apart.help
    (mapped,) = validate_text("module", WHOLE_MANIFEST + "renamed:\n  - trader: merchant\n")
    assert "not a list" in mapped.note and "`trader: merchant`, without `- `" in mapped.help


@pytest.mark.parametrize("name", SCHEMA_NAMES)
def test_synonyms_map_unknown_words_to_known_ones(name: str) -> None:
    def walk(part: object) -> None:
        if isinstance(part, dict):
            known = {*part.get("properties", {}), *part.get("enum", [])}
            for word, meant in part.get("synonyms", {}).items():
                assert meant in known and word not in known
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            walk(inner)

    walk(load_schema(name))
