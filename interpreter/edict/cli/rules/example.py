"""A worked turn for the rulebook: a scene that is marked as an example, played and described line by line."""

from __future__ import annotations

from edict.table.log_entries import news_lines
from edict.handbook.annotated import Known
from edict.handbook.chapters import Block, Paragraph, Section, Steps
from edict.words import Line, sentence
from edict.scenes.run import run_module


def example(rules: Known) -> Section | None:
    """The first scene of the game with an `example`; None if there is none, or if it does not go as it says."""
    report = run_module(rules.game.folder, only=lambda scene: scene.is_example)
    played = next((one for one in report.scenes if one.ok), None)
    if played is None:
        return None
    lines: list[Line] = []
    for line in news_lines(played.log, played.scene.players):
        if line.heading:
            lines.append(Line(f"{line.text.rpartition(' > ')[2]}:"))
        elif lines and lines[-1].text.endswith(":"):
            lines[-1] = Line(lines[-1].text, (*lines[-1].below, Line(sentence(str(line)))))
    note = str(played.scene.data.get("note", ""))
    blocks: list[Block] = [Paragraph(note)] if note else []
    happened = Steps(tuple(line for line in lines if line.below))
    return Section(str(played.scene.data["example"]), "_example", (*blocks, happened))
