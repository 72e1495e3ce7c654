"""Reports of checks, word for word: place, reason, labels and advice.

`told_in_full.yaml` has the rules and their reports. To write it again after a change, and then to read it:
`PYTHONPATH=tests/kit python tests/compiler/checks/test_told_in_full.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import yaml

from edict.compiler.pipeline.pipeline import analyze
from edict.support.report import Diagnostic
from findings import format_diagnostics
from helpers import add_game, make_module

FILE = Path(__file__).with_name("told_in_full.yaml")


@dataclass(frozen=True)
class SnippetGroup:
    """Snippets with their expected reports, and the page they are put into at the line of three dots."""

    within: str
    without: tuple[str, ...]
    told: dict[str, str]

    def make_page(self, rules: str) -> str:
        lead = next(line for line in self.within.splitlines() if line.strip() == "...").removesuffix("...")
        return self.within.replace(f"{lead}...\n", indent(f"{rules}\n", lead))

    def report_for(self, rules: str) -> str:
        """Return all that is reported for a page, to which a game is added if it has none."""
        text = self.make_page(rules)
        pages = (text,) if "\ngame " in text else add_game(text)
        found = analyze((make_module(*pages),)).diagnostics
        return format_diagnostics(one for one in found if one.code not in self.without and _is_about_page(one))


def _is_about_page(diagnostic: Diagnostic) -> bool:
    """Return True if a diagnostic is about the page, and not only about the game that is added."""
    return any(span.file == "page1.edict" for span in (diagnostic.span, *(label.span for label in diagnostic.labels)))


def load_groups() -> dict[str, SnippetGroup]:
    data = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {name: SnippetGroup(group["within"], tuple(group["without"]), group["told"]) for name, group in data.items()}


@pytest.mark.parametrize("name", load_groups())
def test_report_is_word_for_word_as_recorded(name: str, subtests: pytest.Subtests) -> None:
    group = load_groups()[name]
    for rules, told in group.told.items():
        with subtests.test(rules=rules):
            assert group.report_for(rules) == told


# --- regeneration --------------------------------------------------------------------------------


class _BlockDumper(yaml.SafeDumper):
    """A dumper that writes texts of several lines as blocks."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def write_groups() -> None:
    _BlockDumper.add_representer(str, _represent_text)
    data = {
        name: {
            "within": group.within,
            "without": [*group.without],
            "told": {rules: group.report_for(rules) for rules in group.told},
        }
        for name, group in load_groups().items()
    }
    text = yaml.dump(data, Dumper=_BlockDumper, sort_keys=False, allow_unicode=True, width=10_000)
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_groups()
