"""A Pygments lexer for Edict: documents and terminals show rules in colour. Its words come from the grammar."""

from __future__ import annotations

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from edict.compiler.semantics.symbols import BUILTINS
from edict.compiler.syntax.grammar import keywords, name_pattern

NAME = name_pattern()
APART = {"prefix": r"(?<![\w-])", "suffix": r"(?![\w-])"}  # a keyword is a word of its own, not a part of a name


class EdictLexer(RegexLexer):
    """Rule files (`.edict`)."""

    name = "Edict"
    aliases = ["edict"]
    filenames = ["*.edict"]
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"#.*", Comment.Single),
            (r'"[^"\n]*"?', String.Double),
            (words(sorted(BUILTINS), **APART), Name.Builtin),
            (words(sorted(keywords()), **APART), Keyword),
            (NAME, Name),
            (r"\d+", Number.Integer),
            (r"!=|<=|>=|[-+*/=<>]", Operator),
            (r"[().,]", Punctuation),
            (r".", Punctuation),
        ]
    }
