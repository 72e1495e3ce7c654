"""Answers as numbers for learning programs: the same number means the same answer throughout a game.

    0                       to decline
    from 1 on               the things that can be asked for, kind by kind; players counted from the seat that is asked
    then, Program.room      any other answer by its value (a number, a branch), or, where there are values greater than
                            that (ways to pay with dice), by its place among the options
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edict.machine.encoding import DECLINED, offered
from edict.program import Program
from edict.program.opcodes import OPTIONS
from edict.table.addresses import PLAYER


@dataclass(frozen=True)
class Actions:
    """The actions of a program. `names` says what each of the `count` stands for.

    firsts, seated: by question, as `machine.encoding.offered` takes them.
    """

    names: tuple[str, ...]
    firsts: tuple[int, ...]
    seated: tuple[int, ...]

    @staticmethod
    def of(program: Program) -> Actions:
        names, kinds = ["decline"], {}
        asked = {question.kind for question in program.questions if question.domain == "thing"}
        for kind in program.kinds:
            if kind.name in asked:
                kinds[kind.name] = len(names)
                things = [thing.name for thing in kind.things]
                if kind.name == PLAYER:
                    things = ["own", *(f"seat +{i}" for i in range(1, program.most_players))]
                names += [f"{kind.name}: {thing}" for thing in things]
        plain = len(names)
        names += [f"answer {i}" for i in range(program.room)]
        things = [question.kind if question.domain == "thing" else "" for question in program.questions]
        firsts = (*(kinds.get(kind, plain) for kind in things), plain)
        return Actions(tuple(names), firsts, tuple(int(kind == PLAYER) for kind in things))

    @property
    def count(self) -> int:
        return len(self.names)

    def offered(self, state: Sequence[int]) -> list[int]:
        """The actions that are possible in a state in which something is asked, in the order of the options."""
        found = [DECLINED] * state[OPTIONS]
        offered(state, self.firsts, self.seated, found)
        return found
