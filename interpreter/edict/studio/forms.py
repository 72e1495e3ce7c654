"""Forms for the cards of a module, to be filled in by somebody who owns the box."""

from __future__ import annotations

from edict import resources
from edict.front.pipeline import understand
from edict.front.transcribe import form, manifest_of
from edict.resources import command
from edict.sources.folders import MANIFEST
from edict.sources.modules import Module, catalogue, find, gather
from edict.studio.errors import StudioError

CARDS = "cards.edict"


def form_texts(module: str, name: str = "", game: str = "") -> dict[str, str]:
    """The files of a form, the manifest first; by default its name is the module's with `-transcribed` behind.

    Raises `RulesError` for rules that cannot be read, `StudioError` if the module has no cards to fill in.
    """
    found, text = _form(module, "", game)
    forms = {CARDS: text, **{f"with/{other}/{CARDS}": _form(module, other, game)[1] for other in sorted(found.beside)}}
    if not any(forms.values()):
        raise StudioError(*_without_cards(found))
    others = [other for other, (home, _) in catalogue().items() if (home / "with" / found.name).is_dir()]
    manifest = manifest_of(found, others)
    if name:
        manifest = manifest.replace(f"name: {found.name}-transcribed\n", f"name: {name}\n", 1)
    return {MANIFEST: manifest, **{place: text for place, text in forms.items() if text}}


def _form(name: str, beside: str, game: str) -> tuple[Module, str]:
    """A module and the form for its cards; or for those that count only beside another one."""
    gathered = gather(game or str(resources.home() / "rules"), (name, beside) if beside else (name,))
    linked, modules = gathered.then(understand).unwrap(), gathered.unwrap()
    folder = find(name).unwrap()
    module = next(one for one in modules if one.folder == folder)
    return module, form(module, linked, beside)


def _without_cards(module: Module) -> tuple[str, str]:
    """Why there is no form, and what one can do."""
    if module.manifest.origin == "printed":
        return f"nothing in {module.name} needs transcribing", "all of it is as printed"
    return (
        f"{module.name} has no cards to fill in: it is written as rules ({module.manifest.origin})",
        f"`{command()} new NAME --with {module.name}` begins a module over it; its rules stand in {module.folder}",
    )
