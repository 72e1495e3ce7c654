"""`python -m edict` is the command `kingsburg`; so is the program that is installed under that name."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command; Ctrl-C ends it quietly from the first import on."""
    try:
        from edict.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)  # as shells count


if __name__ == "__main__":
    main()
