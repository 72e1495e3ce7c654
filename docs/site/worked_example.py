"""One line of the rules on its way to play: what each pass makes of it, as docs/explanations/architecture.md shows it.

python docs/site/worked_example.py           # prints the stations
python docs/site/worked_example.py --write   # and puts them into the page
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import MISSING, fields
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

from edict.compiler.codegen import core
from edict.compiler.codegen.statement_code import emit_procedure
from edict.compiler.english import describe
from edict.compiler.lowering import lower
from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.semantics.link import AttachedAbility, LinkedBook
from edict.compiler.sources.module_set import gather_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.game.table.knowledge import compute_query
from edict.game.table.rules import load_rules
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o

PAGE = Path(__file__).parent.parent / "explanations" / "architecture.md"
BEGIN, END = "<!-- stations: python docs/site/worked_example.py --write -->\n", "<!-- end of the stations -->"
GAME, THING, QUANTITY, PEOPLE = "kingsburg", "church", "strength", "demons"


def drawn(node: Any, indent: str = "") -> Iterator[str]:
    """A node of the tree or of the core, and below it those that it is made of; what is as usual is left out."""
    plain: list[str] = []
    inner: list[Any] = []
    for field in fields(node):
        value = getattr(node, field.name)
        usual = field.default if field.default is not MISSING else None
        if field.name in ("span", "cause", "label", "told", "works") or value in (usual, None, ()):
            continue
        several = value if isinstance(value, tuple) else (value,)
        nodes = [each for each in several if hasattr(each, "__dataclass_fields__")]
        inner += nodes
        plain += [] if nodes else [f"{field.name}={_operation(node, field.name, value)}"]
    yield f"{indent}{type(node).__name__}({', '.join(plain)})"
    for each in inner:
        yield from drawn(each, indent + "  ")


def _operation(node: Any, name: str, value: Any) -> str:
    return o.NAMES[value] if isinstance(node, core.Op) and name == "op" else repr(value)


def meanings(linked: LinkedBook, ability: t.Adjust) -> Iterator[str]:
    """What each name and each value of a line turned out to be."""
    for node in walk(ability):
        if isinstance(node, t.Name):
            definition = linked.resolved.require_definition(node.word)
            yield f"{node.word:10} {type(definition).__name__.lower()} “{definition.title}”"
    assert ability.condition is not None
    for node in (ability.number, ability.condition):
        yield f"{type(node).__name__:10} {linked.typed.type_of(node).shape}"


def lowered(linked: LinkedBook, held: AttachedAbility) -> tuple[Program, core.CoreStmt]:
    """The program, and what the line has become in the core, which stands in the procedure of its quantity."""
    written: dict[str, tuple[core.CoreStmt, ...]] = {}

    def recorded(writer: Any, procedure: core.Procedure, statements: tuple[core.CoreStmt, ...], cause: int) -> None:
        written[procedure.name] = statements
        emit_procedure(writer, procedure, statements, cause)

    with mock.patch("edict.compiler.lowering.context.emit_procedure", recorded):
        program = lower(linked).value
    assert program is not None
    numbers = set(causes_of(program, held))
    body = written[f"quantity {QUANTITY} False"]
    return program, next(one for one in body if getattr(one, "cause", None) in numbers)


def causes_of(program: Program, held: AttachedAbility) -> list[int]:
    """The numbers of what the line is the cause of: its effect, and each of its conditions."""
    span = held.ability.span
    return [n for n, cause in enumerate(program.causes) if (cause.file, cause.line) == (span.file, span.line)]


def instructions(program: Program, numbers: list[int]) -> Iterator[str]:
    """The line in the machine's code: address, operation, operands, and what they are for."""
    starts = [*program.places, (len(program.code), -1)]
    runs = [(at, after) for (at, cause), (after, _) in pairwise(starts) if cause in numbers]
    at, end = runs[-3][0], runs[-1][1]  # the last time: as it is worked out without telling the log
    while at < end:
        size = o.SIZE[program.code[at]]
        name, given = o.NAMES[program.code[at]], " ".join(map(str, program.code[at + 1 : at + size]))
        yield f"{at:5}  {name:5} {given:20} {o.OPERANDS[program.code[at]]}"
        at += size


def played(linked: LinkedBook) -> Iterator[str]:
    """The strength of the first player who owns the building, without the enemy it helps against and with it."""
    rules = load_rules(GAME)
    program, state = rules.program, rules.new_game(["Ann", "Brian"], seed=1).state
    cells = {variable.name: variable.base for variable in program.variables}
    query = next(one.query for one in program.reasons.measures if one.name == QUANTITY)
    people = 1 << linked.thing_index(PEOPLE, "people")
    laid = list(state)
    for name, cell, value in (
        ("soldier", cells["soldier"], 5),
        ("owned", cells["owned"], 1 << linked.thing_index(THING, "building")),
        ("attackers", cells["attackers"], 0),
        ("attackers", cells["attackers"], people),
    ):
        laid[cell] = value
        yield f"state[{cell}] = {value:<4} {name:10} strength {compute_query(program, laid, query, 0)}"


def stations() -> Iterator[tuple[str, str, list[str]]]:
    """Heading, what happens there, and the values."""
    modules = gather_modules(GAME, ()).value
    assert modules is not None
    linked = analyze(modules).value
    assert linked is not None
    held = next(one for one in linked.adjusts[QUANTITY] if one.thing is not None and one.thing.name.word == THING)
    ability = held.ability
    assert isinstance(ability, t.Adjust)
    source = next(source for module in modules for source in module.sources if source.name == ability.span.file)
    line = source.text.splitlines()[ability.span.line - 1].strip()
    program, statement = lowered(linked, held)
    yield "The line", f"In `{ability.span.file}`, under the building `{THING}`.", [line]
    yield "parse", "A node with a place in the file for every word.", list(drawn(ability))
    known = list(meanings(linked, ability))
    yield "resolve, check", "Beside the tree: what names mean, and the type of each value.", known
    yield "english", "What players read.", [describe(linked.resolved, ability)]
    yield (
        "lower",
        (
            "The core: leave the block unless the building is among those of this player and the people among the "
            "attackers; else add 1 to the result."
        ),
        list(drawn(statement)),
    )
    code = list(instructions(program, causes_of(program, held)))
    yield "codegen", "The machine's code; constants have cells of their own.", code
    laid = list(played(linked))
    yield "machine", "Cells of the state, filled one after the other, and what the quantity then is.", laid


def page() -> str:
    shown = (f"**{name}.** {told}\n\n```text\n{chr(10).join(values)}\n```\n" for name, told, values in stations())
    return "\n".join(shown)


if __name__ == "__main__":
    if "--write" in sys.argv:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{page()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    else:
        print(page())
