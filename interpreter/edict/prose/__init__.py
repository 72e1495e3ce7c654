"""Rules for readers: what can be said about them without playing.

`rulebook` writes the primer, the rulebook, the changes a module makes, indexes and the gallery; `highlighting` is the
lexer that colours rules in documents.
"""
