"""Collections of variants: plain folders, drafts that survive, beginnings, zip files and links."""

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

from calling import make_environment, make_manifest, wait_until, write_files
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.input_limits import MOST_BYTES
from edict.support.report import RulesError
from edict.tools.studio import FileConflict, StudioError, scaffolding
from edict.tools.studio.collection import Collection
from edict.tools.studio.scaffolding import (
    Beginning,
    CopiedModule,
    ForkedVariant,
    LaidOver,
    NewGame,
    TranscriptionForm,
    ZippedVariant,
    list_copyable,
    list_transcribable,
)
from edict.tools.studio.variant_files import MAX_NAME_LENGTH, compile_base, compile_variant

RULES = "rules.edict"


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection(tmp_path / "collection")


def test_variant_is_a_plain_folder_with_a_normalized_name(collection: Collection) -> None:
    variant = collection.create(LaidOver("pig"), "  Greedy Pigs!  ")
    assert (variant.name, variant.title) == ("greedy-pigs", "Greedy pigs")
    assert variant.list_files() == ("module.yaml", RULES, "scenes/rules.yaml")
    assert {path.name for path in variant.folder.iterdir()} == {"module.yaml", RULES, "scenes"}
    assert collection.create(NewGame(), "Greedy pigs").name == "greedy-pigs-2"
    assert [listed.name for listed in collection.list_variants()] == ["greedy-pigs", "greedy-pigs-2"]
    assert collection.create(NewGame(), "§").name == "my-variant"
    assert collection.create(NewGame(), "pig").name == "pig-2"  # taken by rules that ship
    longest, second = (collection.create(NewGame(), "a" * 2 * MAX_NAME_LENGTH).name for _ in range(2))
    assert len(longest) == MAX_NAME_LENGTH > len(second) and second == f"{longest[: MAX_NAME_LENGTH - 6]}-2"


def test_unknown_variant_is_refused(collection: Collection, subtests: pytest.Subtests) -> None:
    for name in ("", "no-such", "../collection", ".studio", "Greedy"):
        with subtests.test(name=name):
            with pytest.raises(StudioError) as refused:
                collection.get_variant(name)
            assert refused.value.remedy


def test_every_beginning_compiles(collection: Collection, subtests: pytest.Subtests) -> None:
    for beginning in (LaidOver("pig"), NewGame(), CopiedModule("pig"), CopiedModule("advisor-tiles")):
        with subtests.test(beginning=beginning):
            variant = collection.create(beginning, "mine")
            rules, name = compile_variant(variant.take_snapshot()), variant.name
            manifest = variant.manifest
            assert manifest is not None and manifest.name == name
            is_game = manifest.kind == "game"
            assert (rules.name == name) == is_game and (rules.modules == (name,)) != is_game
            assert (compile_base(variant.take_snapshot()) is None) == is_game
            assert str(collection.folder) not in repr((rules.name, rules.modules))


def test_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Neither new files nor new folders."""
    original_write = Path.write_text

    def write_text(path: Path, text: str, **more: str) -> int:
        if path.name == RULES:
            raise OSError(28, "No space left on device")
        return original_write(path, text, **more)

    monkeypatch.setattr(Path, "write_text", write_text)
    for existing in ([], ["games"]):
        with subtests.test(existing=existing):
            for name in existing:
                (tmp_path / name).mkdir()
            with pytest.raises(OSError, match="No space left") as problem:
                scaffolding.write_files(tmp_path / "games" / "mine", {Path("scenes/a.yaml"): "", Path(RULES): ""})
            assert problem.value.filename == str(tmp_path / "games" / "mine")
            assert [path.name for path in tmp_path.rglob("*")] == existing


def test_own_rules_can_be_copied_but_not_what_a_link_leads_to(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So can those of installed packages, which are found in the same way."""
    own = tmp_path / "own" / "inn"
    write_files(own, {"module.yaml": make_manifest("inn", requires="[pig]"), RULES: "resource coin\n"})
    monkeypatch.setenv("EDICT_RULES", str(own.parent))
    assert "inn" in dict(list_copyable())
    assert collection.create(CopiedModule("inn"), "My inn").get_file(RULES).text == "resource coin\n"
    (tmp_path / "secret.edict").write_text("resource secret\n", "utf-8")
    (own / "more.edict").symlink_to(tmp_path / "secret.edict")
    with pytest.raises(RulesError, match="points outside its folder"):
        collection.create(CopiedModule("inn"), "More")


def test_form_has_blanks_to_fill_in(collection: Collection) -> None:
    assert "governors" in dict(list_transcribable()) and set(dict(list_transcribable())) < set(dict(list_copyable()))
    form = collection.create(TranscriptionForm("governors"), "My governors")
    assert "____" in form.get_file("cards.edict").text and form.title == "Module 3: Governor Cards, as printed"
    with pytest.raises(RulesError, match="blank"):
        compile_variant(form.take_snapshot())
    with pytest.raises(StudioError, match="nothing in advisor-tiles needs a form"):
        collection.create(TranscriptionForm("advisor-tiles"), "tiles")


def test_draft_counts_before_it_is_saved_and_survives_the_process(collection: Collection) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    before = variant.get_file(RULES).text
    variant.write_draft(RULES, "other")
    assert not variant.write_draft(RULES, before).draft and not variant.list_drafts(), "it is as it was saved"
    variant.write_draft(RULES, "other")
    variant.discard(RULES)
    assert variant.get_file(RULES).text == before
    draft = variant.write_draft(RULES, before + "# more\n")
    assert draft.draft and not draft.clash and draft.saved == before
    again = Collection(collection.folder).get_variant("mine")
    assert again.get_file(RULES) == draft and again.get_texts()[RULES].endswith("# more\n")
    assert again.take_snapshot().unsaved == {(again.folder / RULES).resolve(): draft.text}
    assert (again.folder / RULES).read_text(encoding="utf-8") == before
    assert again.save() == (RULES,) and not again.list_drafts() and not again.take_snapshot().unsaved
    assert (again.folder / RULES).read_text(encoding="utf-8") == draft.text


def test_conflict_with_a_changed_file_is_reported_and_loses_neither(collection: Collection) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    variant.write_draft(RULES, "typed here\n")
    (variant.folder / RULES).write_text("typed elsewhere\n", encoding="utf-8")
    file = variant.get_file(RULES)
    assert file.clash and (file.text, file.saved) == ("typed here\n", "typed elsewhere\n")
    assert variant.write_draft(RULES, "typed here too\n").clash
    with pytest.raises(FileConflict, match="changed on disk") as clash:
        variant.save()
    assert clash.value.remedy and variant.get_file(RULES).saved == "typed elsewhere\n"
    variant.save(RULES, overwrite=True)
    assert (variant.folder / RULES).read_text(encoding="utf-8") == "typed here too\n"
    variant.write_draft(RULES, "typed here once more\n")
    (variant.folder / RULES).unlink()
    assert RULES in variant.list_files() and variant.get_file(RULES).clash and variant.get_file(RULES).saved is None


TYPING_SCRIPT = """
import sys
from pathlib import Path
from edict.tools.studio.collection import Collection
variant = Collection(Path(sys.argv[1])).get_variant("mine")
for number in range(100_000):
    variant.write_draft("rules.edict", f"# {number}\\n" * 500)
    print(number, flush=True)
"""


def test_killed_process_loses_no_draft(collection: Collection, tmp_path: Path) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    output = tmp_path / "heard"
    with output.open("w") as out:
        typist = subprocess.Popen(
            [sys.executable, "-c", TYPING_SCRIPT, str(collection.folder)], stdout=out, env=make_environment(tmp_path)
        )
        wait_until(lambda: output.read_text().count("\n") > 20)
        os.kill(typist.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        typist.wait()
    last = int(output.read_text().splitlines()[-1])
    text = variant.get_file(RULES).text
    assert text in {f"# {number}\n" * 500 for number in (last, last + 1)}


def test_files_are_added_renamed_and_removed_with_their_drafts(collection: Collection) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    variant.add_file("scenes/more.yaml", "game: pig\n")
    with pytest.raises(StudioError, match="already"):
        variant.add_file("Scenes/More.yaml".lower())
    variant.write_draft(RULES, "typed\n")
    variant.rename_file(RULES, "house.edict")
    assert variant.get_file("house.edict").draft and RULES not in variant.list_files()
    assert not variant.get_file("house.edict").clash
    variant.rename_file("house.edict", "House.edict")
    assert "House.edict" in variant.list_files() and "house.edict" not in variant.list_files()
    with pytest.raises(StudioError, match="already"):
        variant.rename_file("House.edict", "scenes/more.yaml")
    variant.rename_file("House.edict", "house.edict")
    variant.remove_file("house.edict")
    assert "house.edict" not in variant.list_files() and not variant.list_drafts()
    with pytest.raises(StudioError, match="needs its"):
        variant.remove_file("module.yaml")
    with pytest.raises(StudioError, match="needs its"):
        variant.rename_file("module.yaml", "x.edict")


def test_files_are_listed_in_reading_order(collection: Collection) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    for name in ("CARDS.md", "zoo.edict", "scenes/zoo.yaml", "apes.edict", "scenes/apes.yaml", "A.md"):
        variant.add_file(name)
    listed = [name for name in variant.list_files() if name not in ("README.md", RULES, "scenes/rules.yaml")]
    expected = ["module.yaml", "apes.edict", "zoo.edict", "scenes/apes.yaml", "scenes/zoo.yaml", "A.md", "CARDS.md"]
    assert listed == expected


def test_number_of_files_is_limited(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    monkeypatch.setattr("edict.tools.studio.variants.MOST_FILES", len(variant.list_files()) + 1)
    variant.add_file("last.edict")
    with pytest.raises(StudioError, match="a variant can have"):
        variant.add_file("more.edict")


def test_invalid_file_name_is_refused_with_the_reason(collection: Collection, subtests: pytest.Subtests) -> None:
    """Also names that another operating system forbids, and paths that lead elsewhere."""
    variant = collection.create(LaidOver("pig"), "tea")
    variant.add_file("console.edict")
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
    for name, reason in refused.items():
        with subtests.test(name=name):
            with pytest.raises(StudioError, match=reason or None):
                variant.add_file(name)
            with pytest.raises(StudioError, match=reason or None):
                variant.rename_file("console.edict", name)
            if not reason or not name:
                with pytest.raises(StudioError):
                    variant.write_draft(name, "x")
            assert "console.edict" in variant.list_files()


def test_links_out_of_the_folder_are_not_followed(collection: Collection, tmp_path: Path) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (variant.folder / "link.edict").symlink_to(tmp_path / "secret")
    (variant.folder / "scenes" / "out").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(StudioError, match="points outside"):
        variant.get_file("link.edict")
    with pytest.raises(StudioError, match="points outside"):
        variant.add_file("link.edict")
    assert "link.edict" not in variant.get_texts()


def test_texts_are_limited_in_size_and_characters(collection: Collection) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    with pytest.raises(StudioError, match="bytes"):
        variant.write_draft(RULES, "x" * (MOST_BYTES + 1))
    with pytest.raises(StudioError, match="invalid character"):
        variant.write_draft(RULES, "\ud800")
    (variant.folder / RULES).write_text("#" * (2 * MOST_BYTES), encoding="utf-8")
    assert len(variant.get_file(RULES).text) == MOST_BYTES + 1, (
        "one more than may be, so that it is seen to be too large"
    )


def test_zip_file_restores_the_same_variant(collection: Collection) -> None:
    variant = collection.create(LaidOver("pig"), "mine")
    variant.write_draft(RULES, variant.get_file(RULES).text + "# typed\n")
    raw = variant.to_zip()
    names = zipfile.ZipFile(io.BytesIO(raw)).namelist()
    assert raw == variant.to_zip() and all(name.startswith("mine/") for name in names)
    other = collection.create(ZippedVariant(raw), "theirs")
    texts = variant.get_texts()
    assert other.get_texts() | {"module.yaml": ""} == texts | {"module.yaml": ""}
    manifest = read_manifest(other.folder).unwrap()
    assert (manifest.name, manifest.title) == ("theirs", "Theirs")
    fork = collection.create(ForkedVariant(variant), "fork")
    assert fork.get_texts()[RULES] == texts[RULES] and not fork.list_drafts()


def test_default_name_follows_the_beginning(collection: Collection) -> None:
    variant = collection.create(NewGame(), "guild")
    beginnings: list[Beginning] = [
        ZippedVariant(variant.to_zip()),
        ForkedVariant(variant),
        CopiedModule("pig"),
        TranscriptionForm("governors"),
        LaidOver("pig"),
    ]
    names = [collection.create(beginning).name for beginning in beginnings]
    assert names == ["guild-2", "guild-3", "pig-2", "governors-transcribed", "my-variant"]


def test_concurrent_variants_of_one_name_get_different_names(collection: Collection) -> None:
    with ThreadPoolExecutor(6) as pool:
        names = sorted(pool.map(lambda _: collection.create(NewGame(), "same").name, range(6)))
        keys = set(pool.map(lambda _: collection.get_variant("same").keys, range(6)))
    assert names == ["same", *(f"same-{number}" for number in range(2, 7))] and len(keys) == 1
    assert not list(collection.folder.glob(".*.part"))


def test_invalid_zip_file_is_refused(collection: Collection) -> None:
    for raw in (b"", b"PK", b"no zip at all"):
        with pytest.raises(StudioError, match="zip"):
            collection.create(ZippedVariant(raw), "theirs")
    assert not collection.list_variants()


def test_link_opens_one_variant_for_editing_or_reading(collection: Collection) -> None:
    variant = collection.create(NewGame(), "mine")
    owner, reader = collection.make_link(variant, edit=True), collection.make_link(variant, edit=False)
    again = Collection(collection.folder)
    assert [(opened.name, edit) for opened, edit in map(again.resolve_link, (owner, reader))] == [
        ("mine", True),
        ("mine", False),
    ]
    if os.name == "posix":
        assert all(path.stat().st_mode & 0o077 == 0 for path in collection.folder.glob(".studio/*/keys.json"))
    for wrong in ("", "mine", "mine~", owner + "x", owner.replace("mine", "other"), "../mine~x", "mine~\udcff"):
        with pytest.raises(StudioError, match="is not valid"):
            again.resolve_link(wrong)


def test_removed_variant_is_moved_to_a_hidden_folder(collection: Collection) -> None:
    variant = collection.create(NewGame(), "mine")
    variant.write_draft(RULES, "typed\n")
    removed_folder = collection.remove("mine")
    assert not collection.list_variants() and (removed_folder / "mine" / RULES).is_file()
    assert "typed" in next((removed_folder / ".studio" / "drafts").iterdir()).read_text(encoding="utf-8")
