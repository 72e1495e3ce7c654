"""Shared text functions, from misspelt words and wrapped lines to diagnostics and passes."""

from __future__ import annotations

import difflib
from itertools import product
from random import Random

import pytest

from edict.support import graphemes, resources
from edict.support.ordering import CycleError, find_cycles, sort_topologically
from edict.support.rendering import (
    _crop,
    _fit,
    _wrap,
    escape_terminal,
    index_sources,
    render_diagnostic,
    render_diagnostics,
)
from edict.support.report import (
    Diagnostic,
    Edit,
    Label,
    Outcome,
    RulesError,
    _rank_similar,
    apply_edits,
    count_tolerated_typos,
    edit_distance,
    find_nearest,
    find_unambiguous,
    limit_diagnostics,
)
from edict.support.text import Source, Span


def brute_force_distance(a: str, b: str) -> int:
    """Return the distance of two words by trying all edits."""
    if not a or not b:
        return len(a) + len(b)
    ways = [
        brute_force_distance(a[1:], b) + 1,
        brute_force_distance(a, b[1:]) + 1,
        brute_force_distance(a[1:], b[1:]) + (a[0] != b[0]),
    ]
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        ways.append(brute_force_distance(a[2:], b[2:]) + 1)
    return min(ways)


def test_edit_distance_counts_changed_omitted_inserted_and_swapped_letters(subtests: pytest.Subtests) -> None:
    some = ["".join(letters) for size in range(4) for letters in product("ab", repeat=size)] + ["abc", "bac", "cabba"]
    for a, b in product(some, repeat=2):
        with subtests.test(a=a):
            assert [edit_distance(a, b, most) for most in (0, 1, 2, 9)] == [
                min(brute_force_distance(a, b), most + 1) for most in (0, 1, 2, 9)
            ]


def test_most_similar_words_equal_those_of_difflib() -> None:
    luck = Random(5)
    for _ in range(150):
        known = tuple({"".join(luck.choices("abcd", k=luck.randint(1, 6))) for _ in range(12)})
        word = "".join(luck.choices("abcd", k=luck.randint(1, 6)))
        expected = difflib.get_close_matches(word, known, 3, 0.6)
        alike = [difflib.SequenceMatcher(None, one, word).ratio() for one in expected]
        assert [difflib.SequenceMatcher(None, one, word).ratio() for one in _rank_similar(word, known)] == alike


def test_nearest_word_is_found(subtests: pytest.Subtests) -> None:
    for word, known, meant in (
        ("wierd", ["wind", "weird"], "weird"),
        ("Gold-Coin", ["gold coin", "gold"], "gold coin"),
        ("dice", ["rice", "mouse"], "rice"),
        ("cat", ["dog"], ""),
        ("x" * 61, ["x" * 60], ""),
        ("x" * 60, ["x" * 59], "x" * 59),
    ):
        with subtests.test(word=word):
            assert find_nearest(word, known) == meant


def test_unambiguous_word_is_found(subtests: pytest.Subtests) -> None:
    """One of three letters may be wrong, two of five and more, and no other word may be as near."""
    for word, known, meant in (
        ("TURN", ["turn", "tern"], "turn"),
        ("tun", ["turn"], "turn"),
        ("tunr", ["turn"], "turn"),
        ("gane", ["game", "gate"], ""),
        ("advisro", ["advisor"], "advisor"),
        ("advixxr", ["advisor"], "advisor"),
        ("adxxxor", ["advisor"], ""),
        ("abcd", ["abxy"], ""),
        ("ab", ["ac"], ""),
    ):
        with subtests.test(word=word):
            assert find_unambiguous(word, known) == meant
    assert [count_tolerated_typos("x" * size) for size in (1, 2, 3, 4, 5, 9)] == [0, 0, 1, 1, 2, 2]


def test_long_text_is_cut_with_dots(subtests: pytest.Subtests) -> None:
    for room, fits in ((9, "eight it!"), (8, "eight..."), (4, "e..."), (3, "..."), (2, ""), (0, "")):
        with subtests.test(room=room):
            assert _fit("eight it!", room) == fits


def test_wrapping_keeps_words_and_line_breaks() -> None:
    assert _wrap("a well-kept secret\n\nb", 12) == ["a well-kept", "  secret", "", "b"]
    assert _wrap("tell-tale-signs", 9) == ["tell-tale", "  -signs"]


def test_span_is_visible_in_a_line_of_any_length() -> None:
    text = "before " * 20 + "HERE" + " after" * 20
    start = text.index("HERE")
    shown, before, marked = _crop(text, start, start + 4, 40)
    assert shown[before : before + marked] == "HERE" and len(shown) <= 40
    assert shown.startswith("...") and shown.rstrip(".").endswith("HERE")
    assert _crop("short", 1, 3, 40) == ("short", 1, 2)


def test_terminal_control_characters_are_replaced() -> None:
    shown = {"a\x1b[2Jb": "a?[2Jb", "two\nlines": "two\nlines", "\u202eback": "?back", "äß": "äß"}
    assert {text: escape_terminal(text) for text in shown} == shown


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WALES = "\U0001f3f4" + "".join(chr(0xE0000 + ord(sign)) for sign in "gbwls\x7f")


def test_graphemes_are_counted_as_people_see_them(subtests: pytest.Subtests) -> None:
    for text, seen, unjoined in (
        ("abc", ["a", "b", "c"], "abc"),
        (f"{FAMILY}a", [FAMILY, "a"], FAMILY.replace("\u200d", "") + "a"),
        (f"{WALES}!", [WALES, "!"], "\U0001f3f4!"),
        ("\U0001f3f4!", ["\U0001f3f4", "!"], "\U0001f3f4!"),
        ("a\u200db", ["a\u200d", "b"], "a\u200db"),
        ("e\u0301a", ["e\u0301", "a"], "e\u0301a"),
    ):
        with subtests.test(text=text):
            assert [*graphemes.split_graphemes(text)] == seen and graphemes.truncate_graphemes(text, 1) == seen[0]
            assert graphemes.strip_joiners(text) == unjoined
            assert escape_terminal(text) == (text if text != "a\u200db" else "a?b"), (
                "what joins nothing is made visible"
            )


def test_diagnostic_is_rendered_with_place_line_and_help(subtests: pytest.Subtests) -> None:
    sources, first = index_sources([Source("a.edict", "one\n\ttwo words \u738b end\n")]), Span("a.edict", 1, 1, 1, 4)
    found = Diagnostic(
        "E0101", "wrong", Span("a.edict", 2, 6, 2, 11), "because", (Label(first, "this first"),), "mend it"
    )
    told = (
        "a.edict:2:6: error E0101: wrong\n    2 |     two words \u738b end\n      |         ^^^^^\n"
        "this first at a.edict:1:1:\n    1 | one\n      | ^^^\nbecause\nhelp: mend it\n"
    )
    assert render_diagnostic(found, sources) == told
    odd = Diagnostic("E0102", "odd", severity="warning")
    assert render_diagnostics([found, odd, found], sources) == f"warning E0102: odd\n\n{told}\n1 error and 1 warning\n"
    assert render_diagnostics([], sources) == ""
    for span, under in (
        (Span("a.edict", 2, 12, 3, 1), " " * 14 + "^^^^^^"),  # a wide sign takes two columns
        (Span("a.edict", 2, 6, 2, 6), " " * 8 + "^"),
        (Span("a.edict", 3, 1, 3, 1), None),
        (Span("b", 1, 1, 1, 1), None),
    ):
        with subtests.test(under=under):
            lines = render_diagnostic(Diagnostic("E0101", "wrong", span), sources).splitlines()
            assert lines[2:] == ([] if under is None else [f"      | {under}"])


def test_first_of_overlapping_edits_is_applied() -> None:
    first, touching, over = (
        Edit(Span("a", *at), text)
        for at, text in (
            ((1, 2, 1, 4), "X"),
            ((1, 4, 2, 2), "Y"),
            ((2, 1, 2, 3), "Z"),
        )
    )
    assert apply_edits("abcd\nefg\n", [over, touching, first, first]) == "aXYfg\n"
    assert apply_edits("abcd\nefg\n", [over, first]) == "aXd\nZg\n"


# --- what they order


def test_topological_order_and_cycles() -> None:
    needs = {"a": "bc", "b": "d", "c": "d", "d": "", "e": "f", "f": "e", "g": "g", "h": "ae"}
    assert sort_topologically("ab", needs.__getitem__) == ["d", "b", "c", "a"]
    with pytest.raises(CycleError) as circle:
        sort_topologically("h", needs.__getitem__)
    assert circle.value.members == ["e", "f", "e"]
    assert sort_topologically("h", needs.__getitem__, allow_cycles=True) == ["d", "b", "c", "a", "f", "e", "h"]
    assert find_cycles("abcdefgh", needs.__getitem__) == [["e", "f"], ["g"]]
    wheel = {"a": "b", "b": "cx", "c": "a", "x": "yc", "y": "z", "z": "y"}
    assert [sorted(one) for one in find_cycles("a", wheel.__getitem__)] == [["y", "z"], ["a", "b", "c", "x"]]


@pytest.mark.parametrize("needs_of_c", ["ab", "ba"])
def test_circle_within_a_circle_is_one_with_it(needs_of_c: str) -> None:
    needs = {"a": "b", "b": "c", "c": needs_of_c}
    assert [sorted(one) for one in find_cycles("a", needs.__getitem__)] == [["a", "b", "c"]]


def test_command_name_is_the_typed_one(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    for typed, called in (("/bin/edict", "edict"), ("kingsburg.exe", "kingsburg"), ("pytest", "kingsburg")):
        with subtests.test(typed=typed):
            monkeypatch.setattr("sys.argv", [typed])
            assert resources.command_name() == called


# --- what a pass gives


def create_diagnostic(severity: str = "error") -> Diagnostic:
    return Diagnostic("E0101", "wrong", severity=severity)


def test_outcome_value_is_passed_on_unless_there_are_errors(subtests: pytest.Subtests) -> None:
    warned, wrong = (create_diagnostic("warning"),), (create_diagnostic("warning"), create_diagnostic())
    for value, found in ((1, ()), (1, warned), (1, wrong), (None, ()), (None, wrong)):
        with subtests.test(value=value):
            ok = value == 1 and found != wrong
            outcome = Outcome(value, found)
            assert outcome.ok == ok
            then = outcome.and_then(lambda number: Outcome(number + 1, (create_diagnostic("warning"),)))
            assert (then.value, len(then.diagnostics)) == ((2, len(found) + 1) if ok else (None, len(found)))
            if ok:
                assert outcome.unwrap() == value
            else:
                with pytest.raises(RulesError):
                    outcome.unwrap()


def test_a_hundred_findings_of_each_severity_are_shown_and_the_rest_counted(subtests: pytest.Subtests) -> None:
    for errors, warnings in ((100, 0), (60, 40), (101, 3), (3, 101), (150, 150)):
        some = limit_diagnostics([create_diagnostic("warning")] * warnings + [create_diagnostic()] * errors)
        for severity, all_ in (("error", errors), ("warning", warnings)):
            with subtests.test(severity=severity):
                told = [one for one in some if one.severity == severity]
                assert sum(1 + one.more for one in told) == all_
                assert len(told) == min(all_, 101) and (all_ <= 100) == all(one.code == "E0101" for one in told)
