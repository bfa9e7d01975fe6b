"""Whether a network that assigns cores is kept: `verdict`."""
