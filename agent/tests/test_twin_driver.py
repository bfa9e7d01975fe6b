"""The twin driver against the real twin: the contract, and what is a simulated host's own."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from sextant_agent.contract.driver import Driver, ResourcesGiven
from sextant_agent.contract.errors import DataPlaneDown, DriverError, FaultRefused
from sextant_agent.contract.sample import HostSample, NfCounters, NfResources
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.orders import NF_TYPES, ChainLife, order_of
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_agent.reporting.core_time import core_busy, core_samples, own_percent
from sextant_agent.reporting.telemetry import rates
from sextant_domain.hosts.desired import ChainResources, DesiredChain
from sextant_domain.hosts.fault import Fault, HostDown, NfCrash, NicFlap, NoisyNeighbour
from sextant_domain.hosts.telemetry import LoadBasis, NfSample
from sextant_twin.machines import load

from .driver_contract import DriverContract
from .orders import HOST, chain, content, nf
from .waiting import wait_for

MACHINE = "xeon-gold-6126"
"""Two nodes of 12 cores, CAT and MBA; cores 0 to 5 are reserved."""


@pytest.fixture
def world() -> Iterator[SimulatedWorld]:
    """NFs start at once, so that tests need not wait a second for each."""
    world = SimulatedWorld(period_s=0.02, delays={"start_s": 0.0})
    world.start()
    yield world
    world.stop()


@pytest.fixture
def driver(world: SimulatedWorld) -> TwinDriver:
    return TwinDriver(world, HOST, MACHINE)


def router(driver: TwinDriver) -> NfCounters:
    return driver.sample().nfs["web.router"]


class TestTwinDriver(DriverContract):
    """Every test of the contract, and these. A simulated process is that of the first NF in it, started so often."""

    exit_text = "ordered fault"
    first_stage = "measuring"

    def process(self, sample: HostSample, nf_id: str) -> object:
        found = sample.nfs[nf_id]
        leader = min(other.nf_id for other in sample.nfs.values() if other.group == found.group)
        return leader, found.starts, sample.chains[found.chain].instance

    def crash(self, driver: Driver, nf_id: str) -> None:
        assert isinstance(driver, TwinDriver)
        driver.inject(NfCrash(kind="nf-crash", nf_id=nf_id))

    def assert_pinned(self, found: NfCounters, core: int) -> None:
        assert (found.pid, found.core) == (None, core)

    def test_what_the_part_lacks_its_twin_lacks(self, world: SimulatedWorld) -> None:
        """E5-2690 v2 and EPYC 7301 have neither CAT nor MBA, E5-2650 v4 has CAT alone (as the real parts)."""
        has = {}
        for machine in ("xeon-e5-2690-v2", "epyc-7301", "xeon-e5-2650-v4", MACHINE):
            found = TwinDriver(world, machine, machine)
            node = found.inventory().host.nodes[0]
            reported = (self.can(found, "resctrl-cat"), self.can(found, "resctrl-mba"))
            assert reported == (
                node.llc is not None and node.llc.ways is not None,
                bool(node.memory_bandwidth_steps_percent),
            )
            has[machine] = reported
        assert has == {
            "xeon-e5-2690-v2": (False, False),
            "epyc-7301": (False, False),
            "xeon-e5-2650-v4": (True, False),
            MACHINE: (True, True),
        }

    def test_cores_of_system_and_threads_are_reserved_on_the_nics_node(self, driver: TwinDriver) -> None:
        host = driver.inventory().host
        assert {core.id: core.reserved_for for core in host.cores if core.reserved_for} == {
            0: "system", 1: "manager", 2: "rx", 3: "rx", 4: "tx", 5: "tx",
        }  # fmt: skip
        assert [core.slots for core in host.cores] == [0] * 6 + [1] * 18  # 6 local and 12 remote (Octans, Sec. VI-A)
        assert {port.node for port in host.ports} == {0}

    def test_every_type_of_the_catalogue_runs(self, driver: TwinDriver) -> None:
        chains = [chain(f"c-{kind}", nf(f"c-{kind}", kind, core=6 + n)) for n, kind in enumerate(sorted(NF_TYPES))]
        assert not driver.apply(content(*chains)).failures
        wait_for("all deliver", lambda: all(found.delivered for found in driver.sample().chains.values()))

    def test_ways_and_bandwidth_are_given_and_taken_back_without_a_restart(self, driver: TwinDriver) -> None:
        order = self.web(driver)
        driver.apply(content(order))
        before = driver.sample()
        changes = {"llc_ways": 4, "memory_bandwidth_percent": 50}
        given = order.model_copy(update={"nfs": (order.nfs[0].model_copy(update=changes), order.nfs[1])})
        done = driver.apply(content(given)).done
        assert done == ("gave web.router 4 LLC ways of its own and 50 % memory bandwidth",)
        assert driver.apply(content(given)).done == ()
        assert len(driver.apply(content(order)).done) == 1
        assert self.processes(driver.sample()) == self.processes(before)

    def test_more_ways_than_there_are_is_a_permanent_failure_of_that_nf_alone(self, driver: TwinDriver) -> None:
        """11 ways, one at least for all others: 10 can be given, not 11."""
        other = chain("other", nf("other", "firewall", core=7))
        for ways, fails in ((10, False), (11, True)):
            greedy = nf("web", "router", core=6).model_copy(update={"llc_ways": ways})
            report = driver.apply(content(other, chain("web", greedy)))
            assert set(report.failures) == ({"web.router"} if fails else set())
        assert report.failures["web.router"].permanent
        assert "ask for at most 10" in report.failures["web.router"].message

    def test_the_nfs_of_a_chain_have_ways_together_and_give_them_back(self, driver: TwinDriver) -> None:
        """4 of 11 ways for both NFs; the chain beside them shares the other 7. Nothing is restarted."""
        web, other = self.web(driver), chain("other", nf("other", "nat", core=9))
        driver.apply(content(other, web))
        before = driver.sample()
        shared = ChainResources(llc_ways=4, memory_bandwidth_percent=50)
        given = web.model_copy(update={"resources": shared})
        words = "4 LLC ways and 50 % memory bandwidth with all NFs of web"
        assert driver.apply(content(other, given)).done == tuple(f"gave {one.nf_id} {words}" for one in web.nfs)
        found = driver.sample()
        assert {one.nf_id: found.nfs[one.nf_id].resources for one in web.nfs} == dict.fromkeys(
            [one.nf_id for one in web.nfs], NfResources(4, 50, of_chain=True)
        )
        masks = {name: each.llc.way_mask for name, each in found.nfs.items() if each.llc}
        assert masks == {**dict.fromkeys([one.nf_id for one in web.nfs], 0xF), "other.nat": 0x7F0}
        assert driver.apply(content(other, given)).done == ()
        assert len(driver.apply(content(other, web)).done) == 2
        assert {each.llc.way_mask for each in driver.sample().nfs.values() if each.llc} == {None}
        assert self.processes(driver.sample()) == self.processes(before)

    def test_what_one_chain_gives_back_another_takes_in_one_order(self, driver: TwinDriver) -> None:
        """10 ways can be given: a has 8 and b 2, then b 8 and a 2, whichever comes first by its name."""
        a, b = (chain(name, nf(name, "router", core=core)) for name, core in (("a", 6), ("b", 7)))
        for of_a, of_b in ((8, 2), (2, 8), (8, 2)):
            wanted = [
                one.model_copy(update={"resources": ChainResources(llc_ways=ways)})
                for one, ways in ((a, of_a), (b, of_b))
            ]
            assert not driver.apply(content(*wanted)).failures
            assert [driver.sample().nfs[f"{one.chain}.router"].resources for one in wanted] == [
                NfResources(ways, None, of_chain=True) for ways in (of_a, of_b)
            ]

    def test_what_chains_give_each_other_is_one_order(
        self, world: SimulatedWorld, driver: TwinDriver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of 10 ways web has 8, nat 2 and then 8: each of web's two NFs differs, and so does nat's."""

        def having(web: int, other: int) -> list[DesiredChain]:
            chains = self.web(driver), chain("other", nf("other", "nat", core=11))
            ways = (ChainResources(llc_ways=web), ChainResources(llc_ways=other))
            return [one.model_copy(update={"resources": each}) for one, each in zip(chains, ways, strict=True)]

        driver.apply(content(*having(8, 2)))
        orders = []
        monkeypatch.setattr(
            world, "order", lambda host, order: (orders.append(order), SimulatedWorld.order(world, host, order))
        )
        report = driver.apply(content(*having(2, 8)))
        assert (len(report.done), report.failures, len(orders)) == (3, {}, 1)
        found = {nf_id.partition(".")[0]: one.resources for nf_id, one in driver.sample().nfs.items()}
        assert found == {"web": NfResources(2, None, of_chain=True), "other": NfResources(8, None, of_chain=True)}
        assert driver.apply(content(*having(2, 8))).done == ()

    def test_what_a_law_gives_is_set_without_an_order(
        self, world: SimulatedWorld, driver: TwinDriver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of 10 ways web has 8 and other 2, then web 2 and other 8, at once; 8 and 8 are refused, and nothing
        changes. Nothing is restarted, and an order finds all as it says."""
        chains = self.web(driver), chain("other", nf("other", "nat", core=11))

        def having(web: int, other: int) -> list[DesiredChain]:
            ways = (ChainResources(llc_ways=web), ChainResources(llc_ways=other))
            return [one.model_copy(update={"resources": each}) for one, each in zip(chains, ways, strict=True)]

        def give(web: int, other: int) -> None:
            shall = (NfResources(ways, 40, of_chain=True) for ways in (web, other))
            driver.give_resources(
                [ResourcesGiven(one, each) for one, each in zip(chains, shall, strict=True)], driver.sample()
            )

        with pytest.raises(DriverError, match="web does not stand where it is ordered to yet"):
            give(2, 8)
        driver.apply(content(*having(8, 2)))
        before = driver.sample()
        orders: list[object] = []
        monkeypatch.setattr(world, "order", lambda _host, order: orders.append(order))
        with driver._applying, pytest.raises(DriverError, match="an order is being carried out"):
            give(2, 8)
        give(2, 8)
        wanted = {"web": NfResources(2, 40, of_chain=True), "other": NfResources(8, 40, of_chain=True)}

        def has() -> dict[str, NfResources | None]:
            return {nf_id.partition(".")[0]: one.resources for nf_id, one in driver.sample().nfs.items()}

        wait_for("masks have effect", lambda: has() == wanted)
        with world._changed:  # no time passes: what was given is there at once, as the kernel has it
            give(3, 7)
            assert has() == {
                name: replace(one, llc_ways=ways) for (name, one), ways in zip(wanted.items(), (3, 7), strict=True)
            }
            give(2, 8)
            assert has() == wanted
        with pytest.raises(DriverError, match="the twin refuses it"):
            give(8, 8)
        time.sleep(0.1)
        assert has() == wanted
        assert self.processes(driver.sample()) == self.processes(before)
        given = [one.model_copy(update={"resources": ChainResources(llc_ways=ways, memory_bandwidth_percent=40)})
                 for one, ways in zip(chains, (2, 8), strict=True)]  # fmt: skip
        assert (driver.apply(content(*given)).done, orders) == ((), [])

    def test_of_changes_that_do_not_fit_together_those_are_made_that_do(self, driver: TwinDriver) -> None:
        web, other = self.web(driver), chain("other", nf("other", "nat", core=11))
        driver.apply(content(web, other))
        wanted = [one.model_copy(update={"resources": ChainResources(llc_ways=6)}) for one in (web, other)]
        report = driver.apply(content(*wanted))
        assert (len(report.done), len(report.failures)) == (2, 1), "both NFs of web, and other's not"
        (why,) = report.failures.values()
        assert (why.permanent, "ask for at most 4" in why.message) == (True, True)

    def test_two_chains_that_change_nodes_take_their_ways_along(self, driver: TwinDriver) -> None:
        """8 of 11 ways each: on no node do both fit at once. They are there once both have moved."""
        here, there = 6, load(MACHINE).cores_per_node
        for of_a, of_b in ((here, there), (there, here)):
            wanted = [
                chain(name, nf(name, "router", core=core)).model_copy(update={"resources": ChainResources(llc_ways=8)})
                for name, core in (("a", of_a), ("b", of_b))
            ]
            for _ in range(2):  # as the reconciler does, until nothing differs
                assert not driver.apply(content(*wanted)).failures
            found = driver.sample().nfs
            assert {nf_id: (one.core, one.resources) for nf_id, one in found.items()} == {
                "a.router": (of_a, NfResources(8, None, of_chain=True)),
                "b.router": (of_b, NfResources(8, None, of_chain=True)),
            }
            assert driver.apply(content(*wanted)).done == ()

    def test_a_quota_halves_what_a_busy_nf_does_and_is_reported(self, driver: TwinDriver) -> None:
        """3000 loops at 2.6 GHz take 1.2 us: .87 Mpps at most, so that .4 Mpps need 46 % of the core; 20 % give .17."""
        heavy = nf("web", "simple-forward", core=6, loops=3000)
        limited = heavy.model_copy(update={"cpu_quota_percent": 20.0})
        driver.apply(content(chain("web", heavy, rate_mpps=0.4)))
        assert rates(*self.interval(driver), {}).nfs[0].rx_mpps == pytest.approx(0.4, rel=0.05)
        driver.apply(content(chain("web", limited, rate_mpps=0.4)))
        self.interval(driver)
        (found,) = rates(*self.interval(driver), {}).nfs
        assert found.rx_mpps == pytest.approx(0.173, rel=0.1)
        assert found.throttled_percent and found.throttled_percent > 50

    def test_resources_are_what_the_simulated_host_has_and_not_what_it_was_ordered(
        self, driver: TwinDriver, world: SimulatedWorld
    ) -> None:
        """Somebody else gives the router 2 ways for 4, 10 % of the bandwidth for 50, and another share and quota."""
        ordered, others = (
            nf("web", "router", core=6).model_copy(
                update={
                    "llc_ways": ways,
                    "memory_bandwidth_percent": mba,
                    "cpu_share": share,
                    "cpu_quota_percent": quota,
                }
            )
            for ways, mba, share, quota in ((4, 50, 200, 40.0), (2, 10, 300, 70.0))
        )
        driver.apply(content(chain("web", ordered)))
        found = driver.sample().nfs["web.router"]
        assert found.cpu and (found.cpu.weight, found.cpu.quota_percent) == (200, pytest.approx(40))
        assert found.resources == NfResources(llc_ways=4, memory_bandwidth_percent=50)
        world.order(HOST, order_of([ChainLife(chain("web", others), 1)], load(MACHINE)))
        found = wait_for("it has effect", lambda: s if (s := router(driver)).cpu and s.cpu.weight != 200 else None)
        assert found.cpu and (found.cpu.weight, found.cpu.quota_percent) == (300, pytest.approx(70))
        assert found.resources == NfResources(llc_ways=2, memory_bandwidth_percent=10)
        assert len(driver.apply(content(chain("web", ordered))).done) == 2, "and it is given back what was ordered"
        found = router(driver)
        assert found.cpu and (found.cpu.weight, found.cpu.quota_percent) == (200, pytest.approx(40))
        assert found.resources == NfResources(llc_ways=4, memory_bandwidth_percent=50)

    def interval(self, driver: TwinDriver, seconds: float = 0.5) -> tuple[HostSample, HostSample]:
        first = driver.sample()
        return first, wait_for(
            "time passes", lambda: s if (s := driver.sample()).taken_ns > first.taken_ns + seconds * 1e9 else None
        )

    def test_samples_report_the_ways_that_an_nf_may_fill(self, driver: TwinDriver) -> None:
        """The 4 lowest of 11 ways for the router; the firewall shares the other 7. Without an order there is none."""
        router, firewall = nf("web", "router", core=6), nf("web", "firewall", core=7)
        driver.apply(content(chain("web", router, firewall)))
        assert {each.llc.way_mask for each in driver.sample().nfs.values() if each.llc} == {None}
        own = router.model_copy(update={"llc_ways": 4})
        driver.apply(content(chain("web", own, firewall)))
        masks = {name: each.llc.way_mask for name, each in driver.sample().nfs.items() if each.llc}
        assert masks == {"web.router": 0xF, "web.firewall": 0x7F0}

    def test_samples_report_what_an_nf_holds_way_by_way(self, driver: TwinDriver) -> None:
        """Of 11 ways the monitor of a million flows may fill the 4 lowest, and holds nothing in the other 7."""
        monitor = nf("web", "basic-monitor", core=6).model_copy(update={"llc_ways": 4})
        driver.apply(content(chain("web", monitor, rate_mpps=1, flows=1_000_000)))

        def held() -> tuple[int, ...]:
            found = driver.sample().nfs["web.basic-monitor"].llc
            return found.occupancy_bytes if found else ()

        ways = wait_for("the monitor's cache", lambda: found if any(found := held()) else None)
        assert len(ways) == 11
        assert sum(ways[:4]) > 0 and sum(ways[4:]) == 0

    def test_samples_report_what_only_counters_know(self, driver: TwinDriver) -> None:
        driver.apply(content(chain("web", nf("web", "basic-monitor", core=6), rate_mpps=5, flows=1_000_000)))
        before, now = self.interval(driver)
        found = rates(before, now, {})
        (monitor,), local = found.nfs, found.nodes[0]
        assert monitor.llc_references_per_s and monitor.llc_misses_per_s and monitor.llc_occupancy_bytes
        assert monitor.llc_misses_per_s <= 1.1 * monitor.llc_references_per_s, "each with its noise"
        assert monitor.memory_remote_bytes_per_s == 0, "its state is on its own node"
        assert local.memory_bytes_per_s > 0 and local.memory_load_percent
        assert set(now.cpus) == set(range(24))

    def test_a_host_that_loses_power_is_silent_and_comes_back_empty(self, driver: TwinDriver) -> None:
        order = content(self.web(driver))
        driver.apply(order)
        before = driver.sample()
        driver.inject(HostDown(kind="host-down", seconds=10.0))  # the next calls may be slow: a busy machine
        assert driver.is_down, "known at once, whoever asks next"
        with pytest.raises(DataPlaneDown, match="no power"):
            driver.sample()
        with pytest.raises(DataPlaneDown):
            driver.apply(order)
        with pytest.raises(FaultRefused, match="the host is off"):
            driver.inject(NicFlap(kind="nic-flap", port="nic0", seconds=1.0))
        back = wait_for("power", lambda: self.found(driver))
        assert (dict(back.nfs), driver.is_down) == ({}, False)
        assert back.epoch != before.epoch
        assert len(driver.apply(order).done) == 1
        wait_for("packets", lambda: driver.sample().chains["web"].delivered)

    def found(self, driver: TwinDriver) -> HostSample | None:
        try:
            return driver.sample()
        except DataPlaneDown:
            return None

    def test_a_flapping_nic_stops_packets_for_so_long(self, driver: TwinDriver) -> None:
        driver.apply(content(self.web(driver, rate_mpps=0.1)))
        driver.inject(NicFlap(kind="nic-flap", port="nic0", seconds=8.0))
        first, second = self.interval(driver, 0.4)
        assert rates(first, second, {}).chains[0].delivered_mpps == pytest.approx(0, abs=0.01)
        wait_for("the link is back", lambda: not driver.faults())
        wait_for("packets", lambda: driver.sample().chains["web"].delivered > second.chains["web"].delivered + 1000)

    def test_a_noisy_neighbour_takes_cache_from_those_beside_it(self, driver: TwinDriver) -> None:
        """A monitor of many flows beside five cores that go all over the LLC: more cycles a packet, until they end."""
        driver.apply(content(chain("web", nf("web", "basic-monitor", core=6), rate_mpps=1, flows=200_000)))
        wait_for("it is warm", lambda: driver.sample().chains["web"].delivered > 1_000_000)

        def cycles() -> float:
            (found,) = rates(*self.interval(driver), {}).nfs
            assert found.cycles_per_packet
            return found.cycles_per_packet

        quiet = cycles()
        fault = NoisyNeighbour(kind="noisy-neighbour", resource="cache", cores=(7, 8, 9, 10, 11), seconds=8.0)
        driver.inject(fault)
        assert [active.fault for active in driver.faults()] == [fault]
        assert cycles() > 1.1 * quiet
        wait_for("it is over", lambda: not driver.faults())
        self.interval(driver)
        assert cycles() < 1.1 * quiet

    def test_a_noisy_neighbour_keeps_its_core_busy(self, driver: TwinDriver) -> None:
        """Core 7, which is idle without the fault, by work that is no NF's; core 8 stays idle, core 6 is its NF's."""
        driver.apply(content(chain("web", nf("web", "nat", core=6), rate_mpps=0.5)))

        def other() -> dict[int, float | None]:
            first, second = self.interval(driver, 0.5)
            busy = core_busy(first.cpus, second.cpus, (6, 7, 8))
            used = own_percent(first, second, rates(first, second, {}).nfs)
            return {each.core: each.other_percent for each in core_samples(busy, used)}

        assert other() == {6: pytest.approx(0, abs=2), 7: 0, 8: 0}
        driver.inject(NoisyNeighbour(kind="noisy-neighbour", resource="memory", cores=(7,), seconds=600.0))
        assert other() == {6: pytest.approx(0, abs=2), 7: pytest.approx(100, abs=2), 8: 0}

    @pytest.mark.parametrize(
        ("fault", "field"),
        [
            (NfCrash(kind="nf-crash", nf_id="web.nobody"), "nf_id"),
            (NicFlap(kind="nic-flap", port="nic9", seconds=1.0), "port"),
            (NoisyNeighbour(kind="noisy-neighbour", resource="memory", cores=(7, 99), seconds=1.0), "cores.1"),
            (NoisyNeighbour(kind="noisy-neighbour", resource="memory", cores=(7, 7), seconds=1.0), "cores.1"),
            (NoisyNeighbour(kind="noisy-neighbour", resource="memory", cores=(6,), seconds=1.0), "cores.0"),
        ],
    )
    def test_a_fault_that_cannot_be_names_its_field(self, driver: TwinDriver, fault: Fault, field: str) -> None:
        driver.apply(content(self.web(driver)))
        with pytest.raises(FaultRefused) as refusal:
            driver.inject(fault)
        assert refusal.value.field == field
        assert driver.faults() == ()

    def test_a_move_to_the_other_node_keeps_counting(self, driver: TwinDriver) -> None:
        driver.apply(content(chain("web", nf("web", "nat", core=6), rate_mpps=0.5)))
        wait_for("packets", lambda: driver.sample().chains["web"].delivered > 10_000)
        before = driver.sample()
        driver.apply(content(chain("web", nf("web", "nat", core=13), rate_mpps=0.5)))
        after = driver.sample()
        assert self.processes(after) == self.processes(before)
        assert after.chains["web"].delivered > before.chains["web"].delivered
        assert after.nfs["web.nat"].core == 13


def offered(driver: TwinDriver, rate_mpps: float) -> NfSample:
    """What is reported of one second of an NF alone on its core, and so polls; dearer a packet than the RX thread."""
    core = next(core.id for core in driver.inventory().host.cores if core.slots)
    assert not driver.apply(content(chain("web", nf("web", "nids", core=core), rate_mpps=rate_mpps))).failures
    second = 1_000_000_000

    def after(moment: int) -> HostSample:
        def late_enough() -> HostSample | None:
            now = driver.sample()
            return now if now.taken_ns - moment > second else None

        return wait_for("a second passes on the host", late_enough)

    settled = after(driver.sample().taken_ns)
    (found,) = rates(settled, after(settled.taken_ns), {}).nfs
    return found


def test_what_polls_reads_as_full_as_it_is_offered_of_what_it_carries(driver: TwinDriver) -> None:
    """Its CPU time is all of its core's at any rate. What it carries and its headroom make what it could carry."""
    full = offered(driver, 100.0)
    assert full.utilisation_percent == pytest.approx(100, abs=1)
    assert full.headroom_mpps == pytest.approx(0, abs=0.05 * full.rx_mpps)
    for share in (0.1, 0.25, 0.5, 0.75, 1.0):
        found = offered(driver, share * full.rx_mpps)
        assert found.cpu_percent == pytest.approx(100, abs=1)
        assert found.utilisation_percent == pytest.approx(100 * share, abs=10)
        assert found.utilisation_basis is LoadBasis.BUSY_TIME
        assert found.headroom_mpps is not None
        assert found.rx_mpps + found.headroom_mpps == pytest.approx(full.rx_mpps, rel=0.25)
