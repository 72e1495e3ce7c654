"""`rulebook`: all rules of a game with its modules as a book to print."""

from __future__ import annotations

from collections.abc import Sequence

from edict.cli.errors import UsageError
from edict.cli.paths import a_path
from edict.cli.rules.knowing import known
from edict.front.handbook.contents import rulebook as contents

STANDARD_OUTPUT = "-"
HTML, MARKDOWN = (".html", ".htm"), (".md", ".markdown")


def rulebook(game: str, modules: Sequence[str], output: str) -> int:
    """Write it to a file, as HTML or Markdown by the file's name, or print it as Markdown."""
    target = a_path(output) if output != STANDARD_OUTPUT else None
    suffix = target.suffix.lower() if target is not None else MARKDOWN[0]
    if suffix not in (*HTML, *MARKDOWN):
        remedy = "name a file that ends in .html or .md, or - to print it"
        raise UsageError(f"a rulebook cannot be written to `{output}`", remedy)
    if target is not None and not target.parent.is_dir():
        raise UsageError(f"there is no folder `{target.parent}`", "make it first, or name another file")
    rules = known(game, modules)
    book = contents(rules, known(str(rules.game.folder), ()) if modules else None)
    if suffix in HTML:
        from edict.cli.rules.pages import as_html as written
    else:
        from edict.cli.rules.markdown import as_markdown as written
    if target is None:
        print(written(book), end="")
    else:
        target.write_text(written(book), encoding="utf-8")
        print(f"Written to {target}: {book.title}{' ' + book.subtitle if book.subtitle else ''}")
    return 0
