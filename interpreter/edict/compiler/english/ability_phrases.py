"""Phrases for abilities, as `+1 to battle strength if the attackers include Demons`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edict.compiler.english.block_phrases import describe_block, needs_outline, outline_block
from edict.compiler.english.condition_phrases import describe_condition, phrase_condition
from edict.compiler.english.moment_phrases import describe_moment, describe_replaced_event, describe_without_amounts
from edict.compiler.english.phrases import OutlineLine, describe, describes, join_conditions
from edict.compiler.english.plurals import has_complement, is_plural
from edict.compiler.english.titles import get_binder, title_of
from edict.compiler.semantics.symbols import Local, ResolvedBook, Symbol, definition_of, starts_with_text
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import (
    add_definite_article,
    add_indefinite_article,
    join_with_of,
    join_words,
    spell_name,
    split_title,
    to_sentence,
    uncapitalize,
    uncapitalize_title,
)


def describe_condition_clause(r: ResolvedBook, e: t.Expr | None) -> str:
    """Return ` if ...`; empty without a condition, or if the usual settings decide it."""
    if e is not None and e not in r.usual:
        return f" if {describe_condition(r, e)}"
    return ""


def describe_works_if(r: ResolvedBook, kind: t.Kind) -> str:
    """Return which things of a kind have an effect, as `only your own governor counts`."""
    e = kind.works_if
    sides = (e.left, e.right) if isinstance(e, t.Binary) and e.op in ("=", "in") else ()
    others = [side for side in sides if getattr(side, "word", "") != kind.name.word]
    if len(others) != 1:
        return (
            f"what {add_indefinite_article(title_of(r, kind.name))} does counts only{describe_condition_clause(r, e)}"
        )
    whose = describe(r, others[0])
    title = title_of(r, kind.name)
    own = whose.replace("your ", "your own ", 1) if whose.startswith("your ") else whose
    own = f"the current {title}" if own == f"the {title}" else own
    return f"only {own} count{'' if is_plural(r, others[0]) else 's'}"


# --- adjust ----------------------------------------------------------------------------------------


@describes(t.Adjust)
def _describe_adjust(r: ResolvedBook, a: t.Adjust) -> str:
    """Describe an adjustment, as `+1 extra soldier` or `add X to the price of Oak if it is summer`."""
    refusal = _find_refusal(r, a)
    if refusal:
        if a.condition is not None:
            return f"if {describe_condition(r, a.condition)}, {refusal}"
        return refusal
    if a.by is None:
        return _describe_setting_adjust(r, a)
    amount, has_plural = describe(r, a.by), title_of(r, a.quantity) != title_of(r, a.quantity, many=True)
    is_literal = amount.removeprefix("-").isdecimal()
    quantity, remaining = _split_condition(r, a, title_of(r, a.quantity, many=amount not in ("1", "-1")))
    if remaining:
        if_ = f" if {join_conditions('and', (phrase_condition(r, part) for part in remaining))}"
    else:
        if_ = ""
    signed = f"add {amount}"
    if is_literal:
        signed = amount if amount.startswith("-") else f"+{amount}"
    if is_literal and has_plural:
        return f"{signed} {quantity}{if_}"  # `+1 extra soldier`
    return f"{signed} to {add_definite_article(quantity) if has_complement(quantity) else quantity}{if_}"


_MULTIPLES = {"2": "double {}", "3": "triple {}"}


def _describe_setting_adjust(r: ResolvedBook, a: t.Adjust) -> str:
    """Describe an adjustment that does not add, as `halve the price of Oak, rounded up`."""
    number = describe(r, a.number)
    quantity, remaining = _split_condition(r, a, title_of(r, a.quantity))
    if a.to is not None:
        change = f"{add_definite_article(quantity)} becomes {number}"
    elif a.times is not None:
        change = _MULTIPLES.get(number, f"multiply {{}} by {number}").format(add_definite_article(quantity))
    else:
        if number == "2":
            halved = f"halve {add_definite_article(quantity)}"
        else:
            halved = f"divide {add_definite_article(quantity)} by {number}"
        change = f"{halved}, rounded {'up' if a.rounded_up else 'down'}"
    if remaining:
        if_ = f" if {join_conditions('and', (phrase_condition(r, part) for part in remaining))}"
    else:
        if_ = ""
    return f"{change}{',' if if_ and a.divided is not None else ''}{if_}"


def _split_condition(r: ResolvedBook, a: t.Adjust, title: str) -> tuple[str, list[t.Expr]]:
    """Return the title with parts of the condition built in (`price of the Oak`), and the remaining conditions."""
    words, remaining = title, list[t.Expr]()
    for part in _conjuncts(a.condition) if a.condition is not None else []:
        named_value, each_such = _read_parameter_test(r, part), _describe_each_whose(r, part)
        if named_value is not None:
            if named_value[0]:
                words = f"{words} in {named_value[1]}"
            else:
                words = join_with_of(words, named_value[1])
        elif each_such and " of each " not in words:
            words = join_with_of(words, each_such)
        else:
            remaining.append(part)
    return words, remaining


_WHOSE = re.compile(r"the ([\w -]+?) of the ([\w -]+?)( in [\w -]+?)? ((?:is|are) .*)")


def _describe_each_whose(r: ResolvedBook, part: t.Expr) -> str:
    """Return `each building whose column is at least 3` for a condition on a parameter of the quantity; else empty."""
    subject = part.left if isinstance(part, t.Binary) else None
    if isinstance(subject, t.Apply) and isinstance(subject.args[0], t.Name):
        parameter = r.meaning.get(subject.args[0])
    else:
        parameter = None
    if not isinstance(parameter, Local) or not isinstance(get_binder(r, parameter), t.Param):
        return ""
    match = _WHOSE.fullmatch(phrase_condition(r, part).text)
    if not match or f"the {match[2]}" in match[4]:
        return ""
    return f"each {match[2]} whose {match[1]}{match[3] or ''} {match[4]}"


def _conjuncts(e: t.Expr) -> list[t.Expr]:
    """Return the operands that `and` joins."""
    if isinstance(e, t.Binary) and e.op == "and":
        return [*_conjuncts(e.left), *_conjuncts(e.right)]
    return [e]


def _read_parameter_test(r: ResolvedBook, e: t.Expr) -> tuple[bool, str] | None:
    """Return, for a parameter compared with a name, whether that is a resource, and its title; else None."""
    if not isinstance(e, t.Binary) or e.op != "=" or not isinstance(e.left, t.Name) or not isinstance(e.right, t.Name):
        return None
    left, right = r.meaning.get(e.left), r.meaning.get(e.right)
    if not isinstance(left, Local) or not isinstance(get_binder(r, left), t.Param) or not isinstance(right, Symbol):
        return None
    if right.sort not in ("resource", "thing"):
        return None
    return right.sort == "resource", title_of(r, e.right)


def _find_refusal(r: ResolvedBook, a: t.Adjust) -> str:
    """Return the reason of a rule that requires the quantity to be 0, if the adjustment raises it; else empty."""
    meaning, definition = r.meaning.get(a.quantity), definition_of(r, a.quantity)
    start = definition.value if isinstance(definition, t.Quantity) else None
    if not isinstance(start, t.Number) or start.value or not isinstance(a.by, t.Number) or a.by.value <= 0:
        return ""
    assert isinstance(meaning, Symbol)
    return next((rule.because for rule in _iter_rules(r) if _requires_zero(r, rule.require, meaning)), "")


def _iter_rules(r: ResolvedBook) -> Iterator[t.Rule]:
    """Yield the rules of all actions of a book."""
    for definition in r.book.select(t.Action):
        yield from definition.rules


def _requires_zero(r: ResolvedBook, e: t.Expr, quantity: Symbol) -> bool:
    """Return True for the condition `QUANTITY of ... = 0` on this quantity."""
    if not isinstance(e, t.Binary) or e.op != "=" or not isinstance(e.right, t.Number) or e.right.value:
        return False
    meaning = r.meaning.get(e.left.head) if isinstance(e.left, t.Apply) else None
    return isinstance(meaning, Symbol) and meaning.name == quantity.name


# --- when ------------------------------------------------------------------------------------------


def describe_when(r: ResolvedBook, a: t.When) -> str:
    """Return the time of an ability, as `at the end of each summer, if you have gold, once per year`."""
    definition = definition_of(r, a.moment)
    moment = describe_moment(r, definition, a.edge) if definition is not None else a.moment.word
    if a.condition is not None and a.condition not in r.usual:
        conditions = _conjuncts(a.condition)
    else:
        conditions = []
    during = next((part for part in conditions if isinstance(part, t.During)), None)
    if during is not None and isinstance(definition, t.Phase):
        conditions.remove(during)
        moment = _describe_edge_during(r, definition, a.edge, during, moment)
    limit = _describe_limit(r, a)
    if conditions:
        if_ = f", if {join_conditions('and', (phrase_condition(r, part) for part in conditions))}"
    else:
        if_ = ""
    return f"{moment}{if_}{limit}"


def _describe_limit(r: ResolvedBook, a: t.LimitedAbility) -> str:
    """Return `, once per year` for a limited ability; else ""."""
    return f", once per {uncapitalize_title(title_of(r, a.once_per))}" if a.once_per else ""


def _describe_edge_during(r: ResolvedBook, phase: t.Phase, edge: str, during: t.During, moment: str) -> str:
    """Return `moment in the other phase`; if the phase begins or ends that one, its edge, as `at the end of summer`."""
    outer = definition_of(r, during.phase)
    if isinstance(outer, t.Phase):
        played = [node for node in walk(outer) if isinstance(node, t.Play)]
    else:
        played = []
    plays = [node for node in played if definition_of(r, node.phase) is phase]
    if isinstance(outer, t.Phase) and len(plays) == 1 and outer.block[-1 if edge == "end" else 0] is plays[0]:
        return describe_moment(r, outer, edge)
    return f"{moment} in {uncapitalize_title(title_of(r, during.phase))}"


@describes(t.When)
def _describe_when(r: ResolvedBook, a: t.When) -> str:
    """Describe a `when`: its time, then its steps after a comma, or after a colon if they are several."""
    head, words = describe_when(r, a), describe_block(r, a.block) or "nothing"
    if r.authored and starts_with_text(a.block):
        return f"{head}, {uncapitalize(words)}"
    simple = not any(mark in words for mark in ("; ", ": ")) and words != "nothing"
    return f"{head}, {words}" if simple else f"{head}: {words}"


# --- shift -----------------------------------------------------------------------------------------


@describes(t.Shift)
def _describe_shift(r: ResolvedBook, a: t.Shift) -> str:
    """Describe a shift, as `when you recruit, you may lower the total of the dice by 1 for 1 gold`."""
    action = uncapitalize_title(title_of(r, a.action))
    cost = f" for {describe(r, a.spending)}" if a.spending else ""
    clause, limit = describe_condition_clause(r, a.condition), _describe_limit(r, a)
    return f"when you {action}, you may {_describe_shift_by(a.by)}{cost}{limit}{',' if clause else ''}{clause}"


def _describe_shift_by(numbers_: tuple[int, ...]) -> str:
    """Return the changes of a dice total, as (1, -1): `raise or lower the total of the dice by 1`."""
    sizes = sorted({abs(n) for n in numbers_})
    several = len(sizes) > 1 and sizes == [*range(1, sizes[-1] + 1)]
    numbers = f"up to {sizes[-1]}" if several else join_words(map(str, sizes), "or")
    verbs = [verb for verb, sign in (("raise", 1), ("lower", -1)) if any(n * sign > 0 for n in numbers_)]
    if len(verbs) == 2 and {-n for n in numbers_} != {*numbers_}:
        return f"change the total of the dice by {join_words((f'{n:+d}' for n in numbers_), 'or')}"
    return f"{' or '.join(verbs)} the total of the dice by {numbers}"


# --- options that are added to questions -----------------------------------------------------------


@describes(t.AddedOption)
def _describe_added_option(r: ResolvedBook, a: t.AddedOption) -> str:
    """Describe an option, as `when you could plant a tree, you may choose “Rest” instead: gain 1 coin`."""
    return f"{_describe_option_head(r, a)}: {describe_block(r, a.block) or 'nothing'}"


def _describe_option_head(r: ResolvedBook, a: t.AddedOption) -> str:
    """Describe which question an option is added to, when, and how often."""
    definition, clause = definition_of(r, a.target), describe_condition_clause(r, a.condition)
    if isinstance(definition, t.Action):
        question = f"when you could {uncapitalize_title(title_of(r, a.target))}"
    elif a.question and any(getattr(step, "decline", "") == a.question for step in walk(definition)):
        question = f"when you may answer “{a.question}”"
    elif a.question:
        question = f"when asked “{a.question}”"
    else:
        question = f"when asked in “{title_of(r, a.target)}”"
    return f"{question}, you may choose “{a.title}” instead{_describe_limit(r, a)}{',' if clause else ''}{clause}"


# --- exceptions ------------------------------------------------------------------------------------


@describes(t.Exception_)
def _describe_exception(r: ResolvedBook, a: t.Exception_) -> str:
    """Describe an exception to a rule, as `you may build even if ...`, or what it puts in its target's place."""
    if a.rule is None:
        return _describe_replacement(r, a)
    reason, then = _find_rule_reason(r, a), describe_block(r, a.then)
    action = uncapitalize_title(title_of(r, a.target))
    if a.require is None:
        words = f"you may {action} even if {reason}"
        if a.condition is not None:
            words += f", provided that {describe_condition(r, a.condition)}"
        else:
            words += ""
    else:
        clause = describe_condition_clause(r, a.condition)
        words = f"to {action}{clause}, it must be true that {describe_condition(r, a.require)}"
        words += f", in place of the rule “{reason}”"
    words += _describe_limit(r, a)
    return (f"{words}; then {uncapitalize(then)}" if then else words) + _describe_precedence(r, a)


def _describe_precedence(r: ResolvedBook, a: t.Exception_) -> str:
    """Return in parentheses what an exception says about others that hold at the same time."""
    over = f"takes precedence over {_quote_exception_titles(r, a.over)}" if a.over else ""
    if a.beside:
        beside = f"if {_quote_exception_titles(r, a.beside, 'or')} applies too, you choose which one counts"
    else:
        beside = ""
    remarks = "; ".join(words for words in (over, beside) if words)
    return f" ({remarks})" if remarks else ""


def _quote_exception_titles(r: ResolvedBook, names: tuple[t.Name, ...], word: str = "and") -> str:
    """Return the titles of exceptions, or of the things they stand in, in quotes."""
    titles = {title.name.word: title.title for title in r.book.roots}
    quoted = [split_title(titles.get(name.word) or spell_name(name.word))[0] for name in names]
    return join_words([f"“{title}”" for title in quoted], word)


def _find_rule_reason(r: ResolvedBook, a: t.Exception_) -> str:
    """Return the reason (`because`) of the action's rule to which an exception is made; its name if it has none."""
    action = definition_of(r, a.target)
    rules = action.rules if isinstance(action, t.Action) else ()
    assert a.rule is not None
    return next((rule.because for rule in rules if rule.name.word == a.rule.word), spell_name(a.rule.word))


def _describe_replacement(r: ResolvedBook, a: t.Exception_) -> str:
    """Describe what happens in place of a phase or a routine, in the author's words on a routine if there are any."""
    if _is_told(r, a):
        return describe_block(r, a.then)
    head, then = describe_replaced_rule(r, a), describe_block(r, a.then)
    if head.startswith("do not"):
        return head + (f", but {then}" if then not in ("", "nothing") else "")
    return f"{head}: {then}"


def _is_told(r: ResolvedBook, a: t.Exception_) -> bool:
    """Return True if the author's words say what happens in place of a routine, which players know by no name."""
    return r.authored and starts_with_text(a.then) and isinstance(definition_of(r, a.target), t.Routine)


def describe_replaced_rule(r: ResolvedBook, a: t.Exception_) -> str:
    """Return what is replaced, as `instead of The King's Favor` or `do not lose X VP to the enemy`."""
    definition, clause, others = (
        definition_of(r, a.target),
        describe_condition_clause(r, a.condition),
        _describe_limit(r, a) + _describe_precedence(r, a),
    )
    inside = f" in “{title_of(r, a.inside)}”" if a.inside is not None else ""
    if not isinstance(definition, t.Routine):
        if definition is not None and a.edge:
            title = describe_replaced_event(definition, a.edge)
        else:
            title = uncapitalize_title(title_of(r, a.target))
        return f"instead of {title}{inside}{',' if clause else ''}{clause}{others}"
    title = describe_without_amounts(definition)
    if a.once_per is not None or _shares_effects(a, definition) or _may_run_replaced_rule(r, a):
        return f"instead of “{title}”{inside}{',' if clause else ''}{clause}{others}"
    return f"do not {title}{inside}{clause}{others}"


def _shares_effects(a: t.Exception_, routine: t.Routine) -> bool:
    """Return True if the replacement runs effects that the routine runs, so that `do not` would be wrong."""

    def effect_fields(block: t.Block) -> set[str]:
        """Return the names of the effect fields that a block runs (`do FIELD of THING`)."""
        return {node.field.word for step in block for node in walk(step) if isinstance(node, t.DoField)}

    return bool(effect_fields(a.then) & effect_fields(routine.block))


def _may_run_replaced_rule(r: ResolvedBook, a: t.Exception_) -> bool:
    """Return True if the replacement may run what it replaces."""
    definition = definition_of(r, a.target)
    for node in walk(a.then):
        if any(definition_of(r, name) is definition for name in iter_role_values(node, Role.RUNS)):
            return True
    return False


# --- outlines -----------------------------------------------------------------------------------


def outline_ability(resolved: ResolvedBook, ability: t.Ability) -> OutlineLine:
    """Return an ability as a line, with its steps below if there are several."""
    if isinstance(ability, t.When) and needs_outline(resolved, ability.block):
        return OutlineLine(to_sentence(f"{describe_when(resolved, ability)}:"), outline_block(resolved, ability.block))
    if isinstance(ability, t.AddedOption) and needs_outline(resolved, ability.block):
        head = to_sentence(f"{_describe_option_head(resolved, ability)}:")
        return OutlineLine(head, outline_block(resolved, ability.block))
    if isinstance(ability, t.Exception_) and _is_told(resolved, ability):
        return OutlineLine(to_sentence(describe(resolved, ability)))
    if isinstance(ability, t.Exception_) and ability.rule is None and needs_outline(resolved, ability.then):
        return OutlineLine(
            to_sentence(f"{_replacement_heading(resolved, ability)}:"), outline_block(resolved, ability.then)
        )
    return OutlineLine(to_sentence(describe(resolved, ability)))


def _replacement_heading(r: ResolvedBook, a: t.Exception_) -> str:
    """Return what an exception replaces as a heading; `, but` follows a `do not ...`."""
    head = describe_replaced_rule(r, a)
    return f"{head}, but" if head.startswith("do not") else head
