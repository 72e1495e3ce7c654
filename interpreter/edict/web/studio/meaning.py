"""What the rules of a variant mean: its rulebook, and what is different in it from the rules it is laid over."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from edict.handbook.annotated import Known, known_from
from edict.handbook.changed import changed_pages
from edict.handbook.contents import rulebook
from edict.handbook.differing import Change, differences
from edict.handbook.chapters import Rulebook, Section
from edict.sources.modules import Modules, rules_hash
from edict.web.studio.desk import Desk

KEPT = 8  # bases that are kept
_bases: dict[str, Known] = {}


@dataclass(frozen=True, slots=True)
class Changes:
    """How a variant's rulebook differs from that of its base. pages: None while the rules have errors."""

    base: str
    pages: tuple[Section, ...] | None = None
    gone: tuple[Change, ...] = ()


def changes(desk: Desk) -> Changes:
    """What the variant changes in the rulebook."""
    known, under = _both(desk)
    title = under.game.manifest.title if under is not None else ""
    if known is None or under is None:
        return Changes(title)
    gone = tuple(one for one in differences(under, known) if one.way == "removed")
    return Changes(title, changed_pages(rulebook(known, under), _book(under)), gone)


def whole_book(desk: Desk) -> Rulebook | None:
    """The rulebook of the variant; None while its rules have errors."""
    known, under = _both(desk)
    return rulebook(known, under) if known is not None else None


def _both(desk: Desk) -> tuple[Known | None, Known | None]:
    """The rules as they are, and those they are laid over; None for what cannot be understood."""
    with desk.asking() as space:
        rules = space.rules(desk.manifest)
        if rules is None:
            return None, None
        modules = rules.modules
        understood = rules.understood()
        wrong = any(one.is_error for one in rules.checked().found)
        known = understood.known if understood is not None and not wrong else None
    under = tuple(module for module in modules if module.folder.resolve() != desk.folder)
    return known, _base(under) if under else None


def _base(modules: Modules) -> Known | None:
    """The rules below, which seldom change; those asked for last are kept."""
    key = rules_hash(modules)
    if key not in _bases:
        known = known_from(modules).value
        if known is None:
            return None
        while len(_bases) >= KEPT:
            _bases.pop(next(iter(_bases)), None)
        _bases[key] = known
    return _bases[key]


@lru_cache(maxsize=KEPT)
def _book(known: Known) -> Rulebook:
    return rulebook(known)
