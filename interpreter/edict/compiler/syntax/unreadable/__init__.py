"""What is said of a definition that cannot be read.

`stream` has its words, `automaton` the parser's own table, `repair` the smallest changes after which the words can be
read, `habits` the lines that people write instead, `diagnosis` puts what was found into words.
"""
