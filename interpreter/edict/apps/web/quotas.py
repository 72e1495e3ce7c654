"""How much a server allows, and how that is said on the command line. Needs nothing that is not always installed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

_RATE = re.compile(r"[1-9][0-9]{0,8}/(second|minute|hour|day)")
_NUMBER = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is allowed. Rates are written as `600/minute` and hold for each address; an empty one is none.

    new_tables: opened. continuations: tables of the studio at which a game continues. start_pages: looks at the page on
    which tables are opened. tables: in the store. variants: in the studio. connections: live ones, of everybody and of
    one address. form, upload: bytes.
    """

    requests: str = "1200/minute"
    new_tables: str = "60/hour"
    continuations: str = "1200/hour"
    start_pages: str = "60/minute"
    hints: str = "30/minute"
    talk: str = "30/minute"
    connections_each: int = 100
    connections: int = 5_000
    tables: int = 100_000
    variants: int = 10_000
    form: int = 64_000
    upload: int = 4_000_000

    @staticmethod
    def alone() -> Limits:
        """For somebody who has it all to themselves: nothing is counted."""
        rates = {one.name: "" for one in fields(Limits) if one.type == "str"}
        return replace(Limits(), **rates)  # type: ignore[arg-type]

    def in_words(self) -> str:
        """All of them, as `changed` takes them."""
        return ", ".join(f"{_name(one.name)}={getattr(self, one.name)}" for one in fields(self))

    def changed(self, words: Iterable[str]) -> Limits:
        """With those that are given as `NAME=VALUE`. Raises `ValueError` with a reason."""
        found = self
        known = {_name(one.name): one.name for one in fields(self)}
        for word in words:
            name, _, value = word.partition("=")
            if name not in known:
                raise ValueError(f"there is no limit `{name}`; there are {', '.join(known)}")
            rate = isinstance(getattr(self, known[name]), str)
            if not (_RATE if rate else _NUMBER).fullmatch(value):
                raise ValueError(f"`{value}` is not a {'rate, such as 60/minute' if rate else 'number'}")
            change: dict[str, Any] = {known[name]: value if rate else int(value)}
            found = replace(found, **change)
        return found


def _name(field: str) -> str:
    return field.replace("_", "-")
