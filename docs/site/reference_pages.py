"""`docs/reference.md` and `docs/llms.txt`, made from the rows of `grammar/reference` and the language itself.

    python docs/site/reference_pages.py --write

`tests/project/test_reference_pages.py` compares them with what the language is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from edict.handbook.reference import entry, fenced
from edict.language.construct_rows import GROUPS, about, example_game, rows

DOCS = Path(__file__).resolve().parent.parent
HEAD = """\
# The language, word by word

Every construct of [Edict](language.md): what it does, how it is written, an example, and the example in English as
players read it. `kingsburg explain choose` prints one entry, and an editor shows it where the word stands. Made from
`grammar/reference` and the language itself (`python docs/site/reference_pages.py --write`);
every example is tested.

In a form, what stands in capitals is asked for there, brackets are around what may be left out, and `(a | b)` is one or
the other. The examples belong to a small game of trees, [at the end of the page](#the-game-of-the-examples).
"""
WIDTH = 120
END = "The game of the examples"


def page() -> str:
    """All of docs/reference.md."""
    return "\n".join([HEAD, *_contents(), *_entries(), f"# {END}\n", fenced("edict game", example_game().strip()), ""])


def _contents() -> Iterator[str]:
    for group in GROUPS:
        links = " · ".join(_link(row.name) for row in rows() if row.group == group)
        yield fill(f"**{about(group)[0]}**: {links}", WIDTH, break_on_hyphens=False) + "\n"


def _entries() -> Iterator[str]:
    for group in GROUPS:
        title, told = about(group)
        yield f"# {title}\n\n{fill(told.strip(), WIDTH, break_on_hyphens=False)}\n"
        for row in (row for row in rows() if row.group == group):
            yield f"## {row.name}\n\n{entry(row)}\n"
            if row.more:
                yield f"{row.more}\n"
            yield f"See also {', '.join(_link(name) for name in row.see)}.\n"


def _link(name: str) -> str:
    return f"[{name}](#{name.replace(' ', '-')})"


FILES = {DOCS / "reference.md": page}

if __name__ == "__main__":
    for file, text in FILES.items():
        if "--write" in sys.argv:
            file.write_text(text(), encoding="utf-8")
        else:
            print(text())
