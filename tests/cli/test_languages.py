"""The terminal speaks the language of its environment: the rules' own words, as far as there are any."""

from __future__ import annotations

from pathlib import Path

from calling import kingsburg

PLAY = ("play", "kingsburg", "--human", "Ann", "--bot", "random", "--seed", "3", "--plain")


def test_a_game_is_played_in_the_language_of_the_terminal_and_goes_on_in_another(tmp_path: Path) -> None:
    begun = kingsburg(tmp_path, *PLAY, "--save", "game.jsonl", typed="1\n", LC_ALL="de_DE.UTF-8")
    assert "Die Gunst des Königs" in begun.stdout and "Stein" in begun.stdout
    again = kingsburg(tmp_path, "resume", "game.jsonl", "--plain", typed="", LC_ALL="it_IT.UTF-8")
    assert "Chi influenzi?" in again.stdout, again.stdout
    replayed = kingsburg(tmp_path, "games", "replay", "game.jsonl", LC_ALL="C.UTF-8")
    assert "The King's Favor" in replayed.stdout


def test_an_option_is_understood_in_the_language_and_by_its_key(tmp_path: Path) -> None:
    for typed in ("Holz", "wood"):
        done = kingsburg(tmp_path, *PLAY, "--save", f"{typed}.jsonl", typed=f"{typed}\n", LC_ALL="de_DE.UTF-8")
        assert "Ann gains 1 Holz" in done.stdout, done.stdout
