"""Everything that can happen stands in the rulebook: every statement leaves a mark, and the marks are counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from edict.apps.cli.commands.rulebook import as_markdown
from edict.compiler.english import phrase_tables
from edict.compiler.semantics.call_graph import owners
from edict.compiler.semantics.symbols import Resolved, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import is_block, parts, walk
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.contents import rulebook
from edict.prose.rulebook.judging import without_judgement
from edict.prose.rulebook.things import is_list_of_effects
from edict.support import resources
from reading import known_trees, rules

MODULES = sorted(path.parent for path in (resources.home() / "modules").glob("*/module.yaml"))
SILENT = (t.Announce, t.Trigger, t.Look, t.Nothing, t.Show)  # what is said, looked at and shown changes nothing


def leaves(known: Known) -> Iterator[t.Stmt]:
    """The statements that hold no others and do something, but for those that the author tells in words."""
    for owner in owners(known.resolved):
        idle = [loop for loop in walk(owner) if _in_vain(known, loop) or _written_out(known, loop)]
        told = {step for loop in idle for step in walk(loop)}
        told |= {step for text in walk(owner) if isinstance(text, t.Text) for step in _covered(owner, text)}
        for node in walk(owner):
            if isinstance(node, t.Stmt) and not isinstance(node, (*SILENT, t.Text)) and node not in told:
                if not any(is_block(value) for _, value in parts(node)) and not isinstance(node, t.May | t.ChooseOne):
                    yield node


def _in_vain(known: Known, node: t.Node) -> bool:
    """Whether it goes through things of which there are none: a place kept open for modules."""
    kind = definition_of(known.resolved, node.kind) if isinstance(node, t.Each) and node.source is None else None
    return isinstance(kind, t.Kind) and not known.linked.things[kind.name.word]


def _written_out(known: Known, node: t.Node) -> bool:
    """Whether it does all of a list: there stands what is in the list, of which every statement must be told."""
    kind = definition_of(known.resolved, node.kind) if isinstance(node, t.Each) and node.source is None else None
    alone = isinstance(node, t.Each) and len(node.block) == 1 and isinstance(node.block[0], t.DoField)
    return alone and isinstance(kind, t.Kind) and is_list_of_effects(known, kind)


def _covered(owner: t.Definition, text: t.Text) -> Iterator[t.Node]:
    if isinstance(owner, t.Thing) and owner.text is text:
        yield from walk((*owner.fields, *owner.abilities))
    yield from walk(text.block)
    for node in walk(owner):
        for _, value in parts(node):
            if is_block(value) and not text.block and text in value:
                yield from walk(value[value.index(text) :])


def marked(seen: dict[int, t.Stmt], tell: phrase_tables.Teller, resolved: Resolved, node: t.Stmt) -> str:
    """The words of a statement with its number."""
    words = tell(resolved, node)
    seen[id(node)] = node
    return f"{words} ⟦{id(node)}⟧" if words else ""


RECIPES = Path(__file__).resolve().parents[3] / "examples" / "recipes"
TREES = list(dict.fromkeys([*known_trees(), *(("kingsburg", module.name) for module in MODULES)]))
TREES += [(str(RECIPES / name),) for name in ("instead", "weather", "twice")]


@pytest.mark.parametrize("names", TREES, ids=lambda names: "+".join(Path(name).name for name in names))
@pytest.mark.sample(7)
def test_every_statement_is_told(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    known = without_judgement(rules(*names))
    seen: dict[int, t.Stmt] = {}
    wanted = list(leaves(known))
    for kind in {type(node) for node in wanted}:
        monkeypatch.setitem(phrase_tables._TELLERS, kind, partial(marked, seen, phrase_tables._TELLERS[kind]))
    book = as_markdown(rulebook(known))
    found = {seen[int(number)] for number in re.findall(r"⟦(\d+)⟧", book)}
    missing = [f"{node.span}: {phrase_tables.tell(known.resolved, node)}" for node in wanted if node not in found]
    assert not missing, "\n".join(missing)
