"""Whether what a rule is about has what it says: a phase a start and an end, a set what joins it, a resource gains."""

from __future__ import annotations

from collections.abc import Container, Iterator

from edict.compiler.semantics.symbols import Meaning
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, Stepwise, having
from edict.support.report import Diagnostic, Edit

PASSING = JOINING, LEAVING = "joining", "leaving"
MOVING = GAINING, LOSING = "gaining", "losing"
MOVES: dict[type, tuple[str, ...]] = {t.Gain: (GAINING,), t.Lose: (LOSING,), t.Take: MOVING}
"""What steps do to the resources they name. (To pay is not to lose.)"""

RESOURCES = ("resource", "group", "die")


def target(ability: t.Ability) -> t.Name:
    """What an ability is about: a quantity, moment, phase, action or routine."""
    (name,) = having(ability, Role.ABOUT)
    assert isinstance(name, t.Name)
    return name


def wrong_edge(ability: t.Ability, meaning: Meaning, sets: Container[t.Definition]) -> Iterator[Diagnostic]:
    """What a rule is about that never comes; `sets` are the keeps that something can join and leave."""
    if not isinstance(ability, Stepwise):
        return
    name, definition = target(ability), getattr(meaning, "definition", None)
    edits: tuple[Edit, ...] = ()
    if isinstance(definition, t.Keep):
        fault = _of_keep(name.word, definition, definition in sets)
    elif isinstance(definition, t.Resource) and definition.secret and ability.edge:
        fault = _secret(name.word, "who gains or loses it")
    elif not isinstance(ability, t.When):
        return
    elif meaning.sort in ("phase", "routine") and not ability.edge:
        remedy = f"write `when start of {name.word}` or `when end of {name.word}`"
        fault = f"`{name.word}` is a {meaning.sort}, and lasts", remedy
        edits = (Edit(name.span, f"start of {name.word}"),)
    elif meaning.sort == "moment" and ability.edge:
        fault = f"`{name.word}` is a moment, and has no {ability.edge}", f"write `when {name.word}`"
    else:
        return
    if fault is not None:
        yield Diagnostic("E0209", fault[0], name.span, help=fault[1], edits=edits)


def awaitable(ability: t.Ability, sorts: tuple[str, ...]) -> tuple[str, ...]:
    """What the name of what an ability is about may mean: only a keep is joined and left, only resources are gained."""
    if not isinstance(ability, Stepwise):
        return sorts
    if ability.edge in PASSING:
        return ("keep",)
    if ability.edge in MOVING:
        return RESOURCES
    return tuple(sort for sort in sorts if sort not in ("keep", *RESOURCES))


def no_set(name: str) -> tuple[str, str]:
    """What is wrong with a rule about what joins or leaves a keep that is no set, and what to do about it."""
    return f"`{name}` is not a set, so nothing joins or leaves it", "name a keep that is a set, or a moment"


def _of_keep(name: str, keep: t.Keep, is_set: bool) -> tuple[str, str] | None:
    if not is_set:
        return no_set(name)
    return _secret(name, "what joins or leaves it") if keep.secret else None


def _secret(name: str, what: str) -> tuple[str, str]:
    remedy = "declare a `moment`, and `trigger` it where everybody may know"
    return f"`{name}` is secret, so nobody may notice {what}", remedy
