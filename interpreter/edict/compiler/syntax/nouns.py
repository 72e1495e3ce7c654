"""What definitions are called, and the forms in which a name may be written."""

from __future__ import annotations

from edict.compiler.syntax import tree as t
from edict.support.morphology import pluralize, spell_name, split_title

# definitions by the word people use for them
SORTS: dict[type, str] = {
    t.Resource: "resource",
    t.Group: "group",
    t.Die: "die",
    t.Kind: "kind",
    t.Thing: "thing",
    t.Keep: "keep",
    t.Quantity: "quantity",
    t.Term: "value",
    t.Moment: "moment",
    t.Phase: "phase",
    t.Routine: "routine",
    t.Action: "action",
    t.Setting: "setting",
    t.Game: "game",
    t.Display: "display",
    t.Assert: "assert",
    t.AssertNever: "assert",
}


Titled = t.Definition | t.FieldDef


def plurals(name: str) -> tuple[str, ...]:
    """Return the forms in which a name may be written: `enemy`, `enemys`, `enemies`."""
    return tuple(dict.fromkeys((name, f"{name}s", pluralize(name))))


def full_title(definition: Titled) -> str:
    """Return the title of a definition, which may hold a singular and a plural, or else its name as words."""
    return definition.title or spell_name(definition.name.word)


def singular_title(definition: Titled) -> str:
    """Return what one of a definition is called."""
    return split_title(full_title(definition))[0]


def plural_title(definition: Titled) -> str:
    """Return what several of a definition are called."""
    return split_title(full_title(definition))[1]


def setting_value(setting: t.Setting) -> str:
    """Return what a setting is unless it is set: `on`, `off` or a number."""
    if not setting.truth:
        return str(setting.value)
    return "on" if setting.value else "off"


def awaited(name: str, edge: str) -> str:
    """What a rule waits for, as it is written: `start of day`, `leaving hand`, `planted`."""
    return f"{edge} of {name}" if edge in ("start", "end") else f"{edge} {name}".lstrip()
