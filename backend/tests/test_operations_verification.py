"""What the verify step finds: places and resources as the host reports them against the order."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sextant_backend.modules.operations.verification import differences, unreported
from sextant_domain.base import digest_of
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import (
    ActualCpu,
    ActualMemory,
    ActualNf,
    ActualState,
    ChainResources,
    DesiredChain,
    DesiredHostConfig,
    DesiredNf,
    HostContent,
    NfState,
    Phase,
    ResourceBounds,
)
from sextant_domain.hosts.levels import LevelTable

CPU, MEMORY = (
    ActualCpu(cpu_share=100, cpu_quota_percent=None),
    ActualMemory(llc_ways=None, memory_bandwidth_percent=None),
)


def order(**resources: Any) -> DesiredHostConfig:
    """Generation 2: web.router on core 1, with these resources."""
    router = DesiredNf(nf_id="web.router", nf_type="router", nf_version=1, config={}, core=1, **resources)
    traffic = Traffic(rate_mpps=0.1, packet_bytes=64)
    web = DesiredChain(chain="web", nfs=(router,), ingress=Ingress(), egress=Egress(), traffic=traffic)
    return DesiredHostConfig.of(2, HostContent(host_id="edge-1", chains=(web,)))


def order_of(shared: ChainResources) -> DesiredHostConfig:
    """The same, with what all NFs of web have together."""
    (web,) = order().content.chains
    given = web.model_copy(update={"resources": shared})
    return DesiredHostConfig.of(2, HostContent(host_id="edge-1", chains=(given,)))


def found(cpu: ActualCpu | None = CPU, memory: ActualMemory | None = MEMORY, **changes: Any) -> ActualState:
    """Generation 2 is applied: web.router runs on core 1, but for the changes."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    router = ActualNf(
        nf_id="web.router", chain="web", nf_type="router", state=NfState.RUNNING, pid=70, core=1, since=now,
        cpu=cpu, memory=memory,
    ).model_copy(update=changes)  # fmt: skip
    wanted = order()
    return ActualState(
        host_id="edge-1", phase=Phase.CONVERGED, detail="", desired_generation=2, desired_digest=wanted.digest,
        applied_generation=2, nfs=(router,), observed_at=now,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ordered", "cpu", "memory", "difference"),
    [
        (
            {"cpu_quota_percent": 40.0},
            ActualCpu(cpu_share=100, cpu_quota_percent=70),
            MEMORY,
            "CPU quota 70 %, not 40 %",
        ),
        ({"cpu_quota_percent": 40.0}, CPU, MEMORY, "CPU quota all, not 40 %"),
        ({}, ActualCpu(cpu_share=100, cpu_quota_percent=40), MEMORY, "CPU quota 40 %, not all"),
        ({"cpu_share": 300}, CPU, MEMORY, "CPU share 100, not 300"),
        ({"llc_ways": 4}, CPU, ActualMemory(llc_ways=2, memory_bandwidth_percent=None), "LLC ways 2, not 4"),
        ({"llc_ways": 4}, CPU, MEMORY, "LLC ways shared, not 4"),
        (
            {"memory_bandwidth_percent": 50},
            CPU,
            ActualMemory(llc_ways=None, memory_bandwidth_percent=10),
            "memory bandwidth 10 %, not 50 %",
        ),
    ],
)
def test_another_resource_is_a_difference(
    ordered: dict[str, Any], cpu: ActualCpu, memory: ActualMemory, difference: str
) -> None:
    assert differences(order(**ordered), found(cpu, memory)) == [f"web.router has {difference}"]


def test_what_a_chain_has_together_is_compared_nf_by_nf() -> None:
    """4 ways were ordered for both, and the first has 2 of them; of its own neither has any."""
    wanted = order_of(ChainResources(llc_ways=4))
    gave = ActualMemory(llc_ways=None, memory_bandwidth_percent=None, chain_llc_ways=4)
    fewer = gave.model_copy(update={"chain_llc_ways": 2})
    assert differences(wanted, found(CPU, gave)) == []
    assert differences(wanted, found(CPU, fewer)) == ["web.router has LLC ways of its chain 2, not 4"]
    assert differences(wanted, found(CPU, MEMORY)) == ["web.router has LLC ways of its chain shared, not 4"]
    assert differences(order(), found(CPU, gave)) == ["web.router has LLC ways of its chain 4, not shared"]
    own = ActualMemory(llc_ways=4, memory_bandwidth_percent=None)
    assert differences(wanted, found(CPU, own)) == [
        "web.router has LLC ways 4, not shared", "web.router has LLC ways of its chain shared, not 4",
    ]  # fmt: skip
    assert unreported(wanted, found(None, None)) == ["LLC ways of its chain"]


@pytest.mark.parametrize(
    ("ordered", "cpu", "memory"),
    [
        ({"cpu_share": 100, "memory_bandwidth_percent": 100}, CPU, MEMORY),
        ({}, CPU, ActualMemory(llc_ways=None, memory_bandwidth_percent=100)),
        ({"cpu_quota_percent": 33.333}, ActualCpu(cpu_share=100, cpu_quota_percent=33.33), MEMORY),
    ],
)
def test_two_ways_to_say_the_same_are_no_difference(
    ordered: dict[str, Any], cpu: ActualCpu, memory: ActualMemory
) -> None:
    """All of the bandwidth is no limit, 100 is everybody's share, and the kernel rounds quotas to a microsecond."""
    assert differences(order(**ordered), found(cpu, memory)) == []


@pytest.mark.parametrize(
    ("ways", "percent", "difference"),
    [
        (4, 40, None),
        (8, 90, None),
        (2, 10, None),
        (9, 40, "LLC ways of its chain 9, not 4"),
        (1, 40, "LLC ways of its chain 1, not 4"),
        (None, 40, "LLC ways of its chain shared, not 4"),
        (4, None, "memory bandwidth of its chain all, not 40 %"),
    ],
)
def test_what_the_agents_law_set_within_bounds_is_as_ordered(
    ways: int | None, percent: int | None, difference: str | None
) -> None:
    """Ordered: 4 ways and 40 % to begin with, within 2 to 8 and 10 to 90 %. All of the bandwidth is beyond 90 %."""
    table = LevelTable(host_model="m", types={})
    bounds = ResourceBounds(
        law="numasfp",
        law_version=1,
        table=digest_of(table),
        least_ways=2,
        most_ways=8,
        least_percent=10,
        most_percent=90,
    )
    (web,) = order().content.chains
    begins = ChainResources(llc_ways=4, memory_bandwidth_percent=40)
    bounded = web.model_copy(update={"resources": begins, "bounds": bounds})
    wanted = DesiredHostConfig.of(2, HostContent(host_id="edge-1", chains=(bounded,), tables=(table,)))
    has = ActualMemory(
        llc_ways=None, memory_bandwidth_percent=None, chain_llc_ways=ways, chain_memory_bandwidth_percent=percent
    )
    assert differences(wanted, found(CPU, has)) == ([] if difference is None else [f"web.router has {difference}"])
    whole = bounded.model_copy(update={"bounds": bounds.model_copy(update={"most_percent": 100})})
    wide = DesiredHostConfig.of(2, HostContent(host_id="edge-1", chains=(whole,), tables=(table,)))
    if percent is None:
        assert differences(wide, found(CPU, has)) == [], "100 % is no limit, and so none is reported"


@pytest.mark.parametrize(
    ("ordered", "ways", "percent", "difference"),
    [
        ({}, None, None, None),
        ({}, 2, 100, None),
        ({}, 6, 20, None),
        ({}, 1, None, "LLC ways 1, not shared"),
        ({}, 7, None, "LLC ways 7, not shared"),
        ({}, None, 10, "memory bandwidth 10 %, not all"),
        ({"llc_ways": 4}, 2, None, None),
        ({"llc_ways": 4}, None, None, "LLC ways shared, not 4"),
        ({"memory_bandwidth_percent": 50}, None, 20, None),
        ({"memory_bandwidth_percent": 50}, None, 60, "memory bandwidth 60 %, not 50 %"),
    ],
)
def test_ways_and_bandwidth_within_quota_bounds_are_as_ordered(
    ordered: dict[str, Any], ways: int | None, percent: int | None, difference: str | None
) -> None:
    """2 to 6 ways once it has any, and 20 % of the bandwidth up to all, or to what is ordered."""
    bounds = QuotaBounds(
        max_p95_us=1000, least_percent=10, most_percent=100, least_ways=2, most_ways=6, least_bandwidth_percent=20
    )
    (web,) = order(**ordered).content.chains
    bounded = web.model_copy(update={"quota_bounds": bounds})
    wanted = DesiredHostConfig.of(2, HostContent(host_id="edge-1", chains=(bounded,)))
    has = ActualMemory(llc_ways=ways, memory_bandwidth_percent=percent)
    assert differences(wanted, found(CPU, has)) == ([] if difference is None else [f"web.router has {difference}"])


def test_an_nf_at_the_wrong_place_is_a_difference() -> None:
    assert differences(order(), found(core=3)) == ["web.router is on core 3, not 1"]
    assert differences(order(), found(state=NfState.CRASHED, last_error="killed")) == ["web.router is crashed: killed"]


def test_what_a_host_cannot_read_is_named_where_it_was_ordered() -> None:
    """An agent without its root helper, or of an older version, reports nothing: that is neither right nor wrong."""
    wanted = order(cpu_quota_percent=40.0, llc_ways=4, memory_bandwidth_percent=100)
    assert differences(wanted, found(None, None)) == []
    assert unreported(wanted, found(None, None)) == ["LLC ways", "CPU quota"]
    assert unreported(wanted, found(memory=None)) == ["LLC ways"]
    assert unreported(order(), found(None, None)) == []
