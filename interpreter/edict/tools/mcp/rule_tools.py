"""Tools that answer questions about rules, run in processes for strangers' rules with drafts laid over the files.

Each function takes its tool's arguments and returns a `ToolResult`. It raises `RequestError` or `RulesError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

from edict import __version__
from edict.agents.study.bot_games import GameSetup
from edict.agents.study.comparison import LESS, MORE, Comparison
from edict.agents.study.comparison_summary import comparison_data
from edict.agents.study.play_calls import PlayCall
from edict.agents.study.study_run import Study
from edict.agents.study.summary import Data, summarize_study
from edict.compiler.pipeline.compile import check_rules
from edict.compiler.sources.folders import (
    LOOK,
    MANIFEST,
    UNSAVED,
    WORDS,
    file_exists,
    list_files,
    list_rule_files,
    read_manifest,
    read_text,
)
from edict.compiler.sources.module_lookup import (
    find_module,
    iter_modules_here,
    list_recipes,
    list_shipped_modules,
    read_texts,
)
from edict.compiler.syntax.construct_rows import find_rows
from edict.game.scenes.scene_files import find_scene_files
from edict.game.scenes.scene_reports import to_data as report_data
from edict.game.scenes.scene_runner import run_module
from edict.game.table.rules import load_rules
from edict.prose.rulebook.annotated_rules import AnnotatedRules, read_annotated_rules
from edict.prose.rulebook.game_gallery import GalleryEntry, build_gallery
from edict.prose.rulebook.language_reference import (
    diagnostic_page_to_data,
    render_entries,
    require_diagnostic_page,
    row_to_data,
)
from edict.support import resources
from edict.support.formats import CheckedRules, Findings, build_document
from edict.support.morphology import count_noun, quote_words
from edict.support.processes.distribution import start_inline
from edict.support.rendering import escape_terminal, render_diagnostic
from edict.support.report import count_errors, count_warnings, suggest_word
from edict.support.text import Source
from edict.tools import operations
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.studio.scaffolding import Beginning, CopiedModule, LaidOver, NewGame, build_files
from edict.tools.studio.variant_files import check_module_name

# files in `docs/` by page name
PAGES = {"language": "llms.txt", "scenes": "guides/scenes.md", "cookbook": "guides/cookbook.md"}
TITLES = {"language": "The language in short", "scenes": "How to write scenes", "cookbook": "The cookbook"}
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@cache
def read_page(page: str) -> str:
    """Return a page as Markdown."""
    return (resources.get_shipped_folder() / "docs" / PAGES[page]).read_text(encoding="utf-8")


def guide(page: str, section: str = "") -> ToolResult:
    """Return a page or a section of it. Raises `ToolFailure` if it has no such section."""
    text = read_page(page)
    sections = _HEADING.findall(text)
    if section:
        text = _find_section(text, section, sections)
    return ToolResult({"page": page, "sections": sections, "text": text}, text)


def _find_section(text: str, heading: str, sections: list[str]) -> str:
    """Return the section with a heading, ignoring case. Raises `ToolFailure` with a suggestion if there is none."""
    by_name = {section.casefold(): section for section in sections}
    match = by_name.get(heading.removeprefix("## ").strip().casefold())
    if match is None:
        suggestion = suggest_word(heading.casefold(), by_name) or f"its sections are {quote_words(sections, 'and')}"
        raise ToolFailure(f"the page has no section `{heading}`", suggestion)
    start = text.index(f"## {match}\n")
    end = text.find("\n## ", start)
    return text[start : end if end >= 0 else len(text)].strip() + "\n"


DEFAULT_GAMES = 500
LONG_PARTS = ("chosen", "held", "drawn", "announced")  # long parts of a study's result
Names = Sequence[str]


def resolve_module_name(rules: str) -> str:
    """Return the folder of a recipe, which has no global name; return any other name unchanged."""
    recipe = next((folder for folder in list_recipes() if folder.name == rules), None)
    return str(recipe) if recipe is not None and find_module(rules).value is None else rules


# --- the language ----------------------------------------------------------------------------------


def explain(about: str) -> ToolResult:
    """Return the reference entries for a word of the language, or the page of a diagnostic by its code."""
    if rows := find_rows(about.strip()):
        words = [row_to_data(row) for row in rows]
        return ToolResult({"words": words, "message": None}, escape_terminal(render_entries(rows)))
    code, page = require_diagnostic_page(about.strip())
    return ToolResult({"words": [], "message": diagnostic_page_to_data(code, page)}, escape_terminal(page.text))


# --- which rules there are, and their files --------------------------------------------------------


def list_rules() -> ToolResult:
    """Return the gallery of rules, including drafts and modules in the folder."""
    drafts = {file.parent for file in UNSAVED.get({}) if file.name == MANIFEST}
    entries = build_gallery([*drafts, *(folder.resolve() for folder in iter_modules_here())])
    left_out = ("folder", "picture")
    data = [{key: value for key, value in asdict(entry).items() if key not in left_out} for entry in entries]
    return ToolResult({"rules": data}, escape_terminal("\n".join(_format_gallery(entries))))


def _format_gallery(entries: Sequence[GalleryEntry]) -> Iterator[str]:
    """Yield a line per entry: name, title, kind, modules below it, size, sentence and features it shows."""
    for entry in entries:
        over = f" over {quote_words(entry.over, 'and')}" if entry.over else ""
        shows = f" Shows {', '.join(entry.shows)}." if entry.shows else ""
        size = count_noun(entry.lines, "line")
        yield f"{entry.name}: {entry.title} ({entry.kind}{over}, {size}). {entry.sentence}{shows}"


def read_rules(rules: str, file: str = "") -> ToolResult:
    """Return the files of rules, and the text of one."""
    folder = find_module(resolve_module_name(rules)).unwrap()
    files = {path.relative_to(folder).as_posix(): path for path in _list_files(folder)}
    if file and file not in files:
        raise ToolFailure(
            f"`{rules}` has no file `{file}`", suggest_word(file, files) or f"it has {quote_words(files, 'and')}"
        )
    texts_by_file = {name: read_text(folder, path).unwrap().text for name, path in files.items()}
    lines = [{"file": name, "lines": text.count("\n")} for name, text in texts_by_file.items()]
    text = texts_by_file.get(file, "")
    shown_text = text or "\n".join(f"{path['file']} ({count_noun(int(str(path['lines'])), 'line')})" for path in lines)
    return ToolResult({"rules": rules, "files": lines, "text": text}, shown_text)


def _list_files(folder: Path) -> list[Path]:
    """Return the existing files of a module: manifest, rule files, look, scene files and translations."""
    other_files = (*(find_scene_files(folder).value or ()), *(list_files(folder / WORDS, ".yaml").value or ()))
    files = (folder / MANIFEST, *list_rule_files(folder).unwrap(), folder / LOOK, *other_files)
    return [file for file in files if file_exists(file)]


def begin_rules(name: str, over: str = "", own_game: bool = False, copy_of: str = "") -> ToolResult:
    """Return the files of a new draft."""
    if sum(map(bool, (over, own_game, copy_of))) > 1:
        raise ToolFailure("give only one way to begin a draft", "use one of `over`, `own_game` and `copy_of`")
    check_module_name(name)
    beginning: Beginning = LaidOver(over)
    if copy_of:
        beginning = CopiedModule(copy_of)
    elif own_game:
        beginning = NewGame()
    files = {file.as_posix(): text for file, text in build_files(beginning, name).items()}
    shown_text = "\n".join(f"--- {file}\n{text}" for file, text in files.items())
    return ToolResult({"name": name, "files": files}, shown_text)


# --- checks, searches, scenes -----------------------------------------------------------------------


def check(rules: str, modules: Names = ()) -> ToolResult:
    """Return all diagnostics of rules.

    The data are those of `check --format json`; the text is what the terminal shows.
    """
    outcome = check_rules(resolve_module_name(rules), list(map(resolve_module_name, modules)))
    diagnostics = outcome.diagnostics
    checked = CheckedRules(rules, diagnostics=diagnostics)
    findings = Findings((checked,), {}, int(bool(count_errors(diagnostics))), __version__)
    sources: Mapping[str, Source] = {}
    if diagnostics:
        names = map(resolve_module_name, (rules, *modules))
        sources = read_texts([*list_shipped_modules(), *(name for name in names if find_module(name).value)])
    counts = f"{count_noun(count_errors(diagnostics), 'error')}, {count_noun(count_warnings(diagnostics), 'warning')}"
    lines = [
        *(render_diagnostic(diagnostic, sources) for diagnostic in findings.diagnostics),
        f"{rules}: {counts if diagnostics else 'no errors'}",
    ]
    return ToolResult(build_document(findings, Path()), escape_terminal("\n".join(lines)))


def _annotate(rules: str, modules: Names) -> AnnotatedRules:
    """Read rules together with modules, by name or recipe, and annotate them. Raises `RulesError`."""
    return read_annotated_rules(resolve_module_name(rules), tuple(resolve_module_name(one) for one in modules)).unwrap()


def find(rules: str, modules: Names = (), words: str = "", kind: str = "anything") -> ToolResult:
    """Search names that rules can use; the data are those of `find --format json`."""
    if kind == "anything" and not words:
        raise ToolFailure("missing search words", "give `words`, or a `kind` to list everything")
    return ToolResult.from_operation(operations.find(_annotate(rules, modules), words, kind))


def show(rules: str, about: str, modules: Names = ()) -> ToolResult:
    """Return everything about a name; the data are those of `show --format json`."""
    return ToolResult.from_operation(operations.show(_annotate(rules, modules), about))


def test(rules: str, modules: Names = (), only: str = "") -> ToolResult:
    """Play the scenes of rules; the data are those of `test --format json`."""
    report = run_module(
        find_module(resolve_module_name(rules)).unwrap(),
        [resolve_module_name(module) for module in modules],
        only or None,
    )
    if not report.scenes and not report.diagnostics:
        reason = f"no scene of `{rules}` matches `{only}`" if only else f"`{rules}` has no scenes"
        raise ToolFailure(reason, "write one in `scenes/NAME.yaml`; `guide` says how, on the page `scenes`")
    return ToolResult(report_data(report) | {"name": rules, "with": list(modules)}, escape_terminal(report.text()))


# --- many games ------------------------------------------------------------------------------------


def study(
    rules: str,
    modules: Names = (),
    games: int = DEFAULT_GAMES,
    players: int | None = None,
    bots: str = "greedy",
    seed: int = 0,
    settings: Mapping[str, object] | None = None,
    parts: Names = (),
    about: str = "",
) -> ToolResult:
    """Play many games between bots; the data are those of `study --format json`.

    Args:
        rules: Name of the rules.
        modules: Names of the modules to play with.
        games: Number of games.
        players: Number of players; None for the usual number.
        bots: Kind of bot in every seat.
        seed: Seed of the first game.
        settings: Values of the rules' settings.
        parts: Long parts to include.
        about: Include only options of these parts whose title contains this.
    """
    setup = _create_setup(rules, modules, games, players, bots, seed, settings)
    finished_study = Study(setup, games)
    finished_study.run(start_inline, lambda played: None)
    data = summarize_study(setup, finished_study.totals, games)
    wanted_parts = {name: _filter_groups(data[name], about) for name in LONG_PARTS if name in data and name in parts}
    short_data = {name: value for name, value in data.items() if name not in LONG_PARTS} | wanted_parts
    return ToolResult(short_data, "\n".join([*data.get("said", ()), ToolResult.from_data(short_data).text]))


def _filter_groups(groups: list[Data], about: str) -> list[Data]:
    """Return the groups cut to options that match `about`, and announcements that contain it; all if empty."""
    if not about:
        return groups
    filtered = (
        {**group, "options": _filter_options(group["options"], about)} for group in groups if "options" in group
    )
    matching_groups = [group for group in groups if "words" in group and about.casefold() in group["words"].casefold()]
    return [*(group for group in filtered if group["options"]), *matching_groups]


def _filter_options(options: list[Data], about: str) -> list[Data]:
    """Return the options whose text contains `about`, ignoring case."""
    return [option for option in options if about.casefold() in option["option"].casefold()]


def compare(
    rules: str,
    variant: str,
    modules: Names = (),
    games: int = DEFAULT_GAMES,
    players: int | None = None,
    bots: str = "greedy",
    seed: int = 0,
    details: bool = False,
) -> ToolResult:
    """Compare rules without and with a variant over the same seeds; the data are those of `compare --format json`.

    Only details that differ are included, unless all `details` are wanted.
    """
    one, other = (
        _create_setup(rules, some, games, players, bots, seed, None) for some in ((*modules,), (*modules, variant))
    )
    if one.program.rules_hash == other.program.rules_hash:
        raise ToolFailure(f"with `{variant}` these are the same rules", "name a variant that changes something")
    comparison = Comparison(one, other, games)
    comparison.run(start_inline, lambda played: None)
    manifest = read_manifest(find_module(resolve_module_name(variant)).unwrap()).value
    names = (rules, f"{rules} with {variant}")
    data = comparison_data(comparison, names, manifest.title if manifest else variant)
    shown_details = [one for one in data["details"] if details or one["verdict"] in (MORE, LESS)]
    return ToolResult({**data, "details": shown_details}, "\n".join(data["said"]))


def _create_setup(
    rules: str,
    modules: Names,
    games: int,
    players: int | None,
    bots: str,
    seed: int,
    settings: Mapping[str, object] | None,
) -> GameSetup:
    """Load rules with modules by name, and return the setup of so many games between bots."""
    loaded = load_rules(resolve_module_name(rules), tuple(resolve_module_name(module) for module in modules))
    return PlayCall(loaded, games, bots, players, (), settings or {}, seed, 1).to_setup()


__all__ = [
    "begin_rules",
    "check",
    "compare",
    "explain",
    "find",
    "list_rules",
    "resolve_module_name",
    "read_rules",
    "show",
    "study",
    "test",
]
