"""Limits of a server: sizes and rates, and bounds on open connections, for each address and in all.

Nothing here knows a socket. Clients that open connections and send no complete request cannot keep others out: when
there is no room for a new connection, the one that has waited longest for a request is dropped. Connections that are
being answered, event streams among them, are never dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import fields, replace
from ipaddress import IPv6Address, ip_address
from typing import Any, Protocol

from edict.support.records import dataclass

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


HOUSEHOLD = 64  # bits of an IPv6 address that name a network; a client may use every address in its own


class Connection(Protocol):
    """A connection that can be dropped."""

    def drop(self) -> None:
        """Close the connection."""


class ConnectionBounds:
    """The open connections of a server.

    Args:
        each: How many one address may have.
        most: How many there may be in all.
        proxies: Addresses that speak for others, so that only `most` holds for them.
    """

    def __init__(self, each: int, most: int, proxies: Container[str] = ()) -> None:
        self.each, self.most = each, most
        self._proxies = proxies
        self._open: dict[Connection, str] = {}
        self._counts: Counter[str] = Counter()
        self._waiting: dict[Connection, str] = {}  # the one that has waited longest comes first

    def admit(self, connection: Connection, address: str) -> bool:
        """Count a new connection, which waits for a request; False if there is no room for it."""
        network = network_key(address)
        crowded = self._counts[network] >= self.each and address not in self._proxies
        if (
            crowded
            and not self._drop_longest_waiting(network)
            or len(self._open) >= self.most
            and not self._drop_longest_waiting()
        ):
            return False
        self._open[connection] = network
        self._counts[network] += 1
        self.wait(connection)
        return True

    def wait(self, connection: Connection) -> None:
        """Note that a connection waits for a request, or for the rest of one."""
        if connection in self._open:
            self._waiting[connection] = self._open[connection]

    def serve(self, connection: Connection) -> None:
        """Note that a connection has sent a whole request."""
        self._waiting.pop(connection, None)

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self._waiting.pop(connection, None)
        network = self._open.pop(connection, None)
        if network is not None:
            self._counts[network] -= 1
            if not self._counts[network]:
                del self._counts[network]

    def _drop_longest_waiting(self, network: str | None = None) -> bool:
        """Drop the connection that has waited longest, of one network or of all; return False if none waits."""
        connection = next(
            (
                candidate
                for candidate, its_network in self._waiting.items()
                if network is None or its_network == network
            ),
            None,
        )
        if connection is None:
            return False
        self.remove(connection)
        connection.drop()
        return True


def network_key(address: str) -> str:
    """Return what counts as one address: the network of an IPv6 address, anything else unchanged."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> (128 - HOUSEHOLD) << (128 - HOUSEHOLD)))
