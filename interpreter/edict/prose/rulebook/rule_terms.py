"""The glossary of a game, with what each name is, what it does and what affects it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from edict.compiler.english import describe
from edict.compiler.english.moment_phrases import describe_without_amounts
from edict.compiler.semantics.symbols import Local, Symbol
from edict.compiler.sources.folders import Manifest, iter_passages
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.traversal import walk
from edict.compiler.syntax.word_search import normalize
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.cross_references import CrossReference, find_references, is_mention
from edict.prose.rulebook.descriptions import describe_definition, describe_exactly
from edict.prose.rulebook.rule_search import NamedDefinition, collect_named_definitions, search_definitions
from edict.prose.rulebook.things import iter_facts, iter_sentences, sort_things
from edict.support.morphology import capitalize, join_words, split_title, to_sentence
from edict.support.records import dataclass

# definitions whose author's text replaces the generated one
AUTHOR_DESCRIBED = t.Resource | t.Group | t.Die | t.Keep | t.Quantity | t.Kind | t.Display
SORTS = {"keep": "game state", "quantity": "number", "kind": "kind of thing", "display": "panel"}
NAMELESS = "The rules"
MAX_RULES = 12


@dataclass(frozen=True, slots=True)
class RuleTerm:
    """The glossary entry of one name."""

    name: str
    title: str
    sort: str
    module: str  # title of its module, empty for the game's own
    facts: tuple[tuple[str, str], ...] = ()  # printed values with their titles
    lines: tuple[str, ...] = ()  # sentences
    exactly: tuple[str, ...] = ()  # generated sentences, where the author has words of their own
    members: tuple[str, ...] = ()  # titles of what belongs to it
    touched: tuple[str, ...] = ()  # what affects it, with its source
    seen_in: tuple[str, ...] = ()  # other rules that mention it
    definition: t.Definition | None = None


class RuleTerms:
    """The glossary of a game with its modules, without what serves only bots."""

    def __init__(self, rules: AnnotatedRules) -> None:
        self.rules = remove_judgement(rules)

    @cached_property
    def _definitions(self) -> dict[str, NamedDefinition]:
        return collect_named_definitions(self.rules)

    @cached_property
    def _definitions_by_name(self) -> dict[str, list[NamedDefinition]]:
        """Index the definitions by their normalized names."""
        index: dict[str, list[NamedDefinition]] = {}
        for item in self._definitions.values():
            for name in self._names_of(item):
                index.setdefault(name, []).append(item)
        return index

    @cached_property
    def _references(self) -> tuple[CrossReference, ...]:
        return find_references(self.rules)

    @cached_property
    def _panel_titles(self) -> tuple[tuple[str, str, t.PanelPart], ...]:
        """Return the titles on panels, each with the panel's title and its content."""
        displays = (item for item in self.rules.definitions.values() if isinstance(item, t.Display))
        parts_ = ((display, item) for display in displays for item in (*display.lines, *display.columns))
        candidates = ((_line_heading(item), split_title(display.title)[0], item) for display, item in parts_)
        return tuple(item for item in candidates if item[0])

    # --- search

    def search(self, text: str) -> list[RuleTerm]:
        """Return the entries of this name; else those that begin with it; else those with such a field or question."""
        query = normalize(text)
        if not query:
            return []
        exact = [self.build_entry(item) for item in self._definitions_by_name.get(query, ())]
        exact += [self._build_panel_entry(*item) for item in self._panel_titles if normalize(item[0]) == query]
        exact += [
            self._build_module_entry(item.manifest)
            for item in self.rules.modules
            if query in _module_names(item.manifest)
        ]
        return _remove_duplicates(exact or list(self._search_inexact(text, query)))

    def _search_inexact(self, text: str, query: str) -> Iterator[RuleTerm]:
        """Yield panel titles that begin with the text, then named definitions and modules that match it."""
        yield from (
            self._build_panel_entry(*item) for item in self._panel_titles if normalize(item[0]).startswith(query)
        )
        yield from (
            self.build_entry(item)
            for item in search_definitions(self.rules, text.strip(" ?"))
            if not _is_nameless(item)
        )
        yield from (
            self._build_module_entry(item.manifest)
            for item in self.rules.modules
            if query in normalize(item.manifest.title)
        )

    def _names_of(self, named: NamedDefinition) -> set[str]:
        """Return all names of a definition; a thing also has its title with its kind: `row B`."""
        names = {normalize(form) for form in (named.name, named.title, *split_title(named.definition.title)) if form}
        if isinstance(named.definition, t.Thing):
            names |= {f"{normalize(self._sort_title(named))} {normalize(named.title)}"}
        return set() if _is_nameless(named) else names

    def titles(self) -> tuple[str, ...]:
        """Return the titles of everything that can be looked up."""
        names = [
            capitalize(item.title) for item in self._definitions.values() if not item.gone and item.definition.title
        ]
        modules = [module.manifest.title for module in self.rules.modules]
        return tuple(sorted({*names, *(title for title, _, _ in self._panel_titles), *modules}))

    # --- entries

    def build_all(self) -> Iterator[RuleTerm]:
        """Iterate over the entries of everything that can be looked up."""
        yield from (self.build_entry(item) for item in self._definitions.values() if not _is_nameless(item))
        yield from (self._build_panel_entry(*item) for item in self._panel_titles)
        yield from (self._build_module_entry(item.manifest) for item in self.rules.modules)

    def build_entry(self, named: NamedDefinition) -> RuleTerm:
        """Return the entry of a definition."""
        note = self.rules.book.notes.get(named.name, t.Note())
        if named.gone:
            change = self.rules.history[named.name][-1]
            lines: tuple[str, ...] = (f"Not in this game: removed by {self._module_title(change.module)}.",)
        else:
            lines = (*self._describe(named), *self._list_resource_uses(named.name, named.definition))
        if isinstance(named.definition, t.Thing):
            facts = tuple(iter_facts(self.rules, named.definition))
        else:
            facts = ()
        affecting, mentioning = ([], []) if named.gone else self._find_affecting(named.name)
        return RuleTerm(
            named.name,
            capitalize(named.title),
            self._sort_title(named),
            self._module_title(note.module),
            facts,
            lines,
            self._describe_exactly(named),
            tuple(self._iter_members(named.definition)),
            tuple(affecting),
            tuple(mentioning),
            named.definition,
        )

    def _describe(self, named: NamedDefinition) -> tuple[str, ...]:
        """Return the author's text on resources, keeps and the like, or the generated sentences."""
        if isinstance(named.definition, AUTHOR_DESCRIBED):
            author_text = self._author_text(named.name, split_title(named.definition.title))
        else:
            author_text = ()
        return author_text or tuple(_iter_rule_sentences(self.rules, named.definition))

    def _author_text(self, name: str, titles: Sequence[str]) -> tuple[str, ...]:
        """Return the author's sentences on a name, see `find_author_text`; empty if there are none."""
        return find_author_text(self.rules, name, titles)

    def _sort_title(self, named: NamedDefinition) -> str:
        """Return the title of a thing's kind; for other definitions the reader's word for their sort."""
        if isinstance(named.definition, t.Thing):
            kind = self.rules.definitions[named.definition.kind.word]
            return singular_title(kind)
        return SORTS.get(named.sort, named.sort)

    def _module_title(self, module: str) -> str:
        """Return a module's title, empty for the game itself."""
        manifest = next((item.manifest for item in self.rules.modules if item.name == module), None)
        return "" if manifest is None or manifest.kind == "game" else manifest.title

    def _describe_exactly(self, named: NamedDefinition) -> tuple[str, ...]:
        """Return the generated sentences if they differ from the shown text; empty otherwise or if removed."""
        has_other_text = not named.gone and (
            describe_exactly(self.rules, named.definition) or isinstance(named.definition, t.Quantity)
        )
        if has_other_text:
            generated = tuple(_iter_rule_sentences(self.rules.with_generated_text, named.definition))
        else:
            generated = ()
        return generated if generated != self._describe(named) else ()

    def _list_resource_uses(self, name: str, definition: t.Definition) -> Iterator[str]:
        """Iterate over sentences on how a resource is gained, spent and counted."""
        if not isinstance(definition, t.Resource):
            return
        definitions = self.rules.definitions.values()
        for heading, sorts in (("Gained from", t.Gain), ("Lost or spent in", t.Lose | t.Spend)):
            steps = ((owner, node) for owner in definitions for node in walk(owner) if isinstance(node, sorts))
            yield from self._list_titles(heading, (owner for owner, node in steps if self._moves_resource(node, name)))
        counting = (
            owner for owner in definitions if isinstance(owner, t.Quantity) and name in self._names_in(owner.value)
        )
        yield from self._list_titles("Counts for", counting)

    def _moves_resource(self, step: t.Node, resource: str) -> bool:
        """Return True if a step gains, loses or spends a resource by name, as one of its group or by choice."""
        of = {
            resource,
            *(
                one.name.word
                for one in self.rules.definitions.values()
                if isinstance(one, t.Group) and resource in self._names_in(one)
            ),
        }
        moved = replace(step, then=(), otherwise=()) if isinstance(step, t.Spend) else step
        parts = [node.what for node in walk(moved) if isinstance(node, t.Part)]
        meanings = [self.rules.resolved.meaning.get(one) for one in parts]
        return any(
            isinstance(one, Local) and len(of) > 1 or isinstance(one, Symbol) and one.name in of for one in meanings
        )

    def _list_titles(self, heading: str, found: Iterator[t.Definition]) -> Iterator[str]:
        """Yield one sentence `heading: titles`, each once, shortened if many; routines by their steps."""
        titles = [
            describe_without_amounts(one) if isinstance(one, t.Routine) else split_title(one.title)[0] for one in found
        ]
        said = list({title.casefold(): capitalize(title) for title in titles if title}.values())
        if said:
            yield to_sentence(f"{heading}: {join_words(said, limit=MAX_RULES)}")

    def _iter_members(self, definition: t.Definition) -> Iterator[str]:
        """Iterate over the things of a kind, the resources of a group, or the things that refer to a thing."""
        if isinstance(definition, t.Kind):
            yield from (singular_title(thing) for thing in sort_things(self.rules, definition))
        elif isinstance(definition, t.Group):
            names = (self.rules.resolved.meaning_of(member).name for member in definition.members)
            yield from (singular_title(self.rules.definitions[name]) for name in names)
        elif isinstance(definition, t.Thing):
            for kind, things in self.rules.linked.things.items():
                if kind != definition.kind.word:
                    yield from (singular_title(thing) for thing in things if self._refers_to(thing, definition))

    def _refers_to(self, thing: t.Thing, other: t.Thing) -> bool:
        """Return True if a field of one thing names the other."""
        exprs = (value.expr for value in thing.fields if value.expr is not None)
        return any(other.name.word in self._names_in(expr) for expr in exprs)

    def _find_affecting(self, name: str) -> tuple[list[str], list[str]]:
        """Return sentences on rules that affect a name, and titles of rules that just mention it."""
        own_references = [touch for touch in self._references if touch.whom == name and not touch.how.endswith(" by")]
        affecting = [
            self._with_source(touch.who, touch.words)
            for touch in own_references
            if touch.words and not is_mention(touch)
        ]
        mentioning: list[str] = []
        for touch in own_references:
            abilities = list(self._describe_mentions(touch.who, name)) if is_mention(touch) else []
            affecting += [self._with_source(touch.who, words) for words in abilities]
            title = self._definitions[touch.who].definition.title
            if is_mention(touch) and not abilities and title and "_" not in title:
                mentioning.append(self._source_title(touch.who))
        return list(dict.fromkeys(affecting))[:MAX_RULES], list(dict.fromkeys(mentioning))[:MAX_RULES]

    def _describe_mentions(self, owner: str, name: str) -> Iterator[str]:
        """Iterate over the descriptions of house rules, and for a thing of other things' abilities, that mention it."""
        definition = self._definitions[owner].definition
        abilities: tuple[t.Ability, ...] = (definition.ability,) if isinstance(definition, t.Standalone) else ()
        if isinstance(definition, t.Thing) and isinstance(self._definitions[name].definition, t.Thing):
            abilities = definition.abilities
        for ability in abilities:
            if name in self._names_in(ability):
                yield to_sentence(describe(self.rules.resolved, ability))

    def _names_in(self, node: t.Node) -> set[str]:
        """Return the names of all definitions that a node refers to; locals are left out."""
        meanings = (
            self.rules.resolved.meaning.get(name_node) for name_node in walk(node) if isinstance(name_node, t.Name)
        )
        return {meaning.name for meaning in meanings if isinstance(meaning, Symbol)}

    def _with_source(self, name: str, words: str) -> str:
        """Return `[title of the rule]: [words]`, or the words alone if the rule has no title."""
        source = self._source_title(name)
        return words if source == NAMELESS else f"{source}: {words}"

    def _source_title(self, name: str) -> str:
        """Return the title of a rule, or of its module if it has none."""
        named = self._definitions.get(name)
        if named is not None and not _is_nameless(named):
            return capitalize(named.title)
        if named is not None:
            module = self._module_title(self.rules.module_of(named.definition.span))
        else:
            module = ""
        return module or NAMELESS

    def _build_panel_entry(self, title: str, panel: str, column: t.PanelPart) -> RuleTerm:
        """Return the entry of a title on a panel, or of the resource or state that it shows."""
        exprs = [part for part in column.parts if not isinstance(part, str)]
        shown = self._single_definition(exprs)
        if shown is not None:
            return self.build_entry(shown)
        parts = join_words(describe(self.rules.resolved, part) for part in exprs)
        where = f"on the panel “{capitalize(panel)}”" if panel else "on the table"
        field = next((node.head.word for expr in exprs for node in walk(expr) if isinstance(node, t.Apply)), "")
        lines = self._author_text(field, (title, f"{title}s")) or ((to_sentence(capitalize(parts)),) if parts else ())
        return RuleTerm("", capitalize(title), f"shown {where}", "", lines=lines)

    def _single_definition(self, exprs: Sequence[t.Expr]) -> NamedDefinition | None:
        """Return the one resource, keep or quantity that a panel's expression shows, else None."""
        names = [node for expr in exprs for node in walk(expr) if isinstance(node, t.Name)]
        meanings = (self.rules.resolved.meaning.get(name) for name in names)
        symbols = [
            meaning
            for meaning in meanings
            if isinstance(meaning, Symbol) and meaning.sort in ("resource", "keep", "quantity")
        ]
        if len(exprs) == len(symbols) == 1 and len(names) <= 2:
            return self._definitions.get(symbols[0].name)
        return None

    def _build_module_entry(self, manifest: Manifest) -> RuleTerm:
        """Return the entry of a module, with its summary as the only line."""
        lines = (to_sentence(manifest.summary),) if manifest.summary else ()
        return RuleTerm(manifest.name, manifest.title, manifest.kind, "", lines=lines)


def _iter_rule_sentences(rules: AnnotatedRules, definition: t.Definition) -> Iterator[str]:
    """Yield the generated English sentences of a definition: for a thing those of its effects and abilities alone.

    The other values printed on a thing are shown elsewhere.
    """
    describe = iter_sentences if isinstance(definition, t.Thing) else describe_definition
    yield from describe(rules, definition)  # type: ignore[arg-type]


def _module_names(manifest: Manifest) -> set[str]:
    """Return the names of a module, also its title without the number."""
    return {normalize(manifest.name), normalize(manifest.title), normalize(manifest.title.rpartition(": ")[2])}


def _is_nameless(named: NamedDefinition) -> bool:
    """Return True for a house rule without name and title."""
    return isinstance(named.definition, t.Standalone) and not named.definition.name.word and not named.definition.title


def _line_heading(column: t.PanelPart) -> str:
    """Return a panel column's title, or else the text before its first value, without a colon."""
    first = next((part for part in column.parts[:1] if isinstance(part, str)), "")
    return (column.title or first).strip().rstrip(":")


def _remove_duplicates(entries: Sequence[RuleTerm]) -> list[RuleTerm]:
    """Return the entries without those that look the same to readers; names may differ."""
    unique = {(entry.title, entry.sort, entry.facts, entry.lines, entry.members): entry for entry in entries}
    return list(unique.values())


__all__ = ["RuleTerm", "RuleTerms", "normalize"]


MAX_SENTENCES = 4
# begins a sentence that refers to the one before
_BACK_REFERENCE = re.compile(r"(?:(?:If|When) )?(?:it|its|they|he|she|this|these)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z+])")


def find_author_text(rules: AnnotatedRules, name: str, titles: Sequence[str]) -> tuple[str, ...]:
    """Return the author's text on a name, or the sentences on the course of the game that mention it.

    `titles` are its titles in the singular and the plural.
    """
    passages = [item for _, item in iter_passages(rules.modules)]
    title_set = {title.casefold() for title in titles if title}
    place_sets = [
        {name},
        {
            item.name.word
            for item in rules.definitions.values()
            if isinstance(item, t.Group) and name in (rules.resolved.meaning_of(member).name for member in item.members)
        },
    ]
    own_text, group_text = (
        [text for item in passages if item.place in place_names for text in item.paragraphs]
        for place_names in place_sets
    )
    titled_text = [text for item in passages if item.title.casefold() in title_set for text in item.paragraphs]
    return tuple(own_text or titled_text or group_text) or _find_mentions(_iter_author_sentences(rules), titles)


def _find_mentions(sentences: Iterator[str], titles: Sequence[str]) -> tuple[str, ...]:
    """Return the first few sentences that contain a title as whole words; skip those that refer back."""
    words = "|".join(re.escape(title) for title in titles if title)
    if not words:
        return ()
    pattern = re.compile(rf"(?<![\w+-])(?:{words})(?![\w-])", re.IGNORECASE)
    return tuple(
        dict.fromkeys(
            sentence for sentence in sentences if pattern.search(sentence) and not _BACK_REFERENCE.match(sentence)
        )
    )[:MAX_SENTENCES]


def _iter_author_sentences(rules: AnnotatedRules) -> Iterator[str]:
    """Iterate over the authors' sentences on phases and routines, first in the rules, then in the book."""
    definitions = [item for item in rules.definitions.values() if isinstance(item, t.Phase | t.Routine)]
    for item in definitions:
        texts = (node for node in walk(item) if isinstance(node, t.Text))
        yield from (part for text in texts for part in _SENTENCE_END.split(to_sentence(describe(rules.resolved, text))))
    names = {item.name.word for item in definitions}
    passages = (text for _, item in iter_passages(rules.modules) if item.place in names for text in item.paragraphs)
    yield from (part for text in passages for part in _SENTENCE_END.split(text))
