"""One game at a table.

`table` has the game itself: seats, chance, the journal, replay, undo, views and the log; `explanations` answers why
something is so and what an option would bring; `scenes` are the tests that stand beside the rules, played and
recorded.
"""
