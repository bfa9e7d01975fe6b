"""Plans: immutable proposals, made by workers, approved or rejected by operators."""
