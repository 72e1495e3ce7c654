"""Odd modules that are nearly valid: values of the right types in odd numbers, depths, cycles and characters.

Many get as far as play. Oddities are drawn: names that are keywords or very long, titles full of symbols, very many
things, rules that call each other, amendments of what another module has amended.

`GRAMMAR` is a grammar: each word in capitals is replaced by one of its alternatives, recursively down to a depth. BLOCK
is some steps, indented under their line.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from edict.compiler.syntax.grammar import keywords

NAMES = ("oak", "elm", "ash", "x-1", "Z9", "of-it", "a" * 120, "b-" * 30 + "b")
_ODD_TITLES = (
    "_",
    "_ _",
    "/",
    "a/b/c",
    "{0}",
    "{title}",
    "%s",
    "\\x1b[31m",
    "\x1b[31m",
    "<b>&amp;</b>",
    "# no remark",
    "e\u0301",
    "\u202e",
    "😀" * 9,
    " ",
    "a" * 500,
)
TITLES = st.text(st.characters(categories=("L", "N", "P", "S", "M", "Zs"), exclude_characters='"'), max_size=9)
MAX_DEPTH = 4

GRAMMAR = {
    "LITERAL": "0 | 1 | 2 | 7 | 61 | 62 | 999999999",
    "NUMBER": """LITERAL | day | coin of you | bid of you | worth | price of oak | twice of 3 | long
        | (NUMBER + NUMBER) | (NUMBER - NUMBER) | (NUMBER * NUMBER) | (NUMBER / NUMBER) | (NUMBER mod NUMBER)
        | count of (SET) | (sum of (height of it) over (SET)) | (best of (NUMBER) over (SET)) | height of (THING)
        | price of (THING) | twice of (NUMBER) | total of (DICE) | -(NUMBER)""",
    "THING": "oak | elm | hidden of you | next of oak | first of (SET) | first of deck",
    "SET": """trees | owned of you | nobody | smaller of oak | taller of elm | oak | pile
        | ((SET) where TRUTH) | (SET + THING) | (SET - SET) | ((SET) with most NUMBER then fewest NUMBER)""",
    "DICE": "hand of you | no-dice | cube showing LITERAL | (cube among hand of you) | (DICE + DICE)",
    "TRUTH": """yes | no | during season | owned of you is empty | hidden of you is none | (NUMBER < NUMBER)
        | (NUMBER >= NUMBER) | (NUMBER = NUMBER) | (TRUTH and TRUTH) | (TRUTH or TRUTH) | (not TRUTH)
        | (every (SET) has TRUTH) | (some (SET) has TRUTH) | ((SET) is within (SET)) | ((THING) is not in (SET))
        | (THING is THING) | (DICE = DICE)""",
    "STEP": """gain NUMBER coin | lose NUMBER fruit | gain 1 of each fruit or NUMBER fame | set bid of you to NUMBER
        | add THING to owned of you | remove SET from owned of you | set hidden of you to THING | set pile to SET
        | do plant | do harvest with NUMBER | do yield of THING | do wander | roll NUMBER cube into hand of you
        | reroll all within hand of you | trigger planted with you and THING | play evening | nothing | end game
        | announce you, NUMBER, THING, DICE | shuffle deck | arrange line lowest NUMBER first
        | show hidden of you to everyone
        | choose a tree from SET as picked | choose a number from NUMBER to NUMBER as much
        | choose a die from DICE as lone | choose a player as other where TRUTH secretly
        | draw a tree from SET as drawn
        | gain NUMBER from (coin + plum) | if TRUTHBLOCK | each playerBLOCK
        | each player as other in (everyone - you)BLOCK
        | each tree in SETBLOCK | each number as pip in faces of hand of youBLOCK | repeat NUMBER timesBLOCK
        | repeat until TRUTHBLOCK | may gain 1 coinBLOCK | may spend NUMBER coin or 1 fruitBLOCK
        | spend 1 fruit as paidBLOCK | mayBLOCK | choose oneBLOCK | may do plant else "no"BLOCK""",
    "ABILITY": """adjust worth by NUMBER if TRUTH | adjust price by NUMBER if TRUTH | adjust twice by NUMBER
        | when start of season if TRUTHBLOCK | when end of eveningBLOCK | when plantedBLOCK
        | when start of season, once per seasonTITLEBLOCK
        | shift plant by -2 or +2 spending LITERAL coin, once per season
        | exception to plant.cheap if TRUTH\n+allow\n+then\n++gain 1 fame
        | exception to harvest if TRUTH\n+instead\n++gain 1 coin
        | exception to eveningTRUTHLESS\n+instead\n++play season""",
    "TRUTHLESS": " if TRUTH | ",
    "ADDITION": """tree NAMETITLE\n+height LITERAL\n+yield\n++STEP\n+ABILITY | ABILITY
        | tree NAME\n+height 3\n+next NAME | keep NAMETITLE of player by tree as number from 0 to LITERAL
        | quantity NAMETITLE of player is NUMBER, at most NUMBER
        | routine NAMETITLE with tree and number called muchBLOCK | phase NAMETITLEBLOCK
        | display NAMETITLE\n+each tree if TRUTH\n+column "a" NUMBER, SET
        | exception NAME to plant.cheap\n+require TRUTH
        | setting NAMETITLE is LITERAL from 0 to LITERAL | moment NAMETITLE with tree and player | MANY""",
    "AMENDMENT": """amend tree oakTITLE\n+height LITERAL\n+ABILITY | rewrite tree elm\n+height 3 | remove tree elm
        | call oak "other" | amend quantity worth is NUMBER | amend phase eveningBLOCK | amend routine wanderBLOCK
        | amend setting long is off | remove setting long | amend game orchard\n+score NUMBER | call plant ""
        | amend keep day as number from 0 to LITERAL | amend kind tree\n+works if TRUTH | remove kind tree""",
    "GAME": """resource coinTITLE
resource plum
resource fame may go below 0
group fruit is coin, plum
die cube with 6 sides
setting long is 2 from 0 to 9
kind treeTITLE
+height number from 1 to 9, optional
+yield effect, optional
+next tree or none, optional
+smaller is trees where height of it < height of tree
+taller is trees where height of it > LITERAL
+works if tree is in owned of you and TRUTH
tree oakTITLE
+height 9
+yield gain 1 plum
+next elm
tree elm
+height 2
keep line as order of player, quiet
keep deck as order of tree
keep pile as set of tree starting at trees
keep owned of player as set of tree
keep hand of player as dice
keep day as number from 0 to 9
keep bid of player as number from 0 to 61
keep hidden of player as tree or none, secret
quantity price of tree is LITERAL
quantity worth is NUMBER
quantity twice of number called much is much * 2
moment planted with player and tree
action plantTITLE
+choose a tree as what where TRUTH
+choose dice from hand of you as paid making height of what including 1 cube
+rule cheap
++require TRUTH
+then
++STEP
routine harvest with number called muchBLOCK
routine wanderBLOCK
game orchardTITLE
+players 2 to 3
+order line
+winners everyone with most NUMBER
+score NUMBER
+course
++repeat 2 times
+++play season
phase seasonTITLE
+each player
++roll 2 cube into hand of you
++do wander
++STEP
phase eveningBLOCK""",
}
_WORD = re.compile("|".join(sorted([*GRAMMAR, "BLOCK", "TITLE", "NAME", "MANY"], key=len, reverse=True)))
_SPLIT = {word: [way.strip() or way for way in re.split(r"\s*\|\s", ways)] for word, ways in GRAMMAR.items()}


def _get_indent(match: re.Match[str], lead: str) -> str:
    """Return the indentation of the line in which a word was found."""
    start = match.string.rfind("\n", 0, match.start()) + 1
    line = match.string[start:]
    return line[: len(line) - len(line.lstrip(" "))] if start else lead


class OddTextGenerator:
    """Draws texts by the grammar."""

    def __init__(self, draw: DrawFn) -> None:
        self.draw = draw

    def expand(self, word: str, depth: int = MAX_DEPTH, lead: str = "") -> str:
        """Return one of the alternatives of a word, at the bottom one without other words."""
        ways = _SPLIT[word]
        terminal = [alternative for alternative in ways if not _WORD.search(alternative)]
        alternative = self.draw(st.sampled_from(terminal if depth <= 0 and terminal else ways))
        return _WORD.sub(
            lambda found: self.fill_in(found[0], depth - 1, _get_indent(found, lead)), self.indent(alternative, lead)
        )

    def indent(self, alternative: str, lead: str) -> str:
        return re.sub(r"\n(\++)", lambda plus: "\n" + lead + "  " * len(plus[1]), alternative)

    def fill_in(self, word: str, depth: int, lead: str) -> str:
        if word == "BLOCK":
            inner = lead + "  "
            steps = [self.expand("STEP", depth, inner) for _ in range(self.draw(st.integers(1, 2)))]
            return "".join(f"\n{inner}{step}" for step in steps)
        if word == "TITLE":
            titles = (st.just(""), st.just("A b"), TITLES, TITLES, TITLES, st.sampled_from(_ODD_TITLES))
            return f' "{self.draw(st.one_of(titles))}"' if self.draw(st.booleans()) else ""
        if word == "NAME":
            odd = self.draw(st.integers(0, 9)) == 0
            return self.draw(st.sampled_from(sorted(keywords()) if odd else NAMES))
        if word == "MANY":
            many = self.draw(st.sampled_from((1, 59, 60, 61)))
            return "\n".join(f"tree many-{i}\n  height {1 + i % 9}" for i in range(many))
        return self.expand(word, depth, lead)


@st.composite
def games(draw: DrawFn) -> tuple[str, str, str]:
    """Draw a game, a module over it, and one over both."""
    odd = OddTextGenerator(draw)
    changes = st.sampled_from(("ADDITION", "AMENDMENT"))
    few = st.integers(0, 2)
    game = [odd.expand("GAME", 3), *(odd.expand("ADDITION", 3) for _ in range(draw(few)))]
    first, second = ([odd.expand(draw(changes), 3) for _ in range(draw(few))] for _ in range(2))
    return "\n".join(game) + "\n", "\n".join(first) + "\n", "\n".join(second) + "\n"
