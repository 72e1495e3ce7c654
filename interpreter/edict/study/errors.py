"""What may go wrong with a study, in a sentence and with a remedy."""

from __future__ import annotations


class StudyError(Exception):
    """A study cannot be made or gone on with as asked."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)

    def __reduce__(self) -> tuple[type[StudyError], tuple[str, str]]:
        return type(self), (self.reason, self.remedy)  # from a worker, with its remedy
