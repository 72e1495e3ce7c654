"""Phrases for members of a set with a property, as `players who have gold` and `advisors with the highest rank`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.english.condition_phrases import phrase_condition
from edict.compiler.english.phrases import (
    Phrase,
    PhraseEnd,
    Strength,
    describe,
    describes,
    join_conditions,
    make_dice_relative,
    make_relative,
    make_singular,
    to_phrase,
)
from edict.compiler.english.plurals import has_players, is_dice, is_plural_noun
from edict.compiler.english.titles import describe_binding, title_of
from edict.compiler.semantics.symbols import ResolvedBook, Symbol
from edict.compiler.syntax import tree as t


def describe_member_condition(r: ResolvedBook, condition: t.Expr, players: bool) -> str:
    """Return a condition on members, as `whose rank is 3 and that are not among ...`."""
    return make_relative(phrase_condition(r, condition), players).text


def describe_dice_condition(r: ResolvedBook, condition: t.Expr) -> str:
    """Return a condition on the numbers of dice, as `that show more than 3`."""
    return make_dice_relative(phrase_condition(r, condition)).text


@describes(t.Where)
def _describe_where(r: ResolvedBook, e: t.Where) -> Phrase:
    """Describe `SET where ...`, as `players who have gold` or `those of your dice that show 3`."""
    base, condition = _merge_conditions(r, e)
    members = _describe_base_set(r, base)
    if is_dice(r, e.members):
        shown = make_dice_relative(condition)
        return replace(shown, text=f"those of {members} {shown}")
    relative_clause = make_relative(condition, has_players(r, e.members))
    if members.text.startswith("everyone"):
        text = make_singular(relative_clause.text)
    else:
        text = relative_clause.text
    return replace(relative_clause, text=f"{members}{describe_binding(r, e)} {text}")


def _merge_conditions(r: ResolvedBook, e: t.Where) -> tuple[t.Expr, Phrase]:
    """Return the innermost set of nested `where` expressions, and all their conditions joined by `and`."""
    condition = phrase_condition(r, e.condition)
    if not isinstance(e.members, t.Where):
        return e.members, condition
    base, inner_condition = _merge_conditions(r, e.members)
    return base, join_conditions("and", (inner_condition, condition))


@describes(t.Best)
def _describe_best(r: ResolvedBook, e: t.Best) -> Phrase:
    """Describe members by rank, also of a condition: `advisors with the highest rank among those that are free`."""
    ranks, key = describe_rankings(r, e.keys), to_phrase(r, e.keys[-1][1])
    if isinstance(e.members, t.Where) and not is_dice(r, e.members):
        base, condition = _merge_conditions(r, e.members)
        relative_clause = make_relative(condition, has_players(r, base))
        return replace(
            relative_clause,
            text=f"{_describe_base_set(r, base)} with {ranks} among those {relative_clause}",
            binds=Strength.SUM,
        )
    members = _describe_base_set(r, e.members)
    text = f"{'players' if members.text == 'everyone' else members}{describe_binding(r, e)} with {ranks}"
    return Phrase(text, Strength.SUM, PhraseEnd.OPEN, min(key.binds, key.last))


def _describe_base_set(r: ResolvedBook, members: t.Expr) -> Phrase:
    """Return the phrase of a set that a description follows, as `other players`."""
    words = to_phrase(r, members).as_described_set
    return Phrase("other players") if words.text == "everyone but you" else words


def describe_rankings(r: ResolvedBook, keys: Sequence[tuple[str, t.Expr]]) -> str:
    """Return `the most VP, then the fewest buildings`."""
    return ", then ".join(f"the {describe_ranking_key(r, word, key)}" for word, key in keys)


def split_ranking(r: ResolvedBook, winners: t.Expr) -> tuple[str, str, list[str]] | None:
    """Return the words for the ranked set, first criterion and tie-breakers of `winners`; None if it is no ranking.

    Returns:
        The set in words (empty for all players), the first criterion, and those that break ties.
    """
    if not isinstance(winners, t.Best):
        return None
    members = describe(r, winners.members)
    first, *ties = (f"the {describe_ranking_key(r, word, key)}" for word, key in winners.keys)
    return "" if members in ("everyone", "players") else members, first, ties


def describe_ranking_key(r: ResolvedBook, word: str, key: t.Expr) -> str:
    """Return `most VP`, `fewest buildings` or `lowest rank`."""
    counted = isinstance(key, t.Unary) and key.op == "count" or _is_counted(r, key)
    word = word if counted else {"most": "highest", "fewest": "lowest"}.get(word, word)
    is_it = isinstance(key, t.Name) and key.word == "it"  # ranks the numbers themselves, of dice or of a set
    if is_it:
        words = "number"
    else:
        words = describe(r, key).removeprefix("the number of ").removeprefix("the ")
    for whose in ("their ", "its "):
        words = words.removeprefix(whose)
    words = words.replace("of their ", "of ")
    return words if words.startswith(f"{word} ") else f"{word} {words}"


def _is_counted(r: ResolvedBook, key: t.Expr) -> bool:
    """Return True for a key that is counted: a resource, a die, or a value with a plural title (`most VP`)."""
    meaning = r.meaning.get(key.head) if isinstance(key, t.Apply) else None
    if not isinstance(key, t.Apply) or not isinstance(meaning, Symbol):
        return False
    return meaning.sort in ("resource", "group", "die") or is_plural_noun(title_of(r, key.head, many=True))
