"""Finding what somebody means by a word: a name, a title, the beginning of one, a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.walking import walk
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.history import sort_title
from edict.prose.rulebook.judging import without_judgement
from edict.support.morphology import split_title
from edict.support.report import did_you_mean

MOST = 8


@dataclass(frozen=True, slots=True)
class Named:
    """Something with a name: `definition` as it is, or as it stood before it was removed."""

    name: str
    definition: t.Definition
    gone: bool = False

    @property
    def title(self) -> str:
        return singular_title(self.definition)

    @property
    def sort(self) -> str:
        return sort_title(self.definition)


def everything(known: Known) -> dict[str, Named]:
    """All that has a name, also what a module removed."""
    there: dict[str, t.Definition] = {**known.definitions, **known.standing}
    found = {name: Named(name, definition) for name, definition in there.items()}
    for name, done in known.history.items():
        last = [change.after for change in done if change.after is not None]
        if name not in found and last:
            found[name] = Named(name, last[-1], gone=True)
    return found


def look(known: Known, about: str) -> list[Named]:
    """What is called so; else what begins so; else what asks such a question or has such a field or rule."""
    all_ = everything(known)
    wanted = about.casefold().strip()
    if not wanted:
        return []
    for found in (_exact(all_, wanted), _beginning(all_, wanted), _inside(all_, wanted)):
        if found:
            return found[:MOST]
    return []


def shown_in(known: Known, about: str) -> tuple[Known, list[Named]]:
    """What is called so, and the rules to show it in: with what is there for bots only if nothing else is called so."""
    without = without_judgement(known)
    found = look(without, about)
    return (without, found) if found else (known, look(known, about))


def nearest(known: Known, about: str) -> str:
    """A did-you-mean over names and titles, or how to see what there is."""
    words = {word for one in everything(known).values() for word in (one.name, one.title.casefold())}
    near = did_you_mean(about.casefold().strip(), sorted(words))
    return near or "name a thing, kind, resource, quantity, action, phase, setting or house rule; or `find` it by words"


def _exact(all_: dict[str, Named], wanted: str) -> list[Named]:
    if wanted in all_:
        others = [one for one in all_.values() if one.title.casefold() == wanted and one.name != wanted]
        return [all_[wanted], *others]
    return [
        one
        for one in all_.values()
        if wanted in (form.casefold() for form in (*split_title(one.definition.title), one.title))
    ]


def _beginning(all_: dict[str, Named], wanted: str) -> list[Named]:
    """Each typed word begins one of the words of the title or name, in their order; what begins with it first."""
    typed = _words(wanted)
    found = [one for one in all_.values() if _begins(_words(one.title), typed) or _begins(_words(one.name), typed)]
    return sorted(found, key=lambda one: not one.title.casefold().startswith(wanted))


def _inside(all_: dict[str, Named], wanted: str) -> list[Named]:
    """Definitions that hold a field, a rule or a question of this name."""
    exactly = [one for one in all_.values() if any(word.casefold() == wanted for word in _held(one))]
    return exactly or [one for one in all_.values() if any(p.casefold().startswith(wanted) for p in _prompts(one))]


def _held(one: Named) -> Iterator[str]:
    for node in walk(one.definition):
        if isinstance(node, t.Rule):
            yield from (node.name.word, f"{one.name}.{node.name.word}")
        elif isinstance(node, t.FieldDef):
            yield from (word for word in (node.name.word, node.title) if word)
    yield from _prompts(one)


def _prompts(one: Named) -> Iterator[str]:
    """The questions it asks."""
    for node in walk(one.definition):
        prompt = getattr(node, "prompt", "")
        yield from (prompt, prompt.rstrip("?")) if prompt else ()


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _begins(words: list[str], typed: list[str]) -> bool:
    rest = iter(words)
    return bool(typed) and all(
        any(word == part or not part.isdecimal() and word.startswith(part) for word in rest) for part in typed
    )
