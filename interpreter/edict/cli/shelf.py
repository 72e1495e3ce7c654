"""What one asks of rules without playing: are they right, what is there, what does it say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from edict import resources
from edict.cli.errors import RULES, UsageError, WrongRules
from edict.cli.loading import default_game, rules_of, steady, texts_of
from edict.cli.telling import exit_code
from edict.front.compile import compile_rules
from edict.front.pipeline import parse_all
from edict.front.layer import layer
from edict.front.modules import gather, shipped
from edict.front.shape import FIXED, fixed_schema, kind_schema
from edict.front.tree import Book, Kind
from edict.program import Program, Thing
from edict.rendering import plain, render_all
from edict.report import Outcome, did_you_mean

NO_GAME = "E0160"

# --- check -------------------------------------------------------------------------------------


def check(names: Sequence[str], modules: Sequence[str], strict: bool) -> int:
    """Compile each of these (nothing named: all that ships) and show what is found; gives the exit code."""
    worst = 0
    for name in [steady(name) for name in names] or [str(folder) for folder in shipped()]:
        outcome = _compiled(name, [steady(module) for module in modules])
        if outcome.diagnostics:
            print(render_all(outcome.diagnostics, texts_of([name, *modules])), end="")
        code = exit_code(outcome.diagnostics, strict)
        if not code and outcome.value is not None:
            over = "" if outcome.value.name == Path(name).name else f", laid over {outcome.value.title}"
            print(plain(f"{Path(name).name}: in order{over}"))
        worst = max(worst, code)
    return worst


def _compiled(name: str, modules: Sequence[str]) -> Outcome[Program]:
    """Compiled as it is; what is no game, and names none, over the game that ships."""
    outcome = compile_rules(name, tuple(modules))
    if any(d.code == NO_GAME for d in outcome.diagnostics):
        return compile_rules(default_game(), (name, *modules))
    return outcome


# --- scenes ------------------------------------------------------------------------------------


def scenes(names: Sequence[str], modules: Sequence[str], only: str, fail_fast: bool) -> int:
    """Play the scenes of each of these (nothing named: of the game that ships); gives the exit code."""
    from edict.table.scenes import run_module

    worst = 0
    for name in names or [default_game()]:
        report = run_module(name, tuple(modules), only or None, fail_fast)
        heading = f"{name}: " if len(names) > 1 else ""
        print(plain(heading) + report.text(), end="")
        worst = max(worst, 0 if report.ok else exit_code(report.diagnostics) or RULES)
    return worst


# --- schemas -----------------------------------------------------------------------------------


def schema(name: str, game: str, modules: Sequence[str]) -> int:
    """Print a schema as JSON: of a file, or of a kind of thing in a game; without a name, list them."""
    if name in FIXED:
        _as_json(fixed_schema(name))
        return 0
    book = _book(game, modules)
    kinds = {d.name.word: d for d in book.definitions.values() if isinstance(d, Kind)}
    if not name:
        print(f"files: {', '.join(FIXED)}\nkinds: {', '.join(sorted(kinds)) or 'none'}")
        return 0
    if name not in kinds:
        known = [*FIXED, *kinds]
        raise UsageError(f"there is no schema `{name}`", did_you_mean(name, known) or f"there are {', '.join(known)}")
    _as_json(kind_schema(kinds[name], book))
    return 0


def _as_json(data: dict[str, Any]) -> None:
    print(json.dumps(data, indent=2, ensure_ascii=False))


def _book(game: str, modules: Sequence[str]) -> Book:
    names = [steady(name) for name in (game or default_game(), *modules)]
    outcome = gather(names[0], names[1:]).then(parse_all).then(layer)
    if outcome.value is None or not outcome.ok:
        raise WrongRules(outcome.diagnostics, texts_of(names))
    return outcome.value


# --- things ------------------------------------------------------------------------


def show(name: str, game: str, modules: Sequence[str]) -> int:
    """Tell what a thing of a game does."""
    from edict.cli.questions import things

    program = rules_of(game, modules).program
    found = things(program, name)
    if not found:
        names = [thing.name for kind in program.kinds for thing in kind.things]
        raise UsageError(f"nothing in {program.title} is called `{name}`", did_you_mean(name, names) or "see `modules`")
    kinds = {thing.name: kind for kind in program.kinds for thing in kind.things}
    for thing in found:
        print("\n".join(plain(line) for line in _thing(thing, kinds[thing.name].title or kinds[thing.name].name)))
    return 0


def _thing(thing: Thing, kind: str) -> Iterator[str]:
    yield f"{thing.title or thing.name} ({kind})"
    facts = {"": thing.caption, "does: ": thing.words, "source: ": thing.source, "origin: ": thing.origin,
             "module: ": thing.module}  # fmt: skip
    yield from (f"  {label}{value}" for label, value in facts.items() if value)


def explain(code: str) -> int:
    """Print the page of a diagnostic."""
    folder = resources.grammar() / "diagnostics"
    wanted = code.strip().upper()
    wanted = wanted if wanted.startswith("E") else f"E{wanted.rjust(4, '0')}"
    page = folder / f"{wanted}.md"
    known = sorted(file.stem for file in folder.glob("E*.md"))
    if wanted not in known:
        remedy = did_you_mean(wanted, known) or f"codes run from {known[0]} to {known[-1]}" if known else ""
        raise UsageError(f"there is no message `{code}`", remedy)
    text = page.read_text(encoding="utf-8")
    print(plain(re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)), end="")
    return 0
