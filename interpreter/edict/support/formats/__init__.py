"""Diagnostics for other programs, as JSON of our own and as SARIF for code hosts."""
