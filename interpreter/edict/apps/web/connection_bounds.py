"""Bounds on the connections that a server keeps open, of one address and in all. Nothing here knows a socket.

Whoever opens connections and sends nothing, or half of a request, cannot keep others out: where there is no room for a
new connection, the one that has waited longest for a request is dropped. Only connections that are being answered, as
those over which news comes, hold their place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from ipaddress import IPv6Address, ip_address
from typing import Protocol

HOUSEHOLD = 64  # bits of an IPv6 address that name a network: whoever has one has all addresses in it


class Connection(Protocol):
    """A connection that can be dropped."""

    def drop(self) -> None: ...


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
        network = household(address)
        crowded = self._counts[network] >= self.each and address not in self._proxies
        if crowded and not self._drop_longest(network) or len(self._open) >= self.most and not self._drop_longest():
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

    def _drop_longest(self, network: str | None = None) -> bool:
        """Drop the connection that has waited longest, of a network or of all; False if none waits."""
        found = next((one for one, its in self._waiting.items() if network is None or its == network), None)
        if found is None:
            return False
        self.remove(found)
        found.drop()
        return True


def household(address: str) -> str:
    """Return what counts as one address: the network of an IPv6 address, anything else as it is."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Address(int(found) >> (128 - HOUSEHOLD) << (128 - HOUSEHOLD)))
