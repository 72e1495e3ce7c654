"""The bots that `train` trains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edict.bots import nets, weights
from edict.cli.errors import UsageError
from edict.cli.study.self_playing import train_network
from edict.cli.study.study_options import StudyOptions
from edict.cli.study.training import train
from edict.files import Target
from edict.report import did_you_mean


@dataclass(frozen=True)
class Pupil:
    """How many games it learns from, and where the result is written, unless something else is wanted."""

    games: int
    file: str
    train: Callable[[StudyOptions, Target, str], int]


PUPILS = {"greedy": Pupil(800, weights.FILE, train), "learned": Pupil(60_000, nets.FILE, train_network)}


def pupil_named(bot: str) -> Pupil:
    """Raises `UsageError` for a bot that does not learn."""
    if bot not in PUPILS:
        raise UsageError(
            f"the bot `{bot}` cannot be trained", did_you_mean(bot, PUPILS) or f"choose one of: {', '.join(PUPILS)}"
        )
    return PUPILS[bot]
