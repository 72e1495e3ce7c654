"""Games as learning programs meet them: actions, observations, payoffs as numbers."""
