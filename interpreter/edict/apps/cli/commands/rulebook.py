"""The command `rulebook`, which writes the rules of a game as a book in Markdown, HTML or PDF.

Only this module imports Jinja, with autoescaping on, as titles come from untrusted rules. In Markdown, anchors are
HTML, which all readers of Markdown accept; everything else is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.rules_by_name import load_annotated_rules
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
    o.path_option(
        "--output",
        "-o",
        metavar="FILE.pdf|FILE.html|FILE.md",
        show_default=False,
        help="Write to this file [default: print as Markdown].",
    ),
]


def rulebook(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    file: BookFile = Path("-"),
    force: o.Force = False,
) -> int:
    """Write the game's rulebook as PDF, HTML or Markdown, by the file's suffix, or print Markdown; return 0."""
    game, output = o.merge_game_arguments(game, named), OutputTarget(file, force)
    suffix = MARKDOWN[0] if output.is_standard_output else output.path.suffix.lower()
    if suffix not in (*HTML, *MARKDOWN, PDF):
        remedy = "name a file that ends in .pdf, .html or .md, or - to print it"
        raise UsageError(f"cannot write a rulebook to `{output.path}`", remedy)
    output.check()
    rules = load_annotated_rules(game, modules or ())
    book = contents(rules, load_annotated_rules(str(rules.game.folder), ()) if modules else None, iter_examples(rules))
    if suffix == PDF:
        output.write(_render_pdf(book, rules))
    else:
        output.write(render_html(book) if suffix in HTML else render_markdown(book))
    if not output.is_standard_output:
        print(escape_terminal(f"Written to {output.path}: {book.title}{' ' + book.subtitle if book.subtitle else ''}"))
    return 0


def _render_pdf(book: Rulebook, rules: AnnotatedRules) -> bytes:
    """Return the rulebook as PDF bytes; raise `UsageError` if the packages for it are not installed."""
    try:
        return render_pdf(book, rules)
    except ModuleNotFoundError as missing:
        raise UsageError(f"{missing.name} is not installed", "pip install 'kingsburg[print]'") from None


def iter_examples(rules: AnnotatedRules) -> Iterator[tuple[str, Example]]:
    """Yield the game's example scenes that pass, each with the name of the definition it explains."""
    report = run_module(rules.game.folder, only=lambda scene: scene.is_example)
    for played in report.scenes:
        if played.ok:
            scene = played.scene
            yield scene.explains, Example(str(scene.data["example"]), (*scene.story, *_log_paragraphs(played)))


def _log_paragraphs(played: PlayedScene) -> Iterator[str]:
    """Yield the log of a scene as a paragraph per phase, unless the scene has a story of its own."""
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


TEMPLATE_FOLDERS = (Path(__file__).parent / "templates", Path(chapters.__file__).parent / "templates")


def render_html(book: Rulebook) -> str:
    """Render the rulebook as one self-contained HTML page with styles, contents and anchors."""
    return render_template("rulebook.html.j2", book=book, links=book.links)


def render_template(name: str, **values: object) -> str:
    """Render a template of pages that need no server."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATE_FOLDERS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests.update(chapters.TEMPLATE_TESTS)
    return environment.get_template(name).render(values)


_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_LIKE_A_LIST = re.compile(r"\A(\s*)([-+]|\d+[.)])(?=\s)")


def render_markdown(book: Rulebook) -> str:
    """Render the rulebook as Markdown."""
    lines = [f"# {escape_markdown(book.title)}", ""]
    lines += [f"*{escape_markdown(book.subtitle)}*", ""] if book.subtitle else []
    lines += [
        " · ".join(f"{escape_markdown(name)}: {escape_markdown(value)}" for name, value in book.facts),
        "",
        "## Contents",
        "",
    ]
    lines += [line for section in book.sections for line in _contents_lines(section, 0)]
    for section in book.sections:
        lines += ["", *_section_lines(section, 2, book.links)]
    return "\n".join(lines) + "\n"


def escape_markdown(text: str) -> str:
    """Escape text so that none of it is markup."""
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _LIKE_A_LIST.sub(lambda match: f"{match[1]}{match[2][:-1]}\\{match[2][-1]}", escaped)


def _contents_lines(section: Section, depth: int) -> Iterator[str]:
    """Yield the table of contents as a nested Markdown list, of numbered sections up to three levels deep."""
    title = f"{section.number} {section.title}".strip()
    yield f"{'  ' * depth}- [{escape_markdown(title)}](#{section.anchor})"
    for subsection in section.sections:
        if subsection.number and depth < 2:
            yield from _contents_lines(subsection, depth + 1)


def _section_lines(section: Section, level: int, links: dict[str, str]) -> Iterator[str]:
    """Yield a section as Markdown: anchor, heading of this level, blocks, and its subsections one level below."""
    title = f"{section.number} {section.title}".strip()
    yield f'<a id="{section.anchor}"></a>'
    yield from ("", f"{'#' * min(level, 6)} {escape_markdown(title)}", "")
    for block in section.blocks:
        yield from BLOCK_RENDERERS[type(block)](block, links)
        yield ""
    for subsection in section.sections:
        yield from _section_lines(subsection, level + 1, links)


def _render_paragraph(block: Paragraph, links: dict[str, str]) -> Iterator[str]:
    """Yield a paragraph as one Markdown line, with its anchor and bold heading if it has them."""
    anchor = f'<a id="{block.anchor}"></a>' if block.anchor else ""
    yield anchor + (f"**{escape_markdown(block.heading)}.** " if block.heading else "") + escape_markdown(block.text)


def _render_example(block: Example, links: dict[str, str]) -> Iterator[str]:
    """Yield an example as a Markdown quotation, with its title in bold."""
    first, *other_paragraphs = block.paragraphs
    yield f"> **{escape_markdown(block.title)}.** {escape_markdown(first)}"
    for paragraph in other_paragraphs:
        yield from (">", f"> {escape_markdown(paragraph)}")


def _render_index(block: Index, links: dict[str, str]) -> Iterator[str]:
    """Yield a line for each letter."""
    for letter, entries in groupby(block.entries, key=lambda entry: entry[0][:1].upper()):
        names = (f"[{escape_markdown(title)}](#{anchor})" for title, anchor, _ in entries)
        yield f"- **{escape_markdown(letter)}** {' · '.join(names)}"


def _render_steps(block: Steps, links: dict[str, str]) -> Iterator[str]:
    """Yield a block of steps as a nested Markdown list, below its heading if it has one."""
    if block.heading:
        anchor = f'<a id="{block.anchor}"></a>' if block.anchor else ""
        yield from (f"{anchor}**{escape_markdown(block.heading)}**", "")
    yield from _step_lines(block.lines, links, 0, block.numbered)


def _step_lines(steps: tuple[OutlineLine, ...], links: dict[str, str], depth: int, numbered: bool) -> Iterator[str]:
    """Yield steps as Markdown list items linked to their definitions; only the top level may be numbered."""
    for number, line in enumerate(steps, 1):
        text = f"[{escape_markdown(line.text)}](#{line.about})" if line.about in links else escape_markdown(line.text)
        marker = f"{number}." if numbered else "-"
        yield f"{'   ' * depth}{marker} {text}"
        yield from _step_lines(line.below, links, depth + 1, False)


def _render_cards(block: Cards, links: dict[str, str]) -> Iterator[str]:
    """Yield a Markdown list item for each card."""
    for card in block.cards:
        yield f"- {_format_card(card)}"


def _format_card(card: Card) -> str:
    """Return a card as Markdown: anchor, title in bold, origin, facts and sentences."""
    facts = "; ".join(f"{name} {value}".strip() for name, value in card.facts)
    origin = f" ({escape_markdown(card.mark)})" if card.mark else ""
    return f'<a id="{card.anchor}"></a>**{escape_markdown(card.title)}**{origin}' + "".join(
        f" {escape_markdown(part)}" for part in (f"({facts})" if facts else "", *card.sentences) if part
    )


def _render_table(block: Table, links: dict[str, str]) -> Iterator[str]:
    """Yield a Markdown table with right-aligned number columns; heading rows are bold."""
    yield _format_row(map(escape_markdown, block.heads))
    yield _format_row("--:" if i in block.numbers else "---" for i in range(len(block.heads)))
    for row in block.rows:
        if row.heading:
            yield _format_row([f"**{escape_markdown(row.cells[0])}**", *[""] * (len(block.heads) - 1)])
            continue
        anchor = f'<a id="{row.anchor}"></a>' if row.anchor else ""
        mark = f" ({escape_markdown(row.mark)})" if row.mark else ""
        yield _format_row([f"{anchor}{escape_markdown(row.cells[0])}{mark}", *map(escape_markdown, row.cells[1:])])


def _render_grid(block: Grid, links: dict[str, str]) -> Iterator[str]:
    """Yield a Markdown table with row titles at the left, whose cells hold any number of cards."""
    yield _format_row(["", *map(escape_markdown, block.columns)])
    yield _format_row("---" for _ in range(len(block.columns) + 1))
    for title, cells in zip(block.rows, block.cells, strict=True):
        yield _format_row(
            [f"**{escape_markdown(title)}**", *("<br><br>".join(map(_format_card, cell)) for cell in cells)]
        )


def _format_row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


BLOCK_RENDERERS: dict[type[Block], Callable[[Any, dict[str, str]], Iterator[str]]] = {
    Paragraph: _render_paragraph,
    Steps: _render_steps,
    Example: _render_example,
    Cards: _render_cards,
    Table: _render_table,
    Grid: _render_grid,
    Index: _render_index,
}
