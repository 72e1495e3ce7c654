"""Reserved words, derived from the parser's table and compared with actual uses as names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import kinds_by_word
from edict.compiler.syntax.declared_names import NOTHING_DECLARED, collect_declared_names
from edict.compiler.syntax.parse import parse, parse_file
from edict.compiler.syntax.printing import print_page
from edict.compiler.syntax.reserved_words import find_reserved_sorts
from edict.compiler.syntax.traversal import walk
from edict.support.text import Source

WORDS = sorted(
    word for word in kinds_by_word() if word.isalpha() and word != "none"
)  # which means something in every game
BEGUN_OTHERWISE = (("field", "unique"), ("field", "works"), ("thing", "for"))  # no declaration begins so
UNREADABLE = frozenset(("E0118", "E0103", "E0101", "E0102"))  # a line that declares it begins as another one does
USES = {
    "resource": "resource {w}\n\nphase zz\n  gain 2 {w}\n  if {w} of you > 3\n    lose 1 {w}\n",
    "thing": "kind k\n  nn k or none\n\nk {w}\n  nn none\n\nk zb\n  nn {w}\n\n"
    "phase zz\n  let yy = {w}\n  move {w} from m to n\n",
    "kind": 'kind {w}\n  nn {w} or none\n\n{w} b "B"\n  nn none\n\n'
    "phase zz\n  each {w}\n    nothing\n  choose a {w} as x\n",
    "field": "kind k\n  {w} number\n\nk zb\n  {w} 3\n\n"
    "phase zz\n  let yy = {w} of zb + 1\n  if {w} of zb > 3\n    nothing\n",
    "keep": "keep {w} of player as number\n\nphase zz\n  set {w} of you to 3\n  if {w} of you > 3\n    nothing\n",
    "quantity": "quantity {w} of player is 3\nadjust {w} by 1\n\nphase zz\n  gain {w} of you coin\n",
    "value": "value {w} of player is 3\n\nphase zz\n  let yy = {w} of you\n",
    "setting": "setting {w} is 3\n\nphase zz\n  if {w} = 3\n    gain {w} coin\n",
    "phase": "phase {w}\n  nothing\n\nphase zz\n  play {w}\n\nwhen start of {w} if during {w}\n  nothing\n",
    "routine": "routine {w}\n  nothing\n\nphase zz\n  do {w}\n  do {w} 2 times\n",
    "action": "action {w}\n  then\n    nothing\n\nphase zz\n  may do {w}\n",
    "moment": "moment {w}\n\nphase zz\n  trigger {w}\n\nwhen {w}\n  nothing\n",
    "local": "phase zz\n  let {w} = 3\n  set {w} to 4\n  if {w} > 3 and not {w} = 2\n    gain {w} coin\n",
}


@pytest.mark.parametrize("sort", USES)
@pytest.mark.sample(3)
def test_keyword_works_as_a_name_or_is_refused_at_its_declaration(sort: str, subtests: pytest.Subtests) -> None:
    for word in WORDS:
        with subtests.test(word=word):
            text = USES[sort].replace("{w}", word)
            read = parse(Source("a.edict", text))
            codes = {found.code for found in read.diagnostics if found.is_error}
            if (sort, word) in BEGUN_OTHERWISE:
                continue
            if sort in find_reserved_sorts(word):
                assert codes and codes <= {"E0112", *UNREADABLE}, text
                continue
            assert not codes, (text, [found.title for found in read.diagnostics])
            assert read.value is not None
            assert _count_name(read.value, word) == USES[sort].count("{w}"), text
            assert print_page(read.value) == text


def _count_name(page: t.Page, word: str) -> int:
    return sum(isinstance(node, t.Name) and node.word == word for node in _iter_nodes(page))


def _iter_nodes(page: t.Page) -> Iterator[t.Node]:
    for definition in page.definitions:
        yield from walk(definition)


def test_names_may_have_letters_of_all_languages(subtests: pytest.Subtests) -> None:
    for name in ("größe", "città", "王", "μέγεθος", "gro\u0308ße"):
        with subtests.test(name=name):
            read = parse(Source("a.edict", f"resource {name}\n\nphase {name}-2\n  gain 2 {name}\n"))
            assert not read.diagnostics and read.value is not None
            composed = unicodedata.normalize("NFC", name)
            assert [one.name.word for one in read.value.definitions] == [composed, f"{composed}-2"]
            assert _count_name(read.value, composed) == 2


def test_keyword_is_a_name_only_if_it_is_declared() -> None:
    text = "phase zz\n  if left > 3\n    nothing\n"
    assert not parse_file(Source("a.edict", text)).ok
    assert parse_file(Source("a.edict", text), names=frozenset(("left",))).ok


DECLARED = """\
kind card "card/cards"
  rank number
  wild truth
  price amounts
  trick effect
  partner card or none
card ace "Bullet"
  rank 1
kind hut
  yield effect
resource gold "coin/coins"
keep top as card or none
keep pile as set of card
keep mine of player as set of card
keep many as number
action rest
  rule never
    require no
"""
ASKED: list[tuple[Any, Any]] = [
    (lambda it: sorted(it.field_names), ["partner", "price", "rank", "trick", "wild", "yield"]),
    (
        lambda it: [it.find_name(word) for word in ("cards", "ace", "rank", "coin", "zork")],
        ["card", "ace", "rank", "", ""],
    ),
    (
        lambda it: [it.resolve_word(word) for word in ("bullet", "coins", "golds", "rank", "ace")],
        ["ace", "gold", "gold", "", "ace"],
    ),
    (
        lambda it: [it.resolve_word_of_sorts("bullet", [sort]) for sort in ("thing", "card", "any", "kind")],
        ["ace", "ace", "ace", ""],
    ),
    (
        lambda it: [it.field_shape(field) for field in ("rank", "wild", "price", "trick", "partner", "zork")],
        ["number", "truth", "amounts", "effect", "thing", ""],
    ),
    (
        lambda it: [it.sort_of(name) for name in ("ace", "card", "gold", "pile", "rest", "zork")],
        ["card", "kind", "resource", "keep", "action", ""],
    ),
    (
        lambda it: [
            it.has_sort(name, [sort])
            for name, sort in (
                ("ace", "thing"),
                ("ace", "card"),
                ("ace", "any"),
                ("gold", "any"),
                ("gold", "thing"),
                ("zork", "any"),
            )
        ],
        [True, True, True, True, False, False],
    ),
    (
        lambda it: [it.example_field_line(field) for field in ("rank", "wild", "price", "trick", "partner", "zork")],
        ["rank 3", "wild yes", "price 2 RESOURCE, 1 RESOURCE", "trick gain 1 RESOURCE", "partner ace", ""],
    ),
    (
        lambda it: [it.list_effect_fields("card"), it.list_effect_fields("hut"), it.list_effect_fields("")],
        [["trick"], ["yield"], ["trick", "yield"]],
    ),
    (lambda it: [*it.moments(), *NOTHING_DECLARED.field_names], []),
]


def test_declared_names_answer_by_name_plural_title_and_sort(subtests: pytest.Subtests) -> None:
    declared = collect_declared_names([parse(Source("a.edict", DECLARED)).unwrap()])
    for asked, answer in ASKED:
        with subtests.test(asked=asked):
            assert asked(declared) == answer
