"""Steps by which somebody learns to change a game, read from beside its rules, and what each of them waits for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from edict.apps.web.studio.open_variants import Project
from edict.apps.web.studio.page_data import prose
from edict.compiler.sources.file_schemas import schema_findings
from edict.compiler.sources.folders import MANIFEST, Manifest
from edict.compiler.sources.module_lookup import catalogue
from edict.compiler.sources.yaml_reader import read_yaml
from edict.compiler.syntax import tree as t
from edict.game.table.journal import Journal
from edict.support.text import Source
from edict.tools.studio.evaluation import EvaluationFound
from edict.tools.studio.scene_runs import ScenesFound
from edict.tools.studio.variant_files import title_of
from edict.tools.studio.variants import Variant

FILE = "tutorial.yaml"


@dataclass(frozen=True, slots=True)
class TutorialStep:
    """text: HTML. check: what must hold, by the names in `CHECKS`."""

    title: str
    text: str
    check: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tutorial:
    """begin: the files somebody begins with, by name."""

    title: str
    begin: Mapping[str, str]
    steps: tuple[TutorialStep, ...]


@dataclass(frozen=True)
class Progress:
    """What somebody has done so far.

    things: their own, by kind. was_wrong: there were errors since this step began. read: names whose English was shown.
    """

    things: Mapping[str, Mapping[str, t.Thing]]
    errors: int
    was_wrong: bool = False
    read: frozenset[str] = frozenset()
    journal: Journal | None = None
    scenes: ScenesFound | None = None
    worth: EvaluationFound | None = field(default=None)


def tutorial_of(project: Project) -> Tutorial | None:
    """The tutorial of the game a variant is laid over, if there is one."""
    with project.asking() as space:
        rules = space.rules(project.manifest)
        modules = rules.modules if rules is not None else ()
    folders = [module.folder for module in modules if module.folder.resolve() != project.folder]
    return next((found for found in map(_read, folders) if found is not None), None)


@lru_cache(maxsize=16)
def _read(folder: Path) -> Tutorial | None:
    file = folder / FILE
    if not file.is_file():
        return None
    written = read_yaml(Source(f"{folder.name}/{FILE}", file.read_text(encoding="utf-8"))).unwrap()
    for found in schema_findings("tutorial", written):
        raise ValueError(f"{found.span}: {found.title}")
    steps = (TutorialStep(one["title"], prose(one["text"]), one["check"]) for one in written.data["steps"])
    return Tutorial(written.data["title"], written.data.get("begin", {}), tuple(steps))


def taught() -> Manifest | None:
    """The first game that ships with a tutorial."""
    games = (one for one in catalogue().values() if one[1].kind == "game")
    return next((manifest for folder, manifest in games if (folder / FILE).is_file()), None)


def lay_out(variant: Variant, tutorial: Tutorial) -> None:
    """Begin with the files of the tutorial, and no others but the manifest."""
    words = {"NAME": variant.name, "TITLE": title_of(variant.name)}
    for name in variant.files():
        if name != MANIFEST:
            variant.remove(name)
    for name, text in tutorial.begin.items():
        if name != MANIFEST:
            variant.add(name)
        variant.draft(name, Template(text).safe_substitute(words))
    variant.save()


def own_things(project: Project) -> tuple[dict[str, dict[str, t.Thing]], int]:
    """The things that a variant adds, by kind and name; and how many errors its rules have."""
    with project.asking() as space:
        rules = space.rules(project.manifest)
        known = rules.analysis() if rules is not None else None
        if rules is None or known is None:
            return {}, 1
        errors = sum(one.is_error for one in rules.checked().found)
        own = (module for module in known.modules if module.folder.resolve() == project.folder)
        files = {source.name for module in own for source in module.sources}
        found = dict[str, dict[str, t.Thing]]()
        for name, one in known.definitions.items():
            if isinstance(one, t.Thing) and one.span.file in files:
                found.setdefault(one.kind.word, {})[name] = one
    return found, errors


# --- what steps wait for ---------------------------------------------------------------------------


def _added(so_far: Progress, kind: Any) -> bool:
    return bool(so_far.things.get(kind))


def _ability(so_far: Progress, kind: Any) -> bool:
    return any(one.abilities for one in so_far.things.get(kind, {}).values())


def _problems(so_far: Progress, wanted: Any) -> bool:
    return not so_far.errors and (wanted == "none" or so_far.was_wrong)


def _has_read(so_far: Progress, kind: Any) -> bool:
    return not so_far.read.isdisjoint(so_far.things.get(kind, {}))


def _answered(so_far: Progress, kind: Any) -> bool:
    return any(key in so_far.things.get(kind, {}) for key in _given(so_far.journal))


def _played(so_far: Progress, count: Any) -> bool:
    return len(_given(so_far.journal)) >= int(count)


def _given(journal: Journal | None) -> list[str]:
    """What people answered in a game."""
    return [one.key for one in journal.answers if by_person(journal, one.seat)] if journal is not None else []


def _scenes(so_far: Progress, _: Any) -> bool:
    found = so_far.scenes
    return found is not None and bool(found.scenes) and all(one.outcome == "passed" for one in found.scenes)


def _studied(so_far: Progress, games: Any) -> bool:
    return so_far.worth is not None and 2 * so_far.worth.pairs >= int(games)


def by_person(journal: Journal, seat: int) -> bool:
    """Whether somebody has this seat of a game who is no bot."""
    bots = journal.header.bots
    return seat >= 0 and not (seat < len(bots) and bots[seat])


CHECKS: dict[str, Callable[[Progress, Any], bool]] = {
    "added": _added,
    "ability": _ability,
    "problems": _problems,
    "read": _has_read,
    "answered": _answered,
    "played": _played,
    "scenes": _scenes,
    "studied": _studied,
}
"""What a step can wait for; `tutorial.schema.json` says what each is given."""


def is_done(step: TutorialStep, so_far: Progress) -> bool:
    return all(CHECKS[name](so_far, given) for name, given in step.check.items())
