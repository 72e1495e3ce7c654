"""Documents about rules, written without playing them.

`rulebook` writes the primer, the rulebook, the changes a module makes, indexes and the gallery; `highlighting` is the
Pygments lexer that colors rules in documents.
"""
