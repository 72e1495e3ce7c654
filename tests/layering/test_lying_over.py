"""`rewrite` and `call`: all of a thing, or only its title, laid over by a module."""

from __future__ import annotations

from pathlib import Path

from edict.front.compile import compile_rules
from edict.program import Program, Thing
from edict.report import Outcome

MANIFEST = "name: {0}\ntitle: {0}\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [kingsburg]\n"


def over(tmp_path: Path, **modules: str) -> Outcome[Program]:
    """The base game with these modules over it."""
    for name, rules in modules.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "module.yaml").write_text(MANIFEST.format(name), encoding="utf-8")
        (tmp_path / name / "rules.edict").write_text(rules, encoding="utf-8")
    return compile_rules("kingsburg", [str(tmp_path / name) for name in modules])


def thing(program: Program, name: str) -> Thing:
    return next(t for kind in program.kinds for t in kind.things if t.name == name)


REWRITTEN = 'rewrite building market "Bazaar"\n  row C\n  column 2\n  cost 1 gold\n  worth 2\n'


def test_nothing_of_a_rewritten_thing_stays(tmp_path: Path) -> None:
    program = over(tmp_path, anew=REWRITTEN).unwrap()
    assert (thing(program, "market").title, thing(program, "market").words) == ("Bazaar", "")


def test_amending_keeps_what_is_not_named(tmp_path: Path) -> None:
    program = over(tmp_path, more="amend building market\n  worth 2\n").unwrap()
    assert "one above or one below" in thing(program, "market").words


def test_only_the_title_changes(tmp_path: Path) -> None:
    program = over(tmp_path, words='call market "Fair"\ncall spring "Lent"\n').unwrap()
    assert (thing(program, "market").title, dict(program.phases)["spring"]) == ("Fair", "Lent")
    assert "one above or one below" in thing(program, "market").words


def test_two_modules_may_not_rewrite_one_thing(tmp_path: Path) -> None:
    found = over(tmp_path, one=REWRITTEN, other=REWRITTEN).diagnostics
    assert [d.code for d in found] == ["E0174"]
    assert {d.span.file for d in found} | {label.span.file for d in found for label in d.labels} == {
        "one/rules.edict", "other/rules.edict",
    }  # fmt: skip


def test_a_title_for_nothing(tmp_path: Path) -> None:
    found = over(tmp_path, words='call markt "Fair"\n').diagnostics
    assert [(d.code, d.help) for d in found] == [("E0172", "did you mean `market`?")]
