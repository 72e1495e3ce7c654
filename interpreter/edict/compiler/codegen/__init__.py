"""The back end: from a small core language to the machine's code. It knows no rule file, and nothing of the tree."""
