"""Diagnostics of definitions that conflict, each with both places and the ways out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.layering.amendments import sort_of
from edict.compiler.sources.folders import Module
from edict.compiler.syntax import tree as t
from edict.support.morphology import add_indefinite_article, quote_words
from edict.support.report import Diagnostic, Edit, Label, RuleReading
from edict.support.text import NOWHERE, Span

ModulePlace = tuple[str, Span]  # a module's name, and the span of its declaration or change


def declared_twice_diagnostic(new: t.Definition, old: t.Definition) -> Diagnostic:
    """Return the diagnostic for a name that a module declares twice."""
    return Diagnostic(
        "E0171",
        f"`{new.name.word}` is declared twice",
        new.name.span,
        labels=_declaration_label(old),
        help="give one of them another name, or delete one",
    )


def name_exists_diagnostic(
    new: t.Definition, old: t.Definition, owner: str, module: Module, beside: bool
) -> Diagnostic:
    """Return the diagnostic for a name that another module declares already.

    Args:
        new: The second definition.
        old: The first definition.
        owner: The module of the first.
        module: The module of the second.
        beside: True if neither module is laid over the other.
    """
    name, sort = new.name.word, sort_of(new)
    is_standalone = isinstance(new, t.Standalone)
    if beside and sort != sort_of(old):
        remedy = "give one of them another name"
    elif beside:
        over = _describe_over(module.name, owner)
        remedy = f"give one of them another name; if `{module.name}` means to change it, {over}"
        remedy += "" if is_standalone else f" and `amend {sort} {name}`"
    elif is_standalone or sort != sort_of(old):
        remedy = f"choose another name, or write `remove {sort_of(old)} {name}` too"
    else:
        remedy = f"write `amend {sort} {name}` to change it, or give this one another name"
    title = f"`{name}` already exists in `{owner}`"
    edits = () if beside or is_standalone or sort != sort_of(old) else (Edit(_start_of(new.span), "amend "),)
    return Diagnostic("E0170", title, new.name.span, labels=_declaration_label(old), help=remedy, edits=edits)


def _start_of(span: Span) -> Span:
    return replace(span, end_line=span.line, end_column=span.column)


def wrong_sort_diagnostic(
    old: t.Definition, written_sort: t.Name, span: Span, verb: str, near: Sequence[str] = ()
) -> Diagnostic:
    """Return the diagnostic for a change that names the wrong sort of a definition.

    Args:
        old: The definition.
        written_sort: The sort that was written.
        span: The place of the name.
        verb: The keyword of the change.
        near: Similar names of the sort that was written.
    """
    sort = sort_of(old)
    if near:
        return Diagnostic(
            "E0173",
            f"`{old.name.word}` is {add_indefinite_article(sort)}, not {add_indefinite_article(written_sort.word)}",
            span,
            labels=(Label(old.name.span, "it is declared"),),
            help=f"did you mean {quote_words(near)}?",
            edits=(Edit(span, near[0]),) if len(near) == 1 else (),
        )
    return Diagnostic(
        "E0173",
        f"`{old.name.word}` is {add_indefinite_article(sort)}, not {add_indefinite_article(written_sort.word)}",
        written_sort.span if written_sort.span != NOWHERE else span,
        labels=(Label(old.name.span, "it is declared"),),
        help=f"write `{verb} {sort} {old.name.word}`",
        edits=(Edit(written_sort.span, sort),) if written_sort.span != NOWHERE else (),
    )


def parameter_count_diagnostic(old: t.Quantity, new: t.Quantity) -> Diagnostic:
    """Return the diagnostic for an amended quantity with more or fewer parameters.

    All uses of the quantity would be wrong.
    """
    arguments = " ".join(word for param in old.params for word in ("of", (param.name or param.kind).word))
    sort, name = sort_of(old), old.name.word
    return Diagnostic(
        "E0408",
        f"`{name}` takes {arguments or 'no arguments'}, and an amendment cannot change that",
        new.name.span,
        labels=_declaration_label(old),
        help=f"write `amend {sort} {name}{f' {arguments}' if arguments else ''} is ...`",
    )


def _declaration_label(old: t.Definition) -> tuple[Label, ...]:
    """Return the label that points at the name of an earlier declaration."""
    return (Label(old.name.span, f"the {sort_of(old)} `{old.name.word}` is declared"),)


def not_over_diagnostic(name: str, span: Span, declared: ModulePlace, module: Module) -> Diagnostic:
    """Return the diagnostic for a module that changes what another one declares without being laid over it."""
    owner, place = declared
    return Diagnostic(
        "E0183",
        f"`{module.name}` changes `{name}` of `{owner}`, but does not build on it",
        span,
        labels=(Label(place, f"`{owner}` declares it"),),
        help=f"{_describe_over(module.name, owner)}, or put this file into `with/{owner}/`, where it counts only if "
        f"`{owner}` is played too",
    )


def dropped_lines_diagnostic(new: t.Definition, old: t.Definition, lines: Sequence[str]) -> Diagnostic:
    """Return the warning for an amendment that drops lines, and was probably meant to add some."""
    name, sort = new.name.word, sort_of(new)
    remedy = f"to add to it, write these steps under `when end of {name}`"
    if sort == "action":
        remedy = "to add rules to it, leave the choices out"
    return Diagnostic(
        "E0576",
        f"this replaces everything in `{name}`",
        new.name.span,
        severity="warning",
        note=f"Dropped lines: {quote_words(dict.fromkeys(lines), 'and')}.",
        labels=_declaration_label(old),
        help=f"{remedy}; or repeat the lines to keep here; to keep nothing, write `remove {sort} {name}`, and "
        f"declare it again without `amend`",
    )


def changed_twice_diagnostic(part: str, name: str, span: Span, other_span: Span) -> Diagnostic:
    """Return the diagnostic for a definition, or a part of it, that one module changes in two places."""
    what = f"`{part} of {name}`" if part else f"`{name}`"
    label = (Label(other_span, "also changed"),)
    return Diagnostic("E0175", f"{what} is changed twice", span, labels=label, help="keep one of the two")


def conflict_diagnostic(changed: str, span: Span, other: ModulePlace, module: Module) -> Diagnostic:
    """Return the error for two unrelated modules that change the same part, with a reading for each order."""
    name, other_span = other
    return Diagnostic(
        "E0174",
        f"`{module.name}` and `{name}` both change `{changed}`",
        span,
        note="Neither builds on the other, so it is not clear which one applies.",
        labels=(Label(other_span, f"`{name}` changes it"),),
        help=f"{_describe_over(module.name, name)}, or the other way round, so that the one on top applies; put "
        f"rules for when both are played into `with/{name}/`; or play with only one of them",
        readings=tuple(
            RuleReading(f"`{upper}` builds on `{lower}`", over=(upper, lower))
            for upper, lower in ((module.name, name), (name, module.name))
        ),
    )


def _describe_over(upper: str, lower: str) -> str:
    return f"write `over: [{lower}]` into the manifest of `{upper}`"
