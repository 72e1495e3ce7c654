"""`show`: anything with a name, in English and in the language, every line signed with who wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.prose.rulebook.annotated import known_from, read
from edict.prose.rulebook.blame import ADDED, GONE, KEPT, signed
from edict.prose.rulebook.descriptions import description
from edict.prose.rulebook.looking import everything, look
from helpers import module
from reading import EVERYTHING, VARIANT, Call, rules, write


@pytest.fixture
def variant(tmp_path: Path) -> Path:
    return write(tmp_path / "my-variant", VARIANT)


def lines_of(text: str, mark: str) -> list[str]:
    return [line[4:].strip() for line in text.splitlines() if line.startswith(f"  {mark} ")]


# --- signed lines ------------------------------------------------------------------------------


def test_a_thing_nobody_changed_is_signed_by_its_game(call: Call) -> None:
    said = call("show", "merchant").stdout
    assert said.startswith("Merchant (advisor)\n") and "  Gain 1 gold or 1 wood.\n" in said
    signed_ = [line for line in said.splitlines() if line.endswith("kingsburg") and "advisors.edict:" in line]
    assert len(signed_) == 3 and len({line.index("advisors.edict:") for line in signed_}) == 1, "one column"


def test_what_a_module_changes_is_signed_by_it_and_what_was_there_is_kept_in_sight(call: Call, variant: Path) -> None:
    squire = call("show", "squire", "--with", str(variant)).stdout
    assert "Gain 1 gold or 1 stone." in squire
    (gone,), (new,) = lines_of(squire, "-"), lines_of(squire, "+")
    assert gone.startswith("reward gain 1 gold ") and gone.endswith("kingsburg  (until my-variant)")
    assert new.startswith("reward gain 1 gold or 1 stone ") and new.endswith("my-variant") and "court.edict:10" in new
    removed = call("show", "demons-5-8", "--with", str(variant)).stdout
    assert "Removed by my-variant (court.edict:" in removed
    assert len(lines_of(removed, "-")) == 8 and not lines_of(removed, "+")
    titled = call("show", "The long night", "--with", str(variant)).stdout
    (new,) = lines_of(titled, "+")
    assert new.startswith('phase winter "The long night"') and new.endswith("my-variant")
    assert any(line.startswith('phase winter "Winter"') for line in lines_of(titled, "-"))


def test_what_is_rewritten_line_by_line_is_signed_anew(variant: Path) -> None:
    """A phase is replaced as a whole: also the lines that read as before come from the module now."""
    known = read("kingsburg", (str(variant),)).unwrap()
    lines = {line.text.strip(): line for line in signed(known, "kings-reward") if line.mark != GONE}
    assert {line.module for line in lines.values()} == {"my-variant"}
    assert lines["gain 2 point"].mark == ADDED
    assert lines["each player in (players with most count of owned of it)"].mark == KEPT


def test_lines_inside_a_definition_have_places_of_their_own() -> None:
    """Also `because` and `then`, which are no nodes."""
    known = rules()
    for name in ("influence", "construct", "battle", "polite-trades"):
        lines = signed(known, name)
        assert [line.span.line for line in lines] == sorted({line.span.line for line in lines}), name


def test_every_line_of_everything_is_signed() -> None:
    known = rules("kingsburg", *EVERYTHING)
    names = {module.name for module in known.modules}
    for name in everything(known):
        for line in signed(known, name):
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
    "Whom do you influence?": "action",
    "whom do you": "action",
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


def test_everything_with_a_name_is_found_whatever_its_capitals(call: Call) -> None:
    for about, sort in SORTS.items():
        assert sort in [one.sort for one in look(rules(), about)], about
    assert "(kind)\n" in call("show", "charm").stdout, "also what is there for bots, if nothing else is called so"


def test_what_begins_as_typed_comes_before_what_holds_the_words() -> None:
    begins = [one.title.casefold().startswith("the k") for one in look(rules(), "the k")]
    assert begins == sorted(begins, reverse=True) and True in begins and False in begins
    assert [one.name for one in look(rules(), "mer")] == ["merchant", "merchants-guild"]


def test_two_of_one_title_are_both_shown_and_whose_cards_count_is_said_without_a_formula(call: Call) -> None:
    said = call("show", "architect", "--with", "governors").stdout
    assert "Architect (advisor)\n" in said and "Architect (governor)\n" in said
    for name, kind, told in (
        ("governors", "governor", "Only your own governor counts."),
        ("destiny", "destiny", "Only the current destiny counts."),
    ):
        known = rules("kingsburg", name)
        assert told in [*description(known, known.definitions[kind])], kind


def test_what_cannot_be_shown_is_told_with_a_remedy_or_a_place(call: Call, tmp_path: Path) -> None:
    broken = write(tmp_path / "broken", "amend advisor nobody\n  rank 3\n")
    for words, code, said in (
        (("merchantt",), 2, "did you mean `merchant`?"),
        (("  ",), 2, "nothing in Kingsburg is named"),
        (("merchant", "--with", str(broken)), 1, "court.edict:1:"),
    ):
        done = call("show", *words)
        assert done.returncode == code and said in done.stderr, words


def test_what_touches_it_is_told_with_places(call: Call) -> None:
    said = call("show", "strength", "--with", "destiny").stdout
    assert "    Church: +1 to battle strength if the attackers include Demons.  [buildings.edict:" in said


# --- in English --------------------------------------------------------------------------------


def test_a_moment_is_told_where_it_comes_if_any_rule_waits_for_it() -> None:
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
        known = known_from((module(text + waits),)).unwrap()
        assert list(description(known, known.definitions["day"])) == told
