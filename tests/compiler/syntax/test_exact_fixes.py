"""Exact fixes, which never change the meaning of a rule.

A line of real rules is damaged by one typing error. After all exact fixes, the rules are either what they were or
still have an error; they never become other rules without errors.
"""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edict.compiler.syntax.printing.canonical import format_source
from edict.support.report import MAX_COMPARED, apply_edits, find_unambiguous
from edict.support.text import Source
from examples import choose_examples
from newcoming import FILE, find_diagnostics

RULES = """\
building mill "Mill"
  row B
  column 4
  cost 2 wood, 1 stone
  worth 2
  when end of summer
    may spend 1 wood and 1 gold
      gain 2 point or 1 stone
    else
      gain 1 gold
  adjust dice-rolled by 1 if year = 2 and gold of you > 3

amend advisor merchant
  reward
    if wood of you <= 2 or envoy is you
      gain 1 of each good
    else if not (statue is in owned of you)
      choose a building from owned of you as lost where worth of it > 1
      remove lost from owned of you
    else
      lose gold of you / 2 gold

when start of summer
  each player where count of owned of it < 2
    repeat 2 times
      roll 2 own-die as thrown
      gain least of total of thrown and 4 gold
    give 1 gold to left of you
    for first of turn-order
      add 1 to year
"""
SIGNS = {"=": "==", "<=": "=<", "!=": "<>", "and": "&&", "or": "||", ">": "＞", ",": ";", '"': "”", "-": "–"}


def normalize_rules(text: str) -> str:
    """Return rules in canonical layout, with the same name for every local."""
    for name in re.findall(r" as ([\w-]+)", text):
        text = re.sub(rf"(?<![\w-]){name}(?![\w-])", "a-local-name", text)
    return str(format_source(Source(FILE, text)).value)


def add_typing_error(rng: Random) -> str:
    """Return the rules with one typing error (letters, words, signs, capitals or spaces)."""
    lines = RULES.split("\n")
    number = rng.choice([n for n, line in enumerate(lines) if len(line.split()) > 1])
    line = lines[number]
    words = list(re.finditer(r"[A-Za-z][\w-]*|\d+|[^\s\w]+", line))
    word = rng.choice(words)
    old, kind = word[0], rng.randrange(9)
    j = rng.randrange(len(old))
    new = {
        0: old[:j] + old[j + 1 :],
        1: old[:j] + old[j] + old[j:],
        2: old[:j] + rng.choice("aeioustn") + old[j + 1 :],
        3: old[: j - 1] + old[j] + old[j - 1] + old[j + 1 :] if j else old,
        4: old.capitalize(),
        5: f"{old} {old}",
        6: "",
        7: SIGNS.get(old, old + "s"),
        8: old.replace("-", rng.choice(["_", " ", "–"])),
    }[kind]
    lines[number] = line[: word.start()] + new + line[word.end() :]
    return "\n".join(lines)


def apply_exact_fixes(text: str) -> str:
    """Return rules after all exact fixes, applied round by round."""
    for _ in range(4):
        edits = [edit for one in find_diagnostics(text) if one.exact for edit in one.edits if edit.span.file == FILE]
        if not edits:
            return text
        text = apply_edits(text, edits)
    return text


def test_rules_have_no_errors_before_they_are_damaged() -> None:
    assert [one for one in find_diagnostics(RULES) if one.is_error] == []


@settings(max_examples=choose_examples(25, 1500), deadline=None)
@given(st.integers(0, 1_000_000))
def test_exact_fixes_restore_the_rules_or_leave_an_error(seed: int) -> None:
    text = add_typing_error(Random(seed))
    if not any(one.is_error for one in find_diagnostics(text)):
        return  # the slip itself is another rule
    after = apply_exact_fixes(text)
    if after != text and not any(one.is_error for one in find_diagnostics(after)):
        assert normalize_rules(after) == normalize_rules(RULES), after


SENTENCES = (
    "gain 1 gold unless wood of you > 2",
    "get 1 gold unless wood of you > 2",
    "take 1 gold unless wood of you > 2",
    "gain 1 gold unless you have 2 wood",
    "gain 1 gold except in winter",
    "gain 1 gold if you have no wood",
    "gain 2 gold instead of 1 wood",
    "lose 1 gold instead of gaining 2",
    "gain only 1 gold",
    "gain at most 2 gold",
    "gain 1 gold, 1 wood or 1 stone",
    "each player but the first gains 1 gold",
    "nobody gains 1 gold",
    "never gain 1 gold",
    "gain no gold",
    "gain 1 gold twice",
    "gain 1 gold once",
    "pay 1 gold",
    "lose 1 gold or wood",
    "gain 2 gold each",
    "gain half your gold",
    "gain 1 gold for each wood",
    "repeat wood of you < 2",
)


def test_translated_sentence_is_no_exact_fix(subtests: pytest.Subtests) -> None:
    for line in SENTENCES:
        with subtests.test(line=line):
            found = find_diagnostics(f"when start of summer\n  each player\n    {line}\n")
            assert found and not any(one.exact for one in found)


def test_exact_fix_never_turns_a_name_into_a_keyword(subtests: pytest.Subtests) -> None:
    for line in ('resource cr€me "Creme"', "building back€rei", "for first player\n  gain 1 gold"):
        for one in find_diagnostics(line + "\n"):
            with subtests.test(one=one):
                assert not one.exact and "number" not in one.help


# --- the only word that is near enough -----------------------------------------------------------


def test_only_near_finds_the_single_similar_word_among_thousands() -> None:
    others = [f"village-{number}" for number in range(9_000)]
    assert find_unambiguous("statoin", [*others, "station"]) == "station"
    assert find_unambiguous("STATION", [*others, "station", "nation"]) == "station"
    assert find_unambiguous("statoin", [*others, "station", "statoins"]) == ""


def test_only_near_returns_nothing_among_too_many_candidates() -> None:
    alike = [f"abcd-{number}" for number in range(10_000, 10_000 + MAX_COMPARED + 1)]
    assert find_unambiguous("abdc-10000", alike) == ""
