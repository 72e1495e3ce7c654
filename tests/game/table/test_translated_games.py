"""Games in another language: whatever players read of a complete game is translated, and no sentence is mixed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from edict.game.explanations.glossary import load_glossary
from edict.game.explanations.log_explanations import LogExplainer, describe_line
from edict.game.explanations.option_previews import preview_options
from edict.game.explanations.option_reasons import OptionExplainer
from edict.game.explanations.reasons_in_words import describe_offered_option, describe_refused_option, select_voice
from edict.game.table.game import Game
from edict.game.table.log_entries import build_lines
from edict.game.table.rules import Rules, load_rules
from edict.support.translations import use_language
from edict.support.translations.texts import is_translated
from examples import choose_examples
from shipped import GAME, GAMES, MODULES, SCENARIOS

NAMES = ("Ann", "Ben", "Cem", "Dan", "Eve", "Fay", "Gil", "Hal", "Ida", "Jon")
LANGUAGES = ("de", "it")
ALONE = [(name,) for name in (*GAMES, *MODULES, *SCENARIOS)]
TOGETHER = [(*MODULES, *scenario) for scenario in ((), *((name,) for name in SCENARIOS))]
# words of English sentences that neither German nor Italian has
_ENGLISH = re.compile(
    r"\b(the|of|you|your|and|with|is not|gains?|loses?|spends?|each|from|choose|which)\b", re.IGNORECASE
)


def find_english(texts: Iterator[str]) -> list[str]:
    """Return the distinct texts that have English words, or that know of no translation."""
    return [text for text in dict.fromkeys(texts) if _ENGLISH.search(text) or not is_translated(text)]


@cache
def translate_rules(names: tuple[str, ...], language: str) -> Rules:
    """Return the rules of a game, or of the base game with modules, in a language."""
    game, modules = (names[0], names[1:]) if names[0] in GAMES else (GAME, names)
    return load_rules(game, modules).in_language(language)


def play_and_read(rules: Rules, seed: int, glossary_share: float = 1.0) -> Iterator[str]:
    """Play a game at random and yield what players can read: questions, options, reasons, panels, log and glossary.

    Of the glossary it is a share of the titles, at random: each is looked up in the position of the whole table.
    """
    rng = Random(seed)
    game = rules.new_game(NAMES[: rng.randint(rules.program.least_players, rules.program.most_players)], seed=seed)
    while not game.over:
        ask = game.ask
        yield ask.prompt
        yield from (part for option in ask.options for part in (option.text, option.caption, option.words))
        if rng.random() < 0.05:
            yield from _read_reasons(game)
            yield from _read_panels(game, rng.randrange(len(game.players)))
            for preview in preview_options(game):
                yield from (change.text for change in preview.changes)
                yield from (use.text for use in preview.uses)
        game.answer(rng.choice(ask.options))
    yield from _read_log(game, rng)
    yield from _read_glossary(game, rng, glossary_share)


def _read_reasons(game: Game) -> Iterator[str]:
    """Yield why players can choose the options of the current question, and why they cannot choose the others."""
    explainer = OptionExplainer(game, game.seat)
    offered = game.ask.keys
    for option in explainer.candidates().options:
        describe = describe_offered_option if option.key in offered else describe_refused_option
        yield from (line.words for line in select_voice(describe(explainer, option), False))


def _read_panels(game: Game, seat: int) -> Iterator[str]:
    """Yield the texts of all panels that a seat sees."""
    for panel in game.view(seat).panels():
        yield from (panel.title, panel.mark, *panel.header, *panel.above)
        for row in panel.rows:
            yield from (row.title, row.caption, row.words, *row.cells)
        for grid in panel.grids:
            yield from (*grid.rows, *grid.columns)
            for cell in (cell for line in grid.cells for cells in line for cell in cells):
                yield from (cell.title, cell.caption, cell.words, cell.text)


def _read_log(game: Game, rng: Random) -> Iterator[str]:
    """Yield the lines of the log, and the reasons for some of them."""
    explainer = LogExplainer(game, None)
    for line in build_lines(game.log, game.players):
        yield line.text
        if rng.random() < 0.02 and not line.heading:
            yield from (reason.words for reason in select_voice(describe_line(explainer, line), False))


def _read_glossary(game: Game, rng: Random, share: float) -> Iterator[str]:
    """Yield the entries of the glossary for a share of its titles."""
    glossary = load_glossary(game.table)
    assert glossary is not None
    view = game.view(0)
    for title in (title for title in glossary.titles() if rng.random() < share):
        for entry in glossary.look_up(title, view).entries:
            yield from (entry.title, entry.sort, entry.caption, *entry.lines, *entry.exactly, *entry.members)
            yield from (*entry.touched, *entry.seen_in, *entry.now, *(part for fact in entry.facts for part in fact))


def find_english_in_game(names: tuple[str, ...], language: str, glossary_share: float = 1.0) -> str:
    """Return the English that players read in one game of the rules in a language, by line."""
    with use_language(language):
        rules = translate_rules(names, language)
        return "\n".join(find_english(play_and_read(rules, len("".join(names)), glossary_share)))


@pytest.mark.sample(4)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("names", ALONE, ids="+".join)
def test_whatever_players_read_of_a_shipped_game_is_translated(names: tuple[str, ...], language: str) -> None:
    assert not find_english_in_game(names, language)


@pytest.mark.sample(2)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("names", TOGETHER, ids="+".join)
def test_whatever_players_read_of_modules_together_is_translated(names: tuple[str, ...], language: str) -> None:
    """Most titles of the glossary say what they say in a game with their module alone."""
    assert not find_english_in_game(names, language, glossary_share=choose_examples(0.2, 1.0))


# words of Italian sentences and titles that English ones do not have
_ITALIAN = re.compile(
    r"\b(il|lo|gli|del|della|un|una|non|per|con|ogni|costruisce|riceve|hai|oro|legno|pietra|Statua|Cappella|Locanda|Mercato)\b"
)


@pytest.mark.parametrize("seed", [1, 2])
def test_untranslated_variant_of_a_translated_game_reads_in_whole_english_sentences(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "more-buildings"
    shutil.copytree(Path(__file__).parents[3] / "modules" / "more-buildings", folder)
    shutil.rmtree(folder / "words")
    with use_language("it"):
        texts = list(dict.fromkeys(play_and_read(load_rules(GAME, [str(folder)]).in_language("it"), seed)))
    assert "Sawmill" in texts and "Statua" in texts
    assert any(text.endswith(" constructs the Makeshift Defenses") for text in texts)
    mixed = [text for text in find_english(iter(texts)) if _ITALIAN.search(text)]
    assert not mixed, "\n".join(mixed)
