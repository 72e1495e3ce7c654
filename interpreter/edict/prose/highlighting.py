"""A Pygments lexer for Edict, whose words come from the grammar."""

from __future__ import annotations

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from edict.compiler.semantics.symbols import BUILTINS
from edict.compiler.syntax.grammar import keywords, name_pattern

NAME = name_pattern()
# a keyword is a word of its own, not a part of a name
WORD_BOUNDARIES = {"prefix": r"(?<![\w-])", "suffix": r"(?![\w-])"}


class EdictLexer(RegexLexer):
    """A lexer for rule files (`.edict`)."""

    name = "Edict"
    aliases = ["edict"]
    filenames = ["*.edict"]
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"#.*", Comment.Single),
            (r'"[^"\n]*"?', String.Double),
            (words(sorted(BUILTINS), **WORD_BOUNDARIES), Name.Builtin),
            (words(sorted(keywords()), **WORD_BOUNDARIES), Keyword),
            (NAME, Name),
            (r"\d+", Number.Integer),
            (r"!=|<=|>=|[-+*/=<>]", Operator),
            (r"[().,]", Punctuation),
            (r".", Punctuation),
        ]
    }
