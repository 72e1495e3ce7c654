"""The pictures of the documentation, taken anew in a browser: tables of Kingsburg that bots played, and the studio.

PYTHONPATH=tests/kit python docs/site/pictures.py           # all of them
PYTHONPATH=tests/kit python docs/site/pictures.py board     # those that are named
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page, expect

from browsing import People, create_table_from_journal, launch_chromium, run_server
from edict.agents.bots import BOTS
from edict.game.table.game import Game
from edict.game.table.log_entries import LOOK
from edict.game.table.rules import load_rules
from tea_house import RULES

FOLDER = Path(__file__).resolve().parent.parent / "pictures"
QUALITY = 82
SEED, PLAYERS, VIEWER = 2, ("Ben", "Ann", "Cleo", "Dan"), 1
WIDE, LAPTOP, TABLET, PHONE = (1440, 1000), (1024, 768), (820, 1180), (390, 844)
STRIP = 260  # pixels that a frame of a strip is wide
BEATS = (900, 4200, 30_000)  # milliseconds after a battle has begun to be told
WITHOUT_HINTS = "localStorage.setItem('told', JSON.stringify(['all']))"
AT = """(moment) => {
  for (const one of document.getAnimations()) {
    one.pause();
    one.currentTime = moment;
  }
}"""


def game_at(when: Callable[[Game], bool]) -> Game:
    """A game of greedy bots as it is when something is so for the first time, or at its end."""
    game = load_rules("kingsburg").new_game(PLAYERS, seed=SEED)
    bots = [BOTS["greedy"](game.program, seat) for seat in range(len(PLAYERS))]
    while not game.over and not when(game):
        game.answer(bots[game.seat].choose(game.view(game.seat), game.ask))
    return game


def before_a_battle() -> tuple[Game, str]:
    """A game as it is before an answer that leads to a battle, and that answer."""
    found = list[str]()

    def leads_there(game: Game) -> bool:
        if game.seat < 0 or len(game.answers) < 60:
            return False
        then = game.copy()
        chosen = BOTS["greedy"](game.program, game.seat).choose(game.view(game.seat), game.ask)
        found[:] = [game.ask.options[chosen].key]
        then.answer(found[0])
        return sum(one.kind == LOOK for one in then.log) > sum(one.kind == LOOK for one in game.log)

    return game_at(leads_there), found[0]


def is_telling(game: Game) -> bool:
    """Whether whoever looks chooses an advisor, knows the enemy, and has played for some time."""
    known = game.view(VIEWER).value("foe") if game.seat == VIEWER else None
    return known is not None and known >= 0 and game.ask.question == "choose-whom" and len(game.answers) > 60


def is_asked(game: Game, words: str, answers: int = 0) -> bool:
    """Return True if the viewer is asked a question with some words, after a number of answers."""
    return game.seat == VIEWER and len(game.answers) >= answers and words in game.ask.prompt.lower()


SIZES = ((1440, 900), (1024, 768), (820, 1180), (390, 844))
HEIGHT = 400  # pixels that each picture of a moment is high
MOMENTS: dict[str, Callable[[Game], bool]] = {
    "first-question": lambda game: is_asked(game, ""),
    "advisor": is_telling,
    "payment": lambda game: is_asked(game, "how many"),
    "building": lambda game: is_asked(game, "which building", 30),
    "year": lambda game: is_asked(game, "", 70) and "winter" in str(game.phases).lower(),
    "score": lambda game: False,
}


class Camera:
    """Takes pictures of pages of one server into a folder."""

    def __init__(self, people: People, folder: Path) -> None:
        self.people = people
        self.folder = folder

    def table(self, name: str, game: Game, size: tuple[int, int], **like: Any) -> None:
        """The table of a game, as one of its players sees it."""
        page = self._page(size, **like)
        page.goto(self._seat(game, VIEWER))
        page.locator("form.play").wait_for()
        self.take(page, name)

    def moment(self, name: str, open_moment: Callable[[Page], None]) -> None:
        """A moment at all sizes, in one picture."""
        frames = list[tuple[str, int]]()
        for size in SIZES:
            page = self._page(size)
            open_moment(page)
            page.wait_for_timeout(1000)
            frames.append((self._frame(page), HEIGHT * size[0] // size[1]))
            page.context.close()
        self._take_strip(name, frames, HEIGHT)

    def open_table(self, page: Page, game: Game) -> None:
        """Open the viewer's seat at a table for a game."""
        page.goto(self._seat(game, VIEWER))
        page.locator("form.play").wait_for()

    def open_battle(self, page: Page) -> None:
        """Give the last answer before a battle."""
        game, answer = before_a_battle()
        page.goto(self._seat(game, game.seat))
        page.locator("form.play").wait_for()
        page.locator(f".option[value='{answer}']").click()
        page.locator("#pause[open]").wait_for()

    def open_start(self, page: Page) -> None:
        """Open the start page and wait for the covers."""
        page.goto("/")
        page.locator(".covers svg").first.wait_for()

    def battle(self, name: str) -> None:
        """A battle as whoever gave the last answer before it sees it: a strip of pictures, one after the other."""
        game, answer = before_a_battle()
        page = self._page(PHONE, reduced_motion="no-preference")
        page.goto(self._seat(game, game.seat))
        page.locator("form.play").wait_for()
        frames = [self._frame(page)]
        page.locator(f".option[value='{answer}']").click()
        page.locator("#pause[open]").wait_for()
        for moment in BEATS:
            page.evaluate(AT, moment)
            frames.append(self._frame(page))
        page.locator("#pause-close").click()
        page.evaluate(AT, BEATS[-1])
        frames.append(self._frame(page))
        page.context.close()
        self._take_strip(name, [(frame, STRIP - 8) for frame in frames], STRIP * PHONE[1] // PHONE[0])

    def _take_strip(self, name: str, frames: list[tuple[str, int]], height: int) -> None:
        """Take a picture of pictures of some widths, one beside the other."""
        strip = self._page((sum(width + 8 for _, width in frames), height))
        shown = "".join(f'<img width="{width}" src="data:image/png;base64,{frame}">' for frame, width in frames)
        strip.set_content(f'<body style="margin:0; display:flex; gap:8px; background:#888">{shown}</body>')
        self.take(strip, name)

    def _frame(self, page: Page) -> str:
        page.wait_for_timeout(300)
        return base64.b64encode(page.screenshot()).decode()

    def _seat(self, game: Game, seat: int) -> str:
        """The link of a seat at a table for a game."""
        journal = self.folder / "game.jsonl"
        journal.write_bytes(game.journal.to_bytes())
        return create_table_from_journal(self.people, journal)[seat]

    def studio(self, name: str) -> None:
        """The studio with a building that somebody has just written."""
        page = self._page(WIDE)
        page.goto("/studio")
        page.get_by_role("button", name="Begin the tutorial").click()
        editor = page.locator(".cm-content[contenteditable=true]")
        editor.click()
        page.keyboard.press("Control+A")
        for line in RULES.splitlines():
            page.keyboard.type(line.strip())
            page.keyboard.press("Escape")
            page.keyboard.press("Enter")
        expect(page.locator("#problems")).to_contain_text("No problems")
        page.get_by_role("button", name="Hide").click()
        editor.get_by_text("tea-house").click()
        page.mouse.move(0, 0)
        expect(page.locator("#english")).to_contain_text("Tea House")
        self.take(page, name)

    def take(self, page: Page, name: str) -> None:
        """What is on the screen, as a picture of the documentation."""
        page.wait_for_timeout(1000)
        shot = {"format": "webp", "quality": QUALITY}
        sent = page.context.new_cdp_session(page).send("Page.captureScreenshot", shot)
        (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(sent["data"]))
        page.context.close()

    def _page(self, size: tuple[int, int], **like: Any) -> Page:
        page = self.people.open_page({"width": size[0], "height": size[1]}, **like)
        page.add_init_script(WITHOUT_HINTS)
        return page


PICTURES: dict[str, Callable[[Camera], None]] = {
    "board": lambda camera: camera.table("board", game_at(is_telling), WIDE),
    "end": lambda camera: camera.table("end", game_at(lambda game: False), WIDE),
    "laptop": lambda camera: camera.table("laptop", game_at(is_telling), LAPTOP),
    "battle": lambda camera: camera.battle("battle"),
    "phone": lambda camera: camera.table("phone", game_at(is_telling), PHONE),
    "tablet-dark": lambda camera: camera.table("tablet-dark", game_at(is_telling), TABLET, color_scheme="dark"),
    "studio": lambda camera: camera.studio("studio"),
    "moment-start": lambda camera: camera.moment("moment-start", camera.open_start),
    "moment-battle": lambda camera: camera.moment("moment-battle", camera.open_battle),
}


def take_moment(name: str, when: Callable[[Game], bool], camera: Camera) -> None:
    """Take the picture of a moment of a game."""
    game = game_at(when)
    camera.moment(f"moment-{name}", lambda page: camera.open_table(page, game))


PICTURES |= {f"moment-{name}": partial(take_moment, name, when) for name, when in MOMENTS.items()}


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        sys.exit(f"there is no picture `{unknown[0]}`; there are {', '.join(PICTURES)}")
    with TemporaryDirectory() as place, launch_chromium() as browser:
        folder = Path(place)
        with run_server(folder, "studio", str(folder / "variants")) as server:
            camera = Camera(People(browser, server), folder)
            for name in names or PICTURES:
                PICTURES[name](camera)
                print(FOLDER / f"{name}.webp")


if __name__ == "__main__":
    main(sys.argv[1:])
