from language import LANGUAGE
from places import PLACES
from commands import COMMANDS
ALL = LANGUAGE + PLACES + COMMANDS
