"""The primer, with what a player must know before the first move: theme, course, end and goal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from edict.compiler.english import OutlineLine, describe, title_of
from edict.compiler.english.condition_phrases import describe_awaited_condition, describe_condition
from edict.compiler.english.member_phrases import split_ranking
from edict.compiler.english.phrases import make_singular
from edict.compiler.semantics.symbols import starts_with_text
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.roles import Role, iter_role_values, iter_run_names
from edict.compiler.syntax.traversal import is_block, iter_fields, walk
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.chapters import PRIMER
from edict.prose.rulebook.optional_rules import insert_default_numbers
from edict.support.morphology import join_words, to_sentence, uncapitalize_title
from edict.support.records import dataclass
from edict.support.translations import N_
from edict.support.translations.phrasebook import Phrasebook
from edict.support.translations.texts import translate

_WHO_IS = re.compile(r"^is the player who ")
MAX_DEPTH = 4  # levels of nested phases
MAX_WORDS = 150  # for the game itself; each module adds a line


@dataclass(frozen=True)
class Primer:
    """The primer of a game."""

    title: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]  # headings with their sentences; the author wrote the first ones


def build_primer(rules: AnnotatedRules) -> Primer:
    """Build the primer in the author's words, or from as much of the rules as fits."""
    rules = remove_judgement(rules)
    purposes, goal_sentences = tuple(_iter_purposes(rules)), tuple(iter_goal(rules))
    author_text = tuple(
        paragraph for passage in rules.game.manifest.book if passage.place == PRIMER for paragraph in passage.paragraphs
    )
    words_left = MAX_WORDS - _count_words((*purposes, *goal_sentences))
    ends = () if author_text else take_fitting(_iter_end_conditions(rules), words_left)
    course = author_text or take_fitting(_iter_course(rules), words_left - _count_words(ends))
    parts_ = (
        (N_("What it is about"), purposes),
        (N_("What the modules add"), tuple(_iter_module_purposes(rules))),
        (N_("How it goes"), course),
        (N_("How it ends"), ends),
        (N_("The goal"), goal_sentences),
    )
    return Primer(rules.title, tuple((heading, sentences) for heading, sentences in parts_ if sentences))


def translate_primer(primer: Primer, phrasebook: Phrasebook) -> Primer:
    """Return a primer in another language."""
    parts = tuple(
        (translate(heading), tuple(map(phrasebook.translate, sentences))) for heading, sentences in primer.parts
    )
    return Primer(phrasebook.translate(primer.title), parts)


def _count_words(sentences: Iterable[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def take_fitting(sentences: Iterable[str], max_words: int) -> tuple[str, ...]:
    """Return the first sentences that fit in a number of words."""
    taken: list[str] = []
    for sentence in sentences:
        if _count_words((*taken, sentence)) > max_words:
            break
        taken.append(sentence)
    return tuple(taken)


def _iter_purposes(rules: AnnotatedRules) -> Iterator[str]:
    """Yield the author's statement of the game's purpose, or its summary."""
    yield from filter(None, [rules.game.manifest.purpose or rules.game.manifest.summary])


def _iter_module_purposes(rules: AnnotatedRules) -> Iterator[str]:
    """Yield the title of each module with its author's statement of purpose, or with its summary."""
    for manifest in (module.manifest for module in rules.added_modules):
        if manifest.purpose or manifest.summary:
            yield f"{manifest.title}. {manifest.purpose or manifest.summary}"


# --- the goal --------------------------------------------------------------------------------------


def iter_goal(rules: AnnotatedRules) -> Iterator[str]:
    """Iterate over the sentences on who wins and what breaks ties."""
    winners = rules.linked.game.winners
    ranked = split_ranking(rules.resolved, winners)
    if ranked is None:
        yield to_sentence(_describe_winners(describe(rules.resolved, winners)))
        if isinstance(winners, t.Where) and _applies_to_all(rules, winners):
            yield to_sentence("otherwise the game is lost")
        return
    candidates, criterion, ties = ranked
    yield to_sentence(f"{f'of {candidates}, the one' if candidates else 'the player'} with {criterion} wins")
    if ties:
        other_ties = "".join(f", then the one with {tie}" for tie in ties[1:])
        yield to_sentence(f"if players are tied, the one with {ties[0]} wins{other_ties}")


def _applies_to_all(rules: AnnotatedRules, winners: t.Where) -> bool:
    """Return True if the condition for winning never mentions the player, so that all win or lose together."""
    player, meaning = rules.resolved.binds[winners], rules.resolved.meaning
    return all(meaning.get(node) != player for node in walk(winners.condition) if isinstance(node, t.Name))


def _describe_winners(winners: str) -> str:
    """Return the sentence on who wins: `whoever has come across wins`."""
    group, where, condition = winners.partition(" where ")
    if where:
        return f"{'the players win' if group == 'players' else 'all win'} if {condition}"
    if winners.startswith("players who "):
        return f"whoever {_WHO_IS.sub('', make_singular(winners.removeprefix('players ')).removeprefix('who '))} wins"
    if winners.startswith("everyone"):
        return f"{winners} wins"
    return f"{winners if winners.startswith('the ') else f'the {winners}'} win"


# --- the course ------------------------------------------------------------------------------------


def _iter_course(rules: AnnotatedRules) -> Iterator[str]:
    """Iterate over the sentences on how phases follow each other."""
    course = rules.linked.game.course
    yield from _describe_sequence(rules, course)
    seen: set[str] = set()
    yield from _describe_parts(rules, course, seen, MAX_DEPTH)


def _describe_sequence(rules: AnnotatedRules, course: t.Block) -> Iterator[str]:
    """Iterate over the sentences on what comes first, what repeats and what comes last."""
    loop = next((i for i, step in enumerate(course) if isinstance(step, t.Repeat)), len(course))
    repeated = list(dict.fromkeys(_iter_played_phases(rules, course[loop : loop + 1])))
    if not repeated:
        yield from _describe_list("a game consists of", _list_phase_titles(rules, course))
        return
    first = list(_describe_list("the game begins with", _list_phase_titles(rules, course[:loop])))
    titles = [singular_title(rules.definitions[name]) for name in repeated]
    single_phase = f"one {uncapitalize_title(titles[0])} follows another"
    description = f"{join_words(titles)} are played again and again" if titles[1:] else single_phase
    yield from (*first, to_sentence(f"{'then ' if first else ''}{description}"))
    yield from _describe_list("the game ends with", _list_phase_titles(rules, course[loop + 1 :]))


def _describe_list(head: str, titles: list[str]) -> Iterator[str]:
    """Yield one sentence of `head` and the joined titles; nothing if there are no titles."""
    if titles:
        yield to_sentence(f"{head} {join_words(titles)}")


def _describe_parts(rules: AnnotatedRules, block: t.Block, seen: set[str], depth: int) -> Iterator[str]:
    """Yield sentences on the phases within played phases, `depth` levels deep, each phase once (see `seen`)."""
    if depth:
        played = [rules.definitions[name] for name in _iter_played_phases(rules, block)]
    else:
        played = []
    phases = [
        definition for definition in played if isinstance(definition, t.Phase) and definition.name.word not in seen
    ]
    phases_by_parts: dict[tuple[str, ...], list[str]] = {}
    for phase in phases:
        seen.add(phase.name.word)
        phases_by_parts.setdefault(tuple(_list_phase_titles(rules, phase.block)), []).append(singular_title(phase))
    for titles, whole in phases_by_parts.items():
        if len(titles) > 1:
            yield to_sentence(f"{join_words(whole)}: {', '.join(titles[:-1])}, then {titles[-1]}")
    yield from (text for phase in phases for text in _author_text(rules, phase))
    for phase in phases:
        yield from _describe_parts(rules, phase.block, seen, depth - 1)


def _author_text(rules: AnnotatedRules, phase: t.Phase) -> Iterator[str]:
    """Yield `[Phase title]: [text]` if the phase's block begins with the author's text; else nothing."""
    if starts_with_text(phase.block):
        yield f"{singular_title(phase)}: {to_sentence(describe(rules.resolved, phase.block[0]))}"


def _list_phase_titles(rules: AnnotatedRules, block: t.Block) -> list[str]:
    """Return the titles of the phases that a block plays, conditional ones with their condition."""
    return list(dict.fromkeys(_iter_phase_titles(rules, block)))


def _iter_phase_titles(rules: AnnotatedRules, block: t.Block) -> Iterator[str]:
    """Yield the titles of the phases that a block plays at any depth; add `(if ...)` inside an `if`."""
    for step in block:
        phases = [title_of(rules.resolved, name) for name in iter_run_names(step, "phase")]
        if phases:
            yield from phases
        elif isinstance(step, t.If) and not step.otherwise:
            clause = describe_condition(rules.resolved, step.condition)
            yield from (f"{title} (if {clause})" for title in _iter_phase_titles(rules, step.then))
        else:
            yield from (title for inner in _inner_blocks(step) for title in _iter_phase_titles(rules, inner))


def _iter_played_phases(rules: AnnotatedRules, block: t.Block) -> Iterator[str]:
    """Yield the names of the phases that a block plays, at any depth of its steps but not inside phases."""
    for step in block:
        yield from (rules.resolved.meaning[name].name for name in iter_run_names(step, "phase"))
        yield from (name for inner in _inner_blocks(step) for name in _iter_played_phases(rules, inner))


def _inner_blocks(step: t.Stmt) -> Iterable[t.Block]:
    """Return the blocks directly within a step, such as the branches of an `if`."""
    return (value for _, value in iter_fields(step) if is_block(value))


# --- the end ---------------------------------------------------------------------------------------


def _iter_end_conditions(rules: AnnotatedRules) -> Iterator[str]:
    """Iterate over the sentences on when the game ends."""
    for step in rules.linked.game.course:
        for until in iter_role_values(step, Role.AWAITED):
            sentence = OutlineLine(
                to_sentence(f"the game goes on until {describe_awaited_condition(rules.resolved, until)}")
            )
            yield from (line.text for line in insert_default_numbers(rules, (sentence,)))
