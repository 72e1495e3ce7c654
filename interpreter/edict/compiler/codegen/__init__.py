"""The back end: emits and optimizes machine code for the core language.

It knows neither rule files nor the syntax tree.
"""
