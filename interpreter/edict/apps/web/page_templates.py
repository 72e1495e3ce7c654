"""Pages and their parts, rendered as HTML from views; nothing here knows a server.

The only module that imports Jinja, which escapes all values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import jinja2
from jinja2 import BytecodeCache, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.ext import Extension
from jinja2.runtime import Context
from markupsafe import Markup

from edict.apps.web import template_helpers
from edict.apps.web.page_elements import MARK_PLACEHOLDER, Element, format_placeholder
from edict.apps.web.table_pictures import Data, RenderCache
from edict.apps.web.themes import OWNED_LAYOUTS, Theme
from edict.prose.rulebook.chapters import TEMPLATE_TESTS
from edict.support import signed_cache
from edict.support.records import dataclass
from edict.support.translations import current_language, gettext, languages, ngettext

MACRO_TEMPLATES = ("panels.html", "sections.html")
STATIC = Path(__file__).with_name("static")
MAX_REMEMBERED = 4096  # results of each macro that draws the smallest pieces
CONTAINERS = dict, list
DICT_ATTRIBUTES = frozenset(dir(dict))  # templates call them, also where a player or a thing has such a name
_INDENTS = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)


class Parts:
    """The renderer of parts of one table's page, which templates call as `part`.

    A part depends on nothing but its values, so each is rendered once and then comes from a cache.
    """

    mark = Markup(MARK_PLACEHOLDER)

    def __init__(self, theme: Theme, macros: Macros, recent: RenderCache) -> None:
        self._theme = theme
        self._macros = macros
        self._recent = recent
        self._elements: list[Element] = []

    def __call__(self, name: str, *values: Any) -> Markup:
        """Return a macro of `panels.html` as HTML; its values are JSON data that nobody changes later."""
        html: Markup = self._get_cached(name, values, lambda: getattr(self._macros.panels, name)(*values))
        return html

    def element(self, name: str, *values: Any) -> Markup:
        """Render a macro of `panels.html` as an element of its own, cached, and return its placeholder."""
        return self._add_placeholder(
            self._get_cached(name, values, lambda: self.to_element(getattr(self._macros.panels, name)(*values)))
        )

    def section(self, name: str, *values: Any) -> Markup:
        """Return the placeholder of a macro of `sections.html` as an element of its own."""
        return self._add_placeholder(self._get_cached(name, values, lambda: self._render_section(name, values)))

    def panel(self, panel: Data, view: Data, seats: Data, options: Data) -> Markup:
        """Return the placeholder of a panel of a view, with the options that can be chosen in it.

        It is given who looks, and who is waited for, only where it depends on them, so that other seats can share it.
        """
        layout, asked = self._theme.layout(panel), template_helpers.is_asked(view, panel)
        own = view["seat"] if layout in OWNED_LAYOUTS else None
        waiting = view["waiting"] if layout == "seats" else []
        cause = template_helpers.find_cause(view, panel)
        return self.section("panel", panel, seats, asked, options if asked else {}, own, waiting, cause)

    def fresh(self, name: str, *values: Any) -> Markup:
        """Return the placeholder of a macro of `sections.html` without the cache, for values that often change."""
        return self._add_placeholder(self._render_section(name, values))

    def to_element(self, text: str) -> Element:
        """Return the element of a text that was rendered with these parts."""
        return Element.from_text(text, self._elements)

    def _render_section(self, name: str, values: tuple[Any, ...]) -> Element:
        """Render a macro of `sections.html` as an element that may contain other elements."""
        return self.to_element(getattr(self._macros.sections, name)(self, *values))

    def _add_placeholder(self, element: Element) -> Markup:
        """Register an element, and return the placeholder that stands for it in the text around it."""
        self._elements.append(element)
        return _get_placeholder(len(self._elements) - 1)

    def _get_cached(self, name: str, values: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return what `make` makes of a macro's name and values, from the cache if the values are equal."""
        get_digest = self._recent.get_digest
        key: list[Hashable] = ["part", name]
        for value in values:
            if isinstance(value, str | tuple):
                key.append(value)
            else:
                key.append(get_digest(value) if isinstance(value, CONTAINERS) else (type(value), value))
        return self._recent.get_or_make(tuple(key), make)


@cache
def _get_placeholder(number: int) -> Markup:
    return Markup(format_placeholder(number))


def _remember(macro: Callable[..., Markup]) -> Callable[..., Markup]:
    """Return a macro with a cache of its results; they may depend on its arguments and the theme only."""
    return lru_cache(MAX_REMEMBERED)(macro)


@dataclass(frozen=True)
class Macros:
    """The macros of pages for one theme: those of `panels.html`, and those of `sections.html`, which use them."""

    panels: Any
    sections: Any


@cache
def get_release() -> str:
    """Return a hash of all static files, which names their release in addresses.

    It covers all files together because some of them load others.
    """
    hasher = blake2b(digest_size=8)
    for file in sorted(STATIC.rglob("*")):
        if file.is_file():
            hasher.update(file.relative_to(STATIC).as_posix().encode() + b"\0" + file.read_bytes())
    return hasher.hexdigest()


@cache
def get_pages() -> Pages:
    """Return the templates of this process."""
    return Pages()


class _BytecodeFiles(BytecodeCache):
    """Compiled templates in the signed cache of files.

    Jinja itself checks that a template's text is unchanged.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket with a template's compiled code if the signed cache has it."""
        bytecode = signed_cache.read(self._file_name(bucket))
        if bytecode is not None:
            bucket.bytecode_from_string(bytecode)

    def dump_bytecode(self, bucket: Bucket) -> None:
        signed_cache.write(self._file_name(bucket), bucket.bytecode_to_string())

    def _file_name(self, bucket: Bucket) -> str:
        return f"page_templates/{jinja2.__version__}-{bucket.key}"


class _Unindent(Extension):
    """Removes the indentation of templates, which would be half of what they render."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the text of a template without spaces at either end of its lines."""
        return _INDENTS.sub("", source)


class _PlainContext(Context):
    """A context that simply calls what a template calls: nothing here wants to be given the context."""

    def call(self, function: Any, /, *args: Any, _loop_vars: Any = None, _block_vars: Any = None, **values: Any) -> Any:
        """Call a function or macro; Jinja adds the variables of loops and blocks, for functions that take a context."""
        return function(*args, **values)


class _Environment(Environment):
    """An environment for templates of plain data."""

    context_class = _PlainContext

    def getattr(self, value: Any, attribute: str) -> Any:
        """Return an attribute; of a dict, in which Jinja would look for attributes first, the item of that name."""
        if type(value) is dict and attribute in value and attribute not in DICT_ATTRIBUTES:
            return value[attribute]
        return super().getattr(value, attribute)


def _translate(message: str, **values: object) -> Markup:
    """Return a text in the language of the page, with escaped values in its slots."""
    return Markup(gettext(message)) % values if values else _translate_plain(message, current_language())


@lru_cache(MAX_REMEMBERED)
def _translate_plain(message: str, language: str) -> Markup:
    """Return a text without slots in the language of the page."""
    return Markup(gettext(message)) % {}


def _translate_plural(one: str, many: str, num: int, **values: object) -> Markup:
    """Return the form of a text for a number, with escaped values in its slots."""
    return Markup(ngettext(one, many, num)) % {"num": num, **values}


class Pages:
    """The templates of all pages."""

    def __init__(self) -> None:
        self._environment = _Environment(
            loader=ChoiceLoader([PackageLoader("edict.apps.web"), PackageLoader("edict.prose.rulebook")]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            extensions=["jinja2.ext.i18n", _Unindent],
            bytecode_cache=_BytecodeFiles(),
        )
        self._environment.tests.update(TEMPLATE_TESTS)
        self._environment.newstyle_gettext = True  # type: ignore[attr-defined] # of the extension
        self._environment.globals.update(_=_translate, gettext=_translate, ngettext=_translate_plural)
        helpers = {name: getattr(template_helpers, name) for name in template_helpers.__all__}
        # problem: what is wrong with a form. said: a message above the board. at: the number of answers at the point of
        # a replay; None at the table itself. luck: the sealed seed, where it may be shown.
        # undo: whether the last answer can be taken back. lessons: explanations of things that a player sees first.
        # teaches: explains each kind of question, too.
        self._environment.globals.update(
            helpers, remember=_remember, languages=languages, spoken=current_language, static=f"/static/{get_release()}"
        )
        self._environment.globals.update(problem=None, said="", at=None, luck=None, undo=False, lessons=[])
        self._environment.globals.update(teaches=False)
        # given: the viewer's early answers. together: the seats with simultaneous questions.
        self._environment.globals.update(given=(), together=(), clock=None)
        for name in self._environment.list_templates():  # all of them now: later the files may be of another release
            self._environment.get_template(name)
        self._macros: WeakKeyDictionary[Theme, Macros] = WeakKeyDictionary()

    def render(self, template: str, **values: Any) -> str:
        """Return a page as HTML."""
        return self._environment.get_template(template).render(values)

    def render_around(self, template: str, table: str, **values: Any) -> str:
        """Return a page as HTML that contains the HTML of a table."""
        return self.render(template, table=Markup(table), **values)

    def render_table(self, theme: Theme, recent: RenderCache, **values: Any) -> Element:
        """Render a table as an element; `recent` caches its parts for the next rendering."""
        macros = self._macros.get(theme)
        if macros is None:
            modules = (self._environment.get_template(name).make_module({"drawing": theme}) for name in MACRO_TEMPLATES)
            self._macros[theme] = macros = Macros(*modules)
        part = Parts(theme, macros, recent)
        return part.to_element(self.render("table.html", drawing=theme, part=part, **values))
