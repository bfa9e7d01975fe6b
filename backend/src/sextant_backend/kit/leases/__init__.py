"""Work that one worker at a time does: claimed for a while, kept by a heartbeat, taken over where that stops."""
