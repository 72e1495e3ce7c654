"""JSON Schemas of formats defined by dataclasses, generated so that the two cannot differ.

`python tests/kit/dataclass_schemas.py` writes them to `grammar/schema`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from inspect import getdoc
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_origin, get_type_hints

from edict.game.explanations import view_data
from edict.runtime import program

FOLDER = Path(__file__).parent.parent.parent / "grammar" / "schema"
PLAIN = {int: "integer", str: "string", bool: "boolean"}
VALUE = {
    "description": "A number, a truth, a name, null for nothing, a list; or an object of values by what they are of. "
    'A list holds names, numbers or dice. {"hidden": true} is what the seat may not know.',
    "anyOf": [
        {"type": ["integer", "boolean", "string", "null"]},
        {"type": "array", "items": {"anyOf": [{"type": ["integer", "string"]}, {"$ref": "#/$defs/die"}]}},
        {"const": {"hidden": True}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}},
    ],
}
DIE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["die", "face"],
    "properties": {"die": {"type": "string"}, "face": {"type": "integer"}},
}


def make_program_schema() -> dict[str, Any]:
    about = "Linked rules as integers, with the words that belong to them."
    schema = _make_schema(program.Program, _list_dataclasses(program), "program", "compiled program", about)
    schema["properties"]["format"] = {"const": program.FORMAT}
    return schema


def make_view_schema() -> dict[str, Any]:
    about = "What one seat may see of a game: printed by `games view`."
    schema = _make_schema(
        view_data.ViewData, _list_dataclasses(view_data), "view", "a game as one seat may see it", about
    )
    schema["properties"]["format"] = {"const": view_data.FORMAT}
    schema["$defs"] |= {"value": VALUE, "die": DIE}
    for name, cls in (
        (dataclass_.__name__.lower(), dataclass_)
        for dataclass_ in _list_dataclasses(view_data)
        if dataclass_ is not view_data.ViewData
    ):
        schema["$defs"][name] = {"description": " ".join((getdoc(cls) or "").split()), **schema["$defs"][name]}
    return schema


def _list_dataclasses(module: ModuleType) -> list[type]:
    records = [
        candidate
        for candidate in vars(module).values()
        if isinstance(candidate, type) and dataclasses.is_dataclass(candidate)
    ]
    return [candidate for candidate in records if candidate.__module__.startswith(module.__name__)]


def _make_schema(root: type, records: Iterable[type], name: str, title: str, about: str) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"edict:{name}",
        "title": title,
        "description": about,
        **_record_schema(root),
        "$defs": {record.__name__.lower(): _record_schema(record) for record in records if record is not root},
    }


def _record_schema(cls: Any) -> dict[str, Any]:
    hints, fields = get_type_hints(cls), dataclasses.fields(cls)
    required = [field.name for field in fields if not field.metadata.get(program.OMITTED_IF_EMPTY)]
    properties = {field.name: _json_type(hints[field.name]) for field in fields}
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def _json_type(type_: Any) -> dict[str, Any]:
    """Return the schema of a type as these dataclasses use it."""
    args, origin = get_args(type_), get_origin(type_)
    if type_ in PLAIN:
        return {"type": PLAIN[type_]}
    if type_ is Any:
        return {"$ref": "#/$defs/value"}
    if dataclasses.is_dataclass(type_):
        return {"$ref": f"#/$defs/{getattr(type_, '__name__', '').lower()}"}
    if origin is dict:
        return {"type": "object", "additionalProperties": _json_type(args[1])}
    if origin is list or origin is tuple and args[-1] is Ellipsis:
        return {"type": "array", "items": _json_type(args[0])}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_json_type(x) for x in args], "items": False, "minItems": len(args)}
    return {"anyOf": [{"type": "null"} if x is type(None) else _json_type(x) for x in args]}


def to_text(schema: dict[str, Any]) -> str:
    """Return the text of a schema file."""
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    for made in (make_program_schema(), make_view_schema()):
        name = made["$id"].partition(":")[2]
        (FOLDER / f"{name}.schema.json").write_text(to_text(made), encoding="utf-8")
