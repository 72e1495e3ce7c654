"""Diagnostics of definitions that cannot be parsed (place, reason and a correct fix).

There are three sources, in this order: mechanical mistakes (a sign, a capital, a letter), habits from elsewhere, and
the smallest repair by the parser's table. A fix is offered only if it accounts for every word of the line and the
rules are correct with it. Words that nothing accounts for are reported as not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import initial_stack, kinds_by_word, step_words, value_words, words_by_kind
from edict.compiler.syntax.constructs import fill_blanks, find_form, find_idea, find_place
from edict.compiler.syntax.declared_names import DeclaredNames, declared_fields
from edict.compiler.syntax.grammar import FilePiece, definition_words
from edict.compiler.syntax.incremental import split_into_pieces
from edict.compiler.syntax.reserved_words import reserved_word_diagnostic, resolve_soft_words
from edict.compiler.syntax.syntax_errors.event_lines import split_event_line
from edict.compiler.syntax.syntax_errors.habits import HabitMatch, find_habits, find_understood_parts
from edict.compiler.syntax.syntax_errors.indentation import (
    INDENT_STEP,
    BreakingPoint,
    find_breaking_point,
    find_missing_headers,
    find_moves,
    missing_block_diagnostic,
)
from edict.compiler.syntax.syntax_errors.kept_words import keeps_meaning
from edict.compiler.syntax.syntax_errors.lexical_mistakes import find_lexical_mistakes, find_lookalikes
from edict.compiler.syntax.syntax_errors.repair import (
    ParseMistake,
    Repair,
    Replacement,
    find_insertions,
    find_mistake,
    find_repairs,
)
from edict.compiler.syntax.syntax_errors.span_mapping import (
    TYPE_ERRORS,
    depends_on_preposition,
    describe_replacement,
    map_diagnostic,
)
from edict.compiler.syntax.syntax_errors.vocabulary import (
    BUILT_IN_NAMES,
    MECHANICAL_CHANGES,
    SIGN_CHANGES,
    Vocabulary,
    find_local_names,
    load_synonyms,
)
from edict.compiler.syntax.syntax_errors.word_stream import StreamWord, iter_line_words, shift_words, split_into_words
from edict.support.morphology import join_words, quote_words
from edict.support.records import dataclass
from edict.support.report import MOST_OFFERED, Diagnostic, Edit, apply_edits, merge_remedies
from edict.support.text import Source, Span, count_indent

# Returns the faults of the edited lines; None if they cannot be parsed.
EditVerifier = Callable[[Source, tuple[Edit, ...]], Sequence[Diagnostic] | None]

MOST_LINES = 4  # lines of a definition that are explained
LAYOUT_ERRORS = ("E0101", "E0102", "E0104", "E0105", "E0127")
MOST_TRIED = 6  # fixes of one sort that are verified against all rules
MOST_INSERTIONS = 12  # missing words that are considered
MOST_DIFFERENCE = 0.3  # in the cost of repairs that are equally likely
COMPARISON_MISSING = "a comparison is missing"
MOST_EVENTS = 3  # similar events that a message names
CHEAP_COST = 0.96  # highest cost of a repair that is suggested although other words of the line are unknown
MOST_MISSING_COST = 1.85  # highest cost of a repair by which something is reported as missing
FEWEST_SENTENCE_WORDS = 4  # words of a line that may be a sentence
LONGEST_EXAMINED = 40_000  # characters of a definition that is examined thoroughly
WRONG_SORT = "E0202"  # code of names that mean something else
UNKNOWN_NAMES = "E02"  # beginning of the codes of words that mean nothing where they stand
FAULTS_OF_WORDS = (UNKNOWN_NAMES, TYPE_ERRORS)  # faults beside which a fix may be right
GAP_MARK = "…"
_SAMPLES = {'"…"': '"Title"'}  # texts for blanks while a line is tried


def explain_mistake(
    source: Source, piece: FilePiece, declared: DeclaredNames, verify: EditVerifier | None, briefly: bool
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics for the first line of a piece of a file that cannot be parsed.

    Args:
        source: The file.
        piece: The piece.
        declared: Names declared in these rules.
        verify: Verifies that the rules are correct with some edits; if None, it suffices that the line can be parsed.
        briefly: True after many other mistakes; this one is not examined thoroughly then.
    """
    words = split_into_words(piece)
    vocabulary = Vocabulary(declared, find_local_names(words))
    words = resolve_soft_words(words, vocabulary.keyword_names)
    mistake = find_mistake(words)
    spelling = _find_spelling_mistake(source, piece, words, vocabulary, mistake)
    if spelling is not None:
        return (spelling,)
    if mistake is None:
        return (_unknown_mistake(source, piece),)
    kinds = any(isinstance(definition, t.Kind) for definition in declared.definitions.values())
    if kinds and words[0].text not in definition_words() and not declared.has_sort(words[0].text, ["kind"]):
        mistake = ParseMistake(words, 0, mistake.stacks[:1])  # nothing tells what is defined
    is_long = piece.end - piece.start > LONGEST_EXAMINED
    return _MistakeExplainer(source, piece, mistake, vocabulary, verify, briefly or is_long).explain()


def _find_spelling_mistake(
    source: Source,
    piece: FilePiece,
    words: Sequence[StreamWord],
    vocabulary: Vocabulary,
    mistake: ParseMistake | None,
) -> Diagnostic | None:
    """Return the diagnostic for characters that cannot stand in a line, up to that of a mistake; None without them."""
    lookalikes = find_lookalikes(source, piece.start, piece.end)
    if lookalikes is not None and (mistake is None or lookalikes.span.line <= _line_of(mistake)):
        return lookalikes
    return next(find_lexical_mistakes(source, words, piece, vocabulary), None)


def _line_of(mistake: ParseMistake) -> int:
    """Return the number of the line that a mistake is in."""
    return mistake.words[mistake.line.start if mistake.line else min(mistake.at, len(mistake.words) - 1)].line


def explain_mistakes(
    source: Source, piece: FilePiece, declared: DeclaredNames, verify: EditVerifier | None, briefly: bool
) -> Iterator[Diagnostic]:
    """Yield the diagnostics for the lines of a piece of a file that cannot be parsed, at most `MOST_LINES`.

    While the next mistake is searched, the line's fix takes its place, or another step. From there on, layout is not
    judged: what is wrong with it may come from the line that was replaced.
    """
    for count in range(1 if briefly else MOST_LINES):
        found = explain_mistake(source, piece, declared, verify, briefly)
        if count and found[0].code in LAYOUT_ERRORS:
            return
        yield from found
        number = found[0].span.line
        rest = None
        if found[0].code not in LAYOUT_ERRORS:
            rest = _replace_faulty_line(source, piece, number, found[0].edits, declared)
        if rest is None:
            return
        source, piece = rest


def _replace_faulty_line(
    source: Source, piece: FilePiece, number: int, edits: tuple[Edit, ...], declared: DeclaredNames
) -> tuple[Source, FilePiece] | None:
    """Return a source and piece whose next mistake is below a line, by its fix or another line in its place.

    None if there is no other mistake.
    """
    lines = list(source.lines)
    is_one_line = all(edit.span.line == edit.span.end_line == number and "\n" not in edit.text for edit in edits)
    margin = " " * count_indent(lines[number - 1])
    below = next((line for line in lines[number:] if line.strip()), "")
    step = "if yes" if count_indent(below) > len(margin) else "nothing"
    stand_in = margin + step if margin else fill_blanks(find_form(lines[number - 1].split()[0]), declared)
    fixed = [apply_edits(source.text, edits).split("\n")[number - 1]] if edits and is_one_line else []
    for line in (*fixed, stand_in):
        text = "\n".join((*lines[: number - 1], line, *lines[number:])) + "\n"
        changed = next((other for other in split_into_pieces(text) if other.above == piece.above), None)
        if changed is None:
            return None
        edited, words = replace(source, text=text), split_into_words(changed)
        mistake = find_mistake(words)
        spelling = _find_spelling_mistake(edited, changed, words, Vocabulary(declared), mistake)
        next_line = spelling.span.line if spelling is not None else _line_of(mistake) if mistake is not None else 0
        if not next_line:
            return None
        if next_line > number:
            return edited, changed
    return None


def iter_habit_diagnostics(source: Source, span: Span, declared: DeclaredNames) -> Iterator[Diagnostic]:
    """Yield diagnostics for habits that explain a line which can be parsed but has an error at a place."""
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    piece = next((piece for piece in reversed(split_into_pieces(text)) if piece.above < span.line), None)
    words = split_into_words(piece) if piece is not None else []
    vocabulary = Vocabulary(declared, find_local_names(words))
    words = resolve_soft_words(words, vocabulary.keyword_names)
    words_here = ((i, word) for i, word in enumerate(words) if word.line == span.line and not word.is_layout)
    index = next((i for i, word in words_here if word.end > span.column), None)
    if piece is None or index is None or piece.end - piece.start > LONGEST_EXAMINED:
        return
    stacks = shift_words(initial_stack(), words)[1][: index + 1]
    if len(stacks) <= index:
        return
    explainer = _MistakeExplainer(source, piece, ParseMistake(words, index, stacks), vocabulary, None, False)
    for match in islice(find_habits(explainer.mistake, explainer.vocabulary), MOST_TRIED):
        diagnostic = explainer.build_habit_diagnostic(match)
        if diagnostic.help and (not diagnostic.edits or explainer.is_readable_after(diagnostic.edits)):
            yield diagnostic


@dataclass(frozen=True)
class _MistakeExplainer:
    """Explains one mistake."""

    source: Source
    piece: FilePiece
    mistake: ParseMistake
    vocabulary: Vocabulary
    verify: EditVerifier | None
    briefly: bool

    def explain(self) -> tuple[Diagnostic, ...]:
        """Return the best diagnostic of the mistake, whose fix was tried, and those of other faults in its line.

        In this order: repairs of signs, habits, indentation, names, replaced words, missing words; then the same for
        lines with further faults; then what can be said without a fix.
        """
        if self.briefly:
            return (self._explain_unclear(()),)
        matches = tuple(islice(find_habits(self.mistake, self.vocabulary), 3 * MOST_TRIED))
        if (fixed := self._find_fix(matches)) is not None:
            return (fixed,)
        if further := self._explain_with_further_faults(matches):
            return further
        superfluous = None if self._find_helpful_habit(matches) else self._find_superfluous_word()
        return (superfluous or self._explain_unclear(matches),)

    def _find_fix(self, matches: Sequence[HabitMatch]) -> Diagnostic | None:
        """Return the diagnostic with a fix after which the line has no fault, or that says what to choose."""
        if (number := self._explain_fraction() or self._find_line_of_fillers()) is not None:
            return number
        mechanical = [self._build_repair_diagnostic(repair) for repair in self._repairs if _is_mechanical(repair)]
        if (fixed := self._find_verified_diagnostic(mechanical)) is not None:
            return replace(fixed, exact=True)
        if (habit := self._find_verified_habit(matches)) is not None:
            return habit
        moves = chain(find_missing_headers(self.mistake, self._breaking_point), find_moves(self._breaking_point))
        if (moved := self._find_verified_diagnostic(moves, 2 * MOST_TRIED)) is not None:
            return moved
        return (
            self._find_keyword_as_name()
            or self._find_verified_repair(self._replacing_repairs)
            or self._diagnose_unbalanced_parenthesis()
            or self._find_verified_insertion()
        )

    def _find_line_of_fillers(self) -> Diagnostic | None:
        """Return the diagnostic for a line of signs that mean nothing, such as a brace, if all is right without it."""
        words = self.mistake.words[self.mistake.line.start : self.mistake.line.stop]
        if not words or not all(self.vocabulary.is_filler(word.text.casefold(), False) for word in words):
            return None
        text = " ".join(word.text for word in words)
        span = Span(self.source.name, words[0].line, words[0].column, words[-1].line, words[-1].end)
        edits = (Edit(span, ""),)
        title = f"`{text}` is not needed here"
        return (
            Diagnostic("E0116", title, span, help="delete the line", edits=edits) if self._is_correct(edits) else None
        )

    @cached_property
    def _replacing_repairs(self) -> list[Repair]:
        """The repairs that replace words by others, and insert none."""
        return [
            repair
            for repair in self._repairs
            if repair.is_complete and not repair.inserts_keyword and not repair.replaces_and_inserts
        ]

    def _find_verified_habit(self, matches: Sequence[HabitMatch]) -> Diagnostic | None:
        """Return the diagnostic of the first habit whose fix works; if it can be read in several ways, name them."""
        verified: list[tuple[HabitMatch, Diagnostic]] = []
        for match in islice((match for match in matches if match.text), MOST_TRIED):
            if verified and (match.habit is not verified[0][0].habit or not match.habit.asks):
                continue
            diagnostic = self.build_habit_diagnostic(match)
            if diagnostic.edits and self._is_verified(diagnostic.edits):
                verified.append((match, diagnostic))
        if not verified:
            return None
        merged = merge_remedies([diagnostic for _, diagnostic in verified])
        return replace(merged, edits=(), exact=False) if verified[0][0].habit.shown else merged

    def _find_verified_repair(self, repairs: Sequence[Repair]) -> Diagnostic | None:
        """Return the diagnostic of the cheapest repair that works; others that cost as much are offered beside it."""
        verified: list[tuple[Repair, Diagnostic]] = []
        for repair in repairs:
            if verified and repair.cost > verified[0][0].cost + MOST_DIFFERENCE:
                break
            if verified and repair.places != verified[0][0].places:
                continue
            diagnostic = self._build_repair_diagnostic(repair)
            if self._is_verified(diagnostic.edits):
                verified.append((repair, diagnostic))
        return merge_remedies([diagnostic for _, diagnostic in verified]) if verified else None

    def _find_verified_insertion(self) -> Diagnostic | None:
        """Return the diagnostic for a missing word; it has no edits, because the author has to choose it."""
        if self._breaking_point.deeper or self._breaking_point.first:
            return None
        verified = list[Diagnostic]()
        for repair in islice(find_insertions(self.mistake), MOST_INSERTIONS):
            diagnostic = self._build_repair_diagnostic(repair)
            if self._is_verified(diagnostic.edits):
                verified.append(diagnostic)
        if not 0 < len(verified) <= MOST_OFFERED:
            return None
        diagnostic = replace(merge_remedies(verified), edits=())
        is_comparison = diagnostic.title.startswith(COMPARISON_MISSING)
        return replace(diagnostic, help=f"{diagnostic.help}, or another comparison") if is_comparison else diagnostic

    def _find_superfluous_word(self) -> Diagnostic | None:
        """Return the diagnostic for an unknown word, or the end of a line, without which the line is correct."""
        line = self.mistake.line
        unknown = [
            index
            for index in line
            if "NAME" in self.mistake.words[index].kinds and not self.vocabulary.knows(self.mistake.words[index].text)
        ]
        if len(unknown) != 1 or not line.start < unknown[0] <= self.mistake.at:
            return self._find_superfluous_end()
        word = self.mistake.words[unknown[0]]
        if not count_indent(self.source.lines[word.line - 1]):
            return None  # it may be the name of what is defined
        if word.text.casefold() in load_synonyms():
            return self._find_superfluous_end()  # it means something
        change = Replacement(unknown[0], unknown[0] + 1, "", "lost")
        diagnostic = self._build_repair_diagnostic(Repair(0.0, (change,), True))
        if not self._is_correct(diagnostic.edits):
            return self._find_superfluous_end()
        return replace(diagnostic, help=f"{diagnostic.help} if `{word.text}` adds nothing", edits=())

    def _find_superfluous_end(self) -> Diagnostic | None:
        """Return the diagnostic for the end of a line that nothing accounts for, if the line is correct without it."""
        line, words = self.mistake.line, self.mistake.words
        if not line or not count_indent(self.source.lines[words[line.start].line - 1]):
            return None
        for start in range(min(self.mistake.at, line.stop - 1), line.start, -1):
            rest = words[start : line.stop]
            if any(self._is_meaningful(word) for word in rest):
                return None
            if all(self.vocabulary.knows(word.text) for word in rest):
                continue
            change = Replacement(start, line.stop, "", "lost")
            diagnostic = self._build_repair_diagnostic(Repair(0.0, (change,), True))
            if self._is_correct(diagnostic.edits):
                text = " ".join(word.text for word in rest)
                return replace(diagnostic, help=f"{diagnostic.help} if `{text}` adds nothing", edits=())
        return None

    def _is_meaningful(self, word: StreamWord) -> bool:
        """Return True for numbers, texts and declared names, which no line may lose."""
        declared = self.vocabulary.declared.find_name(word.text) or word.text in self.vocabulary.local_names
        return bool(declared) or not word.is_word and word.text[:1] not in ",;.!" or word.text in BUILT_IN_NAMES

    def _explain_with_further_faults(self, matches: Sequence[HabitMatch]) -> tuple[Diagnostic, ...]:
        """Return the diagnostic of a fix after which only words of the author are at fault, and those of these words.

        If the line is correct after the fixes of all, the first diagnostic offers the whole line.
        """
        for repair in self._replacing_repairs:
            if repair.cost <= CHEAP_COST and repair.replaces_words:
                # a wrong sign is certain even beside an unknown name
                is_certain = all(change.how in SIGN_CHANGES for change in repair.changes)
                found = self._find_further_faults(
                    replace(self._build_repair_diagnostic(repair), exact=is_certain), True
                )
                if found:
                    return found
        tried = (match for match in matches if match.text and match.by_word and self._knows_other_words(match))
        for match in islice(tried, MOST_TRIED):
            if found := self._find_further_faults(replace(self.build_habit_diagnostic(match), exact=False), False):
                return found
        return ()

    def _find_further_faults(self, diagnostic: Diagnostic, is_repair: bool) -> tuple[Diagnostic, ...]:
        """Return a diagnostic with those of the faults that its edits leave in the line; none if they cause others.

        Args:
            diagnostic: The diagnostic.
            is_repair: True for a repair, which is less certain than a habit.
        """
        edits, number = diagnostic.edits, self.mistake.words[self.mistake.line.start].line
        if not edits or any(edit.text.count("\n") or edit.span.line != number for edit in edits):
            return ()
        if self.verify is None or not keeps_meaning(self.source, edits, self.vocabulary):
            return ()
        edited = replace(self.source, text=apply_edits(self.source.text, edits))
        line, edited_line = self.source.lines[number - 1], edited.lines[number - 1]
        faults = self._list_faults(edited, edits)
        mapped = [map_diagnostic(fault, edited_line, line) for fault in faults]
        further = [fault for fault in mapped if fault is not None and not _is_same_fault(fault, diagnostic)]
        if not faults or None in mapped:
            return ()
        completed = self._complete_line(number, edited_line, [edit for fault in faults for edit in fault.edits])
        if completed is not None:
            help_ = _format_help(completed.text)
            further = [fault if fault.help else replace(fault, help=help_) for fault in further]
            return (replace(diagnostic, help=help_, edits=(completed,), exact=False), *further)
        if any(fault.code[:3] == TYPE_ERRORS or fault.code == WRONG_SORT for fault in further):
            return ()  # a value that does not fit may show that the fix is wrong
        if is_repair and any(depends_on_preposition(fault.span, edited_line, line) for fault in faults):
            return ()
        if not all(fault.code[:3] == UNKNOWN_NAMES for fault in further):
            help_ = describe_replacement(edited_line, line)
            return (replace(diagnostic, help=help_, edits=()), *further) if help_ else ()
        return (
            diagnostic if diagnostic.exact else replace(diagnostic, edits=()),
            *map(Diagnostic.without_edits, further),
        )

    def _list_faults(self, edited: Source, edits: tuple[Edit, ...]) -> Sequence[Diagnostic]:
        """Return the faults of names and values in an edited line, or else those of words that cannot be parsed."""
        assert self.verify is not None
        if self.is_readable_after(edits):
            faults = self.verify(self.source, edits) or ()
            return faults if all(fault.code[:3] in FAULTS_OF_WORDS for fault in faults) else ()
        piece = next((piece for piece in split_into_pieces(edited.text) if piece.above == self.piece.above), None)
        words = split_into_words(piece) if piece is not None else ()
        rest = find_mistake(resolve_soft_words(words, self.vocabulary.keyword_names))
        if piece is None or rest is None or rest.line.start != self.mistake.line.start or rest.at <= self.mistake.at:
            return ()
        return explain_mistake(edited, piece, self.vocabulary.declared, self.verify, False)

    def _complete_line(self, number: int, line: str, edits: Sequence[Edit]) -> Edit | None:
        """Return the edit that writes a line after further edits; None if there are none, or it is not correct."""
        if not edits:
            return None
        text = _apply_to_line(line, edits, number).strip()
        old = self.source.lines[number - 1]
        edit = Edit(Span(self.source.name, number, count_indent(old) + 1, number, len(old) + 1), text)
        return edit if self._is_verified((edit,)) else None

    @cached_property
    def _repairs(self) -> tuple[Repair, ...]:
        """The cheapest repairs of the line of the mistake, at most `MOST_TRIED`."""
        return tuple(find_repairs(self.mistake, self.vocabulary, MOST_TRIED))

    @cached_property
    def _breaking_point(self) -> BreakingPoint:
        """The line of the mistake and those around it, for diagnostics of indentation."""
        return find_breaking_point(self.mistake, self.source)

    def _find_verified_diagnostic(self, diagnostics: Iterable[Diagnostic], most: int = MOST_TRIED) -> Diagnostic | None:
        """Return the first diagnostic whose edits make the rules correct, or None."""
        verified = (
            diagnostic
            for diagnostic in islice(diagnostics, most)
            if diagnostic.edits and self._is_verified(diagnostic.edits)
        )
        return next(verified, None)

    def _is_verified(self, edits: tuple[Edit, ...]) -> bool:
        """Return True if edits keep what the author wrote, and are correct."""
        return keeps_meaning(self.source, edits, self.vocabulary) and self._is_correct(edits)

    def _is_correct(self, edits: tuple[Edit, ...]) -> bool:
        """Return True if the edited lines can be parsed and `verify`, if given, finds no fault in them."""
        if not self.is_readable_after(edits):
            return False
        return self.verify is None or self.verify(self.source, edits) == []

    def is_readable_after(self, edits: tuple[Edit, ...]) -> bool:
        """Return True if the lines that edits change, and the line after them, can be parsed."""
        above = self.piece.above
        own_edits = [
            replace(e, span=replace(e.span, line=e.span.line - above, end_line=e.span.end_line - above)) for e in edits
        ]
        line_count = self.piece.own_text.count("\n") + 1
        if any(_leaves_definition(edit, line_count) for edit in own_edits):
            return self.verify is not None  # another definition changes, which is only parsed by `verify`
        text = apply_edits(self.piece.own_text, own_edits)
        added_lines = text.count("\n") - self.piece.own_text.count("\n")
        remaining_mistake = find_mistake(
            resolve_soft_words(split_into_words(FilePiece(text, 0, len(text), above)), self.vocabulary.keyword_names)
        )
        last_line = max(edit.span.end_line for edit in edits) + added_lines
        return (
            remaining_mistake is None
            or remaining_mistake.at < len(remaining_mistake.words)
            and remaining_mistake.words[remaining_mistake.at].line > last_line
        )

    # --- habits and repairs as diagnostics ------------------------------------------------------

    def build_habit_diagnostic(self, match: HabitMatch) -> Diagnostic:
        """Return the diagnostic for a habit."""
        first, last = self.mistake.words[match.start], self.mistake.words[match.end - 1]
        place = Span(self.source.name, first.line, first.column, last.line, last.end)
        edits = self._edits_for_habit(match, place) if match.text else ()
        line = self.source.lines[first.line - 1]
        help_ = _format_help(_apply_to_line(line, edits, first.line)) if edits else match.help
        habit = match.habit
        return Diagnostic(
            habit.code,
            habit.title,
            place,
            note=habit.why,
            help=help_,
            edits=edits,
            exact=bool(edits) and self._is_exact_match(match),
        )

    def _knows_other_words(self, match: HabitMatch) -> bool:
        """Return True if all words of the line outside of a habit are known."""
        line = self.mistake.line
        rest = (*self.mistake.words[line.start : match.start], *self.mistake.words[match.end : line.stop])
        return all(self.vocabulary.knows(word.text) for word in rest)

    def _is_exact_match(self, match: HabitMatch) -> bool:
        """Return True if a habit means exactly its replacement, whose words all stand in the line."""
        words_here = {word.text for word in self.mistake.words[match.start : match.end]}
        filled = (word for text in match.filled.values() for word in iter_line_words(text))
        return match.habit.exact and all(word.text in words_here for word in filled)

    def _edits_for_habit(self, match: HabitMatch, place: Span) -> tuple[Edit, ...]:
        """Return the edits that write a habit's text in its place and indent the lines below under its last line."""
        first, *further_lines = match.text.split("\n")
        line = self.source.lines[place.line - 1]
        margin = count_indent(line)
        if not further_lines:
            return (Edit(place, first),)
        text_before = line[: place.column - 1].strip()
        if text_before:
            if any(word.is_layout for word in self.mistake.words[match.start : match.end]) or " " in text_before:
                return ()
            margin += 2
            gap = Span(
                place.file, place.line, len(line[: place.column - 1].rstrip()) + 1, place.end_line, place.end_column
            )
            text = "\n" + "\n".join(" " * margin + text_line for text_line in (first, *further_lines))
            deeper = 2 + count_indent(further_lines[-1])
            return (Edit(gap, text), *self._indent_below(place.line, deeper))
        text = "\n".join((first, *(" " * margin + text_line for text_line in further_lines)))
        return (Edit(place, text), *self._indent_below(place.line, count_indent(further_lines[-1])))

    def _indent_below(self, number: int, by: int) -> Iterator[Edit]:
        """Yield edits that indent the lines under a line by some spaces."""
        lines = self.source.lines
        margin = count_indent(lines[number - 1])
        for below, line in enumerate(lines[number:], number + 1):
            if line.strip():
                if count_indent(line) <= margin or not by:
                    return
                yield Edit(Span(self.source.name, below, 1, below, 1), " " * by)

    def _build_repair_diagnostic(self, repair: Repair) -> Diagnostic:
        """Return the diagnostic for a repair: named after its first change, with edits for all changes."""
        place, line = self._change_span(repair.changes[0]), self.mistake.words[self.mistake.line.start].line
        edits = tuple(self._change_to_edit(change) for change in repair.changes)
        old_line = self.source.lines[line - 1]
        code, title, note = _describe_change(repair.changes[0], self.mistake.words)
        return Diagnostic(
            code, title, place, note=note, help=_format_help(_apply_to_line(old_line, edits, line)), edits=edits
        )

    def _change_span(self, change: Replacement) -> Span:
        """Return the span of the words that a change replaces; of an insertion, the word beside it."""
        words = self.mistake.words
        if change.start == change.end:
            if change.start < len(words) and not words[change.start].is_layout:
                index = change.start
            else:
                index = change.start - 1
            first = last = words[max(index, 0)]
        else:
            first, last = words[change.start], words[change.end - 1]
        return Span(self.source.name, first.line, first.column, last.line, max(last.end, first.column + 1))

    def _change_to_edit(self, change: Replacement) -> Edit:
        """Return the edit of the source for a change of words, with the spaces that it needs."""
        words, name = self.mistake.words, self.source.name
        if change.start < change.end:
            first, last = words[change.start], words[change.end - 1]
            line = self.source.lines[first.line - 1]
            if change.text:
                following = line[last.end - 1 : last.end]
                if change.text[-1].isalnum() and (following.isalnum() or following == "("):
                    separator = " "
                else:
                    separator = ""
                return Edit(Span(name, first.line, first.column, last.line, last.end), change.text + separator)
            start = first.column
            while start > 1 and line[start - 2] == " " and line[: start - 1].strip():
                start -= 1
            return Edit(Span(name, first.line, start, last.line, last.end), "")
        word_here = words[change.start] if change.start < len(words) else words[-1]
        if word_here.is_layout:
            previous = words[change.start - 1]
            prefix = "" if change.text in (",", ")", ".") else " "
            return Edit(Span(name, previous.line, previous.end, previous.line, previous.end), prefix + change.text)
        if change.text in (",", ")", ".") and change.start:
            previous = words[change.start - 1]
            return Edit(Span(name, previous.line, previous.end, previous.line, previous.end), change.text)
        suffix = "" if change.text == "(" else " "
        return Edit(
            Span(name, word_here.line, word_here.column, word_here.line, word_here.column), change.text + suffix
        )

    def _explain_fraction(self) -> Diagnostic | None:
        """Return the diagnostic for a number with a fraction or a percentage at the mistake, or None."""
        word = self.mistake.words[min(self.mistake.at, len(self.mistake.words) - 1)]
        line = self.source.lines[word.line - 1]
        match = next((match for match in _FRACTION.finditer(line) if match.start() <= word.column <= match.end()), None)
        if match is None or word.is_layout:
            return None
        place = Span(self.source.name, word.line, match.start() + 1, word.line, match.end() + 1)
        whole = int(match["whole"] or 0)
        if match["fraction"] is None:
            advice = f"write a part as a division, such as `{self._fill_form('VALUE / 2')}` for a half"
        else:
            numbers = [str(number) for number in (whole, whole + 1) if number]
            if not match["fraction"].strip("0"):  # `1.0` is 1, and `1,000` a thousand
                numbers = [match["whole"] + match["fraction"] * (len(match["fraction"]) == 3)]
            edits = [(Edit(place, number),) for number in numbers]
            lines = [_apply_to_line(line, edit, word.line).strip() for edit in edits if self._is_correct(edit)]
            advice = f"write {quote_words(lines, 'or')}" if lines else "write a whole number"
        return Diagnostic(
            "E0119",
            f"`{match[0]}` is not a whole number",
            place,
            note="All numbers are whole, and a division rounds down.",
            help=advice,
        )

    def _diagnose_unbalanced_parenthesis(self) -> Diagnostic | None:
        """Return the diagnostic for a parenthesis without its counterpart in the line of the mistake, or None."""
        opened: list[StreamWord] = []
        for word in self.mistake.words[self.mistake.line.start : self.mistake.line.stop]:
            if word.text == "(":
                opened.append(word)
            elif word.text == ")" and opened:
                opened.pop()
            elif word.text == ")":
                return Diagnostic(
                    "E0114",
                    "this parenthesis was never opened",
                    self._span(word),
                    help="delete it, or write `(` where the inner part begins",
                )
        if not opened:
            return None
        return Diagnostic(
            "E0113",
            "this parenthesis is not closed",
            self._span(opened[-1]),
            help="write `)` where the inner part ends",
        )

    def _span(self, word: StreamWord) -> Span:
        """Return the span of a word in the source."""
        return Span(self.source.name, word.line, word.column, word.line, word.end)

    def _find_keyword_as_name(self) -> Diagnostic | None:
        """Return the diagnostic for a keyword that would be right if it were a name, or None."""
        line = self.mistake.line
        for index in range(line.start + 1, min(self.mistake.at, line.stop - 1) + 1):
            word = self.mistake.words[index]
            if word.text in value_words():
                after = self.mistake.stacks[index].advance("NAME")
                if (
                    after is not None
                    and shift_words(after, self.mistake.words[index + 1 : line.stop + 1])[0] == line.stop - index
                ):
                    place = Span(self.source.name, word.line, word.column, word.line, word.end)
                    return reserved_word_diagnostic(t.Name(place, word.text), "local")
        return None

    # --- mistakes without a fix ----------------------------------------------------------------

    def _explain_unclear(self, matches: Sequence[HabitMatch]) -> Diagnostic:
        """Return the diagnostic for a mistake without a verified fix."""
        point = self._breaking_point
        habit = self._find_helpful_habit(matches)
        if habit is not None:
            diagnostic = self.build_habit_diagnostic(replace(habit, text=""))
            if habit.habit.at == "line" and point.text.lstrip().startswith("when"):
                similar_events = self._suggest_events(point)
            else:
                similar_events = ""
            return replace(diagnostic, help=similar_events or fill_blanks(diagnostic.help, self.vocabulary.declared))
        if not count_indent(point.text) and (point.first or point.text.split()[:1] == [self._first_word]):
            step = self._explain_missing_indent(point)
            if step is not None:
                return step
        if point.deeper:
            return self._explain_excess_indent(point)
        field = point.source.lines[point.above - 1].strip()
        if point.bare and point.first and field in self.vocabulary.declared.field_names:
            example = self.vocabulary.declared.example_field_line(field)
            if self.vocabulary.declared.field_shape(field) != "effect":
                return replace(
                    missing_block_diagnostic(point, f"such a line is written like `{self._fill_form(example)}`"),
                    code="E0117",
                    title="this line stops too early",
                    note="",
                )
        if point.bare and point.first:
            move = next(find_moves(point), None)
            if move is not None and move.code == "E0104":
                return replace(move, edits=())
            return missing_block_diagnostic(
                point, f"write its contents on the next lines, indented by {INDENT_STEP} more spaces"
            )
        candidates = () if self.briefly else self._repairs
        missing = [repair for repair in candidates if repair.cost <= MOST_MISSING_COST and _only_inserts(repair)]
        # prefer changes at the mistake to those before it
        missing.sort(key=lambda repair: repair.changes[0].start != self.mistake.at)
        for repair in missing[:2]:
            if self._is_fillable(repair):
                return self._explain_missing_word(repair)
        sentence = self._explain_sentence(point)
        if sentence is not None:
            return sentence
        return self._explain_unknown_words(next((repair for repair in candidates if not repair.is_known), None))

    def _find_helpful_habit(self, matches: Sequence[HabitMatch]) -> HabitMatch | None:
        """Return the first habit that is explained in words; none about a whole line if its condition is wrong."""
        words = self.mistake.words[self.mistake.line.start : self.mistake.at]
        in_condition = any(word.text == "if" for word in words[1:])  # so what comes before it is right
        return next((m for m in matches if m.help and not m.text and not (in_condition and m.habit.at == "line")), None)

    def _explain_sentence(self, point: BreakingPoint) -> Diagnostic | None:
        """Return the diagnostic for a line that is an English sentence, or None.

        It names the parts that are understood and the form that they take in rules.
        """
        line = self.mistake.line
        words = self.mistake.words[line.start : line.stop]
        if sum(word.is_word for word in words) < FEWEST_SENTENCE_WORDS or self.mistake.at > line.start + 1:
            return None
        if words[0].text in kinds_by_word():
            return None
        understood_parts = find_understood_parts(words, self.vocabulary)
        declared = self.vocabulary.declared
        steps = [text for sort, text in understood_parts if sort == "step"]
        phases = [text for sort, text in understood_parts if sort == "phase"]
        if count_indent(point.text):
            rows = []
        else:
            rows = [fill_blanks(f"when {phases[0] if phases else 'start of PHASE'}", declared)]
        rows += [
            fill_blanks("each player where RESOURCE of it > 3", declared),
            steps[0] if steps else "gain 1 RESOURCE",
        ]
        sentence = " ".join(word.text for word in words)
        understood = quote_words([text for _, text in understood_parts], "and")
        return Diagnostic(
            "E0870",
            "rules are not written as sentences",
            Span(self.source.name, words[0].line, words[0].column, words[-1].line, words[-1].end),
            note=f"Only {understood} of this line can be understood."
            if understood_parts
            else f"No part of `{sentence}` can be understood.",
            help="write when it happens, for whom, and each step on a line of its own: "
            + ", under it ".join(f"`{fill_blanks(row, declared)}`" for row in rows)
            + ("" if understood_parts else "; a remark begins with `#`"),
        )

    def _suggest_events(self, point: BreakingPoint) -> str:
        """Return a remedy that lists lines for events with names similar to a line, or ""."""
        line = self.mistake.line
        event_words = split_event_line(self.mistake.words[line.start + 1 : line.stop], self.vocabulary)
        if event_words is None:
            return ""
        margin, text = count_indent(point.text), point.text.split("#")[0].rstrip()
        whole = Span(self.source.name, point.line, margin + 1, point.line, len(text) + 1)
        working = dict[str, frozenset[str]]()
        for event_line in islice(event_words.iter_lines(margin > 0), MOST_TRIED):
            if event_line.under:
                edit = Edit(whole, f"{event_line.text}\n{' ' * (margin + 2)}{event_line.under}")
                edits, form = (edit, *self._indent_below(point.line, 2)), f"{event_line.text}\n  {event_line.under}"
            else:
                edits, form = (Edit(whole, event_line.text),), event_line.text
            if self._is_correct(edits):
                working.setdefault(_format_lines(form), event_line.left_out)
        remedies = dict(islice(working.items(), MOST_EVENTS))
        if not remedies:
            return ""
        left_out = sorted(frozenset.intersection(*remedies.values()))
        rest = f", which says nothing of {quote_words(left_out, 'and')}" if left_out else ""
        return f"write {join_words(list(remedies), 'or')}{rest}; `kingsburg find --moments` lists all moments"

    def _explain_missing_indent(self, point: BreakingPoint) -> Diagnostic | None:
        """Return E0127 for a step or part of a definition at the left edge; None for other words."""
        word = point.text.split()[0].rstrip(":") if point.text.strip() else ""
        place = Span(self.source.name, point.line, 1, point.line, len(word) + 1)
        if word in step_words():
            return Diagnostic(
                "E0127",
                "a step is not allowed at the left edge",
                place,
                note="Steps happen at a moment, so they belong under `when`, or in a phase, a routine or a field.",
                help=fill_blanks("write `when start of PHASE` above it, and indent it", self.vocabulary.declared),
            )
        if word in definition_words() or word in self.vocabulary.declared.definitions:
            return None
        if thing := self._find_thing_above(point.line, word):
            help_ = f"indent `{point.text.strip()}` {INDENT_STEP} spaces further"
            return Diagnostic("E0127", f"this belongs under `{thing}`", place, help=help_)
        owner_form = find_place(word)
        if owner_form:
            return Diagnostic(
                "E0127",
                f"`{word}` cannot be at the left edge",
                place,
                help=fill_blanks(f"it belongs under {owner_form}", self.vocabulary.declared),
            )
        return None

    def _find_thing_above(self, number: int, field: str) -> str:
        """Return the head of the thing above a line if its kind has a field of this name, or ""."""
        for line in reversed(self.source.lines[: number - 1]):
            words = line.split("#")[0].split()
            if not words or count_indent(line):
                continue
            if words[0] in definition_words():
                return ""
            kind = self.vocabulary.declared.definitions.get(words[0])
            if any(one.name.word == field for one in declared_fields(kind)):
                return line.strip()
        return ""

    def _explain_excess_indent(self, point: BreakingPoint) -> Diagnostic:
        """Return the diagnostic for a line indented under a line that takes no block, or under nothing."""
        place = Span(self.source.name, point.line, 1, point.line, count_indent(point.text) + 1)
        if point.line == 1 or not any(line.split("#")[0].strip() for line in self.source.lines[: point.line - 1]):
            return Diagnostic(
                "E0102",
                "the file begins with an indented line",
                place,
                help="move the line to the left edge, or add the line it belongs to above it",
            )
        return Diagnostic(
            "E0105",
            "indented too far: nothing above takes lines under it",
            place,
            help="begin it at the margin of the line above",
        )

    def _is_fillable(self, repair: Repair) -> bool:
        """Return True if the blanks of a repair can be filled so that the line is correct."""
        for sample in islice(self._iter_samples(), MOST_TRIED + 3):
            texts = {**_SAMPLES, GAP_MARK: sample}
            changes = tuple(replace(change, text=texts.get(change.text, change.text)) for change in repair.changes)
            if self._is_correct(tuple(map(self._change_to_edit, changes))):
                return True
        return False

    def _iter_samples(self) -> Iterator[str]:
        """Yield names to try in a blank: a new one, one of each sort that these rules declare, and a number."""
        first_names: dict[str, str] = {}
        for name, definition in self.vocabulary.declared.definitions.items():
            first_names.setdefault(type(definition).__name__, name)
        order = ("Resource", "Thing", "Kind", "Phase", "Moment", "Keep", "Quantity")
        return chain(("my-name",), filter(None, map(first_names.get, order)), ("1",))

    def _explain_missing_word(self, repair: Repair) -> Diagnostic:
        """Return the diagnostic for a line that lacks a word which cannot be guessed."""
        diagnostic = self._build_repair_diagnostic(repair)
        start = repair.changes[0].start
        at_end = self.mistake.words[start].is_layout if start < len(self.mistake.words) else True
        title = "this line stops too early" if at_end else "something is missing here"
        return replace(
            diagnostic,
            code="E0117",
            title=title,
            note=f"Expected {'next' if at_end else 'here'}: {self._expected_words}.",
            edits=(),
            help=f"{diagnostic.help}, and replace `{GAP_MARK}`" if GAP_MARK in diagnostic.help else diagnostic.help,
        )

    def _explain_unknown_words(self, partial_repair: Repair | None) -> Diagnostic:
        """Return the diagnostic for the words that nothing accounts for, with the form of a similar construct."""
        words, line = self.mistake.words, self.mistake.line
        index = min(self.mistake.at, line.stop - 1)
        lost_words = self._find_lost_words(partial_repair, index)
        unknown_words = lost_words or words[index : line.stop]
        if not unknown_words or not line:
            return _unknown_mistake(self.source, self.piece)
        first, last = unknown_words[0], unknown_words[-1]
        text = self.source.lines[first.line - 1][first.column - 1 : last.end - 1]
        helps = self._suggest_forms(unknown_words)
        is_text = first is last and first.kinds == ("STRING",)
        if is_text:
            helps.insert(
                0, "texts in quotes are titles, prompts and reasons; refer to a thing by its name, without quotes"
            )
        note = f"Expected {'in its place' if lost_words else 'here'}: {self._expected_words}."
        return Diagnostic(
            "E0108" if is_text else "E0118",
            f"unexpected `{text}`",
            Span(self.source.name, first.line, first.column, first.line, last.end),
            note=note if self._expected_words else "",
            help="; ".join(helps),
        )

    def _find_lost_words(self, partial_repair: Repair | None, index: int) -> Sequence[StreamWord]:
        """Return the words from `index` on that a repair leaves out, if they stand side by side; else nothing."""
        changes = partial_repair.changes if partial_repair else ()
        lost = sorted(change.start for change in changes if change.how == "lost")
        if not lost or lost[0] < index or lost != list(range(lost[0], lost[-1] + 1)):
            return ()
        return self.mistake.words[lost[0] : lost[-1] + 1]

    def _suggest_forms(self, unknown_words: Sequence[StreamWord]) -> list[str]:
        """Return remedies for words that nothing accounts for: where their line belongs, and how it is written."""
        words, line, declared = self.mistake.words, self.mistake.line, self.vocabulary.declared
        start = words[line.start]
        at_start = self.mistake.at == line.start
        idea = find_idea([word.text for word in unknown_words], declared)
        form = self._fill_form(find_form(" ".join(word.text for word in words[line.start : line.start + 2])))
        field = declared.example_field_line(start.text) if start.text in declared.field_names else ""
        if not (form or idea or field) and at_start and not count_indent(self.source.lines[start.line - 1]):
            form = fill_blanks("when start of PHASE", declared)
        owner_form = self._find_owner_form(start.text) if at_start else ""
        helps = []
        if owner_form:
            helps.append(fill_blanks(f"it belongs under {owner_form}", declared))
        elif idea:
            helps.append(idea)
        step_fits = self.mistake.stacks[min(line.start, len(self.mistake.stacks) - 1)].advance("GAIN") is not None
        if form and not owner_form and not step_fits and start.text in step_words():
            helps.append("a step belongs under `when`, or in a phase, a routine or a field")
        elif form and not owner_form:
            helps.append(f"such a line is written like `{form}`")
        if field:
            helps.append(f"such a line is written like `{self._fill_form(field)}`")
        if not helps:
            example = "gain 1 RESOURCE" if step_fits else "when start of PHASE"
            helps.append(fill_blanks(f"begin the line with a keyword, such as `{example}`", declared))
        return helps

    def _fill_form(self, form: str) -> str:
        """Return a form with the author's words where they fit and the line is correct with them, else with others."""
        words = [word.text for word in self.mistake.words[self.mistake.line.start : self.mistake.line.stop]]
        declared = self.vocabulary.declared
        general, own = fill_blanks(form, declared), fill_blanks(form, declared, words)
        if own == general or not words or "`" in own:
            return general
        first, last = (self.mistake.words[index] for index in (self.mistake.line.start, self.mistake.line.stop - 1))
        edit = Edit(Span(self.source.name, first.line, first.column, last.line, last.end), own)
        return own if self._is_correct((edit,)) else general

    def _find_owner_form(self, word: str) -> str:
        """Return under what a line with this first word belongs; the word may be a synonym."""
        candidates = (word, *load_synonyms().get(word.casefold(), ()))
        return next(filter(None, map(find_place, candidates)), "")

    @property
    def _first_word(self) -> str:
        """The first word of the line of the mistake; empty if there is none."""
        line = self.mistake.line
        return self.mistake.words[line.start].text if line else ""

    @property
    def _expected_words(self) -> str:
        """A phrase for what could stand at the mistake."""
        return describe_kinds(self.mistake.expected_kinds)


def _is_same_fault(fault: Diagnostic, other: Diagnostic) -> bool:
    """Return True if two diagnostics say the same of one place."""
    return (fault.code, fault.title, fault.span) == (other.code, other.title, other.span)


def _leaves_definition(edit: Edit, line_count: int) -> bool:
    """Return True if an edit of a definition reaches into the one before or after it."""
    span = edit.span
    return span.line < 1 or span.end_line > line_count or span.line == span.column == 1 and edit.text[:1] == " "


def _only_inserts(repair: Repair) -> bool:
    """Return True if a repair inserts something unknown and changes nothing of importance."""
    hows = [change.how for change in repair.changes]
    return "unknown" in hows and set(hows) <= {"unknown", "put-in", "case"}


def _is_mechanical(repair: Repair) -> bool:
    """Return True if all changes of a repair leave no other meaning possible, such as case, signs or spelling."""
    return all(change.how in MECHANICAL_CHANGES for change in repair.changes)


_REASONS = {
    "case": ("E0103", "write `{old}` in lowercase", ""),
    "sign": ("E0116", "`{old}` is written `{new}`", ""),
    "spelled": ("E0103", "unexpected word `{old}`", ""),
    "near": ("E0103", "unexpected word `{old}`", ""),
    "said": ("E0103", "unexpected word `{old}`", "The language says `{new}`."),
    "number": ("E0110", "write `{old}` in digits", ""),
    "called": ("E0103", "`{old}` is a title, but rules use names", "Its name is `{new}`."),
    "quoted": ("E0108", "write `{old}` without quotes here", "Texts in quotes are for readers."),
    "joined": ("E0126", "`{old}` is several words, but a name is one", "The parts of a name are joined by `-`."),
    "swapped": ("E0118", "`{old}` is in the wrong order", ""),
    "doubled": ("E0118", "`{old}` is written twice", ""),
    "filler": ("E0116", "`{old}` is not needed here", ""),
    "wanted": ("E0103", "unexpected `{old}`", "The language says `{new}`."),
    "put-in": ("E0111", "`{new}` is missing before `{old}`", ""),
    "compared": ("E0117", f"{COMPARISON_MISSING} before `{{old}}`", ""),
    "unknown": ("E0117", "something is missing here", ""),
    "lost": ("E0118", "unexpected `{old}`", ""),
}


def _describe_change(change: Replacement, words: Sequence[StreamWord]) -> tuple[str, str, str]:
    """Return code, title and note for a change."""
    changed_words = words[change.start : max(change.end, change.start + 1)]
    old = " ".join(word.text for word in changed_words).strip()
    code, title, note = _REASONS[change.how]
    if change.how == "put-in" and (not old or changed_words[0].is_layout):
        return code, f"`{change.text}` is missing at the end of the line", note
    return code, title.format(old=old, new=change.text), note.format(old=old, new=change.text)


def _apply_to_line(line: str, edits: Sequence[Edit], number: int) -> str:
    """Return a line after the edits in it."""
    line_edits = [
        replace(edit, span=replace(edit.span, line=1, end_line=1))
        for edit in edits
        if edit.span.line == number == edit.span.end_line
    ]
    return apply_edits(line.split("#")[0].rstrip() if "#" in line and '"' not in line else line, line_edits)


def _format_help(text: str) -> str:
    """Return the remedy that tells what to write in place of a line."""
    return f"write {_format_lines(text)}" if text.strip() else "delete the line"


def _format_lines(text: str) -> str:
    """Return several lines as one phrase."""
    first, *lines = text.rstrip().split("\n")
    phrase, margin = f"`{first.strip()}`", count_indent(first)
    for line in lines:
        phrase += f", {'under it' if count_indent(line) > margin else 'then'} `{line.strip()}`"
        margin = count_indent(line)
    return phrase


# --- phrases for expected words ----------------------------------------------------------------------

_KIND_PHRASES = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "_NL": "the end of the line",
    "_INDENT": "an indented line",
}
_OPERATORS = frozenset("PLUS MINUS STAR SLASH MOD COMPARE AND OR IS WHERE HAS EQUAL WITH".split())


def describe_kinds(kinds: Sequence[str]) -> str:
    """Return kinds of words as a phrase of at most four parts."""
    remaining, phrases = set(kinds) - {"$END", "_DEDENT"}, list[str]()
    if {"GAIN", "LET", "IF"} <= remaining:
        phrases, remaining = (
            ["a step (`gain`, `if`, `choose`, `let` …)"],
            remaining & {"WHEN", "ADJUST", "OPTION"},
        )
    if {"NAME", "LPAR"} <= remaining:
        phrases, remaining = [*phrases, "a value"], remaining & {"_NL"}
    if len(remaining & _OPERATORS) > 2:
        phrases, remaining = [*phrases, "the rest of a value"], remaining - _OPERATORS - {"RPAR"}
    phrases += [phrase for kind, phrase in _KIND_PHRASES.items() if kind in remaining]
    phrases += [f"`{words_by_kind()[kind]}`" for kind in sorted(remaining) if kind in words_by_kind()]
    shown = phrases if len(phrases) <= 4 else [*phrases[:3], "…"]
    return join_words(shown, "or")


_FRACTION = re.compile(r"(?<![\w.,])(?P<whole>\d{0,9})(?:[.,](?P<fraction>\d{1,9})|(?<=\d) ?%)(?![\w.,])")


def _unknown_mistake(source: Source, piece: FilePiece) -> Diagnostic:
    """Return E0118 (`this cannot be read`) for the first line of a piece, when nothing explains the mistake."""
    line = piece.above + 1
    return Diagnostic(
        "E0118",
        "this cannot be read",
        Span(source.name, line, 1, line, len(source.lines[line - 1]) + 1),
        help="see the examples in the language's reference",
    )
