"""Execution of tools: strangers' rules are read and played in processes with limits on time and memory.

Drafts and games are kept in this process, which reads no rules itself; drafts may be saved into one folder.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from edict.compiler.sources.folders import MANIFEST, overlay_texts
from edict.compiler.sources.input_limits import MOST_FILES, MOST_TOTAL
from edict.support.files import write_atomically
from edict.support.morphology import quote_words
from edict.support.processes.local_executor import ProcessWorkerPool
from edict.support.processes.tasks import TaskFailed, TaskLimits
from edict.support.report import RulesError, suggest_word
from edict.support.request_errors import RequestError
from edict.tools.mcp import game_tools, rule_tools
from edict.tools.mcp.game_tools import AssistantGame
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.mcp.tool_definitions import load_tools
from edict.tools.studio.variant_files import check_module_name, check_new_file_name, check_text, sort_names

MAX_DRAFTS = 30
MAX_GAMES = 30


class AssistantDrafts:
    """The drafts and games of one assistant.

    Methods raise `ToolFailure` or `StudioError` for texts that a draft cannot have.
    """

    def __init__(self, folder: Path, can_save: bool) -> None:
        """Start without drafts.

        Args:
            folder: Folder of the drafts; their unsaved texts take precedence over files that are there.
            can_save: Drafts may be saved into the folder.
        """
        self.folder = folder.resolve()
        self.writes = can_save
        self.texts: dict[Path, str] = {}
        self._games: OrderedDict[str, AssistantGame] = OrderedDict()
        self._game_count = 0

    # --- drafts

    def get_files(self, name: str) -> dict[str, str]:
        """Return the texts of a draft by file name."""
        draft_folder = self.folder / name
        return {
            file.relative_to(draft_folder).as_posix(): text
            for file, text in self.texts.items()
            if draft_folder in file.parents
        }

    def is_taken(self, name: str) -> bool:
        """Return True if a draft or a folder has this name."""
        return bool(self.get_files(name)) or (self.folder / name).exists()

    def update_draft(self, name: str, files: Mapping[str, str | None]) -> None:
        """Set texts of a draft, all or none; None deletes a file."""
        check_module_name(name)
        texts = self.get_files(name)
        for file, text in files.items():
            check_new_file_name(file)
            if text is None:
                texts.pop(file, None)
            else:
                check_text(file, text)
                texts[file] = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._check_limits(name, texts)
        draft_folder = self.folder / name
        other_texts = {file: text for file, text in self.texts.items() if draft_folder not in file.parents}
        self.texts = other_texts | {draft_folder / file: text for file, text in texts.items()}

    def _check_limits(self, name: str, texts: Mapping[str, str]) -> None:
        """Raise `ToolFailure` if a draft with these texts lacks a manifest, is too large or is one too many."""
        if texts and MANIFEST not in texts and not (self.folder / name / MANIFEST).is_file():
            raise ToolFailure(f"`{name}` has no `{MANIFEST}`", "write one too, or begin it with `begin_rules`")
        if len(texts) > MOST_FILES or sum(map(len, texts.values())) > MOST_TOTAL:
            raise ToolFailure(f"`{name}` is too large", f"up to {MOST_FILES} files, {MOST_TOTAL:,} characters in all")
        drafts = {file.relative_to(self.folder).parts[0] for file in self.texts} | {name}
        if len(drafts) > MAX_DRAFTS:
            raise ToolFailure(f"there are {MAX_DRAFTS} drafts", "take the files out of one that is no longer needed")

    def save(self, name: str) -> tuple[Path, list[str]]:
        """Write a draft into its folder; return the folder and the names of the files."""
        texts = self.get_files(name)
        if not self.writes:
            raise ToolFailure("there is no folder for saving drafts", "give the user the texts instead")
        if not texts:
            unsaved_drafts = sorted({file.relative_to(self.folder).parts[0] for file in self.texts})
            if unsaved_drafts:
                remedy = f"not saved yet: {quote_words(unsaved_drafts, 'and')}"
            else:
                remedy = "every draft has been saved"
            raise ToolFailure(f"`{name}` has no files to save", remedy)
        draft_folder = self.folder / name
        for file in texts:
            if not (draft_folder / file).resolve().is_relative_to(self.folder) or draft_folder.is_symlink():
                raise ToolFailure(f"`{name}/{file}` points outside the folder", "choose another name for the draft")
        for file in sort_names({*texts}):
            (draft_folder / file).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(draft_folder / file, texts[file])
            del self.texts[draft_folder / file]
        return draft_folder, list(sort_names({*texts}))

    # --- games

    def create_game_name(self) -> str:
        """Return a new name for a game."""
        self._game_count += 1
        return f"game-{self._game_count}"

    def store_game(self, game: AssistantGame) -> None:
        """Store a game as it stands now, and drop the oldest games beyond the limit."""
        self._games[game.name] = game
        self._games.move_to_end(game.name)
        while len(self._games) > MAX_GAMES:
            self._games.popitem(last=False)

    def get_game(self, name: str) -> AssistantGame:
        """Return a game. Raises `ToolFailure` if there is none of this name."""
        if name not in self._games:
            raise ToolFailure(f"there is no game `{name}`", "begin one with `begin_game`, which returns its id")
        return self._games[name]


SHORT_LIMITS = TaskLimits(seconds=120.0, memory=1_500_000_000, busy=60, nice=5)
# for many games; limits are on processor time, so that a busy machine does not end work
LONG_LIMITS = TaskLimits(seconds=900.0, memory=4_000_000_000, busy=600, nice=10)
ToolFunction = Callable[..., Any]
# tools that change nothing, by name: functions run in another process
READ_ONLY_TOOLS: Mapping[str, ToolFunction] = {
    work.__name__: work
    for work in (
        rule_tools.guide,
        rule_tools.explain,
        rule_tools.list_rules,
        rule_tools.read_rules,
        rule_tools.check,
        rule_tools.find,
        rule_tools.show,
        rule_tools.test,
        rule_tools.study,
        rule_tools.compare,
    )
}


class ToolRunner:
    """The tools of one assistant."""

    def __init__(self, folder: Path, can_save: bool) -> None:
        self.drafts = AssistantDrafts(folder, can_save)
        if can_save:
            self.folder_sentence = f"Drafts are saved into folders below {self.drafts.folder}."
        else:
            self.folder_sentence = "There is no folder for drafts, so nothing can be saved; give the user the texts."
        self.tools = load_tools(self.folder_sentence)
        self.stateful_tools: Mapping[str, Callable[..., Awaitable[ToolResult]]] = {
            "begin_rules": self._begin_rules,
            "write_rules": self._write_rules,
            "save_rules": self._save_rules,
            "begin_game": self._begin_game,
            "view_game": self._view_game,
            "answer": self._answer,
        }
        self._pools = {False: ProcessWorkerPool(1, SHORT_LIMITS), True: ProcessWorkerPool(1, LONG_LIMITS)}

    def start_short_worker(self) -> None:
        """Start the process for short work, so that the first question does not wait for it."""
        self._pools[False].submit(run_with_drafts, self.drafts.folder, {}, dict, {})

    def close(self) -> None:
        """Shut down the processes."""
        for pool in self._pools.values():
            pool.shutdown()

    async def run(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool and return its result. Raises `ToolFailure`."""
        tool = self.tools.get(name)
        if tool is None:
            raise ToolFailure(f"there is no tool `{name}`", suggest_word(name, self.tools))
        parameters = tool.validate_arguments(arguments)
        parameters = {"modules" if key == "with" else key: value for key, value in parameters.items()}
        try:
            if name in READ_ONLY_TOOLS:
                result: ToolResult = await self._run_in_pool(READ_ONLY_TOOLS[name], parameters, tool.is_slow)
                return result
            return await self.stateful_tools[name](**parameters)
        except RequestError as error:
            raise ToolFailure(error.reason, error.remedy) from None
        except RulesError as error:
            raise ToolFailure.from_rules_error(error) from None
        except TaskFailed as error:
            raise ToolFailure(f"this was stopped: {error}", "ask for less: fewer games, or simpler rules") from None

    async def _run_in_pool(self, function: ToolFunction, arguments: Mapping[str, Any], long: bool = False) -> Any:
        """Run a tool's function with the drafts in a limited process; `long` chooses the pool for work of minutes."""
        return await self._pools[long].run(run_with_drafts, self.drafts.folder, self.drafts.texts, function, arguments)

    # --- tools that change drafts or games

    async def _begin_rules(self, name: str, **arguments: Any) -> ToolResult:
        """Create the files of a new draft and keep them in memory. Raises `ToolFailure` if the name is taken."""
        if self.drafts.is_taken(name):
            raise ToolFailure(
                f"there is a draft or folder `{name}` already", "choose another name, or write into that one"
            )
        result: ToolResult = await self._run_in_pool(rule_tools.begin_rules, {"name": name, **arguments})
        self.drafts.update_draft(name, result.data["files"])
        return result

    async def _write_rules(self, name: str, files: Mapping[str, str | None]) -> ToolResult:
        """Change texts of a draft in memory, where None deletes a file, and return the findings of a check."""
        self.drafts.update_draft(name, files)
        result: ToolResult = await self._run_in_pool(rule_tools.check, {"rules": name})
        return result

    async def _save_rules(self, name: str) -> ToolResult:
        """Write a draft into its folder on disk, and return the folder and the names of the files."""
        try:
            draft_folder, files = self.drafts.save(name)
        except OSError as error:
            raise ToolFailure(f"`{name}` cannot be saved: {error.strerror}", "check the folder") from None
        return ToolResult(
            {"folder": str(draft_folder), "files": files}, f"Saved in {draft_folder}: {', '.join(files)}."
        )

    async def _begin_game(self, **arguments: Any) -> ToolResult:
        """Start a game under a new name, store it and return its first view."""
        return self._store_game(
            await self._run_in_pool(game_tools.begin_game, {"game": self.drafts.create_game_name(), **arguments})
        )

    async def _view_game(self, game: str, **arguments: Any) -> ToolResult:
        """Return the view of a stored game without answering."""
        return self._store_game(
            await self._run_in_pool(game_tools.view_game, {"playing": self.drafts.get_game(game), **arguments})
        )

    async def _answer(self, game: str, **arguments: Any) -> ToolResult:
        """Give the assistant's answer in a stored game, and store the game as it stands afterwards."""
        return self._store_game(
            await self._run_in_pool(game_tools.answer, {"playing": self.drafts.get_game(game), **arguments})
        )

    def _store_game(self, game_result: game_tools.GameResult) -> ToolResult:
        """Store the game of a pair of game and result, and return the result."""
        game, result = game_result
        self.drafts.store_game(game)
        return result


def run_with_drafts(
    folder: Path, texts: Mapping[Path, str], function: ToolFunction, arguments: Mapping[str, Any]
) -> Any:
    """Call a function in a worker process with unsaved texts laid over the files.

    Names of modules are looked up in `folder`, as they are for somebody who runs commands there.
    """
    os.chdir(folder)
    with overlay_texts(texts):
        return function(**arguments)
