"""What an assistant works on: drafts and games, in memory; and the one folder into which drafts may be saved."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST
from edict.compiler.sources.input_limits import MOST_FILES, MOST_TOTAL
from edict.support.files import write_atomically
from edict.support.morphology import quote_words
from edict.tools.mcp.game_tools import Playing
from edict.tools.mcp.results import ToolFailure
from edict.tools.studio.variant_files import check_module, check_new_file, check_text, in_order

MOST_DRAFTS = 30
MOST_GAMES = 30


class Drafts:
    """folder: where drafts lie as unsaved texts, over files that may be there. writes: whether they may be saved there.

    texts: by resolved path. Raises `ToolFailure` or `StudioError` for what cannot be kept.
    """

    def __init__(self, folder: Path, writes: bool) -> None:
        self.folder = folder.resolve()
        self.writes = writes
        self.texts: dict[Path, str] = {}
        self._games: OrderedDict[str, Playing] = OrderedDict()
        self._begun = 0

    # --- drafts

    def files(self, name: str) -> dict[str, str]:
        """The texts of a draft by their files' names."""
        home = self.folder / name
        return {file.relative_to(home).as_posix(): text for file, text in self.texts.items() if home in file.parents}

    def is_taken(self, name: str) -> bool:
        """Whether there is a draft, or a folder, of this name."""
        return bool(self.files(name)) or (self.folder / name).exists()

    def lay(self, name: str, files: Mapping[str, str | None]) -> None:
        """From now on these are the texts of a draft; None takes one out. All of them count, or none."""
        check_module(name)
        texts = self.files(name)
        for file, text in files.items():
            check_new_file(file)
            if text is None:
                texts.pop(file, None)
            else:
                check_text(file, text)
                texts[file] = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._check(name, texts)
        home = self.folder / name
        kept = {file: text for file, text in self.texts.items() if home not in file.parents}
        self.texts = kept | {home / file: text for file, text in texts.items()}

    def _check(self, name: str, texts: Mapping[str, str]) -> None:
        if texts and MANIFEST not in texts and not (self.folder / name / MANIFEST).is_file():
            raise ToolFailure(f"`{name}` has no `{MANIFEST}`", "write one too, or begin it with `begin_rules`")
        if len(texts) > MOST_FILES or sum(map(len, texts.values())) > MOST_TOTAL:
            raise ToolFailure(f"`{name}` is too large", f"up to {MOST_FILES} files, {MOST_TOTAL:,} characters in all")
        drafts = {file.relative_to(self.folder).parts[0] for file in self.texts} | {name}
        if len(drafts) > MOST_DRAFTS:
            raise ToolFailure(f"there are {MOST_DRAFTS} drafts", "take the files out of one that is no longer needed")

    def save(self, name: str) -> tuple[Path, list[str]]:
        """Write a draft into its folder; returns that, and the files that were written."""
        texts = self.files(name)
        if not self.writes:
            raise ToolFailure("no folder was named into which drafts may be saved", "give the person the texts instead")
        if not texts:
            known = sorted({file.relative_to(self.folder).parts[0] for file in self.texts})
            remedy = f"not saved yet: {quote_words(known, 'and')}" if known else "every draft has been saved"
            raise ToolFailure(f"there is nothing of `{name}` to save", remedy)
        home = self.folder / name
        for file in texts:
            if not (home / file).resolve().is_relative_to(self.folder) or home.is_symlink():
                raise ToolFailure(f"`{name}/{file}` leads out of the folder", "choose another name for the draft")
        for file in in_order({*texts}):
            (home / file).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(home / file, texts[file])
            del self.texts[home / file]
        return home, list(in_order({*texts}))

    # --- games

    def next_game(self) -> str:
        self._begun += 1
        return f"game-{self._begun}"

    def keep(self, playing: Playing) -> None:
        """The oldest games are forgotten."""
        self._games[playing.name] = playing
        self._games.move_to_end(playing.name)
        while len(self._games) > MOST_GAMES:
            self._games.popitem(last=False)

    def game(self, name: str) -> Playing:
        if name not in self._games:
            raise ToolFailure(
                f"there is no game `{name}`", "begin one with `begin_game`; it says what the game is called"
            )
        return self._games[name]
