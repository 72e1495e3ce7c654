"""The syntax of Edict: grammar, parser, tree, printer, editions, and diagnostics for unreadable lines."""
