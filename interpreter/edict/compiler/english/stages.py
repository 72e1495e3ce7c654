"""The round of a game: the phases that come again and again, in order, each with what it brings.

They are found in the course: what its loops play, or all it plays where it has no loops. A round that is one phase
alone, as a year is, is what this phase plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from edict.compiler.english.block_phrases import spoken
from edict.compiler.english.outline import lines
from edict.compiler.semantics.call_graph import called
from edict.compiler.semantics.link import Linked
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having, runs
from edict.compiler.syntax.walking import parts
from edict.runtime.program import Stage
from edict.support.morphology import split_title

FEWEST = 2  # stages that make a round worth drawing


@dataclass(frozen=True, slots=True)
class _Played:
    phase: t.Phase
    sometimes: bool
    again: bool  # in a loop


def stages(linked: Linked) -> tuple[Stage, ...]:
    """The stages of the round, in the order in which they come; none where there is but one."""
    r = linked.resolved
    played = _titled(r, linked.game.course)
    again = [one for one in played if one.again]
    found = again or played
    while len(found) == 1:
        found = _in(r, found[0].phase)
    made = (replace(_stage(r, one), within=_within(r, one.phase)) for one in found)
    return tuple(made) if len(found) >= FEWEST else ()


def _within(r: Resolved, phase: t.Phase) -> tuple[Stage, ...]:
    """What a phase plays; where that is one phase alone in every round, what this plays."""
    found = _in(r, phase)
    always = [one for one in found if not one.sometimes]
    if len(always) == 1 and _in(r, always[0].phase):
        found = [*(one for one in found if one.sometimes), *_in(r, always[0].phase)]
    return tuple(_stage(r, one) for one in found)


def _stage(r: Resolved, played: _Played) -> Stage:
    phase = played.phase
    return Stage(phase.name.word, split_title(phase.title)[0], _words(r, phase), played.sometimes)


def _words(r: Resolved, phase: t.Phase) -> str:
    own = tuple(step for step in spoken(r, phase.block) if not any(_phases(r, step, set())))
    return " ".join(line.text for line in lines(r, own) if line.text and not line.text.endswith(":"))


def _in(r: Resolved, phase: t.Phase) -> list[_Played]:
    """The phases that one plays."""
    return _titled(r, phase.block)


def _titled(r: Resolved, block: Iterable[t.Node]) -> list[_Played]:
    """The phases played in a block, each where it first comes; for one without a title, those that it plays."""
    found: dict[t.Phase, _Played] = {}
    seen = set[t.Node]()
    waiting = [iter([one for step in block for one in _phases(r, step, seen)])]
    while waiting:
        played = next(waiting[-1], None)
        if played is None:
            waiting.pop()
        elif played.phase.title:
            found.setdefault(played.phase, played)
        elif played.phase not in seen:
            seen.add(played.phase)
            inner = [one for step in played.phase.block for one in _phases(r, step, seen)]
            waiting.append(iter([_as(one, played) for one in inner]))
    return list(found.values())


def _as(one: _Played, around: _Played) -> _Played:
    return replace(one, sometimes=one.sometimes or around.sometimes, again=one.again or around.again)


def _phases(
    r: Resolved, node: object, seen: set[t.Node], sometimes: bool = False, again: bool = False
) -> Iterator[_Played]:
    """The phases that a step plays, by way of routines too, of which each is gone through once: `seen` has them."""
    if isinstance(node, tuple):
        for one in node:
            yield from _phases(r, one, seen, sometimes, again)
    elif not isinstance(node, t.Node):
        return
    elif node in r.full:
        yield from _phases(r, r.full[node], seen, sometimes, again)
    elif isinstance(node, t.Stmt) and any(runs(node, "phase")):
        phase = next(iter(called(r, node)), None)
        if isinstance(phase, t.Phase):
            yield _Played(phase, sometimes, again)
    else:
        loop = isinstance(node, t.Loop)
        perhaps = sometimes or not loop and any(having(node, Role.DECIDES))
        for one in called(r, node) if isinstance(node, t.Stmt) else ():
            if isinstance(one, t.Routine) and one not in seen:
                seen.add(one)
                yield from _phases(r, one.block, seen, perhaps, again)
        for _, value in parts(node):
            yield from _phases(r, value, seen, perhaps, again or loop)


__all__ = ["FEWEST", "stages"]
