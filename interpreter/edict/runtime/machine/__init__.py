"""The machine: the loop that executes a program, its operations, and the encoding of what players answer."""
