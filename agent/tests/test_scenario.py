"""Where source, sink and the NF alone stand while an NF is measured over rings."""

from pathlib import Path

import pytest
from sextant_agent.drivers.testbed.scenario import NoRoom, cores_apart, needs_rings, scenario_of
from sextant_agent.machine.inventory import offered_cores
from sextant_agent.machine.machine import read_machine
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest

from .machines import two_sockets
from .measuring_lines import calibration

NODES = {0: 0, 1: 0, 2: 0, 3: 1, 4: 1}
"""Packets arrive on node 0."""
A_CORE_EACH = {0: 1, 1: 0}


def asked(core: int, *, upstream: tuple[int, ...] = (), others: tuple[int, ...] = ()) -> ProfileRequest:
    """A router on that core, with NFs of its chain and competitors on others."""
    return ProfileRequest(
        mode=ProfileMode.COLOCATION if others else ProfileMode.SOLO,
        nf=ProfiledNf(nf_type="router", core=core),
        upstream=tuple(ProfiledNf(nf_type="nat", core=one) for one in upstream),
        others=tuple(ProfiledNf(nf_type="firewall", core=one) for one in others),
    )


def test_rings_are_needed_for_chains_and_for_another_node_than_that_of_packets() -> None:
    assert [needs_rings(asked(core), NODES, 0) for core in (1, 3)] == [False, True]
    assert needs_rings(asked(1, upstream=(2,)), NODES, 0)
    assert not needs_rings(asked(1, others=(3,)), NODES, 0), "a competitor elsewhere presses in a closed loop"


def test_a_remote_nf_is_compared_with_itself_on_another_core_than_that_of_source_and_sink() -> None:
    found = scenario_of(asked(3, others=(4,)), NODES, 0, NODES)
    assert (found.source, found.home.core) == (0, 1)
    assert found.cores == (3, 4, 1, 0)
    alone = found.closed_loop
    assert (alone.mode, alone.nf.core, alone.others) == (ProfileMode.SOLO, 1, ())
    assert found.notes(NODES, calibration()) == ()


def test_a_local_nf_is_compared_with_itself_where_it_is() -> None:
    found = scenario_of(asked(1, upstream=(3,)), NODES, 0, NODES)
    assert (found.source, found.home.core) == (0, 1)
    assert [nf.core for nf in found.chain] == [3, 1]


@pytest.mark.parametrize(("core", "upstream"), [(1, ()), (0, (1,))])
def test_with_one_core_where_packets_arrive_source_and_sink_share_it_and_the_result_says_so(
    core: int, upstream: tuple[int, ...]
) -> None:
    """Node 0 has core 0 alone: an NF on core 1 is remote; one on core 0 stands with source and sink in any case."""
    nodes = {0: 0, 1: 1}
    found = scenario_of(asked(core, upstream=upstream), nodes, 0, nodes)
    assert (found.source, found.home.core) == (0, 0)
    shared, claimed = found.notes(nodes, calibration())
    assert "on the core of source and sink, since node 0 has no other one" in shared
    assert claimed.startswith("nodes 0 and 1 are claimed, and not apart"), "cores 0 and 1 share an L3 there"


def test_nodes_whose_cores_are_far_apart_are_believed() -> None:
    """Core 2 of that calibration shares no L3 with the others."""
    nodes = {1: 0, 2: 1}
    (shared,) = scenario_of(asked(2), nodes, 0, nodes).notes(nodes, calibration())
    assert "source and sink" in shared


def test_what_cannot_stand_anywhere_is_refused_with_the_reason() -> None:
    with pytest.raises(NoRoom, match="competitors hold all cores of node 1, and source and sink need one there"):
        scenario_of(asked(1, others=(0,)), A_CORE_EACH, 1, A_CORE_EACH)
    shared = ProfileRequest(
        mode=ProfileMode.SHARED_CORE,
        nf=ProfiledNf(nf_type="router", core=3),
        others=(ProfiledNf(nf_type="nat", core=3),),
    )
    with pytest.raises(NoRoom, match="measured on node 0, where packets arrive"):
        scenario_of(shared, NODES, 0, NODES)


def test_the_core_of_source_and_sink_comes_first_and_no_sibling_is_taken(tmp_path: Path) -> None:
    """CPUs 0-7 and their siblings 16-23 on node 0, 8-15 and 24-31 on node 1; chains' source and sink have core 1."""
    cores = offered_cores(read_machine(two_sockets(tmp_path), None, frozenset(range(32))))
    assert cores_apart(cores, (8,), range(32)) == (1, 0, *range(2, 8), *range(9, 16))
    assert cores_apart(cores, (17, 8), range(32))[:2] == (0, 2), "17 is the sibling of 1"
    assert cores_apart(cores, (8,), (5, 16, 21)) == (5, 16), "21 is the sibling of 5, and 16 that of nobody here"
