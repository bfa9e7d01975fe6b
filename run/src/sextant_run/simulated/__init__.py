"""The simulated hosts that stand beside this machine: enrolled as any gateway is, and a few chains to begin with."""
