"""The limits of a server, and their form on the command line. It needs no optional package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

_RATE_PATTERN = re.compile(r"[1-9][0-9]{0,8}/(second|minute|hour|day)")
_NUMBER_PATTERN = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server.

    A rate, as `600/minute`, holds for each address; an empty rate means no limit.
    """

    requests: str = "1200/minute"  # requests of any kind
    new_tables: str = "60/hour"  # tables and rooms opened; variants created, and questions asked about them
    continuations: str = "1200/hour"  # tables that the studio opens to continue a game
    start_pages: str = "60/minute"  # views of the page on which tables are set up
    hints: str = "30/minute"  # hints of the search bot
    talk: str = "30/minute"  # messages at tables
    connections_each: int = 100  # live connections of one address
    connections: int = 5_000  # live connections in all
    tables: int = 100_000  # tables in the store
    variants: int = 10_000  # variants in the studio
    form: int = 64_000  # bytes of a request's body
    upload: int = 4_000_000  # bytes of a request's body where files are uploaded: below `/tables` and `/studio/`

    @staticmethod
    def create_without_rates() -> Limits:
        """Return limits for a server with a single user, on which no rate is limited."""
        rates = {field.name: "" for field in fields(Limits) if field.type == "str"}
        return replace(Limits(), **rates)  # type: ignore[arg-type]

    def to_text(self) -> str:
        """Return all limits as `NAME=VALUE`, joined by commas."""
        return ", ".join(f"{_option_name(field.name)}={getattr(self, field.name)}" for field in fields(self))

    def with_changes(self, assignments: Iterable[str]) -> Limits:
        """Return a copy with some limits changed.

        Args:
            assignments: The changes, each as `NAME=VALUE`.

        Raises:
            ValueError: There is no such limit, or the value is invalid; the message says which.
        """
        limits = self
        fields_by_option = {_option_name(field.name): field.name for field in fields(self)}
        for assignment in assignments:
            name, _, value = assignment.partition("=")
            if name not in fields_by_option:
                raise ValueError(f"there is no limit `{name}`; there are {', '.join(fields_by_option)}")
            is_rate = isinstance(getattr(self, fields_by_option[name]), str)
            if not (_RATE_PATTERN if is_rate else _NUMBER_PATTERN).fullmatch(value):
                raise ValueError(f"`{value}` is not a {'rate, such as 60/minute' if is_rate else 'number'}")
            change: dict[str, Any] = {fields_by_option[name]: value if is_rate else int(value)}
            limits = replace(limits, **change)
        return limits


def _option_name(field: str) -> str:
    return field.replace("_", "-")
