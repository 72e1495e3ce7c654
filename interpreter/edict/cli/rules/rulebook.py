"""`rulebook`: all rules of a game with its modules as a book to print."""

from __future__ import annotations

from collections.abc import Sequence

from edict.cli.errors import UsageError
from edict.cli.rules.example import example
from edict.cli.rules.helpers import known
from edict.files import Target
from edict.handbook.contents import rulebook as contents

HTML, MARKDOWN = (".html", ".htm"), (".md", ".markdown")


def rulebook(game: str, modules: Sequence[str], output: Target) -> int:
    """Write it to a file, as HTML or Markdown by the file's name, or print it as Markdown."""
    suffix = MARKDOWN[0] if output.is_output else output.path.suffix.lower()
    if suffix not in (*HTML, *MARKDOWN):
        remedy = "name a file that ends in .html or .md, or - to print it"
        raise UsageError(f"a rulebook cannot be written to `{output.path}`", remedy)
    output.check()
    rules = known(game, modules)
    book = contents(rules, known(str(rules.game.folder), ()) if modules else None, example(rules))
    if suffix in HTML:
        from edict.cli.rules.html import as_html as written
    else:
        from edict.cli.rules.markdown import as_markdown as written
    output.write(written(book))
    if not output.is_output:
        print(f"Written to {output.path}: {book.title}{' ' + book.subtitle if book.subtitle else ''}")
    return 0
