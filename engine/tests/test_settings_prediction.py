"""What other settings would do is what their plan says, beside what the chain is predicted to carry as it stands."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.plans.plan import AdjustIntent
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


def predicted(rate: float) -> SettingsPrediction:
    traffic = WEB.settings.traffic.model_copy(update={"rate_mpps": rate})
    intent = AdjustIntent(chain="web", settings=WEB.settings.model_copy(update={"traffic": traffic}))
    return predict_settings(GIVEN, intent, make_plan(GIVEN, intent))


def test_before_is_with_the_present_settings_and_not_with_those_that_are_asked_for():
    """By Octans a plan's own `before_mpps` is of the same seats with the new rate."""
    now = {one.chain: one for one in predicted_as_placed(FleetView.of(GIVEN), ["big-1"])}["web"]
    told = predicted(9.0)
    assert told.effect is SettingsEffect.HOSTS and told.prediction is not None
    assert told.before_mpps == now.throughput_mpps == pytest.approx(2.0)
    assert told.prediction.throughput_mpps is not None and told.prediction.throughput_mpps > 2.0


def test_a_chain_that_is_asked_for_less_is_not_affected_by_itself():
    told = predicted(1.0)
    assert told.before_mpps == pytest.approx(2.0)
    assert "web" not in {one.chain for one in told.affected}


def test_what_its_hosts_have_already_changes_nothing():
    told = predicted(2.0)
    assert (told.effect, told.prediction, told.rejected) == (SettingsEffect.NOTHING, None, None)
