"""The rules that somebody writes who follows the studio's tutorial."""

RULES = """\
row A "A"
  place 1

building tea-house "Tea House"
  row A
  column 1
  cost 1 wood
  worth 1
  when start of season
    may gain 1 gold
"""
