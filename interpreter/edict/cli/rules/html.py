"""A rulebook as one page of HTML. The one door to Jinja, which escapes everything: titles come from strangers."""

from __future__ import annotations

from pathlib import Path

from edict.handbook import chapters
from edict.handbook.chapters import Rulebook

FOLDERS = (Path(__file__).parent / "templates", Path(chapters.__file__).parent / "templates")


def as_html(book: Rulebook) -> str:
    """The whole rulebook in one file that needs no other: styles, contents, anchors."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDERS), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.tests.update(chapters.TESTS)
    return environment.get_template("rulebook.html.j2").render(book=book, links=book.links)
