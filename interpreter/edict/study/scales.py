"""From values to places on a page: scales, round numbers for an axis, and how these are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import floor, log10

TICKS = 5
MOST_DIGITS = 6

Scale = Callable[[float], float]


def scale(low: float, high: float, left: float = 0.0, right: float = 100.0) -> Scale:
    """From values to places, by default percent of the width."""
    width = (high - low) or 1.0
    return lambda value: left + (min(max(value, low), high) - low) / width * (right - left)


def ticks(low: float, high: float, most: int = TICKS, whole: bool = False) -> list[float]:
    """Round numbers from `low` to `high`, at most some more than `most` of them; `whole`: only whole numbers."""
    if high <= low:
        return [low]
    raw = max((high - low) / most, 1.0 if whole else 0.0)
    decade = 10.0 ** floor(log10(raw))
    steps = (1, 2, 5, 10) if whole else (1, 2, 2.5, 5, 10)
    step = next(decade * n for n in steps if decade * n >= raw * (1 - 1e-9))
    first = -(-low // step)
    return [(first + n) * step for n in range(most + 2) if (first + n) * step <= high + step * 1e-9]


def labels(values: Sequence[float], sign: bool = False, unit: str = "") -> list[str]:
    """Values as they are, all with the same number of digits, and as few of them as will do."""
    digits = next((d for d in range(MOST_DIGITS) if all(_exact(value, d) for value in values)), MOST_DIGITS)
    return [_written(value, digits, sign) + unit for value in values]


def digits(values: Iterable[float]) -> int:
    """How many to write of such numbers, so that none that is not zero reads as if it were."""
    known = list(values)
    return next((d for d in range(2, 4) if all(round(value, d) or not value for value in known)), 4)


def frequency(number: float) -> str:
    """How often something happens; never 0.00 for what did happen."""
    return f"{number:.{digits([number])}f}"


def signed(value: float, digits: int = 2) -> str:
    """A difference: with its sign, and with a real minus."""
    return f"{value:+.{digits}f}".replace("-", "−")


def interval(value: float, low: float, high: float, digits: int = 2) -> str:
    """A difference and its interval."""
    return f"{signed(value, digits)} ({signed(low, digits)} to {signed(high, digits)})"


def _exact(value: float, digits: int) -> bool:
    return abs(round(value, digits) - value) < 1e-9 * max(1.0, abs(value))


def _written(value: float, digits: int, sign: bool) -> str:
    if sign and _exact(value, 0) and round(value) == 0:
        return "0"
    return f"{value:{'+' if sign else ''}.{digits}f}".replace("-", "−")
