"""A catalog of the names that rules may use, with titles and meanings in English."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from edict.compiler.english import describe
from edict.compiler.english.calendar import build_calendar
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.cross_references import VERBS_IN_ORDER, find_references
from edict.prose.rulebook.descriptions import describe_definition
from edict.support.morphology import split_title, to_sentence
from edict.support.records import dataclass

_ACTION_RULES = "rules of actions"  # the heading of what an exception is made to
HEADINGS = (*dict.fromkeys(node.heading for node in SORTS if node.heading), _ACTION_RULES)
_EXAMPLE_VERBS = VERBS_IN_ORDER[: VERBS_IN_ORDER.index("reads") + 1]  # of references by rules, the most telling first
_ABILITY_WORDS = ("adjust", "when", "shift", "exception")
# How variants use a name that the rules use in no ability, by heading; under other headings a step is shown.
_USUAL_FORMS = {
    "moments": "when {}",
    "phases": "when end of {}",
    "quantities": "adjust {} by 1",
    _ACTION_RULES: "exception to {}",
}


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A name with its meaning."""

    sort: str  # heading under which it is listed
    written: str  # name with its parameters, as a rule writes it
    title: str
    meaning: str  # English description
    happens: str = ""  # titles of the phases around the first time that it happens, outermost first
    example: str = ""  # a line of the rules that uses it

    @property
    def name(self) -> str:
        """The name without its parameters."""
        return self.written.split()[0]


def iter_names(rules: AnnotatedRules) -> Iterator[CatalogEntry]:
    """Iterate over all names by heading, in the sequence of the rules."""
    for heading in HEADINGS:
        for definition in rules.definitions.values():
            if definition.heading == heading:
                yield CatalogEntry(
                    heading,
                    _format_usage(definition),
                    split_title(definition.title)[0],
                    describe_in_one_line(rules, definition),
                )
            if isinstance(definition, t.Action) and heading == _ACTION_RULES:
                yield from _iter_action_rules(rules, definition)


def _iter_action_rules(rules: AnnotatedRules, action: t.Action) -> Iterator[CatalogEntry]:
    """Yield an entry for each rule of an action, with what it requires."""
    for rule in action.rules:
        requirement = to_sentence(describe(rules.resolved, rule.require))
        yield CatalogEntry(_ACTION_RULES, f"{action.name.word}.{rule.name.word}", rule.because, requirement)


def add_usage(rules: AnnotatedRules, entries: Iterable[CatalogEntry]) -> Iterator[CatalogEntry]:
    """Yield entries with the time at which each happens, and a line of the rules that uses it, where there is one."""
    times, examples = _find_times(rules), _find_examples(rules)
    for entry in entries:
        example = examples.get(entry.name, "")
        if entry.sort in _USUAL_FORMS and not example.startswith(_ABILITY_WORDS):
            example = _USUAL_FORMS[entry.sort].format(entry.name)
        yield replace(entry, happens=times.get(entry.name, ""), example=example)


def _find_times(rules: AnnotatedRules) -> dict[str, str]:
    """Return the titles of the phases and routines around each moment, phase and routine, by its name."""
    times: dict[str, str] = {}
    around: list[str] = []
    for event in build_calendar(rules.linked):
        del around[event.depth :]
        if event.edge in ("", "start"):
            times.setdefault(event.name, ", ".join(around))
        if event.edge == "start":
            around.append(event.display_title)
    return times


def _find_examples(rules: AnnotatedRules) -> dict[str, str]:
    """Return the line of the rules that shows best how a name is used, by name; `action.rule` for a rule of an action.

    Abilities show more than steps, and among equals the shortest line is taken.
    """
    best: dict[str, tuple[int, int, str]] = {}
    for reference in find_references(rules):
        source = rules.sources.get(reference.span.file)
        if source is None or reference.how not in _EXAMPLE_VERBS:
            continue
        line = source.lines[reference.span.line - 1].strip()
        name = f"{reference.whom}.{reference.part}" if reference.how == "excepts" else reference.whom
        ranked = (_EXAMPLE_VERBS.index(reference.how), len(line), line)
        best[name] = min(best.get(name, ranked), ranked)
    return {name: line for name, (_, _, line) in best.items()}


def _format_usage(definition: t.Definition) -> str:
    """Return the name with its parameters as a rule writes it."""
    name = definition.name.word
    params = [param.name.word for param in getattr(definition, "params", ()) if isinstance(param, t.Param)]
    if not params:
        return name
    if isinstance(definition, t.Keep | t.Quantity):
        return f"{name} of {(' by ' if isinstance(definition, t.Keep) else ' in ').join(params)}"
    return f"{name} with {' and '.join(params)}"


def describe_in_one_line(rules: AnnotatedRules, definition: t.Definition) -> str:
    """Return all sentences about a definition, joined by spaces."""
    return " ".join(line.strip() for line in describe_definition(rules, definition))


def filter_names(entries: Iterator[CatalogEntry], words: str) -> Iterator[CatalogEntry]:
    """Iterate over the entries whose name, title or sort contains all words."""
    query_words = words.casefold().split()
    for entry in entries:
        text = " ".join((entry.written, entry.title, entry.sort)).casefold()
        if all(word in text for word in query_words):
            yield entry
