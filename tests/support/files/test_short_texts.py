"""What all rooms say by the same functions: words that are meant, lines that fit."""

from __future__ import annotations

import difflib
from itertools import product
from random import Random

import pytest

from edict.support import graphemes, resources
from edict.support.ordering import Circle, after_their_needs, together
from edict.support.rendering import _cropped, _fit, _wrap, by_name, plain, render, render_all
from edict.support.report import (
    Diagnostic,
    Edit,
    Label,
    Outcome,
    RulesError,
    _closest,
    distance,
    edited,
    letters_off,
    nearest,
    only_near,
    shortened,
)
from edict.support.text import Source, Span


def edits(a: str, b: str) -> int:
    """The distance, by trying all ways."""
    if not a or not b:
        return len(a) + len(b)
    ways = [edits(a[1:], b) + 1, edits(a, b[1:]) + 1, edits(a[1:], b[1:]) + (a[0] != b[0])]
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        ways.append(edits(a[2:], b[2:]) + 1)
    return min(ways)


def test_how_far_apart_words_are_counts_letters_changed_left_out_put_in_and_swapped() -> None:
    some = ["".join(letters) for size in range(4) for letters in product("ab", repeat=size)] + ["abc", "bac", "cabba"]
    for a, b in product(some, repeat=2):
        assert [distance(a, b, most) for most in (0, 1, 2, 9)] == [min(edits(a, b), most + 1) for most in (0, 1, 2, 9)]


def test_the_words_most_alike_are_those_that_python_finds() -> None:
    luck = Random(5)
    for _ in range(150):
        known = tuple({"".join(luck.choices("abcd", k=luck.randint(1, 6))) for _ in range(12)})
        word = "".join(luck.choices("abcd", k=luck.randint(1, 6)))
        expected = difflib.get_close_matches(word, known, 3, 0.6)
        alike = [difflib.SequenceMatcher(None, one, word).ratio() for one in expected]
        assert [difflib.SequenceMatcher(None, one, word).ratio() for one in _closest(word, known)] == alike


def test_the_word_that_is_meant() -> None:
    for word, known, meant in (
        ("wierd", ["wind", "weird"], "weird"),
        ("Gold-Coin", ["gold coin", "gold"], "gold coin"),
        ("dice", ["rice", "mouse"], "rice"),
        ("cat", ["dog"], ""),
        ("x" * 61, ["x" * 60], ""),
        ("x" * 60, ["x" * 59], "x" * 59),
    ):
        assert nearest(word, known) == meant, word


def test_a_word_that_can_only_be_one() -> None:
    """A letter in three may be wrong, two in five and more; and no other word may be as near."""
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
        assert only_near(word, known) == meant, word
    assert [letters_off("x" * size) for size in (1, 2, 3, 4, 5, 9)] == [0, 0, 1, 1, 2, 2]


def test_what_is_too_long_is_cut_with_dots_as_far_as_they_fit() -> None:
    for room, fits in ((9, "eight it!"), (8, "eight..."), (4, "e..."), (3, "..."), (2, ""), (0, "")):
        assert _fit("eight it!", room) == fits


def test_lines_are_wrapped_between_words_and_stay_lines() -> None:
    assert _wrap("a well-kept secret\n\nb", 12) == ["a well-kept", "  secret", "", "b"]
    assert _wrap("tell-tale-signs", 9) == ["tell-tale", "  -signs"]


def test_the_stretch_that_is_meant_is_shown_however_long_its_line() -> None:
    text = "before " * 20 + "HERE" + " after" * 20
    start = text.index("HERE")
    shown, before, marked = _cropped(text, start, start + 4, 40)
    assert shown[before : before + marked] == "HERE" and len(shown) <= 40
    assert shown.startswith("...") and shown.rstrip(".").endswith("HERE")
    assert _cropped("short", 1, 3, 40) == ("short", 1, 2)


def test_nothing_that_could_steer_a_terminal_is_printed() -> None:
    shown = {"a\x1b[2Jb": "a?[2Jb", "two\nlines": "two\nlines", "\u202eback": "?back", "äß": "äß"}
    assert {text: plain(text) for text in shown} == shown


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WALES = "\U0001f3f4" + "".join(chr(0xE0000 + ord(sign)) for sign in "gbwls\x7f")


def test_characters_are_counted_as_people_see_them() -> None:
    for text, seen, unjoined in (
        ("abc", ["a", "b", "c"], "abc"),
        (f"{FAMILY}a", [FAMILY, "a"], FAMILY.replace("\u200d", "") + "a"),
        (f"{WALES}!", [WALES, "!"], "\U0001f3f4!"),
        ("\U0001f3f4!", ["\U0001f3f4", "!"], "\U0001f3f4!"),
        ("a\u200db", ["a\u200d", "b"], "a\u200db"),
        ("e\u0301a", ["e\u0301", "a"], "e\u0301a"),
    ):
        assert [*graphemes.characters(text)] == seen and graphemes.shortened(text, 1) == seen[0]
        assert graphemes.without_joiners(text) == unjoined
        assert plain(text) == (text if text != "a\u200db" else "a?b"), "what joins nothing is made visible"


def test_a_finding_is_told_with_its_place_its_line_and_what_to_do() -> None:
    sources, first = by_name([Source("a.edict", "one\n\ttwo words \u738b end\n")]), Span("a.edict", 1, 1, 1, 4)
    found = Diagnostic(
        "E0101", "wrong", Span("a.edict", 2, 6, 2, 11), "because", (Label(first, "this first"),), "mend it"
    )
    told = (
        "a.edict:2:6: error E0101: wrong\n    2 |     two words \u738b end\n      |         ^^^^^\n"
        "this first at a.edict:1:1:\n    1 | one\n      | ^^^\nbecause\nhelp: mend it\n"
    )
    assert render(found, sources) == told
    odd = Diagnostic("E0102", "odd", severity="warning")
    assert render_all([found, odd, found], sources) == f"warning E0102: odd\n\n{told}\n1 error and 1 warning\n"
    assert render_all([], sources) == ""
    for span, under in (
        (Span("a.edict", 2, 12, 3, 1), " " * 14 + "^^^^^^"),  # a wide sign takes two columns
        (Span("a.edict", 2, 6, 2, 6), " " * 8 + "^"),
        (Span("a.edict", 3, 1, 3, 1), None),
        (Span("b", 1, 1, 1, 1), None),
    ):
        lines = render(Diagnostic("E0101", "wrong", span), sources).splitlines()
        assert lines[2:] == ([] if under is None else [f"      | {under}"])


def test_of_edits_that_overlap_the_first_is_made() -> None:
    first, touching, over = (
        Edit(Span("a", *at), text)
        for at, text in (
            ((1, 2, 1, 4), "X"),
            ((1, 4, 2, 2), "Y"),
            ((2, 1, 2, 3), "Z"),
        )
    )
    assert edited("abcd\nefg\n", [over, touching, first, first]) == "aXYfg\n"
    assert edited("abcd\nefg\n", [over, first]) == "aXd\nZg\n"


# --- what they order


def test_what_is_needed_comes_first_and_circles_are_found() -> None:
    needs = {"a": "bc", "b": "d", "c": "d", "d": "", "e": "f", "f": "e", "g": "g", "h": "ae"}
    assert after_their_needs("ab", needs.__getitem__) == ["d", "b", "c", "a"]
    with pytest.raises(Circle) as circle:
        after_their_needs("h", needs.__getitem__)
    assert circle.value.members == ["e", "f", "e"]
    assert after_their_needs("h", needs.__getitem__, circles=True) == ["d", "b", "c", "a", "f", "e", "h"]
    assert together("abcdefgh", needs.__getitem__) == [["e", "f"], ["g"]]
    wheel = {"a": "b", "b": "cx", "c": "a", "x": "yc", "y": "z", "z": "y"}
    assert [sorted(one) for one in together("a", wheel.__getitem__)] == [["y", "z"], ["a", "b", "c", "x"]]


def test_the_program_is_called_as_it_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    for typed, called in (("/bin/edict", "edict"), ("kingsburg.exe", "kingsburg"), ("pytest", "kingsburg")):
        monkeypatch.setattr("sys.argv", [typed])
        assert resources.command() == called


# --- what a pass gives


def finding(severity: str = "error") -> Diagnostic:
    return Diagnostic("E0101", "wrong", severity=severity)


def test_what_a_pass_gives_is_used_unless_it_is_wrong() -> None:
    warned, wrong = (finding("warning"),), (finding("warning"), finding())
    for value, found in ((1, ()), (1, warned), (1, wrong), (None, ()), (None, wrong)):
        ok = value == 1 and found != wrong
        outcome = Outcome(value, found)
        assert outcome.ok == ok
        then = outcome.then(lambda number: Outcome(number + 1, (finding("warning"),)))
        assert (then.value, len(then.diagnostics)) == ((2, len(found) + 1) if ok else (None, len(found)))
        if ok:
            assert outcome.unwrap() == value
        else:
            with pytest.raises(RulesError):
                outcome.unwrap()


def test_a_hundred_findings_of_a_sort_are_shown_and_the_rest_counted() -> None:
    for errors, warnings in ((100, 0), (60, 40), (101, 3), (3, 101), (150, 150)):
        some = shortened([finding("warning")] * warnings + [finding()] * errors)
        for severity, all_ in (("error", errors), ("warning", warnings)):
            told = [one for one in some if one.severity == severity]
            assert sum(1 + one.more for one in told) == all_
            assert len(told) == min(all_, 101) and (all_ <= 100) == all(one.code == "E0101" for one in told)
