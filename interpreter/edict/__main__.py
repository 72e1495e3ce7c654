"""The command `kingsburg`, run as `python -m edict` or as the installed program."""

from __future__ import annotations

import signal
import sys

# False if the parent process had Ctrl-C ignored
CATCHES_INTERRUPT = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if CATCHES_INTERRUPT:  # during imports, a KeyboardInterrupt could surface as any other exception
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """Run the command; Ctrl-C ends it quietly from the first import on."""
    try:
        from edict.apps.cli.main import main as run

        if CATCHES_INTERRUPT:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)  # the exit code that shells report for Ctrl-C


if __name__ == "__main__":
    main()
