"""Relative clauses for conditions on members of a set, as `whose rank is 3` or `that show more than 3`."""

from __future__ import annotations

import re
from dataclasses import replace

from edict.compiler.english.phrases import Phrase, PhraseEnd, Strength

_REPLACEMENTS = (
    ("it is one of ", "{} are among "),
    ("it is not one of ", "{} are not among "),
    ("its ", "whose "),
    ("their ", "whose "),
    ("it is ", "{} are "),
    ("they are ", "{} are "),
    ("it has ", "that have "),
    ("they have ", "who have "),
    ("they ", "who "),
)
_DICE_REPLACEMENTS = (
    ("that are not among ", "that show none of "),
    ("that are among ", "that show one of "),
    ("that are not ", "that do not show "),
    ("that are ", "that show "),
    ("where it ", "whose number "),
)
_OWNED = re.compile(r"((?:you|they) have .*?) of it((?: than| as) .*)?")


def make_relative(condition: Phrase, players: bool) -> Phrase:
    """Return a condition on each member as a clause to follow the set."""
    joint = condition.terms[0][0] if condition.terms else ""
    if joint in ("and", "or"):
        parts = [_make_single_relative(arm, players) for _, arm in condition.terms]
    else:
        parts = []
    if not parts or joint == "or" and any(part.text.startswith("where ") for part in parts):
        return _make_single_relative(condition, players)
    return replace(parts[-1], text=f" {joint} ".join(part.text for part in parts))


def _make_single_relative(condition: Phrase, players: bool) -> Phrase:
    """Return one condition as a clause after a set, as `who have gold`; `where ...` if it cannot be reworded."""
    text = condition.text
    if text in ("you are not they", "it is not you", "they are not you"):
        return Phrase("other than you")
    owned = _OWNED.fullmatch(text) if condition.binds == Strength.PHRASE else None
    if owned:
        return Phrase(f"of which {owned[1]}{owned[2] or ''}", ends=condition.ends, last=condition.last)
    for start, instead in _REPLACEMENTS if condition.binds == Strength.PHRASE else ():
        if text.startswith(start):
            text = instead.format("who" if players else "that") + text.removeprefix(start)
            return Phrase(text, ends=condition.ends, last=condition.last)
    return Phrase(f"where {text}", ends=PhraseEnd.CLAUSE, last=condition.last)


def make_dice_relative(condition: Phrase) -> Phrase:
    """Return a condition on numbers as a clause to follow dice, as `that show more than 3`."""
    clause = make_relative(condition, players=False)
    text = clause.text
    for members, dice in _DICE_REPLACEMENTS:
        text = text.replace(members, dice)
    return replace(clause, text=text)


def make_singular(clause: str) -> str:
    """Return a relative clause in the singular, as `who is not tired`."""
    if clause.startswith("with "):
        return clause
    for plural_form, singular_form in (("that are ", "that is "), ("who are ", "who is "), ("who have ", "who has ")):
        clause = clause.replace(plural_form, singular_form)
    return clause
