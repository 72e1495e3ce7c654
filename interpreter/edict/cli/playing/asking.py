"""`?`: what the options of the question do, and what anything with a name is and does."""

from __future__ import annotations

from collections.abc import Iterator

from edict.cli.playing import dice, questions
from edict.cli.playing.answers import has_own_numbers, labels, matching
from edict.cli.playing.questions import Put
from edict.table.why_options import Said
from edict.cli.playing.session import Session
from edict.table.glossary import Entry, glossary_of
from edict.table.options import Option

ON_PANEL = "shown on"
MOST_NAMES = 12


def answered(session: Session, about: str) -> list[Said]:
    """What to say to `?` and whatever was typed after it."""
    asked = session.game.seat >= 0 and not session.game.over
    if not about and not asked:
        return [Said(line) for line in dice.explained(session.game)]
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


def _option(put: Put | None, option: Option) -> Said:
    """` 3 Inn (costs 1 gold): costs 1 gold, 1 wood. At the end of every season ...`"""
    assert put is not None
    one, _, told = list(put.rows)[option.index]
    caption = f" ({option.caption})" if option.caption and not has_own_numbers(put.ask) else ""
    words = ". ".join(filter(None, (told, option.words)))
    head = f"{one} {option.text}{caption}".strip()
    return Said(f"{head}: {words}" if words else head, level=1)


# --- anything with a name --------------------------------------------------------------------------


def _named(session: Session, about: str, said: list[Said]) -> list[Said]:
    """All that is called so, without what was `said` of it already."""
    glossary = glossary_of(session.game.table)
    if glossary is None:
        return [Said(line) for line in questions.of_things(session.game.program, about)] if not said else []
    entries = glossary.look(about, session.view).entries
    mostly = [entry for entry in entries if not entry.sort.startswith(ON_PANEL)] or list(entries)
    if said:  # an option: of the thing that is chosen, what has not been said
        mostly = [entry for entry in mostly if entry.title.casefold() == about.casefold()][:1]
    known = " ".join(one.words for one in said)
    lines = [line for entry in mostly for line in _entry(entry)]
    return [line for line in lines if line.level == 0 and not said or line.level and line.words.strip() not in known]


def _entry(entry: Entry) -> Iterator[Said]:
    """A name, its values, what it is and does, what acts on it, and how it stands now."""
    where = f", {entry.module}" if entry.module else ""
    facts = "; ".join(f"{name} {value}" for name, value in entry.facts)
    yield Said(f"{entry.title} ({entry.sort}{where}){': ' + facts if facts else ''}")
    yield from (Said(line, level=1) for line in entry.lines)
    if entry.members:
        names = list(dict.fromkeys(entry.members))
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        yield Said(f"There {'is' if len(names) == 1 else 'are'} {', '.join(names[:MOST_NAMES])}{more}.", level=1)
    yield from (Said(line, level=1) for line in entry.touched)
    yield from (Said(line, level=1) for line in entry.now)


def _unknown(session: Session, about: str) -> Said:
    glossary = glossary_of(session.game.table)
    near = glossary.look(about).nearest if glossary is not None else ""
    return Said(f"Nothing here is called `{about}`{': ' + near if near else '.'}")
