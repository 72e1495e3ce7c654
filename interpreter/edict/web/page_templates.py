"""Pages and their parts as HTML, made of views; nothing here knows a server.

The one door of this room to Jinja, which escapes everything.
"""

from __future__ import annotations

import json
import re
from functools import cache
from hashlib import blake2b
from typing import Any
from weakref import WeakKeyDictionary

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from edict.handbook.chapters import TESTS
from edict.translations import gettext, languages, ngettext, spoken
from edict.web import template_helpers
from edict.web.table_pictures import Recent
from edict.web.themes import Theme

_INDENTS = re.compile(r"\s*\n\s*")


class Parts:
    """Parts of the pages of one table. They hang on nothing but what they are given, so each is made once."""

    def __init__(self, macros: Any, recent: Recent) -> None:
        self._macros = macros
        self._recent = recent

    def __call__(self, name: str, *shown: Any) -> Any:
        """A part with this name of `panels.html`, of JSON values."""
        said = blake2b(json.dumps(shown).encode(), digest_size=16).digest()
        return self._recent.get(("part", name, said), lambda: _made(getattr(self._macros, name), shown))


def _made(macro: Any, shown: tuple[Any, ...]) -> Any:
    text = macro(*shown)
    return type(text)(_INDENTS.sub("\n", text))  # macros leave as much empty space as text


@cache
def pages() -> Pages:
    """The pages of this process."""
    return Pages()


class Pages:
    """Templates filled in."""

    def __init__(self) -> None:
        self._made = Environment(
            loader=ChoiceLoader([PackageLoader("edict.web"), PackageLoader("edict.handbook")]), autoescape=True,
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, auto_reload=False,
            extensions=["jinja2.ext.i18n"],
        )  # fmt: skip
        self._made.tests.update(TESTS)
        words: Any = self._made  # what the extension has added to it
        words.install_gettext_callables(gettext, ngettext, newstyle=True)
        helpers = {name: getattr(template_helpers, name) for name in template_helpers.__all__}
        # problem: what was wrong with a form. said: a message over the board. at: after how many answers a replay
        # stands; None at the table itself. luck: the seed that was sealed, where it is shown.
        # undo: whether the last answer can be taken back. lessons: what is told when it is seen for the first time.
        self._made.globals.update(helpers, languages=languages, spoken=spoken)
        self._made.globals.update(problem=None, said="", at=None, luck=None, undo=False, lessons=[])
        # given: what somebody has answered before their turn. together: the seats that are asked at the same time.
        self._made.globals.update(given=(), together=(), clock=None)
        for name in self._made.list_templates():  # at once: later they may be of another release
            self._made.get_template(name)
        self._macros: WeakKeyDictionary[Theme, Any] = WeakKeyDictionary()

    def page(self, template: str, **values: Any) -> str:
        return self._made.get_template(template).render(values)

    def table(self, template: str, drawing: Theme, recent: Recent, **values: Any) -> str:
        """A page with a table; `recent` keeps the parts of it that may be wanted again."""
        macros = self._macros.get(drawing)
        if macros is None:
            self._macros[drawing] = macros = self._made.get_template("panels.html").make_module({"drawing": drawing})
        return self.page(template, drawing=drawing, part=Parts(macros, recent), **values)
