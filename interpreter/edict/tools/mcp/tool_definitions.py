"""Definitions of the tools from `grammar/assistants.yaml`, with JSON Schemas of their arguments and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from edict.agents.bots import BOTS
from edict.agents.bots.bot_registry import is_search
from edict.compiler.sources.file_schemas import load_schema
from edict.compiler.sources.json_schema import create_validator
from edict.compiler.syntax.grammar_tables import load_grammar_table
from edict.support.morphology import quote_words
from edict.support.records import dataclass
from edict.support.report import suggest_word
from edict.tools.mcp.results import ToolFailure

FILE = "assistants.yaml"
REF = "#/$defs/"
Schema = dict[str, Any]


@dataclass(frozen=True)
class ToolDefinition:
    """A tool that assistants can call."""

    name: str
    title: str
    about: str
    takes: Schema  # JSON Schema of the arguments
    gives: Schema  # JSON Schema of the result
    changes: str  # what it changes: `memory`, `disk` or nothing
    is_slow: bool  # it may take minutes

    @cached_property
    def _validator(self) -> Any:
        return create_validator(self.takes)

    def validate_arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments, whole numbers as int. Raises `ToolFailure` if they are not valid."""
        failure = next(self._iter_failures(arguments), None)
        if failure is not None:
            raise failure
        return {name: _normalize_number(value) for name, value in arguments.items()}

    def _iter_failures(self, arguments: Mapping[str, Any]) -> Iterator[ToolFailure]:
        """Yield a failure for every unknown, missing and invalid argument, in this order."""
        properties = self.takes["properties"]
        for name in arguments:
            if name not in properties:
                suggestion = (
                    suggest_word(name, properties) or f"it takes {quote_words(properties, 'and') or 'no arguments'}"
                )
                yield ToolFailure(f"`{self.name}` takes no `{name}`", suggestion)
        for name in self.takes["required"]:
            if name not in arguments:
                yield ToolFailure(f"`{self.name}` lacks `{name}`", properties[name].get("description", ""))
        for error in self._validator.iter_errors(dict(arguments)):
            place = ".".join(map(str, error.absolute_path))
            yield ToolFailure(f"`{place}` of `{self.name}`: {error.message[:200]}", error.schema.get("description", ""))


def _normalize_number(value: Any) -> Any:
    """Return an integer for a whole number such as 3.0, any other value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def load_tools(folder: str) -> dict[str, ToolDefinition]:
    """Return all tools by name.

    Args:
        folder: A sentence that says where files may be written, for the descriptions.
    """
    return {name: _parse_tool(name, entry, folder) for name, entry in load_grammar_table("tools", FILE).items()}


def load_instructions(folder: str) -> str:
    """Return the instructions that an assistant gets first.

    Args:
        folder: A sentence that says where files may be written.
    """
    text: str = load_grammar_table("instructions", FILE)
    return text.replace("{folder}", folder)


def _parse_tool(name: str, entry: Mapping[str, Any], folder: str) -> ToolDefinition:
    """Return the tool of an entry in `assistants.yaml`, with the drafts' folder filled into its description."""
    takes = {
        "type": "object",
        "properties": {key: _inline_references(argument_schema) for key, argument_schema in entry["takes"].items()},
        "required": entry["needs"],
        "additionalProperties": False,
    }
    about = " ".join(entry["about"].replace("{folder}", folder).split())
    changes, is_slow = entry.get("keeps", ""), entry.get("lasts") == "minutes"
    return ToolDefinition(name, entry["title"], about, takes, _result_schema(entry["gives"]), changes, is_slow)


@cache
def _load_definitions() -> Schema:
    """Return the schemas that tools refer to, and `bot`, an enum of the bots that do not search."""
    bots = [kind for kind in BOTS if not is_search(kind)]
    description = "How bots play; the default is greedy, which plays well if the rules have weights for it."
    return {**load_grammar_table("defs", FILE), "bot": {"description": description, "enum": bots}}


def _inline_references(schema: Any) -> Any:
    """Return a schema without references, because not every program follows them in arguments."""
    if isinstance(schema, list):
        return [_inline_references(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    own_keys = {key: _inline_references(part) for key, part in schema.items() if key != "$ref"}
    if "$ref" in schema:
        return {**_inline_references(_load_definitions()[schema["$ref"].removeprefix(REF)]), **own_keys}
    return own_keys


def _result_schema(entry: Any) -> Schema:
    """Return the schema of a result: that of a file, or an object with these properties."""
    if isinstance(entry, str):
        return {key: part for key, part in load_schema(entry).items() if key not in ("$schema", "$id")}
    schema = {"type": "object", "properties": entry, "required": list(entry), "$defs": dict[str, Any]()}
    _collect_references(entry, schema["$defs"])
    return schema


def _collect_references(schema: Any, definitions: Schema) -> None:
    """Add the schema of every name that a schema refers to, directly or not, to `definitions`."""
    if isinstance(schema, list):
        for part in schema:
            _collect_references(part, definitions)
    if not isinstance(schema, dict):
        return
    for part in schema.values():
        _collect_references(part, definitions)
    name = schema.get("$ref", "").removeprefix(REF)
    if name and name not in definitions:
        definitions[name] = _load_shape(name)
        _collect_references(definitions[name], definitions)


def _load_shape(name: str) -> Schema:
    """Return the schema with this name from the tables of shapes; that of `view` without required parts."""
    view = load_schema("view")
    partial_view = {key: view[key] for key in ("type", "description", "properties", "additionalProperties")}
    shapes = {**_load_definitions(), **load_grammar_table("shapes", FILE), **view["$defs"], "view": partial_view}
    return dict(shapes[name])
