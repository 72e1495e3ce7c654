"""The command `why` during a game: what its words refer to, and the explanation in lines for the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from edict.apps.cli.playing import questions
from edict.apps.cli.playing.screen import Lines, Screen
from edict.apps.cli.playing.session import Session
from edict.game.explanations import log_explanations, reasons_in_words
from edict.game.explanations.log_explanations import (
    HIDDEN_VALUE,
    OF_OWNER,
    ExplainedNumber,
    LogExplainer,
    describe_number,
)
from edict.game.explanations.option_reasons import OptionExplainer
from edict.game.explanations.reasons_in_words import ReasonLine
from edict.game.table.knowledge import has_secrets
from edict.game.table.log_entries import DisplayLine
from edict.game.table.options import Ask, Option
from edict.runtime.program import Question
from edict.runtime.program.opcodes import QUESTION
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.morphology import to_sentence
from edict.support.report import suggest_word
from edict.support.translations import N_
from edict.support.translations.texts import join_parts, join_texts, translate

USAGE = (
    N_("why 3, why NAME: why you can choose it.  why not NAME: why you can't."),
    N_("why LINE: what led to a line of the log (`log` shows the numbers).  why last: what led to the last line."),
    N_("why score [NAME], why QUANTITY: how a score or another number is worked out."),
    N_("why --exactly ...: the same, with rule conditions and line numbers."),
)
MAX_OTHER_QUESTIONS = 3  # other questions in an answer
EXACTLY = "--exactly"


def usage_lines() -> list[ReasonLine]:
    """Return the lines that say how to ask why."""
    return [ReasonLine(translate(line), level=1) for line in USAGE]


def answer_why(session: Session, query: str) -> list[ReasonLine]:
    """Return the answer to `why` and the words after it; the game does not change."""
    words = query.split()
    exactly = EXACTLY in words[:1] or EXACTLY in words[-1:]
    query = " ".join(word for word in words if word != EXACTLY)
    return reasons_in_words.select_voice(_find_answer(session, query), exactly)


def _find_answer(session: Session, query: str) -> list[ReasonLine]:
    """Return the lines that explain a query: `not NAME`, `#LINE`, `score`, or a name; none asks about the question."""
    word, _, argument = query.partition(" ")
    if not query:
        return _explain_question(session)
    if word.casefold() == "not":
        if argument:
            return _explain_refusal(session, argument)
        return [ReasonLine(translate("Add a name: `why not NAME`.")), *usage_lines()]
    if word.casefold() in ("line", "log") and argument:
        return explain_line(session, argument)
    if query.startswith("#") or query.casefold() == "last":
        return explain_line(session, query.lstrip("#"))
    if word.casefold() == "score" and not _match_options(session, query):
        return explain_score(make_explainer(session), argument)
    return _explain_subject(session, query)


def make_explainer(session: Session) -> LogExplainer:
    """Return an explainer for the session's viewer; after a game without a holder, for everybody."""
    seat = None if session.game.over and session.holder < 0 else session.view.seat
    return LogExplainer(session.game, seat)


# --- the question and its options --------------------------------------------------------------------


def _match_options(session: Session, query: str) -> list[Option]:
    """Return the options that the typed text can mean; none if the viewer may not see the options."""
    if _can_see_options(session):
        return questions.match_options(session.game.ask, query)
    return []


def _can_see_options(session: Session) -> bool:
    """Return True if there is a question whose options the viewer may see; other options could reveal secrets."""
    game = session.game
    return game.seat >= 0 and (session.view.ask is not None or not has_secrets(game.program))


def _explain_question(session: Session) -> list[ReasonLine]:
    """Explain which rule asks the question, for `why` without words."""
    game = session.game
    if game.over or game.seat >= 0 and not _can_see_options(session):
        return [ReasonLine(translate("Ask about something:")), *usage_lines()]
    question = game.program.questions[game.state[QUESTION]]
    return [_describe_asking_rule(session, question), *usage_lines()]


def _describe_asking_rule(session: Session, question: Question) -> ReasonLine:
    """Return a line that names the rule that asks a question, with its place in the rule files."""
    cause = session.game.program.causes[question.cause]
    folder = dict(session.game.program.reasons.homes).get(cause.file, "")
    prompt = session.game.table.options.prompt(question)
    return ReasonLine(
        translate("“{question}” comes from {rule}.", question=prompt, rule=reasons_in_words.quote_rule(cause)),
        reasons_in_words.format_place(cause, folder),
    )


def _explain_subject(session: Session, query: str) -> list[ReasonLine]:
    """Explain an option, a line of the log, a quantity, or why something is not offered."""
    matches = _match_options(session, query)
    if len(matches) == 1:
        return reasons_in_words.describe_offered_option(OptionExplainer(session.game, session.view.seat), matches[0])
    if len(matches) > 1:
        return [ReasonLine(questions.describe_ambiguity(query, matches))]
    if query.isdecimal():
        return _explain_number(session, query)
    quantity_lines = explain_quantity(make_explainer(session), query, session.view.seat)
    return quantity_lines or _explain_refusal(session, query)


def _explain_number(session: Session, query: str) -> list[ReasonLine]:
    """Explain a number that is no option: a thing on the board with it, or else a numbered line of the log."""
    if session.game.seat >= 0 and questions.find_numbered_titles(session.view, query):
        return _explain_refusal(session, query)
    if session.numbered or not _can_see_options(session):
        return explain_line(session, query)
    note = translate("For line {number} of the log, type `why #{number}`.", number=query)
    return [_describe_missing_option(session, query), ReasonLine(note, level=1)]


def _describe_missing_option(session: Session, query: str) -> ReasonLine:
    """Return a line that no option has the typed label, listing the labels that exist."""
    label_texts = [label for label in questions.option_labels(session.game.ask) if label]
    labels = join_texts(label_texts, "or")
    message = N_("{typed} isn't available now. You can choose {labels}.")
    return ReasonLine(translate(message, typed=query, labels=labels))


def _explain_refusal(session: Session, query: str) -> list[ReasonLine]:
    """Return why the named answer is not offered to this question, or which rules allow it if it is."""
    if session.game.seat < 0:
        return [ReasonLine(translate("Dice are being rolled: there is nothing to choose now.")), *usage_lines()]
    if not _can_see_options(session):
        return [
            ReasonLine(translate("Only {player} can see these choices.", player=session.game.ask.player)),
            *usage_lines(),
        ]
    why = OptionExplainer(session.game, session.view.seat)
    matches = questions.match_options(session.game.ask, query)
    if len(matches) == 1:
        return [
            ReasonLine(translate("{option} is one of your choices.", option=matches[0].text)),
            *reasons_in_words.describe_offered_option(why, matches[0]),
        ]
    if why.question.domain == "ways":
        return reasons_in_words.describe_refused_dice(why, query)
    possible = _match_candidates(why.candidates(), query)
    titles = questions.find_numbered_titles(session.view, query)
    possible = [candidate for candidate in possible if candidate.text in titles] or possible
    if titles and not possible:
        return [line for title in sorted(titles) for line in _explain_no_answer(session, why, title)]
    offered = {option.value for option in session.game.ask.options}
    possible = [candidate for candidate in possible if candidate.value not in offered] or possible
    if len(possible) == 1:
        return reasons_in_words.describe_refused_option(why, possible[0])
    if possible:
        return [ReasonLine(questions.describe_ambiguity(query, possible))]
    return _explain_no_answer(session, why, query)


def _match_candidates(candidates: Ask, query: str) -> list[Option]:
    """Return the possible answers, offered or not, that the typed name, words or printed number mean."""
    named = [
        candidate
        for candidate in candidates.options
        if query.casefold() in (candidate.text.casefold(), candidate.key.casefold())
    ]
    if query.isdecimal() and candidates.domain == "thing":
        numbers = questions.own_numbers(candidates) or [option.caption for option in candidates.options]
        return named or [
            candidate for candidate, number in zip(candidates.options, numbers, strict=True) if number == query
        ]
    return named or questions.match_words(candidates.options, " ".join(query.casefold().split()))


def _explain_no_answer(session: Session, why: OptionExplainer, query: str) -> list[ReasonLine]:
    """Return lines that a name is never an answer to this question, and which rules ask for it elsewhere."""
    if query.isdecimal():  # a number in the title of an option is no name
        return [_describe_missing_option(session, query)]
    lines: list[ReasonLine] = []
    names: list[str] = []
    for number, question in enumerate(session.game.program.questions):
        if question.domain not in ("number", "die", "ways"):
            named = _match_candidates(why.candidates(number), query)
        else:
            named = []
        if len(named) == 1 and question.name not in ("shuffle", "roll"):
            description = _describe_asking_rule(session, question)
            if description.words not in [reason_line.words for reason_line in lines]:
                lines += [ReasonLine(description.words, description.place, 1)]
            else:
                lines += []
            names.append(named[0].text)
    asked = session.game.ask.prompt
    if lines:
        ending = [ReasonLine(translate("and elsewhere."), level=1)] if len(lines) > MAX_OTHER_QUESTIONS else []
        message = N_("{option} is not a choice for “{question}”. You may choose it elsewhere:")
        heading = translate(message, option=names[0], question=asked)
        return [ReasonLine(heading), *lines[:MAX_OTHER_QUESTIONS], *ending]
    return [ReasonLine(_describe_unknown(session, why, query)), *usage_lines()]


def _describe_unknown(session: Session, why: OptionExplainer, query: str) -> str:
    """Return that a known thing is never asked for, or that nothing has this name, with the nearest one."""
    found_things = questions.find_things(session.game.program, query)
    if found_things:
        return translate("{title} is never a choice.", title=found_things[0].title or found_things[0].name)
    texts = [option.text for option in why.candidates().options]
    thing_titles = [thing.title or thing.name for kind in session.game.program.kinds for thing in kind.things]
    measures = [measure.name for measure in session.game.program.reasons.measures]
    suggestion = suggest_word(query, [*texts, *thing_titles, *measures])
    return " ".join(
        filter(
            None,
            (
                translate("I don't know anything called `{name}`.", name=query),
                to_sentence(suggestion) if suggestion else "",
            ),
        )
    )


# --- lines of the log ----------------------------------------------------------------------------------


def explain_line(session: Session, number: str) -> list[ReasonLine]:
    """Explain a line of the log, by its number or `last`."""
    lines: Sequence[DisplayLine] = session.log_lines()
    if number.casefold() == "last":
        number = str(len(lines))
    if not lines:
        return [ReasonLine(translate("Nothing has happened yet."))]
    if not number.isdecimal() or len(number) > 6:
        return [ReasonLine(translate("`{typed}` is not the number of a line: `log` shows them.", typed=number))]
    if not 1 <= int(number) <= len(lines):
        message = N_("There is no line {number}: the log has lines 1 to {last}.")
        return [ReasonLine(translate(message, number=number, last=len(lines)))]
    return log_explanations.describe_line(make_explainer(session), lines[int(number) - 1])


JOINING_WORDS = ("of", "in", "by", "for")  # words between a quantity and its arguments


def explain_score(explainer: LogExplainer, name: str) -> list[ReasonLine]:
    """Return all scores, or the parts of one player's score."""
    players = explainer.game.players
    if not name:
        scores = [explainer.explain_score(seat) for seat in range(len(players))]
        lines = [
            ReasonLine(f"{player}: {_format_value(explained)}", level=1)
            for player, explained in zip(players, scores, strict=True)
        ]
        return [ReasonLine(translate("Current scores. `why score NAME` breaks one down.")), *lines]
    seats = [i for i, player in enumerate(players) if player.casefold().startswith(name.casefold())]
    if len(seats) != 1:
        return [ReasonLine(translate("Whose score? There are {players}.", players=join_texts(players)))]
    return _explain_player_score(explainer, seats[0])


def _format_value(number: ExplainedNumber | None) -> str:
    """Return an explained number as text; `?` if it is hidden or unknown."""
    return "?" if number is None or number.value is None else str(number.value)


def _explain_player_score(explainer: LogExplainer, seat: int) -> list[ReasonLine]:
    """Return lines with a player's score and its terms, from the log's history of it if there is one."""
    player, explained = explainer.game.players[seat], explainer.explain_score(seat)
    if explained is None:
        return [ReasonLine(translate("{player}'s score can't be worked out now.", player=player))]
    if explained.hidden:
        return [ReasonLine(translate("{player}'s score: {reason}.", player=player, reason=translate(HIDDEN_VALUE)))]
    history = explainer.score_sources(seat)
    if history:
        explained = ExplainedNumber("", explained.value, history)
    heading, *parts = describe_number(explained, 0)
    return [ReasonLine(f"{player}: {heading.words}"), *parts]


def explain_quantity(explainer: LogExplainer, query: str, seat: int) -> list[ReasonLine]:
    """Explain a quantity by its name or title, with its arguments if typed; nothing if there is none."""
    for length in range(query.count(" ") + 1, 0, -1):
        name, further_words = " ".join(query.split(" ")[:length]), query.split(" ")[length:]
        matches = [
            candidate
            for candidate in explainer.measures()
            if name.casefold() in (candidate.name.casefold(), candidate.title.casefold())
        ]
        if matches:
            words = [word for word in further_words if word not in JOINING_WORDS]
            return _explain_measure(explainer, matches[0], words, seat)
    return []


def _explain_measure(
    explainer: LogExplainer, quantity: ComputedQuantity, words: Sequence[str], seat: int
) -> list[ReasonLine]:
    """Return lines with a quantity's value and terms for the typed arguments, or why it has none."""
    args = _parse_arguments(explainer, quantity, words, seat)
    if isinstance(args, str):
        return [ReasonLine(args)]
    wording = explainer.game.table.wording
    names = [wording.title(kind, arg) for kind, arg in zip(quantity.kinds, args, strict=True)]
    explained = explainer.explain_measure(quantity, args)
    owners = join_parts(", ", names)
    title = translate(OF_OWNER, title=quantity.title, owner=owners) if names else quantity.title
    cause = explainer.program.causes[quantity.cause]
    place = reasons_in_words.format_place(cause, explainer.module_of(cause))
    if explained is None:
        return [ReasonLine(translate("{title}: this can't be worked out now.", title=title), place)]
    heading, *parts = describe_number(ExplainedNumber(title, explained.value, explained.terms, explained.hidden), 0)
    return [ReasonLine(heading.words, place), *parts]


def _parse_arguments(
    explainer: LogExplainer, quantity: ComputedQuantity, words: Sequence[str], seat: int
) -> list[int] | str:
    """Return the arguments of a quantity, one word each, or an error message. A player not named is the viewer."""
    remaining, arguments = list(words), []
    wording = explainer.game.table.wording
    for i, kind in enumerate(quantity.kinds):
        things = [
            Option(index, index, thing.name, thing.title or thing.name)
            for index, thing in enumerate(wording.things(kind))
        ]
        matches = questions.match_words(things, remaining[0].casefold()) if remaining else []
        if len(matches) == 1:
            arguments.append(matches[0].value)
            remaining.pop(0)
        elif i == quantity.you and seat < len(wording.players):
            arguments.append(seat)
        else:
            usage = " ".join([quantity.name, *(f"{kind.upper()}" for kind in quantity.kinds)])
            return translate("Of what? Type `why {usage}`.", usage=usage)
    if not remaining:
        return arguments
    needed = join_texts(quantity.kinds) or translate("nothing")
    message = N_("`{typed}` is one too many: {title} needs {kinds}.")
    return translate(message, typed=remaining[0], title=quantity.title, kinds=needed)


LEVEL_INDENT = 4  # columns of indent per level


def layout_reasons(screen: Screen, reasons: Sequence[ReasonLine]) -> Lines:
    """Return reasons as lines, wrapped to the screen and indented by level."""
    return [line for reason in reasons for line in _wrap_reason(screen, reason)]


def _wrap_reason(screen: Screen, reason: ReasonLine) -> Iterator[Text]:
    """Yield a reason with its place in brackets, wrapped and indented by its level."""
    text = screen.to_text(reason.words, "bold" if reason.level == 0 else "")
    if reason.place:
        text.append("  " if reason.words else "").append_text(screen.to_text(f"[{reason.place}]", "not bold dim"))
    indent = 2 + LEVEL_INDENT * (reason.level - 1) if reason.level else 0
    if screen.simple:
        yield Text(" " * indent).append_text(text)
        return
    if reason.hang:
        yield from _wrap_beside_head(screen, text, indent, reason.hang)
        return
    for part in text.wrap(screen.console, screen.width - indent, no_wrap=False):
        part.rstrip()
        part.pad_left(indent)
        yield part


def _wrap_beside_head(screen: Screen, text: Text, indent: int, hang: int) -> Iterator[Text]:
    """Yield the first columns of a text beside the rest, which is wrapped."""
    head, rest = text.divide([hang])
    for number, part in enumerate(rest.wrap(screen.console, screen.width - indent - hang, no_wrap=False)):
        part.rstrip()
        yield Text(" " * indent).append_text(head if number == 0 else Text(" " * hang)).append_text(part)
