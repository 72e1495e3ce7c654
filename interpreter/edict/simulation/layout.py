"""How the plan of a game is laid out: the orders for the policies, in one flat row of integers.

`orders.plan` writes it:

    plan[STACK_AT]    where the stack begins
    plan[SECRETS_AT]  how many secret cells there are, then each: its cell, that of who knows it, what stands instead
    plan[SCORE_AT]    the query for a player's score: its entry, parameter, and result
    plan[HUSHED_AT]   for each question whether its answer is a secret
    plan[SEATS + i]   where the section of seat i begins: its policy, and what that needs (see `SECTION`)
"""

from __future__ import annotations

from collections.abc import MutableSequence

RANDOM, GREEDY, WEIGHTS, NET = range(4)

# --- the head of a plan
STACK_AT, SECRETS_AT, SCORE_AT, HUSHED_AT, SEATS = 0, 1, 2, 5, 6
MOST_SEATS = 16

# --- a seat's section: policy, positions judged for an answer, random answers in a thousand, then the judgement
(POLICY, BUDGET, WHIM, ENTRY, PARAM, JUDGED, CLOCK, CLOCK_END, JUDGE_WEIGHT, TERMS, OWN, SHARED, UNITS,
 LAYER) = range(14)  # OWN, SHARED: how many features there are of a player, and of the table
SECTION = 14

# --- terms of a judgement: (shape, first cell, a step for each seat, first weight, how many features); without a step
# a number, set, thing or dice is the table's
TERM = 5
(NUMBER, SET, THING, DICE, PLACE, MINE, AMONG) = range(7)

# --- rows to think in: one for what the seat knows, one a level, the values of options, and one to count in
LEVELS = 10
ROOM = LEVELS + 6
VALUES, COUNTS = LEVELS + 1, LEVELS + 2
TRIED, PLAYED = LEVELS + 3, LEVELS + 4  # for those who try out options in whole games
INPUTS = LEVELS + 5  # what a network reads, and its units
WORST = -(1 << 60)  # what runs into a fault is worth less than anything
POINT = 1 << 24  # what a network says for a point of the lead at the end
WHIMS = 1 << 32  # luck that no game uses otherwise

Row = MutableSequence[int]
