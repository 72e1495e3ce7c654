"""What a thing in a game does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.cli.errors import UsageError
from edict.cli.loading import rules_of
from edict.program import Thing
from edict.rendering import plain
from edict.report import did_you_mean


def show(name: str, game: str, modules: Sequence[str]) -> int:
    """Tell what a thing of a game does."""
    from edict.cli.playing.questions import things

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
