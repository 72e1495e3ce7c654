"""`check --fix`: literal remedies, applied to the user's own files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from edict.cli.rules.checking import CheckRequest, gathered
from edict.files import line_ends, write_whole
from edict.formats.findings import Findings
from edict.sources.finding import shipped
from edict.rendering import plain
from edict.report import Diagnostic, Edit, edited

MOST_ROUNDS = 50  # one mistake may hide another


def fix(wanted: CheckRequest) -> None:
    """Carry out what can be, until nothing is left that can; tells each line that was changed.

    Left alone are files that come with the package, and remedies between which somebody must choose. An edit after
    which the same is still wrong is taken back.
    """
    findings = gathered(wanted)
    for _ in range(MOST_ROUNDS):
        better = next(_better(wanted, findings), None)
        if better is None:
            return
        findings = better


def _better(wanted: CheckRequest, findings: Findings) -> Iterator[Findings]:
    """What is found after one file was fixed: all at once, or one thing after the other where that does not do."""
    for path, found in _by_file(findings).items():
        for some in dict.fromkeys((tuple(found), *((one,) for one in found))):
            after = _mended(wanted, path, some)
            if after is not None:
                yield after


def _mended(wanted: CheckRequest, path: Path, found: Sequence[Diagnostic]) -> Findings | None:
    """What is found once the remedies of these were carried out; None, and the file as before, if one did not help."""
    old, ends = path.read_text(encoding="utf-8-sig"), line_ends(path)
    new = edited(old, [edit for one in found for edit in one.edits])
    write_whole(path, new, ends)
    after = gathered(wanted)
    if {(one.code, one.title) for one in found} & {(one.code, one.title) for one in after.found}:
        write_whole(path, old, ends)
        return None
    print(plain("\n".join(_told(found, old, new))), flush=True)
    return after


def _by_file(findings: Findings) -> dict[Path, list[Diagnostic]]:
    """The findings that can be fixed, by the one file in which all their edits are."""
    theirs = {folder.resolve() for folder in shipped()}
    found: dict[Path, list[Diagnostic]] = {}
    for one in findings.found:
        paths = {findings.path(edit.span) for edit in one.edits}
        path = paths.pop() if len(paths) == 1 else None
        if path is not None and one.exact and path.is_file() and not theirs & set(path.parents):
            found.setdefault(path, []).append(one)
    return found


def _told(found: Iterable[Diagnostic], old: str, new: str) -> Iterator[str]:
    before, after = old.split("\n"), new.split("\n")
    for one in found:
        first = min(one.edits)
        yield f"{one.span.file}:{first.span.line}: fixed {one.code}: {one.title}"
        yield from _lines(one.edits, before, after)


def _lines(edits: Sequence[Edit], before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """The line as it was and as it is, where lines stayed in their places."""
    number = min(edits).span.line
    if len(before) == len(after):
        yield f"  - {before[number - 1].strip()}"
        yield f"  + {after[number - 1].strip()}"
