"""Tools for assistants: drafts in memory, rules checked, tested, played and studied, and nothing beyond."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from edict.compiler.sources.json_schema import create_validator
from edict.support.processes.local_executor import ProcessWorkerPool
from edict.support.processes.tasks import TaskLimits
from edict.tools.mcp import game_tools
from edict.tools.mcp import tool_calls as room
from edict.tools.mcp.results import ToolFailure, ToolResult
from edict.tools.mcp.tool_calls import ToolRunner, run_with_drafts

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


class InProcessTools(ToolRunner):
    """Tools that work in this process, to save time; other tests cover worker processes."""

    async def _run_in_pool(self, function: Any, arguments: Mapping[str, Any], long: bool = False) -> Any:
        return run_with_drafts(self.drafts.folder, self.drafts.texts, function, arguments)


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessTools]:
    monkeypatch.chdir(tmp_path)  # restored afterwards, as the work changes folders
    runner = InProcessTools(tmp_path, can_save=True)
    yield runner
    runner.close()


@pytest.fixture
def ask(calls: InProcessTools) -> Ask:
    """Return a function that calls a tool and validates its data against its schema."""

    def call_tool(tool: str, /, **arguments: Any) -> ToolResult:
        result = asyncio.run(calls.run(tool, arguments))
        create_validator(calls.tools[tool].gives).validate(json.loads(json.dumps(result.data)))
        return result

    return call_tool


def get_failure(ask: Ask, tool: str, /, **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as caught:
        ask(tool, **arguments)
    return caught.value.text


def test_every_described_tool_exists(calls: InProcessTools) -> None:
    assert calls.tools.keys() == room.READ_ONLY_TOOLS.keys() | calls.stateful_tools.keys()
    assert not any(tool.takes["additionalProperties"] for tool in calls.tools.values())
    assert [name for name, tool in calls.tools.items() if tool.is_slow] == ["study", "compare"]
    bots = calls.tools["study"].takes["properties"]["bots"]["enum"]
    assert {"random", "greedy"} <= {*bots} and not {*bots} & {"search", "flat"}, "nobody waits for those who think"


# --- drafts -----------------------------------------------------------------------------------------


def test_draft_is_checked_tested_and_shown_without_any_file(ask: Ask, tmp_path: Path) -> None:
    wrong = ask("write_rules", name="slow-coach", files=FILES | {"slow.edict": "when end of tern\n  nothing\n"})
    assert wrong.data["errors"] == 1
    assert "did you mean `turn`?" in wrong.text
    assert ask("write_rules", name="slow-coach", files={"slow.edict": RULES}).data["errors"] == 0
    assert ask("test", rules="slow-coach").data["passed"] == 1
    assert "gain 1 point" in ask("show", rules="slow-coach", about="turn").text
    assert ask("read_rules", rules="slow-coach", file="slow.edict").data["text"] == RULES
    assert "slow-coach" in ask("list_rules").text
    assert not list(tmp_path.iterdir())


def test_drafts_can_require_each_other_and_have_side_files(ask: Ask) -> None:
    ask("write_rules", name="slow-coach", files=FILES)
    over = "name: slower\ntitle: Slower\nversion: 1.0.0\nkind: module\nlanguage: 1\nrequires: [pig, slow-coach]\n"
    beside = {"with/slow-coach/more.edict": "adjust pace by 1\n", "pace.edict": 'quantity pace "pace" of player is 1\n'}
    ask("write_rules", name="slower", files={"module.yaml": over, **beside})
    assert "a house rule" in ask("show", rules="slower", about="pace").text
    assert ask("check", rules="slower").data["errors"] == 0


def test_saved_draft_is_in_its_folder_and_new_drafts_lie_over_it(ask: Ask, tmp_path: Path) -> None:
    ask("write_rules", name="slow-coach", files=FILES)
    saved = ask("save_rules", name="slow-coach")
    assert Path(saved.data["folder"]) == tmp_path / "slow-coach"
    assert (tmp_path / "slow-coach" / "scenes" / "slow.yaml").read_text() == SCENE
    assert ask("test", rules="slow-coach").data["ok"]
    ask("write_rules", name="slow-coach", files={"slow.edict": "# nothing\n"})
    assert not ask("test", rules="slow-coach").data["ok"]
    assert (tmp_path / "slow-coach" / "slow.edict").read_text() == RULES


def test_saving_without_a_folder_is_refused(calls: InProcessTools, ask: Ask, tmp_path: Path) -> None:
    calls.drafts.writes = False
    ask("write_rules", name="slow-coach", files=FILES)
    assert "no folder" in get_failure(ask, "save_rules", name="slow-coach")
    assert not list(tmp_path.iterdir())
    calls.drafts.writes = True
    assert "help: not saved yet: `slow-coach`" in get_failure(ask, "save_rules", name="slower")
    (tmp_path / "slow-coach").write_text("", encoding="utf-8")
    assert "`slow-coach` cannot be saved: " in get_failure(ask, "save_rules", name="slow-coach"), "a file is in its way"
    (tmp_path / "slow-coach").unlink()
    ask("save_rules", name="slow-coach")
    assert "help: every draft has been saved" in get_failure(ask, "save_rules", name="slow-coach")


@pytest.mark.parametrize(
    ("link", "inside"), [("slow-coach", False), ("slow-coach", True), ("slow-coach/scenes", False)]
)
def test_nothing_is_saved_through_a_link(
    ask: Ask, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, link: str, inside: bool
) -> None:
    """Neither outside of the folder nor into another draft."""
    elsewhere = tmp_path / "other" if inside else tmp_path_factory.mktemp("elsewhere")
    ask("write_rules", name="slow-coach", files=FILES)
    elsewhere.mkdir(exist_ok=True)
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(elsewhere)
    assert "points outside" in get_failure(ask, "save_rules", name="slow-coach")
    assert not list(elsewhere.iterdir())


def test_numbers_of_drafts_and_files_are_limited(
    calls: InProcessTools, ask: Ask, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setattr("edict.tools.mcp.tool_calls.MAX_DRAFTS", 2)
    for name in ("one", "two"):
        ask("begin_rules", name=name, over="pig")
    assert "there are 2 drafts" in get_failure(ask, "begin_rules", name="three", over="pig")
    assert ask("write_rules", name="two", files={"more.edict": "# nothing\n"}).data["errors"] == 0
    texts = calls.drafts.get_files("two")
    monkeypatch.setattr("edict.tools.mcp.tool_calls.MOST_FILES", len(texts))
    monkeypatch.setattr("edict.tools.mcp.tool_calls.MOST_TOTAL", sum(map(len, texts.values())))
    calls.drafts.update_draft("two", texts)
    for more in ({"another.edict": ""}, {"more.edict": "# nothing.\n"}):
        with subtests.test(more=more):
            assert "`two` is too large" in get_failure(ask, "write_rules", name="two", files=more)
    monkeypatch.setattr("edict.tools.mcp.tool_calls.MOST_FILES", len(texts) - 1)
    calls.drafts.update_draft("two", {"more.edict": None})
    assert "more.edict" not in calls.drafts.get_files("two")


def test_new_draft_has_no_errors_whatever_it_begins_as(ask: Ask, subtests: pytest.Subtests) -> None:
    beginnings: tuple[tuple[dict[str, Any], str], ...] = (
        ({"over": "pig"}, "requires: [pig]"),
        ({}, "requires: [kingsburg]"),
        ({"own_game": True}, "kind: game"),
        ({"copy_of": "kuhn-poker"}, "kind: game"),
    )
    for number, (beginning, manifest_line) in enumerate(beginnings):
        with subtests.test(beginning=beginning):
            manifest = ask("begin_rules", name=f"mine-{number}", **beginning).data["files"]["module.yaml"]
            assert manifest_line in manifest and ("requires" in manifest) == ("requires" in manifest_line)
            assert ask("check", rules=f"mine-{number}").data["errors"] == 0
    assert "already" in get_failure(ask, "begin_rules", name="mine-0")


def test_draft_refuses_files_that_are_no_rules(calls: InProcessTools, ask: Ask, subtests: pytest.Subtests) -> None:
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
        with subtests.test(file=file):
            assert get_failure(ask, "write_rules", name="slow-coach", files=FILES | {file: ""})
            assert not calls.drafts.texts


REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("check", {"rules": "../pig"}, "does not match"),
    ("check", {"rules": "/etc"}, "does not match"),
    ("check", {"rule": "pig"}, "did you mean `rules`?"),
    ("check", {}, "lacks `rules`"),
    ("checks", {}, "did you mean `check`?"),
    ("check", {"rules": "pig", "zork": 1}, "help: it takes `rules` and `with`"),
    ("begin_rules", {"name": "mine", "over": "pig", "own_game": True}, "give only one way to begin a draft"),
    ("test", {"rules": "pig", "only": "zork"}, "no scene of `pig` matches `zork`"),
    ("show", {"rules": "pigg", "about": "turn"}, "did you mean `pig`?"),
    ("show", {"rules": "pig", "about": "zork"}, "nothing named `zork` in Pig"),
    ("find", {"rules": "pig"}, "missing search words"),
    ("explain", {"about": "zork"}, "no message or word `zork`"),
    ("guide", {"page": "cookbook", "section": "An auctoin"}, "did you mean `an auction`?"),
    ("study", {"rules": "pig", "bots": "evil.py:Bot"}, "bots"),
    ("study", {"rules": "pig", "games": 10**9}, "games"),
    ("study", {"rules": "pig", "players": 9}, "Pig is for 2 to 4 players"),
    ("compare", {"rules": "pig", "variant": "pig"}, "the same rules"),
    ("begin_game", {"rules": "pig", "seat": 5}, "no seat 5"),
    ("answer", {"game": "game-7", "answers": [0]}, "no game `game-7`"),
    ("write_rules", {"name": "kingsburg", "files": {"module.yaml": ""}}, "built-in game or module"),
    ("write_rules", {"name": "bare", "files": {"a.edict": ""}}, "has no `module.yaml`"),
    ("read_rules", {"rules": "pig", "file": "pig.edikt"}, "did you mean `pig.edict`?"),
)


def test_invalid_call_gives_one_clear_message(ask: Ask, subtests: pytest.Subtests) -> None:
    for name, arguments, message in REFUSED:
        with subtests.test(name=name, arguments=arguments):
            assert message in get_failure(ask, name, **arguments)


def test_endless_rules_are_stopped(ask: Ask) -> None:
    endless = "when end of turn\n  repeat until 1 > 2\n    nothing\n"
    ask("write_rules", name="slow-coach", files=FILES | {"slow.edict": endless})
    message = get_failure(ask, "begin_game", rules="slow-coach", seat=0, bots="random", seed=1)
    assert "slow-coach/slow.edict" in message


def test_rules_with_errors_are_refused_with_the_first_error_and_count(ask: Ask, subtests: pytest.Subtests) -> None:
    tern = "when end of tern\n  nothing\n"
    for text, more in ((tern, ""), (2 * tern, "; 1 more, shown by")):
        with subtests.test(text=text):
            ask("write_rules", name="slow-coach", files=FILES | {"slow.edict": text})
            message = get_failure(ask, "begin_game", rules="slow-coach")
            assert "slow-coach/slow.edict:1" in message and "[E" in message and "did you mean `turn`?" in message
            assert ("more, shown by" in message) == bool(more) and more in message


def test_explain_covers_keywords_and_messages(ask: Ask) -> None:
    word, message = ask("explain", about="gain"), ask("explain", about="E0101")
    assert word.data["words"] and word.data["message"] is None and "gain" in word.text
    assert message.data["message"]["code"] == "E0101" and not message.data["words"]
    page = ask("guide", page="cookbook").data
    section = ask("guide", page="cookbook", section=page["sections"][1]).data
    assert section["sections"] == page["sections"] and section["text"].startswith(f"## {page['sections'][1]}\n")
    assert section["text"].strip() in page["text"] and f"## {page['sections'][2]}" not in section["text"]


def test_moments_are_listed_nested_and_found_flat(ask: Ask, subtests: pytest.Subtests) -> None:
    listed, matching = (
        ask("find", rules="four-lanes", kind="moments", **words) for words in ({}, {"words": "thistle"})
    )
    assert "\n  when " in listed.text and "\n  when " not in matching.text
    assert 0 < len(matching.data["found"]) < len(listed.data["found"])
    for kind in ("names", "anything"):
        with subtests.test(kind=kind):
            assert ask("find", rules="pig", kind=kind, words="point").data["found"]


def test_result_from_data_has_json_as_text() -> None:
    assert ToolResult.from_data({"title": "für 2"}).text == '{"title": "für 2"}'


def test_scenes_can_be_selected_by_name(ask: Ask) -> None:
    twice = SCENE + SCENE[SCENE.index("  - name") :].replace("Whoever is behind", "Whoever is last")
    ask("write_rules", name="slow-coach", files=FILES | {"scenes/slow.yaml": twice})
    assert ask("test", rules="slow-coach").data["passed"] == 2
    assert ask("test", rules="slow-coach", only="is last").data["passed"] == 1


# --- games and studies --------------------------------------------------------------------------------


def test_game_is_played_until_it_is_over(ask: Ask, subtests: pytest.Subtests) -> None:
    begun = ask("begin_game", rules="pig", players=2, seed=5)
    assert "You are Player 1. Roll or hold?" in begun.text
    question = begun.data["view"]["question"]
    assert [item["key"] for item in question["options"]]
    for both in ({}, {"answers": [0], "bot_answers": 1}):
        with subtests.test(both=both):
            assert "no answers given" in get_failure(ask, "answer", game="game-1", **both)
    assert get_failure(ask, "answer", game="game-1", answers=[0, "Zork"])
    assert ask("view_game", game="game-1").data["view"]["question"] == question, "it is as it was"
    more = ask("answer", game="game-1", answers=[question["options"][0]["key"]])
    whole = ask("view_game", game="game-1", parts=["log"])
    assert [*begun.data["view"]["log"], *more.data["view"]["log"]] == whole.data["view"]["log"], "only what is new"
    over = ask("answer", game="game-1", bot_answers=1000, parts=["over", "winners"])
    assert over.data["view"]["over"]
    assert "The game is over. Winners: " in over.text
    assert "over" in get_failure(ask, "answer", game="game-1", answers=[0])
    watched = ask("begin_game", rules="pig", seat=0, bots="random", seed=5).data["view"]
    assert watched["over"] and watched["seat"] is None and len(watched["scores"]) == 4, "as many as usual"
    assert "you have no seat" in get_failure(ask, "answer", game="game-2", answers=[0])


def test_game_continues_under_the_rules_it_began_with(ask: Ask) -> None:
    ask("write_rules", name="slow-coach", files=FILES)
    ask("begin_game", rules="slow-coach", players=2, seed=5)
    ask("write_rules", name="slow-coach", files={"slow.edict": "nonsense\n"})
    game_tools._games.clear()  # as in a new process
    assert ask("answer", game="game-1", bot_answers=3).data["view"]["question"]


def test_only_the_latest_games_are_kept(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has dropped a game replays it."""
    monkeypatch.setattr("edict.tools.mcp.tool_calls.MAX_GAMES", 2)
    monkeypatch.setattr(game_tools, "MAX_CACHED_GAMES", 1)
    for _ in range(3):
        ask("begin_game", rules="kuhn-poker", seed=5)
    assert [*game_tools._games] == ["game-3"]
    assert "no game `game-1`" in get_failure(ask, "view_game", game="game-1")
    views = [ask("view_game", game=f"game-{number}").data["view"] for number in (2, 3)]
    assert views[0] == views[1] and [*game_tools._games] == ["game-3"]


def test_hidden_hands_of_others_stay_hidden(ask: Ask) -> None:
    """A seat sees its own hand; a spectator sees none before the end."""
    view = ask("begin_game", rules="four-winds", players=4, seed=3, parts=["values"]).data["view"]
    hands = view["values"]["hand"]
    assert isinstance(hands["Player 1"], list)
    assert all(hand == {"hidden": True} for name, hand in hands.items() if name != "Player 1")


def test_draft_is_studied_and_compared(ask: Ask, subtests: pytest.Subtests) -> None:
    ask("write_rules", name="slow-coach", files=FILES)
    studied = ask("study", rules="slow-coach", games=10, bots="random")
    short = studied.data
    assert short["games"] == 10
    assert studied.text.startswith(f"{short['said'][0]}\n") and "choices" in short["said"][0]
    assert "chosen" not in short
    held = ask("study", rules="slow-coach", games=10, bots="random", parts=["chosen"], about="hold").data
    assert [option["option"] for group in held["chosen"] for option in group["options"]] == ["Hold"]
    found = ask("compare", rules="pig", variant="slow-coach", games=30, bots="random")
    assert found.data["pairs"] == 30
    assert found.text.startswith("With “Slow coach”, scores are ") and "too few to tell" in found.text
    assert found.data["details"] and {detail["verdict"] for detail in found.data["details"]} <= {"more", "less"}
    ask("write_rules", name="slow-coach", files={"slow.edict": "when end of turn\n  nothing\n"})
    for details in (False, True):
        with subtests.test(details=details):
            same = ask("compare", rules="pig", variant="slow-coach", games=10, bots="random", details=details)
            assert bool(same.data["details"]) == details, "what does not differ is told to who wants all"


def test_slow_work_is_stopped_and_the_next_call_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LONG_LIMITS", TaskLimits(seconds=0.2))
    calls = ToolRunner(tmp_path, can_save=False)
    try:
        with pytest.raises(ToolFailure, match=r"longer than 0\.2 seconds"):
            asyncio.run(calls.run("study", {"rules": "pig", "games": 5000, "bots": "random"}))
        asyncio.run(calls.run("write_rules", {"name": "slow-coach", "files": FILES}))
        assert asyncio.run(calls.run("test", {"rules": "slow-coach"})).data["ok"]
    finally:
        calls.close()


def test_worker_processes_end_with_the_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = list[ProcessWorkerPool]()
    monkeypatch.setattr(ProcessWorkerPool, "shutdown", lambda self: ended.append(self))
    calls = ToolRunner(tmp_path, can_save=False)
    calls.close()
    assert len(ended) == 2 and set(ended) == {*calls._pools.values()}
