"""Plain Python over rows of integers, and whole programs of the machine, as native code: see README.md beside this."""
