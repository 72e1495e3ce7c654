"""The command `kingsburg`: its commands, their options and output, and playing in the terminal."""
