"""Programs read from JSON, as `Program.to_json` writes it."""

from __future__ import annotations

import json
from typing import Any

from edict.runtime.program import (
    FORMAT,
    AnnouncementPart,
    Cause,
    DiceLayout,
    EffectRoutine,
    EntryValue,
    Fork,
    Grouping,
    LinkedKind,
    LinkedPanelPart,
    LinkedSetting,
    LinkedThing,
    Panel,
    PanelLine,
    Period,
    Program,
    Query,
    Question,
    Stage,
    StateVariable,
    ValueType,
)
from edict.runtime.program.reasons import parse_reasons


def _to_tuples(value: Any) -> Any:
    """Return a JSON value with all its lists, at any depth, as tuples."""
    return tuple(_to_tuples(v) for v in value) if isinstance(value, list) else value


def parse_program(text: str) -> Program:
    """Parse a program.

    Raises:
        ValueError: If the text is no program, or of another format.
    """
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"this is not a program of format {FORMAT}")
    fields: dict[str, Any] = {key: _to_tuples(value) for key, value in data.items()}

    def parse_type(raw: dict[str, Any]) -> ValueType:
        return ValueType(**raw)

    fields["kinds"] = tuple(
        LinkedKind(
            k["name"],
            k["title"],
            k["plural"],
            tuple(LinkedThing(**x) for x in k["things"]),
            tuple(Grouping(x["title"], tuple(x["labels"])) for x in k.get("groupings", ())),
        )
        for k in data["kinds"]
    )
    fields["variables"] = tuple(
        StateVariable(
            **{**v, "type": parse_type(v["type"])} | {key: tuple(v[key]) for key in ("kinds", "sizes", "tallies")}
        )
        for v in data["variables"]
    )
    fields["questions"] = tuple(_parse_question(q) for q in data["questions"])
    fields["says"] = tuple(
        AnnouncementPart(**{**s, "type": parse_type(s["type"]) if s["type"] else None}) for s in data["says"]
    )
    fields["causes"] = tuple(Cause(**c) for c in data["causes"])
    fields["forks"] = tuple(Fork(**f) for f in data["forks"])
    fields["periods"] = tuple(Period(**{**p, "abilities": tuple(p["abilities"])}) for p in data["periods"])
    fields["brought"] = tuple(EntryValue(**{**b, "type": parse_type(b["type"])}) for b in data["brought"])
    fields["carriers"] = tuple(EffectRoutine(**c) for c in data["carriers"])
    fields["stages"] = _parse_stages(data["stages"])
    fields["settings"] = tuple(LinkedSetting(**s) for s in data["settings"])
    fields["dice"] = DiceLayout(data["dice"]["width"], _to_tuples(data["dice"]["kinds"]))
    fields["shifts"] = {k: _to_tuples(v) for k, v in data["shifts"].items()}
    fields["panels"] = tuple(_parse_panel(p) for p in data["panels"])
    fields["queries"] = tuple(
        Query(**{**q, "params": tuple(q["params"]), "type": parse_type(q["type"])}) for q in data["queries"]
    )
    fields["reasons"] = parse_reasons(data["reasons"])
    return Program(**fields)


def _parse_stages(raw: list[dict[str, Any]]) -> tuple[Stage, ...]:
    """Build the stages of a course, with those within each, from JSON data."""
    return tuple(Stage(**{**stage, "within": _parse_stages(stage["within"])}) for stage in raw)


def _parse_panel(raw: dict[str, Any]) -> Panel:
    """Build a panel with its lines and those above it from JSON data."""
    return Panel(**{**raw, "lines": _parse_panel_lines(raw["lines"]), "above": _parse_panel_lines(raw["above"])})


def _parse_question(raw: dict[str, Any]) -> Question:
    """Build a question with its answers, labels, keys and titles from JSON data."""
    several = {name: tuple(raw[name]) for name in ("answers", "labels", "keys")}
    return Question(**{**raw, **several, "titles": _parse_panel_lines(raw["titles"])})


def _parse_panel_lines(raw: list[dict[str, Any]]) -> tuple[PanelLine, ...]:
    """Build the lines of a panel with their linked parts from JSON data."""
    return tuple(
        PanelLine(**{**line, "parts": tuple(LinkedPanelPart(**part) for part in line["parts"])}) for line in raw
    )
