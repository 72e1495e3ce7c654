"""A sentence of English apart into its clauses: when it happens, to whom, under which condition, and what is done.

Each becomes a line under the one before, still in English; `phrases` say each of them in the language. What comes out
is tried like every other remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from edict.language import tree as t
from edict.language.declared import Declared
from edict.language.facts import indent
from edict.language.lists import known

SHORTEST = 3  # words of a sentence
MOST = 6  # ways of taking one apart that are tried
_IF = re.compile(
    r"(?:if|in case|as long as|provided)\s+(?P<asked>[^,]+?)\s*(?:,\s*(?:then\s+)?|\bthen\s+)(?P<rest>\S.*)", re.I
)
_AFTERWARDS = re.compile(r"(?P<rest>\S.*?\S),?\s+(?:but\s+)?(?:only\s+)?if\s+(?P<asked>\S.*)", re.I)
_YOU = re.compile(r"\b(?:you|they)\b", re.I)
_WHEN = re.compile(
    r"(?:(?:at|on|in|during|after|before|when)\s+)?(?:the\s+)?(?:(?P<edge>start|beginning|end)\s+of\s+)?"
    r"(?:each|every|the|a|any)?\s*(?P<phase>[a-z][\w-]*)\s*(?P<ends>ends?|begins?|starts?)?\s*,?\s+(?P<rest>\S.*)",
    re.I,
)
_WHO = re.compile(
    r"(?P<who>(?:each|every|all|any|both|the|other|players?|everyone|everybody|anyone|anybody|whoever|those|opponents?|"
    r"nobody)\b.*?)\s+(?P<verb>{verbs})\s+(?P<rest>\S.*)", re.I,
)  # fmt: skip
_WHOEVER = re.compile(
    r"^(?:whoever|(?:anyone|anybody|everyone|everybody|those|all|any|a player|players)\s+(?:who|that|with))\b\s*", re.I
)


def clauses(line: str, declared: Declared) -> Iterator[str]:
    """The line in its clauses, in several ways; nothing, if it is no sentence."""
    lead, text = indent(line), spelled(line.strip())
    if len(text.split()) < SHORTEST or '"' in text:
        return
    ways = [[text], *_apart(text)]
    if not lead:
        ways = [[when, *way] for when, rest in _moments(text, declared) for way in (*_apart(rest), [rest])]
        ways = [way if _everybody(way[1]) else [way[0], "each player", *way[1:]] for way in ways]
    for way in ways[:MOST]:
        written = "\n".join(" " * (lead + 2 * depth) + one for depth, one in enumerate(way))
        if written != line:
            yield written


def spelled(text: str) -> str:
    """A sentence without its capital and its full stop."""
    lead, end = indent(text), re.compile(r"\s*[.!;]*\s*\Z").search(text)
    text = text[: end.start()] if end and len(text.split()) >= SHORTEST else text
    return text[:lead] + text[lead : lead + 1].lower() + text[lead + 1 :]


def _everybody(clause: str) -> bool:
    return re.match(r"(?:each|every|all|players?|everyone|everybody|for)\b", clause) is not None


def _apart(text: str) -> Iterator[list[str]]:
    """Who, under which condition, and what."""
    afterwards = _AFTERWARDS.fullmatch(text) if _YOU.search(text) and not _everybody(text) else None
    for found in (_IF.fullmatch(text), afterwards):
        if found is not None:
            yield from ([f"if {found['asked']}", *rest] for rest in (*_apart(found["rest"]), [_done(found["rest"])]))
    who = _who().fullmatch(text)
    if who is not None:
        every = re.sub(r"^(?:every|all|any)\s+players?\b", "each player", _WHOEVER.sub("each player who ", who["who"]))
        yield [every, _done(f"{who['verb']} {who['rest']}")]


def _done(text: str) -> str:
    """What is done, with its verb as the language has it."""
    text = re.sub(r"^(?:you|they|he|she|i|that player)\s+", "", text)
    text = re.sub(r"\s+(?:each|too|instead|as well|for free)$", "", text)
    verb, _, rest = text.partition(" ")
    said = known("synonyms")
    meant = next((one for one in ("gain", "lose") if verb in (one, one + "s", *said[one].split())), "")
    return f"{meant} {rest}" if meant else text


@cache
def _who() -> re.Pattern[str]:
    said = known("synonyms")
    verbs = {word for one in ("gain", "lose") for word in (one, one + "s", *said[one].split()) if word.isascii()}
    more = {"may", "can", "must", "draw", "draws", "rolls", "roll", "plays", "play", "chooses", "choose"}
    return re.compile(_WHO.pattern.replace("{verbs}", "|".join(sorted(verbs | more, key=len, reverse=True))), re.I)


def _moments(text: str, declared: Declared) -> Iterator[tuple[str, str]]:
    """When it happens, as the language waits for it, and the rest; the first phase, if nothing is said of that."""
    found = _WHEN.fullmatch(text)
    phase = declared.meant(found["phase"]) if found else ""
    if found is not None and declared.sort(phase) == "phase":
        ends = (found["edge"] or "") == "end" or (found["ends"] or "").startswith("end") or text.startswith("after")
        yield f"when {'end' if ends else 'start'} of {phase}", found["rest"]
    elif found is None or not found["edge"]:
        games = (one for one in declared.definitions.values() if isinstance(one, t.Game))
        plays = (step for game in games for step in _all(game.course or ()) if isinstance(step, t.Play))
        first = next((one.phase.word for one in plays), "")
        yield from [(f"when start of {first}", text)] if first and re.match(_SUBJECT, text) else []


_SUBJECT = r"(?:each|every|all|players|everyone|everybody|whoever|the player)\b"


def _all(steps: tuple[t.Stmt, ...]) -> Iterator[t.Stmt]:
    for step in steps:
        yield step
        yield from _all(getattr(step, "block", None) or ())
