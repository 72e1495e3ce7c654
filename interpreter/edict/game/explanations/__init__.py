"""What a person at the table is told of their game: why, what would come of an answer, what words mean."""
