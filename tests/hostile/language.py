"""Rules with hostile content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inputs import ALL, HostileInput, RepeatedText, fill_limit, make_phase, rules_writer, scale_count, scale_depth

CARDS = [f"card card-{i}\n  worth {i % 9 + 1}" for i in range(62)]
CARD = "kind card\n  worth number from 0 to 9"


def _nest_sums(depth: int) -> str:
    value = "worth of it"
    for _ in range(depth):
        value = f"(sum of ({value}) over cards)"
    return f"kind card\n  worth number from 0 to 9\n  deep is {value}"


def _chain_squares(count: int) -> str:
    lines = [f"  f{i + 1} is (f{i} of card) * (f{i} of card)" for i in range(count)]
    return "\n".join(["kind card", "  f0 number from 0 to 9", *lines])


def _chain_sums(count: int) -> str:
    lines = [f"  f{i} is (f{i + 1} of card) + 1" for i in range(count)]
    return "\n".join(["kind card", *lines, f"  f{count} number from 0 to 9"])


def chain_else_ifs(count: int) -> str:
    arms = [f"else if coin of you = {i}\n    gain 1 coin" for i in range(count)]
    return make_phase("many", "if coin of you < 0", "  gain 1 coin", *arms)


def _nest_some(depth: int) -> str:
    """Nest conditions in which the inner thing cannot be told from the outer."""
    condition = "worth of it > 3"
    for _ in range(depth):
        condition = f"some cards has ({condition})"
    return make_phase("some", f"if {condition}", "  gain 1 coin")


def chain_quantities(count: int, part: str) -> list[str]:
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
LONG = make_phase("p", *RepeatedText("gain # coin", 3_000), "gain gain")
OPEN = "\n".join(["quantity q is (1", *RepeatedText("  + #", 16_000)])
INDENTS = "\n".join(["phase n", *("  " * (i + 1) + "if yes" for i in range(900))])
CHOICES = "\n".join(["action a", *RepeatedText("  choose a card as c#", 400), "  then\n    nothing"])


def _more_errors(count: int) -> str:
    """Return the message about further errors, of which a hundred are shown."""
    return f"{scale_count(count) - 100:,} more errors"


# What is refused, and what it says.
REFUSED = (
    HostileInput(
        "nested sums",
        rules_writer(_nest_sums(5 if ALL else 3), CARDS, make_phase("n", "gain (deep of card-0) coin")),
        "error E0702",
    ),
    HostileInput(
        "squarings",
        rules_writer(_chain_squares(40), "card ace\n  f0 9", make_phase("n", "gain (f40 of ace) coin")),
        "error E0703",
    ),
    HostileInput("else if", rules_writer(chain_else_ifs(300)), "error E0122"),
    HostileInput("4,000 times else if", rules_writer(chain_else_ifs(4_000)), "error E0122", slow=True),
    HostileInput(
        "not not",
        rules_writer(make_phase("n", f"if {'not ' * 190}yes", "  gain 1 coin")),
        "error E0122",
        like="parentheses",
    ),
    HostileInput(
        "minuses", rules_writer(make_phase("n", f"gain {'- ' * 190}1 coin")), "error E0122", like="parentheses"
    ),
    HostileInput(
        "dashes in a row", rules_writer(make_phase("n", f"gain {'-' * 190}1 coin")), "error E0122", like="parentheses"
    ),
    HostileInput("indents", rules_writer(INDENTS), "error E0122"),
    HostileInput("parentheses", rules_writer(make_phase("n", f"gain {'(' * 90}1{')' * 90} coin")), "error E0122"),
    HostileInput(
        "shifts", rules_writer(DICE, "keep can of player as truth", ["shift climb by +1 or -1"] * 40), "error E0705"
    ),
    HostileInput(
        "a keep of five dimensions",
        rules_writer(f"keep big of {DIMENSIONS} by number called e as number"),
        "error E0704",
        like="a keep of four dimensions",
    ),
    HostileInput("a keep of four dimensions", rules_writer(f"keep big of {DIMENSIONS} as number"), "error E0704"),
    HostileInput(
        "many keeps",
        rules_writer(RepeatedText(f"keep big# of {THREE} as number", 200)),
        "error E0704",
        like="a keep of four dimensions",
    ),
    HostileInput(
        "misspelt names",
        rules_writer(
            RepeatedText("resource coin#", 50), make_phase("n", *RepeatedText("gain 1 cion-#", scale_count(1_200)))
        ),
        _more_errors(1_200),
        slow=True,
        like="misspelt targets",
    ),
    HostileInput(
        "very many misspelt names",
        rules_writer(RepeatedText("resource coin#", 50), make_phase("n", *RepeatedText("gain 1 cion-#", 5_000))),
        "4,900 more errors",
        slow=True,
    ),
    HostileInput(
        "misspelt names among many",
        rules_writer(
            RepeatedText("quantity name-number-# is 1", 3_600),
            make_phase("n", *RepeatedText("gain nmae-nubmer-# coin", 2_100)),
        ),
        "2,000 more errors",
        slow=True,
    ),
    HostileInput(
        "misspelt kinds",
        rules_writer(CARD, RepeatedText("crad c#", scale_count(3_000))),
        _more_errors(3_000),
        slow=True,
    ),
    HostileInput(
        "very many misspelt kinds", rules_writer(CARD, RepeatedText("crad c#", 9_000)), "8,900 more errors", slow=True
    ),
    HostileInput(
        "misspelt fields",
        rules_writer(CARD, RepeatedText("card card-#\n  wroth #", scale_count(3_000))),
        _more_errors(3_000),
        slow=True,
    ),
    HostileInput(
        "very many misspelt fields",
        rules_writer(CARD, RepeatedText("card card-#\n  wroth #", 6_000)),
        "5,900 more errors",
        slow=True,
    ),
    HostileInput(
        "misspelt targets",
        rules_writer(RepeatedText("amend phase phsae-#\n  nothing", scale_count(6_000))),
        _more_errors(6_000),
    ),
    HostileInput(
        "misspelt exceptions",
        rules_writer(ROUTINE, RepeatedText(f"exception e# to r if yes over exep#\n  {INSTEAD}", scale_count(3_700))),
        _more_errors(3_700),
        slow=True,
    ),
    HostileInput(
        "syntax errors", rules_writer(RepeatedText("quantity q# is is 1", scale_count(1_500))), _more_errors(1_500)
    ),
    HostileInput(
        "very many syntax errors",
        rules_writer(RepeatedText("quantity q# is is 1", 8_000)),
        "7,900 more errors",
        slow=True,
    ),
    HostileInput(
        "syntax errors on many pages",
        rules_writer(RepeatedText("gibberish ! # (", 9_900)),
        "9,800 more errors",
        slow=True,
    ),
    HostileInput("syntax errors in long definitions", rules_writer([LONG] * 4), "error E0", slow=True),
    HostileInput("a parenthesis that stays open", rules_writer(OPEN), "error E0"),
    HostileInput(
        "exceptions",
        rules_writer(ROUTINE, RepeatedText(f"exception e# to r if coin of you > #\n  {INSTEAD}", 900 if ALL else 250)),
        "799 more errors" if ALL else "149 more errors",
    ),
    HostileInput(
        "too many exceptions",
        rules_writer(
            ROUTINE,
            f"exception e0 to r if coin of you > 5\n  {INSTEAD}",
            fill_limit(f"exception e@ to r if coin of you > # over e#\n  {INSTEAD}", 0.98 if ALL else 0.4),
        ),
        "error E0712",
    ),
    HostileInput(
        "too many exceptions to a group",
        rules_writer(
            RepeatedText("resource r#", 60),
            f"group all-of-them is {', '.join(f'r{i}' for i in range(60))}",
            f"exception e0 to gaining all-of-them if coin of you > 5\n  {INSTEAD}",
            RepeatedText(f"exception e@ to gaining all-of-them if coin of you > # over e#\n  {INSTEAD}", 900),
        ),
        "error E0712",
        like="too many exceptions",
    ),
    HostileInput(
        "many abilities",
        rules_writer(
            ONE_MOMENT
            + "\n".join(RepeatedText("  when start of opening\n    may spend # coin\n      gain 1 coin", 200))
        ),
        "error E0706",
    ),
    HostileInput("choices", rules_writer(CARD, CARDS[:3], CHOICES, make_phase("n", "do a")), "error E0709"),
    HostileInput(
        "resources",
        rules_writer(
            RepeatedText("resource r#", scale_count(3_000)),
            make_phase("n", *RepeatedText("gain 1 r#", scale_count(3_000))),
        ),
        "error E0708",
    ),
    HostileInput(
        "things for each number",
        rules_writer(RepeatedText("kind k#\n  worth number from 1 to 999\nk# for each worth", 200)),
        "error E0713",
    ),
    HostileInput(
        "a row of conditions before a choice",
        rules_writer(
            make_phase(
                "n",
                "may",
                *RepeatedText("  if coin of you > #\n      gain 1 coin", 300),
                "  choose a number from 0 to 4 as z",
            )
        ),
        "error E0713",
    ),
    HostileInput(
        "conditions that are all looked behind",
        rules_writer(
            make_phase(
                "n",
                "may",
                *RepeatedText("  if coin of you > #\n      let x = 1", 30),
                "  choose a number from 0 to 4 as z",
            )
        ),
        "error E0713",
        slow=True,
    ),
    HostileInput(
        "amounts of many things",
        rules_writer("kind card\n  cost amounts", RepeatedText("card c#\n  cost 1 coin", 7_000)),
        "error E0501",
        slow=True,
    ),
)


def _allowed_input(name: str, lay: Callable[[Path], None], slow: bool = False, like: str = "") -> HostileInput:
    return HostileInput(name, lay, "no errors", code=0, slow=slow, like=like)


# What is large or winding, and in order.
ALLOWED = (
    _allowed_input(
        "derived chain",
        rules_writer(
            _chain_sums(scale_depth(2_000)),
            f"card ace\n  f{scale_depth(2_000)} 9",
            make_phase("n", "gain (f0 of ace) coin"),
        ),
    ),
    _allowed_input(
        "first of first", rules_writer(CARD, CARDS, make_phase("n", f"gain worth of {'first of ' * 95}cards coin"))
    ),
    _allowed_input("a long sum", rules_writer(make_phase("n", f"gain {'1 + ' * 98}1 coin")), like="first of first"),
    _allowed_input("some within some", rules_writer(CARD, CARDS[:4], _nest_some(15))),
    _allowed_input(
        "quantities that double", rules_writer(chain_quantities(60, "@ + @"), make_phase("n", "gain q0 coin"))
    ),
    _allowed_input(
        "bounds that double",
        rules_writer(chain_quantities(60, "1, at most @ + @"), make_phase("n", "gain q0 coin")),
        like="quantities that double",
    ),
    HostileInput(
        "bounds in a circle",
        rules_writer(
            "quantity q is 1, at most r",
            "quantity r is 1, at least q",
            make_phase("n", "choose a number from 0 to q as n"),
        ),
        "calls",
    ),
    _allowed_input(
        "a chain of quantities",
        rules_writer(chain_quantities(scale_depth(4_000), "@ + 1"), make_phase("n", "gain q0 coin")),
        like="derived chain",
    ),
    _allowed_input(
        "routines that double",
        rules_writer(
            RepeatedText("routine r#\n  do r@\n  do r@", 60), "routine r60\n  gain 1 coin", make_phase("n", "do r0")
        ),
    ),
    _allowed_input(
        "a chain of routines",
        rules_writer(
            RepeatedText("routine r#\n  do r@", scale_depth(4_000)),
            f"routine r{scale_depth(4_000)}\n  gain 1 coin",
            make_phase("n", "do r0"),
        ),
    ),
    _allowed_input(
        "announcements",
        rules_writer(make_phase("n", *RepeatedText('announce "text #", you, "more #"', scale_count(3_800)))),
        like="some abilities that ask",
    ),
    _allowed_input(
        "whens",
        rules_writer(RepeatedText("when start of opening\n  each player\n    gain # coin", scale_count(3_000))),
        like="some abilities that ask",
    ),
    _allowed_input(
        "kinds", rules_writer(RepeatedText("kind kind#\n  worth number\nkind# thing#\n  worth 1", 3_000)), slow=True
    ),
    _allowed_input("a long phase", rules_writer(make_phase("n", *RepeatedText("gain # coin", 12_000))), slow=True),
    _allowed_input(
        "exceptions that exclude each other",
        rules_writer(ROUTINE, RepeatedText(f"exception e# to r if coin of you = #\n  {INSTEAD}", 999)),
        like="exceptions",
    ),
    _allowed_input(
        "exceptions over another",
        rules_writer(
            ROUTINE,
            RepeatedText(f"exception e@ to r if coin of you > # over e#\n  {INSTEAD}", 999),
            f"exception e0 to r if coin of you > 5\n  {INSTEAD}",
        ),
        slow=True,
    ),
    _allowed_input(
        "effects that do each other",
        rules_writer(
            "kind hero\n  deed effect",
            RepeatedText("hero hero-#\n  deed\n    each hero as h\n      may do deed of h", 990 if ALL else 100),
            make_phase("n", "may do deed of hero-0"),
        ),
        like="some abilities that ask",
    ),
    HostileInput(
        "options of one choice",
        rules_writer(
            make_phase("n", "choose one", *RepeatedText('  option "o#"\n      gain # coin', scale_count(4_000)))
        ),
        "more warnings",
        code=0,
    ),
    _allowed_input("displays", rules_writer(RepeatedText('display d#\n  line "a", coin of you', 4_000)), slow=True),
    _allowed_input("settings", rules_writer(RepeatedText("setting s# is 1 from 0 to 9", 5_500)), slow=True),
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
    "added options": (
        "action rest-well\n  choose a number from 1 to 3 as n\n  then\n    gain n coin",
        'option "Rest #" to rest-well if coin of you > #\n  gain # coin',
        "do rest-well",
    ),
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


def _make_repetitions(name: str, before: str, text: str, step: str) -> tuple[HostileInput, ...]:
    ends = [before, make_phase("n", step)] if step else [before]
    little, all_, beyond = (rules_writer(*ends, fill_limit(text, share)) for share in (SOME, 0.98, 1.1))
    return (
        _allowed_input(f"some {name}", little, like="" if name in SHOWN else f"some {SHOWN[0]}"),
        _allowed_input(f"as many {name} as can be", all_, slow=True),
        HostileInput(f"too many {name}", beyond, "error E0711", slow=True),
    )


SAMES = (
    *(one for name, said in SAME.items() for one in _make_repetitions(name, *said)),
    *(
        HostileInput(
            f"{how} {name}", rules_writer(fill_limit(text, share)), says, slow=share > 0.5, like="misspelt targets"
        )
        for name, (text, says) in WRONG.items()
        for how, share in (("some", SOME), ("as many as can be:", 0.98))
    ),
    HostileInput(
        "100,000 adjustments",
        rules_writer("quantity q is 1", RepeatedText("adjust q by # if coin of you > #", 100_000)),
        "error E0711",
    ),
)

LANGUAGE = (*REFUSED, *ALLOWED, *SAMES)
