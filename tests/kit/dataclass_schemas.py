"""JSON Schemas of formats whose shape is that of dataclasses: one source, so that the two cannot differ.

`python tests/kit/dataclass_schemas.py` writes them anew to `grammar/schema`.
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


def program_schema() -> dict[str, Any]:
    about = "Linked rules as integers, with the words that belong to them."
    made = _schema(program.Program, _records(program), "program", "compiled program", about)
    made["properties"]["format"] = {"const": program.FORMAT}
    return made


def view_schema() -> dict[str, Any]:
    about = "What one seat may see of a game: printed by `games view`."
    made = _schema(view_data.ViewData, _records(view_data), "view", "a game as one seat may see it", about)
    made["properties"]["format"] = {"const": view_data.FORMAT}
    made["$defs"] |= {"value": VALUE, "die": DIE}
    for name, cls in ((c.__name__.lower(), c) for c in _records(view_data) if c is not view_data.ViewData):
        made["$defs"][name] = {"description": " ".join((getdoc(cls) or "").split()), **made["$defs"][name]}
    return made


def _records(module: ModuleType) -> list[type]:
    records = [c for c in vars(module).values() if isinstance(c, type) and dataclasses.is_dataclass(c)]
    return [c for c in records if c.__module__.startswith(module.__name__)]


def _schema(root: type, records: Iterable[type], name: str, title: str, about: str) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"edict:{name}",
        "title": title,
        "description": about,
        **_record(root),
        "$defs": {c.__name__.lower(): _record(c) for c in records if c is not root},
    }


def _record(cls: Any) -> dict[str, Any]:
    hints, names = get_type_hints(cls), [f.name for f in dataclasses.fields(cls)]
    properties = {name: _json_type(hints[name]) for name in names}
    return {"type": "object", "additionalProperties": False, "required": names, "properties": properties}


def _json_type(of: Any) -> dict[str, Any]:
    """The schema of a type as these dataclasses use them."""
    args, origin = get_args(of), get_origin(of)
    if of in PLAIN:
        return {"type": PLAIN[of]}
    if of is Any:
        return {"$ref": "#/$defs/value"}
    if dataclasses.is_dataclass(of):
        return {"$ref": f"#/$defs/{getattr(of, '__name__', '').lower()}"}
    if origin is dict:
        return {"type": "object", "additionalProperties": _json_type(args[1])}
    if origin is list or origin is tuple and args[-1] is Ellipsis:
        return {"type": "array", "items": _json_type(args[0])}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_json_type(x) for x in args], "items": False, "minItems": len(args)}
    return {"anyOf": [{"type": "null"} if x is type(None) else _json_type(x) for x in args]}


def written(schema: dict[str, Any]) -> str:
    """The text of a schema's file."""
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    for made in (program_schema(), view_schema()):
        name = made["$id"].partition(":")[2]
        (FOLDER / f"{name}.schema.json").write_text(written(made), encoding="utf-8")
