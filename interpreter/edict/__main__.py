"""`python -m edict` is the command `kingsburg`; so is the program that is installed under that name."""

from __future__ import annotations

import signal
import sys

RAISES = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where somebody had it ignored
if RAISES:  # until all is imported: an exception in the middle of that could come out as anything
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """Run the command; Ctrl-C ends it quietly from the first import on."""
    try:
        from edict.apps.cli.main import main as run

        if RAISES:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)  # as shells count


if __name__ == "__main__":
    main()
