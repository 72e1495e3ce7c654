"""Scenes: the tests that stand beside the rules, in the words of those who write rules."""
