"""Help at the table: `?` tells what anything is and does, `hint` what a bot expects, `primer` how to play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.agents.bots.search import Budget, SearchBot, TriedOption
from edict.apps.cli.playing import questions, typed_dice
from edict.apps.cli.playing.questions import Put, labels, matching, own_numbers
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.apps.cli.playing.why import why_lines
from edict.apps.cli.who_plays import notice
from edict.game.explanations.glossary import GlossaryEntry, load_glossary
from edict.game.explanations.reasons_in_words import ReasonLine
from edict.game.table.game import Game
from edict.game.table.options import Ask, Option
from edict.game.table.seeded_draws import bot_seed
from edict.runtime.simulation import native
from edict.support.morphology import join_words
from edict.support.report import RulesError

ON_PANEL = "shown on"
COMMANDS = {  # what is asked about beside the things of the game
    "hint": (
        "hint (a command)",
        "The computer plays each option out many times against itself, and then says what came of it. It uses nothing "
        "that you may not know.",
        "win: how often the option won. lead: by how much it was ahead at the end, on average. tries: how often it "
        "was played out; the one that was tried most is what the computer would choose.",
        "It thinks for a second; `hint 5s` gives it five.",
    ),
}
MOST_NAMES = 12


def answered(session: Session, about: str) -> list[ReasonLine]:
    """What to say to `?` and whatever was typed after it."""
    asked = session.game.seat >= 0 and not session.game.over
    if not about and not asked:
        return [ReasonLine(line) for line in typed_dice.dice_explained(session.game)]
    put = session.put() if asked else None
    options = _meant(put, about) if put is not None else []
    said = [_option(put, option) for option in options] if put is not None else []
    if about and (len(options) < 2 or not _is_label(put, about)):
        said += _named(session, options[0].text if len(options) == 1 else about, said)
    return said or [_unknown(session, about)]


def _meant(put: Put, about: str) -> list[Option]:
    return matching(put.ask, about) if about else list(put.ask.options)


def _is_label(put: Put | None, about: str) -> bool:
    return put is not None and about in labels(put.ask)


def _option(put: Put | None, option: Option) -> ReasonLine:
    """` 3 Inn (costs 1 gold): costs 1 gold, 1 wood. At the end of every season ...`"""
    assert put is not None
    one, _, told = list(put.rows)[option.index]
    caption = f" ({option.caption})" if option.caption and option.caption not in own_numbers(put.ask) else ""
    words = ". ".join(filter(None, (told, option.words)))
    head = f"{one} {option.text}{caption}".strip()
    return ReasonLine(f"{head}: {words}" if words else head, level=1)


# --- anything with a name --------------------------------------------------------------------------


def _named(session: Session, about: str, said: list[ReasonLine]) -> list[ReasonLine]:
    """All that is called so, without what was `said` of it already."""
    command = [
        ReasonLine(line, level=int(number > 0)) for number, line in enumerate(COMMANDS.get(about.casefold(), ()))
    ]
    glossary = load_glossary(session.game.table)
    if command and not said:
        return command
    if glossary is None:
        return [ReasonLine(line) for line in questions.of_things(session.game.program, about)] if not said else []
    entries = glossary.look_up(about, session.view).entries
    mostly = [entry for entry in entries if not entry.sort.startswith(ON_PANEL)] or list(entries)
    if said:  # an option: of the thing that is chosen, what has not been said
        mostly = [entry for entry in mostly if entry.title.casefold() == about.casefold()][:1]
    known = " ".join(one.words for one in said)
    lines = _unrepeated(mostly)
    return [line for line in lines if line.level == 0 and not said or line.level and line.words.strip() not in known]


def _unrepeated(entries: Sequence[GlossaryEntry]) -> list[ReasonLine]:
    """What is said of several things that have one name, each sentence once."""
    found: list[ReasonLine] = []
    for entry in entries:
        head, *lines = _entry(entry)
        new = [line for line in lines if line not in found]
        found += [head, *new] if new or not lines else []
    return found


def _entry(entry: GlossaryEntry) -> Iterator[ReasonLine]:
    """A name, its values, what it is and does, what acts on it, and how it stands now."""
    where = f", {entry.module}" if entry.module else ""
    facts = "; ".join(f"{name} {value}" for name, value in entry.facts)
    yield ReasonLine(f"{entry.title} ({entry.sort}{where}){': ' + facts if facts else ''}")
    yield from (ReasonLine(line, level=1) for line in entry.lines)
    yield from (ReasonLine(line, level=1) for line in _exactly(entry.exactly))
    if entry.members:
        names = list(dict.fromkeys(entry.members))
        listed = join_words(names, limit=MOST_NAMES)
        yield ReasonLine(f"There {'is' if len(names) == 1 else 'are'} {listed}.", level=1)
    yield from (ReasonLine(line, level=1) for line in entry.touched)
    yield from (ReasonLine(line, level=1) for line in entry.now)


def _exactly(lines: Sequence[str]) -> Iterator[str]:
    """What the author's words stand for: in one line, if it is not told step by step."""
    if lines and not any(line.startswith(" ") for line in lines):
        yield f"Exactly: {' '.join(lines)}"
    elif lines:
        yield "Exactly:"
        yield from (f"  {line}" for line in lines)


def _unknown(session: Session, about: str) -> ReasonLine:
    glossary = load_glossary(session.game.table)
    near = glossary.look_up(about).nearest if glossary is not None else ""
    return ReasonLine(f"Nothing here is named `{about}`{': ' + near if near else '.'}")


SECONDS = 1.0
SLOWER = 3.0  # without native code
SHOWN = 8  # options told about


def hint(session: Session, typed: str) -> bool:
    """Think about the question, and report the outcome of each option; nothing the seat may not know is used."""
    game, screen = session.game, session.screen
    if game.over or game.seat < 0:
        screen.say("There is nothing to decide here: roll the dice and type what they show. `?` explains how.")
        return False
    try:
        budget = Budget.read(typed) if typed else Budget(seconds=SECONDS if native.is_available() else SLOWER)
    except ValueError as wrong:
        screen.say(f"`hint {typed}`: {wrong}.")
        return False
    screen.say(*filter(None, (notice(), "Thinking ...")))
    seed = bot_seed(game.table.seed, len(game.players) + len(game.answers))
    bot = SearchBot(game.program, seed, budget)
    screen.say(*hint_lines(game.ask, bot.advice(game.view(game.seat))))
    return False


def hint_lines(ask: Ask, found: list[TriedOption]) -> list[str]:
    """A small table, the best option first: the share of the victory expected, the lead in score, the tries."""
    ranked = sorted(found, key=lambda tried: (-tried.tries, -tried.share, -tried.lead))
    width = max(len(ask.options[tried.index].text) for tried in ranked)
    labels = questions.labels(ask)
    lines = [f"{'':{width + 4}} {'win':>7} {'lead':>7} {'tries':>7}"]
    for tried in ranked[:SHOWN]:
        name = f"{labels[tried.index]:>3} {ask.options[tried.index].text:{width}}"
        lines.append(f"{name} {_numbers(tried)} {tried.tries:>7}")
    if len(ranked) > SHOWN:
        lines.append(f"    and {len(ranked) - SHOWN} more, tried less")
    return lines


def _numbers(tried: TriedOption) -> str:
    return f"{100 * tried.share:>5.0f} % {tried.lead:>+7.1f}" if tried.tries else f"{'-':>7} {'-':>7}"


def show_primer(screen: Screen, game: Game) -> None:
    """The primer, a screen at a time."""
    header = game.journal.header
    try:
        lines = primer_lines(header.game, header.modules)
    except RulesError:
        screen.say("These rules are no longer where they were, so there is no primer.")
        return
    said = [ReasonLine(line.strip(), level=int(line.startswith(" "))) for line in lines]
    drawn = why_lines(screen, said)
    page = screen.height - 2 if screen.alive else len(drawn)
    for start in range(0, len(drawn), page):
        if start:
            screen.wait()
        screen.draw(drawn[start : start + page])


def primer_lines(game: str, modules: Sequence[str]) -> list[str]:
    """A line a sentence, under headings, with an empty line between the parts; nothing is wrapped."""
    return list(_lines(game, modules))[:-1]


def _lines(game: str, modules: Sequence[str]) -> Iterator[str]:
    from edict.apps.cli.rules_by_name import known
    from edict.prose.rulebook.primer import build_primer

    for heading, sentences in build_primer(known(game, modules)).parts:
        yield heading
        yield from (f"  {sentence}" for sentence in sentences)
        yield ""
