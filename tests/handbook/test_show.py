"""`show`: anything with a name, in English and in the language, every line signed with who wrote it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from helpers import module
from reading import EVERYTHING, VARIANT, Call, known_trees, rules, write

from edict.handbook.annotated import known_from, read
from edict.handbook.looking import everything, look
from edict.handbook.blame import ADDED, GONE, KEPT, signed
from edict.handbook.telling import description


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


def test_what_a_module_amends_is_signed_by_it_and_what_it_replaces_is_kept_in_sight(call: Call, variant: Path) -> None:
    said = call("show", "squire", "--with", str(variant)).stdout
    assert "Gain 1 gold or 1 stone." in said
    (gone,) = lines_of(said, "-")
    (new,) = lines_of(said, "+")
    assert gone.startswith("reward gain 1 gold ") and gone.endswith("kingsburg  (until my-variant)")
    assert new.startswith("reward gain 1 gold or 1 stone ") and new.endswith("my-variant")
    assert "court.edict:10" in new


def test_what_is_removed_is_shown_with_who_removed_it(call: Call, variant: Path) -> None:
    said = call("show", "demons-5-8", "--with", str(variant)).stdout
    assert "Removed by my-variant (court.edict:" in said
    assert len(lines_of(said, "-")) == 8 and not lines_of(said, "+")


def test_a_new_title_is_signed_by_the_module_that_calls_it_so(call: Call, variant: Path) -> None:
    said = call("show", "The long night", "--with", str(variant)).stdout
    (new,) = lines_of(said, "+")
    assert new.startswith('phase winter "The long night"') and new.endswith("my-variant")
    assert any(line.startswith('phase winter "Winter"') for line in lines_of(said, "-"))


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


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    ("about", "sort"),
    [
        ("merchant", "advisor"), ("Merchants' Guild", "building"), ("advisor", "kind"), ("gold", "resource"),
        ("goods", "group"), ("battle strength", "quantity"), ("influence", "action"), ("productive", "phase"),
        ("Whom do you influence?", "action"), ("whom do you", "action"), ("one-guest", "action"),
        ("influence.one-guest", "action"), ("years", "setting"), ("envoy-visit", "exception"),
        ("Declining a trade", "exception"), ("year", "keep"), ("bonus die", "die"), ("rolled", "moment"),
        ("recruit", "routine"), ("charm", "kind"),
    ],
)  # fmt: skip
def test_everything_with_a_name_is_found(call: Call, about: str, sort: str) -> None:
    said = call("show", about)
    assert said.returncode == 0, said.stderr
    assert f"({sort})\n" in said.stdout


def test_what_begins_as_typed_comes_before_what_holds_the_words() -> None:
    begins = [one.title.casefold().startswith("the k") for one in look(rules(), "the k")]
    assert begins == sorted(begins, reverse=True) and True in begins and False in begins
    assert [one.name for one in look(rules(), "mer")] == ["merchant", "merchants-guild"]


def test_two_of_one_title_are_both_shown(call: Call) -> None:
    said = call("show", "architect", "--with", "governors").stdout
    assert "Architect (advisor)\n" in said and "Architect (governor)\n" in said


def test_a_wrong_name_gets_the_nearest_one(call: Call) -> None:
    done = call("show", "merchantt")
    assert done.returncode == 2 and "did you mean `merchant`?" in done.stderr


def test_an_empty_name_is_told(call: Call) -> None:
    done = call("show", "  ")
    assert done.returncode == 2 and "nothing in Kingsburg is named" in done.stderr


def test_wrong_rules_are_told_with_their_place(call: Call, tmp_path: Path) -> None:
    broken = write(tmp_path / "broken", "amend advisor nobody\n  rank 3\n")
    done = call("show", "merchant", "--with", str(broken))
    assert done.returncode == 1 and "E0172" in done.stderr and "court.edict:1:" in done.stderr


def test_what_touches_it_is_told_with_places(call: Call) -> None:
    said = call("show", "strength", "--with", "destiny").stdout
    assert "    Church: +1 to battle strength if the attackers include Demons.  [buildings.edict:" in said


# --- in English --------------------------------------------------------------------------------


@pytest.mark.parametrize("names", known_trees())
def test_everything_is_told_in_sentences(names: tuple[str, ...]) -> None:
    """No definition of what ships is without words, and none of them shows how rules are made."""
    known = rules(*names)
    for one in everything(known).values():
        told = list(description(known, one.definition))
        for text, below in pairwise([*told, ""]):
            assert not text.endswith(":") or len(below) - len(below.lstrip()) > len(text) - len(text.lstrip()), (
                one.name, text,
            )  # fmt: skip
            assert text.strip()[-1] in ".:?!”" and "  " not in text.strip(), (one.name, text)
            assert "None" not in text and " _" not in text, (one.name, text)
            first = text.strip().lstrip("“+-")
            assert first[0].isupper() or first[0].isdigit() or text.strip().startswith(("“", "+", "-")), (
                one.name,
                text,
            )


@pytest.mark.parametrize(
    ("waits", "told"),
    [
        ("when turned\n  each player\n    gain 1 shell\n", ["Now resolve what happens after the tide has turned."]),
        ("", []),
    ],
)
def test_a_moment_is_told_where_it_comes_if_any_rule_waits_for_it(waits: str, told: list[str]) -> None:
    text = (
        'resource shell "shell/shells"\nkeep line as order of player, quiet\n'
        'moment turned "after the tide has turned"\nphase day "Day"\n  trigger turned\n'
        'game shore "Shore"\n  players 2 to 4\n  order line\n  winners everyone\n  score shell of you\n'
        "  course\n    play day\n"
    )
    known = known_from((module(text + waits),)).unwrap()
    assert list(description(known, known.definitions["day"])) == told


def test_looking_does_not_depend_on_capitals() -> None:
    known = rules()
    assert [one.name for one in look(known, "MERCHANTS' guild")] == ["merchants-guild"]


@pytest.mark.parametrize(
    ("module", "kind", "said"),
    [
        ("governors", "governor", "Only your own governor counts."),
        ("destiny", "destiny", "Only the current destiny counts."),
    ],
)
def test_whose_cards_count_is_said_without_a_formula(call: Call, module: str, kind: str, said: str) -> None:
    assert said in " ".join(call("show", kind, "--with", module).stdout.split())
