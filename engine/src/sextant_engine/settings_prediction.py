"""What other settings of a running chain would do: read from the very plan that would apply them."""

from sextant_domain.hosts.desired import HostContent
from sextant_domain.plans.intents import AdjustIntent
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.settings_prediction import SettingsEffect, SettingsPrediction
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.fleet_view import FleetView
from sextant_engine.planning.consequences import affected_chains, others_mpps, profiling_actions, unmeasured_types


def predict_settings(snapshot: FleetSnapshot, intent: AdjustIntent, body: PlanBody) -> SettingsPrediction:
    """`body`: the plan of `intent` that was made of `snapshot`."""
    name = next((one for one in intent.chains if _ordered(body, one)), intent.chain)
    rejected = next((one for one in body.rejected if one.chain in intent.chains), None)
    if not body.target or rejected is not None:
        effect = SettingsEffect.NOTHING if rejected is None else SettingsEffect.HOSTS
        return SettingsPrediction.without_figures(name, effect, snapshot.taken_at, rejected)
    fleet = FleetView.of(snapshot)
    content = _ordered(body, name)[0]
    host = fleet.hosts[content.host_id].holding({one.chain: one for one in content.chains})
    predictions = {one.chain: one for one in body.predictions}
    own, unmeasured = predictions[name], unmeasured_types(host, name)
    return SettingsPrediction(
        chain=name,
        effect=SettingsEffect.HOSTS,
        taken_at=snapshot.taken_at,
        host=host.name,
        adjustments=body.adjustments,
        changes=body.changes,
        prediction=own,
        before_mpps=own.before_mpps,
        unmeasured=unmeasured,
        affected=affected_chains((one for one in body.worse if one.chain not in intent.chains), predictions),
        others_mpps=others_mpps({one.chain: one.before_mpps for one in body.predictions}, predictions, intent.chains),
        rejected=None,
        doubt=None if own.throughput_mpps is None else body.evidence.doubt,
        warnings=body.warnings,
        next_actions=profiling_actions(host, unmeasured),
    )


def _ordered(body: PlanBody, name: str) -> list[HostContent]:
    """What hosts of the plan that hold the chain are ordered."""
    return [one.content for one in body.target if any(chain.chain == name for chain in one.content.chains)]
