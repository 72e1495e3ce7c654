"""Values in words: `your battle strength`, `the number of your buildings`, `players with the most VP`."""

from __future__ import annotations

from collections.abc import Sequence

from edict.language import tree as t
from edict.language.walking import walk
from edict.meaning.symbols import Local, Resolved, Symbol, keep_of
from edict.words.binding import (
    PHRASE, SUM, bracketed, chain, closed, listed, members, open_ended, phrase, rank, said_less, written_out,
)  # fmt: skip
from edict.words.bound import local_words
from edict.words.plurals import countable, definite, is_many
from edict.words.telling import CLOSED, tell, tells
from edict.words.titles import an, forms, joined, lower_first, many_of, of, the, title_of
from edict.words.typed import of_things

SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by", "mod": "modulo"}
OWNED = {"you": "your", "they": "their", "it": "its"}
HAS = {"you": "you have", "they": "they have"}
OF_TWO = {"sum": "sum", "best": "larger", "least": "smaller"}
OF_MORE = {"sum": "sum", "best": "largest", "least": "smallest"}
JOINTS = {"resource": "in", "group": "in", "player": "by"}


def title_as_value(title: str) -> str:
    return the(lower_first(title))


@tells(t.Number, ends=CLOSED)
def _number(r: Resolved, e: t.Number) -> str:
    return str(e.value)


@tells(t.Name, ends=CLOSED)
def name(r: Resolved, e: t.Name) -> str:
    meaning = r.meaning.get(e)
    if isinstance(meaning, Local):
        return local_words(r, meaning)
    if meaning is None:
        return e.word.replace("-", " ")
    if meaning.sort == "setting":
        title = lower_first(title_of(r, e))
        return f"the number of {title}" if countable(title) else the(title)
    if meaning.sort in ("keep", "quantity", "value"):
        several = isinstance(meaning.definition, t.Keep) and meaning.definition.type.shape in ("set", "order", "bag")
        return title_as_value(title_of(r, e, many=several))
    return many_of(r, e) if meaning.sort in ("kind", "group", "player") else title_of(r, e)


# --- of something ----------------------------------------------------------------------------------


@tells(t.Apply)
def applied(r: Resolved, e: t.Apply) -> str:
    """`your gold`, `the rank of the advisor`, `your visits to that advisor`, `what you have of that good`."""
    derived = written_out(r, e)
    if derived is not None:
        return tell(r, derived)
    args = [phrase(r, arg) for arg in e.args]
    meaning = r.meaning.get(e.head)
    if isinstance(meaning, Local):
        return f"what {HAS.get(args[0], f'{args[0]} has')} of {local_words(r, meaning)}"
    head = title_of(r, e.head, many=True)
    whose = next((i for i, arg in enumerate(args) if arg in OWNED and arg != "it"), None)
    whose = 0 if whose is None and args[0] == "it" else whose
    base = f"{OWNED[args[whose]]} {head}" if whose is not None else the(head)
    rest = [(i, arg) for i, arg in enumerate(args) if i != whose]
    for i, arg in rest:
        base = of(base, arg) if i == 0 else f"{base} {_joint(r, e, i)} {arg}"
    return base


def _joint(r: Resolved, e: t.Apply, i: int) -> str:
    meaning = r.meaning.get(e.head)
    definition = meaning.definition if isinstance(meaning, Symbol) else None
    if not isinstance(definition, t.Quantity | t.Keep):
        return "in"
    kind = r.meaning.get(definition.params[i].kind) if i < len(definition.params) else None
    return JOINTS.get(kind.sort, "for") if isinstance(kind, Symbol) else "for"


# --- computing -------------------------------------------------------------------------------------


def sum_words(r: Resolved, e: t.Binary) -> str:
    """An arithmetic operation: in another order, or with parentheses, where it could be misread."""
    if e.op == "+" and isinstance(e.left, t.Name) and e.left.word == "nobody":
        return tell(r, e.right)
    if e.op in ("+", "-") and of_things(r, e):
        return _things_together(r, e)
    if isinstance(e.left, t.Number) and isinstance(e.right, t.Number) and e.op != "mod":
        return f"{e.left.value} {e.op} {e.right.value}"
    if said_less(r, e):
        return f"{tell(r, e.right)} less than {bracketed(tell(r, e.left), rank(r, e.left) == SUM)}"
    terms = chain(r, e)
    words = [bracketed(tell(r, one.value), one.reckoned or one.open and one is not terms[-1]) for one in terms]
    if e.op == "*" and len(terms) == 2 and terms[1].value is e.left and words[0] == "2":
        return f"twice {words[1]}"
    return words[0] + "".join(f" {SIGNS[one.sign]} {said}" for one, said in zip(terms[1:], words[1:], strict=True))


def _things_together(r: Resolved, e: t.Binary) -> str:
    """Sets, bags or dice joined and taken away: `your buildings and the oak`, `everyone but you`."""
    if e.op == "-" and isinstance(e.left, t.Name) and e.left.word == "everyone":
        return f"everyone but {_taken(r, e.right)}"
    if e.op == "-" and isinstance(e.left, t.Where):
        return f"the {tell(r, e.left)}, except {_taken(r, e.right)}"
    other = isinstance(e.left, t.Binary) and e.left.op != e.op
    left = bracketed(tell(r, e.left), other or isinstance(e.left, t.OfMembers))
    return f"{left} {'and' if e.op == '+' else 'without'} {_taken(r, e.right)}"


def _taken(r: Resolved, e: t.Expr) -> str:
    return bracketed(tell(r, e), isinstance(e, t.Binary))


VALUES = {
    "count": "the number of {}", "faces": "the different numbers on {}", "first": "the first of {}",
    "last": "the last of {}", "left": "the player to the left of {}",
    "right": "the player to the right of {}", "text": "the text of {}",
}  # fmt: skip


def unary_words(r: Resolved, e: t.Unary) -> str:
    """What is not a condition: `the number of your buildings`."""
    arg = definite(r, e.arg) if e.op in ("first", "last") else members(r, e.arg)
    if e.op == "count" and arg == "everyone":
        return "the number of players"
    if e.op == "count" and keep_of(r, e.arg) is not None and not is_many(r, e.arg):
        return f"the number of {_members(r, e.arg)} in {arg}"
    if e.op == "total":
        return arg if arg == "the roll" else f"the total of {arg}"
    if e.op == "minus":
        return f"-{phrase(r, e.arg)}"
    return VALUES[e.op].format(arg.removeprefix("the ") if e.op == "count" else arg)


def _members(r: Resolved, e: t.Expr) -> str:
    """What lies somewhere: `cards`, in a deck."""
    kind = r.book.definitions.get(r.types[e].kind) if e in r.types else None
    return forms(kind.title)[1].lower() if isinstance(kind, t.Kind) and kind.title else "things"


@tells(t.Listed)
def _listed(r: Resolved, e: t.Listed) -> str:
    return joined(tell(r, member) for member in e.members)


# --- members ---------------------------------------------------------------------------------------


def conjuncts(e: t.Expr) -> list[t.Expr]:
    """The parts that are joined by `and`."""
    return [*conjuncts(e.left), *conjuncts(e.right)] if isinstance(e, t.Binary) and e.op == "and" else [e]


@tells(t.Best)
def _best(r: Resolved, e: t.Best) -> str:
    return f"{tell(r, e.members)} with {rankings(r, e.keys)}"


def rankings(r: Resolved, keys: Sequence[tuple[str, t.Expr]]) -> str:
    """`the most VP, then the fewest buildings`."""
    return ", then ".join(f"the {key_words(r, word, key)}" for word, key in keys)


def ranking(r: Resolved, winners: t.Expr) -> tuple[str, str, list[str]] | None:
    """Among whom the best is looked for (nothing: all players), by what, and what decides ties; None if not so."""
    if not isinstance(winners, t.Best):
        return None
    whom = tell(r, winners.members)
    first, *ties = (f"the {key_words(r, word, key)}" for word, key in winners.keys)
    return "" if whom in ("everyone", "players") else whom, first, ties


def key_words(r: Resolved, word: str, key: t.Expr) -> str:
    """`most VP`, `fewest buildings`, `lowest rank`."""
    counted = isinstance(key, t.Unary) and key.op == "count" or _counted(r, key)
    word = word if counted else {"most": "highest", "fewest": "lowest"}.get(word, word)
    own = isinstance(key, t.Name) and key.word == "it"  # of the numbers on dice, or of a set
    words = "number" if own else tell(r, key).removeprefix("the number of ").removeprefix("the ")
    for whose in ("their ", "its "):
        words = words.removeprefix(whose)
    words = words.replace("of their ", "of ")
    return words if words.startswith(f"{word} ") else f"{word} {words}"


def _counted(r: Resolved, key: t.Expr) -> bool:
    meaning = r.meaning.get(key.head) if isinstance(key, t.Apply) else None
    return isinstance(meaning, Symbol) and meaning.sort in ("resource", "group", "die")


OVER = {"sum": "the total", "best": "the highest", "least": "the lowest"}


@tells(t.Over)
def _over(r: Resolved, e: t.Over) -> str:
    """`the total VP of your buildings`."""
    value, whose = tell(r, e.value), members(r, e.members)
    spoken = [word for word in value.split() if word in ("it", "its", "they", "their")]
    if rank(r, e.value) < PHRASE or open_ended(r, e.value):
        spoken = []
    if len(spoken) == 1 and value.startswith(("their ", "its ")):
        return f"{OVER[e.op]} {value.partition(' ')[2]} of {whose}"
    if len(spoken) == 1 and value.endswith(" of it"):
        return f"{OVER[e.op]} of {value.removesuffix('it')}{whose}"
    nested = any(isinstance(one, t.Over) for one in walk(e.value))
    return f"{OVER[e.op]} of {bracketed(value, nested)}, over {whose}"


@tells(t.OfSeveral)
def _of_several(r: Resolved, e: t.OfSeveral) -> str:
    """`the larger of your gold plus 1 and your wood`: what needs no parentheses there comes last."""
    phrases = [one for one in e.values if rank(r, one) == PHRASE] or [e.values[-1]]
    last = next((one for one in phrases if open_ended(r, one)), phrases[-1])
    values = [*(one for one in e.values if one is not last), last]
    return f"the {(OF_TWO if len(e.values) == 2 else OF_MORE)[e.op]} of {joined(listed(r, values))}"


@tells(t.CountIn, ends="bag")
def _count_in(r: Resolved, e: t.CountIn) -> str:
    """`the number of Red in the sack`."""
    return f"the number of {tell(r, e.thing)} in {tell(r, e.bag)}"


@tells(t.OfEach)
def _of_each(r: Resolved, e: t.OfEach) -> str:
    each = f"each {title_of(r, e.kind)}"
    return f"{e.number} of {each}" if e.field is None else f"{each} as often as it says under “{title_of(r, e.field)}”"


@tells(t.CopiesOf)
def _copies_of(r: Resolved, e: t.CopiesOf) -> str:
    return f"{e.number} {tell(r, e.thing)}"


@tells(t.PositionIn, ends="order")
def _position_in(r: Resolved, e: t.PositionIn) -> str:
    return f"the place of {tell(r, e.thing)} in {tell(r, e.order)}"


@tells(t.InSupply, ends=CLOSED)
def _in_supply(r: Resolved, e: t.InSupply) -> str:
    return f"the number of {many_of(r, e.resource)} left in the supply"


@tells(t.Track)
def _track(r: Resolved, e: t.Track) -> str:
    *first, last = e.steps
    end = bracketed(tell(r, last), rank(r, last) < PHRASE or open_ended(r, last))
    steps = ", ".join([*(closed(r, one) for one in first), end])
    return f"what stands at place {closed(r, e.at)} of the track {steps}"


@tells(t.FirstAfter)
def _first_after(r: Resolved, e: t.FirstAfter) -> str:
    who = tell(r, e.player)
    side = f"{OWNED[who]} left" if who in OWNED else f"the left of {who}"
    return f"the next player to {side} among {tell(r, e.members)}"


@tells(t.Showing)
def _showing(r: Resolved, e: t.Showing) -> str:
    return f"{an(title_of(r, e.die))} showing {tell(r, e.face)}"


@tells(t.Among, ends="dice")
def _among(r: Resolved, e: t.Among) -> str:
    shown = f" that show {tell(r, e.face)}" if e.face is not None else ""
    return f"the {title_of(r, e.die, many=True)}{shown} among {tell(r, e.dice)}"
