"""What one learns from many games: batches spread over workers, kept, summed up, compared and drawn."""
