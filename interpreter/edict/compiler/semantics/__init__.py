"""What rules do, worked out from the tree and what its names mean: calls, effects, flows."""
