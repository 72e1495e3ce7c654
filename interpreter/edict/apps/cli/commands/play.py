"""`play`: a new game, from the options of the command to its first question."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer

from edict.apps.cli import shared_options as o
from edict.apps.cli import who_plays
from edict.apps.cli.command_errors import STOPPED, Leave, UsageError, WrongRules, print_error
from edict.apps.cli.commands.campaign import settled_campaign
from edict.apps.cli.option_values import a_file, a_path, settings_of
from edict.apps.cli.playing import saved_games
from edict.apps.cli.playing.game_loop import PlaySettings, at_the_table, takes_back_freely
from edict.apps.cli.rules_by_name import default_game, spoken_rules_of
from edict.compiler.sources.file_schemas import schema_findings
from edict.compiler.sources.folders import MANIFEST, read_text
from edict.compiler.sources.module_set import catalogue
from edict.compiler.sources.yaml_reader import WrittenData, read_yaml
from edict.game.scenes.scene_files import FOLDER, Scene, read_page
from edict.game.table.campaigns import Campaign
from edict.game.table.game import Game
from edict.game.table.game_errors import JournalError
from edict.game.table.journal import Journal
from edict.game.table.journal_files import save_journal
from edict.game.table.rules import Rules
from edict.game.table.setup import parse_seed
from edict.support.rendering import index_sources
from edict.support.report import Outcome, suggest_word
from edict.support.text import Source
from edict.tools.studio.playtests import begin_at
from edict.tools.studio.snapshots import Snapshot

TablePath = Annotated[
    Path | None,
    typer.Option("--table", parser=a_file, metavar="FILE", help="Read the whole setup from a table file (YAML)."),
]
Scenario = Annotated[str, typer.Option(metavar="NAME|random", help="Play a scenario; random draws one.")]
AtScene = Annotated[str, typer.Option("--at", metavar="FILE:LINE", help="Begin where a scene in a YAML file begins.")]
Dice = Annotated[str, typer.Option(metavar="seeded|typed", help="With typed, roll real dice and type what they show.")]
Save = Annotated[Path | None, o.path(metavar="FILE", help="Save the game here [default: among your games].")]
InCampaign = Annotated[
    str,
    typer.Option(
        "--campaign",
        metavar="NAME",
        autocompletion=o.campaign_names,
        help="Make this the next game of a campaign, by name or path; starts one if need be.",
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
) -> int:
    """Start a game and play it; returns the exit code."""
    manner = PlaySettings(speed, simple=plain, takebacks=takebacks, watch=watch)
    return _play(
        PlayOptions(
            manner,
            o.one_game(game, named),
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
        )
    )


@dataclass(frozen=True)
class TableFile:
    """What a table file says; `bots` by seat, nothing for a person; None and empty where it says nothing."""

    players: tuple[str, ...]
    bots: tuple[str, ...]
    game: str = ""
    modules: tuple[str, ...] = ()
    seed: str = ""
    settings: dict[str, object] = field(default_factory=dict)
    dice: str = ""
    speed: str = ""


def read_table(path: Path) -> Outcome[TableFile]:
    """The table file at a path, with the findings where it cannot be understood."""
    home = path.absolute().parent
    return read_text(home, path.absolute()).and_then(read_yaml).and_then(lambda written: _table_file(written, home))


def source_of(path: Path) -> dict[str, Source]:
    """The text of the file by name, for showing where it is wrong."""
    source = read_text(path.absolute().parent, path.absolute()).value
    return {source.name: source} if source else {}


def _table_file(written: WrittenData, home: Path) -> Outcome[TableFile]:
    wrong = schema_findings("table", written)
    if wrong:
        return Outcome(None, tuple(wrong))
    data: dict[str, Any] = written.data
    return Outcome(
        TableFile(
            players=tuple(str(player["name"]) for player in data["players"]),
            bots=tuple(str(player.get("bot", "")) for player in data["players"]),
            game=_from_home(home, str(data.get("game", ""))),
            modules=tuple(_from_home(home, name) for name in data.get("modules", ())),
            seed=str(data.get("seed", "")),
            settings=dict(data.get("settings", {})),
            dice=str(data.get("dice", "")),
            speed=_milliseconds(data.get("speed", "")),
        )
    )


def _from_home(home: Path, name: str) -> str:
    """Folders named in a table file are meant from where the file stands."""
    return str(home / name) if name.startswith(".") else name


def _milliseconds(speed: object) -> str:
    return str(speed / 1000) if isinstance(speed, int) else str(speed)


DRAWN = "random"
SCENARIO = "scenario"


def scenario(wanted: str, game: str, seed: str) -> tuple[str, ...]:
    """The modules to add; the same seed draws the same scenario."""
    if not wanted:
        return ()
    over = game or default_game()
    found = sorted(n for n, (_, m) in catalogue().items() if m.kind == SCENARIO and over in m.requires)
    if wanted != DRAWN:
        if wanted not in found:
            remedy = suggest_word(wanted, (*found, DRAWN)) or f"there are {', '.join(found) or 'none'}; or {DRAWN}"
            if wanted in catalogue():
                remedy = f"it is not a scenario: add it with `--with {wanted}`"
            raise UsageError(f"no scenario is named `{wanted}`", remedy)
        return (wanted,)
    if not found:
        raise UsageError(f"no scenario ships for `{over}`", "leave --scenario out")
    return (Random(seed or None).choice(found),)


MOST_LINES = 12  # of scenes that are named


@dataclass(frozen=True)
class SceneStart:
    """A scene, and the folder of the module or game it stands beside."""

    folder: Path
    scene: Scene

    @property
    def file(self) -> str:
        """As the folder's readers call it: "scenes/x.yaml"."""
        return self.scene.page.source.name.partition("/")[2]


def scene_at(written: str) -> SceneStart:
    """The scene at a place, "FILE:LINE" or "FILE" for its first one. Raises `UsageError` or `WrongRules`."""
    name, _, number = written.rpartition(":")
    if not name or not number.isdecimal():
        name, number = written, "1"
    file = a_path(name).absolute()
    if not file.is_file():
        raise UsageError(f"there is no file `{name}`", "name a file of scenes and a line: --at scenes/first.yaml:12")
    folder = next((one for one in file.parents if (one / MANIFEST).is_file()), None)
    if folder is None or file.parent.name != FOLDER:
        raise UsageError(f"`{name}` is not a file of scenes", f"scenes are in the folder `{FOLDER}` beside {MANIFEST}")
    page = read_page(folder, file)
    if page.value is None:
        raise WrongRules(
            page.diagnostics, index_sources([Source(f"{folder.name}/{FOLDER}/{file.name}", _text_of(file))])
        )
    scenes = sorted(page.value.iter_scenes(), key=lambda scene: scene.span.line)
    last = len(page.value.source.lines)
    if not 1 <= int(number) <= last:
        begin = [*(str(scene.span.line) for scene in scenes[:MOST_LINES]), *(["..."] if scenes[MOST_LINES:] else [])]
        told = f"`{name}` has no line {number}: it has {last} lines"
        raise UsageError(told, f"name a line in which a scene begins: {', '.join(begin)}")
    return SceneStart(folder, next((s for s in reversed(scenes) if s.span.line <= int(number)), scenes[0]))


def rules_of_scene(start: SceneStart, game: str, modules: Sequence[str]) -> Rules:
    """The rules a scene is about, with the modules it names, and more that are wanted."""
    own, more = str(start.folder), (*start.scene.modules, *modules)
    over = game or start.scene.page.game
    return spoken_rules_of(over, (own, *more)) if over else spoken_rules_of(own, more)


def begun_at_scene(
    start: SceneStart, rules: Rules, humans: Sequence[str] = (), bots: Sequence[str] = (), seed: int | None = None
) -> Journal:
    """The game at its beginning. Raises `UsageError`, and what `begin_at` raises."""
    kinds = _kinds_in_scene(start.scene, humans, bots)
    return begin_at(Snapshot(start.folder), rules, start.file, start.scene.name, kinds, seed)


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _kinds_in_scene(scene: Scene, humans: Sequence[str], bots: Sequence[str]) -> tuple[str, ...]:
    """The kind of bot in each seat of a scene; nothing for a person, who takes the first turn unless named."""
    strange = next((name for name in humans if name not in scene.players), None)
    if strange is not None:
        named = suggest_word(strange, scene.players) or f"they are {', '.join(scene.players)}"
        raise UsageError(f"nobody in this scene is named `{strange}`", named)
    people = humans or ((_first_player(scene),) if sys.stdin.isatty() else ())  # without a terminal there is nobody
    kinds = iter([*(who_plays.checked_kind(one) for one in bots), *[who_plays.default_kind()] * len(scene.players)])
    return tuple("" if name in people else next(kinds) for name in scene.players)


def _first_player(scene: Scene) -> str:
    """Who is meant by `for`, or answers first, or else sits in the first seat."""
    steps = scene.data.get("play") or ()
    said = (str(word) for step in steps if isinstance(step, dict) for word in step)
    candidates = (str(scene.data.get("for", "")), *said)
    return next((name for name in candidates if name in scene.players), scene.players[0])


MOST_TRIED = 20  # names for a game to be kept under
UNSAVED = "the game cannot be saved: {} cannot be written"


@dataclass(frozen=True)
class PlayOptions:
    """The options of the command, as typed."""

    manner: PlaySettings
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
    at: str = ""
    written: TableFile | None = None


def _play(options: PlayOptions) -> int:
    """Start a game and play it; returns the exit code."""
    settings_of(options.settings)  # one typed wrongly leaves a word behind, which is then taken for a game
    if options.table is not None:
        options = _with_table(options, _written(options.table))
    if options.at:
        return _at_scene(options)
    campaign = settled_campaign(options.campaign, options.manner.screen(())) if options.campaign else None
    options = _as_last_time(options, campaign)
    modules = (*options.modules, *scenario(options.scenario, options.game, options.seed))
    rules = spoken_rules_of(options.game, modules)
    try:
        seating = _seating(options, rules, campaign)
    except Leave as leaving:
        return STOPPED if leaving.stopped else 0
    takes_back_freely(options.manner, seating.bots)
    game, path = _begun(options, rules, seating, campaign)
    if path is None:
        print_error(UNSAVED.format(saved_games.folder()), "save it elsewhere with --save FILE")
    return at_the_table(game, seating.bots, path, options.manner, options.seed)


def _as_last_time(options: PlayOptions, campaign: Campaign | None) -> PlayOptions:
    """Where no rules are named, those of the campaign's last game."""
    if campaign is None or not campaign.games or options.game or options.modules or options.scenario:
        return options
    last = campaign.games[-1]
    return replace(options, game=last.base, modules=last.modules)


def _at_scene(options: PlayOptions) -> int:
    """A game from where a scene begins, which says itself who plays and by what settings."""
    said = {
        "--scenario": options.scenario,
        "--set": options.settings,
        "--dice": options.dice,
        "--table": options.table,
        "--campaign": options.campaign,
    }
    beside = next((name for name, value in said.items() if value), None)
    if beside is not None:
        raise UsageError(f"`--at` and `{beside}` cannot be combined", f"leave out `{beside}`: the scene says that")
    start = scene_at(options.at)
    rules = rules_of_scene(start, options.game, options.modules)
    journal = begun_at_scene(start, rules, options.humans, options.bots, parse_seed(options.seed))
    takes_back_freely(options.manner, journal.header.bots)
    path = options.save or saved_games.fresh(rules.title)
    if path is None:
        print_error(UNSAVED.format(saved_games.folder()), "save it elsewhere with --save FILE")
        game = rules.replay(journal)
    else:
        save_journal(path, journal)
        game = rules.resume(path)
    return at_the_table(game, journal.header.bots, path, options.manner, options.seed)


def _begun(
    options: PlayOptions, rules: Rules, seating: who_plays.SeatedBots, campaign: Campaign | None
) -> tuple[Game, Path | None]:
    """A new game and where it is kept; a name of our own that another process has just taken is left to it."""
    tried: set[Path] = set()
    rules = campaign.next(rules) if campaign else rules
    while True:
        path = options.save or saved_games.fresh(rules.title, tried)
        try:
            game = rules.new_game(
                seating.players,
                seed=parse_seed(options.seed),
                settings=_settings(options),
                dice=options.dice or "seeded",
                journal=path,
                bots=seating.bots,
            )
        except JournalError:
            if path is None or options.save or len(tried) == MOST_TRIED:
                raise
            tried.add(path)
        else:
            return game, path


def _written(path: Path) -> TableFile:
    if not path.is_file():
        raise UsageError(f"there is no file `{path}`", "--table takes a table file (YAML)")
    outcome = read_table(path)
    if outcome.value is None:
        raise WrongRules(outcome.diagnostics, source_of(path))
    return outcome.value


def _with_table(options: PlayOptions, written: TableFile) -> PlayOptions:
    """What a table file says, where the options do not say otherwise."""
    if options.humans or options.bots:
        raise UsageError("--table says who plays", "leave out --human and --bot")
    return replace(
        options,
        game=options.game or written.game,
        table=None,
        seed=options.seed or written.seed,
        modules=(*written.modules, *options.modules),
        dice=options.dice or written.dice,
        written=written,
        manner=replace(options.manner, speed=options.manner.speed or written.speed),
    )


def _seating(options: PlayOptions, rules: Rules, campaign: Campaign | None) -> who_plays.SeatedBots:
    if options.written:
        who_plays.trusted(options.written.bots, "the table file")
        kinds = tuple(who_plays.checked_kind(kind) if kind else "" for kind in options.written.bots)
        return who_plays.SeatedBots(options.written.players, kinds)
    if campaign is not None and campaign.games and not options.humans and not options.bots:
        last = campaign.games[-1]
        who_plays.trusted(last.bots, "the campaign")
        return who_plays.SeatedBots(last.players, last.bots or ("",) * len(last.players))
    program = rules.program
    humans = options.humans
    if not humans and not options.bots and sys.stdin.isatty():
        humans = [who_plays.your_name(options.manner.screen(()))]
    return who_plays.seated(humans, options.bots, program.least_players, program.most_players)


def _settings(options: PlayOptions) -> dict[str, object]:
    """Those of the table file, and those typed, which count more."""
    written = options.written.settings if options.written else {}
    return {**written, **settings_of(options.settings)}
