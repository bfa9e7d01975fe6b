"""What accepted recommendations have gained by measurement."""

from sextant_domain.chains.chain import ChainSpec
from sqlalchemy.orm import Session

from sextant_backend.laws.measured import measured
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.control import repository, views
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
