"""`docs/reference/game-cards.md`: a card of each game that ships, measured by what `kingsburg card --all` does.

    python docs/site/card_pages.py --write

`tests/project/test_made_pages.py` compares it with the rules, and measures some of the games again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from generated_pages import write_or_print

from edict.agents.study.game_cards import HEADINGS, GameCard, format_row, measure_game
from edict.apps.cli.commands.modules import list_shipped_games
from edict.game.table.rules import load_rules
from edict.support.morphology import join_words

FILE = Path(__file__).resolve().parent.parent / "reference" / "game-cards.md"
GAMES, SEED, USUAL = 200, 0, 4
SIX = ("governors", "destiny", "alternate-rows", "more-buildings", "advisor-tiles", "soldier-tokens")
HEAD = f"""\
# Cards of the games

How large each game is for a program that plays it, and of what kind. `kingsburg card pig` measures one, or rules of
your own. This page is what `kingsburg card --all` prints, with the base game and six modules: {GAMES} random games
each, with four players where the rules allow it (`python docs/site/card_pages.py --write`).
"""
TAIL = """\
| | |
|---|---|
| actions | how many [there are](../guides/learners.md#what-is-observed); met: how many were offered in these games |
| observed | numbers in an observation; bounded: those that the rules keep between two bounds |
| branching | actions that are offered at a time, on average; most: at most |
| length | actions of players in a game, on average; longest: at most |
| draws | answers of chance in a game, on average: dice, cards, who begins |
| hidden | whether something is secret, or is chosen or drawn in secret |
| at once | whether some are asked at the same time, before they see what the others do |

Rewards come at the end. That somebody always wins, so that what one wins others lose, does not follow from the rules of
{open};
from the rules of all the others it does.
Every course of {small} is walked through, so what OpenSpiel is told of it is exact.
"""


def cards() -> Iterator[GameCard]:
    """Of all games that ship, and of the base game with modules."""
    for name in list_shipped_games():
        yield measured(name)
    yield measured("kingsburg", SIX)


def measured(name: str, modules: Sequence[str] = ()) -> GameCard:
    """A game's card as it stands on the page."""
    rules = load_rules(name, modules)
    return measure_game(rules, min(USUAL, rules.program.most_players), GAMES, SEED)


def told(one: GameCard) -> str:
    """A game's row."""
    return f"| {' | '.join(format_row(one))} |"


def page() -> str:
    """All of docs/reference/game-cards.md."""
    rule, found = "|".join(["", "---", "---", *["---:"] * (len(HEADINGS) - 2), ""]), [*cards()]
    lines = [f"| {' | '.join(HEADINGS)} |", rule, *map(told, found)]
    doubtful = join_words(one.title for one in found if not one.somebody_wins)
    small = join_words(one.title for one in found if one.positions is not None)
    return "\n".join([HEAD, *lines, "", TAIL.format(open=doubtful, small=small)])


if __name__ == "__main__":
    write_or_print({FILE: page})
