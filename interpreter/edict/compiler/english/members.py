"""Members of a set, picked out: `players who have gold`, `advisors with the highest rank`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.english.binding import Binding, Binds, Phrase, joined_by
from edict.compiler.english.condition_phrases import clause
from edict.compiler.english.phrase_tables import said, tell, tells
from edict.compiler.english.plurals import countable
from edict.compiler.english.relative import of_dice, relative, singular
from edict.compiler.english.titles import title_of
from edict.compiler.english.typed import is_dice, of_players
from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t


def such(r: Resolved, wanted: t.Expr, players: bool) -> str:
    """`whose rank is 3 and that are not among ...`: a condition on the members of a set."""
    return relative(clause(r, wanted), players).text


def shown_by(r: Resolved, wanted: t.Expr) -> str:
    """`that show more than 3`: a condition on the numbers of dice."""
    return of_dice(clause(r, wanted)).text


@tells(t.Where)
def _where(r: Resolved, e: t.Where) -> Phrase:
    base, condition = _all_conditions(r, e)
    members = _among(r, base)
    if is_dice(r, e.members):
        shown = of_dice(condition)
        return replace(shown, text=f"those of {members} {shown}")
    such_ = relative(condition, of_players(r, e.members))
    text = singular(such_.text) if members.text.startswith("everyone") else such_.text
    return replace(such_, text=f"{members} {text}")


def _all_conditions(r: Resolved, e: t.Where) -> tuple[t.Expr, Phrase]:
    """The set, and the conditions on its members in one."""
    condition = clause(r, e.condition)
    if not isinstance(e.members, t.Where):
        return e.members, condition
    base, before = _all_conditions(r, e.members)
    return base, joined_by("and", (before, condition))


@tells(t.Best)
def _best(r: Resolved, e: t.Best) -> Phrase:
    """Of members on which there is a condition: `advisors with the highest rank among those that are free`."""
    ranked, key = rankings(r, e.keys), said(r, e.keys[-1][1])
    if isinstance(e.members, t.Where) and not is_dice(r, e.members):
        base, condition = _all_conditions(r, e.members)
        such_ = relative(condition, of_players(r, base))
        return replace(such_, text=f"{_among(r, base)} with {ranked} among those {such_}", binds=Binds.SUM)
    members = _among(r, e.members)
    text = f"{'players' if members.text == 'everyone' else members} with {ranked}"
    return Phrase(text, Binds.SUM, Binding.OPEN, min(key.binds, key.last))


def _among(r: Resolved, members: t.Expr) -> Phrase:
    """The set of which more is said: `other players`."""
    words = said(r, members).described
    return Phrase("other players") if words.text == "everyone but you" else words


def rankings(r: Resolved, keys: Sequence[tuple[str, t.Expr]]) -> str:
    """`the most VP, then the fewest buildings`."""
    return ", then ".join(f"the {key_words(r, word, key)}" for word, key in keys)


def ranking(r: Resolved, winners: t.Expr) -> tuple[str, str, list[str]] | None:
    """Among whom the best is looked for (nothing: all players), by what, and what decides ties; None if not so."""
    if not isinstance(winners, t.Best):
        return None
    whom = tell(r, winners.members)
    first, *ties = (f"the {key_words(r, word, key)}" for word, key in winners.keys)
    return "" if whom in ("everyone", "players") else whom, first, ties


def key_words(r: Resolved, word: str, key: t.Expr) -> str:
    """`most VP`, `fewest buildings`, `lowest rank`."""
    counted = isinstance(key, t.Unary) and key.op == "count" or _counted(r, key)
    word = word if counted else {"most": "highest", "fewest": "lowest"}.get(word, word)
    own = isinstance(key, t.Name) and key.word == "it"  # of the numbers on dice, or of a set
    words = "number" if own else tell(r, key).removeprefix("the number of ").removeprefix("the ")
    for whose in ("their ", "its "):
        words = words.removeprefix(whose)
    words = words.replace("of their ", "of ")
    return words if words.startswith(f"{word} ") else f"{word} {words}"


def _counted(r: Resolved, key: t.Expr) -> bool:
    meaning = r.meaning.get(key.head) if isinstance(key, t.Apply) else None
    if not isinstance(key, t.Apply) or not isinstance(meaning, Symbol):
        return False
    return meaning.sort in ("resource", "group", "die") or countable(title_of(r, key.head, many=True))
