"""The program and everything that executes it.

`program` is the linked program: instructions, questions, texts and the layout of a state. `machine` is the one loop
that interprets it over rows of integers, `native` compiles that loop and whole programs to native code or
WebAssembly, and `simulation` plays many games at once: batches, counts, policies, and samples of hidden states.
"""
