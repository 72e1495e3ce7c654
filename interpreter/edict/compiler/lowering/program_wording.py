"""The English of a program, with question prompts, labels of options and things, and texts of conditions.

Options also have names made of the rules' own words, from which their keys are made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from edict.compiler.english import describe, describe_block, describe_thing, title_of
from edict.compiler.english.amounts import format_branch_title, join_with_values
from edict.compiler.english.moment_phrases import describe_without_amounts
from edict.compiler.english.titles import describe_local
from edict.compiler.lowering.constants import FieldConstants
from edict.compiler.lowering.layout import ProgramLayout, singular_and_plural
from edict.compiler.semantics.judgement import find_judgement
from edict.compiler.semantics.link import AttachedAbility, LinkedBook
from edict.compiler.semantics.symbols import Local, ResolvedBook
from edict.compiler.semantics.types import from_type_name
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import print_bundle as bundle_text
from edict.compiler.syntax.printing import print_lines
from edict.compiler.syntax.traversal import walk
from edict.runtime.program import Grouping, LinkedKind, LinkedSetting, LinkedThing, ValueType
from edict.support.morphology import (
    add_indefinite_article,
    capitalize,
    count_title,
    inflect,
    join_words,
    pluralize,
    spell_name,
    split_title,
    to_sentence,
)


def step_sentence(r: ResolvedBook, step: t.Stmt) -> str:
    """Return the author's prompt of a step, or a sentence made of its words."""
    return getattr(step, "prompt", "") or to_sentence(describe(r, step))


def may_prompt(r: ResolvedBook, prompt: str, head: t.Stmt | None, then: t.Block) -> str:
    """Return the prompt of a `may`: its own, or a sentence that describes its head, else its block."""
    return prompt or to_sentence(describe(r, head) if head is not None else describe_block(r, then))


def action_prompt(action: t.Action) -> str:
    """Return the title of an action, or its name in words, as a sentence."""
    return to_sentence(action.title or spell_name(action.name.word))


def choose_prompt(r: ResolvedBook, kind: t.Name, name: str) -> str:
    """Return `Choose a card` for a choice of a kind, by the kind's singular title."""
    title = title_of(r, kind)
    return f"Choose {add_indefinite_article(spell_name(name) if title == spell_name(kind.word) else title)}"


def spend_prompt(r: ResolvedBook, then: t.Block) -> str:
    """Return `What do you spend to ...?` with the words of the block that the payment allows."""
    words = describe_block(r, then)
    return f"What do you spend to {words}?" if words else "What do you spend?"


def exception_prompt(because: str) -> str:
    """Return the question which exception to use, behind the reason of the rule if it has one."""
    return f"{capitalize(because)}. What do you use?" if because else "What do you use?"


# --- labels of options -----------------------------------------------------------------------------


def branch_label(r: ResolvedBook, branch: t.Branch, text: TextParts) -> str:
    """Return a branch's title without values, or `text` with an ellipsis in place of each value."""
    return format_branch_title(r, branch) or join_with_values(r, text, "…")


TextParts = tuple[str | t.Expr, ...]  # text with embedded values


def describe_with_values(r: ResolvedBook, block: t.Block, bound_locals: Collection[Local]) -> TextParts:
    """Describe a block, with values in place of locals bound earlier, whose names players cannot know."""
    names_by_words = {
        describe_local(r, local): name
        for name in walk(block)
        if isinstance(name, t.Name) and isinstance(local := r.meaning.get(name), Local) and local in bound_locals
    }
    words, names_by_words = (
        capitalize(describe_block(r, block)),
        {word: name for word, name in names_by_words.items() if word.startswith("“")},
    )
    if not names_by_words:
        return (words,)
    texts = re.split(f"({'|'.join(map(re.escape, names_by_words))})", words)
    return tuple(names_by_words.get(text) or _number_forms(r, block, text.strip()) for text in texts if text)


def _number_forms(r: ResolvedBook, block: t.Block, text: str) -> str:
    """Return a text that follows a count in singular and plural, such as `coin, then draw a card/coins, then ...`."""
    counted_names = (
        part.what for part in walk(block) if isinstance(part, t.Part) and not isinstance(part.amount, t.Number)
    )
    for singular, plural in ((title_of(r, what), title_of(r, what, many=True)) for what in counted_names):
        if text.startswith(plural) and "/" not in text:
            return f"{singular}{text.removeprefix(plural)}/{text}"
    return text


def ability_label(r: ResolvedBook, attached: AttachedAbility, title: str, block: t.Block) -> str:
    """Return `TITLE: what the ability does`, without a leading `you may`."""
    words, name = to_sentence(describe_block(r, block).removeprefix("you may ")), title or attached.title
    return f"{name}: {words}" if name else words


def exception_label(attached: AttachedAbility) -> str:
    """Return the title of an exception's owner."""
    return split_title(capitalize(attached.title or spell_name(attached.name)))[0]


def bundle_label(r: ResolvedBook, bundle: t.Bundle) -> str:
    """Return the words of a bundle with a capital, such as `2 gold and 1 wood`."""
    return capitalize(describe(r, bundle))


# --- texts of conditions ---------------------------------------------------------------------------


def single_text(title: str) -> str:
    """Return the text of a single piece, such as `1 gold` or `a +2 token`."""
    return count_title(1, split_title(title)[0])


def price_text(r: ResolvedBook, *bundles: t.Bundle) -> str:
    """Return the text of alternative prices."""
    return " or ".join(describe(r, bundle) for bundle in bundles)


def supply_text(titles: Iterable[str]) -> str:
    """Return `there are coins or stones left` for these titles."""
    return f"there are {join_words(titles, 'or')} left"


def choose_from_text(r: ResolvedBook, source: t.Expr) -> str:
    """Return `Choose from ...` with the words of a set, as a sentence."""
    return to_sentence(f"choose from {describe(r, source)}")


def choose_next_text(r: ResolvedBook, kind: t.Name) -> str:
    """Return `choose a card`, by which explanations name the next choice of an action."""
    return f"choose a {title_of(r, kind)}"


def group_text(r: ResolvedBook, group: t.Name) -> str:
    """Return the plural title of a group."""
    return title_of(r, group, many=True)


def once_text(r: ResolvedBook, period: t.Name | None) -> str:
    """Return the text of a limit such as `once per round`."""
    return f"once per {title_of(r, period) if period is not None else ''}"


def condition_text_with(r: ResolvedBook, condition: t.Expr, names: Mapping[Local, str]) -> str:
    """Return the text of a condition with titles in place of known locals, such as `Market is yours`."""
    text = describe(r, condition)
    for local, title in names.items():
        text = text.replace(describe_local(r, local), title)
    return text


def routine_title(routine: t.Routine) -> str:
    """Return the title of a routine without its arguments; its name if it has none."""
    return describe_without_amounts(routine) if routine.title else routine.name.word


# --- kinds and things ------------------------------------------------------------------------------


# origins that are shown beside a thing because its text may differ from the printed one
MARKED_ORIGINS = ("single-source", "reconstructed", "original")


def build_kinds(linked: LinkedBook, constants: FieldConstants) -> tuple[LinkedKind, ...]:
    """Return players and resources, then every kind of the book."""
    resources = tuple(_build_resource(linked, d) for d in linked.resources)
    result = [LinkedKind("player", "player", "players", ()), LinkedKind("resource", "resource", "resources", resources)]
    judgement = find_judgement(linked)
    for name, things in linked.things.items():
        definition: t.Kind = linked.resolved.require_definition(name)
        singular, plural_form = singular_and_plural(definition.title, name)
        plural = plural_form if "/" in definition.title else pluralize(singular)
        judged = tuple(_build_thing(constants, definition, judgement.strip_thing(x)) for x in things)
        groupings = tuple(_iter_groupings(constants, judgement.strip_fields(definition)))
        result.append(LinkedKind(name, singular, plural, judged, groupings))
    return tuple(result)


MAX_GROUPS = 8
NO_GROUP = "none"  # label of the things in whose field stands no other thing


def _iter_groupings(constants: FieldConstants, kind: t.Kind) -> Iterator[Grouping]:
    """Yield each field that divides the things of a kind into few groups, of two things or more on average."""
    linked = constants.linked
    for field in kind.fields:
        if field.type is None or (type_ := from_type_name(linked.resolved, field.type)).shape not in GROUPING_SHAPES:
            continue
        values = constants.field_table(kind.name.word, field.name.word)
        if 2 <= len(set(values)) <= min(MAX_GROUPS, len(values) // 2):
            title = split_title(field.title)[0] or title_of(linked.resolved, field.name)
            labels = tuple(_describe_value(linked, type_, value) or NO_GROUP for value in values)
            yield Grouping(title, labels)


GROUPING_SHAPES = ("number", "thing", "truth")


def _describe_value(linked: LinkedBook, type_: ValueType, value: int) -> str:
    """Return a field's value in words: the title of a thing, `yes` or `no`, or a number; empty for no thing."""
    if type_.shape == "truth":
        return "yes" if value else "no"
    if type_.shape != "thing":
        return str(value)
    things = linked.resources if type_.kind == "resource" else linked.things.get(type_.kind, ())
    return singular_and_plural(things[value].title, things[value].name.word)[0] if value >= 0 else ""


def _build_resource(linked: LinkedBook, definition: t.Definition) -> LinkedThing:
    """Build the data of a resource for players: name, titles and where it is declared."""
    name = definition.name.word
    note = linked.resolved.book.notes.get(name, t.Note())
    titles = singular_and_plural(definition.title, name)
    return LinkedThing(name, *titles, "", "", note.source, note.origin, note.module)


def _build_thing(constants: FieldConstants, kind: t.Kind, thing: t.Thing) -> LinkedThing:
    """Build the data of a thing for players: name, titles, caption, text and where it is declared."""
    linked, name = constants.linked, thing.name.word
    note = linked.resolved.book.notes.get(name, t.Note())
    titles = singular_and_plural(thing.title, spell_name(name))
    text = describe_thing(linked.resolved, thing)
    return LinkedThing(
        name, *titles, _build_caption(constants, kind, thing), text, note.source, note.origin, note.module
    )


def _build_caption(constants: FieldConstants, kind: t.Kind, thing: t.Thing) -> str:
    """Return the short text of the fields marked `shown`."""
    linked, fields = constants.linked, {f.name.word: f for f in thing.fields}
    parts = []
    for field in kind.fields:
        value = fields.get(field.name.word)
        if field.shown and field.value is not None:
            parts.append(_with_title(field.title, _describe_derived_field(constants, kind, field, thing)))
        elif field.shown and value is not None:
            if value.amounts:
                text = describe(linked.resolved, value.amounts).replace(" and ", ", ")
            else:
                text = ""
            text = text or (describe(linked.resolved, value.expr) if value.expr is not None else value.text or "")
            parts.append(_with_title(field.title, text))
    note = linked.resolved.book.notes.get(thing.name.word, t.Note())
    if note.origin in MARKED_ORIGINS:
        parts.append(spell_name(note.origin))
    return ", ".join(part for part in parts if part)


def _with_title(title: str, text: str) -> str:
    """Return a field's value with its title; a counted title follows the number, as in `1 mile`."""
    singular, plural = split_title(title)
    if singular != plural and text.lstrip("-").isdecimal():
        return f"{text} {inflect(int(text), singular, plural)}"
    return f"{plural} {text}".strip()


def _describe_derived_field(constants: FieldConstants, kind: t.Kind, field: t.FieldDef, thing: t.Thing) -> str:
    """Return the value of a derived field in words, with the titles of things."""
    linked = constants.linked
    assert field.value is not None
    type_ = linked.typed.type_of(field.value)
    value = constants.field_table(kind.name.word, field.name.word)[linked.thing_index(thing.name.word, kind.name.word)]
    if type_.shape != "set":
        return _describe_value(linked, type_, value)
    things = linked.things.get(type_.kind, ())
    return join_words(
        singular_and_plural(thing.title, thing.name.word)[0] for i, thing in enumerate(things) if value >> i & 1
    )


def build_settings(linked: LinkedBook, layout: ProgramLayout) -> tuple[LinkedSetting, ...]:
    """Return all settings of the book."""
    return tuple(
        LinkedSetting(
            d.name.word, d.title or d.name.word, layout.settings[d.name.word], d.value, d.truth, d.low, d.high
        )
        for d in linked.resolved.book.select(t.Setting)
    )


def branch_text(branch: t.Branch) -> str:
    """Return a branch's title with constants only, or the text of its block."""
    if not branch.title:
        return block_text(branch.block)
    numbers = (str(part.value) if isinstance(part, t.Number) else _plural_form(part) for part in branch.more)
    return " ".join((branch.title, *numbers))


def _plural_form(part: str | t.Expr) -> str:
    """Return the plural of a text such as `coin/coins`, which follows a value; empty for expressions."""
    return part.rpartition("/")[2] if isinstance(part, str) else ""


def block_text(block: t.Block) -> str:
    """Return the canonical text of a block."""
    return " ".join(line.text for line in print_lines(block))


def ability_text(attached: AttachedAbility) -> str:
    """Return an ability's title, the name of what has it, or the text of its block."""
    when = attached.ability
    assert isinstance(when, t.When)
    return when.title or attached.name or block_text(when.block)


def amount_text(bundle: t.Bundle, resource: t.Definition | None = None) -> str:
    """Return the text of an amount, or of a single piece of a resource."""
    return bundle_text(bundle) if resource is None else f"1 {resource.name.word}"


def shifts_text(parts: Iterable[tuple[AttachedAbility, int]]) -> str:
    """Return the text of several dice shifts with their costs or owners."""
    return " and ".join(_shift_text(attached, amount) for attached, amount in parts) or "no shift"


def _shift_text(attached: AttachedAbility, by: int) -> str:
    """Return the text of a shift for option keys: its price, or its name with the number, such as `mill +2`."""
    assert isinstance(attached.ability, t.Shift)
    spending = attached.ability.spending
    return f"{attached.name} {by:+d}" if spending is None else bundle_text(spending)
