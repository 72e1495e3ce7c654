"""To gain one thing or another."""

from __future__ import annotations

from edict.backend import core
from edict.language import tree as t
from edict.lowering import transactions
from edict.lowering.asks import Ask, Option
from edict.lowering.blocks import lowers
from edict.lowering.choosing import capital, word_cause
from edict.lowering.context import Context
from edict.program import Question
from edict.words import bundle_words


@lowers(t.Gain)
def _gain(c: Context, gain: t.Gain) -> None:
    if len(gain.options) == 1:
        transactions.gain_bundle(c, gain.options[0])
        return
    labels = tuple(capital(bundle_words(c.resolved, b)) for b in gain.options)
    question = c.question(Question("gain", "What do you gain?", "branch", labels=labels))
    options = tuple(Option(i, transactions.needed(c, bundle)) for i, bundle in enumerate(gain.options))
    with c.block() as end:
        some = any(option.needs for option in options)
        answer, cases = Ask(question, options, none=end if some else None).put(c), []
        for bundle in gain.options:
            with c.apart() as case:
                transactions.gain_bundle(c, bundle)
            cases.append((word_cause(c, bundle), tuple(case)))
        c.add(core.Switch(answer, tuple(cases), cause=c.cause))
