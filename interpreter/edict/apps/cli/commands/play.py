"""The command `play`, which starts a game from options, a table file or a scene."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer

from edict.agents.bots import BOTS
from edict.apps.cli import seating
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import (
    STOPPED,
    PlayerLeaves,
    RulesErrorWithSources,
    UsageError,
    parse_file_path,
    print_error,
    to_path,
)
from edict.apps.cli.commands.campaign import settle_campaign
from edict.apps.cli.plan_options import read_table_plans
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.game_loop import PlaySettings, allows_free_takebacks, play_at_terminal
from edict.apps.cli.rules_by_name import default_game, load_translated_rules
from edict.apps.cli.shared_options import parse_settings
from edict.compiler.sources.file_schemas import validate_once
from edict.compiler.sources.folders import MANIFEST, read_text
from edict.compiler.sources.module_set import load_catalogue
from edict.compiler.sources.written_data import WrittenData
from edict.compiler.sources.yaml_reader import read_yaml
from edict.game.scenes.scene_files import FOLDER, Scene, read_page
from edict.game.table.campaigns import Campaign
from edict.game.table.game import Game
from edict.game.table.game_errors import JournalError
from edict.game.table.journal import Journal
from edict.game.table.journal_files import save_journal
from edict.game.table.rules import Rules
from edict.game.table.setup import parse_seed
from edict.support.records import dataclass
from edict.support.rendering import index_sources
from edict.support.report import Outcome, suggest_word
from edict.support.text import Source
from edict.tools.studio.playtests import begin_at_scene
from edict.tools.studio.variant_files import Snapshot

TablePath = Annotated[
    Path | None,
    typer.Option(
        "--table", parser=parse_file_path, metavar="FILE", help="Read the whole setup from a table file (YAML)."
    ),
]
Scenario = Annotated[str, typer.Option(metavar="NAME|random", help="Play a scenario; random picks one.")]
AtScene = Annotated[str, typer.Option("--at", metavar="FILE:LINE", help="Start from a scene in a YAML file.")]
Dice = Annotated[str, typer.Option(metavar="seeded|typed", help="With typed, you roll real dice and type the results.")]
Save = Annotated[Path | None, o.path_option(metavar="FILE", help="Save the game here [default: among your games].")]
InCampaign = Annotated[
    str,
    typer.Option(
        "--campaign",
        metavar="NAME",
        autocompletion=o.campaign_names,
        help="Play the next game of a campaign, by name or path; starts one if needed.",
    ),
]
TablePlans = Annotated[
    list[str] | None,
    typer.Option(
        "--plan",
        metavar="[PLAYER=]PLAN",
        help="Let a bot (the first, or by name, kind or seat) follow a plan (a file or its text); repeatable.",
    ),
]
WatchRules = Annotated[bool, typer.Option("--watch", help="Reload the rules whenever a file changes.")]


def play(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    human: o.Humans = None,
    bot: o.Bots = None,
    players: TablePath = None,
    seed: o.Seed = "",
    modules: o.Modules = None,
    scenario: Scenario = "",
    at: AtScene = "",
    settings: o.Settings = None,
    dice: Dice = "",
    save: Save = None,
    speed: o.Speed = "",
    plain: o.Plain = False,
    watch: WatchRules = False,
    takebacks: o.Takebacks = "",
    campaign: InCampaign = "",
    plans: TablePlans = None,
) -> int:
    """Start a game and play it; returns the exit code."""
    play_settings = PlaySettings(speed, simple=plain, takebacks=takebacks, watch=watch)
    return _start_game(
        PlayOptions(
            play_settings,
            o.merge_game_arguments(game, named),
            human or (),
            bot or (),
            players,
            seed,
            modules or (),
            scenario,
            settings or (),
            dice,
            save,
            campaign,
            at,
            plans=plans or (),
        )
    )


@dataclass(frozen=True)
class TableFile:
    """The content of a table file; fields are empty where it says nothing."""

    players: tuple[str, ...]
    bots: tuple[str, ...]  # kind of bot by seat; empty for a person
    game: str = ""
    modules: tuple[str, ...] = ()
    seed: str = ""
    settings: dict[str, object] = field(default_factory=dict)
    dice: str = ""
    speed: str = ""  # a word or seconds


def read_table(path: Path) -> Outcome[TableFile]:
    """Read the table file at a path; the outcome holds diagnostics if it is wrong."""
    folder = path.absolute().parent
    return (
        read_text(folder, path.absolute())
        .and_then(read_yaml)
        .and_then(lambda parsed: _build_table_file(parsed, folder))
    )


def load_source_by_name(path: Path) -> dict[str, Source]:
    """Return the text of a file by its name, for quoting it in diagnostics."""
    source = read_text(path.absolute().parent, path.absolute()).value
    return {source.name: source} if source else {}


def _build_table_file(parsed: WrittenData, folder: Path) -> Outcome[TableFile]:
    """Validate a table file's data and build it, with paths relative to `folder`; otherwise the diagnostics."""
    diagnostics = validate_once("table", parsed)
    if diagnostics:
        return Outcome(None, tuple(diagnostics))
    data: dict[str, Any] = parsed.data
    return Outcome(
        TableFile(
            players=tuple(str(player["name"]) for player in data["players"]),
            bots=tuple(str(player.get("bot", "")) for player in data["players"]),
            game=_resolve_rules_path(folder, str(data.get("game", ""))),
            modules=tuple(_resolve_rules_path(folder, name) for name in data.get("modules", ())),
            seed=str(data.get("seed", "")),
            settings=dict(data.get("settings", {})),
            dice=str(data.get("dice", "")),
            speed=_to_seconds(data.get("speed", "")),
        )
    )


def _resolve_rules_path(folder: Path, name: str) -> str:
    """Return a name as it is, and a relative path as one from the folder of the table file."""
    return str(folder / name) if name.startswith(".") else name


def _to_seconds(speed: object) -> str:
    """Return a speed as text: a whole number is milliseconds."""
    return str(speed / 1000) if isinstance(speed, int) else str(speed)


RANDOM = "random"
SCENARIO = "scenario"


def select_scenario(name: str, game: str, seed: str) -> tuple[str, ...]:
    """Return the scenario as modules to add; none if none is wanted.

    "random" draws one, the same for the same seed. Raises `UsageError` for an unknown scenario.
    """
    if not name:
        return ()
    game_name = game or default_game()
    scenarios = sorted(
        module_name
        for module_name, (_, manifest) in load_catalogue().items()
        if manifest.kind == SCENARIO and game_name in manifest.requires
    )
    if name != RANDOM:
        if name not in scenarios:
            remedy = (
                suggest_word(name, (*scenarios, RANDOM)) or f"there are {', '.join(scenarios) or 'none'}; or {RANDOM}"
            )
            if name in load_catalogue():
                remedy = f"it is not a scenario: add it with `--with {name}`"
            raise UsageError(f"no scenario named `{name}`", remedy)
        return (name,)
    if not scenarios:
        raise UsageError(f"no scenarios for `{game_name}`", "drop --scenario")
    return (Random(seed or None).choice(scenarios),)


MAX_LISTED_SCENES = 12  # scenes listed in a message


@dataclass(frozen=True)
class SceneStart:
    """A scene to begin a game at."""

    folder: Path  # of the module or game beside which it lies
    scene: Scene

    @property
    def file(self) -> str:
        """Return its file as a path within the folder, such as "scenes/x.yaml"."""
        return self.scene.page.source.name.partition("/")[2]


def find_scene(position: str) -> SceneStart:
    """Return the scene at "FILE:LINE", or for "FILE" its first one.

    Raises `UsageError` or `RulesErrorWithSources`.
    """
    name, _, number = position.rpartition(":")
    if not name or not number.isdecimal():
        name, number = position, "1"
    file = to_path(name).absolute()
    if not file.is_file():
        raise UsageError(f"there is no file `{name}`", "name a file of scenes and a line: --at scenes/first.yaml:12")
    folder = next((parent for parent in file.parents if (parent / MANIFEST).is_file()), None)
    if folder is None or file.parent.name != FOLDER:
        raise UsageError(f"`{name}` is not a scene file", f"scenes are in the folder `{FOLDER}` beside {MANIFEST}")
    page = read_page(folder, file)
    if page.value is None:
        raise RulesErrorWithSources(
            page.diagnostics, index_sources([Source(f"{folder.name}/{FOLDER}/{file.name}", _read_text_or_empty(file))])
        )
    scenes = sorted(page.value.iter_scenes(), key=lambda scene: scene.span.line)
    last = len(page.value.source.lines)
    if not 1 <= int(number) <= last:
        scene_lines = [
            *(str(scene.span.line) for scene in scenes[:MAX_LISTED_SCENES]),
            *(["..."] if scenes[MAX_LISTED_SCENES:] else []),
        ]
        reason = f"`{name}` has no line {number}: it has {last} lines"
        raise UsageError(reason, f"name a line where a scene begins: {', '.join(scene_lines)}")
    return SceneStart(
        folder, next((candidate for candidate in reversed(scenes) if candidate.span.line <= int(number)), scenes[0])
    )


def load_scene_rules(start: SceneStart, game: str, modules: Sequence[str]) -> Rules:
    """Load the rules of a scene, with the modules that it names and further ones."""
    scene_rules, added_modules = str(start.folder), (*start.scene.modules, *modules)
    game_name = game or start.scene.page.game
    if game_name:
        return load_translated_rules(game_name, (scene_rules, *added_modules))
    return load_translated_rules(scene_rules, added_modules)


def start_at_scene(
    start: SceneStart, rules: Rules, humans: Sequence[str] = (), bots: Sequence[str] = (), seed: int | None = None
) -> Journal:
    """Return the journal of a game that begins at a scene. Raises `UsageError` and the errors of `begin_at_scene`."""
    kinds = _assign_scene_seats(start.scene, humans, bots)
    return begin_at_scene(Snapshot(start.folder), rules, start.file, start.scene.name, kinds, seed)


def _read_text_or_empty(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _assign_scene_seats(scene: Scene, humans: Sequence[str], bots: Sequence[str]) -> tuple[str, ...]:
    """Return the kind of bot for each seat of a scene; empty for a person, by default the first to answer."""
    unknown = next((name for name in humans if name not in scene.players), None)
    if unknown is not None:
        remedy = suggest_word(unknown, scene.players) or f"they are {', '.join(scene.players)}"
        raise UsageError(f"no player in this scene is named `{unknown}`", remedy)
    # without a terminal, bots play all seats
    people = humans or ((_first_player(scene),) if sys.stdin.isatty() else ())
    kinds = iter([*(BOTS.validate(kind) for kind in bots), *[seating.default_bot()] * len(scene.players)])
    return tuple("" if name in people else next(kinds) for name in scene.players)


def _first_player(scene: Scene) -> str:
    """Return the player named by the scene's `for`, or the first to answer, or the first seat's."""
    steps = scene.data.get("play") or ()
    words = (str(word) for step in steps if isinstance(step, dict) for word in step)
    candidates = (str(scene.data.get("for", "")), *words)
    return next((name for name in candidates if name in scene.players), scene.players[0])


MAX_NAME_ATTEMPTS = 20  # file names tried for a new game
UNSAVED = "the game cannot be saved: {} cannot be written"


@dataclass(frozen=True)
class PlayOptions:
    """The options of `play`, as typed."""

    play_settings: PlaySettings
    game: str = ""
    humans: Sequence[str] = ()
    bots: Sequence[str] = ()
    table: Path | None = None
    seed: str = ""
    modules: Sequence[str] = ()
    scenario: str = ""
    settings: Sequence[str] = ()
    dice: str = ""
    save: Path | None = None
    campaign: str = ""
    at: str = ""  # a scene as FILE:LINE
    table_data: TableFile | None = None  # content of the table file
    plans: Sequence[str] = ()  # as [PLAYER=]PLAN


def _start_game(options: PlayOptions) -> int:
    """Start a game and play it; return the exit code."""
    parse_settings(options.settings)  # first, because a mistyped setting leaves a word that is taken for a game
    if options.table is not None:
        options = _apply_table_file(options, _require_table_file(options.table))
    if options.at:
        return _play_from_scene(options)
    if options.campaign:
        campaign = settle_campaign(options.campaign, options.play_settings.make_screen(()))
    else:
        campaign = None
    options = _with_campaign_rules(options, campaign)
    modules = (*options.modules, *select_scenario(options.scenario, options.game, options.seed))
    rules = load_translated_rules(options.game, modules)
    try:
        seating = _resolve_seating(options, rules, campaign)
    except PlayerLeaves as leave:
        return STOPPED if leave.interrupted else 0
    allows_free_takebacks(options.play_settings, seating.bots)
    game, path = _create_game(options, rules, seating, campaign)
    if path is None:
        print_error(UNSAVED.format(saved_games.folder()), "save it elsewhere with --save FILE")
    return play_at_terminal(game, seating.bots, path, options.play_settings, options.seed)


def _with_campaign_rules(options: PlayOptions, campaign: Campaign | None) -> PlayOptions:
    """Return the options with the rules of the campaign's last game, if no rules are named."""
    if campaign is None or not campaign.games or options.game or options.modules or options.scenario:
        return options
    last = campaign.games[-1]
    return replace(options, game=last.base, modules=last.modules)


def _play_from_scene(options: PlayOptions) -> int:
    """Play a game from where a scene begins, which determines players and settings; return the exit code."""
    excluded = {
        "--scenario": options.scenario,
        "--set": options.settings,
        "--dice": options.dice,
        "--table": options.table,
        "--campaign": options.campaign,
    }
    conflict = next((name for name, value in excluded.items() if value), None)
    if conflict is not None:
        raise UsageError(f"`--at` and `{conflict}` cannot be combined", f"drop `{conflict}`: the scene already sets it")
    start = find_scene(options.at)
    rules = load_scene_rules(start, options.game, options.modules)
    journal = start_at_scene(start, rules, options.humans, options.bots, parse_seed(options.seed))
    plans = read_table_plans(rules, options.plans, journal.header.players, journal.header.bots)
    journal = replace(journal, header=replace(journal.header, plans=plans))
    allows_free_takebacks(options.play_settings, journal.header.bots)
    path = options.save or saved_games.choose_new_file(rules.title)
    if path is None:
        print_error(UNSAVED.format(saved_games.folder()), "save it elsewhere with --save FILE")
        game = rules.replay(journal)
    else:
        save_journal(path, journal)
        game = rules.resume(path)
    return play_at_terminal(game, journal.header.bots, path, options.play_settings, options.seed)


def _create_game(
    options: PlayOptions, rules: Rules, seating: seating.SeatedBots, campaign: Campaign | None
) -> tuple[Game, Path | None]:
    """Return a new game and the file it is saved in, if it can be saved.

    If another process has just created a file of the chosen name, another name is tried.
    """
    tried: set[Path] = set()
    plans = read_table_plans(rules, options.plans, seating.players, seating.bots)
    rules = campaign.next(rules) if campaign else rules
    while True:
        path = options.save or saved_games.choose_new_file(rules.title, tried)
        try:
            game = rules.new_game(
                seating.players,
                seed=parse_seed(options.seed),
                settings=_merge_settings(options),
                dice=options.dice or "seeded",
                journal=path,
                bots=seating.bots,
                plans=plans,
            )
        except JournalError:
            if path is None or options.save or len(tried) == MAX_NAME_ATTEMPTS:
                raise
            tried.add(path)
        else:
            return game, path


def _require_table_file(path: Path) -> TableFile:
    """Read a table file; raise `UsageError` if it is missing and `RulesErrorWithSources` if it is wrong."""
    if not path.is_file():
        raise UsageError(f"there is no file `{path}`", "--table takes a table file (YAML)")
    outcome = read_table(path)
    if outcome.value is None:
        raise RulesErrorWithSources(outcome.diagnostics, load_source_by_name(path))
    return outcome.value


def _apply_table_file(options: PlayOptions, table_data: TableFile) -> PlayOptions:
    """Return the options completed by a table file; typed options take precedence."""
    if options.humans or options.bots:
        raise UsageError("--table already names the players", "drop --human and --bot")
    return replace(
        options,
        game=options.game or table_data.game,
        table=None,
        seed=options.seed or table_data.seed,
        modules=(*table_data.modules, *options.modules),
        dice=options.dice or table_data.dice,
        table_data=table_data,
        play_settings=replace(options.play_settings, speed=options.play_settings.speed or table_data.speed),
    )


def _resolve_seating(options: PlayOptions, rules: Rules, campaign: Campaign | None) -> seating.SeatedBots:
    """Return players and bots by seat: of the table file, the campaign's last game, or the typed options."""
    if options.table_data:
        seating.reject_code_bots(options.table_data.bots, "the table file")
        kinds = tuple(BOTS.validate(kind) if kind else "" for kind in options.table_data.bots)
        return seating.SeatedBots(options.table_data.players, kinds)
    if campaign is not None and campaign.games and not options.humans and not options.bots:
        last = campaign.games[-1]
        seating.reject_code_bots(last.bots, "the campaign")
        return seating.SeatedBots(last.players, last.bots or ("",) * len(last.players))
    program = rules.program
    humans = options.humans
    if not humans and not options.bots and sys.stdin.isatty():
        humans = [seating.ask_player_name(options.play_settings.make_screen(()))]
    return seating.assign_seats(humans, options.bots, program.least_players, program.most_players)


def _merge_settings(options: PlayOptions) -> dict[str, object]:
    """Return the settings of the table file, overridden by typed ones."""
    file_settings = options.table_data.settings if options.table_data else {}
    return {**file_settings, **parse_settings(options.settings)}
