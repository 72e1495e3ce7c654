"""Rate limits for requests, counted in the memory of this process. The only importer of the library `limits`."""

from __future__ import annotations

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter


class RequestRates:
    """Counters of requests, in fixed windows as long as the unit of their rate (`600/minute`)."""

    def __init__(self) -> None:
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def hit(self, rate: str, category: str, client: str) -> bool:
        """Count a request, and return False if it exceeds the rate.

        Args:
            rate: The rate, as `600/minute`.
            category: The kind of request that is counted.
            client: The address of the client.
        """
        return self._limiter.hit(parse(rate), category, client)
