"""What accepted recommendations have gained by measurement."""

from collections.abc import Collection

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.operation import FINAL_STATES, ChainOutcome
from sextant_engine.control.numasfp.state import IN_FULL
from sqlalchemy.orm import Session

from sextant_backend.laws.measured import measured
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.control import lane_gains, repository, views
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.operations import views as operation_views
from sextant_backend.modules.outcomes import repository as outcomes
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.plans.models import PlanRow


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
            gain = sum(one.value * (after[one.name] - earlier[one.name]) for one in specs)
            row.measured_gain_mpps = gain
            views.changed(session, row)
            detail = {"law": row.law, "plan": row.plan_id, "measured_mpps": f"{gain:.3f}"}
            detail["gain_mpps"] = f"{row.body['gain_mpps']:.3f}"
            audit.record(session, "system", "recommendation.measured", f"recommendation/{row.id}", detail)


def settle_gbps(session: Session, laws: Collection[str]) -> None:
    """Write down what accepted moves of laws that reckon in Gbps have gained, once their operations measured it."""
    for row in repository.unsettled_gbps(session, laws):
        found = None if row.operation_id is None else operations.load(session, row.operation_id)
        operation = None if found is None else operation_views.view(found)
        if operation is None or operation.state not in FINAL_STATES:
            continue
        measured_chains = [
            chain for work in operation.hosts if work.outcome is not None for chain in work.outcome.chains
        ]
        lanes = None if measured_chains else lane_gains.outcome(session, operation)
        measured_chains += [] if lanes is None else [lanes]
        gains = [gain for chain in measured_chains if (gain := gained_gbps(chain)) is not None]
        if gains:
            row.measured_gain_gbps = sum(gains)
            views.changed(session, row)
            detail = {"law": row.law, "plan": row.plan_id, "measured_gbps": f"{sum(gains):.3f}"}
            detail["gain_gbps"] = f"{row.body['gain_gbps']:.2f}"
            audit.record(session, "system", "recommendation.measured", f"recommendation/{row.id}", detail)


def gained_gbps(chain: ChainOutcome) -> float | None:
    """What it carries more than it would have carried before at the load of after: what it carried then, where that was
    less than it was offered, and all of the load otherwise. None where that was not measured."""
    before, after, offered = chain.before_gbps, chain.after_gbps, chain.offered_after_gbps
    if before is None or after is None or offered is None or chain.offered_before_gbps is None:
        return None
    was_full = before >= IN_FULL * chain.offered_before_gbps
    return after - (offered if was_full else min(before, offered))
