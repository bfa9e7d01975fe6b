"""Plans: proposed placements with their evidence, and what became of them."""
