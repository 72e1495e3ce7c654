"""Syntax mistakes, told as diagnostics: what was written, what may stand there, what to do.

The parser says which token it could not use and which it could have used. `Facts` puts that in the words
people know; `grammar/mistakes.yaml` is the list of mistakes to compare the facts with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from edict import resources
from edict.front import limits
from edict.report import Diagnostic, did_you_mean
from edict.text import Source, Span

VALUE_WORDS = ("count", "faces", "first", "left", "right", "text", "total", "sum", "best", "least")
OPERATORS = {"+", "-", "*", "/", "mod", "=", "and", "or", "is", "where", "has"}
_JOINING = ("is", "as", "=", "of", "with", "to", "from", "by", "in", "making", "into", "within", "require")
_CLASSES = {"NAME": "name", "NUMBER": "number", "STRING": "text", "_NL": "line-end", "_INDENT": "deeper"}
_SIGNS = {"PLUS": "+", "MINUS": "-", "STAR": "*", "SLASH": "/", "EQUAL": "=", "COMPARE": "=", "COMMA": ","}
_SIGNS |= {"LPAR": "(", "RPAR": ")", "DOT": ".", "__ANON_0": "number-type"}
_SAID = {
    "name": "a name", "number": "a number", "text": "a text in quotes", "line-end": "the end of the line",
    "deeper": "an indented line", "number-type": "`number`",
}  # fmt: skip
_VALUES = {"name", "number", "(", "-", *VALUE_WORDS, "not", "every", "some", "during"}
_KINDS = {"NAME": "name", "NUMBER": "number", "STRING": "text", "_NL": "line-end", "$END": "line-end"}
_KINDS |= {"_INDENT": "deeper", "_DEDENT": "shallower"}


def page_limits(source: Source) -> list[Diagnostic]:
    """The first reason not to read a rule file at all, if there is one."""
    return limits.page_limits(source)


def explain_syntax(mistake: UnexpectedInput, source: Source, start: int, end: int) -> Diagnostic:
    """The first entry of `grammar/mistakes.yaml` that fits (the last fits all), told of the text from start to end."""
    facts = _facts(mistake, source, start, end)
    return facts.told(next(entry for entry in _entries() if facts.fit(entry)))


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
    near = [str(x) for x in levels if abs(x - lead) <= 4] or ["0"]
    return Diagnostic(
        "E0101",
        "this line is aligned with nothing above it",
        span,
        note=f"It begins after {lead} spaces; the lines above it begin after {', '.join(map(str, levels))}.",
        help=f"begin it after {' or '.join(near)} spaces",
    )


@dataclass(frozen=True)
class Facts:
    """What is known of a mistake, in the words of `grammar/mistakes.yaml`."""

    source: Source
    kind: str
    found: str
    span: Span
    below: Span
    line: str
    wants: frozenset[str]
    open_at: Span | None

    @cached_property
    def before(self) -> str:
        return self.line[: self.span.column - 1]

    @cached_property
    def last(self) -> re.Match[str] | None:
        """The word before the mistake, in its line."""
        return re.search(r"[A-Za-z0-9-]+(?=\s*$)", self.before)

    @cached_property
    def missing(self) -> str:
        """The one word that joins what is written, if such a word is missing."""
        if self.wants & {"name", "number", "line-end"}:
            return ""
        wants = self.wants - OPERATORS | self.wants & {"is", "="}
        wanted = ["number" if want == "number-type" else want for want in sorted(wants)]
        joining = [w for w in _JOINING if w in wanted]
        return joining[0] if joining else wanted[0] if len(wanted) == 1 and wanted[0] not in _SAID else ""

    def fit(self, entry: dict[str, Any]) -> bool:
        return all(getattr(self, "_is_" + key)(value) for key, value in entry.items() if key in _CONDITIONS)

    def _is_kind(self, value: Any) -> bool:
        return self.kind in _listed(value)

    def _is_found(self, value: Any) -> bool:
        return re.fullmatch(str(value), self.found) is not None

    def _is_before(self, value: Any) -> bool:
        return re.search(str(value), self.before) is not None

    def _is_wants(self, value: Any) -> bool:
        return bool(self.wants & set(_listed(value)))

    def _is_only(self, value: Any) -> bool:
        return bool(self.wants) and self.wants - {"text"} <= set(_listed(value)) | self._inner(value)

    def _inner(self, value: Any) -> set[str]:
        """Where a name and a `(` may stand, so may every word that begins a value."""
        return set(VALUE_WORDS) if "(" in _listed(value) else set()

    def _is_missing(self, _: Any) -> bool:
        return bool(self.missing) and self.kind != "character"

    def _is_state(self, value: Any) -> bool:
        if value == "quote":
            return self.line.split("#")[0].count('"') % 2 == 1 and '"' in self.line[self.span.column - 1 :] + self.found
        if value == "open":
            return self.open_at is not None and self.kind != "character"
        return not self.before.strip() and self.span.line > 0

    def _is_last(self, value: Any) -> bool:
        if self.last is None:
            return False
        if value == "keyword":
            return self.last[0] in VALUE_WORDS
        misspelt = did_you_mean(self.last[0], _statements()) and self.last[0] not in keywords()
        return bool(misspelt) and bool(self.before[: self.last.start()].strip()) and self.kind in ("number", "name")

    def told(self, entry: dict[str, Any]) -> Diagnostic:
        words = {
            "found": self.found, "want": self.missing, "last": self.last[0] if self.last else "",
            "wants": _short(self.wants), "near": self._near(entry), "what": self._what(),
        }  # fmt: skip
        said = {key: str(entry.get(key, "")).format(**words) for key in ("title", "note", "help")}
        note = "" if not words["wants"] and "{wants}" in entry.get("note", "") else said["note"]
        return Diagnostic(entry["code"], said["title"], self._place(entry), note=note, help=said["help"])

    def _near(self, entry: dict[str, Any]) -> str:
        word = self.last[0] if self.last and entry.get("last") else self.found
        near = did_you_mean(word, self.wants & keywords()) or did_you_mean(word, _statements())
        return near[:-1] + "? Otherwise " if near else ""

    def _what(self) -> str:
        return {"line-end": "the end of the line", "text": "this text"}.get(self.kind, f"`{self.found}`")

    def _place(self, entry: dict[str, Any]) -> Span:
        at, state = entry.get("place"), entry.get("state")
        if state == "open" and self.open_at:
            return self.open_at
        if state == "quote":
            column = self.line.split("#")[0].rindex('"') + 1
            return replace(self.span, column=column, end_column=len(self.line.rstrip()) + 1)
        if self.last and (at == "last" or entry.get("last")):
            return replace(self.span, column=self.last.start() + 1, end_column=self.last.end() + 1)
        return self.below if at == "below" else self._above() if at == "above" else self.span

    def _above(self) -> Span:
        """The written line at or before the mistake under which something is missing."""
        number = self.span.line if self.before.strip() else self.span.line - 1
        while number > 1 and not self.source.lines[number - 1].split("#")[0].strip():
            number -= 1
        text = self.source.lines[number - 1].split("#")[0].rstrip()
        return Span(self.span.file, number, len(text) - len(text.lstrip()) + 1, number, len(text) + 1)


_CONDITIONS = ("state", "kind", "found", "before", "wants", "only", "last", "missing")


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [str(value)]


def _facts(mistake: UnexpectedInput, source: Source, start: int, end: int) -> Facts:
    token = mistake.token if isinstance(mistake, UnexpectedToken) else None
    found = str(token) if token is not None else source.text[mistake.pos_in_stream or 0]
    kind = _kind(token)
    line, column = _written_place(mistake, source, token)
    width = 1 if kind in ("line-end", "deeper", "shallower") else max(len(found), 1)
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    below = getattr(token, "end_line", None) or line
    under = source.lines[below - 1] if below <= len(source.lines) else ""
    position = mistake.pos_in_stream if token is None or token.start_pos is None else token.start_pos
    return Facts(
        source, kind, found.strip() if kind != "line-end" else "the end of the line",
        Span(source.name, line, column, line, column + width),
        Span(source.name, below, 1, below, len(under) - len(under.lstrip()) + 1),
        text, _wanted(mistake), _open(source, start, end if position is None else position),
    )  # fmt: skip


def _written_place(mistake: UnexpectedInput, source: Source, token: Token | None) -> tuple[int, int]:
    """Line and column; the end of a piece is where its last written line ends."""
    if token is not None and token.type in ("$END", "_DEDENT", "_NL") or mistake.line < 1:
        line = min(max(mistake.line, 1), len(source.lines))
        while line > 1 and not source.lines[line - 1].split("#")[0].strip():
            line -= 1
        written = source.lines[line - 1].rstrip()
        return line, min(max(mistake.column, 1), len(written) + 1) if line == mistake.line else len(written) + 1
    return mistake.line, mistake.column


def _kind(token: Token | None) -> str:
    if token is None:
        return "character"
    return _KINDS.get(token.type) or ("word" if str(token)[:1].isalpha() else "sign")


def _wanted(mistake: UnexpectedInput) -> frozenset[str]:
    """What could have stood there: words, signs, and classes such as `name`."""
    accepts: Any = mistake.allowed if isinstance(mistake, UnexpectedCharacters) else mistake.accepts  # type: ignore[attr-defined]
    known = (_CLASSES.get(name) or _SIGNS.get(name) or name.lower() for name in accepts or ())
    return frozenset(word for word in known if not word.startswith(("_", "$")))


def _short(wants: frozenset[str]) -> str:
    """What could have stood there, told in at most four parts."""
    rest, parts = set(wants), list[str]()
    if {"gain", "let", "if"} <= rest:
        parts, rest = ["what is to be done (`gain`, `if`, `choose`, `let` ...)"], rest & {"when", "adjust", "option"}
    if "name" in rest and "(" in rest:
        parts, rest = [*parts, "a value"], rest - _VALUES
    if len(rest & OPERATORS) > 2:
        parts, rest = [*parts, "the rest of a value"], rest - OPERATORS - {")", "with"}
    classes = [said for word, said in _SAID.items() if word in rest]
    parts += [*classes, *(f"`{word}`" for word in sorted(rest - _SAID.keys()))]
    shown = parts[:4] if len(parts) <= 4 else [*parts[:3], "..."]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1] if shown else ""


def _open(source: Source, start: int, position: int) -> Span | None:
    """The innermost parenthesis open at a position and not closed in the rest of its line."""
    stop = source.text.find("\n", position)
    opened: list[int] = []
    for found in re.finditer(r'"[^"\n]*"|#[^\n]*|[()]', source.text[start : stop if stop >= 0 else None]):
        if found[0] == "(":
            opened.append(start + found.start())
        elif found[0] == ")" and opened:
            opened.pop()
    if not opened or opened[-1] > position:
        return None
    line = source.text.count("\n", 0, opened[-1]) + 1
    column = opened[-1] - source.text.rfind("\n", 0, opened[-1])
    return Span(source.name, line, column, line, column + 1)


@cache
def keywords() -> frozenset[str]:
    """Every word the grammar itself knows."""
    grammar = (resources.grammar() / "edict.lark").read_text(encoding="utf-8")
    return frozenset(re.findall(r'"([a-z]+)"', grammar))


@cache
def _statements() -> tuple[str, ...]:
    words = "gain lose let set add remove roll reroll draw show reveal announce trigger play do arrange shuffle choose"
    return tuple((words + " end nothing spend may if else each repeat adjust when shift except").split())


@cache
def _entries() -> tuple[dict[str, Any], ...]:
    from edict.front.written import read_yaml  # only those who make mistakes wait for YAML

    text = (resources.grammar() / "mistakes.yaml").read_text(encoding="utf-8")
    written = read_yaml(Source("mistakes.yaml", text)).unwrap()
    return tuple(written.data["mistakes"])
