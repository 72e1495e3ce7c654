"""The round of a game: the phases that recur, in order, each with a description.

They are what the loops of the course play, or all it plays if it has no loops. A round that consists of one phase,
such as a year, is replaced by what this phase plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from edict.compiler.english.block_phrases import select_described_steps
from edict.compiler.english.outline import outline_block
from edict.compiler.semantics.call_graph import iter_callees_of_node
from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values, iter_run_names
from edict.compiler.syntax.traversal import iter_fields
from edict.runtime.program import Stage
from edict.support.morphology import split_title

MIN_STAGES = 2


@dataclass(frozen=True, slots=True)
class _PlayedPhase:
    phase: t.Phase
    sometimes: bool
    again: bool  # in a loop


def list_stages(linked: LinkedBook) -> tuple[Stage, ...]:
    """Return the stages of the round in order; empty if there is only one."""
    r = linked.resolved
    played = _list_titled_phases(r, linked.game.course)
    recurring = [phase for phase in played if phase.again]
    phases = recurring or played
    while len(phases) == 1:
        phases = _list_phases_in(r, phases[0].phase)
    all_stages = (replace(_make_stage(r, phase), within=_list_inner_stages(r, phase.phase)) for phase in phases)
    return tuple(all_stages) if len(phases) >= MIN_STAGES else ()


def _list_inner_stages(r: ResolvedBook, phase: t.Phase) -> tuple[Stage, ...]:
    """Return the stages within a phase; if it always plays a single phase, those within that one, too."""
    phases = _list_phases_in(r, phase)
    unconditional = [played for played in phases if not played.sometimes]
    if len(unconditional) == 1 and _list_phases_in(r, unconditional[0].phase):
        phases = [*(played for played in phases if played.sometimes), *_list_phases_in(r, unconditional[0].phase)]
    return tuple(_make_stage(r, played) for played in phases)


def _make_stage(r: ResolvedBook, played: _PlayedPhase) -> Stage:
    """Return the stage for a played phase, with its title and description."""
    phase = played.phase
    return Stage(phase.name.word, split_title(phase.title)[0], _describe_phase(r, phase), played.sometimes)


def _describe_phase(r: ResolvedBook, phase: t.Phase) -> str:
    """Return the sentences about a phase's own steps, without those that play other phases and without headings."""
    own_steps = tuple(
        step for step in select_described_steps(r, phase.block) if not any(_iter_played_phases(r, step, set()))
    )
    return " ".join(line.text for line in outline_block(r, own_steps) if line.text and not line.text.endswith(":"))


def _list_phases_in(r: ResolvedBook, phase: t.Phase) -> list[_PlayedPhase]:
    """Return the titled phases that a phase plays, in order of first occurrence."""
    return _list_titled_phases(r, phase.block)


def _list_titled_phases(r: ResolvedBook, block: Iterable[t.Node]) -> list[_PlayedPhase]:
    """Return the phases played in a block in order of first occurrence; for one without a title, those it plays."""
    phases: dict[t.Phase, _PlayedPhase] = {}
    seen = set[t.Node]()
    stack = [iter([inner_phase for step in block for inner_phase in _iter_played_phases(r, step, seen)])]
    while stack:
        played = next(stack[-1], None)
        if played is None:
            stack.pop()
        elif played.phase.title:
            phases.setdefault(played.phase, played)
        elif played.phase not in seen:
            seen.add(played.phase)
            inner = [inner_phase for step in played.phase.block for inner_phase in _iter_played_phases(r, step, seen)]
            stack.append(iter([_inherit_flags(inner_phase, played) for inner_phase in inner]))
    return list(phases.values())


def _inherit_flags(inner: _PlayedPhase, outer: _PlayedPhase) -> _PlayedPhase:
    """Return an inner phase that is optional or recurs (`sometimes`, `again`) if the outer one does."""
    return replace(inner, sometimes=inner.sometimes or outer.sometimes, again=inner.again or outer.again)


def _iter_played_phases(
    r: ResolvedBook, node: object, seen: set[t.Node], sometimes: bool = False, in_loop: bool = False
) -> Iterator[_PlayedPhase]:
    """Yield the phases that a step plays, also through routines, which are each walked once and added to `seen`."""
    if isinstance(node, tuple):
        for part in node:
            yield from _iter_played_phases(r, part, seen, sometimes, in_loop)
    elif not isinstance(node, t.Node):
        return
    elif node in r.expansions:
        yield from _iter_played_phases(r, r.expansions[node], seen, sometimes, in_loop)
    elif isinstance(node, t.Stmt) and any(iter_run_names(node, "phase")):
        phase = next(iter(iter_callees_of_node(r, node)), None)
        if isinstance(phase, t.Phase):
            yield _PlayedPhase(phase, sometimes, in_loop)
    else:
        loop = isinstance(node, t.Loop)
        perhaps = sometimes or not loop and any(iter_role_values(node, Role.DECIDES))
        for part in iter_callees_of_node(r, node) if isinstance(node, t.Stmt) else ():
            if isinstance(part, t.Routine) and part not in seen:
                seen.add(part)
                yield from _iter_played_phases(r, part.block, seen, perhaps, in_loop)
        for _, value in iter_fields(node):
            yield from _iter_played_phases(r, value, seen, perhaps, in_loop or loop)


__all__ = ["MIN_STAGES", "list_stages"]
