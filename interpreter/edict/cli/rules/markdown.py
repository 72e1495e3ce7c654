"""A rulebook as Markdown: anchors as HTML, which every reader of Markdown understands; all else is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from edict.handbook.chapters import Block, Card, Cards, Grid, Paragraph, Rulebook, Section, Steps, Table
from edict.words import Line

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_LIKE_A_LIST = re.compile(r"\A(\s*)([-+]|\d+[.)])(?=\s)")


def as_markdown(book: Rulebook) -> str:
    """The whole rulebook."""
    lines = [f"# {text(book.title)}", ""]
    lines += [f"*{text(book.subtitle)}*", ""] if book.subtitle else []
    lines += [" · ".join(f"{text(name)}: {text(value)}" for name, value in book.facts), "", "## Contents", ""]
    lines += [line for section in book.sections for line in _entry(section, 0)]
    for section in book.sections:
        lines += ["", *_section(section, 2, book.links)]
    return "\n".join(lines) + "\n"


def text(words: str) -> str:
    """Words as they are: nothing in them is taken for markup."""
    escaped = _SPECIAL.sub(r"\\\1", " ".join(words.split()))
    return _LIKE_A_LIST.sub(lambda found: f"{found[1]}{found[2][:-1]}\\{found[2][-1]}", escaped)


def _entry(section: Section, depth: int) -> Iterator[str]:
    title = f"{section.number} {section.title}".strip()
    yield f"{'  ' * depth}- [{text(title)}](#{section.anchor})"
    for one in section.sections:
        if one.number and depth < 2:
            yield from _entry(one, depth + 1)


def _section(section: Section, level: int, links: dict[str, str]) -> Iterator[str]:
    title = f"{section.number} {section.title}".strip()
    yield f'<a id="{section.anchor}"></a>'
    yield from ("", f"{'#' * min(level, 6)} {text(title)}", "")
    for block in section.blocks:
        yield from BLOCKS[type(block)](block, links)
        yield ""
    for one in section.sections:
        yield from _section(one, level + 1, links)


def _paragraph(block: Paragraph, links: dict[str, str]) -> Iterator[str]:
    yield text(block.text)


def _steps(block: Steps, links: dict[str, str]) -> Iterator[str]:
    if block.heading:
        yield from (f"**{text(block.heading)}**", "")
    yield from _lines(block.lines, links, 0, block.numbered)


def _lines(told: tuple[Line, ...], links: dict[str, str], depth: int, numbered: bool) -> Iterator[str]:
    for number, line in enumerate(told, 1):
        words = f"[{text(line.text)}](#{line.about})" if line.about in links else text(line.text)
        sign = f"{number}." if numbered else "-"
        yield f"{'   ' * depth}{sign} {words}"
        yield from _lines(line.below, links, depth + 1, False)


def _cards(block: Cards, links: dict[str, str]) -> Iterator[str]:
    for card in block.cards:
        yield f"- {_card(card)}"


def _card(card: Card) -> str:
    facts = "; ".join(f"{name} {value}".strip() for name, value in card.facts)
    mark = f" ({text(card.mark)}{': ' + text(card.source) if card.source else ''})" if card.mark else ""
    return f'<a id="{card.anchor}"></a>**{text(card.title)}**{mark}' + "".join(
        f" {text(part)}" for part in (f"({facts})" if facts else "", *card.sentences) if part
    )  # fmt: skip


def _table(block: Table, links: dict[str, str]) -> Iterator[str]:
    yield _row(map(text, block.heads))
    yield _row("--:" if i in block.numbers else "---" for i in range(len(block.heads)))
    for row in block.rows:
        if row.heading:
            yield _row([f"**{text(row.cells[0])}**", *[""] * (len(block.heads) - 1)])
            continue
        anchor = f'<a id="{row.anchor}"></a>' if row.anchor else ""
        mark = f" ({text(row.mark)})" if row.mark else ""
        yield _row([f"{anchor}{text(row.cells[0])}{mark}", *map(text, row.cells[1:])])


def _grid(block: Grid, links: dict[str, str]) -> Iterator[str]:
    yield _row(["", *map(text, block.columns)])
    yield _row("---" for _ in range(len(block.columns) + 1))
    for title, cells in zip(block.rows, block.cells, strict=True):
        yield _row([f"**{text(title)}**", *("<br><br>".join(map(_card, cell)) for cell in cells)])


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


BLOCKS: dict[type[Block], Callable[[Any, dict[str, str]], Iterator[str]]] = {
    Paragraph: _paragraph, Steps: _steps, Cards: _cards, Table: _table, Grid: _grid,
}  # fmt: skip
