"""Waiting for files of rules to be saved, and `play --watch`: rules saved while a game is played are played by at once.

This is the one file that knows watchfiles. A thread waits for files to be saved. What it finds is taken up between two
answers: rules that are right replace the old ones, and the game continues under them as far as its answers still hold;
rules that are wrong are shown, and the old ones stay. Each time rules are taken up the game continues in a journal of
its own; the one before stays.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event, Thread, get_ident, main_thread
from typing import Any

from edict.agents.bots import Bot
from edict.apps.cli.command_errors import Saved, WrongRules
from edict.apps.cli.playing.session import Session
from edict.apps.cli.rules_by_name import read_rules
from edict.compiler.sources.module_lookup import find
from edict.compiler.sources.module_set import gather, rules_hash
from edict.game.table.game import Game
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Header
from edict.game.table.journal_files import Recorder
from edict.game.table.rules import Migration, find_new_renames, migrate_journal
from edict.support.rendering import render_diagnostics
from edict.support.report import RulesError

RULES = (".edict", ".yaml")
STEP = 50  # milliseconds of quiet after which what was saved together is reported together
ROUND = 100  # milliseconds after which it is asked whether to stop


def saves(folders: Sequence[Path], stop: Event | None = None) -> Iterator[list[Path]]:
    """The rule files saved, made or deleted in these folders, whenever there are some, until `stop` is set.

    The first time nothing at all: from then on no save is missed. Ctrl-C raises `KeyboardInterrupt`.
    """
    from watchfiles import watch

    rounds = watch(
        *folders, watch_filter=_is_rules, step=STEP, stop_event=stop, yield_on_timeout=True, rust_timeout=ROUND
    )
    saved = {name for _, name in next(rounds, ())}
    yield []
    for more in rounds:
        saved |= {name for _, name in more}
        if saved:
            yield sorted(map(Path, saved))
        saved = set()


def _is_rules(change: object, name: str) -> bool:
    """Rule files only: not what editors lay beside them while they write."""
    file = Path(name)
    return file.suffix in RULES and not file.name.startswith((".", "#"))


STAYS = "The game continues under the old rules. Fix this and save it again."
GOES_ON = "The rules were saved"
Bots = Callable[[Game], Mapping[int, Bot]]


class Reloading:
    """Watches the rules of a game; `bots` recreates its bots."""

    def __init__(self, header: Header, bots: Bots) -> None:
        self.names = (header.game, *header.modules)
        self.looked_at = header.rules
        found = (find(name).value for name in self.names)
        self.folders = [folder.resolve() for folder in found if folder]
        self.bots = bots
        self.saved = Event()
        self.stop = Event()
        self.asked: Callable[[], bool] = lambda: False  # whether somebody is being asked, and may be interrupted
        self.thread = Thread(target=self._watch, daemon=True)

    # --- waiting for it

    def start(self, asked: Callable[[], bool]) -> None:
        """Begin to watch; a save raises `Saved` in the main thread while `asked()`."""
        self.asked = asked
        if hasattr(signal, "SIGUSR1"):  # elsewhere what was saved is taken up at the next Enter
            signal.signal(signal.SIGUSR1, self._interrupt)
        self.thread.start()

    def close(self) -> None:
        self.stop.set()

    def _watch(self) -> None:
        for _ in saves(self.folders, self.stop):  # the first time for what was saved before it watched
            now = self._rules_now()
            if now == self.looked_at:
                continue
            self.looked_at = now
            self.saved.set()
            if hasattr(signal, "SIGUSR1"):
                signal.pthread_kill(main_thread().ident or get_ident(), signal.SIGUSR1)

    def _rules_now(self) -> str:
        """The hash of the rules as they are saved; nothing where they cannot even be gathered."""
        gathered = gather(self.names[0], self.names[1:])
        return rules_hash(gathered.value) if gathered.value else ""

    def _interrupt(self, number: int, frame: Any) -> None:
        if self.asked():
            raise Saved

    # --- taking it up

    def take_up(self, session: Session) -> None:
        """If something was saved: play by it from now on, or show what is wrong with it."""
        while self.saved.is_set():
            self.saved.clear()
            told = self._taken(session)
            session.tell_saved(told, wait=not told[0].startswith(GOES_ON))

    def _taken(self, session: Session) -> list[str]:
        """What came of a save, in lines."""
        header = session.game.journal.header
        try:
            rules = read_rules(header.game, header.modules)
            if rules.program.rules_hash == session.game.program.rules_hash:
                return [f"{GOES_ON}, and mean the same as before."]
            migrated = migrate_journal(
                rules, session.game.journal, find_new_renames(rules.program, session.game.program)
            )
        except WrongRules as wrong:
            return [*render_diagnostics(wrong.diagnostics, wrong.sources).splitlines(), STAYS]
        except RulesError as fault:
            return [*render_diagnostics(fault.diagnostics, {}).splitlines(), STAYS]
        except GameError as problem:
            return [f"The rules as saved cannot be played here: {problem.reason}.", STAYS]
        before = session.path
        session.exchange(migrated.game, self.bots(migrated.game), _recorded(migrated.game, before))
        return _told(session, migrated, before)

    def after_fault(self, session: Session, fault: RulesError) -> None:
        """Rules that failed in play: the game is as it was before the answer, and waits for them to be fixed."""
        told = [*render_diagnostics(fault.diagnostics, {}).splitlines(), "Fix this and save it to continue."]
        session.tell_saved(told, wait=False)
        while not self.saved.wait(0.2):  # in short waits, so that Ctrl-C is heard
            pass


def _told(session: Session, migrated: Migration, before: Path | None) -> list[str]:
    stopped = migrated.rejected
    if stopped is None:
        return [f"{GOES_ON}, and the game continues under them."]
    who = session.game.players[stopped.seat] if stopped.seat >= 0 else "dice"
    kept = [f"The game as it was is kept in {before}."] if before else []
    return [
        f"{GOES_ON}. Under them the first {migrated.answers} answers hold; the next one ({who}: {stopped.key}) does",
        f"not: {migrated.reason}.",
        "The game continues from there.",
        *kept,
    ]


def _recorded(game: Game, before: Path | None) -> Path | None:
    """Keep the game in a new file beside the one it was kept in."""
    if before is None:
        return None
    stem, _, number = before.stem.rpartition("-under-")
    first = int(number) + 1 if stem and number.isdecimal() else 2
    for attempt in range(first, first + 1000):
        path = before.with_name(f"{stem or before.stem}-under-{attempt}{before.suffix}")
        if not path.exists():
            game.record(Recorder.create(path, game.journal))
            return path
    return None
