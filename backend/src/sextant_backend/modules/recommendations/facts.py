"""What is predicted of chains as they stand, beside what is measured of them: by it a recommendation is held back, and
what came of one is reported."""

from collections.abc import Iterable, Iterator, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.limits import limiting
from sextant_domain.laws.octans import MeasuredChain, PredictedChain
from sextant_domain.plans.plan import ChainPrediction
from sextant_domain.plans.snapshot import FleetSnapshot
from sqlalchemy.orm import Session

from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.outcomes import repository as outcomes
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.predictions.repository import WINDOW
from sextant_backend.modules.predictions.testing import LEAST_SAMPLES
from sextant_backend.modules.recommendations import repository, views
from sextant_backend.modules.telemetry import repository as telemetry


def predicted(snapshot: FleetSnapshot, standing: Iterable[ChainPrediction]) -> tuple[PredictedChain, ...]:
    """Of chains that run: one that is paused is planned with as though it did."""
    return tuple(_predicted(snapshot, standing))


def _predicted(snapshot: FleetSnapshot, standing: Iterable[ChainPrediction]) -> Iterator[PredictedChain]:
    running = [chain for host in snapshot.hosts for chain in host.content.chains if not chain.paused]
    types = {chain.chain: {nf.nf_id: nf.nf_type for nf in chain.nfs} for chain in running}
    for one in standing:
        if one.chain in types and one.throughput_mpps is not None:
            nf_type = types[one.chain].get(one.bottleneck or "")
            yield PredictedChain(
                chain=one.chain,
                nf_type=nf_type,
                mpps=one.throughput_mpps,
                high_mpps=one.high_mpps,
                nf_types=types[one.chain],
            )


def carried(session: Session, predicted: Sequence[PredictedChain]) -> dict[str, MeasuredChain]:
    """What is measured of these chains, with what limits each."""
    loads = telemetry.loads(session, [nf_id for one in predicted for nf_id in one.nf_types], WINDOW)
    found = measured(session, [one.chain for one in predicted])
    for one in predicted:
        limit = limiting([loads[nf_id] for nf_id in one.nf_types if nf_id in loads])
        if limit is not None and one.chain in found:
            found[one.chain] = found[one.chain].model_copy(update={"limited_by": limit[0]})
    return found


def measured(session: Session, names: Sequence[str]) -> dict[str, MeasuredChain]:
    """Means over the last window of those of the chains that have enough samples in it."""
    found = telemetry.means(session, names, WINDOW)
    return {
        name: MeasuredChain(offered_mpps=mean.offered_mpps, mpps=mean.carried_mpps)
        for name, mean in found.items()
        if mean.samples >= LEAST_SAMPLES
    }


def before(session: Session, plan: PlanRow) -> dict[str, float]:
    """What the chains of the hosts that a plan, whose body must have been read, would change carry now."""
    names = [chain.chain for order in plan_views.body_of(plan).target for chain in order.content.chains]
    return {name: carried.mpps for name, carried in measured(session, names).items()}


def settle(session: Session) -> None:
    """Write down what accepted recommendations have gained, once all of their chains were measured."""
    for row in repository.unsettled(session):
        earlier = row.measured_before or {}
        after = outcomes.first_measured(session, row.plan_id)
        both = earlier.keys() & after.keys()
        if both:
            specs = (ChainSpec.model_validate(chain.spec) for chain in chains.living_of(session, both))
            row.measured_gain_mpps = sum(one.value * (after[one.name] - earlier[one.name]) for one in specs)
            views.changed(session, row)
