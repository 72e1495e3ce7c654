"""Scores and quantities explained as they are asked for at the keyboard, by name."""

from __future__ import annotations

from collections.abc import Sequence

from edict.cli.playing import answers
from edict.program.reasons import Measure
from edict.table import why_options
from edict.table.why_log import SECRET, numbered, Explainer, Number
from edict.table.why_options import Said
from edict.table.options import Option
from edict.table.wording import listed

JOINING = ("of", "in", "by", "for")  # between a quantity and what it is of


def score(explainer: Explainer, name: str) -> list[Said]:
    """Everybody's score, or one player's in all its parts."""
    players = explainer.game.players
    if not name:
        found = [explainer.score(seat) for seat in range(len(players))]
        lines = [Said(f"{who}: {_value(one)}", level=1) for who, one in zip(players, found, strict=True)]
        return [Said("The score now; `why score NAME` explains where one comes from."), *lines]
    seats = [i for i, who in enumerate(players) if who.casefold().startswith(name.casefold())]
    if len(seats) != 1:
        return [Said(f"Whose score? There are {listed(players)}.")]
    return _score_of(explainer, seats[0])


def _value(number: Number | None) -> str:
    return "?" if number is None or number.value is None else str(number.value)


def _score_of(explainer: Explainer, seat: int) -> list[Said]:
    who, found = explainer.game.players[seat], explainer.score(seat)
    if found is None:
        return [Said(f"{who}'s score cannot be worked out now.")]
    if found.hidden:
        return [Said(f"{who}'s score: {SECRET}.")]
    history = explainer.scored(seat)
    if history:
        found = Number("", found.value, history)
    head, *parts = numbered(found, 0)
    return [Said(f"{who}: {head.words}"), *parts]


def measure(explainer: Explainer, about: str, seat: int) -> list[Said]:
    """A quantity by its name or title, perhaps with what it is of; nothing if none is called so."""
    for length in range(about.count(" ") + 1, 0, -1):
        name, rest = " ".join(about.split(" ")[:length]), about.split(" ")[length:]
        named = [one for one in explainer.measures() if name.casefold() in (one.name.casefold(), one.title.casefold())]
        if named:
            words = [word for word in rest if word not in JOINING]
            return _measured(explainer, named[0], words, seat)
    return []


def _measured(explainer: Explainer, one: Measure, words: Sequence[str], seat: int) -> list[Said]:
    args = _arguments(explainer, one, words, seat)
    if isinstance(args, str):
        return [Said(args)]
    wording = explainer.game.table.wording
    names = [wording.title(kind, arg) for kind, arg in zip(one.kinds, args, strict=True)]
    found = explainer.measure(one, args)
    title = " of ".join([one.title, ", ".join(names)]) if names else one.title
    place = why_options.place(explainer.program.causes[one.cause], explainer.home(explainer.program.causes[one.cause]))
    if found is None:
        return [Said(f"{title}: it cannot be worked out at this moment.", place)]
    head, *parts = numbered(Number(title, found.value, found.terms, found.hidden), 0)
    return [Said(head.words, place), *parts]


def _arguments(explainer: Explainer, one: Measure, words: Sequence[str], seat: int) -> list[int] | str:
    """What a quantity is of, each by a word; a player who is not named is whoever asks."""
    left, found = list(words), []
    wording = explainer.game.table.wording
    for i, kind in enumerate(one.kinds):
        things = [Option(n, n, thing.name, thing.title or thing.name) for n, thing in enumerate(wording.things(kind))]
        named = answers.by_words(things, left[0].casefold()) if left else []
        if len(named) == 1:
            found.append(named[0].value)
            left.pop(0)
        elif i == one.you and seat < len(wording.players):
            found.append(seat)
        else:
            wanted = " ".join([one.name, *(f"{kind.upper()}" for kind in one.kinds)])
            return f"Of what? Type `why {wanted}`."
    return found if not left else f"`{left[0]}` is one too many: {one.title} is of {listed(one.kinds) or 'nothing'}."


__all__ = ["measure", "score"]
