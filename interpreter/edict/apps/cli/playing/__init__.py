"""A game at the terminal: the board, the questions, and the commands that a person types."""
