"""Optional rules: settings with what they change, and modules that are not in play. They stand together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from edict.compiler.english import Line, lines
from edict.compiler.english.condition_phrases import condition
from edict.compiler.english.plurals import countable
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.symbols import definition_of
from edict.compiler.sources.module_lookup import catalogue
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import setting_value, singular_title
from edict.compiler.syntax.walking import walk
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.chapters import Block, Section, Steps, Table, TableRow
from edict.prose.rulebook.course import Chapters, new_details, optional_sections
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.passages import Passages
from edict.support.morphology import capitalize, split_title, uncapitalize_title


def optional_rules(known: Known, usually: Known, effects: EffectsIndex, chapters: Chapters, said: Passages) -> Section:
    """The settings and what they change, with all that is done by an option alone; and what other modules there are."""
    blocks: list[Block] = [*_settings(known)]
    by_option = tuple(effects.told(held) for held in known.linked.held if _is_off(known, held))
    by_option += tuple(_by_option(known, effects))
    blocks += [Steps(by_option, heading="What the options change")] if by_option else []
    phases = optional_sections(known, usually, effects, chapters, said)
    brought = [step for one in _written(known) for step in _brought(known, one)]
    blocks += new_details(known, effects, chapters, brought, _written(usually), usually.resolved)
    others = _modules(known)
    blocks += [Table(("Modules and scenarios", "In short"), others)] if others else []
    return Section("Optional rules", "_settings", tuple(blocks), phases)


def _by_option(known: Known, effects: EffectsIndex) -> Iterator[Line]:
    """The steps that an option brings or takes away, each under the name of what they stand in."""
    for one in known.definitions.values():
        for step in walk(one):
            so = _hanging(known, step)
            if so is None or not isinstance(step, t.If):
                continue
            only = so and not step.otherwise
            told = effects.filled(lines(known.resolved, step.otherwise if so and not only else step.then))
            if told:
                holds = f"{'only ' * only}if {condition(known.resolved, step.condition, only or not so)}"
                title = singular_title(one)
                yield Line(f"{capitalize(title)}: {capitalize(holds)}:", told)


def _brought(known: Known, one: t.Node) -> Iterator[t.Stmt]:
    """The steps that only an option brings."""
    for step in walk(one):
        so = _hanging(known, step)
        if so is not None and isinstance(step, t.If):
            yield from step.otherwise if so else step.then


def _hanging(known: Known, step: t.Node) -> bool | None:
    """Of a step whose condition settings alone decide: whether it is met with settings as they usually are."""
    if not isinstance(step, t.If):
        return None
    return next((so for so in (True, False) if _always(known, step.condition, so)), None)


def _settings(known: Known) -> list[Table]:
    rows = []
    for name, one in known.definitions.items():
        if isinstance(one, t.Setting):
            bounds, other = "a number", "NUMBER"
            if one.truth:
                bounds, other = "on or off", "off" if one.value else "on"
            elif one.low is not None:
                bounds = f"{one.low} to {one.high}"
            rows.append(TableRow((singular_title(one), setting_value(one), bounds, f"--set {name}={other}"), name))
    return [Table(("Option", "Usually", "Values", "To change it"), tuple(rows))] if rows else []


def _modules(known: Known) -> tuple[TableRow, ...]:
    """What ships for this game and is not in play."""
    playing = {module.name for module in known.modules}
    found = [
        manifest
        for _, manifest in catalogue().values()
        if known.game.name in manifest.requires and manifest.name not in playing
    ]
    return tuple(sorted((TableRow((one.title, one.summary)) for one in found), key=lambda row: row.cells))


# --- what is usual ---------------------------------------------------------------------------------


def usual(known: Known) -> Known:
    """The rules with settings as they usually are: without the abilities that need another."""
    linked = known.linked
    hanging = ((step, _hanging(known, step)) for one in _written(known) for step in walk(one))
    settled: dict[t.Node, t.Block] = {
        step: step.then if so else step.otherwise for step, so in hanging if isinstance(step, t.If) and so is not None
    }
    resolved = replace(
        linked.resolved,
        usual={**settled, **dict(_unsaid(known))},
        book=replace(known.book, standalone=tuple(one for one in known.book.standalone if not _is_off(known, one))),
    )

    def kept(held: Iterable[AttachedAbility]) -> tuple[AttachedAbility, ...]:
        return tuple(one for one in held if not _is_off(known, one))

    return replace(
        known,
        linked=replace(
            linked,
            typed=replace(linked.typed, resolved=resolved),
            adjusts={name: kept(held) for name, held in linked.adjusts.items()},
            whens={name: kept(held) for name, held in linked.whens.items()},
            shifts={name: kept(held) for name, held in linked.shifts.items()},
            exceptions={name: kept(held) for name, held in linked.exceptions.items()},
        ),
    )


def _written(known: Known) -> Iterator[t.Node]:
    yield from known.definitions.values()
    yield from (one.ability for one in known.book.standalone)


def _unsaid(known: Known) -> Iterator[tuple[t.Node, t.Block]]:
    """The conditions of abilities that settings alone decide, and that are met as these usually are."""
    for held in known.linked.held:
        condition = getattr(held.ability, "condition", None)
        if condition is not None and _always(known, condition, True):
            yield condition, ()


def _is_off(known: Known, held: AttachedAbility | t.Standalone) -> bool:
    """Whether an ability does nothing unless a setting is changed."""
    condition = getattr(held.ability, "condition", None)
    return condition is not None and _always(known, condition, False)


def _always(known: Known, one: t.Expr, so: bool) -> bool:
    """Whether a condition is always so (or never) with the settings as they usually are."""
    if isinstance(one, t.Name):
        setting = definition_of(known.resolved, one)
        return isinstance(setting, t.Setting) and setting.truth and bool(setting.value) is so
    if isinstance(one, t.Unary) and one.op == "not":
        return _always(known, one.arg, not so)
    if isinstance(one, t.Binary) and one.op in ("and", "or"):
        enough = any if (one.op == "or") is so else all
        return enough(_always(known, side, so) for side in (one.left, one.right))
    return False


def usually(known: Known, told: Iterable[Line]) -> tuple[Line, ...]:
    """Lines with the numbers that settings usually have instead of their names."""
    names = {}
    for one in known.definitions.values():
        if isinstance(one, t.Setting) and not one.truth and one.title:
            title = uncapitalize_title(split_title(one.title)[0])
            names[f"the number of {title}" if countable(title) else f"the {title}"] = str(one.value)
    return tuple(_with_numbers(line, names) for line in told)


_TIMES = re.compile(r"\b[Aa]s many times as (\d+)(?=[:,.])")


def _with_numbers(line: Line, names: Mapping[str, str]) -> Line:
    text = line.text
    for name, number in names.items():
        text = text.replace(name, number)
    text = _TIMES.sub(r"\1 times", text)
    return replace(line, text=text, below=tuple(_with_numbers(one, names) for one in line.below))
