"""Phrases for conditions, as `it is summer and either you have gold or you have wood`.

A comparison may be worded by what it counts, and a truth value by its name, as `the option “Draft” is on`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from edict.compiler.english.amounts import describe_alternatives
from edict.compiler.english.phrases import (
    RANKS,
    Phrase,
    PhraseEnd,
    Strength,
    describe,
    describes,
    inherit_end,
    join_conditions,
    join_exactly_if,
    make_dice_relative,
    to_phrase,
)
from edict.compiler.english.plurals import (
    describe_definite,
    describe_subject,
    has_players,
    is_collection,
    is_dice,
    is_plural,
    is_truth,
)
from edict.compiler.english.possession_phrases import (
    AMOUNT_PHRASES,
    describe_comparison_with_none,
    describe_emptiness,
    describe_holder,
    describe_local_possession,
    describe_no_dice,
    describe_possession,
)
from edict.compiler.english.titles import describe_binding, get_binder, get_field, plural_of, title_of
from edict.compiler.english.value_phrases import HAVE_PHRASES, describe_arithmetic, describe_unary
from edict.compiler.semantics.effects import collect_changed_meanings
from edict.compiler.semantics.symbols import (
    Local,
    ResolvedBook,
    Symbol,
    definition_of,
    keep_of,
    meaning_of_place,
    split_parts,
)
from edict.compiler.syntax import tree as t
from edict.support.morphology import (
    count_noun,
    join_words,
    make_possessive,
    spell_name,
    split_title,
    uncapitalize_title,
)

NEGATED_OPERATORS = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not-in", "not-in": "in",
            "within": "not-within"}  # fmt: skip
REACHING_VERBS = {
    ">=": (("is at least", "reaches"), ("are at least", "reach")),
    ">": (("is more than", "exceeds"), ("are more than", "exceed")),
}


def describe_condition(r: ResolvedBook, e: t.Expr, holds: bool = True) -> str:
    """Return a clause that says that a condition holds, or that it does not."""
    return phrase_condition(r, e, holds).text


def phrase_condition(r: ResolvedBook, e: t.Expr, holds: bool = True) -> Phrase:
    """Return a clause that says that a condition holds, or that it does not, with its binding strength."""
    if isinstance(e, t.Binary) and e.op in ("and", "or"):
        op = e.op if holds else {"and": "or", "or": "and"}[e.op]
        arms = _split_variable_operands(r, e, e.op)
        shared_phrase = _join_names(r, arms) if op == "or" and holds else None
        return shared_phrase or join_conditions(op, (phrase_condition(r, arm, holds) for arm in arms))
    if isinstance(e, t.Binary) and e.op in COMPARISON_VERBS:
        return _phrase_equal_truths(r, e, holds) or describe_comparison(
            r, e, e.op if holds else NEGATED_OPERATORS[e.op]
        )
    if isinstance(e, t.Unary) and e.op == "not":
        return phrase_condition(r, e.arg, not holds)
    if isinstance(e, t.Unary) and e.op in ("empty", "not-empty"):
        return inherit_end(describe_emptiness(r, e.arg, (e.op == "empty") == holds), (to_phrase(r, e.arg),))
    if isinstance(e, t.During):
        return Phrase(_describe_during(r, e, holds))
    if isinstance(e, t.Quantified):
        return _phrase_quantified_condition(r, e, holds)
    if isinstance(e, t.CanPay):
        is_list = len(e.options) > 1 or len(split_parts(r, e.options[0])) > 1
        words = f"you {'can' if holds else 'cannot'} pay {describe_alternatives(r, e.options)}"
        return Phrase(words, ends=PhraseEnd.CLAUSE if is_list else PhraseEnd.OPEN)
    if isinstance(e, t.Name | t.Apply):
        return Phrase(describe_truth(r, e, holds))
    return to_phrase(r, e)


def describe_awaited_condition(r: ResolvedBook, e: t.Expr) -> str:
    """Return the condition until which something is repeated, as `the year reaches 5`."""
    return _phrase_awaited_condition(r, e).text


def _phrase_awaited_condition(r: ResolvedBook, e: t.Expr) -> Phrase:
    """Return a condition that is waited for, with verbs of change: `the year reaches 5`, not `is at least 5`."""
    if isinstance(e, t.Binary) and e.op in ("and", "or"):
        return join_conditions(
            e.op, (_phrase_awaited_condition(r, arm) for arm in _split_variable_operands(r, e, e.op))
        )
    inner = e.condition if isinstance(e, t.Quantified) else e
    words = phrase_condition(r, e)
    if isinstance(inner, t.Binary) and inner.op in REACHING_VERBS:
        for verb, instead in REACHING_VERBS[inner.op]:
            words = replace(words, text=words.text.replace(f" {verb} ", f" {instead} ", 1))
    return words


def _join_names(r: ResolvedBook, arms: list[t.Expr]) -> Phrase | None:
    """Return conditions that differ only in a name as one: `the enemy is Goblins or Orcs`; None for others."""
    split_arms = [_split_name(r, arm) for arm in arms]
    if len(arms) < 2 or "" in (name for _, name in split_arms) or len({subject for subject, _ in split_arms}) > 1:
        return None
    return Phrase(
        join_words((phrase_condition(r, arms[0]).text, *(name for _, name in split_arms[1:])), "or"),
        ends=PhraseEnd.OPEN,
    )


def _split_name(r: ResolvedBook, e: t.Expr) -> tuple[str, str]:
    """Return (the rest, the title) of a condition `X = NAME`, `NAME in X` or `during NAME`; else ("", "")."""
    subject, name = "", None
    if isinstance(e, t.Binary) and e.op in ("=", "in"):
        sides = (e.left, e.right) if e.op == "=" else (e.right, e.left)
        subject, name = f"{e.op} {describe(r, sides[0])}", sides[1]
    elif isinstance(e, t.During):
        subject, name = "during", e.phase
    meaning = r.meaning.get(name) if isinstance(name, t.Name) else None
    if isinstance(name, t.Name) and isinstance(e, t.During):
        title = uncapitalize_title(title_of(r, name))
    else:
        title = ""
    if isinstance(meaning, Symbol) and meaning.sort == "thing" and isinstance(name, t.Name):
        title = title_of(r, name)
    if title and phrase_condition(r, e).text.endswith(f" {title}"):
        return (subject, title)
    return ("", "")


@describes(t.Binary, t.Listed)
def _describe_binary(r: ResolvedBook, e: t.Binary) -> Phrase:
    """Describe arithmetic as a value, and comparisons and `and`/`or` as a condition that holds."""
    return describe_arithmetic(r, e) if e.op in RANKS else phrase_condition(r, e)


@describes(t.Unary)
def _describe_unary(r: ResolvedBook, e: t.Unary) -> Phrase:
    """Describe `not`, `empty` and `not-empty` as a condition, and other unary operators as a value."""
    if e.op in ("not", "empty", "not-empty"):
        return phrase_condition(r, e)
    return describe_unary(r, e)


describes(t.During, t.Quantified, t.CanPay)(phrase_condition)


def _split_variable_operands(r: ResolvedBook, e: t.Expr, op: str) -> list[t.Expr]:
    """Return the operands of `and` or `or`, without those that no rule ever changes."""
    operands = _split_operands(e, op)
    variable = [arm for arm in operands if not _is_constant(r, arm, op == "and")]
    return variable or operands


def _split_operands(e: t.Expr, op: str) -> list[t.Expr]:
    """Return the operands of a nested `and` or `or`, left to right; an expression of another kind alone."""
    if isinstance(e, t.Binary) and e.op == op:
        return [*_split_operands(e.left, op), *_split_operands(e.right, op)]
    return [e]


def _is_constant(r: ResolvedBook, e: t.Expr, holds: bool) -> bool:
    """Return True if a truth `keep` that no rule changes has the initial value `holds`; `not` is followed."""
    if isinstance(e, t.Unary) and e.op == "not":
        return _is_constant(r, e.arg, not holds)
    keep = keep_of(r, e)
    if keep is None or keep.type.shape != "truth" or meaning_of_place(r, e) in collect_changed_meanings(r):
        return False
    return holds == (isinstance(keep.start, t.Name) and keep.start.word == "yes")


def _phrase_equal_truths(r: ResolvedBook, e: t.Binary, holds: bool) -> Phrase | None:
    """Return the comparison of two truths, as `it is on a strip exactly if ...`; None for other values."""
    if e.op not in ("=", "!=") or not all(is_truth(r, side) for side in (e.left, e.right)):
        return None
    is_equal = (e.op == "=") == holds
    if isinstance(e.right, t.Name) and e.right.word in ("yes", "no"):
        return phrase_condition(r, e.left, (e.right.word == "yes") == is_equal)
    return join_exactly_if(phrase_condition(r, e.left), phrase_condition(r, e.right, is_equal))


def _describe_during(r: ResolvedBook, e: t.During, holds: bool) -> str:
    """Describe `during PHASE`, or its opposite, as `it is not summer` or `“Long Phase” is under way`."""
    title = title_of(r, e.phase)
    if " " not in title:
        return f"it is {'' if holds else 'not '}{uncapitalize_title(title)}"
    return f"“{title}” is {'' if holds else 'not '}under way"


def _phrase_quantified_condition(r: ResolvedBook, e: t.Quantified, holds: bool = True) -> Phrase:
    """Return a condition on members, as `some other player's VP is ...` or `for every good, ...`."""
    if (priced := _find_price(r, e)) is not None:
        return Phrase(f"you {'can' if holds else 'cannot'} pay {describe(r, priced)}", ends=PhraseEnd.OPEN)
    if is_dice(r, e.members):
        op = {"every": ("all", "not all"), "some": ("some", "none"), "no": ("none", "some")}[e.op][not holds]
        shown = make_dice_relative(phrase_condition(r, e.condition))
        return replace(shown, text=f"{op} of {describe(r, e.members)} {shown.text.removeprefix('that ')}")
    op = e.op if holds else {"every": "some", "some": "no", "no": "some"}[e.op]
    subject = f"{_describe_quantified_members(r, e.members, op)}{describe_binding(r, e)}"
    words = phrase_condition(r, e.condition, holds or "no" in (e.op, op))
    players = has_players(r, e.members)
    pronoun, whose = ("they", "their") if players else ("it", "its")
    words_ = words.text.split()
    if words.binds == Strength.PHRASE and words_.count(pronoun) + words_.count(whose) == 1:
        left = describe(r, e.condition.left) if isinstance(e.condition, t.Binary) else ""
        starts_with_own = left.startswith(f"{whose} ") and words.text.startswith(left)
        if " of " in subject and starts_with_own and to_phrase(r, e.members).ends < PhraseEnd.OPEN:
            head = f"the {left.removeprefix(f'{whose} ')} of {subject}"
            return replace(words, text=f"{head}{words.text.removeprefix(left)}")
        if " of " not in subject and words.text.startswith(f"{whose} "):
            return replace(words, text=f"{make_possessive(subject)} {words.text.removeprefix(f'{whose} ')}")
        if op != "no" and words.text.startswith("you have ") and f" of {pronoun}" in words.text:
            return replace(words, text=words.text.replace(f" of {pronoun}", f" of {subject}", 1))
        if words.text.startswith("they have "):
            return replace(words, text=f"{subject} has {words.text.removeprefix('they have ')}")
    return Phrase(f"for {subject}, {words}", ends=PhraseEnd.CLAUSE, last=words.last)


def _find_price(r: ResolvedBook, e: t.Quantified) -> t.Apply | None:
    """Return `price of what` for a condition that you have as much of every good as the price asks; else None."""
    if isinstance(e.condition, t.Binary):
        cost, own = (e.condition.left, e.condition.right)
    else:
        cost, own = (None, None)
    if e.op != "every" or not isinstance(cost, t.Apply) or not isinstance(own, t.Apply) or len(cost.args) != 2:
        return None
    assert isinstance(e.condition, t.Binary)
    member, paid = r.meaning.get(own.head), cost.args[1]
    is_per_member = isinstance(paid, t.Name) and isinstance(member, Local) and r.meaning.get(paid) == member
    is_own = e.condition.op == "<=" and [getattr(arg, "word", "") for arg in own.args] == ["you"]
    return replace(cost, args=cost.args[:1]) if is_per_member and is_own else None


def _describe_quantified_members(r: ResolvedBook, members: t.Expr, op: str) -> str:
    """Return the subject of a condition on members, as `every player` or `some of your buildings`."""
    words = describe(r, members)
    if words.startswith("the numbers from "):
        return f"{op} number {words.removeprefix('the numbers ')}"
    if words == "everyone but you":
        return f"{op} other player"
    if words == "everyone":
        return f"{op} player"
    if isinstance(members, t.Name) and not isinstance(r.meaning.get(members), Local) and keep_of(r, members) is None:
        return f"{op} {title_of(r, members)}"
    return f"{ ({'every': 'each', 'no': 'none'}.get(op, op)) } of {describe_subject(r, members)}"


# A single noun, which one has and is not: `stance`, but not `tired`.
_NOUN_SUFFIX = re.compile(r"^\S+(?:ance|ence|tion|sion|ment|ness|ship|ity|ism|hood|dom)$", re.IGNORECASE)


def describe_truth(r: ResolvedBook, e: t.Name | t.Apply, holds: bool) -> str:
    """Return a clause for a truth value (keep, field, setting, `let`) that holds or not, as `the game is over`."""
    name = e.head if isinstance(e, t.Apply) else e
    meaning = r.meaning.get(name)
    if isinstance(meaning, Local):
        words = describe(r, e)
        if isinstance(get_binder(r, meaning), t.Let):
            return f"{words} is {'true' if holds else 'not true'}"
        return words if holds else f"not {words}"
    if meaning is None or meaning.sort == "builtin":
        return {"yes": "always", "no": "never"}.get(name.word, describe(r, e))
    if meaning.sort == "setting":
        return f"the option “{option_title(title_of(r, name))}” is {'on' if holds else 'off'}"
    if not isinstance(e, t.Apply):
        title = title_of(r, name)
        if " " not in title:
            return f"“{title}” {'holds' if holds else 'does not hold'}"
        return title if holds else _negate_clause(title)
    return _describe_owned_truth(r, e, meaning, holds)


def option_title(title: str) -> str:
    """Return the name of an option: the part of its title before a colon."""
    return title.partition(":")[0]


def _describe_owned_truth(r: ResolvedBook, e: t.Apply, meaning: Symbol, holds: bool) -> str:
    """Return `you won the last battle` or `the advisor is off the board`; without a title, `“won” holds for you`."""
    who = describe(r, e.args[0])
    definition = meaning.definition
    fields = [get_field(r, kind, meaning.name) for kind in r.fields.get(meaning.name, ())]
    if definition:
        title = split_title(definition.title)[0]
    else:
        title = next((field_.title for field_ in fields if field_), "")
    further_args = "".join(f" for {describe(r, arg)}" for arg in e.args[1:])
    verb, owner = "are" if who in HAVE_PHRASES else "is", {"they": "them"}.get(who, who)
    if not title or further_args or _NOUN_SUFFIX.search(title):
        return (
            f"“{title or spell_name(meaning.name)}” {'holds' if holds else 'does not hold'} for {owner}{further_args}"
        )
    if meaning.sort in ("field", "value") or " " not in title:
        return f"{who} {verb} {'' if holds else 'not '}{uncapitalize_title(title)}"
    if title.startswith(("the ", "a ", "an ")):
        if not holds:
            return f"{who} {'do' if who in HAVE_PHRASES else 'does'} not have {title}"
        return f"{who} {'have' if who in HAVE_PHRASES else 'has'} {title}"
    return f"{who} {title}" if holds else _negate_deed(who, title)


def _negate_clause(clause: str) -> str:
    """Return the opposite of a clause, as `the turn is not over`."""
    for verb in (" is ", " are ", " has ", " have "):
        if verb in clause:
            return clause.replace(verb, f"{verb}not ", 1)
    return f"it is not the case that {clause}"


def _negate_deed(who: str, deed: str) -> str:
    """Return the opposite of a deed, as `you have not won the last battle`."""
    first, _, participle_rest = deed.partition(" ")
    have = "have" if who in HAVE_PHRASES else "has"
    if first in ("have", "has"):
        return f"{who} {have} not {participle_rest}"
    if not first.endswith("s"):
        return f"{who} {have} not {deed}"
    return f"it is not the case that {who} {deed}"


COMPARISON_VERBS = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
    "in": "is one of",
    "not-in": "is not one of",
    "within": "is among",
    "not-within": "is not among",
}


def describe_comparison(r: ResolvedBook, e: t.Binary, op: str) -> Phrase:
    """Return a comparison with the operator `op` as a clause."""
    parts = to_phrase(r, e.left), to_phrase(r, e.right)
    for special in (
        describe_equal_dice,
        describe_shown_number,
        describe_divisibility,
        describe_local_possession,
        describe_possession,
        describe_no_dice,
        describe_holder,
        describe_comparison_with_none,
        describe_containment,
        describe_ownership,
    ):
        words = special(r, e, op)
        if words:
            return inherit_end(words, parts, PhraseEnd.OPEN)
    left, right = parts[0].as_clause.text, _describe_right_side(r, e.right)
    if right in ("you", "they") and op in ("=", "!=") and not _is_unnamed_set(r, e.left):
        left, right = right, left  # `you are the builder` rather than `the builder is you`
    if isinstance(e.right, t.Name) and right.startswith("the ") and left.endswith(f" {right.removeprefix('the ')}"):
        right = f"the current {right.removeprefix('the ')}"
    return inherit_end(f"{left} {_agree_verb(r, e.left, left, COMPARISON_VERBS[op])} {right}", parts, PhraseEnd.OPEN)


def describe_equal_dice(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `count of faces of hand of you = 1`: all of the dice show the same number; empty for others."""
    faces = e.left.arg if isinstance(e.left, t.Unary) and e.left.op == "count" else None
    if not isinstance(faces, t.Unary) or faces.op != "faces" or not isinstance(e.right, t.Number):
        return ""
    dice, many = describe_subject(r, faces.arg), e.right.value
    if many == 1 and op in ("=", "<=", "!=", ">"):
        return f"{'' if op in ('=', '<=') else 'not '}all of {dice} show the same number"
    if op in AMOUNT_PHRASES:
        return f"{dice} show {AMOUNT_PHRASES[op]} {count_noun(many, 'different number')}"
    return ""


def describe_shown_number(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `1 is in faces of hand of you`: some of your dice show 1; empty for others."""
    if not isinstance(e.right, t.Unary) or e.right.op != "faces" or op not in ("in", "not-in"):
        return ""
    return f"{'some' if op == 'in' else 'none'} of {describe_subject(r, e.right.arg)} show {describe(r, e.left)}"


def describe_divisibility(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `rank of it mod 5 = 0`: the rank is divisible by 5; empty for others."""
    if not isinstance(e.left, t.Binary) or e.left.op != "mod" or op not in ("=", "!="):
        return ""
    divisor, rest = (side.value if isinstance(side, t.Number) else None for side in (e.left.right, e.right))
    many = is_plural(r, e.left.left)
    if divisor is None or rest != 0 and (divisor, rest, many) != (2, 1, False):
        return ""
    subject = to_phrase(r, e.left.left).as_clause.text
    parity = f"divisible by {divisor}"
    if divisor == 2 and not many:
        parity = "odd" if rest else "even"
    return f"{subject} {_agree_verb(r, e.left.left, subject, COMPARISON_VERBS[op])} {parity}"


def _describe_right_side(r: ResolvedBook, e: t.Expr) -> str:
    """Describe the right side of an `is`; the truths `yes` and `no` become `so` and `not so`."""
    if isinstance(e, t.Name):
        return {"yes": "so", "no": "not so"}.get(e.word, describe(r, e))
    return describe_definite(r, e)


def _is_unnamed_set(r: ResolvedBook, e: t.Expr) -> bool:
    """Return True for a set, order, bag or dice given by an expression other than a name."""
    return is_collection(r, e) and not isinstance(e, t.Name)


def _agree_verb(r: ResolvedBook, subject: t.Expr, words: str, verb: str) -> str:
    """Return a verb phrase with `are` in place of `is` if its subject, or the words for it, are in the plural."""
    if words in ("you", "they") or is_plural(r, subject):
        return verb.replace("is", "are", 1)
    return verb


def describe_containment(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `demons is in attackers`: the attackers include Demons; empty for others."""
    if op in ("within", "not-within"):
        return _describe_subset(r, e, op == "within")
    meaning = r.meaning.get(e.left) if isinstance(e.left, t.Name) else None
    if op not in ("in", "not-in") or not isinstance(meaning, Symbol) or meaning.sort != "thing":
        return ""
    many = is_plural(r, e.right)
    if op == "in":
        verb = "include" if many else "includes"
    else:
        verb = "do not include" if many else "does not include"
    return f"{describe_subject(r, e.right)} {verb} {describe(r, e.left)}"


def describe_ownership(r: ResolvedBook, e: t.Binary, op: str) -> str:
    """Describe `what is in owned of you`, of a building: the building is yours; empty for others."""
    place = e.right if isinstance(e.right, t.Apply) and len(e.right.args) == 1 else None
    keep = definition_of(r, place.head) if place is not None else None
    if (
        place is None
        or op not in ("in", "not-in")
        or not isinstance(keep, t.Keep)
        or describe(r, place.args[0]) != "you"
    ):
        return ""
    kind = keep.type.name
    if kind is None or title_of(r, place.head, many=True) != plural_of(r, kind):
        return ""
    left = to_phrase(r, e.left).as_clause.text
    return f"{left} {_agree_verb(r, e.left, left, 'is' if op == 'in' else 'is not')} yours"


def _describe_subset(r: ResolvedBook, e: t.Binary, holds: bool) -> str:
    """Describe that a set is within another one, or not, as `all your cards are among the drawn cards`."""
    left = describe_subject(r, e.left)
    all_ = "all " if holds and not left.startswith(("all ", "the ", "your ")) else ""
    return f"{all_}{left} {'are' if holds else 'are not all'} among {describe_definite(r, e.right)}"
