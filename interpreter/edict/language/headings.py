"""First lines of definitions as people write them who know other languages, or none: how each is written here.

A first line is a word for what is declared, a name, perhaps a title, and a rest that says more. Each part is put into
its place by itself, so that mistakes may come together; whether the line then makes sense is for others to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from edict.language import tree as t
from edict.language.facts import Facts
from edict.language.grammar import openings
from edict.language.lists import known
from edict.language.mistakes import LONGEST_LOOKED_AT
from edict.language.declaring import as_keep
from edict.language.heading_parts import RESTS, STEPS, WHOSE, Heading
from edict.language.sorts import a

ANOTHER_ORDER = "the parts of a keep are in another order"
_TYPES = ("number", "truth", "dice")
_HEAD = re.compile(r"(?P<amend>amend\s+)?(?P<lasting>lasting\s+)?(?P<word>[A-Za-z][\w-]*)\s+(?P<rest>\S.*)\Z")
_TYPED = re.compile(r"(?P<name>[A-Za-z][\w-]*)\s*:\s*(?P<type>[A-Za-z][\w ]*?)\s*(?:=\s*(?P<start>\S.*))?\Z")
_NAMED = re.compile(r"(?P<name>[A-Za-z][\w'-]*)(?P<rest>.*)\Z")
_CLAUSE = re.compile(r"""(?<=\s)(?:"[^"]*"|(?:to|if|over|beside)\b(?![-.]))""")
_IN_ORDER = ('"', "to", "if", "over", "beside")  # the clauses of an exception


def headings(facts: Facts, line: str) -> Iterator[tuple[str, str, str]]:
    """A first line as it may be meant, what is wrong with the one that is there, and what else is to be written.

    Nothing, if it is none.
    """
    said = line.split("#")[0].rstrip()
    if not said or said[0].isspace() or len(said) > LONGEST_LOOKED_AT:
        return
    typed = _TYPED.match(said)
    if typed and typed["name"] not in openings():
        start = f" starting at {typed['start']}" if typed["start"] else ""
        yield f"keep {typed['name']} as {typed['type']}{start}", "what the table remembers is declared with `keep`", ""
    yield from _in_lines(facts, said)
    yield from _excepting(said)
    one = _parsed(facts, said.rstrip(" :{;"))
    if one is None:
        return
    for step in STEPS:
        step(one)
    if one.text != said and one.why:
        yield one.text, one.why[0], one.besides
    elif one.text != said:
        yield one.text, f"the name comes right after `{one.kind}`", one.besides
    if one.word in ("keep", "lasting keep"):
        yield from (
            (f"{'amend ' * one.amends}{text}", ANOTHER_ORDER, "")
            for text in as_keep(said, facts.declared)
        )


def _in_lines(facts: Facts, said: str) -> Iterator[tuple[str, str, str]]:
    """The fields of a thing that stand in its first line, in lines of their own."""
    head = re.match(r"""(?:(?:amend|rewrite)\s+)?(?P<kind>[\w-]+)\s+[\w-]+(?:\s+"[^"]*")?(?=\s|[:,])""", said)
    kind = facts.declared.definitions.get(head["kind"]) if head else None
    if head is None or not isinstance(kind, t.Kind):
        return
    names = "|".join(re.escape(field.name.word) for field in kind.fields)
    found = re.finditer(rf"(?<![\w-])(?:{names})(?=\s+[^\s,])", said)
    starts = [match.start() for match in found if match.start() >= head.end()]
    if names and starts and not said[head.end() : starts[0]].strip(" :,;({"):
        fields = [said[a:b].strip(" ,;)}") for a, b in pairwise([*starts, len(said)])]
        yield "\n  ".join([head[0], *fields]), "each field of a thing is a line of its own, under the first", ""


def _excepting(said: str) -> Iterator[tuple[str, str, str]]:
    """The clauses of an exception in the order in which they are written."""
    starts = [match.start() for match in _CLAUSE.finditer(said)]
    clauses = [said[a:b].strip(" ,") for a, b in pairwise([*starts, len(said)])]
    heads = [clause[0] if clause[0] == '"' else clause.split()[0] for clause in clauses]
    if said.split()[0] == "exception" and "to" in heads and len(set(heads)) == len(heads):
        text = " ".join([said[: starts[0]].rstrip(" ,"), *sorted(clauses, key=_place)])
        yield text, "the parts of an exception are in another order", ""


def _place(clause: str) -> int:
    return _IN_ORDER.index(clause[0] if clause[0] == '"' else clause.split()[0])


def head_meant(word: str) -> str:
    """The word of the language that is meant by another at the beginning of a definition, or nothing."""
    return next((head for head, said in known("heads").items() if word.casefold() in said.split()), "")


def _parsed(facts: Facts, line: str) -> Heading | None:
    """The parts of a first line, its title already in quotes."""
    found = _HEAD.match(re.sub(r"^([\w-]+ )(?:of|called|named|the)\s+(?=[a-z])", r"\1", line))
    if found is None:
        return None
    word = found["word"].casefold()
    meant = word if word in RESTS else head_meant(word)
    named = _NAMED.match(found["rest"])
    if not meant or named is None:
        return None
    one = Heading(facts, (found["lasting"] or "") + meant, named["name"], "", named["rest"])
    one.amends = bool(found["amend"])
    swapped = re.match(r"\s+([A-Za-z][\w-]*)(.*)\Z", named["rest"])
    if meant == "keep" and named["name"] in _TYPES and swapped and swapped[1] not in ("of", "as", "by", "in", "for"):
        whose = re.match(WHOSE, swapped[2])
        at = whose.end() if whose else 0
        one.name, one.rest = swapped[1], f"{swapped[2][:at]} as {named['name']}{swapped[2][at:]}"
        one.changed("the type of a keep comes after `as`")
    if meant != found["word"]:
        one.changed(f"{a(meant)} is declared with `{meant}`")
    return one
