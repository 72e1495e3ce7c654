"""Results of tools: data with a readable text, or a failure with a reason."""

from __future__ import annotations

import json
from typing import Any

from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError
from edict.support.request_errors import RequestError
from edict.tools.operations import OperationResult


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool."""

    data: dict[str, Any]  # as the tool's schema describes
    text: str  # the same to be read

    @staticmethod
    def from_operation(result: OperationResult) -> ToolResult:
        """Return the result of an operation as that of a tool."""
        return ToolResult({"found": result.data}, "\n".join(text for _, text in result.lines))

    @staticmethod
    def from_data(data: dict[str, Any]) -> ToolResult:
        """Return a result whose text is its data as JSON, for lack of a better one."""
        return ToolResult(data, json.dumps(data, ensure_ascii=False))


class ToolFailure(RequestError):
    """Raised if a tool cannot do what was asked."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(escape_terminal(reason), escape_terminal(remedy))

    @property
    def text(self) -> str:
        """The reason and the remedy in one message."""
        return f"{self.reason}\nhelp: {self.remedy}" if self.remedy else self.reason

    @staticmethod
    def from_rules_error(error: RulesError) -> ToolFailure:
        """Return a failure with the first error in rules and the number of others."""
        first, other_count = error.diagnostics[0], len(error.diagnostics) - 1
        other_text = f"; {other_count} more, shown by `check`" if other_count else ""
        return ToolFailure(f"the rules have errors: {error.first} [{first.code}]{other_text}", first.help)
