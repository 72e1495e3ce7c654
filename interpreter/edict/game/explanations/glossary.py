"""The glossary for players: named things with their effects and state in a game, victory, and missing translations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product

from edict.compiler.sources.packing import unpack_modules
from edict.compiler.sources.words_files import iter_written_texts, load_phrasebook
from edict.compiler.syntax.word_search import normalize
from edict.game.table.addresses import PLAYER, bits_of, sizes_at_table
from edict.game.table.game import Game
from edict.game.table.game_steps import GameTable
from edict.game.table.panels import PanelRow, PanelView, PlayerGrid, SubstituteFinder
from edict.game.table.rules import Rules
from edict.game.table.view import View
from edict.game.table.wording import HIDDEN, NOBODY, NONE
from edict.prose.rulebook.annotated_rules import annotate_rules, remove_judgement
from edict.prose.rulebook.primer import build_primer, iter_goal, translate_primer
from edict.prose.rulebook.rule_terms import RuleTerm, RuleTerms
from edict.runtime.program import LinkedThing, Program, StateVariable
from edict.runtime.program.program_translation import translate_program
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.records import dataclass
from edict.support.report import suggest_word
from edict.support.translations import ENGLISH, N_, current_language, use_language
from edict.support.translations.phrasebook import Phrasebook
from edict.support.translations.texts import capitalize_text, join_parts, join_texts, translate

NOW = N_("Now: {values}.")
ON, OFF = N_("on"), N_("off")


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """The glossary's entry on a name; fields without a comment are as in `RuleTerm`."""

    name: str
    title: str
    sort: str
    module: str
    caption: str  # printed values of a thing, as in panels
    facts: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]  # if another thing replaces this one, the first line says so
    exactly: tuple[str, ...]
    members: tuple[str, ...]
    touched: tuple[str, ...]
    seen_in: tuple[str, ...]
    now: tuple[str, ...]  # current state in a game

    def is_same_card(self, other: GlossaryEntry) -> bool:
        """Return True if two things with the same title are copies of one card."""
        mine, theirs = ((entry.title, entry.sort, entry.caption, entry.lines) for entry in (self, other))
        return mine == theirs and bool(self.caption)


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The result of a lookup; a name may mean several things."""

    entries: tuple[GlossaryEntry, ...]
    nearest: str = ""  # a suggestion such as `did you mean ...?` if nothing was found, may be empty


class Glossary:
    """The glossary of one set of rules."""

    def __init__(self, terms: RuleTerms, program: Program, phrasebook: Phrasebook | None = None) -> None:
        self.terms = terms
        self.phrasebook = phrasebook
        self.captions = {thing.name: thing.caption for kind in program.kinds for thing in kind.things}

    def look_up(self, text: str, view: View | None = None) -> LookupResult:
        """Return the entries for a typed text; with a view, also their state as far as the seat may know it."""
        terms = self._search(text)
        all_entries = [_make_entry(term, self.captions.get(term.name, ""), view) for term in terms]
        entries = tuple(
            entry
            for i, entry in enumerate(all_entries)
            if not any(entry.is_same_card(former) for former in all_entries[:i])
        )
        if not entries and view is not None:
            entries = tuple(_iter_player_entries(text, view))
        return LookupResult(entries, "" if entries else self._suggest_title(text))

    def titles(self) -> tuple[str, ...]:
        """Return the title of every entry, in alphabetical order."""
        titles = self.terms.titles()
        if self.phrasebook is None:
            return titles
        return tuple(sorted(map(self.phrasebook.translate, titles)))

    def _search(self, text: str) -> list[RuleTerm]:
        """Return the entries for a text, which may be a title in the phrasebook's language, in that language."""
        if self.phrasebook is None:
            return self.terms.search(text)
        english = self.phrasebook.find_english(normalize(text), normalize)
        terms = self.terms.search(english or text)
        return [translate_term(term, self.phrasebook) for term in terms]

    def _suggest_title(self, text: str) -> str:
        """Return a did-you-mean hint over all titles."""
        return suggest_word(text.casefold().strip(" ?"), sorted({title.casefold() for title in self.titles()}))


def load_glossary(table: GameTable) -> Glossary | None:
    """Return the glossary of a game's rules, or None if the game does not include them."""
    terms = _load_terms(table.bundle) if table.bundle else None
    if terms is None:
        return None
    phrasebook = None if current_language() == ENGLISH else _load_phrasebook(table.bundle, current_language())
    return Glossary(terms, table.program, phrasebook)


@lru_cache(maxsize=4)
def _load_terms(bundle: str) -> RuleTerms | None:
    """Unpack a bundle's rules and build their glossary; None if they do not compile."""
    known = unpack_modules(bundle).and_then(annotate_rules).value
    return RuleTerms(known) if known is not None else None


@lru_cache(maxsize=4)
def _load_phrasebook(bundle: str, language: str) -> Phrasebook:
    """Return the phrasebook of a bundle's rules in a language."""
    return load_phrasebook(unpack_modules(bundle).value or (), language)


def translate_term(term: RuleTerm, phrasebook: Phrasebook) -> RuleTerm:
    """Return an entry in another language; generated sentences are left out unless all of them have a translation."""
    say = phrasebook.translate
    exactly = tuple(phrasebook.find(sentence) or "" for sentence in term.exactly)
    return replace(
        term,
        title=capitalize_text(say(term.title)),
        sort=say(term.sort),
        module=say(term.module),
        facts=tuple((say(name), say(value)) for name, value in term.facts),
        lines=tuple(map(say, term.lines)),
        exactly=exactly if all(exactly) else (),
        members=tuple(map(say, term.members)),
        touched=tuple(map(say, term.touched)),
        seen_in=tuple(map(say, term.seen_in)),
    )


def _make_entry(term: RuleTerm, caption: str, view: View | None) -> GlossaryEntry:
    """Build the entry for a term; with a view, add its state and the effect that replaces it now."""
    facts = tuple((name.casefold(), value) for name, value in term.facts)
    if view is not None and term.name:
        state_lines = tuple(describe_state(term.name, view, facts))
    else:
        state_lines = ()
    substitute = _find_substitute(term.name, view) if view is not None else None
    if substitute is None:
        lines = term.lines
    else:
        lines = (
            translate("Now what counts is {title}: {effect}", title=substitute.title, effect=substitute.words),
            *(translate("Replaced by it: {sentence}", sentence=line) for line in term.lines),
        )
    return GlossaryEntry(
        term.name,
        term.title,
        term.sort,
        term.module,
        caption,
        term.facts,
        lines,
        term.exactly,
        term.members,
        term.touched,
        term.seen_in,
        state_lines,
    )


def _iter_player_entries(text: str, view: View) -> Iterator[GlossaryEntry]:
    """Iterate over the entry of a player: their rows on the panels."""
    for seat, name in enumerate(view.players):
        if normalize(name) == normalize(text):
            rows = ((panel, row) for panel in view.panels() for row in panel.rows if row.seat == seat)
            state_lines = tuple(format_row(panel, row) for panel, row in rows)
            yield GlossaryEntry("", name, "player", "", "", (), (), (), (), (), (), state_lines)


# --- the current state ----------------------------------------------------------------------------------

Facts = tuple[tuple[str, str], ...]  # names and values that are known already
MOST_VALUES = 12  # of one thing
RESOURCE_KIND = "resource"  # kind of all resources; they are described through their players


def describe_state(name: str, view: View, facts: Facts = ()) -> Iterator[str]:
    """Iterate over the lines on the current state of whatever has this name in the rules, without known facts."""
    program = view.program
    for kind in program.kinds:
        for index, thing in enumerate(kind.things):
            if thing.name == name and kind.name != RESOURCE_KIND:
                yield from _describe_thing(kind.name, index, view, facts)
    variable = program.variable_by_name.get(name)
    if variable is not None:
        yield from _describe_variable(variable, view)
    yield from (
        line
        for measure in program.reasons.measures
        if measure.name == name
        for line in _describe_measure(measure, view)
    )
    for setting in program.settings:
        if setting.name == name:
            value = view.state[setting.cell]
            words = translate(ON if value else OFF) if setting.truth else str(value)
            yield translate("In this game: {value}.", value=words)


# --- variables and quantities --------------------------------------------------------------------------


def _describe_variable(variable: StateVariable, view: View) -> Iterator[str]:
    """Describe a variable of the table, or its values for each player or thing."""
    sizes = sizes_at_table(variable, len(view.players))
    cells = list(product(*(range(size) for size in sizes)))
    if len(cells) > MOST_VALUES:
        return
    values = [(cell, view.value(variable.name, *cell)) for cell in cells]
    texts = [
        (_format_owner(variable.kinds, cell, view), _format_value(variable, value, view)) for cell, value in values
    ]
    if any(text != HIDDEN for _, text in texts):
        told = join_parts("; ", (join_parts(" ", filter(None, pair)) for pair in texts))
        yield translate(NOW, values=told)


def _format_value(variable: StateVariable, value: int | None, view: View) -> str:
    """Format a variable's value in words, `?` if None; a large set only with its size, such as `12 cards`."""
    if value is None:
        return HIDDEN
    if variable.type.shape == "set" and value.bit_count() > MOST_VALUES:
        plural = view.program.kind_by_name[variable.type.kind].plural
        return translate("{number} {title}", number=value.bit_count(), title=plural)
    return str(value) if variable.resource else view.wording.value(variable.type, value)


def _format_owner(kinds: tuple[str, ...], cell: tuple[int, ...], view: View) -> str:
    """Join the titles of the things that a cell belongs to, such as `Ann, Merchant`."""
    return join_parts(", ", (view.wording.title(kind, i) for kind, i in zip(kinds, cell, strict=True)))


def _describe_measure(measure: ComputedQuantity, view: View) -> Iterator[str]:
    """Describe a quantity of nothing or of each player."""
    if measure.kinds not in ((), (PLAYER,)):
        return
    if measure.query < 0:
        yield translate("Always {number}.", number=measure.value)
        return
    cells = [()] if not measure.kinds else [(seat,) for seat in range(len(view.players))]
    values = [(_format_owner(measure.kinds, cell, view), view.compute(measure.query, *cell)) for cell in cells]
    if any(value is not None for _, value in values):
        texts = (
            join_parts(" ", filter(None, (owner, HIDDEN if value is None else str(value)))) for owner, value in values
        )
        yield translate(NOW, values=join_parts("; ", texts))


# --- things --------------------------------------------------------------------------------------------


def _describe_thing(kind: str, index: int, view: View, facts: Facts) -> Iterator[str]:
    """Iterate over the holders of a thing and its rows on the panels."""
    yield from _describe_holders(kind, index, view)
    name = view.program.kind_by_name[kind].things[index].name
    yield from (line for panel in view.panels() for line in _describe_on_panel(panel, name, facts))


def _find_substitute(name: str, view: View) -> LinkedThing | None:
    """Return the thing that replaces the named one now."""
    for kind in view.program.kinds:
        for index, thing in enumerate(kind.things):
            if thing.name == name and kind.name != RESOURCE_KIND:
                substitute = SubstituteFinder(view.program, view.known_state(), view.seat).find_substitute(
                    kind.name, index
                )
                return substitute.thing if substitute is not None else None
    return None


def _describe_holders(kind: str, index: int, view: View) -> Iterator[str]:
    """Iterate over the titled places that hold a thing, such as `Ann's governor`.

    Of sets, only those in the public log.
    """
    for variable in view.program.variables:
        is_public = variable.type.shape == "thing" or variable.type.shape == "set" and not variable.quiet
        if variable.type.kind != kind or not is_public or variable.title in ("", variable.name):
            continue
        for cell in product(*(range(size) for size in sizes_at_table(variable, len(view.players)))):
            value = view.value(variable.name, *cell)
            if variable.type.shape == "thing":
                is_inside = value == index
            else:
                is_inside = value is not None and index in bits_of(value)
            if is_inside:
                owner = _format_owner(variable.kinds, cell, view)
                if owner:
                    yield translate("Now: {player}'s {title}.", player=owner, title=variable.title)
                else:
                    yield translate("Now: the {title}.", title=variable.title)


def _describe_on_panel(panel: PanelView, name: str, facts: Facts) -> Iterator[str]:
    """Yield the panel's rows of the thing with this name, then the players who have it marked in their grids."""
    for row in panel.rows:
        text = format_row(panel, row, facts) if row.key == name else ""
        yield from [text] if text else []
    marked = [grid.player for grid in panel.grids if _is_marked(grid, name)]
    if marked and panel.mark:
        label = capitalize_text(panel.mark)
        yield translate("{label}: {value}.", label=label, value=join_texts(marked))


def format_row(panel: PanelView, row: PanelRow, facts: Facts = ()) -> str:
    """Return a row of a panel in one sentence, without empty cells and known facts: `Gold: 3; Dice: 2 4`."""
    empty = ("", translate(NONE), translate(NOBODY))
    cells = ((title, text) for title, text in zip(panel.header, row.cells, strict=True) if text not in empty)
    texts = [join_parts(": ", (title, text)) for title, text in cells if (title.casefold(), text) not in facts]
    texts += [panel.mark] if row.marked and panel.mark else []
    return join_parts("", (join_parts("; ", texts), ".")) if texts else ""


def _is_marked(grid: PlayerGrid, name: str) -> bool:
    """Return True if the grid has a marked cell with this name."""
    return any(cell.key == name and cell.marked for row in grid.cells for place in row for cell in place)


def explain_victory(game: Game) -> tuple[str, ...]:
    """Return the sentences of the rules about who wins; nothing while a game is on, or if its scores say it."""
    result = game.result
    if result is None or not game.table.bundle or is_decided_by_score(result.scores, result.winners):
        return ()
    modules = unpack_modules(game.table.bundle).value or ()
    known = annotate_rules(modules).value
    if known is None:
        return ()
    sentences = iter_goal(remove_judgement(known))
    if current_language() == ENGLISH:
        return tuple(sentences)
    return tuple(map(load_phrasebook(modules, current_language()).translate, sentences))


def is_decided_by_score(scores: Mapping[str, int], winners: Sequence[str]) -> bool:
    """Return True if the winners are exactly the players with the highest or the lowest score, or nobody."""
    ends = (max(scores.values()), min(scores.values())) if scores else ()
    return not winners or any({name for name in scores if scores[name] == end} == {*winners} for end in ends)


def find_sign(scores: Mapping[str, int | None], winners: Sequence[str]) -> int:
    """Return 1 if exactly the highest score won, -1 if the lowest; 0 if neither, all are equal or one is hidden."""
    known = [score for score in scores.values() if score is not None]
    if len(known) < max(len(scores), 2) or min(known) == max(known) or not winners:
        return 0
    won = {scores[name] for name in winners}
    if won == {max(known)}:
        return 1
    if won == {min(known)}:
        return -1
    return 0


@dataclass(frozen=True)
class TranslationReport:
    """The texts of a game that lack a translation, and translations that nothing uses."""

    play: tuple[str, ...]  # missing in questions, options, the log, the table and reasons
    glossary: tuple[str, ...]  # missing in the glossary, the primer and the goal
    unused: tuple[str, ...]  # English texts


def report_translation(rules: Rules, language: str) -> TranslationReport:
    """Look up every text of a game in its phrasebook."""
    phrasebook = load_phrasebook(rules.sources, language)
    with use_language(language):
        translate_program(rules.program, phrasebook)
        play = tuple(phrasebook.missing)
        known = annotate_rules(rules.sources).value
        if known is not None:
            terms = RuleTerms(known)
            for term in terms.build_all():
                translate_term(term, phrasebook)
            translate_primer(build_primer(known), phrasebook)
            for sentence in iter_goal(remove_judgement(known)):
                phrasebook.translate(sentence)
    glossary = tuple(text for text in phrasebook.missing if text not in play)
    return TranslationReport(play, glossary, tuple(_iter_unused(rules, language, phrasebook.used)))


def _iter_unused(rules: Rules, language: str, used: set[str]) -> Iterator[str]:
    """Yield the texts of translation files that were not used; those of the glossary may be for other modules."""
    for module in rules.sources:
        yield from (text for text, _ in iter_written_texts(module, language) if text not in used)
