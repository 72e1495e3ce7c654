"""Tests that the rulebook describes every statement, by a mark that each leaves in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from edict.apps.cli.commands.rulebook import render_markdown
from edict.compiler.english import phrases
from edict.compiler.semantics.symbols import ResolvedBook, definition_of, starts_with_text
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import is_block, iter_fields, walk
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.covered_rules import find_covered_rules
from edict.prose.rulebook.rulebook_contents import build_rulebook
from edict.prose.rulebook.things import is_list_of_effects
from edict.support import resources
from reading import list_shipped_rules, load_annotated, write_module

MODULES = sorted(path.parent for path in (resources.get_shipped_folder() / "modules").glob("*/module.yaml"))
SILENT = (t.Announce, t.Trigger, t.Look, t.Nothing, t.Show)  # what is said, looked at and shown changes nothing


def iter_leaf_statements(known: AnnotatedRules) -> Iterator[t.Stmt]:
    """Iterate over leaf statements with an effect, except those that the author's text covers."""
    covered = find_covered_rules(known)
    for owner in known.resolved.book.roots:
        ability = owner.ability if isinstance(owner, t.Standalone) else None
        if owner.name.word in covered.names or ability in covered.house_rules:
            continue  # see test_covered_rules_are_used_only_by_things_with_a_text
        if isinstance(owner, t.Thing) and owner.kind.word in covered.names:
            continue
        idle = [loop for loop in walk(owner) if _is_empty_loop(known, loop) or _is_list_step(known, loop)]
        told = {step for loop in idle for step in walk(loop)}
        told |= {
            step for text in walk(owner) if isinstance(text, t.Text) for step in _iter_covered_by_text(owner, text)
        }
        for node in walk(owner):
            if isinstance(node, t.Stmt) and not isinstance(node, (*SILENT, t.Text)) and node not in told:
                if not any(is_block(value) for _, value in iter_fields(node)) and not isinstance(
                    node, t.May | t.ChooseOne
                ):
                    yield node


def _is_empty_loop(known: AnnotatedRules, node: t.Node) -> bool:
    """Return True for a loop over things of a kind without things, a hook for modules."""
    kind = definition_of(known.resolved, node.kind) if isinstance(node, t.Each) and node.source is None else None
    return isinstance(kind, t.Kind) and not known.linked.things[kind.name.word]


def _is_list_step(known: AnnotatedRules, node: t.Node) -> bool:
    """Return True for a step that runs all of a list, whose entries are described in its place."""
    kind = definition_of(known.resolved, node.kind) if isinstance(node, t.Each) and node.source is None else None
    alone = isinstance(node, t.Each) and len(node.block) == 1 and isinstance(node.block[0], t.DoField)
    return alone and isinstance(kind, t.Kind) and is_list_of_effects(known, kind)


def _iter_covered_by_text(owner: t.Definition, text: t.Text) -> Iterator[t.Node]:
    if isinstance(owner, t.Thing) and owner.text is text:
        yield from walk((*owner.fields, *owner.abilities))
    yield from walk(text.block)
    for node in walk(owner):
        for _, value in iter_fields(node):
            if is_block(value) and not text.block and text in value:
                yield from walk(value[value.index(text) :])


def tell_with_mark(seen: dict[int, t.Stmt], tell: phrases.Describer, resolved: ResolvedBook, node: t.Stmt) -> str:
    """Return the words of a statement with its number."""
    words = tell(resolved, node)
    seen[id(node)] = node
    return f"{words} ⟦{id(node)}⟧" if words else ""


RECIPES = Path(__file__).resolve().parents[3] / "examples" / "recipes"
TREES = list(dict.fromkeys([*list_shipped_rules(), *(("kingsburg", module.name) for module in MODULES)]))
TREES += [(str(RECIPES / name),) for name in ("instead", "weather", "twice")]


@pytest.mark.parametrize("names", TREES, ids=lambda names: "+".join(Path(name).name for name in names))
@pytest.mark.sample(7)
def test_rulebook_describes_every_statement(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    known = remove_judgement(load_annotated(*names))
    seen: dict[int, t.Stmt] = {}
    wanted = list(iter_leaf_statements(known))
    for kind in {type(node) for node in wanted}:
        monkeypatch.setitem(phrases._DESCRIBERS, kind, partial(tell_with_mark, seen, phrases._DESCRIBERS[kind]))
    book = render_markdown(build_rulebook(known))
    found = {seen[int(number)] for number in re.findall(r"⟦(\d+)⟧", book)}
    missing = [f"{node.span}: {phrases.describe(known.resolved, node)}" for node in wanted if node not in found]
    assert not missing, "\n".join(missing)


def test_covered_rules_are_used_only_by_things_with_a_text(subtests: pytest.Subtests) -> None:
    """The author's text on a thing covers routines, numbers and counts that only such things use."""
    known = load_annotated("kingsburg", "governors", "destiny")
    covered = find_covered_rules(known)
    assert {"ponder", "royal-throw", "swap-places", "ahead", "idle-players"} <= covered.names
    assert covered.names.isdisjoint({"strength", "construct", "price", "recruit", "bring-foe", "closed"})
    for owner in known.resolved.book.roots:
        with subtests.test(owner=owner):
            is_told = isinstance(owner, t.Thing) and owner.text is not None
            if is_told or isinstance(owner, t.Display) or owner.name.word in covered.names:
                continue
            is_told = isinstance(owner, t.Standalone) and starts_with_text(getattr(owner.ability, "then", ()))
            if not is_told and not (isinstance(owner, t.Standalone) and owner.ability in covered.house_rules):
                mentioned = {node.word for node in walk(owner) if isinstance(node, t.Name)}
                assert mentioned.isdisjoint(covered.names), owner.name.word


def test_count_that_an_untold_rule_uses_is_described(tmp_path: Path) -> None:
    """A count is left out only where the text of a thing covers what it is for."""
    folder = write_module(
        tmp_path / "counting",
        'keep built "buildings so far" of player as number, quiet\n'
        "when constructed\n  add 1 to built of builder\n"
        "when end of winter\n  each player\n    gain built of you gold\n",
    )
    known = load_annotated("kingsburg", str(folder))
    assert not find_covered_rules(known).house_rules
    assert "add 1 to the buildings so far of the builder" in render_markdown(build_rulebook(known))
