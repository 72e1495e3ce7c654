"""Run a command whose results are kept at a URL, such as in an object store, and continue them from there.

    python stored_run.py s3://bucket/studies/first -- study kingsburg --games 1000000 --cluster tcp://host:8786
    python stored_run.py file:///mnt/shared/first  -- compare base steady-king --games 50000

Give the command without `kingsburg`, `--output` and `--resume`. Its folder is copied to the URL every few minutes and
at the end, and fetched from there at the start: whatever machine runs the same line next continues. Needs fsspec, which
comes with Dask, and its package for the kind of URL (s3fs, gcsfs, adlfs).
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import fsspec

GAMES = "games.jsonl"  # the finished games; a line is added for each piece


def fetch_results(url: str, folder: Path) -> bool:
    """Copy stored results into a folder, and return True if there are any to continue."""
    store, path = fsspec.url_to_fs(url)
    if store.exists(f"{path}/{GAMES}"):
        store.get_file(f"{path}/{GAMES}", str(folder / GAMES))
    return (folder / GAMES).exists()


def store_results(folder: Path, url: str) -> None:
    """Copy the files of a folder to a URL; each replaces the one of its name."""
    store, path = fsspec.url_to_fs(url)
    store.makedirs(path, exist_ok=True)
    for file in sorted(file for file in folder.iterdir() if file.is_file()):
        store.put_file(str(file), f"{path}/{file.name}")


def run_stored(url: str, command: list[str], interval: float) -> int:
    """Run a command with its results kept at a URL, copied every `interval` seconds, and return its exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        resume = ["--resume"] if fetch_results(url, folder) else []
        process = subprocess.Popen([sys.executable, "-m", "edict", *command, "--output", name, *resume])
        # the command saves what it has, and ends; Ctrl-C reaches it without help
        signal.signal(signal.SIGTERM, lambda *_: process.send_signal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while process.poll() is None:
            try:
                process.wait(interval)
            except subprocess.TimeoutExpired:
                store_results(folder, url)
        store_results(folder, url)
    return process.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="folder for the results, as fsspec names it")
    parser.add_argument("command", nargs="+", help="such as: study kingsburg --games 1000000")
    parser.add_argument("--every", type=float, default=300.0, metavar="SECONDS", help="between two copies")
    wanted = parser.parse_args()
    return run_stored(wanted.url, wanted.command, wanted.every)


if __name__ == "__main__":
    sys.exit(main())
