"""Phrases for values, as `your battle strength` and `the number of your buildings`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edict.compiler.english.amounts import describe_count
from edict.compiler.english.phrases import (
    Phrase,
    PhraseEnd,
    Strength,
    close_list_items,
    combine_numbers,
    describe,
    describes,
    inherit_end,
    put_in_parentheses,
    register_patterns,
    to_phrase,
)
from edict.compiler.english.plurals import describe_definite, is_collection, is_number, is_plural, is_plural_noun
from edict.compiler.english.titles import describe_local, get_field, plural_of, title_of
from edict.compiler.semantics.symbols import Local, ResolvedBook, Symbol, definition_of, keep_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import (
    add_definite_article,
    join_with_of,
    join_words,
    spell_name,
    split_title,
    uncapitalize_title,
)

POSSESSIVES = {"you": "your", "they": "their", "it": "its"}
HAVE_PHRASES = {"you": "you have", "they": "they have"}
COMPARATIVES = {"sum": "sum", "best": "larger", "least": "smaller"}
SUPERLATIVES = {"sum": "sum", "best": "largest", "least": "smallest"}
PARAMETER_PREPOSITIONS = {"resource": "in", "group": "in", "player": "by"}


register_patterns(
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


@describes(t.Name)
def _describe_name(r: ResolvedBook, e: t.Name) -> Phrase:
    """Describe a name used as a value, as `the year`, `buildings` or `that advisor`."""
    return Phrase(_name_words(r, e))


def _name_words(r: ResolvedBook, e: t.Name) -> str:
    """Return the words for a name: a local's phrase, a keep's title with `the`, or a kind's plural."""
    meaning = r.meaning.get(e)
    if isinstance(meaning, Local):
        return describe_local(r, meaning)
    if meaning is None:
        return spell_name(e.word)
    if meaning.sort == "setting":
        title = uncapitalize_title(title_of(r, e))
        if is_plural_noun(title):
            return f"the number of {title}"
        return add_definite_article(title)
    if meaning.sort in ("keep", "quantity", "value"):
        is_collection_ = isinstance(meaning.definition, t.Keep) and meaning.definition.type.shape in (
            "set",
            "order",
            "bag",
        )
        return add_definite_article(uncapitalize_title(title_of(r, e, many=is_collection_)))
    if meaning.sort in ("kind", "group", "player"):
        return plural_of(r, e)
    return title_of(r, e)


# --- values with arguments -------------------------------------------------------------------------


@describes(t.Apply)
def _describe_apply(r: ResolvedBook, e: t.Apply) -> Phrase:
    """Describe a value with arguments, as `your gold`, `the rank of the advisor` or `what you have of that good`."""
    derived = _find_derived_value(r, e)
    if derived is not None:
        return to_phrase(r, derived)
    args = [to_phrase(r, arg).as_single for arg in e.args]
    ends = max((PhraseEnd.OPEN if is_number(r, arg) else words.ends for arg, words in zip(e.args, args, strict=True)))
    return Phrase(_describe_with_owner(r, e, [arg.text for arg in args]), ends=ends)


def _describe_with_owner(r: ResolvedBook, e: t.Apply, args: Sequence[str]) -> str:
    """Describe a value of an owner with its described arguments, as `your gold` or `the rank of the advisor`."""
    meaning = r.meaning.get(e.head)
    if isinstance(meaning, Local):
        return f"what {HAVE_PHRASES.get(args[0], f'{args[0]} has')} of {describe_local(r, meaning)}"
    head = title_of(r, e.head, many=True)
    owner_index = next((i for i, arg in enumerate(args) if arg in POSSESSIVES and arg != "it"), None)
    owner_index = 0 if owner_index is None and args[0] == "it" else owner_index
    if owner_index is not None:
        base = f"{POSSESSIVES[args[owner_index]]} {head.removeprefix('the ')}"
    else:
        base = add_definite_article(head)
    for i, arg in enumerate(args):
        if i != owner_index:
            if i == 0:
                base = join_with_of(base, arg)
            else:
                base = f"{base} {_find_preposition(r, e, i)} {arg}"
    return base


def _find_derived_value(r: ResolvedBook, e: t.Apply) -> t.Expr | None:
    """Return the value of a derived field without a title, if it is asked of its own thing; else None."""
    meaning = r.meaning.get(e.head)
    if not isinstance(meaning, Symbol) or meaning.sort != "field":
        return None
    kinds = r.fields.get(meaning.name, ())
    fields = [get_field(r, kind, meaning.name) for kind in kinds]
    values = [field.value for field in fields if field is not None and field.value is not None and not field.title]
    if len(values) != 1:
        return None
    title = split_title(r.require_definition(kinds[0]).title or spell_name(kinds[0]))[0].lower()
    if [describe(r, arg) for arg in e.args] == [f"the {title}"]:
        return values[0]
    return None


def _find_preposition(r: ResolvedBook, e: t.Apply, index: int) -> str:
    """Return the preposition before the argument at `index` of a keep or quantity; `in` for other heads."""
    definition = definition_of(r, e.head)
    if not isinstance(definition, t.Quantity | t.Keep):
        return "in"
    kind = r.meaning.get(definition.params[index].kind) if index < len(definition.params) else None
    if isinstance(kind, Symbol):
        return PARAMETER_PREPOSITIONS.get(kind.sort, "for")
    return "for"


# --- operators -------------------------------------------------------------------------------------


def describe_arithmetic(r: ResolvedBook, e: t.Binary) -> Phrase:
    """Return the phrase of an arithmetic operator, or of sets that are joined or subtracted."""
    if e.op == "+" and isinstance(e.left, t.Name) and e.left.word == "nobody":
        return to_phrase(r, e.right)
    if e.op in ("+", "-") and is_collection(r, e):
        return _describe_union(r, e)
    return combine_numbers(e.op, to_phrase(r, e.left), to_phrase(r, e.right))


def _describe_union(r: ResolvedBook, e: t.Binary) -> Phrase:
    """Describe sets, bags or dice joined or subtracted, as `your buildings and the oak` or `everyone but you`."""
    left, right = to_phrase(r, e.left), to_phrase(r, e.right)
    other = put_in_parentheses(
        right, right.binds == Strength.SUM or right.ends == PhraseEnd.CLAUSE or isinstance(e.right, t.OfMembers)
    )
    if e.op == "-" and isinstance(e.left, t.Name) and e.left.word == "everyone":
        return Phrase(f"everyone but {other}", ends=PhraseEnd.OPEN)
    terms = (("+", left), (e.op, other))
    if e.op == "-" and isinstance(e.left, t.Where) and left.ends < PhraseEnd.CLAUSE:
        return Phrase(
            f"the {left}, except {other}", Strength.SUM, PhraseEnd.OPEN, terms=(("+", left), ("except", other))
        )
    if e.op == "-" and left.terms and left.terms[-1][0] == "except":
        return replace(left, text=f"{left} and {other}")
    needs_parentheses = bool(left.terms) and left.terms[-1][0] != e.op
    first = put_in_parentheses(left, needs_parentheses or isinstance(e.left, t.OfMembers))
    return Phrase(f"{first} {'and' if e.op == '+' else 'without'} {other}", Strength.SUM, PhraseEnd.OPEN, terms=terms)


UNARY_PATTERNS = {
    "count": "the number of {}",
    "faces": "the different numbers on {}",
    "first": "the first of {}",
    "last": "the last of {}",
    "left": "the player to the left of {}",
    "right": "the player to the right of {}",
    "text": "the text of {}",
}


def describe_unary(r: ResolvedBook, e: t.Unary) -> Phrase:
    """Return the phrase of a unary operator that is no condition, as `the number of your buildings`."""
    if e.op == "minus":
        return Phrase(f"-{to_phrase(r, e.arg).as_single}", ends=to_phrase(r, e.arg).as_single.ends)
    arg = to_phrase(r, e.arg).as_members
    arg = replace(arg, text=describe_definite(r, e.arg)) if e.op in ("first", "last") else arg
    return inherit_end(_unary_words(r, e, arg.text), (arg,))


def _unary_words(r: ResolvedBook, e: t.Unary, arg: str) -> str:
    """Return the words for a unary operator and its described argument, as `the player to your left`."""
    if e.op == "count" and arg in ("everyone", "everyone but you"):
        return f"the number of {'players' if arg == 'everyone' else 'other players'}"
    if e.op == "count" and keep_of(r, e.arg) is not None and not is_plural(r, e.arg):
        return f"the number of {_kind_of_members(r, e.arg)} in {arg}"
    if e.op == "total":
        return arg if arg == "the roll" else f"the total of {arg}"
    if e.op in ("left", "right") and arg in POSSESSIVES:
        return f"the player to {POSSESSIVES[arg]} {e.op}"
    return UNARY_PATTERNS[e.op].format(arg.removeprefix("the ") if e.op == "count" else arg)


def _kind_of_members(r: ResolvedBook, e: t.Expr) -> str:
    """Return the plural title of the kind that a place holds, in lower case, as `cards`; else `things`."""
    kind = r.book.definitions.get(r.types[e].kind) if e in r.types else None
    if isinstance(kind, t.Kind) and kind.title:
        return split_title(kind.title)[1].lower()
    return "things"


# --- aggregates ------------------------------------------------------------------------------------


AGGREGATE_PHRASES = {"sum": "the total", "best": "the highest", "least": "the lowest"}


@describes(t.Over)
def _describe_over(r: ResolvedBook, e: t.Over) -> Phrase:
    """Describe an aggregate, as `the total VP of your buildings`."""
    return inherit_end(_aggregate_words(r, e), (to_phrase(r, e.members).as_members,), PhraseEnd.OPEN)


def _aggregate_words(r: ResolvedBook, e: t.Over) -> str:
    """Return the words for a value summed or compared over members, as `the total VP of your buildings`."""
    value, members = to_phrase(r, e.value), to_phrase(r, e.members).as_members
    pronouns = [word for word in value.text.split() if word in ("it", "its", "they", "their")]
    if value.binds == Strength.PHRASE and value.ends == PhraseEnd.CLOSED and len(pronouns) == 1:
        if value.text.startswith(("their ", "its ")):
            return f"{AGGREGATE_PHRASES[e.op]} {value.text.partition(' ')[2]} of {members}"
        if value.text.endswith(" of it"):
            return f"{AGGREGATE_PHRASES[e.op]} of {value.text.removesuffix('it')}{members}"
    nested = any(isinstance(node, t.Over) for node in walk(e.value))
    return f"{AGGREGATE_PHRASES[e.op]} of {put_in_parentheses(value, nested)}, over {members}"


@describes(t.OfSeveral)
def _describe_of_several(r: ResolvedBook, e: t.OfSeveral) -> str:
    """Describe an aggregate of values, as `the larger of your gold plus 1 and your wood`."""
    values = [to_phrase(r, phrase) for phrase in e.values]
    phrases = [index for index, phrase in enumerate(values) if phrase.binds == Strength.PHRASE] or [len(values) - 1]
    last = next((index for index in phrases if values[index].ends), phrases[-1])
    ordered = [*values[:last], *values[last + 1 :], values[last]]
    adjectives = COMPARATIVES if len(values) == 2 else SUPERLATIVES
    return f"the {adjectives[e.op]} of {join_words(phrase.text for phrase in close_list_items(ordered))}"


@describes(t.OfEach)
def _describe_of_each(r: ResolvedBook, e: t.OfEach) -> str:
    """Describe a bag with copies of all things of a kind, as `20 of each tile`."""
    each = f"of each {title_of(r, e.kind)}"
    if e.number is not None:
        return describe_count(r, e.number, each)
    assert e.field is not None
    return f"as many {each} as its “{title_of(r, e.field)}”"


@describes(t.CopiesOf)
def _describe_copies(r: ResolvedBook, e: t.CopiesOf) -> str:
    """Describe a bag with copies of one thing, as `7 pennies`."""
    if not isinstance(e.thing, t.Name) or isinstance(r.meaning.get(e.thing), Local):
        return describe_count(r, e.number, f"of {describe(r, e.thing)}")
    is_single = isinstance(e.number, t.Number) and e.number.value == 1
    return describe_count(r, e.number, title_of(r, e.thing, many=not is_single))


@describes(t.NumbersFrom)
def _describe_number_range(r: ResolvedBook, e: t.NumbersFrom) -> Phrase:
    """Describe a range, as `the numbers from 1 to 4`."""
    high = to_phrase(r, e.high)
    return inherit_end(f"the numbers from {to_phrase(r, e.low).as_closed} to {high}", (high,))


@describes(t.LongestPath, t.LongestTrail)
def _describe_longest(r: ResolvedBook, e: t.LongestPath | t.LongestTrail) -> Phrase:
    """Describe the length of a longest path or trail, with what is counted along it if that is given."""
    noun = "path" if isinstance(e, t.LongestPath) else "trail"
    members, through = to_phrase(r, e.members).as_members, to_phrase(r, e.through).as_members
    longest = f"the length of the longest {noun} in {members} through {through}"
    if e.counting is None:
        return inherit_end(longest, (members, through))
    return inherit_end(f"{longest}, counting {describe(r, e.counting)}", (to_phrase(r, e.counting),), PhraseEnd.OPEN)


@describes(t.Track)
def _describe_track(r: ResolvedBook, e: t.Track) -> str:
    """Describe a track, as `what stands at place 2 of the track 1, 3, 6`."""
    *first, last = (to_phrase(r, step) for step in e.steps)
    steps = ", ".join(str(step) for step in (*(step.as_closed for step in first), last.as_single.as_closed))
    return f"what stands at place {to_phrase(r, e.at).as_closed} of the track {steps}"


@describes(t.FirstAfter)
def _describe_first_after(r: ResolvedBook, e: t.FirstAfter) -> str:
    """Describe `first after PLAYER in SET`, as `the next player to your left among ...`."""
    who = describe(r, e.player)
    side = f"{POSSESSIVES[who]} left" if who in POSSESSIVES else f"the left of {who}"
    return f"the next player to {side} among {describe(r, e.members)}"


@describes(t.Among)
def _describe_among(r: ResolvedBook, e: t.Among) -> Phrase:
    """Describe dice of a kind in a pool, as `the cubes that show 3 among your dice`."""
    shown = f" that show {describe(r, e.face)}" if e.face is not None else ""
    dice = to_phrase(r, e.dice)
    return inherit_end(f"the {title_of(r, e.die, many=True)}{shown} among {dice}", (dice,))
