"""Part of `layer`: what is said about definitions that get in each other's way, with both places and the ways out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.layering.amending import sort_of
from edict.compiler.sources.folders import Module
from edict.compiler.syntax import tree as t
from edict.support.morphology import add_indefinite_article, quote_words
from edict.support.report import Diagnostic, Edit, Label, RuleReading
from edict.support.text import NOWHERE, Span

Place = tuple[str, Span]
"""A module's name, and where it says something."""


def declared_twice(new: t.Definition, old: t.Definition) -> Diagnostic:
    """By one module."""
    return Diagnostic(
        "E0171",
        f"`{new.name.word}` is declared twice",
        new.name.span,
        labels=_declared(old),
        help="give one of them another name, or delete one",
    )


def exists(new: t.Definition, old: t.Definition, owner: str, module: Module, beside: bool) -> Diagnostic:
    """A module adds what another one has; `beside`: neither is laid over the other."""
    name, sort = new.name.word, sort_of(new)
    standing = isinstance(new, t.Standalone)
    if beside and sort != sort_of(old):
        remedy = "give one of them another name"
    elif beside:
        remedy = f"give one of them another name; if `{module.name}` means to change it, {_over(module.name, owner)}"
        remedy += "" if standing else f" and `amend {sort} {name}`"
    elif standing or sort != sort_of(old):
        remedy = f"choose another name, or write `remove {sort_of(old)} {name}` too"
    else:
        remedy = f"write `amend {sort} {name}` to change it, or give this one another name"
    title = f"`{name}` exists already, in `{owner}`"
    edits = () if beside or standing or sort != sort_of(old) else (Edit(_start(new.span), "amend "),)
    return Diagnostic("E0170", title, new.name.span, labels=_declared(old), help=remedy, edits=edits)


def _start(span: Span) -> Span:
    return replace(span, end_line=span.line, end_column=span.column)


def other_sort(old: t.Definition, said: t.Name, span: Span, verb: str, near: Sequence[str] = ()) -> Diagnostic:
    """What is to be changed is of another sort than is said before its name.

    near: the names of what is of the sort that is said and is nearly called so.
    """
    sort = sort_of(old)
    if near:
        return Diagnostic(
            "E0173",
            f"`{old.name.word}` is {add_indefinite_article(sort)}, not {add_indefinite_article(said.word)}",
            span,
            labels=(Label(old.name.span, "it is declared"),),
            help=f"did you mean {quote_words(near)}?",
            edits=(Edit(span, near[0]),) if len(near) == 1 else (),
        )
    return Diagnostic(
        "E0173",
        f"`{old.name.word}` is {add_indefinite_article(sort)}, not {add_indefinite_article(said.word)}",
        said.span if said.span != NOWHERE else span,
        labels=(Label(old.name.span, "it is declared"),),
        help=f"write `{verb} {sort} {old.name.word}`",
        edits=(Edit(said.span, sort),) if said.span != NOWHERE else (),
    )


def of_others(old: t.Quantity, new: t.Quantity) -> Diagnostic:
    """A quantity amended as one that is asked of more, or of fewer: those who ask for it would all be wrong."""
    of = " ".join(word for param in old.params for word in ("of", (param.name or param.kind).word))
    sort, name = sort_of(old), old.name.word
    return Diagnostic(
        "E0408",
        f"`{name}` is asked {of or 'of nothing'}, and must stay so",
        new.name.span,
        labels=_declared(old),
        help=f"write `amend {sort} {name}{f' {of}' if of else ''} is ...`",
    )


def _declared(old: t.Definition) -> tuple[Label, ...]:
    return (Label(old.name.span, f"the {sort_of(old)} `{old.name.word}` is declared"),)


def not_over(name: str, span: Span, declared: Place, module: Module) -> Diagnostic:
    """A module changes what one beside it declares: whether it comes after that one is left open."""
    owner, there = declared
    return Diagnostic(
        "E0183",
        f"`{module.name}` changes `{name}` of `{owner}`, and is not laid over it",
        span,
        labels=(Label(there, f"`{owner}` declares it"),),
        help=f"{_over(module.name, owner)}, or put this file into `with/{owner}/`, where it counts only if `{owner}` "
        "is played too",
    )


def drops(new: t.Definition, old: t.Definition, lines: Sequence[str]) -> Diagnostic:
    """An amendment that was probably meant to add."""
    name, sort = new.name.word, sort_of(new)
    remedy = f"to add to it, write these steps under `when end of {name}`"
    if sort == "action":
        remedy = "to add rules to it, leave out what there is to choose"
    return Diagnostic(
        "E0576",
        f"this takes the place of all that stood in `{name}`",
        new.name.span,
        severity="warning",
        note=f"What is dropped: {quote_words(dict.fromkeys(lines), 'and')}.",
        labels=_declared(old),
        help=f"{remedy}; or repeat here what is to stay; "
        f"if nothing is, write `remove {sort} {name}`, and declare it anew without `amend`",
    )


def twice(part: str, name: str, span: Span, there: Span) -> Diagnostic:
    """One module changes one thing, or a part of it, in two places."""
    what = f"`{part} of {name}`" if part else f"`{name}`"
    label = (Label(there, "it is changed"),)
    return Diagnostic("E0175", f"{what} is changed twice", span, labels=label, help="keep one of the two")


def clash(what: str, span: Span, other: Place, module: Module) -> Diagnostic:
    """Two modules beside each other change one thing."""
    name, there = other
    return Diagnostic(
        "E0174",
        f"`{module.name}` and `{name}` both change `{what}`",
        span,
        note="Neither is laid over the other, so nobody can tell which is meant to hold.",
        labels=(Label(there, f"`{name}` changes it"),),
        help=f"{_over(module.name, name)}, or the other way round: the upper one holds; put into `with/{name}/` what "
        "is so only when both are played; or play with one of them",
        readings=tuple(
            RuleReading(f"`{upper}` is laid over `{lower}`", over=(upper, lower))
            for upper, lower in ((module.name, name), (name, module.name))
        ),
    )


def _over(upper: str, lower: str) -> str:
    return f"write `over: [{lower}]` into the manifest of `{upper}`"
