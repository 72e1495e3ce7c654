"""What rules assert, and the program by which it is looked at: the one that is played, with more code behind it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from os import PathLike

from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.sources.module_lookup import texts
from edict.compiler.sources.module_set import Modules, gather, rules_hash
from edict.runtime.program import Program
from edict.runtime.program.reading import from_json
from edict.runtime.program.reasons import Assertion, assertion_from
from edict.support import kept_files
from edict.support.report import Outcome
from edict.support.text import Source

Asserting = tuple[Program, tuple[Assertion, ...]]


def asserting(name: str | PathLike[str], modules: Sequence[str] = ()) -> Asserting | None:
    """A game by name or path with modules laid over it; None if these rules assert nothing. Raises `RulesError`."""
    found = gather(str(name), modules).unwrap()
    return _asserting(found).unwrap() if _any(source for module in found for source in module.sources) else None


def asserts(name: str | PathLike[str]) -> bool:
    """Whether the rules in this folder themselves assert anything."""
    return _any(texts([str(name)]).values())


def _any(sources: Iterable[Source]) -> bool:
    return any(line.startswith(("assert ", "amend assert ")) for source in sources for line in source.lines)


def _asserting(modules: Modules) -> Outcome[Asserting]:
    name = rules_hash(modules) + "-asserting"  # what was made for the program that is played does not fit this one
    kept = kept_files.read(f"{name}-{fingerprint()}.program")
    if kept is not None:
        data = json.loads(kept)
        return Outcome((from_json(data["program"]), tuple(map(assertion_from, data["assertions"]))))
    from edict.compiler.lowering import lower_asserting
    from edict.compiler.pipeline.pipeline import understand

    outcome = understand(modules).then(lambda linked: lower_asserting(linked, modules, name)).then(_named)
    if outcome.value is not None and not outcome.diagnostics:
        program, assertions = outcome.value
        data = {"program": program.to_json(), "assertions": [asdict(one) for one in assertions]}
        kept_files.keep(f"{name}-{fingerprint()}.program", json.dumps(data).encode())
    return outcome


def _named(made: Asserting) -> Outcome[Asserting]:
    """With a name for how it plays, or bots that look ahead in it would work one out for every decision."""
    program, assertions = made
    return Outcome((program.with_meaning(), assertions))
