"""What each check tells, word for word: where, why, what else belongs to it, and what is proposed.

`told_in_full.yaml` has the rules and what is told of them. To write it anew after a change, and then to read it:
`PYTHONPATH=tests/kit python tests/compiler/checks/test_told_in_full.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import yaml

from edict.compiler.pipeline.pipeline import understand
from edict.support.report import Diagnostic
from findings import in_full
from helpers import module, with_game

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
        found = understand((module(*pages),)).diagnostics
        return in_full(one for one in found if one.code not in self.without and _is_here(one))


def _is_here(one: Diagnostic) -> bool:
    """Whether it is about the page, and not only about the game that is added."""
    return any(span.file == "page1.edict" for span in (one.span, *(label.span for label in one.labels)))


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
    anew = {
        name: {
            "within": one.within,
            "without": [*one.without],
            "told": {rules: one.told_of(rules) for rules in one.told},
        }
        for name, one in groups().items()
    }
    text = yaml.dump(anew, Dumper=_Blocks, sort_keys=False, allow_unicode=True, width=10_000)
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
