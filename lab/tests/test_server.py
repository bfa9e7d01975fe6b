"""A study's server: which cores NFs get, and what the twin says of them."""

import pytest
from lab_studies import study
from sextant_lab.server import TwinServer

CHAINS = [["router", "nat"], ["nat", "router"]]


def test_octans_server_has_six_local_and_twelve_remote_cores() -> None:
    """12 cores a node, the first six of node 0 reserved; cores for I/O threads come after each node's own."""
    with_threads, without = TwinServer(study(), None), TwinServer(study(server={"machine": "xeon-e5-2650-v4"}), None)
    assert [len(with_threads.free[node]) for node in (0, 1)] == [6, 12]
    assert without.free == {0: tuple(range(6, 12)), 1: tuple(range(12, 24))}
    assert with_threads.free[0] == tuple(range(6, 12))
    assert with_threads.free[1][0] == with_threads.machine.cores_per_node
    assert (with_threads.cores_a_node, with_threads.inventory.host_model) == (12, without.inventory.host_model)


def test_nfs_take_the_cores_of_their_nodes_in_turn_and_ports_too() -> None:
    """The machine has four ports: the fifth chain shares that of the first."""
    server = TwinServer(study(server={"machine": "xeon-e5-2650-v4"}), None)
    chains = [["router"]] * 5
    setting, names = server.setting(chains, {str(n): ("0" if n < 2 else "1",) for n in range(5)})
    assert names == ["0", "1", "2", "3", "4"]
    assert [one["core"] for one in setting["instances"]] == [6, 7, 12, 13, 14]
    assert [chain["nic"] for chain in setting["chains"]] == [0, 1, 2, 3, 0]


def test_every_chain_has_threads_of_its_own() -> None:
    server = TwinServer(study(), None)
    chains = server.setting(CHAINS, {"0": ("0", "0"), "1": ("1", "1")})[0]["chains"]
    cores = [chain[thread] for chain in chains for thread in ("rx_core", "tx_core")]
    assert cores == [12, 13, 14, 15]


def test_chains_of_one_manager_share_its_pool() -> None:
    """OpenNetVM makes one pool of 32,767 buffers (`init_mbuf_pools`), whatever the number of ports and chains."""
    for managers, pools in (("one", {"manager"}), ("per-chain", {None})):
        asked = {"machine": "xeon-e5-2650-v4", "io": "threads", "managers": managers}
        chains = TwinServer(study(server=asked), None).setting(CHAINS, {"0": ("0", "0"), "1": ("1", "1")})[0]["chains"]
        assert {chain.get("pool") for chain in chains} == pools
        assert {chain["pool_packets"] for chain in chains} == {32767}


def test_a_pool_for_each_chain_costs_more_cache_than_one_for_all() -> None:
    """What three routers lose to each other: three pools of 32,767 buffers are 6 MB of lines and another 12 MB of
    metadata in an LLC of 30 MB, one is a third of it."""

    def lost(managers: str) -> float:
        asked = {"machine": "xeon-e5-2650-v4", "io": "threads", "managers": managers}
        slow = [{"name": "router", "extra_cycles": 100.0}, {"name": "nat"}]
        server = TwinServer(study(server=asked, nf=slow), None)
        alone, beside = (
            server.carried_mpps([["router"]] * count, {str(n): ("0",) for n in range(count)})["0"] for count in (1, 3)
        )
        return 1 - beside / alone

    assert lost("one") < lost("per-chain") / 2


def test_the_local_node_carries_more_than_a_chain_torn_apart() -> None:
    server = TwinServer(study(), None)
    whole, torn = (server.carried_mpps([["router", "nat"]], {"0": nodes})["0"] for nodes in (("0", "0"), ("0", "1")))
    assert torn < 0.95 * whole


def test_added_cycles_are_paid_for() -> None:
    """A router with 1,000 cycles more a packet, at 2.2 GHz, passes less than 2.2 Mpps."""
    slow = [{"name": "router", "extra_cycles": 1000.0}, {"name": "nat"}]
    server = TwinServer(study(nf=slow), None)
    assert 1.5 < server.carried_mpps([["router"]], {"0": ("0",)})["0"] < 2.2


def test_draws_of_priors_are_those_of_their_seed() -> None:
    """Of both chains: one alone may carry all that it is offered, whatever the draw."""

    def carried(draw: int | None) -> tuple[float, ...]:
        found = TwinServer(study(), draw).carried_mpps(CHAINS, {"0": ("0", "0"), "1": ("1", "1")})
        return found["0"], found["1"]

    assert carried(3) == carried(3)
    assert len({carried(None), carried(3), carried(4)}) == 3


def test_rates_that_are_offered_are_carried() -> None:
    """Half a million packets a second are less than any of these can do."""
    server = TwinServer(study(traffic={"mpps": 0.5}), None)
    carried = server.carried_mpps(CHAINS, {"0": ("0", "0"), "1": ("1", "1")})
    assert carried == {"0": pytest.approx(0.5, rel=1e-3), "1": pytest.approx(0.5, rel=1e-3)}
