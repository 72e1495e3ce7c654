"""Abilities in words: `+1 to battle strength if the attackers include Demons`."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.language.roles import Role, having
from edict.meaning.symbols import Local, Resolved, Symbol, definition_of
from edict.language.walking import walk
from edict.words.binding import joined_by
from edict.words.bound import binder
from edict.words.conditions import clause, condition
from edict.words.blocks import block_words
from edict.words.doing import called, instead_of, moment_words
from edict.words.outline import lines, long
from edict.words.telling import Line, tell, tells
from edict.words.titles import forms, joined, lower_first, of, sentence, title_of


def if_clause(r: Resolved, e: t.Expr | None) -> str:
    """` if ...`, or nothing."""
    return f" if {condition(r, e)}" if e is not None else ""


# --- adjust ----------------------------------------------------------------------------------------


@tells(t.Adjust)
def _adjust(r: Resolved, a: t.Adjust) -> str:
    refusal = _refusal(r, a)
    if refusal:
        return f"if {condition(r, a.condition)}, {refusal}" if a.condition is not None else refusal
    quantity, left = _of_what(r, a)
    if_ = f" if {joined_by('and', (clause(r, part) for part in left))}" if left else ""
    return f"{_by(r, a.by)} to {quantity}{if_}"


def _by(r: Resolved, by: t.Expr) -> str:
    words = tell(r, by)
    if words.removeprefix("-").isdecimal():
        return words if words.startswith("-") else f"+{words}"
    return f"add {words}"


def _of_what(r: Resolved, a: t.Adjust) -> tuple[str, list[t.Expr]]:
    """The quantity, of what the condition says it must be of, and the rest of the condition."""
    words, left = title_of(r, a.quantity), list[t.Expr]()
    for part in _conjuncts(a.condition) if a.condition is not None else []:
        given = _given(r, part)
        if given is None:
            left.append(part)
        else:
            words = f"{words} in {given[1]}" if given[0] else of(words, given[1])
    return words, left


def _conjuncts(e: t.Expr) -> list[t.Expr]:
    """The parts that are joined by `and`."""
    return [*_conjuncts(e.left), *_conjuncts(e.right)] if isinstance(e, t.Binary) and e.op == "and" else [e]


def _given(r: Resolved, e: t.Expr) -> tuple[bool, str] | None:
    """Of `good is gold`, where `good` is a parameter: whether it is a resource, and its title."""
    if not isinstance(e, t.Binary) or e.op != "=" or not isinstance(e.left, t.Name) or not isinstance(e.right, t.Name):
        return None
    left, right = r.meaning.get(e.left), r.meaning.get(e.right)
    if not isinstance(left, Local) or not isinstance(binder(r, left), t.Param) or not isinstance(right, Symbol):
        return None
    if right.sort not in ("resource", "thing"):
        return None
    return right.sort == "resource", title_of(r, e.right)


def _refusal(r: Resolved, a: t.Adjust) -> str:
    """What a rule says that asks for the quantity to be 0, if it is raised: the rule then refuses."""
    meaning = r.meaning.get(a.quantity)
    definition = meaning.definition if isinstance(meaning, Symbol) else None
    start = definition.value if isinstance(definition, t.Quantity) else None
    if not isinstance(start, t.Number) or start.value or not isinstance(a.by, t.Number) or a.by.value <= 0:
        return ""
    assert isinstance(meaning, Symbol)
    return next((rule.because for rule in _rules(r) if _asks_for_none(r, rule.require, meaning)), "")


def _rules(r: Resolved) -> Iterator[t.Rule]:
    for definition in r.book.definitions.values():
        if isinstance(definition, t.Action):
            yield from definition.rules


def _asks_for_none(r: Resolved, e: t.Expr, quantity: Symbol) -> bool:
    if not isinstance(e, t.Binary) or e.op != "=" or not isinstance(e.right, t.Number) or e.right.value:
        return False
    meaning = r.meaning.get(e.left.head) if isinstance(e.left, t.Apply) else None
    return isinstance(meaning, Symbol) and meaning.name == quantity.name


# --- when ------------------------------------------------------------------------------------------


def when_head(r: Resolved, a: t.When) -> str:
    """When it happens: `at the end of every productive season if it is Summer, once per Year`."""
    definition = definition_of(r, a.moment)
    moment = moment_words(definition, a.edge) if definition is not None else a.moment.word
    once = f", once per {lower_first(title_of(r, a.once_per))}" if a.once_per else ""
    clause = f",{if_clause(r, a.condition)}" if a.condition is not None else ""
    return f"{moment}{clause}{once}"


@tells(t.When)
def _when(r: Resolved, a: t.When) -> str:
    head, words = when_head(r, a), block_words(r, a.block) or "nothing"
    simple = not any(mark in words for mark in ("; ", ": ")) and words != "nothing"
    return f"{head}, {words}" if simple else f"{head}: {words}"


# --- shift -----------------------------------------------------------------------------------------


@tells(t.Shift)
def _shift(r: Resolved, a: t.Shift) -> str:
    by = joined((f"{n:+d}" for n in a.by), "or")
    cost = f" for {tell(r, a.spending)}" if a.spending else ""
    once = f", once per {title_of(r, a.once_per).lower()}" if a.once_per else ""
    clause = f",{if_clause(r, a.condition)}" if a.condition is not None else ""
    return f"you may change the total by {by}{cost}{once}{clause}"


# --- exceptions ------------------------------------------------------------------------------------


@tells(t.Exception_)
def _exception(r: Resolved, a: t.Exception_) -> str:
    if a.rule is None:
        return _replaced(r, a)
    refused, then = _because(r, a), block_words(r, a.then)
    action = lower_first(title_of(r, a.target))
    if a.require is None:
        words = f"you may {action} although {refused}{if_clause(r, a.condition)}"
    else:
        words = f"to {action}, it must be true{if_clause(r, a.condition)} that {condition(r, a.require)}"
        words += f", in place of the rule “{refused}”"
    return (f"{words}; then {then}" if then else words) + _among_others(r, a)


def _among_others(r: Resolved, a: t.Exception_) -> str:
    """What is said about other exceptions that may hold at the same time."""
    over = f"takes precedence over {_called(r, a.over)}" if a.over else ""
    beside = f"if {_called(r, a.beside, 'or')} applies too, you choose which one counts" if a.beside else ""
    told = "; ".join(words for words in (over, beside) if words)
    return f" ({told})" if told else ""


def _called(r: Resolved, names: tuple[t.Name, ...], word: str = "and") -> str:
    """The titles of exceptions, or of the things they stand in."""
    titles = {one.name.word: one.title for one in (*r.book.definitions.values(), *r.book.standalone)}
    called = [forms(titles.get(name.word) or name.word.replace("-", " "))[0] for name in names]
    return joined([f"“{one}”" for one in called], word)


def _because(r: Resolved, a: t.Exception_) -> str:
    """What the rule says that is not asked."""
    meaning = r.meaning.get(a.target)
    action = meaning.definition if isinstance(meaning, Symbol) else None
    rules = action.rules if isinstance(action, t.Action) else ()
    assert a.rule is not None
    return next((rule.because for rule in rules if rule.name.word == a.rule.word), a.rule.word.replace("-", " "))


def _replaced(r: Resolved, a: t.Exception_) -> str:
    """What happens in place of a phase, which has a name, or of a routine, which is reported in the imperative."""
    head, then = replaced_head(r, a), block_words(r, a.then)
    if head.startswith("do not"):
        return head + (f", but {then}" if then not in ("", "nothing") else "")
    return f"{head}: {then}"


def replaced_head(r: Resolved, a: t.Exception_) -> str:
    """`instead of The King's Favor`, `do not lose X VP to the enemy`."""
    whole, clause, others = definition_of(r, a.target), if_clause(r, a.condition), _among_others(r, a)
    if not isinstance(whole, t.Routine):
        title = instead_of(whole, a.edge) if whole is not None and a.edge else title_of(r, a.target)
        return f"instead of {title}{',' if clause else ''}{clause}{others}"
    title = called(whole)
    if _uses(a, whole) or _does_again(r, a):
        return f"instead of “{title}”{',' if clause else ''}{clause}{others}"
    return f"do not {title}{clause}{others}"


def _uses(a: t.Exception_, routine: t.Routine) -> bool:
    """Whether what comes instead is reported in steps of the routine itself, so that `do not` would deceive."""
    def fields(block: t.Block) -> set[str]:
        return {node.field.word for step in block for node in walk(step) if isinstance(node, t.DoField)}

    return bool(fields(a.then) & fields(routine.block))


def _does_again(r: Resolved, a: t.Exception_) -> bool:
    """Whether what it replaces may happen after all, as a part of what comes instead."""
    whole = definition_of(r, a.target)
    ran = (name for step in a.then for node in walk(step) for name in having(node, Role.RUNS))
    return any(definition_of(r, name) is whole for name in ran)


# --- line by line -------------------------------------------------------------------------------


def ability_lines(resolved: Resolved, ability: t.Ability) -> Line:
    """An ability; what it does stands below when it takes several steps."""
    if isinstance(ability, t.When) and long(resolved, ability.block):
        return Line(sentence(f"{when_head(resolved, ability)}:"), lines(resolved, ability.block))
    if isinstance(ability, t.Exception_) and ability.rule is None and long(resolved, ability.then):
        return Line(sentence(f"{_instead(resolved, ability)}:"), lines(resolved, ability.then))
    return Line(sentence(tell(resolved, ability)))


def _instead(r: Resolved, a: t.Exception_) -> str:
    head = replaced_head(r, a)
    return f"{head}, but" if head.startswith("do not") else head
