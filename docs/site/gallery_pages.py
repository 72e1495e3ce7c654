"""`docs/reference/gallery.md` and its pictures, made from the rules that ship.

    python docs/site/gallery_pages.py --write

`tests/project/test_made_pages.py` compares them with what the rules are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from generated_pages import write_or_print

from edict.prose.rulebook.game_gallery import GAMES, GROUPS, RECIPES, VARIANTS, GalleryEntry, build_shipped_gallery
from edict.support import resources

DOCS = Path(__file__).resolve().parent.parent
PICTURES = DOCS / "pictures" / "gallery"
HEAD = """\
# Gallery

Every game, variant and recipe of the package, with the length of its rules (without comments) and the words of the
language that few others use. `kingsburg gallery` lists the same at the terminal, `kingsburg serve` under *Gallery*.
Made from the rules (`python docs/site/gallery_pages.py --write`).

**Add your own:** put its folder, or a zip file of it, into `~/.local/share/edict/rules` (`EDICT_RULES` or
`XDG_DATA_HOME` name another place). Then its name is enough in every folder, and browser tables and the gallery offer
it.
"""
ABOUT = {
    GAMES: "Games, from one page of rules to a whole box.",
    VARIANTS: "Variants change a game, alone or several together: `kingsburg play --with governors`.",
    RECIPES: "Small games to copy from; the [cookbook](../guides/cookbook.md) explains each.",
}


def page() -> str:
    """All of docs/reference/gallery.md."""
    return "\n".join([HEAD, *(line for group in GROUPS if group in ABOUT for line in _section(group))])


def _section(group: str) -> Iterator[str]:
    yield f"## {group}\n\n{ABOUT[group]}\n\n| | |\n|---|---|"
    for one in build_shipped_gallery():
        if one.group == group:
            yield f"| ![{one.title}](../{_picture(one).relative_to(DOCS).as_posix()}) | {_told(one)} |"
    yield ""


def _told(one: GalleryEntry) -> str:
    folder = one.folder.relative_to(resources.get_shipped_folder()).as_posix()
    players = f"{one.players} {'player' if one.players == '1' else 'players'}, " if one.players else ""
    shows = f"<br>Shows {', '.join(map(_link, one.shows))}." if one.shows else ""
    return f"**[{one.title}](../../{folder})**<br>{one.sentence}<br>{players}{one.lines} lines.{shows}"


def _link(name: str) -> str:
    return f"[{name}](words.md#{name.replace(' ', '-')})"


def _picture(one: GalleryEntry) -> Path:
    return PICTURES / f"{one.name}.svg"


def _drawn(one: GalleryEntry) -> str:
    return f"{one.picture}\n"


def files() -> dict[Path, Callable[[], str]]:
    """Every file with what it holds."""
    return {
        DOCS / "reference" / "gallery.md": page,
        **{_picture(one): partial(_drawn, one) for one in build_shipped_gallery()},
    }


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    write_or_print(files())
