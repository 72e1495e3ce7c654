"""Abilities in words: `+1 to battle strength if the attackers include Demons`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edict.compiler.english.binding import joined_by
from edict.compiler.english.block_phrases import block_words
from edict.compiler.english.bound import binder
from edict.compiler.english.condition_phrases import clause, condition
from edict.compiler.english.doing import called, instead_of, moment_words
from edict.compiler.english.outline import lines, long
from edict.compiler.english.phrase_tables import Line, tell, tells
from edict.compiler.english.plurals import is_many, phrased
from edict.compiler.english.titles import title_of
from edict.compiler.semantics.symbols import Local, Resolved, Symbol, definition_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.compiler.syntax.walking import walk
from edict.support.morphology import (
    join_words,
    spell_name,
    split_title,
    to_sentence,
    uncapitalize_title,
    with_article,
    with_of,
    with_the,
)


def if_clause(r: Resolved, e: t.Expr | None) -> str:
    """` if ...`, or nothing; what settings usually leave no question goes without saying."""
    return f" if {condition(r, e)}" if e is not None and e not in r.usual else ""


def works_for(r: Resolved, kind: t.Kind) -> str:
    """Which things of a kind do what they do: `only your own governor counts`."""
    e = kind.works_if
    sides = (e.left, e.right) if isinstance(e, t.Binary) and e.op in ("=", "in") else ()
    others = [side for side in sides if getattr(side, "word", "") != kind.name.word]
    if len(others) != 1:
        return f"what {with_article(title_of(r, kind.name))} does counts only{if_clause(r, e)}"
    whose = tell(r, others[0])
    title = title_of(r, kind.name)
    own = whose.replace("your ", "your own ", 1) if whose.startswith("your ") else whose
    own = f"the current {title}" if own == f"the {title}" else own
    return f"only {own} count{'' if is_many(r, others[0]) else 's'}"


# --- adjust ----------------------------------------------------------------------------------------


@tells(t.Adjust)
def _adjust(r: Resolved, a: t.Adjust) -> str:
    refusal = _refusal(r, a)
    if refusal:
        return f"if {condition(r, a.condition)}, {refusal}" if a.condition is not None else refusal
    if a.by is None:
        return _made(r, a)
    by, counted = tell(r, a.by), title_of(r, a.quantity) != title_of(r, a.quantity, many=True)
    number = by.removeprefix("-").isdecimal()
    quantity, left = _of_what(r, a, title_of(r, a.quantity, many=by not in ("1", "-1")))
    if_ = f" if {joined_by('and', (clause(r, part) for part in left))}" if left else ""
    signed = f"add {by}"
    if number:
        signed = by if by.startswith("-") else f"+{by}"
    if number and counted:
        return f"{signed} {quantity}{if_}"  # `+1 extra soldier`
    return f"{signed} to {with_the(quantity) if phrased(quantity) else quantity}{if_}"


_OFTEN = {"2": "double {}", "3": "triple {}"}


def _made(r: Resolved, a: t.Adjust) -> str:
    """What is made of a quantity that is not added to: `halve the price of Oak, rounded up`."""
    number = tell(r, a.number)
    quantity, left = _of_what(r, a, title_of(r, a.quantity))
    if a.to is not None:
        said = f"{with_the(quantity)} becomes {number}"
    elif a.times is not None:
        said = _OFTEN.get(number, f"multiply {{}} by {number}").format(with_the(quantity))
    else:
        halved = f"halve {with_the(quantity)}" if number == "2" else f"divide {with_the(quantity)} by {number}"
        said = f"{halved}, rounded {'up' if a.rounded_up else 'down'}"
    if_ = f" if {joined_by('and', (clause(r, part) for part in left))}" if left else ""
    return f"{said}{',' if if_ and a.divided is not None else ''}{if_}"


def _of_what(r: Resolved, a: t.Adjust, title: str) -> tuple[str, list[t.Expr]]:
    """The quantity, of what the condition says it must be of, and the rest of the condition."""
    words, left = title, list[t.Expr]()
    for part in _conjuncts(a.condition) if a.condition is not None else []:
        given, such = _given(r, part), _such(r, part)
        if given is not None:
            words = f"{words} in {given[1]}" if given[0] else with_of(words, given[1])
        elif such and " of each " not in words:
            words = with_of(words, such)
        else:
            left.append(part)
    return words, left


_WHOSE = re.compile(r"the ([\w -]+?) of the ([\w -]+?)( in [\w -]+?)? ((?:is|are) .*)")


def _such(r: Resolved, part: t.Expr) -> str:
    """Of `the column of the building is at least 3`, where the quantity is of a building: `each building whose ...`."""
    about = part.left if isinstance(part, t.Binary) else None
    given = r.meaning.get(about.args[0]) if isinstance(about, t.Apply) and isinstance(about.args[0], t.Name) else None
    if not isinstance(given, Local) or not isinstance(binder(r, given), t.Param):
        return ""
    found = _WHOSE.fullmatch(clause(r, part).text)
    if not found or f"the {found[2]}" in found[4]:
        return ""
    return f"each {found[2]} whose {found[1]}{found[3] or ''} {found[4]}"


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
    """When it happens: `at the end of each summer, if you have gold, once per year`."""
    definition = definition_of(r, a.moment)
    moment = moment_words(r, definition, a.edge) if definition is not None else a.moment.word
    left = _conjuncts(a.condition) if a.condition is not None and a.condition not in r.usual else []
    during = next((part for part in left if isinstance(part, t.During)), None)
    if during is not None and isinstance(definition, t.Phase):
        left.remove(during)
        moment = _within(r, definition, a.edge, during, moment)
    once = f", once per {uncapitalize_title(title_of(r, a.once_per))}" if a.once_per else ""
    if_ = f", if {joined_by('and', (clause(r, part) for part in left))}" if left else ""
    return f"{moment}{if_}{once}"


def _within(r: Resolved, phase: t.Phase, edge: str, during: t.During, moment: str) -> str:
    """At the end of a phase, while another lasts; of one that ends with it, at the end of that: `of each summer`."""
    whole = definition_of(r, during.phase)
    played = [node for node in walk(whole) if isinstance(node, t.Play)] if isinstance(whole, t.Phase) else []
    same = [node for node in played if definition_of(r, node.phase) is phase]
    if isinstance(whole, t.Phase) and len(same) == 1 and whole.block[-1 if edge == "end" else 0] is same[0]:
        return moment_words(r, whole, edge)
    return f"{moment} in {uncapitalize_title(title_of(r, during.phase))}"


@tells(t.When)
def _when(r: Resolved, a: t.When) -> str:
    head, words = when_head(r, a), block_words(r, a.block) or "nothing"
    simple = not any(mark in words for mark in ("; ", ": ")) and words != "nothing"
    return f"{head}, {words}" if simple else f"{head}: {words}"


# --- shift -----------------------------------------------------------------------------------------


@tells(t.Shift)
def _shift(r: Resolved, a: t.Shift) -> str:
    action = uncapitalize_title(title_of(r, a.action))
    cost = f" for {tell(r, a.spending)}" if a.spending else ""
    once = f", once per {title_of(r, a.once_per).lower()}" if a.once_per else ""
    clause = if_clause(r, a.condition)
    return f"when you {action}, you may {_shifted(a.by)}{cost}{once}{',' if clause else ''}{clause}"


def _shifted(by: tuple[int, ...]) -> str:
    """`raise or lower the total of the dice by 1`."""
    sizes = sorted({abs(n) for n in by})
    several = len(sizes) > 1 and sizes == [*range(1, sizes[-1] + 1)]
    numbers = f"up to {sizes[-1]}" if several else join_words(map(str, sizes), "or")
    verbs = [verb for verb, sign in (("raise", 1), ("lower", -1)) if any(n * sign > 0 for n in by)]
    if len(verbs) == 2 and {-n for n in by} != {*by}:
        return f"change the total of the dice by {join_words((f'{n:+d}' for n in by), 'or')}"
    return f"{' or '.join(verbs)} the total of the dice by {numbers}"


# --- exceptions ------------------------------------------------------------------------------------


@tells(t.Exception_)
def _exception(r: Resolved, a: t.Exception_) -> str:
    if a.rule is None:
        return _replaced(r, a)
    refused, then = _because(r, a), block_words(r, a.then)
    action = uncapitalize_title(title_of(r, a.target))
    if a.require is None:
        words = f"you may {action} even if {refused}"
        words += f", provided that {condition(r, a.condition)}" if a.condition is not None else ""
    else:
        words = f"to {action}{if_clause(r, a.condition)}, it must be true that {condition(r, a.require)}"
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
    called = [split_title(titles.get(name.word) or spell_name(name.word))[0] for name in names]
    return join_words([f"“{one}”" for one in called], word)


def _because(r: Resolved, a: t.Exception_) -> str:
    """What the rule says that is not asked."""
    meaning = r.meaning.get(a.target)
    action = meaning.definition if isinstance(meaning, Symbol) else None
    rules = action.rules if isinstance(action, t.Action) else ()
    assert a.rule is not None
    return next((rule.because for rule in rules if rule.name.word == a.rule.word), spell_name(a.rule.word))


def _replaced(r: Resolved, a: t.Exception_) -> str:
    """What happens in place of a phase, which has a name, or of a routine, which is reported in the imperative."""
    head, then = replaced_head(r, a), block_words(r, a.then)
    if head.startswith("do not"):
        return head + (f", but {then}" if then not in ("", "nothing") else "")
    return f"{head}: {then}"


def replaced_head(r: Resolved, a: t.Exception_) -> str:
    """`instead of The King's Favor`, `do not lose X VP to the enemy`."""
    whole, clause, others = definition_of(r, a.target), if_clause(r, a.condition), _among_others(r, a)
    inside = f" in “{title_of(r, a.inside)}”" if a.inside is not None else ""
    if not isinstance(whole, t.Routine):
        title = instead_of(whole, a.edge) if whole is not None and a.edge else uncapitalize_title(title_of(r, a.target))
        return f"instead of {title}{inside}{',' if clause else ''}{clause}{others}"
    title = called(whole)
    if _uses(a, whole) or _does_again(r, a):
        return f"instead of “{title}”{inside}{',' if clause else ''}{clause}{others}"
    return f"do not {title}{inside}{clause}{others}"


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
        return Line(to_sentence(f"{when_head(resolved, ability)}:"), lines(resolved, ability.block))
    if isinstance(ability, t.Exception_) and ability.rule is None and long(resolved, ability.then):
        return Line(to_sentence(f"{_instead(resolved, ability)}:"), lines(resolved, ability.then))
    return Line(to_sentence(tell(resolved, ability)))


def _instead(r: Resolved, a: t.Exception_) -> str:
    head = replaced_head(r, a)
    return f"{head}, but" if head.startswith("do not") else head
