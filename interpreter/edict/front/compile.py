"""Rules by name to a program: what was compiled before is taken as it was kept.

The passes stand in `pipeline`, which is loaded only when there is something to compile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike

from edict.front.cache import cached
from edict.front.folders import Module
from edict.front.modules import gather
from edict.program import Program, digest
from edict.report import Outcome
from edict.text import NOWHERE

Modules = tuple[Module, ...]


def rules_hash(modules: Modules) -> str:
    """A name for exactly these rules: equal for equal files, whatever they are called by."""
    texts = [f"{m.name}/{s.name.partition('/')[2]}\n{s.text}" for m in modules for s in m.sources]
    manifests = [f"{m.name}\n{replace(m.manifest, span=NOWHERE, places={})}" for m in modules]
    return digest("\0".join((*sorted(texts), *manifests)))


def _build(modules: Modules) -> Outcome[Program]:
    from edict.front.pipeline import build

    return build(modules)


def compile_rules(name: str | PathLike[str], modules: Sequence[str] = (), fresh: bool = False) -> Outcome[Program]:
    """A game by name or path with modules laid over it, compiled, or as it was compiled before.

    What was compiled is kept by content in the user's cache folder; `fresh` compiles anew.
    """
    gathered = gather(str(name), modules)
    if gathered.value is None or not gathered.ok:
        return Outcome(None, gathered.diagnostics)
    found = gathered.value
    if fresh:
        return _build(found)
    return cached(rules_hash(found), lambda: _build(found))
