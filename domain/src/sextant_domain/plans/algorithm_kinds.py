"""Placement algorithms by what they choose for an NF."""

from sextant_domain.plans.algorithms import ALGORITHMS, Algorithm

CHOOSES_CORES = tuple(Algorithm(one.name) for one in ALGORITHMS if one.places == "cores")
"""Those that choose its core, on hosts whose cores several NFs share."""

CHOOSES_NODES = tuple(Algorithm(one.name) for one in ALGORITHMS if one.places == "nodes")
"""Those that choose its node; they solve placement problems of one host, too."""
