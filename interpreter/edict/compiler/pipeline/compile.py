"""Compilation of rules by name, with a cache of programs.

The passes are in `pipeline`, which is imported only if there is something to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from os import PathLike
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from edict.compiler.sources.appearance import check_looks
from edict.compiler.sources.compiler_fingerprint import fingerprint, is_verified, mark_verified
from edict.compiler.sources.ignored_files import find_ignored_files
from edict.compiler.sources.input_limits import check_total_length
from edict.compiler.sources.module_set import Modules, find_misspelt_modules, gather_modules, hash_rules
from edict.compiler.sources.words_files import check_translations
from edict.runtime.program import Program
from edict.runtime.program.program_json import parse_program
from edict.support import signed_cache
from edict.support.report import Diagnostic, Outcome
from edict.support.resources import command_name
from edict.support.text import EDITION, Source

if TYPE_CHECKING:
    from edict.compiler.lowering import EmittedRules

_LIVE_PROGRAMS: WeakValueDictionary[int, Program] = WeakValueDictionary()


@dataclass(frozen=True)
class _HashedModules:
    """Modules as a key of caches: equal if their rules are."""

    rules: str
    modules: Modules = field(compare=False)


def _run_pipeline(modules: Modules) -> Outcome[Program]:
    from edict.compiler.pipeline.pipeline import build_program

    return build_program(modules)


def _emit_rules(modules: Modules) -> Outcome[EmittedRules]:
    from edict.compiler.pipeline.pipeline import emit_rules

    return emit_rules(modules)


@lru_cache(maxsize=4)
def _build_to_read(hashed: _HashedModules) -> Program | None:
    """Return a program to read texts from; the game's serves the checks of all its modules. None if it has errors."""
    emitted = _emit_rules(hashed.modules).value
    return emitted.build_program() if emitted is not None else None


def check_rules(name: str | PathLike[str], modules: Sequence[str] = ()) -> Outcome[Modules]:
    """Check rules, and return their modules, the game first, with all diagnostics.

    Rules without any diagnostics are remembered by content and not checked again.
    """
    gathered = gather_modules(str(name), modules)
    if gathered.value is None:
        return gathered
    gathered_modules = gathered.value
    checked = _check_once(gathered_modules)
    findings = (*checked.diagnostics, *check_surroundings(gathered_modules))
    has_errors = any(finding.is_error for finding in checked.diagnostics)
    sentences = () if has_errors else tuple(_check_sentences(gathered_modules, checked.value))
    return Outcome(gathered_modules, (*findings, *sentences))


def _check_sentences(modules: Modules, emitted: EmittedRules | None) -> Iterator[Diagnostic]:
    """Yield warnings for translations into any language; nothing if there are none.

    Args:
        modules: The modules.
        emitted: Their code, if it was emitted.
    """
    if any(module.words for module in modules):
        from edict.compiler.pipeline.translation_checks import check_sentences

        build_all = cache(emitted.build_program) if emitted is not None else None

        def build(wanted: Modules) -> Program | None:
            """Return a program of some of the modules, or None if they have errors."""
            if build_all is not None and len(wanted) == len(modules):
                return build_all()
            return _build_to_read(_HashedModules(hash_rules(wanted), wanted))

        yield from check_sentences(modules, build)


def check_surroundings(modules: Modules) -> tuple[Diagnostic, ...]:
    """Return diagnostics besides those of the rules (ignored files, absent modules, looks, translations, editions)."""
    return (
        *find_ignored_files(modules),
        *find_misspelt_modules(modules),
        *check_looks(modules),
        *check_translations(modules),
        *find_older_editions(modules),
    )


def find_older_editions(modules: Modules) -> Iterator[Diagnostic]:
    """Yield a warning for each module that is written in an older edition and would read differently today."""
    if any(check_total_length(source for module in modules for source in module.sources)):
        return  # too long to be parsed at all
    if all(module.manifest.language >= EDITION for module in modules):
        return
    from edict.compiler.syntax.editions.module_renames import assign_renames

    for module in assign_renames(modules):
        if module.manifest.language < EDITION and any(_differs_today(source) for source in module.sources):
            edition = module.manifest.language
            yield Diagnostic(
                "E0167",
                f"`{module.name}` is written in edition {edition} of the language, and read as edition {EDITION}",
                module.manifest.places.get(("language",), module.manifest.span),
                severity="warning",
                help=f"`{command_name()} upgrade` in its folder rewrites it",
            )


def _differs_today(source: Source) -> bool:
    from edict.compiler.syntax.parse import get_parse_result

    return get_parse_result(source).upgraded is not None


def _check_once(modules: Modules) -> Outcome[EmittedRules]:
    """Return the code of the rules and its diagnostics; nothing for rules that passed without any before."""
    fact = f"rules-{hash_rules(modules)}"
    if is_verified(fact):
        return Outcome(None)
    outcome = _emit_rules(modules)
    if outcome.ok and not outcome.diagnostics:
        mark_verified(fact)
    return outcome


def compile_rules(name: str | PathLike[str], modules: Sequence[str] = (), fresh: bool = False) -> Outcome[Program]:
    """Compile a game with modules, or return the program from the cache.

    Args:
        name: The name or path of the game.
        modules: The modules laid over it.
        fresh: True to ignore the cache, which is in the user's cache folder.
    """
    gathered = gather_modules(str(name), modules)
    if gathered.value is None:
        return Outcome(None, gathered.diagnostics)
    gathered_modules = gathered.value
    if fresh:
        return _run_pipeline(gathered_modules)
    return compile_modules(gathered_modules)


def compile_modules(modules: Modules) -> Outcome[Program]:
    """Compile modules that were gathered, or return the program from the cache."""
    return _load_or_build(hash_rules(modules), lambda: _run_pipeline(modules))


def _load_or_build(rules: str, build: Callable[[], Outcome[Program]]) -> Outcome[Program]:
    """Return the program of these rules; one with diagnostics is built anew each time, to report them."""
    name = f"{rules}-{fingerprint()}.program"
    cached = signed_cache.read(name)
    if cached is not None:
        return Outcome(_intern_program(parse_program(cached.decode("utf-8"))))
    outcome = build()
    if outcome.value is not None:
        outcome = replace(outcome, value=_intern_program(outcome.value))
    if outcome.value is not None and not outcome.diagnostics:
        signed_cache.write(name, outcome.value.to_json().encode("utf-8"))
    return outcome


def _intern_program(program: Program) -> Program:
    """Return the equal program that is in use already, if any.

    Programs are keys of caches. The same object is found at once, but equal ones are compared number by number.
    """
    live = _LIVE_PROGRAMS.setdefault(hash(program), program)
    return live if live == program else program
