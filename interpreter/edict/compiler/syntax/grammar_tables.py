"""Tables beside the grammar (habits from other languages, forms of lines, words to search by)."""

from __future__ import annotations

from functools import cache
from typing import Any

from edict.support import resources
from edict.support.text import Source


@cache
def load_grammar_table(part: str, file: str) -> Any:
    """Return one part of a YAML file in the folder of the grammar."""
    from edict.compiler.sources.yaml_reader import read_yaml  # YAML is loaded only if there are mistakes

    text = (resources.grammar_folder() / file).read_text(encoding="utf-8")
    return read_yaml(Source(file, text)).unwrap().data[part]
