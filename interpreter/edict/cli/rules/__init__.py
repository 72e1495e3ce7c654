"""What one asks of rules without playing: are they right, what is there, what do they say."""
