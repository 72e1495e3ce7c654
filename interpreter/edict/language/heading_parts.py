"""The parts of a first line, each put into its place by itself: titles, types, ranges, what is given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from edict.language import tree as t
from edict.language.facts import Facts
from edict.text import NUMBERS
from edict.language.sorts import a

RESTS = {
    "resource": "may|limited", "group": "is", "die": "with", "kind": "", "keep": "of|in|for|by|as", "phase": "",
    "quantity": "of|in|for|by|is", "value": "of|in|for|by|is", "moment": "with", "routine": "with", "action": "",
    "setting": "is", "game": "",
}  # fmt: skip
"""What may come after the name and the title, by the word a definition begins with."""

WHOSE = r"(?:\s+(?:of|by|in|for|called)\s+[\w-]+)*"
_STARTS = (
    r"(?:,?\s*(?:=|:=|\(?(?:starting|starts|initially|initial|default|beginning|begins|start)"
    r"(?:\s+(?:at|with|from|is|value))?))\s*"
)
_EQUALS = r"\s*(?::?=|:|\b(?:equals|equal\s+to|be|as|to|starting\s+at|starts\s+at|defaults?\s+to|default)\b)\s*"
_RANGE = re.compile(
    r",?\s*[(\[]?\s*(?:in|from|between|min(?:imum)?|range)?\s*(?P<a>-?\d+)\s*"
    r"(?:-|\.\.+|–|,?\s*(?:to|and|max(?:imum)?|,)\s*)\s*(?P<b>\d+)\s*[)\]]?"
)


@dataclass
class Heading:
    """A first line on its way into the form the language has for it, and what had to be changed."""

    facts: Facts
    word: str
    name: str
    title: str
    rest: str
    why: list[str] = field(default_factory=list)
    besides: str = ""
    amends: bool = False

    def changed(self, reason: str) -> None:
        self.why.append(reason)

    def becomes(self, rest: str, reason: str) -> None:
        """Another rest, for a reason, if it is another."""
        if rest != self.rest:
            self.rest = rest
            self.changed(reason)

    @property
    def kind(self) -> str:
        """The word the definition begins with, without `lasting`."""
        return self.word.split()[-1]

    @property
    def text(self) -> str:
        """The line as it is meant: it amends what another module declares."""
        there = self.facts.declared.definitions.get(self.name)
        other = there is not None and there.name.span.file != self.facts.source.name
        parts = ("amend" if other or self.amends else "", self.word, self.name, self.title, self.rest.strip())
        return " ".join(part for part in parts if part)


def _titled(one: Heading) -> None:
    """Words between the name and the rest are the title, which stands in quotes."""
    quoted = re.match(r"""\s*,?\s*(?:"([^"]*)"|'([^']*)')(?:\s*(?:,|/|and|or)?\s*"([^"]*)")?""", one.rest)
    if quoted:
        one.title = f'"{quoted[1] or quoted[2]}{"/" + quoted[3] if quoted[3] else ""}"'
        one.rest = one.rest[quoted.end() :]
        if quoted[3]:
            one.changed("a title is one text, with a slash between one and many")
        return
    later = re.fullmatch(r"""(\s+[^"]*?)\s*("[^"]+")(?=\s|,|\Z)([^"]*)""", one.rest)
    if later and not re.search(r"(?:\b(?:at|is|be|with|to)|[=:])\Z", later[1]):
        one.title, one.rest = later[2], later[1] + later[3]
        one.changed("a title comes right after the name")
        return
    stops = RESTS[one.kind] or r"(?!)"
    word = rf"(?!(?:{stops})\b)[A-Za-z][\w'-]*+"
    words = re.match(rf"\s+(?P<title>{word}(?:\s+{word})*+)\s*(?=\Z|\b(?:{stops})\b)", one.rest)
    if words and words["title"][0].isupper() and words["title"] != words["title"].upper():
        one.title, one.rest = f'"{words["title"].strip()}"', one.rest[words.end() :]
        one.changed("a title goes in quotes")


def _given(one: Heading) -> None:
    """What routines and moments are given, and what a quantity is of."""
    found = re.match(
        r"\s*(?:\((?P<args>[^()]*)\)|(?:taking|takes|given|using|for|of)\s+(?P<more>[\w, ]+)|"
        r"(?P<bare>[A-Za-z][\w, -]+)\Z)",
        one.rest,
    )
    if found and found["bare"] and not _is_kind(one.facts, found["bare"].split()[0]):
        return
    if found is None or one.word not in ("routine", "moment", *(("quantity", "value") if found["args"] else ())):
        return
    texts = re.split(r",|\band\b", found["args"] or found["more"] or found["bare"] or "")
    args = [_argument(one.facts, text) for text in texts if text.strip()]
    joint, word = (" and ", "with") if one.word in ("routine", "moment") else (" by ", "of")
    one.rest = f" {word} {joint.join(args)}" * bool(args) + one.rest[found.end() :]
    one.changed(f"what {a(one.word)} is given comes after `{word}`" if args else "no parentheses are needed here")


def _is_kind(facts: Facts, word: str) -> bool:
    return word in ("player", "number") or facts.declared.fits(word, ["kind"])


def _argument(facts: Facts, text: str) -> str:
    words = re.findall(r"[A-Za-z][\w-]*", text)
    kinds = [word for word in words if _is_kind(facts, word)]
    names = [word for word in words if word not in kinds and word not in ("called", "named", "as", "a", "an", "each")]
    kind = kinds[0] if kinds else "number"
    return f"{kind} called {names[0]}" if names else kind


def _valued(one: Heading) -> None:
    """What a quantity, value or setting is."""
    if one.word not in ("quantity", "value", "setting") or re.search(r"(?<![\w-])is(?![\w-])\s*[^=\s]", one.rest):
        return
    rest = re.sub(rf"^({WHOSE})\s*(?:is\s*)?{_EQUALS}", r"\1 is ", one.rest, count=1)
    one.becomes(rest, f"the value of {a(one.word)} comes after `is`")


def _joined(one: Heading) -> None:
    """The members of a group."""
    found = re.fullmatch(r"\s*(?::|=|\b(?:of|are|contains|has|with|is)\b)\s*([\w-].*)", one.rest)
    if one.word == "group" and found:
        members = ", ".join(re.split(r"\s*(?:,|/|\+|&|\bor\b|\band\b)\s*", found[1].strip()))
        one.becomes(f" is {members}", "the members of a group come after `is`, with commas between them")


def _conditional(one: Heading) -> None:
    """A quantity that is something else under a condition."""
    found = re.fullmatch(
        rf"({WHOSE}\s+is\s+)(\d+)\s+(?P<if>if|when|where|in|during)\s+(?P<then>.+?)(?:,?\s*(?:otherwise|else)\s+(?P<else>\d+))?",
        one.rest.rstrip(),
    )  # fmt: skip
    if one.word == "quantity" and found:
        condition = f"during {found['then']}" if found["if"] in ("in", "during") else found["then"]
        usual = found["else"] or "0"
        one.becomes(f"{_params(one)}{found[1]}{usual}", "what a quantity comes to under a condition is adjusted")
        one.besides = f", and `adjust {one.name} by {int(found[2]) - int(usual)} if {condition}` in a line of its own"


def _capped(one: Heading) -> None:
    """The most or the fewest that a quantity comes to."""
    most = r"(.*\sis\s.*?\S),?\s+(?P<max>max(?:imum)?|min(?:imum)?|up to|capped at)\s*:?\s*(\d+)"
    found = re.fullmatch(most, one.rest.rstrip())
    bounds = re.fullmatch(rf"(.*\sis\s.*?\S)(?P<range>,\s*{_RANGE.pattern.removeprefix(',?')})", one.rest.rstrip())
    if one.word == "quantity" and bounds:
        rest = f"{_params(one)}{bounds[1]}, at least {bounds['a']}, at most {bounds['b']}"
        one.becomes(rest, "how far a quantity goes comes last, after `, at least` and `, at most`")
    elif one.word == "quantity" and found:
        bound = "at least" if found["max"].startswith("min") else "at most"
        rest = f"{_params(one)}{found[1]}, {bound} {found[3]}"
        one.becomes(rest, f"how far a quantity goes comes last, after `, {bound}`")


def _bounded(one: Heading) -> None:
    """How far a quantity goes, said before what it is."""
    bound = r"(?P<bound>at\s+(?:least|most)\s+-?\d+)"
    found = re.fullmatch(rf"(?P<a>{WHOSE})\s*,?\s*{bound}\s*,?(?P<b>{WHOSE}\s+is\s+\S.*)", one.rest.rstrip())
    if one.word == "quantity" and found:
        one.becomes(f"{found['a']}{found['b']}, {found['bound']}", "how far a quantity goes comes last, after a comma")


def _params(one: Heading) -> str:
    """What the quantity is of that is amended, where the line does not say so."""
    there = one.facts.declared.definitions.get(one.name)
    params = there.params if isinstance(there, t.Quantity) and not re.match(r"\s+(?:of|by|in|for)\b", one.rest) else ()
    return "".join(f" {joint} {param.kind.word}" for joint, param in zip(("of", "in"), params, strict=False))


def _switched(one: Heading) -> None:
    """A setting that is on or off, or a number, without `is` before it."""
    first = r"(?:\s*(?:is|=|starting at)\s*(?P<n>\d+))?"
    range_ = re.fullmatch(rf"\s*(?:is\s+)?(?P<range>{_RANGE.pattern}){first}", one.rest)
    if one.word == "setting" and range_ and not re.fullmatch(r"\s*is\s+\d+\s+from.*", one.rest):
        written = f" is {range_['n'] or range_['a']} from {range_['a']} to {range_['b']}"
        one.becomes(written, "a setting first has a value, and then a range")
        return
    found = re.fullmatch(r"\s*(?:is\s+|=\s*|:\s*)?(yes|true|enabled|no|false|disabled|on|off|\d+)", one.rest)
    if one.word == "setting" and found:
        said = "on" if found[1] in ("yes", "true", "enabled") else found[1]
        said = "off" if said in ("no", "false", "disabled") else said
        one.becomes(f" is {said}", "a setting is `on`, `off` or a number, after `is`")


def _untyped(one: Heading) -> None:
    """What nothing says of such a definition: the type of a value, or another that a kind comes from."""
    if one.word in ("value", "quantity"):
        rest = re.sub(r"\s+(?:as|:)\s+(?:a\s+)?(?:truth|number|set\s+of\s+[\w-]+|[a-z]+)(?=\s+is\b)", "", one.rest)
        one.becomes(rest, f"the type of {a(one.word)} follows from what it is")
    if one.word == "kind":
        rest = re.sub(r"^\s+(?:extends|inherits(?:\s+from)?|from|of|isa|like)\s+[\w-]+\s*$", "", one.rest)
        one.becomes(rest, "a kind does not build on another; it says all its fields itself")


def _ranged(one: Heading) -> None:
    """A setting with a range, or a keep with one."""
    after = {"setting": r"is\s+\d+", "keep": r"number"}.get(one.kind)
    found = re.search(rf"(?<![\w-])(?P<head>{after})(?P<range>{_RANGE.pattern})", one.rest) if after else None
    if found and found["range"].strip() != f"from {found['a']} to {found['b']}":
        written = f"{found['head']} from {found['a']} to {found['b']}"
        one.rest = one.rest[: found.start()] + written + one.rest[found.end() :]
        one.changed(f"a range is written `from {found['a']} to {found['b']}`")


def _kept(one: Heading) -> None:
    """For whom a keep is."""
    if one.kind == "keep":
        rest = re.sub(r"^\s*(?:per|for\s+each|for\s+every|of\s+each|of\s+every)\s+([\w-]+)", r" of \1", one.rest)
        one.becomes(rest, "whom a keep is for comes after `of`")


def _typed(one: Heading) -> None:
    """The type of a keep; a number, if nothing but what it begins with is said."""
    if one.kind != "keep" or re.search(r"(?<![\w-])as(?![\w-])", one.rest):
        return
    range_ = r"from\s+\d|-?\d+\s*(?:to|-|\.\.)\s*\d"
    rest = re.sub(rf"^({WHOSE})\s*(?::|\bis\b)?\s+(?={range_})", r"\1 as number ", one.rest)
    rest = re.sub(rf"^({WHOSE})\s*(?::|\bis\b)\s*(?=[a-z])", r"\1 as ", rest)
    rest = re.sub(rf"^({WHOSE})\s+((?:number|truth|set|order|bag|dice)\b|\Z)", r"\1 as \2", rest)
    alone = re.fullmatch(rf"({WHOSE}){_STARTS}(-?\d+)|({WHOSE})", rest)
    if alone:
        start = f" starting at {alone[2]}" if alone[2] else ""
        rest = f"{alone[1] or alone[3] or ''} as number{start}"
    one.becomes(rest, "the type of a keep comes after `as`")


def _begun(one: Heading) -> None:
    """What a keep begins with."""
    if one.kind == "keep" and not re.search(r"\bstarting\s+at\b", one.rest):
        rest = re.sub(rf"(\bas\s+.*?\w)\s*{_STARTS}([^()]+?)\)?$", r"\1 starting at \2", one.rest)
        one.becomes(rest, "what a keep begins with comes after `starting at`")


def _sided(one: Heading) -> None:
    if one.word != "die":
        return
    text = f"{one.name}{one.title}{one.rest}".casefold()
    listed = re.findall(r"\d+", one.rest) if "," in one.rest else []
    digits = re.search(rf"\b{max(listed, key=int)}\b" if listed else r"\d+", text)
    said = "|".join(rf"\b{word}\b" for word in NUMBERS[2:])
    number = digits or re.search(said, text.replace("-", " "))
    sides = number[0] if number and number[0].isdecimal() else str(NUMBERS.index(number[0])) if number else "6"
    if one.rest.strip() != f"with {sides} sides":
        if "side" in one.title or re.search(r"\bd\d+\b", one.title):
            one.title = ""
        one.rest = f" with {sides} sides"
        one.why.insert(0, f"how many sides a die has is written `with {sides} sides`")


def _counted(one: Heading) -> None:
    """What a resource begins with is no part of it; how much there is of it may be."""
    if one.word != "resource":
        return
    most = re.match(r"\s*,?\s*\(?(?:max(?:imum)?|at most|up to|limit(?:ed to)?)\s*:?\s*(?P<n>\d+)\)?\Z", one.rest)
    start = re.match(rf"\s*{_STARTS}(?P<n>\d+)\)?\Z", one.rest)
    if most and not one.rest.startswith(" limited to "):
        one.rest = f" limited to {most['n']}"
        one.changed("how much there is of a resource comes after `limited to`")
    elif start:
        one.rest = ""
        one.changed("a resource begins at 0 for every player")
        one.besides = f"; to begin with more, let each player `gain {start['n']} {one.name}` where the game begins"


STEPS: tuple[Callable[[Heading], None], ...] = (
    _titled, _given, _kept, _typed, _begun, _joined, _switched, _untyped, _valued, _conditional, _bounded, _capped,
    _ranged, _sided, _counted,
)  # fmt: skip
