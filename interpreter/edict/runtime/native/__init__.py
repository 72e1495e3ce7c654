"""Compiler of plain Python over rows of integers, and of whole programs, to native code; see README.md."""
