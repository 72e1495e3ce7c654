"""A game at the terminal: the board, the questions, what a person types."""
