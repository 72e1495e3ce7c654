"""The lists beside the grammar: what people write instead, how lines are written, words to search by."""

from __future__ import annotations

from functools import cache
from typing import Any

from edict.support import resources
from edict.support.text import Source


@cache
def grammar_table(part: str, file: str) -> Any:
    """A part of a list beside the grammar."""
    from edict.compiler.sources.yaml_reader import read_yaml  # only those who make mistakes wait for YAML

    text = (resources.grammar_folder() / file).read_text(encoding="utf-8")
    return read_yaml(Source(file, text)).unwrap().data[part]
