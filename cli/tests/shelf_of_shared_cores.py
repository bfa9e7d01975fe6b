"""The small console's host whose core 0 two NFs share, divided by rate and cost."""

from sextant_domain.base import Provenance
from sextant_domain.laws.shared_cores_view import OfferedAssigner, SharingCore, SharingHost, SharingNf
from sextant_domain.plans.algorithms import Algorithm
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.host_cost import HostCost, HostCostFit

from .answers import NOW

A = SharingNf(
    nf_id="web.a",
    chain="web",
    nf_type="firewall",
    load=0.6,
    cost_us=1.25,
    alone_us=1.0,
    inflation=0.25,
    expected_us=1.2,
    expected_low_us=1.14,
    expected_high_us=1.27,
    share_percent=75,
)
B = A.model_copy(
    update={"nf_id": "nat.b", "chain": "nat", "alone_us": None, "inflation": None, "expected_us": None,
            "expected_low_us": None, "expected_high_us": None, "load": None, "cost_us": None, "share_percent": 25}
)  # fmt: skip
CORE = SharingCore(
    core=0, node=0, slots=4, busy=0.9, divided=True, law="rate-cost", held=None, changed=None, nfs=(A, B)
)
COST = HostCost(
    version=3,
    fitted_at=NOW,
    fitted_by="ada",
    since=NOW,
    until=NOW,
    windows=2140,
    placements=4,
    nf_types=("firewall",),
    weight="load",
    median_error=0.012,
    left_out_error=0.054,
    held_out_error=0.21,
    provenance=Provenance.SIMULATED,
)
FIT = HostCostFit(
    id=7,
    host="edge-1",
    state=FitState.DONE,
    asked_at=NOW,
    asked_by="ada",
    began_at=NOW,
    windows=2140,
    ended_at=NOW,
    cost=COST,
    error=None,
)
WAITING = FIT.model_copy(
    update={"state": FitState.FITTING, "began_at": None, "windows": None, "ended_at": None, "cost": None}
)
SHARED_CORES = SharingHost(
    host="edge-1",
    provenance=Provenance.SIMULATED,
    measured_at=NOW,
    stopped=None,
    cost=COST,
    fit=FIT,
    assigner=OfferedAssigner(algorithm=Algorithm.CALIBRATED, why="fitted costs of edge-1 are up to 5 % off"),
    assignable=4,
    cores=(CORE,),
)
