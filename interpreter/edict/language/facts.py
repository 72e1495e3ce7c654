"""What is known of a syntax mistake: where it is, what stands there and around it, and what could have stood there.

The parser says which token it could not use and which it could have used; here that is put into words people know.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from edict import resources
from edict.language import tree as t
from edict.language.declared import NOTHING, Declared
from edict.text import Source, Span

VALUE_WORDS = ("count", "faces", "first", "last", "left", "right", "text", "total", "sum", "best", "least")
CONDITION_WORDS = ("not", "every", "some", "during", "can")
OPERATORS = {"+", "-", "*", "/", "mod", "=", "and", "or", "is", "where", "has"}
_JOINING = ("is", "as", "=", "of", "with", "to", "from", "by", "in", "making", "into", "within", "require")
_CLASSES = {"NAME": "name", "NUMBER": "number", "STRING": "text", "_NL": "line-end", "_INDENT": "deeper"}
_SIGNS = {"PLUS": "+", "MINUS": "-", "STAR": "*", "SLASH": "/", "EQUAL": "=", "COMPARE": "=", "COMMA": ","}
_SIGNS |= {"LPAR": "(", "RPAR": ")", "DOT": ".", "__ANON_0": "number-type"}
_SAID = {
    "name": "a name", "number": "a number", "text": "a text in quotes", "line-end": "the end of the line",
    "deeper": "an indented line", "number-type": "`number`",
}  # fmt: skip
_VALUES = {"name", "number", "(", "-", *VALUE_WORDS, *CONDITION_WORDS}
_KINDS = {"NAME": "name", "NUMBER": "number", "STRING": "text", "_NL": "line-end", "$END": "line-end"}
_WORD = re.compile(r"[A-Za-z][\w'-]*")
MOST_JOINED = 4  # words that may be one name
_KINDS |= {"_INDENT": "deeper", "_DEDENT": "shallower"}


@dataclass(frozen=True)
class Facts:
    """What is known of a mistake; `declared` are the words of the rules that could be read."""

    source: Source
    kind: str
    found: str
    span: Span
    below: Span
    line: str
    wants: frozenset[str]
    open_at: Span | None
    declared: Declared = NOTHING

    @cached_property
    def before(self) -> str:
        return self.line[: self.span.column - 1]

    @cached_property
    def written(self) -> str:
        """The line without its remark."""
        return _without_remark(self.line)

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

    @cached_property
    def joined(self) -> re.Match[str] | None:
        """Words side by side, around the mistake, that are one name if they are joined; the longest such stretch."""
        at = self.span.column - 1
        words = list(_WORD.finditer(self.written))
        for size in range(MOST_JOINED, 1, -1):
            for some in (words[i : i + size] for i in range(len(words) - size + 1)):
                start, end = some[0].start(), some[-1].end()
                text = self.written[start:end]
                near = start <= at <= end and re.fullmatch(r"[\w' -]+", text)
                if near and self.declared.meant("-".join(text.split())):
                    return re.compile(r"(?P<name>.*)").match(self.written, start, end)
        return None

    @cached_property
    def sibling(self) -> str:
        """The nearest written line above that begins where this one begins."""
        return self._upper(lambda lead, own: lead == own)

    @cached_property
    def parent(self) -> str:
        """The nearest written line above that this one is indented under."""
        return self._upper(lambda lead, own: lead < own)

    def _upper(self, wanted: Callable[[int, int], bool]) -> str:
        lines = self.source.lines[: self.span.line - 1]
        own = indent(self.line)
        for line in reversed(lines):
            if _without_remark(line).strip():
                if wanted(indent(line), own):
                    return line
                if indent(line) < own or not indent(line):
                    return ""
        return ""

    @cached_property
    def head(self) -> Span:
        """The line at the left edge to which the mistake belongs."""
        lines = self.source.lines[: self.span.line]
        number = next((n for n in range(len(lines), 0, -1) if lines[n - 1][:1].strip(" \t#")), self.span.line)
        return Span(self.span.file, number, 1, number, len(self.source.lines[number - 1]) + 1)

    @property
    def whom(self) -> str:
        """The player who comes with the moment that a step waits for, if the step stands right below its line."""
        waits = re.match(r"(?:\s*if\b|\s*when\s)", self.parent)
        moment = re.match(r"\s*when\s+([\w-]+)", self.source.lines[self.head.line - 1])
        definition = self.declared.definitions.get(moment[1]) if waits and moment else None
        params = definition.params if isinstance(definition, t.Moment) else ()
        return next((p.name.word for p in params if p.kind.word == "player"), "")

    @cached_property
    def above(self) -> Span:
        """The written line at or before the mistake under which something is missing."""
        number = self.span.line if self.before.strip() else self.span.line - 1
        while number > 1 and not _without_remark(self.source.lines[number - 1]).strip():
            number -= 1
        text = _without_remark(self.source.lines[number - 1]).rstrip()
        return Span(self.span.file, number, indent(text) + 1, number, len(text) + 1)


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without_remark(line: str) -> str:
    found = re.match(r'(?:"[^"]*"|[^#"]|"(?=[^"]*$))*', line)
    return found[0] if found else line


def facts_of(mistake: UnexpectedInput, source: Source, start: int, end: int, declared: Declared) -> Facts:
    """What is known of a mistake in the stretch from start to end of a text."""
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
        text, _wanted(mistake), _open(source, start, end if position is None else position), declared,
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


def short(wants: frozenset[str]) -> str:
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
def statements() -> tuple[str, ...]:
    """The words that begin a step or an ability."""
    words = "gain lose let set add remove roll reroll draw show reveal announce trigger play do arrange shuffle choose"
    return tuple((words + " end nothing spend may if else each repeat adjust when shift except").split())
