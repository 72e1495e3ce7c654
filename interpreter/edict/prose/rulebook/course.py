"""The chapters of the course, with the phases in sequence and the actions, numbers and routines of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from edict.compiler.english import OutlineLine, describe, outline_block, title_of
from edict.compiler.english.condition_phrases import describe_condition
from edict.compiler.english.moment_phrases import describe_signature
from edict.compiler.semantics.call_graph import iter_callees_of_node
from edict.compiler.semantics.symbols import (
    TRUTH,
    ResolvedBook,
    Symbol,
    definition_of,
    find_text_index,
    starts_with_text,
)
from edict.compiler.sources.folders import CHAPTERS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plural_title, singular_title
from edict.compiler.syntax.roles import iter_run_names
from edict.compiler.syntax.traversal import walk, walk_with_replacements
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.chapters import Block, Paragraph, Passages, Section, Steps
from edict.prose.rulebook.covered_rules import find_covered_rules
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.things import is_list_of_effects, sort_things
from edict.support.morphology import (
    add_definite_article,
    add_indefinite_article,
    capitalize,
    join_with_of,
    join_words,
    spell_name,
    strip_preposition,
    to_sentence,
    uncapitalize_title,
)
from edict.support.records import dataclass

MAX_DEPTH = 6  # levels of nested chapters


@dataclass
class ChapterRegistry:
    """The names that have a chapter already, so that each is printed once, where it first matters."""

    names: set[str] = field(default_factory=set)

    def claim(self, name: str) -> bool:
        """Return True the first time that a name is claimed."""
        is_new = name not in self.names
        self.names.add(name)
        return is_new


def find_round(rules: AnnotatedRules, course: t.Block) -> t.Phase | None:
    """Return the phase that the course repeats, if it is one phase that consists of several others."""
    loop = next((node for step in course for node in walk(step) if isinstance(node, t.Loop)), None)
    names = list(dict.fromkeys(_iter_played_phases(rules, loop.block))) if loop is not None else []
    if len(names) != 1:
        return None
    phase = _get_phase(rules, names[0])
    return phase if len(set(_iter_played_phases(rules, phase.block))) > 1 else None


def build_round_section(
    rules: AnnotatedRules, effects: EffectsIndex, chapters: ChapterRegistry, passages: Passages, phase: t.Phase
) -> Section:
    """Build the section of the round (`find_round`); its phases are numbered from 1."""
    chapters.names |= {phase.name.word, *find_occasional_phases(rules)}
    return _build_phase_section(rules, effects, chapters, passages, phase, "")


def build_course_sections(
    rules: AnnotatedRules, effects: EffectsIndex, chapters: ChapterRegistry, passages: Passages, course: t.Block
) -> tuple[Section, ...]:
    """Build a section for each phase that the course plays, numbered, with the phases it plays below.

    Phases that several others share come first; shared phases that are only played at times come last.
    """
    chapters.names |= find_occasional_phases(rules)
    return tuple(_iter_phase_sections(rules, effects, chapters, passages, course, ""))


def find_occasional_phases(rules: AnnotatedRules) -> set[str]:
    """Return the phases that several others play, but not always."""
    players_of_phases = dict.fromkeys(_iter_phase_players(rules, rules.linked.game.course))
    counts = Counter(name for name, _ in players_of_phases)
    return {name for name, count in counts.items() if count > 1} - _unconditional_phases(rules)


def build_occasional_sections(
    rules: AnnotatedRules, effects: EffectsIndex, chapters: ChapterRegistry, passages: Passages
) -> tuple[Section, ...]:
    """Build the sections of the phases that several others play, but not always."""
    names = find_occasional_phases(rules)
    reached = [name for name in _iter_reachable_phases(rules, rules.linked.game.course) if name in names]
    return tuple(
        _build_phase_section(rules, effects, chapters, passages, _get_phase(rules, name), "") for name in reached
    )


def build_optional_sections(
    rules: AnnotatedRules, usual: AnnotatedRules, effects: EffectsIndex, chapters: ChapterRegistry, passages: Passages
) -> tuple[Section, ...]:
    """Build the sections of phases that the course plays under these settings but not under the default ones."""
    course = rules.linked.game.course
    played = {*_iter_reachable_phases(usual, course)}
    new = [name for name in _iter_reachable_phases(rules, course) if name not in played and chapters.claim(name)]
    return tuple(_build_phase_section(rules, effects, chapters, passages, _get_phase(rules, name), "") for name in new)


def _get_phase(rules: AnnotatedRules, name: str) -> t.Phase:
    """Return the phase of this name; assert that the definition is a phase."""
    phase = rules.definitions[name]
    assert isinstance(phase, t.Phase)
    return phase


def _iter_reachable_phases(rules: AnnotatedRules, block: t.Block) -> Iterator[str]:
    """Iterate over the phases that a block plays, directly or through other phases, each once."""
    seen: set[str] = set()
    pending = [*_iter_played_phases(rules, block)]
    while pending:
        name = pending.pop(0)
        if name not in seen and isinstance(rules.definitions[name], t.Phase):
            seen.add(name)
            yield name
            pending += _iter_played_phases(rules, _phase_steps(rules, _get_phase(rules, name)))


def _iter_phase_players(rules: AnnotatedRules, course: t.Block) -> Iterator[tuple[str, str]]:
    """Yield `(inner, outer)` for each phase `inner` that a reachable phase `outer` plays."""
    for name in _iter_reachable_phases(rules, course):
        yield from ((inner, name) for inner in _iter_played_phases(rules, _phase_steps(rules, _get_phase(rules, name))))


def _unconditional_phases(rules: AnnotatedRules) -> set[str]:
    """Return the phases that are always played."""
    course = rules.linked.game.course
    blocks = [course, *(_get_phase(rules, name).block for name in _iter_reachable_phases(rules, course))]
    steps = [step for block in blocks for step in block]
    return {rules.resolved.meaning[name].name for step in steps for name in iter_run_names(step, "phase")}


def _iter_phase_sections(
    rules: AnnotatedRules,
    effects: EffectsIndex,
    chapters: ChapterRegistry,
    passages: Passages,
    block: t.Block,
    prefix: str,
) -> Iterator[Section]:
    """Iterate over the sections of the phases in a block; at the deepest level nested phases follow side by side."""
    has_room = prefix.count(".") < MAX_DEPTH
    number = 0
    stack = [_iter_played_phases(rules, block)]
    while stack:
        name = next(stack[-1], None)
        definition = rules.definitions[name] if name is not None else None
        if definition is None:
            stack.pop()
        elif isinstance(definition, t.Phase) and chapters.claim(definition.name.word):
            number += 1
            yield _build_phase_section(rules, effects, chapters, passages, definition, f"{prefix}{number}")
            if not has_room:
                stack.append(_iter_played_phases(rules, _phase_steps(rules, definition)))


def _phase_steps(rules: AnnotatedRules, phase: t.Phase) -> t.Block:
    """Return the steps of a phase and of the rules at its start and end."""
    return (*phase.block, *_house_rule_steps(rules, phase.name.word))


def _iter_played_phases(rules: AnnotatedRules, block: t.Block) -> Iterator[str]:
    """Iterate over the phases that a block plays, directly or through routines and effects."""
    seen: set[t.Node] = set()
    usual = rules.resolved.usual
    stack: list[Iterator[t.Node]] = [walk_with_replacements(block, usual)]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
        elif any(iter_run_names(node, "phase")):
            yield from (rules.resolved.meaning[name].name for name in iter_run_names(node, "phase"))
        elif isinstance(node, t.Stmt):
            for callee in iter_callees_of_node(rules.resolved, node):
                if isinstance(callee, t.Routine | t.FieldValue) and callee not in seen:
                    seen.add(callee)
                    stack.append(walk_with_replacements(callee.block, usual))


def _build_phase_section(
    rules: AnnotatedRules,
    effects: EffectsIndex,
    chapters: ChapterRegistry,
    passages: Passages,
    phase: t.Phase,
    number: str,
) -> Section:
    """Build the section of a phase.

    It has the steps, the author's passages, the things that matter, examples, and the details that no other chapter
    has.
    """
    name = phase.name.word
    steps = effects.expand_moments(_describe_steps(rules, phase.block))
    at_start, at_end = effects.lines_at(name, "start"), effects.lines_at(name, "end")
    blocks: list[Block] = [*_build_edge_block("At the start", at_start)]
    plays_phases = any(line.below or isinstance(rules.definitions.get(line.about), t.Phase) for line in steps)
    if starts_with_text(phase.block) and not plays_phases:
        blocks += [Paragraph(line.text) for line in steps if line.text]
    elif steps:
        blocks.append(Steps(steps, numbered=len(steps) > 1))
    blocks += passages.iter_passages(name) if name not in CHAPTERS else ()
    blocks += _build_edge_block("At the end", at_end)
    replacements = effects.replacements_of(name)
    blocks += [Steps(replacements, heading="Exceptions")] if replacements else []
    blocks += _list_relevant_things(rules, effects, phase, " ".join(_iter_texts(blocks)))
    blocks += passages.iter_examples(name)
    has_room = number.count(".") < MAX_DEPTH
    if has_room:
        subsections = [
            *_iter_phase_sections(
                rules, effects, chapters, passages, _phase_steps(rules, phase), number and f"{number}."
            )
        ]
    else:
        subsections = []
    if is_told_by_author(phase):
        blocks += []
    else:
        blocks += build_details(rules, effects, chapters, *phase.block)
    if not blocks and not subsections:
        blocks = [Paragraph("Nothing happens by itself.")]
    return Section(singular_title(phase), name, tuple(blocks), tuple(subsections), number)


def _describe_steps(rules: AnnotatedRules, block: t.Block) -> Iterator[OutlineLine]:
    """Yield a block's steps as lines; a step that runs all things of a list yields each thing with its effect."""
    if find_text_index(block) is not None:
        yield from outline_block(rules.resolved, block)
        return
    for step in block:
        entries = _find_listed_things(rules, step)
        for thing in entries:
            steps = tuple(
                line for field in thing.fields if field.block for line in outline_block(rules.resolved, field.block)
            )
            yield OutlineLine(f"{singular_title(thing)}:", steps)
        yield from () if entries else outline_block(rules.resolved, (step,))


def _find_listed_things(rules: AnnotatedRules, step: t.Stmt) -> Sequence[t.Thing]:
    """Return the things of which a step runs all effects; empty for other steps."""
    if not isinstance(step, t.Each) or step.source is not None or len(step.block) != 1:
        return ()
    kind, inner = definition_of(rules.resolved, step.kind), step.block[0]
    if not isinstance(kind, t.Kind) or not is_list_of_effects(rules, kind) or not isinstance(inner, t.DoField):
        return ()
    named = rules.resolved.meaning.get(inner.thing) if isinstance(inner.thing, t.Name) else None
    return sort_things(rules, kind) if named == rules.resolved.binds[step] else ()


def find_listed_kinds(rules: AnnotatedRules) -> set[str]:
    """Return the kinds of which a phase runs all effects, so that its chapter describes them."""
    steps = (step for phase in rules.definitions.values() if isinstance(phase, t.Phase) for step in phase.block)
    return {thing.kind.word for step in steps for thing in _find_listed_things(rules, step)}


def _build_edge_block(heading: str, lines_: tuple[OutlineLine, ...]) -> Iterator[Block]:
    """Yield a block of what happens at a phase's start or end, as one line if it is just `See ...`; or nothing."""
    if len(lines_) == 1 and lines_[0].text.startswith("See "):
        yield Paragraph(f"{heading}: s{lines_[0].text[1:]}", quiet=True)
    elif lines_:
        yield Steps(lines_, heading=heading)


def is_told_by_author(phase: t.Phase) -> bool:
    """Return True if the author describes the phase; its details then go to the back of the book."""
    if find_text_index(phase.block) is not None:
        return True
    return bool(phase.block) and all(
        isinstance(step, t.Text) or any(iter_run_names(step, "phase")) for step in phase.block
    )


def _iter_texts(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the text of each paragraph and of each list line at any depth; skip other blocks."""
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block.text
        elif isinstance(block, Steps):
            pending = list(block.lines)
            while pending:
                line = pending.pop()
                yield line.text
                pending += line.below


def _list_relevant_things(rules: AnnotatedRules, effects: EffectsIndex, phase: t.Phase, text: str) -> Iterator[Block]:
    """Yield a block by kind of the things that affect what the phase uses, except titles named in `text`."""
    nodes: list[t.Node] = [node for node in phase.block if not any(iter_run_names(node, "phase"))]
    seen: set[str] = set()
    things: dict[t.Thing, None] = {}
    while nodes:
        node = nodes.pop(0)
        triggers = [inner.moment for inner in walk(node) if isinstance(inner, t.Trigger)]
        for name in (
            *_iter_used_names(rules.resolved, (node,)),
            *(rules.resolved.meaning[inner].name for inner in triggers),
        ):
            if name not in seen:
                seen.add(name)
                things |= dict.fromkeys(effects.affecting_things(name))
                nodes.append(rules.definitions[name])
    by_kind: dict[str, list[str]] = {}
    for thing in things:
        if singular_title(thing) not in text:
            by_kind.setdefault(thing.kind.word, []).append(singular_title(thing))
    for kind, titles in by_kind.items():
        plural = capitalize(plural_title(rules.definitions[kind]))
        yield Paragraph(f"{plural} that change this: {join_words(titles)}.", quiet=True)


def _house_rule_steps(rules: AnnotatedRules, phase: str) -> t.Block:
    """Return the steps of house rules at the start and end of a phase."""
    return tuple(
        step
        for edge in ("start", "end")
        for attached in rules.linked.whens.get((phase, edge), ())
        if attached.thing is None and isinstance(attached.ability, t.When)
        for step in attached.ability.block
    )


def _iter_used_names(r: ResolvedBook, nodes: Iterable[t.Node]) -> Iterator[str]:
    """Iterate over the actions, routines and quantities that nodes refer to."""
    for root in nodes:
        for node in walk_with_replacements(root, r.usual):
            meaning = r.meaning.get(node) if isinstance(node, t.Name) else None
            if isinstance(meaning, Symbol) and isinstance(meaning.definition, t.Action | t.Quantity | t.Routine):
                yield meaning.name


# --- actions, routines, quantities -----------------------------------------------------------------


def iter_detail_sections(
    rules: AnnotatedRules, effects: EffectsIndex, chapters: ChapterRegistry, name: str
) -> Iterator[Section]:
    """Iterate over the sections of an action, routine or quantity and of those it uses, unless they have one."""
    stack = [name]
    while stack:  # iterative, as chains of references can be long
        name = stack.pop()
        definition = rules.definitions[name]
        if _is_unused_number(effects, definition) or not chapters.claim(name):
            continue
        used_nodes: tuple[t.Node, ...] = ()
        if isinstance(definition, t.Action):
            yield _build_action_section(rules, effects, definition)
            used_nodes = (definition,)
        elif isinstance(definition, t.Routine):
            section = _build_routine_section(rules, effects, definition)
            yield from [section] if section.blocks else []
            used_nodes = definition.block
        elif isinstance(definition, t.Quantity):
            yield _build_quantity_section(rules, effects, definition)
            used_nodes = (definition.value,)
        stack += reversed([*_iter_used_names(rules.resolved, used_nodes)])


def build_details(
    rules: AnnotatedRules, effects: EffectsIndex, chapters: ChapterRegistry, *nodes: t.Node
) -> list[Block]:
    """Build a block for each action, routine and quantity that the nodes use, unless it has its own section."""
    sections = (
        section
        for name in _iter_used_names(rules.resolved, nodes)
        for section in iter_detail_sections(rules, effects, chapters, name)
    )
    return [section_to_steps(section) for section in sections]


def build_new_details(
    rules: AnnotatedRules,
    effects: EffectsIndex,
    chapters: ChapterRegistry,
    nodes: Iterable[t.Node],
    others: Iterable[t.Node],
    usual: ResolvedBook,
) -> list[Block]:
    """Build such blocks for names that `nodes` use and that `others` do not use under default settings."""
    elsewhere = {*_iter_used_names(usual, others)}
    names = [name for name in _iter_used_names(rules.resolved, nodes) if name not in elsewhere]
    return [
        section_to_steps(section) for name in names for section in iter_detail_sections(rules, effects, chapters, name)
    ]


def section_to_steps(section: Section) -> Steps:
    """Convert a section to a list with its title as heading and its headings as lines."""
    lines_: list[OutlineLine] = []
    numbered = False
    for block in section.blocks:
        if isinstance(block, Paragraph):
            lines_.append(OutlineLine(block.text))
        elif isinstance(block, Steps) and block.heading:
            lines_.append(OutlineLine(f"{block.heading}:", block.lines))
        elif isinstance(block, Steps):
            lines_ += block.lines
            numbered = block.numbered and len(section.blocks) == 1
    return Steps(tuple(lines_), numbered, section.title, section.anchor)


def _is_unused_number(effects: EffectsIndex, definition: t.Definition) -> bool:
    """Return True for a quantity written as 0 that no ability adjusts: a hook for modules."""
    value = definition.value if isinstance(definition, t.Quantity) else None
    return isinstance(value, t.Number) and value.value == 0 and not effects.adjustments_of(definition.name.word)


def _always_allows(rules: AnnotatedRules, effects: EffectsIndex, rule: t.Rule) -> bool:
    """Return True if a rule requires an unused number to be 0, a hook for modules."""
    requirement = rule.require
    if not isinstance(requirement, t.Binary) or requirement.op != "=" or not isinstance(requirement.left, t.Apply):
        return False
    quantity = definition_of(rules.resolved, requirement.left.head)
    is_zero = isinstance(requirement.right, t.Number) and requirement.right.value == 0
    return is_zero and quantity is not None and _is_unused_number(effects, quantity)


def _build_action_section(known: AnnotatedRules, effects: EffectsIndex, action: t.Action) -> Section:
    """Build the section of an action: its choices, payment and steps, then its rules, shifts and exceptions."""
    resolved = known.resolved
    choices = [OutlineLine(to_sentence(describe(resolved, choice))) for choice in action.params]
    if action.payment is not None:
        choices.append(OutlineLine(describe_payment(known, action.payment)))
    rule_lines = [
        OutlineLine(to_sentence(f"not allowed: {rule.because}") if rule.because else describe_rule(known, rule))
        for rule in action.rules
        if not _always_allows(known, effects, rule)
    ]
    blocks: list[Block] = [
        Steps((*choices, *effects.expand_moments(outline_block(resolved, action.then))), numbered=True)
    ]
    blocks += [Steps(tuple(rule_lines), heading="Rules")] if rule_lines else []
    shifts, exceptions = effects.shifts_of(action.name.word), effects.exceptions_of(action.name.word)
    blocks += [Steps(shifts, heading="Changing the total")] if shifts else []
    blocks += [Steps(exceptions, heading="Exceptions")] if exceptions else []
    return Section(singular_title(action), action.name.word, tuple(blocks))


def describe_rule(rules: AnnotatedRules, rule: t.Rule) -> str:
    """Return a sentence on an action's rule: `Not allowed if ...: because`."""
    because = f": {rule.because}" if rule.because else ""
    return to_sentence(f"not allowed if {describe_condition(rules.resolved, rule.require, False)}{because}")


def describe_payment(rules: AnnotatedRules, payment: t.Payment) -> str:
    """Return `Use some of [dice] that add up to exactly [total]`, with the least number of a kind of die."""
    resolved = rules.resolved
    least = ""
    if payment.die is not None and payment.least:
        title = title_of(resolved, payment.die, many=payment.least != 1)
        least = f", including at least {payment.least} {title}"
    place, total = describe(resolved, payment.place), describe(resolved, payment.total)
    return to_sentence(f"use some of {place} that add up to exactly {total}{least}")


def _build_routine_section(rules: AnnotatedRules, effects: EffectsIndex, routine: t.Routine) -> Section:
    """Build the section of a routine; leave out its single step if the title already says it."""
    steps = effects.expand_moments(outline_block(rules.resolved, routine.block))
    replacements = effects.replacements_of(routine.name.word)
    title = capitalize(describe_signature(routine))
    first = steps[0].text.removesuffix(".") if len(steps) == 1 else ""
    says_more = not (first and title.startswith(first))
    blocks: list[Block] = [Steps(steps, numbered=len(steps) > 1)] if steps and says_more else []
    blocks += [Steps(replacements, heading="Exceptions")] if replacements else []
    return Section(title, routine.name.word, tuple(blocks))


def _build_quantity_section(rules: AnnotatedRules, effects: EffectsIndex, quantity: t.Quantity) -> Section:
    """Build a quantity's section: its value or condition, unless that is a plain 0, then its adjustments."""
    resolved = rules.resolved
    text = f"{describe_quantity_head(rules, quantity)}: {describe_bounded_value(rules, quantity)}"
    if resolved.types.get(quantity.value) == TRUTH:
        title = uncapitalize_title(singular_title(quantity))
        text = f"{_describe_subject(quantity)} {title} if {describe_condition(resolved, quantity.value)}"
    adjustments = effects.adjustments_of(quantity.name.word)
    bounded = quantity.at_least is not None or quantity.at_most is not None
    is_zero_base = (
        isinstance(quantity.value, t.Number) and quantity.value.value == 0 and not bounded and bool(adjustments)
    )
    blocks: list[Block] = [] if is_zero_base else [Paragraph(to_sentence(text))]
    blocks += [Steps(adjustments, heading="What changes it")] if adjustments else []
    return Section(capitalize(strip_preposition(plural_title(quantity))), quantity.name.word, tuple(blocks))


def describe_bounded_value(rules: AnnotatedRules, quantity: t.Quantity) -> str:
    """Return the value of a quantity with its bounds: `your soldiers, never more than 5`."""
    words = describe(rules.resolved, quantity.value)
    if quantity.at_least is not None:
        words += f", never less than {describe(rules.resolved, quantity.at_least)}"
    if quantity.at_most is not None:
        words += f", never more than {describe(rules.resolved, quantity.at_most)}"
    return words


def describe_quantity_head(rules: AnnotatedRules, quantity: t.Quantity) -> str:
    """Return a quantity with its parameters: `your battle strength`, `the price of a building in a good`."""
    title, params = uncapitalize_title(plural_title(quantity)), list(quantity.params)
    player_param = next((param for param in params if param.kind.word == "player"), None)
    rest = [
        f"{param.joint if number else 'of'} {add_indefinite_article(spell_name(param.name.word))}"
        for number, param in enumerate(params)
        if param is not player_param
    ]
    head = f"your {title}" if player_param is not None else add_definite_article(title)
    if rest and join_with_of(head, "") == f"{head} ":
        rest[0] = rest[0].partition(" ")[2]  # `the camps above a camp`
    return " ".join([head, *rest])


def _describe_subject(quantity: t.Quantity) -> str:
    """Return the subject of a yes/no quantity: `you are`, `a tree is`, `it is true that`."""
    if not quantity.params:
        return "it is true that"
    param = quantity.params[0]
    if param.kind.word == "player":
        return "you are"
    return f"{add_indefinite_article(spell_name(param.name.word))} is"


def build_remaining_details(rules: AnnotatedRules, effects: EffectsIndex, chapters: ChapterRegistry) -> list[Block]:
    """Build blocks for the routines, quantities and actions that neither a chapter nor a thing's text describes."""
    chapters.names |= find_covered_rules(rules).names
    owners = (
        definition
        for definition in (*rules.definitions.values(), *rules.book.standalone)
        if not isinstance(definition, t.Quantity | t.Display | t.Game)
    )
    blocks = build_details(rules, effects, chapters, *owners)
    return [block for block in blocks if not _is_trivial_quantity(rules, effects, block)]


def _is_trivial_quantity(rules: AnnotatedRules, effects: EffectsIndex, block: Block) -> bool:
    """Return True for the block of a quantity that is a number, a name or a call, adjusted by nothing."""
    definition = rules.definitions.get(getattr(block, "anchor", ""))
    is_plain = isinstance(definition, t.Quantity) and isinstance(definition.value, t.Number | t.Name | t.Apply)
    return is_plain and definition is not None and not effects.adjustments_of(definition.name.word)
