"""The pipeline as a whole, with its stops, its caches, and programs written to JSON and read back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from calling import write_files
from edict.compiler.lowering import EmittedRules
from edict.compiler.pipeline.assertions import compile_assertions, has_assertions
from edict.compiler.pipeline.compile import check_rules, compile_rules
from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.sources.compiler_fingerprint import PACKAGE, list_grammar_files, read_compiler_files
from edict.compiler.sources.module_set import Modules, hash_rules
from edict.compiler.syntax.grammar import get_parser
from edict.game.scenes.coverage import reachable_addresses
from edict.runtime.program import opcodes as o
from edict.runtime.program.program_json import parse_program
from edict.support import resources, signed_cache
from edict.support.report import Outcome
from helpers import GAME, Run, add_game, compile_program, compile_texts, make_module, make_phase
from playout import play_random
from shipped import GAMES


def compile_codes(*texts: str) -> list[str]:
    return [d.code for d in build_program((make_module(*texts),)).diagnostics]


# --- the passes in turn ----------------------------------------------------------------------------


def test_errors_are_collected_within_a_pass_and_stop_the_next() -> None:
    syntax, unknown = "phase\n  nothing\n", "when start of trial-run\n  gain 1 nonsense\n"
    assert len(compile_codes(*add_game(syntax + unknown))) == 1  # the page cannot be read, so no names are looked up
    assert len(compile_codes(*add_game("phase\n", "kind\n"))) == 2  # but every page is read
    assert compile_codes(*add_game(unknown + unknown)) == ["E0201", "E0201"]
    assert compile_codes(*add_game(unknown + "quantity q is yes\n")) == ["E0201"]
    assert compile_codes(*add_game("quantity q is yes\nkeep k as number from 1 to 2\n")) == ["E0401"]
    assert compile_codes("resource coin\n") == ["E0178"]  # rules without a game
    assert (
        compile_codes(*add_game("setting best is 3\n", make_phase("gain best coin"))) == []
    )  # what is called by a word is known


def test_warnings_do_not_stop_the_pipeline() -> None:
    outcome = compile_texts("phase dawn\n  nothing\n")
    assert outcome.ok and [d.code for d in outcome.diagnostics] == ["E0510"]
    assert Run(outcome.unwrap()).is_over


# --- names for rules -------------------------------------------------------------------------------


def test_equal_rules_have_equal_hashes() -> None:
    one, same, other = (make_module(*add_game(text)) for text in ("resource egg\n", "resource egg\n", "resource hen\n"))
    assert hash_rules((one,)) == hash_rules((same,)) != hash_rules((other,))
    assert build_program((one,)).unwrap().rules_hash == hash_rules((one,))
    assert build_program((one,)).unwrap() == build_program((same,)).unwrap()
    assert build_program((one,)).unwrap().meaning != "" == build_program((one,), optimized=False).unwrap().meaning


# --- written down and read back -----------------------------------------------------------------------


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", GAMES)
def test_program_read_back_from_json_plays_the_same(name: str, subtests: pytest.Subtests) -> None:
    made = compile_rules(name, fresh=True).unwrap()
    read = parse_program(made.to_json())
    assert read == made
    for players in (made.least_players, made.most_players):
        with subtests.test(players=players):
            games = [play_random(p, players, Random(5)) for p in (made, read)]
            assert games[0] == games[1]


def test_program_of_another_format_is_refused() -> None:
    data = json.loads(compile_program(make_phase("nothing")).to_json())
    with pytest.raises(ValueError, match="format"):
        parse_program(json.dumps({**data, "format": 0}))
    with pytest.raises(ValueError):
        parse_program("[]")


# --- the code --------------------------------------------------------------------------------------------


def test_every_code_position_has_a_rule_and_a_line() -> None:
    for made in (compile_rules("kingsburg").unwrap(), compile_program(make_phase("gain 1 coin", "gain 1 stick"))):
        assert made.places[0][0] == 0 and list(made.places) == sorted(made.places)
        assert all(0 <= cause < len(made.causes) for _, cause in made.places)
        assert all(cause.line > 0 and cause.file for cause in made.causes)
    lines = {made.cause_at(pc).line for pc, cause in made.places if made.causes[cause].name == "trial-run"}
    assert {3, 4} <= lines


def test_state_has_no_superfluous_cells() -> None:
    """Another state variable adds one cell for each of its indices."""
    bare = compile_program(make_phase("nothing")).stack
    more = compile_program("keep kept of player as number\n" + make_phase("nothing")).stack
    assert more - bare == 4  # four players at most
    secret = compile_program("keep kept of player as number, secret\n" + make_phase("nothing")).stack
    assert secret - bare == 8
    assert compile_program(make_phase("nothing")).initial[o.STACK] == bare


def test_abilities_cost_no_code_for_quantities_they_do_not_adjust() -> None:
    huts = "kind hut\n  works if no\n" + "".join(f"hut h{i}\n  adjust strength by 1\n" for i in range(9))
    rules = "quantity strength of player is 1\nquantity other of player is 1\n" + make_phase("gain other of you coin")
    with_huts, without = compile_program(huts + rules), compile_program("kind hut\n  works if no\n" + rules)
    assert len(reachable_addresses(with_huts)) == len(
        reachable_addresses(without)
    )  # `strength` is there only to be asked about


# --- the cache -------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDICT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write_rules(path: Path, text: str) -> Path:
    path.mkdir(exist_ok=True)
    manifest = "name: trial\ntitle: Trial\nversion: 1.0.0\nkind: game\nlanguage: 1\n"
    (path / "module.yaml").write_text(manifest, encoding="utf-8")
    (path / "page.edict").write_text(GAME + text, encoding="utf-8")
    return path


def list_cached_programs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.program"))


def test_program_is_cached_by_content_and_rebuilt_if_damaged(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = write_rules(tmp_path / "rules", make_phase("gain 1 coin"))
    first = compile_rules(rules).unwrap()
    (file,) = list_cached_programs(folder)
    assert first.rules_hash in file.name
    with monkeypatch.context() as patch:
        patch.setattr(
            "edict.compiler.pipeline.compile._run_pipeline", lambda _: pytest.fail("this was compiled before")
        )
        assert compile_rules(rules).unwrap() == first and list_cached_programs(folder) == [file]
    file.write_text(file.read_text(encoding="utf-8").replace('"title":"Trial"', '"title":"Other"'), encoding="utf-8")
    assert compile_rules(rules).unwrap() == first
    write_rules(rules, make_phase("gain 2 coin"))
    assert compile_rules(rules).unwrap() != first and len(list_cached_programs(folder)) == 2


def test_rules_with_warnings_are_not_cached(folder: Path, tmp_path: Path) -> None:
    rules = write_rules(tmp_path / "rules", make_phase("nothing") + "phase dawn\n  nothing\n")
    for _ in range(2):
        assert [d.code for d in compile_rules(rules).diagnostics] == ["E0510"]
    assert list_cached_programs(folder) == []


def test_check_is_skipped_for_rules_that_had_no_diagnostics(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    right, doubtful = make_phase("gain 1 coin"), make_phase("nothing") + "phase dawn\n  nothing\n"
    looked = list[object]()

    def record_build(modules: Modules) -> Outcome[EmittedRules]:
        looked.append(modules)
        return Outcome(None)

    for text, codes in ((right, []), (doubtful, ["E0510"])):
        with subtests.test(text=text):
            looked.clear()
            rules = write_rules(tmp_path / "rules", text)
            assert [one.code for one in check_rules(rules).diagnostics] == codes
            with monkeypatch.context() as patch:
                patch.setattr("edict.compiler.pipeline.compile._emit_rules", record_build)
                assert check_rules(rules).ok and bool(looked) == bool(codes)


ASSERTING = make_phase("gain 1 coin") + 'assert few "Few coins" every player has coin of it <= 30\n'


def test_assertions_are_cached(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = write_rules(tmp_path / "rules", ASSERTING)
    first = compile_assertions(rules)
    assert first is not None and len(first[1]) == 1 and has_assertions(rules)
    monkeypatch.setattr(
        "edict.compiler.lowering.lower_with_assertions", lambda *_: pytest.fail("this was compiled before")
    )
    assert compile_assertions(rules) == first
    bare = write_rules(tmp_path / "bare", make_phase("gain 1 coin"))
    assert compile_assertions(bare) is None and not has_assertions(bare)


COMPILES = """
import json, sys
opened = set()
sys.addaudithook(lambda event, about: event == "open" and opened.add(str(about[0])))
import edict.compiler.pipeline.pipeline
from edict.compiler.pipeline.assertions import compile_assertions, has_assertions
from edict.compiler.pipeline.compile import check_rules, compile_rules
compile_rules(sys.argv[1], fresh=True).unwrap()
print(json.dumps([[one.__file__ for name, one in sys.modules.items() if name.startswith("edict.")], [*opened]]))
"""


def test_fingerprint_covers_every_file_that_compiling_loads_or_opens(tmp_path: Path) -> None:
    """The parser's tables are excepted, since they are identified by their grammar."""
    rules = write_rules(tmp_path / "rules", make_phase("give 1 coin to left of you"))
    get_parser()  # which is kept then: to make it takes the other process longest
    (tmp_path / "cache").mkdir(mode=0o700)
    for file in resources.cache_folder().glob("parser-*"):
        shutil.copy(file, tmp_path / "cache")
    fresh = {**os.environ, "EDICT_CACHE": str(tmp_path / "cache")}
    words = [sys.executable, "-c", COMPILES, str(rules)]
    done = subprocess.run(words, env=fresh, capture_output=True, text=True, check=True)
    loaded, opened = ({Path(file) for file in files} for files in json.loads(done.stdout))
    described = set(PACKAGE.glob("*/__init__.py"))  # hold docstrings only
    assert PACKAGE / "compiler" / "pipeline" / "pipeline.py" in loaded and loaded - described <= set(
        read_compiler_files()
    )
    read = {file for file in opened if file.is_relative_to(resources.grammar_folder())}
    assert {resources.grammar_folder() / name for name in ("edict.lark", "sugar.edict")} <= read
    assert read - {resources.parser_tables_path()} <= set(list_grammar_files())


def test_fingerprint_excludes_packages_that_do_not_compile() -> None:
    parts = {file.relative_to(PACKAGE).parts for file in read_compiler_files()}
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
def test_fingerprint_covers_indirect_imports(line: str, tmp_path: Path) -> None:
    files = {
        "compiler/pipeline/pipeline.py": "from edict.compiler.checks.all import check",
        "compiler/checks/all.py": line,
        "compiler/english.py": "from edict.support.text import Span",
        "support/text.py": "",
        "apps/pages.py": "",
    }
    write_files(tmp_path, files)
    names = {file.relative_to(tmp_path).as_posix() for file in read_compiler_files(tmp_path)}
    assert names == files.keys() - {"apps/pages.py"}


def test_unwritable_cache_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("EDICT_CACHE", str(blocked / "cache"))
    assert compile_rules(write_rules(tmp_path / "rules", make_phase("nothing"))).ok
    assert not signed_cache.is_usable()
