"""The variants that are open in the studio, and the links that open them.

Each has its texts with unsaved changes, the language service over them, and background runs.
"""

from __future__ import annotations

import re
import secrets
import threading
from asyncio import to_thread
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from edict.apps.web.studio.variant_games import VariantSnapshot
from edict.apps.web.table_server import TableServer
from edict.compiler.sources.folders import MANIFEST
from edict.game.scenes.scene_files import FOLDER
from edict.runtime.program import digest
from edict.support.processes.tasks import TaskFailed
from edict.support.records import dataclass
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.language_service.scene_lenses import iter_scene_pages
from edict.tools.language_service.workspace import Workspace
from edict.tools.studio import FileConflict, StudioError
from edict.tools.studio.background import BackgroundRun, preload_modules
from edict.tools.studio.collection import Collection
from edict.tools.studio.evaluation import Evaluation
from edict.tools.studio.variant_files import Snapshot
from edict.tools.studio.variants import Variant

# --- the language service over a variant's texts --------------------------------------------------


class Project:
    """The language service over the texts of one variant. Thread-safe; it answers one question at a time."""

    def __init__(self, folder: Path, texts: Mapping[str, str]) -> None:
        self.folder = folder.resolve()
        self.manifest = self.folder / MANIFEST
        self.space = Workspace([self.folder])
        self.texts: Mapping[str, str] = {}
        self.read_names = set[str]()  # names whose English was shown since the step began
        self.had_errors = False  # whether there were errors since the step began
        self._lock = threading.Lock()
        self.set_texts(texts)

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Replace the texts of the variant."""
        with self._lock:
            for name in self.texts.keys() - texts.keys():
                self.space.drop_text(self.file_path(name))
            for name, text in texts.items():
                self.space.set_text(self.file_path(name), text)
            self.texts = dict(texts)

    @property
    def rule_texts(self) -> Mapping[str, str]:
        """The texts except scenes, which do not affect games."""
        return {name: text for name, text in self.texts.items() if not name.startswith(f"{FOLDER}/")}

    def begin_step(self) -> None:
        """Reset what the next step of a tutorial counts: names that were read, and whether there were errors."""
        self.had_errors = False
        self.read_names.clear()

    def file_path(self, name: str) -> Path:
        """Return the path of a file of the variant."""
        return self.folder / name

    def file_name(self, path: Path) -> str:
        """Return the path of a file within the variant; empty for a file of the rules below it."""
        if path.is_relative_to(self.folder):
            return path.relative_to(self.folder).as_posix()
        return ""

    @contextmanager
    def lock_workspace(self) -> Iterator[Workspace]:
        """Return a context with the workspace, locked for other threads."""
        with self._lock:
            yield self.space

    @contextmanager
    def suppose_text(self, file: str, text: str) -> Iterator[Workspace]:
        """Return a context with the workspace in which a file has another text. Nothing is stored."""
        with self._lock:
            before = self.texts.get(file)
            self.space.set_text(self.file_path(file), text)
            try:
                yield self.space
            finally:
                if before is None:
                    self.space.drop_text(self.file_path(file))
                else:
                    self.space.set_text(self.file_path(file), before)

    def list_scenes(self) -> tuple[tuple[str, str], ...]:
        """Return the file and the name of each scene of the variant that can be parsed."""
        with self.lock_workspace() as space:
            scene_pages = list(iter_scene_pages(space, self.folder))
        return tuple(
            (page.source.name.partition("/")[2], scene.name) for page in scene_pages for scene in page.iter_scenes()
        )

    def run_full_check(self) -> None:
        """Check the variant completely, code generation included; the workspace is not locked meanwhile."""
        with self._lock:
            rules = self.space.get_rules(self.manifest)
            finish_check = rules.prepare_full_check() if rules is not None else None
            version = rules.version if rules is not None else 0
        checked = finish_check() if finish_check is not None else None
        if rules is not None and checked is not None:
            with self._lock:
                rules.accept_full_check(version, checked)


# --- the variants that are open --------------------------------------------------------------------


INVALID_LINK = "This link does not open a variant."
READ_ONLY = "With this link you can read and play the variant, but not change it. Make a copy to change it."
MAX_OPEN = 20
MAX_RUNS = 4  # runs of scenes or studies at the same time, for all users together
Texts = Mapping[str, str]
_KEY = re.compile(r"[\w~-]{16,160}", re.ASCII)


RunType = TypeVar("RunType", bound=BackgroundRun[Any])
RunKey = tuple[str, type[BackgroundRun[Any]], str]  # name of the variant, kind of run, which of several


class VariantSession:
    """The shared state of a variant that is open: its texts, its project and its step of the tutorial. Thread-safe."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.project = Project(variant.folder, variant.get_texts())
        self.lock = threading.Lock()
        self.tutorial_step = 0  # of the tutorial
        self.tutorial_lock = threading.Lock()  # held while that advances

    def get_texts(self) -> dict[str, list[str]]:
        """Return the current text of every file, unsaved changes included, with the text's mark."""
        with self.lock:
            self.refresh()
            return {name: [text, digest(text)] for name, text in self.project.texts.items()}

    def store_draft(self, file: str, text: str, base_mark: str = "") -> dict[str, str]:
        """Store the unsaved text of a file, and return the mark of that text.

        Args:
            file: The file's name.
            text: The new text.
            base_mark: The mark of the text on which the new one is based; empty to overwrite anything.

        Raises:
            FileConflict: The file holds something else by now.
        """
        with self.lock:
            current = self.variant.get_file(file).text
            if base_mark and base_mark != digest(current) and current != text:
                raise FileConflict(f"`{file}` was changed elsewhere in the meantime", "choose which version to keep")
            self.variant.write_draft(file, text)
            self.project.set_texts({**self.project.texts, file: text})
            return {"mark": digest(text)}

    def create_file(self, file: str) -> dict[str, str]:
        """Create an empty file."""
        with self.lock:
            self.variant.add_file(file)
            self.refresh()
        return {"file": file, "text": ""}

    def rename_file(self, file: str, new_name: str) -> dict[str, str]:
        """Rename a file together with its unsaved text."""
        with self.lock:
            self.variant.rename_file(file, new_name)
            self.refresh()
        return {"file": new_name}

    def delete_file(self, file: str) -> dict[str, str]:
        """Delete a file."""
        with self.lock:
            self.variant.remove_file(file)
            self.refresh()
        return {"file": file}

    def put_draft(self, file: str, text: str) -> None:
        """Store the unsaved text of a file; create the file if there is none."""
        if file not in self.project.texts:
            self.create_file(file)
        self.store_draft(file, text)

    def save(self, overwrite: bool = False) -> None:
        """Write all unsaved texts into the files of the variant.

        Args:
            overwrite: Overwrite files that have changed meanwhile.
        """
        with self.lock:
            self.variant.save(overwrite=overwrite)
            self.refresh()

    def discard_conflicts(self) -> None:
        """Discard the unsaved texts of files that have changed on disk since."""
        with self.lock:
            for draft in self.variant.list_drafts():
                if draft.clash:
                    self.variant.discard(draft.name)
            self.refresh()

    def refresh(self) -> None:
        """Load the variant's current texts into the project."""
        self.project.set_texts(self.variant.get_texts())

    def take_snapshot(self) -> VariantSnapshot:
        """Return the variant as it is now, for a process that plays it."""
        with self.lock:
            texts = self.project.texts
            return VariantSnapshot(
                self.variant.take_snapshot(), digest("\0".join(f"{name}\0{texts[name]}" for name in sorted(texts)))
            )


@dataclass(frozen=True)
class VariantAccess:
    """A variant, opened by a link."""

    key: str
    session: VariantSession
    writable: bool  # whether the link allows changes

    @property
    def project(self) -> Project:
        """The variant's project."""
        return self.session.project

    @property
    def variant(self) -> Variant:
        """The variant itself."""
        return self.session.variant


class StudioServer:
    """The studio of a server.

    `all_key` is the secret part of the address that lists all its variants.
    """

    def __init__(self, serving: TableServer, collection: Collection) -> None:
        self.serving = serving
        self.collection = collection
        self.all_key = secrets.token_urlsafe(18)
        self._sessions: OrderedDict[str, VariantSession] = OrderedDict()
        self._runs: OrderedDict[RunKey, tuple[Texts, BackgroundRun[Any]]] = OrderedDict()
        self._lock = threading.Lock()
        preload_modules()

    async def require_access(self, request: Request, writing: bool = False) -> VariantAccess:
        """Return the variant that the link of a request opens.

        Raises:
            HTTPException: 404 if the link opens none, 403 if `writing` is wanted and the link does not allow it.
        """
        key = request.path_params["key"]
        access = await to_thread(self._find_access, key) if _KEY.fullmatch(key) else None
        if access is None:
            raise HTTPException(404, INVALID_LINK)
        if writing and not access.writable:
            raise HTTPException(403, READ_ONLY)
        return access

    async def find_snapshot(self, key: str) -> VariantSnapshot | None:
        """Return the current state of the variant that a link opens; None if it opens none."""
        access = await to_thread(self._find_access, key) if _KEY.fullmatch(key) else None
        if access is not None:
            return await to_thread(access.session.take_snapshot)
        return None

    async def run_in_sandbox(self, opened: VariantAccess, function: Callable[..., Any], *args: object) -> Any:
        """Call a function with the variant's snapshot in a sandbox process, and return its result.

        Args:
            opened: The variant.
            function: The function.
            args: Its arguments after the variant's snapshot.

        Raises:
            EditRefused: The sandbox stopped the rules, or the function refuses.
            Exception: Whatever else the function raises.
        """
        snapshot = await to_thread(opened.session.take_snapshot)
        try:
            return await self.serving.sandbox.run(opened.variant.name.encode(), function, snapshot, *args)
        except TaskFailed as error:
            raise EditRefused(f"the rules were stopped: {error}") from None

    def _find_access(self, key: str) -> VariantAccess | None:
        """Return the variant that a link's key opens and if it may be written; None for an unknown key."""
        with suppress(StudioError):
            variant, writable = self.collection.resolve_link(key)
            return VariantAccess(key, self.get_session(variant), writable)
        return None

    def render_page(self, template: str, opened: VariantAccess, **values: Any) -> HTMLResponse:
        """Return a page of the studio, or a part of a page."""
        return self.serving.render_page(
            f"studio/{template}", key=opened.key, writable=opened.writable, variant=opened.variant, **values
        )

    def get_session(self, variant: Variant) -> VariantSession:
        """Return the session of a variant; open one if there is none.

        At most `MAX_OPEN` stay open: the least recently used ones are closed.
        """
        with self._lock:
            session = self._sessions.get(variant.name)
            if session is None:
                session = self._sessions[variant.name] = VariantSession(variant)
            self._sessions.move_to_end(variant.name)
            while len(self._sessions) > MAX_OPEN:
                self._sessions.popitem(last=False)
            return session

    def run(
        self, session: VariantSession, run_type: type[RunType], start: Callable[[Snapshot], RunType], about: str = ""
    ) -> RunType:
        """Return the background run of a kind over the variant's current texts.

        Starts one with `start` if there is none, and stops the one over older texts.

        Args:
            session: The variant.
            run_type: The kind of run.
            start: Starts one.
            about: Which of several runs of a kind; empty for the only one. These go on when the texts change, and
                begin again if they have ended.
        """
        texts, key = _relevant_texts(session, run_type, about), (session.variant.name, run_type, about)
        with self._lock:
            entry = self._runs.get(key)
            if entry is not None and entry[0] == texts and isinstance(entry[1], run_type):
                if entry[1].running or not about:
                    return entry[1]
            if entry is not None:
                entry[1].stop()
            new_run = start(session.variant.take_snapshot())
            self._runs[key] = texts, new_run
            self._runs.move_to_end(key)
            while len(self._runs) > MAX_RUNS:
                _, (_, oldest) = self._runs.popitem(last=False)
                oldest.stop()
            return new_run

    def find_run(self, session: VariantSession, run_type: type[RunType], about: str = "") -> RunType | None:
        """Return the background run of a kind over the variant's current texts; None if there is none.

        It may have ended.
        """
        with self._lock:
            texts, existing = self._runs.get((session.variant.name, run_type, about), (None, None))
            if isinstance(existing, run_type) and texts == _relevant_texts(session, run_type, about):
                return existing
            return None

    def close(self) -> None:
        """Stop all background runs."""
        for _, run in self._runs.values():
            run.stop()


def _relevant_texts(session: VariantSession, run_type: type[BackgroundRun[Any]], about: str) -> Texts:
    """Return the texts that a run depends on: for a study all but the scenes, none for one of several runs."""
    if about:
        return {}
    if run_type is Evaluation:
        return session.project.rule_texts
    return session.project.texts
