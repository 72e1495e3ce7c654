"""Pure Python replacements of compiled libraries.

A page has them beside its libraries, under the names of the originals.
"""
