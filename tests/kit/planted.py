"""A small game of houses with five planted faults, each of which makes something impossible."""

from __future__ import annotations

# Five faults: the tower needs itself; the palace costs 2,000; coins are given after their last use; `rested` is never
# reset; patronage lets the mill be built for nothing.
PLANTED = """\
resource coin "coin/coins"
resource point "point/points"

keep turn-order as order of player, quiet
keep day "day" as number from 0 to 6, quiet
keep owned "houses" of player as set of house, quiet
keep rested "has rested" of player as truth starting at no, quiet

kind house "house/houses"
  cost number from 0 to 5000
  needs set of house
  worth number from 0 to 9

house hut "Hut"
  cost 2
  needs nobody
  worth 1

house mill "Mill"
  cost 4
  needs hut
  worth 2

house tower "Tower"
  cost 3
  needs tower
  worth 5

house palace "Palace"
  cost 2000
  needs nobody
  worth 9

game planted "Planted"
  players 2 to 3
  order turn-order
  winners players with most point of it
  score point of you
  course
    repeat until day = 6
      add 1 to day
      play morning
      play building
    play closing

phase morning "Morning"
  each player
    gain 1 coin
    if not rested of you
      may "Do you rest?"
        set rested of you to yes
        gain 1 coin

phase building "Building"
  each player
    may do build else "Build nothing"

action build "Build a house"
  choose a house as what "Which house do you build?"
  rule only-once
    require what is not in owned of you
    because "you have it already"
  rule in-order
    require needs of what is within owned of you
    because "what it needs comes first"
  rule affordable
    require cost of what <= coin of you
    because "you cannot pay for it"
  then
    spend cost of what coin
      announce you, "pays for", what
    add what to owned of you
    gain worth of what point

exception patronage to build.affordable if what is mill
  allow

phase closing "Closing"
  each player
    gain 3 coin
"""
