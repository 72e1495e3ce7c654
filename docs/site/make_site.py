"""Builds the documentation as a site that works from a folder, without a server or a network.

    make docs        writes build/site/html/index.html

Everything that is not right is an error: links that lead nowhere, pages in no list of contents, files from elsewhere.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import site_pages
from site_links import BrokenLink, broken

HERE = Path(__file__).resolve().parent
KEPT_BESIDE = ("*.txt",)  # of docs/: text for programs
PICTURES = ("*.svg", "*.png", "*.jpg", "*.webp")


def make(out: Path, pages: Iterable[tuple[str, str]]) -> list[str]:
    """Write these pages below `out/source`, build `out/html` of them, and say what is wrong with it."""
    shutil.rmtree(out, ignore_errors=True)
    write(out / "source", pages)
    from sphinx.cmd.build import main

    folders = ["-c", str(HERE), "-d", str(out / "trees"), str(out / "source"), str(out / "html")]
    given = ["-q", "-W", "--keep-going", *folders]
    return ["Sphinx found what is listed above"] if main(given) else sorted(broken(out / "html"))


def write(source: Path, pages: Iterable[tuple[str, str]]) -> None:
    """Write the pages and what they show."""
    for name, text in pages:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    docs = site_pages.ROOT / "docs"
    for picture in (one for pattern in PICTURES for one in docs.rglob(pattern)):
        (source / picture.relative_to(docs)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, source / picture.relative_to(docs))
    for page in (one for pattern in KEPT_BESIDE for one in docs.glob(pattern)):
        shutil.copyfile(page, source / page.name)


def main() -> int:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "build/site").resolve()
    try:
        wrong = make(out, site_pages.everything())
    except BrokenLink as link:
        wrong = [str(link)]
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"Written: {out / 'html' / 'index.html'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
