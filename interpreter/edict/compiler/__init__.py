"""The compiler: rule files to a program, pass by pass.

`sources` finds and reads modules as untrusted input, `syntax` has the tree, the grammar, parsing and printing,
`layering` combines modules into one book, `semantics` resolves names and types, `checks` finds rules that are
well-formed but wrong, `english` renders any node as a phrase, `lowering` translates rules to the core language,
`codegen` emits instructions, and `pipeline` runs the passes. The compiler never plays a game.
"""
