"""Statistics of many games: batches spread over workers, saved, summed up, compared and drawn."""
