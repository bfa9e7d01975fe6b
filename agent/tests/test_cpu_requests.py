"""CPU shares and quotas as differences: when there is one, and what is said where they cannot be met."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters, NfCpu
from sextant_agent.control.cpu_requests import matches_request, unmet
from sextant_agent.control.differences import Kind, differences
from sextant_agent.control.reconciler import ReconcilerState, decide
from sextant_agent.reporting.telemetry import rates
from sextant_domain.base import digest_of
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.hosts.desired import DesiredHostConfig, DesiredNf, HostContent, NfState, Phase

from .orders import chain, content, nf

PLAIN = NfCpu(weight=100, quota_percent=None, throttled_ns=0)


def request(name: str = "router", share: int | None = None, quota: float | None = None) -> DesiredNf:
    return nf("web", name).model_copy(update={"cpu_share": share, "cpu_quota_percent": quota})


def order(*nfs: DesiredNf, bounds: QuotaBounds | None = None) -> HostContent:
    return content(chain("web", *nfs).model_copy(update={"quota_bounds": bounds}))


def found(ordered: HostContent, why_not: str | None = None, **cpus: NfCpu | None) -> HostSample:
    """Everything runs as ordered; `cpus` by NF type."""
    (web,) = ordered.chains
    nfs = {
        each.nf_id: NfCounters(
            each.nf_id, "web", each.nf_type, NfState.RUNNING, 1, each.core, each.core, 1, None,
            cpu=cpus.get(each.nf_type.replace("-", "_")),
        )
        for each in web.nfs
    }  # fmt: skip
    return HostSample(
        taken_ns=0,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        epoch="e",
        chains={"web": ChainCounters("web", fingerprint(web), 1)},
        nfs=nfs,
        no_cpu_control=why_not,
    )


def gaps(ordered: HostContent, sample: HostSample) -> dict[str, str]:
    return {gap.key: gap.text for gap in differences(ordered, sample) if gap.kind is Kind.CPU}


def test_without_wishes_nothing_is_done() -> None:
    ordered = order(request(), request("firewall", share=100))
    assert differences(ordered, found(ordered)) == ()


def test_one_wish_gives_every_nf_of_the_host_a_group() -> None:
    """Weights compare within one level: the one without a wish must stand beside the other, with 100."""
    ordered = order(request(share=300, quota=25), request("firewall"))
    assert gaps(ordered, found(ordered)) == {
        "web.router": "giving web.router CPU share 300 and at most 25 % of its core",
        "web.firewall": "giving web.firewall CPU share 100",
    }


def test_a_process_is_given_one_group_however_many_nfs_share_it() -> None:
    """Another chain's wish asks for groups; two that both placed their one process would never end."""
    ordered = order(request("router"), request("firewall"), request("basic-monitor", share=300))
    sample = found(ordered)
    groups = {"web.router": 4, "web.firewall": 4, "web.basic-monitor": 5}
    nfs = {name: replace(seen, group=groups[name]) for name, seen in sample.nfs.items()}
    assert gaps(ordered, replace(sample, nfs=nfs)).keys() == {"web.router", "web.basic-monitor"}
    settled = {name: replace(seen, cpu=PLAIN if name == "web.router" else None) for name, seen in nfs.items()}
    settled["web.basic-monitor"] = replace(nfs["web.basic-monitor"], cpu=NfCpu(300, None, 0))
    assert gaps(ordered, replace(sample, nfs=settled)) == {}


def test_what_is_as_wished_is_left_alone() -> None:
    ordered = order(request(share=300, quota=100 / 3), request("firewall"))
    cpu = NfCpu(weight=300, quota_percent=33.33, throttled_ns=7)
    assert gaps(ordered, found(ordered, router=cpu, firewall=PLAIN)) == {}


def test_a_wish_that_is_gone_is_undone() -> None:
    ordered = order(request())
    assert gaps(ordered, found(ordered, router=NfCpu(300, 25.0, 0))) == {
        "web.router": "giving web.router CPU share 100"
    }
    assert gaps(ordered, found(ordered, router=PLAIN)) == {}


def test_a_crashed_nf_is_restarted_first() -> None:
    ordered = order(request(share=300))
    sample = found(ordered)
    crashed = {key: replace(each, state=NfState.CRASHED) for key, each in sample.nfs.items()}
    assert [gap.kind for gap in differences(ordered, replace(sample, nfs=crashed))] == [Kind.RESTART]


@pytest.mark.parametrize(
    ("share", "quota", "cpu"),
    [
        (None, None, None),
        (None, None, NfCpu(101, None, 0)),
        (200, None, PLAIN),
        (None, 50, PLAIN),
        (None, None, NfCpu(100, 50.0, 0)),
        (None, 50, NfCpu(100, 50.02, 0)),
    ],
)
def test_what_is_not_as_wished(share: int | None, quota: float | None, cpu: NfCpu | None) -> None:
    assert not matches_request(request(share=share, quota=quota), cpu)


def test_a_change_is_neither_structure_nor_traffic() -> None:
    assert fingerprint(order(request()).chains[0]) == fingerprint(order(request(share=7, quota=7)).chains[0])


def test_an_order_without_a_quota_keeps_the_digest_it_had_before_there_were_quotas() -> None:
    assert "cpu_quota_percent" not in request().model_dump()
    assert request(quota=5).model_dump()["cpu_quota_percent"] == 5
    assert digest_of(order(request(quota=5))) != digest_of(order(request()))


@pytest.mark.parametrize(
    "wrong",
    [{"cpu_share": 0}, {"cpu_share": 10_001}, {"cpu_quota_percent": 0.5}, {"cpu_quota_percent": 101}],
)
def test_wishes_are_bounded(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        DesiredNf.model_validate(request().model_dump() | wrong)


def test_where_they_cannot_be_met_the_host_converges_and_says_so() -> None:
    ordered = order(request(share=300), request("firewall", quota=20))
    sample = found(ordered, "no root helper answers at /run/h; start it as root: helper")
    assert gaps(ordered, sample) == {}
    decision = decide(DesiredHostConfig.of(1, ordered), sample, 0.0, ReconcilerState())
    assert decision.phase is Phase.CONVERGED
    assert decision.detail == (
        "2 of 2 NFs run as ordered; web.router and 1 more without CPU share 300: "
        "no root helper answers at /run/h; start it as root: helper"
    )
    assert unmet(order(request()), sample) is None, "nobody wished anything"
    assert unmet(ordered, replace(sample, no_cpu_control=None)) is None


def test_the_throttled_share_of_an_interval() -> None:
    """0.3 s of 0.5 s; after a restart the group counts from zero; without a quota there is none to report."""
    ordered = order(request(quota=40))

    def share(before: NfCpu | None, now: NfCpu | None) -> float | None:
        first = found(ordered, router=before)
        second = replace(found(ordered, router=now), taken_ns=500_000_000)
        return rates(first, second, {}).nfs[0].throttled_percent

    assert share(NfCpu(100, 40.0, 10**9), NfCpu(100, 40.0, 10**9 + 300_000_000)) == 60.0
    assert share(NfCpu(100, 40.0, 10**9), NfCpu(100, 40.0, 100_000_000)) == 20.0
    assert share(None, NfCpu(100, 40.0, 10**12)) == 100.0
    assert share(PLAIN, PLAIN) is None
    assert share(PLAIN, None) is None


BOUNDS = QuotaBounds(max_p95_us=1000, least_percent=10, most_percent=60)


@pytest.mark.parametrize(("ordered", "begins"), [(None, 60), (30.0, 30), (5.0, 10), (80.0, 60)])
def test_an_nf_with_quota_bounds_begins_with_what_is_ordered_as_far_as_they_allow(
    ordered: float | None, begins: int
) -> None:
    bounded = order(request(quota=ordered), bounds=BOUNDS)
    text = f"giving web.router CPU share 100 and at most {begins} % of its core"
    assert gaps(bounded, found(bounded)) == {"web.router": text}
    assert gaps(bounded, found(bounded, router=NfCpu(100, float(begins), 0))) == {}


@pytest.mark.parametrize("quota", [10.0, 33.33, 60.0])
def test_what_the_agent_gave_within_quota_bounds_stays(quota: float) -> None:
    """Also where its share is put right."""
    bounded = order(request(quota=30), bounds=BOUNDS)
    assert gaps(bounded, found(bounded, router=NfCpu(100, quota, 0))) == {}
    text = f"giving web.router CPU share 100 and at most {quota:g} % of its core"
    assert gaps(bounded, found(bounded, router=NfCpu(300, quota, 0))) == {"web.router": text}


@pytest.mark.parametrize("quota", [9.0, 61.0, None])
def test_what_is_outside_of_them_is_put_back(quota: float | None) -> None:
    bounded = order(request(quota=30), bounds=BOUNDS)
    text = "giving web.router CPU share 100 and at most 30 % of its core"
    assert gaps(bounded, found(bounded, router=NfCpu(100, quota, 0))) == {"web.router": text}
