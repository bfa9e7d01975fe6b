"""What SRv6-INT's global loop knows of a host on which the CPU time of an NF is not measured, so that other work is not
known."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sextant_backend.laws.host_reading import HostRead, Rates
from sextant_backend.laws.srv6.members import BoundedChain, HostMembers
from sextant_backend.laws.srv6.observe import Measured, Reading, room, seen, used_beside_uncounted
from sextant_domain.base import Provenance
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.host import HostStatus
from sextant_domain.hosts.telemetry import CoreSample, NfSample
from srv6_world import HOST, OTHER, a_host, lane_on


def members(budget_percent: float | None = None) -> HostMembers:
    """A host of four cores that may hold NFs."""
    inventory = a_host(HOST).model_copy(update={"cpu_budget_percent": budget_percent})
    read = HostRead("1", inventory, HostContent(host_id=HOST, chains=()), HostStatus.UP, "up", None, shares_cores=True)
    return HostMembers(read, {}, 8)


def reading(nfs: Mapping[str, NfSample]) -> Reading:
    where = {"web": HOST, "dns": OTHER}
    return Reading(datetime.now(UTC), {}, {}, {}, where, {}, nfs, {}, {})


def sample(chain: str, name: str, cpu_percent: float | None, mpps: float = 0.01) -> NfSample:
    return NfSample(
        nf_id=f"{chain}.{name}", chain=chain, core=0, rx_mpps=mpps, tx_mpps=mpps, drop_mpps=0, cpu_percent=cpu_percent
    )


def nfs(*of: NfSample) -> Mapping[str, NfSample]:
    return {one.nf_id: one for one in of}


UNKNOWN = tuple(CoreSample(core=core, busy_percent=80.0) for core in range(4))
KNOWN = tuple(CoreSample(core=core, busy_percent=80.0, other_percent=70.0) for core in range(4))


def test_what_other_nfs_use_is_told_of_hosts_with_an_uncounted_one_alone() -> None:
    found = nfs(
        sample("web", "wall", None), sample("web", "router", 30.0), sample("web", "dpi", 20.0), sample("dns", "fw", 9.0)
    )
    assert used_beside_uncounted(reading(found)) == {HOST: pytest.approx(0.5)}


def test_an_uncounted_nf_without_packets_takes_nothing() -> None:
    assert used_beside_uncounted(reading(nfs(sample("web", "wall", None, 0.0), sample("web", "router", 30.0)))) == {}


def test_of_a_budget_of_processes_the_measured_nfs_have_theirs_and_the_kernel_none() -> None:
    """All that cores are busy is 3.2 cores, more than the budget of 1.2; the NFs that are processes use .5 of it. Of
    four cores that are 80 % busy .8 are left, which is more."""
    assert room(members(120.0), UNKNOWN, 100.0).free == 0
    assert room(members(120.0), UNKNOWN, 100.0, 0.5).free == pytest.approx(0.7)


def test_what_nobody_knows_to_be_other_work_does_not_give_way() -> None:
    """Of what is known 4 x .7 give way: .9 of each core are left; of what is not known nothing does: .2."""
    known = room(members(), KNOWN, 0.0)
    assert known.free == pytest.approx(3.6) and not known.all_counts
    unknown = room(members(), UNKNOWN, 0.0)
    assert unknown.free == pytest.approx(0.8) and unknown.all_counts


def test_where_none_gives_way_nothing_is_lost_by_not_knowing() -> None:
    assert not room(members(), UNKNOWN, 100.0).all_counts
    idle = tuple(CoreSample(core=core, busy_percent=0.0) for core in range(4))
    assert not room(members(), idle, 0.0).all_counts


def saturated(name: str, p95_us: float) -> BoundedNf:
    return BoundedNf(
        nf_id=f"web.{name}", chain="web", quota_percent=None, p95_us=p95_us, max_p95_us=1000, state=QuotaState.SATURATED
    )


def test_of_several_nfs_that_have_their_packets_for_too_long_the_worst_is_named() -> None:
    """Not the first by name, which is a fifth above."""
    now = datetime.now(UTC)
    of_host = {one.nf_id: one for one in (saturated("fw", 1200.0), saturated("router", 9000.0))}
    rates = {HOST: Rates(now, Provenance.MEASURED, {"web": (0.03, 0.02)}, now)}
    read = replace(reading(nfs(sample("web", "fw", None))), rates=rates, bounded={HOST: of_host})
    found = seen(read, BoundedChain(lane_on(HOST, 1, 1, None), ("web",), None), {})
    assert isinstance(found, Measured)
    assert (found.chain.lanes[0].saturated, found.chain.lanes[0].worst) == ("web.router", 9)
    assert (found.chain.uncounted, found.chain.need) == (("web.fw",), 0)
