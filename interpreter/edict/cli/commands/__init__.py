"""What can be typed after `kingsburg`: one function per command, with its options and its line of help.

What a command needs is imported when it runs, so that `--help` and a wrong option cost nothing.
"""

from __future__ import annotations

from edict.cli.app import app
from edict.cli.commands import playing, reading, studying, writing

__all__ = ["app", "playing", "reading", "studying", "writing"]
