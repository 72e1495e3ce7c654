"""All hostile inputs."""

from __future__ import annotations

from commands import COMMANDS
from language import LANGUAGE
from places import PLACES
from written import WRITTEN

EVERYTHING = (*LANGUAGE, *PLACES, *WRITTEN, *COMMANDS)
