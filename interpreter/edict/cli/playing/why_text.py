"""Numbers and lines of the log explained in words: the rules on the way, and each number's terms one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.cli.playing import answers, why_offered
from edict.cli.playing.news import Line
from edict.cli.playing.why_offered import Said
from edict.program.reasons import Measure
from edict.table.provenance import Explained, Explainer, Number, Term
from edict.table.options import Option
from edict.table.wording import listed

JOINING = ("of", "in", "by", "for")  # between a quantity and what it is of
HIDDEN = "what it is made of, you may not see"
SECRET = "it depends on something you may not see"


# --- lines of the log ------------------------------------------------------------------------------


def line(explainer: Explainer, shown: Line) -> list[Said]:
    """What led to a line: first the rule itself, then those around it, then the numbers in it."""
    told = [explainer.entry(entry) for entry in shown.entries]
    said = [Said(shown.text)]
    for one in told:
        said += [part for part in _explained(one, len(told) > 1) if part not in said]
    return said


def _explained(one: Explained, several: bool) -> Iterator[Said]:
    level = 1
    if several:
        yield Said(f"{one.entry.text}:", level=1)
        level = 2
    *around, rule = one.chain
    yield Said(f"by {why_offered.named(rule.cause)}", why_offered.place(rule.cause, rule.module), level)
    for link in reversed(around):
        yield Said(f"in {why_offered.named(link.cause)}", why_offered.place(link.cause, link.module), level)
    if one.answer:
        yield Said(f"after the answer {one.answer}", level=level)
    for number in one.numbers:
        yield from numbered(number, level)
    if one.met:
        yield Said("It could be chosen, because:", level=level)
        for reason in one.met:
            yield from (Said(said.words, said.place, said.level + level) for said in why_offered.met(reason))


# --- numbers ---------------------------------------------------------------------------------------


def numbered(number: Number, level: int = 1) -> Iterator[Said]:
    """`battle strength 5 = 2 soldiers + 1 Guard Tower`, then each term with its rule."""
    if number.hidden:
        known = number.value is not None
        head = f"{number.name} {number.value}".strip() if known else number.name
        yield Said(f"{head}: {HIDDEN if known else SECRET}", level=level)
        return
    head = f"{number.name} {number.value}".strip()
    yield Said(f"{head} = {summed(number.terms)}" if number.terms else head, level=level)
    for term in number.terms:
        if term.cause is not None:
            when = f", if {term.when}" if term.when else ""
            yield Said(f"{_signed(term)}{when}", why_offered.place(term.cause, term.module), level + 1)


def summed(terms: Sequence[Term]) -> str:
    """`2 soldiers + 1 Guard Tower - 1 Crane`."""
    first, *rest = terms
    return " ".join([_signed(first), *(f"{'-' if t.amount < 0 else '+'} {_counted(abs(t.amount), t)}" for t in rest)])


def _signed(term: Term) -> str:
    return _counted(term.amount, term)


def _counted(amount: int, term: Term) -> str:
    label = f"({term.label})" if term.label[:1].isdigit() else term.label
    return f"{amount} {label}".strip()


# --- as it stands now ----------------------------------------------------------------------------------


def score(explainer: Explainer, name: str) -> list[Said]:
    """Everybody's score, or one player's in all its parts."""
    players = explainer.game.players
    if not name:
        found = [explainer.score(seat) for seat in range(len(players))]
        lines = [Said(f"{who}: {_value(one)}", level=1) for who, one in zip(players, found, strict=True)]
        return [Said("The score now; `why score NAME` tells where one comes from."), *lines]
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
    place = why_offered.place(explainer.program.causes[one.cause], explainer.home(explainer.program.causes[one.cause]))
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


__all__ = ["line", "measure", "numbered", "score", "summed"]
