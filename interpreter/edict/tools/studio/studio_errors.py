"""Errors of the studio. Rules with errors raise `RulesError` instead."""

from __future__ import annotations

from edict.support.request_errors import RequestError


class StudioError(RequestError):
    """A request to the studio that cannot be carried out."""


class FileConflict(StudioError):
    """Raised if a file has changed on disk since its draft was begun."""
