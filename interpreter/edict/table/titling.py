"""Titles of options that hold values, as the one who is asked may know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.program import PanelLine
from edict.program.opcodes import QUESTION, SEAT
from edict.table.knowledge import Secrets, Watched, attempt
from edict.table.options import Ask, Options
from edict.table.wording import agreed
from edict.text import run_on

UNKNOWN = "…"  # as where a title is written outside any game


def titled(options: Options, state: Sequence[int], ask: Ask) -> Ask:
    """The question with the values that titles of its options hold, in the state in which it waits."""
    titles = options.program.questions[state[QUESTION]].titles
    if not titles:
        return ask
    hidden = frozenset(Secrets.of(options.program).hidden(list(state), state[SEAT]))
    texts = {i: _text(options, Watched(state, hidden), line) for i, line in enumerate(titles) if line.parts}
    return replace(ask, options=tuple(replace(one, text=texts.get(one.value, one.text)) for one in ask.options))


def _text(options: Options, state: Watched, line: PanelLine) -> str:
    """The parts of a title run on; a text after a number agrees with it."""
    found, number = list[str](), None
    for part in line.parts:
        if part.query < 0:
            found.append(agreed(part.text, number))
            number = None
            continue
        of, watched = options.program.queries[part.query].type, Watched(state, state.hidden)
        value = attempt(options.program, watched, part.query)
        known = value is not None and not watched.seen
        number = value if known and of.shape == "number" else None
        found.append(options.wording.value(of, value) if known and value is not None else UNKNOWN)
    return run_on(found)
