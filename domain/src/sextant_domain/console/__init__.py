"""What the console shows: read models and the events of its stream."""
