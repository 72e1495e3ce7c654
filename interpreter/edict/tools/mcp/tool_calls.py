"""What tools do: strangers' rules are read and played in processes that may take only so long and so much.

Answers depend on drafts and games, which are kept in this process; nobody here reads a rule.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from edict.agents.study.bot_games import StudyError
from edict.compiler.sources.folders import laid_over
from edict.game.table.game_errors import GameError
from edict.support.processes.pool import ProcessWorkerPool
from edict.support.processes.tasks import TaskFailed, TaskLimits
from edict.support.report import RulesError, suggest_word
from edict.tools.mcp import game_tools, pages, rule_tools
from edict.tools.mcp.drafts import Drafts
from edict.tools.mcp.offered import tools
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.studio.studio_errors import StudioError

SHORT = TaskLimits(seconds=120.0, memory=1_500_000_000, busy=60, nice=5)
LONG = TaskLimits(seconds=900.0, memory=4_000_000_000, busy=600, nice=10)
"""For many games. It is the processor's time that counts, so that nothing ends because the machine has much to do."""
Work = Callable[..., Any]
ASKED: Mapping[str, Work] = {
    work.__name__: work
    for work in (
        pages.guide,
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
"""The tools that change nothing, by name: functions that are called in another process."""


class ToolCalls:
    """Runs them for one assistant. folder: as `Drafts` has it."""

    def __init__(self, folder: Path, writes: bool) -> None:
        self.drafts = Drafts(folder, writes)
        self.where = (
            f"Drafts are saved into folders below {self.drafts.folder}."
            if writes
            else "No folder was named for this, so nothing can be saved; give the person the texts."
        )
        self.tools = tools(self.where)
        self.keeping: Mapping[str, Callable[..., Awaitable[ToolResult]]] = {
            "begin_rules": self._begin_rules,
            "write_rules": self._write_rules,
            "save_rules": self._save_rules,
            "begin_game": self._begin_game,
            "view_game": self._view_game,
            "answer": self._answer,
        }
        self._pools = {False: ProcessWorkerPool(1, SHORT), True: ProcessWorkerPool(1, LONG)}

    def warm(self) -> None:
        """Have the process for short work begun now, so that the first question need not wait for it."""
        self._pools[False].submit(in_drafts, self.drafts.folder, {}, dict, {})

    def close(self) -> None:
        for pool in self._pools.values():
            pool.shutdown()

    async def run(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """What a tool gives. Raises `ToolFailure`."""
        tool = self.tools.get(name)
        if tool is None:
            raise ToolFailure(f"there is no tool `{name}`", suggest_word(name, self.tools))
        given = tool.checked(arguments)
        given = {"modules" if key == "with" else key: value for key, value in given.items()}
        try:
            if name in ASKED:
                found: ToolResult = await self._done(ASKED[name], given, tool.long)
                return found
            return await self.keeping[name](**given)
        except (StudioError, StudyError, GameError) as problem:
            raise ToolFailure(problem.reason, problem.remedy) from None
        except RulesError as problem:
            raise ToolFailure.with_rules(problem) from None
        except TaskFailed as problem:
            raise ToolFailure(f"this was stopped: {problem}", "ask for less: fewer games, or simpler rules") from None

    async def _done(self, work: Work, given: Mapping[str, Any], long: bool = False) -> Any:
        return await self._pools[long].run(in_drafts, self.drafts.folder, self.drafts.texts, work, given)

    # --- those that keep something

    async def _begin_rules(self, name: str, **given: Any) -> ToolResult:
        if self.drafts.is_taken(name):
            raise ToolFailure(
                f"there is a draft or folder `{name}` already", "choose another name, or write into that one"
            )
        found: ToolResult = await self._done(rule_tools.begin_rules, {"name": name, **given})
        self.drafts.lay(name, found.data["files"])
        return found

    async def _write_rules(self, name: str, files: Mapping[str, str | None]) -> ToolResult:
        self.drafts.lay(name, files)
        found: ToolResult = await self._done(rule_tools.check, {"rules": name})
        return found

    async def _save_rules(self, name: str) -> ToolResult:
        try:
            home, files = self.drafts.save(name)
        except OSError as problem:
            raise ToolFailure(f"`{name}` cannot be saved: {problem.strerror}", "check the folder") from None
        return ToolResult({"folder": str(home), "files": files}, f"Saved in {home}: {', '.join(files)}.")

    async def _begin_game(self, **given: Any) -> ToolResult:
        return self._kept(await self._done(game_tools.begin_game, {"game": self.drafts.next_game(), **given}))

    async def _view_game(self, game: str, **given: Any) -> ToolResult:
        return self._kept(await self._done(game_tools.view_game, {"playing": self.drafts.game(game), **given}))

    async def _answer(self, game: str, **given: Any) -> ToolResult:
        return self._kept(await self._done(game_tools.answer, {"playing": self.drafts.game(game), **given}))

    def _kept(self, told: game_tools.Told) -> ToolResult:
        playing, found = told
        self.drafts.keep(playing)
        return found


def in_drafts(folder: Path, texts: Mapping[Path, str], work: Work, given: Mapping[str, Any]) -> Any:
    """In a process for strangers' rules: what a function gives while these texts are laid over the files.

    Names mean what lies in the folder, as they do for whoever calls commands in it.
    """
    os.chdir(folder)
    with laid_over(texts):
        return work(**given)
