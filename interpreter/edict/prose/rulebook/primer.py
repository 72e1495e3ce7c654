"""What one must know before the first move: what the game is about, the goal, the course, the end, the words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from edict.compiler.english import Line, tell, title_of
from edict.compiler.english.condition_phrases import awaited, condition
from edict.compiler.english.members import ranking
from edict.compiler.english.relative import singular
from edict.compiler.semantics.block_steps import begins_with_own_words
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.roles import Role, having, runs
from edict.compiler.syntax.walking import is_block, parts, walk
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.judging import without_judgement
from edict.prose.rulebook.optional import usually
from edict.prose.rulebook.passages import PRIMER
from edict.support.morphology import join_words, to_sentence, uncapitalize_title

_WHO_IS = re.compile(r"^is the player who ")
DEEPEST = 4  # phases within phases
MOST_WORDS = 150  # of the game's own; each module adds a line


@dataclass(frozen=True)
class Primer:
    """`parts`: headings with their sentences; the first ones, of what the game is about, are the author's."""

    title: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]


def primer(known: Known) -> Primer:
    """The core of the game, in the author's words where there are any; else as much from the rules as fits."""
    known = without_judgement(known)
    about, aim = tuple(_purposes(known)), tuple(goal(known))
    own = tuple(paragraph for one in known.game.manifest.book if one.place == PRIMER for paragraph in one.paragraphs)
    rest = MOST_WORDS - _words((*about[:1], *aim))
    ends = () if own else _fitting(_ends(known), rest)
    course = own or _fitting(_course(known), rest - _words(ends))
    found = (
        ("What it is about", about),
        ("How it goes", course),
        ("How it ends", ends),
        ("The goal", aim),
    )
    return Primer(known.title, tuple((heading, sentences) for heading, sentences in found if sentences))


def _words(sentences: Iterable[str]) -> int:
    return sum(len(one.split()) for one in sentences)


def _fitting(sentences: Iterable[str], room: int) -> tuple[str, ...]:
    """As many of the first sentences as there is room for."""
    found: list[str] = []
    for one in sentences:
        if _words((*found, one)) > room:
            break
        found.append(one)
    return tuple(found)


def _purposes(known: Known) -> Iterator[str]:
    """The author's sentences, of the game and of each module; a module without any is represented by its summary."""
    for module in known.modules:
        manifest = module.manifest
        if module is known.game:
            yield from filter(None, [manifest.purpose or manifest.summary])
        elif manifest.purpose or manifest.summary:
            yield f"{manifest.title}. {manifest.purpose or manifest.summary}"


# --- the goal --------------------------------------------------------------------------------------


def goal(known: Known) -> Iterator[str]:
    """Who wins, and what decides among those that are tied."""
    winners = known.linked.game.winners
    ranked = ranking(known.resolved, winners)
    if ranked is None:
        yield to_sentence(_winning(tell(known.resolved, winners)))
        if isinstance(winners, t.Where) and _for_all(known, winners):
            yield to_sentence("otherwise the game is lost")
        return
    whom, first, ties = ranked
    yield to_sentence(f"{f'of {whom}, the one' if whom else 'the player'} with {first} wins")
    if ties:
        more = "".join(f", then the one with {tie}" for tie in ties[1:])
        yield to_sentence(f"if players are tied, the one with {ties[0]} wins{more}")


def _for_all(known: Known, winners: t.Where) -> bool:
    """Whether it goes for all or for none who wins: the condition says nothing of the one who is looked at."""
    it, meaning = known.resolved.binds[winners], known.resolved.meaning
    return all(meaning.get(node) != it for node in walk(winners.condition) if isinstance(node, t.Name))


def _winning(who: str) -> str:
    """Who wins, of those on whom there is a condition: `whoever has come across wins`."""
    whom, where, condition = who.partition(" where ")
    if where:
        return f"{'the players win' if whom == 'players' else 'all win'} if {condition}"
    if who.startswith("players who "):
        return f"whoever {_WHO_IS.sub('', singular(who.removeprefix('players ')).removeprefix('who '))} wins"
    return f"{who if who.startswith(('the ', 'everyone')) else f'the {who}'} win"


# --- the course ------------------------------------------------------------------------------------


def _course(known: Known) -> Iterator[str]:
    """How phases follow each other: those of the game, and those each of them is made of."""
    course = known.linked.game.course
    yield from _in_turn(known, course)
    seen: set[str] = set()
    yield from _made_of(known, course, seen, DEEPEST)


def _in_turn(known: Known, course: t.Block) -> Iterator[str]:
    """The game itself: what comes first, what again and again, what at the end."""
    loop = next((i for i, step in enumerate(course) if isinstance(step, t.Repeat)), len(course))
    again = list(dict.fromkeys(_played(known, course[loop : loop + 1])))
    if not again:
        yield from _named("a game consists of", _titles(known, course))
        return
    first = list(_named("the game begins with", _titles(known, course[:loop])))
    titles = [singular_title(known.definitions[name]) for name in again]
    one = f"one {uncapitalize_title(titles[0])} follows another"
    all_ = f"{join_words(titles)} are played again and again" if titles[1:] else one
    yield from (*first, to_sentence(f"{'then ' if first else ''}{all_}"))
    yield from _named("the game ends with", _titles(known, course[loop + 1 :]))


def _named(head: str, titles: list[str]) -> Iterator[str]:
    if titles:
        yield to_sentence(f"{head} {join_words(titles)}")


def _made_of(known: Known, block: t.Block, seen: set[str], depth: int) -> Iterator[str]:
    """Of each phase in a block the phases it plays in turn, if they are several."""
    inner = [known.definitions[name] for name in _played(known, block)] if depth else []
    phases = [one for one in inner if isinstance(one, t.Phase) and one.name.word not in seen]
    alike: dict[tuple[str, ...], list[str]] = {}
    for phase in phases:
        seen.add(phase.name.word)
        alike.setdefault(tuple(_titles(known, phase.block)), []).append(singular_title(phase))
    for titles, whole in alike.items():
        if len(titles) > 1:
            yield to_sentence(f"{join_words(whole)}: {', '.join(titles[:-1])}, then {titles[-1]}")
    yield from (text for phase in phases for text in _own_words(known, phase))
    for phase in phases:
        yield from _made_of(known, phase.block, seen, depth - 1)


def _own_words(known: Known, phase: t.Phase) -> Iterator[str]:
    """What the author says of a phase, if it begins with that."""
    if begins_with_own_words(phase.block):
        yield f"{singular_title(phase)}: {to_sentence(tell(known.resolved, phase.block[0]))}"


def _titles(known: Known, block: t.Block) -> list[str]:
    """The phases that are played in a block, each once, those that come only at times with their condition."""
    return list(dict.fromkeys(_titled(known, block)))


def _titled(known: Known, block: t.Block) -> Iterator[str]:
    for step in block:
        phases = [title_of(known.resolved, name) for name in runs(step, "phase")]
        if phases:
            yield from phases
        elif isinstance(step, t.If) and not step.otherwise:
            clause = condition(known.resolved, step.condition)
            yield from (f"{title} (if {clause})" for title in _titled(known, step.then))
        else:
            yield from (title for inner in _blocks(step) for title in _titled(known, inner))


def _played(known: Known, block: t.Block) -> Iterator[str]:
    for step in block:
        yield from (known.resolved.meaning[name].name for name in runs(step, "phase"))
        yield from (name for inner in _blocks(step) for name in _played(known, inner))


def _blocks(step: t.Stmt) -> Iterable[t.Block]:
    return (value for _, value in parts(step) if is_block(value))


# --- the end ---------------------------------------------------------------------------------------


def _ends(known: Known) -> Iterator[str]:
    """When the game is over."""
    for step in known.linked.game.course:
        for until in having(step, Role.AWAITED):
            told = Line(to_sentence(f"the game goes on until {awaited(known.resolved, until)}"))
            yield from (line.text for line in usually(known, (told,)))
