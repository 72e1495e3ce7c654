"""Search for definitions by a name, a title, its beginning, or a question they ask."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement, sort_title
from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.report import suggest_word
from edict.support.request_errors import RequestError
from edict.support.text import matches_beginnings, split_words

MAX_RESULTS = 8


@dataclass(frozen=True, slots=True)
class NamedDefinition:
    """A definition with its name; a removed one is as it was before its removal."""

    name: str
    definition: t.Definition
    gone: bool = False  # whether it was removed

    @property
    def title(self) -> str:
        """Return the singular title."""
        return singular_title(self.definition)

    @property
    def sort(self) -> str:
        """Return the name of the definition's sort."""
        return sort_title(self.definition)


def collect_named_definitions(rules: AnnotatedRules) -> dict[str, NamedDefinition]:
    """Return everything with a name, including what modules removed."""
    current: dict[str, t.Definition] = {**rules.definitions, **rules.standalone}
    result = {name: NamedDefinition(name, definition) for name, definition in current.items()}
    for name, changes in rules.history.items():
        versions = [change.after for change in changes if change.after is not None]
        if name not in result and versions:
            result[name] = NamedDefinition(name, versions[-1], gone=True)
    return result


def search_definitions(rules: AnnotatedRules, text: str) -> list[NamedDefinition]:
    """Return the definitions found by the first way that finds any; [] if none does.

    Exact names come first, then titles that begin so, then definitions with such a question, field or rule.
    """
    candidates = collect_named_definitions(rules)
    query = text.casefold().strip()
    if not query:
        return []
    for matches in (
        _find_exact(candidates, query),
        _find_by_prefix(candidates, query),
        _find_by_content(candidates, query),
    ):
        if matches:
            return matches[:MAX_RESULTS]
    return []


def require_named(rules: AnnotatedRules, text: str) -> tuple[AnnotatedRules, list[NamedDefinition]]:
    """Return the rules in which to show the matches, and the matches.

    Rules for bots are included only if nothing else matches.

    Raises:
        RequestError: Nothing matches.
    """
    for shown_rules in (remove_judgement(rules), rules):
        if matches := search_definitions(shown_rules, text):
            return shown_rules, matches
    raise RequestError(f"nothing named `{text}` in {rules.game.manifest.title}", _suggest_names(rules, text))


def _suggest_names(rules: AnnotatedRules, text: str) -> str:
    """Return a did-you-mean hint over names and titles, or a general hint."""
    words = {
        word
        for candidate in collect_named_definitions(rules).values()
        for word in (candidate.name, candidate.title.casefold())
    }
    hint = suggest_word(text.casefold().strip(), sorted(words))
    return hint or "name a thing, kind, resource, quantity, action, phase, setting or house rule; or `find` it by words"


def _find_exact(candidates: dict[str, NamedDefinition], query: str) -> list[NamedDefinition]:
    """Return the definition of this name first, then those of this title; case-insensitive, also plurals."""
    if query in candidates:
        others = [
            candidate
            for candidate in candidates.values()
            if candidate.title.casefold() == query and candidate.name != query
        ]
        return [candidates[query], *others]
    return [
        candidate
        for candidate in candidates.values()
        if query in (form.casefold() for form in (*split_title(candidate.definition.title), candidate.title))
    ]


def _find_by_prefix(candidates: dict[str, NamedDefinition], query: str) -> list[NamedDefinition]:
    """Return the definitions whose title or name has words with these prefixes in sequence."""
    query_words = split_words(query)
    matches = [
        candidate
        for candidate in candidates.values()
        if matches_beginnings(split_words(candidate.title), query_words)
        or matches_beginnings(split_words(candidate.name), query_words)
    ]
    return sorted(matches, key=lambda candidate: not candidate.title.casefold().startswith(query))


def _find_by_content(candidates: dict[str, NamedDefinition], query: str) -> list[NamedDefinition]:
    """Return the definitions with a part of exactly this name, else with a question that begins with the query."""
    exact_matches = [
        candidate
        for candidate in candidates.values()
        if any(word.casefold() == query for word in _iter_content_names(candidate))
    ]
    return exact_matches or [
        candidate
        for candidate in candidates.values()
        if any(prompt.casefold().startswith(query) for prompt in _iter_prompts(candidate))
    ]


def _iter_content_names(named: NamedDefinition) -> Iterator[str]:
    """Yield names in a definition: rules (also `action.rule`), fields with titles, then question texts."""
    for node in walk(named.definition):
        if isinstance(node, t.Rule):
            yield from (node.name.word, f"{named.name}.{node.name.word}")
        elif isinstance(node, t.FieldDef):
            yield from (word for word in (node.name.word, node.title) if word)
    yield from _iter_prompts(named)


def _iter_prompts(named: NamedDefinition) -> Iterator[str]:
    """Yield the text of each question in a definition, with and without its question mark."""
    for node in walk(named.definition):
        prompt = getattr(node, "prompt", "")
        yield from (prompt, prompt.rstrip("?")) if prompt else ()
