"""What the rulebook says of a phase in the author's words drifts apart from its rules: that is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edict.checks.passage_drift import drifted_passages
from edict.front.pipeline import understand
from shipped import catalogue
from edict.sources.module_set import gather

WITH_PASSAGES = sorted(name for name, (_, manifest) in catalogue().items() if manifest.book)


def told(place: str, old: str, new: str) -> list[str]:
    """What is said of the base game when a passage says something else."""
    modules = gather("kingsburg").unwrap()
    manifest = modules[0].manifest
    book = tuple(replace(one, text=one.text.replace(old, new)) if one.place == place else one for one in manifest.book)
    assert book != manifest.book
    resolved = understand(modules).unwrap().resolved
    return [one.title for one in drifted_passages(resolved, [replace(manifest, book=book)])]


@pytest.mark.parametrize(
    ("place", "old", "new", "said"),
    [
        ("influencing", "counts exactly 2 more", "counts exactly 3 more", "says 3, which is no number of"),
        ("kings-favor", "gains 1 good", "gains 2 goods", "says 2 good, and the rules 1"),
        ("recruiting", "costs 2 goods", "costs 3 goods", "says 3, which is no number of"),
        ("recruiting", "2 goods", "2 VP", "speaks of VP, and the rules of Recruit Soldiers do not"),
        ("kings-favor", "good", "soldier", "speaks of soldier, and the rules of The King's Favor do not"),
    ],
)
def test_another_number_or_resource_is_told(place: str, old: str, new: str, said: str) -> None:
    (found,) = told(place, old, new)
    assert said in found


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        ("recruiting", "2 goods", "two goods"),
        ("recruiting", "alike or different", "which may be gold, wood or stone"),
        ("constructing", "building token", "marker"),
        ("setup", "face down", "face down, 40 of them"),
        ("always", "the -1 of the Farms", "the -7 of the Farms"),
    ],
)
def test_what_may_be_meant_otherwise_is_not_told(place: str, old: str, new: str) -> None:
    """Numbers in words, members of a group; and chapters that stand for no single rule."""
    assert told(place, old, new) == []


@pytest.mark.parametrize("name", WITH_PASSAGES)
def test_what_ships_agrees(name: str) -> None:
    modules = gather(name).unwrap() if catalogue()[name][1].kind == "game" else gather("kingsburg", (name,)).unwrap()
    assert not [one for one in understand(modules).diagnostics if one.code == "E0583"]


def test_it_is_told_at_its_place_in_the_manifest() -> None:
    modules = gather("kingsburg").unwrap()
    manifest = modules[0].manifest
    wrong = tuple(replace(one, text="Gain 9 VP.") if one.place == "recruiting" else one for one in manifest.book)
    changed = (replace(modules[0], manifest=replace(manifest, book=wrong)), *modules[1:])
    (found,) = (one for one in understand(changed).diagnostics if one.code == "E0583")
    assert found.severity == "warning" and found.span.file.endswith("module.yaml") and found.span.line > 1


def test_of_a_kind_its_things_are_looked_at() -> None:
    modules = gather("kingsburg").unwrap()
    resolved = understand(modules).unwrap().resolved
    passage = replace(modules[0].manifest.book[0], place="advisor")

    def of(text: str) -> list[str]:
        said = replace(modules[0].manifest, book=(replace(passage, text=text),))
        return [one.title for one in drifted_passages(resolved, [said])]

    assert of("The Wizard gives 4 gold, the King 1 soldier.") == []
    assert of("The Wizard gives 40 gold.") != []
