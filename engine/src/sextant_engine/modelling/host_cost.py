"""What packets cost beside others on one host, fitted on what its NFs measured over hours: they come and go, move and
change their rates."""

from collections.abc import Mapping, Sequence

import numpy as np
from sextant_domain.profiling.inflation import InflationModel

from sextant_engine.modelling.host_samples import KnownNf, SeenNf
from sextant_engine.modelling.inflation import Ran, fit


def fit_host(
    chains: Sequence[Sequence[KnownNf]], windows: Sequence[Mapping[str, SeenNf]], node_of: Mapping[int, int]
) -> InflationModel:
    """`chains`: in the order in which packets pass; `windows`: by NF, in the order in which they were measured, one at
    least of which has an NF of these; `node_of`: by core. Costs of the model are in microseconds."""
    nfs = [nf for chain in chains for nf in chain]
    at = {nf.nf_id: index for index, nf in enumerate(nfs)}
    shape = (len(windows), len(nfs))
    cores, nodes = np.full(shape, -1), np.full(shape, -1)
    rates, seen = np.zeros(shape), np.full(shape, np.nan)
    for row, window in enumerate(windows):
        for nf_id, one in window.items():
            column = at[nf_id]
            cores[row, column], nodes[row, column] = one.core, node_of[one.core]
            rates[row, column], seen[row, column] = one.mpps, one.cost_us
    alone = np.array([nf.alone_us for nf in nfs])
    return fit(
        Ran(
            cycles=alone,
            loads=alone * rates,
            kinds=[nf.nf_type for nf in nfs],
            chains=[[at[nf.nf_id] for nf in chain] for chain in chains],
            cores=cores,
            sockets=nodes,
            seen=seen,
        )
    )
