"""The scenes, tests beside the rules in the words of those who write rules."""
