"""`rulebook`: all rules of a game with its modules as a book, in Markdown, HTML or PDF.

The one door to Jinja, which escapes everything: titles come from strangers. In Markdown, anchors are HTML, which every
reader of Markdown understands; all else is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.rules_by_name import known
from edict.compiler.english import OutlineLine
from edict.game.scenes.scene_reports import PlayedScene
from edict.game.scenes.scene_runner import run_module
from edict.game.table.log_entries import build_lines
from edict.prose.rulebook import chapters
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.chapters import (
    Block,
    Card,
    Cards,
    Example,
    Grid,
    Index,
    Paragraph,
    Rulebook,
    Section,
    Steps,
    Table,
)
from edict.prose.rulebook.rulebook_contents import build_rulebook as contents
from edict.prose.rulebook.typesetting import render_pdf
from edict.support.files import OutputTarget
from edict.support.morphology import to_sentence
from edict.support.rendering import escape_terminal

HTML, MARKDOWN, PDF = (".html", ".htm"), (".md", ".markdown"), ".pdf"

BookFile = Annotated[
    Path,
    o.path(
        "--output",
        "-o",
        metavar="FILE.pdf|FILE.html|FILE.md",
        show_default=False,
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
    """Write it to a file, as PDF, HTML or Markdown by the file's name, or print it as Markdown."""
    game, output = o.one_game(game, named), OutputTarget(file, force)
    suffix = MARKDOWN[0] if output.is_standard_output else output.path.suffix.lower()
    if suffix not in (*HTML, *MARKDOWN, PDF):
        remedy = "name a file that ends in .pdf, .html or .md, or - to print it"
        raise UsageError(f"a rulebook cannot be written to `{output.path}`", remedy)
    output.check()
    rules = known(game, modules or ())
    book = contents(rules, known(str(rules.game.folder), ()) if modules else None, examples(rules))
    output.write(_to_print(book, rules) if suffix == PDF else as_html(book) if suffix in HTML else as_markdown(book))
    if not output.is_standard_output:
        print(escape_terminal(f"Written to {output.path}: {book.title}{' ' + book.subtitle if book.subtitle else ''}"))
    return 0


def _to_print(book: Rulebook, rules: AnnotatedRules) -> bytes:
    try:
        return render_pdf(book, rules)
    except ModuleNotFoundError as missing:
        raise UsageError(f"{missing.name} is not installed", "pip install 'kingsburg[print]'") from None


def examples(rules: AnnotatedRules) -> Iterator[tuple[str, Example]]:
    """The scenes of the game that are examples and go as they say, each with the name of what it is an example of."""
    report = run_module(rules.game.folder, only=lambda scene: scene.is_example)
    for played in report.scenes:
        if played.ok:
            scene = played.scene
            yield scene.explains, Example(str(scene.data["example"]), (*scene.story, *_happened(played)))


def _happened(played: PlayedScene) -> Iterator[str]:
    """What the log says, a paragraph for each phase; nothing if the scene tells it itself."""
    if "story" in played.scene.data:
        return
    paragraph: list[str] = []
    for line in build_lines(played.log, played.scene.players):
        if line.heading and paragraph:
            yield " ".join(paragraph)
            paragraph = []
        if not line.heading:
            paragraph.append(to_sentence(str(line)))
    if paragraph:
        yield " ".join(paragraph)


FOLDERS = (Path(__file__).parent / "templates", Path(chapters.__file__).parent / "templates")


def as_html(book: Rulebook) -> str:
    """The whole rulebook in one file that needs no other: styles, contents, anchors."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDERS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests.update(chapters.TEMPLATE_TESTS)
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
    anchor = f'<a id="{block.anchor}"></a>' if block.anchor else ""
    yield anchor + (f"**{escape(block.heading)}.** " if block.heading else "") + escape(block.text)


def _example(block: Example, links: dict[str, str]) -> Iterator[str]:
    first, *more = block.paragraphs
    yield f"> **{escape(block.title)}.** {escape(first)}"
    for paragraph in more:
        yield from (">", f"> {escape(paragraph)}")


def _index(block: Index, links: dict[str, str]) -> Iterator[str]:
    """A line for each letter."""
    for letter, entries in groupby(block.entries, key=lambda entry: entry[0][:1].upper()):
        names = (f"[{escape(title)}](#{anchor})" for title, anchor, _ in entries)
        yield f"- **{escape(letter)}** {' · '.join(names)}"


def _steps(block: Steps, links: dict[str, str]) -> Iterator[str]:
    if block.heading:
        anchor = f'<a id="{block.anchor}"></a>' if block.anchor else ""
        yield from (f"{anchor}**{escape(block.heading)}**", "")
    yield from _step_lines(block.lines, links, 0, block.numbered)


def _step_lines(told: tuple[OutlineLine, ...], links: dict[str, str], depth: int, numbered: bool) -> Iterator[str]:
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
    )


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
    Paragraph: _paragraph,
    Steps: _steps,
    Example: _example,
    Cards: _cards,
    Table: _table,
    Grid: _grid,
    Index: _index,
}
