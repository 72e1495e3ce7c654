"""A collection of variants: plain folders, drafts that nothing loses, what they begin as, zip files, links."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from calling import environment, wait_until
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.input_limits import MOST_BYTES
from edict.support.report import RulesError
from edict.tools.studio import templates
from edict.tools.studio.collection import Collection
from edict.tools.studio.scaffolding import (
    Beginning,
    CopyOf,
    ForkOf,
    FormFor,
    LaidOver,
    NewGame,
    Zipped,
    copyable,
    formable,
)
from edict.tools.studio.snapshots import base_of, rules_of
from edict.tools.studio.studio_errors import Clash, StudioError
from edict.tools.studio.variant_files import LONGEST

RULES = "rules.edict"


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection(tmp_path / "collection")


def test_a_variant_is_a_plain_folder_under_a_tidy_name(collection: Collection) -> None:
    variant = collection.new(LaidOver("pig"), "  Greedy Pigs!  ")
    assert (variant.name, variant.title) == ("greedy-pigs", "Greedy pigs")
    assert variant.files() == ("module.yaml", RULES, "scenes/rules.yaml")
    assert {path.name for path in variant.folder.iterdir()} == {"module.yaml", RULES, "scenes"}
    assert collection.new(NewGame(), "Greedy pigs").name == "greedy-pigs-2"
    assert [one.name for one in collection.all()] == ["greedy-pigs", "greedy-pigs-2"]
    assert collection.new(NewGame(), "§").name == "my-variant"
    assert collection.new(NewGame(), "pig").name == "pig-2"  # the name of rules that ship
    long, second = (collection.new(NewGame(), "a" * 2 * LONGEST).name for _ in range(2))
    assert len(long) == LONGEST > len(second) and second == f"{long[: LONGEST - 6]}-2"


def test_what_is_no_variant_is_refused(collection: Collection) -> None:
    for name in ("", "no-such", "../collection", ".studio", "Greedy"):
        with pytest.raises(StudioError) as refused:
            collection.variant(name)
        assert refused.value.remedy


def test_whatever_it_begins_as_can_be_played(collection: Collection) -> None:
    for beginning in (LaidOver("pig"), NewGame(), CopyOf("pig"), CopyOf("advisor-tiles")):
        variant = collection.new(beginning, "mine")
        rules, name = rules_of(variant.snapshot()), variant.name
        manifest = variant.manifest
        assert manifest is not None and manifest.name == name
        is_game = manifest.kind == "game"
        assert (rules.name == name) == is_game and (rules.modules == (name,)) != is_game
        assert (base_of(variant.snapshot()) is None) == is_game
        assert str(collection.folder) not in repr((rules.name, rules.modules))


def test_what_cannot_be_written_to_its_end_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither files nor folders, but those that were there before."""
    written = Path.write_text

    def write_text(path: Path, text: str, **more: str) -> int:
        if path.name == RULES:
            raise OSError(28, "No space left on device")
        return written(path, text, **more)

    monkeypatch.setattr(Path, "write_text", write_text)
    for there in ([], ["games"]):
        for name in there:
            (tmp_path / name).mkdir()
        with pytest.raises(OSError, match="No space left") as problem:
            templates.write(tmp_path / "games" / "mine", {Path("scenes/a.yaml"): "", Path(RULES): ""})
        assert problem.value.filename == str(tmp_path / "games" / "mine")
        assert [path.name for path in tmp_path.rglob("*")] == there


def test_a_form_has_blanks_to_be_filled_in(collection: Collection) -> None:
    assert "governors" in dict(formable()) and set(dict(formable())) < set(dict(copyable()))
    form = collection.new(FormFor("governors"), "My governors")
    assert "____" in form.text("cards.edict").text and form.title == "Module 3: Governor Cards, as printed"
    with pytest.raises(RulesError, match="blank"):
        rules_of(form.snapshot())
    with pytest.raises(StudioError, match="nothing in advisor-tiles needs transcribing"):
        collection.new(FormFor("advisor-tiles"), "tiles")


def test_a_draft_counts_before_it_is_saved_and_outlives_the_process(collection: Collection) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    before = variant.text(RULES).text
    variant.draft(RULES, "other")
    assert not variant.draft(RULES, before).draft and not variant.drafts(), "it is as it was saved"
    variant.draft(RULES, "other")
    variant.discard(RULES)
    assert variant.text(RULES).text == before
    typed = variant.draft(RULES, before + "# more\n")
    assert typed.draft and not typed.clash and typed.saved == before
    again = Collection(collection.folder).variant("mine")
    assert again.text(RULES) == typed and again.texts()[RULES].endswith("# more\n")
    assert again.snapshot().unsaved == {(again.folder / RULES).resolve(): typed.text}
    assert (again.folder / RULES).read_text(encoding="utf-8") == before
    assert again.save() == (RULES,) and not again.drafts() and not again.snapshot().unsaved
    assert (again.folder / RULES).read_text(encoding="utf-8") == typed.text


def test_a_file_that_changed_or_went_under_a_draft_is_told_and_neither_is_lost(collection: Collection) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    variant.draft(RULES, "typed here\n")
    (variant.folder / RULES).write_text("typed elsewhere\n", encoding="utf-8")
    found = variant.text(RULES)
    assert found.clash and (found.text, found.saved) == ("typed here\n", "typed elsewhere\n")
    assert variant.draft(RULES, "typed here too\n").clash
    with pytest.raises(Clash, match="changed on disk") as clash:
        variant.save()
    assert clash.value.remedy and variant.text(RULES).saved == "typed elsewhere\n"
    variant.save(RULES, over=True)
    assert (variant.folder / RULES).read_text(encoding="utf-8") == "typed here too\n"
    variant.draft(RULES, "typed here once more\n")
    (variant.folder / RULES).unlink()
    assert RULES in variant.files() and variant.text(RULES).clash and variant.text(RULES).saved is None


TYPIST = """
import sys
from pathlib import Path
from edict.tools.studio.collection import Collection
variant = Collection(Path(sys.argv[1])).variant("mine")
for number in range(100_000):
    variant.draft("rules.edict", f"# {number}\\n" * 500)
    print(number, flush=True)
"""


def test_a_killed_process_loses_nothing_that_was_typed(collection: Collection, tmp_path: Path) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    heard = tmp_path / "heard"
    with heard.open("w") as out:
        typist = subprocess.Popen(
            [sys.executable, "-c", TYPIST, str(collection.folder)], stdout=out, env=environment(tmp_path)
        )
        wait_until(lambda: heard.read_text().count("\n") > 20)
        os.kill(typist.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        typist.wait()
    last = int(heard.read_text().splitlines()[-1])
    text = variant.text(RULES).text
    assert text in {f"# {number}\n" * 500 for number in (last, last + 1)}


def test_files_are_added_renamed_and_removed_with_what_was_typed_in_them(collection: Collection) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    variant.add("scenes/more.yaml", "game: pig\n")
    with pytest.raises(StudioError, match="already"):
        variant.add("Scenes/More.yaml".lower())
    variant.draft(RULES, "typed\n")
    variant.rename(RULES, "house.edict")
    assert variant.text("house.edict").draft and RULES not in variant.files()
    assert not variant.text("house.edict").clash
    variant.rename("house.edict", "House.edict")
    assert "House.edict" in variant.files() and "house.edict" not in variant.files()
    with pytest.raises(StudioError, match="already"):
        variant.rename("House.edict", "scenes/more.yaml")
    variant.rename("House.edict", "house.edict")
    variant.remove("house.edict")
    assert "house.edict" not in variant.files() and not variant.drafts()
    with pytest.raises(StudioError, match="needs its"):
        variant.remove("module.yaml")
    with pytest.raises(StudioError, match="needs its"):
        variant.rename("module.yaml", "x.edict")


def test_files_stand_in_the_order_one_reads_them(collection: Collection) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    for name in ("CARDS.md", "zoo.edict", "scenes/zoo.yaml", "apes.edict", "scenes/apes.yaml", "A.md"):
        variant.add(name)
    found = [name for name in variant.files() if name not in ("README.md", RULES, "scenes/rules.yaml")]
    expected = ["module.yaml", "apes.edict", "zoo.edict", "scenes/apes.yaml", "scenes/zoo.yaml", "A.md", "CARDS.md"]
    assert found == expected


def test_a_variant_has_room_for_just_so_many_files(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    monkeypatch.setattr("edict.tools.studio.variants.MOST_FILES", len(variant.files()) + 1)
    variant.add("last.edict")
    with pytest.raises(StudioError, match="a variant can have"):
        variant.add("more.edict")


def test_a_name_that_cannot_be_is_refused_and_it_is_said_why(collection: Collection) -> None:
    """Also one that a computer it is shared with does not know, and one that would lead elsewhere."""
    variant = collection.new(LaidOver("pig"), "tea")
    variant.add("console.edict")
    windows = "Windows does not allow the name"
    refused = {"": "a file needs a name", "a" * 120 + ".edict": "too long"}
    refused |= dict.fromkeys(("con.edict", "Aux.edict", "scenes/nul.yaml", "a?.edict", "with/dot./a.edict"), windows)
    refused |= dict.fromkeys(
        (
            "../up.edict",
            "/etc/passwd",
            "a/b.edict",
            ".hidden.edict",
            "rules.txt",
            "scenes/../x.yaml",
            "with/x.edict",
            "a\\b.edict",
            "x\u202ey.edict",
            "C:x.edict",
            "scenes/.x.yaml",
        ),
        "",
    )
    for name, said in refused.items():
        with pytest.raises(StudioError, match=said or None):
            variant.add(name)
        with pytest.raises(StudioError, match=said or None):
            variant.rename("console.edict", name)
        if not said or not name:
            with pytest.raises(StudioError):
                variant.draft(name, "x")
        assert "console.edict" in variant.files(), name


def test_a_link_in_the_folder_leads_nowhere(collection: Collection, tmp_path: Path) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (variant.folder / "link.edict").symlink_to(tmp_path / "secret")
    (variant.folder / "scenes" / "out").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(StudioError, match="leads out"):
        variant.text("link.edict")
    with pytest.raises(StudioError, match="leads out"):
        variant.add("link.edict")
    assert "link.edict" not in variant.texts()


def test_texts_have_limits(collection: Collection) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    with pytest.raises(StudioError, match="bytes"):
        variant.draft(RULES, "x" * (MOST_BYTES + 1))
    with pytest.raises(StudioError, match="half of a character"):
        variant.draft(RULES, "\ud800")
    (variant.folder / RULES).write_text("#" * (2 * MOST_BYTES), encoding="utf-8")
    assert len(variant.text(RULES).text) == MOST_BYTES + 1, "one more than may be, so that it is seen to be too large"


def test_a_zip_file_brings_the_same_variant_again(collection: Collection) -> None:
    variant = collection.new(LaidOver("pig"), "mine")
    variant.draft(RULES, variant.text(RULES).text + "# typed\n")
    raw = variant.zip()
    names = zipfile.ZipFile(io.BytesIO(raw)).namelist()
    assert raw == variant.zip() and all(name.startswith("mine/") for name in names)
    other = collection.new(Zipped(raw), "theirs")
    texts = variant.texts()
    assert other.texts() | {"module.yaml": ""} == texts | {"module.yaml": ""}
    manifest = read_manifest(other.folder).unwrap()
    assert (manifest.name, manifest.title) == ("theirs", "Theirs")
    fork = collection.new(ForkOf(variant), "fork")
    assert fork.texts()[RULES] == texts[RULES] and not fork.drafts()


def test_what_has_no_name_yet_is_called_by_what_it_begins_as(collection: Collection) -> None:
    variant = collection.new(NewGame(), "guild")
    begun: list[Beginning] = [
        Zipped(variant.zip()),
        ForkOf(variant),
        CopyOf("pig"),
        FormFor("governors"),
        LaidOver("pig"),
    ]
    names = [collection.new(one).name for one in begun]
    assert names == ["guild-2", "guild-3", "pig-2", "governors-transcribed", "my-variant"]


def test_several_who_take_one_name_at_once_get_one_each(collection: Collection) -> None:
    with ThreadPoolExecutor(6) as pool:
        names = sorted(pool.map(lambda _: collection.new(NewGame(), "same").name, range(6)))
        keys = set(pool.map(lambda _: collection.variant("same").keys, range(6)))
    assert names == ["same", *(f"same-{number}" for number in range(2, 7))] and len(keys) == 1
    assert not list(collection.folder.glob(".*.part"))


def test_what_is_no_variant_is_not_imported(collection: Collection) -> None:
    for raw in (b"", b"PK", b"no zip at all"):
        with pytest.raises(StudioError, match="zip"):
            collection.new(Zipped(raw), "theirs")
    assert not collection.all()


def test_a_link_opens_one_variant_to_change_it_or_to_read_it(collection: Collection) -> None:
    variant = collection.new(NewGame(), "mine")
    owner, reader = collection.link(variant, edit=True), collection.link(variant, edit=False)
    again = Collection(collection.folder)
    assert [(one.name, edit) for one, edit in map(again.by_key, (owner, reader))] == [("mine", True), ("mine", False)]
    if os.name == "posix":
        assert all(path.stat().st_mode & 0o077 == 0 for path in collection.folder.glob(".studio/*/keys.json"))
    for wrong in ("", "mine", "mine~", owner + "x", owner.replace("mine", "other"), "../mine~x", "mine~\udcff"):
        with pytest.raises(StudioError, match="is not valid"):
            again.by_key(wrong)


def test_a_removed_variant_is_kept(collection: Collection) -> None:
    variant = collection.new(NewGame(), "mine")
    variant.draft(RULES, "typed\n")
    kept = collection.remove("mine")
    assert not collection.all() and (kept / "mine" / RULES).is_file()
    assert "typed" in next((kept / ".studio" / "drafts").iterdir()).read_text(encoding="utf-8")
