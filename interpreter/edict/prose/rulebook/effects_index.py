"""An index of abilities by the phase, moment, action, rule or quantity they affect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from edict.compiler.english import OutlineLine, describe, outline_ability, outline_block
from edict.compiler.english.ability_phrases import describe_condition_clause
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import keep_of, starts_with_text
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import is_block, iter_fields, walk
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.support.morphology import capitalize, join_words, spell_name, split_title, to_sentence
from edict.support.records import dataclass


@dataclass(frozen=True)
class EffectsIndex:
    """Descriptions of abilities, looked up by what they affect."""

    rules: AnnotatedRules

    def lines_at(self, name: str, edge: str) -> tuple[OutlineLine, ...]:
        """Return what happens at a moment, or at an edge of a phase: house rules first, then names of things."""
        held = self.rules.linked.whens.get((name, edge), ())
        house_rules = [
            line
            for attached in held
            if attached.thing is None and not is_bookkeeping(self.rules, attached.ability)
            for line in self._describe_house_rule(attached)
        ]
        return (*house_rules, *self._refer_to_things(attached for attached in held if attached.thing is not None))

    def _describe_house_rule(self, attached: AttachedAbility) -> Iterator[OutlineLine]:
        """Yield the steps of a house rule, below a line with its condition if it has one."""
        ability = attached.ability
        assert isinstance(ability, t.When)
        steps = self.expand_moments(outline_block(self.rules.resolved, ability.block))
        clause = describe_condition_clause(self.rules.resolved, ability.condition).strip()
        if clause and steps:
            yield OutlineLine(to_sentence(f"{clause}:"), steps)
        else:
            yield from steps

    def _refer_to_things(self, abilities: Iterable[AttachedAbility]) -> Iterator[OutlineLine]:
        """Yield one line `See A and B.` with the things that own the abilities; nothing if no thing does."""
        titles = dict.fromkeys(singular_title(attached.thing) for attached in abilities if attached.thing)
        if titles:
            yield OutlineLine(to_sentence(f"see {join_words(titles)}"))

    def expand_moments(self, lines_: Iterable[OutlineLine]) -> tuple[OutlineLine, ...]:
        """Replace each line that stands for a moment by the lines of its rules; drop headings left empty."""
        result: list[OutlineLine] = []
        for line in lines_:
            below = self.expand_moments(line.below)
            if line.text.endswith(":") and not below:
                continue
            if line.text:
                result.append(replace(line, below=below))
            else:
                result += self._describe_moment(line.about)
        return tuple(result)

    def _describe_moment(self, name: str) -> Iterator[OutlineLine]:
        """Yield a moment's title with what happens at it below, on one line if that is only a reference."""
        at_moment = self.lines_at(name, "")
        if at_moment:
            definition = self.rules.definitions[name]
            title = capitalize(singular_title(definition))
            if len(at_moment) == 1 and not at_moment[0].below and at_moment[0].text.startswith("See "):
                yield replace(at_moment[0], text=f"{title}: s{at_moment[0].text[1:]}")
            else:
                yield OutlineLine(f"{title}:", at_moment)

    # --- abilities by what they affect -----------------------------------------------------------

    def adjustments_of(self, name: str) -> tuple[OutlineLine, ...]:
        """Return the abilities that adjust a quantity."""
        return tuple(dict.fromkeys(self._describe_all(self.rules.linked.adjusts, name)))

    def shifts_of(self, name: str) -> tuple[OutlineLine, ...]:
        """Return the abilities that shift the dice total of an action."""
        return self._describe_all(self.rules.linked.shifts, name)

    def exceptions_of(self, action: str) -> tuple[OutlineLine, ...]:
        """Return the exceptions to the rules of an action."""
        abilities = (
            attached
            for (target, rule), exceptions in self.rules.linked.exceptions.items()
            if target == action and rule
            for attached in exceptions
        )
        return tuple(self.describe_ability(attached) for attached in abilities)

    def replacements_of(self, name: str) -> tuple[OutlineLine, ...]:
        """Return the exceptions that may replace a phase or routine."""
        exceptions = self.rules.linked.exceptions.items()
        return tuple(
            self.describe_ability(attached)
            for (target, _), attached_all in exceptions
            if target == name
            for attached in attached_all
        )

    def affecting_things(self, name: str) -> Iterator[t.Thing]:
        """Yield the things with an ability that adjusts, shifts, excepts or is triggered by this name."""
        linked = self.rules.linked
        abilities = [*linked.adjusts.get(name, ()), *linked.shifts.get(name, ()), *linked.whens.get((name, ""), ())]
        abilities += [
            attached
            for (target, _), attached_all in linked.exceptions.items()
            if target == name
            for attached in attached_all
        ]
        yield from (attached.thing for attached in abilities if attached.thing is not None)

    def _describe_all(self, table: Mapping[str, tuple[AttachedAbility, ...]], name: str) -> tuple[OutlineLine, ...]:
        """Return a line for each ability that the table lists under a name; empty if none."""
        return tuple(self.describe_ability(attached) for attached in table.get(name, ()))

    def describe_ability(self, attached: AttachedAbility) -> OutlineLine:
        """Return the line of an ability under the name of its owner, in the author's words if there are any."""
        words = self._author_words(attached)
        if words:
            line = OutlineLine(words)
        else:
            line = outline_ability(self.rules.resolved, attached.ability)
        owner = split_title(attached.thing.title if attached.thing else attached.title)[0]
        owner = capitalize(spell_name(attached.name)) if owner in ("", attached.name) else owner
        return replace(
            line,
            text=f"{capitalize(owner)}: {line.text}" if owner else line.text,
            below=self.expand_moments(line.below),
        )

    def _author_words(self, attached: AttachedAbility) -> str:
        """Return the author's words on an ability, or on the thing that it belongs to."""
        resolved, ability = self.rules.resolved, attached.ability
        words: t.Stmt | None = attached.thing.text if attached.thing is not None else None
        steps: t.Block = getattr(ability, "then", ())  # the steps of a rule exception
        if words is None and starts_with_text(steps):
            words = steps[0]
        if words is not None and resolved.authored:
            return to_sentence(describe(resolved, words))
        return ""


def is_bookkeeping(rules: AnnotatedRules, ability: t.Ability) -> bool:
    """Return True if a module's house rule only keeps count of something, which is not logged."""
    if rules.module_of(ability.span) == rules.game.name or not isinstance(ability, t.When):
        return False
    steps = [node for node in walk(ability.block) if isinstance(node, t.Stmt)]
    simple_steps = [step for step in steps if not any(is_block(value) for _, value in iter_fields(step))]
    return all(any(_is_quiet(rules, place) for place in iter_role_values(step, Role.CHANGED)) for step in simple_steps)


def _is_quiet(rules: AnnotatedRules, place: t.Expr) -> bool:
    """Return True if a place is in a `keep` declared quiet, whose changes are not logged."""
    keep = keep_of(rules.resolved, place)
    return isinstance(keep, t.Keep) and keep.quiet
