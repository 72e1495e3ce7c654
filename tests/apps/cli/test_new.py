"""The command `new`, which writes a module or game that can be checked, tested and played at once; and the README."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from calling import COMMAND, GAME, ROOT, make_environment, make_manifest, run_kingsburg, write_files
from edict.compiler.sources.module_set import load_catalogue
from edict.support.resources import COMMANDS, command_name

MODULES = (
    "more-buildings",
    "soldier-tokens",
    "alternate-rows",
    "governors",
    "destiny",
    "advisor-tiles",
    "first-edition",
)


@pytest.fixture(scope="module")
def variant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the module that `new my-variant` writes, which tests must not change."""
    folder = tmp_path_factory.mktemp("new")
    written = run_kingsburg(folder, "new", "my-variant")
    assert written.returncode == 0, written.stderr
    return folder / "my-variant"


@pytest.fixture
def my_variant(variant: Path, tmp_path: Path) -> Path:
    """Return a copy of the module that `new my-variant` writes."""
    return Path(shutil.copytree(variant, tmp_path / "my-variant"))


def test_new_module_can_be_checked_tested_and_played(my_variant: Path, tmp_path: Path) -> None:
    assert (my_variant / "scenes").is_dir()
    checked = run_kingsburg(tmp_path, "check", "my-variant", "--strict")
    assert (checked.returncode, checked.stdout) == (0, "my-variant: no errors (base game: Kingsburg)\n")
    tested = run_kingsburg(tmp_path, "test", "my-variant")
    assert tested.returncode == 0 and re.match(r"3 scenes passed, in", tested.stdout), tested.stdout
    played = run_kingsburg(tmp_path, "play", "--with", "my-variant", "--seed", "4")
    assert played.returncode == 0 and re.search(r" win( together|s)\.$", played.stdout.strip()), played.stderr


def test_new_prints_the_next_commands(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for where in ("my-variant", "deep/er/my-variant", "./my other/my-variant"):
        with subtests.test(where=where):
            lines = run_kingsburg(tmp_path, "new", where).stdout.splitlines()[1:]
            calls = [shlex.split(line.partition("-m edict ")[2] or line.partition("kingsburg ")[2]) for line in lines]
            assert [words[0] for words in calls] == ["check", "test", "study", "play"]
            assert run_kingsburg(tmp_path, *calls[0]).returncode == 0, lines


def test_changed_new_module_fails_its_scenes(my_variant: Path, tmp_path: Path) -> None:
    rules = my_variant / "rules.edict"
    rules.write_text(rules.read_text(encoding="utf-8").replace("gain 2 gold", "gain 3 gold"), encoding="utf-8")
    done = run_kingsburg(tmp_path, "test", "my-variant")
    assert done.returncode == 1 and "- expected  2\n    + found     3\n" in done.stdout
    otherwise = run_kingsburg(tmp_path, "test", "kingsburg", "--with", "my-variant", "-k", "advisors.yaml")
    assert otherwise.returncode == 0 and "DIFFERENT rules/scenes/advisors.yaml" in otherwise.stdout


def test_new_module_has_a_commented_change_of_each_sort(variant: Path, subtests: pytest.Subtests) -> None:
    text = (variant / "rules.edict").read_text(encoding="utf-8")
    for line in (r"^amend advisor ", r"^building ", r"^adjust ", r"^# My variant: "):
        with subtests.test(line=line):
            assert re.search(line, text, re.MULTILINE)
    assert "$" not in text
    assert all(len(line) <= 120 for line in text.splitlines())


@pytest.mark.slow
def test_new_module_is_compatible_with_every_module(
    my_variant: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    laid = [word for module in MODULES for word in ("--with", module)]
    done = run_kingsburg(tmp_path, "check", "my-variant", *laid, "--strict")
    assert done.returncode == 0, done.stdout
    scenarios = [name for name, (_, found) in load_catalogue().items() if found.kind == "scenario"]
    for name in scenarios:
        with subtests.test(name=name):
            assert run_kingsburg(tmp_path, "check", "my-variant", "--with", name, "--strict").returncode == 0


def test_new_module_can_be_for_another_game(tmp_path: Path, subtests: pytest.Subtests) -> None:
    write_files(tmp_path, {"sample/module.yaml": make_manifest("sample", "game"), "sample/page.edict": GAME})
    for game in ("pig", "./sample"):
        with subtests.test(game=game):
            twist = f"twist-{Path(game).name}"
            assert run_kingsburg(tmp_path, "new", twist, "--game", game).returncode == 0
            assert f"{twist}: no errors (base game: " in run_kingsburg(tmp_path, "check", twist, "--strict").stdout
            tested = run_kingsburg(tmp_path, "test", twist)
            assert tested.returncode == 0 and "1 scene passed" in tested.stdout, tested.stdout
            assert run_kingsburg(tmp_path, "play", game, "--with", twist).returncode == 0


def test_game_can_have_its_own_template(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "sample/module.yaml": make_manifest("sample", "game"),
            "sample/page.edict": GAME,
            "sample/template/module.yaml": "name: $NAME\ntitle: $TITLE\nversion: 1.0.0\n"
            "kind: module\nrequires: [$GAME]\n",
            "sample/template/own.edict": "# over $GAME_TITLE\namend card ace\n  worth 2\n",
        },
    )
    assert run_kingsburg(tmp_path, "new", "big-ace", "--game", "./sample").returncode == 0
    assert (tmp_path / "big-ace" / "own.edict").read_text(encoding="utf-8").startswith("# over Sample\n")
    assert run_kingsburg(tmp_path, "check", "big-ace").returncode == 0


def write_untrusted_game(parent: Path, **files: str) -> Path:
    """Write a game with a template to the folder `sample`; return the folder of the template."""
    write_files(parent, {"sample/module.yaml": make_manifest("sample", "game"), "sample/page.edict": GAME})
    write_files(
        parent, {f"sample/template/{name}": text for name, text in {"module.yaml": "name: $NAME\n", **files}.items()}
    )
    return parent / "sample" / "template"


def add_linked_file(template: Path) -> None:
    (template / "rules.edict").symlink_to(template.parent.parent / "secret.txt")


def add_linked_folder(template: Path) -> None:
    (template / "scenes").symlink_to(template.parent.parent)


def replace_template_by_link(template: Path) -> None:
    (template / "module.yaml").unlink()
    template.rmdir()
    template.symlink_to(template.parent.parent)


def add_pipe(template: Path) -> None:
    os.mkfifo(template / "pipe")


def add_binary_file(template: Path) -> None:
    (template / "weights.bin").write_bytes(b"ab\n\xff\xfe")


def add_deep_folders(template: Path) -> None:
    folder = template.joinpath(*["d"] * 200)
    folder.mkdir(parents=True)
    (folder / "x").write_text("x", encoding="utf-8")


def add_many_files(template: Path) -> None:
    for number in range(150):
        (template / f"{number}.edict").write_text("", encoding="utf-8")


def add_large_file(template: Path) -> None:
    with (template / "large.edict").open("wb") as file:
        file.truncate(4_000_000_000)


def add_growing_text(template: Path) -> None:
    """Add a small file that grows, as every word of it is replaced by the title."""
    (template.parent / "module.yaml").write_text(make_manifest("sample", "game", summary="x"), encoding="utf-8")
    (template / "notes.txt").write_text("$GAME_TITLE" * 80_000, encoding="utf-8")
    file = template.parent / "module.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("title: Sample", "title: " + "S" * 60), encoding="utf-8")


UNTRUSTED_TEMPLATES = {
    add_linked_file: "`sample/template/rules.edict` is a link",
    add_linked_folder: "`sample/template/scenes` is a link",
    replace_template_by_link: "`sample/template` is a link",
    add_pipe: "`sample/template/pipe` is neither a regular file nor a folder",
    add_binary_file: "`sample/template/weights.bin` cannot be read: line 2 is not UTF-8",
    add_deep_folders: "more than 8 folders within each other",
    add_many_files: "`sample/template` has more than 100 files and folders",
    add_large_file: "sample/template/large.edict:1:1: error E0120: this file is too large",
    add_growing_text: "`sample/template` has more than 2,000,000 characters of text",
}


def test_a_strangers_template_gives_away_no_file_and_fills_no_disk(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for make, said in UNTRUSTED_TEMPLATES.items():
        with subtests.test(said=said):
            folder = tmp_path / make.__name__
            write_files(folder, {"secret.txt": "a password"})
            make(write_untrusted_game(folder))
            before = sorted(path.name for path in folder.iterdir())
            done = run_kingsburg(folder, "new", "deep/er/mine", "--game", "./sample")
            told = " ".join(done.stderr.split())
            assert done.returncode in (1, 2) and said in told and "help:" in told, (said, told)
            assert "password" not in done.stdout + done.stderr
            assert sorted(path.name for path in folder.iterdir()) == before


REFUSED = [
    (["My_Variant"], "as in `my-variant`"),
    (["1st"], "as in `st`"),
    (["\u00e4"], "as in `my-variant`"),
    (["a" * 61], "not a valid name"),
    ([""], "not a valid name"),
    (["governors"], "choose another name"),
    (["kingsburg"], "choose another name"),
    (["there"], "already exists"),
    (["a-file"], "already exists"),
    (["a-file/x"], "a-file/x"),
    (["x", "--game", "governors"], "is a module, not a game"),
    (["x", "--game", "nowhere"], "E0150"),
]


def test_invalid_names_are_refused_and_nothing_is_written(tmp_path: Path, subtests: pytest.Subtests) -> None:
    write_files(tmp_path, {"there/notes.txt": "mine", "a-file": "mine"})
    before = sorted(tmp_path.rglob("*"))
    for words, said in REFUSED:
        with subtests.test(words=words):
            done = run_kingsburg(tmp_path, "new", *words)
            assert done.returncode == 2, (words, done.stdout)
            assert said in done.stderr and "help:" in done.stderr, (words, done.stderr)
            assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "there" / "notes.txt").read_text(encoding="utf-8") == "mine"
    (tmp_path / "empty").mkdir()
    assert run_kingsburg(tmp_path, "new", "empty", "--game", "pig").returncode == 0, "an empty folder will do"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = run_kingsburg(tmp_path, "new", "my-variant")
    tmp_path.chmod(0o700)
    assert done.returncode == 2 and "help:" in done.stderr


# --- the README ----------------------------------------------------------------------------------


def read_readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def read_change_section() -> str:
    return read_readme().partition("## Change a rule")[2].partition("\n## ")[0]


PLAIN_PATH = "/usr/local/bin:/usr/bin:/bin"  # of a shell that has been told nothing


def make_checkout(folder: Path) -> Path:
    """Return a folder as `make play` leaves it, with the command only in its environment."""
    venv.create(folder / ".venv", with_pip=False)
    script = folder / ".venv" / "bin" / "kingsburg"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("made", "installed"):
        (folder / ".venv" / name).touch()
    return folder


def run_shell(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a text in a shell with nothing else on its path."""
    around = {**make_environment(folder, PATH=PLAIN_PATH), "MAKELEVEL": "", "MAKEFLAGS": ""}
    done = subprocess.run(
        ["sh", "-e", "-c", text],
        cwd=folder,
        env=around,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.slow  # an environment, make and six processes, for one line of the Makefile
def test_make_play_prints_how_to_call_the_command(tmp_path: Path) -> None:
    done = run_shell(
        make_checkout(tmp_path), f'make play PYTHON={sys.executable} ARGS="pig --seed 4"'
    ).stdout.splitlines()
    assert done[0] == done[-1] and len(done) > 3, done
    called = re.findall(r"`([^`]+)`", done[0])
    assert read_change_section().partition("```\n")[2].startswith(called[0]) and f"`{called[0]}`" in read_readme()
    assert run_shell(tmp_path, f"{called[0]}\n{called[1]} --version").stdout.strip()
    found = run_shell(tmp_path, f'{called[0]}\nmake play PYTHON={sys.executable} ARGS="--help"').stdout
    assert called[0] not in found, "a shell that finds the command is told nothing"


def test_readme_shows_the_actual_files_and_output(my_variant: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for block, name in (("```\namend", "rules.edict"), ("```yaml\n", "scenes/rules.yaml")):
        with subtests.test(block=block):
            shown = (
                block.removeprefix("```\n") + read_change_section().partition(block)[2].partition("```")[0]
            ).splitlines()
            written = (my_variant / name).read_text(encoding="utf-8").splitlines()
            lines = [line for line in shown if line.strip() and not line.startswith("```")]
            assert len(lines) > 4 and not [line for line in lines if line not in written]
    rules = my_variant / "rules.edict"
    rules.write_text(rules.read_text(encoding="utf-8").replace("gain 2 gold", "gain 2 glod"), encoding="utf-8")
    told = read_change_section().partition("```text\n")[2].partition("```")[0]
    assert run_kingsburg(tmp_path, "check", "my-variant").stdout.startswith(told)
    prose = re.sub(r"^```.*?^```", "", read_change_section(), flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) < 200, "read in less than a minute, with some for the blocks"


# --- a game of one's own -----------------------------------------------------------------------


def test_new_game_can_be_checked_tested_and_played(tmp_path: Path) -> None:
    done = run_kingsburg(tmp_path, "new", "dragon-hoard", "--own-game")
    assert done.returncode == 0, done.stderr
    assert run_kingsburg(tmp_path, "check", "dragon-hoard", "--strict").stdout == "dragon-hoard: no errors\n"
    assert "3 scenes passed" in run_kingsburg(tmp_path, "test", "dragon-hoard").stdout
    played = run_kingsburg(tmp_path, "play", "dragon-hoard", "--seed", "4")
    assert re.search(r" win( together|s)\.$", played.stdout.strip()), played.stderr
    text = (tmp_path / "dragon-hoard" / "rules.edict").read_text(encoding="utf-8")
    assert "Dragon hoard" in text and "$" not in text
    assert "ingsburg" not in re.sub(r"kingsburg (check|explain|find|play|test)\b", "", text)
    both = run_kingsburg(tmp_path, "new", "other", "--own-game", "--game", "pig")
    assert both.returncode == 2 and "--own-game" in both.stderr and not (tmp_path / "other").exists()


def test_commands_within_a_rules_folder_use_its_rules(
    my_variant: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    run_kingsburg(tmp_path, "new", "dragon-hoard", "--own-game")
    game = tmp_path / "dragon-hoard"
    for folder in (game, game / "scenes"):
        with subtests.test(folder=folder):
            assert run_kingsburg(folder, "check").stdout == "dragon-hoard: no errors\n"
    assert "3 scenes passed" in run_kingsburg(game, "test").stdout
    assert "Bank (card)" in run_kingsburg(game, "show", "bank").stdout
    assert "Bank" not in run_kingsburg(tmp_path, "show", "merchant").stdout
    assert run_kingsburg(my_variant, "check").stdout == "my-variant: no errors (base game: Kingsburg)\n"


def test_command_name_follows_how_it_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for typed, shown in (("/usr/bin/edict", "edict"), ("kingsburg", "kingsburg"), ("main.py", "kingsburg")):
        with subtests.test(typed=typed):
            monkeypatch.setattr("sys.argv", [typed])
            assert command_name() == shown
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert set(scripts) == set(COMMANDS) and len(set(scripts.values())) == 1
