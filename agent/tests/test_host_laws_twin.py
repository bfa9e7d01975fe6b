"""Laws on hosts, whole: an agent's process with simulated hosts, real orders, and a listener that answers."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_domain.base import digest_of
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import (
    ActualState,
    ChainResources,
    DesiredHostConfig,
    DesiredStateOrder,
    HostContent,
    ResourceBounds,
)
from sextant_domain.hosts.levels import Level, LevelTable, TypeLevels
from sextant_domain.hosts.telemetry import ChainControl

from .fleet import FleetListener
from .orders import chain, nf
from .pki import Authority
from .twin_process import TwinProcess
from .waiting import wait_for

HOST = "demo-1"
LEVELS = tuple(Level(gbps=gbps, ways=ways, mb_percent=percent) for gbps, ways, percent in [(0.3, 2, 20), (0.6, 5, 50)])
TABLE = LevelTable(host_model="m", types={"router": TypeLevels(local=LEVELS, remote=LEVELS)})


@pytest.fixture
def twins(tmp_path: Path, authority: Authority, fleet: FleetListener) -> Iterator[TwinProcess]:
    fleet.laws_stopped = {}
    process = TwinProcess(tmp_path, authority, (HOST,), fleet.url)
    yield process.start()
    process.end()


def order(generation: int, rate_mpps: float, **traffic: object) -> DesiredStateOrder:
    """web of one router begins with 3 ways and 30 %, within 1 to 8 and 10 to 90 %. 64 bytes and 24 more on the line:
    1 Mpps is 0.70 Gbps; 0.3 are 0.21, the level of 0.3; 0.7 are 0.49, that of 0.6."""
    bounds = ResourceBounds(
        law="numasfp", law_version=1, table=digest_of(TABLE), least_ways=1, most_ways=8, least_percent=10,
        most_percent=90,
    )  # fmt: skip
    web = chain("web", nf("web", "router", core=6), rate_mpps=rate_mpps)
    changed = Traffic.model_validate({**web.traffic.model_dump(), **traffic})
    begins = {"resources": ChainResources(llc_ways=3, memory_bandwidth_percent=30), "bounds": bounds}
    content = HostContent(
        host_id=HOST, chains=(web.model_copy(update={**begins, "traffic": changed}),), tables=(TABLE,)
    )
    return DesiredStateOrder(
        desired=DesiredHostConfig.of(generation, content), operation_id=generation, fence=generation
    )


def has(twins: TwinProcess) -> tuple[int | None, int | None] | None:
    """What the simulated host applies to web's router."""
    state = ActualState.model_validate(twins.request(HOST, "GET", "/v1/actual").raise_for_status().json())
    memory = next((one.memory for one in state.nfs), None)
    return memory and (memory.chain_llc_ways, memory.chain_memory_bandwidth_percent)


def newest(fleet: FleetListener) -> ChainControl | None:
    return next((one for batch in fleet.batches[-1:] for one in batch.controls), None)


def note(fleet: FleetListener) -> str:
    control = newest(fleet)
    return (control and control.note) or ""


def test_ways_and_bandwidth_follow_the_traffic_and_survive_the_agent(twins: TwinProcess, fleet: FleetListener) -> None:
    twins.converge(HOST, order(1, rate_mpps=0.7))
    wait_for("its level", lambda: has(twins) == (5, 50))
    wait_for("what was given is reported", lambda: (newest(fleet) or fleet) and newest(fleet).llc_ways == 5)  # type: ignore[union-attr]
    raised = [one for batch in fleet.batches for one in batch.transfers if one.to_chain == "web"]
    assert (raised[0].from_chain, raised[0].ways) == (None, 2)
    state = twins.converge(HOST, order(2, rate_mpps=0.3))
    assert state.detail.startswith("1 of 1 NFs run as ordered"), "what the law gave counts as ordered"
    assert has(twins) == (5, 50), "kept while nobody needs it"
    fleet.laws_stopped = {HOST: "all control laws are stopped, by olga"}
    wait_for("it is held", lambda: note(fleet) == "all control laws are stopped, by olga")
    twins.end(signal.SIGKILL)
    twins.start()
    twins.converged(HOST, 2)
    assert has(twins) == (5, 50), "as it was given before the agent was killed"
    wait_for("it is held still", lambda: note(fleet) == "all control laws are stopped, by olga")
    fleet.laws_stopped = {}
    wait_for("laws act again", lambda: (one := newest(fleet)) is not None and one.state == "in_full")


def test_the_law_goes_on_while_the_console_is_down(twins: TwinProcess, fleet: FleetListener) -> None:
    """0.5 Mpps in the mean: 0.3 for ten seconds, then 0.7."""
    arrivals = {"kind": "trace", "steps": [(10.0, 0.6), (10.0, 1.4)]}
    twins.converge(HOST, order(1, 0.5, arrivals=arrivals))
    wait_for("the law acts", lambda: (one := newest(fleet)) is not None and one.state == "in_full")
    assert has(twins) == (3, 30)
    fleet.close()
    heard = len(fleet.batches)
    wait_for("its level", lambda: has(twins) == (5, 50))
    assert len(fleet.batches) == heard, "nobody listened"


def test_a_listener_that_says_nothing_of_laws_lets_none_act(twins: TwinProcess, fleet: FleetListener) -> None:
    fleet.laws_stopped = None
    twins.end()
    twins.state.joinpath("hosts", HOST, "laws.json").unlink(missing_ok=True)
    twins.start()
    twins.converge(HOST, order(1, rate_mpps=0.7))
    wait_for("it says so", lambda: note(fleet).startswith("the console has not said yet"))
    assert has(twins) == (3, 30), "as ordered"


def carried(fleet: FleetListener) -> float:
    """Of what web is offered, in its newest sample."""
    sample = next((one for batch in fleet.batches[-1:] for one in batch.chains), None)
    return sample.delivered_mpps / sample.offered_mpps if sample is not None and sample.offered_mpps else 0.0


def test_a_chain_that_needs_more_than_tables_of_single_nfs_say_is_given_more(
    twins: TwinProcess, fleet: FleetListener
) -> None:
    """By its table 1 way and 10 % carry anything; so the twin's three NFs, which share them, carry some 57 % of 3.2
    Mpps, and with 2 and 20 % all of it."""
    flat = (Level(gbps=12.0, ways=1, mb_percent=10),)
    names = ("firewall", "basic-monitor", "router")
    table = LevelTable(host_model="m", types=dict.fromkeys(names, TypeLevels(local=flat, remote=flat)))
    bounds = ResourceBounds(
        law="numasfp", law_version=1, table=digest_of(table), least_ways=1, most_ways=9, least_percent=10,
        most_percent=100,
    )  # fmt: skip
    nfs = (
        nf("web", "firewall", core=12),
        nf("web", "basic-monitor", core=13, flow_table_entries=1_000_000),
        nf("web", "router", core=14),
    )
    begins = {"resources": ChainResources(llc_ways=1, memory_bandwidth_percent=10), "bounds": bounds}
    web = chain("web", *nfs, rate_mpps=3.2, flows=1_000_000).model_copy(update=begins)
    desired = DesiredHostConfig.of(1, HostContent(host_id=HOST, chains=(web,), tables=(table,)))
    twins.converge(HOST, DesiredStateOrder(desired=desired, operation_id=1, fence=1))
    wait_for("it carries all", lambda: carried(fleet) > 0.99)
    control = newest(fleet)
    assert control is not None
    assert (control.llc_ways or 0) > 1
    assert "beyond its table" in note(fleet)
    [first, *_] = [one for batch in fleet.batches for one in batch.transfers]
    assert (first.from_chain, first.to_chain, first.ways) == (None, "web", 1)
    assert first.reason.endswith("% of what it is offered with what its table says")
