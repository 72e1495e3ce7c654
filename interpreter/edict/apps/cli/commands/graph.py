"""The command `graph`, which prints the rules that affect each other as text, for Graphviz, or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import load_annotated_rules
from edict.apps.cli.shared_options import print_document, validate_format
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.cross_references import CrossReference, find_references, is_mention
from edict.prose.rulebook.definition_page import format_place, referrer_title
from edict.prose.rulebook.rule_search import NamedDefinition, collect_named_definitions, require_named
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
    """Print which rules affect which, of all rules or of the definitions named `about`; return 0."""
    validate_format(form, FORMATS)
    rules = load_annotated_rules(game, modules or ())
    rules, chosen = require_named(rules, about) if about else (remove_judgement(rules), [])
    shown = [touch for touch in find_references(rules) if _is_shown(touch, chosen)]
    if form == "text":
        print_lines(list(_text_lines(rules, shown, chosen)))
    elif form == "dot":
        print("\n".join(_dot_lines(rules, shown)))
    else:
        print_document("graph", **_graph_data(rules, shown))
    return 0


def _is_shown(touch: CrossReference, chosen: Sequence[NamedDefinition]) -> bool:
    """Return True if a reference concerns a chosen definition; without any chosen, if it is no mere mention."""
    if not chosen:
        return not is_mention(touch)
    return any(definition.name in (touch.who, touch.whom) for definition in chosen)


# --- for a reader ----------------------------------------------------------------------------------


def _text_lines(rules: AnnotatedRules, shown: Sequence[CrossReference], chosen: Sequence[NamedDefinition]) -> Lines:
    """Yield for each definition what affects it; for chosen ones also what they affect. Lines carry styles."""
    named = collect_named_definitions(rules)
    if not shown:
        yield "", "  nothing affects it, and it affects nothing" if chosen else "no rule affects another"
    if chosen:
        for definition in chosen:
            yield "bold", escape_terminal(f"{definition.title} ({definition.sort} {definition.name})")
            yield from _incoming_lines(rules, [touch for touch in shown if touch.whom == definition.name])
            yield from _outgoing_lines(rules, named, [touch for touch in shown if touch.who == definition.name])
        return
    for whom, group in groupby(
        sorted(shown, key=lambda item: (_sort(named, item.whom), item.whom)), key=lambda item: item.whom
    ):
        yield "bold", escape_terminal(f"{_title(named, whom)} ({_sort(named, whom)} {whom})")
        yield from _incoming_lines(rules, list(group))


def _incoming_lines(rules: AnnotatedRules, incoming: Sequence[CrossReference]) -> Lines:
    """Yield the references to a definition as text, grouped by how they affect it, with their places."""
    for way, group in groupby(incoming, key=lambda touch: touch.how):
        yield "", f"  {PASSIVE.get(way, way)}"
        for touch in _deduplicate(group):
            reference = f"  [{format_place(touch.span)}  {touch.module}]"
            yield (
                "",
                escape_terminal(
                    f"    {_describe_source(rules, touch)}{_format_part(touch)}{_format_words(touch)}{reference}"
                ),
            )


def _deduplicate(incoming: Iterator[CrossReference]) -> Iterator[CrossReference]:
    """Yield the first of several references with the same source, part and words."""
    seen: set[tuple[str, str, str]] = set()
    for touch in incoming:
        key = (touch.who, touch.part, touch.words)
        if key not in seen:
            seen.add(key)
            yield touch


def _outgoing_lines(
    rules: AnnotatedRules, named: dict[str, NamedDefinition], outgoing: Sequence[CrossReference]
) -> Lines:
    """Yield the references from a definition as text: how it affects which definition, and where."""
    if outgoing:
        yield "", "  touches"
    for touch in outgoing:
        target = f"{_title(named, touch.whom)} ({_sort(named, touch.whom)} {touch.whom}{_format_part(touch)})"
        yield (
            "",
            escape_terminal(
                f"    {touch.how} {target}{_format_words(touch)}  [{format_place(touch.span)}  {touch.module}]"
            ),
        )


def _describe_source(rules: AnnotatedRules, touch: CrossReference) -> str:
    """Return the title of the rule that a reference comes from; for `... by`, the module that affects."""
    if touch.how.endswith(" by"):
        return f"module {touch.who}"
    return referrer_title(rules, touch)


def _format_part(touch: CrossReference) -> str:
    return f", {touch.part}" if touch.part else ""


def _format_words(touch: CrossReference) -> str:
    return f": {touch.words}" if touch.words else ""


def _title(named: dict[str, NamedDefinition], name: str) -> str:
    """Return a definition's title; for a name that is no definition, the name itself."""
    return named[name].title if name in named else name


def _sort(named: dict[str, NamedDefinition], name: str) -> str:
    """Return a definition's keyword, such as `phase`; `module` for a name that is no definition."""
    return named[name].sort if name in named else "module"


# --- for Graphviz, and as data ---------------------------------------------------------------------


def _dot_lines(rules: AnnotatedRules, shown: Sequence[CrossReference]) -> Iterator[str]:
    """Yield a directed graph for Graphviz; titles are escaped."""
    named = collect_named_definitions(rules)
    yield "digraph rules {"
    yield '  rankdir="LR"; node [fontname="sans-serif" fontsize=11]; edge [fontname="sans-serif" fontsize=9];'
    for name in sorted({name for touch in shown for name in (touch.who, touch.whom)}):
        sort, node = _sort(named, name), CrossReference(name, "", "", shown[0].span, "")
        title = referrer_title(rules, node) if name in named else name
        shape = SHAPES.get(sort, "plaintext")
        yield f"  {_quote(name)} [label={_quote(f'{title} ({sort})')} shape={_quote(shape)}];"
    edges = dict.fromkeys((touch.who, touch.whom, touch.how, touch.part) for touch in shown)
    for source, target, way, part in edges:
        yield f"  {_quote(source)} -> {_quote(target)} [label={_quote(f'{way} {part}'.strip())}];"
    yield "}"


def _quote(text: str) -> str:
    """Return text as a quoted Graphviz string on one line."""
    return '"' + escape_terminal(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _graph_data(rules: AnnotatedRules, shown: Sequence[CrossReference]) -> dict[str, object]:
    """Return the shown references as JSON data: nodes by name, and edges with their place in the rules."""
    named = collect_named_definitions(rules)
    names = sorted({name for touch in shown for name in (touch.who, touch.whom)})
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
            for touch in shown
        ],
    }
