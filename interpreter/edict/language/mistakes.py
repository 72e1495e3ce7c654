"""Syntax mistakes, told as diagnostics: what was written, what may stand there, what to do.

`facts` knows what the parser found; `grammar/mistakes.yaml` is the list of mistakes to compare the facts with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from edict.sources import limits
from edict.language.facts import VALUE_WORDS, Facts, indent, keywords, short, statements
from edict.language.homes import homeless
from edict.language.lists import known
from edict.language.lookalikes import look_alikes
from edict.language.rewording import reworded
from edict.language.sorts import a
from edict.language.taken import taken_before
from edict.report import Diagnostic, Edit, did_you_mean, nearest
from edict.text import Source, Span

SHAPED = ("E0100", "E0108", "E0109", "E0111", "E0117", "E0118", "E0126")
"""Codes of what is not known in particular."""

LOST = ("E0100", "E0108", "E0109", "E0117", "E0118")
"""Codes of what is said of a line that cannot be read, also where it is only in the wrong place."""

LONGEST_LOOKED_AT = 300
"""Characters of a line that patterns are held against: some take a time that grows with its square."""


def page_limits(source: Source) -> list[Diagnostic]:
    """The first reason not to read a rule file at all, if there is one."""
    return limits.page_limits(source)


def explanations(facts: Facts, start: int, end: int) -> Iterator[tuple[Diagnostic, bool]]:
    """What can be said of a mistake in the text from start to end, the likeliest first; the last always fits.

    Each is an entry of `grammar/mistakes.yaml`, with whether it is of what is not known in particular: from the first
    that is `vague` on, and those that say `search`.
    """
    alike = look_alikes(facts.source, start, end)
    if alike is not None:
        yield alike, False
    named = taken_before(facts.source, start, facts.span.line)
    if named is not None:
        yield named, False
    lost = homeless(facts)
    vague = False
    for one in _entries():
        vague = vague or "vague" in one
        entry = Entry(one, facts)
        if lost is not None and entry.fits and one["code"] in LOST:
            yield lost, False
        if entry.fits:
            yield entry.diagnostic(), vague or "search" in one


def indentation_mistake(source: Source, start: int, end: int) -> Diagnostic:
    """A line that goes back to a margin where nothing begins."""
    levels = [0]
    first = source.text.count("\n", 0, start) + 1
    for number, line in enumerate(source.text[start:end].split("\n"), first):
        bare = line.lstrip(" \t")
        if not bare or bare[0] in "#\r":
            continue
        lead = len(line) - len(bare)
        if lead < levels[-1] and lead not in levels:
            return _misaligned(Span(source.name, number, 1, number, lead + 1), lead, levels)
        levels = [*(x for x in levels if x < lead), lead]
    return _misaligned(Span(source.name, first, 1, first, 2), 0, levels)


def too_deep(source: Source, start: int) -> Diagnostic:
    """A definition so nested that it cannot be followed."""
    line = source.text.count("\n", 0, start) + 1
    return limits.nested_too_deep(Span(source.name, line, 1, line, len(source.lines[line - 1]) + 1))


def _misaligned(span: Span, lead: int, levels: list[int]) -> Diagnostic:
    near = min(levels, key=lambda margin: (abs(margin - lead), -margin))
    return Diagnostic(
        "E0101",
        "this line is aligned with nothing above it",
        span,
        note=f"It begins after {lead} spaces; the lines above it begin after {', '.join(map(str, levels))}.",
        help=f"begin it after {near} spaces" + (", as the line above" if near == levels[-1] else ""),
    )


@dataclass(frozen=True)
class Entry:
    """An entry of `grammar/mistakes.yaml`, held against the facts of a mistake."""

    entry: dict[str, Any]
    facts: Facts

    @property
    def fits(self) -> bool:
        return all(getattr(self, "_is_" + key)(self.entry[key]) for key in _CONDITIONS if key in self.entry)

    def _is_kind(self, value: Any) -> bool:
        return self.facts.kind in _listed(value)

    def _is_found(self, value: Any) -> bool:
        return re.fullmatch(str(value), self.facts.found) is not None

    def _is_before(self, value: Any) -> bool:
        return re.search(str(value), self.facts.before) is not None

    def _is_wants(self, value: Any) -> bool:
        return bool(self.facts.wants & set(_listed(value)))

    def _is_only(self, value: Any) -> bool:
        return bool(self.facts.wants) and self.facts.wants - {"text"} <= set(_listed(value)) | self._inner(value)

    def _inner(self, value: Any) -> set[str]:
        """Where a name and a `(` may stand, so may every word that begins a value."""
        return set(VALUE_WORDS) if "(" in _listed(value) else set()

    def _is_missing(self, _: Any) -> bool:
        return bool(self.facts.missing) and self.facts.kind != "character"

    def _is_state(self, value: Any) -> bool:
        facts = self.facts
        if value == "quote":
            rest = facts.line[facts.span.column - 1 :] + facts.found
            return facts.line.split("#")[0].count('"') % 2 == 1 and '"' in rest
        if value == "open":
            return facts.open_at is not None and facts.kind != "character"
        return not facts.before.strip() and facts.span.line > 0

    def _is_last(self, value: Any) -> bool:
        last = self.facts.last
        if last is None:
            return False
        if value == "keyword":
            return last[0] in VALUE_WORDS
        misspelt = did_you_mean(last[0], statements()) and last[0] not in keywords()
        within = bool(self.facts.before[: last.start()].strip())
        return bool(misspelt) and within and self.facts.kind in ("number", "name")

    def _is_above(self, value: Any) -> bool:
        return re.search(str(value), self.facts.sibling) is not None

    def _is_under(self, value: Any) -> bool:
        return re.search(str(value), self.facts.parent) is not None

    def _is_instead(self, value: Any) -> bool:
        return self.facts.found.casefold() in value

    def _is_line(self, _: Any) -> bool:
        return self.match is not None

    def _is_joined(self, _: Any) -> bool:
        return self.facts.joined is not None

    def _is_twins(self, _: Any) -> bool:
        last = self.facts.last
        small = last is None or last[0].casefold() in known("fillers")
        return last is not None and last[0][0].isalpha() and not small and not {last[0], self.facts.found} & keywords()

    def _is_capital(self, _: Any) -> bool:
        word = self.groups["word"]
        return word != word.lower() and (word.lower() in keywords() or self.facts.declared.fits(word.lower(), ["kind"]))

    def _is_field(self, _: Any) -> bool:
        return self.groups["field"] in self.facts.declared.fields

    def _is_known(self, value: Any) -> bool:
        return all(self.facts.declared.fits(self._name(group), _listed(sorts)) for group, sorts in value.items())

    # --- what is written ---------------------------------------------------------------------

    @cached_property
    def over(self) -> Span:
        """The line that `line` looks at."""
        return {"above": self.facts.above, "head": self.facts.head}.get(str(self.entry.get("over")), self.facts.span)

    @cached_property
    def match(self) -> re.Match[str] | None:
        """What `line` finds: of several stretches the one that ends nearest to the mistake."""
        if self.entry.get("joined"):
            return self.facts.joined
        if "line" not in self.entry:
            return None
        over = self.entry.get("over")
        text = self.facts.source.lines[self.over.line - 1] if over else self.facts.written
        at = self.facts.span.column - 1
        if len(text) > LONGEST_LOOKED_AT:
            return None
        found = [one for one in _compiled(self.entry["line"]).finditer(text) if not _in_a_text(text, self._begins(one))]
        return min(found, key=lambda one: abs(one.end() - at), default=None)

    def _begins(self, found: re.Match[str]) -> int:
        """Where what is told of a stretch begins."""
        mark = str(self.entry.get("mark", 0))
        return found.start(int(mark) if mark.isdecimal() else mark)

    @cached_property
    def groups(self) -> dict[str, str]:
        """The parts of the line that were found."""
        return {} if self.match is None else self.match.groupdict(default="")

    def _name(self, group: str) -> str:
        """The name that is meant by a part of the line."""
        return self.facts.declared.meant(self.groups.get(group, ""))

    @cached_property
    def words(self) -> dict[str, str]:
        """What the texts of the entry may speak of."""
        facts = self.facts
        known = [*self.entry.get("known", ()), *(["name"] if self.entry.get("joined") else [])]
        names = {group: self._name(group) for group in known}
        groups = {"lead": facts.line[: indent(facts.line)], **self.groups, **names}
        sort = facts.declared.sort(names[known[0]]) if known else ""
        a_rule = facts.declared.rule(groups.get("action", ""))
        return {
            "a_rule": a_rule,
            **reworded(groups, facts.declared), "said": self.groups.get(known[0], "") if known else "",
            "unclosed": facts.line[facts.line.rfind('"') :].rstrip(),
            "found": facts.found, "want": facts.missing, "last": facts.last[0] if facts.last else "",
            "wants": short(facts.wants), "near": self._near(), "what": self._what(), "sort": sort, "a_sort": a(sort),
            "instead": self.entry.get("instead", {}).get(facts.found.casefold(), ""), **groups,
        }  # fmt: skip

    def diagnostic(self) -> Diagnostic:
        entry = self.entry
        said = {key: str(entry.get(key, "")).format(**self.words) for key in ("title", "note", "help")}
        note = "" if not self.words["wants"] and "{wants}" in entry.get("note", "") else said["note"]
        return Diagnostic(
            entry["code"], said["title"], self._place(), note=note, help=said["help"], edits=self._edits()
        )

    def _edits(self) -> tuple[Edit, ...]:
        if "write" not in self.entry:
            return self._misspelt()
        text, span = str(self.entry["write"]).format(**self.words), self._place()
        if self.match is not None:
            span = self._stretch(self.entry.get("replace", 0))
        elif self.entry.get("missing"):
            after = self.facts.kind == "line-end"
            text = f" {text}" if after else f"{text} "
            span = replace(span, end_column=span.column)
        return (Edit(span, text),)

    def _stretch(self, group: str | int) -> Span:
        """Where the pattern, or one of its groups, was found."""
        start, end = self.match.span(int(group) if str(group).isdecimal() else group) if self.match else (0, 0)
        return replace(self.over, column=start + 1, end_line=self.over.line, end_column=end + 1)

    def _misspelt(self) -> tuple[Edit, ...]:
        near = self._meant() if "{near}" in self.entry.get("help", "") else ""
        return (Edit(self._place(), near),) if near else ()

    def _meant(self) -> str:
        facts = self.facts
        word = facts.last[0] if facts.last and self.entry.get("last") else facts.found
        return nearest(word, facts.wants & keywords()) or nearest(word, statements())

    def _near(self) -> str:
        near = self._meant()
        return f"did you mean `{near}`? Otherwise " if near else ""

    def _what(self) -> str:
        return {"line-end": "the end of the line", "text": "this text"}.get(self.facts.kind, f"`{self.facts.found}`")

    def _place(self) -> Span:
        facts, at, state, mark = self.facts, self.entry.get("place"), self.entry.get("state"), self.entry.get("mark")
        if mark and self.match is not None:
            return self._stretch(mark)
        if state == "open" and facts.open_at:
            return facts.open_at
        if state == "quote":
            column = facts.line.split("#")[0].rindex('"') + 1
            return replace(facts.span, column=column, end_column=len(facts.line.rstrip()) + 1)
        if facts.last and (at == "last" or self.entry.get("last")):
            return replace(facts.span, column=facts.last.start() + 1, end_column=facts.last.end() + 1)
        if at == "twins" and facts.last:
            return replace(facts.span, column=facts.last.start() + 1)
        return {"below": facts.below, "above": facts.above}.get(str(at), facts.span)


_CONDITIONS = (
    "state", "kind", "found", "before", "wants", "only", "last", "missing", "above", "under", "instead", "line",
    "joined", "twins", "capital", "known", "field",
)  # fmt: skip


def _in_a_text(line: str, at: int) -> bool:
    """Whether a place is between two quotes, where people write as they like."""
    return line.count('"', 0, max(at, 0)) % 2 == 1 and '"' in line[at:]


def _listed(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _entries() -> tuple[dict[str, Any], ...]:
    return tuple(known("mistakes"))
