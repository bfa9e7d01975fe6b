"""The laws of one host: what an order means to them, what they may do, what they remember, and what they say."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_agent.contract.driver import ResourcesGiven
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.ordered_resources import request_of
from sextant_agent.contract.rates import ChainRates
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters, NfResources
from sextant_agent.controllers.frame import NEVER_TOLD, HostLaws
from sextant_agent.drivers.twin.inventory import build_inventory
from sextant_domain.base import digest_of
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.desired import (
    ChainResources,
    DesiredChain,
    DesiredHostConfig,
    HostContent,
    NfState,
    ResourceBounds,
)
from sextant_domain.hosts.host import Capability
from sextant_domain.hosts.levels import Level, LevelTable, TypeLevels
from sextant_domain.hosts.telemetry import ChainControl, TelemetryBatch
from sextant_twin.machines import load

from .orders import HOST, chain, nf

GOLD = build_inventory(load("xeon-gold-6126"), HOST)
"""Two nodes of 12 cores with 11 ways each, of which 10 can be given; 7 chains can have some at once. Ports are of node
0."""
ROWS = [(4.0, 2, 10), (7.0, 3, 30), (8.0, 4, 40), (10.0, 6, 60)]
LEVELS = tuple(Level(gbps=gbps, ways=ways, mb_percent=percent) for gbps, ways, percent in ROWS)
TABLE = LevelTable(host_model="m", types={"router": TypeLevels(local=LEVELS, remote=LEVELS)})


def bounded(name: str, core: int, ways: int = 2, percent: int = 10, **more: object) -> DesiredChain:
    """Of one router: 2 ways and 10 % to begin with, within 1 to 9 and 10 to 90 %."""
    within = {
        "law": "numasfp", "law_version": 1, "table": digest_of(TABLE), "least_ways": 1, "most_ways": 9,
        "least_percent": 10, "most_percent": 90,
    } | more  # fmt: skip
    resources = ChainResources(llc_ways=ways, memory_bandwidth_percent=percent)
    limits = {"resources": resources, "bounds": ResourceBounds.model_validate(within)}
    return chain(name, nf(name, "router", core=core)).model_copy(update=limits)


def ordered(*chains: DesiredChain, generation: int = 1) -> DesiredHostConfig:
    tables = (TABLE,) if any(one.bounds is not None for one in chains) else ()
    return DesiredHostConfig.of(generation, HostContent(host_id=HOST, chains=chains, tables=tables))


class Host:
    """A host that has at once whatever its laws give, unless it `refuses`; a second passes with every `second`."""

    def __init__(self, folder: Path, inventory: object = GOLD) -> None:
        self.folder, self.inventory, self.now = folder, inventory, 1000.0
        self.refuses: frozenset[str] = frozenset()
        self.has: Mapping[str, ChainResources | None] = {}
        self.start()

    def start(self) -> None:
        """As when the agent's process begins."""
        self.at_once: list[tuple[str, NfResources]] = []
        self.laws = HostLaws(self.folder, lambda: self.inventory, lambda: self.now, self._give)  # type: ignore[arg-type, return-value]

    def _give(self, given: Sequence[ResourcesGiven], found: HostSample) -> None:
        self.at_once = [(one.chain.chain, one.shall) for one in given]

    def second(
        self, desired: DesiredHostConfig, measured_at: float | None = None, **gbps: float
    ) -> dict[str, ChainControl]:
        """Measured just now, or at another moment."""
        self.now += 1
        given = {one.chain: one.resources for one in self.laws.content(desired).chains}
        self.has = {name: self.has.get(name, one) if name in self.refuses else one for name, one in given.items()}
        content = desired.content.model_copy(
            update={
                "chains": tuple(
                    one.model_copy(update={"resources": self.has[one.chain]}) for one in desired.content.chains
                )
            }
        )
        why = {f"{name}.router": "resctrl answered EINVAL" for name in self.refuses if given[name] != self.has[name]}
        found = _found(content, self.now if measured_at is None else measured_at)
        per_mpps = wire_gbps(1.0, 64)
        rates = {name: rates_of(rate / per_mpps) for name, rate in gbps.items()}
        self.changed = self.laws.act(found, lambda: rates, desired, lambda: why)
        batch = self.laws.reported(BATCH)
        self.laws.save()
        self.transfers = batch.transfers
        return {one.chain: one for one in batch.controls}

    def given(self, desired: DesiredHostConfig) -> dict[str, tuple[int | None, int | None]]:
        return {
            one.chain: (one.resources.llc_ways, one.resources.memory_bandwidth_percent)
            for one in self.laws.content(desired).chains
            if one.resources is not None
        }


def _found(content: HostContent, now: float) -> HostSample:
    nfs = {
        one.nf_id: NfCounters(
            one.nf_id, each.chain, "router", NfState.RUNNING, 7, one.core, one.core, 1, None,
            resources=request_of(each, one),
        )
        for each in content.chains
        for one in each.nfs
    }  # fmt: skip
    chains = {each.chain: ChainCounters(each.chain, fingerprint(each), 1) for each in content.chains}
    return HostSample(int(now * 1e9), datetime(2026, 1, 1, tzinfo=UTC), "e", chains=chains, nfs=nfs)


BATCH = TelemetryBatch.model_validate(
    {
        "host_id": HOST, "epoch": "e", "sequence": 1, "taken_at": datetime.now(UTC), "interval_s": 1.0,
        "provenance": "simulated", "applied_generation": 1, "phase": "converged",
    }
)  # fmt: skip


def rates_of(mpps: float) -> ChainRates:
    """All of it is carried."""
    return ChainRates(offered=mpps, delivered=mpps, dropped=0.0, filtered=0.0, counted_s=1.0)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


TWO = ordered(bounded("nat", 12), bounded("web", 13))


def test_a_chain_gets_what_its_rate_needs_and_the_batch_says_so(host: Host) -> None:
    """7.5 Gbps: the level of 8, 4 ways and 40 %; 3 Gbps: 2 and 10 %, which nat has."""
    host.laws.allowed(None)
    controls = host.second(TWO, web=7.5, nat=3.0)
    assert (host.given(TWO), host.changed) == ({"nat": (2, 10), "web": (4, 40)}, True)
    web = controls["web"]
    assert (web.llc_ways, web.memory_bandwidth_percent, web.rate_gbps, web.level_gbps) == (4, 40, 7.5, 8.0)
    assert (web.law, web.law_version, web.table, web.state, web.note) == (
        "numasfp",
        1,
        digest_of(TABLE),
        "in_full",
        None,
    )
    assert [(one.to_chain, one.ways) for one in host.transfers] == [("web", 2)]
    assert host.at_once == [("web", NfResources(4, 40, of_chain=True))], "handed over before it was reported"
    host.at_once.clear()
    host.second(TWO, web=7.5, nat=3.0)
    assert (host.changed, host.at_once) == (False, [])


def test_a_host_without_bounds_is_left_as_it_is(host: Host) -> None:
    alone = chain("web", nf("web", "router", core=12)).model_copy(update={"resources": ChainResources(llc_ways=2)})
    desired = ordered(alone)
    host.laws.allowed(None)
    assert host.laws.content(desired) is desired.content
    assert host.second(desired, web=9.0) == {}
    assert host.laws.content(desired) is desired.content
    assert host.folder.joinpath("laws.json").exists(), "what was said of all laws"


def test_no_law_acts_before_the_console_has_said_so_nor_while_they_are_stopped(host: Host) -> None:
    assert {one.note for one in host.second(TWO, web=9.0, nat=3.0).values()} == {NEVER_TOLD}
    assert host.given(TWO) == {"nat": (2, 10), "web": (2, 10)}
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    host.laws.allowed("all control laws are stopped, by olga")
    controls = host.second(TWO, web=9.0, nat=3.0)
    assert {(one.state, one.note) for one in controls.values()} == {("held", "all control laws are stopped, by olga")}
    assert host.given(TWO)["web"] == (4, 40), "as it is"
    host.laws.allowed(None)
    assert host.second(TWO, web=9.0, nat=3.0)["web"].llc_ways == 6


def test_a_restart_keeps_what_was_given_and_what_was_said(host: Host) -> None:
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    before = host.transfers
    host.start()
    assert host.given(TWO) == {"nat": (2, 10), "web": (4, 40)}, "before anything is measured"
    controls = host.second(TWO, web=7.5, nat=3.0)
    assert (controls["web"].state, host.changed, host.transfers) == ("in_full", False, before)


def test_a_damaged_file_is_no_obstacle(host: Host) -> None:
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    host.folder.joinpath("laws.json").write_bytes(b'{"format":1,"chains":{"web":{"node":')
    host.start()
    assert host.given(TWO) == {"nat": (2, 10), "web": (2, 10)}


def test_a_new_order_takes_over_what_was_given_where_it_may(host: Host) -> None:
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    wider = ordered(bounded("nat", 12), bounded("web", 14, ways=3, percent=30), generation=2)
    assert host.given(wider)["web"] == (4, 40)
    moved = ordered(bounded("nat", 12), bounded("web", 6, ways=3, percent=30), generation=3)
    assert host.given(moved)["web"] == (3, 30), "core 6 is of node 0"


def test_an_order_without_bounds_lets_go(host: Host) -> None:
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    free = ordered(*(one.model_copy(update={"bounds": None}) for one in TWO.content.chains), generation=2)
    assert host.given(free) == {"nat": (2, 10), "web": (2, 10)}
    host.laws.save()
    host.start()
    assert host.given(TWO) == {"nat": (2, 10), "web": (2, 10)}, "nothing is remembered of it"


def test_what_others_own_is_not_given(host: Host) -> None:
    """mine has 4 ways and 50 % by its order: 6 and 50 % are left, and so web has level 8 of 10."""
    mine = chain("mine", nf("mine", "router", core=14)).model_copy(
        update={"resources": ChainResources(llc_ways=4, memory_bandwidth_percent=50)}
    )
    host.laws.allowed(None)
    control = host.second(ordered(mine, bounded("web", 13)), web=9.5)["web"]
    assert (control.llc_ways, control.memory_bandwidth_percent, control.state) == (4, 40, "short")


def without(*names: str) -> object:
    gone = {name: Capability(name=name, available=False, reason="no resctrl file system") for name in names}
    found = {one.name: one for one in GOLD.capabilities} | gone
    return GOLD.model_copy(update={"capabilities": tuple(found.values())})


TWO_NODES = bounded("web", 6).model_copy(update={"nfs": (nf("web", "router", core=6), nf("web", "nat", core=12))})
LOCAL_ONLY = LevelTable(host_model="m", types={"router": TypeLevels(remote=LEVELS)})


@pytest.mark.parametrize(
    ("web", "inventory", "why"),
    [
        (bounded("web", 13, law="coco"), GOLD, "this agent has no law coco"),
        (
            bounded("web", 13, law_version=2),
            GOLD,
            "this agent has version 1 of the law, the order names 2",
        ),
        (
            TWO_NODES,
            GOLD,
            "its NFs stand on several nodes, and ways and bandwidth of a chain are of one",
        ),
        (
            bounded("web", 13).model_copy(update={"nfs": (nf("web", "firewall", core=13),)}),
            GOLD,
            "the table has no levels of firewall",
        ),
        (
            bounded("web", 13),
            without("resctrl-cat", "resctrl-mba"),
            "this host gives no ways or bandwidth: no resctrl file system",
        ),
        (
            bounded("web", 13).model_copy(update={"resources": ChainResources()}),
            GOLD.model_copy(update={"resource_groups": 0}),
            "all 0 groups of this host that can have ways and bandwidth are taken",
        ),
    ],
)
def test_what_it_cannot_look_after_is_held_as_ordered(
    tmp_path: Path, web: DesiredChain, inventory: object, why: str
) -> None:
    host = Host(tmp_path, inventory)
    host.laws.allowed(None)
    desired = ordered(web)
    control = host.second(desired, web=9.0)["web"]
    assert (control.state, control.note) == ("held", why)
    assert host.laws.content(desired) is desired.content


def test_a_share_that_the_kernel_refuses_is_held_and_tried_again_later_and_later(host: Host) -> None:
    """web keeps 2 ways for 2 s, then for 4 s; once the kernel takes it, it has 4 at once."""
    host.laws.allowed(None)
    host.second(TWO, web=3.0, nat=3.0)
    host.refuses = frozenset({"web"})
    asked, notes = [], []
    for _ in range(9):
        notes.append(host.second(TWO, web=7.5, nat=3.0)["web"].note or "")
        asked.append(host.given(TWO)["web"])
    assert asked == [(4, 40), (2, 10), (2, 10), (4, 40), (2, 10), (2, 10), (2, 10), (2, 10), (4, 40)]
    assert notes[1] == "it could not be given what its rate needs: resctrl answered EINVAL; next try in 2 s"
    assert notes[4].endswith("next try in 4 s")
    host.refuses = frozenset()
    host.second(TWO, web=7.5, nat=3.0)
    assert (host.given(TWO)["web"], host.has["web"]) == (
        (4, 40),
        ChainResources(llc_ways=4, memory_bandwidth_percent=40),
    )


def test_a_chain_that_does_not_run_is_not_one_whose_share_was_refused(host: Host) -> None:
    """Its NF cannot be started: that is told by the host's state, and the share waits for it."""
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    host.now += 1
    found = _found(TWO.content, host.now)
    crashed = {
        name: replace(one, state=NfState.CRASHED) if name.startswith("web.") else one for name, one in found.nfs.items()
    }
    why = {"web.router": "no core of its own"}
    changed = host.laws.act(replace(found, nfs=crashed), dict, TWO, lambda: why)
    batch = host.laws.reported(BATCH)
    assert {one.chain: one.note for one in batch.controls}["web"] == "web was not measured"
    assert (host.given(TWO)["web"], changed) == ((4, 40), False)


@pytest.mark.parametrize(
    ("measured_at", "web", "why"),
    [
        (998.9, 9.0, "the measurement is 3.1 s old; at most 2.5 s are acted on"),
        (1001.0, 9.0, "the measurement came twice"),
        (1000.5, 9.0, "it is 0.5 s older than the last"),
        (1005.0, 9.0, "the measurement is from 3.0 s ahead; the host's clock is wrong"),
        (1002.0, 2000.0, "web is said to be offered 2000 Gbps; 0 to 1000 are believed"),
    ],
    ids=["late", "doubled", "out of order", "ahead", "absurd"],
)
def test_what_is_not_believed_gives_nothing_and_says_why(host: Host, measured_at: float, web: float, why: str) -> None:
    """Measured at 1001 s; now it is 1002 s. nat, whose rate is in order, is held with web: one measurement is believed
    as a whole. The next one is acted on again."""
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    before = host.transfers
    controls = host.second(TWO, measured_at, web=web, nat=9.0)
    assert {(one.state, one.note) for one in controls.values()} == {("held", why)}
    assert (host.given(TWO), host.changed) == ({"nat": (2, 10), "web": (4, 40)}, False)
    assert host.transfers == before
    assert host.second(TWO, web=9.0, nat=3.0)["web"].llc_ways == 6


def test_what_came_before_the_agents_restart_is_not_acted_on_afterwards(host: Host) -> None:
    """The file says nothing of when: what is late is late by the clock alone."""
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    host.start()
    controls = host.second(TWO, 998.0, web=9.0, nat=3.0)
    assert {one.note for one in controls.values()} == {"the measurement is 4.0 s old; at most 2.5 s are acted on"}
    assert host.given(TWO) == {"nat": (2, 10), "web": (4, 40)}


def test_a_helper_that_is_gone_holds_all_and_says_why(host: Host) -> None:
    host.laws.allowed(None)
    host.second(TWO, web=7.5, nat=3.0)
    host.now += 1
    gone = replace(_found(TWO.content, host.now), no_resource_control="the helper does not answer")
    changed = host.laws.act(gone, dict, TWO, dict)
    batch = host.laws.reported(BATCH)
    assert ({one.note for one in batch.controls}, changed) == ({"the helper does not answer"}, False)
    assert host.given(TWO)["web"] == (4, 40)
