"""Why a scene's answer is not among those that are offered: what the rules demand, and what is not so."""

from __future__ import annotations

from edict.program import opcodes as o
from edict.scenes.compare import Compared
from edict.scenes.scene_steps import match
from edict.table.why_options import Why, refused
from edict.table.game import Game
from edict.table.journal import Header
from edict.table.game_steps import Step, Table


def why_not(stage: Compared, text: str) -> str:
    """In a sentence, why an answer is not offered now; nothing if it is no answer to this question at all."""
    why = Why(_game(stage), None)
    if why.question.domain in ("ways", "number", "die"):
        return ""
    meant = match(why.candidates(), text, stage.words.renamed)
    reasons = refused(why, meant)[1:] if meant is not None else []
    words = "; ".join(one.words for one in reasons if one.level == 1)
    return f"{meant.text} is not offered: {words[:1].lower()}{words[1:]}" if meant is not None and words else ""


def _game(stage: Compared) -> Game:
    """The game as it stands in a scene, for asking about it."""
    program, players = stage.program, stage.words.players
    header = Header(program.name, (), "", "", tuple(players), {}, 0, "seeded")
    table = Table(program, stage.layout, stage.words.wording, stage.options, tuple(players), header, 0, False)
    state = stage.state.copy()
    return Game(table, state, 0, Step(None, -1, o.CHANCE, -1, -1, 0, 0, (), state))
