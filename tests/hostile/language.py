"""Rules that are hostile by what they say."""

from __future__ import annotations

from itertools import chain

from inputs import GAME, Hostile, phase, rules

CARDS = [f"card card-{i}\n  worth {i % 9 + 1}" for i in range(62)]
CARD = "kind card\n  worth number from 0 to 9"


def _many(text: str, count: int) -> list[str]:
    """The text so many times, with `#` for the number and `@` for the next one."""
    return [text.replace("#", str(i)).replace("@", str(i + 1)) for i in range(count)]


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


def _else_ifs(count: int) -> str:
    arms = [f"else if coin of you = {i}\n    gain 1 coin" for i in range(count)]
    return phase("many", "if coin of you < 0", "  gain 1 coin", *arms)


def _nested_some(depth: int) -> str:
    """Inner things from whom the outer one cannot be told."""
    condition = "worth of it > 3"
    for _ in range(depth):
        condition = f"some cards has ({condition})"
    return phase("some", f"if {condition}", "  gain 1 coin")


def _quantities(count: int, part: str) -> list[str]:
    return [f"quantity q{i} is {part.replace('@', f'q{i + 1}')}" for i in range(count)] + [f"quantity q{count} is 1"]


DIMENSIONS = "number called a by number called b by number called c by number called d"
DICE = """\
die cube with 6 sides
keep hand of player as dice
action climb
  choose dice from hand of you as paid making 4
  then
    nothing
phase climbing
  do climb"""

ONE_MOMENT = """\
kind card
  works if coin of you > 0
card ace
"""

LANGUAGE = (
    Hostile("nested sums", rules(_nested_sums(5), CARDS, phase("sums", "gain (deep of card-0) coin")), "E0530"),
    Hostile("squarings", rules(_squarings(40), "card ace\n  f0 9", phase("s", "gain (f40 of ace) coin")), "E0531"),
    Hostile("derived chain", rules(_chain(5000), "card ace\n  f5000 9", phase("s", "gain (f0 of ace) coin")), "E05"),
    Hostile("else if", rules(_else_ifs(300)), "in order", code=0),
    Hostile("more else if", rules(_else_ifs(9000)), "", code=0),
    Hostile("not not", rules(phase("n", f"if {'not ' * 190}yes", "  gain 1 coin")), ""),
    Hostile("minuses", rules(phase("n", f"gain {'- ' * 190}1 coin")), ""),
    Hostile("first of", rules(CARD, CARDS, phase("n", f"gain worth of {'first of ' * 95}cards coin")), ""),
    Hostile("long sum", rules(phase("n", f"gain {'1 + ' * 98}1 coin")), "", code=0),
    Hostile("indents", rules("\n".join(["phase n", *("  " * (i + 1) + "if yes" for i in range(900))])), "E0122"),
    Hostile("parentheses", rules(phase("n", f"gain {'(' * 90}1{')' * 90} coin")), "E0122"),
    Hostile("shifts", rules(DICE, "keep can of player as truth", ["shift climb by +1 or -1"] * 40), "E05"),
    Hostile("keep of five", rules(f"keep big of {DIMENSIONS} by number called e as number"), "E05"),
    Hostile("keep of four", rules(f"keep big of {DIMENSIONS} as number"), "E05"),
    Hostile("many keeps", rules(_many(f"keep big# of {DIMENSIONS.rpartition(' by')[0]} as number", 200)), "E05"),
    Hostile("misspelt", rules(_many("resource coin#", 50), phase("n", *_many("gain 1 cion-#", 5000))), "4,9"),
    Hostile("misspelt, many names", rules(
        _many("quantity name-number-# is 1", 9000), phase("n", *_many("gain nmae-nubmer-# coin", 5000))), "4,9"),
    Hostile("misspelt fields", rules(CARD, _many("card card-#\n  wroth #", 62), _many("crad c#", 9000)), ""),
    Hostile("misspelt targets", rules(_many("amend phase phsae-#\n  nothing", 9000)), ""),
    Hostile("misspelt over", rules("routine r\n  nothing", _many(
        "exception e# to r if yes over exep#\n  instead\n    nothing", 4000)), ""),
    Hostile("syntax errors", rules(_many("quantity q# is is 1", 18000)), ""),
    Hostile("syntax errors, one line each", rules(_many("gibberish ! # (", 60000)), ""),
    Hostile("syntax errors in long definitions", rules(
        *("\n".join(["phase p", *_many("  gain # coin", 3000), "  gain gain"]) for _ in range(20))), ""),
    Hostile("one open parenthesis", rules("\n".join(["quantity q is (1", *_many("  + #", 18000)])), ""),
    Hostile("whens", rules(_many("when start of opening\n  gain # coin", 20000)), ""),
    Hostile("exceptions over another", rules("routine r\n  nothing", phase("p", "do r"), _many(
        "exception e@ to r if coin of you = # over e#\n  instead\n    nothing", 1200), "exception e0 to r if coin of you = 5\n  instead\n    nothing"), ""),
    Hostile("exceptions", rules("routine r\n  nothing", phase("p", "do r"), _many(
        "exception e# to r if coin of you = #\n  instead\n    nothing", 3000)), ""),
    Hostile("many abilities", rules(ONE_MOMENT + "\n".join(_many(
        "  when start of opening\n    may spend # coin\n      gain 1 coin", 200))), "E05"),
    Hostile("quantities that double", rules(_quantities(60, "@ + @"), phase("n", "gain q0 coin")), "", code=0),
    Hostile("bounds that double", rules(_quantities(60, "1, at most @ + @"), phase("n", "gain q0 coin")), "", code=0),
    Hostile("bound by itself", rules("quantity q is 1, at most q", phase("n", "gain q coin", "choose a number from q to q as n")), ""),
    Hostile("chain of quantities", rules(_quantities(9000, "@ + 1"), phase("n", "gain q0 coin")), "", code=0),
    Hostile("routines that double", rules(_many("routine r#\n  do r@\n  do r@", 60), "routine r60\n  gain 1 coin", phase("n", "do r0")), "", code=0),
    Hostile("chain of routines", rules(_many("routine r#\n  do r@", 5000), "routine r5000\n  gain 1 coin", phase("n", "do r0")), "", code=0),
    Hostile("choices", rules(CARD, CARDS[:3], "\n".join(["action many", *_many("  choose a card as c#", 400), "  then\n    nothing"]), phase("n", "do many")), ""),
    Hostile("kinds", rules(_many("kind kind#\n  worth number\nkind# thing#\n  worth 1", 3000)), "", code=0),
    Hostile("resources", rules(_many("resource r#", 3000), phase("n", *_many("gain 1 r#", 3000))), "", ),
    Hostile("a long phase", rules(phase("n", *_many("gain # coin", 18000))), "", code=0),
    Hostile("announcements", rules(phase("n", *_many('announce "text #", you, "more #"', 9000))), "", code=0),
    Hostile("displays", rules(_many('display d#\n  line "a", coin of you', 6000)), "", code=0),
    Hostile("settings", rules(_many('setting s# is 1 from 0 to 9', 9000)), "", code=0),
    Hostile("some of few", rules(CARD, CARDS[:4], _nested_some(12)), ""),
    Hostile("many syntax errors in one phase", rules(phase("p", *_many("gain gain #", 18000))), ""),
    Hostile("amounts", rules("kind card\n  cost amounts\n  c2 amounts", _many("card c#\n  cost 1 coin\n  c2 1 coin", 9000)), ""),
)
