"""Conditions on the members of a set: `whose rank is 3 and that are not among ...`, `dice that show more than 3`."""

from __future__ import annotations

import re
from dataclasses import replace

from edict.compiler.english.binding import Binding, Binds, Phrase

_STARTS = (
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
_OF_DICE = (
    ("that are not among ", "that show none of "),
    ("that are among ", "that show one of "),
    ("that are not ", "that do not show "),
    ("that are ", "that show "),
    ("where it ", "whose number "),
)
_OWNED = re.compile(r"((?:you|they) have .*?) of it((?: than| as) .*)?")


def relative(condition: Phrase, players: bool) -> Phrase:
    """A condition on each member, as a clause behind the set."""
    joint = condition.terms[0][0] if condition.terms else ""
    parts = [_part(arm, players) for _, arm in condition.terms] if joint in ("and", "or") else []
    if not parts or joint == "or" and any(part.text.startswith("where ") for part in parts):
        return _part(condition, players)
    return replace(parts[-1], text=f" {joint} ".join(part.text for part in parts))


def _part(condition: Phrase, players: bool) -> Phrase:
    text = condition.text
    if text in ("you are not they", "it is not you", "they are not you"):
        return Phrase("other than you")
    owned = _OWNED.fullmatch(text) if condition.binds == Binds.PHRASE else None
    if owned:
        return Phrase(f"of which {owned[1]}{owned[2] or ''}", ends=condition.ends, last=condition.last)
    for start, instead in _STARTS if condition.binds == Binds.PHRASE else ():
        if text.startswith(start):
            text = instead.format("who" if players else "that") + text.removeprefix(start)
            return Phrase(text, ends=condition.ends, last=condition.last)
    return Phrase(f"where {text}", ends=Binding.CLAUSE, last=condition.last)


def of_dice(condition: Phrase) -> Phrase:
    """`that show more than 3`: a condition on the numbers of dice."""
    clause = relative(condition, players=False)
    text = clause.text
    for members, dice in _OF_DICE:
        text = text.replace(members, dice)
    return replace(clause, text=text)


def singular(clause: str) -> str:
    """A condition on the members of a set, of a single one: `who is not tired`."""
    if clause.startswith("with "):
        return clause
    for many, one in (("that are ", "that is "), ("who are ", "who is "), ("who have ", "who has ")):
        clause = clause.replace(many, one)
    return clause
