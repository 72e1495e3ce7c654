"""A rulebook from the rules: what it tells, chapter by chapter, and its index. Not a word in it belongs to any one
game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from edict.compiler.english import Line, lines
from edict.compiler.english.members import ranking
from edict.compiler.english.plurals import countable
from edict.compiler.layering.provenance import ORIGINS
from edict.compiler.semantics.ability_targets import MOVING, PASSING
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.roles import Ends
from edict.compiler.syntax.walking import walk
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.chapters import (
    BACK,
    SMALL_PRINT,
    Block,
    Cards,
    Example,
    Grid,
    Index,
    Paragraph,
    Rulebook,
    Section,
    Steps,
    Table,
    TableRow,
)
from edict.prose.rulebook.course import Chapters, course_sections, details, left_over
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.judging import without_judgement
from edict.prose.rulebook.module_changes import variant, variant_in_full
from edict.prose.rulebook.optional import optional_rules, usual, usually
from edict.prose.rulebook.passages import ALWAYS, CORE, END, Passages, told
from edict.prose.rulebook.primer import goal, primer
from edict.prose.rulebook.setting_up import after_setup, before_loop, setting_up, whose
from edict.prose.rulebook.things import kind_sections, lists_of_effects
from edict.support.morphology import capitalize, format_range, join_words, spell_name, split_title, to_sentence

_TERMS = (t.Resource, t.Group, t.Die, t.Keep, t.Quantity, t.Display)  # no chapter of the book is about one of these


def rulebook(known: Known, base: Known | None = None, examples: Iterable[tuple[str, Example]] = ()) -> Rulebook:
    """All there is to know to play with these rules; with `base`, the game alone, also how changed rules read there.

    `examples`: what happened at a table, each with the name of what it is an example of.
    """
    known = without_judgement(known)
    base = without_judgement(base) if base is not None else None
    whole, known = known, usual(known)
    effects, seen, said = EffectsIndex(known), Chapters(), told(known, examples)
    course = known.linked.game.course
    before = before_loop(course)
    preparing = tuple(map(_unnumbered, course_sections(known, effects, seen, said, before)))
    phases = course_sections(known, effects, seen, said, after_setup(course))
    loose = details(known, effects, seen, *course)
    end = _end(known, effects, seen, said)
    kinds = kind_sections(known, said)
    sections = [
        _in_short(known),
        _different(whole, base),
        setting_up(known, effects, said, preparing),
        _course(known, said, loose, phases),
        _at_any_time(known, effects),
        end,
        _always(known, said),
        _terms(known, said),
    ]
    optional = optional_rules(whole, known, effects, seen, said)
    in_full = _usually(known, _in_full(known, base, effects, seen))
    chapters = [*(_usually(known, one) for one in sections), optional]
    chapters += [*kinds, in_full, _origins(known)]
    all_ = (*chapters, index(known, chapters), _at_a_glance(phases, end))
    filled = tuple(section for section in all_ if section.blocks or section.sections)
    return Rulebook(known.title, _subtitle(known), _facts(known), filled, dict(_links(filled)))


def _unnumbered(section: Section) -> Section:
    return replace(section, number="", sections=tuple(map(_unnumbered, section.sections)))


def _at_any_time(known: Known, effects: EffectsIndex) -> Section:
    """Rules without a place in the course that stand alone; what belongs to a thing is told there."""
    held = (one for one in known.linked.held if one.thing is None)
    alone = [one for one in held if getattr(one.ability, "edge", "") in (*PASSING, *MOVING)]
    return Section("At any time", "_any-time", (Steps(tuple(map(effects.told, alone))),) if alone else ())


def _terms(known: Known, said: Passages) -> Section:
    """What there is to have and to count, where an author says what it is for."""
    terms = {name: split_title(one.title)[1] for name, one in known.definitions.items() if isinstance(one, _TERMS)}
    terms |= {field: spell_name(field) for field in known.resolved.fields}
    blocks = (
        replace(block, heading=block.heading or capitalize(title), anchor=block.anchor or f"_for-{name}")
        for name, title in terms.items()
        for block in said.passages(name)
        if isinstance(block, Paragraph)
    )
    return Section("What things are for", "_terms", tuple(blocks))


def _usually(known: Known, section: Section) -> Section:
    """A chapter with the numbers that settings usually have instead of their names."""
    blocks = (
        replace(block, lines=usually(known, block.lines)) if isinstance(block, Steps) else block
        for block in section.blocks
    )
    return replace(section, blocks=tuple(blocks), sections=tuple(_usually(known, one) for one in section.sections))


def _subtitle(known: Known) -> str:
    added = [module.manifest.title for module in known.modules if module is not known.game]
    return f"with {join_words(added)}" if added else ""


def _facts(known: Known) -> tuple[tuple[str, str], ...]:
    game = known.linked.game
    players = format_range(game.low, game.high)
    facts = (("Players", players), ("Rules", f"{known.game.name} {known.game.manifest.version}"))
    source = known.game.manifest.source
    return (*facts, ("After", source)) if source else facts


def _links(sections: Iterable[Section]) -> Iterator[tuple[str, str]]:
    """Where everything with a name is described."""
    for section in sections:
        yield section.anchor, f"{section.number} {section.title}".strip()
        steps = (block for block in section.blocks if isinstance(block, Steps))
        yield from ((block.anchor, block.heading) for block in steps if block.anchor)
        yield from _links(section.sections)


def _in_short(known: Known) -> Section:
    """The primer."""
    parts = (Paragraph(" ".join(sentences), heading=heading) for heading, sentences in primer(known).parts)
    return Section("The game in short", "_in-short", tuple(parts))


# --- the course and the end ------------------------------------------------------------------------


def _course(known: Known, said: Passages, loose: list[Block], phases: tuple[Section, ...]) -> Section:
    overview = _overview(known)
    blocks = [*([overview] if overview.lines else []), *said.passages(CORE), *loose]
    return Section("How the game goes", "_course", tuple(blocks), phases)


def _overview(known: Known) -> Steps:
    told = EffectsIndex(known).filled(lines(known.resolved, known.linked.game.course))
    return Steps(told, numbered=True)


def _end(known: Known, effects: EffectsIndex, chapters: Chapters, said: Passages) -> Section:
    """Who wins, what decides among equals, and the numbers that count for it."""
    game = known.linked.game
    blocks: list[Block] = []
    ranked = ranking(known.resolved, game.winners)
    if ranked is not None:
        whom, first, ties = ranked
        blocks.append(Paragraph(to_sentence(f"{f'of {whom}, the one' if whom else 'the player'} with {first} wins")))
        steps = tuple(Line(to_sentence(tie)) for tie in ties)
        heading = "If players are tied, these decide, in this order"
        blocks += [Steps(steps, numbered=True, heading=heading)] if steps else []
        blocks.append(Paragraph("Players who are still tied share the victory."))
    else:
        blocks.append(Paragraph(" ".join(goal(known))))
    sudden = [name for name, one in known.definitions.items() if _may_end(one)]
    if sudden:
        titles = join_words(singular_title(known.definitions[name]) for name in sudden)
        blocks.append(Paragraph(to_sentence(f"the game may also end at once: see {titles}")))
    blocks += [*said.passages(END), *details(known, effects, chapters, game.winners, game.score), *said.examples(END)]
    return Section("The end of the game", "_end", tuple(blocks))


def _may_end(definition: t.Definition) -> bool:
    return not isinstance(definition, t.Game) and any(isinstance(node, Ends) for node in walk(definition))


# --- what holds at any place ------------------------------------------------------------------------


def _always(known: Known, said: Passages) -> Section:
    """What follows from no single rule; what is kept hidden; what the next game of a campaign begins with."""
    blocks = [*said.passages(ALWAYS), *_secrets(known), *said.examples(ALWAYS)]
    return Section("Rules that always apply", "_always", tuple(blocks), tuple(_campaign(known)))


def _secrets(known: Known) -> Iterator[Block]:
    """What is kept hidden, from whom, and until when."""
    steps = []
    for keep in known.definitions.values():
        if isinstance(keep, t.Keep) and keep.secret and keep.title:
            mine = any(param.kind.word == "player" for param in keep.params)
            are, it = ("are", "them") if countable(split_title(keep.title)[0]) else ("is", "it")
            whom = "that player alone" if mine else "nobody"
            seen = ", but everybody sees how many there are" if keep.counted else ""
            steps.append(Line(to_sentence(f"{whose(keep)} {are} known to {whom} until a rule reveals {it}{seen}")))
    if steps:
        open_ = Line("Everything else is open, and everybody may look at it at any time.")
        yield Steps((*steps, open_), heading="Secrets")


def _campaign(known: Known) -> Iterator[Section]:
    """What the next game of a campaign begins with."""
    steps = []
    for keep in known.definitions.values():
        if isinstance(keep, t.Keep) and keep.lasting:
            are = "are" if countable(split_title(keep.title)[0]) else "is"
            steps.append(Line(to_sentence(f"{whose(keep)} {are} carried over to the next game")))
    if steps:
        first = Paragraph(to_sentence("in a campaign, each game begins with what the game before left behind"))
        yield Section("From game to game", "_campaign", (first, Steps(tuple(steps))))


def _in_full(known: Known, base: Known | None, effects: EffectsIndex, chapters: Chapters) -> Section:
    """The numbers, actions and routines that the chapters only speak of, and what modules change."""
    modules = (variant_in_full(known, base, module) for module in known.modules if module is not known.game)
    changed = tuple(section for section in modules if section.blocks)
    told = (*left_over(known, effects, chapters), *lists_of_effects(known))
    lead = "Step by step, for whoever wants to know exactly: what the chapters before say in fewer words."
    blocks = (Paragraph(lead, quiet=True), *told) if told else ()
    return Section("The rules in full", "_in-full", blocks, changed, part=SMALL_PRINT)


# --- the last page ---------------------------------------------------------------------------------


def _at_a_glance(phases: Iterable[Section], end: Section) -> Section:
    """The course with a sentence for each phase, and who wins."""
    course = tuple(map(_in_a_line, phases))
    winning = (block for block in end.blocks if isinstance(block, Steps) and not block.anchor or block is end.blocks[0])
    return Section("At a glance", "_glance", (Steps(course), *winning) if course else (), part=BACK)


def _in_a_line(phase: Section) -> Line:
    """A phase by its title and the first sentence there is of it, its parts below."""
    first = next((one.text for one in phase.blocks if isinstance(one, Paragraph)), "") if not phase.sections else ""
    said = re.match(r".*?[.!?](?= |$)", first)
    text = f"{phase.title}: {said[0]}" if said else to_sentence(phase.title)
    return Line(text, tuple(map(_in_a_line, phase.sections)), phase.anchor)


# --- variants --------------------------------------------------------------------------------------


def _different(known: Known, base: Known | None) -> Section:
    """Of each module what it changes, in words."""
    sections = [variant(known, base, module) for module in known.modules if module is not known.game]
    return Section("What is different", "_changes", (), tuple(sections))


def _origins(known: Known) -> Section:
    """What the marks at cards mean, if there are any."""
    used = {note.origin for name, note in known.book.notes.items() if isinstance(known.definitions.get(name), t.Thing)}
    rows = [TableRow((origin, to_sentence(meaning))) for origin, meaning in ORIGINS.items() if origin in used]
    table = Table(("Mark", "Meaning"), tuple(rows))
    return Section("Where the cards come from", "_origins", (table,) if used - {"", "printed"} else ())


def index(known: Known, sections: Iterable[Section]) -> Section:
    """Every thing, phase, action, number and passage that has its place in the book, by the alphabet."""
    there = dict(_anchors(sections))
    named = {*_entries(known, set(there)), *((heading, anchor, "") for anchor, heading in there.items() if heading)}
    entries = ((capitalize(title.removeprefix("The ")), anchor, what) for title, anchor, what in named)
    found = sorted(entries, key=lambda one: (one[0].casefold(), one[1]))
    return Section("Index", "_index", (Index(tuple(found)),) if found else (), part=BACK)


def _entries(known: Known, anchors: set[str]) -> Iterator[tuple[str, str, str]]:
    for name, one in known.definitions.items():
        if name in anchors and isinstance(one, t.Thing | t.Phase | t.Quantity | t.Action) and one.title:
            what = known.definitions[one.kind.word].title or one.kind.word if isinstance(one, t.Thing) else ""
            yield capitalize(split_title(one.title)[isinstance(one, t.Quantity)]), name, split_title(what)[0]


def _anchors(sections: Iterable[Section]) -> Iterator[tuple[str, str]]:
    """All that can be found in the book; of a passage with its heading."""
    for section in sections:
        yield section.anchor, ""
        for block in section.blocks:
            if isinstance(block, Paragraph) and block.anchor:
                yield block.anchor, block.heading
            yield from ((anchor, "") for anchor in _anchors_in(block) if anchor)
        yield from _anchors(section.sections)


def _anchors_in(block: Block) -> Iterator[str]:
    if isinstance(block, Steps):
        yield block.anchor
    elif isinstance(block, Table):
        yield from (row.anchor for row in block.rows)
    elif isinstance(block, Cards):
        yield from (card.anchor for card in block.cards)
    elif isinstance(block, Grid):
        yield from (card.anchor for row in block.cells for cell in row for card in cell)
