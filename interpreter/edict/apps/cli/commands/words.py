"""The command `words`, which lists what a translation of a game lacks and what the game no longer says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import UsageError
from edict.apps.cli.reporting import print_lines
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.shared_options import print_document, validate_format
from edict.game.explanations.glossary import TranslationReport, report_translation
from edict.support.rendering import escape_terminal
from edict.support.translations import ENGLISH

_CODE = re.compile(r"[a-z]{2,3}")

Language = Annotated[str, typer.Argument(metavar="LANGUAGE", help="Code of a language, such as `de`.")]
Stub = Annotated[bool, typer.Option("--stub", help="Print what is missing as a words file to fill in.")]


def words(
    language: Language, game: o.Game = "", modules: o.Modules = None, stub: Stub = False, form: o.DataFormat = "text"
) -> int:
    """Print the texts of a game that lack a translation, and the translations that it does not use; return 0."""
    validate_format(form)
    if not _CODE.fullmatch(language) or language == ENGLISH:
        raise UsageError(f"`{language}` is no language to translate into", "write a code of two letters, such as `de`")
    report = report_translation(load_rules_with_notes(game, modules or ()), language)
    if stub:
        for section, texts in (("texts", report.play), ("glossary", report.glossary)):
            if texts:
                print(f"{section}:", *(f'  {json.dumps(text, ensure_ascii=False)}: ""' for text in texts), sep="\n")
    elif form == "json":
        print_document("translation", missing=report.play, missing_in_glossary=report.glossary, unused=report.unused)
    else:
        print_lines(list(_iter_lines(report, language)))
    return 0


def _iter_lines(report: TranslationReport, language: str) -> Iterator[tuple[str, str]]:
    """Yield a heading and a line for each text, with styles; one line if nothing is missing and all is used."""
    sections = (
        ("No translation, in play:", report.play),
        ("No translation, in the glossary and the primer:", report.glossary),
        ("Translations that the game does not use:", report.unused),
    )
    if not any(texts for _, texts in sections):
        yield "", f"{language}: every text is translated"
    for heading, texts in sections:
        if texts:
            yield "bold", heading
            yield from (("", escape_terminal(f"  {text}")) for text in texts)
