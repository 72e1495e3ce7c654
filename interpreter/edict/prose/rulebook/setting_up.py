"""The chapter that comes before play: what there is in the box, and how it is laid out."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.english import Line, lines, tell
from edict.compiler.english.plurals import countable
from edict.compiler.semantics.symbols import Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import full_title, plural_title, singular_title
from edict.compiler.syntax.roles import runs
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.chapters import Block, Section, Steps
from edict.prose.rulebook.course import as_steps
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.passages import SETUP, Passages
from edict.prose.rulebook.things import axes_of_panels, is_list_of_effects, mere_names
from edict.support.morphology import (
    format_range,
    join_words,
    pluralize_title,
    spell_name,
    split_title,
    to_sentence,
    uncapitalize_title,
    with_the,
)


def setting_up(known: Known, effects: EffectsIndex, said: Passages, preparing: tuple[Section, ...]) -> Section:
    """What there is; with what everybody begins; what is done before the first round."""
    game = known.linked.game
    players = format_range(game.low, game.high)
    first = Line(
        f"{players} players can play; everybody begins with nothing but what is listed here."
        if players != "1"
        else "One player plays alone, and begins with nothing but what is listed here."
    )
    starts = [
        Line(to_sentence(_start(known, one)))
        for one in known.definitions.values()
        if isinstance(one, t.Keep) and _is_laid_out(known, one)
    ]
    told = {section.anchor for section in preparing}
    steps = tuple(step for step in before_loop(game.course) if not any(runs(step, "phase")))
    done = [line for line in effects.filled(lines(known.resolved, steps)) if line.about not in told]
    blocks: list[Block] = [
        Steps(tuple(map(Line, _components(known))), heading="Components"),
        *said.passages(SETUP),
        Steps((first, *starts, *done), numbered=bool(starts or done), heading="Players"),
    ]
    blocks += [as_steps(section) for section in preparing if not section.sections]
    return Section("Components and setup", "_set-up", tuple(blocks), tuple(one for one in preparing if one.sections))


def _components(known: Known) -> Iterator[str]:
    """What lies on the table, is counted and is rolled."""
    definitions = known.definitions.values()
    hidden = axes_of_panels(known) | mere_names(known)
    kinds = [one for one in definitions if isinstance(one, t.Kind) and one.name.word not in hidden]
    counts = {one.name.word: len(known.linked.things[one.name.word]) for one in kinds}
    crowds = [
        f"{counts[one.name.word]} {pluralize_title(full_title(one))}"
        for one in kinds
        if counts[one.name.word] > 1 and not is_list_of_effects(known, one)
    ]
    if crowds:
        yield to_sentence(f"there are {join_words(crowds)}")
    grouped: set[str] = set()
    for group in (one for one in definitions if isinstance(one, t.Group)):
        members = [known.definitions[known.resolved.of(member).name] for member in group.members]
        if grouped & {one.name.word for one in members}:
            continue  # what is named already, together with something else
        grouped |= {one.name.word for one in members}
        titles = join_words(singular_title(one) for one in members)
        yield to_sentence(f"{plural_title(group)} are {titles}")
    resources = [one for one in definitions if isinstance(one, t.Resource)]
    counted = [plural_title(one) for one in resources if one.name.word not in grouped]
    if counted:
        yield to_sentence(f"players{' also' if grouped else ''} have {join_words(counted)}")
    by_sides: dict[int, list[str]] = {}
    for die in (one for one in definitions if isinstance(one, t.Die)):
        many = pluralize_title(full_title(die))
        by_sides.setdefault(die.sides, []).append(uncapitalize_title(many) if die.sides in by_sides else many)
    for sides, dice in by_sides.items():
        yield to_sentence(f"{join_words(dice)} have {sides} sides")
    yield from _bounds(known, resources)


def _bounds(known: Known, resources: list[t.Resource]) -> Iterator[str]:
    """What there is only so much of, and what may be less than nothing."""
    limited = [one for one in resources if one.limit is not None]
    for one in limited:
        many = pluralize_title(full_title(one))
        if isinstance(one.limit, t.Number):
            yield to_sentence(f"there are {one.limit.value} {many} for all players together")
        elif one.limit is not None:
            amount = tell(known.resolved, one.limit)
            yield to_sentence(f"for all players together there are as many {many} as {amount}")
    if limited:
        yield "Whoever gains more than what is left gets what is left."
    debts = [plural_title(one) for one in resources if one.below_zero]
    if debts:
        yield to_sentence(f"{join_words(debts)} can fall below 0; nothing else can")


# --- the start -------------------------------------------------------------------------------------


def _is_laid_out(known: Known, one: t.Keep) -> bool:
    """Whether the start of a keep is something one does at a table, and not the table's own bookkeeping."""
    if one.start is None or not one.title or one.type.shape == "truth":
        return False
    if isinstance(one.start, t.Number) and one.start.value == 0:
        return False
    return not (one.quiet and _is_whole(known, one.start))


def _is_whole(known: Known, start: t.Expr) -> bool:
    """All of a kind or group."""
    meaning = known.resolved.meaning.get(start) if isinstance(start, t.Name) else None
    return isinstance(meaning, Symbol) and meaning.sort in ("kind", "group")


def _start(known: Known, one: t.Keep) -> str:
    assert one.start is not None
    all_ = "all " if _is_whole(known, one.start) else ""
    start = "start" if countable(split_title(one.title)[0]) else "starts"
    as_ = {"set": "with", "bag": "with", "dice": "with", "number": "at"}.get(one.type.shape, "as")
    first = " in the first game of a campaign" if one.lasting else ""
    return f"{whose(one)} {start} {as_} {all_}{tell(known.resolved, one.start)}{first}"


def whose(keep: t.Keep) -> str:
    """A keep with whom or what it is for: `each player’s hand`, `the guests of each tree`."""
    title, of = singular_title(keep), [param.name.word for param in keep.params]
    if of == ["player"]:
        return f"each player's {title}"
    return with_the(title) + (f" of each {join_words(spell_name(word) for word in of)}" if of else "")


def before_loop(course: t.Block) -> t.Block:
    """The steps of the course before anything is repeated; all of a course without a loop come later."""
    loop = next((number for number, step in enumerate(course) if isinstance(step, t.Loop)), 0)
    return course[:loop]


def after_setup(course: t.Block) -> t.Block:
    return course[len(before_loop(course)) :]
