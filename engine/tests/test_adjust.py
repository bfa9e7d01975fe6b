"""Changing settings of a chain that runs: the orders change these and nothing else."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot, unable
from sextant_domain.chains.chain import ChainSettings, NfSettings
from sextant_domain.chains.cpu_bounds import QuotaBounds, ShareBounds
from sextant_domain.hosts.desired import DesiredHostConfig, OrderedLine
from sextant_domain.hosts.host import SHARE_LINES, Capability, HostStatus
from sextant_domain.plans.intents import AdjustIntent, PlaceIntent, ReplaceIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_domain.plans.resources import resource_differences
from sextant_domain.plans.snapshot import ModelLine
from sextant_engine.check import check
from sextant_engine.plan import make_plan

WEB, OTHER = chain("web-edge", "router", "firewall"), chain("other", "router")


def fleet(status=HostStatus.UP, web=WEB, inventory=None):
    inventory = inventory or demo_inventory()
    chains = [running(web, inventory, [(1, 0), (1, 1)]), running(OTHER, inventory, [(1, 3)])]
    return snapshot([host(inventory, chains, generation=2, status=status)], [OTHER, web])


def wanted(**changes) -> ChainSettings:
    return WEB.settings.model_copy(update=changes)


def adjust(given, settings, name="web-edge"):
    body = make_plan(given, AdjustIntent(chain=name, settings=settings), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def differences(body):
    return [(one.field, one.before, one.after) for one in body.adjustments]


def test_a_rate_changes_and_nothing_else_does():
    faster = wanted(traffic=WEB.traffic.model_copy(update={"rate_mpps": 3.5}))
    body = adjust(fleet(), faster)
    assert differences(body) == [("traffic.rate_mpps", "1.0", "3.5")]
    assert body.changes == ()
    assert (body.target[0].generation, body.evidence.status) == (3, "as_ordered")
    other, web = body.target[0].content.chains
    assert other == next(one for one in fleet().hosts[0].content.chains if one.chain == "other")
    assert web.settings == faster
    assert [(nf.core, nf.slot) for nf in web.nfs] == [(1, 0), (1, 1)]


def test_share_bounds_come_and_go_and_nothing_else_changes():
    """Each is listed with what it was: none before, and none afterwards."""
    bounds = ShareBounds(least_percent=5, most_percent=80)
    body = adjust(fleet(), wanted(share_bounds=bounds))
    assert differences(body) == [
        ("share_bounds.least_percent", "null", "5"),
        ("share_bounds.most_percent", "null", "80"),
    ]
    assert body.target[0].content.chains[1].share_bounds == bounds and body.changes == ()
    bounded = WEB.model_copy(update={"share_bounds": bounds})
    body = adjust(fleet(web=bounded), wanted(share_bounds=None))
    assert [one[2] for one in differences(body)] == ["null", "null"]
    assert body.target[0].content.chains[1].share_bounds is None


def test_quota_bounds_come_and_go_on_hosts_of_measured_packets():
    measured = demo_inventory()
    can = Capability(name="quota-bounds", available=True, reason="packets say how long each NF had them")
    measured = measured.model_copy(update={"capabilities": (*measured.capabilities, can)})
    bounds = QuotaBounds(max_p95_us=5000, least_percent=10, most_percent=80)
    body = adjust(fleet(inventory=measured), wanted(quota_bounds=bounds))
    assert differences(body) == [
        ("quota_bounds.least_percent", "null", "10"),
        ("quota_bounds.max_p95_us", "null", "5000.0"),
        ("quota_bounds.most_percent", "null", "80"),
    ]
    assert body.target[0].content.chains[1].quota_bounds == bounds and body.changes == ()
    bounded = WEB.model_copy(update={"quota_bounds": bounds})
    body = adjust(fleet(web=bounded, inventory=measured), wanted(quota_bounds=None))
    assert body.target[0].content.chains[1].quota_bounds is None


def test_an_order_with_share_bounds_holds_the_shares_that_were_promoted_for_its_nfs():
    """Of this host model, and of the version that the NF has; an agent that does not know them is sent none."""
    inventory = demo_inventory()
    knowing = inventory.model_copy(
        update={"capabilities": (*inventory.capabilities, Capability(name=SHARE_LINES, available=True, reason="new"))}
    )
    version = running(WEB, inventory, [(1, 0), (1, 1)]).nfs[0].nf_version
    router = OrderedLine(nf_type="router", nf_version=version, shares_id=3, slope=0.2, intercept=0.05)
    others = (
        ModelLine(host_model=inventory.host_model, line=router.model_copy(update={"nf_type": "nat"})),
        ModelLine(host_model="another", line=router.model_copy(update={"nf_type": "firewall"})),
        ModelLine(
            host_model=inventory.host_model, line=router.model_copy(update={"nf_type": "firewall", "nf_version": 9})
        ),
        ModelLine(host_model=inventory.host_model, line=router),
    )
    bounds = wanted(share_bounds=ShareBounds(least_percent=5, most_percent=80))
    held = [
        adjust(fleet(inventory=one).model_copy(update={"share_lines": others}), settings).target[0].content.share_lines
        for one, settings in ((knowing, bounds), (inventory, bounds), (knowing, wanted(paused=True)))
    ]
    assert held == [(router,), (), ()]


def test_the_checker_finds_shares_that_were_not_promoted():
    standing = fleet()
    intent = AdjustIntent(chain="web-edge", settings=wanted(share_bounds=ShareBounds(least_percent=5, most_percent=80)))
    body = make_plan(standing, intent, clock=lambda: 0.0)
    line = OrderedLine(nf_type="router", nf_version=1, shares_id=3, slope=0.2, intercept=0.05)
    content = body.target[0].content.model_copy(update={"share_lines": (line,)})
    forged = body.model_copy(update={"target": (DesiredHostConfig.of(body.target[0].generation, content),)})
    assert [finding.check for finding in check(forged, standing) if not finding.ok] == ["share-lines"]


BY_COST = ShareBounds(least_percent=5, most_percent=80, law="rate-cost")
BY_QUEUES = ShareBounds(least_percent=5, most_percent=80)


def bounded_fleet(other: ShareBounds, web: ShareBounds | None = None, inventory=None):
    """Both chains have NFs on core 1."""
    inventory = inventory or demo_inventory()
    specs = [OTHER.model_copy(update={"share_bounds": other}), WEB.model_copy(update={"share_bounds": web})]
    chains = [running(specs[0], inventory, [(1, 3)]), running(specs[1], inventory, [(1, 0), (1, 1)])]
    return snapshot([host(inventory, chains, generation=2)], specs)


def test_a_core_is_divided_by_the_law_that_is_named():
    """And asks its host for it: an agent that knows queue matching alone is not asked."""
    body = adjust(fleet(), wanted(share_bounds=BY_COST))
    assert ("share_bounds.law", "null", '"rate-cost"') in differences(body)
    assert body.target[0].content.chains[1].share_bounds == BY_COST
    older = unable(demo_inventory(), "rate-cost-shares", "its agent is older")
    body = adjust(fleet(inventory=older), wanted(share_bounds=BY_COST))
    assert body.target == () and "which cannot do rate-cost-shares" in body.rejected[0].reason
    assert adjust(fleet(inventory=older), wanted(share_bounds=BY_QUEUES)).rejected == ()


def test_a_core_that_is_divided_by_another_law_is_refused_with_the_way_there():
    body = adjust(bounded_fleet(BY_QUEUES), wanted(share_bounds=BY_COST))
    assert body.target == ()
    (why,) = body.rejected
    assert why.reason == (
        "share_bounds.law: core 1 of edge-1 is divided by queue-matching for other, and one law divides a core"
    )
    assert why.relax == (
        "leave it at queue-matching, or take the share bounds of other away first (none), and give it rate-cost "
        "afterwards"
    )
    assert adjust(bounded_fleet(BY_COST), wanted(share_bounds=BY_COST)).rejected == ()


def test_what_is_divided_by_two_laws_already_can_be_left_by_either():
    """So placed, or moved there: taking bounds away, and settings that have nothing to do with it, are no clash."""
    standing = bounded_fleet(BY_QUEUES, BY_COST)
    body = adjust(standing, wanted(share_bounds=BY_COST, paused=True))
    assert body.rejected == ()
    assert [text for text in body.warnings if "two laws" in text] == [
        "core 1 of edge-1 is to be divided by two laws, of other and web-edge: nobody divides it until their share "
        "bounds name one"
    ]
    assert adjust(standing, wanted(share_bounds=None)).rejected == ()


def test_the_checker_finds_two_laws_on_a_core():
    standing = bounded_fleet(BY_QUEUES)
    intent = AdjustIntent(chain="web-edge", settings=wanted(share_bounds=BY_QUEUES))
    body = make_plan(standing, intent, clock=lambda: 0.0)
    forged_intent = AdjustIntent(chain="web-edge", settings=wanted(share_bounds=BY_COST))
    chains = tuple(
        one.model_copy(update={"share_bounds": BY_COST}) if one.chain == "web-edge" else one
        for one in body.target[0].content.chains
    )
    content = body.target[0].content.model_copy(update={"chains": chains})
    target = (DesiredHostConfig.of(body.target[0].generation, content),)
    forged = body.model_copy(update={"target": target, "intent": forged_intent})
    assert "share-laws" in [finding.check for finding in check(forged, standing) if not finding.ok]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"paused": True}, "paused"),
        ({"execution": "run-to-completion"}, "execution"),
    ],
)
def test_each_setting_is_listed_by_its_field(changes, field):
    body = adjust(fleet(), wanted(**changes))
    assert [one[0] for one in differences(body)] == [field]
    assert body.changes == ()


@pytest.mark.parametrize(
    ("nf", "settings", "differences"),
    [
        ("router", NfSettings(cpu_share=300), [("cpu_share", None, 300)]),
        ("firewall", NfSettings(cpu_quota_percent=40.0), [("cpu_quota_percent", None, 40.0)]),
    ],
)
def test_a_share_and_a_quota_are_listed_as_resources_of_their_nf(nf, settings, differences):
    """One kind of change, whoever asks for it."""
    body = adjust(fleet(), wanted(nfs={"router": NfSettings(), "firewall": NfSettings(), nf: settings}))
    (change,) = body.changes
    assert (change.kind, change.nf_id, body.adjustments) == (ChangeKind.RESOURCES, f"web-edge.{nf}", ())
    assert resource_differences(change.source, change.target) == differences


def test_nfs_with_ways_of_their_own_do_not_begin_to_share_a_process():
    inventory = demo_inventory()
    web = running(WEB, inventory, [(1, 0), (1, 1)])
    held = web.model_copy(update={"nfs": (web.nfs[0].model_copy(update={"llc_ways": 2}), web.nfs[1])})
    body = adjust(snapshot([host(inventory, [held])], [WEB]), wanted(execution="run-to-completion"))
    assert body.target == ()
    assert body.rejected[0].reason.startswith("execution: web-edge.router has LLC ways")


def test_what_is_as_asked_already_is_no_order():
    body = adjust(fleet(), WEB.settings)
    assert (body.target, body.adjustments, body.rejected) == ((), (), ())


BALANCED = chain("web-edge", {"type": "load-balancer", "config": {"backends": [1, 2]}}, "firewall")


def test_backends_change_and_the_rest_of_the_configuration_does_not():
    """The order holds size 10 and backends [1, 2]; asked for are the backends [3] alone."""
    settings = BALANCED.settings
    assert settings.nfs["load-balancer"].config == {"backends": [1, 2]}
    assert settings.nfs["firewall"].config == {}
    fewer = settings.nfs["load-balancer"].model_copy(update={"config": {"backends": [3]}})
    body = adjust(fleet(web=BALANCED), settings.model_copy(update={"nfs": {**settings.nfs, "load-balancer": fewer}}))
    assert differences(body) == [("nfs.load-balancer.config.backends", "[1, 2]", "[3]")]
    assert body.target[0].content.chains[1].nfs[0].config == {"size": 10, "backends": [3]}
    assert body.changes == ()


def test_more_of_a_configuration_than_an_nf_takes_up_is_caught():
    """Its size would need a new NF: the engine orders what the intent says, and the checker refuses it."""
    settings = BALANCED.settings
    larger = settings.nfs["load-balancer"].model_copy(update={"config": {"size": 11}})
    intent = AdjustIntent(
        chain="web-edge", settings=settings.model_copy(update={"nfs": {**settings.nfs, "load-balancer": larger}})
    )
    body = make_plan(fleet(web=BALANCED), intent, clock=lambda: 0.0)
    assert (body.target, body.adjustments) == ((), ())
    assert "changes in more than its settings" in body.rejected[0].reason


def test_other_backends_than_asked_for_are_caught():
    given, settings = fleet(web=BALANCED), BALANCED.settings
    fewer = settings.nfs["load-balancer"].model_copy(update={"config": {"backends": [3]}})
    body = adjust(given, settings.model_copy(update={"nfs": {**settings.nfs, "load-balancer": fewer}}))
    intent = AdjustIntent(chain="web-edge", settings=settings)
    assert "settings" in {
        finding.check for finding in check(body.model_copy(update={"intent": intent}), given) if not finding.ok
    }


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"paused": True}, "pause"),
        ({"execution": "run-to-completion"}, "run-to-completion"),
        ({"nfs": {"router": NfSettings(cpu_share=300), "firewall": NfSettings()}}, "cpu-share"),
        ({"nfs": {"router": NfSettings(), "firewall": NfSettings(cpu_quota_percent=40.0)}}, "cpu-share"),
        ({"share_bounds": ShareBounds(least_percent=5, most_percent=80)}, "cpu-share"),
        ({"quota_bounds": QuotaBounds(max_p95_us=5000, least_percent=5, most_percent=80)}, "quota-bounds"),
    ],
)
def test_a_setting_that_its_host_cannot_do_is_a_rejection(changes, name):
    weak = unable(demo_inventory(), name, "no helper answers")
    body = adjust(fleet(inventory=weak), wanted(**changes))
    assert (body.target, body.rejected[0].reason) == (
        (),
        f"the chain runs on edge-1, which cannot do {name} (no helper answers)",
    )
    assert body.rejected[0].relax == "leave that setting as it is"


def test_what_a_chain_has_already_hinders_no_other_setting():
    """Its host has lost the ability since: another rate, and going on, ask for nothing new."""
    weak = unable(demo_inventory(), "pause", "another driver")
    paused = WEB.model_copy(update={"paused": True})
    faster = wanted(paused=True, traffic=WEB.traffic.model_copy(update={"rate_mpps": 3.5}))
    assert differences(adjust(fleet(web=paused, inventory=weak), faster)) == [("traffic.rate_mpps", "1.0", "3.5")]
    assert differences(adjust(fleet(web=paused, inventory=weak), wanted())) == [("paused", "true", "false")]


def test_a_share_of_100_is_none():
    """100 is the weight of whoever names none: no ability is needed for it."""
    weak = unable(demo_inventory(), "cpu-share", "no helper answers")
    asked = wanted(nfs={"router": NfSettings(cpu_share=100), "firewall": NfSettings()})
    (change,) = adjust(fleet(inventory=weak), asked).changes
    assert (change.nf_id, change.target.cpu_share) == ("web-edge.router", 100)


def test_a_chain_that_runs_nowhere_is_a_rejection():
    body = adjust(snapshot([host(demo_inventory())], [WEB]), wanted(paused=True))
    assert (body.target, body.rejected[0].reason) == ((), "the chain runs on no host")


def test_settings_of_other_nfs_are_a_rejection():
    body = adjust(fleet(), wanted(nfs={"router": NfSettings(), "ghost": NfSettings()}))
    assert body.target == ()
    assert "firewall, ghost" in body.rejected[0].reason


def test_a_host_that_is_silent_gets_its_order_later_and_the_plan_says_so():
    body = adjust(fleet(HostStatus.UNREACHABLE), wanted(paused=True))
    assert len(body.target) == 1
    assert "edge-1 is unreachable: its order waits until it answers" in body.warnings


def test_a_newcomer_starts_with_the_settings_of_its_specification():
    nfs = [{"type": "router", "cpu_share": 300, "cpu_quota_percent": 50}, "firewall"]
    spec = chain("web-edge", *nfs, paused=True)
    body = make_plan(snapshot([host(demo_inventory())], [spec]), PlaceIntent(chain="web-edge"), clock=lambda: 0.0)
    assert body.target[0].content.chains[0].settings == spec.settings
    assert body.adjustments == ()


def test_a_chain_that_runs_keeps_its_settings_when_the_fleet_is_planned_anew():
    """Its core is gone, so it must move; its stored specification says something else, which is not asked for here."""
    inventory = numa_inventory("edge-1")
    paused = chain("web-edge", {"type": "router", "cpu_share": 300}, paused=True)
    lost = running(paused, inventory, [(99, 0)])
    body = make_plan(
        snapshot([host(inventory, [lost], generation=1)], [chain("web-edge", "router")]),
        ReplaceIntent(),
        clock=lambda: 0.0,
    )
    moved = body.target[0].content.chains[0]
    assert moved.nfs[0].core != 99
    assert moved.settings == paused.settings
    assert body.adjustments == ()


def test_a_paused_chain_is_predicted_as_though_it_ran_and_the_plan_says_so():
    inventory = numa_inventory("edge-1")
    given = snapshot([host(inventory, [running(WEB, inventory, [(1, 0), (2, 0)])], generation=1)], [WEB])
    body = adjust(given, wanted(paused=True))
    assert (body.predictions[0].throughput_mpps or 0) > 0
    assert "paused" in (body.predictions[0].note or "")


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [("paused", False, "settings"), ("execution", "run-to-completion", "settings"), ("egress", None, "scope")],
)
def test_an_order_that_is_not_the_intents_is_caught(field, value, rule):
    given = fleet()
    body = adjust(given, wanted(paused=True))
    content = body.target[0].content
    chains = [
        one.model_copy(update={field: value if value is not None else OTHER.egress.model_copy(update={"port": "x"})})
        if one.chain == "web-edge"
        else one
        for one in content.chains
    ]
    other = DesiredHostConfig.of(3, content.model_copy(update={"chains": tuple(chains)}))
    lied = body.model_copy(update={"target": (other,)})
    assert rule in {finding.check for finding in check(lied, given) if not finding.ok}


def test_an_order_that_moves_an_nf_on_the_way_is_caught():
    given = fleet()
    body = adjust(given, wanted(paused=True))
    content = body.target[0].content
    web = content.chains[1]
    moved = web.model_copy(update={"nfs": (web.nfs[0].model_copy(update={"slot": 6}), *web.nfs[1:])})
    other = DesiredHostConfig.of(3, content.model_copy(update={"chains": (content.chains[0], moved)}))
    lied = body.model_copy(update={"target": (other,)})
    assert {"scope", "changes"} <= {finding.check for finding in check(lied, given) if not finding.ok}


def test_an_adjustment_that_is_not_listed_is_caught():
    given = fleet()
    body = adjust(given, wanted(paused=True)).model_copy(update={"adjustments": ()})
    assert "adjustments" in {finding.check for finding in check(body, given) if not finding.ok}
