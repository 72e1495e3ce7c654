"""The public import path of `edict.agents.open_spiel`, with games for OpenSpiel."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from edict.agents import open_spiel

if TYPE_CHECKING:
    from edict.agents.open_spiel import *  # noqa: F403

sys.modules[__name__] = open_spiel
