"""The pages of the site: those of `docs/` as they are, and those that are made of the rules, the messages and the code.

Nothing here is written twice: a message's page is the one that `kingsburg explain` prints, a rulebook the one that
`kingsburg rulebook` writes, and the reference is read from the code by Sphinx.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

import yaml
from site_links import BrokenLink, relinked, titled

from edict.apps.cli.commands.rulebook import escape_markdown, iter_examples, render_markdown
from edict.apps.cli.rules_by_name import load_annotated_rules
from edict.compiler.sources.folders import MANIFEST, Manifest, read_manifest
from edict.compiler.sources.module_lookup import load_catalogue
from edict.prose.rulebook.rulebook_contents import build_rulebook
from edict.support import resources
from edict.support.formats import read_diagnostic_page

ROOT = resources.get_shipped_folder()
HERE = Path(__file__).resolve().parent
INDEX = "docs/README.md"
DIAGNOSTICS = "grammar/diagnostics"
OWN_NAMES = {  # of pages beside `docs/`
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changes.md",
    "editors/README.md": "editors.md",
    "benchmarks/edict-bench/README.md": "edict-bench.md",
    "benchmarks/balance.md": "balance.md",
}
LIBRARIES = {"edict": "Games and studies", "edict.gym": "Learning programs", "edict.open_spiel": "OpenSpiel"}
LANGUAGES = {".py": "python", ".yaml": "yaml", ".edict": "edict", ".json": "json", ".html": "html"}

PICTURES = "docs/pictures"
NOWHERE = "---\norphan: true\n---\n\n"
"""Before a page that is linked to, and stands in no list of pages."""

Pages = Iterator[tuple[str, str]]
"""Names of files below the source folder of the site, each with its text."""


def everything() -> Pages:
    """All pages of the site."""
    yield from written()
    yield from messages()
    yield from reference()
    yield from rules()
    yield from rulebooks()


# --- pages that somebody wrote ---------------------------------------------------------------------


def written() -> Pages:
    """The pages of `docs/` and the few beside it, with the files they link to."""
    docs = [page.relative_to(ROOT).as_posix() for page in sorted((ROOT / "docs").rglob("*.md"))]
    linked: set[str] = set()
    for source in (*OWN_NAMES, *docs):
        body = relinked((ROOT / source).read_text(encoding="utf-8"), partial(target, source, linked=linked))
        yield page_of(source), titled(body) + _below(source)
    for file in sorted(linked):
        yield f"files/{file}.md", NOWHERE + _listing(f"# {file}", {file: ROOT / file})


def page_of(source: str) -> str:
    """The page of the site that a page of the repository becomes."""
    if source in OWN_NAMES:
        return OWN_NAMES[source]
    return re.sub(r"(^|/)README\.md$", r"\1index.md", source.removeprefix("docs/"))


def target(source: str, to: str, *, linked: set[str]) -> str:
    """Where a link of a page leads on the site; files of the repository get pages of their own (added to `linked`)."""
    path, _, place = to.partition("#")
    if not path or "://" in to or to.startswith("mailto:"):
        return to
    there = normpath(join(dirname(source), path))
    if there in OWN_NAMES or there.startswith("docs/") and there.endswith(".md"):
        page = page_of(there)
    elif there.startswith(f"{PICTURES}/"):
        return relpath(there.removeprefix("docs/"), dirname(page_of(source)) or ".")
    elif there.startswith(f"{DIAGNOSTICS}/"):
        page = f"messages{there.removeprefix(DIAGNOSTICS)}"
    elif (ROOT / there / MANIFEST).is_file():
        page = f"rules/{_manifest(ROOT / there).name}.md"
    else:
        linked.add(there)
        page = f"files/{there}.md"
    if not (ROOT / there).exists():
        raise BrokenLink(f"{source} links to {to}, which is not there")
    return relpath(page, dirname(page_of(source)) or ".") + (f"#{place}" if place else "")


def _below(source: str) -> str:
    """What stands below a page on the side of every page: all pages below the first, and a folder's below its own."""
    if source == INDEX:
        return _contents()
    folder = ROOT / dirname(source)
    if not source.startswith("docs/") or not source.endswith("/README.md"):
        return ""
    return _tree(sorted(page.stem for page in folder.glob("*.md") if page.name != "README.md"))


def _contents() -> str:
    """The order of the pages, for the side of every page."""
    order: dict[str, list[str]] = yaml.safe_load((HERE / "contents.yaml").read_text(encoding="utf-8"))
    made = {"Reference": ["api/index", "messages/index", "rulebooks/index", "rules/index", "changes"]}
    return "\n".join(_tree(names, title) for title, names in {**order, **made}.items())


def _tree(names: list[str], title: str = "", *options: str) -> str:
    caption = [f":caption: {title}"] if title else []
    return "\n".join(["", "```{toctree}", ":hidden:", *caption, *options, "", *names, "```", ""])


# --- messages --------------------------------------------------------------------------------------


def codes() -> list[str]:
    """Every code that has a page."""
    return sorted(file.stem for file in (resources.grammar_folder() / "diagnostics").glob("*.md"))


def messages() -> Pages:
    """A page for each code, and a table of all."""
    rows = ["| code | what is wrong | |", "|---|---|---|"]
    for code in codes():
        page = read_diagnostic_page(code)
        if page is not None:
            yield f"messages/{code}.md", re.sub(r"^```link .*", "```text", page.text, flags=re.MULTILINE)
            rows.append(f"| [{code}]({code}.md) | {escape_markdown(page.title)} | {_cell(page.about)} |")
    about = (
        "What `kingsburg check`, `test` and editors say, by code, each with an example and the way out. "
        "`kingsburg explain E0201` prints the same page in a terminal."
    )
    yield "messages/index.md", "\n".join(["# Messages", "", about, "", *rows, _tree(codes())])


def _cell(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")


# --- the code --------------------------------------------------------------------------------------


def reference() -> Pages:
    """The public names of the libraries, described by their docstrings."""
    about = (
        "The public names, from the docstrings. [](../guides/python.md) and [](../guides/learners.md) show their use."
    )
    yield (
        "api/index.md",
        "\n".join(
            [
                "# Python reference",
                "",
                about,
                "",
                *(f"- [`{name}`]({name}.md): {title.lower()}" for name, title in LIBRARIES.items()),
                _tree(list(LIBRARIES)),
            ]
        ),
    )
    for name, title in LIBRARIES.items():
        directive = ["```{eval-rst}", f".. automodule:: {name}", "   :members:", "```"]
        yield f"api/{name}.md", "\n".join([f"# {title}: `{name}`", "", *directive, ""])


# --- rules -----------------------------------------------------------------------------------------


@cache
def shipped() -> dict[str, tuple[Path, Manifest]]:
    """Every game and module that ships, the recipes too, by name."""
    recipes = (folder.parent for folder in sorted((ROOT / "examples" / "recipes").glob(f"*/{MANIFEST}")))
    return {**load_catalogue(), **{_manifest(folder).name: (folder, _manifest(folder)) for folder in recipes}}


def _manifest(folder: Path) -> Manifest:
    return read_manifest(folder).unwrap()


def rules() -> Pages:
    """The rules of everything that ships, in colour, with their scenes."""
    rows = ["| rules | |", "|---|---|"]
    for name, (folder, manifest) in shipped().items():
        files = [folder / MANIFEST, *sorted(folder.rglob("*.edict")), *sorted(folder.glob("scenes/*.yaml"))]
        below = {file.relative_to(folder): file for file in files}
        own = {path.as_posix(): file for path, file in below.items() if "template" not in path.parts}
        about = (
            f"{escape_markdown(manifest.summary)}\n\nHow it reads in English: [the rulebook](../rulebooks/{name}.md).\n"
        )
        yield f"rules/{name}.md", _listing(f"# {escape_markdown(manifest.title)}: the rules\n\n{about}", own)
        rows.append(f"| [{escape_markdown(manifest.title)}]({name}.md) | {_cell(manifest.summary)} |")
    about = "Every game and module that ships, as it is written in Edict."
    yield "rules/index.md", "\n".join(["# Rules in Edict", "", about, "", *rows, _tree(list(shipped()))])


def _listing(top: str, files: dict[str, Path]) -> str:
    """Files, one below the other, each in the colours of its language."""
    lines = [top]
    for name, file in files.items():
        language = LANGUAGES.get(file.suffix, "text")
        heading = [f"## {name}", ""] if len(files) > 1 else []
        lines += ["", *heading, f"``````{language}", file.read_text(encoding="utf-8").rstrip(), "``````"]
    return "\n".join(lines) + "\n"


def rulebooks() -> Pages:
    """The rulebook of every game, and of the game with each module."""
    rows = ["| rulebook | | |", "|---|---|---|"]
    for name, (_, manifest) in shipped().items():
        yield f"rulebooks/{name}.md", rulebook_page(name)
        rows.append(f"| [{escape_markdown(manifest.title)}]({name}.md) | {manifest.kind} | {_cell(manifest.summary)} |")
    about = "Written by `kingsburg rulebook` from the rules themselves; a module's is that of the game with it."
    yield "rulebooks/index.md", "\n".join(["# Rulebooks", "", about, "", *rows, _tree(list(shipped()))])


def rulebook_page(name: str) -> str:
    """The rulebook of what ships under a name, a module's over the game it is for."""
    folder, manifest = shipped()[name]
    alone = manifest.kind == "game"
    there = load_annotated_rules(str(folder), ()) if alone else load_annotated_rules("", (str(folder),))
    book = build_rulebook(there, None if alone else load_annotated_rules("", ()), iter_examples(there))
    return _set(render_markdown(book))


def _set(markdown: str) -> str:
    """A rulebook for the site, which makes lists of contents itself; its anchors count within the page alone."""
    markdown = re.sub(r"\A(# .*)\n\n\*(.*)\*$", r"\1 \2", markdown, flags=re.MULTILINE)  # one title for both
    whole = re.sub(r"^## Contents\n.*?(?=^<a id=)", "", markdown, count=1, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\[((?:\\.|[^\]\\])*)\]\(#([^)]+)\)", r'<a href="#\2">\1</a>', whole)
