"""The rulebook, generated from the rules chapter by chapter with its index.

No text in it is specific to one game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from edict.compiler.english import OutlineLine, outline_block
from edict.compiler.english.member_phrases import split_ranking
from edict.compiler.english.plurals import is_plural_noun
from edict.compiler.layering.provenance import ORIGINS
from edict.compiler.semantics.ability_targets import MEMBERSHIP_EDGES, RESOURCE_EDGES
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.roles import GameEndingStep
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.chapters import (
    ALWAYS,
    BACK,
    CORE,
    END,
    GLANCE,
    SMALL_PRINT,
    Block,
    Cards,
    Example,
    Grid,
    Index,
    Paragraph,
    Passages,
    Rulebook,
    Section,
    Steps,
    Table,
    TableRow,
    collect_passages,
)
from edict.prose.rulebook.course import (
    ChapterRegistry,
    build_course_sections,
    build_details,
    build_occasional_sections,
    build_remaining_details,
    build_round_section,
    find_listed_kinds,
    find_round,
)
from edict.prose.rulebook.covered_rules import find_covered_rules
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.optional_rules import (
    build_optional_rules,
    build_setup_chapter,
    closing_steps,
    describe_owner,
    insert_default_numbers,
    main_steps,
    setup_steps,
    with_default_settings,
)
from edict.prose.rulebook.primer import build_primer, iter_goal, take_fitting
from edict.prose.rulebook.rule_differences import MODULE_ANCHOR, build_module_details, build_module_section
from edict.prose.rulebook.things import build_effect_lists, build_kind_sections
from edict.support.morphology import (
    capitalize,
    format_range,
    join_words,
    spell_name,
    split_title,
    strip_preposition,
    to_sentence,
)

# definitions that have no chapter of their own
_GLOSSARY_TYPES = (t.Resource, t.Group, t.Die, t.Keep, t.Quantity, t.Display)


def build_rulebook(
    rules: AnnotatedRules, base: AnnotatedRules | None = None, examples: Iterable[tuple[str, Example]] = ()
) -> Rulebook:
    """Build the rulebook of a game.

    Args:
        rules: The rules.
        base: The game without modules, to show how changed rules read there.
        examples: Examples of play, each with the name of what it illustrates.
    """
    rules = remove_judgement(rules)
    base = remove_judgement(base) if base is not None else None
    all_rules, rules = rules, with_default_settings(rules)
    effects, registry, passages = EffectsIndex(rules), ChapterRegistry(), collect_passages(rules, examples)
    course = rules.linked.game.course
    opening, whole_round = setup_steps(course), find_round(rules, course)
    preparing = tuple(map(_remove_numbers, build_course_sections(rules, effects, registry, passages, opening)))
    closing: tuple[Section, ...] = ()
    if whole_round is None:
        middle = Section("", "", (), build_course_sections(rules, effects, registry, passages, main_steps(course)))
    else:
        middle = build_round_section(rules, effects, registry, passages, whole_round)
        closing = build_course_sections(rules, effects, registry, passages, closing_steps(course))
    occasional = build_occasional_sections(rules, effects, registry, passages)
    loose_details = build_details(rules, effects, registry, *course)
    end = _build_end_section(rules, effects, registry, passages, tuple(map(_remove_numbers, closing)))
    kinds = build_kind_sections(rules, passages)
    sections = [
        _build_primer_section(rules),
        _build_changes_section(all_rules, base, passages),
        build_setup_chapter(rules, effects, passages, preparing),
        _build_course_section(rules, passages, loose_details, middle),
        _build_any_time_section(rules, effects),
        end,
        *occasional,
        _build_general_section(rules, passages),
        _build_clarifications_section(rules, passages),
        _build_terms_section(rules, passages),
    ]
    optional = build_optional_rules(all_rules, rules, effects, registry, passages)
    in_full = _insert_default_numbers(rules, _build_small_print(rules, base, effects, registry))
    chapters = [*(_insert_default_numbers(rules, chapter) for chapter in sections), optional, *kinds]
    glance = _build_summary(middle.sections, occasional, end, passages)
    appendix = [in_full, _build_origins_section(rules)]
    all_sections = (*chapters, glance, *appendix, build_index(rules, [*chapters, *appendix]))
    nonempty = tuple(section for section in all_sections if section.blocks or section.sections)
    return Rulebook(rules.title, _build_subtitle(rules), _list_facts(rules), nonempty, dict(_iter_links(nonempty)))


def _remove_numbers(section: Section) -> Section:
    """Return the section and all its subsections with empty numbers."""
    return replace(section, number="", sections=tuple(map(_remove_numbers, section.sections)))


def _build_any_time_section(rules: AnnotatedRules, effects: EffectsIndex) -> Section:
    """Build the section `At any time`: house rules triggered by gains, losses and membership of sets."""
    candidates = (attached for attached in rules.linked.held if attached.thing is None)
    standalone = [
        attached
        for attached in candidates
        if getattr(attached.ability, "edge", "") in (*MEMBERSHIP_EDGES, *RESOURCE_EDGES)
    ]
    return Section(
        "At any time", "_any-time", (Steps(tuple(map(effects.describe_ability, standalone))),) if standalone else ()
    )


def _build_terms_section(rules: AnnotatedRules, passages: Passages) -> Section:
    """Build the section of the author's texts about resources, numbers and fields."""
    terms = {
        name: split_title(one.title)[1] for name, one in rules.definitions.items() if isinstance(one, _GLOSSARY_TYPES)
    }
    terms |= {field: spell_name(field) for field in rules.resolved.fields}
    blocks = (
        replace(block, heading=block.heading or capitalize(title), anchor=block.anchor or f"_for-{name}")
        for name, title in terms.items()
        for block in passages.iter_passages(name)
        if isinstance(block, Paragraph)
    )
    return Section("Glossary", "_terms", tuple(blocks))


def _build_clarifications_section(rules: AnnotatedRules, passages: Passages) -> Section:
    """Build the section of the author's texts about single things."""
    blocks = (
        replace(block, heading=block.heading or singular_title(thing), anchor=block.anchor or f"_about-{name}")
        for name, thing in rules.definitions.items()
        if isinstance(thing, t.Thing)
        for block in passages.iter_passages(name)
        if isinstance(block, Paragraph)
    )
    return Section("Clarifications", "_clarifications", tuple(blocks))


def _insert_default_numbers(rules: AnnotatedRules, section: Section) -> Section:
    """Replace the names of settings in a chapter by their default numbers."""
    blocks = (
        replace(block, lines=insert_default_numbers(rules, block.lines)) if isinstance(block, Steps) else block
        for block in section.blocks
    )
    return replace(
        section,
        blocks=tuple(blocks),
        sections=tuple(_insert_default_numbers(rules, inner) for inner in section.sections),
    )


def _build_subtitle(rules: AnnotatedRules) -> str:
    """Return `with A and B` for the modules over the game; an empty text without any."""
    added = [module.manifest.title for module in rules.added_modules]
    return f"with {join_words(added)}" if added else ""


def _list_facts(rules: AnnotatedRules) -> tuple[tuple[str, str], ...]:
    """Return label and value pairs for the title page: players, rules with version and, if known, the source."""
    game = rules.linked.game
    players = format_range(game.low, game.high)
    facts = (("Players", players), ("Rules", f"{rules.game.name} {rules.game.manifest.version}"))
    source = rules.game.manifest.source
    return (*facts, ("After", source)) if source else facts


def _iter_links(sections: Iterable[Section]) -> Iterator[tuple[str, str]]:
    """Iterate over all anchors with their headings."""
    for section in sections:
        yield section.anchor, f"{section.number} {section.title}".strip()
        steps = (block for block in section.blocks if isinstance(block, Steps))
        yield from ((block.anchor, block.heading) for block in steps if block.anchor)
        yield from _iter_links(section.sections)


def _build_primer_section(rules: AnnotatedRules) -> Section:
    """Build the section `The game in short`, with a paragraph for each part of the primer."""
    parts = (Paragraph(" ".join(sentences), heading=heading) for heading, sentences in build_primer(rules).parts)
    return Section("The game in short", "_in-short", tuple(parts))


# --- the course and the end ------------------------------------------------------------------------


def _build_course_section(
    rules: AnnotatedRules, passages: Passages, loose_details: list[Block], middle: Section
) -> Section:
    """Build the section `How the game goes`: the course as steps, passages and details, then the phases."""
    overview = _build_course_overview(rules)
    blocks = [*([overview] if overview.lines else []), *passages.iter_passages(CORE), *loose_details]
    if middle.anchor:
        opening, others = _split_opening(middle.blocks)
        blocks += [replace(opening, heading=middle.title, anchor=middle.anchor), *others]
    return Section("How the game goes", "_course", tuple(blocks), middle.sections)


def _split_opening(blocks: Sequence[Block]) -> tuple[Paragraph, tuple[Block, ...]]:
    """Return what happens in a round before its phases as a paragraph, then the other blocks.

    So the phases in a list have the numbers of their sections.
    """
    first = blocks[0] if blocks else None
    if not isinstance(first, Steps) or first.heading:
        return Paragraph(""), tuple(blocks)
    lines = list(first.lines)
    opening = []
    while lines and not lines[0].about and not lines[0].below:
        opening.append(lines.pop(0).text)
    return Paragraph(" ".join(opening)), (replace(first, lines=tuple(lines)), *blocks[1:])


def _build_course_overview(rules: AnnotatedRules) -> Steps:
    """Build a numbered list of the steps of the game's course."""
    steps = EffectsIndex(rules).expand_moments(outline_block(rules.resolved, rules.linked.game.course))
    return Steps(steps, numbered=True)


def _build_end_section(
    rules: AnnotatedRules,
    effects: EffectsIndex,
    chapters: ChapterRegistry,
    passages: Passages,
    closing: tuple[Section, ...],
) -> Section:
    """Build the section on the end of the game, with the winner, the tie-breakers and the numbers they use.

    `closing` are the sections of the phases after the last round.
    """
    game = rules.linked.game
    blocks: list[Block] = []
    ranked = split_ranking(rules.resolved, game.winners)
    if ranked is not None:
        candidates, criterion, ties = ranked
        blocks.append(
            Paragraph(
                to_sentence(f"{f'of {candidates}, the one' if candidates else 'the player'} with {criterion} wins")
            )
        )
        steps = tuple(OutlineLine(to_sentence(tie)) for tie in ties)
        heading = "Ties are broken in this order"
        blocks += [Steps(steps, numbered=True, heading=heading)] if steps else []
        blocks.append(Paragraph("Players who are still tied share the victory."))
    else:
        blocks.append(Paragraph(" ".join(iter_goal(rules))))
    ending_rules = [name for name, definition in rules.definitions.items() if _can_end_game(definition)]
    if ending_rules:
        titles = join_words(singular_title(rules.definitions[name]) for name in ending_rules)
        blocks.append(Paragraph(to_sentence(f"the game may also end at once: see {titles}")))
    blocks += [
        *passages.iter_passages(END),
        *build_details(rules, effects, chapters, game.winners, game.score),
        *passages.iter_examples(END),
    ]
    return Section("The end of the game", "_end", tuple(blocks), closing)


def _can_end_game(definition: t.Definition) -> bool:
    """Return True if a definition other than the game has a step that ends the game."""
    return not isinstance(definition, t.Game) and any(isinstance(node, GameEndingStep) for node in walk(definition))


# --- general rules ----------------------------------------------------------------------------------


def _build_general_section(rules: AnnotatedRules, passages: Passages) -> Section:
    """Build the section of general rules, secrets and campaign rules."""
    blocks = [*passages.iter_passages(ALWAYS), *_list_secrets(rules), *passages.iter_examples(ALWAYS)]
    return Section("Rules that always apply", "_always", tuple(blocks), tuple(_build_campaign_section(rules)))


def _list_secrets(rules: AnnotatedRules) -> Iterator[Block]:
    """List which state is secret, from whom, and until when."""
    steps = []
    for keep in rules.definitions.values():
        if isinstance(keep, t.Keep) and keep.secret and keep.title:
            is_per_player = any(param.kind.word == "player" for param in keep.params)
            if is_plural_noun(split_title(keep.title)[0]):
                verb, pronoun = ("are", "them")
            else:
                verb, pronoun = ("is", "it")
            knower = "known only to that player" if is_per_player else "secret"
            count_note = ", but everybody sees how many there are" if keep.counted else ""
            steps.append(
                OutlineLine(
                    to_sentence(f"{describe_owner(keep)} {verb} {knower} until a rule reveals {pronoun}{count_note}")
                )
            )
    if steps:
        open_information = OutlineLine("Everything else is open to all players at any time.")
        yield Steps((*steps, open_information), heading="Secrets")


def _build_campaign_section(rules: AnnotatedRules) -> Iterator[Section]:
    """Build the section on what a campaign carries over."""
    steps = []
    for keep in rules.definitions.values():
        if isinstance(keep, t.Keep) and keep.lasting:
            verb = "are" if is_plural_noun(split_title(keep.title)[0]) else "is"
            steps.append(OutlineLine(to_sentence(f"{describe_owner(keep)} {verb} carried over to the next game")))
    if steps:
        first = Paragraph(to_sentence("in a campaign, each game begins with what the game before left behind"))
        yield Section("From game to game", "_campaign", (first, Steps(tuple(steps))))


def _build_small_print(
    rules: AnnotatedRules, base: AnnotatedRules | None, effects: EffectsIndex, chapters: ChapterRegistry
) -> Section:
    """Build the small print, with the actions, routines and numbers in detail and the modules' changes."""
    module_sections = (build_module_details(rules, base, module) for module in rules.added_modules)
    changed = tuple(section for section in module_sections if section.blocks)
    described_lists = {*find_listed_kinds(rules), *find_covered_rules(rules).names}
    detail_blocks = (*build_remaining_details(rules, effects, chapters), *build_effect_lists(rules, described_lists))
    introduction = "This appendix repeats the rules step by step, in every detail."
    blocks = (Paragraph(introduction, quiet=True), *detail_blocks) if detail_blocks else ()
    return Section("Appendix: The rules in full", "_in-full", blocks, changed, part=SMALL_PRINT)


# --- the last page ---------------------------------------------------------------------------------


GLANCE_WORDS = 90  # most words on a phase on the reference card


def _build_summary(
    phases: Iterable[Section], occasional: Iterable[Section], end: Section, passages: Passages
) -> Section:
    """Build the reference card, with a few sentences for each phase, the winner, ties and exceptions."""
    course, at_times = (tuple(map(_summarize_phase, some)) for some in (phases, occasional))
    lists = [Steps(course, numbered=True), *([Steps(at_times)] if at_times else [])]
    end_blocks = (
        block for block in end.blocks if isinstance(block, Steps) and not block.anchor or block is end.blocks[0]
    )
    blocks = (*lists, *end_blocks, *passages.iter_passages(GLANCE)) if course else ()
    return Section("At a glance", "_glance", blocks, part=BACK)


def _summarize_phase(phase: Section) -> OutlineLine:
    """Return `[Phase]: [first sentence]`, with its nested phases as lines below (then without the sentence)."""
    if not phase.sections:
        paragraph_text = next(
            (block.text for block in phase.blocks if isinstance(block, Paragraph) and not block.quiet), ""
        )
    else:
        paragraph_text = ""
    sentences = take_fitting(re.findall(r"\S.*?[.!?](?= |$)", paragraph_text), GLANCE_WORDS)
    text = f"{phase.title}: {' '.join(sentences)}" if sentences else to_sentence(phase.title)
    return OutlineLine(text, tuple(map(_summarize_phase, phase.sections)), phase.anchor)


# --- variants --------------------------------------------------------------------------------------


def _build_changes_section(rules: AnnotatedRules, base: AnnotatedRules | None, passages: Passages) -> Section:
    """Build the section of what each module changes."""
    sections = [build_module_section(rules, base, module, passages) for module in rules.added_modules]
    return Section("What is different", "_changes", (), tuple(sections))


def _build_origins_section(rules: AnnotatedRules) -> Section:
    """Build the legend of the marks on cards."""
    used = {note.origin for name, note in rules.book.notes.items() if isinstance(rules.definitions.get(name), t.Thing)}
    rows = [TableRow((origin, to_sentence(meaning))) for origin, meaning in ORIGINS.items() if origin in used]
    table = Table(("Mark", "Meaning"), tuple(rows))
    return Section("Where the cards come from", "_origins", (table,) if used - {"", "printed"} else ())


def build_index(rules: AnnotatedRules, sections: Iterable[Section]) -> Section:
    """Build the alphabetical index of the things, phases, actions, numbers and passages of the book."""
    anchors = dict(_iter_anchors(sections))
    entries_ = {
        *_iter_index_entries(rules, set(anchors)),
        *((heading, anchor, "") for anchor, heading in anchors.items() if heading),
    }
    entries = ((capitalize(title.removeprefix("The ")), anchor, sort) for title, anchor, sort in entries_)
    sorted_entries = sorted(entries, key=lambda entry: (entry[0].casefold(), entry[1]))
    return Section("Index", "_index", (Index(tuple(sorted_entries)),) if sorted_entries else (), part=BACK)


def _iter_index_entries(rules: AnnotatedRules, anchors: set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield title, anchor and kind (empty unless a thing) of each titled definition that has an anchor."""
    for name, definition in rules.definitions.items():
        if name in anchors and isinstance(definition, t.Thing | t.Phase | t.Quantity | t.Action) and definition.title:
            if isinstance(definition, t.Thing):
                kind_title = rules.definitions[definition.kind.word].title or definition.kind.word
            else:
                kind_title = ""
            yield (
                capitalize(strip_preposition(split_title(definition.title)[isinstance(definition, t.Quantity)])),
                name,
                split_title(kind_title)[0],
            )


def _iter_anchors(sections: Iterable[Section]) -> Iterator[tuple[str, str]]:
    """Yield each anchor of sections and blocks with a heading; the heading is empty except for passages."""
    for section in sections:
        yield section.anchor, ""
        for block in section.blocks:
            if isinstance(block, Paragraph) and block.anchor:
                is_of_module = section.anchor.startswith(MODULE_ANCHOR)  # `With Destiny Cards`, of several modules
                yield block.anchor, "" if is_of_module else block.heading
            yield from ((anchor, "") for anchor in _iter_block_anchors(block) if anchor)
        yield from _iter_anchors(section.sections)


def _iter_block_anchors(block: Block) -> Iterator[str]:
    """Yield the anchors of a list, of table rows or of cards in a block; they may be empty."""
    if isinstance(block, Steps):
        yield block.anchor
    elif isinstance(block, Table):
        yield from (row.anchor for row in block.rows)
    elif isinstance(block, Cards):
        yield from (card.anchor for card in block.cards)
    elif isinstance(block, Grid):
        yield from (card.anchor for row in block.cells for cell in row for card in cell)
