"""`rulebook`: all rules of a game with its modules as a book to print, in Markdown or HTML.

The one door to Jinja, which escapes everything: titles come from strangers. In Markdown, anchors are HTML, which every
reader of Markdown understands; all else is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

from edict.cli import options as o
from edict.cli.describing import known
from edict.cli.errors import UsageError
from edict.files import Target
from edict.handbook import chapters
from edict.handbook.annotated import Known
from edict.handbook.chapters import Block, Card, Cards, Grid, Paragraph, Rulebook, Section, Steps, Table
from edict.handbook.contents import rulebook as contents
from edict.scenes.scene_runner import run_module
from edict.table.log_entries import news_lines
from edict.words import Line, sentence

HTML, MARKDOWN = (".html", ".htm"), (".md", ".markdown")

BookFile = Annotated[
    Path,
    o.path(
        "--output", "-o", metavar="FILE.html|FILE.md", show_default=False,
        help="Write it here [default: print it as Markdown].",
    ),
]


def rulebook(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    file: BookFile = Path("-"),
    force: o.Force = False,
) -> int:
    """Write it to a file, as HTML or Markdown by the file's name, or print it as Markdown."""
    game, output = o.one_game(game, named), Target(file, force)
    suffix = MARKDOWN[0] if output.is_output else output.path.suffix.lower()
    if suffix not in (*HTML, *MARKDOWN):
        remedy = "name a file that ends in .html or .md, or - to print it"
        raise UsageError(f"a rulebook cannot be written to `{output.path}`", remedy)
    output.check()
    rules = known(game, modules or ())
    book = contents(rules, known(str(rules.game.folder), ()) if modules else None, example(rules))
    output.write(as_html(book) if suffix in HTML else as_markdown(book))
    if not output.is_output:
        print(f"Written to {output.path}: {book.title}{' ' + book.subtitle if book.subtitle else ''}")
    return 0


def example(rules: Known) -> Section | None:
    """The first scene of the game with an `example`; None if there is none, or if it does not go as it says."""
    report = run_module(rules.game.folder, only=lambda scene: scene.is_example)
    played = next((one for one in report.scenes if one.ok), None)
    if played is None:
        return None
    lines: list[Line] = []
    for line in news_lines(played.log, played.scene.players):
        if line.heading:
            lines.append(Line(f"{line.text.rpartition(' > ')[2]}:"))
        elif lines and lines[-1].text.endswith(":"):
            lines[-1] = Line(lines[-1].text, (*lines[-1].below, Line(sentence(str(line)))))
    note = str(played.scene.data.get("note", ""))
    blocks: list[Block] = [Paragraph(note)] if note else []
    happened = Steps(tuple(line for line in lines if line.below))
    return Section(str(played.scene.data["example"]), "_example", (*blocks, happened))

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


_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_LIKE_A_LIST = re.compile(r"\A(\s*)([-+]|\d+[.)])(?=\s)")


def as_markdown(book: Rulebook) -> str:
    """The whole rulebook."""
    lines = [f"# {escape(book.title)}", ""]
    lines += [f"*{escape(book.subtitle)}*", ""] if book.subtitle else []
    lines += [" · ".join(f"{escape(name)}: {escape(value)}" for name, value in book.facts), "", "## Contents", ""]
    lines += [line for section in book.sections for line in _entry(section, 0)]
    for section in book.sections:
        lines += ["", *_section(section, 2, book.links)]
    return "\n".join(lines) + "\n"


def escape(words: str) -> str:
    """Words as they are: nothing in them is taken for markup."""
    escaped = _SPECIAL.sub(r"\\\1", " ".join(words.split()))
    return _LIKE_A_LIST.sub(lambda found: f"{found[1]}{found[2][:-1]}\\{found[2][-1]}", escaped)


def _entry(section: Section, depth: int) -> Iterator[str]:
    title = f"{section.number} {section.title}".strip()
    yield f"{'  ' * depth}- [{escape(title)}](#{section.anchor})"
    for one in section.sections:
        if one.number and depth < 2:
            yield from _entry(one, depth + 1)


def _section(section: Section, level: int, links: dict[str, str]) -> Iterator[str]:
    title = f"{section.number} {section.title}".strip()
    yield f'<a id="{section.anchor}"></a>'
    yield from ("", f"{'#' * min(level, 6)} {escape(title)}", "")
    for block in section.blocks:
        yield from BLOCKS[type(block)](block, links)
        yield ""
    for one in section.sections:
        yield from _section(one, level + 1, links)


def _paragraph(block: Paragraph, links: dict[str, str]) -> Iterator[str]:
    yield escape(block.text)


def _steps(block: Steps, links: dict[str, str]) -> Iterator[str]:
    if block.heading:
        yield from (f"**{escape(block.heading)}**", "")
    yield from _step_lines(block.lines, links, 0, block.numbered)


def _step_lines(told: tuple[Line, ...], links: dict[str, str], depth: int, numbered: bool) -> Iterator[str]:
    for number, line in enumerate(told, 1):
        words = f"[{escape(line.text)}](#{line.about})" if line.about in links else escape(line.text)
        sign = f"{number}." if numbered else "-"
        yield f"{'   ' * depth}{sign} {words}"
        yield from _step_lines(line.below, links, depth + 1, False)


def _cards(block: Cards, links: dict[str, str]) -> Iterator[str]:
    for card in block.cards:
        yield f"- {_card(card)}"


def _card(card: Card) -> str:
    facts = "; ".join(f"{name} {value}".strip() for name, value in card.facts)
    mark = f" ({escape(card.mark)}{': ' + escape(card.source) if card.source else ''})" if card.mark else ""
    return f'<a id="{card.anchor}"></a>**{escape(card.title)}**{mark}' + "".join(
        f" {escape(part)}" for part in (f"({facts})" if facts else "", *card.sentences) if part
    )  # fmt: skip


def _table(block: Table, links: dict[str, str]) -> Iterator[str]:
    yield _row(map(escape, block.heads))
    yield _row("--:" if i in block.numbers else "---" for i in range(len(block.heads)))
    for row in block.rows:
        if row.heading:
            yield _row([f"**{escape(row.cells[0])}**", *[""] * (len(block.heads) - 1)])
            continue
        anchor = f'<a id="{row.anchor}"></a>' if row.anchor else ""
        mark = f" ({escape(row.mark)})" if row.mark else ""
        yield _row([f"{anchor}{escape(row.cells[0])}{mark}", *map(escape, row.cells[1:])])


def _grid(block: Grid, links: dict[str, str]) -> Iterator[str]:
    yield _row(["", *map(escape, block.columns)])
    yield _row("---" for _ in range(len(block.columns) + 1))
    for title, cells in zip(block.rows, block.cells, strict=True):
        yield _row([f"**{escape(title)}**", *("<br><br>".join(map(_card, cell)) for cell in cells)])


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


BLOCKS: dict[type[Block], Callable[[Any, dict[str, str]], Iterator[str]]] = {
    Paragraph: _paragraph, Steps: _steps, Cards: _cards, Table: _table, Grid: _grid,
}  # fmt: skip
