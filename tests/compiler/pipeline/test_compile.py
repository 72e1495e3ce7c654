"""The pipeline as a whole: where it stops, what it keeps, and that a program written down plays the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from calling import write
from edict.compiler.pipeline.asserting import asserting, asserts
from edict.compiler.pipeline.compile import check_rules, compile_rules
from edict.compiler.pipeline.pipeline import build
from edict.compiler.sources.compiler_fingerprint import PACKAGE, compiler_files, grammar_files
from edict.compiler.sources.module_set import Modules, rules_hash
from edict.compiler.syntax.grammar import parser
from edict.game.scenes.coverage import reachable_addresses
from edict.game.table.playout import play_random
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.program_json import parse_program
from edict.support import resources, signed_cache
from edict.support.report import Outcome
from helpers import GAME, Run, compiled, module, program, steps, with_game
from shipped import GAMES


def codes(*texts: str) -> list[str]:
    return [d.code for d in build((module(*texts),)).diagnostics]


# --- the passes in turn ----------------------------------------------------------------------------


def test_errors_pile_up_within_a_pass_and_stop_between() -> None:
    syntax, unknown = "phase\n  nothing\n", "when start of trial-run\n  gain 1 nonsense\n"
    assert len(codes(*with_game(syntax + unknown))) == 1  # the page cannot be read, so no names are looked up
    assert len(codes(*with_game("phase\n", "kind\n"))) == 2  # but every page is read
    assert codes(*with_game(unknown + unknown)) == ["E0201", "E0201"]
    assert codes(*with_game(unknown + "quantity q is yes\n")) == ["E0201"]
    assert codes(*with_game("quantity q is yes\nkeep k as number from 1 to 2\n")) == ["E0401"]
    assert codes("resource coin\n") == ["E0178"]  # rules without a game
    assert codes(*with_game("setting best is 3\n", steps("gain best coin"))) == []  # what is called by a word is known


def test_warnings_do_not_stop_anything() -> None:
    outcome = compiled("phase dawn\n  nothing\n")
    assert outcome.ok and [d.code for d in outcome.diagnostics] == ["E0510"]
    assert Run(outcome.unwrap()).over


# --- names for rules -------------------------------------------------------------------------------


def test_equal_rules_have_equal_hashes() -> None:
    one, same, other = (module(*with_game(text)) for text in ("resource egg\n", "resource egg\n", "resource hen\n"))
    assert rules_hash((one,)) == rules_hash((same,)) != rules_hash((other,))
    assert build((one,)).unwrap().rules_hash == rules_hash((one,))
    assert build((one,)).unwrap() == build((same,)).unwrap()
    assert build((one,)).unwrap().meaning != "" == build((one,), optimized=False).unwrap().meaning


# --- written down and read back -----------------------------------------------------------------------


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", GAMES)
def test_a_program_written_down_plays_the_same(name: str) -> None:
    made = compile_rules(name, fresh=True).unwrap()
    read = parse_program(made.to_json())
    assert read == made
    for players in (made.least_players, made.most_players):
        games = [play_random(p, players, Random(5)) for p in (made, read)]
        assert games[0] == games[1]


def test_a_program_of_another_format_is_refused() -> None:
    data = json.loads(program(steps("nothing")).to_json())
    with pytest.raises(ValueError, match="format"):
        parse_program(json.dumps({**data, "format": 0}))
    with pytest.raises(ValueError):
        parse_program("[]")


# --- the code --------------------------------------------------------------------------------------------


def test_every_place_in_the_code_comes_from_a_rule_and_its_line() -> None:
    for made in (compile_rules("kingsburg").unwrap(), program(steps("gain 1 coin", "gain 1 stick"))):
        assert made.places[0][0] == 0 and list(made.places) == sorted(made.places)
        assert all(0 <= cause < len(made.causes) for _, cause in made.places)
        assert all(cause.line > 0 and cause.file for cause in made.causes)
    lines = {made.cause_at(pc).line for pc, cause in made.places if made.causes[cause].name == "trial-run"}
    assert {3, 4} <= lines


def test_the_state_is_as_small_as_it_can_be() -> None:
    """A keep more is a cell more for each of its indices; nothing else grows."""
    bare = program(steps("nothing")).stack
    more = program("keep kept of player as number\n" + steps("nothing")).stack
    assert more - bare == 4  # four players at most
    secret = program("keep kept of player as number, secret\n" + steps("nothing")).stack
    assert secret - bare == 8
    assert program(steps("nothing")).initial[o.STACK] == bare


def test_what_ability_can_touch_a_quantity_is_settled_before_play() -> None:
    huts = "kind hut\n  works if no\n" + "".join(f"hut h{i}\n  adjust strength by 1\n" for i in range(9))
    rules = "quantity strength of player is 1\nquantity other of player is 1\n" + steps("gain other of you coin")
    with_huts, without = program(huts + rules), program("kind hut\n  works if no\n" + rules)
    assert len(reachable_addresses(with_huts)) == len(
        reachable_addresses(without)
    )  # `strength` is there only to be asked about


# --- the cache -------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def rules_in(path: Path, text: str) -> Path:
    path.mkdir(exist_ok=True)
    manifest = "name: trial\ntitle: Trial\nversion: 1.0.0\nkind: game\nlanguage: 1\n"
    (path / "module.yaml").write_text(manifest, encoding="utf-8")
    (path / "page.edict").write_text(GAME + text, encoding="utf-8")
    return path


def kept(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.program"))


def test_a_program_is_kept_by_content_and_used_unless_it_was_changed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = rules_in(tmp_path / "rules", steps("gain 1 coin"))
    first = compile_rules(rules).unwrap()
    (file,) = kept(folder)
    assert first.rules_hash in file.name
    with monkeypatch.context() as patch:
        patch.setattr("edict.compiler.pipeline.compile._build", lambda _: pytest.fail("this was compiled before"))
        assert compile_rules(rules).unwrap() == first and kept(folder) == [file]
    file.write_text(file.read_text(encoding="utf-8").replace('"title":"Trial"', '"title":"Other"'), encoding="utf-8")
    assert compile_rules(rules).unwrap() == first
    rules_in(rules, steps("gain 2 coin"))
    assert compile_rules(rules).unwrap() != first and len(kept(folder)) == 2


def test_rules_with_findings_are_told_each_time(folder: Path, tmp_path: Path) -> None:
    rules = rules_in(tmp_path / "rules", steps("nothing") + "phase dawn\n  nothing\n")
    for _ in range(2):
        assert [d.code for d in compile_rules(rules).diagnostics] == ["E0510"]
    assert kept(folder) == []


def test_that_nothing_is_wrong_is_remembered_and_what_is_wrong_is_found_anew(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, doubtful = steps("gain 1 coin"), steps("nothing") + "phase dawn\n  nothing\n"
    looked = list[object]()

    def noted(modules: Modules, optimized: bool) -> Outcome[Program]:
        looked.append(modules)
        return Outcome(None)

    for text, codes in ((right, []), (doubtful, ["E0510"])):
        looked.clear()
        rules = rules_in(tmp_path / "rules", text)
        assert [one.code for one in check_rules(rules).diagnostics] == codes
        with monkeypatch.context() as patch:
            patch.setattr("edict.compiler.pipeline.compile._build", noted)
            assert check_rules(rules).ok and bool(looked) == bool(codes)


ASSERTING = steps("gain 1 coin") + 'assert few "Few coins" every player has coin of it <= 30\n'


def test_the_program_by_which_rules_are_looked_at_is_kept_as_well(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = rules_in(tmp_path / "rules", ASSERTING)
    first = asserting(rules)
    assert first is not None and len(first[1]) == 1 and asserts(rules)
    monkeypatch.setattr(
        "edict.compiler.lowering.lower_with_assertions", lambda *_: pytest.fail("this was compiled before")
    )
    assert asserting(rules) == first
    bare = rules_in(tmp_path / "bare", steps("gain 1 coin"))
    assert asserting(bare) is None and not asserts(bare)


COMPILES = """
import json, sys
opened = set()
sys.addaudithook(lambda event, about: event == "open" and opened.add(str(about[0])))
import edict.compiler.pipeline.pipeline
from edict.compiler.pipeline.asserting import asserting, asserts
from edict.compiler.pipeline.compile import check_rules, compile_rules
compile_rules(sys.argv[1], fresh=True).unwrap()
print(json.dumps([[one.__file__ for name, one in sys.modules.items() if name.startswith("edict.")], [*opened]]))
"""


def test_a_change_in_any_file_that_compiling_loads_or_opens_makes_everything_be_compiled_anew(tmp_path: Path) -> None:
    """With rules that have a step in short; but for the parser's tables, which go by the grammar they were made of."""
    rules = rules_in(tmp_path / "rules", steps("give 1 coin to left of you"))
    parser()  # which is kept then: to make it takes the other process longest
    (tmp_path / "cache").mkdir(mode=0o700)
    for file in resources.cache_folder().glob("parser-*"):
        shutil.copy(file, tmp_path / "cache")
    fresh = {**os.environ, "EDICT_CACHE": str(tmp_path / "cache")}
    words = [sys.executable, "-c", COMPILES, str(rules)]
    done = subprocess.run(words, env=fresh, capture_output=True, text=True, check=True)
    loaded, opened = ({Path(file) for file in files} for files in json.loads(done.stdout))
    described = set(PACKAGE.glob("*/__init__.py"))  # hold docstrings only
    assert PACKAGE / "compiler" / "pipeline" / "pipeline.py" in loaded and loaded - described <= set(compiler_files())
    read = {file for file in opened if file.is_relative_to(resources.grammar_folder())}
    assert {resources.grammar_folder() / name for name in ("edict.lark", "sugar.edict")} <= read
    assert read - {resources.parser_tables_path()} <= set(grammar_files())


def test_what_never_compiles_is_no_part_of_the_fingerprint() -> None:
    parts = {file.relative_to(PACKAGE).parts for file in compiler_files()}
    assert not {part[0] for part in parts} & {"game", "agents", "tools", "apps", "prose"}
    assert not {part[:2] for part in parts} & {("runtime", "machine"), ("runtime", "simulation")}


@pytest.mark.parametrize(
    "line",
    [
        "from edict.compiler.english import say",
        "from edict.support import text\nfrom edict.compiler import english",
        "    from edict.compiler import english",
    ],
)
def test_fingerprint_covers_what_passes_import_however_indirectly(line: str, tmp_path: Path) -> None:
    files = {
        "compiler/pipeline/pipeline.py": "from edict.compiler.checks.all import check",
        "compiler/checks/all.py": line,
        "compiler/english.py": "from edict.support.text import Span",
        "support/text.py": "",
        "apps/pages.py": "",
    }
    write(tmp_path, files)
    names = {file.relative_to(tmp_path).as_posix() for file in compiler_files(tmp_path)}
    assert names == files.keys() - {"apps/pages.py"}


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("EDICT_CACHE", str(blocked / "cache"))
    assert compile_rules(rules_in(tmp_path / "rules", steps("nothing"))).ok
    assert not signed_cache.is_usable()
