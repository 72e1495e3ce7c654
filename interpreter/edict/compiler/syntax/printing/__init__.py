"""The printer, from any node back to canonical Edict.

    print_page(page)        -> str         a whole file
    print_lines(node, 0)    -> list[Line]  a definition, ability, field, rule, statement or block (of statements)
    print_expression(expr)  -> str         a value within a line
    print_bundle(amounts)   -> str         amounts within a line
    join_lines(lines)       -> str         lines as they are written

A `PrintedLine` is a logical line with its depth of indentation, its text without it, the innermost node on it (for
`else` and `then` the statement, action or exception that they belong to), and its `physical_lines`, several if it is
too
long. Parsing printed text yields an equal tree, apart from places.

Comments and blank lines are not in the tree: `canonical` keeps those of a file.
"""

from __future__ import annotations

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.definition_printer import WIDTH, PrintedLine, join_lines, print_lines
from edict.compiler.syntax.printing.expression_printer import print_bundle, print_expression

__all__ = ["WIDTH", "PrintedLine", "print_bundle", "print_expression", "print_page", "print_lines", "join_lines"]


def print_page(page: t.Page) -> str:
    """Return a file as text, with an empty line around definitions of several lines."""
    texts, previous_lines = list[str](), list[PrintedLine]()
    for definition in page.definitions:
        lines = print_lines(definition)
        if previous_lines and len(previous_lines) + len(lines) > 2:
            texts.append("\n")
        texts.append(join_lines(lines))
        previous_lines = lines
    return "".join(texts)
