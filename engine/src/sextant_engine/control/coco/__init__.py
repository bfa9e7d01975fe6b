"""CoCo's law: an element that needs more than its core has pushes its neighbours aside, to the core next door; and its
scheduler, which shares a core out."""
