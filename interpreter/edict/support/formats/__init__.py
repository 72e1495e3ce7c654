"""Findings for other programs to read: JSON of our own, and SARIF as code hosts show it."""
