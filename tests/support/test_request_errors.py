"""Requests that cannot be carried out: subclasses of one error, which each interface reports alike."""

from __future__ import annotations

import pickle

import pytest

from edict.agents.bots.user_bots import InvalidBot
from edict.agents.study.bot_games import StudyError
from edict.apps.cli.command_errors import USAGE, UsageError
from edict.apps.cli.reporting import report_problem
from edict.apps.page.page_builder import PageError
from edict.apps.web.store import StoreError
from edict.game.table.game_errors import GameError
from edict.support.files import BadPathError
from edict.support.processes.distribution import WorkersError
from edict.support.request_errors import RequestError
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.mcp.results import ToolFailure
from edict.tools.studio import FileConflict, StudioError

ERRORS = (
    BadPathError,
    EditRefused,
    FileConflict,
    GameError,
    InvalidBot,
    PageError,
    StoreError,
    StudioError,
    StudyError,
    ToolFailure,
    UsageError,
    WorkersError,
)


@pytest.mark.parametrize("error", ERRORS)
def test_error_keeps_reason_and_remedy_between_processes(error: type[RequestError]) -> None:
    copied = pickle.loads(pickle.dumps(error("it rains", "wait")))
    assert type(copied) is error
    assert (copied.reason, copied.remedy) == ("it rains", "wait")


@pytest.mark.parametrize("error", ERRORS)
def test_command_reports_every_request_error_alike(
    error: type[RequestError], capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_problem(error("it rains", "wait")) == USAGE
    assert capsys.readouterr().err.endswith(": it rains\nhelp: wait\n")
