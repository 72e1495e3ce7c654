"""Validation of things by schemas derived from their kinds, and of files by fixed schemas."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from dataclass_schemas import make_program_schema, make_view_schema
from edict.compiler.layering.thing_json import to_data
from edict.compiler.layering.thing_validation import derive_kind_schema, validate_things
from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.file_schemas import SCHEMA_NAMES, load_schema, validate_yaml_data
from edict.compiler.sources.json_schema import is_valid
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.sources.yaml_reader import read_yaml
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.support.report import Diagnostic
from edict.support.text import Source
from findings import format_diagnostics, load_mistakes
from shipped import catalogue

ROOT = Path(__file__).resolve().parents[3]
KINDS = """\
resource wood
resource stone
die d6 with 6 sides
group good is wood, stone

kind row

row upper
row lower

kind hut "Hut"
  place row
  column number from 1 to 4
  height number, optional
  cost amounts, optional
  gift effect, optional
  open truth, optional
  beside hut or none, optional
  pays good, optional
  seats set of row, optional
  worth is column * 2

"""
MILL = "hut mill\n  place upper\n  column 2\n"


def build_book(text: str) -> t.Book:
    page = parse(Source("page.edict", KINDS + text)).unwrap()
    return t.Book({d.name.word: d for d in page.definitions}, ())


def find_faults(text: str) -> list[Diagnostic]:
    return list(validate_things(build_book(text)).diagnostics)


def get_kind(of: t.Book, name: str) -> t.Kind:
    one = of.definitions[name]
    assert isinstance(one, t.Kind)
    return one


# --- schemas of kinds --------------------------------------------------------------------------


def test_kind_schema_matches_the_kind() -> None:
    of = build_book(MILL)
    schema = derive_kind_schema(get_kind(of, "hut"), of)
    Draft202012Validator.check_schema(schema)
    fields = schema["properties"]["fields"]
    assert fields["required"] == ["place", "column"] and fields["additionalProperties"] is False
    assert fields["properties"]["place"]["enum"] == ["upper", "lower"]
    assert (fields["properties"]["column"]["minimum"], fields["properties"]["column"]["maximum"]) == (1, 4)
    assert set(fields["properties"]["cost"]["properties"]) == {"wood", "stone", "d6"}
    assert fields["properties"]["gift"]["minItems"] == 1
    assert fields["properties"]["beside"]["enum"] == ["mill", "none"]
    assert fields["properties"]["pays"]["enum"] == ["wood", "stone"]
    assert "worth" not in fields["properties"]
    json.dumps(schema)


def test_thing_is_converted_to_plain_data() -> None:
    text = 'hut mill "Mill"\n  place upper\n  column 2\n  height -3\n  cost 2 wood, 1 stone\n  open yes\n'
    of = build_book(text + "  gift\n    gain 1 wood\n    nothing\n  seats upper\n  adjust height by 1\n")
    mill = of.definitions["mill"]
    assert isinstance(mill, t.Thing)
    assert to_data(mill, get_kind(of, "hut")).data == {
        "kind": "hut",
        "name": "mill",
        "title": "Mill",
        "fields": {
            "place": "upper",
            "column": 2,
            "height": -3,
            "cost": {"wood": 2, "stone": 1},
            "open": True,
            "gift": ["gain", "nothing"],
            "seats": ["upper"],
        },
        "abilities": [{"ability": "adjust", "of": "height"}],
    }
    assert not validate_things(of).diagnostics


GOOD = [
    "  cost 2 wood\n",
    "  cost 1 d6\n",
    "  gift gain 1 wood\n",
    "  gift nothing\n",
    "  open no\n",
    "  beside none\n",
    "  beside mill\n",
    "  height -9\n",
    "  pays wood\n",
    "  seats rows\n",
    "  seats upper\n",
    "",
]


def test_valid_thing_is_accepted_without_jsonschema(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    monkeypatch.setattr("edict.compiler.layering.thing_validation.create_validator", lambda _: pytest.fail("loaded"))
    for line in GOOD:
        with subtests.test(line=line):
            assert not find_faults(MILL + line)


VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-2, 6), st.sampled_from(["upper", "mill", "none", "wood", "", "x"])),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["wood", "d6", "expression"]), inner),
    max_leaves=3,
)
FIELDS = ("place", "column", "height", "cost", "gift", "open", "beside", "pays", "seats", "worth")
HUTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["hut", "row"]),
        "name": st.just("mill"),
        "fields": st.dictionaries(st.sampled_from(FIELDS), VALUES),
    },
    optional={"title": VALUES, "abilities": VALUES},
)


@given(data=st.one_of(HUTS, VALUES), fields=st.fixed_dictionaries(dict.fromkeys(FIELDS[:4], VALUES)))
def test_is_valid_agrees_with_jsonschema(data: Any, fields: dict[str, Any]) -> None:
    of = build_book(MILL)
    kind = of.definitions["hut"]
    assert isinstance(kind, t.Kind)
    schema = derive_kind_schema(kind, of)
    validator = Draft202012Validator(schema)
    for one in (data, {"kind": "hut", "name": "mill", "fields": {"place": "upper", "column": 2, **fields}}):
        assert is_valid(one, schema) == validator.is_valid(one)
    for name, part in schema["properties"]["fields"]["properties"].items():
        for value in fields.values():
            assert is_valid(value, part) == Draft202012Validator(part).is_valid(value), name


def test_is_valid_rejects_unknown_keywords() -> None:
    with pytest.raises(KeyError):
        is_valid("x", {"type": "string", "pattern": "y"})


def test_invalid_value_is_reported_at_its_place_with_a_remedy(subtests: pytest.Subtests) -> None:
    for one in load_mistakes(Path(__file__).with_name("thing_mistakes.yaml")):
        with subtests.test(one=one):
            rules = MILL + f"  {one['line']}\n" if "line" in one else one["things"]
            assert format_diagnostics(find_faults(rules)) == one["said"]


def test_number_out_of_range_is_reported(subtests: pytest.Subtests) -> None:
    for value in ("1", "4"):
        with subtests.test(value=value):
            assert not find_faults(f"hut mill\n  place upper\n  column {value}\n")


# --- fixed schemas -----------------------------------------------------------------------------


def test_fixed_schemas_are_valid_schemas(subtests: pytest.Subtests) -> None:
    for name in SCHEMA_NAMES:
        with subtests.test(name=name):
            schema = load_schema(name)
            Draft202012Validator.check_schema(schema)
            assert schema["$schema"].endswith("2020-12/schema") and schema["$id"] == f"edict:{name}"


def test_unknown_schema_name_is_refused() -> None:
    with pytest.raises(KeyError, match="module, scenes, table, program"):
        load_schema("../../secrets")
    assert {path.name.split(".")[0] for path in (ROOT / "grammar" / "schema").glob("*.json")} == set(SCHEMA_NAMES)


@pytest.mark.parametrize("made", [make_program_schema(), make_view_schema()], ids=["program", "view"])
def test_dataclass_schema_equals_the_stored_one(made: dict[str, Any]) -> None:
    name = made["$id"].partition(":")[2]
    assert load_schema(name) == made, "run tests/kit/dataclass_schemas.py, with tests/kit on PYTHONPATH"


@pytest.mark.parametrize("name", ["pig", "kuhn-poker"])
def test_compiled_program_satisfies_its_schema(name: str) -> None:
    text = compile_rules(name, fresh=True).unwrap().to_json()
    errors = list(Draft202012Validator(load_schema("program")).iter_errors(json.loads(text)))
    assert not errors, errors[:3]


@cache
def parse_page(source: Source) -> t.Page:
    return parse(source).unwrap()


def test_schemas_of_shipped_kinds_are_valid_schemas() -> None:
    for name in sorted(catalogue()):
        *_, own = modules = gather_modules(name).value or ()
        definitions: dict[str, t.Definition] = {}
        for module in modules:
            for source in module.sources:
                definitions |= {d.name.word: d for d in parse_page(source).definitions if not isinstance(d, t.Amend)}
        for one in (d for source in own.sources for d in parse_page(source).definitions if isinstance(d, t.Kind)):
            Draft202012Validator.check_schema(derive_kind_schema(one, t.Book(definitions, ())))


def validate_text(text: str, name: str) -> list[Diagnostic]:
    return validate_yaml_data(name, read_yaml(Source("f.yaml", text)).unwrap())


TABLES = {
    "players:\n  - name: Ann\n  - name: Bo\n    bot: random\nseed: 7\nsettings: {years: 3, long: on}\n": [],
    "players:\n  - nmae: Ann\n": ["E0144"],  # told once, at the key that is misspelt
    "players:\n  - colour: red\n": ["E0143", "E0144"],
    "players: []\n": ["E0145"],
    "players: Ann\n": ["E0145"],
    "game: pig\n": ["E0143"],
    "players: [{name: Ann}]\nsettings: {years: [3]}\n": ["E0145"],
    "players: [{name: Ann}]\ndice: loaded\n": ["E0145"],
    "- players\n": ["E0145"],
    "": ["E0143"],
}


def test_table_file_validation(subtests: pytest.Subtests) -> None:
    for text, codes in TABLES.items():
        with subtests.test(text=text):
            diagnostics = validate_text(text, "table")
            assert sorted(d.code for d in diagnostics) == codes
            assert all(d.help and d.span.file == "f.yaml" for d in diagnostics)
