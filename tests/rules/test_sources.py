"""The sources of things that are not printed: known facts and inventions, in the rules and in docs/sources.md."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.module_set import load_catalogue
from edict.runtime.program import LinkedThing

BESIDE = ("alternate-rows", "destiny", "governors", "more-buildings")
SAYS = re.compile(r"\b(Ours|Open|made for these rules|a fan program alone|all of it|all but)\b")
UNSURE = ("single-source", "reconstructed", "original")


@cache
def find_things(kind: str) -> tuple[LinkedThing, ...]:
    program = compile_rules("kingsburg", BESIDE).unwrap()
    return next(one.things for one in program.kinds if one.name == kind)


def find_unofficial_things() -> list[LinkedThing]:
    """Return the cards, buildings and advisors whose text is unknown or from an unofficial source."""
    kinds = ("building", "governor", "advisor", "destiny")
    return [thing for kind in kinds for thing in find_things(kind) if thing.origin in UNSURE]


def test_each_source_separates_facts_from_inventions() -> None:
    """A thing known from one source has no inventions, and a thing with inventions is not `single-source`."""
    of_module = {name: manifest.source for name, (_, manifest) in load_catalogue().items()}
    silent = [t.name for t in find_unofficial_things() if t.source == of_module[t.module] or not SAYS.search(t.source)]
    assert not silent
    assert not [
        t.name for t in find_unofficial_things() if t.origin == "single-source" and re.search(r"\bOurs\b", t.source)
    ]


def test_sources_page_agrees_with_the_rules(root: Path, subtests: pytest.Subtests) -> None:
    page = (root / "docs" / "sources.md").read_text(encoding="utf-8")
    lines = ([cell.strip() for cell in line.split("|")] for line in page.splitlines())
    rows = {cells[1]: cells for cells in lines if len(cells) == 6}
    for made in re.findall(r"^Made for these rules, as nothing is known: (.*)\.$", page, re.MULTILINE):
        rows |= {title: ["", title, "original", "nothing", "", ""] for title in made.split(", ")}
    for thing in find_unofficial_things():
        with subtests.test(thing=thing):
            origin, known, decided = rows[thing.title][2:5]
            assert origin == thing.origin, thing.name
            said = "made for these rules" if known == "nothing" else known
            assert thing.source.startswith(said), thing.name
            rest = thing.source[len(said) :].strip(" .;") if known != "nothing" else ""
            assert decided.startswith(rest), thing.name


def test_exactly_three_governors_can_be_used_repeatedly() -> None:
    """The second edition says that exactly three effects can be used several times and that their cards say so."""
    often = {thing.title for thing in find_things("governor") if "whenever" in thing.words.casefold()}
    assert often == {"Carpenter", "Sculptor", "Tax Collector"}
