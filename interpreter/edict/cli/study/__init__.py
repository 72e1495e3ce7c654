"""Bodies of the commands for those who learn from many games."""
