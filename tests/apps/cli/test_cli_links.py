"""Games in links at the command line: printed, opened, continued, and refused if older or different."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import GAME, make_manifest, write_files
from edict.game.table.game_links import GameLink, read_link
from edict.game.table.journal import read_journal
from edict.game.table.journal_files import save_journal
from edict.game.table.rules import load_rules

Call = Callable[..., "subprocess.CompletedProcess[str]"]


def save_game(path: Path, *answers: str, bots: tuple[str, ...] = ("", "")) -> None:
    """Save a game of Pig by Ann and Ben."""
    game = load_rules("pig").new_game(["Ann", "Ben"], seed=77, bots=bots)
    for key in answers:
        game.answer(next(one for one in game.ask.options if one.key == key))
    save_journal(path, game.journal)


def list_option_keys() -> tuple[str, str]:
    game = load_rules("pig").new_game(["Ann", "Ben"], seed=77)
    first, last = game.ask.options[0].key, game.ask.options[-1].key
    return first, last


def test_finished_game_survives_the_way_through_a_link(call: Call, tmp_path: Path) -> None:
    write_files(tmp_path / "isle", {"module.yaml": make_manifest("isle", "game"), "rules.edict": GAME})
    game = load_rules(tmp_path / "isle").new_game(["Ann"])
    while not game.over:
        game.answer(0)
    save_journal(tmp_path / "one.jsonl", game.journal)
    printed = call("games", "link", "one.jsonl", "--page", "https://example.org/")
    assert printed.stdout.startswith("https://example.org/#game=") and printed.stdout.count("\n") == 1
    (tmp_path / "isle" / "rules.edict").unlink()
    done = call("games", "open", printed.stdout.strip(), "--save", "two.jsonl")
    assert done.returncode == 0 and "games replay two.jsonl" in done.stdout, done.stderr
    assert read_journal(tmp_path / "two.jsonl").answers == read_journal(tmp_path / "one.jsonl").answers
    assert call("games", "replay", "two.jsonl").returncode == 0


def test_link_to_a_game_in_progress_has_only_the_view_of_its_player(call: Call, tmp_path: Path) -> None:
    save_game(tmp_path / "one.jsonl", list_option_keys()[0])
    refused = call("games", "link", "one.jsonl")
    assert refused.returncode == 2 and "--seat" in refused.stderr
    shared = read_link(call("games", "link", "one.jsonl", "--seat", "Ben").stdout)
    assert shared.to == -1 and shared.journal.header.seed != 77
    handed = read_link(call("games", "link", "one.jsonl", "--to", "Ben").stdout)
    assert handed.to == 1 and handed.journal.header.seed == 77
    save_game(tmp_path / "alone.jsonl", list_option_keys()[0], bots=("", "greedy"))
    assert read_link(call("games", "link", "alone.jsonl").stdout).journal.header.seed != 77


def test_new_answers_are_added_and_older_or_different_games_refused(
    call: Call, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    first, last = list_option_keys()
    for name, answers in {"begun": (first,), "newer": (first, first), "forked": (last,)}.items():
        save_game(tmp_path / f"{name}.jsonl", *answers)
    links = {
        name: GameLink(read_journal(tmp_path / f"{name}.jsonl"), 0).encode() for name in ("begun", "newer", "forked")
    }
    assert "Saved as" in call("games", "open", links["begun"]).stdout
    (tmp_path / "games" / "torn.jsonl").write_text("{}\n")  # the newest, with which something else is wrong
    assert "1 answer added" in call("games", "open", links["newer"]).stdout
    assert "already has everything in this link" in call("games", "open", links["newer"]).stdout
    for name, says in {"begun": "it has gone on since this link", "forked": "went differently after 0 answers"}.items():
        with subtests.test(name=name):
            refused = call("games", "open", links[name])
            assert refused.returncode == 2 and says in refused.stderr, refused.stderr
    apart = call("games", "open", links["forked"], "--save", "apart.jsonl")
    assert apart.returncode == 0 and len(read_journal(tmp_path / "apart.jsonl").answers) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("games", "open", "https://example.org/"), "no game in this link"),
        (("games", "open", "#game=eJw"), "not complete"),
        (("games", "link", "one.jsonl", "--seat", "Ann", "--to", "Ben"), "cannot be combined"),
        (("games", "link", "one.jsonl", "--to", "Cai"), "no player of this game is named `Cai`"),
    ],
)
def test_invalid_links_and_options_are_refused(words: tuple[str, ...], says: str, call: Call, tmp_path: Path) -> None:
    save_game(tmp_path / "one.jsonl")
    done = call(*words)
    assert done.returncode == 2 and says in done.stderr and "Traceback" not in done.stderr
