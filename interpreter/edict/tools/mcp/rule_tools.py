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
from edict.compiler.english.calendar import build_calendar
from edict.compiler.english.calendar import find_entries as matching_moments
from edict.compiler.english.calendar import to_data as moment_data
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.folders import LOOK, MANIFEST, UNSAVED, WORDS, files_in, is_there, read_text, rule_files
from edict.compiler.sources.module_lookup import find as find_module
from edict.compiler.sources.module_lookup import modules_here, recipes, shipped, texts
from edict.compiler.syntax.construct_rows import rows_for
from edict.game.scenes.scene_files import find_scene_files
from edict.game.scenes.scene_reports import to_data as report_data
from edict.game.scenes.scene_runner import run_module
from edict.game.table.rules import load_rules
from edict.prose.rulebook.annotated_rules import AnnotatedRules, read_annotated_rules
from edict.prose.rulebook.cross_references import find_references
from edict.prose.rulebook.definition_page import definition_page_to_data, render_page
from edict.prose.rulebook.game_gallery import GalleryEntry, build_gallery
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.language_reference import (
    describe_unknown_name,
    diagnostic_page_to_data,
    render_entries,
    row_to_data,
)
from edict.prose.rulebook.name_catalog import filter_names, iter_names
from edict.prose.rulebook.rule_search import search_for_reader, suggest_names
from edict.support.formats.diagnostic_pages import normalize_code, read_diagnostic_page
from edict.support.formats.findings import CheckedRules, Findings
from edict.support.formats.json_format import build_document
from edict.support.morphology import count_noun, quote_words
from edict.support.processes.distribution import start_inline
from edict.support.rendering import escape_terminal, render_diagnostic
from edict.support.report import count_errors, count_warnings, suggest_word
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
    code = normalize_code(about.strip())
    read_of = None if found else read_diagnostic_page(code)
    if not found and read_of is None:
        raise ToolFailure(*describe_unknown_name(about.strip()))
    message = diagnostic_page_to_data(code, read_of) if read_of is not None else None
    told = read_of.text if read_of is not None else render_entries(found)
    return ToolResult({"words": [row_to_data(row) for row in found], "message": message}, escape_terminal(told))


# --- which rules there are, and their files --------------------------------------------------------


def list_rules() -> ToolResult:
    """The gallery, drafts and what lies in the folder among it."""
    drafts = {file.parent for file in UNSAVED.get({}) if file.name == MANIFEST}
    shown = build_gallery([*drafts, *(folder.resolve() for folder in modules_here())])
    left_out = ("folder", "picture")
    data = [{key: value for key, value in asdict(one).items() if key not in left_out} for one in shown]
    return ToolResult({"rules": data}, escape_terminal("\n".join(_exhibits(shown))))


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
            f"`{rules}` has no file `{file}`", suggest_word(file, files) or f"it has {quote_words(files, 'and')}"
        )
    held = {name: read_text(folder, one).unwrap().text for name, one in files.items()}
    lines = [{"file": name, "lines": text.count("\n")} for name, text in held.items()]
    text = held.get(file, "")
    told = text or "\n".join(f"{one['file']} ({count_noun(int(str(one['lines'])), 'line')})" for one in lines)
    return ToolResult({"rules": rules, "files": lines, "text": text}, told)


def _files(folder: Path) -> list[Path]:
    beside = (*(find_scene_files(folder).value or ()), *(files_in(folder / WORDS, ".yaml").value or ()))
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
    checked = CheckedRules(rules, diagnostics=found)
    findings = Findings((checked,), {}, int(bool(count_errors(found))), __version__)
    wanted = (named(one) for one in (rules, *modules))
    sources = texts([*shipped(), *(one for one in wanted if find_module(one).value is not None)]) if found else {}
    counts = f"{count_noun(count_errors(found), 'error')}, {count_noun(count_warnings(found), 'warning')}"
    told = [
        *(render_diagnostic(one, sources) for one in findings.diagnostics),
        f"{rules}: {counts if found else 'no errors'}",
    ]
    return ToolResult(build_document(findings, Path()), escape_terminal("\n".join(told)))


def _known(rules: str, modules: Names) -> AnnotatedRules:
    return read_annotated_rules(named(rules), tuple(named(one) for one in modules)).unwrap()


def find(rules: str, modules: Names = (), words: str = "", kind: str = "anything") -> ToolResult:
    """What rules may speak of, as `find --format json` has it."""
    known = remove_judgement(_known(rules, modules))
    if kind == "anything" and not words:
        raise ToolFailure("there are no words to look for", "give `words`, or a `kind` of which everything is listed")
    look = {"moments": _moments, "names": _names, "anything": _anything}[kind]
    found, lines = look(known, words)
    if not found:
        raise ToolFailure(f"nothing in {known.game.manifest.title} fits `{words}`", "try fewer or other words")
    return ToolResult({"found": found}, "\n".join(line for _, line in lines))


Found = tuple[list[dict[str, Any]], Iterable[tuple[str, str]]]
"""Data, and the same as lines with their styles."""


def _moments(known: AnnotatedRules, words: str) -> Found:
    all_ = build_calendar(known.linked)
    found = tuple(matching_moments(all_, words)) if words else all_
    return [moment_data(one) for one in found], moment_lines(found, nested=not words)


def _names(known: AnnotatedRules, words: str) -> Found:
    found = [*filter_names(iter_names(known), words)] if words else [*iter_names(known)]
    return [asdict(one) for one in found], name_lines(found)


def _anything(known: AnnotatedRules, words: str) -> Found:
    found = found_by(tuple(search_entries(known)), words)
    return [found_data(one) for one in found], found_lines(found)


def show(rules: str, about: str, modules: Names = ()) -> ToolResult:
    """All about what is called so, as `show --format json` has it."""
    known, found = search_for_reader(_known(rules, modules), about)
    if not found:
        raise ToolFailure(f"nothing in {known.game.manifest.title} is named `{about}`", suggest_names(known, about))
    all_ = find_references(known)
    pages = ["\n".join(line for _, line in render_page(known, one, all_)) for one in found]
    return ToolResult({"found": [definition_page_to_data(known, one, all_) for one in found]}, "\n\n".join(pages))


def test(rules: str, modules: Names = (), only: str = "") -> ToolResult:
    """The scenes beside rules as they went, as `test --format json` has them."""
    report = run_module(find_module(named(rules)).unwrap(), [named(one) for one in modules], only or None)
    if not report.scenes and not report.diagnostics:
        what = f"no scene of `{rules}` has `{only}` in its name or file" if only else f"`{rules}` has no scenes"
        raise ToolFailure(what, "write one in `scenes/NAME.yaml`; `guide` says how, on the page `scenes`")
    return ToolResult(report_data(report) | {"name": rules, "with": list(modules)}, escape_terminal(report.text()))


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
    done.run(start_inline, lambda played: None)
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
    found.run(start_inline, lambda played: None)
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
