"""Computer players, the study of many games, and environments for learning programs.

`bots` chooses actions, `study` plays and summarizes thousands of games, `spaces` turns a game into numbers, and `gym`
and `open_spiel` offer it to learning libraries.
"""
