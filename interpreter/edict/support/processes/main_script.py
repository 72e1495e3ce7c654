"""The running script as other processes see it, which import it at their start."""

from __future__ import annotations

import multiprocessing
import os
import sys

GUARD = 'if __name__ == "__main__":'


def main_script_problem() -> str:
    """Return why other processes cannot import the running script; empty if they can.

    A script that starts workers while a worker imports it would start processes without end. Such a worker exits
    silently here, and its parent reports the reason.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)
    main = sys.modules.get("__main__")
    file, imported = getattr(main, "__file__", None), getattr(main, "__spec__", None)
    if file is None or imported is not None or os.path.exists(file):
        return ""
    return f"other processes cannot import this script: there is no file `{file}`"
