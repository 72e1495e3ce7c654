"""What can be told of rules without playing them: who wrote what, what touches what, and a whole rulebook."""
