"""Statistics of many games: batches spread over workers, saved, summarized, compared and drawn."""
