"""The words of the interface: complete in every language, and chosen by what somebody reads."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import edict
from edict.game.table.options import Options
from edict.game.table.wording import NO_DICE, NOBODY, NONE, Wording, says_nothing
from edict.runtime.program.opcodes import DECLINE
from edict.support.translations import ENGLISH, HERE, gettext, languages, of_browser, of_terminal, speaking, spoken
from helpers import program

_HOLES = re.compile(r"%\(\w+\)s")
OTHERS = [language for language in languages() if language != ENGLISH]
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "N_": None}


@cache
def said() -> set[str]:
    """Every text of the interface that is marked as one."""
    templates = "apps/web/templates/**.html"
    methods = [(templates, "jinja2.ext:babel_extract"), ("**.py", "python")]
    options = {templates: {"newstyle_gettext": "true", "silent": "false"}}
    home = str(Path(edict.__file__).parent)
    found = [message for _, _, message, *_ in extract_from_dir(home, methods, options, KEYWORDS)]
    return {message if isinstance(message, str) else message[0] for message in found}


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_of_the_interface_and_nothing_else_is_said_in_every_language_with_what_stands_in_it(
    language: str,
) -> None:
    with (HERE / f"{language}.po").open("rb") as file:
        catalogue = read_po(file)
    told = {one.id if isinstance(one.id, str) else one.id[0]: one for one in catalogue if one.id}
    assert told.keys() == said()
    assert not [text for text, one in told.items() if not one.string or one.fuzzy]
    with speaking(language):
        assert not [text for text in said() if sorted(_HOLES.findall(gettext(text))) != sorted(_HOLES.findall(text))]


def test_languages_are_called_what_their_speakers_call_them() -> None:
    assert languages() == {"en": "English", "de": "Deutsch", "it": "Italiano"}


ANSWERS = {"en": ["Yes", "No"], "de": ["Ja", "Nein"], "it": ["Sì", "No"]}


def test_answers_without_words_of_their_own_and_that_nothing_is_there_are_said_as_people_say_it() -> None:
    found = program("phase trial-run\n  each player\n    may\n      gain 1 coin\n")
    may = next(number for number, one in enumerate(found.questions) if one.labels == ("Yes",))
    options = Options(found, Wording(found, ("Ann", "Ben")))
    for language, answers in ANSWERS.items():
        with speaking(language):
            assert [options.text(may, value) for value in (0, DECLINE)] == answers
            told = [gettext(one) for one in (NONE, NOBODY, NO_DICE)]
            assert all(map(says_nothing, told)) and not says_nothing("3")
    assert ANSWERS.keys() == languages().keys()


def test_a_language_is_spoken_only_where_it_was_asked_for() -> None:
    with speaking("de"):
        assert (spoken(), gettext("Rules")) == ("de", "Regeln")
    assert (spoken(), gettext("Rules")) == ("en", "Rules")


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


def test_a_browser_is_answered_in_the_first_of_its_languages_that_there_is() -> None:
    assert {header: of_browser(header) for header in HEADERS} == HEADERS


def test_a_terminal_is_answered_in_the_language_of_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "it_IT.UTF-8")
    assert of_terminal() == "it"
    monkeypatch.setenv("LANGUAGE", "fr:de")
    assert of_terminal() == "de"
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert of_terminal() == "en"
