"""Answers to questions about a variant, kept beside its drafts so that a link can show them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from edict.agents.study.charts import Axis, Chart, ChartRow
from edict.runtime.program import digest
from edict.support.files import make_private_folder, write_private
from edict.tools.studio.design_questions import DesignAnswer, DesignQuestion

FORMAT = "edict answer 1"
MAX_KEPT = 200  # answers of a variant; the oldest go
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class KeptAnswer:
    """A question about a variant as it was, with its answer if there is one."""

    question: DesignQuestion
    mark: str  # of the rules that it is about
    asked: str  # the day
    answer: DesignAnswer | None = None
    problem: str = ""  # why there is no answer, as a sentence

    @property
    def key(self) -> str:
        """The part of a link that names it."""
        return digest(json.dumps([self.mark, asdict(self.question)]))


def ask(question: DesignQuestion, mark: str) -> KeptAnswer:
    """Return a question that is asked today of rules with a mark."""
    return KeptAnswer(question, mark, datetime.now(UTC).date().isoformat())


class AnswerStore:
    """The answers of one variant, a file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> KeptAnswer | None:
        """Return the answer of a key; None if there is none, or another version wrote it."""
        if not _ID.fullmatch(key):
            return None
        try:
            return _parse(json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def put(self, kept: KeptAnswer) -> None:
        """Store an answer, and remove the oldest if there are too many."""
        make_private_folder(self.folder)
        write_private(self.folder / f"{kept.key}.json", json.dumps({"format": FORMAT, **asdict(kept)}).encode())
        files = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - MAX_KEPT)]:
            path.unlink(missing_ok=True)


def _parse(data: dict[str, Any]) -> KeptAnswer:
    """Read an answer from JSON data; raises `ValueError`, `TypeError` or `KeyError` if it is malformed."""
    if data.pop("format") != FORMAT:
        raise ValueError
    question = DesignQuestion(**data["question"])
    pair: Any = {name: tuple(getattr(question, name)) for name in ("plans", "names")}
    answer = data["answer"] and DesignAnswer(**data["answer"])
    if answer:
        lines: Any = {name: tuple(getattr(answer, name)) for name in ("sentences", "details")}
        answer = replace(answer, charts=tuple(map(_parse_chart, data["answer"]["charts"])), **lines)
    return KeptAnswer(**{**data, "question": replace(question, **pair), "answer": answer})


def _parse_chart(data: dict[str, Any]) -> Chart:
    return Chart(**{**data, "rows": [ChartRow(**row) for row in data["rows"]], "names": Axis(**data["names"])})
