"""Semantic analysis of rules, from the tree and its symbols (names, types, calls, effects, flows)."""
