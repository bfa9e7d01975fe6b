"""Rates, quantiles and busy shares, with the arithmetic written out."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_agent.contract.sample import (
    ChainCounters,
    CoreUse,
    CpuTime,
    HostSample,
    LlcAndMemory,
    NfCounters,
    NodeCounters,
    RulesCounted,
)
from sextant_agent.control.reconciliation import HostProgress
from sextant_agent.reporting.core_time import core_busy, core_samples, own_percent
from sextant_agent.reporting.sampling import Sampling
from sextant_agent.reporting.telemetry import Rates, quantiles_us, rates, read_cpu_times
from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import NfState, Phase

BOUNDS = (1000, 2000, 4000)
NF = NfCounters(
    "web.router", "web", "router", NfState.RUNNING, 7, 1, 1, 1, None,
    rx=1_000_000, tx=900_000, drops=10_000, filtered=100_000, cycles=50_000_000, cpu_ns=100_000_000,
    ring_used=256, ring_size=1024,
)  # fmt: skip
CHAIN = ChainCounters("web", None, 1, 1_000_000, 990_000, 900_000, 10_000, (100, 0, 0, 0), delivered_bytes=10**8)


def sample(seconds: float, chain: ChainCounters = CHAIN, nf: NfCounters = NF, epoch: str = "e") -> HostSample:
    return HostSample(
        taken_ns=int(seconds * 1e9),
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        epoch=epoch,
        latency_bounds_ns=BOUNDS,
        chains={"web": chain},
        nfs={"web.router": nf},
    )


def test_rates_are_differences_over_the_measured_interval() -> None:
    """2 s apart: 2.4 M more received is 1.2 Mpps; 96 M more cycles over 2.4 M packets is 40 each."""
    later_nf = replace(
        NF, rx=3_400_000, tx=2_900_000, drops=210_000, filtered=500_000, cycles=146_000_000, cpu_ns=1_100_000_000,
        ring_used=512,
    )  # fmt: skip
    later_chain = replace(
        CHAIN, offered=4_000_000, sent=3_500_000, delivered=2_900_000, source_drops=510_000,
        latency_counts=(150, 40, 10, 0), delivered_bytes=1_100_000_000,
    )  # fmt: skip
    found = rates(sample(10), sample(12, later_chain, later_nf), {"web.router": 3})
    (nf,), (chain,) = found.nfs, found.chains
    assert (nf.rx_mpps, nf.tx_mpps, nf.drop_mpps, nf.filtered_mpps) == (1.2, 1.0, 0.1, 0.2)
    assert nf.cycles_per_packet == 40.0
    assert nf.cpu_percent == 50.0, "1 s of CPU time in 2 s"
    assert nf.ring_used_percent == 50.0, "512 of 1024"
    assert (nf.core, nf.state, nf.restarts) == (1, NfState.RUNNING, 3)
    assert (chain.offered_mpps, chain.delivered_mpps, chain.filtered_mpps) == (1.5, 1.0, 0.2)
    assert chain.drop_mpps == 0.35, "0.5 M at the source and 0.2 M at the NF, in 2 s"
    # 100 packets: 50 up to 1 us, 40 up to 2 us, 10 up to 4 us.
    assert chain.p50_us == 1.0, "the 50th is the last of the first bucket"
    assert chain.p95_us == 3.0, "the 95th is half-way through the third: 2 + 0.5 x 2"
    assert chain.p99_us == pytest.approx(3.8), "2 + 0.9 x 2"
    assert chain.p999_us == pytest.approx(3.98), "2 + 0.99 x 2"
    assert chain.delivered_gbps == 4.0, "1e9 more bytes are 8 Gbit, in 2 s"


def test_what_a_match_leaves_out_is_reported_once_there_is_any() -> None:
    """0.3 M and 0.1 M more in 2 s; nothing of it is offered or dropped. A chain that has left out none says nothing."""
    before = replace(CHAIN, unmatched=200_000)
    (chain,) = rates(sample(10, before), sample(12, replace(before, unmatched=500_000, malformed=100_000)), {}).chains
    assert (chain.unmatched_mpps, chain.malformed_mpps) == (0.15, 0.05)
    assert (chain.offered_mpps, chain.drop_mpps) == (0, 0)
    (still,) = rates(sample(10, before), sample(12, before), {}).chains
    assert (still.unmatched_mpps, still.malformed_mpps) == (0, 0), "none in this interval"
    (plain,) = rates(sample(10), sample(12), {}).chains
    assert "unmatched_mpps" not in plain.model_dump()


def test_bytes_that_are_not_counted_give_no_gbps() -> None:
    """A runner of an older version reports none, so there may be none before, or none at all."""
    uncounted = replace(CHAIN, delivered_bytes=None)
    for before, now in ((uncounted, CHAIN), (CHAIN, uncounted), (uncounted, uncounted)):
        (chain,) = rates(sample(1, before), sample(2, now), {}).chains
        assert chain.delivered_gbps is None


def test_a_ring_that_nobody_looks_into_is_not_empty() -> None:
    """A size of 0: nobody reports it, or there is none."""
    unreported = replace(NF, ring_used=0, ring_size=0, ring_peak=0)
    (nf,) = rates(sample(1, nf=unreported), sample(2, nf=unreported), {}).nfs
    assert (nf.ring_used_percent, nf.ring_peak_percent) == (None, None)


@pytest.mark.parametrize(
    ("before", "now", "reported"),
    [
        (CHAIN, CHAIN, False),
        (CHAIN, replace(CHAIN, paused=True, pauses=1), True),
        (replace(CHAIN, paused=True, pauses=1), replace(CHAIN, paused=True, pauses=1), True),
        (replace(CHAIN, paused=True, pauses=1), replace(CHAIN, pauses=1), True),
        (CHAIN, replace(CHAIN, pauses=1), True),
        (replace(CHAIN, pauses=1), replace(CHAIN, pauses=1), False),
    ],
    ids=["never", "it was paused", "it stayed so", "it was resumed", "it was both in between", "long ago"],
)
def test_an_interval_in_which_a_chain_was_paused_says_so(
    before: ChainCounters, now: ChainCounters, reported: bool
) -> None:
    (chain,) = rates(sample(1, before), sample(2, now), {}).chains
    assert chain.paused is reported
    assert ("paused" in chain.model_dump(mode="json")) is reported, "a console of older make takes what is as ever"


def test_packets_are_over_the_time_between_two_countings() -> None:
    """Counted at 9.9, 10.9, 11.9 s, 600,000 more each; looked at at 10, 11.01, 11.5 (no news) and 12.6 s. Between the
    samples there are 1.01, 0.49 and 1.1 s, between the countings 1, 0 and 1."""
    samples = [
        sample(
            at,
            replace(CHAIN, offered=600_000 * number, delivered=600_000 * number, counted_ns=int(counted * 1e9)),
            replace(NF, rx=600_000 * number, cpu_ns=int(at * 1e9)),
        )
        for at, counted, number in ((10, 9.9, 1), (11.01, 10.9, 2), (11.5, 10.9, 2), (12.6, 11.9, 3))
    ]
    reported = Rates()
    for before, now in itertools.pairwise(samples):
        reported = rates(before, now, {}, last=reported)
        (chain,), (nf,) = reported.chains, reported.nfs
        assert (chain.offered_mpps, chain.delivered_mpps, nf.rx_mpps) == (0.6, 0.6, 0.6)
        assert nf.cpu_percent == 100.0, "CPU time is the kernel's, of the sample itself"
    (chain,) = rates(samples[1], samples[2], {}).chains
    assert chain.offered_mpps == 0, "nothing was reported before"
    set_back = replace(samples[2].chains["web"], counted_ns=0, offered=1_690_000)
    (chain,) = rates(samples[1], sample(11.51, set_back), {}, last=reported).chains
    assert chain.offered_mpps == 0.98, "a clock that was set: 490,000 in the 0.5 s between the samples"


def test_what_laws_act_on_before_the_batch_is_made_is_what_the_batch_says() -> None:
    """A second apart: 1.2 M offered, 1 M delivered, 50,000 dropped by the source and 20,000 by the NF, whose rule drops
    130,000 more. Then nothing is counted anew, then the data plane was started again."""
    sampling = Sampling("edge-1", (), Provenance.SIMULATED)
    first = replace(CHAIN, counted_ns=int(9.9e9))
    later = replace(
        CHAIN, offered=2_200_000, delivered=1_900_000, source_drops=60_000, counted_ns=int(10.9e9)
    )  # fmt: skip
    nf = replace(NF, drops=30_000, filtered=230_000)
    seconds = [sample(10, first), sample(11, later, nf), sample(12, later, nf), sample(13, later, nf, epoch="f")]
    shown = []
    for found in seconds:
        acted_on = {name: one[:4] for name, one in sampling.chain_rates(found).items()}
        shown.append(acted_on)
        batch = sampling.batch(found, HostProgress(1, Phase.CONVERGED), {})
        assert acted_on == {
            one.chain: (one.offered_mpps, one.delivered_mpps, one.drop_mpps, one.filtered_mpps) for one in batch.chains
        }
    assert shown == [{}, {"web": (1.2, 1.0, 0.07, 0.13)}, {"web": (1.2, 1.0, 0.07, 0.13)}, {}]


def test_no_packet_means_no_quantile_and_no_cycles() -> None:
    found = rates(sample(1), sample(2), {})
    assert (found.chains[0].p50_us, found.chains[0].p95_us, found.chains[0].p99_us) == (None, None, None)
    assert found.nfs[0].cycles_per_packet is None
    assert found.chains[0].delivered_mpps == 0


def test_beyond_the_last_bound_the_bound_is_given() -> None:
    assert quantiles_us(BOUNDS, (0, 0, 0, 5), (0.5,))[0] == 4.0
    assert quantiles_us(BOUNDS, (0, 0, 0, 0), (0.5,))[0] is None
    assert quantiles_us(BOUNDS, (4, 0, 0, 0), (0.5,))[0] == 0.5, "half-way from 0 to 1 us"


@given(counts=st.lists(st.integers(0, 1000), min_size=4, max_size=4), low=st.floats(0, 1), high=st.floats(0, 1))
def test_quantiles_rise_and_stay_within_the_bounds(counts: list[int], low: float, high: float) -> None:
    low, high = sorted((low, high))
    first, second = quantiles_us(BOUNDS, tuple(counts), (low,))[0], quantiles_us(BOUNDS, tuple(counts), (high,))[0]
    if first is None or second is None:
        assert sum(counts) == 0
        return
    assert 0 <= first <= second <= 4.0


@pytest.mark.parametrize(
    ("chain", "epoch"),
    [(replace(CHAIN, instance=2), "e"), (CHAIN, "another runner")],
    ids=["the chain was added again", "the runner was started again"],
)
def test_two_lives_are_never_subtracted(chain: ChainCounters, epoch: str) -> None:
    found = rates(sample(1), sample(2, chain, epoch=epoch), {})
    assert (found.nfs, found.chains) == ((), ())


def test_a_restarted_nf_counts_its_cpu_time_from_zero() -> None:
    found = rates(sample(1), sample(2, nf=replace(NF, cpu_ns=40_000_000, starts=2)), {})
    assert found.nfs[0].cpu_percent == 4.0


def test_a_crashed_nf_is_reported_at_the_core_it_had() -> None:
    crashed = replace(NF, state=NfState.CRASHED, core=None, last_core=1)
    (nf,) = rates(sample(1), sample(2, nf=crashed), {}).nfs
    assert (nf.state, nf.core) == (NfState.CRASHED, 1)


def test_busy_is_what_is_neither_idle_nor_waiting(tmp_path: Path) -> None:
    """user nice system idle iowait irq softirq steal: 100 + 50 + 10 + 15 busy of 1000."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text(
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 0 50 800 25 0 10 15 70 0\ncpu13 1 0 0 1 0 0 0 0 0 0\nintr 5\n"
    )
    assert read_cpu_times(tmp_path) == {0: CpuTime(175, 1000), 13: CpuTime(1, 2)}


def test_core_shares_are_of_the_interval() -> None:
    """60 of 240 ticks is 25 %; a core that is not offered, or stood still, is not reported."""
    before = {0: CpuTime(100, 1000), 1: CpuTime(0, 10), 2: CpuTime(5, 5)}
    now = {0: CpuTime(160, 1240), 1: CpuTime(5, 20), 2: CpuTime(5, 5)}
    assert core_busy(before, now, (0, 2)) == {0: 0.25}


def test_time_of_a_core_that_no_nf_used_is_other_work() -> None:
    """The router, on core 1, used 0.6 s of 2: 30 %. Of 95 % that leaves 65; on core 3, which has no NF, all 80."""
    first, second = sample(10), sample(12, nf=replace(NF, cpu_ns=NF.cpu_ns + 600_000_000))
    used = own_percent(first, second, rates(first, second, {}).nfs)
    found = core_samples({1: 0.95, 3: 0.8}, used)
    assert [(each.core, each.busy_percent, each.other_percent) for each in found] == [(1, 95, 65), (3, 80, 80)]
    assert [each.other_percent for each in core_samples({1: 0.2}, used)] == [0], "ticks are coarse: never below nothing"


def test_time_of_source_and_sink_is_no_other_work() -> None:
    """They took .5 s of 2 on core 1, 25 %, beside the router's 30: of 95 % that leaves 40. On core 3 stand no NFs."""
    first, second = sample(10), sample(12, nf=replace(NF, cpu_ns=NF.cpu_ns + 600_000_000))
    for core, left in ((1, [40, 80]), (3, [65, 55])):
        pair = [replace(each, traffic=CoreUse(core, cpu_ns)) for each, cpu_ns in ((first, 10**9), (second, 15 * 10**8))]
        used = own_percent(*pair, rates(*pair, {}).nfs)
        assert [each.other_percent for each in core_samples({1: 0.95, 3: 0.8}, used)] == left
    old = own_percent(replace(first, traffic=CoreUse(1, 0)), second, rates(first, second, {}).nfs)
    assert core_samples({1: 0.95}, old)[0].other_percent == 65, "a runner that does not count it"


def test_other_work_is_not_reported_where_nobody_knows_whose_the_time_was() -> None:
    """The router moved from core 1 to 2: of neither is it reported, of core 3 it is. With no former sample, of none."""
    first, second = sample(10), sample(12, nf=replace(NF, core=2, last_core=2))
    used = own_percent(first, second, rates(first, second, {}).nfs)
    found = core_samples({1: 1.0, 2: 1.0, 3: 0.5}, used)
    assert [each.other_percent for each in found] == [None, None, 50]
    assert "other" not in found[0].model_dump_json()
    gone = own_percent(first, replace(second, chains={}, nfs={}), ())
    assert [each.other_percent for each in core_samples({1: 1.0, 3: 0.5}, gone)] == [None, 50]
    for before, now in ((None, second), (first, None), (first, sample(12, epoch="f"))):
        assert own_percent(before, now, ()) is None
    assert core_samples({3: 0.5}, None)[0].other_percent is None


def test_cpu_time_that_is_not_measured_is_not_0() -> None:
    """Nor is it where only one of two looks counted it."""
    for before, now in ((None, None), (None, 5), (5, None)):
        first, second = (sample(second, nf=replace(NF, cpu_ns=cpu)) for second, cpu in ((10, before), (12, now)))
        (nf,) = rates(first, second, {}).nfs
        assert nf.cpu_percent is None and "cpu_percent" not in nf.model_dump(mode="json")


def test_of_many_rules_the_first_64_are_reported_and_what_none_matched() -> None:
    """A firewall in the kernel may have 256."""
    since = datetime(2026, 1, 1, tzinfo=UTC)
    counted = RulesCounted(since, tuple((number, 100 * number) for number in range(256)), (7, 700))
    (nf,) = rates(sample(10), sample(12, nf=replace(NF, rules=counted)), {}).nfs
    assert nf.rule_counts is not None and nf.rule_counts.since == since
    assert [rule.packets for rule in nf.rule_counts.rules] == list(range(64))
    assert (nf.rule_counts.default.packets, nf.rule_counts.default.bytes) == (7, 700)


def test_what_the_kernel_took_for_an_nf_is_on_no_core_anybodys_other_work() -> None:
    """It works on packets where they come. While none came it took nothing: all of core 3 is other work then."""
    wall = replace(NF, cpu_ns=None)
    first, idle = sample(10, nf=wall), sample(12, nf=wall)
    carried = sample(12, nf=replace(wall, rx=wall.rx + 1_000_000))
    for second, left in ((idle, [95, 80]), (carried, [None, None])):
        used = own_percent(first, second, rates(first, second, {}).nfs)
        assert [each.other_percent for each in core_samples({1: 0.95, 3: 0.8}, used)] == left


def test_the_time_of_measuring_an_nf_type_is_no_other_work() -> None:
    """Of core 3 half is used in each interval, by nobody that is ordered. Where an NF type was measured there at an
    interval's beginning or end it is the console's own job, which gives way to NFs: a plan may have the core."""
    sampling = Sampling("edge-1", (3,), Provenance.SIMULATED)
    found = []
    for second, measured in enumerate((set[int](), set[int](), {3}, set[int](), set[int]())):
        now = replace(sample(second), cpus={3: CpuTime(100 * second, 200 * second)})
        (core,) = sampling.batch(now, HostProgress(1, Phase.CONVERGED), {}, measured).cores or (None,)
        found.append(core and (core.busy_percent, core.other_percent, core.measuring_percent))
    assert found == [None, (50, 50, None), (50, None, 50), (50, None, 50), (50, 50, None)]


def test_the_real_machine_reports_its_time() -> None:
    times = read_cpu_times()
    assert times and all(0 < time.busy <= time.total for time in times.values())


def test_counters_of_cache_and_memory_become_rates_where_there_are_any() -> None:
    """2 s apart: 3 M more references are 1.5 M/s; the occupancy is that of the end."""
    before = replace(NF, llc=LlcAndMemory(1_000_000, 100_000, 64_000_000, 0, (4096, 0)))
    after = replace(NF, llc=LlcAndMemory(4_000_000, 300_000, 128_000_000, 6_400_000, (4096, 8192), 0b10))
    first, second = sample(10, nf=before), sample(12, nf=after)
    node = NodeCounters(memory_bytes=10**9, memory_load_percent=10.0)
    later = NodeCounters(5 * 10**9, 25.0, link_load_percent=5.0, link_in_load_percent=5.0, link_out_load_percent=2.0)
    found = rates(replace(first, nodes={0: node}), replace(second, nodes={0: later, 1: later}), {})
    (nf,) = found.nfs
    assert (nf.llc_references_per_s, nf.llc_misses_per_s) == (1.5e6, 1e5)
    assert (nf.memory_local_bytes_per_s, nf.memory_remote_bytes_per_s) == (3.2e7, 3.2e6)
    assert (nf.llc_occupancy_bytes, nf.llc_way_mask) == ((4096, 8192), 0b10)
    (only,) = found.nodes
    assert (only.node, only.memory_bytes_per_s) == (0, 2e9), "node 1 was not there before"
    assert (only.memory_load_percent, only.link_load_percent) == (25.0, 5.0)
    assert (only.link_in_load_percent, only.link_out_load_percent) == (5.0, 2.0)
    (bare,) = rates(sample(10), sample(12), {}).nfs
    assert "llc" not in bare.model_dump_json() and "memory" not in bare.model_dump_json()
