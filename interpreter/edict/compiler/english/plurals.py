"""Types of expressions, and whether expressions and titles are in the plural."""

from __future__ import annotations

import re

from edict.compiler.english.phrases import Phrase, describe, put_in_parentheses, to_phrase
from edict.compiler.english.titles import title_of
from edict.compiler.semantics.symbols import PLAYER, TRUTH, ResolvedBook, Symbol, definition_of
from edict.compiler.syntax import tree as t


def has_players(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is a player, or a set or an order of players."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.kind == PLAYER.kind


def is_collection(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is a set, an order, a bag or dice."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape in ("set", "order", "bag", "dice")


def is_dice(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is dice."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "dice"


def is_order(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is an order."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "order"


def is_number(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is a number."""
    type_ = resolved.types.get(expr)
    return type_ is not None and type_.shape == "number"


def is_truth(resolved: ResolvedBook, expr: t.Expr) -> bool:
    """Return True if a value is a truth value."""
    return resolved.types.get(expr) == TRUTH


def has_members(resolved: ResolvedBook, kind: t.Name) -> bool:
    """Return True if there are things of a kind, or if the name is no kind."""
    definition = definition_of(resolved, kind)
    kinds = (thing.kind.word for thing in resolved.book.things)
    return not isinstance(definition, t.Kind) or definition.name.word in kinds


_PREPOSITION = re.compile(r" (?:in|of|on|at|with|from|for|to|when|who|not|by)(?: |\Z)")


def is_plural_noun(title: str) -> bool:
    """Return True if a title is in the plural, so that one has a number of it, as of `battles won`."""
    head = _PREPOSITION.split(title, maxsplit=1)[0].split() or [""]
    return any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in (head[0], head[-1]))


def has_complement(title: str) -> bool:
    """Return True if a title is more than a noun, as `price of a soldier`."""
    return _PREPOSITION.search(title) is not None


def has_plural_title(meaning: Symbol, title: str) -> bool:
    """Return True if a resource, keep or quantity has a title in the plural."""
    definition = meaning.definition
    if definition is None:
        return False
    dice = isinstance(definition, t.Die) or isinstance(definition, t.Keep) and definition.type.shape == "dice"
    return "/" in definition.title or dice or is_plural_noun(title)


def is_plural(r: ResolvedBook, e: t.Expr) -> bool:
    """Return True if the phrase for an expression is in the plural."""
    if isinstance(e, t.Name):
        meaning = r.meaning.get(e)
        if isinstance(meaning, Symbol) and meaning.sort in ("kind", "group", "player"):
            return True
        if isinstance(meaning, Symbol) and meaning.sort == "setting":
            return False  # `Rounds` reads: the number of rounds
        return isinstance(meaning, Symbol) and has_plural_title(meaning, title_of(r, e))
    if isinstance(e, t.Apply):
        meaning = r.meaning.get(e.head)
        return isinstance(meaning, Symbol) and has_plural_title(meaning, title_of(r, e.head, many=True))
    if isinstance(e, t.Unary):
        return e.op == "faces"
    return isinstance(e, t.OfMembers | t.Among) or isinstance(e, t.Binary) and is_collection(r, e)


def describe_definite(r: ResolvedBook, e: t.Expr) -> str:
    """Return a set with `the`, if its members are described: `the players with the most VP`."""
    words = describe(r, e)
    needs_article = isinstance(e, t.OfMembers) and not words.startswith(
        ("the ", "those ", "your ", "“", "everyone", "(")
    )
    return f"the {words}" if needs_article else words


def describe_subject(r: ResolvedBook, e: t.Expr) -> str:
    """Return the words of a set that a verb or a condition follows."""
    words = to_phrase(r, e)
    return put_in_parentheses(Phrase(describe_definite(r, e)), words.as_clause is not words).text
