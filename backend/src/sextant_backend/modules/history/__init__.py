"""What was measured, kept for a year: samples rolled up, and the fleet as it was at any moment."""
