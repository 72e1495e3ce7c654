"""The table: one game with its journal, undo, views and log."""
