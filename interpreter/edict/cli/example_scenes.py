"""What rules leave open, played for `check --example`, and the scenes of it written for `--keep`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from edict.cli.errors import UsageError
from edict.cli.long_runs import progress
from edict.cli.scene_recording import SCENES, write_scenes
from edict.files import Target
from edict.formats.findings import Findings
from edict.report import Diagnostic, Example, Reading
from edict.resources import command
from edict.sources.module_set import Modules
from edict.text import so_many

MOST = 5  # that are played in one check: each takes some seconds
SHOWN_BEFORE = Example("the one shown above covers this too")
NOT_LOOKED_FOR = Example(f"none was looked for: only the first {MOST} such findings are played")


@dataclass
class Played:
    """What has been played in a check: what lies in a game is found again in all that lies over it."""

    known: dict[tuple[Reading, ...], Diagnostic] = field(default_factory=dict)

    def with_examples(self, found: Sequence[Diagnostic], modules: Modules) -> tuple[Diagnostic, ...]:
        """The findings, each that has several readings with an example, or with the reason why there is none."""
        return tuple(replace(one, example=self._example(one, modules)) if one.readings else one for one in found)

    def _example(self, one: Diagnostic, modules: Modules) -> Example:
        same = self.known.get(one.readings)
        if same is not None:
            return same.example if same == one and same.example else SHOWN_BEFORE
        if len(self.known) == MOST:
            return NOT_LOOKED_FOR
        from edict.study.exemplified import exemplified
        from edict.study.parting import MOST_GAMES

        with progress(f"{one.code}, games for an example", MOST_GAMES) as told:
            example = exemplified(one, modules, told)
        self.known[one.readings] = replace(one, example=example)
        return example


def check_target(target: Target) -> None:
    """Raises `OSError` if no scenes can be written there; their folder need not be there yet."""
    folder = target.path.parent
    if folder.is_dir() or folder.name != SCENES or not folder.absolute().parent.is_dir():
        target.check()


def closing(findings: Findings) -> str:
    """What to say at the end where nothing could be shown by example; nothing, if something was."""
    found = findings.found
    if not found or any(one.readings for one in found):
        return ""
    return (
        "No example is needed: what was found follows from the rules alone, however a game goes. "
        f"`{command()} study --never` finds what merely never happens in games."
    )


def keep_scenes(findings: Findings, target: Target, names: Sequence[str], modules: Sequence[str]) -> str:
    """Write the scenes of all examples to a file; returns what to say of it. names, modules: as they were typed."""
    examples = dict.fromkeys(one.example for one in findings.found if one.example and one.example.scenes)
    tops = {example.top for example in examples}
    if not examples:
        return f"There are no scenes to keep, so {target.path} was not written."
    if len(tops) > 1:
        raise UsageError("the scenes are of several games or modules", "check one of them at a time with --keep")
    page = Example("", top=tops.pop(), scenes="".join(example.scenes for example in examples)).page
    write_scenes(target, page)
    many = so_many(page.count("\n  - name: "), "scene")
    rules = [*(names if target.path.parent.name == SCENES else ["FOLDER"]), *(f"--with {name}" for name in modules)]
    play = " ".join([f"{command()} test", *rules])
    return f"{many} kept in {target.path}. Once the rules say what is meant, `{play}` plays them."
