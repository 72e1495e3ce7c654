"""The chapters of setup and of optional rules, with settings, what they change, and modules that are not in play."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from edict.compiler.english import OutlineLine, describe, outline_block
from edict.compiler.english.condition_phrases import describe_condition
from edict.compiler.english.plurals import is_plural_noun
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import Symbol, definition_of
from edict.compiler.sources.module_lookup import load_catalogue
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import default_setting_value, full_title, plural_title, singular_title
from edict.compiler.syntax.roles import iter_run_names
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.chapters import SETUP, Block, Passages, Section, Steps, Table, TableRow
from edict.prose.rulebook.course import ChapterRegistry, build_new_details, build_optional_sections, section_to_steps
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.things import find_axis_kinds, find_name_kinds, is_list_of_effects
from edict.support.morphology import (
    add_definite_article,
    capitalize,
    format_range,
    join_words,
    pluralize_title,
    spell_name,
    split_title,
    to_sentence,
    uncapitalize_title,
)


def build_optional_rules(
    rules: AnnotatedRules,
    default_rules: AnnotatedRules,
    effects: EffectsIndex,
    chapters: ChapterRegistry,
    passages: Passages,
) -> Section:
    """Build the chapter of settings with what they change, and of other modules."""
    blocks: list[Block] = [*_build_settings_table(rules)]
    option_lines = tuple(
        _describe_optional_ability(rules, effects, attached)
        for attached in rules.linked.held
        if _is_inactive_by_default(rules, attached)
    )
    option_lines += tuple(_iter_option_lines(rules, effects))
    blocks += [Steps(option_lines, heading="What the options change")] if option_lines else []
    phases = build_optional_sections(rules, default_rules, effects, chapters, passages)
    option_steps = [step for node in _iter_rule_nodes(rules) for step in _iter_option_steps(rules, node)]
    blocks += build_new_details(
        rules, effects, chapters, option_steps, _iter_rule_nodes(default_rules), default_rules.resolved
    )
    module_rows = _list_other_modules(rules)
    blocks += [Table(("Modules and scenarios", "In short"), module_rows)] if module_rows else []
    return Section("Optional rules", "_settings", tuple(blocks), phases)


def _describe_optional_ability(rules: AnnotatedRules, effects: EffectsIndex, attached: AttachedAbility) -> OutlineLine:
    """Describe an ability that needs an option; a thing's text is about what it does without the option."""
    if attached.thing is not None:
        effects = EffectsIndex(rules.with_generated_text)
    return effects.describe_ability(attached)


def _iter_option_lines(rules: AnnotatedRules, effects: EffectsIndex) -> Iterator[OutlineLine]:
    """Yield a line such as `Winter: Only if ...:` with the steps below that a changed setting adds or replaces."""
    for definition in rules.definitions.values():
        for step in walk(definition):
            default = _default_truth(rules, step)
            if default is None or not isinstance(step, t.If):
                continue
            adds_only = default and not step.otherwise
            lines_ = effects.expand_moments(
                outline_block(rules.resolved, step.otherwise if default and not adds_only else step.then)
            )
            if lines_:
                condition = describe_condition(rules.resolved, step.condition, adds_only or not default)
                clause = f"{'only ' * adds_only}if {condition}"
                # the title of a routine says what it does without the option
                head = "" if isinstance(definition, t.Routine) else f"{capitalize(singular_title(definition))}: "
                yield OutlineLine(f"{head}{capitalize(clause)}:", lines_)


def _iter_option_steps(rules: AnnotatedRules, node: t.Node) -> Iterator[t.Stmt]:
    """Iterate over the steps that only an option adds."""
    for step in walk(node):
        default = _default_truth(rules, step)
        if default is not None and isinstance(step, t.If):
            yield from step.otherwise if default else step.then


def _default_truth(rules: AnnotatedRules, step: t.Node) -> bool | None:
    """Return the truth of an `if` step's condition under default settings; None for others or if undecided."""
    if not isinstance(step, t.If):
        return None
    return next((truth for truth in (True, False) if _is_always(rules, step.condition, truth)), None)


def _build_settings_table(rules: AnnotatedRules) -> list[Table]:
    """Build a table of settings with defaults, values and `--set` options; an empty list without settings."""
    rows = []
    for name, definition in rules.definitions.items():
        if isinstance(definition, t.Setting):
            bounds, other_value = "a number", "NUMBER"
            if definition.truth:
                bounds, other_value = "on or off", "off" if definition.value else "on"
            elif definition.low is not None:
                bounds = f"{definition.low} to {definition.high}"
            rows.append(
                TableRow(
                    (
                        singular_title(definition),
                        default_setting_value(definition),
                        bounds,
                        f"--set {name}={other_value}",
                    ),
                    name,
                )
            )
    if rows:
        return [Table(("Option", "Default", "Values", "To change it"), tuple(rows))]
    return []


def _list_other_modules(rules: AnnotatedRules) -> tuple[TableRow, ...]:
    """Return the shipped modules for this game that are not in play."""
    used_names = {module.name for module in rules.modules}
    manifests = [
        manifest
        for _, manifest in load_catalogue().values()
        if rules.game.name in manifest.requires and manifest.name not in used_names
    ]
    return tuple(sorted((TableRow((other.title, other.summary)) for other in manifests), key=lambda row: row.cells))


# --- default settings ------------------------------------------------------------------------------


def with_default_settings(rules: AnnotatedRules) -> AnnotatedRules:
    """Return the rules under default settings, without the abilities that need another setting."""
    linked = rules.linked
    conditional_steps = ((step, _default_truth(rules, step)) for item in _iter_rule_nodes(rules) for step in walk(item))
    decided_blocks: dict[t.Node, t.Block] = {
        step: step.then if truth else step.otherwise
        for step, truth in conditional_steps
        if isinstance(step, t.If) and truth is not None
    }
    resolved = replace(
        linked.resolved,
        usual={**decided_blocks, **dict(_iter_implied_conditions(rules))},
        book=replace(
            rules.book,
            standalone=tuple(item for item in rules.book.standalone if not _is_inactive_by_default(rules, item)),
        ),
    )

    def active_abilities(abilities: Iterable[AttachedAbility]) -> tuple[AttachedAbility, ...]:
        """Return the abilities that may do something under default settings."""
        return tuple(item for item in abilities if not _is_inactive_by_default(rules, item))

    return replace(
        rules,
        linked=replace(
            linked,
            typed=replace(linked.typed, resolved=resolved),
            adjusts={name: active_abilities(abilities) for name, abilities in linked.adjusts.items()},
            whens={name: active_abilities(abilities) for name, abilities in linked.whens.items()},
            shifts={name: active_abilities(abilities) for name, abilities in linked.shifts.items()},
            exceptions={name: active_abilities(abilities) for name, abilities in linked.exceptions.items()},
        ),
    )


def _iter_rule_nodes(rules: AnnotatedRules) -> Iterator[t.Node]:
    """Yield all definitions, then all top-level abilities."""
    yield from rules.definitions.values()
    yield from (ability.ability for ability in rules.book.standalone)


def _iter_implied_conditions(rules: AnnotatedRules) -> Iterator[tuple[t.Node, t.Block]]:
    """Yield (condition, ()) for each ability's condition that is always true under default settings."""
    for attached in rules.linked.held:
        condition = getattr(attached.ability, "condition", None)
        if condition is not None and _is_always(rules, condition, True):
            yield condition, ()


def _is_inactive_by_default(rules: AnnotatedRules, ability_owner: AttachedAbility | t.Standalone) -> bool:
    """Return True if an ability does nothing unless a setting is changed."""
    condition = getattr(ability_owner.ability, "condition", None)
    return condition is not None and _is_always(rules, condition, False)


def _is_always(rules: AnnotatedRules, condition: t.Expr, truth: bool) -> bool:
    """Return True if a condition has this truth value by the default settings alone, whatever the state."""
    if isinstance(condition, t.Name):
        setting = definition_of(rules.resolved, condition)
        return isinstance(setting, t.Setting) and setting.truth and bool(setting.value) is truth
    if isinstance(condition, t.Unary) and condition.op == "not":
        return _is_always(rules, condition.arg, not truth)
    if isinstance(condition, t.Binary) and condition.op in ("and", "or"):
        quantifier = any if (condition.op == "or") is truth else all
        return quantifier(_is_always(rules, side, truth) for side in (condition.left, condition.right))
    return False


def insert_default_numbers(rules: AnnotatedRules, lines_: Iterable[OutlineLine]) -> tuple[OutlineLine, ...]:
    """Replace the names of settings in lines by their default numbers."""
    names = {}
    for definition in rules.definitions.values():
        if isinstance(definition, t.Setting) and not definition.truth and definition.title:
            title = uncapitalize_title(split_title(definition.title)[0])
            names[f"the number of {title}" if is_plural_noun(title) else f"the {title}"] = str(definition.value)
    return tuple(_replace_names(line, names) for line in lines_)


_TIMES_PATTERN = re.compile(r"\b[Aa]s many times as (\d+)(?=[:,.])")


def _replace_names(line: OutlineLine, names: Mapping[str, str]) -> OutlineLine:
    """Replace names by numbers in a line and those below it; `as many times as 3` becomes `3 times`."""
    text = line.text
    for name, number in names.items():
        text = text.replace(name, number)
    text = _TIMES_PATTERN.sub(r"\1 times", text)
    return replace(line, text=text, below=tuple(_replace_names(inner, names) for inner in line.below))


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
