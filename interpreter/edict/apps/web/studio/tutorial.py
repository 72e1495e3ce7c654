"""Tutorials of games: steps that teach how to change a game, with the checks that tell when each is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from edict.apps.web.studio.open_variants import Project
from edict.apps.web.studio.page_data import render_markdown
from edict.compiler.sources.file_schemas import validate_once
from edict.compiler.sources.folders import MANIFEST, Manifest
from edict.compiler.sources.module_lookup import load_catalogue
from edict.compiler.sources.yaml_reader import read_yaml
from edict.compiler.syntax import tree as t
from edict.game.table.journal import Journal
from edict.support.records import dataclass
from edict.support.text import Source
from edict.tools.studio.evaluation import EvaluationReport
from edict.tools.studio.scene_runs import SceneReport
from edict.tools.studio.variant_files import default_title
from edict.tools.studio.variants import Variant

TUTORIAL_FILE = "tutorial.yaml"


@dataclass(frozen=True, slots=True)
class TutorialStep:
    """A step of a tutorial."""

    title: str
    text: str  # HTML
    check: Mapping[str, Any]  # conditions for being done: the argument of each of `CHECKS`, by name


@dataclass(frozen=True, slots=True)
class Tutorial:
    """The tutorial of a game."""

    title: str
    starting_files: Mapping[str, str]  # text by file name
    steps: tuple[TutorialStep, ...]


@dataclass(frozen=True)
class TutorialProgress:
    """Everything about an author's variant and games that steps of a tutorial check."""

    things: Mapping[str, Mapping[str, t.Thing]]  # things that the author added, by kind and name
    errors: int  # number of errors in the rules now
    had_errors: bool = False  # whether there were errors since this step began
    read_names: frozenset[str] = frozenset()  # names whose English was shown since this step began
    journal: Journal | None = None  # of the game at the table
    scenes: SceneReport | None = None
    evaluation: EvaluationReport | None = field(default=None)


def find_tutorial(project: Project) -> Tutorial | None:
    """Return the tutorial of the game under a variant; None if it has none."""
    with project.lock_workspace() as space:
        rules = space.get_rules(project.manifest)
        modules = rules.modules if rules is not None else ()
    folders = [module.folder for module in modules if module.folder.resolve() != project.folder]
    return next((tutorial for tutorial in map(_read_tutorial, folders) if tutorial is not None), None)


@lru_cache(maxsize=16)
def _read_tutorial(folder: Path) -> Tutorial | None:
    """Return the tutorial in a game's folder; None if it has none. Raises `ValueError` if it is malformed."""
    file = folder / TUTORIAL_FILE
    if not file.is_file():
        return None
    data = read_yaml(Source(f"{folder.name}/{TUTORIAL_FILE}", file.read_text(encoding="utf-8"))).unwrap()
    for finding in validate_once("tutorial", data):
        raise ValueError(f"{finding.span}: {finding.title}")
    steps = (TutorialStep(step["title"], render_markdown(step["text"]), step["check"]) for step in data.data["steps"])
    return Tutorial(data.data["title"], data.data.get("begin", {}), tuple(steps))


def find_taught_game() -> Manifest | None:
    """Return the manifest of the first shipped game that has a tutorial; None if there is none."""
    games = (entry for entry in load_catalogue().values() if entry[1].kind == "game")
    return next((manifest for folder, manifest in games if (folder / TUTORIAL_FILE).is_file()), None)


def write_starting_files(variant: Variant, tutorial: Tutorial) -> None:
    """Replace the files of a variant by those with which a tutorial starts, and save them."""
    placeholders = {"NAME": variant.name, "TITLE": default_title(variant.name)}
    for name in variant.list_files():
        if name != MANIFEST:
            variant.remove_file(name)
    for name, text in tutorial.starting_files.items():
        if name != MANIFEST:
            variant.add_file(name)
        variant.write_draft(name, Template(text).safe_substitute(placeholders))
    variant.save()


def collect_own_things(project: Project) -> tuple[dict[str, dict[str, t.Thing]], int]:
    """Return the things that a variant adds, and the number of errors in its rules.

    Returns:
        The things by kind and name (empty if the rules cannot be analysed), and the number of errors.
    """
    with project.lock_workspace() as space:
        rules = space.get_rules(project.manifest)
        analysis = rules.get_analysis() if rules is not None else None
        if rules is None or analysis is None:
            return {}, 1
        errors = sum(definition.is_error for definition in rules.check().diagnostics)
        own_modules = (module for module in analysis.modules if module.folder.resolve() == project.folder)
        files = {source.name for module in own_modules for source in module.sources}
        things = dict[str, dict[str, t.Thing]]()
        for name, definition in analysis.definitions.items():
            if isinstance(definition, t.Thing) and definition.span.file in files:
                things.setdefault(definition.kind.word, {})[name] = definition
    return things, errors


# --- checks ----------------------------------------------------------------------------------------


def _has_added(progress: TutorialProgress, kind: Any) -> bool:
    return bool(progress.things.get(kind))


def _has_added_ability(progress: TutorialProgress, kind: Any) -> bool:
    """Return True if any of the variant's own things of a kind has an ability."""
    return any(thing.abilities for thing in progress.things.get(kind, {}).values())


def _is_free_of_errors(progress: TutorialProgress, wanted: Any) -> bool:
    """Return True if there are no errors; unless `wanted` is `none`, there must have been some before."""
    return not progress.errors and (wanted == "none" or progress.had_errors)


def _has_read(progress: TutorialProgress, kind: Any) -> bool:
    """Return True if the person has read about one of the variant's own things of a kind."""
    return not progress.read_names.isdisjoint(progress.things.get(kind, {}))


def _has_chosen_own(progress: TutorialProgress, kind: Any) -> bool:
    """Return True if a person has chosen one of the variant's own things of a kind in the game."""
    return any(key in progress.things.get(kind, {}) for key in _list_person_answers(progress.journal))


def _has_played(progress: TutorialProgress, count: Any) -> bool:
    """Return True if people have given at least `count` answers in the game."""
    return len(_list_person_answers(progress.journal)) >= int(count)


def _list_person_answers(journal: Journal | None) -> list[str]:
    """Return the keys of the answers that people gave in a game."""
    if journal is not None:
        return [answer.key for answer in journal.answers if is_person(journal, answer.seat)]
    return []


def _has_passing_scenes(progress: TutorialProgress, _: Any) -> bool:
    """Return True if there are scenes, and all of them passed in the last run."""
    scenes = progress.scenes
    return scenes is not None and bool(scenes.scenes) and all(scene.outcome == "passed" for scene in scenes.scenes)


def _has_studied(progress: TutorialProgress, games: Any) -> bool:
    """Return True if the study has played at least `games` games, two for each pair."""
    return progress.evaluation is not None and 2 * progress.evaluation.pairs >= int(games)


def is_person(journal: Journal, seat: int) -> bool:
    """Return True if a seat of a game belongs to a person and not to a bot or to chance."""
    bots = journal.header.bots
    return seat >= 0 and not (seat < len(bots) and bots[seat])


# conditions for completing a step; `tutorial.schema.json` describes their arguments
CHECKS: dict[str, Callable[[TutorialProgress, Any], bool]] = {
    "added": _has_added,
    "ability": _has_added_ability,
    "problems": _is_free_of_errors,
    "read": _has_read,
    "answered": _has_chosen_own,
    "played": _has_played,
    "scenes": _has_passing_scenes,
    "studied": _has_studied,
}


def is_done(step: TutorialStep, progress: TutorialProgress) -> bool:
    """Return True if all conditions of a step hold."""
    return all(CHECKS[name](progress, argument) for name, argument in step.check.items())
