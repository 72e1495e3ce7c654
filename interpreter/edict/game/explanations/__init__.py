"""Explanations for people at the table: reasons, consequences of answers, and the meaning of words."""
