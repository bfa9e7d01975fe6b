"""Re-placement as a recommendation: the policy, the look at the fleet that follows it, what operators decide."""
