"""The claims of pages outside the code: links lead somewhere, commands and files exist, records are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import edict
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.play_calls import POSITIONS
from edict.agents.study.tables import DECISIONS, game_columns
from edict.game.table.rules import load_rules

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
RECORD = re.compile(r"# (\d+)\. \S.*\n\n\*\d{1,2} \w+ \d{4}\*\n\n\S")


def find_links(page: Path) -> list[str]:
    """Return the relative links of a page, without anchors."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found = (link.partition("#")[0] for link in re.findall(r"\]\(([^()\s]+)\)", prose))
    return [link for link in found if link and "://" not in link]


def test_links_of_top_level_pages_lead_somewhere(root: Path) -> None:
    assert not [(name, link) for name in PAGES for link in find_links(root / name) if not (root / link).exists()]


def test_docs_index_names_every_page(root: Path) -> None:
    docs = root / "docs"
    named = {(docs / link).resolve() for link in find_links(docs / "README.md")}
    pages = {page.resolve() for page in docs.rglob("*.md") if page.parent.name != "decisions"}
    assert pages - {(docs / "README.md").resolve()} <= named


def test_every_decision_has_number_date_and_index_line(root: Path, subtests: pytest.Subtests) -> None:
    folder = root / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    records = sorted(folder.glob("[0-9]*.md"))
    assert records
    for record in records:
        with subtests.test(record=record):
            text = record.read_text(encoding="utf-8")
            found = RECORD.match(text)
            assert found and int(found[1]) == int(record.name[:3]), record.name
            assert f"- [{text.partition(chr(10))[0].removeprefix('# ')}]({record.name})\n" in index, record.name
    assert len({record.name[:3] for record in records}) == len(records) == index.count("\n- [")


def test_targets_and_paths_in_contributing_exist(root: Path) -> None:
    page = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z-]+)", page.partition("## Rules, or the engine?")[0])) <= targets
    paths = re.findall(r"\b((?:interpreter|grammar|tests|docs|editors)/[\w/.-]+\w)", page)
    assert len(paths) > 8
    assert not [path for path in paths if not (root / path).exists()]
    engine = root / "interpreter" / "edict"
    table = page.partition("## The engine")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[a-z`, ]+`) \|", table, re.MULTILINE)
    named = {name for cell in rows for name in re.findall(r"`([a-z]+)`", cell)}
    assert named == {path.parent.name for path in engine.glob("*/__init__.py")}


def test_issue_forms_are_valid(root: Path, subtests: pytest.Subtests) -> None:
    forms = sorted((root / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) > 2
    for form in (one for one in forms if one.name != "config.yml"):
        with subtests.test(form=form):
            asked = yaml.safe_load(form.read_text(encoding="utf-8"))
            assert asked["name"] and asked["description"] and asked["body"], form.name
            fields = [part for part in asked["body"] if part["type"] != "markdown"]
            assert all(part["attributes"]["label"] for part in fields)
            assert len({part["id"] for part in fields}) == len(fields) > 1


def test_citation_file_is_complete_and_of_this_version(root: Path) -> None:
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "license"} <= set(cited)
    assert all(author["name"] for author in cited["authors"])
    assert cited["version"] == edict.__version__
    assert (root / "LICENSE").read_text(encoding="utf-8").startswith(cited["license"])


# --- for researchers ------------------------------------------------------------------------------


def test_checks_named_in_research_page_exist(root: Path, subtests: pytest.Subtests) -> None:
    page = (root / "docs" / "guides" / "research.md").read_text(encoding="utf-8")
    files = re.findall(r"\b(?:tests|benchmarks)/[\w/-]+\.py", page)
    assert len(files) > 8 and [file for file in files if not (root / file).is_file()] == []
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in re.findall(r"`make ([\w-]+)`", page))
    for file, chosen in re.findall(r"(tests/\S+) -k (\w+)", page):
        with subtests.test(file=file):
            assert chosen in (root / file).read_text(encoding="utf-8")


def test_data_card_has_every_column_with_its_meaning(root: Path, subtests: pytest.Subtests) -> None:
    page = (root / "docs" / "reference" / "tables.md").read_text(encoding="utf-8")
    what = GameSetup(load_rules("pig").program, ("random",) * 2, (("goal", 60),))
    held = GameSetup(load_rules("kingsburg").program, ("random",) * 2)
    for column in (*DECISIONS, *POSITIONS, *game_columns(what), *game_columns(held)):
        with subtests.test(column=column):
            name, dot, of = re.sub(r"_\d+", "_N", column.name).partition(".")
            rule = {"points_N": "RULE", "held_N": "GROUP", "set": "NAME"}.get(name, of)
            means = re.sub(r"`.*`|\S+:\d+", "", column.means).rstrip().split(" from ")[0]
            rows = re.findall(rf"^- `{name}{re.escape(dot)}{rule}` \(.*$", page, re.MULTILINE)
            assert any(means in row for row in rows)


def test_names_in_contributing_stand_in_the_files_it_names(root: Path) -> None:
    """`NAME` of `PATH`, `NAME` in `PATH`, and what `pytest PATH -k NAMES` selects."""
    page = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`([A-Za-z_]+)`\s+(?:of|in)\s+`([a-z]+/[\w/.-]+\.\w+)`", page)
    named += [
        (name, path)
        for path, names in re.findall(r'^pytest .*?(tests/[\w/]+\.py) -k ("[^"]+"|\S+)$', page, re.MULTILINE)
        for name in re.split(r" (?:or|and) ", names.strip('"'))
        if not re.fullmatch(r"E\d+", name)  # a page in `grammar/diagnostics`
    ]
    assert len(named) > 10
    assert not [
        (name, path)
        for name, path in named
        if not re.search(rf"{name}(?!\w)" if name.isupper() else name, (root / path).read_text(encoding="utf-8"))
    ]


def test_anchors_in_contributing_are_headings(root: Path) -> None:
    page = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([\w/.-]+\.md)#([\w-]+)\)", page)
    headings = {
        path: {
            re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.+)$", (root / path).read_text(encoding="utf-8"), re.MULTILINE)
        }
        for path, _ in links
    }
    assert links and not [(path, anchor) for path, anchor in links if anchor not in headings[path]]
