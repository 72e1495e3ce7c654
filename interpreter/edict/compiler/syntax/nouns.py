"""What definitions are called, and the forms in which a name may be written."""

from __future__ import annotations

from edict.compiler.syntax import tree as t

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


def plurals(name: str) -> tuple[str, ...]:
    """The forms in which a name may be written: `enemy`, `enemies`, `enemys`."""
    forms = [name, name + "s"]
    if name.endswith("y"):
        forms.append(name[:-1] + "ies")
    if name.endswith(("s", "x", "ch", "sh")):
        forms.append(name + "es")
    if name.endswith("die"):
        forms.append(name[:-3] + "dice")
    return tuple(forms)


def a(word: str) -> str:
    """The word with its article."""
    return f"an {word}" if word[:1] in "aeiou" else f"a {word}"


def awaited(name: str, edge: str) -> str:
    """What a rule waits for, as it is written: `start of day`, `leaving hand`, `planted`."""
    return f"{edge} of {name}" if edge in ("start", "end") else f"{edge} {name}".lstrip()
