"""What assistants are offered: drafts in memory, rules checked, tested, played and studied, and nothing beyond."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from edict.compiler.sources.json_schema import validator_of
from edict.support.processes.pool import ProcessWorkerPool
from edict.support.processes.tasks import TaskLimits
from edict.tools.mcp import game_tools
from edict.tools.mcp import tool_calls as room
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.mcp.tool_calls import ToolCalls, in_drafts

MANIFEST = "name: slow-coach\ntitle: Slow coach\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [pig]\n"
RULES = "when end of turn\n  each player with fewest point of it\n    gain 1 point\n"
SCENE = """\
game: pig
players: [Ann, Brian]
scenes:
  - name: Whoever is behind gains a point
    start: end of turn
    given: {Ann: {point: 3}}
    then: {Ann: {point: 3}, Brian: {point: 1}}
"""
FILES = {"module.yaml": MANIFEST, "slow.edict": RULES, "scenes/slow.yaml": SCENE}
Ask = Callable[..., ToolResult]


class Here(ToolCalls):
    """All is done in this process, which takes less time; that it may be done elsewhere is tested by itself."""

    async def _done(self, work: Any, given: Mapping[str, Any], long: bool = False) -> Any:
        return in_drafts(self.drafts.folder, self.drafts.texts, work, given)


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Here]:
    monkeypatch.chdir(tmp_path)  # and back, as the work goes there
    made = Here(tmp_path, writes=True)
    yield made
    made.close()


@pytest.fixture
def ask(calls: Here) -> Ask:
    """What a tool gives, of which the data is as its schema says."""

    def asked(tool: str, /, **arguments: Any) -> ToolResult:
        found = asyncio.run(calls.run(tool, arguments))
        validator_of(calls.tools[tool].gives).validate(json.loads(json.dumps(found.data)))
        return found

    return asked


def refused(ask: Ask, tool: str, /, **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as caught:
        ask(tool, **arguments)
    return caught.value.text


def test_each_tool_that_is_described_is_there(calls: Here) -> None:
    assert calls.tools.keys() == room.ASKED.keys() | calls.keeping.keys()
    assert not any(tool.takes["additionalProperties"] for tool in calls.tools.values())
    assert [name for name, tool in calls.tools.items() if tool.long] == ["study", "compare"]
    bots = calls.tools["study"].takes["properties"]["bots"]["enum"]
    assert {"random", "greedy"} <= {*bots} and not {*bots} & {"search", "flat"}, "nobody waits for those who think"


# --- drafts -----------------------------------------------------------------------------------------


def test_a_draft_is_checked_tested_and_told_of_without_any_file(ask: Ask, tmp_path: Path) -> None:
    wrong = ask("write_rules", name="slow-coach", files=FILES | {"slow.edict": "when end of tern\n  nothing\n"})
    assert wrong.data["errors"] == 1
    assert "did you mean `turn`?" in wrong.text
    assert ask("write_rules", name="slow-coach", files={"slow.edict": RULES}).data["errors"] == 0
    assert ask("test", rules="slow-coach").data["passed"] == 1
    assert "gain 1 point" in ask("show", rules="slow-coach", about="turn").text
    assert ask("read_rules", rules="slow-coach", file="slow.edict").data["text"] == RULES
    assert "slow-coach" in ask("list_rules").text
    assert not list(tmp_path.iterdir())


def test_drafts_may_require_each_other_and_hold_rules_beside_other_modules(ask: Ask) -> None:
    ask("write_rules", name="slow-coach", files=FILES)
    over = "name: slower\ntitle: Slower\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [pig, slow-coach]\n"
    beside = {"with/slow-coach/more.edict": "adjust pace by 1\n", "pace.edict": 'quantity pace "pace" of player is 1\n'}
    ask("write_rules", name="slower", files={"module.yaml": over, **beside})
    assert "a house rule" in ask("show", rules="slower", about="pace").text
    assert ask("check", rules="slower").data["errors"] == 0


def test_what_is_saved_lies_in_its_folder_and_drafts_go_on_over_it(ask: Ask, tmp_path: Path) -> None:
    ask("write_rules", name="slow-coach", files=FILES)
    saved = ask("save_rules", name="slow-coach")
    assert Path(saved.data["folder"]) == tmp_path / "slow-coach"
    assert (tmp_path / "slow-coach" / "scenes" / "slow.yaml").read_text() == SCENE
    assert ask("test", rules="slow-coach").data["ok"]
    ask("write_rules", name="slow-coach", files={"slow.edict": "# nothing\n"})
    assert not ask("test", rules="slow-coach").data["ok"]
    assert (tmp_path / "slow-coach" / "slow.edict").read_text() == RULES


def test_nothing_is_saved_where_no_folder_was_named(calls: Here, ask: Ask, tmp_path: Path) -> None:
    calls.drafts.writes = False
    ask("write_rules", name="slow-coach", files=FILES)
    assert "no folder" in refused(ask, "save_rules", name="slow-coach")
    assert not list(tmp_path.iterdir())
    calls.drafts.writes = True
    assert "help: not saved yet: `slow-coach`" in refused(ask, "save_rules", name="slower")
    (tmp_path / "slow-coach").write_text("", encoding="utf-8")
    assert "`slow-coach` cannot be saved: " in refused(ask, "save_rules", name="slow-coach"), "a file is in its way"
    (tmp_path / "slow-coach").unlink()
    ask("save_rules", name="slow-coach")
    assert "help: every draft has been saved" in refused(ask, "save_rules", name="slow-coach")


@pytest.mark.parametrize(
    ("link", "inside"), [("slow-coach", False), ("slow-coach", True), ("slow-coach/scenes", False)]
)
def test_nothing_is_saved_through_a_link(
    ask: Ask, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, link: str, inside: bool
) -> None:
    """Neither out of the folder nor, by another name, into another draft's."""
    elsewhere = tmp_path / "other" if inside else tmp_path_factory.mktemp("elsewhere")
    ask("write_rules", name="slow-coach", files=FILES)
    elsewhere.mkdir(exist_ok=True)
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(elsewhere)
    assert "leads out" in refused(ask, "save_rules", name="slow-coach")
    assert not list(elsewhere.iterdir())


def test_there_are_so_many_drafts_of_so_many_files_and_no_more(
    calls: Here, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edict.tools.mcp.drafts.MOST_DRAFTS", 2)
    for name in ("one", "two"):
        ask("begin_rules", name=name, over="pig")
    assert "there are 2 drafts" in refused(ask, "begin_rules", name="three", over="pig")
    assert ask("write_rules", name="two", files={"more.edict": "# nothing\n"}).data["errors"] == 0
    texts = calls.drafts.files("two")
    monkeypatch.setattr("edict.tools.mcp.drafts.MOST_FILES", len(texts))
    monkeypatch.setattr("edict.tools.mcp.drafts.MOST_TOTAL", sum(map(len, texts.values())))
    calls.drafts.lay("two", texts)
    for more in ({"another.edict": ""}, {"more.edict": "# nothing.\n"}):
        assert "`two` is too large" in refused(ask, "write_rules", name="two", files=more)
    monkeypatch.setattr("edict.tools.mcp.drafts.MOST_FILES", len(texts) - 1)
    calls.drafts.lay("two", {"more.edict": None})
    assert "more.edict" not in calls.drafts.files("two")


def test_a_draft_begins_without_errors_over_rules_as_a_game_or_as_a_copy(ask: Ask) -> None:
    beginnings: tuple[tuple[dict[str, Any], str], ...] = (
        ({"over": "pig"}, "requires: [pig]"),
        ({}, "requires: [kingsburg]"),
        ({"own_game": True}, "kind: game"),
        ({"copy_of": "kuhn-poker"}, "kind: game"),
    )
    for number, (beginning, said) in enumerate(beginnings):
        manifest = ask("begin_rules", name=f"mine-{number}", **beginning).data["files"]["module.yaml"]
        assert said in manifest and ("requires" in manifest) == ("requires" in said), beginning
        assert ask("check", rules=f"mine-{number}").data["errors"] == 0, beginning
    assert "already" in refused(ask, "begin_rules", name="mine-0")


def test_a_draft_has_only_files_of_rules(calls: Here, ask: Ask) -> None:
    for file in (
        "../x.edict",
        "/x.edict",
        "scenes/../../x.yaml",
        "a\\x.edict",
        "con.edict",
        "x.py",
        ".x.edict",
        "x\n.edict",
    ):
        assert refused(ask, "write_rules", name="slow-coach", files=FILES | {file: ""}), file
        assert not calls.drafts.texts, file


REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("check", {"rules": "../pig"}, "does not match"),
    ("check", {"rules": "/etc"}, "does not match"),
    ("check", {"rule": "pig"}, "did you mean `rules`?"),
    ("check", {}, "lacks `rules`"),
    ("checks", {}, "did you mean `check`?"),
    ("check", {"rules": "pig", "zork": 1}, "help: it takes `rules` and `with`"),
    ("begin_rules", {"name": "mine", "over": "pig", "own_game": True}, "a draft has one beginning"),
    ("test", {"rules": "pig", "only": "zork"}, "no scene of `pig` has `zork` in its name or file"),
    ("show", {"rules": "pigg", "about": "turn"}, "did you mean `pig`?"),
    ("show", {"rules": "pig", "about": "zork"}, "nothing in Pig is named `zork`"),
    ("find", {"rules": "pig"}, "no words"),
    ("explain", {"about": "zork"}, "no message or word `zork`"),
    ("guide", {"page": "cookbook", "section": "An auctoin"}, "did you mean `an auction`?"),
    ("study", {"rules": "pig", "bots": "evil.py:Bot"}, "bots"),
    ("study", {"rules": "pig", "games": 10**9}, "games"),
    ("study", {"rules": "pig", "players": 9}, "Pig is for 2 to 4 players"),
    ("compare", {"rules": "pig", "variant": "pig"}, "the same rules"),
    ("begin_game", {"rules": "pig", "seat": 5}, "no seat 5"),
    ("answer", {"game": "game-7", "answers": [0]}, "no game `game-7`"),
    ("write_rules", {"name": "kingsburg", "files": {"module.yaml": ""}}, "come with the package"),
    ("write_rules", {"name": "bare", "files": {"a.edict": ""}}, "has no `module.yaml`"),
    ("read_rules", {"rules": "pig", "file": "pig.edikt"}, "did you mean `pig.edict`?"),
)


def test_what_cannot_be_is_one_clear_message(ask: Ask) -> None:
    for name, arguments, said in REFUSED:
        assert said in refused(ask, name, **arguments), (name, arguments)


def test_rules_that_never_end_end(ask: Ask) -> None:
    endless = "when end of turn\n  repeat until 1 > 2\n    nothing\n"
    ask("write_rules", name="slow-coach", files=FILES | {"slow.edict": endless})
    said = refused(ask, "begin_game", rules="slow-coach", seat=0, bots="random", seed=1)
    assert "slow-coach/slow.edict" in said


def test_rules_with_errors_are_not_played_the_first_is_told_and_how_many_more_there_are(ask: Ask) -> None:
    tern = "when end of tern\n  nothing\n"
    for text, more in ((tern, ""), (2 * tern, "; 1 more, which")):
        ask("write_rules", name="slow-coach", files=FILES | {"slow.edict": text})
        said = refused(ask, "begin_game", rules="slow-coach")
        assert "slow-coach/slow.edict:1" in said and "[E" in said and "did you mean `turn`?" in said
        assert ("more, which" in said) == bool(more) and more in said, text


def test_words_and_messages_are_explained(ask: Ask) -> None:
    word, message = ask("explain", about="gain"), ask("explain", about="E0101")
    assert word.data["words"] and word.data["message"] is None and "gain" in word.text
    assert message.data["message"]["code"] == "E0101" and not message.data["words"]
    page = ask("guide", page="cookbook").data
    section = ask("guide", page="cookbook", section=page["sections"][1]).data
    assert section["sections"] == page["sections"] and section["text"].startswith(f"## {page['sections'][1]}\n")
    assert section["text"].strip() in page["text"] and f"## {page['sections'][2]}" not in section["text"]


def test_moments_are_listed_within_each_other_and_found_by_words_one_by_one(ask: Ask) -> None:
    all_, few = (ask("find", rules="four-lanes", kind="moments", **words) for words in ({}, {"words": "thistle"}))
    assert "\n  when " in all_.text and "\n  when " not in few.text
    assert 0 < len(few.data["found"]) < len(all_.data["found"])
    for kind in ("names", "anything"):
        assert ask("find", rules="pig", kind=kind, words="point").data["found"], kind


def test_data_without_better_words_is_told_as_it_is() -> None:
    assert ToolResult.of({"title": "für 2"}).text == '{"title": "für 2"}'


def test_some_scenes_are_tested_by_name(ask: Ask) -> None:
    twice = SCENE + SCENE[SCENE.index("  - name") :].replace("Whoever is behind", "Whoever is last")
    ask("write_rules", name="slow-coach", files=FILES | {"scenes/slow.yaml": twice})
    assert ask("test", rules="slow-coach").data["passed"] == 2
    assert ask("test", rules="slow-coach", only="is last").data["passed"] == 1


# --- games and studies --------------------------------------------------------------------------------


def test_a_game_is_answered_until_it_is_over(ask: Ask) -> None:
    begun = ask("begin_game", rules="pig", players=2, seed=5)
    assert "You are Player 1. Roll or hold?" in begun.text
    question = begun.data["view"]["question"]
    assert [one["key"] for one in question["options"]]
    for both in ({}, {"answers": [0], "bot_answers": 1}):
        assert "nothing to answer with" in refused(ask, "answer", game="game-1", **both)
    assert refused(ask, "answer", game="game-1", answers=[0, "Zork"])
    assert ask("view_game", game="game-1").data["view"]["question"] == question, "it is as it was"
    more = ask("answer", game="game-1", answers=[question["options"][0]["key"]])
    whole = ask("view_game", game="game-1", parts=["log"])
    assert [*begun.data["view"]["log"], *more.data["view"]["log"]] == whole.data["view"]["log"], "only what is new"
    over = ask("answer", game="game-1", bot_answers=1000, parts=["over", "winners"])
    assert over.data["view"]["over"]
    assert "The game is over. Winners: " in over.text
    assert "over" in refused(ask, "answer", game="game-1", answers=[0])
    watched = ask("begin_game", rules="pig", seat=0, bots="random", seed=5).data["view"]
    assert watched["over"] and watched["seat"] is None and len(watched["scores"]) == 4, "as many as usual"
    assert "you have no seat" in refused(ask, "answer", game="game-2", answers=[0])


def test_a_game_goes_on_under_the_rules_it_began_with(ask: Ask) -> None:
    ask("write_rules", name="slow-coach", files=FILES)
    ask("begin_game", rules="slow-coach", players=2, seed=5)
    ask("write_rules", name="slow-coach", files={"slow.edict": "nonsense\n"})
    game_tools._games.clear()  # as in a process that has just begun
    assert ask("answer", game="game-1", bot_answers=3).data["view"]["question"]


def test_the_games_begun_last_are_kept(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """And played on wherever the process that plays them does not remember them."""
    monkeypatch.setattr("edict.tools.mcp.drafts.MOST_GAMES", 2)
    monkeypatch.setattr(game_tools, "MOST_GAMES", 1)
    for _ in range(3):
        ask("begin_game", rules="kuhn-poker", seed=5)
    assert [*game_tools._games] == ["game-3"]
    assert "no game `game-1`" in refused(ask, "view_game", game="game-1")
    views = [ask("view_game", game=f"game-{number}").data["view"] for number in (2, 3)]
    assert views[0] == views[1] and [*game_tools._games] == ["game-3"]


def test_secrets_of_others_are_not_told(ask: Ask) -> None:
    """Of a game with hidden hands, a seat is told its own; whoever looks on, none before the end."""
    view = ask("begin_game", rules="four-winds", players=4, seed=3, parts=["values"]).data["view"]
    hands = view["values"]["hand"]
    assert isinstance(hands["Player 1"], list)
    assert all(hand == {"hidden": True} for name, hand in hands.items() if name != "Player 1")


def test_a_draft_is_studied_and_compared(ask: Ask) -> None:
    ask("write_rules", name="slow-coach", files=FILES)
    short = ask("study", rules="slow-coach", games=10, bots="random").data
    assert short["games"] == 10
    assert "chosen" not in short
    held = ask("study", rules="slow-coach", games=10, bots="random", parts=["chosen"], about="hold").data
    assert [option["option"] for group in held["chosen"] for option in group["options"]] == ["Hold"]
    found = ask("compare", rules="pig", variant="slow-coach", games=30, bots="random")
    assert found.data["pairs"] == 30
    assert "score per player" in found.text
    assert found.data["details"] and {one["verdict"] for one in found.data["details"]} <= {"more", "less"}
    ask("write_rules", name="slow-coach", files={"slow.edict": "when end of turn\n  nothing\n"})
    for details in (False, True):
        same = ask("compare", rules="pig", variant="slow-coach", games=10, bots="random", details=details)
        assert bool(same.data["details"]) == details, "what does not differ is told to who wants all"


def test_work_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next is done."""
    monkeypatch.setattr(room, "LONG", TaskLimits(seconds=0.2))
    calls = ToolCalls(tmp_path, writes=False)
    try:
        with pytest.raises(ToolFailure, match=r"longer than 0\.2 seconds"):
            asyncio.run(calls.run("study", {"rules": "pig", "games": 5000, "bots": "random"}))
        asyncio.run(calls.run("write_rules", {"name": "slow-coach", "files": FILES}))
        assert asyncio.run(calls.run("test", {"rules": "slow-coach"})).data["ok"]
    finally:
        calls.close()


def test_the_processes_for_work_end_with_who_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = list[ProcessWorkerPool]()
    monkeypatch.setattr(ProcessWorkerPool, "shutdown", lambda self: ended.append(self))
    calls = ToolCalls(tmp_path, writes=False)
    calls.close()
    assert len(ended) == 2 and set(ended) == {*calls._pools.values()}
