"""What other settings would do is what their plan says, beside what the chain is predicted to carry as it stands."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.plans.intents import AdjustIntent
from sextant_domain.plans.settings_prediction import SettingsEffect, SettingsPrediction
from sextant_engine.fleet_view import FleetView
from sextant_engine.plan import make_plan
from sextant_engine.planning.standing import predicted_as_placed
from sextant_engine.settings_prediction import predict_settings

INVENTORY = numa_inventory()
WEB, OLD = chain("web", "router", "firewall", rate=2.0), chain("old", "firewall", "router", rate=14.0)
GIVEN = snapshot(
    [host(INVENTORY, [running(WEB, INVENTORY, [(0, 0), (1, 0)]), running(OLD, INVENTORY, [(2, 0), (3, 0)])])],
    [WEB, OLD],
)


def at_rate(rate: float) -> AdjustIntent:
    traffic = WEB.settings.traffic.model_copy(update={"rate_mpps": rate})
    return AdjustIntent(chain="web", settings=WEB.settings.model_copy(update={"traffic": traffic}))


def predicted(rate: float) -> SettingsPrediction:
    return predict_settings(GIVEN, at_rate(rate), make_plan(GIVEN, at_rate(rate)))


def test_before_is_with_the_present_settings_and_not_with_those_that_are_asked_for():
    now = {one.chain: one for one in predicted_as_placed(FleetView.of(GIVEN), ["big-1"])}["web"]
    found = predicted(9.0)
    assert found.effect is SettingsEffect.HOSTS and found.prediction is not None
    assert found.before_mpps == now.throughput_mpps == pytest.approx(2.0)
    assert found.prediction.throughput_mpps is not None and found.prediction.throughput_mpps > 2.0


def test_the_plan_says_the_same_of_the_chain_and_of_its_neighbours():
    """Octans' figures of unmoved NFs are of the same seats with the new rate: 'web' carries 2.0 Mpps now, not 9."""
    now = {one.chain: one.throughput_mpps for one in predicted_as_placed(FleetView.of(GIVEN), ["big-1"])}
    planned = {one.chain: one for one in make_plan(GIVEN, at_rate(9.0)).predictions}
    assert {name: one.before_mpps for name, one in planned.items()} == now


def test_a_chain_that_is_asked_for_less_is_not_affected_by_itself():
    found = predicted(1.0)
    assert found.before_mpps == pytest.approx(2.0)
    assert "web" not in {one.chain for one in found.affected}


def test_what_its_hosts_have_already_changes_nothing():
    found = predicted(2.0)
    assert (found.effect, found.prediction, found.rejected) == (SettingsEffect.NOTHING, None, None)
