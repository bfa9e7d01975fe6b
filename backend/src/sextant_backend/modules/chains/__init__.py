"""Service function chains: what operators ask for, and where their NFs were ordered to stand."""
