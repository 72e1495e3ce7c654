"""Rules by name to a program: what was compiled before is taken as it was kept.

The passes are in `pipeline`, which is loaded only when there is something to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from weakref import WeakValueDictionary

from edict.compiler.sources.appearance import wrong_looks
from edict.compiler.sources.compiler_fingerprint import fingerprint, remember, remembered
from edict.compiler.sources.ignored_files import unread
from edict.compiler.sources.input_limits import rules_too_long
from edict.compiler.sources.module_set import Modules, gather, misspelt, rules_hash
from edict.compiler.sources.words_files import wrong_words
from edict.runtime.program import Program
from edict.runtime.program.program_json import parse_program
from edict.support import signed_cache
from edict.support.report import Diagnostic, Outcome
from edict.support.resources import command_name
from edict.support.text import EDITION, Source

_IN_USE: WeakValueDictionary[int, Program] = WeakValueDictionary()


def _build(modules: Modules, optimized: bool = True) -> Outcome[Program]:
    from edict.compiler.pipeline.pipeline import build

    return build(modules, optimized)


def check_rules(name: str | PathLike[str], modules: Sequence[str] = ()) -> Outcome[Modules]:
    """All that compiling these rules would find; the value are the modules that were looked at, the game first.

    Rules in which nothing at all was found are remembered by content, and not looked at again.
    """
    gathered = gather(str(name), modules)
    if gathered.value is None:
        return gathered
    found = gathered.value
    return Outcome(found, (*_checked(found), *found_beside(found)))


def found_beside(modules: Modules) -> tuple[Diagnostic, ...]:
    """What is wrong beside the rules: files that are not read, modules that are not there, looks, words, editions."""
    return (*unread(modules), *misspelt(modules), *wrong_looks(modules), *wrong_words(modules), *older(modules))


def older(modules: Modules) -> Iterator[Diagnostic]:
    """The modules that are written in an older edition of the language and read as today's says the same."""
    if any(rules_too_long(source for module in modules for source in module.sources)):
        return  # refused, so not read either
    if all(module.manifest.language >= EDITION for module in modules):
        return
    from edict.compiler.syntax.editions.module_renames import assign_renames

    for module in assign_renames(modules):
        if module.manifest.language < EDITION and any(_said_otherwise(source) for source in module.sources):
            edition = module.manifest.language
            yield Diagnostic(
                "E0167",
                f"`{module.name}` is written in edition {edition} of the language, and read as edition {EDITION}",
                module.manifest.places.get(("language",), module.manifest.span),
                severity="warning",
                help=f"`{command_name()} upgrade` in its folder rewrites it",
            )


def _said_otherwise(source: Source) -> bool:
    from edict.compiler.syntax.page_cache import reading

    return reading(source).today is not None


def _checked(modules: Modules) -> tuple[Diagnostic, ...]:
    fact = f"rules-{rules_hash(modules)}"
    if remembered(fact):
        return ()
    built = _build(modules, optimized=False)
    if built.ok and not built.diagnostics:
        remember(fact)
    return built.diagnostics


def compile_rules(name: str | PathLike[str], modules: Sequence[str] = (), fresh: bool = False) -> Outcome[Program]:
    """A game by name or path with modules laid over it, compiled, or as it was compiled before.

    What was compiled is kept by content in the user's cache folder; `fresh` compiles anew.
    """
    gathered = gather(str(name), modules)
    if gathered.value is None:
        return Outcome(None, gathered.diagnostics)
    found = gathered.value
    return _build(found) if fresh else compile_modules(found)


def compile_modules(modules: Modules) -> Outcome[Program]:
    """Modules that were gathered, compiled, or as they were compiled before."""
    return _cached(rules_hash(modules), lambda: _build(modules))


def _cached(rules: str, build: Callable[[], Outcome[Program]]) -> Outcome[Program]:
    """The program of these rules; one that has anything to report is built anew each time, to report it."""
    name = f"{rules}-{fingerprint()}.program"
    kept = signed_cache.read(name)
    if kept is not None:
        return Outcome(_one(parse_program(kept.decode("utf-8"))))
    outcome = build()
    if outcome.value is not None:
        outcome = replace(outcome, value=_one(outcome.value))
    if outcome.value is not None and not outcome.diagnostics:
        signed_cache.write(name, outcome.value.to_json().encode("utf-8"))
    return outcome


def _one(program: Program) -> Program:
    """The equal program that is in use already, if any: what is looked up by a program is found at once by the same
    one, while of two that are only equal every number is compared, each time."""
    known = _IN_USE.setdefault(hash(program), program)
    return known if known == program else program
