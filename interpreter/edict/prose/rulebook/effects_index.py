"""What abilities say about a phase, moment, action, rule or quantity, shown where it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from edict.compiler.english import Line, ability_lines, lines
from edict.compiler.english.ability_phrases import if_clause
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.roles import Role, having
from edict.compiler.syntax.walking import is_block, parts, walk
from edict.prose.rulebook.annotated import Known
from edict.support.morphology import capitalize, join_words, spell_name, split_title, to_sentence


@dataclass(frozen=True)
class EffectsIndex:
    known: Known

    def at(self, name: str, edge: str) -> tuple[Line, ...]:
        """What happens at a moment, or when a phase starts or ends: rules first, then whose abilities."""
        held = self.known.linked.whens.get((name, edge), ())
        own = [line for one in held if one.thing is None and not self._keeps_count(one) for line in self._of_table(one)]
        return (*own, *self._named(one for one in held if one.thing is not None))

    def _keeps_count(self, held: AttachedAbility) -> bool:
        """Whether it does nothing but a module's bookkeeping, which is told with that module, rule by rule."""
        if self.known.module_of(held.ability.span) == self.known.game.name or not isinstance(held.ability, t.When):
            return False
        steps = [node for node in walk(held.ability.block) if isinstance(node, t.Stmt)]
        leaves = [one for one in steps if not any(is_block(value) for _, value in parts(one))]
        return all(any(self._is_quiet(place) for place in having(one, Role.CHANGED)) for one in leaves)

    def _is_quiet(self, place: t.Node) -> bool:
        """Whether nobody is told of what a place holds."""
        name = next((node for node in walk(place) if isinstance(node, t.Name)), None)
        keep = definition_of(self.known.resolved, name) if name is not None else None
        return isinstance(keep, t.Keep) and keep.quiet

    def _of_table(self, held: AttachedAbility) -> Iterator[Line]:
        ability = held.ability
        assert isinstance(ability, t.When)
        steps = self.filled(lines(self.known.resolved, ability.block))
        clause = if_clause(self.known.resolved, ability.condition).strip()
        if clause and steps:
            yield Line(to_sentence(f"{clause}:"), steps)
        else:
            yield from steps

    def _named(self, held: Iterable[AttachedAbility]) -> Iterator[Line]:
        titles = dict.fromkeys(singular_title(one.thing) for one in held if one.thing)
        if titles:
            yield Line(to_sentence(f"see {join_words(titles)}"))

    def filled(self, told: Iterable[Line]) -> tuple[Line, ...]:
        """Lines in which a moment says what happens at it; one at which nothing happens is left out."""
        found: list[Line] = []
        for line in told:
            below = self.filled(line.below)
            if line.text.endswith(":") and not below:
                continue
            if line.text:
                found.append(replace(line, below=below))
            else:
                found += self._moment(line.about)
        return tuple(found)

    def _moment(self, name: str) -> Iterator[Line]:
        happening = self.at(name, "")
        if happening:
            definition = self.known.definitions[name]
            title = capitalize(singular_title(definition))
            if len(happening) == 1 and not happening[0].below and happening[0].text.startswith("See "):
                yield replace(happening[0], text=f"{title}: s{happening[0].text[1:]}")
            else:
                yield Line(f"{title}:", happening)

    # --- abilities, each told with the thing it stands in ----------------------------------------

    def adjusts(self, name: str) -> tuple[Line, ...]:
        return self._of_all(self.known.linked.adjusts, name)

    def shifts(self, name: str) -> tuple[Line, ...]:
        return self._of_all(self.known.linked.shifts, name)

    def exceptions(self, action: str) -> tuple[Line, ...]:
        """Those to the rules of an action."""
        found = (
            held
            for (target, rule), all_ in self.known.linked.exceptions.items()
            if target == action and rule
            for held in all_
        )
        return tuple(self.told(held) for held in found)

    def instead(self, name: str) -> tuple[Line, ...]:
        """What may come in place of a phase or routine."""
        exceptions = self.known.linked.exceptions.items()
        return tuple(self.told(held) for (target, _), all_ in exceptions if target == name for held in all_)

    def things(self, name: str) -> Iterator[t.Thing]:
        """The things that change what happens at a moment, or an action, routine or number, or add to it."""
        linked = self.known.linked
        held = [*linked.adjusts.get(name, ()), *linked.shifts.get(name, ()), *linked.whens.get((name, ""), ())]
        held += [one for (target, _), all_ in linked.exceptions.items() if target == name for one in all_]
        yield from (one.thing for one in held if one.thing is not None)

    def _of_all(self, table: Mapping[str, tuple[AttachedAbility, ...]], name: str) -> tuple[Line, ...]:
        return tuple(self.told(held) for held in table.get(name, ()))

    def told(self, held: AttachedAbility) -> Line:
        """An ability under the name of what has it."""
        line = ability_lines(self.known.resolved, held.ability)
        who = split_title(held.thing.title if held.thing else held.title)[0]
        who = capitalize(spell_name(held.name)) if who in ("", held.name) else who
        return replace(
            line, text=f"{capitalize(who)}: {line.text}" if who else line.text, below=self.filled(line.below)
        )
