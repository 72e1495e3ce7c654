"""Foundations that know nothing of games or rules.

Source texts and spans, English word forms, diagnostics and their rendering, atomic file writes, locks, paths, the
signed cache, translations of the interface, and work in other processes. Every other package builds on this one; it
builds on none.
"""
