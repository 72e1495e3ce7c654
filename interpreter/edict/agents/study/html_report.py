"""A study as one page of HTML that needs no other file: words, tables, and charts drawn as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from edict.agents.study.charts import Chart

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True, slots=True)
class ReportCell:
    """Of a table; `shade` from 0 to 1."""

    text: str
    shade: float = 0.0


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A chart, a table of `rows` under `head`, or lines to be read."""

    title: str = ""
    chart: Chart | None = None
    lines: Sequence[str] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[ReportCell]] = ()


@dataclass(frozen=True, slots=True)
class ReportSection:
    title: str
    text: str
    parts: Sequence[ReportPart]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """What stands on a page, from top to bottom; `facts` are a few numbers with their names."""

    title: str
    lead: str
    facts: Sequence[tuple[str, str]]
    sections: Sequence[ReportSection]
    footer: str
    warnings: Sequence[str] = field(default=())


def as_html(page: ReportPage) -> str:
    """The page as text."""
    return _template().render(
        title=page.title,
        lead=page.lead,
        facts=page.facts,
        footer=page.footer,
        warnings=page.warnings,
        sections=[shown for section in page.sections if (shown := _shown(section)).parts],
    )


def _shown(section: ReportSection) -> ReportSection:
    """The section without parts in which there is nothing to see."""
    return replace(section, parts=[part for part in section.parts if part.chart or part.lines or part.rows])


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader

    return Environment(loader=PackageLoader("edict.agents.study"), autoescape=True, trim_blocks=True).get_template(
        "page.html"
    )
