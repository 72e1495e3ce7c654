"""Bounds on the connections that a server keeps open, for each address and in all. Nothing here knows a socket.

Clients that open connections and send no complete request cannot keep others out: when there is no room for a new
connection, the one that has waited longest for a request is dropped. Connections that are being answered, event
streams among them, are never dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from ipaddress import IPv6Address, ip_address
from typing import Protocol

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
