"""`transcribe`: write a form for the cards of a module, to be filled in from the box."""

from __future__ import annotations

from pathlib import Path

from edict.cli.errors import UsageError, WrongRules
from edict.cli.loading import default_game, texts_of
from edict.cli.paths import a_path
from edict.report import RulesError, listed
from edict.sources.folders import MANIFEST, read_manifest
from edict.sources.limits import BLANK
from edict.sources.modules import find
from edict.studio.scaffolding import form_texts


def transcribe(name: str, folder: str) -> int:
    """Write the form into a new folder; returns the exit code."""
    try:
        forms = form_texts(name, game=default_game())
    except RulesError as problem:
        raise WrongRules(problem.diagnostics, texts_of([default_game(), name])) from None
    target = a_path(folder) if folder else Path(f"{_called(name)}-transcribed")
    if target.exists():
        raise UsageError(f"`{target}` already exists", "name another folder with --output")
    for file, text in forms.items():
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (target / file).write_text(text, encoding="utf-8")
    place = target if target.is_absolute() else f"./{target}"
    cards = listed((file for file in forms if file != MANIFEST), "and")
    print(f"Written to {target}: fill in every {BLANK} of {cards}, then play --with {place}")
    return 0


def _called(name: str) -> str:
    """The module's own name, by whatever name or path it was given."""
    return read_manifest(find(name).unwrap()).unwrap().name
