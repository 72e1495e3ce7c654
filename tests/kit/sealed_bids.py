"""A small game in which everybody is asked two questions at once after one player was asked alone, repeatedly."""

MANIFEST = "name: sealed-bids\ntitle: Sealed Bids\nversion: 1.0.0\nkind: game\nlanguage: 1\n"
RULES = """\
resource point "point/points"
keep line as order of player
keep stake "stake" of player as number from 0 to 3, secret
keep bluffing of player as truth, secret, quiet

game sealed-bids "Sealed Bids"
  players 2 to 3
  order line
  winners players with most point of it
  score point of you
  course
    each player in (first of line)
      choose one "Ready?"
        option "Yes"
          nothing
        option "Of course"
          nothing
    repeat 2 times
      play bidding

phase bidding "Bidding"
  each player at once
    choose a number from 0 to 3 as bid "How much?"
    set stake of you to bid
    may "Bluff?"
      set bluffing of you to yes
  each player
    show stake of you to everyone
    gain stake of you point

display seats "Players"
  each player
  column "Stake" stake of player
  column "Points" point of player
"""
FILES = {"module.yaml": MANIFEST, "bids.edict": RULES}
