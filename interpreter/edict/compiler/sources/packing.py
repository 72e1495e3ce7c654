"""Packing of modules into one text, which is stored with a game.

Packed text is read like files of strangers: plain texts of limited size, names without paths that lead elsewhere,
manifests that satisfy their schema. None of it is ever written to a file.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from edict.compiler.sources.folders import LOOK, MANIFEST, WORDS, Manifest, Module, parse_manifest
from edict.compiler.sources.input_limits import MOST_FILES, MOST_MODULES
from edict.compiler.sources.yaml_reader import read_yaml, write_yaml
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source

MOST_PACKED = 8_000_000  # characters; larger rules are not packed
MOST_UNPACKED = 16_000_000  # bytes
_PATH_PART = r"(?!\.{1,2}/)[^/\\\0-\x1f]{1,255}"
_FILE = re.compile(rf"{_PATH_PART}(/with/{_PATH_PART})?/{_PATH_PART}\.edict")

_LANGUAGE = re.compile(r"[a-zA-Z][a-zA-Z_-]{1,11}")


class _InvalidPack(Exception):
    pass


# a module as JSON: manifest, files by name, names of `beside` modules, look and translations
ModuleData = dict[str, Any]


def pack_modules(modules: tuple[Module, ...]) -> str:
    """Return modules as base64 text, or "" if they are too large."""
    return pack_module_data([to_module_data(module) for module in modules])


def to_module_data(module: Module) -> ModuleData:
    """Return a module as JSON data for packing."""
    return {
        "manifest": write_yaml(_manifest_to_data(module.manifest)),
        "files": {source.name: source.text for source in module.sources},
        "beside": sorted(module.beside),
        **({"look": module.look.text} if module.look else {}),
        **({"words": {name: translation.text for name, translation in module.words.items()}} if module.words else {}),
    }


def pack_module_data(parts: list[ModuleData]) -> str:
    """Return JSON data of modules as base64 text, or "" if they are too large."""
    packed = base64.b64encode(zlib.compress(json.dumps(parts).encode(), 9)).decode()
    return packed if len(packed) <= MOST_PACKED else ""


def unpack_modules(text: str) -> Outcome[tuple[Module, ...]]:
    """Return packed modules in their order, or one diagnostic if the text is invalid."""
    try:
        return Outcome(tuple(_parse_module(part) for part in _decode_parts(text)))
    except _InvalidPack as problem:
        return Outcome(None, (Diagnostic("E0140", "the rules kept with this game cannot be read", note=str(problem)),))


def _manifest_to_data(manifest: Manifest) -> dict[str, Any]:
    """Return a manifest as JSON data with the keys of `module.yaml`, without empty ones.

    Versions are left out: packed rules are complete, and are played with whatever reads them.
    """
    left_out = ("span", "places", "versions", "engine")
    names = [name for name in manifest.__dataclass_fields__ if name not in left_out]
    data = {name: getattr(manifest, name) for name in names if getattr(manifest, name)}
    if manifest.renamed:
        data["renamed"] = dict(manifest.renamed)
    if manifest.book:
        data["book"] = [passage.to_data() for passage in manifest.book]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}


def _decode_parts(text: str) -> list[Any]:
    """Return the modules' JSON data from packed text; raise `_InvalidPack` if it is damaged or too large."""
    try:
        decompressor = zlib.decompressobj()
        raw = decompressor.decompress(base64.b64decode(text, validate=True), MOST_UNPACKED)
        data = json.loads(raw)
    except (ValueError, zlib.error, RecursionError) as problem:
        raise _InvalidPack(f"It is not packed correctly: {problem}.") from None
    if decompressor.unconsumed_tail or not isinstance(data, list) or len(data) > MOST_MODULES:
        raise _InvalidPack("It is too large, or contains no modules.")
    return data


def _parse_module(part: Any) -> Module:
    """Build a module from its packed JSON data; raise `_InvalidPack` if the data is malformed."""
    match part:
        case {"manifest": str(manifest), "files": dict(files), "beside": list(beside)} if len(files) <= MOST_FILES:
            sources = tuple(_iter_sources(files))
            folder = sources[0].name.partition("/")[0] if sources else "rules"
            outcome = read_yaml(Source(f"{folder}/{MANIFEST}", manifest)).and_then(parse_manifest)
            if outcome.value is None:
                raise _InvalidPack("; ".join(diagnostic.title for diagnostic in outcome.diagnostics))
            if isinstance(text := part.get("look"), str):
                look = Source(f"{folder}/{LOOK}", text)
            else:
                look = None
            edition = outcome.value.language
            sources = tuple(replace(source, edition=edition) for source in sources)
            conditional: dict[str, tuple[Source, ...]] = {str(name): () for name in beside[:MOST_MODULES]}
            return Module(
                outcome.value,
                Path(folder),
                sources,
                conditional,
                look,
                dict(_iter_translations(folder, part.get("words", {}))),
            )
    raise _InvalidPack("One of its modules is not laid out as a module.")


def _iter_translations(folder: str, files: Any) -> Iterator[tuple[str, Source]]:
    """Yield (language, source) for each packed translation; raise `_InvalidPack` for bad ones."""
    for language, text in files.items() if isinstance(files, dict) and len(files) <= MOST_FILES else ():
        if not isinstance(text, str) or not _LANGUAGE.fullmatch(language):
            raise _InvalidPack("Its translations into one language are not valid.")
        yield language, Source(f"{folder}/{WORDS}/{language}.yaml", text)


def _iter_sources(files: dict[str, Any]) -> Iterator[Source]:
    """Yield a source for each packed rule file; raise `_InvalidPack` for a bad name or text."""
    for name, text in files.items():
        if not isinstance(text, str) or not _FILE.fullmatch(name):
            raise _InvalidPack("One of its files has a name or a text that no rule file has.")
        yield Source(name, text)
