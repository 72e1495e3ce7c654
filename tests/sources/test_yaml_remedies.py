"""YAML that cannot be read: where, why, and the line as it can be read, which is offered only if it can."""

from __future__ import annotations

import pytest

from edict.report import edited
from edict.sources.yaml_reader import read_yaml
from edict.text import Source

GOOD = "name: house\ntitle: House\nrequires: [kingsburg]\nsummary: One.\n"

BROKEN = [
    ("name: house", "name:house", "a space is missing after `name:`"),
    ("name: house", "name house", "a colon is missing"),
    ("title: House", "title = House", "a colon is missing"),
    ("title: House", "title House  # or: Home", "a colon is missing"),
    ("title: House", "title: House: the second", "double quotes"),
    ("title: House", 'title: "House', "no closing quote"),
    ("title: House", "title: 'Bob's house'", "double quotes"),
    ("title: House", "\ttitle: House", "tab"),
    ("title: House", "  title: House", "begins after 2 spaces"),
    ("requires: [kingsburg]", "requires: [kingsburg", "not closed"),
    ("summary: One.", "summary: @home", "double quotes"),
    ("summary: One.", "summary: *", "double quotes"),
]


@pytest.mark.parametrize(("line", "written", "said"), BROKEN)
def test_the_line_is_named_and_mended(line: str, written: str, said: str) -> None:
    text = GOOD.replace(line, written)
    (found,) = read_yaml(Source("module.yaml", text)).diagnostics
    assert said in found.title
    assert text.split("\n")[found.span.line - 1] == written
    assert read_yaml(Source("module.yaml", edited(text, found.edits))).ok


def test_what_no_change_of_a_line_mends_is_told_by_the_reader() -> None:
    (found,) = read_yaml(Source("module.yaml", "a: [\n}\n  - {\n" * 3)).diagnostics
    assert found.code == "E0140" and not found.edits


def test_a_comment_is_not_part_of_what_to_write_and_stays() -> None:
    text = "name = house  # ours\ntitle House\n"
    (found,) = read_yaml(Source("module.yaml", text)).diagnostics
    assert (found.help, found.span.end_column) == ("write `name: house`", len("name = house") + 1)
    assert edited(text, found.edits) == "name: house  # ours\ntitle House\n"


def test_a_colon_is_missed_where_a_line_opens_others() -> None:
    text = "scenes:\n  - name Ann gets a gold\n    start: start of summer\n    then\n      Ann: {gold: 1}\n"
    (found,) = read_yaml(Source("scenes.yaml", text)).diagnostics
    assert (found.title, found.span.line) == ("a colon is missing after `name`", 2)
    (other,) = read_yaml(Source("scenes.yaml", edited(text, found.edits))).diagnostics
    assert (other.title, other.span.line) == ("a colon is missing after `then`", 4)
    assert read_yaml(Source("scenes.yaml", edited(edited(text, found.edits), other.edits))).ok
