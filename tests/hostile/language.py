"""Rules that are hostile by what they say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inputs import ALL, Hostile, Many, deeper, filled, much, phase, rules

CARDS = [f"card card-{i}\n  worth {i % 9 + 1}" for i in range(62)]
CARD = "kind card\n  worth number from 0 to 9"


def _nested_sums(depth: int) -> str:
    value = "worth of it"
    for _ in range(depth):
        value = f"(sum of ({value}) over cards)"
    return f"kind card\n  worth number from 0 to 9\n  deep is {value}"


def _squarings(count: int) -> str:
    lines = [f"  f{i + 1} is (f{i} of card) * (f{i} of card)" for i in range(count)]
    return "\n".join(["kind card", "  f0 number from 0 to 9", *lines])


def _chain(count: int) -> str:
    lines = [f"  f{i} is (f{i + 1} of card) + 1" for i in range(count)]
    return "\n".join(["kind card", *lines, f"  f{count} number from 0 to 9"])


def else_ifs(count: int) -> str:
    arms = [f"else if coin of you = {i}\n    gain 1 coin" for i in range(count)]
    return phase("many", "if coin of you < 0", "  gain 1 coin", *arms)


def _nested_some(depth: int) -> str:
    """Inner things from whom the outer one cannot be told."""
    condition = "worth of it > 3"
    for _ in range(depth):
        condition = f"some cards has ({condition})"
    return phase("some", f"if {condition}", "  gain 1 coin")


def quantities(count: int, part: str) -> list[str]:
    return [f"quantity q{i} is {part.replace('@', f'q{i + 1}')}" for i in range(count)] + [f"quantity q{count} is 1"]


DIMENSIONS = "number called f by number called b by number called c by number called d"
THREE = DIMENSIONS.rpartition(" by")[0]
DICE = """\
die cube with 6 sides
keep hand of player as dice
action climb
  choose dice from hand of you as paid making 4
  then
    nothing
phase climbing
  do climb"""

SOME = 0.1 if ALL else 0.015
ONE_MOMENT = "kind card\n  works if coin of you > 0\ncard ace\n"

ROUTINE = "routine r\n  nothing"
INSTEAD = "instead\n    nothing"
LONG = phase("p", *Many("gain # coin", 3_000), "gain gain")
OPEN = "\n".join(["quantity q is (1", *Many("  + #", 16_000)])
INDENTS = "\n".join(["phase n", *("  " * (i + 1) + "if yes" for i in range(900))])
CHOICES = "\n".join(["action a", *Many("  choose a card as c#", 400), "  then\n    nothing"])


def _more(count: int) -> str:
    """What is said of so many errors, a hundred of which are shown."""
    return f"{much(count) - 100:,} more errors"


# What is refused, and what it says.
REFUSED = (
    Hostile("nested sums", rules(_nested_sums(5), CARDS, phase("n", "gain (deep of card-0) coin")), "error E0702"),
    Hostile(
        "squarings", rules(_squarings(40), "card ace\n  f0 9", phase("n", "gain (f40 of ace) coin")), "error E0703"
    ),
    Hostile("else if", rules(else_ifs(300)), "error E0122"),
    Hostile("4,000 times else if", rules(else_ifs(4_000)), "error E0122", slow=True),
    Hostile("not not", rules(phase("n", f"if {'not ' * 190}yes", "  gain 1 coin")), "error E0122", like="parentheses"),
    Hostile("minuses", rules(phase("n", f"gain {'- ' * 190}1 coin")), "error E0122", like="parentheses"),
    Hostile("dashes in a row", rules(phase("n", f"gain {'-' * 190}1 coin")), "error E0122", like="parentheses"),
    Hostile("indents", rules(INDENTS), "error E0122"),
    Hostile("parentheses", rules(phase("n", f"gain {'(' * 90}1{')' * 90} coin")), "error E0122"),
    Hostile("shifts", rules(DICE, "keep can of player as truth", ["shift climb by +1 or -1"] * 40), "error E0705"),
    Hostile(
        "a keep of five dimensions",
        rules(f"keep big of {DIMENSIONS} by number called e as number"),
        "error E0704",
        like="a keep of four dimensions",
    ),
    Hostile("a keep of four dimensions", rules(f"keep big of {DIMENSIONS} as number"), "error E0704"),
    Hostile(
        "many keeps",
        rules(Many(f"keep big# of {THREE} as number", 200)),
        "error E0704",
        like="a keep of four dimensions",
    ),
    Hostile(
        "misspelt names",
        rules(Many("resource coin#", 50), phase("n", *Many("gain 1 cion-#", much(1_200)))),
        _more(1_200),
    ),
    Hostile(
        "very many misspelt names",
        rules(Many("resource coin#", 50), phase("n", *Many("gain 1 cion-#", 5_000))),
        "4,900 more errors",
        slow=True,
    ),
    Hostile(
        "misspelt names among many",
        rules(Many("quantity name-number-# is 1", 3_600), phase("n", *Many("gain nmae-nubmer-# coin", 2_100))),
        "2,000 more errors",
        slow=True,
    ),
    Hostile("misspelt kinds", rules(CARD, Many("crad c#", much(3_000))), _more(3_000), slow=True),
    Hostile("very many misspelt kinds", rules(CARD, Many("crad c#", 9_000)), "8,900 more errors", slow=True),
    Hostile("misspelt fields", rules(CARD, Many("card card-#\n  wroth #", much(3_000))), _more(3_000), slow=True),
    Hostile(
        "very many misspelt fields", rules(CARD, Many("card card-#\n  wroth #", 6_000)), "5,900 more errors", slow=True
    ),
    Hostile(
        "misspelt targets",
        rules(Many("amend phase phsae-#\n  nothing", much(6_000))),
        _more(6_000),
        like="misspelt names",
    ),
    Hostile(
        "misspelt exceptions",
        rules(ROUTINE, Many(f"exception e# to r if yes over exep#\n  {INSTEAD}", much(3_700))),
        _more(3_700),
        slow=True,
    ),
    Hostile("syntax errors", rules(Many("quantity q# is is 1", much(1_500))), _more(1_500)),
    Hostile("very many syntax errors", rules(Many("quantity q# is is 1", 8_000)), "7,900 more errors", slow=True),
    Hostile("syntax errors on many pages", rules(Many("gibberish ! # (", 9_900)), "9,800 more errors", slow=True),
    Hostile("syntax errors in long definitions", rules([LONG] * 4), "error E0", slow=True),
    Hostile("a parenthesis that stays open", rules(OPEN), "error E0"),
    Hostile(
        "exceptions", rules(ROUTINE, Many(f"exception e# to r if coin of you > #\n  {INSTEAD}", 900)), "799 more errors"
    ),
    Hostile(
        "too many exceptions",
        rules(
            ROUTINE,
            f"exception e0 to r if coin of you > 5\n  {INSTEAD}",
            filled(f"exception e@ to r if coin of you > # over e#\n  {INSTEAD}", 0.98 if ALL else 0.4),
        ),
        "error E0712",
    ),
    Hostile(
        "too many exceptions to a group",
        rules(
            Many("resource r#", 60),
            f"group all-of-them is {', '.join(f'r{i}' for i in range(60))}",
            f"exception e0 to gaining all-of-them if coin of you > 5\n  {INSTEAD}",
            Many(f"exception e@ to gaining all-of-them if coin of you > # over e#\n  {INSTEAD}", 900),
        ),
        "error E0712",
        like="too many exceptions",
    ),
    Hostile(
        "many abilities",
        rules(ONE_MOMENT + "\n".join(Many("  when start of opening\n    may spend # coin\n      gain 1 coin", 200))),
        "error E0706",
    ),
    Hostile("choices", rules(CARD, CARDS[:3], CHOICES, phase("n", "do a")), "error E0709"),
    Hostile(
        "resources", rules(Many("resource r#", much(3_000)), phase("n", *Many("gain 1 r#", much(3_000)))), "error E0708"
    ),
    Hostile(
        "things for each number",
        rules(Many("kind k#\n  worth number from 1 to 999\nk# for each worth", 200)),
        "error E0713",
    ),
    Hostile(
        "a row of conditions before a choice",
        rules(
            phase(
                "n", "may", *Many("  if coin of you > #\n      gain 1 coin", 300), "  choose a number from 0 to 4 as z"
            )
        ),
        "error E0713",
    ),
    Hostile(
        "conditions that are all looked behind",
        rules(
            phase("n", "may", *Many("  if coin of you > #\n      let x = 1", 30), "  choose a number from 0 to 4 as z")
        ),
        "error E0713",
        slow=True,
    ),
    Hostile(
        "amounts of many things",
        rules("kind card\n  cost amounts", Many("card c#\n  cost 1 coin", 7_000)),
        "error E0501",
        slow=True,
    ),
)


def _fine(name: str, lay: Callable[[Path], None], slow: bool = False, like: str = "") -> Hostile:
    return Hostile(name, lay, "no errors", code=0, slow=slow, like=like)


# What is large or winding, and in order.
ALLOWED = (
    _fine(
        "derived chain",
        rules(_chain(deeper(2_000)), f"card ace\n  f{deeper(2_000)} 9", phase("n", "gain (f0 of ace) coin")),
    ),
    _fine("first of first", rules(CARD, CARDS, phase("n", f"gain worth of {'first of ' * 95}cards coin"))),
    _fine("a long sum", rules(phase("n", f"gain {'1 + ' * 98}1 coin")), like="first of first"),
    _fine("some within some", rules(CARD, CARDS[:4], _nested_some(15))),
    _fine("quantities that double", rules(quantities(60, "@ + @"), phase("n", "gain q0 coin"))),
    _fine(
        "bounds that double",
        rules(quantities(60, "1, at most @ + @"), phase("n", "gain q0 coin")),
        like="quantities that double",
    ),
    Hostile(
        "bounds in a circle",
        rules(
            "quantity q is 1, at most r", "quantity r is 1, at least q", phase("n", "choose a number from 0 to q as n")
        ),
        "calls",
    ),
    _fine(
        "a chain of quantities",
        rules(quantities(deeper(4_000), "@ + 1"), phase("n", "gain q0 coin")),
        like="derived chain",
    ),
    _fine(
        "routines that double",
        rules(Many("routine r#\n  do r@\n  do r@", 60), "routine r60\n  gain 1 coin", phase("n", "do r0")),
    ),
    _fine(
        "a chain of routines",
        rules(
            Many("routine r#\n  do r@", deeper(4_000)), f"routine r{deeper(4_000)}\n  gain 1 coin", phase("n", "do r0")
        ),
    ),
    _fine(
        "announcements",
        rules(phase("n", *Many('announce "text #", you, "more #"', much(3_800)))),
        like="some abilities that ask",
    ),
    _fine(
        "whens",
        rules(Many("when start of opening\n  each player\n    gain # coin", much(3_000))),
        like="some abilities that ask",
    ),
    _fine("kinds", rules(Many("kind kind#\n  worth number\nkind# thing#\n  worth 1", 3_000)), slow=True),
    _fine("a long phase", rules(phase("n", *Many("gain # coin", 12_000))), slow=True),
    _fine(
        "exceptions that exclude each other",
        rules(ROUTINE, Many(f"exception e# to r if coin of you = #\n  {INSTEAD}", 999)),
        like="exceptions",
    ),
    _fine(
        "exceptions over another",
        rules(
            ROUTINE,
            Many(f"exception e@ to r if coin of you > # over e#\n  {INSTEAD}", 999),
            f"exception e0 to r if coin of you > 5\n  {INSTEAD}",
        ),
        slow=True,
    ),
    _fine(
        "effects that do each other",
        rules(
            "kind hero\n  deed effect",
            Many("hero hero-#\n  deed\n    each hero as h\n      may do deed of h", 990 if ALL else 100),
            phase("n", "may do deed of hero-0"),
        ),
        like="some abilities that ask",
    ),
    Hostile(
        "options of one choice",
        rules(phase("n", "choose one", *Many('  option "o#"\n      gain # coin', much(4_000)))),
        "more warnings",
        code=0,
    ),
    _fine("displays", rules(Many('display d#\n  line "a", coin of you', 4_000)), slow=True),
    _fine("settings", rules(Many("setting s# is 1 from 0 to 9", 5_500)), slow=True),
)

# As much of the same as the limits let through, and more than that. Smaller in every run of the tests.
SAME: dict[str, tuple[str, str, str]] = {
    "adjustments": ("quantity q is 1", "adjust q by # if coin of you > #", "gain q coin"),
    "adjustments of players": (
        "quantity q of player is 1",
        "adjust q by # if coin of you > # or coin of you < 3",
        "gain q of you coin",
    ),
    "keeps": ("", "keep k# as number", ""),
    "keeps of orders": (CARD, "keep k# as order of card", ""),
    "quantities": ("", "quantity q# is #", "gain q0 coin"),
    "abilities": ("", "when start of opening\n  each player\n    gain # coin", ""),
    "abilities that ask": ("", "when start of opening\n  each player\n    may spend # coin\n      gain 1 coin", ""),
    "routines": ("", "routine r#\n  gain # coin", "do r0"),
    "kinds": ("", "kind kind#\n  worth number\nkind# thing#\n  worth 1", ""),
    "settings": ("", "setting s# is 1 from 0 to 9", ""),
    "displays": ("", 'display d#\n  line "a", coin of you', ""),
}
WRONG: dict[str, tuple[str, str]] = {
    "type errors": ("quantity q# is yes + #", "more errors"),
    "wrong adjustments": ("adjust players by yes if #", "more errors"),
    "steps of a wrong type": ("phase p#\n  gain yes coin", "more errors"),
    "unknown quantities": ("quantity q# is r#", "more errors"),
    "unknown routines": ("routine r#\n  do unknown-#", "more errors"),
    "taken names": ("routine r#\n  let you = 1", "more errors"),
}


SHOWN = ("adjustments", "abilities that ask")  # of which some are in every run


def _same(name: str, before: str, text: str, step: str) -> tuple[Hostile, ...]:
    ends = [before, phase("n", step)] if step else [before]
    little, all_, beyond = (rules(*ends, filled(text, share)) for share in (SOME, 0.98, 1.1))
    return (
        _fine(f"some {name}", little, like="" if name in SHOWN else f"some {SHOWN[0]}"),
        _fine(f"as many {name} as can be", all_, slow=True),
        Hostile(f"too many {name}", beyond, "error E0711", slow=True),
    )


SAMES = (
    *(one for name, said in SAME.items() for one in _same(name, *said)),
    *(
        Hostile(f"{how} {name}", rules(filled(text, share)), says, slow=share > 0.5, like="misspelt names")
        for name, (text, says) in WRONG.items()
        for how, share in (("some", SOME), ("as many as can be:", 0.98))
    ),
    Hostile(
        "100,000 adjustments",
        rules("quantity q is 1", Many("adjust q by # if coin of you > #", 100_000)),
        "error E0711",
    ),
)

LANGUAGE = (*REFUSED, *ALLOWED, *SAMES)
