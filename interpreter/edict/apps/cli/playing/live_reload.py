"""The reloading of rules during a game, for `play --watch`, and notice of saved rule files.

Only this module imports watchfiles. A thread waits for saved files, and the game loop applies them between two answers:
valid rules replace the old ones, and the game continues as far as its answers are still possible; diagnostics of
invalid rules are shown, and the old rules stay. After each reload the game continues in a new journal, and the previous
one is kept.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event, Thread, get_ident, main_thread
from typing import Any

from edict.agents.bots import Bot
from edict.apps.cli.command_errors import RulesErrorWithSources, RulesSaved
from edict.apps.cli.playing.session import Session
from edict.apps.cli.rules_by_name import load_rules_quietly
from edict.compiler.sources.module_lookup import find_module
from edict.compiler.sources.module_set import gather_modules, hash_rules
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Header
from edict.game.table.journal_files import Recorder
from edict.game.table.rules import Migration, find_new_renames, migrate_journal
from edict.support.rendering import render_diagnostics
from edict.support.report import RulesError

RULE_SUFFIXES = (".edict", ".yaml")
DEBOUNCE_MS = 50  # milliseconds without a save, after which saves are reported together
POLL_MS = 100  # milliseconds between checks of `stop`


def iter_saves(folders: Sequence[Path], stop: Event | None = None) -> Iterator[list[Path]]:
    """Yield the rule files that were saved, created or deleted in folders, until `stop` is set.

    The first list is empty; no save after it is missed. Raises `KeyboardInterrupt` on Ctrl-C.
    """
    from watchfiles import watch

    rounds = watch(
        *folders,
        watch_filter=_is_rule_file,
        step=DEBOUNCE_MS,
        stop_event=stop,
        yield_on_timeout=True,
        rust_timeout=POLL_MS,
    )
    saved = {name for _, name in next(rounds, ())}
    yield []
    for changes in rounds:
        saved |= {name for _, name in changes}
        if saved:
            yield sorted(map(Path, saved))
        saved = set()


def _is_rule_file(change: object, name: str) -> bool:
    """Return True for rule files, but not the temporary files of editors."""
    file = Path(name)
    return file.suffix in RULE_SUFFIXES and not file.name.startswith((".", "#"))


OLD_RULES_MESSAGE = "The game continues under the old rules. Fix this and save it again."
RULES_SAVED_MESSAGE = "The rules were saved"
BotFactory = Callable[[Game], Mapping[int, Bot]]


class RulesReloader:
    """A watcher that reloads the rules of a game when they are saved."""

    def __init__(self, header: Header, bots: BotFactory) -> None:
        self.names = (header.game, *header.modules)
        self.seen_hash = header.rules
        folders = (find_module(name).value for name in self.names)
        self.folders = [folder.resolve() for folder in folders if folder]
        self.bots = bots
        self.saved = Event()
        self.stop = Event()
        self.is_asking: Callable[[], bool] = lambda: False  # True while a player is asked, who can be interrupted
        self.thread = Thread(target=self._watch, daemon=True)

    # --- waiting for it

    def start(self, is_asking: Callable[[], bool]) -> None:
        """Start watching; a save raises `RulesSaved` in the main thread while `is_asking()`."""
        self.is_asking = is_asking
        if hasattr(signal, "SIGUSR1"):  # without it, as on Windows, rules are reloaded at the next Enter
            signal.signal(signal.SIGUSR1, self._interrupt)
        self.thread.start()

    def close(self) -> None:
        """Stop watching."""
        self.stop.set()

    def _watch(self) -> None:
        """Run in a thread: after each save that changes the rules, set `saved` and signal the main thread."""
        for _ in iter_saves(self.folders, self.stop):  # the first time for saves before the start
            now = self._hash_rules()
            if now == self.seen_hash:
                continue
            self.seen_hash = now
            self.saved.set()
            if hasattr(signal, "SIGUSR1"):
                signal.pthread_kill(main_thread().ident or get_ident(), signal.SIGUSR1)

    def _hash_rules(self) -> str:
        """Return the hash of the rules as saved; empty if their files cannot be gathered."""
        gathered = gather_modules(self.names[0], self.names[1:])
        return hash_rules(gathered.value) if gathered.value else ""

    def _interrupt(self, number: int, frame: Any) -> None:
        if self.is_asking():
            raise RulesSaved

    # --- taking it up

    def apply_saved_rules(self, session: Session) -> None:
        """Replace the rules of the session if valid ones were saved, and report it."""
        while self.saved.is_set():
            self.saved.clear()
            lines = self._reload(session)
            session.report_reload(lines, wait=not lines[0].startswith(RULES_SAVED_MESSAGE))

    def _reload(self, session: Session) -> list[str]:
        """Reload the rules and return lines that report the result."""
        header = session.game.journal.header
        try:
            rules = load_rules_quietly(header.game, header.modules)
            if rules.program.rules_hash == session.game.program.rules_hash:
                return [f"{RULES_SAVED_MESSAGE}, and mean the same as before."]
            migrated = migrate_journal(
                rules, session.game.journal, find_new_renames(rules.program, session.game.program)
            )
        except RulesErrorWithSources as error:
            return [*render_diagnostics(error.diagnostics, error.sources).splitlines(), OLD_RULES_MESSAGE]
        except RulesError as rules_error:
            return [*render_diagnostics(rules_error.diagnostics, {}).splitlines(), OLD_RULES_MESSAGE]
        except GameError as game_error:
            return [f"The rules as saved cannot be played here: {game_error.reason}.", OLD_RULES_MESSAGE]
        old_path = session.path
        session.replace_game(migrated.game, self.bots(migrated.game), _record_in_new_file(migrated.game, old_path))
        return _describe_reload(session, migrated, old_path)

    def wait_for_fix(self, session: Session, error: RulesError) -> None:
        """Show a failure of the rules during play, and wait for a save; the game is as before the failed answer."""
        lines = [*render_diagnostics(error.diagnostics, {}).splitlines(), "Fix this and save it to continue."]
        session.report_reload(lines, wait=False)
        while not self.saved.wait(0.2):  # short waits keep Ctrl-C working
            pass


def _describe_reload(session: Session, migrated: Migration, old_path: Path | None) -> list[str]:
    """Return lines that the game continues under saved rules; if an answer failed, which, why, and the backup."""
    stopped = migrated.rejected
    if stopped is None:
        return [f"{RULES_SAVED_MESSAGE}, and the game continues under them."]
    player = session.game.players[stopped.seat] if stopped.seat >= 0 else "dice"
    backup_lines = [f"The original game is saved as {old_path}."] if old_path else []
    return [
        f"{RULES_SAVED_MESSAGE}. Under them the first {migrated.answers} answers hold; the next one "
        f"({player}: {stopped.key}) does",
        f"not: {migrated.reason}.",
        "The game continues from there.",
        *backup_lines,
    ]


def _record_in_new_file(game: Game, old_path: Path | None) -> Path | None:
    """Save the game in a new file beside its previous one, and return it."""
    if old_path is None:
        return None
    stem, _, number = old_path.stem.rpartition("-under-")
    first = int(number) + 1 if stem and number.isdecimal() else 2
    for attempt in range(first, first + 1000):
        path = old_path.with_name(f"{stem or old_path.stem}-under-{attempt}{old_path.suffix}")
        if not path.exists():
            game.record(Recorder.create(path, game.journal))
            return path
    return None
