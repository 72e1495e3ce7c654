"""The command `gallery`, and the user's own rules, kept as folders or zip files."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from calling import GAME, make_manifest, write_files
from edict.compiler.sources.module_lookup import find_module, load_catalogue, load_full_catalogue
from edict.prose.rulebook.game_gallery import build_gallery

Call = Callable[..., subprocess.CompletedProcess[str]]
HOUSE = {
    "module.yaml": "name: house\ntitle: House\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [kingsburg]\n",
    "rules.edict": "# one more die\nadjust dice-rolled by 1 if year = 1\n\nkeep seen as bag of advisor, quiet\n",
}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.setenv("EDICT_RULES", str(folder))
    return folder


def make_zip(files: dict[str, str], folder: str = "house/") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(folder + name, text)
    return buffer.getvalue()


def test_gallery_has_everything_that_ships_with_its_own_picture(own: Path) -> None:
    found = build_gallery()
    assert {one.name for one in found} > load_catalogue().keys()
    assert len({one.picture for one in found}) == len(found)
    assert all(ElementTree.fromstring(one.picture).tag.endswith("svg") and one.lines and one.title for one in found)
    road = next(one for one in found if one.name == "pedlars-road")
    assert (road.group, road.players) == ("Games", "2 to 4") and "bag" in road.shows
    told = {one.name: one for one in found}
    assert list(dict.fromkeys(one.group for one in found)) == ["Games", "Variants", "Recipes"]
    assert [(told[name].players, told[name].over) for name in ("nine-tiles", "governors")] == [
        ("1", ()),
        ("", ("kingsburg",)),
    ]
    assert told["embers"].sentence == "Six dice, every number only once a turn."
    assert max(len(one.shows) for one in found) == 4, "the rarest of what not nearly all show"
    assert told["kingsburg"].shows[0] == "assert" and not any("gain" in one.shows for one in found)


def test_picture_depends_on_the_rules(own: Path) -> None:
    pictures = []
    for resource in ("", 'resource pearl "pearl/pearls"\n'):
        write_files(
            own, {"house/module.yaml": HOUSE["module.yaml"], "house/rules.edict": HOUSE["rules.edict"] + resource}
        )
        pictures.append(build_gallery()[-1].picture)
    assert pictures[0] != pictures[1] and ">P<" in pictures[1]


def test_own_rules_are_listed_and_found_by_name(own: Path, call: Call) -> None:
    write_files(own, {f"house/{name}": text for name, text in HOUSE.items()})
    shown = json.loads(call("gallery", "--format", "json", EDICT_RULES=str(own)).stdout)["entries"][-1]
    assert (shown["name"], shown["group"], shown["lines"]) == ("house", "Your own", 2) and "bag" in shown["shows"]
    assert "kingsburg play --with house" in call("gallery", EDICT_RULES=str(own)).stdout
    assert "house: no errors" in call("check", "house", EDICT_RULES=str(own)).stdout
    assert (
        find_module("house").value == own / "house"
        and "house" in load_full_catalogue()
        and "house" not in load_catalogue()
    )


def test_zip_file_is_unpacked_only_once(own: Path) -> None:
    (own / "house.zip").write_bytes(make_zip(HOUSE))
    assert find_module("house").value == own / "house"
    (own / "house" / "rules.edict").write_text("resource pearl\n")
    (own / "house.zip").write_bytes(make_zip(HOUSE))
    assert find_module("house").value == own / "house"
    assert (own / "house" / "rules.edict").read_text() == "resource pearl\n"
    assert sorted(one.name for one in own.iterdir()) == ["house", "house.zip"]


def test_files_without_rules_are_reported_and_left_alone(own: Path, call: Call, subtests: pytest.Subtests) -> None:
    (own / "torn.zip").write_bytes(make_zip(HOUSE)[:40])
    (own / "sly.zip").write_bytes(make_zip({"../../module.yaml": HOUSE["module.yaml"]}, ""))
    write_files(own, {"deep/house/module.yaml": HOUSE["module.yaml"], "odd/module.yaml": "name: [\n"})
    done = call("gallery", EDICT_RULES=str(own))
    assert done.returncode == 1 and "Kingsburg" in done.stdout
    for name in ("torn.zip", "sly.zip", "odd"):
        with subtests.test(name=name):
            assert f"{name} is left out: " in done.stderr
    assert "deep is left out: it has no `module.yaml`" in done.stderr
    assert sorted(one.name for one in own.iterdir()) == ["deep", "odd", "sly.zip", "torn.zip"]


def test_name_of_own_and_shipped_rules_is_ambiguous(own: Path, call: Call) -> None:
    write_files(own, {"mine/module.yaml": make_manifest("pig", "game"), "mine/rules.edict": GAME})
    assert "`pig` is both rules of your own and rules that come with the package" in str(
        find_module("pig").diagnostics[0]
    )
