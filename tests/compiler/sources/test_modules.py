"""Lookup of modules by name or path, safe reading, and gathering in the order of their manifests."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import pytest

from calling import ROOT, make_manifest, write_files
from edict.compiler.sources.module_set import (
    find_misspelt_modules,
    find_module,
    gather_modules,
    hash_rules,
    load_catalogue,
    load_module,
    read_texts,
)
from edict.compiler.sources.packing import pack_modules, unpack_modules
from edict.compiler.sources.yaml_reader import read_yaml
from edict.support.report import Outcome, apply_edits
from edict.support.text import Source


def write_module(folder: Path, name: str, kind: str = "module", **more: str) -> Path:
    """Write a small module; `more` are further lines of its manifest."""
    write_files(
        folder / name, {"module.yaml": make_manifest(name, kind, **more), "page.edict": f"resource {name}-coin\n"}
    )
    return folder / name


def get_codes(outcome: Outcome[Any]) -> list[str]:
    return [d.code for d in outcome.diagnostics]


# --- what comes with the package ---------------------------------------------------------------


def test_shipped_module_is_found_by_name(subtests: pytest.Subtests) -> None:
    shipped = load_catalogue()
    assert {"pig", "kuhn-poker"} <= shipped.keys()
    assert shipped[next(iter(shipped))][0] == ROOT / "rules"
    for name, (folder, told) in shipped.items():
        with subtests.test(name=name):
            assert find_module(name).unwrap() == folder
            assert told.name == name and told.summary and (told.source or told.origin)


# --- finding -----------------------------------------------------------------------------------


def test_module_folder_is_found_by_path_and_by_manifest(tmp_path: Path) -> None:
    at = write_module(tmp_path, "house")
    assert find_module(at).unwrap() == find_module(str(at)).unwrap() == find_module(at / "module.yaml").unwrap() == at
    assert load_module(at).unwrap().sources == (Source("house/page.edict", "resource house-coin\n", edition=0),)


def test_unknown_name_is_refused_with_a_remedy(subtests: pytest.Subtests) -> None:
    for name in ("pigg", "", "\0", "x" * 5000, "./" + "x" * 5000, "./nowhere", "/", "~nobody-at-all/x"):
        with subtests.test(name=name):
            outcome = find_module(name)
            assert get_codes(outcome) in (["E0150"], ["E0151"]), name[:9]
            assert outcome.diagnostics[0].help, name[:9]


def test_misspelt_name_gets_a_suggestion_and_a_folder_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_module(tmp_path, "cottage")
    monkeypatch.chdir(tmp_path)
    assert find_module("kuhn-pokr").diagnostics[0].help == "did you mean `kuhn-poker`?"
    assert find_module("cotage").diagnostics[0].help == "did you mean `cottage`?"
    assert find_module("cottage").unwrap() == Path("cottage"), "a folder here is found by its bare name"
    (tmp_path / "cottage" / "module.yaml").unlink()
    assert "to the folder `cottage`" in find_module("cottage").diagnostics[0].help


def test_path_of_a_file_finds_its_module(tmp_path: Path) -> None:
    at = write_module(tmp_path, "house")
    write_files(tmp_path, {"house/with/barn/both.edict": "", "stray.edict": ""})
    assert (
        find_module(at / "page.edict").unwrap() == find_module(str(at / "with" / "barn" / "both.edict")).unwrap() == at
    )
    assert get_codes(find_module(tmp_path / "stray.edict")) == ["E0151"]


def test_required_module_is_found_beside_the_module(tmp_path: Path) -> None:
    house = write_module(tmp_path, "house", kind="game")
    write_module(tmp_path, "shed")
    at = write_module(tmp_path, "barn", requires="[house, shed]")
    assert [m.name for m in gather_modules(at).unwrap()] == ["house", "shed", "barn"]
    assert [m.name for m in gather_modules(house, [at]).unwrap()] == ["house", "shed", "barn"]


# --- reading safely ----------------------------------------------------------------------------


BROKEN = (
    ("name: House", "E0145"),
    ("name: ../../etc", "E0145"),
    ("requires: house", "E0145"),
    ("requires: [a, a]", "E0145"),
    ("titel: x", "E0144"),
    ("kind: gaem", "E0145"),
    ("title: ", "E0145"),
    ("title: [a", "E0140"),
    ("title: !!python/name:os.system x", "E0142"),
    ("over: &a [x]\nconflicts: *a", "E0142"),
    ("title: a\ntitle: b", "E0141"),
    ('title: "\\e[2J"', "E0123"),
    ("title: a\u202eb", "E0123"),
    ("summary: " + "x" * 600, "E0145"),
    ("players: many", "E0145"),
)


def test_broken_manifest_gets_one_diagnostic_in_its_line(tmp_path: Path, subtests: pytest.Subtests) -> None:
    at = write_module(tmp_path, "house", "game")
    lines = (at / "module.yaml").read_text(encoding="utf-8").splitlines()
    for line, code in BROKEN:
        with subtests.test(line=line):
            kept = [one for one in lines if not one.startswith(line.split(":")[0] + ":")]
            write_files(at, {"module.yaml": "\n".join([*kept, line, ""])})
            (found,) = gather_modules(at).diagnostics
            assert (found.code, found.span.file) == (code, "house/module.yaml")
            assert found.help and found.span.line > len(kept)


def test_missing_keys_are_reported_together(tmp_path: Path) -> None:
    write_files(tmp_path, {"module.yaml": "name: house\n"})
    (found,) = load_module(tmp_path).diagnostics
    assert all(f"`{key}`" in found.title for key in ("title", "version", "kind"))


def test_read_yaml_keeps_words_and_quoted_numbers_as_text() -> None:
    text = "on: no\nversion: 1.0\nsince: 2020-01-01\nfour: 4\nlate: 12:30\nempty:\noctal: 010\n"
    assert read_yaml(Source("a.yaml", text)).unwrap().data == {
        "on": "no",
        "version": "1.0",
        "since": "2020-01-01",
        "four": 4,
        "late": "12:30",
        "empty": "",
        "octal": "010",
    }
    text = 'double: "5"\nsingle: \'5\'\nplain: 5\nlist: ["-1", -1]\nfolded: >-\n  5\nliteral: |-\n  5\n'
    assert read_yaml(Source("a.yaml", text)).unwrap().data == {
        "double": "5",
        "single": "5",
        "plain": 5,
        "list": ["-1", -1],
        "folded": "5",
        "literal": "5",
    }


def test_link_out_of_the_folder_is_refused_and_others_are_followed(tmp_path: Path) -> None:
    at = write_module(tmp_path, "house", "game")
    (at / "again.edict").symlink_to(at / "page.edict")
    (tmp_path / "way").symlink_to(at)
    assert gather_modules(tmp_path / "way").ok
    write_files(tmp_path, {"secret.edict": "resource secret\n"})
    (at / "link.edict").symlink_to(tmp_path / "secret.edict")
    assert get_codes(gather_modules(at)) == ["E0153"]


def test_folders_pipes_and_broken_links_are_refused(tmp_path: Path) -> None:
    at = write_module(tmp_path, "house", "game")
    (at / "folder.edict").mkdir()
    os.mkfifo(at / "pipe.edict")
    (at / "gone.edict").symlink_to(at / "nowhere.edict")
    (at / "round.edict").symlink_to(at / "round.edict")
    assert set(get_codes(gather_modules(at))) == {"E0154"}
    assert len(get_codes(gather_modules(at))) == 4


def test_byte_order_mark_and_crlf_are_removed_and_large_file_is_refused(tmp_path: Path) -> None:
    """A large file is refused rather than truncated, since half a rule could mean something."""
    at = write_module(tmp_path, "house", "game")
    (at / "page.edict").write_bytes("\ufeffresource wood\r\n".encode())
    assert gather_modules(at).unwrap()[0].sources[0].text == "resource wood\n"
    (at / "page.edict").write_bytes(b"# \r\n" * 250_001)
    assert get_codes(gather_modules(at)) == ["E0120"]


# --- gathering ---------------------------------------------------------------------------------


def test_gathered_order_follows_manifests_then_names(tmp_path: Path, subtests: pytest.Subtests) -> None:
    game = write_module(tmp_path, "zoo", "game")
    write_module(tmp_path, "barn", over="[house]")
    write_module(tmp_path, "house")
    write_module(tmp_path, "annex", requires="[barn]")
    for order in itertools.permutations(["annex", "barn", "house"]):
        with subtests.test(order=order):
            gathered = gather_modules(game, [tmp_path / name for name in order]).unwrap()
            assert [m.name for m in gathered] == ["zoo", "house", "barn", "annex"]
    folders = [write_module(tmp_path, name) for name in ("c", "a", "b", "b2")]
    twice: list[str | Path] = [*folders, str(folders[0]), f"{folders[0]}/"]
    assert [m.name for m in gather_modules(game, twice).unwrap()] == ["zoo", "a", "b", "b2", "c"]


def test_required_modules_are_gathered(tmp_path: Path) -> None:
    at = write_module(tmp_path, "night", "scenario", requires="[pig]")
    assert [m.name for m in gather_modules(at).unwrap()] == ["pig", "night"]


def test_incompatible_modules_are_reported(tmp_path: Path) -> None:
    game = write_module(tmp_path, "zoo", "game")
    house = write_module(tmp_path, "house", conflicts="[barn]", requires="[zoo]")
    barn = write_module(tmp_path, "barn", over="[tower]")
    tower = write_module(tmp_path, "tower", over="[barn]")
    lost, near = write_module(tmp_path, "lost", requires="[huose]"), write_module(tmp_path, "near", requires="[piig]")
    other = write_module(tmp_path, "other", "game")
    lacking = [gather_modules(game, [house, one]).diagnostics[0] for one in (lost, near)]
    assert [(one.code, one.help) for one in lacking] == [
        ("E0156", "also name the folder of `huose`, with `--with PATH`"),
        ("E0156", "did you mean `pig`?"),
    ]
    assert get_codes(gather_modules(game, [house, barn])) == ["E0157"]
    assert get_codes(gather_modules(game, [barn, tower])) == ["E0158"]
    assert get_codes(gather_modules(game, [other])) == ["E0159"]
    assert get_codes(gather_modules(barn)) == ["E0160"]


def test_unfit_version_is_reported_with_the_chain_that_requires_it(tmp_path: Path) -> None:
    game = write_module(tmp_path, "zoo", "game")
    write_module(tmp_path, "house", requires='["zoo>=1,<2", "garden >= 2"]')
    write_module(tmp_path, "garden")
    top = write_module(tmp_path, "top", requires="[house]")
    fence = write_module(tmp_path, "fence", requires='["garden<2"]')
    unfit = gather_modules(game, [top, fence]).diagnostics
    assert [(d.code, d.title, d.note) for d in unfit] == [
        (
            "E0186",
            "`house` requires `garden` >=2, but version 1.0.0 was found",
            "`top` requires `house`, which requires `garden`. Of the same module, `fence` requires <2.",
        )
    ]
    (tmp_path / "garden/module.yaml").write_text(make_manifest("garden").replace("1.0.0", "2.0.0"))
    assert [d.title for d in gather_modules(game, [top, fence]).diagnostics] == [
        "`fence` requires `garden` <2, but version 2.0.0 was found"
    ]
    assert gather_modules(game, [top]).unwrap()


def test_version_that_cannot_be_compared_is_reported(tmp_path: Path) -> None:
    game = write_module(tmp_path, "zoo", "game")
    house = write_module(tmp_path, "house", requires='["zoo>=1"]')
    (game / "module.yaml").write_text(make_manifest("zoo", "game").replace("1.0.0", "1.0-old"))
    [unfit] = gather_modules(game, [house]).diagnostics
    assert unfit.note == "1.0-old cannot be compared: it is not a version such as 1.2.0 or 1.2.0b1."


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        ({"requires": '["zoo=>1"]'}, ["E0184"]),
        ({"requires": '["zoo>=1", "zoo<2"]'}, ["E0184"]),
        ({"requires": '["zoo>=one"]'}, ["E0184"]),
        ({"requires": '["zoo 1"]'}, ["E0145"]),
        ({"engine": '"1.0"'}, ["E0145"]),
        ({"engine": '">=1, oops"'}, ["E0184"]),
        ({"engine": '">=99"'}, ["E0185"]),
        ({"engine": '">= 1.0, < 99"'}, []),
    ],
)
def test_broken_version_requirement_is_reported(tmp_path: Path, lines: dict[str, str], codes: list[str]) -> None:
    write_module(tmp_path, "zoo", "game")
    assert get_codes(load_module(write_module(tmp_path, "house", **lines))) == codes


def test_versions_are_not_packed_and_change_no_digest(tmp_path: Path) -> None:
    game = write_module(tmp_path, "zoo", "game")
    plain = load_module(write_module(tmp_path / "a", "house", requires="[zoo]")).unwrap()
    house = load_module(write_module(tmp_path / "b", "house", requires='["zoo>=1"]', engine='">=1"')).unwrap()
    assert house.manifest.versions == {"zoo": ">=1"}
    assert hash_rules((load_module(game).unwrap(), plain)) == hash_rules((load_module(game).unwrap(), house))
    [unpacked] = unpack_modules(pack_modules((house,))).unwrap()
    assert (unpacked.manifest.requires, unpacked.manifest.versions, unpacked.manifest.engine) == (("zoo",), {}, "")


def test_misspelt_optional_module_gets_a_warning(tmp_path: Path) -> None:
    game = write_module(tmp_path, "zoo", "game")
    write_module(tmp_path, "barns")
    near = write_module(tmp_path, "near", over="[piig]", conflicts="[four-wind]")
    fine = write_module(tmp_path, "fine", over="[pig, barns]", conflicts="[somebody-elses]")
    found = list(find_misspelt_modules(gather_modules(game, [near, fine]).unwrap()))
    assert [(d.code, d.severity, d.help) for d in found] == [
        ("E0156", "warning", "did you mean `pig`?"),
        ("E0156", "warning", "did you mean `four-winds`?"),
    ]


@pytest.mark.parametrize(
    ("folder", "name", "said"),
    [
        ("house", "house", "are both called `house`"),
        ("barn", "house", "are both called `house`"),
        ("house", "barn", "are in folders with the same name"),
        ("barn", "barn", ""),
    ],
)
def test_modules_with_equal_names_or_folder_names_are_refused(
    tmp_path: Path, folder: str, name: str, said: str
) -> None:
    """Folder names must differ, too, since every message shows them."""
    game = write_module(tmp_path, "zoo", "game")
    one, two = write_module(tmp_path / "a", "house"), write_module(tmp_path / "b", name).rename(tmp_path / "b" / folder)
    found = gather_modules(game, [one, two]).diagnostics
    assert [(told.code, told.title.endswith(said)) for told in found] == ([("E0155", True)] if said else [])


def test_read_texts_works_for_broken_rules(tmp_path: Path) -> None:
    at = write_module(tmp_path, "house", "game", titel="x")
    assert not gather_modules(at).ok
    assert read_texts([at, "no-such"]).keys() == {"house/module.yaml", "house/page.edict"}


# --- mistakes in manifests ------------------------------------------------------------------------


def test_name_in_place_of_a_list_gets_a_fix_with_brackets(tmp_path: Path) -> None:
    at = write_module(tmp_path, "house", requires="kingsburg, governors")
    (found,) = gather_modules(at).diagnostics
    assert found.code == "E0145" and found.help == "write `[kingsburg, governors]`" and "brackets" in found.note
    text = (at / "module.yaml").read_text(encoding="utf-8")
    (at / "module.yaml").write_text(apply_edits(text, found.edits), encoding="utf-8")
    assert gather_modules(at).ok


def test_missing_colon_is_reported_in_its_line(tmp_path: Path, subtests: pytest.Subtests) -> None:
    at = write_module(tmp_path, "house", kind="game")
    whole = (at / "module.yaml").read_text(encoding="utf-8")
    for line in ("kind game", "kind  game   # what it is"):
        for text in (whole.replace("kind: game", line), f"{line}\n"):
            with subtests.test(text=text):
                write_files(at, {"module.yaml": text})
                (found,) = gather_modules(at).diagnostics
                assert (found.code, found.title) == ("E0140", "a colon is missing after `kind`")
                assert found.help == "write `kind: game`"
                assert text.split("\n")[found.span.line - 1] == line
                assert "kind: game" in apply_edits(text, found.edits)


def test_cycle_of_modules_is_reported_with_each_module(tmp_path: Path) -> None:
    game = write_module(tmp_path, "play", "game")
    for name, below in (("a", "b"), ("b", "c"), ("c", "a")):
        write_module(tmp_path, name, requires=f"[{below}]")
    (found,) = gather_modules(game, [tmp_path / "a"]).diagnostics
    assert found.code == "E0158" and found.span.file == "a/module.yaml" and found.span.line == 5
    assert found.note == "The circle: `a` requires `b`, `b` requires `c`, `c` requires `a`."
    assert [label.span.file for label in found.labels] == ["b/module.yaml", "c/module.yaml"]


def test_unreadable_folder_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    (tmp_path / "locked").mkdir()
    monkeypatch.chdir(tmp_path)
    looked = Path.is_file

    def is_file(path: Path) -> bool:
        if path.parent.name == "locked":
            raise PermissionError(13, "Permission denied")
        return looked(path)

    monkeypatch.setattr(Path, "is_file", is_file)
    for name in ("./locked", "locked"):
        with subtests.test(name=name):
            (found,) = find_module(name).diagnostics
            assert found.code == "E0154" and "permission denied" in found.title and "permissions" in found.help
