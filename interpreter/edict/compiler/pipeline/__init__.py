"""The pipeline from the sources of rules to a program: passes, caches and verified fixes."""
