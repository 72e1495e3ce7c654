"""Programs in another language: the same code, with every text looked up in the game's phrasebook.

Names, keys and places stay, so a game is played, saved and continued alike in every language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from operator import is_
from typing import Any

from edict.runtime.program import (
    AnnouncementPart,
    Cause,
    DiceLayout,
    LinkedKind,
    LinkedPanelPart,
    LinkedSetting,
    LinkedThing,
    Panel,
    PanelLine,
    Program,
    Question,
    Stage,
    StateVariable,
    opcodes,
)
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.reasons import (
    Assertion,
    ComputedQuantity,
    ConditionCheck,
    OptionRequirement,
    ReasonAlternative,
    Reasons,
    ReasonValue,
)
from edict.support.morphology import join_line
from edict.support.translations.phrasebook import Phrasebook
from edict.support.translations.texts import SLOT, is_translated

# fields with texts that players read
TEXTS: Mapping[type, tuple[str, ...]] = {
    LinkedThing: ("title", "plural", "caption", "words"),
    LinkedKind: ("title", "plural"),
    StateVariable: ("title", "plural"),
    Cause: ("title",),
    Question: ("prompt", "labels", "decline"),
    PanelLine: ("title",),
    Panel: ("title", "marked"),
    LinkedSetting: ("title",),
    Stage: ("title", "words"),
    OptionRequirement: ("because",),
    ReasonAlternative: ("because", "title"),
    ComputedQuantity: ("title",),
    Assertion: ("sentence",),
}
# fields with parts that have texts
PARTS: Mapping[type, tuple[str, ...]] = {
    LinkedKind: ("things",),
    Panel: ("lines", "above"),
    Question: ("titles",),
    Stage: ("within",),
    ConditionCheck: ("values",),
    OptionRequirement: ("unless",),
    Reasons: ("checks", "demands", "measures", "values"),
    Program: ("kinds", "variables", "questions", "causes", "settings", "panels", "stages", "reasons", "dice"),
}


def translate_program(program: Program, phrasebook: Phrasebook) -> Program:
    """Return a program with its texts in the language of a phrasebook."""
    translated: Program = _ProgramTranslator(program, phrasebook).translate_node(program)
    phases, quantities = (
        tuple((name, title if title == name else phrasebook.translate(title)) for name, title in rows)
        for rows in (program.phases, program.quantities)
    )
    announcements = {
        pattern: translation
        for pattern in list_announcements(program)
        if (translation := _find_announcement(phrasebook, pattern)) is not None
    }
    shifts = {
        question: tuple(tuple(map(phrasebook.translate, texts)) for texts in combinations)
        for question, combinations in program.shifts.items()
    }
    title = phrasebook.translate(program.title)
    return replace(
        translated,
        title=title,
        shifts=shifts,
        announcements=announcements,
        phases=phases,
        quantities=quantities,
    )


class _ProgramTranslator:
    """Translates the parts of one program."""

    def __init__(self, program: Program, phrasebook: Phrasebook) -> None:
        self._program = program
        self._phrasebook = phrasebook
        self._special: dict[type, Callable[[Any], Any]] = {
            ConditionCheck: self._translate_worded,
            ReasonValue: self._translate_worded,
            PanelLine: self._translate_line,
            DiceLayout: self._translate_dice,
            Reasons: self._translate_reasons,
        }

    def translate_node(self, node: Any) -> Any:
        """Return a node of the program in translation."""
        if isinstance(node, tuple):
            return _translate_all(self.translate_node, node)
        if not is_dataclass(node):
            return node
        changes = {name: self._translate_field(node, name) for name in TEXTS.get(type(node), ())}
        changes |= {name: self.translate_node(getattr(node, name)) for name in PARTS.get(type(node), ())}
        differs = any(part is not getattr(node, name) for name, part in changes.items())
        translated = replace(node, **changes) if differs else node  # type: ignore[type-var]
        special = self._special.get(type(node))
        return translated if special is None else special(translated)

    def _translate_field(self, node: Any, name: str) -> Any:
        """Return a text, or several, in translation; a name that stands in for a title is none."""
        text = getattr(node, name)
        if isinstance(text, tuple):
            return _translate_all(self._phrasebook.translate, text)
        is_name = text == getattr(node, "name", None) and ("-" in text or isinstance(node, Cause))
        return text if is_name else self._phrasebook.translate(text)

    def _translate_worded(self, node: Any) -> Any:
        """Return a condition or value with its words in translation; the text is for authors."""
        words = node.words or node.text
        return replace(node, words=self._phrasebook.translate(words)) if words else node

    def _translate_line(self, line: PanelLine) -> PanelLine:
        """Return a line with its parts in the order of the translation."""
        if not any(part.text for part in line.parts):
            return line
        names = name_slots(self._name_part(part) for part in line.parts)
        pattern = write_pattern([part.text for part in line.parts], names)
        if not any(names):
            return replace(line, parts=(LinkedPanelPart(self._phrasebook.translate(pattern), -1),))
        template = self._phrasebook.find_template(pattern)
        if template is None:
            return line
        by_name = {name: part for name, part in zip(names, line.parts, strict=True) if name}
        return replace(line, parts=tuple(_split_line(template, by_name)))

    def _name_part(self, part: LinkedPanelPart) -> str:
        """Return the name of the slot for a part of a line; empty for a text."""
        if part.query < 0:
            return ""
        type_ = self._program.queries[part.query].type
        return slot_name(type_.shape, type_.kind)

    def _translate_dice(self, layout: DiceLayout) -> DiceLayout:
        """Return the kinds of dice with their titles in translation."""
        kinds = tuple(
            (name, self._phrasebook.translate(title), sides, first) for name, title, sides, first in layout.kinds
        )
        return replace(layout, kinds=kinds)

    def _translate_reasons(self, reasons: Reasons) -> Reasons:
        """Return reasons with the conditions of adjustments in translation; parts of formulas are rules."""
        return replace(reasons, when=tuple((cause, self._phrasebook.translate(text)) for cause, text in reasons.when))


def _translate_all(translate: Callable[[Any], Any], parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return parts in translation; the same tuple if no part has one."""
    translated = tuple(map(translate, parts))
    return parts if all(map(is_, translated, parts)) else translated


# --- announcements and lines with values ------------------------------------------------------------------


def list_announcements(program: Program) -> tuple[str, ...]:
    """Return the patterns of all announcements of a program, in the order of the code."""
    patterns: dict[str, None] = {}
    parts: list[AnnouncementPart] = []
    for address in sorted(find_instructions(program)[1]):
        if program.code[address] != opcodes.SAY:
            continue
        part = program.says[program.code[address + 1]]
        if part.panel < 0:
            if not parts or parts[-1] is not part or part.type is None or part.type.cells == 1:
                parts.append(part)  # a value of several cells takes an instruction for each
            if part.last:
                patterns[name_announcement(parts)[1]] = None
                parts = []
    return tuple(patterns)


def name_announcement(parts: Sequence[AnnouncementPart]) -> tuple[list[str], str]:
    """Return the names of an announcement's slots, one for each part, and its pattern.

    The name is empty for a text. A pattern is a sentence such as `{player} takes the {card}`.
    """
    names = name_slots("" if part.type is None else slot_name(part.type.shape, part.type.kind) for part in parts)
    return names, write_pattern([part.text for part in parts], names)


def slot_name(shape: str, kind: str) -> str:
    """Return the name of the slot for a value: its kind, or the shape of what has none."""
    return (kind if shape in ("thing", "set", "order", "bag", "text") and kind else shape).replace("-", "_")


def name_slots(names: Iterator[str]) -> list[str]:
    """Return names in which the second one of a kind is `player2`; an empty one stays."""
    counts: dict[str, int] = {}
    numbered = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        numbered.append(f"{name}{counts[name]}" if name and counts[name] > 1 else name)
    return numbered


def write_pattern(texts: Sequence[str], names: Sequence[str]) -> str:
    """Return texts and slots as one sentence."""
    return join_line(f"{{{name}}}" if name else text for text, name in zip(texts, names, strict=True))


def _find_announcement(phrasebook: Phrasebook, pattern: str) -> str | None:
    """Return the translation of an announcement, or None without one."""
    if "{" in pattern:
        return phrasebook.find_template(pattern)
    translation = phrasebook.translate(pattern)
    return str(translation) if is_translated(translation) else None


def _split_line(template: str, parts: Mapping[str, LinkedPanelPart]) -> Iterator[LinkedPanelPart]:
    """Yield the parts of a translated line: texts, and the values named in it.

    Alternatives, such as `{number:coin|coins}`, follow their number as a text in two forms.
    """
    pieces = SLOT.split(template)
    yield from _text_parts(pieces[0])
    for name, form, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        if form and "|" in form:
            yield LinkedPanelPart(form.replace("|", "/"), -1)
        else:
            yield parts[name]
        yield from _text_parts(text)


def _text_parts(text: str) -> Iterator[LinkedPanelPart]:
    """Yield the part for a text, unless it is empty."""
    if text.strip():
        yield LinkedPanelPart(text.strip(), -1)


__all__ = ["list_announcements", "name_announcement", "slot_name", "translate_program"]
