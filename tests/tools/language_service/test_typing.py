"""Diagnostics while typing: names, types and changed definitions, and earlier findings elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from edict.tools.language_service.answer_types import Problem
from edict.tools.language_service.diagnostics import list_problems_while_typing, list_rule_problems
from edict.tools.language_service.workspace import Workspace
from workshop import MODULE

NEVER = "when end of market if 1 > 2\n  each player\n    gain 1 coin\n"


def check_while_typing(space: Workspace, path: Path, text: str) -> list[tuple[str, int]]:
    """Type a text and return the codes and lines of the quick diagnostics."""
    space.set_text(path, text)
    rules = space.get_rules(path)
    assert rules is not None
    return [
        (diagnostic.code, diagnostic.span.line)
        for diagnostic in rules.check_while_typing()
        if diagnostic.span.file.startswith("forge/")
    ]


def check_completely(space: Workspace, path: Path) -> list[tuple[str, int]]:
    rules = space.get_rules(path)
    assert rules is not None
    findings = rules.check().diagnostics
    assert rules.check_while_typing() == findings, "once all was looked at, that is what is told"
    return [
        (diagnostic.code, diagnostic.span.line) for diagnostic in findings if diagnostic.span.file.startswith("forge/")
    ]


def test_errors_in_changed_definitions_are_reported_while_typing(space: Workspace, forge: Path) -> None:
    assert check_while_typing(space, forge, MODULE) == check_completely(space, forge) == []
    wrong = MODULE.replace("if stall = bakery", "if 1 > 2")
    assert check_while_typing(space, forge, wrong) == check_completely(space, forge) != []
    assert [code[:3] for code, _ in check_while_typing(space, forge, MODULE.replace("1 coin", "1 coyn"))] == ["E02"]
    assert [
        code[:3] for code, _ in check_while_typing(space, forge, MODULE.replace("stall = bakery", "stall = 4"))
    ] == ["E04"]


def test_earlier_findings_move_with_their_lines(space: Workspace, forge: Path) -> None:
    check_while_typing(space, forge, MODULE + NEVER)
    ((code, line),) = check_completely(space, forge)
    below = MODULE.replace("amend", "\n\namend").replace("price 4", "price 3")
    assert check_while_typing(space, forge, below + NEVER) == [(code, line + 2)] == check_completely(space, forge)
    assert check_while_typing(space, forge, MODULE) == check_completely(space, forge) == [], "it is gone with its line"


def test_findings_return_once_a_syntax_error_is_fixed(space: Workspace, forge: Path) -> None:
    check_while_typing(space, forge, MODULE + NEVER)
    before = check_completely(space, forge)
    broken = check_while_typing(space, forge, MODULE.replace("price 4", "price ") + NEVER)
    assert broken and broken != before
    assert check_while_typing(space, forge, MODULE + NEVER) == before == check_completely(space, forge)


def test_definition_with_deleted_lines_is_checked_again(space: Workspace, forge: Path) -> None:
    text = MODULE + "when end of market if 1 > 0\n  each player\n    gain 1 coin\n"
    longer = text.replace("  each player\n", "  each player\n    nothing\n")
    check_while_typing(space, forge, longer)
    check_completely(space, forge)
    assert check_while_typing(space, forge, text) == check_completely(space, forge) != []


def test_quick_diagnostics_have_no_edits(space: Workspace, forge: Path) -> None:
    check_while_typing(space, forge, MODULE)
    check_completely(space, forge)
    wrong = MODULE.replace("if stall = bakery", "if stall = bakery or yes")
    check_while_typing(space, forge, wrong)
    rules = space.get_rules(forge)
    assert rules is not None
    early = rules.check_while_typing()
    assert {*early} == {replace(diagnostic, edits=()) for diagnostic in rules.check().diagnostics}


def test_findings_of_code_generation_stay_while_somebody_types(space: Workspace, forge: Path) -> None:
    """They come half a second after the last key, and vanished with each key before."""
    unknown = (
        "kind hut\n  worth number\n  value is worth of hut + coin of first of everyone\nhut mill\n  worth 2\n"
        "when end of market\n  each player\n    gain value of mill coin\n"
    )
    space.set_text(forge, MODULE + unknown)
    rules = space.get_rules(forge)
    assert rules is not None

    def list_codes(problems: tuple[Problem, ...]) -> list[tuple[str, int]]:
        return [(problem.code, problem.where.span.line) for problem in problems if problem.where.path == forge]

    ((code, line),) = (item for item in list_codes(list_rule_problems(rules, full=True)) if item[0] == "E0502")
    space.set_text(forge, f"# more\n{MODULE}{unknown}")
    assert (code, line + 1) in list_codes(list_problems_while_typing(rules))
    assert (code, line + 1) in list_codes(list_rule_problems(rules))
    assert list_codes(list_rule_problems(rules, full=True)).count((code, line + 1)) == 1
    space.set_text(forge, MODULE)
    assert code not in dict(list_codes(list_problems_while_typing(rules))), "it is gone with its line"


def test_strict_settings_make_warnings_errors_in_editors(space: Workspace, forge: Path) -> None:
    space.set_text(forge, MODULE + NEVER)
    rules = space.get_rules(forge)
    assert rules is not None
    assert {problem.severity for problem in list_rule_problems(rules)} == {"warning"}
    settings = forge.parent.parent / "edict.toml"
    settings.write_text("strict = true\n", "utf-8")
    assert {problem.severity for problem in list_rule_problems(rules)} == {"error"}
    assert {problem.severity for problem in list_problems_while_typing(rules)} == {"error"}
    settings.write_text("strict = 3\n", "utf-8")
    assert {problem.severity for problem in list_rule_problems(rules)} == {"warning"}, "`check` reports the file"
