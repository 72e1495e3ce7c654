"""The chapters of what happens: the phases in their order, and in each the actions, numbers and routines it uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from edict.compiler.english import Line, lines, tell, title_of
from edict.compiler.english.condition_phrases import condition
from edict.compiler.english.doing import defined
from edict.compiler.semantics.block_steps import begins_with_own_words, own_words_at
from edict.compiler.semantics.call_graph import called
from edict.compiler.semantics.symbols import TRUTH, Resolved, Symbol, definition_of
from edict.compiler.sources.folders import PLACES
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plural_title, singular_title
from edict.compiler.syntax.roles import runs
from edict.compiler.syntax.walking import walk, walk_through
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.chapters import Block, Paragraph, Section, Steps
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.passages import Passages
from edict.prose.rulebook.things import is_list_of_effects, ordered
from edict.support.morphology import (
    capitalize,
    join_words,
    spell_name,
    to_sentence,
    uncapitalize_title,
    with_article,
    with_of,
    with_the,
)

SMALL = (t.Quantity, t.Routine)
DEEPEST = 6  # chapters within chapters


@dataclass
class Chapters:
    """What has its chapter already, so that it is printed once, where it first matters."""

    names: set[str] = field(default_factory=set)

    def first(self, name: str) -> bool:
        new = name not in self.names
        self.names.add(name)
        return new


def course_sections(
    known: Known, effects: EffectsIndex, chapters: Chapters, told: Passages, course: t.Block
) -> tuple[Section, ...]:
    """The phases that are played, those within a phase below it; first what several of them have in common.

    What several have in common, but only at times, comes last.
    """
    played = dict.fromkeys(_players_of(known, known.linked.game.course))
    here = set(_reached(known, course))
    shared = [name for name, often in Counter(name for name, _ in played).items() if often > 1 and name in here]
    at_times = [name for name in shared if name not in _always(known)]
    first = [name for name in shared if name not in at_times]
    chapters.names |= {*at_times}
    sections: list[Section] = []
    for name in first:
        if chapters.first(name):
            sections.append(_phase(known, effects, chapters, told, _phase_of(known, name), f"{len(sections) + 1}"))
    sections += _phases(known, effects, chapters, told, course, "", len(sections))
    for name in at_times:
        sections.append(_phase(known, effects, chapters, told, _phase_of(known, name), f"{len(sections) + 1}"))
    return tuple(sections)


def optional_sections(
    known: Known, usual: Known, effects: EffectsIndex, chapters: Chapters, told: Passages
) -> tuple[Section, ...]:
    """The phases that are played by an option alone."""
    course = known.linked.game.course
    played = {*_reached(usual, course)}
    new = [name for name in _reached(known, course) if name not in played and chapters.first(name)]
    return tuple(_phase(known, effects, chapters, told, _phase_of(known, name), "") for name in new)


def _phase_of(known: Known, name: str) -> t.Phase:
    phase = known.definitions[name]
    assert isinstance(phase, t.Phase)
    return phase


def _reached(known: Known, block: t.Block) -> Iterator[str]:
    """The phases that are played in a block, and in these, each once."""
    seen: set[str] = set()
    waiting = [*_played(known, block)]
    while waiting:
        name = waiting.pop(0)
        if name not in seen and isinstance(known.definitions[name], t.Phase):
            seen.add(name)
            yield name
            waiting += _played(known, _whole(known, _phase_of(known, name)))


def _players_of(known: Known, course: t.Block) -> Iterator[tuple[str, str]]:
    """Each phase with one that plays it."""
    for name in _reached(known, course):
        yield from ((inner, name) for inner in _played(known, _whole(known, _phase_of(known, name))))


def _always(known: Known) -> set[str]:
    """The phases that something plays whatever the game is like."""
    course = known.linked.game.course
    blocks = [course, *(_phase_of(known, name).block for name in _reached(known, course))]
    steps = [step for block in blocks for step in block]
    return {known.resolved.meaning[name].name for step in steps for name in runs(step, "phase")}


def _phases(
    known: Known, effects: EffectsIndex, chapters: Chapters, told: Passages, block: t.Block, above: str, number: int = 0
) -> Iterator[Section]:
    """The phases played in a block; deep down also those played in them, one beside the other."""
    nested = above.count(".") < DEEPEST
    waiting = [_played(known, block)]
    while waiting:
        name = next(waiting[-1], None)
        definition = known.definitions[name] if name is not None else None
        if definition is None:
            waiting.pop()
        elif isinstance(definition, t.Phase) and chapters.first(definition.name.word):
            number += 1
            yield _phase(known, effects, chapters, told, definition, f"{above}{number}")
            if not nested:
                waiting.append(_played(known, _whole(known, definition)))


def _whole(known: Known, phase: t.Phase) -> t.Block:
    """What happens in a phase, and when it begins and ends."""
    return (*phase.block, *_hooked(known, phase.name.word))


def _played(known: Known, block: t.Block) -> Iterator[str]:
    """The phases that are played in a block, routines looked into once, and at the start or end of a phase."""
    seen: set[t.Node] = set()
    usual = known.resolved.usual
    waiting: list[Iterator[t.Node]] = [walk_through(block, usual)]
    while waiting:
        node = next(waiting[-1], None)
        if node is None:
            waiting.pop()
        elif any(runs(node, "phase")):
            yield from (known.resolved.meaning[name].name for name in runs(node, "phase"))
        elif isinstance(node, t.Stmt):
            for one in called(known.resolved, node):
                if isinstance(one, t.Routine | t.FieldValue) and one not in seen:
                    seen.add(one)
                    waiting.append(walk_through(one.block, usual))


def _phase(
    known: Known, effects: EffectsIndex, chapters: Chapters, told: Passages, phase: t.Phase, number: str
) -> Section:
    """What happens, what the author says besides, which things matter, what happened once; all in full if need be."""
    name = phase.name.word
    steps = effects.filled(_told(known, phase.block))
    before, after = effects.at(name, "start"), effects.at(name, "end")
    blocks: list[Block] = [*_at_an_edge("When it begins", before)]
    played = any(line.below or isinstance(known.definitions.get(line.about), t.Phase) for line in steps)
    if begins_with_own_words(phase.block) and not played:
        blocks += [Paragraph(line.text) for line in steps if line.text]
    elif steps:
        blocks.append(Steps(steps, numbered=len(steps) > 1))
    blocks += told.passages(name) if name not in PLACES else ()
    blocks += _at_an_edge("When it ends", after)
    instead = effects.instead(name)
    blocks += [Steps(instead, heading="Exceptions")] if instead else []
    blocks += _mattering(known, effects, phase, " ".join(_spoken(blocks)))
    blocks += told.examples(name)
    nested = number.count(".") < DEEPEST
    inner = [*_phases(known, effects, chapters, told, _whole(known, phase), f"{number}.")] if nested else []
    blocks += [] if in_own_words(phase) else details(known, effects, chapters, *phase.block)
    if not blocks and not inner:
        blocks = [Paragraph("Nothing happens by itself.")]
    return Section(singular_title(phase), name, tuple(blocks), tuple(inner), number)


def _told(known: Known, block: t.Block) -> Iterator[Line]:
    """The steps of a phase; of one that does all of a list, what stands in the list."""
    if own_words_at(block) is not None:
        yield from lines(known.resolved, block)
        return
    for step in block:
        listed = _listed(known, step)
        for thing in listed:
            steps = tuple(line for one in thing.fields if one.block for line in lines(known.resolved, one.block))
            yield Line(f"{singular_title(thing)}:", steps)
        yield from () if listed else lines(known.resolved, (step,))


def _listed(known: Known, step: t.Stmt) -> Sequence[t.Thing]:
    """The things of which a step does all there are, in their order, and what stands on them."""
    if not isinstance(step, t.Each) or step.source is not None or len(step.block) != 1:
        return ()
    kind = definition_of(known.resolved, step.kind)
    if not isinstance(step.block[0], t.DoField) or not isinstance(kind, t.Kind) or not is_list_of_effects(known, kind):
        return ()
    return ordered(known, kind)


def _at_an_edge(heading: str, told: tuple[Line, ...]) -> Iterator[Block]:
    """What happens when a phase begins or ends; in a line, if it only says where that stands."""
    if len(told) == 1 and told[0].text.startswith("See "):
        yield Paragraph(f"{heading}: s{told[0].text[1:]}", quiet=True)
    elif told:
        yield Steps(told, heading=heading)


def in_own_words(phase: t.Phase) -> bool:
    """Whether the author tells what happens: what it takes in detail is then told at the back of the book."""
    if own_words_at(phase.block) is not None:
        return True
    return bool(phase.block) and all(isinstance(step, t.Text) or any(runs(step, "phase")) for step in phase.block)


def _spoken(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block.text
        elif isinstance(block, Steps):
            waiting = list(block.lines)
            while waiting:
                line = waiting.pop()
                yield line.text
                waiting += line.below


def _mattering(known: Known, effects: EffectsIndex, phase: t.Phase, said: str) -> Iterator[Block]:
    """The things that change what happens in a phase, unless they are spoken of already: see there."""
    nodes: list[t.Node] = [node for node in phase.block if not any(runs(node, "phase"))]
    seen: set[str] = set()
    found: dict[t.Thing, None] = {}
    while nodes:
        node = nodes.pop(0)
        named = [one.moment for one in walk(node) if isinstance(one, t.Trigger)]
        for name in (*_used(known.resolved, (node,)), *(known.resolved.meaning[one].name for one in named)):
            if name not in seen:
                seen.add(name)
                found |= dict.fromkeys(effects.things(name))
                nodes.append(known.definitions[name])
    by_kind: dict[str, list[str]] = {}
    for thing in found:
        if singular_title(thing) not in said:
            by_kind.setdefault(thing.kind.word, []).append(singular_title(thing))
    for kind, titles in by_kind.items():
        many = capitalize(plural_title(known.definitions[kind]))
        yield Paragraph(f"{many} that matter here: {join_words(titles)}.", quiet=True)


def _hooked(known: Known, phase: str) -> t.Block:
    """The steps of what stands at the top level and happens when a phase begins or ends."""
    return tuple(
        step
        for edge in ("start", "end")
        for held in known.linked.whens.get((phase, edge), ())
        if held.thing is None and isinstance(held.ability, t.When)
        for step in held.ability.block
    )


def _used(r: Resolved, nodes: Iterable[t.Node]) -> Iterator[str]:
    """Actions, routines and quantities that these speak of, in the order they come."""
    for one in nodes:
        for node in walk_through(one, r.usual):
            meaning = r.meaning.get(node) if isinstance(node, t.Name) else None
            if isinstance(meaning, Symbol) and isinstance(meaning.definition, t.Action | t.Quantity | t.Routine):
                yield meaning.name


# --- actions, routines, quantities -----------------------------------------------------------------


def detail(known: Known, effects: EffectsIndex, chapters: Chapters, name: str) -> Iterator[Section]:
    """The chapter of an action, routine or quantity, and of those it uses, unless they have theirs."""
    waiting = [name]
    while waiting:  # not by calls of itself: what uses what may be a long chain
        name = waiting.pop()
        definition = known.definitions[name]
        if _idle(effects, definition) or not chapters.first(name):
            continue
        inner: tuple[t.Node, ...] = ()
        if isinstance(definition, t.Action):
            yield _action(known, effects, definition)
            inner = (definition,)
        elif isinstance(definition, t.Routine):
            section = _routine(known, effects, definition)
            yield from [section] if section.blocks else []
            inner = definition.block
        elif isinstance(definition, t.Quantity):
            yield _quantity(known, effects, definition)
            inner = (definition.value,)
        waiting += reversed([*_used(known.resolved, inner)])


def details(known: Known, effects: EffectsIndex, chapters: Chapters, *nodes: t.Node) -> list[Block]:
    """The actions, routines and quantities that are mentioned here, unless they are told elsewhere."""
    found = (section for name in _used(known.resolved, nodes) for section in detail(known, effects, chapters, name))
    return [as_steps(section) for section in found]


def new_details(
    known: Known,
    effects: EffectsIndex,
    chapters: Chapters,
    nodes: Iterable[t.Node],
    others: Iterable[t.Node],
    usual: Resolved,
) -> list[Block]:
    """Those that are mentioned here, but not in others with settings as they usually are."""
    elsewhere = {*_used(usual, others)}
    names = [name for name in _used(known.resolved, nodes) if name not in elsewhere]
    return [as_steps(section) for name in names for section in detail(known, effects, chapters, name)]


def as_steps(section: Section) -> Steps:
    """A part of a chapter: its title as the heading, its own headings as lines with what belongs to them below."""
    told: list[Line] = []
    numbered = False
    for block in section.blocks:
        if isinstance(block, Paragraph):
            told.append(Line(block.text))
        elif isinstance(block, Steps) and block.heading:
            told.append(Line(f"{block.heading}:", block.lines))
        elif isinstance(block, Steps):
            told += block.lines
            numbered = block.numbered and len(section.blocks) == 1
    return Steps(tuple(told), numbered, section.title, section.anchor)


def _idle(effects: EffectsIndex, definition: t.Definition) -> bool:
    """A number that is 0 and that nothing changes: a place kept open for modules."""
    value = definition.value if isinstance(definition, t.Quantity) else None
    return isinstance(value, t.Number) and value.value == 0 and not effects.adjusts(definition.name.word)


def _never_refuses(known: Known, effects: EffectsIndex, rule: t.Rule) -> bool:
    """Whether a rule asks that a number be 0 which always is: a place kept open for modules."""
    asked = rule.require
    if not isinstance(asked, t.Binary) or asked.op != "=" or not isinstance(asked.left, t.Apply):
        return False
    quantity = definition_of(known.resolved, asked.left.head)
    zero = isinstance(asked.right, t.Number) and asked.right.value == 0
    return zero and quantity is not None and _idle(effects, quantity)


def _action(known: Known, effects: EffectsIndex, action: t.Action) -> Section:
    resolved = known.resolved
    choices = [Line(to_sentence(tell(resolved, choice))) for choice in action.params]
    if action.payment is not None:
        choices.append(Line(payment_words(known, action.payment)))
    rules = [Line(rule_words(known, rule)) for rule in action.rules if not _never_refuses(known, effects, rule)]
    blocks: list[Block] = [Steps((*choices, *effects.filled(lines(resolved, action.then))), numbered=True)]
    blocks += [Steps(tuple(rules), heading="Rules")] if rules else []
    shifts, exceptions = effects.shifts(action.name.word), effects.exceptions(action.name.word)
    blocks += [Steps(shifts, heading="Changing the total")] if shifts else []
    blocks += [Steps(exceptions, heading="Exceptions")] if exceptions else []
    return Section(singular_title(action), action.name.word, tuple(blocks))


def rule_words(known: Known, rule: t.Rule) -> str:
    """When a rule refuses, and why."""
    because = f": {rule.because}" if rule.because else ""
    return to_sentence(f"not allowed if {condition(known.resolved, rule.require, False)}{because}")


def payment_words(known: Known, payment: t.Payment) -> str:
    """What dice an action is paid with."""
    resolved = known.resolved
    least = ""
    if payment.die is not None and payment.least:
        title = title_of(resolved, payment.die, many=payment.least != 1)
        least = f"; at least {payment.least} of them must be {with_article(title) if payment.least == 1 else title}"
    place, total = tell(resolved, payment.place), tell(resolved, payment.total)
    return to_sentence(f"use some of {place} that add up to exactly {total}{least}")


def _routine(known: Known, effects: EffectsIndex, routine: t.Routine) -> Section:
    steps = effects.filled(lines(known.resolved, routine.block))
    instead = effects.instead(routine.name.word)
    title = capitalize(defined(routine))
    first = steps[0].text.removesuffix(".") if len(steps) == 1 else ""
    says_more = instead or not (first and title.startswith(first))
    blocks: list[Block] = [Steps(steps, numbered=len(steps) > 1)] if steps and says_more else []
    blocks += [Steps(instead, heading="Exceptions")] if instead else []
    return Section(title, routine.name.word, tuple(blocks))


def _quantity(known: Known, effects: EffectsIndex, quantity: t.Quantity) -> Section:
    resolved = known.resolved
    text = f"{quantity_head(known, quantity)}: {bounded_value(known, quantity)}"
    if resolved.types.get(quantity.value) == TRUTH:
        title = uncapitalize_title(singular_title(quantity))
        text = f"{_whose(quantity)} {title} if {condition(resolved, quantity.value)}"
    changed = effects.adjusts(quantity.name.word)
    bounded = quantity.at_least is not None or quantity.at_most is not None
    nothing = isinstance(quantity.value, t.Number) and quantity.value.value == 0 and not bounded and bool(changed)
    blocks: list[Block] = [] if nothing else [Paragraph(to_sentence(text))]
    blocks += [Steps(changed, heading="What changes it")] if changed else []
    return Section(capitalize(plural_title(quantity)), quantity.name.word, tuple(blocks))


def bounded_value(known: Known, quantity: t.Quantity) -> str:
    """Return the value of a quantity and its bounds: `your soldiers, never more than 5`."""
    words = tell(known.resolved, quantity.value)
    if quantity.at_least is not None:
        words += f", never less than {tell(known.resolved, quantity.at_least)}"
    if quantity.at_most is not None:
        words += f", never more than {tell(known.resolved, quantity.at_most)}"
    return words


def quantity_head(known: Known, quantity: t.Quantity) -> str:
    """What a quantity is of: `your battle strength`, `the price of a building in a good`."""
    title, params = uncapitalize_title(plural_title(quantity)), list(quantity.params)
    whose = next((param for param in params if param.kind.word == "player"), None)
    rest = [
        f"{param.joint if number else 'of'} {with_article(spell_name(param.name.word))}"
        for number, param in enumerate(params)
        if param is not whose
    ]
    head = f"your {title}" if whose is not None else with_the(title)
    if rest and with_of(head, "") == f"{head} ":
        rest[0] = rest[0].partition(" ")[2]  # `the camps above a camp`
    return " ".join([head, *rest])


def _whose(quantity: t.Quantity) -> str:
    """Whom a yes or no is about: `you are`, `a tree is`, `it is true that`."""
    if not quantity.params:
        return "it is true that"
    param = quantity.params[0]
    return "you are" if param.kind.word == "player" else f"{with_article(spell_name(param.name.word))} is"


def left_over(known: Known, effects: EffectsIndex, chapters: Chapters) -> list[Block]:
    """Routines, quantities and actions that are told in full nowhere else."""
    owners = (
        one
        for one in (*known.definitions.values(), *known.book.standalone)
        if not isinstance(one, t.Quantity | t.Display | t.Game)
    )
    told = details(known, effects, chapters, *owners)
    return [block for block in told if not _goes_without_saying(known, effects, block)]


def _goes_without_saying(known: Known, effects: EffectsIndex, block: Block) -> bool:
    """A number that nothing changes and that is said where it matters: a plain one, or what is printed on a thing."""
    one = known.definitions.get(getattr(block, "anchor", ""))
    plain = isinstance(one, t.Quantity) and isinstance(one.value, t.Number | t.Name | t.Apply)
    return plain and one is not None and not effects.adjusts(one.name.word)
