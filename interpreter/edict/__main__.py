"""`python -m edict` is the command `kingsburg`."""

from edict.cli.main import main

main()
