"""Pages and their parts as HTML, made of views; nothing here knows a server.

The one door of this room to Jinja, which escapes everything.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import jinja2
from jinja2 import BytecodeCache, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from edict.apps.web import template_helpers
from edict.apps.web.page_elements import MARK, Element, hole
from edict.apps.web.table_pictures import Recent
from edict.apps.web.themes import Theme
from edict.prose.rulebook.chapters import TEMPLATE_TESTS
from edict.support import signed_cache
from edict.support.translations import current_language, gettext, languages, ngettext

MACROS = ("panels.html", "sections.html")
STATIC = Path(__file__).with_name("static")
PLAIN = 2  # the last way to marshal in which what is equal is the same bytes, whatever it shares
_INDENTS = re.compile(r"\s*\n\s*")


class Parts:
    """Parts of the pages of one table. They hang on nothing but what they are given, so each is made once."""

    mark = Markup(MARK)

    def __init__(self, macros: Macros, recent: Recent) -> None:
        self._macros = macros
        self._recent = recent
        self._elements: list[Element] = []

    def __call__(self, name: str, *shown: Any) -> Markup:
        """A part with this name of `panels.html`, of JSON values that nobody changes any more."""
        made: Markup = self._kept(name, shown, lambda: _made(getattr(self._macros.panels, name), *shown))
        return made

    def element(self, name: str, *shown: Any) -> Markup:
        """The same, where it is an element of the page by itself."""
        return self._place(self._kept(name, shown, lambda: self.all(_made(getattr(self._macros.panels, name), *shown))))

    def section(self, name: str, *shown: Any) -> Markup:
        """An element of `sections.html`."""
        return self._place(self._kept(name, shown, lambda: self._section(name, shown)))

    def fresh(self, name: str, *shown: Any) -> Markup:
        """The same, of what is nearly always another: it is not looked whether it was made before."""
        return self._place(self._section(name, shown))

    def all(self, text: str) -> Element:
        """The element of a text that was made with these parts."""
        return Element.of(text, self._elements)

    def _section(self, name: str, shown: tuple[Any, ...]) -> Element:
        return self.all(_made(getattr(self._macros.sections, name), self, *shown))

    def _place(self, element: Element) -> Markup:
        self._elements.append(element)
        return Markup(hole(len(self._elements) - 1))

    def _kept(self, name: str, shown: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        return self._recent.get(("part", name, *map(self._said, shown)), make)

    def _said(self, value: Any) -> Hashable:
        """What a value says, in short."""
        if not isinstance(value, dict | list | tuple):
            return type(value), value
        kept: tuple[Any, bytes] = self._recent.get(("said", id(value)), lambda: (value, _digest(value)))
        return kept[1]  # the value is kept with it, so that its id is no other's


def _digest(value: Any) -> bytes:
    return blake2b(marshal.dumps(value, PLAIN), digest_size=16).digest()


def _made(macro: Any, *shown: Any) -> Markup:
    return Markup(_INDENTS.sub("\n", macro(*shown)))  # macros leave as much empty space as text


@dataclass(frozen=True)
class Macros:
    """The parts of pages as a theme draws them, and the sections that are made of these."""

    panels: Any
    sections: Any


@cache
def release() -> str:
    """The release of the files that pages load, by what is in them all: some load each other."""
    found = blake2b(digest_size=8)
    for file in sorted(STATIC.rglob("*")):
        if file.is_file():
            found.update(file.relative_to(STATIC).as_posix().encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


@cache
def pages() -> Pages:
    """The pages of this process."""
    return Pages()


class _Compiled(BytecodeCache):
    """Templates as Jinja has made code of them; it looks itself whether they are still of the same text."""

    def load_bytecode(self, bucket: Bucket) -> None:
        found = signed_cache.read(self._name(bucket))
        if found is not None:
            bucket.bytecode_from_string(found)

    def dump_bytecode(self, bucket: Bucket) -> None:
        signed_cache.write(self._name(bucket), bucket.bytecode_to_string())

    def _name(self, bucket: Bucket) -> str:
        return f"templates/{jinja2.__version__}-{bucket.key}"


class Pages:
    """Templates filled in."""

    def __init__(self) -> None:
        self._made = Environment(
            loader=ChoiceLoader([PackageLoader("edict.apps.web"), PackageLoader("edict.prose.rulebook")]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            extensions=["jinja2.ext.i18n"],
            bytecode_cache=_Compiled(),
        )
        self._made.tests.update(TEMPLATE_TESTS)
        words: Any = self._made  # what the extension has added to it
        words.install_gettext_callables(gettext, ngettext, newstyle=True)
        helpers = {name: getattr(template_helpers, name) for name in template_helpers.__all__}
        # problem: what was wrong with a form. said: a message over the board. at: after how many answers a replay
        # stands; None at the table itself. luck: the seed that was sealed, where it is shown.
        # undo: whether the last answer can be taken back. lessons: what is told when it is seen for the first time.
        self._made.globals.update(helpers, languages=languages, spoken=current_language, static=f"/static/{release()}")
        self._made.globals.update(problem=None, said="", at=None, luck=None, undo=False, lessons=[])
        # given: what somebody has answered before their turn. together: the seats that are asked at the same time.
        self._made.globals.update(given=(), together=(), clock=None)
        for name in self._made.list_templates():  # at once: later they may be of another release
            self._made.get_template(name)
        self._macros: WeakKeyDictionary[Theme, Macros] = WeakKeyDictionary()

    def page(self, template: str, **values: Any) -> str:
        return self._made.get_template(template).render(values)

    def around(self, template: str, table: str, **values: Any) -> str:
        """A page around the HTML of a table."""
        return self.page(template, table=Markup(table), **values)

    def table(self, drawing: Theme, recent: Recent, **values: Any) -> Element:
        """A table; `recent` keeps the parts of it that may be wanted again."""
        macros = self._macros.get(drawing)
        if macros is None:
            drawn = (self._made.get_template(name).make_module({"drawing": drawing}) for name in MACROS)
            self._macros[drawing] = macros = Macros(*drawn)
        part = Parts(macros, recent)
        return part.all(_INDENTS.sub("\n", self.page("table.html", drawing=drawing, part=part, **values)))
