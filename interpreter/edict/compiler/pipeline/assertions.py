"""Assertions of rules, and the program that evaluates them, which is the played one with more code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from os import PathLike

from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.sources.module_lookup import read_texts
from edict.compiler.sources.module_set import Modules, gather_modules, hash_rules
from edict.runtime.program import Program
from edict.runtime.program.program_json import parse_program
from edict.runtime.program.reasons import Assertion, parse_assertion
from edict.support import signed_cache
from edict.support.report import Outcome
from edict.support.text import Source

AssertingProgram = tuple[Program, tuple[Assertion, ...]]


def compile_assertions(name: str | PathLike[str], modules: Sequence[str] = ()) -> AssertingProgram | None:
    """Return the program and assertions of a game with modules, or None if its rules assert nothing.

    Args:
        name: The name or path of the game.
        modules: The modules laid over it.

    Raises:
        RulesError: The rules have errors.
    """
    gathered = gather_modules(str(name), modules).unwrap()
    if _contains_assertion(source for module in gathered for source in module.sources):
        return _compile_with_cache(gathered).unwrap()
    return None


def has_assertions(name: str | PathLike[str]) -> bool:
    """Return True if the rules in this folder themselves assert anything."""
    return _contains_assertion(read_texts([str(name)]).values())


def _contains_assertion(sources: Iterable[Source]) -> bool:
    """Return True if a line of the sources begins with `assert` or `amend assert`."""
    return any(line.startswith(("assert ", "amend assert ")) for source in sources for line in source.lines)


def _compile_with_cache(modules: Modules) -> Outcome[AssertingProgram]:
    """Return the program with its assertions from the cache, or compile it; store it if there is no diagnostic."""
    name = hash_rules(modules) + "-asserting"  # caches of the played program do not fit this one
    cached = signed_cache.read(f"{name}-{fingerprint()}.program")
    if cached is not None:
        data = json.loads(cached)
        return Outcome((parse_program(data["program"]), tuple(map(parse_assertion, data["assertions"]))))
    from edict.compiler.lowering import lower_with_assertions
    from edict.compiler.pipeline.pipeline import analyze

    outcome = (
        analyze(modules).and_then(lambda linked: lower_with_assertions(linked, modules, name)).and_then(_add_meaning)
    )
    if outcome.value is not None and not outcome.diagnostics:
        program, assertions = outcome.value
        data = {"program": program.to_json(), "assertions": [asdict(assertion) for assertion in assertions]}
        signed_cache.write(f"{name}-{fingerprint()}.program", json.dumps(data).encode())
    return outcome


def _add_meaning(compiled: AssertingProgram) -> Outcome[AssertingProgram]:
    """Add the digest of the program's meaning, which searching bots would else compute for every decision."""
    program, assertions = compiled
    return Outcome((program.with_meaning(), assertions))
