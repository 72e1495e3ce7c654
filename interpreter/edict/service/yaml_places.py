"""Where in a YAML file something is being written, also while the line is not finished.

What stands before the place is read with a word in its place: once as a value, once as a key. What comes after it
does not count, as in a half-written file it may belong to something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edict.language.expecting import PLACEHOLDER
from edict.service.answer_types import At
from edict.sources.yaml_reader import Path, Written, read_yaml
from edict.text import Source

_BEGUN = re.compile(r"(?:^\s*|:\s+|-\s+|[\[{,]\s*)(?P<word>[^\s\[\]{},:#\"'-][^\[\]{},:#\"']*)?$")
_SIGNS = re.compile(r"\"[^\"\n]*\"?|'[^'\n]*'?|(?:^|\s)#.*|[\[\]{}]", re.MULTILINE)
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, eq=False)
class Place:
    """A place of a file: `path` leads to the value there, or, of a key, to the map it would stand in."""

    path: Path
    is_key: bool
    written: Written

    def data(self, path: Path) -> object:
        """What stands at a path before the place; None where nothing does."""
        found: object = self.written.data
        for part in path:
            if isinstance(found, dict) and part in found or isinstance(found, list) and isinstance(part, int):
                found = found[part]  # type: ignore[index]
            else:
                return None
        return found


def places(source: Source, at: At) -> Iterator[Place]:
    """What a place can be: a value, a key, or either."""
    lines = source.text.split("\n")
    line = lines[at.line - 1][: at.column - 1] if at.line <= len(lines) else ""
    begun = _BEGUN.search(line)
    if begun is None:
        return
    before = "\n".join([*lines[: at.line - 1], line[: begun.start("word")] if begun["word"] else line])
    for ending, is_key in (("", False), (": x", True)):
        read = read_yaml(Source(source.name, f"{before}{PLACEHOLDER}{ending}{_closed(before)}\n")).value
        if read is None:
            continue
        found = (path for path in (read.keys if is_key else read.places) if _is_there(read, path, is_key))
        path = next(found, None)
        if path is not None:
            yield Place(path[:-1] if is_key else path, is_key, read)


def _closed(text: str) -> str:
    """What closes the brackets that are open at the end of a text."""
    waiting: list[str] = []
    for sign in _SIGNS.findall(text):
        if sign in _CLOSING:
            waiting.append(_CLOSING[sign])
        elif waiting and sign == waiting[-1]:
            waiting.pop()
    return "".join(reversed(waiting))


def _is_there(read: Written, path: Path, is_key: bool) -> bool:
    if is_key:
        return bool(path) and path[-1] == PLACEHOLDER
    return Place(path, False, read).data(path) == PLACEHOLDER
