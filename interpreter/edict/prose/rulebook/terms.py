"""What there is to say of anything with a name when a player asks: what it is, what it does, what acts on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from edict.compiler.english import tell
from edict.compiler.english.doing import called
from edict.compiler.semantics.symbols import Local, Symbol
from edict.compiler.sources.folders import Manifest
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.walking import walk
from edict.compiler.syntax.word_search import plain
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.descriptions import description, exactly
from edict.prose.rulebook.judging import without_judgement
from edict.prose.rulebook.looking import Named, everything, look
from edict.prose.rulebook.things import facts_of, ordered, sentences
from edict.prose.rulebook.touching import Touch, mentions, touches
from edict.support.morphology import capitalize, join_words, split_title, to_sentence
from edict.support.report import did_you_mean

TAUGHT = t.Resource | t.Group | t.Die | t.Keep | t.Quantity | t.Kind | t.Display
SORTS = {"keep": "game state", "quantity": "number", "kind": "kind of thing", "display": "panel"}
NAMELESS = "The rules"
MOST = 12  # rules that act on it, and names of those that only speak of it


@dataclass(frozen=True, slots=True)
class Term:
    """What is said about one name. `module` is the title of the module it comes from, empty for the game's own.

    `facts` are printed values with their titles, `lines` sentences, `exactly` the same as they are made from the rules,
    where the author has words of their own; `members` the titles of what belongs to it,
    `touched` what acts on it, with who does. `seen_in` names the rules that speak of it besides.
    """

    name: str
    title: str
    sort: str
    module: str
    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    exactly: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    seen_in: tuple[str, ...] = ()
    definition: t.Definition | None = None


class Terms:
    """All names of a game with its modules; what is there for bots alone is left out."""

    def __init__(self, known: Known) -> None:
        self.known = without_judgement(known)

    @cached_property
    def _named(self) -> dict[str, Named]:
        return everything(self.known)

    @cached_property
    def _touches(self) -> tuple[Touch, ...]:
        return touches(self.known)

    @cached_property
    def _columns(self) -> tuple[tuple[str, str, t.PanelPart], ...]:
        """The titles that stand on the table's panels: the title, the panel's, and what stands there."""
        shown = (one for one in self.known.definitions.values() if isinstance(one, t.Display))
        found = ((display, one) for display in shown for one in (*display.lines, *display.columns))
        titled = ((_heading(one), split_title(display.title)[0], one) for display, one in found)
        return tuple(one for one in titled if one[0])

    # --- finding

    def look(self, about: str) -> list[Term]:
        """What is called so; else what begins so; else what holds a field or asks a question of that name."""
        wanted = plain(about)
        if not wanted:
            return []
        exact = [self.term(one) for one in self._named.values() if wanted in self._called(one)]
        exact += [self._column(*one) for one in self._columns if plain(one[0]) == wanted]
        exact += [self._module(one.manifest) for one in self.known.modules if wanted in _names(one.manifest)]
        return _once(exact or list(self._roughly(about, wanted)))

    def _roughly(self, about: str, wanted: str) -> Iterator[Term]:
        """What begins so, or holds a field or a question of that name; rules without a title are none of it."""
        yield from (self._column(*one) for one in self._columns if plain(one[0]).startswith(wanted))
        yield from (self.term(one) for one in look(self.known, about.strip(" ?")) if not _nameless(one))
        yield from (self._module(one.manifest) for one in self.known.modules if wanted in plain(one.manifest.title))

    def _called(self, one: Named) -> set[str]:
        """Its name and titles; of a thing also with the title of its kind: `row B`."""
        names = {plain(form) for form in (one.name, one.title, *split_title(one.definition.title)) if form}
        if isinstance(one.definition, t.Thing):
            names |= {f"{plain(self._sort(one))} {plain(one.title)}"}
        return set() if _nameless(one) else names

    def nearest(self, about: str) -> str:
        return did_you_mean(about.casefold().strip(" ?"), sorted({title.casefold() for title in self.titles()}))

    def titles(self) -> tuple[str, ...]:
        """All that can be asked about, by title."""
        names = [capitalize(one.title) for one in self._named.values() if not one.gone and one.definition.title]
        modules = [module.manifest.title for module in self.known.modules]
        return tuple(sorted({*names, *(title for title, _, _ in self._columns), *modules}))

    # --- telling

    def term(self, one: Named) -> Term:
        note = self.known.book.notes.get(one.name, t.Note())
        if one.gone:
            change = self.known.history[one.name][-1]
            lines: tuple[str, ...] = (f"Not in this game: removed by {self._title(change.module)}.",)
        else:
            lines = (*self._words(one), *self._ways(one.name, one.definition))
        facts = tuple(facts_of(self.known, one.definition)) if isinstance(one.definition, t.Thing) else ()
        acting, seen = ([], []) if one.gone else self._acting(one.name)
        return Term(
            one.name,
            capitalize(one.title),
            self._sort(one),
            self._title(note.module),
            facts,
            lines,
            self._exactly(one),
            tuple(self._members(one.definition)),
            tuple(acting),
            tuple(seen),
            one.definition,
        )

    def _words(self, one: Named) -> tuple[str, ...]:
        """What is said of it: of what the game is played with, what its author teaches, if anything."""
        own = self._taught(one.name, split_title(one.definition.title)) if isinstance(one.definition, TAUGHT) else ()
        return own or tuple(_lines(self.known, one.definition))

    def _taught(self, name: str, titles: Sequence[str]) -> tuple[str, ...]:
        return taught(self.known, name, titles)

    def _sort(self, one: Named) -> str:
        if isinstance(one.definition, t.Thing):
            kind = self.known.definitions[one.definition.kind.word]
            return singular_title(kind)
        return SORTS.get(one.sort, one.sort)

    def _title(self, module: str) -> str:
        """A module's title; nothing for the game itself."""
        found = next((one.manifest for one in self.known.modules if one.name == module), None)
        return "" if found is None or found.kind == "game" else found.title

    def _exactly(self, one: Named) -> tuple[str, ...]:
        told = not one.gone and (exactly(self.known, one.definition) or isinstance(one.definition, t.Quantity))
        made = tuple(_lines(self.known.generated, one.definition)) if told else ()
        return made if made != self._words(one) else ()

    def _ways(self, name: str, definition: t.Definition) -> Iterator[str]:
        """Of a resource, how one comes by it, what it goes for, and for what it counts."""
        if not isinstance(definition, t.Resource):
            return
        every = self.known.definitions.values()
        for heading, sorts in (("Gained from", t.Gain), ("Lost or spent in", t.Lose | t.Spend)):
            steps = ((one, node) for one in every for node in walk(one) if isinstance(node, sorts))
            yield from self._listed(heading, (one for one, node in steps if self._moves(node, name)))
        counting = (one for one in every if isinstance(one, t.Quantity) and name in self._meant(one.value))
        yield from self._listed("Counts for", counting)

    def _moves(self, step: t.Node, resource: str) -> bool:
        """Whether a step gains, loses or spends it: by name, as one of a group, or as one that is chosen."""
        of = {
            resource,
            *(
                one.name.word
                for one in self.known.definitions.values()
                if isinstance(one, t.Group) and resource in self._meant(one)
            ),
        }
        moved = replace(step, then=(), otherwise=()) if isinstance(step, t.Spend) else step
        parts = [node.what for node in walk(moved) if isinstance(node, t.Part)]
        meanings = [self.known.resolved.meaning.get(one) for one in parts]
        return any(
            isinstance(one, Local) and len(of) > 1 or isinstance(one, Symbol) and one.name in of for one in meanings
        )

    def _listed(self, heading: str, found: Iterator[t.Definition]) -> Iterator[str]:
        titles = [called(one) if isinstance(one, t.Routine) else split_title(one.title)[0] for one in found]
        said = list({title.casefold(): capitalize(title) for title in titles if title}.values())
        if said:
            yield to_sentence(f"{heading}: {join_words(said, most=MOST)}")

    def _members(self, definition: t.Definition) -> Iterator[str]:
        """Of a kind its things, of a group its resources, of a thing those that name it in a field."""
        if isinstance(definition, t.Kind):
            yield from (singular_title(thing) for thing in ordered(self.known, definition))
        elif isinstance(definition, t.Group):
            names = (self.known.resolved.of(member).name for member in definition.members)
            yield from (singular_title(self.known.definitions[name]) for name in names)
        elif isinstance(definition, t.Thing):
            for kind, things in self.known.linked.things.items():
                if kind != definition.kind.word:
                    yield from (singular_title(thing) for thing in things if self._names(thing, definition))

    def _names(self, thing: t.Thing, other: t.Thing) -> bool:
        """Whether a thing has another in one of its fields."""
        exprs = (value.expr for value in thing.fields if value.expr is not None)
        return any(other.name.word in self._meant(expr) for expr in exprs)

    def _acting(self, name: str) -> tuple[list[str], list[str]]:
        """What acts on something, in sentences, and the names of the rules that only speak of it."""
        mine = [touch for touch in self._touches if touch.whom == name and not touch.how.endswith(" by")]
        acting = [self._by(touch.who, touch.words) for touch in mine if touch.words and not mentions(touch)]
        seen: list[str] = []
        for touch in mine:
            abilities = list(self._speaking(touch.who, name)) if mentions(touch) else []
            acting += [self._by(touch.who, words) for words in abilities]
            title = self._named[touch.who].definition.title
            if mentions(touch) and not abilities and title and "_" not in title:
                seen.append(self._who(touch.who))
        return list(dict.fromkeys(acting))[:MOST], list(dict.fromkeys(seen))[:MOST]

    def _speaking(self, who: str, name: str) -> Iterator[str]:
        """The rules at the top level, and for a thing those of other things, that speak of it."""
        definition = self._named[who].definition
        abilities: tuple[t.Ability, ...] = (definition.ability,) if isinstance(definition, t.Standalone) else ()
        if isinstance(definition, t.Thing) and isinstance(self._named[name].definition, t.Thing):
            abilities = definition.abilities
        for ability in abilities:
            if name in self._meant(ability):
                yield to_sentence(tell(self.known.resolved, ability))

    def _meant(self, node: t.Node) -> set[str]:
        meanings = (self.known.resolved.meaning.get(one) for one in walk(node) if isinstance(one, t.Name))
        return {meaning.name for meaning in meanings if isinstance(meaning, Symbol)}

    def _by(self, name: str, words: str) -> str:
        """What acts, and how; of a rule that has no title, only that."""
        who = self._who(name)
        return words if who == NAMELESS else f"{who}: {words}"

    def _who(self, name: str) -> str:
        """The title of what acts; of a rule without one, the module it stands in."""
        one = self._named.get(name)
        if one is not None and not _nameless(one):
            return capitalize(one.title)
        module = self._title(self.known.module_of(one.definition.span)) if one is not None else ""
        return module or NAMELESS

    def _column(self, title: str, panel: str, column: t.PanelPart) -> Term:
        """A title on a panel: what stands there; if that is a resource or the like, all that is said about it."""
        exprs = [part for part in column.parts if not isinstance(part, str)]
        shown = self._only(exprs)
        if shown is not None:
            return self.term(shown)
        parts = join_words(tell(self.known.resolved, part) for part in exprs)
        where = f"on the panel “{capitalize(panel)}”" if panel else "on the table"
        field = next((node.head.word for expr in exprs for node in walk(expr) if isinstance(node, t.Apply)), "")
        lines = self._taught(field, (title, f"{title}s")) or ((to_sentence(capitalize(parts)),) if parts else ())
        return Term("", capitalize(title), f"shown {where}", "", lines=lines)

    def _only(self, exprs: Sequence[t.Expr]) -> Named | None:
        """What is shown as it is: a resource, keep or quantity, of nothing or of whom the row is about."""
        names = [node for expr in exprs for node in walk(expr) if isinstance(node, t.Name)]
        meanings = (self.known.resolved.meaning.get(name) for name in names)
        found = [one for one in meanings if isinstance(one, Symbol) and one.sort in ("resource", "keep", "quantity")]
        return self._named.get(found[0].name) if len(exprs) == len(found) == 1 and len(names) <= 2 else None

    def _module(self, one: Manifest) -> Term:
        lines = (to_sentence(one.summary),) if one.summary else ()
        return Term(one.name, one.title, one.kind, "", lines=lines)


def _lines(known: Known, definition: t.Definition) -> Iterator[str]:
    """What it says, without the printed values, which are facts."""
    tell = sentences if isinstance(definition, t.Thing) else description
    yield from tell(known, definition)  # type: ignore[arg-type]


def _names(one: Manifest) -> set[str]:
    """What a module is called: by name and title, also without its number."""
    return {plain(one.name), plain(one.title), plain(one.title.rpartition(": ")[2])}


def _nameless(one: Named) -> bool:
    """Whether it is a rule at the top level that has neither name nor title."""
    return isinstance(one.definition, t.Standalone) and not one.definition.name.word and not one.definition.title


def _heading(column: t.PanelPart) -> str:
    """The words that stand before what a line or column shows."""
    first = next((part for part in column.parts[:1] if isinstance(part, str)), "")
    return (column.title or first).strip().rstrip(":")


def _once(found: Sequence[Term]) -> list[Term]:
    """Without those that say just what another one says."""
    unique = {(one.title, one.sort, one.facts, one.lines, one.members): one for one in found}
    return list(unique.values())


__all__ = ["Term", "Terms", "plain"]


AT_MOST = 4  # sentences that are found in what is said of other things
_BACK = re.compile(r"(?:(?:If|When) )?(?:it|its|they|he|she|this|these)\b", re.IGNORECASE)  # goes on from another one
_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z+])")


def taught(known: Known, name: str, titles: Sequence[str]) -> tuple[str, ...]:
    """What the author says of it; or else the sentences about the course of the game that speak of it.

    `titles` are the words by which it is known, in the singular and the plural.
    """
    passages = [one for module in known.modules for one in module.manifest.book]
    wanted = {title.casefold() for title in titles if title}
    places = [
        {name},
        {
            one.name.word
            for one in known.definitions.values()
            if isinstance(one, t.Group) and name in (known.resolved.of(member).name for member in one.members)
        },
    ]
    own, of_group = ([text for one in passages if one.place in there for text in one.paragraphs] for there in places)
    titled = [text for one in passages if one.title.casefold() in wanted for text in one.paragraphs]
    return tuple(own or titled or of_group) or _spoken_of(_sentences(known), titles)


def _spoken_of(sentences: Iterator[str], titles: Sequence[str]) -> tuple[str, ...]:
    words = "|".join(re.escape(title) for title in titles if title)
    if not words:
        return ()
    spoken = re.compile(rf"(?<![\w+-])(?:{words})(?![\w-])", re.IGNORECASE)
    return tuple(dict.fromkeys(one for one in sentences if spoken.search(one) and not _BACK.match(one)))[:AT_MOST]


def _sentences(known: Known) -> Iterator[str]:
    """What authors say of phases and routines, in the order of the rules: first in the rules, then in the book."""
    told = [one for one in known.definitions.values() if isinstance(one, t.Phase | t.Routine)]
    for one in told:
        texts = (node for node in walk(one) if isinstance(node, t.Text))
        yield from (part for text in texts for part in _ENDS.split(to_sentence(tell(known.resolved, text))))
    names = {one.name.word for one in told}
    for module in known.modules:
        said = (text for one in module.manifest.book if one.place in names for text in one.paragraphs)
        yield from (part for text in said for part in _ENDS.split(text))
