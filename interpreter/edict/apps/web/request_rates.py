"""How often somebody has asked for something, counted in this process. The one door to limits."""

from __future__ import annotations

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter


class RequestRates:
    """Counts in windows of the time that a rate (`600/minute`) is about."""

    def __init__(self) -> None:
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def hit(self, rate: str, what: str, who: str) -> bool:
        """Count one more; False if that is too many."""
        return self._limiter.hit(parse(rate), what, who)
