"""From nothing to a played variant: `new` writes a module that can be checked, tested and played at once."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from calling import COMMAND, GAME, ROOT, environment, kingsburg, manifest, write

from edict.sources.module_set import catalogue
from edict.resources import COMMANDS, command

MODULES = (
    "more-buildings", "soldier-tokens", "alternate-rows", "governors", "destiny", "advisor-tiles", "first-edition",
)  # fmt: skip


def test_what_is_written_can_be_checked_tested_and_played(tmp_path: Path) -> None:
    written = kingsburg(tmp_path, "new", "my-variant")
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "my-variant" / "scenes").is_dir()
    checked = kingsburg(tmp_path, "check", "my-variant", "--strict")
    assert (checked.returncode, checked.stdout) == (0, "my-variant: no errors, laid over Kingsburg\n")
    tested = kingsburg(tmp_path, "test", "my-variant")
    assert tested.returncode == 0 and re.match(r"3 scenes passed, in", tested.stdout), tested.stdout
    played = kingsburg(tmp_path, "play", "--with", "my-variant", "--seed", "4")
    assert played.returncode == 0 and re.search(r" win( together|s)\.$", played.stdout.strip()), played.stderr


def test_it_tells_what_to_type_next(tmp_path: Path) -> None:
    for where in ("my-variant", "deep/er/my-variant", "./my other/my-variant"):
        lines = kingsburg(tmp_path, "new", where).stdout.splitlines()[1:]
        calls = [shlex.split(line.partition("-m edict ")[2] or line.partition("kingsburg ")[2]) for line in lines]
        assert [words[0] for words in calls] == ["check", "test", "play"]
        assert kingsburg(tmp_path, *calls[0]).returncode == 0, lines


def test_the_change_shows_and_a_broken_one_fails(tmp_path: Path) -> None:
    kingsburg(tmp_path, "new", "my-variant")
    rules = tmp_path / "my-variant" / "rules.edict"
    rules.write_text(rules.read_text(encoding="utf-8").replace("gain 2 gold", "gain 3 gold"), encoding="utf-8")
    done = kingsburg(tmp_path, "test", "my-variant")
    assert done.returncode == 1 and "- expected  2\n    + found     3\n" in done.stdout
    otherwise = kingsburg(tmp_path, "test", "kingsburg", "--with", "my-variant", "-k", "advisors.yaml")
    assert otherwise.returncode == 0 and "DIFFERENT rules/scenes/advisors.yaml" in otherwise.stdout


def test_it_holds_one_change_of_each_sort_and_explains_them(tmp_path: Path) -> None:
    kingsburg(tmp_path, "new", "my-variant")
    text = (tmp_path / "my-variant" / "rules.edict").read_text(encoding="utf-8")
    for line in (r"^amend advisor ", r"^building ", r"^adjust ", r"^# My variant: "):
        assert re.search(line, text, re.MULTILINE), line
    assert "$" not in text
    assert all(len(line) <= 120 for line in text.splitlines())


@pytest.mark.slow
def test_it_goes_with_every_module(tmp_path: Path) -> None:
    kingsburg(tmp_path, "new", "my-variant")
    laid = [word for module in MODULES for word in ("--with", module)]
    done = kingsburg(tmp_path, "check", "my-variant", *laid, "--strict")
    assert done.returncode == 0, done.stdout
    scenarios = [name for name, (_, found) in catalogue().items() if found.kind == "scenario"]
    for name in scenarios:
        assert kingsburg(tmp_path, "check", "my-variant", "--with", name, "--strict").returncode == 0, name


@pytest.mark.parametrize("game", ["pig", "kuhn-poker", "./sample"])
def test_other_games_have_a_beginning_too(tmp_path: Path, game: str) -> None:
    write(tmp_path, {"sample/module.yaml": manifest("sample", "game"), "sample/page.edict": GAME})
    assert kingsburg(tmp_path, "new", "twist", "--game", game).returncode == 0
    assert "twist: no errors, laid over " in kingsburg(tmp_path, "check", "twist", "--strict").stdout
    tested = kingsburg(tmp_path, "test", "twist")
    assert tested.returncode == 0 and "1 scene passed" in tested.stdout, tested.stdout
    assert kingsburg(tmp_path, "play", game, "--with", "twist").returncode == 0


def test_a_game_may_bring_its_own_template(tmp_path: Path) -> None:
    write(tmp_path, {
        "sample/module.yaml": manifest("sample", "game"), "sample/page.edict": GAME,
        "sample/template/module.yaml": "name: $NAME\ntitle: $TITLE\nversion: 1.0.0\nkind: module\nrequires: [$GAME]\n",
        "sample/template/own.edict": "# over $GAME_TITLE\namend card ace\n  worth 2\n",
    })  # fmt: skip
    assert kingsburg(tmp_path, "new", "big-ace", "--game", "./sample").returncode == 0
    assert (tmp_path / "big-ace" / "own.edict").read_text(encoding="utf-8").startswith("# over Sample\n")
    assert kingsburg(tmp_path, "check", "big-ace").returncode == 0


def stranger(parent: Path, **files: str) -> Path:
    """A game in the folder `sample` with a template of its own; gives the template's folder."""
    write(parent, {"sample/module.yaml": manifest("sample", "game"), "sample/page.edict": GAME})
    write(parent, {f"sample/template/{name}": text for name, text in {"module.yaml": "name: $NAME\n", **files}.items()})
    return parent / "sample" / "template"


def linked_file(template: Path) -> None:
    (template / "rules.edict").symlink_to(template.parent.parent / "secret.txt")


def linked_folder(template: Path) -> None:
    (template / "scenes").symlink_to(template.parent.parent)


def linked_template(template: Path) -> None:
    (template / "module.yaml").unlink()
    template.rmdir()
    template.symlink_to(template.parent.parent)


def pipe(template: Path) -> None:
    os.mkfifo(template / "pipe")


def binary(template: Path) -> None:
    (template / "weights.bin").write_bytes(b"ab\n\xff\xfe")


def deep(template: Path) -> None:
    folder = template.joinpath(*["d"] * 200)
    folder.mkdir(parents=True)
    (folder / "x").write_text("x", encoding="utf-8")


def many(template: Path) -> None:
    for number in range(150):
        (template / f"{number}.edict").write_text("", encoding="utf-8")


def large(template: Path) -> None:
    with (template / "large.edict").open("wb") as file:
        file.truncate(4_000_000_000)


def growing(template: Path) -> None:
    """Small as it is written, but every word of it is a title."""
    (template.parent / "module.yaml").write_text(manifest("sample", "game", summary="x"), encoding="utf-8")
    (template / "notes.txt").write_text("$GAME_TITLE" * 80_000, encoding="utf-8")
    file = template.parent / "module.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("title: Sample", "title: " + "S" * 60), encoding="utf-8")


STRANGE = {
    linked_file: "`sample/template/rules.edict` is a link",
    linked_folder: "`sample/template/scenes` is a link",
    linked_template: "`sample/template` is a link",
    pipe: "`sample/template/pipe` is neither a regular file nor a folder",
    binary: "`sample/template/weights.bin` cannot be read: line 2 is not UTF-8",
    deep: "more than 8 folders within each other",
    many: "`sample/template` has more than 100 files and folders",
    large: "sample/template/large.edict:1:1: error E0120: this file is too large",
    growing: "`sample/template` has more than 2,000,000 characters of text",
}


@pytest.mark.parametrize(("make", "said"), STRANGE.items(), ids=lambda one: getattr(one, "__name__", ""))
def test_a_strangers_template_gives_away_no_file_and_fills_no_disk(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    (tmp_path / "secret.txt").write_text("a password", encoding="utf-8")
    make(stranger(tmp_path))
    before = sorted(path.name for path in tmp_path.iterdir())
    done = kingsburg(tmp_path, "new", "deep/er/mine", "--game", "./sample")
    told = " ".join(done.stderr.split())
    assert done.returncode in (1, 2) and said in told and "help:" in told, told
    assert "password" not in done.stdout + done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


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


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_cannot_be_is_told_and_nothing_is_written(tmp_path: Path, words: list[str], said: str) -> None:
    write(tmp_path, {"there/notes.txt": "mine", "a-file": "mine"})
    before = sorted(tmp_path.rglob("*"))
    done = kingsburg(tmp_path, "new", *words)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr and "help:" in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "there" / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "my-variant").mkdir()
    assert kingsburg(tmp_path, "new", "my-variant").returncode == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = kingsburg(tmp_path, "new", "my-variant")
    tmp_path.chmod(0o700)
    assert done.returncode == 2 and "help:" in done.stderr


# --- the README ----------------------------------------------------------------------------------


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def walk() -> list[list[str]]:
    """The commands of the walk through a variant."""
    blocks = re.findall(r"^```\n(.*?)^```", section(), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("kingsburg ")]


def test_the_walk_of_the_readme_is_true(tmp_path: Path) -> None:
    """Every command of it, in order, ends well; those that watch are left to tests/cli/test_watch.py."""
    commands = walk()
    assert [words[1] for words in commands[:4]] == ["new", "check", "test", "play"]
    for program, *words in commands:
        assert program == "kingsburg"
        if "--watch" not in words:
            done = kingsburg(tmp_path, *words)
            assert done.returncode == 0, (words, done.stdout, done.stderr)


PLAIN_PATH = "/usr/local/bin:/usr/bin:/bin"  # of a shell that has been told nothing


def checkout(folder: Path) -> Path:
    """A folder as `make play` leaves it, with the command in its environment only."""
    venv.create(folder / ".venv", with_pip=False)
    script = folder / ".venv" / "bin" / "kingsburg"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("made", "installed"):
        (folder / ".venv" / name).touch()
    return folder


def typed(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """What happens when somebody types this in a shell with nothing else on its path."""
    around = {**environment(folder, PATH=PLAIN_PATH), "MAKELEVEL": "", "MAKEFLAGS": ""}
    done = subprocess.run(
        ["sh", "-e", "-c", text], cwd=folder, env=around, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        encoding="utf-8", timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_first_block_is_typed_as_it_stands_where_make_has_set_everything_up(tmp_path: Path) -> None:
    block = section().partition("```\n")[2].partition("```")[0]
    done = typed(checkout(tmp_path), block)
    assert "my-variant: no errors" in done.stdout and "3 scenes passed" in done.stdout


def test_make_play_says_how_the_command_is_called_before_the_game_and_after(tmp_path: Path) -> None:
    done = typed(checkout(tmp_path), f'make play PYTHON={sys.executable} ARGS="pig --seed 4"').stdout.splitlines()
    assert done[0] == done[-1] and len(done) > 3, done
    called = re.findall(r"`([^`]+)`", done[0])
    assert section().partition("```\n")[2].startswith(called[0]) and f"`{called[0]}`" in readme()
    assert typed(tmp_path, f"{called[0]}\n{called[1]} --version").stdout.strip()
    found = typed(tmp_path, f'{called[0]}\nmake play PYTHON={sys.executable} ARGS="--help"').stdout
    assert called[0] not in found, "a shell that finds the command is told nothing"


def section() -> str:
    return readme().partition("## Change a rule")[2].partition("\n## ")[0]


def test_what_the_readme_shows_is_what_is_written(tmp_path: Path) -> None:
    kingsburg(tmp_path, "new", "my-variant")
    for block, name in (("```\namend", "rules.edict"), ("```yaml\n", "scenes/rules.yaml")):
        shown = (block.removeprefix("```\n") + section().partition(block)[2].partition("```")[0]).splitlines()
        written = (tmp_path / "my-variant" / name).read_text(encoding="utf-8").splitlines()
        lines = [line for line in shown if line.strip() and not line.startswith("```")]
        assert len(lines) > 4 and not [line for line in lines if line not in written]


def test_the_message_in_the_readme_is_the_one_that_is_told(tmp_path: Path) -> None:
    kingsburg(tmp_path, "new", "my-variant")
    rules = tmp_path / "my-variant" / "rules.edict"
    rules.write_text(rules.read_text(encoding="utf-8").replace("gain 2 gold", "gain 2 glod"), encoding="utf-8")
    told = section().partition("```text\n")[2].partition("```")[0]
    assert kingsburg(tmp_path, "check", "my-variant").stdout.startswith(told)


def test_the_walk_takes_less_than_a_minute_to_read() -> None:
    prose = re.sub(r"^```.*?^```", "", section(), flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) < 200, "and some for the blocks"


def test_every_link_of_the_readme_leads_somewhere() -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", readme()):
        assert (ROOT / link).exists(), link


def test_every_command_the_readme_names_exists(tmp_path: Path) -> None:
    named = set(re.findall(r"`kingsburg ([a-z]+)|^kingsburg ([a-z]+)", readme(), re.MULTILINE))
    listed = kingsburg(tmp_path, "--help").stdout
    assert all(f"\n  {one or other} " in listed for one, other in named)


def test_what_the_pages_show_by_name_is_there(tmp_path: Path) -> None:
    """Each `kingsburg show NAME` of README and docs, with the modules it is printed with."""
    kingsburg(tmp_path, "new", "my-variant")
    pages = [readme(), *(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md")))]
    calls = {call for page in pages for call in re.findall(r"kingsburg (show [a-z][\w-]*(?: --\w+ [\w./-]+)*)", page)}
    assert len(calls) > 2
    for call in sorted(calls):
        done = kingsburg(tmp_path, *call.split())
        assert done.returncode == 0, (call, done.stderr)


# --- a game of one's own -----------------------------------------------------------------------


def test_a_game_of_ones_own_can_be_checked_tested_and_played(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, "new", "dragon-hoard", "--own-game")
    assert done.returncode == 0, done.stderr
    assert kingsburg(tmp_path, "check", "dragon-hoard", "--strict").stdout == "dragon-hoard: no errors\n"
    assert "3 scenes passed" in kingsburg(tmp_path, "test", "dragon-hoard").stdout
    played = kingsburg(tmp_path, "play", "dragon-hoard", "--seed", "4")
    assert re.search(r" win( together|s)\.$", played.stdout.strip()), played.stderr
    text = (tmp_path / "dragon-hoard" / "rules.edict").read_text(encoding="utf-8")
    assert "Dragon hoard" in text and "$" not in text
    assert "ingsburg" not in re.sub(r"kingsburg (check|test|play|find)\b", "", text)
    both = kingsburg(tmp_path, "new", "other", "--own-game", "--game", "pig")
    assert both.returncode == 2 and "--own-game" in both.stderr and not (tmp_path / "other").exists()


def test_inside_rules_commands_mean_them(tmp_path: Path) -> None:
    kingsburg(tmp_path, "new", "dragon-hoard", "--own-game")
    game = tmp_path / "dragon-hoard"
    for folder in (game, game / "scenes"):
        assert kingsburg(folder, "check").stdout == "dragon-hoard: no errors\n"
        assert "3 scenes passed" in kingsburg(folder, "test").stdout
        assert "Bank (card)" in kingsburg(folder, "show", "bank").stdout
    assert "Bank" not in kingsburg(tmp_path, "show", "merchant").stdout
    kingsburg(tmp_path, "new", "my-variant")
    assert kingsburg(tmp_path / "my-variant", "check").stdout == "my-variant: no errors, laid over Kingsburg\n"


def test_the_command_calls_itself_as_it_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for typed, shown in (("/usr/bin/edict", "edict"), ("kingsburg", "kingsburg"), ("main.py", "kingsburg")):
        monkeypatch.setattr("sys.argv", [typed])
        assert command() == shown
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert set(scripts) == set(COMMANDS) and len(set(scripts.values())) == 1


def test_options_that_people_expect_are_answered(tmp_path: Path) -> None:
    done = kingsburg(tmp_path, "play", "--players", "6")
    assert done.returncode == 2 and "`--human NAME` for each person" in done.stderr
    assert kingsburg(tmp_path, "diff", "base", "governors+destiny").stdout == kingsburg(
        tmp_path, "diff", "base", "governors,destiny").stdout  # fmt: skip
