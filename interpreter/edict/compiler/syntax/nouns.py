"""Names of the sorts of definitions, and the forms in which a name may be written."""

from __future__ import annotations

from typing import TypeGuard

from edict.compiler.syntax import tree as t
from edict.support.morphology import pluralize, spell_name, split_title


def _is_sort_of_definition(node: object) -> TypeGuard[type[t.Definition]]:
    """Return True for a class of definitions that has a sort, such as `phase`; not for the base class."""
    return isinstance(node, type) and issubclass(node, t.Definition) and bool(node.sort)


# nouns for definitions, by class
SORTS: dict[type[t.Definition], str] = {node: node.sort for node in vars(t).values() if _is_sort_of_definition(node)}

Titled = t.Definition | t.FieldDef  # nodes that have a title


def list_inflected_forms(name: str) -> tuple[str, ...]:
    """Return the forms in which a name may be written: `enemy`, `enemys`, `enemies`."""
    return tuple(dict.fromkeys((name, f"{name}s", pluralize(name))))


def full_title(definition: Titled) -> str:
    """Return the title of a definition, which may hold a singular and a plural, or else its name as words."""
    return definition.title or spell_name(definition.name.word)


def singular_title(definition: Titled) -> str:
    """Return the singular title of a definition."""
    return split_title(full_title(definition))[0]


def plural_title(definition: Titled) -> str:
    """Return the plural title of a definition."""
    return split_title(full_title(definition))[1]


def default_setting_value(setting: t.Setting) -> str:
    """Return the default value of a setting as text (`on`, `off` or a number)."""
    if not setting.truth:
        return str(setting.value)
    return "on" if setting.value else "off"


def format_event(name: str, edge: str) -> str:
    """Return the event that a rule waits for as it is written, such as `start of day`, `leaving hand` or `planted`."""
    if edge in ("start", "end"):
        return f"{edge} of {name}"
    return f"{edge} {name}".lstrip()
