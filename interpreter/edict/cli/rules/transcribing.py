"""`transcribe`: write a form for the cards of a module, to be filled in from the box."""

from __future__ import annotations

from pathlib import Path

from edict.cli.errors import UsageError, WrongRules
from edict.cli.loading import default_game, texts_of
from edict.cli.paths import a_path
from edict.front.pipeline import understand
from edict.front.limits import BLANK
from edict.front.modules import gather
from edict.front.transcribe import form, manifest_of


def transcribe(name: str, folder: str) -> int:
    """Write the form into a new folder; gives the exit code."""
    gathered = gather(default_game(), (name,))
    outcome = gathered.then(understand)
    if outcome.value is None or gathered.value is None:
        raise WrongRules(outcome.diagnostics, texts_of([default_game(), name]))
    module = gathered.value[-1]
    text = form(module, outcome.value)
    if BLANK not in text.partition("\n\n")[2]:
        raise UsageError(f"nothing in {module.name} needs transcribing", "all its cards are as printed")
    target = a_path(folder) if folder else Path(f"{module.name}-transcribed")
    if target.exists():
        raise UsageError(f"`{target}` exists already", "name another folder with --output")
    target.mkdir(parents=True)
    (target / "module.yaml").write_text(manifest_of(module), encoding="utf-8")
    (target / "cards.edict").write_text(text, encoding="utf-8")
    place = target if target.is_absolute() else f"./{target}"
    print(f"Written to {target}: fill in every {BLANK} of cards.edict, then play --with {place}")
    return 0
