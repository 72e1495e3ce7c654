"""New tables: the games, modules and bots on offer, the choices in a form, and modules that strangers upload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.datastructures import FormData, QueryParams

from edict.agents.bots import BOTS
from edict.agents.bots.planned_bot import check_plan
from edict.apps.web.live_tables import PlayableGame
from edict.apps.web.request_values import parse_number
from edict.compiler.sources.appearance import check_looks
from edict.compiler.sources.folders import WORDS, Manifest, read_manifest, read_module
from edict.compiler.sources.module_lookup import find_module, list_shipped_modules, load_catalogue, load_full_catalogue
from edict.compiler.sources.words_files import translate_modules
from edict.compiler.sources.zipped import InvalidZipError, extract_module
from edict.game.table.clock import TimeControl
from edict.game.table.journal import MOST_TEXT
from edict.game.table.rules import Rules, load_rules
from edict.game.table.setup import LONGEST_NAME, shorten_name
from edict.prose.rulebook.game_gallery import GalleryEntry, build_gallery
from edict.support.graphemes import find_spoof
from edict.support.processes.tasks import TaskFailed
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.support.request_errors import RequestError
from edict.support.translations import N_, current_language, gettext

# --- a stranger's module ---------------------------------------------------------------------------


def load_uploaded_rules(raw: bytes, game: str, modules: Sequence[str]) -> Rules:
    """Load a game with modules and the uploaded module in a zip file.

    An uploaded game is loaded by itself, without `game` and `modules`.

    Raises:
        InvalidSetupError: The file cannot be read or its rules have errors.
    """
    try:
        with _unpack_upload(raw) as folder:
            is_game = read_manifest(folder).unwrap().kind == "game"
            if is_game:
                rules = load_rules(str(folder))
            else:
                rules = load_rules(game, [*modules, str(folder)])
            if look_problems := tuple(check_looks(rules.sources)):
                raise RulesError(look_problems)
            return _with_module_names(rules)
    except (InvalidZipError, RulesError) as problem:
        raise to_setup_error(problem) from None


def _with_module_names(rules: Rules) -> Rules:
    """Return the rules with the names of their modules in place of paths."""
    names = {module.folder.resolve(): module.name for module in rules.sources}

    def find_name(name_or_path: str) -> str:
        return names[find_module(name_or_path).unwrap().resolve()]

    return replace(rules, name=find_name(rules.name), modules=tuple(map(find_name, rules.modules)))


@contextmanager
def _unpack_upload(raw: bytes) -> Iterator[Path]:
    """Yield a temporary folder with the module of a zip file. Raises `InvalidSetupError`."""
    root, files = extract_module(raw)
    with TemporaryDirectory(prefix="edict-module-") as parent:
        folder = Path(parent, root or "module")
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        yield folder


# --- choices ---------------------------------------------------------------------------------------


BOTS_AT_TABLES = ("greedy", "search", "random")  # kinds of bots that every table offers
PLAN_FIELD = "plan-"  # fields of a form, by the number of the seat
STAND_IN = BOTS_AT_TABLES[0]  # the kind of bot that answers for people who are out of time or not taking part


class InvalidSetupError(Exception):
    """Raised when a game cannot be played with the chosen setup; the text is for the player."""


def load_shipped_rules(game: str, modules: tuple[str, ...]) -> Rules:
    """Load rules that ship, in the language of the current request.

    Raises:
        InvalidSetupError: The game and modules do not go together.
    """
    return _load_shipped_rules(game, modules, current_language())


@lru_cache(maxsize=64)
def _load_shipped_rules(game: str, modules: tuple[str, ...], language: str) -> Rules:
    """Load shipped rules in a language. Raises `InvalidSetupError` with the first error."""
    try:
        return load_rules(game, modules).in_language(language)
    except RulesError as problem:
        raise InvalidSetupError(str(problem.first)) from None


@dataclass(frozen=True)
class TableSetup:
    """The setup of a table that is to be opened."""

    rules: Rules
    players: tuple[str, ...]  # names by seat
    bots: tuple[str, ...]  # kind of bot by seat; empty for a person
    settings: Mapping[str, object]
    untrusted: bool = False  # whether any of the rules do not ship
    clock: TimeControl | None = None  # how long players may think; None for no limit
    plans: tuple[str, ...] = ()  # text of the plan of each seat's bot; empty without one

    def start_game(self) -> PlayableGame:
        """Start a game with this setup.

        Raises:
            GameError: The game does not allow this setup.
            InvalidSetupError: A plan cannot be followed.
            RulesError: The rules fail.
        """
        for player, bot, plan in zip(self.players, self.bots, self.plans, strict=False):
            if plan:
                self._check_plan(player, bot, plan)
        journal = self.rules.new_game(
            self.players, bots=self.bots, settings=self.settings, plans=self.plans if any(self.plans) else ()
        ).journal
        journal = replace(journal, header=replace(journal.header, clock=self.clock))
        return PlayableGame.from_journal(
            replace(journal, keeps_rules=True) if self.untrusted else journal, self.rules, self.bots
        )

    def _check_plan(self, player: str, bot: str, plan: str) -> None:
        """Raise `InvalidSetupError` if the bot of a player cannot follow a plan."""
        if not bot or BOTS.is_user_code(bot):
            template = gettext("%(name)s cannot follow a plan: only the built-in bots can.")
            raise InvalidSetupError(template % {"name": player})
        try:
            check_plan(self.rules.sources, plan)
        except (RequestError, RulesError) as problem:
            reason = problem.first if isinstance(problem, RulesError) else problem
            message = gettext("The plan of %(name)s cannot be followed: %(reason)s")
            raise InvalidSetupError(message % {"name": player, "reason": reason}) from None


@dataclass(frozen=True)
class Choices:
    """The choices made so far in a form: a game and its modules or scenario."""

    game: str
    modules: tuple[str, ...]
    problem: str = ""  # why they cannot be played, for the player; empty if they can
    rules: Rules | None = None  # None if they have errors

    @staticmethod
    def create_default(offer: TableOffer) -> Choices:
        """Return the choices of a link without any."""
        return Choices.read(QueryParams(), offer)

    @staticmethod
    def read(form: Any, offer: TableOffer, game_changed: bool = False) -> Choices:
        """Read the choices in a form or in the query of a link.

        If the game was just changed, modules that do not fit it are dropped without a problem.
        """
        game = str(form.get("game", "")) or next(iter(offer.games))
        if "game" in form:
            selected = form.getlist("with")
        else:
            selected = (*form.getlist("with"), *offer.preselected_modules)
        module_names = dict.fromkeys(str(name) for name in selected)
        if game not in offer.games:
            template = gettext("There is no game called %(name)s.") % {"name": game[:LONGEST_NAME]}
            return Choices(next(iter(offer.games)), (), template)
        fitting = tuple(name for name in module_names if name in offer.modules_for(game))
        if game_changed:
            mismatch = ""
        else:
            mismatch = next((offer.describe_mismatch(game, name) for name in module_names if name not in fitting), "")
        try:
            return Choices(game, fitting, mismatch, offer.load_rules(game, fitting))
        except InvalidSetupError as problem:
            return Choices(game, fitting, str(problem))


class TableOffer:
    """The games, modules and bots from which players can choose: those that ship, and the host's own.

    Args:
        bots: Further kinds of bots.
        game: The preselected game, by name or path.
        modules: The preselected modules, by name or path.

    Attributes:
        own: Folder and manifest of each game and module that does not ship, by name.

    Raises:
        RulesError: A preselected game or module does not exist.
    """

    def __init__(self, bots: Sequence[str] = (), game: str = "", modules: Sequence[str] = ()) -> None:
        self.bots = tuple(dict.fromkeys((*BOTS_AT_TABLES, *bots)))
        folders = [find_module(name).unwrap().resolve() for name in ((game, *modules) if game else ())]
        preselected = [(folder, read_manifest(folder).unwrap()) for folder in folders]
        shipped_folders = {folder.resolve() for folder in list_shipped_modules()}
        findable = [(folder.resolve(), manifest) for folder, manifest in load_full_catalogue().values()]
        self.own = {
            one.name: (folder, one) for folder, one in (*findable, *preselected) if folder not in shipped_folders
        }
        self.game, *modules_after_game = [manifest.name for _, manifest in preselected] or [""]
        self.preselected_modules = tuple(modules_after_game)

    @property
    def manifests(self) -> dict[str, Manifest]:
        """Return the manifests of all games and modules on offer, by name, in the current language."""
        return _load_manifests(current_language()) | {name: manifest for name, (_, manifest) in self.own.items()}

    @property
    def games(self) -> dict[str, Manifest]:
        """Return the games by name, the preselected one first, then those with the most modules."""
        games = {name: manifest for name, manifest in self.manifests.items() if manifest.kind == "game"}
        return dict(sorted(games.items(), key=lambda item: (item[0] != self.game, -len(self.modules_for(item[0])))))

    def modules_for(self, game: str) -> dict[str, Manifest]:
        """Return the modules and scenarios for a game, by name.

        Modules with a number in their title come first, then other modules, then scenarios.
        """
        # they may require the game only through other modules
        preselected = self.preselected_modules if game == self.game else ()
        fitting = [
            (name, manifest)
            for name, manifest in self.manifests.items()
            if manifest.kind != "game" and (game in manifest.requires or name in preselected)
        ]
        return dict(sorted(fitting, key=lambda item: _sort_key(item[1])))

    def gallery(self) -> list[GalleryEntry]:
        """Return the entries of the gallery that can be played here."""
        own = (folder for folder, _ in self.own.values())
        return [entry for entry in build_gallery(own) if entry.name in self.manifests]

    def load_rules(self, game: str, modules: tuple[str, ...]) -> Rules:
        """Load a game with modules by name; the host's own are read from their files again.

        Raises:
            InvalidSetupError: The rules have errors.
        """
        places = tuple(map(self.to_loadable_name, (game, *modules)))
        if places == (game, *modules):
            return load_shipped_rules(game, modules)
        try:
            return _with_module_names(load_rules(places[0], places[1:]))
        except RulesError as problem:
            raise InvalidSetupError(str(problem.first)) from None

    def to_loadable_name(self, name: str) -> str:
        """Return the string by which a game or module is loaded: its name, or its folder if it does not ship."""
        return str(self.own[name][0]) if name in self.own else name

    def describe_mismatch(self, game: str, module: str) -> str:
        """Return the message that a module does not go with a game."""
        if module in self.manifests and module not in self.games:
            template = gettext("The module %(module)s does not go with %(game)s.")
            return template % {"module": module, "game": self.games[game].title}
        return gettext("There is no module called %(name)s.") % {"name": module[:LONGEST_NAME]}

    def is_own(self, choices: Choices) -> bool:
        """Return True if the chosen game or a chosen module does not ship."""
        return not self.own.keys().isdisjoint((choices.game, *choices.modules))

    def read_setup(self, form: Any, upload: bytes = b"") -> TableSetup:
        """Read the setup of a table from a form, with an uploaded module in a zip file if there is one.

        Raises:
            InvalidSetupError: It cannot be played.
        """
        choices = Choices.read(form, self)
        rules = load_chosen_rules(choices, self, upload)
        seats = [_read_seat(form, seat, self.bots) for seat in range(rules.program.most_players)]
        taken_seats = [seat for seat in seats if seat is not None]
        settings = {setting.name: _read_setting(form, setting) for setting in rules.program.settings}
        chosen_settings = {name: value for name, value in settings.items() if value is not None}
        names, bots = tuple(name for name, _ in taken_seats), tuple(bot for _, bot in taken_seats)
        plans = tuple(_read_plan(form, number) for number, seat in enumerate(seats) if seat is not None)
        untrusted = bool(upload) or self.is_own(choices)
        return TableSetup(rules, names, bots, chosen_settings, untrusted, read_clock(form), plans)


def load_chosen_rules(choices: Choices, offer: TableOffer, upload: bytes) -> Rules:
    """Return the chosen rules, together with an uploaded module in a zip file if there is one.

    Raises:
        InvalidSetupError: They cannot be played.
    """
    if choices.problem or choices.rules is None:
        raise InvalidSetupError(choices.problem)
    if not upload:
        return choices.rules
    return load_uploaded_rules(
        upload, offer.to_loadable_name(choices.game), tuple(map(offer.to_loadable_name, choices.modules))
    )


def to_setup_error(problem: InvalidZipError | RulesError | TaskFailed) -> InvalidSetupError:
    """Convert the failure of an uploaded module, or of a process that ran its rules, to a setup error."""
    reason = f"its rules were stopped: {problem}" if isinstance(problem, TaskFailed) else problem
    reason = problem.first if isinstance(problem, RulesError) else reason
    return InvalidSetupError(gettext("The module cannot be played: %(reason)s") % {"reason": reason})


@cache
def _load_manifests(language: str) -> dict[str, Manifest]:
    """Return the manifests of all shipped games and modules by name, in a language."""
    return {
        name: _translate_manifest(language, folder, manifest) for name, (folder, manifest) in load_catalogue().items()
    }


def _translate_manifest(language: str, folder: Path, manifest: Manifest) -> Manifest:
    """Return a manifest in a language; unchanged if its module has no translations or cannot be read."""
    if not (folder / WORDS).is_dir():
        return manifest
    module = read_module(folder).value
    if module is not None:
        return translate_modules((module,), language)[0].manifest
    return manifest


def _sort_key(manifest: Manifest) -> tuple[bool, bool, str]:
    """Return the key that puts scenarios last, titles with a number first, then sorts by title."""
    return manifest.kind == "scenario", not any(letter.isdigit() for letter in manifest.title), manifest.title


def start_game_from_form(fields: Sequence[tuple[str, str]], offer: TableOffer, upload: bytes) -> PlayableGame:
    """Start the game that a form describes, with an uploaded module in a zip file.

    Call it in a process for strangers' rules, not in the server's own. Raises as `TableOffer.read_setup` and
    `TableSetup.start_game` do.
    """
    return offer.read_setup(FormData([*fields]), upload).start_game()


INVISIBLE_CHARACTER = N_("A character in this cannot be seen, so it could pass for something else: leave it out.")


def read_name(form: Any, field: str) -> str:
    """Return the name in a field of a form; empty if there is none.

    Raises:
        InvalidSetupError: The name has invisible characters, so it could pass for another.
    """
    name = shorten_name(str(form.get(field, "")))
    if find_spoof(name):
        raise InvalidSetupError(gettext(INVISIBLE_CHARACTER))
    return name


def _read_seat(form: Any, seat: int, bots: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the name at a seat and its kind of bot (empty for a person), or None for an empty seat."""
    kind = str(form.get(f"seat-{seat}", ""))
    name = read_name(form, f"name-{seat}")
    if kind == "person":
        return name or gettext("Player %(number)s") % {"number": seat + 1}, ""
    if kind in bots:
        return name or f"{BOTS.title(kind)} {seat + 1}"[-LONGEST_NAME:], kind
    return None


def _read_plan(form: Any, seat: int) -> str:
    """Return the plan for a seat in a form; empty if there is none."""
    return str(form.get(f"{PLAN_FIELD}{seat}", "")).replace("\r\n", "\n").strip()[:MOST_TEXT]


def has_plans(form: Any) -> bool:
    """Return True if a form has a plan for any seat."""
    return any(name.startswith(PLAN_FIELD) and str(value).strip() for name, value in form.multi_items())


# fields of a form that set a clock: `game`, `turn` or neither for no clock, and the times
CLOCK_FIELDS = ("clock", "clock-minutes", "clock-seconds", "clock-hours")
INVALID_CLOCK = N_("A clock needs at least one minute for each player, or one hour for each turn, and at most a year.")


def read_clock(form: Any) -> TimeControl | None:
    """Return the clock that a form sets, or None if it sets none.

    Raises:
        InvalidSetupError: The time is too short or too long.
    """
    kind, *times = (form.get(field, "") for field in CLOCK_FIELDS)
    minutes, seconds, hours = map(parse_number, times)
    clock = {"game": (60 * (minutes or 0), seconds or 0, False), "turn": (3600 * (hours or 0), 0, True)}.get(str(kind))
    if clock is None:
        return None
    time_control = TimeControl.from_data(dict(zip(("seconds", "increment", "each_turn"), clock, strict=True)))
    if time_control is None:
        raise InvalidSetupError(gettext(INVALID_CLOCK))
    return time_control


def _read_setting(form: Any, setting: Any) -> object:
    """Return the value of a setting in a form: a truth value or a number; None if it is not given."""
    text = str(form.get(f"set-{setting.name}", ""))
    if setting.truth:
        return bool(text) if f"has-{setting.name}" in form else None
    return parse_number(text)
