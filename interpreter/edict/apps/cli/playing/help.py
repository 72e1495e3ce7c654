"""Help during a game: `?` explains options and definitions, `hint` evaluates options, `primer` explains the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.agents.bots.search_bot import SearchBot, SearchBudget, TriedOption
from edict.apps.cli.playing import questions, typed_dice
from edict.apps.cli.playing.questions import PresentedQuestion, match_options, option_labels, own_numbers
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.apps.cli.playing.why import layout_reasons
from edict.apps.cli.seating import speed_notice
from edict.game.explanations.glossary import GlossaryEntry, load_glossary
from edict.game.explanations.reasons_in_words import ReasonLine
from edict.game.table.game import Game
from edict.game.table.options import Ask, Option
from edict.game.table.seeded_draws import bot_seed
from edict.runtime.simulation import native
from edict.support.morphology import capitalize, to_sentence
from edict.support.report import RulesError
from edict.support.translations import ENGLISH, N_, current_language
from edict.support.translations.texts import join_parts, join_some, translate

ON_PANEL = "shown on"
COMMAND_HELP = {  # help on commands, for `? COMMAND`
    "hint": (
        N_("hint (a command)"),
        N_(
            "The computer plays many games against itself from each choice on, and shows how they ended. It uses only "
            "what you may know."
        ),
        N_(
            "win chance: how often the choice won. expected lead: how far ahead it was at the end, on average. games "
            "simulated: how many games began with it; the computer would take the choice with the most."
        ),
        N_("It thinks for a second; `hint 5s` gives it five."),
    ),
}
MAX_NAMES = 12
THERE_IS, THERE_ARE = N_("There is {names}."), N_("There are {names}.")
HINT_HEADINGS = (N_("win chance"), N_("expected lead"), N_("games simulated"))


def explain(session: Session, query: str) -> list[ReasonLine]:
    """Return the lines for `? QUERY`: the options it matches, else things, rules or commands of that name."""
    has_question = session.game.seat >= 0 and not session.game.over
    if not query and not has_question:
        return [ReasonLine(line) for line in typed_dice.explain_dice(session.game)]
    question = session.build_question() if has_question else None
    options = _match_options(question, query) if question is not None else []
    if question is not None:
        lines = [_describe_option(question, option) for option in options]
    else:
        lines = []
    if not options:
        titles = questions.find_numbered_titles(session.view, query)
        if titles:
            return [line for title in sorted(titles) for line in _describe_matches(session, title, [])]
    if query and (len(options) < 2 or not _is_label(question, query)):
        lines += _describe_matches(session, options[0].text if len(options) == 1 else query, lines)
    return lines or [_describe_unknown(session, query)]


def _match_options(question: PresentedQuestion, query: str) -> list[Option]:
    """Return the question's options that the typed text can mean; all of them for an empty text."""
    return match_options(question.ask, query) if query else list(question.ask.options)


def _is_label(question: PresentedQuestion | None, query: str) -> bool:
    """Return True if the typed text is the label of an option; False without a question."""
    return question is not None and query in option_labels(question.ask)


def _describe_option(question: PresentedQuestion | None, option: Option) -> ReasonLine:
    """Describe an option.

    For example: `3 Inn (costs 1 gold): costs 1 gold, 1 wood. At the end of every season ...`.
    """
    assert question is not None
    label, _, outcome = list(question.rows)[option.index]
    if option.caption and option.caption not in own_numbers(question.ask):
        caption = f" ({option.caption})"
    else:
        caption = ""
    text = join_parts(". ", filter(None, (outcome, option.words)))
    heading = f"{label} {option.text}{caption}".strip()
    return ReasonLine(f"{heading}: {text}" if text else heading, level=1)


# --- anything with a name --------------------------------------------------------------------------


def _describe_matches(session: Session, query: str, said: list[ReasonLine]) -> list[ReasonLine]:
    """Return the lines on a command or the glossary entries of a name, without sentences in `said`."""
    command = [
        ReasonLine(translate(line), level=int(number > 0))
        for number, line in enumerate(COMMAND_HELP.get(query.casefold(), ()))
    ]
    glossary = load_glossary(session.game.table)
    if command and not said:
        return command
    if glossary is None:
        if not said:
            return [ReasonLine(line) for line in questions.describe_things(session.game.program, query)]
        return []
    entries = glossary.look_up(query, session.view).entries
    relevant = [entry for entry in entries if not entry.sort.startswith(ON_PANEL)] or list(entries)
    if said:  # for an option, only the entry of the chosen thing
        relevant = [entry for entry in relevant if entry.title.casefold() == query.casefold()][:1]
    said_text = " ".join(reason_line.words for reason_line in said)
    lines = _merge_entries(relevant)
    return [
        line for line in lines if line.level == 0 and not said or line.level and line.words.strip() not in said_text
    ]


def _merge_entries(entries: Sequence[GlossaryEntry]) -> list[ReasonLine]:
    """Return the lines of glossary entries under their headings; a sentence of an earlier entry is left out."""
    merged: list[ReasonLine] = []
    for entry in entries:
        heading, *lines = _entry_lines(entry)
        new = [line for line in lines if line not in merged]
        merged += [heading, *new] if new or not lines else []
    return merged


def _entry_lines(entry: GlossaryEntry) -> Iterator[ReasonLine]:
    """Yield the lines of an entry: title, effects, values, what affects it, and its current state."""
    module_part = f", {entry.module}" if entry.module else ""
    facts = "; ".join(f"{name} {value}" for name, value in entry.facts)
    yield ReasonLine(f"{entry.title} ({entry.sort}{module_part})")
    yield from (ReasonLine(line, level=1) for line in entry.lines)
    yield from (ReasonLine(line, level=1) for line in _exact_lines(entry.exactly))
    yield from [ReasonLine(to_sentence(facts), level=1)] if facts else []
    if entry.members:
        names = list(dict.fromkeys(entry.members))
        message = THERE_IS if len(names) == 1 else THERE_ARE
        yield ReasonLine(translate(message, names=join_some(names, MAX_NAMES)), level=1)
    yield from (ReasonLine(line, level=1) for line in entry.touched)
    yield from (ReasonLine(line, level=1) for line in entry.now)


def _exact_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the wording generated from the rules after `Exactly:`, on the same line unless it has steps."""
    if lines and not any(line.startswith(" ") for line in lines):
        yield translate("Exactly: {sentences}", sentences=join_parts(" ", lines))
    elif lines:
        yield translate("Exactly:")
        yield from (f"  {line}" for line in lines)


def _describe_unknown(session: Session, query: str) -> ReasonLine:
    """Return a line that nothing has this name, with the nearest name of the glossary if there is one."""
    glossary = load_glossary(session.game.table)
    suggestion = glossary.look_up(query).nearest if glossary is not None else ""
    unknown = translate("I don't know anything called `{name}`.", name=query)
    return ReasonLine(" ".join(filter(None, (unknown, capitalize(suggestion)))))


SECONDS = 1.0  # of thought for `give_hint`
SECONDS_IN_PYTHON = 3.0  # without native code
MAX_SHOWN_OPTIONS = 8


def give_hint(session: Session, typed: str) -> bool:
    """Think about the question and print the expected result of each option, from what the seat may know.

    Returns False, like every command that leaves the question open.
    """
    game, screen = session.game, session.screen
    if game.over or game.seat < 0:
        screen.say(translate("There is nothing to decide: roll the dice and type what they show. `?` explains how."))
        return False
    try:
        if typed:
            budget = SearchBudget.parse(typed)
        else:
            budget = SearchBudget(seconds=SECONDS if native.is_available() else SECONDS_IN_PYTHON)
    except ValueError as error:
        screen.say(f"`hint {typed}`: {error}.")
        return False
    screen.say(*filter(None, (speed_notice(), translate("Thinking ..."))))
    seed = bot_seed(game.table.seed, len(game.players) + len(game.answers))
    bot = SearchBot(game.program, seed, budget)
    screen.say(*hint_lines(game.ask, bot.analyze_options(game.view(game.seat))))
    return False


def hint_lines(ask: Ask, evaluated: list[TriedOption]) -> list[str]:
    """Return a table of options, the best first, with expected wins, lead in score and number of playouts."""
    ranked = sorted(evaluated, key=lambda tried: (-tried.tries, -tried.share, -tried.lead))
    width = max(len(ask.options[tried.index].text) for tried in ranked)
    label_texts = questions.option_labels(ask)
    headings = [translate(heading) for heading in HINT_HEADINGS]
    widths = [len(heading) for heading in headings]
    lines = [" " * (width + 5) + "  ".join(headings)]
    for tried in ranked[:MAX_SHOWN_OPTIONS]:
        name = f"{label_texts[tried.index]:>3} {ask.options[tried.index].text:{width}}"
        cells = (*_format_numbers(tried), str(tried.tries))
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{name} {numbers}")
    if len(ranked) > MAX_SHOWN_OPTIONS:
        more = translate("and {number} more, simulated less often", number=len(ranked) - MAX_SHOWN_OPTIONS)
        lines.append(f"    {more}")
    return lines


def _format_numbers(tried: TriedOption) -> tuple[str, str]:
    """Return an option's expected share of the victory in percent and its lead; dashes if untried."""
    return (f"{100 * tried.share:.0f} %", f"{tried.lead:+.1f}") if tried.tries else ("-", "-")


def show_primer(screen: Screen, game: Game) -> None:
    """Show the primer page by page."""
    header = game.journal.header
    try:
        lines = primer_lines(header.game, header.modules)
    except RulesError:
        screen.say(translate("These rules are no longer where they were, so there is no primer."))
        return
    reason_lines = [ReasonLine(line.strip(), level=int(line.startswith(" "))) for line in lines]
    drawn = layout_reasons(screen, reason_lines)
    page = screen.height - 2 if screen.alive else len(drawn)
    for start in range(0, len(drawn), page):
        if start:
            screen.wait()
        screen.draw(drawn[start : start + page])


def primer_lines(game: str, modules: Sequence[str]) -> list[str]:
    """Return the primer, a line per sentence under headings, with empty lines between parts; nothing is wrapped."""
    return list(_iter_primer_lines(game, modules))[:-1]


def _iter_primer_lines(game: str, modules: Sequence[str]) -> Iterator[str]:
    """Yield the primer's headings, each followed by its indented sentences and an empty line."""
    from edict.apps.cli.rules_by_name import load_annotated_rules
    from edict.compiler.sources.words_files import load_phrasebook
    from edict.prose.rulebook.primer import build_primer, translate_primer

    rules = load_annotated_rules(game, modules)
    primer = build_primer(rules)
    if current_language() != ENGLISH:
        primer = translate_primer(primer, load_phrasebook(rules.modules, current_language()))
    for heading, sentences in primer.parts:
        yield heading
        yield from (f"  {sentence}" for sentence in sentences)
        yield ""
