"""Layering: modules laid over a game, with their amendments, replacements, settings and conflicts."""
