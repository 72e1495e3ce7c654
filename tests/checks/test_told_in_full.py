"""What each check tells, word for word: where, why, what else belongs to it, and what is proposed.

`told_in_full.yaml` has the rules and what is told of them. To write it anew after a change, and then to read it:
`PYTHONPATH=tests/support python tests/checks/test_told_in_full.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import ndiff
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import yaml
from helpers import module, under, with_game

from edict.front.pipeline import understand
from edict.report import Diagnostic, edited
from edict.text import Span

FILE = Path(__file__).with_name("told_in_full.yaml")


@dataclass(frozen=True)
class Group:
    """What the rows of a group are laid into, at the line of three dots; what is told of that alone; and the rows."""

    within: str
    without: tuple[str, ...]
    told: dict[str, str]

    def page(self, rules: str) -> str:
        lead = next(line for line in self.within.splitlines() if line.strip() == "...").removesuffix("...")
        return self.within.replace(f"{lead}...\n", indent(f"{rules}\n", lead))

    def told_of(self, rules: str) -> str:
        """All that is told of a page; a game is added to it if it has none."""
        text = self.page(rules)
        pages = (text,) if "\ngame " in text else with_game(text)
        known = {f"page{number}.edict": page for number, page in enumerate(pages, 1)}
        found = understand((module(*pages),)).diagnostics
        mine = [one for one in found if one.code not in self.without and _is_here(one)]
        return "\n".join(in_full(known, one) for one in mine)


def _is_here(one: Diagnostic) -> bool:
    """Whether it is about the page, and not only about the game that is added."""
    return any(span.file == "page1.edict" for span in (one.span, *(label.span for label in one.labels)))


def in_full(pages: dict[str, str], one: Diagnostic) -> str:
    """Every part of a finding in lines of its own; of its edits, the lines that they change."""
    lines = [f"{one.severity} {one.code} {place(pages, one.span)}: {one.title}"]
    lines += [f"note: {one.note}"] if one.note else []
    lines += [f"label {place(pages, label.span)}: {label.text}" for label in one.labels]
    lines += [f"help: {one.help}"] if one.help else []
    if one.edits:
        before = pages["page1.edict"]
        after = edited(before, one.edits)
        lines += [line for line in ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]
    lines += [f"reading: {reading.said}" for reading in one.readings]
    return "".join(f"{line}\n" for line in lines)


def place(pages: dict[str, str], span: Span) -> str:
    where = "" if span.file == "page1.edict" else "in the game "
    shown = under(pages[span.file], Diagnostic("", "", span)).rstrip()
    return f"{where}{span.line}:{span.column}-{span.end_line}:{span.end_column} `{shown}`"


def groups() -> dict[str, Group]:
    kept = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {name: Group(one["within"], tuple(one["without"]), one["told"]) for name, one in kept.items()}


@pytest.mark.parametrize("name", groups())
def test_what_is_told_of_rules_is_told_in_full(name: str) -> None:
    group = groups()[name]
    for rules, told in group.told.items():
        assert group.told_of(rules) == told, rules


# --- writing it anew -----------------------------------------------------------------------------


class _Blocks(yaml.SafeDumper):
    """Texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def write() -> None:
    _Blocks.add_representer(str, _text)
    anew = {name: {
        "within": one.within, "without": [*one.without], "told": {rules: one.told_of(rules) for rules in one.told},
    } for name, one in groups().items()}  # fmt: skip
    text = yaml.dump(anew, Dumper=_Blocks, sort_keys=False, allow_unicode=True, width=10_000)
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
