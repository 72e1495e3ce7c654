"""`why`: what somebody asks about, found, and the answer in lines for the screen."""

from __future__ import annotations

from collections.abc import Sequence

from edict.cli.playing import answers, questions, why_values
from edict.cli.playing.session import Session
from edict.program import Question
from edict.program.opcodes import QUESTION
from edict.report import did_you_mean
from edict.table import why_log, why_options
from edict.table.why_options import Said, Why
from edict.table.why_log import Explainer
from edict.table.log_entries import Line
from edict.table.options import Ask, Option
from edict.table.tracing import has_secrets
from edict.table.wording import listed

USAGE = (
    Said("why 3, why NAME: why an option is offered.  why not NAME: why something is not.", level=1),
    Said("why LINE: what led to a line of the log, numbered by `log`; why last: to the last one.", level=1),
    Said("why score [NAME], why QUANTITY: how a score or another number is worked out now.", level=1),
)
ELSEWHERE = 3  # other questions that are named


def answer(session: Session, about: str) -> list[Said]:
    """The answer to `why` and whatever was typed after it; it never changes the game."""
    about = " ".join(about.split())
    word, _, rest = about.partition(" ")
    if not about:
        return _question(session)
    if word.casefold() == "not":
        return _why_not(session, rest) if rest else [Said("Why not what? Type `why not` and a name."), *USAGE]
    if word.casefold() in ("line", "log") and rest:
        return line(session, rest)
    if about.startswith("#") or about.casefold() == "last":
        return line(session, about.lstrip("#"))
    if word.casefold() == "score" and not _matching(session, about):
        return why_values.score(explainer(session), rest)
    return _why(session, about)


def explainer(session: Session) -> Explainer:
    seat = None if session.game.over and session.holder < 0 else session.view.seat
    return Explainer(session.game, seat)


# --- the question and its options --------------------------------------------------------------------


def _matching(session: Session, about: str) -> list[Option]:
    return answers.matching(session.game.ask, about) if _open(session) else []


def _open(session: Session) -> bool:
    """Whether there is a question whose options whoever asks may see: what others are offered may give them away."""
    game = session.game
    return game.seat >= 0 and (session.view.ask is not None or not has_secrets(game.program))


def _question(session: Session) -> list[Said]:
    """Nothing was named: what asks the question."""
    game = session.game
    if game.over or game.seat >= 0 and not _open(session):
        return [Said("Ask about something:"), *USAGE]
    question = game.program.questions[game.state[QUESTION]]
    return [_asks(session, question), *USAGE]


def _asks(session: Session, question: Question) -> Said:
    cause = session.game.program.causes[question.cause]
    home = dict(session.game.program.reasons.homes).get(cause.file, "")
    prompt = session.game.table.options.prompt(question)
    return Said(f"“{prompt}” is asked by {why_options.named(cause)}.", why_options.place(cause, home))


def _why(session: Session, about: str) -> list[Said]:
    """An option, a line of the log, a quantity, or something that is no option now."""
    found = _matching(session, about)
    if len(found) == 1:
        return why_options.offered(Why(session.game, session.view.seat), found[0])
    if len(found) > 1:
        return [Said(f"`{about}` could be {answers.choices(found)}: type more of it.")]
    if about.isdecimal():
        return _number(session, about)
    measured = why_values.measure(explainer(session), about, session.view.seat)
    return measured or _why_not(session, about)


def _number(session: Session, about: str) -> list[Said]:
    """A number that is no option: a line of the log, if lines have been shown with their numbers."""
    if session.numbered or not _open(session):
        return line(session, about)
    named = [one for one in answers.labels(session.game.ask) if one]
    said = f"There is no option {about} now: there are {listed(named)}."
    return [Said(said), Said(f"Lines of the log have numbers too: type `log`, then `why {about}`.", level=1)]


def _why_not(session: Session, about: str) -> list[Said]:
    """Something that is not offered; or is, and then why."""
    if session.game.seat < 0:
        return [Said("Dice are being rolled: there are no options to ask about."), *USAGE]
    if not _open(session):
        return [Said(f"Only {session.game.ask.player} can see the options of this question."), *USAGE]
    why = Why(session.game, session.view.seat)
    found = answers.matching(session.game.ask, about)
    if len(found) == 1:
        return [Said(f"{found[0].text} is offered."), *why_options.offered(why, found[0])]
    if why.question.domain == "ways":
        return why_options.refused_dice(why, about)
    possible = _possible(why.candidates(), about)
    offered = {option.value for option in session.game.ask.options}
    possible = [one for one in possible if one.value not in offered] or possible
    if len(possible) == 1:
        return why_options.refused(why, possible[0])
    if possible:
        return [Said(f"`{about}` could be {answers.choices(possible)}: type more of it.")]
    return _elsewhere(session, why, about)


def _possible(candidates: Ask, about: str) -> list[Option]:
    """What is meant by words; places in the list of everything possible mean nothing."""
    named = [o for o in candidates.options if about.casefold() in (o.text.casefold(), o.key.casefold())]
    return named or answers.by_words(candidates.options, " ".join(about.casefold().split()))


def _elsewhere(session: Session, why: Why, about: str) -> list[Said]:
    """It is no answer to this question at all; perhaps it is one to others."""
    found: list[Said] = []
    names: list[str] = []
    for number, question in enumerate(session.game.program.questions):
        named = _possible(why.candidates(number), about) if question.domain not in ("number", "die", "ways") else []
        if len(named) == 1 and question.name not in ("shuffle", "roll"):
            said = _asks(session, question)
            found += [Said(said.words, said.place, 1)] if said.words not in [one.words for one in found] else []
            names.append(named[0].text)
    asked = session.game.ask.prompt
    if found:
        more = [Said("and elsewhere.", level=1)] if len(found) > ELSEWHERE else []
        head = f"{names[0]} is not an answer to “{asked}”. It may be one elsewhere:"
        return [Said(head), *found[:ELSEWHERE], *more]
    return [Said(_unknown(session, why, about)), *USAGE]


def _unknown(session: Session, why: Why, about: str) -> str:
    found = questions.things(session.game.program, about)
    if found:
        return f"{found[0].title or found[0].name} cannot be chosen: no question asks for it."
    texts = [option.text for option in why.candidates().options]
    things = [thing.title or thing.name for kind in session.game.program.kinds for thing in kind.things]
    measures = [measure.name for measure in session.game.program.reasons.measures]
    near = did_you_mean(about, [*texts, *things, *measures])
    return f"Nothing here is called `{about}`{f': {near}' if near else ''}."


# --- lines of the log ----------------------------------------------------------------------------------


def line(session: Session, number: str) -> list[Said]:
    """What led to a line of the log, by its number, or to the last one."""
    lines: Sequence[Line] = session.log_lines()
    if number.casefold() == "last":
        number = str(len(lines))
    if not lines:
        return [Said("Nothing has happened yet.")]
    if not number.isdecimal() or len(number) > 6:
        return [Said(f"`{number}` is not the number of a line: `log` shows them.")]
    if not 1 <= int(number) <= len(lines):
        return [Said(f"There is no line {number}: the log has lines 1 to {len(lines)}.")]
    return why_log.line(explainer(session), lines[int(number) - 1])


__all__ = ["USAGE", "answer", "explainer", "line"]
