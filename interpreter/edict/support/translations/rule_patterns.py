"""Sentences that the compiler makes of any rules, as patterns for their translation.

A slot `{title}` stands for a title, `{number}` for a number, any other one for a text that is translated itself. Longer
sentences are translated one by one, in `words/LANGUAGE.yaml`.
"""

from __future__ import annotations

from edict.support.translations import N_

RULE_PATTERNS = (
    # questions
    N_("Yes"),
    N_("No"),
    N_("No more"),
    N_("Choose one"),
    N_("Which die?"),
    N_("With which dice?"),
    N_("Which of these applies?"),
    N_("What do you use?"),
    N_("What do you gain?"),
    N_("What do you pay?"),
    N_("What do you spend?"),
    N_("What do you spend to {action}?"),
    N_("What does the {title} show?"),
    N_("Which {title} do you gain?"),
    N_("Which {title} do you lose?"),
    N_("Which {title} do you spend?"),
    N_("Which {title} is drawn?"),
    N_("Which {title} is next?"),
    N_("Which {title} is taken?"),
    N_("Choose a {title}"),
    N_("Choose an {title}"),
    N_("{moment}: which effect do you use?"),
    N_("{reason}. What do you use?"),
    N_("No {title} are left"),
    # amounts
    N_("{number} {title}"),
    N_("a {title}"),
    N_("A {title}"),
    N_("{number} {title} of your choice"),
    N_("{number} of each other {title}"),
    # effects
    N_("gain {amounts}"),
    N_("Gain {amounts}"),
    N_("Gain {amounts}."),
    N_("lose {amounts}"),
    N_("Lose {amounts}."),
    N_("spend {amounts}"),
    N_("Spend {amounts}."),
    N_("Spend {amounts}, then {action}."),
    N_("Draw a {title}."),
    N_("Draw {number} {title}."),
    # conditions and values
    N_("{title} is yours"),
    N_("you have {amounts}"),
    N_("you can pay {amounts}"),
    N_("you are the {title}"),
    N_("it has not been used yet, once per {title}"),
    N_("once per {title}"),
    N_("the {title} is {value}"),
    N_("there are {title} left"),
    # whatever is joined
    N_("{title}: {sentence}"),
    N_("{title} {number}"),
    N_("{first}, {rest}"),
    N_("{first}, or {last}"),
    N_("{first} and {last}"),
    N_("{first} or {last}"),
    N_("player"),
    N_("players"),
    N_("resource"),
    N_("resources"),
)
