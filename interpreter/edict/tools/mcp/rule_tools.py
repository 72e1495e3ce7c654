"""What is asked about rules, by name: functions called in processes for strangers' rules, with drafts laid over files.

Each takes what its tool takes and gives a `ToolResult`. Raises `ToolFailure`, `RulesError`, `GameError`, `StudioError`
or `StudyError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from edict import __version__
from edict.agents.study.bot_games import Setup
from edict.agents.study.comparison import LESS, MORE, Comparison, comparison_data
from edict.agents.study.play_calls import PlayCall
from edict.agents.study.studying import Study
from edict.agents.study.summary import Data, study_data
from edict.compiler.english.calendar import as_data as moment_data
from edict.compiler.english.calendar import calendar
from edict.compiler.english.calendar import matching as matching_moments
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.folders import LOOK, MANIFEST, UNSAVED, WORDS, files_in, is_there, read_text, rule_files
from edict.compiler.sources.module_lookup import find as find_module
from edict.compiler.sources.module_lookup import modules_here, recipes, shipped, texts
from edict.compiler.syntax.construct_rows import rows_for
from edict.game.scenes.scene_files import scene_files
from edict.game.scenes.scene_reports import as_data as report_data
from edict.game.scenes.scene_runner import run_module
from edict.game.table.rules import load_rules
from edict.prose.rulebook.annotated import Known, read
from edict.prose.rulebook.game_gallery import GalleryEntry, gallery
from edict.prose.rulebook.judging import without_judgement
from edict.prose.rulebook.looking import nearest, shown_in
from edict.prose.rulebook.naming import matching, names
from edict.prose.rulebook.reference import entries, page_data, row_data, unexplained
from edict.prose.rulebook.showing import as_data, page
from edict.prose.rulebook.touching import touches
from edict.support.formats.as_json import document
from edict.support.formats.diagnostic_pages import code_of, read_page
from edict.support.formats.findings import CheckedRules, Findings
from edict.support.morphology import count_noun, quote_words
from edict.support.processes.spreading import alone
from edict.support.rendering import plain, render
from edict.support.report import did_you_mean, errors_in, warnings_in
from edict.tools.language_service.analysis import find as found_by
from edict.tools.language_service.analysis import search_entries
from edict.tools.language_service.answer_types import found_data
from edict.tools.language_service.search_lines import found_lines, moment_lines, name_lines
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.studio.scaffolding import CopyOf, LaidOver, NewGame, texts_of
from edict.tools.studio.variant_files import check_module

USUAL_GAMES = 500
GROUPS = ("chosen", "held", "drawn", "announced")
"""The long parts of a study."""
Names = Sequence[str]


def named(rules: str) -> str:
    """What rules of this name are found by: recipes have no name that is known everywhere, and are found by folder."""
    recipe = next((folder for folder in recipes() if folder.name == rules), None)
    return str(recipe) if recipe is not None and find_module(rules).value is None else rules


# --- the language ----------------------------------------------------------------------------------


def explain(about: str) -> ToolResult:
    """What the reference says of words, or what the page of a message says."""
    found = rows_for(about.strip())
    code = code_of(about.strip())
    read_of = None if found else read_page(code)
    if not found and read_of is None:
        raise ToolFailure(*unexplained(about.strip()))
    message = page_data(code, read_of) if read_of is not None else None
    told = read_of.text if read_of is not None else entries(found)
    return ToolResult({"words": [row_data(row) for row in found], "message": message}, plain(told))


# --- which rules there are, and their files --------------------------------------------------------


def list_rules() -> ToolResult:
    """The gallery, drafts and what lies in the folder among it."""
    drafts = {file.parent for file in UNSAVED.get({}) if file.name == MANIFEST}
    shown = gallery([*drafts, *(folder.resolve() for folder in modules_here())])
    left_out = ("folder", "picture")
    data = [{key: value for key, value in asdict(one).items() if key not in left_out} for one in shown]
    return ToolResult({"rules": data}, plain("\n".join(_exhibits(shown))))


def _exhibits(shown: Sequence[GalleryEntry]) -> Iterator[str]:
    for one in shown:
        over = f" over {quote_words(one.over, 'and')}" if one.over else ""
        shows = f" Shows {', '.join(one.shows)}." if one.shows else ""
        yield f"{one.name}: {one.title} ({one.kind}{over}, {count_noun(one.lines, 'line')}). {one.sentence}{shows}"


def read_rules(rules: str, file: str = "") -> ToolResult:
    """The files of rules, and the text of one."""
    folder = find_module(named(rules)).unwrap()
    files = {one.relative_to(folder).as_posix(): one for one in _files(folder)}
    if file and file not in files:
        raise ToolFailure(
            f"`{rules}` has no file `{file}`", did_you_mean(file, files) or f"it has {quote_words(files, 'and')}"
        )
    held = {name: read_text(folder, one).unwrap().text for name, one in files.items()}
    lines = [{"file": name, "lines": text.count("\n")} for name, text in held.items()]
    text = held.get(file, "")
    told = text or "\n".join(f"{one['file']} ({count_noun(int(str(one['lines'])), 'line')})" for one in lines)
    return ToolResult({"rules": rules, "files": lines, "text": text}, told)


def _files(folder: Path) -> list[Path]:
    beside = (*(scene_files(folder).value or ()), *(files_in(folder / WORDS, ".yaml").value or ()))
    found = (folder / MANIFEST, *rule_files(folder).unwrap(), folder / LOOK, *beside)
    return [file for file in found if is_there(file)]


def begin_rules(name: str, over: str = "", own_game: bool = False, copy_of: str = "") -> ToolResult:
    """The files of a new draft."""
    if sum(map(bool, (over, own_game, copy_of))) > 1:
        raise ToolFailure("a draft has one beginning", "give one of `over`, `own_game` and `copy_of`")
    check_module(name)
    beginning = CopyOf(copy_of) if copy_of else NewGame() if own_game else LaidOver(over)
    files = {file.as_posix(): text for file, text in texts_of(beginning, name).items()}
    told = "\n".join(f"--- {file}\n{text}" for file, text in files.items())
    return ToolResult({"name": name, "files": files}, told)


# --- checked, looked at, tested ---------------------------------------------------------------------


def check(rules: str, modules: Names = ()) -> ToolResult:
    """All that is found, as `check --format json` has it; as text, as it is shown at the terminal."""
    outcome = check_rules(named(rules), [named(one) for one in modules])
    found = outcome.diagnostics
    checked = CheckedRules(rules, found=found)
    findings = Findings((checked,), {}, int(bool(errors_in(found))), __version__)
    wanted = (named(one) for one in (rules, *modules))
    sources = texts([*shipped(), *(one for one in wanted if find_module(one).value is not None)]) if found else {}
    counts = f"{count_noun(errors_in(found), 'error')}, {count_noun(warnings_in(found), 'warning')}"
    told = [*(render(one, sources) for one in findings.found), f"{rules}: {counts if found else 'no errors'}"]
    return ToolResult(document(findings, Path()), plain("\n".join(told)))


def _known(rules: str, modules: Names) -> Known:
    return read(named(rules), tuple(named(one) for one in modules)).unwrap()


def find(rules: str, modules: Names = (), words: str = "", kind: str = "anything") -> ToolResult:
    """What rules may speak of, as `find --format json` has it."""
    known = without_judgement(_known(rules, modules))
    if kind == "anything" and not words:
        raise ToolFailure("there are no words to look for", "give `words`, or a `kind` of which everything is listed")
    look = {"moments": _moments, "names": _names, "anything": _anything}[kind]
    found, lines = look(known, words)
    if not found:
        raise ToolFailure(f"nothing in {known.game.manifest.title} fits `{words}`", "try fewer or other words")
    return ToolResult({"found": found}, "\n".join(line for _, line in lines))


Found = tuple[list[dict[str, Any]], Iterable[tuple[str, str]]]
"""Data, and the same as lines with their styles."""


def _moments(known: Known, words: str) -> Found:
    all_ = calendar(known.linked)
    found = tuple(matching_moments(all_, words)) if words else all_
    return [moment_data(one) for one in found], moment_lines(found, nested=not words)


def _names(known: Known, words: str) -> Found:
    found = [*matching(names(known), words)] if words else [*names(known)]
    return [asdict(one) for one in found], name_lines(found)


def _anything(known: Known, words: str) -> Found:
    found = found_by(tuple(search_entries(known)), words)
    return [found_data(one) for one in found], found_lines(found)


def show(rules: str, about: str, modules: Names = ()) -> ToolResult:
    """All about what is called so, as `show --format json` has it."""
    known, found = shown_in(_known(rules, modules), about)
    if not found:
        raise ToolFailure(f"nothing in {known.game.manifest.title} is named `{about}`", nearest(known, about))
    all_ = touches(known)
    pages = ["\n".join(line for _, line in page(known, one, all_)) for one in found]
    return ToolResult({"found": [as_data(known, one, all_) for one in found]}, "\n\n".join(pages))


def test(rules: str, modules: Names = (), only: str = "") -> ToolResult:
    """The scenes beside rules as they went, as `test --format json` has them."""
    report = run_module(find_module(named(rules)).unwrap(), [named(one) for one in modules], only or None)
    if not report.scenes and not report.diagnostics:
        what = f"no scene of `{rules}` has `{only}` in its name or file" if only else f"`{rules}` has no scenes"
        raise ToolFailure(what, "write one in `scenes/NAME.yaml`; `guide` says how, on the page `scenes`")
    return ToolResult(report_data(report) | {"name": rules, "with": list(modules)}, plain(report.text()))


# --- many games ------------------------------------------------------------------------------------


def study(
    rules: str,
    modules: Names = (),
    games: int = USUAL_GAMES,
    players: int | None = None,
    bots: str = "greedy",
    seed: int = 0,
    settings: Mapping[str, object] | None = None,
    parts: Names = (),
    about: str = "",
) -> ToolResult:
    """What many games between bots come to, as `study --format json` has it; long parts as far as they are wanted."""
    setup = _setup(rules, modules, games, players, bots, seed, settings)
    done = Study(setup, games)
    done.run(alone, lambda played: None)
    data = study_data(setup, done.totals, games)
    wanted = {name: _only(data[name], about) for name in GROUPS if name in data and name in parts}
    return ToolResult.of({name: value for name, value in data.items() if name not in GROUPS} | wanted)


def _only(groups: list[Data], about: str) -> list[Data]:
    """Of groups of options, those with these words in their titles."""
    if not about:
        return groups
    few = ({**one, "options": _titled(one["options"], about)} for one in groups if "options" in one)
    said = [one for one in groups if "words" in one and about.casefold() in one["words"].casefold()]
    return [*(one for one in few if one["options"]), *said]


def _titled(options: list[Data], about: str) -> list[Data]:
    return [one for one in options if about.casefold() in one["option"].casefold()]


def compare(
    rules: str,
    variant: str,
    modules: Names = (),
    games: int = USUAL_GAMES,
    players: int | None = None,
    bots: str = "greedy",
    seed: int = 0,
    details: bool = False,
) -> ToolResult:
    """Rules without and with a variant over the same seeds, as `compare --format json` has it; unless `details` are
    wanted, only those that differ."""
    one, other = (_setup(rules, some, games, players, bots, seed, None) for some in ((*modules,), (*modules, variant)))
    if one.program.rules_hash == other.program.rules_hash:
        raise ToolFailure(f"with `{variant}` these are the same rules", "name a variant that changes something")
    found = Comparison(one, other, games)
    found.run(alone, lambda played: None)
    data = comparison_data(found, (rules, f"{rules} with {variant}"))
    differ = [one for one in data["details"] if details or one["verdict"] in (MORE, LESS)]
    return ToolResult({**data, "details": differ}, "\n".join(data["said"]))


def _setup(
    rules: str,
    modules: Names,
    games: int,
    players: int | None,
    bots: str,
    seed: int,
    settings: Mapping[str, object] | None,
) -> Setup:
    loaded = load_rules(named(rules), tuple(named(one) for one in modules))
    return PlayCall(loaded, games, bots, players, (), settings or {}, seed, 1).setup()


__all__ = [
    "begin_rules",
    "check",
    "compare",
    "explain",
    "find",
    "list_rules",
    "named",
    "read_rules",
    "show",
    "study",
    "test",
]
