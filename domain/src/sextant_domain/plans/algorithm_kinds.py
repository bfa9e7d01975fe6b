"""Placement algorithms by what they choose for an NF."""

from sextant_domain.plans.algorithms import ALGORITHMS, Algorithm

CHOOSES_CORES = tuple(Algorithm(one.name) for one in ALGORITHMS if one.places == "cores")
"""Those that choose its core, on hosts whose cores several NFs share."""

OF_COCO = tuple(Algorithm(one.name) for one in ALGORITHMS if one.law == "coco")
"""Of those, the ones that place by what passes from core to core."""

OF_SFC2CPU = tuple(Algorithm(one.name) for one in ALGORITHMS if one.law == "sfc2cpu")
"""And the ones that assign newcomers by what cores are asked for."""

CHOOSES_NODES = tuple(Algorithm(one.name) for one in ALGORITHMS if one.places == "nodes")
"""Those that choose its node; they solve placement problems of one host, too."""
