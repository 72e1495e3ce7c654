"""The chapter on components and setup."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.english import OutlineLine, describe, outline_block
from edict.compiler.english.plurals import is_plural_noun
from edict.compiler.semantics.symbols import Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import full_title, plural_title, singular_title
from edict.compiler.syntax.roles import iter_run_names
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.chapters import Block, Section, Steps
from edict.prose.rulebook.course import section_to_steps
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.passages import SETUP, Passages
from edict.prose.rulebook.things import find_axis_kinds, find_name_kinds, is_list_of_effects
from edict.support.morphology import (
    add_definite_article,
    format_range,
    join_words,
    pluralize_title,
    spell_name,
    split_title,
    to_sentence,
    uncapitalize_title,
)


def build_setup_chapter(
    rules: AnnotatedRules, effects: EffectsIndex, passages: Passages, setup_sections: tuple[Section, ...]
) -> Section:
    """Build the chapter with the components, the players' starting state and the steps before the first round."""
    game = rules.linked.game
    players = format_range(game.low, game.high)
    first = OutlineLine(
        f"For {players} players. Everyone starts with only what is listed here."
        if players != "1"
        else "For one player, who starts with only what is listed here."
    )
    start_lines = [
        OutlineLine(to_sentence(_describe_start(rules, item)))
        for item in rules.definitions.values()
        if isinstance(item, t.Keep) and _is_laid_out(rules, item)
    ]
    described = {section.anchor for section in setup_sections}
    steps = tuple(step for step in setup_steps(game.course) if not any(iter_run_names(step, "phase")))
    setup_lines = [
        line for line in effects.expand_moments(outline_block(rules.resolved, steps)) if line.about not in described
    ]
    blocks: list[Block] = [
        Steps(tuple(map(OutlineLine, _iter_components(rules))), heading="Components"),
        *passages.iter_passages(SETUP),
        Steps((first, *start_lines, *setup_lines), numbered=bool(start_lines or setup_lines), heading="Players"),
    ]
    blocks += [section_to_steps(section) for section in setup_sections if not section.sections]
    return Section(
        "Components and setup", "_set-up", tuple(blocks), tuple(item for item in setup_sections if item.sections)
    )


def _iter_components(rules: AnnotatedRules) -> Iterator[str]:
    """Iterate over sentences on the kinds, groups, resources and dice."""
    definitions = rules.definitions.values()
    hidden = find_axis_kinds(rules) | find_name_kinds(rules)
    kinds = [item for item in definitions if isinstance(item, t.Kind) and item.name.word not in hidden]
    counts = {item.name.word: len(rules.linked.things[item.name.word]) for item in kinds}
    kind_counts = [
        f"{counts[item.name.word]} {pluralize_title(full_title(item))}"
        for item in kinds
        if counts[item.name.word] > 1 and not is_list_of_effects(rules, item)
    ]
    if kind_counts:
        yield to_sentence(f"there are {join_words(kind_counts)}")
    grouped: set[str] = set()
    for group in (item for item in definitions if isinstance(item, t.Group)):
        members = [rules.definitions[rules.resolved.meaning_of(member).name] for member in group.members]
        if grouped & {item.name.word for item in members}:
            continue  # one of its members has been named with another group
        grouped |= {item.name.word for item in members}
        titles = join_words(singular_title(item) for item in members)
        yield to_sentence(f"{plural_title(group)} are {titles}")
    resources = [item for item in definitions if isinstance(item, t.Resource)]
    ungrouped = [plural_title(item) for item in resources if item.name.word not in grouped]
    if ungrouped:
        yield to_sentence(f"players{' also' if grouped else ''} have {join_words(ungrouped)}")
    by_sides: dict[int, list[str]] = {}
    for die in (item for item in definitions if isinstance(item, t.Die)):
        plural = pluralize_title(full_title(die))
        by_sides.setdefault(die.sides, []).append(uncapitalize_title(plural) if die.sides in by_sides else plural)
    for sides, dice in by_sides.items():
        yield to_sentence(f"{join_words(dice)} have {sides} sides")
    yield from _iter_supply_limits(rules, resources)


def _iter_supply_limits(rules: AnnotatedRules, resources: list[t.Resource]) -> Iterator[str]:
    """Iterate over sentences on limited supplies and resources that may go below zero."""
    limited = [resource for resource in resources if resource.limit is not None]
    for resource in limited:
        plural = pluralize_title(full_title(resource))
        if isinstance(resource.limit, t.Number):
            yield to_sentence(f"there are {resource.limit.value} {plural} for all players together")
        elif resource.limit is not None:
            amount = describe(rules.resolved, resource.limit)
            yield to_sentence(f"for all players together there are as many {plural} as {amount}")
    if limited:
        yield "If you gain more than is left, take what is left."
    debts = [plural_title(resource) for resource in resources if resource.below_zero]
    if debts:
        yield to_sentence(f"{join_words(debts)} can fall below 0; nothing else can")


# --- the start -------------------------------------------------------------------------------------


def _is_laid_out(rules: AnnotatedRules, keep: t.Keep) -> bool:
    """Return True if a `keep` has a title and a start to set up: no truth, not 0, no quiet kind or part of one."""
    if keep.start is None or not keep.title or keep.type.shape == "truth":
        return False
    if isinstance(keep.start, t.Number) and keep.start.value == 0:
        return False
    start = getattr(keep.start, "members", keep.start)
    return not (keep.quiet and _is_all_of_kind(rules, start))


def _is_all_of_kind(rules: AnnotatedRules, start: t.Expr) -> bool:
    """Return True if a value is all of a kind or group."""
    meaning = rules.resolved.meaning.get(start) if isinstance(start, t.Name) else None
    return isinstance(meaning, Symbol) and meaning.sort in ("kind", "group")


def _describe_start(rules: AnnotatedRules, keep: t.Keep) -> str:
    """Return a clause on a keep's initial value, such as `each player's hand starts with all cards`."""
    assert keep.start is not None
    quantifier = "all " if _is_all_of_kind(rules, keep.start) else ""
    verb = "start" if is_plural_noun(split_title(keep.title)[0]) else "starts"
    preposition = {"set": "with", "bag": "with", "dice": "with", "number": "at"}.get(keep.type.shape, "as")
    campaign_note = " in the first game of a campaign" if keep.lasting else ""
    return (
        f"{describe_owner(keep)} {verb} {preposition} {quantifier}{describe(rules.resolved, keep.start)}{campaign_note}"
    )


def describe_owner(keep: t.Keep) -> str:
    """Return the title of a `keep` with its parameters: `each player's hand`, `the guests of each tree`."""
    title, param_names = singular_title(keep), [param.name.word for param in keep.params]
    if param_names == ["player"]:
        return f"each player's {title}"
    return add_definite_article(title) + (
        f" of each {join_words(spell_name(word) for word in param_names)}" if param_names else ""
    )


def setup_steps(course: t.Block) -> t.Block:
    """Return the steps of the course before its first loop; none if there is no loop."""
    return course[: next((number for number, step in enumerate(course) if _has_loop(step)), 0)]


def _has_loop(step: t.Stmt) -> bool:
    """Return True for a loop, and for a text on one."""
    return isinstance(step, t.Loop) or isinstance(step, t.Text) and any(map(_has_loop, step.block))


def main_steps(course: t.Block) -> t.Block:
    """Return the steps of the course from its first loop on."""
    return course[len(setup_steps(course)) :]


def closing_steps(course: t.Block) -> t.Block:
    """Return the steps of the course after its first loop."""
    return main_steps(course)[1:]
