"""Modules: found by name or path, read safely, put in order by their manifests alone."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import pytest

from calling import ROOT, manifest, write
from edict.compiler.sources.module_set import catalogue, find, gather, load, misspelt, texts
from edict.compiler.sources.yaml_reader import read_yaml
from edict.support.report import Outcome, apply_edits
from edict.support.text import Source


def module(folder: Path, name: str, kind: str = "module", **more: str) -> Path:
    """A small module; `more` are further lines of its manifest."""
    write(folder / name, {"module.yaml": manifest(name, kind, **more), "page.edict": f"resource {name}-coin\n"})
    return folder / name


def codes(outcome: Outcome[Any]) -> list[str]:
    return [d.code for d in outcome.diagnostics]


# --- what comes with the package ---------------------------------------------------------------


def test_what_comes_with_the_package_is_found_by_its_own_name() -> None:
    shipped = catalogue()
    assert {"pig", "kuhn-poker"} <= shipped.keys()
    assert shipped[next(iter(shipped))][0] == ROOT / "rules"
    for name, (folder, told) in shipped.items():
        assert find(name).unwrap() == folder
        assert told.name == name and told.summary and (told.source or told.origin)


# --- finding -----------------------------------------------------------------------------------


def test_a_folder_is_found_by_path_and_by_its_manifest(tmp_path: Path) -> None:
    at = module(tmp_path, "house")
    assert find(at).unwrap() == find(str(at)).unwrap() == find(at / "module.yaml").unwrap() == at
    assert load(at).unwrap().sources == (Source("house/page.edict", "resource house-coin\n", edition=0),)


def test_names_of_nothing_are_refused_with_a_remedy() -> None:
    for name in ("pigg", "", "\0", "x" * 5000, "./" + "x" * 5000, "./nowhere", "/", "~nobody-at-all/x"):
        outcome = find(name)
        assert codes(outcome) in (["E0150"], ["E0151"]), name[:9]
        assert outcome.diagnostics[0].help, name[:9]


def test_a_misspelt_name_gets_a_guess_and_a_folder_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module(tmp_path, "cottage")
    monkeypatch.chdir(tmp_path)
    assert find("kuhn-pokr").diagnostics[0].help == "did you mean `kuhn-poker`?"
    assert find("cotage").diagnostics[0].help == "did you mean `cottage`?"
    assert find("cottage").unwrap() == Path("cottage"), "a folder here is found by its bare name"
    (tmp_path / "cottage" / "module.yaml").unlink()
    assert "into the folder `cottage`" in find("cottage").diagnostics[0].help


def test_a_file_of_a_module_names_the_module(tmp_path: Path) -> None:
    at = module(tmp_path, "house")
    write(tmp_path, {"house/with/barn/both.edict": "", "stray.edict": ""})
    assert find(at / "page.edict").unwrap() == find(str(at / "with" / "barn" / "both.edict")).unwrap() == at
    assert codes(find(tmp_path / "stray.edict")) == ["E0151"]


def test_a_module_may_require_one_that_lies_beside_it(tmp_path: Path) -> None:
    house = module(tmp_path, "house", kind="game")
    module(tmp_path, "shed")
    at = module(tmp_path, "barn", requires="[house, shed]")
    assert [m.name for m in gather(at).unwrap()] == ["house", "shed", "barn"]
    assert [m.name for m in gather(house, [at]).unwrap()] == ["house", "shed", "barn"]


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


def test_a_broken_manifest_gets_one_message_in_its_line(tmp_path: Path) -> None:
    at = module(tmp_path, "house", "game")
    lines = (at / "module.yaml").read_text(encoding="utf-8").splitlines()
    for line, code in BROKEN:
        kept = [one for one in lines if not one.startswith(line.split(":")[0] + ":")]
        write(at, {"module.yaml": "\n".join([*kept, line, ""])})
        (found,) = gather(at).diagnostics
        assert (found.code, found.span.file) == (code, "house/module.yaml"), line
        assert found.help and found.span.line > len(kept), line


def test_what_is_missing_is_told_at_once(tmp_path: Path) -> None:
    write(tmp_path, {"module.yaml": "name: house\n"})
    (found,) = load(tmp_path).diagnostics
    assert all(f"`{key}`" in found.title for key in ("title", "version", "kind"))


def test_yaml_keeps_words_words_and_a_number_in_quotes_is_a_text() -> None:
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


def test_a_link_out_of_the_folder_is_refused_and_one_within_it_or_to_it_is_fine(tmp_path: Path) -> None:
    at = module(tmp_path, "house", "game")
    (at / "again.edict").symlink_to(at / "page.edict")
    (tmp_path / "way").symlink_to(at)
    assert gather(tmp_path / "way").ok
    write(tmp_path, {"secret.edict": "resource secret\n"})
    (at / "link.edict").symlink_to(tmp_path / "secret.edict")
    assert codes(gather(at)) == ["E0153"]


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    at = module(tmp_path, "house", "game")
    (at / "folder.edict").mkdir()
    os.mkfifo(at / "pipe.edict")
    (at / "gone.edict").symlink_to(at / "nowhere.edict")
    (at / "round.edict").symlink_to(at / "round.edict")
    assert set(codes(gather(at))) == {"E0154"}
    assert len(codes(gather(at))) == 4


def test_a_file_is_read_with_marks_and_line_ends_of_other_systems_and_never_cut_short(tmp_path: Path) -> None:
    """Half a rule could mean something."""
    at = module(tmp_path, "house", "game")
    (at / "page.edict").write_bytes("\ufeffresource wood\r\n".encode())
    assert gather(at).unwrap()[0].sources[0].text == "resource wood\n"
    (at / "page.edict").write_bytes(b"# \r\n" * 250_001)
    assert codes(gather(at)) == ["E0120"]


# --- gathering ---------------------------------------------------------------------------------


def test_the_order_follows_the_manifests_not_the_arguments_and_then_names(tmp_path: Path) -> None:
    game = module(tmp_path, "zoo", "game")
    module(tmp_path, "barn", over="[house]")
    module(tmp_path, "house")
    module(tmp_path, "annex", requires="[barn]")
    for order in itertools.permutations(["annex", "barn", "house"]):
        gathered = gather(game, [tmp_path / name for name in order]).unwrap()
        assert [m.name for m in gathered] == ["zoo", "house", "barn", "annex"]
    folders = [module(tmp_path, name) for name in ("c", "a", "b", "b2")]
    twice: list[str | Path] = [*folders, str(folders[0]), f"{folders[0]}/"]
    assert [m.name for m in gather(game, twice).unwrap()] == ["zoo", "a", "b", "b2", "c"]


def test_what_is_required_comes_by_itself(tmp_path: Path) -> None:
    at = module(tmp_path, "night", "scenario", requires="[pig]")
    assert [m.name for m in gather(at).unwrap()] == ["pig", "night"]


def test_what_cannot_be_played_together_is_told(tmp_path: Path) -> None:
    game = module(tmp_path, "zoo", "game")
    house = module(tmp_path, "house", conflicts="[barn]", requires="[zoo]")
    barn = module(tmp_path, "barn", over="[tower]")
    tower = module(tmp_path, "tower", over="[barn]")
    lost, near = module(tmp_path, "lost", requires="[huose]"), module(tmp_path, "near", requires="[piig]")
    other = module(tmp_path, "other", "game")
    lacking = [gather(game, [house, one]).diagnostics[0] for one in (lost, near)]
    assert [(one.code, one.help) for one in lacking] == [
        ("E0156", "name the folder of `huose` as a module too"),
        ("E0156", "did you mean `pig`?"),
    ]
    assert codes(gather(game, [house, barn])) == ["E0157"]
    assert codes(gather(game, [barn, tower])) == ["E0158"]
    assert codes(gather(game, [other])) == ["E0159"]
    assert codes(gather(barn)) == ["E0160"]


def test_a_module_that_is_nearly_called_so_is_told(tmp_path: Path) -> None:
    game = module(tmp_path, "zoo", "game")
    module(tmp_path, "barns")
    near = module(tmp_path, "near", over="[piig]", conflicts="[four-wind]")
    fine = module(tmp_path, "fine", over="[pig, barns]", conflicts="[somebody-elses]")
    found = list(misspelt(gather(game, [near, fine]).unwrap()))
    assert [(d.code, d.severity, d.help) for d in found] == [
        ("E0156", "warning", "did you mean `pig`?"),
        ("E0156", "warning", "did you mean `four-winds`?"),
    ]


@pytest.mark.parametrize(
    ("folder", "name", "said"),
    [
        ("house", "house", "are both called `house`"),
        ("barn", "house", "are both called `house`"),
        ("house", "barn", "lie in folders of the same name"),
        ("barn", "barn", ""),
    ],
)
def test_two_modules_of_one_name_are_told_apart_by_no_one(tmp_path: Path, folder: str, name: str, said: str) -> None:
    """Nor are two in folders of one name, which shows in every message."""
    game = module(tmp_path, "zoo", "game")
    one, two = module(tmp_path / "a", "house"), module(tmp_path / "b", name).rename(tmp_path / "b" / folder)
    found = gather(game, [one, two]).diagnostics
    assert [(told.code, told.title.endswith(said)) for told in found] == ([("E0155", True)] if said else [])


def test_the_texts_for_messages_are_read_even_when_the_rules_are_broken(tmp_path: Path) -> None:
    at = module(tmp_path, "house", "game", titel="x")
    assert not gather(at).ok
    assert texts([at, "no-such"]).keys() == {"house/module.yaml", "house/page.edict"}


# --- mistakes in manifests ------------------------------------------------------------------------


def test_a_name_where_a_list_is_wanted_is_told_with_its_brackets(tmp_path: Path) -> None:
    at = module(tmp_path, "house", requires="kingsburg, governors")
    (found,) = gather(at).diagnostics
    assert found.code == "E0145" and found.help == "write `[kingsburg, governors]`" and "brackets" in found.note
    text = (at / "module.yaml").read_text(encoding="utf-8")
    (at / "module.yaml").write_text(apply_edits(text, found.edits), encoding="utf-8")
    assert gather(at).ok


def test_a_colon_that_is_missing_is_told_in_its_line(tmp_path: Path) -> None:
    at = module(tmp_path, "house", kind="game")
    whole = (at / "module.yaml").read_text(encoding="utf-8")
    for line in ("kind game", "kind  game   # what it is"):
        for text in (whole.replace("kind: game", line), f"{line}\n"):
            write(at, {"module.yaml": text})
            (found,) = gather(at).diagnostics
            assert (found.code, found.title) == ("E0140", "a colon is missing after `kind`")
            assert found.help == "write `kind: game`"
            assert text.split("\n")[found.span.line - 1] == line
            assert "kind: game" in apply_edits(text, found.edits)


def test_a_circle_is_told_module_by_module(tmp_path: Path) -> None:
    game = module(tmp_path, "play", "game")
    for name, below in (("a", "b"), ("b", "c"), ("c", "a")):
        module(tmp_path, name, requires=f"[{below}]")
    (found,) = gather(game, [tmp_path / "a"]).diagnostics
    assert found.code == "E0158" and found.span.file == "a/module.yaml" and found.span.line == 5
    assert found.note == "It goes round in a circle: `a` requires `b`, `b` requires `c`, `c` requires `a`."
    assert [label.span.file for label in found.labels] == ["b/module.yaml", "c/module.yaml"]


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").mkdir()
    monkeypatch.chdir(tmp_path)
    looked = Path.is_file

    def is_file(path: Path) -> bool:
        if path.parent.name == "locked":
            raise PermissionError(13, "Permission denied")
        return looked(path)

    monkeypatch.setattr(Path, "is_file", is_file)
    for name in ("./locked", "locked"):
        (found,) = find(name).diagnostics
        assert found.code == "E0154" and "permission denied" in found.title and "permissions" in found.help
