"""Writes what editors need of the language's words: the TextMate grammar and the snippets of `vscode/`.

    python editors/generate.py

Both come from the grammar of the language and are never changed by hand; a test sees that they are up to date.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from edict.compiler.semantics.symbols import BUILTINS
from edict.compiler.syntax.grammar import keywords
from edict.prose.highlighting import NAME as NAME_HERE

NAME = re.sub(r"\\u([0-9a-f]{4})", r"\\x{\1}", NAME_HERE)  # as editors write letters by number
HERE = Path(__file__).resolve().parent / "vscode"
SNIPPETS = {
    "thing": ("a thing of a kind", '${1:kind} ${2:name} "${3:Title}"\n  ${0}'),
    "when": ("what happens at a moment", "when ${1:moment}\n  ${0:nothing}"),
    "adjust": ("a quantity, changed", "adjust ${1:quantity} by ${2:1} if ${0:condition}"),
    "phase": ("a phase", 'phase ${1:name} "${2:Title}"\n  each player\n    ${0:nothing}'),
    "routine": ("a routine", 'routine ${1:name} "${2:what it does}"\n  ${0:nothing}'),
    "quantity": ("a quantity", 'quantity ${1:name} "${2:title}" of player is ${0:0}'),
    "keep": ("what the table remembers", 'keep ${1:name} "${2:title}" of player as ${0:number}'),
    "kind": ("a kind of thing", 'kind ${1:name} "${2:one/many}"\n  ${3:field} ${0:number}'),
    "exception": (
        "an exception to a rule",
        "exception ${1:name} to ${2:action}.${3:rule} if ${4:condition}\n  ${0:allow}",
    ),
    "action": (
        "an action with a rule",
        'action ${1:name} "${2:Title}"\n  choose a ${3:kind} as ${4:choice} "${5:Which?}"\n'
        '  rule ${6:free}\n    require ${7:condition}\n    because "${8:reason}"\n  then\n    ${0:nothing}',
    ),
    "amend": ("a change of something there", "amend ${1:kind} ${2:name}\n  ${0}"),
}


def pattern(words: frozenset[str] | set[str]) -> str:
    """The words as whole words; a name may have them as its parts."""
    return rf"(?<![\w-])(?:{'|'.join(sorted(words))})(?![\w-])"


def grammar() -> dict[str, object]:
    """The colours of words without a server: what the parser would say is left to the semantic tokens."""
    starts = r"^(?:((?:amend )?lasting|amend|rewrite|remove|call) )?"
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Edict",
        "scopeName": "source.edict",
        "patterns": [
            {"name": "comment.line.number-sign.edict", "match": r"#.*$"},
            {"name": "string.quoted.double.edict", "begin": '"', "end": '"|$'},
            {
                "match": rf"{starts}({NAME}) ({NAME})",
                "captures": {
                    "1": {"name": "keyword.control.edict"},
                    "2": {"name": "storage.type.edict"},
                    "3": {"name": "entity.name.edict"},
                },
            },
            {"name": "constant.language.edict", "match": pattern(set(BUILTINS))},
            {"name": "keyword.control.edict", "match": pattern(keywords())},
            {"name": "variable.other.edict", "match": NAME},
            {"name": "constant.numeric.edict", "match": r"\d+"},
            {"name": "keyword.operator.edict", "match": r"!=|<=|>=|[-+*/=<>]"},
        ],
    }


def snippets() -> dict[str, object]:
    return {
        name: {"prefix": name, "description": told, "body": body.split("\n")} for name, (told, body) in SNIPPETS.items()
    }


def written() -> dict[Path, str]:
    """The texts of the generated files."""
    files = {"syntaxes/edict.tmLanguage.json": grammar(), "snippets/edict.json": snippets()}
    return {HERE / name: json.dumps(data, indent=2, ensure_ascii=False) + "\n" for name, data in files.items()}


if __name__ == "__main__":
    for path, text in written().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
