"""Are these rules right? What is wrong with them, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from edict import __version__, resources
from edict.cli.forms import checked_form
from edict.cli.errors import UsageError
from edict.cli.loading import default_game, rules_here, shipped_game, steady, texts_of
from edict.cli.telling import exit_code
from edict.files import Target
from edict.formats.findings import Checked, Findings, as_errors
from edict.front.compile import check_rules
from edict.sources.finding import find, folders, shipped
from edict.sources.folders import read_manifest
from edict.sources.modules import Modules
from edict.rendering import in_order, plain, render
from edict.report import Diagnostic, Outcome

NO_GAME = "E0160"
FORMATS = ("text", "json", "sarif")


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What is to be checked, as typed; `strict` makes errors of warnings.

    Nothing named: the rules one is in, or all that ships.
    """

    names: Sequence[str] = ()
    modules: Sequence[str] = ()
    strict: bool = False

    @property
    def targets(self) -> list[str]:
        """Each of the rules once, also when several of its files are named."""
        here = rules_here()
        named = [steady(name) for name in self.names] or [str(one) for one in ([here] if here else shipped())]
        return list({find(name).value or name: name for name in named}.values())

    @property
    def texts(self) -> list[str]:
        """All whose files may hold what is found."""
        return [*map(str, shipped()), *self.targets, *map(steady, self.modules)]


def check(wanted: CheckRequest, format: str, output: Target | None, watch: bool) -> int:
    """Check, print what was found, and write it to a file if one is named; returns the exit code."""
    checked_form(format, FORMATS)
    if watch:
        if format != "text" or output is not None:
            raise UsageError("--watch reports on the screen", "leave out --format and --output")
        from edict.cli.rules.rechecking import recheck

        return recheck((*wanted.targets, *wanted.modules), lambda: report(wanted))
    if output is None or output.is_output:
        if format == "text":
            return report(wanted).exit_code
        findings = gathered(wanted)
        print(written(findings, format), end="")
        return findings.exit_code
    output.check()
    findings = report(wanted)
    output.write(written(findings, format))
    return findings.exit_code


# --- finding ---------------------------------------------------------------------------------------


def checked(wanted: CheckRequest) -> Iterator[Checked]:
    """Each of the rules as it was found to be, one after the other."""
    for name in wanted.targets:
        outcome = _looked_at(name, [steady(module) for module in wanted.modules])
        found = as_errors(outcome.diagnostics) if wanted.strict else outcome.diagnostics
        folder = find(name).value
        manifest = read_manifest(folder).value if folder else None
        called = manifest.name if manifest else Path(name).name
        game = outcome.value[0].manifest if outcome.value else None
        yield Checked(called, folder, game.title if game and game.name != called else "", found)


def _looked_at(name: str, modules: Sequence[str]) -> Outcome[Modules]:
    """Checked as it is; what is not a game, and names none, over the game that ships."""
    outcome = check_rules(name, modules)
    if any(d.code == NO_GAME for d in outcome.diagnostics):
        return check_rules(default_game(), (name, *modules))
    return outcome


def gathered(wanted: CheckRequest) -> Findings:
    """All that is found."""
    return _together(wanted, tuple(checked(wanted)))


def _together(wanted: CheckRequest, found: tuple[Checked, ...]) -> Findings:
    worst = max((exit_code(one.found) for one in found), default=0)
    return Findings(found, folders(wanted.texts), worst, __version__)


# --- telling ---------------------------------------------------------------------------------------


def report(wanted: CheckRequest) -> Findings:
    """All that is found, printed as it is found; what lies in a game is reported once."""
    shown: set[Diagnostic] = set()
    found = []
    for one in checked(wanted):
        print("".join(_lines(one, shown, wanted)), end="", flush=True)
        shown.update(one.found)
        found.append(one)
    return _together(wanted, tuple(found))


def _lines(one: Checked, shown: set[Diagnostic], wanted: CheckRequest) -> Iterator[str]:
    """What is new of it, and a line of how it stands."""
    new = [d for d in in_order(one.found) if d not in shown]
    sources = texts_of([*wanted.targets, *map(steady, wanted.modules)]) if new else {}
    yield from (render(d, sources) + "\n" for d in new)
    yield plain(f"{one.name}: {_standing(one)}") + (", shown above\n" if one.found and not new else "\n")


def _standing(one: Checked) -> str:
    counts = ((one.errors, "error"), (one.warnings, "warning"))
    said = " and ".join(f"{n} {word}{'s' if n > 1 else ''}" for n, word in counts if n)
    how = said if one.errors else f"no errors, {said}" if said else "no errors"
    return how + (f", laid over {one.over}" if one.over else "")


def written(findings: Findings, format: str) -> str:
    """The findings as a document in one of the formats."""
    here = Path.cwd()
    if format == "json":
        from edict.formats.as_json import to_json

        return to_json(findings, here)
    if format == "sarif":
        from edict.formats.as_sarif import to_sarif

        return to_sarif(findings, here, resources.home(), shipped_game())
    sources = texts_of([str(folder) for folder in findings.folders.values()])
    told = [render(d, sources) + "\n" for d in findings.found]
    return "".join([*told, *(plain(f"{one.name}: {_standing(one)}\n") for one in findings.checked)])


__all__ = ["CheckRequest", "check", "checked", "gathered", "report", "written"]
