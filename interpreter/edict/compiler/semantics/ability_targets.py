"""Targets of abilities, and faults where a target cannot have the event that an ability waits for.

Phases and routines have a start and an end, sets have members that join and leave, resources are gained and lost.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from edict.compiler.semantics.symbols import Meaning
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, StepAbility, iter_role_values
from edict.support.report import Diagnostic, Edit

MEMBERSHIP_EDGES = JOINING, LEAVING = "joining", "leaving"
RESOURCE_EDGES = GAINING, LOSING = "gaining", "losing"
# edges of the resources that a step of a class names
STEP_EDGES: dict[type, tuple[str, ...]] = {
    t.Gain: (GAINING,),
    t.Lose: (LOSING,),
    **dict.fromkeys((t.Take, t.TakeChosen), RESOURCE_EDGES),
}

RESOURCE_SORTS = ("resource", "group", "die")  # sorts of symbols that players gain and lose


def target_name(ability: t.Ability) -> t.Name:
    """Return the name node of the definition that an ability waits for, adjusts, shifts or replaces."""
    (name,) = iter_role_values(ability, Role.ABOUT)
    assert isinstance(name, t.Name)
    return name


def find_edge_faults(ability: t.Ability, meaning: Meaning, sets: Container[t.Definition]) -> Iterator[Diagnostic]:
    """Yield a diagnostic if the event that an ability waits for can never happen to its target.

    Args:
        ability: The ability; one that waits for no event has no faults.
        meaning: The meaning of the target's name.
        sets: The state variables (`keep`) that something can join and leave.
    """
    if not isinstance(ability, StepAbility):
        return
    name, definition = target_name(ability), getattr(meaning, "definition", None)
    edits: tuple[Edit, ...] = ()
    if isinstance(definition, t.Keep):
        fault = _describe_keep_fault(name.word, definition, definition in sets)
    elif isinstance(definition, t.Resource) and definition.secret and ability.edge:
        fault = _describe_secret_target(name.word, "players gaining or losing it")
    elif not isinstance(ability, t.When):
        return
    elif meaning.sort in ("phase", "routine") and not ability.edge:
        remedy = f"write `when start of {name.word}` or `when end of {name.word}`"
        fault = f"`{name.word}` is a {meaning.sort}, so name its start or its end", remedy
        edits = (Edit(name.span, f"start of {name.word}"),)
    elif meaning.sort == "moment" and ability.edge:
        fault = f"`{name.word}` is a moment, so it has no {ability.edge}", f"write `when {name.word}`"
    else:
        return
    if fault is not None:
        yield Diagnostic("E0209", fault[0], name.span, help=fault[1], edits=edits)


def select_target_sorts(ability: t.Ability, sorts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sorts of symbols that an ability's target may be, out of those that the syntax allows.

    Only a `keep` has members that join and leave; only resources are gained and lost.
    """
    if not isinstance(ability, StepAbility):
        return sorts
    if ability.edge in MEMBERSHIP_EDGES:
        return ("keep",)
    if ability.edge in RESOURCE_EDGES:
        return RESOURCE_SORTS
    return tuple(sort for sort in sorts if sort not in ("keep", *RESOURCE_SORTS))


def describe_non_set(name: str) -> tuple[str, str]:
    """Return the fault and the remedy for an ability that waits for members of a `keep` that is no set."""
    return f"`{name}` is not a set, so nothing joins or leaves it", "name a keep that is a set, or a moment"


def _describe_keep_fault(name: str, keep: t.Keep, is_set: bool) -> tuple[str, str] | None:
    """Return the fault and remedy for an ability about members of a `keep`; None if that is a set and not secret."""
    if not is_set:
        return describe_non_set(name)
    if keep.secret:
        return _describe_secret_target(name, "things joining or leaving it")
    return None


def _describe_secret_target(name: str, event: str) -> tuple[str, str]:
    """Return the fault and remedy for an ability that waits for `event`, which is secret, of the keep `name`."""
    remedy = "declare a `moment`, and `trigger` it where everyone may know"
    return f"`{name}` is secret, so no rule can react to {event}", remedy
