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
from edict.runtime.program.program_json import parse_program
from edict.runtime.program.reasons import Assertion, parse_assertion
from edict.support import signed_cache
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
    kept = signed_cache.read(f"{name}-{fingerprint()}.program")
    if kept is not None:
        data = json.loads(kept)
        return Outcome((parse_program(data["program"]), tuple(map(parse_assertion, data["assertions"]))))
    from edict.compiler.lowering import lower_with_assertions
    from edict.compiler.pipeline.pipeline import understand

    outcome = understand(modules).and_then(lambda linked: lower_with_assertions(linked, modules, name)).and_then(_named)
    if outcome.value is not None and not outcome.diagnostics:
        program, assertions = outcome.value
        data = {"program": program.to_json(), "assertions": [asdict(one) for one in assertions]}
        signed_cache.write(f"{name}-{fingerprint()}.program", json.dumps(data).encode())
    return outcome


def _named(made: Asserting) -> Outcome[Asserting]:
    """With a name for how it plays, or bots that look ahead in it would work one out for every decision."""
    program, assertions = made
    return Outcome((program.with_meaning(), assertions))
