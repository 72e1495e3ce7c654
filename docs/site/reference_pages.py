"""`docs/reference/words.md` and `docs/llms.txt`, made from the rows of `grammar/reference` and the language itself.

    python docs/site/reference_pages.py --write

`tests/project/test_made_pages.py` compares them with what the language is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from generated_pages import write_or_print

from edict.compiler.syntax.construct_rows import (
    GROUPS,
    ConstructRow,
    describe_group,
    list_rows,
    read_example_game,
    read_example_scenes,
)
from edict.prose.rulebook.language_reference import example_modules, fence_code, render_entry
from edict.support.rendering import render_diagnostics
from edict.support.report import RulesError

DOCS = Path(__file__).resolve().parent.parent
HEAD = """\
# The language, word by word

Every construct of [Edict](language.md): what it does, how it is written, an example, and the example in English as
players read it. `kingsburg explain choose` prints one entry, and an editor shows it where the word stands. Made from
`grammar/reference` and the language itself (`python docs/site/reference_pages.py --write`);
every example is tested.

In a form, what stands in capitals is asked for there, brackets are around what may be left out, and `(a | b)` is one or
the other. The examples belong to a small game of trees, [at the end of the page](#the-game-of-the-examples).
"""
WIDTH = 120
END = "The game of the examples"
REFERENCE = "grammar/reference"
GAME = f"{REFERENCE}/orchard.edict"


def page() -> str:
    """All of docs/reference/words.md."""
    return "\n".join(
        [HEAD, *_contents(), *_entries(), f"# {END}\n", fence_code("edict game", read_example_game().strip()), ""]
    )


def _contents() -> Iterator[str]:
    for group in GROUPS:
        links = " · ".join(_link(row.name) for row in list_rows() if row.group == group)
        yield fill(f"**{describe_group(group)[0]}**: {links}", WIDTH, break_on_hyphens=False) + "\n"


def _entries() -> Iterator[str]:
    for group in GROUPS:
        title, told = describe_group(group)
        yield f"# {title}\n\n{fill(told.strip(), WIDTH, break_on_hyphens=False)}\n"
        for row in (row for row in list_rows() if row.group == group):
            yield f"## {row.name}\n\n{_entry(row)}\n"
            if row.more:
                yield f"{row.more}\n"
            yield f"See also {', '.join(_link(name) for name in row.see)}.\n"


def _entry(row: ConstructRow) -> str:
    try:
        return render_entry(row)
    except RulesError as error:
        texts = {text.name: text for module in example_modules(row.shape, row.example) for text in module.sources}
        found = render_diagnostics(error.diagnostics, texts)
        sys.exit(f"the example of `{row.name}` in {REFERENCE} must be right in the game of {GAME}:\n\n{found}")


def _link(name: str) -> str:
    return f"[{name}](#{name.replace(' ', '-')})"


# --- for language models ---------------------------------------------------------------------------

SHORT = """\
# Edict

> Edict is the language of the rules of board games in Kingsburg on Edict: rules are data in text files (`*.edict`)
> that read like the outline of a rulebook. This page is the language in short; each word with examples is in [the
> reference](reference/words.md), the ideas are in [the language](reference/language.md), tests by example in
> [scenes](guides/scenes.md).

## How to write rules

- A definition begins at the left edge; what is indented by two spaces more belongs to the line above. `#` begins a
  comment. A line continues on the next one only inside parentheses. There are no braces, semicolons, functions or
  variables.
- Names are lowercase words joined by hyphens (`turn-order`), so minus needs spaces: `a - b`. Texts for people are in
  double quotes; singular and plural with a slash: `"coin/coins"`. Everything declared in one file is known in all
  others.
- A folder with a `module.yaml` is a module: `name`, `title`, `version: 1.0.0`, `kind: game` (of its own) or `kind:
  module` (laid over a game, which `requires: [kingsburg]` names), `language: 1`. A module adds definitions, amends
  and removes them: `amend` only the fields that change. Its tests lie in `scenes/`; rules that count only beside
  another module in `with/OTHER-MODULE/`.
- Only the words below are the language. `kingsburg new NAME --own-game` makes a game to start from, `kingsburg check
  FOLDER` says what is wrong and what to write instead, `kingsburg test` plays scenes, `kingsburg explain WORD` tells
  of a word.
- `you` is the player it is about: each one in `each player`, the owner of a thing in its abilities, the player of a
  quantity. At the left edge (`when start of PHASE`) it is nobody's turn: begin with `each player`.
- `it` is the member being looked at after `where`, `has`, `with most`, `over`, up to the end of the line. Put such a
  value in parentheses inside a longer one. A set is the plural of its kind: `trees where height of it > 2`.
- After `of` stands one name, or another `of`; anything longer in parentheses: `standing of (first of (trees where
  ...))`.
- What cannot be paid or completed is not offered. Where there is nothing to choose, the rest of the block is left
  out.
- `spend` pays if it can, and only then come the lines below; `lose` takes what there is. Negative amounts count as 0.
- What cards may change is a `quantity`, which they `adjust`; a rule that a card breaks gets an `exception`.
- `once per` counts for `when` and `shift`. What else happens only so often needs a keep that says so (`keep used of
  player as truth`) and a `when` that sets it back.
- In an ability of a thing, `when gaining`, `losing`, `joining` come for every player: add `if player is you`.
- In a thing, a line `text "..."` stands for the sentences that are made from its abilities; in steps, `text "..."` has
  the steps it speaks of below it. The title of a truth is a piece of a sentence: `"the turn is over"`, and for a player
  what they have done: `"won the battle"`.
- Players read titles, you write names: `find` gives both. A new thing needs every field of its kind that is not
  `optional`.

In a form, words in capitals are asked for, brackets are around what may be left out, `(a | b)` is one or the other.
AMOUNTS are `2 coin`, `1 coin and 2 apple`, `1 coin or 1 apple`, `1 of each fruit`; STEPS are lines below each other.
"""


SCENES = """\
## A test of it

A file in `scenes/`, say `scenes/day.yaml`; in a module, `game: NAME` stands above. A scene starts at `phase NAME`,
`end of PHASE`, `moment NAME`, `effect THING FIELD`, `routine NAME`, `action NAME` (the last three `for:` a player), or
`game`. What is not `given` is as at the start of a game. Values are named by resource or keep, things by their titles.
An answer is the text of an option. A question with one possible answer is not asked, every other needs a line. Nothing
is left to luck: `- dice: 3 4` in `play`, where they are rolled, and `drawn: THING`; or `seed: 7` where luck does not
matter.
"""
_SENTENCE_ENDS = re.compile(r"(?<![.])\.\s+(?=[A-Z`*])")


def short_page() -> str:
    """All of docs/llms.txt: the language on four pages."""
    game = read_example_game().partition("\n\n")[2].strip()
    scenes = fence_code("yaml", read_example_scenes().strip())
    return "\n".join([SHORT, *_forms(), f"## A whole game\n\n{fence_code('edict', game)}\n", f"{SCENES}\n{scenes}", ""])


def _forms() -> Iterator[str]:
    for group in GROUPS:
        yield f"## {describe_group(group)[0]}\n"
        for row in (row for row in list_rows() if row.group == group):
            told = f"{row.name}: {_SENTENCE_ENDS.split(row.does)[0].rstrip('.')}."
            yield fill(told, WIDTH, break_on_hyphens=False) + "\n"
            if row.forms:
                yield "".join(f"    {line}\n" for form in row.forms for line in form.split("\n"))


FILES = {DOCS / "reference" / "words.md": page, DOCS / "llms.txt": short_page}

if __name__ == "__main__":
    write_or_print(FILES)
