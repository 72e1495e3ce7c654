"""`graph`: which rules affect which, for a reader, for Graphviz, or as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.option_values import checked_form, print_json
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import found_in, known
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.cross_references import CrossReference, find_references, is_mention
from edict.prose.rulebook.definition_page import format_place, referrer_title
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.rule_search import NamedDefinition, collect_named
from edict.support.rendering import escape_terminal

FORMATS = ("text", "dot", "json")
PASSIVE = {
    "adjusts": "adjusted by",
    "happens at": "what happens then",
    "shifts": "totals changed by",
    "excepts": "exceptions",
    "replaces": "replaced by",
    "plays": "played in",
    "does": "done by",
    "triggers": "brought about by",
    "changes": "changed in",
    "reveals": "revealed in",
    "reads": "mentioned in",
}
SHAPES = {
    "quantity": "ellipse",
    "action": "box",
    "phase": "box",
    "moment": "diamond",
    "routine": "box",
    "module": "folder",
}
Lines = Iterator[tuple[str, str]]

ThingIfAny = Annotated[
    str,
    typer.Argument(metavar="[THING]", autocompletion=o.thing_names, help="A thing or rule [default: all]."),
]
GraphFormat = Annotated[str, typer.Option("--format", metavar="text|dot|json", help="Output format.")]


def graph(about: ThingIfAny = "", game: o.Game = "", modules: o.Modules = None, form: GraphFormat = "text") -> int:
    """Tell who touches whom: of all rules, or of what is called so."""
    checked_form(form, FORMATS)
    rules = known(game, modules or ())
    rules, chosen = found_in(rules, about) if about else (remove_judgement(rules), [])
    found = [touch for touch in find_references(rules) if _belongs(touch, chosen)]
    if form == "text":
        print_lines(list(_text(rules, found, chosen)))
    elif form == "dot":
        print("\n".join(_dot(rules, found)))
    else:
        print_json(_data(rules, found))
    return 0


def _belongs(touch: CrossReference, chosen: Sequence[NamedDefinition]) -> bool:
    """The whole picture leaves out what only speaks of something; that of one thing does not."""
    if not chosen:
        return not is_mention(touch)
    return any(one.name in (touch.who, touch.whom) for one in chosen)


# --- for a reader ----------------------------------------------------------------------------------


def _text(rules: AnnotatedRules, found: Sequence[CrossReference], chosen: Sequence[NamedDefinition]) -> Lines:
    named = collect_named(rules)
    if not found:
        yield "", "  nothing affects it, and it affects nothing" if chosen else "no rule affects another"
    if chosen:
        for one in chosen:
            yield "bold", escape_terminal(f"{one.title} ({one.sort} {one.name})")
            yield from _group(rules, [touch for touch in found if touch.whom == one.name])
            yield from _outwards(rules, named, [touch for touch in found if touch.who == one.name])
        return
    for whom, some in groupby(sorted(found, key=lambda x: (_sort(named, x.whom), x.whom)), key=lambda x: x.whom):
        yield "bold", escape_terminal(f"{_title(named, whom)} ({_sort(named, whom)} {whom})")
        yield from _group(rules, list(some))


def _group(rules: AnnotatedRules, found: Sequence[CrossReference]) -> Lines:
    """Who touches it, way by way."""
    for how, some in groupby(found, key=lambda touch: touch.how):
        yield "", f"  {PASSIVE.get(how, how)}"
        for touch in _once(some):
            sign = f"  [{format_place(touch.span)}  {touch.module}]"
            yield "", escape_terminal(f"    {_who(rules, touch)}{_part(touch)}{_words(touch)}{sign}")


def _once(some: Iterator[CrossReference]) -> Iterator[CrossReference]:
    """Of several mentions by the same one, the first."""
    seen: set[tuple[str, str, str]] = set()
    for touch in some:
        key = (touch.who, touch.part, touch.words)
        if key not in seen:
            seen.add(key)
            yield touch


def _outwards(rules: AnnotatedRules, named: dict[str, NamedDefinition], found: Sequence[CrossReference]) -> Lines:
    """Whom it touches."""
    if found:
        yield "", "  touches"
    for touch in found:
        whom = f"{_title(named, touch.whom)} ({_sort(named, touch.whom)} {touch.whom}{_part(touch)})"
        yield (
            "",
            escape_terminal(f"    {touch.how} {whom}{_words(touch)}  [{format_place(touch.span)}  {touch.module}]"),
        )


def _who(rules: AnnotatedRules, touch: CrossReference) -> str:
    return f"module {touch.who}" if touch.how.endswith(" by") else referrer_title(rules, touch)


def _part(touch: CrossReference) -> str:
    return f", {touch.part}" if touch.part else ""


def _words(touch: CrossReference) -> str:
    return f": {touch.words}" if touch.words else ""


def _title(named: dict[str, NamedDefinition], name: str) -> str:
    return named[name].title if name in named else name


def _sort(named: dict[str, NamedDefinition], name: str) -> str:
    return named[name].sort if name in named else "module"


# --- for Graphviz, and as data ---------------------------------------------------------------------


def _dot(rules: AnnotatedRules, found: Sequence[CrossReference]) -> Iterator[str]:
    """A directed graph; whatever stands in titles is escaped."""
    named = collect_named(rules)
    yield "digraph rules {"
    yield '  rankdir="LR"; node [fontname="sans-serif" fontsize=11]; edge [fontname="sans-serif" fontsize=9];'
    for name in sorted({name for touch in found for name in (touch.who, touch.whom)}):
        sort, node = _sort(named, name), CrossReference(name, "", "", found[0].span, "")
        title = referrer_title(rules, node) if name in named else name
        shape = SHAPES.get(sort, "plaintext")
        yield f"  {_quoted(name)} [label={_quoted(f'{title} ({sort})')} shape={_quoted(shape)}];"
    edges = dict.fromkeys((touch.who, touch.whom, touch.how, touch.part) for touch in found)
    for one, other, how, part in edges:
        yield f"  {_quoted(one)} -> {_quoted(other)} [label={_quoted(f'{how} {part}'.strip())}];"
    yield "}"


def _quoted(text: str) -> str:
    return '"' + escape_terminal(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _data(rules: AnnotatedRules, found: Sequence[CrossReference]) -> dict[str, object]:
    named = collect_named(rules)
    names = sorted({name for touch in found for name in (touch.who, touch.whom)})
    return {
        "nodes": [{"name": name, "title": _title(named, name), "sort": _sort(named, name)} for name in names],
        "edges": [
            {
                "from": touch.who,
                "how": touch.how,
                "to": touch.whom,
                "part": touch.part,
                "words": touch.words,
                "at": format_place(touch.span),
                "module": touch.module,
            }
            for touch in found
        ],
    }
