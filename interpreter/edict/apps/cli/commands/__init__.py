"""The commands: in each file one, or a few of one subject, with its options, what it does and what it prints."""
