"""What can be played at a new table, what somebody has chosen, and a stranger's module that was uploaded for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.datastructures import FormData

from edict.agents.bots import BOTS
from edict.apps.web.live_tables import PlayableGame
from edict.apps.web.request_values import parse_number
from edict.compiler.sources.appearance import wrong_looks
from edict.compiler.sources.folders import WORDS, Manifest, read_manifest, read_module
from edict.compiler.sources.module_lookup import catalogue, find, named_everywhere, shipped
from edict.compiler.sources.words_files import in_language
from edict.compiler.sources.zipped import WrongZip, unzipped
from edict.game.table.clock import TimeControl
from edict.game.table.rules import Rules, load_rules
from edict.game.table.setup import LONGEST_NAME, shorten_name
from edict.prose.rulebook.game_gallery import GalleryEntry, build_gallery
from edict.support.graphemes import find_spoof
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError
from edict.support.translations import N_, current_language, gettext

# --- a stranger's module ---------------------------------------------------------------------------


class WrongUpload(Exception):
    """What was sent is no module that can be played; the text says why."""


def rules_with(raw: bytes, game: str, modules: Sequence[str]) -> Rules:
    """A game with modules and the one in a zip file; of a whole game, that. Raises `WrongUpload`."""
    try:
        with _unpacked(raw) as folder:
            alone = read_manifest(folder).unwrap().kind == "game"
            loaded = load_rules(str(folder)) if alone else load_rules(game, [*modules, str(folder)])
            for wrong in wrong_looks(loaded.sources):
                raise WrongUpload(str(wrong))
            return _under_their_names(loaded)
    except RulesError as problem:
        raise WrongUpload(str(problem.first)) from None


def _under_their_names(rules: Rules) -> Rules:
    """The same rules under the names of their modules, wherever these lie."""
    names = {one.folder.resolve(): one.name for one in rules.sources}

    def named(wanted: str) -> str:
        return names[find(wanted).unwrap().resolve()]

    return replace(rules, name=named(rules.name), modules=tuple(map(named, rules.modules)))


@contextmanager
def _unpacked(raw: bytes) -> Iterator[Path]:
    try:
        home, files = unzipped(raw)
    except WrongZip as problem:
        raise WrongUpload(str(problem)) from None
    with TemporaryDirectory(prefix="edict-module-") as parent:
        folder = Path(parent, home or "module")
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        yield folder


# --- choices ---------------------------------------------------------------------------------------


BOTS_AT_TABLES = ("greedy", "search", "random")
STAND_IN = BOTS_AT_TABLES[0]  # answers for people who are not there: their time is up, or they do not come along


class WrongSetup(Exception):
    """What was chosen cannot be played; the text says why."""


def rules_named(game: str, modules: tuple[str, ...]) -> Rules:
    """Rules that ship, in the language that is spoken. Raises `WrongSetup`."""
    return _rules_named(game, modules, current_language())


@lru_cache(maxsize=64)
def _rules_named(game: str, modules: tuple[str, ...], language: str) -> Rules:
    try:
        return load_rules(game, modules).in_language(language)
    except RulesError as problem:
        raise WrongSetup(str(problem.first)) from None


@dataclass(frozen=True)
class TableSetup:
    """A table to be opened. strange: its rules are not only those that ship. clock: how long players may think."""

    rules: Rules
    players: tuple[str, ...]
    bots: tuple[str, ...]
    settings: Mapping[str, object]
    strange: bool = False
    clock: TimeControl | None = None

    def begun(self) -> PlayableGame:
        """A game that has just begun. Raises `GameError` if it cannot begin so, `RulesError` if the rules fail."""
        journal = self.rules.new_game(self.players, bots=self.bots, settings=self.settings).journal
        journal = replace(journal, header=replace(journal.header, clock=self.clock))
        return PlayableGame.of(replace(journal, keeps_rules=True) if self.strange else journal, self.rules, self.bots)


@dataclass(frozen=True)
class Choices:
    """What is chosen so far: names of a game, its modules, a scenario."""

    game: str
    modules: tuple[str, ...]
    problem: str = ""
    rules: Rules | None = None

    @staticmethod
    def read(form: Any, offer: TableOffer, changing: bool = False) -> Choices:
        """What a form or a link says. changing: the game was just changed, and the modules may be those of the last."""
        game = str(form.get("game", "")) or next(iter(offer.games))
        ticked = form.getlist("with") if "game" in form else (*form.getlist("with"), *offer.ticked)
        picked = dict.fromkeys(str(name) for name in ticked)
        if game not in offer.games:
            said = gettext("There is no game called %(name)s.") % {"name": game[:LONGEST_NAME]}
            return Choices(next(iter(offer.games)), (), said)
        known = tuple(name for name in picked if name in offer.modules_for(game))
        wrong = "" if changing else next((offer.unfit(game, name) for name in picked if name not in known), "")
        try:
            return Choices(game, known, wrong, offer.rules(game, known))
        except WrongSetup as problem:
            return Choices(game, known, str(problem))


class TableOffer:
    """Games and modules that ship and those of the host, named by their folders; the bots, the host's among them.

    game, modules: what a new table begins with, by name or path. Raises `RulesError` if it is not there.
    """

    def __init__(self, bots: Sequence[str] = (), game: str = "", modules: Sequence[str] = ()) -> None:
        self.bots = tuple(dict.fromkeys((*BOTS_AT_TABLES, *bots)))
        folders = [find(name).unwrap().resolve() for name in ((game, *modules) if game else ())]
        named = [(folder, read_manifest(folder).unwrap()) for folder in folders]
        ship = {folder.resolve() for folder in shipped()}
        kept = [(folder.resolve(), manifest) for folder, manifest in named_everywhere().values()]
        self.own = {one.name: (folder, one) for folder, one in (*kept, *named) if folder not in ship}
        self.game, *ticked = [manifest.name for _, manifest in named] or [""]
        self.ticked = tuple(ticked)

    @property
    def manifests(self) -> dict[str, Manifest]:
        """What ships, and what the host offers besides, in the language that is spoken."""
        return _manifests(current_language()) | {name: manifest for name, (_, manifest) in self.own.items()}

    @property
    def games(self) -> dict[str, Manifest]:
        """The one with which a table begins, then those with most to choose from."""
        games = {name: one for name, one in self.manifests.items() if one.kind == "game"}
        return dict(sorted(games.items(), key=lambda item: (item[0] != self.game, -len(self.modules_for(item[0])))))

    def modules_for(self, game: str) -> dict[str, Manifest]:
        """What can be laid over a game: modules that have a number in their order, other modules, scenarios."""
        ticked = self.ticked if game == self.game else ()  # perhaps by way of others that they require
        found = [
            (name, one)
            for name, one in self.manifests.items()
            if one.kind != "game" and (game in one.requires or name in ticked)
        ]
        return dict(sorted(found, key=lambda item: _in_the_box(item[1])))

    def gallery(self) -> list[GalleryEntry]:
        """Of the gallery, what can be played here."""
        own = (folder for folder, _ in self.own.values())
        return [one for one in build_gallery(own) if one.name in self.manifests]

    def rules(self, game: str, modules: tuple[str, ...]) -> Rules:
        """The rules of these names, the host's own as their files are now. Raises `WrongSetup`."""
        places = tuple(map(self.place, (game, *modules)))
        if places == (game, *modules):
            return rules_named(game, modules)
        try:
            return _under_their_names(load_rules(places[0], places[1:]))
        except RulesError as problem:
            raise WrongSetup(str(problem.first)) from None

    def place(self, name: str) -> str:
        """What a game or a module is found by: its name, or its folder if it does not ship."""
        return str(self.own[name][0]) if name in self.own else name

    def unfit(self, game: str, module: str) -> str:
        """Why a module cannot be laid over a game."""
        if module in self.manifests and module not in self.games:
            said = gettext("The module %(module)s does not go with %(game)s.")
            return said % {"module": module, "game": self.games[game].title}
        return gettext("There is no module called %(name)s.") % {"name": module[:LONGEST_NAME]}

    def is_own(self, choices: Choices) -> bool:
        """Whether something that was chosen does not ship."""
        return not self.own.keys().isdisjoint((choices.game, *choices.modules))

    def setup(self, form: Any, upload: bytes = b"") -> TableSetup:
        """What a form says, with a stranger's module in a zip file if there is one. Raises `WrongSetup`."""
        choices = Choices.read(form, self)
        rules = rules_under(choices, self, upload)
        seats = [_seat(form, seat, self.bots) for seat in range(rules.program.most_players)]
        taken = [seat for seat in seats if seat is not None]
        settings = {one.name: _setting(form, one) for one in rules.program.settings}
        given = {name: value for name, value in settings.items() if value is not None}
        names, bots = tuple(name for name, _ in taken), tuple(bot for _, bot in taken)
        return TableSetup(rules, names, bots, given, bool(upload) or self.is_own(choices), clock_in(form))


def rules_under(choices: Choices, offer: TableOffer, upload: bytes) -> Rules:
    """The rules of what was chosen, with a stranger's module in a zip file if there is one. Raises `WrongSetup`."""
    if choices.problem or choices.rules is None:
        raise WrongSetup(choices.problem)
    if not upload:
        return choices.rules
    try:
        return rules_with(upload, offer.place(choices.game), tuple(map(offer.place, choices.modules)))
    except WrongUpload as problem:
        raise unplayable(problem) from None


def unplayable(problem: WrongUpload | TaskFailed) -> WrongSetup:
    """What is said of a stranger's module that cannot be read, or whose rules took too much."""
    reason = f"its rules were stopped: {problem}" if isinstance(problem, TaskFailed) else problem
    return WrongSetup(gettext("The module cannot be played: %(reason)s") % {"reason": reason})


@cache
def _manifests(language: str) -> dict[str, Manifest]:
    return {name: _said_in(language, folder, manifest) for name, (folder, manifest) in catalogue().items()}


def _said_in(language: str, folder: Path, manifest: Manifest) -> Manifest:
    if not (folder / WORDS).is_dir():
        return manifest
    module = read_module(folder).value
    return in_language((module,), language)[0].manifest if module is not None else manifest


def _in_the_box(manifest: Manifest) -> tuple[bool, bool, str]:
    return manifest.kind == "scenario", not any(letter.isdigit() for letter in manifest.title), manifest.title


def begun(fields: Sequence[tuple[str, str]], offer: TableOffer, upload: bytes) -> PlayableGame:
    """The game that a form describes with a stranger's module in a zip file, so not in the server's own process.

    Raises as `TableOffer.setup` and `TableSetup.begun` do.
    """
    return offer.setup(FormData([*fields]), upload).begun()


HIDDEN = N_("A character in this cannot be seen, so it could pass for something else: leave it out.")


def name_in(form: Any, field: str) -> str:
    """Return the name in a field of a form; empty if there is none. Raises `WrongSetup` for one that could deceive."""
    name = shorten_name(str(form.get(field, "")))
    if find_spoof(name):
        raise WrongSetup(gettext(HIDDEN))
    return name


def _seat(form: Any, seat: int, bots: tuple[str, ...]) -> tuple[str, str] | None:
    """The name and the bot (none: a person) of a seat that is taken."""
    kind = str(form.get(f"seat-{seat}", ""))
    name = name_in(form, f"name-{seat}")
    if kind == "person":
        return name or gettext("Player %(number)s") % {"number": seat + 1}, ""
    if kind in bots:
        return name or f"{BOTS.title(kind)} {seat + 1}"[-LONGEST_NAME:], kind
    return None


CLOCKS = ("clock", "clock-minutes", "clock-seconds", "clock-hours")
"""The fields of a form that set a clock: for the whole `game` or each `turn` (none: no clock), and how long."""
NO_TIME = N_("A clock needs at least one minute for each player, or one hour for each turn, and at most a year.")


def clock_in(form: Any) -> TimeControl | None:
    """The clock that a form sets; None if it sets none. Raises `WrongSetup`."""
    kind, *times = (form.get(field, "") for field in CLOCKS)
    minutes, seconds, hours = map(parse_number, times)
    clock = {"game": (60 * (minutes or 0), seconds or 0, False), "turn": (3600 * (hours or 0), 0, True)}.get(str(kind))
    if clock is None:
        return None
    found = TimeControl.from_data(dict(zip(("seconds", "increment", "each_turn"), clock, strict=True)))
    if found is None:
        raise WrongSetup(gettext(NO_TIME))
    return found


def _setting(form: Any, setting: Any) -> object:
    text = str(form.get(f"set-{setting.name}", ""))
    if setting.truth:
        return bool(text) if f"has-{setting.name}" in form else None
    return parse_number(text)
