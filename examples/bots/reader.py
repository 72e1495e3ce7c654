"""A bot shaped for a language model: it reads the table as text, and its answer is read out of a text.

There is no model in here. Whoever has one writes a function from a prompt to a reply and gives it to `Reader`:

    class Mine(Reader):
        def complete(self, prompt: str, seconds: float) -> str:
            return my_model(prompt, timeout=seconds)

    kingsburg play --bot my_model.py:Mine@60s --bot greedy

Without one it replies with the option that has the longest text, so that it can be tried out:

    kingsburg play --bot examples/bots/reader.py:Reader
"""

from __future__ import annotations

import re

from edict import Ask, Clock, View, as_text

TASK = """\
You play a board game. This is what you see.

{table}
{memory}Think briefly, then end with a line ANSWER: and the number of an option, for example ANSWER: 0.
"""


class Reader:
    """Asks for a text about a text, and once more if it finds no answer in the reply."""

    tries = 2

    def __init__(self, seed: int) -> None:
        self.notes: list[str] = []  # what it thought before, which goes into the next prompt

    def complete(self, prompt: str, seconds: float) -> str:
        """The reply to a prompt, in so many seconds. Here would be the call of a model."""
        options = re.findall(r"^(\d+): (.*)$", prompt.rpartition("You are ")[2], re.MULTILINE)
        number, text = max(options, key=lambda option: len(option[1]))
        return f"{text} says the most.\nANSWER: {number}"

    def choose(self, view: View, ask: Ask, clock: Clock) -> int:
        memory = "".join(f"You thought before: {note}\n" for note in self.notes[-3:])
        prompt = TASK.format(table=as_text(view), memory=memory)
        for _ in range(self.tries):
            reply = self.complete(prompt, max(0.1, clock.left))
            found = re.findall(r"ANSWER:\s*(\d+)", reply)
            if found and int(found[-1]) < len(ask.options):
                self.notes.append(reply.partition("\n")[0][:200])
                return int(found[-1])
            prompt += "\nYour reply named no option. End it with ANSWER: and a number.\n"
        raise ValueError("no answer in the reply")
