"""The variants that are open in the studio, and which of them a link opens.

Of each: its texts as they are typed, the language service over them, and what runs for it.
"""

from __future__ import annotations

import re
import secrets
import threading
from asyncio import to_thread
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from edict.apps.web.studio.variant_games import SeenVariant
from edict.apps.web.table_server import TableServer
from edict.compiler.sources.folders import MANIFEST
from edict.game.scenes.scene_files import FOLDER
from edict.runtime.program import digest
from edict.support.processes.tasks import TaskFailed
from edict.tools.language_service.answer_types import Refused
from edict.tools.language_service.scene_lenses import pages
from edict.tools.language_service.workspace import Workspace
from edict.tools.studio.background import Run, warm
from edict.tools.studio.collection import Collection
from edict.tools.studio.evaluation import Evaluation
from edict.tools.studio.snapshots import Snapshot
from edict.tools.studio.studio_errors import Clash, StudioError
from edict.tools.studio.variants import Variant

# --- a variant's texts, and the language service over them -----------------------------------------


class Project:
    """The language service over the texts of one variant. Safe from any thread; one question at a time."""

    def __init__(self, folder: Path, texts: Mapping[str, str]) -> None:
        self.folder = folder.resolve()
        self.manifest = self.folder / MANIFEST
        self.space = Workspace([self.folder])
        self.texts: Mapping[str, str] = {}
        self.read = set[str]()  # names whose English was shown since the step began
        self.was_wrong = False  # whether there were errors since the step began
        self._lock = threading.Lock()
        self.lay(texts)

    def lay(self, texts: Mapping[str, str]) -> None:
        """From now on these are the texts of the variant."""
        with self._lock:
            for name in self.texts.keys() - texts.keys():
                self.space.lift(self.path(name))
            for name, text in texts.items():
                self.space.lay(self.path(name), text)
            self.texts = dict(texts)

    @property
    def rules(self) -> Mapping[str, str]:
        """The texts without scenes, which change nothing that is played."""
        return {name: text for name, text in self.texts.items() if not name.startswith(f"{FOLDER}/")}

    def begin_step(self) -> None:
        """From now on what is read, and whether anything is wrong, counts for the next step of a tutorial."""
        self.was_wrong = False
        self.read.clear()

    def path(self, name: str) -> Path:
        return self.folder / name

    def named(self, path: Path) -> str:
        """What the page calls a file; nothing for one of the rules below."""
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else ""

    @contextmanager
    def asking(self) -> Iterator[Workspace]:
        """The workspace, while nobody else asks it."""
        with self._lock:
            yield self.space

    @contextmanager
    def supposing(self, file: str, text: str) -> Iterator[Workspace]:
        """The workspace as it would be if a file held this, which it does not."""
        with self._lock:
            before = self.texts.get(file)
            self.space.lay(self.path(file), text)
            try:
                yield self.space
            finally:
                if before is None:
                    self.space.lift(self.path(file))
                else:
                    self.space.lay(self.path(file), before)

    def scenes(self) -> tuple[tuple[str, str], ...]:
        """The scenes of the variant that can be read, each by its file and its name."""
        with self.asking() as space:
            read = list(pages(space, self.folder))
        return tuple((page.source.name.partition("/")[2], scene.name) for page in read for scene in page.iter_scenes())

    def check_whole(self) -> None:
        """Look also for what only making the machine's code finds out; meanwhile other questions are answered."""
        with self._lock:
            rules = self.space.rules(self.manifest)
            rest = rules.rest() if rules is not None else None
            version = rules.version if rules is not None else 0
        found = rest() if rest is not None else None
        if rules is not None and found is not None:
            with self._lock:
                rules.completed(version, found)


# --- the variants that are open --------------------------------------------------------------------


NOTHING = "This link does not open a variant."
READING = "With this link the variant can be read and played, not changed. Make a copy to change it."
MOST_OPEN = 20
MOST_RUNS = 4  # scenes and studies that are under way at once, for everybody together
Texts = Mapping[str, str]
_KEY = re.compile(r"[\w~-]{16,160}", re.ASCII)


Running = TypeVar("Running", bound=Run[Any])


class OpenVariant:
    """A variant that is open. Safe from any thread."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.project = Project(variant.folder, variant.texts())
        self.lock = threading.Lock()
        self.step = 0  # of the tutorial

    def texts(self) -> dict[str, list[str]]:
        """What counts of every file, with the mark of that text."""
        with self.lock:
            self.lay()
            return {name: [text, digest(text)] for name, text in self.project.texts.items()}

    def typed(self, file: str, text: str, over: str = "") -> dict[str, str]:
        """Keep what a file holds now, first of all; returns the mark of that text.

        over: the mark of the text it was typed over; without one it counts in any case. Raises `Clash` if the file
        holds something else by now.
        """
        with self.lock:
            now = self.variant.text(file).text
            if over and over != digest(now) and now != text:
                raise Clash(f"`{file}` was changed elsewhere meanwhile", "choose which of the two to keep")
            self.variant.draft(file, text)
            self.project.lay({**self.project.texts, file: text})
            return {"mark": digest(text)}

    def begin_file(self, file: str) -> dict[str, str]:
        """A file with nothing in it."""
        with self.lock:
            self.variant.add(file)
            self.lay()
        return {"file": file, "text": ""}

    def rename_file(self, file: str, name: str) -> dict[str, str]:
        """Another name for a file; what was typed into it goes along."""
        with self.lock:
            self.variant.rename(file, name)
            self.lay()
        return {"file": name}

    def delete_file(self, file: str) -> dict[str, str]:
        """A file no more."""
        with self.lock:
            self.variant.remove(file)
            self.lay()
        return {"file": file}

    def put(self, file: str, text: str) -> None:
        """Keep a file that may be new."""
        if file not in self.project.texts:
            self.begin_file(file)
        self.typed(file, text)

    def save(self, over: bool = False) -> None:
        """Write what was typed into the files of the variant; `over` also what has changed there meanwhile."""
        with self.lock:
            self.variant.save(over=over)
            self.lay()

    def give_way(self) -> None:
        """Forget what was typed over files that have changed since."""
        with self.lock:
            for one in self.variant.drafts():
                if one.clash:
                    self.variant.discard(one.name)
            self.lay()

    def lay(self) -> None:
        """Ask from now on about what counts in the variant."""
        self.project.lay(self.variant.texts())

    def seen(self) -> SeenVariant:
        """The variant as it is, for a process that plays it."""
        with self.lock:
            texts = self.project.texts
            return SeenVariant(
                self.variant.snapshot(), digest("\0".join(f"{name}\0{texts[name]}" for name in sorted(texts)))
            )


@dataclass(frozen=True)
class Access:
    """A variant behind a link."""

    key: str
    work: OpenVariant
    writable: bool

    @property
    def project(self) -> Project:
        return self.work.project

    @property
    def variant(self) -> Variant:
        return self.work.variant


class StudioServer:
    """The studio of a server. `all_key` opens the list of all its variants."""

    def __init__(self, serving: TableServer, collection: Collection) -> None:
        self.serving = serving
        self.collection = collection
        self.all_key = secrets.token_urlsafe(18)
        self._open: OrderedDict[str, OpenVariant] = OrderedDict()
        self._runs: OrderedDict[tuple[str, type[Run[Any]]], tuple[Texts, Run[Any]]] = OrderedDict()
        self._lock = threading.Lock()
        warm()

    async def opened(self, request: Request, writing: bool = False) -> Access:
        """What the link of a request opens; a 404 if that is nothing, a 403 if it may not be changed."""
        key = request.path_params["key"]
        found = await to_thread(self._found, key) if _KEY.fullmatch(key) else None
        if found is None:
            raise HTTPException(404, NOTHING)
        if writing and not found.writable:
            raise HTTPException(403, READING)
        return found

    async def variant_seen(self, key: str) -> SeenVariant | None:
        """The variant behind a link as it is now; None if it opens none."""
        found = await to_thread(self._found, key) if _KEY.fullmatch(key) else None
        return await to_thread(found.work.seen) if found is not None else None

    async def played(self, opened: Access, work: Callable[..., Any], *about: object) -> Any:
        """What a function of `games` gives for a variant. Raises `Refused`, and whatever the function does."""
        seen = await to_thread(opened.work.seen)
        try:
            return await self.serving.sandbox.done(opened.variant.name.encode(), work, seen, *about)
        except TaskFailed as problem:
            raise Refused(f"the rules were stopped: {problem}") from None

    def _found(self, key: str) -> Access | None:
        with suppress(StudioError):
            variant, writable = self.collection.by_key(key)
            return Access(key, self.work(variant), writable)
        return None

    def page(self, template: str, opened: Access, **values: Any) -> HTMLResponse:
        """A page of the studio, or a part of one."""
        return self.serving.page(
            f"studio/{template}", key=opened.key, writable=opened.writable, variant=opened.variant, **values
        )

    def work(self, variant: Variant) -> OpenVariant:
        """A variant with its project; those not asked for longest are put away."""
        with self._lock:
            found = self._open.get(variant.name)
            if found is None:
                found = self._open[variant.name] = OpenVariant(variant)
            self._open.move_to_end(variant.name)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            return found

    def run(self, work: OpenVariant, sort: type[Running], start: Callable[[Snapshot], Running]) -> Running:
        """What runs of a sort for a variant as it is now; started if need be, in place of what ran for older texts."""
        texts, key = _texts(work, sort), (work.variant.name, sort)
        with self._lock:
            found = self._runs.get(key)
            if found is not None and found[0] == texts and isinstance(found[1], sort):
                return found[1]
            if found is not None:
                found[1].stop()
            made = start(work.variant.snapshot())
            self._runs[key] = texts, made
            self._runs.move_to_end(key)
            while len(self._runs) > MOST_RUNS:
                _, (_, old) = self._runs.popitem(last=False)
                old.stop()
            return made

    def running(self, work: OpenVariant, sort: type[Running]) -> Running | None:
        """What runs, or ran last, of a sort for a variant as it is now."""
        with self._lock:
            texts, found = self._runs.get((work.variant.name, sort), (None, None))
            return found if isinstance(found, sort) and texts == _texts(work, sort) else None

    def close(self) -> None:
        """End what still runs."""
        for _, run in self._runs.values():
            run.stop()


def _texts(work: OpenVariant, sort: type[Run[Any]]) -> Texts:
    """What something that runs depends on: a study on the rules alone, not on scenes."""
    return work.project.rules if sort is Evaluation else work.project.texts
