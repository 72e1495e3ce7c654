"""Editions of the language: the grammar knows today's, and rules of older ones are read as today's edition says them.

What an edition changed is a table, `grammar/editions/N.yaml`; where words alone do not tell, functions from trees to
edits, in `edition_N.py`. A change keeps to its line, so places differ by columns only.
"""
