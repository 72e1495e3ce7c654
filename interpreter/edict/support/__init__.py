"""Foundations that know nothing of games or rules.

Source texts and spans, English forms of words, diagnostics as values and their rendering, files written whole or not
at all, locks, paths, the signed cache, translations of the interface, and processes that do work elsewhere. Every other
package builds on this one; it builds on none.
"""
