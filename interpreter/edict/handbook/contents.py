"""A rulebook from the rules: what it tells, chapter by chapter. Not a word in it belongs to any one game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.language import tree as t
from edict.language.roles import Ends, runs
from edict.handbook.any_time import at_any_time
from edict.handbook.course import Chapters, course_sections, details, left_over
from edict.handbook.judging import without_judgement
from edict.handbook.annotated import Known
from edict.handbook.chapters import Block, Paragraph, Row, Rulebook, Section, Steps, Table
from edict.handbook.primer import primer
from edict.handbook.things import kind_sections
from edict.handbook.variants import variant
from edict.handbook.effects_index import EffectsIndex
from edict.sources.folders import Module
from edict.layering.provenance import ORIGINS
from edict.meaning.symbols import Symbol
from edict.language.walking import walk
from edict.words import Line, expr_words, joined, lines, lower_first, sentence
from edict.words.members import ranking
from edict.words.plurals import countable
from edict.words.titles import capital, forms, many_form, the


def rulebook(known: Known, base: Known | None = None, example: Section | None = None) -> Rulebook:
    """All there is to know to play with these rules; with `base`, the game alone, also how changed rules read there.

    `example`: a turn that was played, which comes after the primer.
    """
    known = without_judgement(known)
    base = without_judgement(base) if base is not None else None
    effects, chapters = EffectsIndex(known), Chapters()
    course = course_sections(known, effects, chapters)
    end = _end(known, effects, chapters)
    kinds = kind_sections(known)
    more = left_over(known, effects, chapters)
    sections = [
        _in_short(known, example), _in_play(known), _having(known), _beginning(known, effects),
        Section("How the game goes", "_course", (_overview(known),), course),
        at_any_time(known, effects), end, *kinds,
        *([Section("More rules in full", "_in-full", (), more)] if more else ()),
        _secrets(known), _campaign(known), _settings(known), _variants(known, base), _origins(known),
    ]  # fmt: skip
    filled = tuple(section for section in sections if section.blocks or section.sections)
    return Rulebook(_title(known), _subtitle(known), _facts(known), filled, dict(_links(filled)))


def _title(known: Known) -> str:
    return forms(known.linked.game.title)[0] or known.game.manifest.title


def _subtitle(known: Known) -> str:
    added = [module.manifest.title for module in known.modules if module is not known.game]
    return f"with {joined(added)}" if added else ""


def _facts(known: Known) -> tuple[tuple[str, str], ...]:
    game = known.linked.game
    players = f"{game.low} to {game.high}" if game.low != game.high else str(game.low)
    return (("Players", players), ("Rules", f"{known.game.name} {known.game.manifest.version}"))


def _links(sections: tuple[Section, ...]) -> Iterator[tuple[str, str]]:
    """Where everything with a name is described."""
    for section in sections:
        yield section.anchor, f"{section.number} {section.title}".strip()
        yield from _links(section.sections)


def _in_short(known: Known, example: Section | None) -> Section:
    """The primer, and a turn as an example."""
    parts = primer(known).parts
    blocks = (Steps(tuple(map(Line, sentences)), heading=heading) for heading, sentences in parts)
    return Section("The game in short", "_in-short", tuple(blocks), (example,) if example is not None else ())


# --- what is in play, what players have ------------------------------------------------------------


def _in_play(known: Known) -> Section:
    rows = [Row((module.manifest.title, module.manifest.summary, _from(module))) for module in known.modules]
    return Section("What is in play", "_in-play", (Table(("Rules", "In short", "From"), tuple(rows)),))


def _from(module: Module) -> str:
    manifest = module.manifest
    return "; ".join(word for word in (manifest.source, manifest.origin) if word)


def _having(known: Known) -> Section:
    """Resources, groups of them, and dice."""
    blocks: list[Block] = []
    resources = [(name, one) for name, one in known.definitions.items() if isinstance(one, t.Resource)]
    if resources:
        blocks.append(_counted(known, resources))
    limits = [sentence(_limited(known, one, one.limit))
              for _, one in resources if one.limit is not None]  # fmt: skip
    if limits:
        rest = "Whoever gains more than what is left gets what is left."
        blocks.append(Paragraph(" ".join((*limits, rest))))
    dice = [sentence(f"{many_form(one.title or name)} have {one.sides} sides")
            for name, one in known.definitions.items() if isinstance(one, t.Die)]  # fmt: skip
    blocks += [Paragraph(" ".join(dice))] if dice else []
    return Section("What players have", "_having", tuple(blocks))


def _counted(known: Known, resources: Sequence[tuple[str, t.Resource]]) -> Table:
    """With the groups they belong to, if there are any."""
    groups = [_groups(known, name) for name, _ in resources]
    heads = ("What is counted", "At least", *(("Counts as",) if any(groups) else ()))
    rows = (
        Row((capital(forms(one.title or name)[0]), _floor(one), group)[: len(heads)])
        for (name, one), group in zip(resources, groups, strict=True)
    )
    return Table(heads, tuple(rows))


def _limited(known: Known, one: t.Resource, limit: t.Expr) -> str:
    many = many_form(one.title or one.name.word)
    if isinstance(limit, t.Number):
        return f"there are {limit.value} {many} for all players together"
    return f"for all players together there are as many {many} as {expr_words(known.resolved, limit)}"


def _floor(one: t.Resource) -> str:
    return "can fall below 0" if one.below_zero else "0"


def _groups(known: Known, name: str) -> str:
    groups = (one for one in known.definitions.values() if isinstance(one, t.Group))
    return ", ".join(
        forms(one.title or one.name.word)[1] for one in groups
        if name in (known.resolved.of(member).name for member in one.members)
    )  # fmt: skip


# --- the beginning and the course ------------------------------------------------------------------


def _beginning(known: Known, effects: EffectsIndex) -> Section:
    game = known.linked.game
    players = f"{game.low} to {game.high}" if game.low != game.high else str(game.low)
    sit, start = ("player sits", "starts") if players == "1" else ("players sit", "start")
    first = Line(sentence(f"{players} {sit} around the table, and {start} with nothing but what is listed here"))
    starts = [Line(sentence(_start(known, one))) for one in known.definitions.values()
              if isinstance(one, t.Keep) and one.start is not None and one.title and not _is_zero(one)]  # fmt: skip
    before = list(_before_loop(game.course))
    steps = effects.filled(lines(known.resolved, tuple(before)))
    return Section("How to set up", "_set-up", (Steps((first, *starts, *steps), numbered=True),))


def _start(known: Known, one: t.Keep) -> str:
    assert one.start is not None
    meaning = known.resolved.meaning.get(one.start) if isinstance(one.start, t.Name) else None
    all_ = "all " if isinstance(meaning, Symbol) and meaning.sort in ("kind", "group") else ""
    start = "start" if countable(forms(one.title)[0]) else "starts"
    as_ = "with" if one.type.shape in ("set", "bag", "dice") else "as"
    first = " in the first game of a campaign" if one.lasting else ""
    return f"{_whose(one)} {start} {as_} {all_}{expr_words(known.resolved, one.start)}{first}"


def _whose(keep: t.Keep) -> str:
    """A keep with whom or what it is for: `each player’s hand`, `the guests of each tree`."""
    title, whose = forms(keep.title or keep.name.word.replace("-", " "))[0], [param.name.word for param in keep.params]
    if whose == ["player"]:
        return f"each player's {title}"
    return the(title) + (f" of each {joined(word.replace('-', ' ') for word in whose)}" if whose else "")


def _is_zero(one: t.Keep) -> bool:
    return isinstance(one.start, t.Number) and one.start.value == 0


def _before_loop(course: t.Block) -> Iterator[t.Stmt]:
    """The steps of the course before anything is repeated; all of a course without a loop come later."""
    if not any(isinstance(step, t.Loop) for step in course):
        return
    for step in course:
        if isinstance(step, t.Loop):
            return
        yield step


def _overview(known: Known) -> Steps:
    told = lines(known.resolved, known.linked.game.course)
    parts = (_with_parts(known, line, frozenset()) for line in told if line.text)
    return Steps(EffectsIndex(known).filled(parts), numbered=True)


def _with_parts(known: Known, line: Line, seen: frozenset[str]) -> Line:
    """A line of the course; under a phase that is made of phases these are listed."""
    below = tuple(_with_parts(known, one, seen) for one in line.below if one.text)
    phase = known.definitions.get(line.about)
    if isinstance(phase, t.Phase) and line.about not in seen and not below:
        played = [step for step in phase.block if any(runs(step, "phase"))]
        told = lines(known.resolved, tuple(played)) if len(seen) < 2 else ()
        below = tuple(_with_parts(known, one, seen | {line.about}) for one in told)
    return Line(line.text, below, line.about)


def _end(known: Known, effects: EffectsIndex, chapters: Chapters) -> Section:
    """Who wins, what decides among equals, and the numbers that count for it."""
    game = known.linked.game
    blocks: list[Block] = []
    ranked = ranking(known.resolved, game.winners)
    if ranked is not None:
        whom, first, ties = ranked
        blocks.append(Paragraph(sentence(f"{f'of {whom}, the one' if whom else 'the player'} with {first} wins")))
        steps = tuple(Line(sentence(tie)) for tie in ties)
        heading = "If players are tied, these decide, in this order"
        blocks += [Steps(steps, numbered=True, heading=heading)] if steps else []
        blocks.append(Paragraph("Players who are still tied share the victory."))
    else:
        blocks.append(Paragraph(sentence(f"the winners are {expr_words(known.resolved, game.winners)}")))
    score = f"the score is {expr_words(known.resolved, game.score)}"
    blocks.append(Paragraph(sentence(score), quiet=True))
    sudden = [name for name, one in known.definitions.items() if _may_end(one)]
    if sudden:
        titles = joined(forms(known.definitions[name].title)[0] or name for name in sudden)
        blocks.append(Paragraph(sentence(f"the game may also end at once: see {titles}")))
    numbers = details(known, effects, chapters, game.winners, game.score)
    return Section("The end of the game", "_end", tuple(blocks), numbers)


def _may_end(definition: t.Definition) -> bool:
    return not isinstance(definition, t.Game) and any(isinstance(node, Ends) for node in walk(definition))


# --- secrets, settings -----------------------------------------------------------------------------


def _secrets(known: Known) -> Section:
    """What is kept hidden, from whom, and until when."""
    steps = []
    for keep in known.definitions.values():
        if isinstance(keep, t.Keep) and keep.secret:
            mine = any(param.kind.word == "player" for param in keep.params)
            are, it = ("are", "them") if countable(forms(keep.title)[0]) else ("is", "it")
            whom = "that player alone" if mine else "nobody"
            seen = ", but everybody sees how many there are" if keep.counted else ""
            steps.append(Line(sentence(f"{_whose(keep)} {are} known to {whom} until a rule reveals {it}{seen}")))
    return Section("Secrets", "_secrets", (Steps(tuple(steps)),) if steps else ())


def _campaign(known: Known) -> Section:
    """What the next game of a campaign begins with."""
    steps = []
    for keep in known.definitions.values():
        if isinstance(keep, t.Keep) and keep.lasting:
            are = "are" if countable(forms(keep.title)[0]) else "is"
            steps.append(Line(sentence(f"{_whose(keep)} {are} carried over to the next game")))
    first = Paragraph(sentence("in a campaign, each game begins with what the game before left behind"))
    return Section("From game to game", "_campaign", (first, Steps(tuple(steps))) if steps else ())


def _settings(known: Known) -> Section:
    rows = []
    for name, one in known.definitions.items():
        if isinstance(one, t.Setting):
            value = ("on" if one.value else "off") if one.truth else str(one.value)
            bounds = "on or off" if one.truth else f"{one.low} to {one.high}" if one.low is not None else "a number"
            other = ("off" if one.value else "on") if one.truth else "NUMBER"
            title = forms(one.title)[0] or name.replace("-", " ")
            rows.append(Row((title, value, bounds, f"--set {name}={other}"), name))
    heads = ("Setting", "Default", "Values", "To change it")
    table = Table(heads, tuple(rows))
    return Section("Settings", "_settings", (table,) if rows else ())


# --- variants --------------------------------------------------------------------------------------


def _variants(known: Known, base: Known | None) -> Section:
    """Of each module what it changes, in words."""
    sections = [variant(known, base, module) for module in known.modules if module is not known.game]
    return Section("What each module changes", "_changes", (), tuple(sections))


def _origins(known: Known) -> Section:
    """What the marks at cards mean, if there are any."""
    used = {note.origin for name, note in known.book.notes.items() if isinstance(known.definitions.get(name), t.Thing)}
    rows = [Row((origin, sentence(meaning))) for origin, meaning in ORIGINS.items() if origin in used]
    table = Table(("Mark", "Meaning"), tuple(rows))
    return Section("Where the cards come from", "_origins", (table,) if used - {"", "printed"} else ())


__all__ = ["lower_first", "rulebook"]
