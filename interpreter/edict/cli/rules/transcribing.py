"""`transcribe`: write a form for the cards of a module, to be filled in from the box."""

from __future__ import annotations

from pathlib import Path

from edict.cli.errors import UsageError, WrongRules
from edict.cli.loading import default_game, texts_of
from edict.cli.paths import a_path
from edict.front.pipeline import understand
from edict.sources.limits import BLANK
from edict.sources.modules import Module, catalogue, find, gather
from edict.front.transcribe import form, manifest_of
from edict.report import listed
from edict.resources import command

CARDS = "cards.edict"


def transcribe(name: str, folder: str) -> int:
    """Write the form into a new folder; gives the exit code."""
    module, text = _form(name)
    forms = {f"with/{other}/{CARDS}": _form(name, other)[1] for other in sorted(module.beside)}
    forms = {place: text for place, text in {CARDS: text, **forms}.items() if text}
    if not forms:
        raise UsageError(*_without_cards(module))
    target = a_path(folder) if folder else Path(f"{module.name}-transcribed")
    if target.exists():
        raise UsageError(f"`{target}` exists already", "name another folder with --output")
    target.mkdir(parents=True)
    others = [other for other, (home, _) in catalogue().items() if (home / "with" / module.name).is_dir()]
    (target / "module.yaml").write_text(manifest_of(module, others), encoding="utf-8")
    for file, text in forms.items():
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (target / file).write_text(text, encoding="utf-8")
    place = target if target.is_absolute() else f"./{target}"
    print(f"Written to {target}: fill in every {BLANK} of {listed(forms, 'and')}, then play --with {place}")
    return 0


def _form(name: str, beside: str = "") -> tuple[Module, str]:
    """A module and the form for its cards; or for those that count only beside another one."""
    wanted = (name, beside) if beside else (name,)
    gathered = gather(default_game(), wanted)
    outcome = gathered.then(understand)
    if outcome.value is None or gathered.value is None:
        raise WrongRules(outcome.diagnostics, texts_of([default_game(), *wanted]))
    folder = find(name).unwrap()
    module = next(one for one in gathered.value if one.folder == folder)
    return module, form(module, outcome.value, beside)


def _without_cards(module: Module) -> tuple[str, str]:
    """Why there is no form, and what one can do."""
    if module.manifest.origin == "printed":
        return f"nothing in {module.name} needs transcribing", "all of it is as printed"
    return (
        f"{module.name} has no cards to fill in: it is written as rules ({module.manifest.origin})",
        f"`{command()} new NAME --with {module.name}` begins a module over it; its rules stand in {module.folder}",
    )
