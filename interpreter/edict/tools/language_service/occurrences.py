"""Every name written in rules, with a key that all names of the same meaning share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.compiler.semantics.symbols import Local, Meaning, ResolvedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import DeclaredNames, collect_declared_names
from edict.compiler.syntax.roles import PartOf, Role, field_roles, get_field_note, get_referred_sorts
from edict.compiler.syntax.traversal import iter_fields
from edict.support.records import dataclass
from edict.support.text import Span

DECLARED, FIELD, RULE, LOCAL, WORD = "name", "field", "rule", "local", "word"  # sorts of keys
SymbolKey = tuple[str, str]  # the sort of a symbol (see above) and its name; of a local name, the span of its binding

# parts of the syntax tree that always hold the name of a field, even before resolution
_FIELDS = frozenset(
    (
        (t.FieldDef, "name"),
        (t.FieldValue, "name"),
        (t.Table, "columns"),
        (t.Unique, "fields"),
        (t.Kind, "order"),
        (t.Combinations, "over"),
    )
)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name as it is written in a file."""

    span: Span
    word: str
    key: SymbolKey
    sort: str  # the word people use for its kind
    declares: bool = False  # it is declared here


def find_occurrences(pages: Iterable[t.Page], resolved: ResolvedBook) -> dict[str, tuple[Occurrence, ...]]:
    """Return all occurrences of names by file, in the order of the text.

    A name in a definition that another module replaced has no resolved meaning and is looked up by its word.
    """
    all_pages = list(pages)
    meanings: dict[Span, Meaning] = {}
    for name, meaning in resolved.meaning.items():  # a name that also binds one keeps its own meaning
        if name.span not in meanings or not isinstance(meaning, Local):
            meanings[name.span] = meaning
    finder = _OccurrenceFinder(meanings, collect_declared_names(all_pages))
    return {
        page.file: tuple(sorted(finder.iter_page(page), key=lambda occurrence: occurrence.span)) for page in all_pages
    }


@dataclass(frozen=True)
class _OccurrenceFinder:
    meanings: dict[Span, Meaning]
    declared: DeclaredNames

    def iter_page(self, page: t.Page) -> Iterator[Occurrence]:
        """Yield the occurrences in a page in the order of the tree, each span once."""
        seen: set[Span] = set()
        for definition in page.definitions:
            for occurrence in self.iter_node(definition, definition):
                if occurrence.span not in seen:
                    seen.add(occurrence.span)
                    yield occurrence

    def iter_node(self, node: t.Node, definition: t.Definition) -> Iterator[Occurrence]:
        """Yield the occurrence of every written name below a node; skip names that desugaring added."""
        for field, value in iter_fields(node):
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, t.Name):
                    if part.word and part.span.line:
                        yield self.classify(node, field, part, definition)
                elif isinstance(part, t.Node):
                    yield from self.iter_node(part, definition)

    def classify(self, node: t.Node, field: str, name: t.Name, definition: t.Definition) -> Occurrence:
        """Return the occurrence of a name in `field` of a node: a declaration, a field, a rule or a reference."""
        declares = isinstance(node, t.Definition | t.Row | t.FieldDef | t.Rule) and field == "name"
        is_change = isinstance(definition, t.Amend | t.Remove_ | t.Retitle)
        if declares and not isinstance(node, t.FieldDef | t.Rule):
            return Occurrence(name.span, name.word, (DECLARED, name.word), self.find_sort(name.word), not is_change)
        if (type(node), field) in _FIELDS:
            return Occurrence(name.span, name.word, (FIELD, name.word), "field", isinstance(node, t.FieldDef))
        if isinstance(node, t.Rule) and field == "name":
            key = RULE, f"{unwrap_amendment(definition).name.word}.{name.word}"
            return Occurrence(name.span, name.word, key, "rule", True)
        rule_reference = get_field_note(type(node), field, PartOf)
        if rule_reference is not None:
            return Occurrence(
                name.span, name.word, (RULE, f"{getattr(node, rule_reference.field).word}.{name.word}"), "rule"
            )
        return self.classify_reference(node, field, name)

    def classify_reference(self, node: t.Node, field: str, name: t.Name) -> Occurrence:
        """Return the occurrence of a name that refers to something: by its resolved meaning, else by its word."""
        meaning = self.meanings.get(name.span)
        if isinstance(meaning, Local):
            meaning = self.meanings.get(meaning.span, meaning)  # a local named after its kind is renamed with the kind
        if isinstance(meaning, Local):
            binding = meaning.span == name.span
            return Occurrence(name.span, name.word, (LOCAL, str(meaning.span)), "local", binding)
        if meaning is not None and meaning.sort != "unknown":
            if meaning.sort == "field":
                kind = FIELD
            elif meaning.definition is None:
                kind = WORD
            else:
                kind = DECLARED
            return Occurrence(name.span, name.word, (kind, meaning.name), meaning.sort)
        word = self.declared.resolve_word(name.word)
        rivals = field_roles(type(node), field) & {Role.PRECEDES, Role.BESIDE}
        is_known = bool(word) and bool(get_referred_sorts(type(node), field) or rivals or isinstance(node, t.Remove_))
        return Occurrence(
            name.span, name.word, (DECLARED, word) if is_known else (WORD, name.word), self.find_sort(word)
        )

    def find_sort(self, word: str) -> str:
        """Return the sort of a declared name, such as `quantity`; `thing` for table rows and unknown names."""
        declared_sort = self.declared.sort_of(word)
        definition = self.declared.definitions.get(word)
        if isinstance(definition, t.Thing | t.Table):
            return "thing"
        return declared_sort or "thing"


def unwrap_amendment(definition: t.Definition) -> t.Definition:
    """Return the definition inside an amendment; any other definition as it is."""
    return definition.definition if isinstance(definition, t.Amend) else definition


def node_sort(node: t.Node) -> str:
    """Return the lower-case class name of a node, close to its keyword; editors choose an icon by it."""
    return type(node).__name__.lower().rstrip("_")
