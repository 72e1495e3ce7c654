"""The way back from tree to text: any node as canonical Edict.

    page_text(page)     -> str         a whole file
    printed(node, 0)    -> list[Line]  a definition, ability, field, rule, statement or block (a tuple of statements)
    expression(expr)    -> str         a value, as it is within a line
    bundle(amounts)     -> str         amounts, as they are within a line
    text_of(lines)      -> str         lines as they are written

A `Line` is a logical line: `depth` (steps of indentation), `text` (without them), `node` (the innermost node
that stands on it: of `else` and `then` the statement, action or exception they belong to), and `written`, the
line broken up where it is too long. Parsing what is printed gives an equal tree, places aside.

Comments and blank lines are not in the tree: `layout` keeps those of a file.
"""

from __future__ import annotations

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.lines import WIDTH, Line, text_of
from edict.compiler.syntax.printing.printed_definitions import printed
from edict.compiler.syntax.printing.printed_expressions import bundle, expression

__all__ = ["WIDTH", "Line", "bundle", "expression", "page_text", "printed", "text_of"]


def page_text(page: t.Page) -> str:
    """A file, with an empty line wherever a definition of several lines begins or ends."""
    texts, before = list[str](), list[Line]()
    for definition in page.definitions:
        lines = printed(definition)
        if before and len(before) + len(lines) > 2:
            texts.append("\n")
        texts.append(text_of(lines))
        before = lines
    return "".join(texts)
