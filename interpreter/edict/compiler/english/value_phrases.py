"""Values in words: `your battle strength`, `the number of your buildings`, `players with the most VP`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.english.amounts import so_many
from edict.compiler.english.binding import Binding, Binds, Phrase, bracketed, ending, listed, reckoned
from edict.compiler.english.bound import local_words
from edict.compiler.english.phrase_tables import said, tell, tells, told_as
from edict.compiler.english.plurals import countable, definite, is_many
from edict.compiler.english.titles import field_of, many_of, title_of
from edict.compiler.english.typed import is_number, of_things
from edict.compiler.semantics.symbols import Local, Resolved, Symbol, keep_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk
from edict.support.morphology import join_words, spell_name, split_title, uncapitalize_title, with_of, with_the

OWNED = {"you": "your", "they": "their", "it": "its"}
HAS = {"you": "you have", "they": "they have"}
OF_TWO = {"sum": "sum", "best": "larger", "least": "smaller"}
OF_MORE = {"sum": "sum", "best": "largest", "least": "smallest"}
JOINTS = {"resource": "in", "group": "in", "player": "by"}


told_as(
    {
        t.Number: "{value}",
        t.CountIn: "the number of {thing} in {bag}",
        t.PositionIn: "the place of {thing} in {order}",
        t.InSupply: "the number of {resource:many} left in the supply",
        t.Showing: "{die:a} showing {face}",
        t.Connected: "{members} connected with {start} through {through}",
        t.NextTo: "{members} next to {thing} on a {shape} grid of {row:title} and {file:title}",
    }
)


@tells(t.Name)
def _name(r: Resolved, e: t.Name) -> Phrase:
    return Phrase(_named(r, e))


def _named(r: Resolved, e: t.Name) -> str:
    meaning = r.meaning.get(e)
    if isinstance(meaning, Local):
        return local_words(r, meaning)
    if meaning is None:
        return spell_name(e.word)
    if meaning.sort == "setting":
        title = uncapitalize_title(title_of(r, e))
        return f"the number of {title}" if countable(title) else with_the(title)
    if meaning.sort in ("keep", "quantity", "value"):
        several = isinstance(meaning.definition, t.Keep) and meaning.definition.type.shape in ("set", "order", "bag")
        return with_the(uncapitalize_title(title_of(r, e, many=several)))
    return many_of(r, e) if meaning.sort in ("kind", "group", "player") else title_of(r, e)


# --- of something ----------------------------------------------------------------------------------


@tells(t.Apply)
def _applied(r: Resolved, e: t.Apply) -> Phrase:
    """`your gold`, `the rank of the advisor`, `your visits to that advisor`, `what you have of that good`."""
    derived = _derived(r, e)
    if derived is not None:
        return said(r, derived)
    args = [said(r, arg).phrase for arg in e.args]
    ends = max((Binding.OPEN if is_number(r, arg) else words.ends for arg, words in zip(e.args, args, strict=True)))
    return Phrase(_of_whom(r, e, [arg.text for arg in args]), ends=ends)


def _of_whom(r: Resolved, e: t.Apply, args: Sequence[str]) -> str:
    meaning = r.meaning.get(e.head)
    if isinstance(meaning, Local):
        return f"what {HAS.get(args[0], f'{args[0]} has')} of {local_words(r, meaning)}"
    head = title_of(r, e.head, many=True)
    whose = next((i for i, arg in enumerate(args) if arg in OWNED and arg != "it"), None)
    whose = 0 if whose is None and args[0] == "it" else whose
    base = f"{OWNED[args[whose]]} {head.removeprefix('the ')}" if whose is not None else with_the(head)
    for i, arg in enumerate(args):
        if i != whose:
            base = with_of(base, arg) if i == 0 else f"{base} {_joint(r, e, i)} {arg}"
    return base


def _derived(r: Resolved, e: t.Apply) -> t.Expr | None:
    """The value of a field that is worked out and has no title of its own, asked of the thing it stands in."""
    meaning = r.meaning.get(e.head)
    if not isinstance(meaning, Symbol) or meaning.sort != "field":
        return None
    kinds = r.fields.get(meaning.name, ())
    fields = [field_of(r, kind, meaning.name) for kind in kinds]
    found = [field.value for field in fields if field is not None and field.value is not None and not field.title]
    if len(found) != 1:
        return None
    title = split_title(r.get(kinds[0]).title or spell_name(kinds[0]))[0].lower()
    return found[0] if [tell(r, arg) for arg in e.args] == [f"the {title}"] else None


def _joint(r: Resolved, e: t.Apply, i: int) -> str:
    meaning = r.meaning.get(e.head)
    definition = meaning.definition if isinstance(meaning, Symbol) else None
    if not isinstance(definition, t.Quantity | t.Keep):
        return "in"
    kind = r.meaning.get(definition.params[i].kind) if i < len(definition.params) else None
    return JOINTS.get(kind.sort, "for") if isinstance(kind, Symbol) else "for"


# --- computing -------------------------------------------------------------------------------------


def computed(r: Resolved, e: t.Binary) -> Phrase:
    """What is added, subtracted, multiplied and the like."""
    if e.op == "+" and isinstance(e.left, t.Name) and e.left.word == "nobody":
        return said(r, e.right)
    if e.op in ("+", "-") and of_things(r, e):
        return _things_together(r, e)
    return reckoned(e.op, said(r, e.left), said(r, e.right))


def _things_together(r: Resolved, e: t.Binary) -> Phrase:
    """Sets, bags or dice joined and taken away: `your buildings and the oak`, `everyone but you`."""
    left, right = said(r, e.left), said(r, e.right)
    other = bracketed(
        right, right.binds == Binds.SUM or right.ends == Binding.CLAUSE or isinstance(e.right, t.OfMembers)
    )
    if e.op == "-" and isinstance(e.left, t.Name) and e.left.word == "everyone":
        return Phrase(f"everyone but {other}", ends=Binding.OPEN)
    terms = (("+", left), (e.op, other))
    if e.op == "-" and isinstance(e.left, t.Where) and left.ends < Binding.CLAUSE:
        return Phrase(f"the {left}, except {other}", Binds.SUM, Binding.OPEN, terms=(("+", left), ("except", other)))
    if e.op == "-" and left.terms and left.terms[-1][0] == "except":
        return replace(left, text=f"{left} and {other}")
    mixed = bool(left.terms) and left.terms[-1][0] != e.op
    first = bracketed(left, mixed or isinstance(e.left, t.OfMembers))
    return Phrase(f"{first} {'and' if e.op == '+' else 'without'} {other}", Binds.SUM, Binding.OPEN, terms=terms)


VALUES = {
    "count": "the number of {}",
    "faces": "the different numbers on {}",
    "first": "the first of {}",
    "last": "the last of {}",
    "left": "the player to the left of {}",
    "right": "the player to the right of {}",
    "text": "the text of {}",
}


def of_one(r: Resolved, e: t.Unary) -> Phrase:
    """What is not a condition: `the number of your buildings`."""
    if e.op == "minus":
        return Phrase(f"-{said(r, e.arg).phrase}", ends=said(r, e.arg).phrase.ends)
    arg = said(r, e.arg).members
    arg = replace(arg, text=definite(r, e.arg)) if e.op in ("first", "last") else arg
    return ending(_counted_words(r, e, arg.text), (arg,))


def _counted_words(r: Resolved, e: t.Unary, arg: str) -> str:
    if e.op == "count" and arg in ("everyone", "everyone but you"):
        return f"the number of {'players' if arg == 'everyone' else 'other players'}"
    if e.op == "count" and keep_of(r, e.arg) is not None and not is_many(r, e.arg):
        return f"the number of {_members(r, e.arg)} in {arg}"
    if e.op == "total":
        return arg if arg == "the roll" else f"the total of {arg}"
    if e.op in ("left", "right") and arg in OWNED:
        return f"the player to {OWNED[arg]} {e.op}"
    return VALUES[e.op].format(arg.removeprefix("the ") if e.op == "count" else arg)


def _members(r: Resolved, e: t.Expr) -> str:
    """What lies somewhere: `cards`, in a deck."""
    kind = r.book.definitions.get(r.types[e].kind) if e in r.types else None
    return split_title(kind.title)[1].lower() if isinstance(kind, t.Kind) and kind.title else "things"


# --- of several ------------------------------------------------------------------------------------


OVER = {"sum": "the total", "best": "the highest", "least": "the lowest"}


@tells(t.Over)
def _over(r: Resolved, e: t.Over) -> Phrase:
    """`the total VP of your buildings`."""
    return ending(_over_words(r, e), (said(r, e.members).members,), Binding.OPEN)


def _over_words(r: Resolved, e: t.Over) -> str:
    value, whose = said(r, e.value), said(r, e.members).members
    spoken = [word for word in value.text.split() if word in ("it", "its", "they", "their")]
    if value.binds == Binds.PHRASE and value.ends == Binding.CLOSED and len(spoken) == 1:
        if value.text.startswith(("their ", "its ")):
            return f"{OVER[e.op]} {value.text.partition(' ')[2]} of {whose}"
        if value.text.endswith(" of it"):
            return f"{OVER[e.op]} of {value.text.removesuffix('it')}{whose}"
    nested = any(isinstance(one, t.Over) for one in walk(e.value))
    return f"{OVER[e.op]} of {bracketed(value, nested)}, over {whose}"


@tells(t.OfSeveral)
def _of_several(r: Resolved, e: t.OfSeveral) -> str:
    """`the larger of your gold plus 1 and your wood`: what needs no parentheses there comes last."""
    values = [said(r, one) for one in e.values]
    phrases = [at for at, one in enumerate(values) if one.binds == Binds.PHRASE] or [len(values) - 1]
    last = next((at for at in phrases if values[at].ends), phrases[-1])
    ordered = [*values[:last], *values[last + 1 :], values[last]]
    return f"the {(OF_TWO if len(values) == 2 else OF_MORE)[e.op]} of {join_words(one.text for one in listed(ordered))}"


@tells(t.OfEach)
def _of_each(r: Resolved, e: t.OfEach) -> str:
    each = f"of each {title_of(r, e.kind)}"
    if e.number is not None:
        return so_many(r, e.number, each)
    assert e.field is not None
    return f"as many {each} as its “{title_of(r, e.field)}”"


@tells(t.CopiesOf)
def _copies(r: Resolved, e: t.CopiesOf) -> str:
    if not isinstance(e.thing, t.Name) or isinstance(r.meaning.get(e.thing), Local):
        return so_many(r, e.number, f"of {tell(r, e.thing)}")
    one = isinstance(e.number, t.Number) and e.number.value == 1
    return so_many(r, e.number, title_of(r, e.thing, many=not one))


@tells(t.LongestPath, t.LongestTrail)
def _longest(r: Resolved, e: t.LongestPath | t.LongestTrail) -> Phrase:
    what = "path" if isinstance(e, t.LongestPath) else "trail"
    members, through = said(r, e.members).members, said(r, e.through).members
    longest = f"the length of the longest {what} in {members} through {through}"
    if e.counting is None:
        return ending(longest, (members, through))
    return ending(f"{longest}, counting {tell(r, e.counting)}", (said(r, e.counting),), Binding.OPEN)


@tells(t.Track)
def _track(r: Resolved, e: t.Track) -> str:
    *first, last = (said(r, one) for one in e.steps)
    steps = ", ".join(str(one) for one in (*(one.closed for one in first), last.phrase.closed))
    return f"what stands at place {said(r, e.at).closed} of the track {steps}"


@tells(t.FirstAfter)
def _first_after(r: Resolved, e: t.FirstAfter) -> str:
    who = tell(r, e.player)
    side = f"{OWNED[who]} left" if who in OWNED else f"the left of {who}"
    return f"the next player to {side} among {tell(r, e.members)}"


@tells(t.Among)
def _among(r: Resolved, e: t.Among) -> Phrase:
    shown = f" that show {tell(r, e.face)}" if e.face is not None else ""
    dice = said(r, e.dice)
    return ending(f"the {title_of(r, e.die, many=True)}{shown} among {dice}", (dice,))
