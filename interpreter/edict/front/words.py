"""Rules told in English sentences, made from the tree: what a card does, what an option means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.front import tree as t
from edict.front.symbols import Local, Resolved, Symbol

OPERATORS = {
    "=": "is", "!=": "is not", "<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least",
    "in": "is one of", "not-in": "is not one of", "within": "is within",
    "+": "plus", "-": "minus", "*": "times", "/": "divided by", "mod": "modulo", "and": "and", "or": "or",
}  # fmt: skip


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", ":")) else ".") if text else ""


def thing_words(resolved: Resolved, thing: t.Thing) -> str:
    """What a thing does: its effects and abilities, a sentence each."""
    kind = resolved.get(thing.kind.word)
    effects = [f for f in thing.fields if f.block]
    sentences = []
    for field in effects:
        text = block_words(resolved, field.block or ())
        several = len([f for f in kind.fields if f.type and f.type.shape == "effect"]) > 1
        sentences.append(sentence(f"{title_of(resolved, field.name)}: {text}" if several else text))
    sentences += [sentence(ability_words(resolved, a)) for a in thing.abilities]
    return " ".join(sentences)


def title_of(resolved: Resolved, name: t.Name, many: bool = False) -> str:
    """The title of what a name means, or the name itself."""
    meaning = resolved.meaning.get(name)
    definition = meaning.definition if isinstance(meaning, Symbol) else None
    title = (definition.title if definition else "") or name.word.replace("-", " ")
    one, _, several = title.partition("/")
    return several or one if many else one


# --- amounts -------------------------------------------------------------------------------------


def part_words(resolved: Resolved, part: t.Part | t.PartFrom) -> str:
    count = expr_words(resolved, part.amount)
    if isinstance(part, t.PartFrom):
        return f"{count} of your choice from {expr_words(resolved, part.source)}"
    many = not (isinstance(part.amount, t.Number) and part.amount.value == 1)
    if part.each:
        what = title_of(resolved, part.what)
        if part.beside is not None and isinstance(resolved.meaning.get(part.beside), Local):
            return f"{count} of each other {what}"
        return f"{count} of each {what}" + (f" except {title_of(resolved, part.beside)}" if part.beside else "")
    title = title_of(resolved, part.what, many)
    meaning = resolved.meaning.get(part.what)
    if isinstance(meaning, Symbol) and meaning.sort == "group":
        return f"{count} {title} of your choice"
    return f"{count} {title}"


def bundle_words(resolved: Resolved, bundle: t.Bundle) -> str:
    return " and ".join(part_words(resolved, p) for p in bundle.parts)


def _bundles(resolved: Resolved, bundles: tuple[t.Bundle, ...]) -> str:
    return " or ".join(bundle_words(resolved, b) for b in bundles)


# --- statements ----------------------------------------------------------------------------------


def block_words(resolved: Resolved, block: t.Block) -> str:
    return "; ".join(w for w in (stmt_words(resolved, s) for s in block) if w)


def stmt_words(resolved: Resolved, stmt: t.Stmt) -> str:
    """What a statement does, in the imperative, without a full stop."""
    return STATEMENTS[type(stmt)](resolved, stmt)


def _spend(r: Resolved, s: t.Spend) -> str:
    then = block_words(r, s.then)
    return f"spend {_bundles(r, s.options)}" + (f" to {then}" if then else "")


def _may(r: Resolved, s: t.May) -> str:
    head = stmt_words(r, s.head) if s.head else ""
    then = block_words(r, s.then)
    joined = ", then ".join(x for x in (head, then) if x)
    otherwise = block_words(r, s.otherwise)
    return f"you may {joined}" + (f"; otherwise {otherwise}" if otherwise else "")


def _choose_one(r: Resolved, s: t.ChooseOne) -> str:
    return "choose one: " + ", or ".join(b.title.lower() or block_words(r, b.block) for b in s.branches)


def _choose(r: Resolved, s: t.Choose) -> str:
    where = f" whose {expr_words(r, s.where)}" if s.where else ""
    return f"choose a {title_of(r, s.kind)}{where}"


def _if(r: Resolved, s: t.If) -> str:
    otherwise = block_words(r, s.otherwise)
    tail = f"; otherwise {otherwise}" if otherwise else ""
    return f"if {expr_words(r, s.condition)}, {block_words(r, s.then)}{tail}"


def _each(r: Resolved, s: t.Each) -> str:
    if s.source is not None and _is_parameter(r, s.source):
        return f"for the {expr_words(r, s.source)}: {block_words(r, s.block)}"
    among = f" in {expr_words(r, s.source)}" if s.source else ""
    return f"for each {title_of(r, s.kind)}{among}: {block_words(r, s.block)}"


def _is_parameter(r: Resolved, expr: t.Expr) -> bool:
    """Whether it is what a moment or routine is given, and so a single one."""
    meaning = r.meaning.get(expr) if isinstance(expr, t.Name) else None
    return isinstance(meaning, Local) and any(isinstance(node, t.Param) and b is meaning for node, b in r.binds.items())


def _repeat(r: Resolved, s: t.Repeat) -> str:
    if s.count is not None:
        return f"{expr_words(r, s.count)} times: {block_words(r, s.block)}"
    assert s.until is not None
    return f"{block_words(r, s.block)}, until {expr_words(r, s.until)}"


def _do(r: Resolved, s: t.Do) -> str:
    args = " and ".join(expr_words(r, a) for a in s.args)
    title = title_of(r, s.name, many=args != "1")
    if "_" in title:
        return title.replace("_", args)
    return f"{title[:1].lower()}{title[1:]}" + (f" {args}" if args else "")


def _roll(r: Resolved, s: t.Roll) -> str:
    return f"roll {expr_words(r, s.count)} {title_of(r, s.die, many=True)}"


def _reroll(r: Resolved, s: t.Reroll) -> str:
    if s.dice is None:
        return "reroll all your dice"
    return "reroll it" if isinstance(s.dice, t.Name) else f"reroll {expr_words(r, s.dice)}"


def _announce(r: Resolved, s: t.Announce) -> str:
    return ""


STATEMENTS: dict[type, Callable[[Resolved, Any], str]] = {
    t.Gain: lambda r, s: f"gain {_bundles(r, s.options)}",
    t.Lose: lambda r, s: f"lose {bundle_words(r, s.bundle)}",
    t.Spend: _spend,
    t.May: _may,
    t.ChooseOne: _choose_one,
    t.Choose: _choose,
    t.ChooseDie: lambda r, s: "choose one of the dice",
    t.Let: lambda r, s: "",
    t.Set: lambda r, s: f"{expr_words(r, s.place)} becomes {expr_words(r, s.value)}",
    t.Add: lambda r, s: f"add {expr_words(r, s.value)} to {expr_words(r, s.place)}",
    t.Remove: lambda r, s: f"remove {expr_words(r, s.value)} from {expr_words(r, s.place)}",
    t.Roll: _roll,
    t.Reroll: _reroll,
    t.Draw: lambda r, s: f"draw a {title_of(r, s.kind)}",
    t.Show: lambda r, s: f"{expr_words(r, s.place)} is shown to {expr_words(r, s.to)}",
    t.Announce: _announce,
    t.Trigger: lambda r, s: "",
    t.Play: lambda r, s: title_of(r, s.phase),
    t.Do: _do,
    t.DoField: lambda r, s: f"take the {title_of(r, s.field)} of {expr_words(r, s.thing)}",
    t.Arrange: lambda r, s: f"arrange {expr_words(r, s.place)} by {expr_words(r, s.key)}, {s.direction} first",
    t.Shuffle: lambda r, s: f"shuffle {expr_words(r, s.place)}",
    t.If: _if,
    t.Each: _each,
    t.Repeat: _repeat,
    t.EndGame: lambda r, s: "the game ends",
    t.Nothing: lambda r, s: "nothing",
}


# --- abilities -----------------------------------------------------------------------------------


def ability_words(resolved: Resolved, ability: t.Ability) -> str:
    return ABILITIES[type(ability)](resolved, ability)


def _if_clause(r: Resolved, condition: t.Expr | None) -> str:
    return f" if {expr_words(r, condition)}" if condition is not None else ""


def _adjust(r: Resolved, a: t.Adjust) -> str:
    by = expr_words(r, a.by)
    signed = by if by.startswith("-") else f"+{by}"
    return f"{signed} to {title_of(r, a.quantity)}{_if_clause(r, a.condition)}"


def _when(r: Resolved, a: t.When) -> str:
    title = title_of(r, a.moment)
    moment = f"at the {a.edge} of {_phase(title)}" if a.edge else title
    once = f", once per {title_of(r, a.once_per)}" if a.once_per else ""
    return f"{moment}{_if_clause(r, a.condition)}{once}: {block_words(r, a.block)}"


def _phase(title: str) -> str:
    """A phase in mid-sentence: `a productive season`, but `The King's Reward` keeps its capitals."""
    return f"every {title.lower()}" if title[1:].islower() and " " in title else title


def _shift(r: Resolved, a: t.Shift) -> str:
    by = " or ".join(f"{n:+d}" for n in a.by)
    cost = f" for {bundle_words(r, a.spending)}" if a.spending else ""
    once = f", once per {title_of(r, a.once_per).lower()}" if a.once_per else ""
    return f"you may change the total by {by}{cost}{once}{_if_clause(r, a.condition)}"


def _although(r: Resolved, a: t.Exception_) -> str:
    """Why the rule would refuse, of an exception that only allows; nothing for the others."""
    meaning = r.meaning.get(a.target)
    action = meaning.definition if isinstance(meaning, Symbol) else None
    if not isinstance(action, t.Action) or a.rule is None or a.require is not None:
        return ""
    return next((rule.because for rule in action.rules if rule.name.word == a.rule.word), "")


def _exception(r: Resolved, a: t.Exception_) -> str:
    although = _although(r, a)
    if although:
        title, then = title_of(r, a.target), block_words(r, a.then)
        allowed = f"you may {title[:1].lower()}{title[1:]} although {although}{_if_clause(r, a.condition)}"
        return f"{allowed}; then {then}" if then else allowed
    if a.rule is None:
        return _replaced(r, a)
    rule = f", {a.rule.word.replace('-', ' ')}" if a.rule else ""
    instead = f": {expr_words(r, a.require)}" if a.require is not None else ""
    then = block_words(r, a.then)
    return (
        f"exception to {title_of(r, a.target)}{rule}{_if_clause(r, a.condition)}{instead}"
        + (f"; {then}" if then else "")
    )  # fmt: skip


def _replaced(r: Resolved, a: t.Exception_) -> str:
    """What happens in place of a phase, which has a name, or of a routine, which is told in the imperative."""
    meaning, title = r.meaning.get(a.target), title_of(r, a.target)
    condition, then = _if_clause(r, a.condition), block_words(r, a.then)
    if isinstance(meaning, Symbol) and isinstance(meaning.definition, t.Routine):
        return f"do not {title.replace('_ ', '')}{condition}" + (f", but {then}" if then else "")
    return f"instead of {title}{condition}: {then}"


ABILITIES: dict[type, Callable[[Resolved, Any], str]] = {
    t.Adjust: _adjust,
    t.When: _when,
    t.Shift: _shift,
    t.Exception_: _exception,
}


# --- expressions ---------------------------------------------------------------------------------


def expr_words(resolved: Resolved, expr: t.Expr) -> str:
    return EXPRESSIONS[type(expr)](resolved, expr)


def _apply(r: Resolved, e: t.Apply) -> str:
    args = [expr_words(r, a) for a in e.args]
    head = title_of(r, e.head, many=True)
    first = {"you": "your", "it": "their"}.get(args[0])
    base = f"{first} {head}" if first else f"{head} of {args[0]}"
    return " for ".join([base, *args[1:]])


AMOUNTS = {"=": "exactly", ">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}


def _having(r: Resolved, e: t.Binary) -> str:
    """`gold of you >= 2` is `you have at least 2 gold`; nothing for what is not counted, or not yours."""
    left, right = e.left, e.right
    if not isinstance(left, t.Apply) or not isinstance(right, t.Number) or e.op not in AMOUNTS:
        return ""
    if len(left.args) != 1 or not isinstance(left.args[0], t.Name) or left.args[0].word != "you":
        return ""
    meaning = r.meaning.get(left.head)
    if not isinstance(meaning, Symbol) or meaning.sort not in ("resource", "group", "die", "quantity", "keep"):
        return ""
    none, some = (e.op, right.value) in (("=", 0), ("<", 1)), (e.op, right.value) in ((">", 0), (">=", 1))
    many = none or some or right.value != 1
    amount = "no" if none else "" if some else f"{AMOUNTS[e.op]} {right.value}"
    return " ".join(part for part in ("you have", amount, title_of(r, left.head, many)) if part)


def _quantified(r: Resolved, e: t.Quantified) -> str:
    """`for every player`, `for some other player`, `for some of the ...`, and the condition."""
    whom = expr_words(r, e.members)
    if isinstance(e.members, t.Name):
        whom = "player" if whom == "everyone" else title_of(r, e.members)
    else:
        whom = "other player" if whom == "everyone but you" else f"of {whom}"
    return f"for {e.op} {whom}, {expr_words(r, e.condition)}"


def _binary(r: Resolved, e: t.Binary) -> str:
    having = _having(r, e)
    if having:
        return having
    if e.op == "-" and isinstance(e.left, t.Name) and e.left.word == "everyone":
        return f"everyone but {expr_words(r, e.right)}"
    if e.op in ("+", "-", "*", "/") and isinstance(e.left, t.Number) and isinstance(e.right, t.Number):
        return f"{e.left.value} {e.op} {e.right.value}"
    operator = OPERATORS[e.op]
    if isinstance(e.left, t.Name) and e.left.word == "you" and operator.startswith("is "):
        operator = operator.replace("is", "are", 1)
    return f"{expr_words(r, e.left)} {operator} {expr_words(r, e.right)}"


def _unary(r: Resolved, e: t.Unary) -> str:
    arg = expr_words(r, e.arg)
    forms = {
        "minus": f"-{arg}", "not": f"not {arg}", "empty": f"{arg} is empty", "not-empty": f"{arg} is not empty",
        "count": f"the number of {arg}", "total": f"the total of {arg}", "faces": f"the different numbers on {arg}",
        "first": f"the first of {arg}", "left": f"the player to the left of {arg}",
        "right": f"the player to the right of {arg}",
    }  # fmt: skip
    return forms[e.op]


def _best(r: Resolved, e: t.Best) -> str:
    keys = ", then ".join(f"{word} {expr_words(r, key).removeprefix('the number of their ')}" for word, key in e.keys)
    return f"{expr_words(r, e.members)} with the {keys}"


def _action_choice(r: Resolved, meaning: Local | None) -> t.Choose | None:
    """The choice of an action that a local name stands for; what speaks of it from outside needs other words."""
    actions = (d for d in r.book.definitions.values() if isinstance(d, t.Action))
    choices = (choice for action in actions for choice in action.params)
    return next((choice for choice in choices if meaning is not None and r.binds.get(choice) is meaning), None)


def _name(r: Resolved, e: t.Name) -> str:
    meaning = r.meaning.get(e)
    if isinstance(meaning, Local) or meaning is None:
        choice = _action_choice(r, meaning)
        return f"the {title_of(r, choice.kind).lower()}" if choice else e.word.replace("-", " ")
    many = meaning.sort in ("kind", "group", "player")
    return title_of(r, e, many)


EXPRESSIONS: dict[type, Callable[[Resolved, Any], str]] = {
    t.Number: lambda r, e: str(e.value),
    t.Name: _name,
    t.Apply: _apply,
    t.Unary: _unary,
    t.Binary: _binary,
    t.Where: lambda r, e: f"{expr_words(r, e.members)} where {expr_words(r, e.condition)}",
    t.Best: _best,
    t.Over: lambda r, e: f"the {e.op} of {expr_words(r, e.value)} over {expr_words(r, e.members)}",
    t.Quantified: _quantified,
    t.Showing: lambda r, e: f"a {title_of(r, e.die)} showing {expr_words(r, e.face)}",
    t.Among: lambda r, e: f"the {title_of(r, e.die, many=True)} among {expr_words(r, e.dice)}",
    t.During: lambda r, e: f"it is {title_of(r, e.phase).lower()}",
}
