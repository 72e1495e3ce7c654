"""The pass `layer_modules`, whose result depends on the manifests and not on the order of modules or files."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from edict.compiler.layering.layer import layer_modules
from edict.compiler.layering.setting_bounds import resolve_bounds
from edict.compiler.layering.thing_validation import validate_things
from edict.compiler.pipeline.pipeline import analyze
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.parse import parse
from edict.compiler.syntax.printing.expression_printer import print_expression
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source
from findings import format_diagnostics, load_mistakes

GAME = "game sample\n  players 2 to 4\n  order o\n  winners everyone\n  score 0\n  course\n    nothing\n"
BASE = (
    GAME
    + """
kind hut "Hut"
  worth number
  cost number, optional
  gift effect, optional

hut mill "Mill"
  worth 1
  cost 2
  source "p. 6"
  adjust price by 1

hut forge
  worth 3

quantity price is 1
setting years is 5
exception twice to build.free
  allow
"""
)


def build_manifest(name: str, over: tuple[str, ...] = (), kind: str = "module") -> Manifest:
    return Manifest(name, name, "1", kind, source=f"book of {name}", over=over, origin="printed")


def layer_texts(*modules: tuple[Manifest, dict[str, str]]) -> Outcome[t.Book]:
    """Layer modules, each given as its manifest and the texts of its files."""
    read = []
    for head, files in modules:
        sources = tuple(Source(f"{head.name}/{name}", text) for name, text in files.items())
        read.append((Module(head, Path(head.name), sources), [parse(source).unwrap() for source in sources]))
    return layer_modules(read)


def layer_over_base(*texts: str, over: bool = False) -> Outcome[t.Book]:
    """Layer modules `a`, `b` and so on over the base, each over the one before if `find_only_fault`."""
    names = "abcdef"[: len(texts)]
    heads = [build_manifest(name, tuple(names[:n]) if over else ()) for n, name in enumerate(names)]
    base = (build_manifest("base", kind="game"), {"base.edict": BASE})
    return layer_texts(base, *((head, {"page.edict": text}) for head, text in zip(heads, texts, strict=True)))


def get_codes(outcome: Outcome[t.Book]) -> list[str]:
    return [d.code for d in outcome.diagnostics]


def get_worth(book: t.Book, name: str) -> int:
    thing = book.definitions[name]
    assert isinstance(thing, t.Thing)
    value = {field.name.word: field.expr for field in thing.fields}["worth"]
    assert isinstance(value, t.Number)
    return value.value


def test_base_alone_is_layered() -> None:
    book = layer_over_base().unwrap()
    assert set(book.definitions) == {"sample", "hut", "mill", "forge", "price", "years"}
    assert [one.name.word for one in book.standalone] == ["twice"]
    assert book.files == {"base/base.edict": "base"}


def test_provenance_of_definitions() -> None:
    book = layer_over_base(
        "hut inn\n  worth 1\n  origin reconstructed\n", 'amend hut forge\n  source "errata"\n'
    ).unwrap()
    assert book.notes["mill"] == t.Note("p. 6", "printed", "base")
    assert book.notes["inn"] == t.Note("book of a", "reconstructed", "a")
    assert book.notes["forge"] == t.Note("errata", "printed", "base")
    assert book.notes["price"] == t.Note("book of base", "printed", "base")
    mill = book.definitions["mill"]
    assert isinstance(mill, t.Thing) and [f.name.word for f in mill.fields] == ["worth", "cost"]


def test_amended_thing_merges_fields_and_appends_abilities() -> None:
    text = 'amend hut mill "Great Mill"\n  worth 9\n  gift gain 1 x\n  adjust price by 2\n'
    mill = layer_over_base(text).unwrap().definitions["mill"]
    assert isinstance(mill, t.Thing)
    assert (mill.text, mill.before_text) == (None, ())
    told = layer_over_base(text + '  text "Grinds."\n').unwrap().definitions["mill"]
    assert isinstance(told, t.Thing) and told.text is not None and told.before_text == ("base/base.edict",)
    assert (mill.title, [f.name.word for f in mill.fields], len(mill.abilities)) == (
        "Great Mill",
        ["worth", "cost", "gift"],
        2,
    )
    assert get_worth(layer_over_base(text).unwrap(), "mill") == 9


def test_rewrite_replaces_everything_and_call_only_the_title() -> None:
    anew = layer_over_base('rewrite hut mill "Bazaar"\n  worth 2\n').unwrap().definitions["mill"]
    assert isinstance(anew, t.Thing)
    assert (anew.title, [f.name.word for f in anew.fields], anew.abilities) == ("Bazaar", ["worth"], ())
    book = layer_over_base('call mill "Fair"\ncall years "Seasons"\n').unwrap()
    mill = book.definitions["mill"]
    assert isinstance(mill, t.Thing) and (mill.title, book.definitions["years"].title) == ("Fair", "Seasons")
    assert ([f.name.word for f in mill.fields], len(mill.abilities)) == (["worth", "cost"], 1)


def test_amended_kind_merges_fields_and_other_definitions_are_replaced() -> None:
    text = "amend kind hut\n  size number, optional\n  in order of worth\namend setting years is 4\n"
    book = layer_over_base(text + "amend quantity price is 2\n").unwrap()
    hut, years = book.definitions["hut"], book.definitions["years"]
    assert isinstance(hut, t.Kind) and [f.name.word for f in hut.fields] == ["worth", "cost", "gift", "size"]
    assert hut.title == "Hut" and hut.order is not None
    assert isinstance(years, t.Setting) and years.value == 4


def test_amended_game_changes_only_written_lines() -> None:
    game = layer_over_base("amend game sample\n  players 1 to 6\n").unwrap().definitions["sample"]
    assert isinstance(game, t.Game) and (game.low, game.high, len(game.course)) == (1, 6, 1)


def test_removed_definition_can_be_declared_anew() -> None:
    book = layer_over_base("hut mill\n  worth 7\nremove hut mill\nremove exception twice\n").unwrap()
    assert get_worth(book, "mill") == 7
    assert book.standalone == ()
    assert book.notes["mill"].module == "a"


def test_faults_between_modules_are_reported_with_places_and_remedies(subtests: pytest.Subtests) -> None:
    for one in load_mistakes(Path(__file__).with_name("overlaid_mistakes.yaml")):
        with subtests.test(one=one):
            rules = one["rules"] if isinstance(one["rules"], list) else [one["rules"]]
            laid_over = layer_over_base(*rules, over="over" in one).and_then(resolve_bounds).and_then(validate_things)
            assert format_diagnostics(laid_over.diagnostics) == one["said"]


def test_game_without_a_required_line_is_refused(subtests: pytest.Subtests) -> None:
    for line in ("players 2 to 4", "order o", "winners everyone", "score 0"):
        with subtests.test(line=line):
            outcome = layer_texts((build_manifest("base", kind="game"), {"a.edict": GAME.replace(f"  {line}\n", "")}))
            word = line.split()[0]
            assert format_diagnostics(outcome.diagnostics) == (
                f"E0180 base/a 1:6-12 the game lacks `{word}`\n  help: add a line that begins with `{word}`\n"
            )


CLASHES = [
    ("amend hut mill\n  worth 2\n", "amend hut mill\n  worth 3\n"),
    ("amend setting years is 2\n", "amend setting years is 3\n"),
    ("remove hut mill\n", "amend hut mill\n  worth 3\n"),
    ("remove hut mill\nhut mill\n  worth 5\n", "remove hut mill\n"),
    ("remove hut mill\nhut mill\n  worth 5\n", "amend hut mill\n  worth 3\n"),
    ('amend hut mill "A"\n', 'amend hut mill "B"\n'),
    ("amend kind hut\n  worth truth\n", "amend kind hut\n  worth number\n"),
    ("amend game sample\n  score 1\n", "amend game sample\n  score 2\n"),
    ("rewrite hut mill\n  worth 2\n", "rewrite hut mill\n  worth 2\n"),
    ('call mill "Fair"\n', 'call mill "Market"\n'),
]


def test_unrelated_modules_may_not_change_the_same_definition(subtests: pytest.Subtests) -> None:
    for pair in CLASHES:
        with subtests.test(pair=pair):
            for one, two in (pair, pair[::-1]):
                outcome = layer_over_base(one, two)
                assert "E0174" in get_codes(outcome)
                clash = next(d for d in outcome.diagnostics if d.code == "E0174")
                assert {clash.span.file, clash.labels[0].span.file} == {"a/page.edict", "b/page.edict"}
            assert "remove" in pair[0] or layer_over_base(*pair, over=True).ok


def test_definition_of_an_unrelated_module_may_not_be_changed(subtests: pytest.Subtests) -> None:
    for text in ("amend hut inn\n  worth 2\n", "remove hut inn\n", 'call inn "Big inn"\n'):
        with subtests.test(text=text):
            for pair in ((text, "hut inn\n  worth 1\n"), ("hut inn\n  worth 1\n", text)):
                outcome = layer_over_base(*pair)
                assert get_codes(outcome) == ["E0183"], outcome.diagnostics
                found = outcome.diagnostics[0]
                assert {found.span.file, found.labels[0].span.file} == {"a/page.edict", "b/page.edict"}
            assert layer_over_base("hut inn\n  worth 1\n", text, over=True).ok


def test_game_for_one_player_is_valid() -> None:
    assert layer_over_base("amend game sample\n  players 1 to 1\n").ok
    assert layer_texts(
        (build_manifest("base", kind="game"), {"a.edict": GAME.replace("players 2 to 4", "players 1 to 1")})
    ).ok


def test_upper_module_wins() -> None:
    book = layer_over_base("amend hut mill\n  worth 2\n", "amend hut mill\n  worth 3\n", over=True).unwrap()
    assert get_worth(book, "mill") == 3


def test_unrelated_modules_may_change_different_fields() -> None:
    book = layer_over_base("amend hut mill\n  worth 2\n", "amend hut mill\n  cost 3\n  adjust price by 5\n").unwrap()
    assert get_worth(book, "mill") == 2


def test_two_modules_may_remove_the_same_definition() -> None:
    assert "mill" not in layer_over_base("remove hut mill\n", "remove hut mill\n").unwrap().definitions


def summarize(book: t.Book) -> tuple[object, ...]:
    """Return the content of a book, without the order in which it was built."""
    spans = {name: str(d.span) for name, d in book.definitions.items()}
    worths = {n: get_worth(book, n) for n, d in book.definitions.items() if isinstance(d, t.Thing)}
    return spans, worths, book.notes, [str(one.span) for one in book.standalone]


def test_order_of_modules_and_files_does_not_matter(subtests: pytest.Subtests) -> None:
    files = {
        "a.edict": "amend hut mill\n  worth 2\n",
        "b.edict": "remove hut forge\nadjust price by 1\n",
        "c.edict": "hut forge\n  worth 8\nadjust price by 2\n",
    }
    modules = [
        (build_manifest("base", kind="game"), {"base.edict": BASE}),
        (build_manifest("high", ("low",)), {"page.edict": "amend hut mill\n  worth 5\n"}),
        (build_manifest("low"), files),
    ]
    wanted = summarize(layer_texts(*modules).unwrap())
    for order in itertools.permutations(modules):
        with subtests.test(order=order):
            assert summarize(layer_texts(*order).unwrap()) == wanted
    for names in itertools.permutations(files):
        with subtests.test(names=names):
            moved = (modules[2][0], {name: files[name] for name in names})
            assert summarize(layer_texts(*modules[:2], moved).unwrap()) == wanted


# --- what is gone --------------------------------------------------------------------------------


RULED = """\
keep order as order of player
action visit
  rule free
    require yes
  then
    nothing
exception lax to visit.free
  allow
game play
  players 2 to 3
  order order
  winners everyone
  score 0
  course
    do visit
"""


def find_only_fault(text: str) -> Diagnostic:
    """Return the only diagnostic of rules over a game with an action, a rule and an exception."""
    game = Module(Manifest("play", "play", "1.0.0", "game"), Path("play"), (Source("play/page.edict", RULED),))
    upper = Module(Manifest("up", "up", "1.0.0", "module"), Path("up"), (Source("up/page.edict", text),))
    (found,) = (one for one in analyze((game, upper)).diagnostics if one.is_error)
    return found


def test_reference_to_a_removed_exception_names_the_removal() -> None:
    found = find_only_fault("remove exception lax\nexception strict to visit.free over lax\n  require no\n")
    assert found.code == "E0207" and found.help == "delete `over lax`"
    assert [(label.text, label.span.file, label.span.line) for label in found.labels] == [
        ("it is removed", "up/page.edict", 1)
    ]


def test_amendment_that_drops_a_rule_is_shown_with_the_exception_that_needs_it() -> None:
    found = find_only_fault(
        "amend action visit\n  choose a player as host\n  rule open\n    require yes\n  then\n    nothing\n"
    )
    assert found.code == "E0206" and (found.span.file, found.span.line) == ("play/page.edict", 7)
    assert [(label.text, str(label.span)) for label in found.labels] == [
        ("`free` is declared", "play/page.edict:3:8"),
        ("missing here", "up/page.edict:1:14"),
    ]
    assert "an amendment with choices replaces the whole action" in found.help


ACTION = """
action ride "Ride"
  choose a hut as there
  rule near
    require worth of there < 3
  rule open
    require yes
  then
    nothing
"""


def amend_ride(amendment: str) -> t.Action:
    action = layer_over_base(ACTION + amendment).unwrap().definitions["ride"]
    assert isinstance(action, t.Action)
    return action


def test_amended_action_adds_rules_and_replaces_equal_names() -> None:
    ride = amend_ride("amend action ride\n  rule open\n    require no\n  rule paid\n    require no\n")
    assert [rule.name.word for rule in ride.rules] == ["near", "open", "paid"]
    assert print_expression(ride.rules[1].require) == "no"
    assert ride.title == "Ride" and len(ride.params) == 1 and isinstance(ride.then[0], t.Nothing)


def test_amended_action_may_change_only_its_effects() -> None:
    ride = amend_ride("amend action ride\n  then\n    end game\n")
    assert len(ride.rules) == 2 and len(ride.then) == 1 and isinstance(ride.then[0], t.EndGame)


def test_unrelated_modules_may_add_different_rules_to_an_action() -> None:
    one, two = (f"amend action ride\n  rule {name}\n    require no\n" for name in ("by-day", "by-night"))
    base = (build_manifest("sample", kind="game"), {"game.edict": BASE + ACTION})

    def layer_side_by_side(first: str, second: str) -> list[str]:
        return get_codes(
            layer_texts(base, (build_manifest("one"), {"a.edict": first}), (build_manifest("two"), {"b.edict": second}))
        )

    assert layer_side_by_side(one, two) == []
    assert layer_side_by_side(one, one) == ["E0174"]


# --- amendments that drop all there was --------------------------------------------------------


STEPS = """
phase evening
  each player
    do rest with 2
  do rest with 3
routine rest with number called hours
  end game
phase night
  nothing
"""
CHOICE = "amend action ride\n  choose a hut as there\n"
ALL_ANEW = "  rule open\n    require yes\n  then\n    end game\n"


DROPPING = {
    "amend phase evening\n  end game\n": "`do rest with 2` and `do rest with 3`",
    "amend phase evening\n  each player\n    end game\n": "`do rest with 2` and `do rest with 3`",
    "amend routine rest with number called hours\n  do rest with 1\n": "`end game`",
    f"{CHOICE}  then\n    end game\n": "`rule near` and `rule open`",
}
ADDING = [
    "when end of evening\n  end game\n",
    "amend phase evening\n  do rest with 3\n  end game\n",
    "amend phase evening\n  each player\n    do rest with 2\n    end game\n",
    "remove phase evening\nphase evening\n  end game\n",
    "amend phase night\n  end game\n",
    "amend action ride\n  rule far\n    require yes\n",
    "amend action ride\n  then\n    end game\n",
    f"{CHOICE}{ALL_ANEW}",
    f"remove action ride\naction ride\n  choose a hut as there\n{ALL_ANEW}",
]


def test_amendment_that_drops_all_lines_gets_a_warning_unless_it_repeats_some(subtests: pytest.Subtests) -> None:
    for amendment, dropped in DROPPING.items():
        with subtests.test(amendment=amendment):
            (found,) = layer_over_base(STEPS + ACTION, amendment, over=True).diagnostics
            assert (found.code, found.severity, found.note) == ("E0576", "warning", f"Dropped lines: {dropped}.")
            assert len(found.labels) == 1 and found.help
    for amendment in ADDING:
        with subtests.test(amendment=amendment):
            assert get_codes(layer_over_base(STEPS + ACTION, amendment, over=True)) == []


# --- ranges that follow a setting -------------------------------------------------------------


RANGES = """
setting rounds is 3 from 1 to 5
keep turn as number from 0 to rounds
kind inn
  guests is beds * 2
  beds number from rounds to 9
"""


def get_ranges(book: t.Book) -> list[tuple[int | None, int | None]]:
    turn, inn = book.definitions["turn"], book.definitions["inn"]
    assert isinstance(turn, t.Keep) and isinstance(inn, t.Kind) and inn.fields[1].type is not None
    return [(one.low, one.high) for one in (turn.type, inn.fields[1].type)]


def test_range_takes_the_limits_of_its_setting(subtests: pytest.Subtests) -> None:
    assert get_ranges(resolve_bounds(layer_over_base(RANGES).unwrap()).unwrap()) == [(0, 5), (1, 9)]
    wider = layer_over_base(RANGES, "amend setting rounds is 8 from 2 to 8\n", over=True).unwrap()
    assert get_ranges(resolve_bounds(wider).unwrap()) == [(0, 8), (2, 9)]
    for unnamed in ("zzz to rounds", "rounds to zzz"):  # what is no setting is told elsewhere
        with subtests.test(unnamed=unnamed):
            both = resolve_bounds(layer_over_base(RANGES.replace("0 to rounds", unnamed)).unwrap())
            assert both.ok and get_ranges(both.unwrap())[0] == ((None, 5) if unnamed.endswith("rounds") else (1, None))
