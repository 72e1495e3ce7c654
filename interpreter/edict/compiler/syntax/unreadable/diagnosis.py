"""What is said of a definition that cannot be read: the place, the reason, and a remedy that is right.

Three sources, in this order: what is mechanical (a sign, a capital, a letter); the habits people have; the smallest
repair on the parser's own table. A remedy is proposed only if it accounts for every word of the line, and if the rules
are right with it. What cannot be accounted for is said to be not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.automaton import beginning, step_words, terminals, value_words, written
from edict.compiler.syntax.constructs import blanks_filled, form_of, idea_of
from edict.compiler.syntax.declared_names import Declared
from edict.compiler.syntax.grammar import FilePiece, openings
from edict.compiler.syntax.incremental import pieces
from edict.compiler.syntax.lookalikes import look_alikes
from edict.compiler.syntax.reserved_words import reserved_word
from edict.compiler.syntax.soft_words import settled
from edict.compiler.syntax.unreadable.habits import Met, met, parts_of
from edict.compiler.syntax.unreadable.indentation import STEP, BreakingPoint, headed, moves, nothing_under, spot
from edict.compiler.syntax.unreadable.repair import Mistaken, Repair, Replacement, mistaken, repairs
from edict.compiler.syntax.unreadable.stream import Word, line_words, read_all, words_of
from edict.compiler.syntax.unreadable.vocabulary import MECHANICAL, SIGNS, Vocabulary
from edict.compiler.syntax.word_search import SMALL, fitting, plain
from edict.support.morphology import join_words, quote_words
from edict.support.report import Diagnostic, Edit, apply_edits
from edict.support.text import Source, Span, count_indent

Holds = Callable[[Source, tuple[Edit, ...], bool], bool]
"""Whether edits help; if that must be sure, not where names cannot be looked at for other mistakes."""

MOST_TRIED = 6  # remedies of one sort that are held against the whole rules
MOST_NAMED = 3  # moments that may be meant
CHEAP = 0.96  # a repair that is told also where other words of the line mean nothing
MOST_MISSING = 1.85  # of a line in which something is missing
SENTENCE = 4  # words of what may be one
LONGEST = 40_000  # characters of a definition that is looked at thoroughly
BLANK = "…"


def explained(source: Source, piece: FilePiece, declared: Declared, holds: Holds | None, briefly: bool) -> Diagnostic:
    """What is said of the first mistake in a piece of a file.

    holds: whether the rules are right with some edits; without it, it is enough that the line can be read.
    briefly: there were many mistakes before, so this one is not looked at thoroughly.
    """
    alike = look_alikes(source, piece.start, piece.end)
    if alike is not None:
        return alike
    vocabulary = Vocabulary(declared)
    words = settled(words_of(piece), vocabulary.names)
    lexical = next(_lexical(source, words, piece, vocabulary), None)
    if lexical is not None:
        return lexical
    found = mistaken(words)
    if found is None:
        return _unknown(source, piece)
    kinds = any(isinstance(definition, t.Kind) for definition in declared.definitions.values())
    if kinds and words[0].text not in openings() and not declared.fits(words[0].text, ["kind"]):
        found = Mistaken(words, 0, found.stacks[:1])  # what it is that is defined nobody knows
    long = piece.end - piece.start > LONGEST
    return _Telling(source, piece, found, vocabulary, holds, briefly or long).diagnostic()


def of_readable(source: Source, span: Span, declared: Declared) -> Iterator[Diagnostic]:
    """What may be said of a line that can be read and is wrong at a place: the habits that it may be."""
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    piece = next((piece for piece in reversed(pieces(text)) if piece.above < span.line), None)
    vocabulary = Vocabulary(declared)
    words = settled(words_of(piece), vocabulary.names) if piece is not None else []
    there = ((i, word) for i, word in enumerate(words) if word.line == span.line and not word.is_layout)
    at = next((i for i, word in there if word.end > span.column), None)
    if piece is None or at is None or piece.end - piece.start > LONGEST:
        return
    stacks = read_all(beginning(), words)[1][: at + 1]
    if len(stacks) <= at:
        return
    telling = _Telling(source, piece, Mistaken(words, at, stacks), vocabulary, None, False)
    for match in islice(met(telling.found, telling.vocabulary), MOST_TRIED):
        told = telling.habit(match)
        if told.help and (not told.edits or telling.reads(told.edits)):
            yield told


@dataclass(frozen=True)
class _Telling:
    source: Source
    piece: FilePiece
    found: Mistaken
    vocabulary: Vocabulary
    holds: Holds | None
    briefly: bool

    def diagnostic(self) -> Diagnostic:
        if self.briefly:
            return self._unclear(())
        sure = self._first(self._repaired(repair) for repair in self._repairs if _is_mechanical(repair))
        if sure is not None:
            return replace(sure, exact=True)
        met_ = tuple(islice(met(self.found, self.vocabulary), 3 * MOST_TRIED))
        habit = self._first(self.habit(match) for match in met_ if match.text)
        if habit is not None:
            return habit
        moved = self._first(chain(headed(self.found, self._spot), moves(self._spot)), 2 * MOST_TRIED)
        if moved is not None:
            return moved
        taken = self._taken_name()
        if taken is not None:
            return taken
        complete = [repair for repair in self._repairs if repair.complete]
        helping = [told for repair in complete if self._helps((told := self._repaired(repair)).edits)]
        if helping:
            return _one_or_several(helping, complete)
        balance = self._unbalanced()
        if balance is not None:
            return balance
        cheap = [repair for repair in complete if repair.cost <= CHEAP and not self._blames_the_line_above(repair)]
        guessed = [repair for repair in cheap if any(change.how in GUESSES for change in repair.changes)]
        for repair in (repair for repair in cheap if repair not in guessed):
            if self.reads((told := self._repaired(repair)).edits):
                # a sign is one also where a name beside it means nothing
                signs = all(change.how in SIGNS for change in repair.changes)
                return replace(told, exact=True) if signs else replace(told, edits=())
        for match in (match for match in met_ if match.text and match.by_word and self._known_beside(match)):
            if self.reads((told := self.habit(match)).edits):
                return replace(told, edits=(), exact=False)  # so it is written, though something else is wrong in it
        for repair in guessed:  # one word for another says less than a line that people write in full
            if self.reads((told := self._repaired(repair)).edits):
                return replace(told, edits=())
        return self._unclear(met_)

    def _blames_the_line_above(self, repair: Repair) -> bool:
        """Return True if a line is too far in, and the repair changes only the line above, which was right."""
        return self._spot.deeper and all(edit.span.line < self._spot.line for edit in self._repaired(repair).edits)

    @cached_property
    def _repairs(self) -> tuple[Repair, ...]:
        return tuple(repairs(self.found, self.vocabulary, MOST_TRIED))

    @cached_property
    def _spot(self) -> BreakingPoint:
        return spot(self.found, self.source)

    def _first(self, told: Iterator[Diagnostic], most: int = MOST_TRIED) -> Diagnostic | None:
        """The first of these whose edits help."""
        helping = (found for found in islice(told, most) if found.edits and self._helps(found.edits))
        return next(helping, None)

    def _helps(self, edits: tuple[Edit, ...]) -> bool:
        if not self.reads(edits):
            return False
        return self.holds is None or self.holds(self.source, edits, True)

    def reads(self, edits: tuple[Edit, ...]) -> bool:
        """Whether the lines that edits change, and the one after them, can be read."""
        above = self.piece.above
        moved = [
            replace(e, span=replace(e.span, line=e.span.line - above, end_line=e.span.end_line - above)) for e in edits
        ]
        most = self.piece.own.count("\n") + 1
        if any(_into_another(edit, most) for edit in moved):
            return self.holds is not None  # it belongs to another definition: that can be read only as a whole
        text = apply_edits(self.piece.own, moved)
        more = text.count("\n") - self.piece.own.count("\n")
        left = mistaken(settled(words_of(FilePiece(text, 0, len(text), above)), self.vocabulary.names))
        last = max(edit.span.end_line for edit in edits) + more
        return left is None or left.at < len(left.words) and left.words[left.at].line > last

    # --- habits and repairs as diagnostics ------------------------------------------------------

    def habit(self, match: Met) -> Diagnostic:
        first, last = self.found.words[match.start], self.found.words[match.end - 1]
        place = Span(self.source.name, first.line, first.column, last.line, last.end)
        edits = self._lines_of(match, place) if match.text else ()
        line = self.source.lines[first.line - 1]
        help_ = _written(_after(line, edits, first.line)) if edits else match.help
        habit = match.habit
        return Diagnostic(
            habit.code,
            habit.title,
            place,
            note=habit.why,
            help=help_,
            edits=edits,
            exact=bool(edits) and self._to_the_letter(match),
        )

    def _known_beside(self, habit: Met) -> bool:
        """Whether all words of the line that a habit does not take up mean something."""
        line = self.found.line
        rest = (*self.found.words[line.start : habit.start], *self.found.words[habit.end : line.stop])
        return all(self.vocabulary.knows(word.text) for word in rest)

    def _to_the_letter(self, habit: Met) -> bool:
        """Whether a habit says just the same in other words, and what it is about stands in the line as it is."""
        there = {word.text for word in self.found.words[habit.start : habit.end]}
        filled = (word for text in habit.filled.values() for word in line_words(text))
        return habit.habit.exact and all(word.text in there for word in filled)

    def _lines_of(self, habit: Met, place: Span) -> tuple[Edit, ...]:
        """The text of a habit in its line: several lines at its margin, and what stood under it under the last."""
        first, *more = habit.text.split("\n")
        line = self.source.lines[place.line - 1]
        lead = count_indent(line)
        if not more:
            return (Edit(place, first),)
        in_line = line[: place.column - 1].strip()
        if in_line:
            if any(word.is_layout for word in self.found.words[habit.start : habit.end]) or " " in in_line:
                return ()
            lead += 2
            gap = Span(
                place.file, place.line, len(line[: place.column - 1].rstrip()) + 1, place.end_line, place.end_column
            )
            text = "\n" + "\n".join(" " * lead + each for each in (first, *more))
            deeper = 2 + count_indent(more[-1])
            return (Edit(gap, text), *self._deeper(place.line, deeper))
        text = "\n".join((first, *(" " * lead + each for each in more)))
        return (Edit(place, text), *self._deeper(place.line, count_indent(more[-1])))

    def _deeper(self, number: int, by: int) -> Iterator[Edit]:
        """What stands under a line, so many spaces further in."""
        lines = self.source.lines
        own = count_indent(lines[number - 1])
        for below, line in enumerate(lines[number:], number + 1):
            if line.strip():
                if count_indent(line) <= own or not by:
                    return
                yield Edit(Span(self.source.name, below, 1, below, 1), " " * by)

    def _repaired(self, repair: Repair) -> Diagnostic:
        place, line = self._place(repair.changes[0]), self.found.words[self.found.line.start].line
        edits = tuple(self._edit(change) for change in repair.changes)
        old = self.source.lines[line - 1]
        code, title, note = _reason(repair.changes[0], self.found.words)
        return Diagnostic(code, title, place, note=note, help=_written(_after(old, edits, line)), edits=edits)

    def _place(self, change: Replacement) -> Span:
        words = self.found.words
        if change.start == change.end:
            at = change.start if change.start < len(words) and not words[change.start].is_layout else change.start - 1
            first = last = words[max(at, 0)]
        else:
            first, last = words[change.start], words[change.end - 1]
        return Span(self.source.name, first.line, first.column, last.line, max(last.end, first.column + 1))

    def _edit(self, change: Replacement) -> Edit:
        words, name = self.found.words, self.source.name
        if change.start < change.end:
            first, last = words[change.start], words[change.end - 1]
            line = self.source.lines[first.line - 1]
            if change.text:
                behind = line[last.end - 1 : last.end]
                apart = " " if change.text[-1].isalnum() and (behind.isalnum() or behind == "(") else ""
                return Edit(Span(name, first.line, first.column, last.line, last.end), change.text + apart)
            start = first.column
            while start > 1 and line[start - 2] == " " and line[: start - 1].strip():
                start -= 1
            return Edit(Span(name, first.line, start, last.line, last.end), "")
        here = words[change.start] if change.start < len(words) else words[-1]
        if here.is_layout:
            before = words[change.start - 1]
            lead = "" if change.text in (",", ")", ".") else " "
            return Edit(Span(name, before.line, before.end, before.line, before.end), lead + change.text)
        if change.text in (",", ")", ".") and change.start:
            before = words[change.start - 1]
            return Edit(Span(name, before.line, before.end, before.line, before.end), change.text)
        tail = "" if change.text == "(" else " "
        return Edit(Span(name, here.line, here.column, here.line, here.column), change.text + tail)

    def _unbalanced(self) -> Diagnostic | None:
        """A parenthesis without its other one, in the line of the mistake."""
        opened: list[Word] = []
        for word in self.found.words[self.found.line.start : self.found.line.stop]:
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

    def _span(self, word: Word) -> Span:
        return Span(self.source.name, word.line, word.column, word.line, word.end)

    def _taken_name(self) -> Diagnostic | None:
        """A word of the language that would be right if it were a name."""
        line = self.found.line
        for i in range(line.start + 1, min(self.found.at, line.stop - 1) + 1):
            word = self.found.words[i]
            if word.text in value_words():
                after = self.found.stacks[i].after("NAME")
                if after is not None and read_all(after, self.found.words[i + 1 : line.stop + 1])[0] == line.stop - i:
                    place = Span(self.source.name, word.line, word.column, word.line, word.end)
                    return reserved_word(t.Name(place, word.text), "local")
        return None

    # --- what is not understood -----------------------------------------------------------------

    def _unclear(self, met_: Sequence[Met]) -> Diagnostic:
        """What is said where no remedy is known to be right."""
        at = self._spot
        habit = next((match for match in met_ if match.help and not match.text), None)
        if habit is not None:
            told = self.habit(replace(habit, text=""))
            near = self._moments(at) if habit.habit.at == "line" and at.text.lstrip().startswith("when") else ""
            return replace(told, help=near or blanks_filled(told.help, self.vocabulary.declared))
        if not count_indent(at.text) and (at.first or at.text.split()[:1] == [self._first_word]):
            step = self._at_the_left_edge(at)
            if step is not None:
                return step
        if at.deeper:
            return self._indented_for_nothing(at)
        if at.bare and at.first:
            move = next(moves(at), None)
            if move is not None and move.code == "E0104":
                return replace(move, edits=())
            return nothing_under(at, f"write what belongs to it in the next lines, {STEP} spaces further in")
        some = () if self.briefly else self._repairs
        missing = [repair for repair in some if repair.cost <= MOST_MISSING and _is_missing(repair)]
        # at the mistake rather than before it
        missing.sort(key=lambda repair: repair.changes[0].start != self.found.at)
        if missing:
            return self._something_missing(missing[0])
        sentence = self._sentence(at)
        if sentence is not None:
            return sentence
        return self._not_understood(next((repair for repair in some if not repair.known), None))

    def _sentence(self, at: BreakingPoint) -> Diagnostic | None:
        """Of a whole thought in one line: what of it is understood, and the form that it takes in rules."""
        line = self.found.line
        words = self.found.words[line.start : line.stop]
        if sum(word.is_word for word in words) < SENTENCE or self.found.at > line.start + 1:
            return None
        if words[0].text in terminals():
            return None
        parts = parts_of(words, self.vocabulary)
        declared = self.vocabulary.declared
        steps = [text for sort, text in parts if sort == "step"]
        phases = [text for sort, text in parts if sort == "phase"]
        rows = (
            []
            if count_indent(at.text)
            else [blanks_filled(f"when {phases[0] if phases else 'start of PHASE'}", declared)]
        )
        rows += [
            blanks_filled("each player where RESOURCE of it > 3", declared),
            steps[0] if steps else "gain 1 RESOURCE",
        ]
        said = " ".join(word.text for word in words)
        understood = quote_words([text for _, text in parts], "and")
        return Diagnostic(
            "E0870",
            "rules are not written as sentences",
            Span(self.source.name, words[0].line, words[0].column, words[-1].line, words[-1].end),
            note=f"Of this line {understood} can be understood." if parts else f"Nothing of `{said}` is understood.",
            help="write when it happens, for whom, and what is done in a line each: "
            + ", under it ".join(f"`{blanks_filled(row, declared)}`" for row in rows)
            + ("" if parts else "; a remark begins with `#`"),
        )

    def _moments(self, at: BreakingPoint) -> str:
        """What a rule may wait for that is called nearly so."""
        wanted = [word for word in plain(at.text).split()[1:] if word not in SMALL]
        near = [awaited.line for _, awaited in fitting(self.vocabulary.declared.moments(), wanted)][:MOST_NAMED]
        lines = quote_words(list(dict.fromkeys(near)), "or")
        return f"write {lines}; `kingsburg find --moments` lists all that can be waited for" if near else ""

    def _at_the_left_edge(self, at: BreakingPoint) -> Diagnostic | None:
        word = at.text.split()[0].rstrip(":") if at.text.strip() else ""
        place = Span(self.source.name, at.line, 1, at.line, len(word) + 1)
        if word in step_words():
            return Diagnostic(
                "E0127",
                "a step is not allowed at the left edge",
                place,
                note="Steps are carried out at a moment, and so stand under `when`, in a phase, a routine or a field.",
                help=blanks_filled("write `when start of PHASE` above it, and indent it", self.vocabulary.declared),
            )
        if word in openings() or word in self.vocabulary.declared.definitions:
            return None
        where = form_of(word, "inside")
        if where:
            return Diagnostic(
                "E0127",
                f"`{word}` does not stand at the left edge",
                place,
                help=blanks_filled(f"it belongs under {where}", self.vocabulary.declared),
            )
        return None

    def _indented_for_nothing(self, at: BreakingPoint) -> Diagnostic:
        place = Span(self.source.name, at.line, 1, at.line, count_indent(at.text) + 1)
        if at.line == 1 or not any(line.split("#")[0].strip() for line in self.source.lines[: at.line - 1]):
            return Diagnostic(
                "E0102",
                "the file begins with an indented line",
                place,
                help="move the line to the left edge, or write above it what it belongs to",
            )
        return Diagnostic(
            "E0105",
            "indented too far: nothing above takes lines under it",
            place,
            help="align it with the line above, or finish the line above",
        )

    def _something_missing(self, repair: Repair) -> Diagnostic:
        """A line in which a word is missing that nobody can guess."""
        told = self._repaired(repair)
        start = repair.changes[0].start
        at_end = self.found.words[start].is_layout if start < len(self.found.words) else True
        title = "this line stops too early" if at_end else "something is missing here"
        return replace(
            told,
            code="E0117",
            title=title,
            note=f"Expected {'next' if at_end else 'here'}: {self._wanted}.",
            edits=(),
            help=f"{told.help}, with what is meant in place of `{BLANK}`" if BLANK in told.help else told.help,
        )

    def _not_understood(self, partly: Repair | None) -> Diagnostic:
        """The part of a line that nothing accounts for, with the form of the nearest construct."""
        words, line = self.found.words, self.found.line
        at = min(self.found.at, line.stop - 1)
        lost = sorted(change.start for change in partly.changes if change.how == "lost") if partly else []
        lost = lost if lost and lost[0] >= at and lost == list(range(lost[0], lost[-1] + 1)) else []
        some = words[lost[0] : lost[-1] + 1] if lost else words[at : line.stop]
        if not some or not line:
            return _unknown(self.source, self.piece)
        text = self.source.lines[some[0].line - 1][some[0].column - 1 : some[-1].end - 1]
        place = Span(self.source.name, some[0].line, some[0].column, some[0].line, some[-1].end)
        whole = self.source.lines[words[line.start].line - 1]
        declared = self.vocabulary.declared
        idea = idea_of([word.text for word in some], whole, declared)
        form = blanks_filled(form_of(" ".join(word.text for word in words[line.start : line.start + 2])), declared)
        start = self.found.at == line.start and not count_indent(whole)
        field = declared.example(words[line.start].text) if words[line.start].text in declared.fields else ""
        if not form and not idea and not field and start:
            form = blanks_filled("when start of PHASE", declared)
        where = form_of(words[line.start].text, "inside") if self.found.at == line.start else ""
        helps = [blanks_filled(f"it belongs under {where}", declared)] if where else [idea] if idea else []
        if form and not where:
            helps.append(f"such a line is written like `{form}`")
        if field:
            helps.append(f"such a line is written like `{blanks_filled(field, declared)}`")
        if not helps:
            step = self.found.stacks[min(line.start, len(self.found.stacks) - 1)].after("GAIN") is not None
            usual = "gain 1 RESOURCE" if step else "when start of PHASE"
            helps.append(blanks_filled(f"begin the line with what it is, such as `{usual}`", declared))
        if some[0].kinds == ("STRING",) and len(some) == 1:
            helps.insert(
                0, "texts in quotes are titles, prompts and reasons; a thing is meant by its name, without quotes"
            )
        return Diagnostic(
            "E0108" if some[0].kinds == ("STRING",) and len(some) == 1 else "E0118",
            f"this part is not understood: `{text}`",
            place,
            note=f"Expected {'in its place' if lost else 'here'}: {self._wanted}." if self._wanted else "",
            help="; ".join(helps),
        )

    @property
    def _first_word(self) -> str:
        line = self.found.line
        return self.found.words[line.start].text if line else ""

    @property
    def _wanted(self) -> str:
        """What could stand at the mistake, in at most four parts."""
        return wanted_in_words(self.found.wanted)


def _into_another(edit: Edit, most: int) -> bool:
    """Whether an edit of a definition of so many lines reaches into the one before or after it."""
    span = edit.span
    return span.line < 1 or span.end_line > most or span.line == span.column == 1 and edit.text[:1] == " "


def _one_or_several(told: Sequence[Diagnostic], repairs_: Sequence[Repair]) -> Diagnostic:
    """The first of these; where a second word is as likely in place of one, both to choose from."""
    first = told[0]
    same = (diagnostic for diagnostic in told[1:] if diagnostic.span == first.span)
    alike = [diagnostic for diagnostic in same if diagnostic.code == first.code == "E0103"]
    if not alike:
        return first
    lines = " or ".join(diagnostic.help.removeprefix("write ") for diagnostic in (first, *alike[:2]))
    return replace(first, help=f"write {lines}", note="", edits=())


def _is_missing(repair: Repair) -> bool:
    """Whether only something must be put in, a part of which nobody can guess."""
    return all(change.how in ("unknown", "put-in", "case", "said") for change in repair.changes)


GUESSES = ("said", "wanted")  # a word taken for another one


def _is_mechanical(repair: Repair) -> bool:
    return all(change.how in MECHANICAL for change in repair.changes)


_REASONS = {
    "case": ("E0103", "`{old}` is written in lowercase", ""),
    "sign": ("E0116", "`{old}` is written `{new}`", ""),
    "spelled": ("E0103", "`{old}` is not a word that can stand here", ""),
    "near": ("E0103", "`{old}` is not a word that can stand here", ""),
    "said": ("E0103", "`{old}` is not a word that can stand here", "The language says `{new}`."),
    "number": ("E0110", "`{old}` is written in digits", ""),
    "called": ("E0103", "`{old}` is a title, and rules use names", "Its name is `{new}`."),
    "quoted": ("E0108", "`{old}` stands without quotes here", "Texts in quotes are what people read."),
    "joined": ("E0126", "`{old}` is several words, and a name is one", "The parts of a name are joined by `-`."),
    "swapped": ("E0118", "`{old}` is in the wrong order", ""),
    "doubled": ("E0118", "`{old}` is written twice", ""),
    "filler": ("E0116", "`{old}` is not needed here", ""),
    "wanted": ("E0103", "`{old}` cannot stand here", "The language says `{new}`."),
    "put-in": ("E0111", "`{new}` is missing before `{old}`", ""),
    "unknown": ("E0117", "something is missing here", ""),
    "lost": ("E0118", "this part is not understood: `{old}`", ""),
}


def _reason(change: Replacement, words: Sequence[Word]) -> tuple[str, str, str]:
    """Code, title and note of a change."""
    some = words[change.start : max(change.end, change.start + 1)]
    old = " ".join(word.text for word in some).strip()
    code, title, note = _REASONS[change.how]
    if change.how == "put-in" and (not old or some[0].is_layout):
        return code, f"`{change.text}` is missing at the end of the line", note
    return code, title.format(old=old, new=change.text), note.format(old=old, new=change.text)


def _after(line: str, edits: Sequence[Edit], number: int) -> str:
    """A line after the edits in it."""
    own = [
        replace(e, span=replace(e.span, line=1, end_line=1)) for e in edits if e.span.line == number == e.span.end_line
    ]
    return apply_edits(line.split("#")[0].rstrip() if "#" in line and '"' not in line else line, own)


def _written(text: str) -> str:
    """What is to be written in place of a line."""
    return f"write {_said(text)}" if text.strip() else "delete the line"


def _said(text: str) -> str:
    """Lines in one sentence."""
    first, *lines = text.rstrip().split("\n")
    told, lead = f"`{first.strip()}`", count_indent(first)
    for line in lines:
        told += f", {'under it' if count_indent(line) > lead else 'then'} `{line.strip()}`"
        lead = count_indent(line)
    return told


# --- what could stand somewhere, in words -----------------------------------------------------------

_CLASSES = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "_NL": "the end of the line",
    "_INDENT": "an indented line",
}
_OPERATORS = frozenset("PLUS MINUS STAR SLASH MOD COMPARE AND OR IS WHERE HAS EQUAL WITH".split())


def wanted_in_words(kinds: Sequence[str]) -> str:
    """Kinds of words, told in at most four parts."""
    rest, parts = set(kinds) - {"$END", "_DEDENT"}, list[str]()
    if {"GAIN", "LET", "IF"} <= rest:
        parts, rest = ["what is to be done (`gain`, `if`, `choose`, `let` …)"], rest & {"WHEN", "ADJUST", "OPTION"}
    if {"NAME", "LPAR"} <= rest:
        parts, rest = [*parts, "a value"], rest & {"_NL"}
    if len(rest & _OPERATORS) > 2:
        parts, rest = [*parts, "the rest of a value"], rest - _OPERATORS - {"RPAR"}
    parts += [said for kind, said in _CLASSES.items() if kind in rest]
    parts += [f"`{written()[kind]}`" for kind in sorted(rest) if kind in written()]
    shown = parts if len(parts) <= 4 else [*parts[:3], "…"]
    return join_words(shown, "or")


# --- signs -----------------------------------------------------------------------------------------


def _lexical(source: Source, words: Sequence[Word], piece: FilePiece, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Mistakes of single characters: a quote that is not closed, words without a space, a blank that was left."""
    at, _ = read_all(beginning(), words)
    stop = words[at].line if at < len(words) else len(source.lines)
    for number in range(piece.above + 1, stop + 1):
        line = source.lines[number - 1] if number <= len(source.lines) else ""
        if (opened := _UNCLOSED.fullmatch(line)) is not None:
            yield _unclosed(source, number, line, opened.start(1))
    for word in words:
        if word.line <= stop and word.is_word and not word.kinds and not word.text.isascii():
            yield _foreign(source, word)
    for before, word in pairwise(words):
        if word.line == before.line <= stop and before.end == word.column and not word.is_layout:
            if before.text[-1:].isalnum() and word.text[:1].isalnum():
                yield _glued(source, before, word, vocabulary.knows(word.text))


_UNCLOSED = re.compile(r'(?:[^"#]|"[^"]*")*+("[^"]*)')  # a quote after whole texts, in no comment


def _unclosed(source: Source, number: int, line: str, quote: int) -> Diagnostic:
    end = len(line.rstrip())
    return Diagnostic(
        "E0107",
        "this text has no closing quote",
        Span(source.name, number, quote + 1, number, end + 1),
        note="A text ends in the line in which it begins.",
        help="write a second quote at the end of the text",
        edits=(Edit(Span(source.name, number, end + 1, number, end + 1), '"'),),
        exact=False,
    )


_NO_SIGN = re.compile("['’_]")  # by which words may be joined elsewhere


def _foreign(source: Source, word: Word) -> Diagnostic:
    """A name joined by signs that names cannot have."""
    return Diagnostic(
        "E0115",
        f"`{word.text}` has signs that names cannot have",
        Span(source.name, word.line, word.column, word.line, word.end),
        note="Names are letters and digits, joined by `-`; titles in quotes may have any signs.",
        help=f"write a name such as `{_NO_SIGN.sub('-', word.text.lower())}`",
    )


def _glued(source: Source, first: Word, second: Word, known: bool) -> Diagnostic:
    """Two words without a space; if the second is none that is known, it may have been meant as one."""
    place, text = Span(source.name, first.line, first.column, first.line, second.end), first.text + second.text
    if not known:
        return Diagnostic(
            "E0125",
            f"`{text}` begins with a digit, and a name with a letter",
            place,
            help=f"write `{first.text} {second.text}` if these are two words, or a name that begins with a letter",
        )
    gap = Span(source.name, first.line, first.end, first.line, first.end)
    return Diagnostic(
        "E0125",
        f"a space is missing in `{text}`",
        place,
        help=f"write `{first.text} {second.text}`",
        edits=(Edit(gap, " "),),
        exact=True,
    )


def _unknown(source: Source, piece: FilePiece) -> Diagnostic:
    """What is said where nothing is known."""
    line = piece.above + 1
    return Diagnostic(
        "E0118",
        "this cannot be read",
        Span(source.name, line, 1, line, len(source.lines[line - 1]) + 1),
        help="compare it with the examples of the language's reference",
    )


__all__ = ["Holds", "explained", "wanted_in_words"]
