"""Which words of the language can be names: derived from the parser's table, and here held against uses."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import terminals
from edict.compiler.syntax.declared_names import NOTHING, declared_in
from edict.compiler.syntax.parse import parse, read_page
from edict.compiler.syntax.printing import page_text
from edict.compiler.syntax.reserved_words import reserved
from edict.compiler.syntax.walking import walk
from edict.support.text import Source

WORDS = sorted(word for word in terminals() if word.isalpha() and word != "none")  # which means something in every game
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
@pytest.mark.sample(5)
def test_a_word_of_the_language_is_a_name_or_is_refused_where_it_is_declared(sort: str) -> None:
    for word in WORDS:
        text = USES[sort].replace("{w}", word)
        read = parse(Source("a.edict", text))
        codes = {found.code for found in read.diagnostics if found.is_error}
        if (sort, word) in BEGUN_OTHERWISE:
            continue
        if sort in reserved(word):
            assert codes and codes <= {"E0112", *UNREADABLE}, text
            continue
        assert not codes, (text, [found.title for found in read.diagnostics])
        assert read.value is not None
        assert _named(read.value, word) == USES[sort].count("{w}"), text
        assert page_text(read.value) == text


def _named(page: t.Page, word: str) -> int:
    return sum(isinstance(node, t.Name) and node.word == word for node in _nodes(page))


def _nodes(page: t.Page) -> Iterator[t.Node]:
    for definition in page.definitions:
        yield from walk(definition)


def test_letters_of_all_languages_are_letters_of_names() -> None:
    for name in ("größe", "città", "王", "μέγεθος", "gro\u0308ße"):
        read = parse(Source("a.edict", f"resource {name}\n\nphase {name}-2\n  gain 2 {name}\n"))
        assert not read.diagnostics and read.value is not None
        composed = unicodedata.normalize("NFC", name)
        assert [one.name.word for one in read.value.definitions] == [composed, f"{composed}-2"]
        assert _named(read.value, composed) == 2


def test_a_name_declared_in_another_file_is_known_and_an_unknown_one_is_no_name() -> None:
    text = "phase zz\n  if left > 3\n    nothing\n"
    assert not read_page(Source("a.edict", text)).ok
    assert read_page(Source("a.edict", text), names=frozenset(("left",))).ok


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
    (lambda it: sorted(it.fields), ["partner", "price", "rank", "trick", "wild", "yield"]),
    (lambda it: [it.named(word) for word in ("cards", "ace", "rank", "coin", "zork")], ["card", "ace", "rank", "", ""]),
    (
        lambda it: [it.meant(word) for word in ("bullet", "coins", "golds", "rank", "ace")],
        ["ace", "gold", "gold", "", "ace"],
    ),
    (
        lambda it: [it.meant_of_sorts("bullet", [sort]) for sort in ("thing", "card", "any", "kind")],
        ["ace", "ace", "ace", ""],
    ),
    (
        lambda it: [it.shape(field) for field in ("rank", "wild", "price", "trick", "partner", "zork")],
        ["number", "truth", "amounts", "effect", "thing", ""],
    ),
    (
        lambda it: [it.sort(name) for name in ("ace", "card", "gold", "pile", "rest", "zork")],
        ["card", "kind", "resource", "keep", "action", ""],
    ),
    (
        lambda it: [
            it.fits(name, [sort])
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
        lambda it: [it.example(field) for field in ("rank", "wild", "price", "trick", "partner", "zork")],
        ["rank 3", "wild yes", "price 2 RESOURCE, 1 RESOURCE", "trick gain 1 RESOURCE", "partner NAME", ""],
    ),
    (lambda it: [it.held(name) for name in ("top", "pile", "many", "gold", "zork")], ["card", "set", "number", "", ""]),
    (
        lambda it: [it.lying(kind, shape) for kind, shape in (("card", "thing"), ("card", "set"), ("hut", "set"))],
        ["top", "pile", ""],
    ),
    (lambda it: [it.rule("rest"), it.rule("zork"), NOTHING.rule("rest")], ["rest.never", "rest.never", "ACTION.RULE"]),
    (lambda it: [it.effects("card"), it.effects("hut"), it.effects("")], [["trick"], ["yield"], ["trick", "yield"]]),
    (lambda it: [*it.moments(), *NOTHING.fields], []),
]


def test_what_is_declared_is_known_by_name_plural_and_title_and_by_what_it_is() -> None:
    declared = declared_in([parse(Source("a.edict", DECLARED)).unwrap()])
    for asked, answer in ASKED:
        assert asked(declared) == answer
