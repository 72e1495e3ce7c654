"""Drafts and games of an assistant, in memory, and the one folder into which drafts may be saved."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST
from edict.compiler.sources.input_limits import MOST_FILES, MOST_TOTAL
from edict.support.files import write_atomically
from edict.support.morphology import quote_words
from edict.tools.mcp.game_tools import AssistantGame
from edict.tools.mcp.results import ToolFailure
from edict.tools.studio.variant_files import check_module_name, check_new_file_name, check_text, sort_names

MAX_DRAFTS = 30
MAX_GAMES = 30


class AssistantDrafts:
    """The drafts and games of one assistant.

    Methods raise `ToolFailure` or `StudioError` for texts that a draft cannot have.
    """

    def __init__(self, folder: Path, can_save: bool) -> None:
        """Start without drafts.

        Args:
            folder: Folder of the drafts; their unsaved texts take precedence over files that are there.
            can_save: Drafts may be saved into the folder.
        """
        self.folder = folder.resolve()
        self.writes = can_save
        self.texts: dict[Path, str] = {}
        self._games: OrderedDict[str, AssistantGame] = OrderedDict()
        self._game_count = 0

    # --- drafts

    def get_files(self, name: str) -> dict[str, str]:
        """Return the texts of a draft by file name."""
        draft_folder = self.folder / name
        return {
            file.relative_to(draft_folder).as_posix(): text
            for file, text in self.texts.items()
            if draft_folder in file.parents
        }

    def is_taken(self, name: str) -> bool:
        """Return True if a draft or a folder has this name."""
        return bool(self.get_files(name)) or (self.folder / name).exists()

    def update_draft(self, name: str, files: Mapping[str, str | None]) -> None:
        """Set texts of a draft, all or none; None deletes a file."""
        check_module_name(name)
        texts = self.get_files(name)
        for file, text in files.items():
            check_new_file_name(file)
            if text is None:
                texts.pop(file, None)
            else:
                check_text(file, text)
                texts[file] = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._check_limits(name, texts)
        draft_folder = self.folder / name
        other_texts = {file: text for file, text in self.texts.items() if draft_folder not in file.parents}
        self.texts = other_texts | {draft_folder / file: text for file, text in texts.items()}

    def _check_limits(self, name: str, texts: Mapping[str, str]) -> None:
        """Raise `ToolFailure` if a draft with these texts lacks a manifest, is too large or is one too many."""
        if texts and MANIFEST not in texts and not (self.folder / name / MANIFEST).is_file():
            raise ToolFailure(f"`{name}` has no `{MANIFEST}`", "write one too, or begin it with `begin_rules`")
        if len(texts) > MOST_FILES or sum(map(len, texts.values())) > MOST_TOTAL:
            raise ToolFailure(f"`{name}` is too large", f"up to {MOST_FILES} files, {MOST_TOTAL:,} characters in all")
        drafts = {file.relative_to(self.folder).parts[0] for file in self.texts} | {name}
        if len(drafts) > MAX_DRAFTS:
            raise ToolFailure(f"there are {MAX_DRAFTS} drafts", "take the files out of one that is no longer needed")

    def save(self, name: str) -> tuple[Path, list[str]]:
        """Write a draft into its folder; return the folder and the names of the files."""
        texts = self.get_files(name)
        if not self.writes:
            raise ToolFailure("there is no folder for saving drafts", "give the user the texts instead")
        if not texts:
            unsaved_drafts = sorted({file.relative_to(self.folder).parts[0] for file in self.texts})
            if unsaved_drafts:
                remedy = f"not saved yet: {quote_words(unsaved_drafts, 'and')}"
            else:
                remedy = "every draft has been saved"
            raise ToolFailure(f"`{name}` has no files to save", remedy)
        draft_folder = self.folder / name
        for file in texts:
            if not (draft_folder / file).resolve().is_relative_to(self.folder) or draft_folder.is_symlink():
                raise ToolFailure(f"`{name}/{file}` points outside the folder", "choose another name for the draft")
        for file in sort_names({*texts}):
            (draft_folder / file).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(draft_folder / file, texts[file])
            del self.texts[draft_folder / file]
        return draft_folder, list(sort_names({*texts}))

    # --- games

    def create_game_name(self) -> str:
        """Return a new name for a game."""
        self._game_count += 1
        return f"game-{self._game_count}"

    def store_game(self, game: AssistantGame) -> None:
        """Store a game as it stands now, and drop the oldest games beyond the limit."""
        self._games[game.name] = game
        self._games.move_to_end(game.name)
        while len(self._games) > MAX_GAMES:
            self._games.popitem(last=False)

    def get_game(self, name: str) -> AssistantGame:
        """Return a game. Raises `ToolFailure` if there is none of this name."""
        if name not in self._games:
            raise ToolFailure(f"there is no game `{name}`", "begin one with `begin_game`, which returns its id")
        return self._games[name]
