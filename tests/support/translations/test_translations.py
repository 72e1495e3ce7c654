"""Translations of the interface, complete in every language, and the choice of the language."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import edict
from edict.game.table.options import Options
from edict.game.table.wording import NO_DICE, NOBODY, NONE, Wording, is_empty_value
from edict.runtime.program.opcodes import DECLINE
from edict.support.translations import (
    ENGLISH,
    TRANSLATIONS_FOLDER,
    current_language,
    gettext,
    language_from_environment,
    languages,
    parse_accept_language,
    use_language,
)
from edict.support.translations.phrasebook import Phrasebook
from helpers import compile_program

_HOLES = re.compile(r"%\(\w+\)s")
OTHERS = [language for language in languages() if language != ENGLISH]
TEMPLATES = Path(edict.__file__).parent / "apps" / "web" / "templates"
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "N_": None, "translate": None}


@cache
def list_marked_texts() -> set[str]:
    """List every text of the interface that is marked for translation."""
    templates = "apps/web/templates/**.html"
    methods = [(templates, "jinja2.ext:babel_extract"), ("**.py", "python")]
    options = {templates: {"newstyle_gettext": "true", "silent": "false"}}
    home = str(Path(edict.__file__).parent)
    found = [message for _, _, message, *_ in extract_from_dir(home, methods, options, KEYWORDS)]
    return {message if isinstance(message, str) else message[0] for message in found}


@pytest.mark.parametrize("language", OTHERS)
def test_catalogues_contain_exactly_the_marked_texts_with_their_placeholders(
    language: str,
) -> None:
    with (TRANSLATIONS_FOLDER / f"{language}.po").open("rb") as file:
        catalogue = read_po(file)
    told = {one.id if isinstance(one.id, str) else one.id[0]: one for one in catalogue if one.id}
    assert told.keys() == list_marked_texts()
    assert not [text for text, one in told.items() if not one.string or one.fuzzy]
    with use_language(language):
        assert not [
            text
            for text in list_marked_texts()
            if sorted(_HOLES.findall(gettext(text))) != sorted(_HOLES.findall(text))
        ]


def test_languages_have_native_names() -> None:
    assert languages() == {"en": "English", "de": "Deutsch", "it": "Italiano"}


ANSWERS = {"en": ["Yes", "No"], "de": ["Ja", "Nein"], "it": ["Sì", "No"]}


def test_default_answers_and_none_are_translated(subtests: pytest.Subtests) -> None:
    found = compile_program("phase trial-run\n  each player\n    may\n      gain 1 coin\n")
    may = next(number for number, one in enumerate(found.questions) if one.labels == ("Yes",))
    options = Options(found, Wording(found, ("Ann", "Ben")))
    for language, answers in ANSWERS.items():
        with subtests.test(language=language):
            with use_language(language):
                assert [options.text(may, value) for value in (0, DECLINE)] == answers
                told = [gettext(one) for one in (NONE, NOBODY, NO_DICE)]
                assert all(map(is_empty_value, told)) and not is_empty_value("3")
    assert ANSWERS.keys() == languages().keys()


def test_language_is_used_only_where_it_was_set() -> None:
    with use_language("de"):
        assert (current_language(), gettext("Rules")) == ("de", "Regeln")
    assert (current_language(), gettext("Rules")) == ("en", "Rules")


HEADERS = {
    "de-AT,de;q=0.9,en;q=0.8": "de",
    "fr,it;q=0.7,en;q=0.3": "it",
    "en;q=0.2,it;q=0.9": "it",
    "fr-FR": "en",
    "": "en",
    "*": "en",
    "de;q=0, it;q=0.1": "it",
    "de;q=ja": "en",
}


def test_browser_gets_its_first_available_language() -> None:
    assert {header: parse_accept_language(header) for header in HEADERS} == HEADERS


def test_terminal_gets_the_language_of_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "it_IT.UTF-8")
    assert language_from_environment() == "it"
    monkeypatch.setenv("LANGUAGE", "fr:de")
    assert language_from_environment() == "de"
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert language_from_environment() == "en"


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        ("Gain 1 gold, 1 wood and 1 stone.", "Erhalte 1 Gold, 1 Holz und 1 Stein."),
        ("Gain 2 gold, 2 wood or 2 stone.", "Erhalte 2 Gold, 2 Holz oder 2 Stein."),
        ("Gain 1 gold and a token.", "Erhalte 1 Gold und einen Marker."),
        ("Spend 1 gold to gain 1 wood.", "Gib 1 Gold aus, und zwar dafür: erhalte 1 Holz."),
        ("The player with the most tokens wins.", "Wer die meisten Marker hat, gewinnt."),
    ],
)
def test_sentence_is_translated_by_its_most_specific_pattern(english: str, expected: str) -> None:
    texts = {"gold": "Gold", "wood": "Holz", "stone": "Stein", "token/tokens": "(der) Marker/(pl) Marker"}
    with use_language("de"):
        assert Phrasebook(texts).translate(english) == expected


def test_text_is_among_the_possible_uses_of_every_key_that_translates_it() -> None:
    titles = {"gold": "Gold", "wood": "Holz", "token/tokens": "(der) Marker/(pl) Marker"}
    patterns = {"Gain {number} {title}.": "Erhalte {number} {title}.", "Draw {what} twice.": "Ziehe {what} zweimal."}
    sentences = ["Gain 1 gold.", "Gain 2 tokens.", "Draw gold twice.", "Draw a token twice.", "Token", "gold", "Wait"]
    uses: dict[str, set[str]] = {}
    with use_language("de"):
        for english in (*sentences, *patterns):
            phrasebook = Phrasebook(titles | patterns)
            phrasebook.look_up(english)
            for key in phrasebook.used & {*titles, *patterns}:
                uses.setdefault(key, set()).add(english)
        candidates = (*sentences, *patterns)
        possible = {key: set(phrasebook.find_possible_uses({key}, candidates)) for key in titles | patterns}
    assert uses and all(english <= possible[key] for key, english in uses.items())
    assert "Wait" not in set().union(*possible.values()), "few texts are tried for a key"


_JINJA = re.compile(r"\{#.*?#\}|\{\{.*?\}\}|\{%\s*trans.*?endtrans\s*%\}|\{%.*?%\}", re.DOTALL)
_READ_ALOUD = re.compile(r'\b(?:aria-label|title|placeholder|alt)="([^"]*)"')
_MARKUP = re.compile(r"<script.*?</script>|<style.*?</style>|<[^>]*>", re.DOTALL)
_TEXT = re.compile(r"(?<![\w./:-])[A-Za-z]{2,}(?![\w./:-])")  # no part of an address


@pytest.mark.parametrize("page", sorted(TEMPLATES.glob("*.html")), ids=lambda page: page.name)
def test_page_for_players_has_no_text_without_a_mark_for_translation(page: Path) -> None:
    html = _JINJA.sub("", page.read_text(encoding="utf-8"))
    texts = [*_READ_ALOUD.findall(html), *_MARKUP.sub("\n", html).splitlines()]
    assert not [text.strip() for text in texts if _TEXT.search(text)]
