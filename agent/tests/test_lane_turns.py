"""In which turn lanes start, get their part and leave: each flow has a lane all the time."""

from datetime import UTC, datetime

from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters
from sextant_agent.control.differences import Kind, differences
from sextant_domain.chains.lane import Lane
from sextant_domain.hosts.desired import DesiredChain, NfState

from .orders import chain, content, nf


def web(number: int = 1, weights: tuple[int, ...] = (1, 1)) -> DesiredChain:
    name = "web" if number == 1 else f"web-lane-{number}"
    made = chain(name, nf(name, "router", core=number), rate_mpps=0.8 / len(weights))
    lane = Lane(of="web", number=number, weights=weights) if len(weights) > 1 else None
    return made.model_copy(update={"traffic": made.traffic.model_copy(update={"lane": lane})})


def found(*chains: DesiredChain) -> HostSample:
    """Each as it was ordered."""
    nfs = [
        NfCounters(one.nf_id, each.chain, "router", NfState.RUNNING, 70, one.core, one.core, 1, None)
        for each in chains
        for one in each.nfs
    ]
    return HostSample(
        taken_ns=1,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        epoch="e1",
        note=None,
        chains={each.chain: ChainCounters(each.chain, fingerprint(each), 1) for each in chains},
        nfs={one.nf_id: one for one in nfs},
        no_cpu_control="none here",
    )


def turn(ordered: tuple[DesiredChain, ...], there: HostSample) -> list[tuple[Kind, str]]:
    return [(gap.kind, gap.key) for gap in differences(content(*ordered), there)]


def test_the_others_get_their_part_once_the_new_lane_runs() -> None:
    """While it starts, and where it does not start at all, the first lane sends all flows."""
    ordered, alone = (web(1), web(2)), web(weights=(1,))
    assert turn(ordered, found(alone)) == [(Kind.ADD, "web-lane-2")]
    assert turn(ordered, found(alone, web(2))) == [(Kind.SOURCE, "web")]
    assert turn(ordered, found(*ordered)) == []


def test_a_lane_leaves_once_the_others_send_its_flows() -> None:
    alone = web(weights=(1,))
    assert turn((alone,), found(web(1), web(2))) == [(Kind.SOURCE, "web")]
    assert turn((alone,), found(alone, web(2))) == [(Kind.REMOVE, "web-lane-2")]


def test_chains_in_no_lanes_wait_for_nobody() -> None:
    """Another chain's traffic changes while a lane starts, and one that is not ordered leaves at once."""
    nat = chain("nat", nf("nat", "router", core=5), rate_mpps=0.1)
    changed = nat.model_copy(update={"traffic": nat.traffic.model_copy(update={"rate_mpps": 0.2})})
    old = chain("old", nf("old", "router", core=6), rate_mpps=0.1)
    gaps = turn((changed, web(1), web(2)), found(nat, old, web(weights=(1,))))
    assert gaps == [(Kind.REMOVE, "old"), (Kind.SOURCE, "nat"), (Kind.ADD, "web-lane-2")]
