"""Editions of the language. The grammar knows the current one, and older rules are read as that says them.

The changes of an edition are a table, `grammar/editions/N.yaml`, and where patterns of words do not suffice, functions
from trees to edits in `edition_N.py`. A change stays within its line, so places differ by columns only.
"""
