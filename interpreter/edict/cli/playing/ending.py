"""The end of a game on the screen: scores in order, who won, and where the game can be looked at again."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from edict.cli.playing.columns import Lines, table
from edict.cli.playing.screen import Screen
from edict.table.game import Game
from edict.table.view import Result
from edict.table.wording import listed


def ending(screen: Screen, game: Game, path: Path | None) -> Lines:
    """The result as lines; the last one names the winners."""
    result = game.result
    assert result is not None
    ranked = sorted(result.scores, key=lambda name: (name not in result.winners, -result.scores[name]))
    rows = [[screen.text(word, "dim") for word in ("", "Player", "Score", "")]]
    won, lost = ({result.scores[name] for name in ranked if (name in result.winners) is one} for one in (True, False))
    for name in ranked:
        score = result.scores[name]
        remarks = ("wins", name in result.winners), ("tied score", score in won & lost)
        remark = [word for word, holds in remarks if holds]
        place = _place(name, result)
        rows.append([Text(f"{place}."), screen.text(name), Text(str(score)), Text(", ".join(remark), style="dim")])
    kept = [screen.text(f"The game is saved in {path} (replay prints its log)", "dim")] if path else []
    luck = screen.text(f"The same luck again: --seed {game.table.seed}", "dim")
    return [Text(""), Text("The game is over.", style="bold"), *table(rows, screen.width, [True, False, True, False]),
            luck, *kept, screen.text(_winners(result.winners), "bold")]  # fmt: skip


def _place(name: str, result: Result) -> int:
    """Winners are first; the others follow by score, equal ones on the same place."""
    if name in result.winners:
        return 1
    others = [score for other, score in result.scores.items() if other not in result.winners]
    return 1 + len(result.winners) + sum(score > result.scores[name] for score in others)


def _winners(names: tuple[str, ...]) -> str:
    if not names:
        return "Nobody wins."
    return f"{listed(names)} {'wins' if len(names) == 1 else 'win together'}."
