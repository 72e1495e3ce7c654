"""What can be said about rules without playing them: who wrote what, what touches what, and a whole rulebook."""
