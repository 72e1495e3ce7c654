"""A program read back from JSON, as `Program.to_json` writes it."""

from __future__ import annotations

import json
from typing import Any

from edict.runtime.program import (
    FORMAT,
    Brought,
    Carrier,
    Cause,
    DiceLayout,
    Fork,
    Kind,
    Panel,
    PanelLine,
    PanelPart,
    Period,
    Program,
    Query,
    Question,
    Say,
    Setting,
    Stage,
    Thing,
    Type,
    Variable,
)
from edict.runtime.program.reasons import reasons_from


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value


def from_json(text: str) -> Program:
    """Read a program back. Raises `ValueError` if it is none, or of another format."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"this is not a program of format {FORMAT}")
    build: dict[str, Any] = {key: _tuples(value) for key, value in data.items()}

    def typed(raw: dict[str, Any]) -> Type:
        return Type(**raw)

    build["kinds"] = tuple(Kind(**{**k, "things": tuple(Thing(**x) for x in k["things"])}) for k in data["kinds"])
    build["variables"] = tuple(
        Variable(**{**v, "type": typed(v["type"])} | {key: tuple(v[key]) for key in ("kinds", "sizes", "tallies")})
        for v in data["variables"]
    )
    build["questions"] = tuple(_question(q) for q in data["questions"])
    build["says"] = tuple(Say(**{**s, "type": typed(s["type"]) if s["type"] else None}) for s in data["says"])
    build["causes"] = tuple(Cause(**c) for c in data["causes"])
    build["forks"] = tuple(Fork(**f) for f in data["forks"])
    build["periods"] = tuple(Period(**{**p, "abilities": tuple(p["abilities"])}) for p in data["periods"])
    build["brought"] = tuple(Brought(**{**b, "type": typed(b["type"])}) for b in data["brought"])
    build["carriers"] = tuple(Carrier(**c) for c in data["carriers"])
    build["stages"] = _stages(data["stages"])
    build["settings"] = tuple(Setting(**s) for s in data["settings"])
    build["dice"] = DiceLayout(data["dice"]["width"], _tuples(data["dice"]["kinds"]))
    build["shifts"] = {k: _tuples(v) for k, v in data["shifts"].items()}
    build["panels"] = tuple(_panel(p) for p in data["panels"])
    build["queries"] = tuple(
        Query(**{**q, "params": tuple(q["params"]), "type": typed(q["type"])}) for q in data["queries"]
    )
    build["reasons"] = reasons_from(data["reasons"])
    return Program(**build)


def _stages(raw: list[dict[str, Any]]) -> tuple[Stage, ...]:
    return tuple(Stage(**{**stage, "within": _stages(stage["within"])}) for stage in raw)


def _panel(raw: dict[str, Any]) -> Panel:
    return Panel(**{**raw, "lines": _panel_lines(raw["lines"]), "above": _panel_lines(raw["above"])})


def _question(raw: dict[str, Any]) -> Question:
    several = {name: tuple(raw[name]) for name in ("answers", "labels", "keys")}
    return Question(**{**raw, **several, "titles": _panel_lines(raw["titles"])})


def _panel_lines(raw: list[dict[str, Any]]) -> tuple[PanelLine, ...]:
    return tuple(PanelLine(**{**line, "parts": tuple(PanelPart(**part) for part in line["parts"])}) for line in raw)
