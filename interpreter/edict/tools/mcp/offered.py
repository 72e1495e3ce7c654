"""The tools that are offered: read from `grammar/assistants.yaml`, with the schemas of what they take and give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from edict.agents.bots import BOTS
from edict.agents.bots.kinds import thinks
from edict.compiler.sources.file_schemas import fixed_schema
from edict.compiler.sources.json_schema import validator_of
from edict.compiler.syntax.grammar_tables import grammar_table
from edict.support.morphology import quote_words
from edict.support.report import suggest_word
from edict.tools.mcp.results import ToolFailure

FILE = "assistants.yaml"
REF = "#/$defs/"
Schema = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """takes, gives: JSON Schemas of objects. keeps: what it changes, memory or disk. long: it may take minutes."""

    name: str
    title: str
    about: str
    takes: Schema
    gives: Schema
    keeps: str
    long: bool

    @cached_property
    def _validator(self) -> Any:
        return validator_of(self.takes)

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments, if they can be taken. Raises `ToolFailure`."""
        wrong = next(self._wrong(arguments), None)
        if wrong is not None:
            raise wrong
        return {name: _whole(value) for name, value in arguments.items()}

    def _wrong(self, arguments: Mapping[str, Any]) -> Iterator[ToolFailure]:
        known = self.takes["properties"]
        for name in arguments:
            if name not in known:
                remedy = suggest_word(name, known) or f"it takes {quote_words(known, 'and') or 'nothing'}"
                yield ToolFailure(f"`{self.name}` takes no `{name}`", remedy)
        for name in self.takes["required"]:
            if name not in arguments:
                yield ToolFailure(f"`{self.name}` lacks `{name}`", known[name].get("description", ""))
        for error in self._validator.iter_errors(dict(arguments)):
            place = ".".join(map(str, error.absolute_path))
            yield ToolFailure(f"`{place}` of `{self.name}`: {error.message[:200]}", error.schema.get("description", ""))


def _whole(value: Any) -> Any:
    """Whole numbers as such, also where somebody writes 3.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def tools(folder: str) -> dict[str, Tool]:
    """All of them by name. folder: a sentence that says where files may be written."""
    return {name: _tool(name, said, folder) for name, said in grammar_table("tools", FILE).items()}


def instructions(folder: str) -> str:
    """What whoever uses them is told first."""
    text: str = grammar_table("instructions", FILE)
    return text.replace("{folder}", folder)


def _tool(name: str, said: Mapping[str, Any], folder: str) -> Tool:
    takes = {
        "type": "object",
        "properties": {key: _written_out(one) for key, one in said["takes"].items()},
        "required": said["needs"],
        "additionalProperties": False,
    }
    about = " ".join(said["about"].replace("{folder}", folder).split())
    keeps, long = said.get("keeps", ""), said.get("lasts") == "minutes"
    return Tool(name, said["title"], about, takes, _given(said["gives"]), keeps, long)


@cache
def _defs() -> Schema:
    bots = [kind for kind in BOTS if not thinks(kind)]
    told = "How bots play; without it, greedy, which plays well where the rules have weights for it."
    return {**grammar_table("defs", FILE), "bot": {"description": told, "enum": bots}}


def _written_out(schema: Any) -> Any:
    """A schema in which nothing is referred to: not every program follows references in what a tool takes."""
    if isinstance(schema, list):
        return [_written_out(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {key: _written_out(one) for key, one in schema.items() if key != "$ref"}
    return {**_written_out(_defs()[schema["$ref"].removeprefix(REF)]), **rest} if "$ref" in schema else rest


def _given(said: Any) -> Schema:
    """What a tool gives: a file's schema, or an object with these properties."""
    if isinstance(said, str):
        return {key: one for key, one in fixed_schema(said).items() if key not in ("$schema", "$id")}
    made = {"type": "object", "properties": said, "required": list(said), "$defs": dict[str, Any]()}
    _gather(said, made["$defs"])
    return made


def _gather(schema: Any, found: Schema) -> None:
    """All that a schema refers to, also at second hand."""
    for one in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        _gather(one, found)
    name = schema["$ref"].removeprefix(REF) if isinstance(schema, dict) and "$ref" in schema else ""
    if name and name not in found:
        found[name] = _shape(name)
        _gather(found[name], found)


def _shape(name: str) -> Schema:
    """A view may be given in part; what it refers to is found where it is."""
    view = fixed_schema("view")
    whole = {key: view[key] for key in ("type", "description", "properties", "additionalProperties")}
    shapes = {**_defs(), **grammar_table("shapes", FILE), **view["$defs"], "view": whole}
    return dict(shapes[name])
