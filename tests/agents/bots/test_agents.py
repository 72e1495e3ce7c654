"""Bots written by others: they see only what their seat may see, keep to their time, and cannot do harm."""

from __future__ import annotations

import json
import pickle
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import edict
from calling import ROOT, run_kingsburg, write_files
from edict.agents.bots import BOTS, Bot, process_bot_runner
from edict.agents.bots.guest_bot import GuestBot
from edict.agents.bots.match import Match, create_bot_table
from edict.agents.bots.match_play import iter_answers, release_bots, to_participant
from edict.agents.bots.user_bots import BotSpec
from edict.agents.study.bot_games import GameRange, GameSetup, StudyError, play_range

EXAMPLES = [f"{ROOT}/examples/bots/{name}" for name in ("eager.py:Eager", "copycat.py:Copycat", "reader.py:Reader")]
BOTS_FILE = '''
import os, sys, time

class Base:
    def __init__(self, seed):
        self.seed = seed

class First(Base):
    def choose(self, view, ask, clock):
        print("first")
        return ask.options[0]

class Raises(Base):
    def choose(self, view, ask, clock):
        raise KeyError("lost\\x1b[2J")

class Leaves(Base):
    def choose(self, view, ask, clock):
        sys.exit(3)

class Vanishes(Base):
    def choose(self, view, ask, clock):
        os._exit(3)

class Sleeps(Base):
    def choose(self, view, ask, clock):
        while True:
            try:
                time.sleep(60)
            except Exception:
                pass

class Deaf(Base):
    def choose(self, view, ask, clock):
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass

class Wrong(Base):
    def choose(self, view, ask, clock):
        return {"an": "answer"}

class Beyond(Base):
    def choose(self, view, ask, clock):
        return len(ask.options)

class Unmade:
    def __init__(self, seed):
        raise OSError("no model")
    def choose(self, view, ask, clock):
        return 0

class Curious(Base):
    """Tries to look at what it may not see, and says so in its answer."""
    def choose(self, view, ask, clock):
        for look in ("history", "_game.answers"):
            try:
                found = view
                for name in look.split("."):
                    found = getattr(found, name)
            except ValueError:
                continue
            raise AssertionError(look)
        return 0 if view._game.table.seed == 0 and clock.limit == 2 and 0 < clock.left <= 2 else "something hidden"

class Forks(Base):
    def choose(self, view, ask, clock):
        os.fork()
        return 0

class Moody(Base):
    """What it gives says something of itself only when it is asked, and then it fails."""
    @property
    def values(self):
        raise KeyError("no mood")
    def choose(self, view, ask, clock):
        return 0

class Faceless(Base):
    def choose(self, view, ask, clock):
        class Answer:
            def __repr__(self):
                raise KeyError("no face")
        return Answer()

class Vast(Base):
    def choose(self, view, ask, clock):
        self.values = [10**400] * len(ask.options)
        return 0

class Forges(Base):
    """Writes what is asked of it in `forged` itself, before what its process would write."""
    def choose(self, view, ask, clock):
        import gc
        from multiprocessing.connection import Connection
        with open(__file__.replace("theirs.py", "forged"), "rb") as file:
            raw = file.read()
        for one in gc.get_objects():
            if isinstance(one, Connection) and one.writable and not one.closed:
                one.send_bytes(raw)
        return 0

class Static(Base):
    @staticmethod
    def choose(view, ask, clock):
        return 0

class Loud(Base):
    def choose(self, view, ask, clock):
        os.write(1, b"loud\\n")
        return 0

class Deep:
    def __init__(self, seed, depth):
        pass
    def choose(self, view, ask, clock):
        return 0

class Seedless:
    def choose(self, view, ask, clock):
        return 0

class Hasty(Base):
    def choose(self, view, ask):
        return 0

class Later(Base):
    async def choose(self, view, ask, clock):
        return 0

class Mute:
    pass
'''

READS = """
class Reads:
    def __init__(self, seed):
        pass
    def choose(self, view, ask, clock):
        self.values = [sum(len(entry.text) for entry in view.log)] * len(ask.options)
        return 0
"""


@pytest.fixture
def bots(tmp_path: Path) -> Iterator[Path]:
    write_files(tmp_path, {"theirs.py": BOTS_FILE})
    yield tmp_path / "theirs.py"


def faults_of(kind: str, seeds: int = 1) -> dict[str, int]:
    """What a bot does wrong in whole games of Kuhn poker, in which it has the first seat and the second in turn."""
    found: dict[str, int] = {}
    program = edict.load("kuhn-poker").program
    for seed in range(seeds):
        match = Match(create_bot_table(program, 2), seed)
        bots = [BOTS[kind](program, seed), BOTS["random"](program, seed)]
        seats = [to_participant(bot) for bot in (bots if seed % 2 == 0 else bots[::-1])]
        for _, index in iter_answers(match, seats):
            match.answer(index)
        assert match.over
        for what, often in release_bots(seats).items():
            found[what] = found.get(what, 0) + often
    return found


def test_example_bots_play_whole_games_without_a_fault() -> None:
    setup = GameSetup(edict.load("kingsburg", ["governors"]).program, tuple(EXAMPLES), (("random-governors", 1),), 4)
    played = play_range(setup, GameRange(0, 1))
    assert not played.mishaps
    assert len(played.counted.statuses) == 1


FAULTS = {
    "Raises": r"raised KeyError: 'lost.*' \(theirs.py:\d+\)",
    "Leaves": r"raised SystemExit: 3 \(theirs.py:\d+\)",
    "Unmade": r"raised OSError: no model \(theirs.py:\d+\)",
    "Wrong": r"answered \{'an': 'answer'\}, which is not an option of `.*`",
    "Beyond": r"answered 2, which is not an option of `.*`",
    "Moody": r"raised KeyError: 'no mood' \(theirs.py:\d+\)",
    "Faceless": r"raised KeyError: 'no face' \(theirs.py:\d+\)",
    "Sleeps@0.05s": r"took longer than 0.05 s",
}


def told(kind: str, says: str) -> None:
    """Such a bot has done this wrong, and nothing else, and the game was played to its end."""
    found = faults_of(kind)
    assert found and all(often > 0 for often in found.values())
    for what in found:
        assert re.fullmatch(re.escape(f"{kind} ") + says + ".*", what, re.DOTALL), what


def test_fault_of_a_bot_is_reported_and_the_game_goes_on(bots: Path) -> None:
    for name, says in FAULTS.items():
        told(f"{bots}:{name}", says)


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", FAULTS)
def test_fault_in_another_process_is_reported_and_the_game_goes_on(bots: Path, name: str) -> None:
    told(f"{bots}:{name}+process", FAULTS[name])


def test_bot_process_that_ended_is_replaced(bots: Path) -> None:
    told(f"{bots}:Vanishes+process", "ended its process")


FORGED = [
    b"5",
    b"null",
    b"[]",
    b'["fault"]',
    b'{"fault": "x", "index": 0}',
    b'{"index": 0}',
    b"no JSON",
    b"[" * 100_000,
    b'{"index": 0, "values": [null, null]}',
    b'{"index": 0, "values": [1' + 400 * b"0" + b", 1]}",
    b'{"index": 0, "values": [NaN, Infinity]}',
    b'{"index": 0, "values": [[], {}]}',
    b'{"index": 0, "values": [1]}',
    b'{"index": true, "values": null}',
    b'{"index": 2, "values": null}',
    b'{"index": -1, "values": null}',
]


class Forger:
    """Stands for a process that writes this for an answer."""

    raw = b""

    def __init__(self, *_: object) -> None:
        self.asked: object = None

    def send(self, what: object) -> None:
        self.asked = what

    def receive(self, seconds: float) -> bytes:
        return b"{}" if isinstance(self.asked, int) else self.raw  # to a seed, that its bot is made

    def kill(self) -> None:
        pass


def test_forged_output_of_a_bot_process_is_rejected(
    bots: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    kind = f"{bots}:Forges+process"
    (bots.parent / "forged").write_bytes(FORGED[0])
    told(kind, "ended its process")
    monkeypatch.setattr(process_bot_runner, "ChildProcess", Forger)
    for raw in FORGED:
        with subtests.test(raw=raw):
            monkeypatch.setattr(Forger, "raw", raw)
            assert set(faults_of(kind)) == {f"{kind} ended its process"}


def test_odd_values_forks_and_looks_at_hidden_cells_are_no_faults(bots: Path, subtests: pytest.Subtests) -> None:
    """Values that are no numbers of a computer are left out; whoever forks plays in one process, or two would go on
    with the game; and what a bot is shown holds nothing hidden."""
    for name, games in (("Vast", 1), ("Static", 1), ("Forks", 3), ("Curious@2s", 5)):
        with subtests.test(name=name):
            assert faults_of(f"{bots}:{name}", games) == {}
    for name in ("Vast", "Forks", "Curious@2s"):
        with subtests.test(name=name):
            assert faults_of(f"{bots}:{name}+process", 2) == {}


def test_output_of_a_bot_process_is_kept_out_of_stdout(bots: Path) -> None:
    seats = ("--bot", "theirs.py:Loud+process", "--bot", "random")
    ran = run_kingsburg(bots.parent, "play", "kuhn-poker", *seats, "--seed", "1")
    assert ran.returncode == 0 and "loud" in ran.stderr and "loud" not in ran.stdout


def test_bot_process_sees_the_log_after_undo(bots: Path, subtests: pytest.Subtests) -> None:
    """A bot in another process sees the game as it is, not as it was before somebody took an answer back."""
    write_files(bots.parent, {"reads.py": READS})
    rules = edict.load("pig")
    game = rules.new_game(["Ann", "Brian"], seed=3)
    bot = edict.bot(f"{bots.parent}/reads.py:Reads+process", rules)
    assert isinstance(bot, GuestBot)
    other = rules.new_game(["Cindy", "Dov"], seed=4)
    for _ in range(4):
        game.answer(game.ask.options[0])
        other.answer(other.ask.options[0])
    for played in (game, other):  # as many lines and more, but others
        with subtests.test(played=played):
            bot.choose(played.view(played.seat), played.ask)
            read = sum(len(entry.text) for entry in played.view(played.seat).log)
            assert bot.values is not None and bot.values[0] == read
    bot.terminate()


def test_bot_that_ignores_its_time_limit_is_killed(bots: Path) -> None:
    setup = GameSetup(edict.load("kuhn-poker").program, (f"{bots}:Deaf@0.05s+process", "random"))
    began = time.monotonic()
    assert play_range(setup, GameRange(0, 1)).mishaps
    assert time.monotonic() - began < 40, "each new process was waited for as if it had to be loaded"


def test_bot_at_a_table_sees_no_hidden_cells(bots: Path) -> None:
    """What it is shown is the same whatever the other was dealt."""
    rules = edict.load("kuhn-poker")
    shown: dict[str, set[tuple[int, ...]]] = {}
    for seed in range(30):
        game = rules.new_game(["Ann", "Brian"], seed=seed)
        view = game.view(game.seat)
        seen: list[tuple[int, ...]] = []
        guest = edict.bot(f"{bots}:First", rules, seed)
        assert isinstance(guest, GuestBot)
        guest._runner.answer = lambda shown, limit, seen=seen: (seen.append(tuple(shown.cells)) or 0, None)  # type: ignore
        guest.choose(view, game.ask)
        shown.setdefault(str([entry.text for entry in view.log]), set()).add(seen[0])
    assert len(shown) > 1 and all(len(states) == 1 for states in shown.values())


def test_memory_lasts_a_game_and_seeds_make_bots_repeatable() -> None:
    setup = GameSetup(edict.load("kuhn-poker").program, (EXAMPLES[0], EXAMPLES[1]), (), 9)
    assert play_range(setup, GameRange(0, 10)).counted.heads == play_range(setup, GameRange(0, 10)).counted.heads


CANNOT_BE = [
    ("nowhere.py:Mine", "there is no file"),
    ("no_such_module_at_all:Mine", "there is no module `no_such_module_at_all`"),
    ("theirs.py:Nobody", "`theirs.py` has no `Nobody`"),
    ("theirs.py:Mute", "has no method `choose(view, ask, clock)`"),
    ("theirs.py:Frist", "did you mean `First`?"),
    ("theirs.py:Deep", "`Deep` cannot be made with a seed alone: missing a required argument: 'depth'"),
    ("theirs.py:Seedless", "help: write def __init__(self, seed: int)"),
    ("theirs.py:Hasty", "`choose` of `Hasty` cannot be called with view, ask and clock"),
    ("theirs.py:Later", "is `async`"),
    ("theirs.py:Nobody+process", "`theirs.py` has no `Nobody`"),
    ("thiers:First", "there is no module `thiers`\nhelp: did you mean `theirs`?"),
    ("thiers.py:First", "did you mean `theirs.py`?"),
    ("needy.py:Mine", "help: install `no_such_package` for "),
    ("needy.py:Mine+process", "ModuleNotFoundError: No module named 'no_such_package' (needy.py:1)\nhelp: install"),
    ("theirs.py", "help: write theirs.py:Class"),
    ("theirs.py:First@soon", "is not a time limit"),
    ("theirs.py:", "has no name after the colon"),
    ("broken.py:Mine", "cannot be loaded: SyntaxError: invalid syntax (broken.py:1)"),
]


def test_invalid_bot_is_refused_with_the_reason(bots: Path, subtests: pytest.Subtests) -> None:
    write_files(bots.parent, {"broken.py": "def", "needy.py": "import no_such_package"})
    for kind, reason in CANNOT_BE:
        with subtests.test(kind=kind):
            ran = run_kingsburg(bots.parent, "play", "kuhn-poker", "--bot", kind)
            assert ran.returncode == 2, ran.stdout
            assert reason in ran.stderr and "help:" in ran.stderr, (kind, ran.stderr)


def test_bot_of_ones_own_plays_at_a_table_and_in_a_study(bots: Path) -> None:
    table = ("play", "kuhn-poker", "--bot", "theirs.py:Raises:Ann", "--bot", "theirs:First", "--seed", "1")
    ran = run_kingsburg(bots.parent, *table, "--save", "game.jsonl")
    assert ran.returncode == 0, ran.stderr
    assert "theirs.py:Raises raised KeyError" in ran.stderr and "a random option is chosen instead" in ran.stderr
    assert "Ann (theirs.py:Raises bot)" in ran.stdout
    assert "first\n" in ran.stderr and "first\n" not in ran.stdout, "what bots print is not what the command prints"
    found = run_kingsburg(
        bots.parent,
        "study",
        "kuhn-poker",
        "--games",
        "20",
        "--bots",
        "theirs.py:Wrong,greedy",
        "-o",
        "study.json",
        "--workers",
        "1",
    )
    assert found.returncode == 0, found.stderr
    assert "which is not an option of" in found.stderr and "times)" in found.stderr
    assert sum(json.loads((bots.parent / "study.json").read_text())["mishaps"].values()) >= 20


def test_saved_game_runs_bot_code_only_if_named_again(bots: Path) -> None:
    folder = bots.parent
    rules = edict.load("kuhn-poker")
    game = rules.new_game(["Ann", "Brian"], 1, journal=folder / "game.jsonl", bots=["theirs.py:First", "random"])
    game.close()
    ran = run_kingsburg(folder, "resume", "game.jsonl")
    assert ran.returncode == 2
    assert "names the bot `theirs.py:First`, which is Python code" in ran.stderr
    again = run_kingsburg(folder, "resume", "game.jsonl", "--bot", "theirs.py:First:Ann")
    assert again.returncode == 0, again.stderr


def test_faults_are_python_warnings(bots: Path) -> None:
    kind = f"{bots}:Wrong"
    with pytest.warns(RuntimeWarning, match=r"answered .*times\); a random option was chosen instead") as told:
        assert edict.play("kuhn-poker", games=4, bots=[kind, "random"]).num_rows == 4
    assert told[0].filename == __file__, "at the user's line"
    rules = edict.load("pig")
    game, bot = rules.new_game(["Ann", "Brian"], seed=5), edict.bot(kind, rules)
    with pytest.warns(RuntimeWarning, match="is not an option"):
        game.answer(bot.choose(game.view(game.seat), game.ask))


@pytest.mark.parametrize("where", ["", "+process"])
def test_study_ends_if_a_worker_cannot_load_a_bot(tmp_path: Path, where: str) -> None:
    """Otherwise the games would be played at random, as on a cluster whose machines lack the file."""
    setup = GameSetup(edict.load("kuhn-poker").program, (f"{tmp_path}/nowhere.py:Mine{where}", "random"))
    with pytest.raises(StudyError, match=r"a worker cannot play: .* there is no file") as ended:
        play_range(setup, GameRange(0, 1))
    assert "every worker needs it" in pickle.loads(pickle.dumps(ended.value)).remedy


def test_bot_spec_has_class_process_and_time_limit(subtests: pytest.Subtests) -> None:
    spec = BotSpec.parse("a/b.py:Mine@2s+process")
    assert (spec.module, spec.name, spec.limit, spec.separate_process) == ("a/b.py", "Mine", 2.0, True)
    assert BotSpec.parse("package.module:Mine").separate_process is False
    for limit, seconds in (("0.5s", 0.5), ("3600s", 3600.0), ("3600", 3600.0)):
        with subtests.test(limit=limit):
            assert BotSpec.parse(f"mine.py:Mine@{limit}").limit == seconds
    for limit in ("3600.1s", "0s", "-1s", "s"):
        with pytest.raises(ValueError, match="is not a time limit: write seconds, like 2s"):
            BotSpec.parse(f"mine.py:Mine@{limit}")


def test_public_api_bot_plays_a_single_game() -> None:
    rules = edict.load("pig")
    game = rules.new_game(["Ann", "Brian"], seed=5)
    players: list[Bot] = [edict.bot("greedy", rules), edict.bot(EXAMPLES[0], rules)]
    while not game.over:
        game.answer(players[game.seat].choose(game.view(game.seat), game.ask))
    assert game.result is not None
    with pytest.raises(edict.GameError, match="there is no bot `gredy`"):
        edict.bot("gredy", rules)


def test_table_as_text_has_options_log_and_panels(subtests: pytest.Subtests) -> None:
    game = edict.load("kingsburg").new_game(["Ann", "Brian"], seed=3)
    text = edict.as_text(game.view(game.seat), recent=3)
    for option in game.ask.options:
        with subtests.test(option=option):
            assert f"\n{option.index}: {option.text}" in text
    assert game.ask.prompt in text and game.players[game.seat] in text
    said = [line for line in text.split("\n") if line.startswith("- ")]
    assert said == [f"- {entry.text}" for entry in game.view(game.seat).log[-3:]]
    assert "What happened last:" not in edict.as_text(game.view(game.seat), recent=0)
    assert "\n\nGovernors:\nAnn: VP 0, Gold 0, Wood 0" in text and "\n\nProvinces:\nAnn: none\n" in text
    assert text.startswith("Year 1 of 5\nOrder: Brian and Ann\n")
    other = edict.as_text(game.view(1 - game.seat))
    assert game.ask.prompt not in other
    assert sys.getsizeof(text) < 20_000
