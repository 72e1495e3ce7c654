"""The commands, one or a few of one subject in each file, with their options and output."""
