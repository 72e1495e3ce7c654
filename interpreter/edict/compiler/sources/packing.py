"""Rules as one piece of text: the modules that are played together, packed so that they can be kept with a game.

What is unpacked is read as strangers' files are: plain texts up to a size, names that lead nowhere, manifests against
their schema. None of it is ever written to a file.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from edict.compiler.sources.folders import LOOK, MANIFEST, WORDS, Manifest, Module, manifest_of
from edict.compiler.sources.input_limits import MOST_FILES, MOST_MODULES
from edict.compiler.sources.yaml_reader import read_yaml, write_yaml
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source

MOST_PACKED = 8_000_000  # characters; what is larger is not packed
MOST_UNPACKED = 16_000_000  # bytes
_PART = r"(?!\.{1,2}/)[^/\\\0-\x1f]{1,255}"
_FILE = re.compile(rf"{_PART}(/with/{_PART})?/{_PART}\.edict")

_LANGUAGE = re.compile(r"[a-zA-Z][a-zA-Z_-]{1,11}")


class _Wrong(Exception):
    pass


Part = dict[str, Any]
"""A module as JSON: its manifest, its files by name, and what stands beside them."""


def pack(modules: tuple[Module, ...]) -> str:
    """These modules as a text of letters and digits; nothing if they are too large to be kept."""
    return pack_parts([part_of(module) for module in modules])


def part_of(module: Module) -> Part:
    """A module as it is packed."""
    return {
        "manifest": write_yaml(_as_data(module.manifest)),
        "files": {source.name: source.text for source in module.sources},
        "beside": sorted(module.beside),
        **({"look": module.look.text} if module.look else {}),
        **({"words": {name: one.text for name, one in module.words.items()}} if module.words else {}),
    }


def pack_parts(parts: list[Part]) -> str:
    """Modules that were taken apart, as `pack` gives them."""
    packed = base64.b64encode(zlib.compress(json.dumps(parts).encode(), 9)).decode()
    return packed if len(packed) <= MOST_PACKED else ""


def unpack(text: str) -> Outcome[tuple[Module, ...]]:
    """The modules that were packed, in their order; one diagnostic if this is no such text."""
    try:
        return Outcome(tuple(_module(part) for part in _parts(text)))
    except _Wrong as wrong:
        return Outcome(None, (Diagnostic("E0140", "the rules kept with this game cannot be read", note=str(wrong)),))


def _as_data(manifest: Manifest) -> dict[str, Any]:
    names = [name for name in manifest.__dataclass_fields__ if name not in ("span", "places")]
    data = {name: getattr(manifest, name) for name in names if getattr(manifest, name)}
    if manifest.renamed:
        data["renamed"] = dict(manifest.renamed)
    if manifest.book:
        data["book"] = [{key: text for key, text in asdict(one).items() if text} for one in manifest.book]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}


def _parts(text: str) -> list[Any]:
    try:
        unzip = zlib.decompressobj()
        raw = unzip.decompress(base64.b64decode(text, validate=True), MOST_UNPACKED)
        data = json.loads(raw)
    except (ValueError, zlib.error, RecursionError) as problem:
        raise _Wrong(f"It is not packed as it should be: {problem}.") from None
    if unzip.unconsumed_tail or not isinstance(data, list) or len(data) > MOST_MODULES:
        raise _Wrong("It holds too much, or no modules at all.")
    return data


def _module(part: Any) -> Module:
    match part:
        case {"manifest": str(manifest), "files": dict(files), "beside": list(beside)} if len(files) <= MOST_FILES:
            sources = tuple(_sources(files))
            first = sources[0].name.partition("/")[0] if sources else "rules"
            read = read_yaml(Source(f"{first}/{MANIFEST}", manifest)).and_then(manifest_of)
            if read.value is None:
                raise _Wrong("; ".join(found.title for found in read.diagnostics))
            look = Source(f"{first}/{LOOK}", text) if isinstance(text := part.get("look"), str) else None
            edition = read.value.language
            sources = tuple(replace(source, edition=edition) for source in sources)
            there: dict[str, tuple[Source, ...]] = {str(name): () for name in beside[:MOST_MODULES]}
            return Module(read.value, Path(first), sources, there, look, dict(_words(first, part.get("words", {}))))
    raise _Wrong("One of its modules is not laid out as a module.")


def _words(folder: str, files: Any) -> Iterator[tuple[str, Source]]:
    for language, text in files.items() if isinstance(files, dict) and len(files) <= MOST_FILES else ():
        if not isinstance(text, str) or not _LANGUAGE.fullmatch(language):
            raise _Wrong("Its words in one language are not what they should be.")
        yield language, Source(f"{folder}/{WORDS}/{language}.yaml", text)


def _sources(files: dict[str, Any]) -> Iterator[Source]:
    for name, text in files.items():
        if not isinstance(text, str) or not _FILE.fullmatch(name):
            raise _Wrong("One of its files has a name or a text that no rule file has.")
        yield Source(name, text)
