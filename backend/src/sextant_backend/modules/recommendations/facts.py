"""What is foretold of chains as they stand, beside what is measured of them: by it a recommendation is held back, and
what came of one is told."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.limits import limiting
from sextant_domain.plans.plan import ChainPrediction
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.reality import Carried, Foretold
from sqlalchemy.orm import Session

from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.outcomes import repository as outcomes
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.predictions.repository import WINDOW
from sextant_backend.modules.predictions.testing import LEAST_SAMPLES
from sextant_backend.modules.recommendations import repository, views
from sextant_backend.modules.telemetry import repository as telemetry


def foretold(snapshot: FleetSnapshot, standing: Iterable[ChainPrediction]) -> tuple[Foretold, ...]:
    """Of chains that run: one that is paused is planned with as though it did."""
    return tuple(_foretold(snapshot, standing))


def _foretold(snapshot: FleetSnapshot, standing: Iterable[ChainPrediction]) -> Iterator[Foretold]:
    running = [chain for host in snapshot.hosts for chain in host.content.chains if not chain.paused]
    types = {chain.chain: {nf.nf_id: nf.nf_type for nf in chain.nfs} for chain in running}
    for one in standing:
        if one.chain in types and one.throughput_mpps is not None:
            nf_type = types[one.chain].get(one.bottleneck or "")
            yield Foretold(one.chain, nf_type, one.throughput_mpps, one.high_mpps, types[one.chain])


def carried(session: Session, foretold: Sequence[Foretold]) -> dict[str, Carried]:
    """What is measured of these chains, with what limits each."""
    loads = telemetry.loads(session, [nf_id for one in foretold for nf_id in one.nf_types], WINDOW)
    found = measured(session, [one.chain for one in foretold])
    for one in foretold:
        limit = limiting([loads[nf_id] for nf_id in one.nf_types if nf_id in loads])
        if limit is not None and one.chain in found:
            found[one.chain] = replace(found[one.chain], limited_by=limit[0])
    return found


def measured(session: Session, names: Sequence[str]) -> dict[str, Carried]:
    """Means over the last window of those of the chains that have enough samples in it."""
    found = telemetry.means(session, names, WINDOW)
    return {
        name: Carried(mean.offered_mpps, mean.carried_mpps)
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
