"""How Sphinx sets the site that `make_site.py` writes the pages of."""

from __future__ import annotations

from site_docstrings import as_restructured

import edict

project = "Kingsburg on Edict"
version = release = edict.__version__
copyright = "the authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]

# What is wrong with a link or a page is an error: `make docs` runs with -W.
myst_heading_anchors = 5
myst_enable_extensions = ["deflist"]
default_role = "py:obj"  # `Game` in a docstring leads to its page if it has one

highlight_language = "none"  # of blocks that name no language
autodoc_mock_imports = ["pyspiel"]  # 70 MB that describing two classes does not need
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_use_ivar = True  # attributes of a class are described once, where autodoc finds them
autodoc_class_signature = "mixed"

html_theme = "furo"
html_title = project
html_baseurl = ""
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_search_summary = False  # would read the pages that were found, which browsers refuse to pages of a folder
html_theme_options = {"top_of_page_buttons": [], "navigation_with_keys": True}
copybutton_exclude = ".linenos, .gp"


def _docstring(app: object, what: str, name: str, it: object, options: object, lines: list[str]) -> None:
    lines[:] = as_restructured(lines)


def setup(app: object) -> None:
    app.connect("autodoc-process-docstring", _docstring)  # type: ignore[attr-defined]
