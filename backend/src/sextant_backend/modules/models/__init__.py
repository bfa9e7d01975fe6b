"""Fits of profiles, the model versions they make, and which of them plans use."""
