"""Links: of the pages in `docs/`, which are written for a folder of files, and of the pages that were made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^(`{3,}|~{3,})")


class BrokenLink(Exception):
    """A page links to something that is not there."""


def prose(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a page of Markdown, each with whether it is prose: no line of a block of code."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        yield line, not fence and not found
        if found and (not fence or line.startswith(fence)):
            fence = "" if fence else found[1]


def relinked(text: str, changed: Callable[[str], str]) -> str:
    """A page with the target of every link changed; code stays as it is.

    A link whose text is the name of a file has none on the site, where the page's title takes its place.
    """

    def link(found: re.Match[str]) -> str:
        sign = "!" if found[0].startswith("!") else ""
        file = found[2].partition("#")[0]
        named = not sign and found[1].endswith(".md") and f"/{file}".endswith(f"/{found[1]}")
        return f"{sign}[{'' if named else found[1]}]({changed(found[2])})"

    return "\n".join(_LINK.sub(link, line) if is_prose else line for line, is_prose in prose(text))


def titled(text: str) -> str:
    """A page with one title: where it has several headings of the first rank, all but the first lose a rank."""
    page = list(prose(text))
    titles = [number for number, (line, is_prose) in enumerate(page) if is_prose and line.startswith("# ")]
    if len(titles) < 2:
        return text
    below = (is_prose and line.startswith("#") and number != titles[0] for number, (line, is_prose) in enumerate(page))
    return "\n".join(f"#{line}" if lower else line for lower, (line, _) in zip(below, page, strict=True))


class _Page(HTMLParser):
    """What a page links to, loads, and can be linked to at."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        target = given.get("href") or given.get("src") or ""
        if tag in ("script", "img", "source", "iframe") or tag == "link" and given.get("rel") != "canonical":
            self.loads += [target] if target else []
        elif tag == "a" and target:
            self.links.append(target)


def broken(folder: Path) -> Iterator[str]:
    """One line for every link of a built site that leads nowhere, and for all it loads from elsewhere."""
    pages = {path.resolve(): _read(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        where = path.relative_to(folder.resolve())
        for target in page.loads:
            if urlsplit(target).netloc or not _there(path, target).is_file():
                yield f"{where}: loads {target}, which does not come with the site"
        for target in page.links:
            url = urlsplit(target)
            if url.scheme in ("http", "https", "mailto"):
                continue
            to = _there(path, target)
            if not to.exists():
                yield f"{where}: links to {target}, which is not there"
            elif url.fragment and to in pages and unquote(url.fragment) not in pages[to].anchors:
                yield f"{where}: links to {target}, which has no such place"


def _there(page: Path, target: str) -> Path:
    path = unquote(urlsplit(target).path)
    return (page.parent / path).resolve() if path else page


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page
