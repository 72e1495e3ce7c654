"""Tests of `show`, which describes anything with a name in English and in the language, with each line's author."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.prose.rulebook.annotated_rules import annotate_rules, read_annotated_rules
from edict.prose.rulebook.blame import ADDED, GONE, KEPT, sign_lines
from edict.prose.rulebook.descriptions import describe_definition
from edict.prose.rulebook.rule_search import collect_named_definitions, search_definitions
from helpers import make_module
from reading import EVERYTHING, VARIANT, Call, load_annotated, write_module


@pytest.fixture
def variant(tmp_path: Path) -> Path:
    return write_module(tmp_path / "my-variant", VARIANT)


def lines_with_mark(text: str, mark: str) -> list[str]:
    return [line[4:].strip() for line in text.splitlines() if line.startswith(f"  {mark} ")]


# --- signed lines ------------------------------------------------------------------------------


def test_unchanged_thing_is_signed_by_its_game(call: Call) -> None:
    said = call("show", "merchant").stdout
    assert said.startswith("Merchant (advisor)\n") and "  Gain 1 gold or 1 wood.\n" in said
    signed_ = [line for line in said.splitlines() if line.endswith("kingsburg") and "advisors.edict:" in line]
    assert len(signed_) == 3 and len({line.index("advisors.edict:") for line in signed_}) == 1, "one column"


def test_changed_lines_are_signed_by_the_module_and_old_lines_remain(call: Call, variant: Path) -> None:
    squire = call("show", "squire", "--with", str(variant)).stdout
    assert "Gain 1 gold or 1 stone." in squire
    (gone,), (new,) = lines_with_mark(squire, "-"), lines_with_mark(squire, "+")
    assert gone.startswith("reward gain 1 gold ") and gone.endswith("kingsburg  (until my-variant)")
    assert new.startswith("reward gain 1 gold or 1 stone ") and new.endswith("my-variant") and "court.edict:10" in new
    removed = call("show", "demons-5-8", "--with", str(variant)).stdout
    assert "Removed by my-variant (court.edict:" in removed
    assert len(lines_with_mark(removed, "-")) == 8 and not lines_with_mark(removed, "+")
    titled = call("show", "The long night", "--with", str(variant)).stdout
    (new,) = lines_with_mark(titled, "+")
    assert new.startswith('phase winter "The long night"') and new.endswith("my-variant")
    assert any(line.startswith('phase winter "Winter"') for line in lines_with_mark(titled, "-"))


def test_rewritten_definition_is_signed_anew(variant: Path) -> None:
    """A phase is replaced as a whole, so equal lines come from the module, too."""
    known = read_annotated_rules("kingsburg", (str(variant),)).unwrap()
    lines = {line.text.strip(): line for line in sign_lines(known, "kings-reward") if line.mark != GONE}
    assert {line.module for line in lines.values()} == {"my-variant"}
    assert lines["gain 2 point"].mark == ADDED
    assert lines["each player in (players with most count of owned of it)"].mark == KEPT


def test_inner_lines_have_their_own_places(subtests: pytest.Subtests) -> None:
    """This includes `because` and `then`, which are not nodes."""
    known = load_annotated()
    for name in ("influence", "construct", "battle", "polite-trades"):
        with subtests.test(name=name):
            lines = sign_lines(known, name)
            assert [line.span.line for line in lines] == sorted({line.span.line for line in lines})


def test_every_line_is_signed() -> None:
    known = load_annotated("kingsburg", *EVERYTHING)
    names = {module.name for module in known.modules}
    for name in collect_named_definitions(known):
        for line in sign_lines(known, name):
            assert line.module in names and line.span.line > 0, (name, line)
            source = known.sources[line.span.file].lines[line.span.line - 1]
            assert line.text.split()[0] in source or line.module == "first-edition", (line, source)


# --- finding -----------------------------------------------------------------------------------


SORTS = {
    "merchant": "advisor",
    "Merchants' Guild": "building",
    "advisor": "kind",
    "gold": "resource",
    "goods": "group",
    "battle strength": "quantity",
    "influence": "action",
    "productive": "phase",
    "Which advisor do you influence?": "action",
    "which advisor do you": "action",
    "one-guest": "action",
    "influence.one-guest": "action",
    "years": "setting",
    "envoy-visit": "exception",
    "Declining a trade": "exception",
    "year": "keep",
    "bonus die": "die",
    "rolled": "moment",
    "recruit": "routine",
    "charm": "kind",
    "MERCHANTS' guild": "building",
}


def test_search_ignores_case(call: Call, subtests: pytest.Subtests) -> None:
    for about, sort in SORTS.items():
        with subtests.test(about=about):
            assert sort in [one.sort for one in search_definitions(load_annotated(), about)]
    assert "(kind)\n" in call("show", "charm").stdout, "also what is there for bots, if nothing else is called so"


def test_title_prefixes_rank_before_word_prefixes() -> None:
    begins = [one.title.casefold().startswith("the k") for one in search_definitions(load_annotated(), "the k")]
    assert begins == sorted(begins, reverse=True) and True in begins and False in begins
    assert [one.name for one in search_definitions(load_annotated(), "mer")] == ["merchant", "merchants-guild"]


def test_equal_titles_are_both_shown_and_kinds_say_whose_cards_count(call: Call, subtests: pytest.Subtests) -> None:
    said = call("show", "architect", "--with", "governors").stdout
    assert "Architect (advisor)\n" in said and "Architect (governor)\n" in said
    for name, kind, told in (
        ("governors", "governor", "Only your own governor counts."),
        ("destiny", "destiny", "Only the current destiny counts."),
    ):
        with subtests.test(kind=kind):
            known = load_annotated("kingsburg", name)
            assert told in [*describe_definition(known, known.definitions[kind])]


def test_unknown_name_is_reported_with_a_hint_or_a_place(call: Call, tmp_path: Path, subtests: pytest.Subtests) -> None:
    broken = write_module(tmp_path / "broken", "amend advisor nobody\n  rank 3\n")
    for words, code, said in (
        (("merchantt",), 2, "did you mean `merchant`?"),
        (("  ",), 2, "nothing named `"),
        (("merchant", "--with", str(broken)), 1, "court.edict:1:"),
    ):
        with subtests.test(words=words):
            done = call("show", *words)
            assert done.returncode == code and said in done.stderr


def test_references_are_shown_with_places(call: Call) -> None:
    said = call("show", "strength", "--with", "destiny").stdout
    assert "    Church: +1 to battle strength if the attackers include Demons.  [buildings.edict:" in said


# --- in English --------------------------------------------------------------------------------


def test_moment_is_described_only_if_a_rule_waits_for_it(subtests: pytest.Subtests) -> None:
    text = (
        'resource shell "shell/shells"\nkeep line as order of player, quiet\n'
        'moment turned "after the tide has turned"\nphase day "Day"\n  trigger turned\n'
        'game shore "Shore"\n  players 2 to 4\n  order line\n  winners everyone\n  score shell of you\n'
        "  course\n    play day\n"
    )
    for waits, told in (
        ("when turned\n  each player\n    gain 1 shell\n", ["Now resolve what happens after the tide has turned."]),
        ("", []),
    ):
        with subtests.test(waits=waits):
            known = annotate_rules((make_module(text + waits),)).unwrap()
            assert list(describe_definition(known, known.definitions["day"])) == told
