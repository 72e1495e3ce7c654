"""Diagnostics of definitions that cannot be parsed.

`stream` splits them into words, `automaton` has the parser's table, `repair` finds the smallest changes that make the
words readable, `load_habits` recognizes what people write instead, and `diagnosis` builds the diagnostics.
"""
