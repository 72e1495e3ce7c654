"""What a tool gives: data, the same as a text to be read, or one clear reason why not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from edict.support.rendering import escape_terminal
from edict.support.report import RulesError


@dataclass(frozen=True, slots=True)
class ToolResult:
    """data: as the tool's schema says. text: what whoever reads rather than computes is shown."""

    data: dict[str, Any]
    text: str

    @staticmethod
    def of(data: dict[str, Any]) -> ToolResult:
        """Data for which there are no better words."""
        return ToolResult(data, json.dumps(data, ensure_ascii=False))


class ToolFailure(Exception):
    """It cannot be done as it was asked; `remedy` says what would do. Stays as it is between processes."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason, self.remedy = escape_terminal(reason), escape_terminal(remedy)
        super().__init__(self.reason, self.remedy)

    @property
    def text(self) -> str:
        """Both in one message."""
        return f"{self.reason}\nhelp: {self.remedy}" if self.remedy else self.reason

    @staticmethod
    def with_rules(problem: RulesError) -> ToolFailure:
        """The first thing that is wrong with rules, and how many more there are."""
        first, more = problem.diagnostics[0], len(problem.diagnostics) - 1
        others = f"; {more} more, which `check` tells" if more else ""
        return ToolFailure(f"the rules have errors: {problem.first} [{first.code}]{others}", first.help)
