"""`why`: what somebody asks about, found, and the answer in lines for the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from edict.apps.cli.playing import questions
from edict.apps.cli.playing.screen import Lines, Screen
from edict.apps.cli.playing.session import Session
from edict.game.explanations import log_explanations, reasons_in_words
from edict.game.explanations.log_explanations import HIDDEN_VALUE, ExplainedNumber, LogExplainer, describe_number
from edict.game.explanations.option_reasons import OptionExplainer
from edict.game.explanations.reasons_in_words import ReasonLine
from edict.game.table.knowledge import has_secrets
from edict.game.table.log_entries import DisplayLine
from edict.game.table.options import Ask, Option
from edict.runtime.program import Question
from edict.runtime.program.opcodes import QUESTION
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.morphology import join_words
from edict.support.report import suggest_word

USAGE = (
    ReasonLine("why 3, why NAME: why an option is offered.  why not NAME: why something is not.", level=1),
    ReasonLine("why LINE: what led to a line of the log, numbered by `log`; why last: to the last one.", level=1),
    ReasonLine("why score [NAME], why QUANTITY: how a score or another number is worked out now.", level=1),
    ReasonLine("why --exactly ...: the same with the conditions as the rules have them, and their places.", level=1),
)
ELSEWHERE = 3  # other questions that are named
EXACTLY = "--exactly"


def answer(session: Session, about: str) -> list[ReasonLine]:
    """The answer to `why` and whatever was typed after it; it never changes the game."""
    words = about.split()
    exactly = EXACTLY in words[:1] or EXACTLY in words[-1:]
    about = " ".join(word for word in words if word != EXACTLY)
    return reasons_in_words.select_voice(_answer(session, about), exactly)


def _answer(session: Session, about: str) -> list[ReasonLine]:
    """The same for everybody who reads it."""
    word, _, rest = about.partition(" ")
    if not about:
        return _question(session)
    if word.casefold() == "not":
        return _why_not(session, rest) if rest else [ReasonLine("Why not what? Type `why not` and a name."), *USAGE]
    if word.casefold() in ("line", "log") and rest:
        return line(session, rest)
    if about.startswith("#") or about.casefold() == "last":
        return line(session, about.lstrip("#"))
    if word.casefold() == "score" and not _matching(session, about):
        return score(explainer(session), rest)
    return _why(session, about)


def explainer(session: Session) -> LogExplainer:
    seat = None if session.game.over and session.holder < 0 else session.view.seat
    return LogExplainer(session.game, seat)


# --- the question and its options --------------------------------------------------------------------


def _matching(session: Session, about: str) -> list[Option]:
    return questions.matching(session.game.ask, about) if _open(session) else []


def _open(session: Session) -> bool:
    """Whether there is a question whose options whoever asks may see: what others are offered may give them away."""
    game = session.game
    return game.seat >= 0 and (session.view.ask is not None or not has_secrets(game.program))


def _question(session: Session) -> list[ReasonLine]:
    """Nothing was named: what asks the question."""
    game = session.game
    if game.over or game.seat >= 0 and not _open(session):
        return [ReasonLine("Ask about something:"), *USAGE]
    question = game.program.questions[game.state[QUESTION]]
    return [_asks(session, question), *USAGE]


def _asks(session: Session, question: Question) -> ReasonLine:
    cause = session.game.program.causes[question.cause]
    home = dict(session.game.program.reasons.homes).get(cause.file, "")
    prompt = session.game.table.options.prompt(question)
    return ReasonLine(
        f"“{prompt}” is asked by {reasons_in_words.quote_rule(cause)}.", reasons_in_words.format_place(cause, home)
    )


def _why(session: Session, about: str) -> list[ReasonLine]:
    """An option, a line of the log, a quantity, or something that is no option now."""
    found = _matching(session, about)
    if len(found) == 1:
        return reasons_in_words.describe_offered(OptionExplainer(session.game, session.view.seat), found[0])
    if len(found) > 1:
        return [ReasonLine(f"`{about}` could be {questions.choices(found)}: type more of it.")]
    if about.isdecimal():
        return _number(session, about)
    measured = measure(explainer(session), about, session.view.seat)
    return measured or _why_not(session, about)


def _number(session: Session, about: str) -> list[ReasonLine]:
    """A number that is no option: a line of the log, if lines have been shown with their numbers."""
    if session.numbered or not _open(session):
        return line(session, about)
    more = f"Lines of the log have numbers too: type `log`, then `why {about}`."
    return [_no_option(session, about), ReasonLine(more, level=1)]


def _no_option(session: Session, about: str) -> ReasonLine:
    named = [one for one in questions.labels(session.game.ask) if one]
    return ReasonLine(
        f"There is no option {about} now: there {'is' if len(named) == 1 else 'are'} {join_words(named)}."
    )


def _why_not(session: Session, about: str) -> list[ReasonLine]:
    """Something that is not offered; or is, and then why."""
    if session.game.seat < 0:
        return [ReasonLine("Dice are being rolled: there are no options to ask about."), *USAGE]
    if not _open(session):
        return [ReasonLine(f"Only {session.game.ask.player} can see the options of this question."), *USAGE]
    why = OptionExplainer(session.game, session.view.seat)
    found = questions.matching(session.game.ask, about)
    if len(found) == 1:
        return [ReasonLine(f"{found[0].text} is offered."), *reasons_in_words.describe_offered(why, found[0])]
    if why.question.domain == "ways":
        return reasons_in_words.describe_refused_dice(why, about)
    possible = _possible(why.candidates(), about)
    offered = {option.value for option in session.game.ask.options}
    possible = [one for one in possible if one.value not in offered] or possible
    if len(possible) == 1:
        return reasons_in_words.describe_refused(why, possible[0])
    if possible:
        return [ReasonLine(f"`{about}` could be {questions.choices(possible)}: type more of it.")]
    return _elsewhere(session, why, about)


def _possible(candidates: Ask, about: str) -> list[Option]:
    """What is meant by words, or by the number that a thing shows; places in the list of everything mean nothing."""
    named = [o for o in candidates.options if about.casefold() in (o.text.casefold(), o.key.casefold())]
    if about.isdecimal() and candidates.domain == "thing":
        shown = questions.own_numbers(candidates) or [option.caption for option in candidates.options]
        return named or [o for o, number in zip(candidates.options, shown, strict=True) if number == about]
    return named or questions.by_words(candidates.options, " ".join(about.casefold().split()))


def _elsewhere(session: Session, why: OptionExplainer, about: str) -> list[ReasonLine]:
    """It is no answer to this question at all; perhaps it is one to others."""
    if about.isdecimal():  # it counts something in the titles of other options
        return [_no_option(session, about)]
    found: list[ReasonLine] = []
    names: list[str] = []
    for number, question in enumerate(session.game.program.questions):
        named = _possible(why.candidates(number), about) if question.domain not in ("number", "die", "ways") else []
        if len(named) == 1 and question.name not in ("shuffle", "roll"):
            said = _asks(session, question)
            found += [ReasonLine(said.words, said.place, 1)] if said.words not in [one.words for one in found] else []
            names.append(named[0].text)
    asked = session.game.ask.prompt
    if found:
        more = [ReasonLine("and elsewhere.", level=1)] if len(found) > ELSEWHERE else []
        head = f"{names[0]} is not an answer to “{asked}”. It may be one elsewhere:"
        return [ReasonLine(head), *found[:ELSEWHERE], *more]
    return [ReasonLine(_unknown(session, why, about)), *USAGE]


def _unknown(session: Session, why: OptionExplainer, about: str) -> str:
    found = questions.things(session.game.program, about)
    if found:
        return f"{found[0].title or found[0].name} cannot be chosen: no question asks for it."
    texts = [option.text for option in why.candidates().options]
    things = [thing.title or thing.name for kind in session.game.program.kinds for thing in kind.things]
    measures = [measure.name for measure in session.game.program.reasons.measures]
    near = suggest_word(about, [*texts, *things, *measures])
    return f"Nothing here is named `{about}`{f': {near}' if near else ''}."


# --- lines of the log ----------------------------------------------------------------------------------


def line(session: Session, number: str) -> list[ReasonLine]:
    """What led to a line of the log, by its number, or to the last one."""
    lines: Sequence[DisplayLine] = session.log_lines()
    if number.casefold() == "last":
        number = str(len(lines))
    if not lines:
        return [ReasonLine("Nothing has happened yet.")]
    if not number.isdecimal() or len(number) > 6:
        return [ReasonLine(f"`{number}` is not the number of a line: `log` shows them.")]
    if not 1 <= int(number) <= len(lines):
        return [ReasonLine(f"There is no line {number}: the log has lines 1 to {len(lines)}.")]
    return log_explanations.describe_line(explainer(session), lines[int(number) - 1])


JOINING = ("of", "in", "by", "for")  # between a quantity and what it is of


def score(explainer: LogExplainer, name: str) -> list[ReasonLine]:
    """Everybody's score, or one player's in all its parts."""
    players = explainer.game.players
    if not name:
        found = [explainer.explain_score(seat) for seat in range(len(players))]
        lines = [ReasonLine(f"{who}: {_value(one)}", level=1) for who, one in zip(players, found, strict=True)]
        return [ReasonLine("The score now; `why score NAME` explains where one comes from."), *lines]
    seats = [i for i, who in enumerate(players) if who.casefold().startswith(name.casefold())]
    if len(seats) != 1:
        return [ReasonLine(f"Whose score? There are {join_words(players)}.")]
    return _score_of(explainer, seats[0])


def _value(number: ExplainedNumber | None) -> str:
    return "?" if number is None or number.value is None else str(number.value)


def _score_of(explainer: LogExplainer, seat: int) -> list[ReasonLine]:
    who, found = explainer.game.players[seat], explainer.explain_score(seat)
    if found is None:
        return [ReasonLine(f"{who}'s score cannot be worked out now.")]
    if found.hidden:
        return [ReasonLine(f"{who}'s score: {HIDDEN_VALUE}.")]
    history = explainer.score_sources(seat)
    if history:
        found = ExplainedNumber("", found.value, history)
    head, *parts = describe_number(found, 0)
    return [ReasonLine(f"{who}: {head.words}"), *parts]


def measure(explainer: LogExplainer, about: str, seat: int) -> list[ReasonLine]:
    """A quantity by its name or title, perhaps with what it is of; nothing if none is called so."""
    for length in range(about.count(" ") + 1, 0, -1):
        name, rest = " ".join(about.split(" ")[:length]), about.split(" ")[length:]
        named = [one for one in explainer.measures() if name.casefold() in (one.name.casefold(), one.title.casefold())]
        if named:
            words = [word for word in rest if word not in JOINING]
            return _measured(explainer, named[0], words, seat)
    return []


def _measured(explainer: LogExplainer, one: ComputedQuantity, words: Sequence[str], seat: int) -> list[ReasonLine]:
    args = _arguments(explainer, one, words, seat)
    if isinstance(args, str):
        return [ReasonLine(args)]
    wording = explainer.game.table.wording
    names = [wording.title(kind, arg) for kind, arg in zip(one.kinds, args, strict=True)]
    found = explainer.explain_measure(one, args)
    title = " of ".join([one.title, ", ".join(names)]) if names else one.title
    cause = explainer.program.causes[one.cause]
    place = reasons_in_words.format_place(cause, explainer.module_of(cause))
    if found is None:
        return [ReasonLine(f"{title}: it cannot be worked out at this moment.", place)]
    head, *parts = describe_number(ExplainedNumber(title, found.value, found.terms, found.hidden), 0)
    return [ReasonLine(head.words, place), *parts]


def _arguments(explainer: LogExplainer, one: ComputedQuantity, words: Sequence[str], seat: int) -> list[int] | str:
    """What a quantity is of, each by a word; a player who is not named is whoever asks."""
    left, found = list(words), []
    wording = explainer.game.table.wording
    for i, kind in enumerate(one.kinds):
        things = [Option(n, n, thing.name, thing.title or thing.name) for n, thing in enumerate(wording.things(kind))]
        named = questions.by_words(things, left[0].casefold()) if left else []
        if len(named) == 1:
            found.append(named[0].value)
            left.pop(0)
        elif i == one.you and seat < len(wording.players):
            found.append(seat)
        else:
            wanted = " ".join([one.name, *(f"{kind.upper()}" for kind in one.kinds)])
            return f"Of what? Type `why {wanted}`."
    return (
        found if not left else f"`{left[0]}` is one too many: {one.title} is of {join_words(one.kinds) or 'nothing'}."
    )


STEP = 4  # columns by which what explains a line stands further in


def why_lines(screen: Screen, said: Sequence[ReasonLine]) -> Lines:
    """Wrapped to the screen, each line's rest under its own beginning."""
    return [line for one in said for line in _wrapped(screen, one)]


def _wrapped(screen: Screen, said: ReasonLine) -> Iterator[Text]:
    text = screen.text(said.words, "bold" if said.level == 0 else "")
    if said.place:
        text.append("  " if said.words else "").append_text(screen.text(f"[{said.place}]", "not bold dim"))
    indent = 2 + STEP * (said.level - 1) if said.level else 0
    if screen.simple:
        yield Text(" " * indent).append_text(text)
        return
    if said.hang:
        yield from _hanging(screen, text, indent, said.hang)
        return
    for part in text.wrap(screen.console, screen.width - indent, no_wrap=False):
        part.rstrip()
        part.pad_left(indent)
        yield part


def _hanging(screen: Screen, text: Text, indent: int, hang: int) -> Iterator[Text]:
    """The first columns beside the rest, which is wrapped."""
    first, rest = text.divide([hang])
    for number, part in enumerate(rest.wrap(screen.console, screen.width - indent - hang, no_wrap=False)):
        part.rstrip()
        yield Text(" " * indent).append_text(first if number == 0 else Text(" " * hang)).append_text(part)
