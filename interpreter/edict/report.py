"""Diagnostics as values: what is wrong, where, why, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from edict.text import NOWHERE, Span

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Label:
    """A place and what is to be said about it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` names its page, `labels` are further places, `help` is the remedy."""

    code: str
    title: str
    span: Span = NOWHERE
    note: str = ""
    labels: tuple[Label, ...] = ()
    help: str = ""
    severity: str = "error"

    @property
    def is_error(self) -> bool:
        return self.severity == "error"


class RulesError(Exception):
    """Rules that cannot be played, with every reason found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(f"{d.span}: {d.title} [{d.code}]" for d in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        """Between processes it is what was found that counts."""
        return RulesError, (self.diagnostics,)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What a pass gives: its value, if it got that far, and what it found."""

    value: T | None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        return self.value is not None and not any(d.is_error for d in self.diagnostics)

    def then(self, step: Callable[[T], Outcome[U]]) -> Outcome[U]:
        """Go on with the next pass, unless this one found an error."""
        if self.value is None or not self.ok:
            return Outcome(None, self.diagnostics)
        following = step(self.value)
        return Outcome(following.value, self.diagnostics + following.diagnostics)

    def unwrap(self) -> T:
        """The value; raises `RulesError` when there is none or it cannot be trusted."""
        if self.value is None or not self.ok:
            raise RulesError(self.diagnostics)
        return self.value


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence naming the nearest known word, or nothing. Letters that were only swapped come first."""
    near = difflib.get_close_matches(word, list(known), n=3, cutoff=0.6)
    swapped = [one for one in near if sorted(one) == sorted(word)]
    return f"did you mean `{(swapped or near)[0]}`?" if near else ""


def listed(words: Iterable[str], joint: str = "or") -> str:
    """Words in backticks, as one says them: `a`, `b` or `c`; long lists are cut."""
    all_ = list(words)
    shown = [f"`{word}`" for word in all_[:8]] + (["others"] if len(all_) > 8 else [])
    return f" {joint} ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown) or "nothing"
