"""The small console's host in NUMASFP's law: web falls short on the remote node, nat is local."""

from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import ResourceBounds
from sextant_domain.hosts.telemetry import ControlState, WayTransfer
from sextant_domain.laws.numasfp import NumasfpParameters
from sextant_domain.laws.numasfp_view import (
    NumasfpChain,
    NumasfpHost,
    NumasfpHostRow,
    NumasfpNode,
    NumasfpParametersChange,
    NumasfpTable,
)
from sextant_domain.laws.recommendation import PolicyMode

from .answers import NOW

TABLE = f"sha256:{'a' * 64}"
BOUNDS = ResourceBounds(
    law="numasfp", law_version=1, table=TABLE, least_ways=2, most_ways=8, least_percent=10, most_percent=90
)
WEB = NumasfpChain(
    chain="web",
    node=1,
    local=False,
    nfs=2,
    rate_gbps=8.8,
    forecast_gbps=8.7,
    carried_gbps=5.8,
    llc_ways=5,
    memory_bandwidth_percent=40,
    bounds=BOUNDS,
    control=ControlState.SHORT,
    violations=6,
    in_full=False,
    note="no more ways on node 1",
)
NAT = WEB.model_copy(
    update={
        "chain": "nat",
        "node": 0,
        "local": True,
        "rate_gbps": 3.2,
        "carried_gbps": None,
        "bounds": None,
        "control": None,
        "violations": 0,
        "llc_ways": None,
        "note": None,
    }
)


class ShelfOfNumasfp:
    """One host."""

    def __init__(self) -> None:
        self.parameters = NumasfpParameters()
        self.host = NumasfpHost(
            host="edge-1",
            mode=PolicyMode.RECOMMEND,
            stopped=None,
            provenance=Provenance.SIMULATED,
            evaluated_at=NOW,
            reason="swapping web and nat is recommended",
            table=NumasfpTable(version=2, digest=TABLE, nf_types=("firewall", "nat"), provenance=Provenance.SIMULATED),
            nodes=(NumasfpNode(node=0, cores=14, ways=10), NumasfpNode(node=1, cores=14, ways=10)),
            chains=(NAT, WEB),
            moves=(),
            budget_moves=16,
            budget_s=120,
            margin_gbps=0.24,
            gain_gbps=3.0,
            held_intervals=2,
            hold_intervals=2,
            following_published=False,
            transfers=(
                WayTransfer(at=NOW, from_chain="nat", to_chain="web", ways=2, reason="web needs 7 for 8.8 Gbps"),
            ),
            recommendation_id=1,
            last_outcome=None,
        )

    def row(self) -> NumasfpHostRow:
        return NumasfpHostRow(
            host=self.host.host,
            mode=self.host.mode,
            chains=2,
            violated=1,
            offered_gbps=12.0,
            carried_gbps=9.0,
            budget_left=16,
            reason=self.host.reason,
            evaluated_at=NOW,
            provenance=Provenance.SIMULATED,
            recommendation_id=1,
        )

    def change(self, body: Any) -> NumasfpParameters:
        change = NumasfpParametersChange.model_validate(body)
        self.parameters = self.parameters.model_copy(update=change.changes)
        return self.parameters
