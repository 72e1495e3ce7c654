"""A report as one HTML page that needs no other file: text, tables, and charts as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING

from edict.agents.study.charts import Chart
from edict.support.records import dataclass
from edict.support.translations import current_language

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True, slots=True)
class ReportCell:
    """A cell of a table."""

    text: str
    shade: float = 0.0  # from 0 to 1


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A chart or a table."""

    title: str = ""
    chart: Chart | None = None
    head: Sequence[str] = ()  # headings of the table
    rows: Sequence[Sequence[ReportCell]] = ()  # of the table


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A section of a report."""

    title: str
    text: str
    parts: Sequence[ReportPart]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The contents of a report from top to bottom."""

    title: str
    lead: str
    facts: Sequence[tuple[str, str]]  # a few numbers with their names
    sections: Sequence[ReportSection]
    footer: str
    warnings: Sequence[str] = field(default=())
    verdict: Sequence[str] = field(default=())  # sentences in the current language


def render_html(page: ReportPage) -> str:
    """Render a page as HTML."""
    return _load_template("page.html").render(
        title=page.title,
        lead=page.lead,
        facts=page.facts,
        footer=page.footer,
        warnings=page.warnings,
        verdict=page.verdict,
        language=current_language(),
        sections=[visible for section in page.sections if (visible := _drop_empty_parts(section)).parts],
    )


def _drop_empty_parts(section: ReportSection) -> ReportSection:
    """Return the section without empty parts."""
    return replace(section, parts=[part for part in section.parts if part.chart or part.rows])


def render_chart(chart: Chart) -> str:
    """Render a chart as HTML for a page that has the styles of charts."""
    return str(_load_template("charts.html").module.drawing(chart))  # type: ignore[attr-defined]


@cache
def _load_template(name: str) -> Template:
    """Load a Jinja template of reports, with automatic HTML escaping."""
    from jinja2 import Environment, PackageLoader

    loader = PackageLoader("edict.agents.study")
    return Environment(loader=loader, autoescape=True, trim_blocks=True).get_template(name)
