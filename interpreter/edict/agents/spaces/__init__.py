"""Encodings of games as numbers for learning programs: actions, observations, payoffs."""
