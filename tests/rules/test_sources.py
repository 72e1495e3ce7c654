"""Every thing that is not printed says what is known of it and what is ours, and docs/sources.md has the same words."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from edict.compiler.pipeline.compile import compile_rules
from edict.compiler.sources.module_set import catalogue
from edict.runtime.program import LinkedThing

BESIDE = ("alternate-rows", "destiny", "governors", "more-buildings")
SAYS = re.compile(r"\b(Ours|Open|made for these rules|a fan program alone|all of it|all but)\b")
UNSURE = ("single-source", "reconstructed", "original")


@cache
def things(kind: str) -> tuple[LinkedThing, ...]:
    program = compile_rules("kingsburg", BESIDE).unwrap()
    return next(one.things for one in program.kinds if one.name == kind)


def unsure() -> list[LinkedThing]:
    """The cards, buildings and advisors whose printed text is not known, or not from an official source."""
    kinds = ("building", "governor", "advisor", "destiny")
    return [thing for kind in kinds for thing in things(kind) if thing.origin in UNSURE]


def test_each_says_what_is_known_and_what_is_ours() -> None:
    """What is known entirely from one source needs no invention of ours, and what needs one is not `single-source`."""
    of_module = {name: manifest.source for name, (_, manifest) in catalogue().items()}
    silent = [t.name for t in unsure() if t.source == of_module[t.module] or not SAYS.search(t.source)]
    assert not silent
    assert not [t.name for t in unsure() if t.origin == "single-source" and re.search(r"\bOurs\b", t.source)]


def test_the_page_of_sources_says_of_each_what_its_source_says(root: Path) -> None:
    page = (root / "docs" / "sources.md").read_text(encoding="utf-8")
    lines = ([cell.strip() for cell in line.split("|")] for line in page.splitlines())
    rows = {cells[1]: cells for cells in lines if len(cells) == 6}
    for made in re.findall(r"^Made for these rules, as nothing is known: (.*)\.$", page, re.MULTILINE):
        rows |= {title: ["", title, "original", "nothing", "", ""] for title in made.split(", ")}
    for thing in unsure():
        origin, known, decided = rows[thing.title][2:5]
        assert origin == thing.origin, thing.name
        said = "made for these rules" if known == "nothing" else known
        assert thing.source.startswith(said), thing.name
        rest = thing.source[len(said) :].strip(" .;") if known != "nothing" else ""
        assert decided.startswith(rest), thing.name


def test_whenever_stands_on_the_three_governors_that_have_it() -> None:
    """The second edition says of exactly three that an effect can be used several times, and that they say so."""
    often = {thing.title for thing in things("governor") if "whenever" in thing.words.casefold()}
    assert often == {"Carpenter", "Sculptor", "Tax Collector"}
