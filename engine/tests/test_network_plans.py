"""Plans by promoted networks: who chooses, what is said of it, who is refused, what the checker does not believe."""

import pytest
from engine_fleets import chain
from networks import promoted
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent
from sextant_domain.plans.snapshot import CoreWork
from sextant_engine.check import check
from test_assigned import cores, planned, said
from test_compact import fleet, shared

WEB = chain("web", rate=3.0)
"""Router, firewall, monitor: 30, 60 and 15 % of a core."""


def with_networks(given_fleet, *networks):
    return given_fleet.model_copy(update={"networks": networks})


def by_network(given_fleet, intent=PlaceIntent(chain="web"), **solving):  # noqa: B008 - it never changes
    return planned(given_fleet, intent, Algorithm.NETWORK, **solving)


def test_newcomers_go_where_the_network_expects_most():
    """The least loaded core in the order of the chain: 30 to core 0, 60 to core 1, 15 to core 0. The first core alone:
    all of it, 105 % of which 97 can be given: 3 x .97 / 1.05."""
    least, first = promoted(2), promoted(2, first_core=True)
    body = by_network(with_networks(fleet([shared()], [WEB]), least))
    assert cores(body, "web") == [0, 1, 0]
    used = said(body).network
    assert (used.weights, used.cores, used.steps, used.promoted_at) == (
        least.weights, 2, 60_000, least.promoted_at,
    )  # fmt: skip
    poor = by_network(with_networks(fleet([shared()], [WEB]), first))
    assert cores(poor, "web") == [0, 0, 0]
    assert said(poor).served_mpps == pytest.approx(3 * 0.97 / 1.05)
    assert said(poor).bound_percent == pytest.approx(60)
    assert "so the promoted network expects" in poor.changes[0].reason


def test_full_cores_count_among_those_that_it_knows():
    """Core 0 has three NFs in three slots: the network for two cores is asked, and core 0 is passed over."""
    old = chain("old", rate=1.0)
    given = fleet([shared()], [WEB], [(old, 0, [(0, 0), (0, 1), (0, 2)])])
    body = by_network(with_networks(given, promoted(2, first_core=True)))
    assert cores(body, "web") == [1, 1, 1]


def test_other_work_is_load_that_it_sees():
    """80 % of core 0 are used by other work: everything that is new goes to core 1 until it has more, 30 + 60."""
    given = fleet([shared()], [WEB])
    host = given.hosts[0].model_copy(update={"other_work": (CoreWork(core=0, percent=80.0),)})
    body = by_network(with_networks(given.model_copy(update={"hosts": (host,)}), promoted(2)))
    assert cores(body, "web") == [1, 1, 1], "core 0 is used last, as it is by every assigner"


def test_what_runs_moves_only_as_often_as_the_plan_says():
    old = chain("old", rate=3.0)
    given = with_networks(fleet([shared()], [], [(old, 0, [(0, 0), (0, 1), (0, 2)])]), promoted(2))
    assert not by_network(given, ReplaceIntent(host="edge-1")).changes
    moved = by_network(given, ReplaceIntent(host="edge-1"), max_moves=1)
    assert said(moved).moves == 1
    assert said(moved).fullest_percent == pytest.approx(60)


@pytest.mark.parametrize(
    ("networks", "why"),
    [
        ((), "no network is promoted for 2 cores"),
        ((promoted(4),), "no network is promoted for 2 cores"),
        ((promoted(2, most_vnfs=2),), "would have 3 NFs and cores with other work, and the promoted network knows 2"),
    ],
)
def test_a_host_without_a_network_that_knows_it_is_refused_with_what_to_do(networks, why):
    body = by_network(with_networks(fleet([shared()], [WEB]), *networks))
    [one] = body.rejected
    assert why in one.reason
    assert not body.target


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"weights": f"sha256:{'1' * 64}"}, "is not the one that is promoted for 2 cores"),
        ({"steps": 5}, "is not the one that is promoted"),
        ({"cores": 3}, "NFs may share 2 of its cores, not 3"),
    ],
)
def test_the_checker_does_not_believe_another_network(changes, text):
    given = with_networks(fleet([shared()], [WEB]), promoted(2))
    body = by_network(given)
    host = body.evidence.hosts[0]
    lie = host.assigned.model_copy(update={"network": host.assigned.network.model_copy(update=changes)})
    hosts = (host.model_copy(update={"assigned": lie}),)
    wrong = body.model_copy(update={"evidence": body.evidence.model_copy(update={"hosts": hosts})})
    assert any(text in finding.detail for finding in check(wrong, given) if not finding.ok)


def test_a_plan_by_another_assigner_names_no_network():
    given = with_networks(fleet([shared()], [WEB]), promoted(2))
    body = planned(given, PlaceIntent(chain="web"), Algorithm.MIN_MAX)
    assert said(body).network is None
