"""The script that is running, as other processes see it: each of them begins by importing it."""

from __future__ import annotations

import multiprocessing
import os
import sys

GUARD = 'if __name__ == "__main__":'


def main_script_problem() -> str:
    """Return why no other process can import the script that is running; nothing if it can.

    In such a process, an import that gets here would start processes of its own: it ends without a word, and the one
    that started it says why.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)
    main = sys.modules.get("__main__")
    file, imported = getattr(main, "__file__", None), getattr(main, "__spec__", None)
    if file is None or imported is not None or os.path.exists(file):
        return ""
    return f"other processes cannot import this script: there is no file `{file}`"
