"""`plans ask --set`: what is sent, what is shown, and what cannot be read."""

from typing import Any

import pytest
from sextant_cli.errors import CliError
from sextant_cli.output import Format, Printer
from sextant_cli.resource_options import resource_intent
from sextant_cli.show_plan import show_plan
from sextant_domain.plans.placement import Seat
from sextant_domain.plans.plan import Change, ChangeKind, PlanState

from .answers import a_body, a_plan


def asked(*settings: str) -> dict[str, Any]:
    """As it is sent."""
    sent: dict[str, Any] = resource_intent(list(settings)).model_dump(mode="json")["resources"]
    return sent


def test_several_settings_make_one_request() -> None:
    assert asked(
        "edge-1.web.firewall.llc_ways=4",
        "edge-1.web.firewall.memory_bandwidth_percent=50",
        "dns.router.cpu_share=300",
        "dns.nat.cpu_quota_percent=12.5",
        "dns.nat.llc_ways=none",
    ) == {
        "web.firewall": {"host": "edge-1", "llc_ways": 4, "memory_bandwidth_percent": 50},
        "dns.router": {"cpu_share": 300},
        "dns.nat": {"cpu_quota_percent": 12.5, "llc_ways": None},
    }


def test_without_an_nf_it_is_the_chains() -> None:
    intent = resource_intent(["web.ways=4", "web.bandwidth=50", "dns.llc_ways=none", "dns.nat.ways=2"])
    assert intent.model_dump(mode="json") == {
        "kind": "resources",
        "resources": {"dns.nat": {"llc_ways": 2}},
        "chains": {"web": {"llc_ways": 4, "memory_bandwidth_percent": 50}, "dns": {"llc_ways": None}},
    }
    assert intent.subject == "2 chains: dns, web"


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (["web.firewall=4"], "is not [HOST.]CHAIN.NF.RESOURCE=VALUE"),
        (["web.firewall.llc_ways"], "is not [HOST.]CHAIN.NF.RESOURCE=VALUE"),
        (["web..llc_ways=4"], "is not [HOST.]CHAIN.NF.RESOURCE=VALUE"),
        (["web.firewall.cache=4"], "'cache' is no resource; there are llc_ways, memory_bandwidth_percent"),
        (["web.cpu_share=4"], "'cpu_share' is no resource of a chain; there are llc_ways, memory_bandwidth_percent"),
        (["web.ways=4", "web.llc_ways=4"], "llc_ways of web is set twice"),
        (["web.ways=65"], "web.llc_ways: "),
        (["WEB.ways=4"], "WEB"),
        (["web.firewall.llc_ways=many"], "'many' is neither a number nor 'none'"),
        (["web.firewall.llc_ways=nan"], "web.firewall.llc_ways: "),
        (["web.firewall.llc_ways=4.5"], "web.firewall.llc_ways: "),
        (["web.firewall.cpu_quota_percent=101"], "web.firewall.cpu_quota_percent: "),
        (["WEB.firewall.llc_ways=4"], "WEB.firewall"),
        (["web.firewall.llc_ways=4", "web.firewall.llc_ways=5"], "llc_ways of web.firewall is set twice"),
        (["a.web.fw.llc_ways=4", "b.web.fw.cpu_share=5"], "web.fw is on one host"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_text(settings: list[str], why: str) -> None:
    with pytest.raises(CliError) as refused:
        resource_intent(settings)
    assert refused.value.problem.detail.startswith("--set ")
    assert why in refused.value.problem.detail


def test_asking_sends_the_request(sextant: Any, console: Any) -> None:
    result = sextant("plans", "ask", "--set", "web.firewall.llc_ways=4", "--set", "web.router.cpu_quota_percent=none")
    assert result.exit_code in (0, 1), result.output  # the small console plans what it likes
    (plan,) = console.plans.values()
    assert plan.intent.kind == "resources"
    assert plan.intent.model_dump()["resources"] == {
        "web.firewall": {"llc_ways": 4},
        "web.router": {"cpu_quota_percent": None},
    }


@pytest.mark.parametrize("other", [("--chain", "edge"), ("--host", "edge-1"), ("--algorithm", "exact")])
def test_resources_are_asked_for_alone(sextant: Any, console: Any, other: tuple[str, str]) -> None:
    assert sextant("plans", "ask", "--set", "web.firewall.llc_ways=4", *other).exit_code == 2
    assert console.plans == {}


def test_a_plan_shows_resources_as_their_own_kind(capsys: pytest.CaptureFixture[str]) -> None:
    seat = Seat(host="edge-1", node=0, core=3, cpu_share=200)
    change = Change(
        kind=ChangeKind.RESOURCES,
        nf_id="web.firewall",
        chain="web",
        nf_type="firewall",
        source=seat,
        target=seat.model_copy(update={"llc_ways": 4, "cpu_share": None}),
        reason="as ordered: LLC ways 4",
    )
    intent = resource_intent(["web.firewall.llc_ways=4"])
    body = a_body(intent, None, no_room=False).model_copy(
        update={"intent": intent, "changes": (change,), "rejected": ()}
    )
    plan = a_plan(7, intent, None).model_copy(update={"state": PlanState.PROPOSED, "body": body})
    show_plan(Printer(Format.TABLE), plan)
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "plan 7 proposed resources of web.firewall" in shown
    assert "web.firewall edge-1 LLC ways shared 4 as ordered: LLC ways 4" in shown
    assert "web.firewall edge-1 CPU share 200 100 as ordered: LLC ways 4" in shown
    assert not any(line.startswith("CHANGE") for line in shown)
