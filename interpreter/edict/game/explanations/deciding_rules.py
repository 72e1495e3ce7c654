"""The victory of a game: how scores lead to the winners, and the rule that decided where scores do not show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edict.compiler.sources.packing import unpack_modules
from edict.compiler.sources.words_files import load_phrasebook
from edict.game.table.game import Game
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.primer import iter_goal
from edict.support.translations import ENGLISH, current_language


def explain_victory(game: Game) -> tuple[str, ...]:
    """Return the sentences of the rules about who wins; nothing while a game is on, or if its scores say it."""
    result = game.result
    if result is None or not game.table.bundle or is_decided_by_score(result.scores, result.winners):
        return ()
    modules = unpack_modules(game.table.bundle).value or ()
    known = annotate_rules(modules).value
    if known is None:
        return ()
    sentences = iter_goal(remove_judgement(known))
    if current_language() == ENGLISH:
        return tuple(sentences)
    return tuple(map(load_phrasebook(modules, current_language()).translate, sentences))


def is_decided_by_score(scores: Mapping[str, int], winners: Sequence[str]) -> bool:
    """Return True if the winners are exactly the players with the highest or the lowest score, or nobody."""
    ends = (max(scores.values()), min(scores.values())) if scores else ()
    return not winners or any({name for name in scores if scores[name] == end} == {*winners} for end in ends)


def find_sign(scores: Mapping[str, int | None], winners: Sequence[str]) -> int:
    """Return 1 if exactly the highest score won, -1 if the lowest; 0 if neither, all are equal or one is hidden."""
    known = [score for score in scores.values() if score is not None]
    if len(known) < max(len(scores), 2) or min(known) == max(known) or not winners:
        return 0
    won = {scores[name] for name in winners}
    if won == {max(known)}:
        return 1
    if won == {min(known)}:
        return -1
    return 0
