"""Two threads of a physical core whose NFs have different limits of memory bandwidth: the plan says what they get."""

import pytest
from engine_fleets import able, chain, demo_inventory, host, numa_inventory, running, snapshot
from sextant_domain.hosts.host import HostInventory, ThreadThrottleMode
from sextant_domain.plans.intents import ResourceIntent
from sextant_engine.plan import make_plan

WEB, OTHER = chain("web", "router"), chain("other", "router")


def threads(mode: ThreadThrottleMode | None, siblings: tuple[int, int] = (0, 1)) -> HostInventory:
    """Four cores of one node, of which two are threads of one physical core."""
    inventory: HostInventory = able(numa_inventory(nodes=1, cores=4))
    one, other = siblings
    pairs = {one: (other,), other: (one,)}
    cores = tuple(core.model_copy(update={"siblings": pairs.get(core.id, ())}) for core in inventory.cores)
    return inventory.model_copy(update={"cores": cores, "thread_throttle_mode": mode})


def warnings(inventory: HostInventory, percent: int) -> list[str]:
    """web's router on core 0 is to have that much, other's on core 1 has all."""
    chains = [running(WEB, inventory, [(0, 0)]), running(OTHER, inventory, [(1, 0)])]
    intent = ResourceIntent.model_validate({"resources": {"web.router": {"memory_bandwidth_percent": percent}}})
    body = make_plan(snapshot([host(inventory, chains)], [WEB, OTHER]), intent)
    assert all(finding.ok for finding in body.checks), [each for each in body.checks if not each.ok]
    return [one for one in body.warnings if "throttled together" in one]


def test_the_smallest_limit_is_everybodys_where_a_core_is_throttled_as_a_whole() -> None:
    assert warnings(threads(ThreadThrottleMode.MAX), 50) == [
        "cores 0 and 1 of big-1 are one physical core, whose threads are throttled together: "
        "other.router (100 %), web.router (50 %) all have 50 % of memory bandwidth while both threads run"
    ]


@pytest.mark.parametrize(
    ("inventory", "percent"),
    [
        (threads(ThreadThrottleMode.PER_THREAD), 50),  # each has its own
        (threads(None), 50),  # the kernel does not say
        (threads(ThreadThrottleMode.MAX, (1, 2)), 50),  # nobody stands on the other thread
        (threads(ThreadThrottleMode.MAX), 100),  # both have all
    ],
)
def test_nothing_is_said_where_each_has_what_it_was_given(inventory: HostInventory, percent: int) -> None:
    assert warnings(inventory, percent) == []


def test_a_simulated_server_of_single_threads_says_nothing() -> None:
    assert demo_inventory().thread_throttle_mode is None
