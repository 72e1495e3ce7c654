"""Everything that is hostile, by what it is hostile with."""

from __future__ import annotations

from commands import COMMANDS
from language import LANGUAGE
from places import PLACES
from written import WRITTEN

EVERYTHING = (*LANGUAGE, *PLACES, *WRITTEN, *COMMANDS)
