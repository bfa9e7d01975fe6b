"""NUMASFP's law: the node and the resources of whole chains, as rates change."""
