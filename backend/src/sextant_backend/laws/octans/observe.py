"""What Octans' law observes: what is predicted of chains as they stand, beside what is measured of them."""

from collections.abc import Iterable, Iterator

from sextant_domain.console.views import SloState
from sextant_domain.hosts.limits import limiting
from sextant_domain.laws.octans import MeasuredChain, OctansObservation, PredictedChain
from sextant_domain.plans.plan import ChainPrediction
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.kit.db import session_scope
from sextant_backend.laws.measured import measured
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.chains.views import views as chain_views
from sextant_backend.modules.predictions.repository import WINDOW
from sextant_backend.modules.telemetry import repository as telemetry


def predicted(snapshot: FleetSnapshot, standing: Iterable[ChainPrediction]) -> tuple[PredictedChain, ...]:
    """Of chains that run: one that is paused is planned with as though it did."""
    return tuple(_predicted(snapshot, standing))


def _predicted(snapshot: FleetSnapshot, standing: Iterable[ChainPrediction]) -> Iterator[PredictedChain]:
    running = [chain for host in snapshot.hosts for chain in host.content.chains if not chain.paused]
    types = {chain.chain: {nf.nf_id: nf.nf_type for nf in chain.nfs} for chain in running}
    for one in standing:
        if one.chain in types and one.throughput_mpps is not None:
            yield PredictedChain(
                chain=one.chain,
                nf_type=types[one.chain].get(one.bottleneck or ""),
                mpps=one.throughput_mpps,
                high_mpps=one.high_mpps,
                nf_types=types[one.chain],
            )


def with_measurements(observation: OctansObservation) -> OctansObservation:
    """With what its chains carry now, and what limits each."""
    names = [one.chain for one in observation.predicted]
    with session_scope() as session:
        loads = telemetry.loads(session, [nf_id for one in observation.predicted for nf_id in one.nf_types], WINDOW)
        carried: dict[str, MeasuredChain] = measured(session, names)
    for one in observation.predicted:
        limit = limiting([loads[nf_id] for nf_id in one.nf_types if nf_id in loads])
        if limit is not None and one.chain in carried:
            carried[one.chain] = carried[one.chain].model_copy(update={"limited_by": limit[0]})
    return observation.model_copy(update={"measured": carried})


def meets_slo(names: set[str]) -> dict[str, bool]:
    """Of these chains, those with a throughput SLO that can be judged by measurement: whether it is met."""
    with session_scope() as session:
        found = chain_views(session, chains.living_of(session, names))
    judged = (SloState.MET, SloState.VIOLATED)
    return {view.spec.name: view.throughput_slo is SloState.MET for view in found if view.throughput_slo in judged}
