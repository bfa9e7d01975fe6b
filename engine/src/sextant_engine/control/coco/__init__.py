"""CoCo's law: an element that needs more than its core has pushes its neighbours aside, to the core next door."""
